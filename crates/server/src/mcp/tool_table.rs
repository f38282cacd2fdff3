//! Every tool, one row each.

use std::{panic::AssertUnwindSafe, sync::OnceLock, time::Instant};

use futures::{FutureExt, future::BoxFuture};
use ibid_domain::{Code, JsonObject, Problem};
use rmcp::model::{CallToolResult, Tool, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::{
    Mcp, citations, connector, documents, jobs, knowledge, schema, search, sources,
    tool_answer::{ToolAnswer, error_result},
};
use crate::{
    http::documents::citations::RemovedCitation,
    wire::{
        documents::{BibliographyAnswer, CitationAnswer, NumberAnswer},
        knowledge::GraphHealthAnswer,
        parse::parse_json,
        search::{SearchAnswer, SearchBody},
        source_body::NewSource,
        source_search::{SourceSearchAnswer, SourceSearchBody},
        verification::{GroundAnswer, GroundBody, VerifyAnswer, VerifyBody},
    },
};

/// Effect of a tool on the library, announced to clients as hints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolEffect {
    /// The tool only reads, and changes nothing.
    Reads,
    /// It adds, and doing it again adds nothing. It may fetch from the open web.
    Adds,
    /// It changes a document, of which all that was before is kept.
    Changes,
}

/// A tool: what is said of it, and what it does.
pub(super) struct ToolDefinition {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    input: fn() -> JsonObject,
    output: fn() -> JsonObject,
    effect: ToolEffect,
    call: for<'a> fn(&'a Mcp, ToolArguments) -> BoxFuture<'a, ibid_app::Result<ToolAnswer>>,
}

