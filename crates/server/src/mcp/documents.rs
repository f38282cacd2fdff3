//! The tools to write a document with: its text, numbers, citations and bibliography.

use ibid_app::{DocumentChange, DocumentDraft};
use ibid_domain::{DocumentId, Problem};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Mcp, tool_answer::ToolAnswer, tool_table::ToolArguments};
use crate::{
    http::documents::{
        citations::{self, NewCitation, RemovedCitation},
        document_id,
        rendering::{BibliographyBody, bibliography_of},
    },
    wire::documents::{Document, DocumentSettingsBody},
};

/// Arguments to create a document.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateDocumentArgs {
    /// Title, as people see it.
    title: String,
    /// `markdown` (the usual) or `typst`.
    format: Option<String>,
    /// The style of its references: apa (the usual), mla, chicago-notes, ieee …
    style: Option<String>,
    /// Text of the document; default: empty.
    text: Option<String>,
}

/// Arguments of tools that take only a document.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentArgs {
    /// Id of the document, a UUID.
    document_id: String,
}

/// Arguments to replace the text of a document.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteDocumentArgs {
    /// Id of the document, a UUID.
    document_id: String,
    /// The whole text as it is to be.
    text: String,
    /// The version that the text was made from, as read_document told it. If there is a newer one, nothing is written.
    base_version: Option<u64>,
    /// Reason for the change, shown in the history.
    message: Option<String>,
}

/// Arguments to add a citation to a document.
#[derive(Serialize, ToSchema)]
pub(super) struct AddCitationArgs {
    /// Id of the document, a UUID.
    document_id: String,
    /// Citation after the call.
    #[serde(flatten)]
    #[schema(inline)]
    citation: NewCitation,
}

/// Arguments to remove a citation from a document.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoveCitationArgs {
    /// Id of the document, a UUID.
    document_id: String,
    /// Number that stands in the text, as in `[^3]`.
    citation_number: u32,
}

/// Arguments to build the bibliography of a document.
#[derive(Serialize, ToSchema)]
pub(super) struct BibliographyArgs {
    /// Id of the document, a UUID.
    document_id: String,
    #[serde(flatten)]
    #[schema(inline)]
    bibliography: BibliographyBody,
}

/// A document that was written.
#[derive(Serialize, ToSchema)]
pub(super) struct DocumentAnswer {
    /// Document after the call.
    document: Document,
}

async fn document_answer(mcp: &Mcp, open: ibid_app::OpenDocument, text: String) -> ibid_app::Result<ToolAnswer> {
    let count = mcp.app.documents(&mcp.scope).count_sources(open.document.id).await?;
    ToolAnswer::new(&DocumentAnswer { document: Document::new(open, count) }, text)
}

/// Runs the tool `create_document`: creates a document.
pub(super) async fn create_document(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let new: CreateDocumentArgs = arguments.parse_into()?;
    let settings = DocumentSettingsBody::from_parts(new.title, new.format, new.style).into_patch()?;
    let draft = DocumentDraft { settings, text: new.text.unwrap_or_default(), sources: Vec::new() };
    let open = mcp.app.documents(&mcp.scope).create(draft).await?;
    let text = format!("Made the document {}: {}", open.document.id, open.document.settings.title);
    document_answer(mcp, open, text).await
}

/// Runs the tool `read_document`: returns a document with its text.
pub(super) async fn read_document(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let DocumentArgs { document_id: id } = arguments.parse_into()?;
    let open = mcp.app.documents(&mcp.scope).get(document_id(&id)?, None).await?;
    let text = format!("{} (version {})\n\n{}", open.document.settings.title, open.document.version, open.text);
    document_answer(mcp, open, text).await
}

/// Runs the tool `write_document`: replaces the text of a document.
pub(super) async fn write_document(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let new: WriteDocumentArgs = arguments.parse_into()?;
    let change = DocumentChange {
        base: new.base_version,
        message: new.message,
        text: Some(new.text),
        ..DocumentChange::default()
    };
    let open = mcp.app.documents(&mcp.scope).change(document_id(&new.document_id)?, &change).await?;
    let text = format!("Saved as version {}.", open.document.version);
    document_answer(mcp, open, text).await
}

/// Gives out the next number for a citation.
pub(super) async fn next_number(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let DocumentArgs { document_id: id } = arguments.parse_into()?;
    let number = citations::next_number(&mcp.app, &mcp.scope, document_id(&id)?).await?;
    let text = number.message.clone();
    ToolAnswer::new(&number, text)
}

/// Cites a source in a document.
pub(super) async fn add_citation(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let body = arguments.parse_into::<serde_json::Map<String, serde_json::Value>>()?;
    let (id, rest) = take_document_id(body)?;
    let new: NewCitation = crate::wire::parse::parse_json(rest.as_bytes())?;
    let made = citations::add_citation(&mcp.app, &mcp.scope, id, new).await?;
    let text = format!("{}: {}", made.message, made.citation.formatted);
    ToolAnswer::new(&made, text)
}

/// Removes a citation from a document.
pub(super) async fn remove_citation(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let RemoveCitationArgs { document_id: id, citation_number } = arguments.parse_into()?;
    let version = mcp.app.documents(&mcp.scope).remove_citation(document_id(&id)?, citation_number).await?;
    let text = format!("Removed citation {citation_number}; the document is at version {version}.");
    ToolAnswer::new(&RemovedCitation { removed: true, version }, text)
}

/// Makes the bibliography of a document.
pub(super) async fn update_bibliography(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let body = arguments.parse_into::<serde_json::Map<String, serde_json::Value>>()?;
    let (id, rest) = take_document_id(body)?;
    let body: BibliographyBody = crate::wire::parse::parse_json(rest.as_bytes())?;
    let made = bibliography_of(&mcp.app, &mcp.scope, id, body).await?;
    let mut text = format!("{} citations, {} entries ({}):", made.citation_count, made.entries.len(), made.style);
    for entry in &made.entries {
        text.push_str(&format!("\n{}", entry.text));
    }
    ToolAnswer::new(&made, text)
}

/// The document that arguments name, and the rest of them: fields that nobody knows are refused there.
fn take_document_id(mut body: serde_json::Map<String, serde_json::Value>) -> Result<(DocumentId, String), Problem> {
    let id = body.remove("document_id").and_then(|id| id.as_str().map(str::to_owned)).unwrap_or_default();
    Ok((document_id(&id)?, serde_json::Value::Object(body).to_string()))
}
