//! What an answer goes by: the passages that were found for a question, and the sources that they are of.

use ibid_citations::{CitationSource, CitationSourceType, Ledger};
use ibid_domain::{
    Message, MessageRole, Origin, Run, RunEventData, SearchFilter,
    run_event::{ToolCalled, ToolResult},
};
use serde_json::json;

use super::run_recorder::RunHandle;
use crate::{App, FoundPassage, Result, SearchRequest, citations::plain_query, runs};

/// The tool that looks through the library, as runs call it.
pub(super) const TOOL: &str = "hybrid_search";
/// A question of fewer words than this is taken to go on from the one before it.
const SHORT: usize = 5;

impl App {
    /// Looks through the library, and says so.
    pub(super) async fn search_passages(
        &self,
        live: &RunHandle,
        request: &str,
        question: &str,
        filter: &SearchFilter,
        limit: usize,
    ) -> Result<Vec<FoundPassage>> {
        live.record(RunEventData::ToolCalled(ToolCalled {
            tool_name: TOOL.to_owned(),
            request_id: request.to_owned(),
            parameters: json!({ "query": question, "limit": limit }),
        }));
        self.catch_up_soon().await?;
        let query = plain_query(question);
        let results = if query.contains(char::is_alphanumeric) {
            let search = SearchRequest {
                limit,
                filter: filter.clone(),
                graph: None,
                include_events: false,
                ..SearchRequest::new(query)
            };
            self.search(&live.scope).run(&search).await?.results
        } else {
            Vec::new()
        };
        live.record(RunEventData::ToolResult(ToolResult {
            tool_name: TOOL.to_owned(),
            request_id: request.to_owned(),
            count: Some(results.len()),
            ..ToolResult::default()
        }));
        Ok(results)
    }

    /// Keeps sources as those of the run, and says which are new.
    pub(super) async fn keep_found(&self, live: &RunHandle, sources: Vec<CitationSource>) -> Result<Ledger> {
        let mut tx = self.store.write().await?;
        tx.runs(&live.scope).get_for_update(live.id).await?;
        let mut ledger = runs::ledger_of(&mut tx, &live.scope, live.id).await?;
        let new = runs::add_sources(&mut tx, &live.scope, live.id, &mut ledger, sources).await?;
        tx.commit().await?;
        if let Some(event) = runs::references_found(&ledger, &new) {
            live.record(event);
        }
        Ok(ledger)
    }

    /// Returns the question, preceded by the previous question if it is too short to stand alone.
    pub(super) async fn question_with_context(&self, live: &RunHandle, run: &Run, question: &str) -> Result<String> {
        if question.split_whitespace().count() >= SHORT {
            return Ok(question.to_owned());
        }
        let before = self.thread_history(live, run, 4).await?;
        let last = before.iter().rev().find(|message| message.role == MessageRole::User);
        Ok(last.map_or_else(|| question.to_owned(), |last| format!("{} {question}", last.content)))
    }

    /// Returns up to `most` messages before the question of a run, oldest first.
    pub(super) async fn thread_history(&self, live: &RunHandle, run: &Run, most: i64) -> Result<Vec<Message>> {
        let Some(question) = &run.question else { return Ok(Vec::new()) };
        let mut thread = self.store.read().await?.conversations(&live.scope).load_thread(question, most + 1).await?;
        thread.pop();
        Ok(thread)
    }
}

/// The type under which a run lists a source of this origin.
pub(super) const fn citation_kind(origin: Origin) -> CitationSourceType {
    match origin {
        Origin::Web => CitationSourceType::Web,
        Origin::Api => CitationSourceType::Api,
        Origin::Database => CitationSourceType::Database,
        Origin::Memory => CitationSourceType::Memory,
        Origin::Skill => CitationSourceType::Skill,
        Origin::Mcp => CitationSourceType::Mcp,
        _ => CitationSourceType::File,
    }
}

/// A passage as something to cite.
pub(super) fn source_of(found: &FoundPassage) -> CitationSource {
    let FoundPassage { chunk, source, revision, .. } = found;
    let quote = found.evidence.first().map(|evidence| evidence.quote.clone());
    CitationSource {
        id: chunk.id.to_string(),
        kind: citation_kind(source.origin),
        tool_name: TOOL.to_owned(),
        uri: source.url.clone(),
        title: Some(source.display_title().to_owned()),
        favicon: source.favicon.clone(),
        snippet: quote.or_else(|| Some(chunk.content.chars().take(500).collect())),
        page_number: chunk.place.page,
        mime_type: Some(revision.media_type.clone()),
        relevance_score: found.similarity.map(|alike| f64::from(alike.clamp(0.0, 1.0))),
        source_id: Some(source.id.to_string()),
        revision_id: Some(revision.id.to_string()),
        start_char: Some(chunk.span.start),
        end_char: Some(chunk.span.end),
        ..CitationSource::default()
    }
}