/// The tools there are, in the order in which clients list them.
pub(super) static TOOLS: &[ToolDefinition] = &[
    ToolDefinition {
        name: "hybrid_search",
        title: "Search the library",
        description: "Finds the passages of the library that answer a question, by their words and by their meaning. \
                      Each result has the exact quote, the page and section it stands in, and a link that opens the \
                      source at the quote. Use filters to narrow by type, origin, tags, language or time.",
        input: schema::schema_of::<SearchBody>,
        output: schema::schema_of::<SearchAnswer>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(search::hybrid_search(mcp, arguments)),
    },
    ToolDefinition {
        name: "search_knowledge_base",
        title: "Search for sources",
        description: "Finds the sources that answer a question, each with the excerpts that do. Use it to see which \
                      documents there are on a matter; use hybrid_search for single passages.",
        input: schema::schema_of::<SourceSearchBody>,
        output: schema::schema_of::<SourceSearchAnswer>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(search::knowledge_base(mcp, arguments)),
    },
    ToolDefinition {
        name: "query_sources_rag",
        title: "Search the sources of a document",
        description: "Searches only the sources that were collected for one document, by meaning first. What is less \
                      alike than the threshold is left out; if nothing is left, `message` says why.",
        input: schema::schema_of::<search::DocumentSourcesQuery>,
        output: schema::schema_of::<SourceSearchAnswer>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(search::query_document_sources(mcp, arguments)),
    },
    ToolDefinition {
        name: "add_source",
        title: "Add a source",
        description: "Brings a source into the library: a page (`url`), a text (`content` with a `title`), or only what \
                      a bibliography knows of a work (`title`, `author`, …). It is kept at once and can be searched \
                      some seconds later; get_source tells its status. What is there already is given back as it is.",
        input: schema::schema_of::<NewSource>,
        output: schema::schema_of::<sources::AddedSource>,
        effect: ToolEffect::Adds,
        call: |mcp, arguments| Box::pin(sources::add_source(mcp, arguments)),
    },
    ToolDefinition {
        name: "get_source",
        title: "Read a source",
        description: "Everything known of one source, and its text: the first 20,000 characters, or those from \
                      `start_char` to `end_char` (at most 50,000 at a time).",
        input: schema::schema_of::<sources::SourceQuery>,
        output: schema::schema_of::<sources::ReadSource>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(sources::get(mcp, arguments)),
    },
    ToolDefinition {
        name: "verify_citations",
        title: "Check citations",
        description: "Checks what a text says against what it cites: for each citation the words of the source that come \
                      closest, and whether they bear the claim out. Takes a `text` with its `sources`, a `message_id` or \
                      `run_id` that is kept, or `pairs` of a claim and a passage.",
        input: schema::schema_of::<VerifyBody>,
        output: schema::schema_of::<VerifyAnswer>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(citations::verify_citations(mcp, arguments)),
    },
    ToolDefinition {
        name: "ground_text",
        title: "Find the sources of a draft",
        description: "Binds each statement of a draft to the passage of the library that says it best, with the exact \
                      quote, and lists what nothing supports. `annotated` is the draft with its citations put in.",
        input: schema::schema_of::<GroundBody>,
        output: schema::schema_of::<GroundAnswer>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(citations::ground_text(mcp, arguments)),
    },
    ToolDefinition {
        name: "job_status",
        title: "Look at background work",
        description: "How background jobs (fetching, reading, embedding) are doing: one job by its id, or the most \
                      recent ones with how many are in each state.",
        input: schema::schema_of::<jobs::JobQuery>,
        output: schema::schema_of::<jobs::JobReport>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(jobs::job_status(mcp, arguments)),
    },
    ToolDefinition {
        name: "graph_health",
        title: "Look at the graph",
        description: "How many people, things and events are known, how they are connected, and whether the graph is up \
                      to date.",
        input: schema::schema_of::<knowledge::GraphHealthArgs>,
        output: schema::schema_of::<GraphHealthAnswer>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(knowledge::graph_health(mcp, arguments)),
    },
    ToolDefinition {
        name: "entity_review_queue",
        title: "Who may be the same",
        description: "Pairs of entities that may be the same and that a person should decide about, the likeliest \
                      first, each with what is known of both.",
        input: schema::schema_of::<knowledge::ReviewQuery>,
        output: schema::schema_of::<knowledge::ReviewQueue>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(knowledge::review_queue(mcp, arguments)),
    },
    ToolDefinition {
        name: "create_document",
        title: "Begin a document",
        description: "Makes a document to write with sources: Markdown or Typst, with a style of references. In its text a \
                      citation stands by its number, as [^3] in Markdown and #footnote[3] in Typst.",
        input: schema::schema_of::<documents::CreateDocumentArgs>,
        output: schema::schema_of::<documents::DocumentAnswer>,
        effect: ToolEffect::Changes,
        call: |mcp, arguments| Box::pin(documents::create_document(mcp, arguments)),
    },
    ToolDefinition {
        name: "read_document",
        title: "Read a document",
        description: "The text of a document as it is now, and the version it is at.",
        input: schema::schema_of::<documents::DocumentArgs>,
        output: schema::schema_of::<documents::DocumentAnswer>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(documents::read_document(mcp, arguments)),
    },
    ToolDefinition {
        name: "write_document",
        title: "Write a document",
        description: "Saves the whole text of a document as its next version; those before are kept. With `base_version` \
                      nothing is overwritten that somebody else wrote meanwhile.",
        input: schema::schema_of::<documents::WriteDocumentArgs>,
        output: schema::schema_of::<documents::DocumentAnswer>,
        effect: ToolEffect::Changes,
        call: |mcp, arguments| Box::pin(documents::write_document(mcp, arguments)),
    },
    ToolDefinition {
        name: "get_next_citation_number",
        title: "Next citation number",
        description: "The next number for a citation of a document. However many ask at once, each number is given out \
                      once. Put its marker into the text and then call add_citation with it.",
        input: schema::schema_of::<documents::DocumentArgs>,
        output: schema::schema_of::<NumberAnswer>,
        effect: ToolEffect::Changes,
        call: |mcp, arguments| Box::pin(documents::next_number(mcp, arguments)),
    },
    ToolDefinition {
        name: "add_citation",
        title: "Cite a source",
        description: "Links a source to a place in a document: the number, the position in characters, and where in the \
                      source (`locator`: p. 12). With `insert` the marker is put into the text as well. Gives what the \
                      footnote says in the document's style.",
        input: schema::schema_of::<documents::AddCitationArgs>,
        output: schema::schema_of::<CitationAnswer>,
        effect: ToolEffect::Changes,
        call: |mcp, arguments| Box::pin(documents::add_citation(mcp, arguments)),
    },
    ToolDefinition {
        name: "remove_citation",
        title: "Remove a citation",
        description: "Takes a citation out of a document, with its marker in the text. Earlier versions keep it.",
        input: schema::schema_of::<documents::RemoveCitationArgs>,
        output: schema::schema_of::<RemovedCitation>,
        effect: ToolEffect::Changes,
        call: |mcp, arguments| Box::pin(documents::remove_citation(mcp, arguments)),
    },
    ToolDefinition {
        name: "update_bibliography",
        title: "Make the bibliography",
        description: "The bibliography of a document in its style or another: only what its text cites, one entry for each \
                      source, sorted as the style says. With `insert` it is put into the text and kept up from then on.",
        input: schema::schema_of::<documents::BibliographyArgs>,
        output: schema::schema_of::<BibliographyAnswer>,
        effect: ToolEffect::Changes,
        call: |mcp, arguments| Box::pin(documents::update_bibliography(mcp, arguments)),
    },
    ToolDefinition {
        name: "search",
        title: "Search (connector)",
        description: "Finds passages for a query and gives id, title and url of each, for clients that go on with \
                      fetch. hybrid_search says more.",
        input: schema::schema_of::<connector::ConnectorQuery>,
        output: schema::schema_of::<connector::ConnectorResults>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(connector::search(mcp, arguments)),
    },
    ToolDefinition {
        name: "fetch",
        title: "Fetch (connector)",
        description: "The text behind an id that search gave: a passage with what stands around it, or for the id of a \
                      source its text.",
        input: schema::schema_of::<connector::FetchQuery>,
        output: schema::schema_of::<connector::FetchedText>,
        effect: ToolEffect::Reads,
        call: |mcp, arguments| Box::pin(connector::fetch(mcp, arguments)),
    },
];

