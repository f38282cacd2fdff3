//! Conversations: the tree of what was said, with the evidence of every answer.

use std::collections::HashMap;

use ibid_domain::{
    Citation, Conversation, ConversationId, Cursor, Limit, Message, MessageId, MessageStatus, Page, RunEventData, Usage,
};
use ibid_store::Tx;

use super::{no_conversation, no_message};
use crate::{Result, Scope, services::ConversationService};

/// A conversation, and whether sources of its messages are still being worked on.
#[derive(Clone, Debug)]
pub struct ConversationView {
    pub conversation: Conversation,
    /// True if notes on cited sources are still being written.
    pub has_async_sources: bool,
    /// Tokens and cost of all runs in the conversation.
    pub usage: Usage,
}

/// A message with what it cites.
#[derive(Clone, Debug)]
pub struct MessageWithCitations {
    pub message: Message,
    /// Its citations, in the order in which they stand.
    pub citations: Vec<Citation>,
}

impl ConversationService<'_> {
    /// Creates an empty conversation.
    pub async fn create(self, title: Option<&str>) -> Result<ConversationView> {
        let title = title.map(Conversation::checked_title).transpose()?;
        let mut tx = self.app.store.write().await?;
        let now = tx.now();
        let id = ConversationId::new();
        let conversation = Conversation { id, title, created_by: self.scope.user(), created_at: now, updated_at: now };
        tx.conversations(self.scope).add(&conversation).await?;
        tx.commit().await?;
        Ok(ConversationView { conversation, has_async_sources: false, usage: Usage::default() })
    }

    /// Returns a conversation, or a not-found problem.
    pub async fn get(self, id: ConversationId) -> Result<ConversationView> {
        let mut tx = self.app.store.read().await?;
        let conversation =
            tx.conversations(self.scope).get(id).await?.ok_or_else(|| no_conversation(&id.to_string()))?;
        let has_async_sources = !tx.conversations(self.scope).with_async_sources(&[id]).await?.is_empty();
        let usage = tx.runs(self.scope).usage_of(&[id]).await?.remove(&id).unwrap_or_default();
        Ok(ConversationView { conversation, has_async_sources, usage })
    }

    /// Conversations, those first in which something was said last.
    pub async fn list(self, limit: Limit, after: Option<&Cursor>) -> Result<Page<ConversationView>> {
        let mut tx = self.app.store.read().await?;
        let page = tx.conversations(self.scope).list(limit, after).await?;
        let ids: Vec<_> = page.items.iter().map(|conversation| conversation.id).collect();
        let working = tx.conversations(self.scope).with_async_sources(&ids).await?;
        let usage = tx.runs(self.scope).usage_of(&ids).await?;
        Ok(page.map(|conversation| ConversationView {
            has_async_sources: working.contains(&conversation.id),
            usage: usage.get(&conversation.id).copied().unwrap_or_default(),
            conversation,
        }))
    }

    /// Gives a conversation another title.
    pub async fn rename(self, id: ConversationId, title: &str) -> Result<ConversationView> {
        let title = Conversation::checked_title(title)?;
        let mut tx = self.app.store.write().await?;
        let found = tx.conversations(self.scope).get_for_update(id).await?;
        let mut conversation = found.ok_or_else(|| no_conversation(&id.to_string()))?;
        conversation.title = Some(title);
        tx.conversations(self.scope).save(&conversation).await?;
        tx.commit().await?;
        self.get(id).await
    }

    /// Removes a conversation with everything that was said in it.
    pub async fn delete(self, id: ConversationId) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        tx.conversations(self.scope).get_for_update(id).await?.ok_or_else(|| no_conversation(&id.to_string()))?;
        let runs = tx.runs(self.scope).of_conversation(id).await?;
        crate::deliverables::delete_deliverables(&mut tx, self.scope, &runs).await?;
        tx.conversations(self.scope).remove(id).await?;
        Ok(tx.commit().await?)
    }

    /// Lists the messages of a conversation in order, each with its citations.
    pub async fn messages(
        self,
        id: ConversationId,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<MessageWithCitations>> {
        let mut tx = self.app.store.read().await?;
        tx.conversations(self.scope).get(id).await?.ok_or_else(|| no_conversation(&id.to_string()))?;
        let mut page = tx.conversations(self.scope).list_messages(id, limit, after).await?;
        for message in &mut page.items {
            fill_in(&mut tx, self.scope, message).await?;
        }
        // All of them at once, however many messages there are.
        let ids: Vec<_> = page.items.iter().map(|message| &message.id).collect();
        let mut by_message: HashMap<MessageId, Vec<Citation>> = HashMap::new();
        for citation in tx.citations(self.scope).of_messages(&ids).await? {
            by_message.entry(citation.message.clone()).or_default().push(citation);
        }
        Ok(page.map(|message| {
            let citations = by_message.remove(&message.id).unwrap_or_default();
            MessageWithCitations { message, citations }
        }))
    }

    /// One message with its evidence.
    pub async fn message(self, id: &MessageId) -> Result<MessageWithCitations> {
        let mut tx = self.app.store.read().await?;
        let message = tx.conversations(self.scope).get_message(id).await?;
        let mut message = message.ok_or_else(|| no_message(id.as_str()))?;
        fill_in(&mut tx, self.scope, &mut message).await?;
        let citations = tx.citations(self.scope).of_message(id).await?;
        Ok(MessageWithCitations { message, citations })
    }
}

/// The words that a message has so far, if it is being written.
async fn fill_in(tx: &mut Tx, scope: &Scope, message: &mut Message) -> Result<()> {
    if message.status == MessageStatus::Streaming
        && let Some(run) = message.run
    {
        message.content = released_text(tx, scope, run).await?;
    }
    Ok(())
}

/// Returns the text of an answer that was already streamed to clients.
pub(super) async fn released_text(tx: &mut Tx, scope: &Scope, run: ibid_domain::RunId) -> Result<String> {
    let (mut content, mut after) = (String::new(), 0);
    loop {
        let events = tx.runs(scope).list_events(run, after, 1000).await?;
        let Some(last) = events.last() else { return Ok(content) };
        after = last.seq;
        for event in events {
            match event.data {
                RunEventData::ContentDelta(delta) => content.push_str(&delta.text),
                RunEventData::AnswerRevised(revised) => content = revised.text,
                _ => {}
            }
        }
    }
}
