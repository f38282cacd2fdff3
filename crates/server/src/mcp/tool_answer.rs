//! What a tool gives back: a value for programs, text for a model, and links that open the sources.

use ibid_domain::{Code, Problem};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde::Serialize;
use serde_json::Value as Json;

/// The answer of a tool that did what it was asked.
pub(super) struct ToolAnswer {
    structured: Json,
    text: String,
    links: Vec<Resource>,
}

impl ToolAnswer {
    /// A value, and the same for a model to read.
    pub(super) fn new(value: &impl Serialize, text: String) -> ibid_app::Result<Self> {
        Ok(Self { structured: to_json(value)?, text, links: Vec::new() })
    }

    /// A value whose text is its JSON, as clients with connectors expect.
    pub(super) fn from_value(value: &impl Serialize) -> ibid_app::Result<Self> {
        let structured = to_json(value)?;
        Ok(Self { text: structured.to_string(), structured, links: Vec::new() })
    }

    /// Adds links to what it speaks of.
    pub(super) fn with_links(mut self, links: impl IntoIterator<Item = Resource>) -> Self {
        self.links.extend(links);
        self
    }

    pub(super) fn into_result(self) -> CallToolResult {
        let links = self.links.into_iter().map(ContentBlock::resource_link);
        let mut result = CallToolResult::success(std::iter::once(ContentBlock::text(self.text)).chain(links).collect());
        result.structured_content = Some(self.structured);
        result
    }
}

fn to_json(value: &impl Serialize) -> ibid_app::Result<Json> {
    serde_json::to_value(value).map_err(ibid_app::Error::internal("write the answer of a tool"))
}

/// Returns an error as a tool result, so that the model can read it and correct the call; clients may hide protocol
/// errors.
pub(super) fn error_result(problem: &Problem) -> CallToolResult {
    let place = problem.field.as_ref().map(|field| format!(" ({field})")).unwrap_or_default();
    let mut text = format!("{}{place}: {}", problem.code.as_str(), problem.detail);
    let advice = tool_advice(problem.code);
    if !advice.is_empty() {
        text.push('\n');
        text.push_str(advice);
    }
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Returns advice on an error that names MCP tools where the general hint names HTTP endpoints.
fn tool_advice(code: Code) -> &'static str {
    match code {
        // The detail has said it.
        Code::InvalidField | Code::InvalidQuery | Code::EntityTypeUnknown => "",
        Code::SourceNotFound => {
            "Take an id from hybrid_search, search_knowledge_base or search, or list the resources."
        }
        Code::RevisionNotFound => "Leave the revision out to get the one the source stands at.",
        Code::ArtifactNotFound => "Give the text as `content`, or an address as `url`, instead of `artifact_sha256`.",
        Code::JobNotFound => "Call job_status without an id to see the recent jobs.",
        Code::Unavailable | Code::StorageFailed => "Try again in a few seconds.",
        Code::Internal => "Try again; if it happens again, the log of the server has the cause.",
        other => other.help(),
    }
}