/// Returns the table row of a tool, or `None` if there is no such tool.
pub(super) fn find_tool(name: &str) -> Option<&'static ToolDefinition> {
    TOOLS.iter().find(|row| row.name == name)
}

/// The tools as clients see them.
pub(super) fn list_tools() -> &'static [Tool] {
    static DESCRIBED: OnceLock<Vec<Tool>> = OnceLock::new();
    DESCRIBED.get_or_init(|| TOOLS.iter().map(ToolDefinition::to_tool).collect())
}

impl ToolDefinition {
    fn to_tool(&self) -> Tool {
        let hints = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == ToolEffect::Reads)
            .destructive(false)
            .idempotent(self.effect != ToolEffect::Changes)
            .open_world(self.effect == ToolEffect::Adds);
        Tool::new(self.name, self.description, (self.input)())
            .with_title(self.title)
            .with_raw_output_schema((self.output)().into())
            .with_annotations(hints)
    }

    /// Calls the tool. Whatever goes wrong is an answer that says what to do differently.
    pub(super) async fn run_tool(&self, mcp: &Mcp, arguments: JsonObject) -> CallToolResult {
        let began = Instant::now();
        let call = AssertUnwindSafe((self.call)(mcp, ToolArguments(arguments))).catch_unwind();
        let answer = call.await.unwrap_or_else(|_| {
            let detail = "something went wrong inside the server; the log has the cause";
            Err(Problem::new(Code::Internal, detail).into())
        });
        let (result, code) = match answer {
            Ok(answer) => (answer.into_result(), None),
            Err(error) => {
                if !error.is_problem() {
                    tracing::error!(tool = self.name, %error, "a tool failed inside the server");
                }
                let problem = error.to_problem();
                (error_result(&problem), Some(problem.code.as_str()))
            }
        };
        let ms = (began.elapsed().as_secs_f64() * 1e4).round() / 10.0;
        tracing::info!(tool = self.name, ms, code, "called");
        let labels = [("tool", self.name), ("outcome", code.unwrap_or("ok"))];
        metrics::counter!("ibid_mcp_calls_total", &labels).increment(1);
        metrics::histogram!("ibid_mcp_call_seconds", "tool" => self.name).record(began.elapsed().as_secs_f64());
        result
    }
}

/// The arguments of a call, not yet looked at.
pub(super) struct ToolArguments(JsonObject);

impl ToolArguments {
    /// The arguments as a type, or which of them is wrong.
    pub(super) fn parse_into<T: DeserializeOwned>(self) -> Result<T, Problem> {
        parse_json(&self.into_body())
    }

    /// The arguments as the body of a request.
    pub(super) fn into_body(self) -> Vec<u8> {
        Json::Object(self.0).to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_described() {
        let mut names = std::collections::HashSet::new();
        for tool in list_tools() {
            assert!(names.insert(&tool.name), "{} stands twice", tool.name);
            let output = tool.output_schema.as_ref().unwrap();
            for schema in [&tool.input_schema, output] {
                assert_eq!(schema["type"], "object", "{}: clients want an object", tool.name);
                for (field, property) in schema["properties"].as_object().unwrap() {
                    assert!(property["description"].is_string(), "{}: {field} is not described", tool.name);
                }
            }
            let hints = tool.annotations.as_ref().unwrap();
            assert!(hints.read_only_hint.is_some() && hints.destructive_hint == Some(false));
        }
    }
}
