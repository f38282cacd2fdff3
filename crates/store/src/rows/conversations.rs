//! Conversations and the tree of messages in each.

use ibid_domain::{Conversation, ConversationId, Cursor, Limit, Message, MessageId, Page, RunId, Timestamp};

use crate::{
    EngineKind, Result, Scope, Tx,
    rows::to_json_value,
    sql::{SqlRow, SqlValue, params, placeholder_list},
};

/// Columns that [`read_message`] reads, including if a job still works on the message's sources.
pub(super) const MESSAGE: &str = "m.*, CAST(CASE WHEN EXISTS (
    SELECT 1 FROM jobs j WHERE j.id = m.async_job AND j.state IN ('queued', 'running')
) THEN 1 ELSE 0 END AS BIGINT) AS has_async_sources";

/// The conversations of one tenant.
pub struct Conversations<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The conversations that this scope may see.
    pub fn conversations<'a>(&'a mut self, scope: &'a Scope) -> Conversations<'a> {
        Conversations { tx: self, scope }
    }
}

impl Conversations<'_> {
    /// Stores a new conversation without messages.
    pub async fn add(&mut self, new: &Conversation) -> Result<()> {
        self.tx
            .execute(
                "INSERT INTO conversations (id, tenant_id, title, created_by, created_at, updated_at)
                 VALUES ($1, $2, $3, $4, $5, $6)",
                params![
                    new.id,
                    self.scope.tenant(),
                    new.title.as_deref(),
                    new.created_by,
                    new.created_at,
                    new.updated_at
                ],
            )
            .await?;
        Ok(())
    }

    /// Returns a conversation, if it exists.
    pub async fn get(&mut self, id: ConversationId) -> Result<Option<Conversation>> {
        let sql = "SELECT * FROM conversations WHERE tenant_id = $1 AND id = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.as_ref().map(read_conversation).transpose()
    }

    /// One conversation, held so that nobody else adds to it until the transaction ends.
    pub async fn get_for_update(&mut self, id: ConversationId) -> Result<Option<Conversation>> {
        let lock = if self.tx.engine() == EngineKind::Postgres { "FOR UPDATE" } else { "" };
        let sql = format!("SELECT * FROM conversations WHERE tenant_id = $1 AND id = $2 {lock}");
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), id]).await?;
        rows.first().map(read_conversation).transpose()
    }

    /// Conversations, those first in which something was said last.
    pub async fn list(&mut self, limit: Limit, after: Option<&Cursor>) -> Result<Page<Conversation>> {
        let mut sql = "SELECT * FROM conversations WHERE tenant_id = $1".to_owned();
        let mut values = params![self.scope.tenant()];
        if let Some(cursor) = after {
            let [at, id] = cursor.key_parts()?;
            let at: i64 = at.parse().map_err(|_| Cursor::invalid_cursor())?;
            let id: ConversationId = id.parse().map_err(|_| Cursor::invalid_cursor())?;
            values.extend(params![Timestamp::from_micros(at), id]);
            sql += " AND (updated_at, id) < ($2, $3)";
        }
        values.push(limit.probe_count().into());
        sql += &format!(" ORDER BY updated_at DESC, id DESC LIMIT ${}", values.len());
        let rows = self.tx.rows_built(sql, values).await?;
        let items = rows.iter().map(read_conversation).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last: &Conversation| {
            vec![last.updated_at.as_micros().to_string(), last.id.to_string()]
        }))
    }

    /// Changes what a conversation is called, and says that something was said in it.
    pub async fn save(&mut self, conversation: &Conversation) -> Result<()> {
        let sql = "UPDATE conversations SET title = $3, updated_at = $4 WHERE tenant_id = $1 AND id = $2";
        let values =
            params![self.scope.tenant(), conversation.id, conversation.title.as_deref(), conversation.updated_at];
        self.tx.execute(sql, values).await?;
        Ok(())
    }

    /// Removes a conversation with all that was said in it; what it cited loses its references.
    pub async fn remove(&mut self, id: ConversationId) -> Result<bool> {
        self.tx.citations(self.scope).release_conversation(id).await?;
        let sql = "DELETE FROM conversations WHERE tenant_id = $1 AND id = $2";
        Ok(self.tx.execute(sql, params![self.scope.tenant(), id]).await? == 1)
    }

    /// Keeps a new message, and says whether its id was free.
    pub async fn add_message(&mut self, new: &Message) -> Result<bool> {
        let added = self
            .tx
            .execute(
                "INSERT INTO messages (tenant_id, id, conversation_id, parent_id, role, content, status, run_id, model, usage,
                     dangling, rewritten, async_job, created_at, updated_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
                 ON CONFLICT (tenant_id, id) DO NOTHING",
                params![
                    self.scope.tenant(),
                    &new.id,
                    new.conversation,
                    new.parent.as_ref(),
                    new.role.as_str(),
                    new.content.as_str(),
                    new.status.as_str(),
                    new.run,
                    new.model.as_deref(),
                    to_json_value(&new.usage)?,
                    to_json_value(&new.dangling)?,
                    to_json_value(&new.rewritten)?,
                    new.async_job,
                    new.created_at,
                    new.updated_at,
                ],
            )
            .await?;
        Ok(added == 1)
    }

    /// Keeps what has changed of a message.
    pub async fn save_message(&mut self, message: &Message) -> Result<()> {
        self.tx
            .execute(
                "UPDATE messages SET content = $3, status = $4, model = $5, usage = $6, dangling = $7,
                     rewritten = $8, async_job = COALESCE($9, async_job), updated_at = $10
                 WHERE tenant_id = $1 AND id = $2",
                params![
                    self.scope.tenant(),
                    &message.id,
                    message.content.as_str(),
                    message.status.as_str(),
                    message.model.as_deref(),
                    to_json_value(&message.usage)?,
                    to_json_value(&message.dangling)?,
                    to_json_value(&message.rewritten)?,
                    message.async_job,
                    message.updated_at,
                ],
            )
            .await?;
        Ok(())
    }

    /// Returns a message, if it exists.
    pub async fn get_message(&mut self, id: &MessageId) -> Result<Option<Message>> {
        let sql = format!("SELECT {MESSAGE} FROM messages m WHERE m.tenant_id = $1 AND m.id = $2");
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), id]).await?;
        rows.first().map(read_message).transpose()
    }

    /// Returns those of these messages that exist, in no particular order.
    pub async fn get_messages(&mut self, ids: &[&MessageId]) -> Result<Vec<Message>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT {MESSAGE} FROM messages m WHERE m.tenant_id = $1 AND m.id IN {}",
            placeholder_list(2, ids.len())
        );
        let mut values = params![self.scope.tenant()];
        values.extend(ids.iter().map(|id| SqlValue::from(*id)));
        self.tx.rows_built(sql, values).await?.iter().map(read_message).collect()
    }

    /// The message that was said last in a conversation.
    pub async fn last_message(&mut self, id: ConversationId) -> Result<Option<Message>> {
        let sql = format!(
            "SELECT {MESSAGE} FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2 ORDER BY m.seq DESC LIMIT 1"
        );
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), id]).await?;
        rows.first().map(read_message).transpose()
    }

    /// The messages of a conversation in the order in which they were said.
    pub async fn list_messages(
        &mut self,
        id: ConversationId,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Message>> {
        let after: i64 = match after {
            Some(cursor) => {
                let [seq] = cursor.key_parts()?;
                seq.parse().map_err(|_| Cursor::invalid_cursor())?
            }
            None => -1,
        };
        let sql = format!(
            "SELECT {MESSAGE} FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2 AND m.seq > $3
             ORDER BY m.seq LIMIT $4"
        );
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), id, after, limit.probe_count()]).await?;
        let items: Vec<(i64, Message)> =
            rows.iter().map(|row| Ok((row.get("seq")?, read_message(row)?))).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |(seq, _)| vec![seq.to_string()]).map(|(_, message)| message))
    }

    /// The messages that lead up to one, oldest first, that one last.
    pub async fn load_thread(&mut self, id: &MessageId, most: i64) -> Result<Vec<Message>> {
        let sql = format!(
            "WITH RECURSIVE thread (id, parent_id, depth) AS (
                 SELECT id, parent_id, 0 FROM messages WHERE tenant_id = $1 AND id = $2
                 UNION ALL
                 SELECT m.id, m.parent_id, t.depth + 1 FROM thread t
                 JOIN messages m ON m.tenant_id = $1 AND m.id = t.parent_id WHERE t.depth < $3
             )
             SELECT {MESSAGE} FROM thread t JOIN messages m ON m.tenant_id = $1 AND m.id = t.id ORDER BY t.depth DESC"
        );
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), id, most - 1]).await?;
        rows.iter().map(read_message).collect()
    }

    /// Returns those of the conversations that have a message whose sources a job still works on.
    pub async fn with_async_sources(&mut self, ids: &[ConversationId]) -> Result<Vec<ConversationId>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT DISTINCT m.conversation_id FROM messages m JOIN jobs j ON j.id = m.async_job
             WHERE m.tenant_id = $1 AND j.state IN ('queued', 'running') AND m.conversation_id IN {}",
            crate::sql::placeholder_list(2, ids.len())
        );
        let mut values = params![self.scope.tenant()];
        values.extend(ids.iter().map(|id| (*id).into()));
        let rows = self.tx.rows_built(sql, values).await?;
        rows.iter().map(|row| row.get("conversation_id")).collect()
    }
}

fn read_conversation(row: &SqlRow) -> Result<Conversation> {
    Ok(Conversation {
        id: row.get("id")?,
        title: row.get("title")?,
        created_by: row.get("created_by")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

pub(super) fn read_message(row: &SqlRow) -> Result<Message> {
    Ok(Message {
        id: row.get("id")?,
        conversation: row.get("conversation_id")?,
        parent: row.get("parent_id")?,
        role: row.parse("role")?,
        content: row.get("content")?,
        status: row.parse("status")?,
        run: row.get::<Option<RunId>>("run_id")?,
        model: row.get("model")?,
        usage: row.with_prefix("").parse_json("usage")?,
        dangling: row.with_prefix("").parse_json("dangling")?,
        rewritten: row.with_prefix("").parse_json("rewritten")?,
        async_job: row.get("async_job")?,
        has_async_sources: row.get("has_async_sources")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
