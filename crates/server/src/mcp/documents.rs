//! The tools to write a document with: its text, numbers, citations and bibliography.

use ibid_app::{DocumentChange, DocumentDraft};
use ibid_domain::{DocumentId, Problem};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Mcp, answer::Answer, table::Arguments};
use crate::http::documents::{
    citing::{self, NewCitation, RemovedCitation},
    document_id,
    rendering::{BibliographyBody, bibliography_of},
    wire::{Document, LookBody},
};

/// A document to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateDocument {
    /// What it is called.
    title: String,
    /// `markdown` (the usual) or `typst`.
    format: Option<String>,
    /// The style of its references: apa (the usual), mla, chicago-notes, ieee …
    style: Option<String>,
    /// Its text.
    text: Option<String>,
}

/// Which document is meant.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentNamed {
    /// The document.
    document_id: String,
}

/// A text for a document.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteDocument {
    /// The document.
    document_id: String,
    /// The whole text as it is to be.
    text: String,
    /// The version that the text was made from, as read_document told it. If there is a newer one, nothing is written.
    base_version: Option<u64>,
    /// Why, for the history.
    message: Option<String>,
}

/// A citation to be made.
#[derive(Serialize, ToSchema)]
pub(super) struct CiteInDocument {
    /// The document.
    document_id: String,
    #[serde(flatten)]
    #[schema(inline)]
    citation: NewCitation,
}

/// A citation to be removed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoveFromDocument {
    /// The document.
    document_id: String,
    /// The number of the citation.
    citation_number: u32,
}

/// A bibliography to be made.
#[derive(Serialize, ToSchema)]
pub(super) struct BibliographyOf {
    /// The document.
    document_id: String,
    #[serde(flatten)]
    #[schema(inline)]
    bibliography: BibliographyBody,
}

/// A document that was written.
#[derive(Serialize, ToSchema)]
pub(super) struct DocumentAnswer {
    /// The document.
    document: Document,
}

async fn told(mcp: &Mcp, open: ibid_app::OpenDocument, text: String) -> ibid_app::Result<Answer> {
    let count = mcp.app.count_document_sources(&mcp.scope, open.document.id).await?;
    Answer::new(&DocumentAnswer { document: Document::new(open, count) }, text)
}

/// Makes a document.
pub(super) async fn create(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let new: CreateDocument = arguments.read()?;
    let look = LookBody::of(new.title, new.format, new.style).change()?;
    let draft = DocumentDraft { look, text: new.text.unwrap_or_default(), sources: Vec::new() };
    let open = mcp.app.create_document(&mcp.scope, draft).await?;
    let text = format!("Made the document {}: {}", open.document.id, open.document.look.title);
    told(mcp, open, text).await
}

/// Reads a document.
pub(super) async fn read(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let DocumentNamed { document_id: id } = arguments.read()?;
    let open = mcp.app.document(&mcp.scope, document_id(&id)?, None).await?;
    let text = format!("{} (version {})\n\n{}", open.document.look.title, open.document.version, open.text);
    told(mcp, open, text).await
}

/// Writes a document.
pub(super) async fn write(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let new: WriteDocument = arguments.read()?;
    let change = DocumentChange {
        base: new.base_version,
        message: new.message,
        text: Some(new.text),
        ..DocumentChange::default()
    };
    let open = mcp.app.change_document(&mcp.scope, document_id(&new.document_id)?, &change).await?;
    let text = format!("Saved as version {}.", open.document.version);
    told(mcp, open, text).await
}

/// Gives out the next number for a citation.
pub(super) async fn next_number(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let DocumentNamed { document_id: id } = arguments.read()?;
    let number = citing::next_number(&mcp.app, &mcp.scope, document_id(&id)?).await?;
    let text = number.message.clone();
    Answer::new(&number, text)
}

/// Cites a source in a document.
pub(super) async fn add_citation(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let body = arguments.read::<serde_json::Map<String, serde_json::Value>>()?;
    let (id, rest) = named(body)?;
    let new: NewCitation = crate::http::extract::parse_json(rest.as_bytes())?;
    let made = citing::add_citation(&mcp.app, &mcp.scope, id, new).await?;
    let text = format!("{}: {}", made.message, made.citation.formatted);
    Answer::new(&made, text)
}

/// Removes a citation from a document.
pub(super) async fn remove_citation(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let RemoveFromDocument { document_id: id, citation_number } = arguments.read()?;
    let version = mcp.app.remove_citation(&mcp.scope, document_id(&id)?, citation_number).await?;
    let text = format!("Removed citation {citation_number}; the document is at version {version}.");
    Answer::new(&RemovedCitation { removed: true, version }, text)
}

/// Makes the bibliography of a document.
pub(super) async fn bibliography(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let body = arguments.read::<serde_json::Map<String, serde_json::Value>>()?;
    let (id, rest) = named(body)?;
    let body: BibliographyBody = crate::http::extract::parse_json(rest.as_bytes())?;
    let made = bibliography_of(&mcp.app, &mcp.scope, id, body).await?;
    let mut text = format!("{} citations, {} entries ({}):", made.citation_count, made.entries.len(), made.style);
    for entry in &made.entries {
        text.push_str(&format!("\n{}", entry.text));
    }
    Answer::new(&made, text)
}

/// The document that arguments name, and the rest of them: fields that nobody knows are refused there.
fn named(mut body: serde_json::Map<String, serde_json::Value>) -> Result<(DocumentId, String), Problem> {
    let id = body.remove("document_id").and_then(|id| id.as_str().map(str::to_owned)).unwrap_or_default();
    Ok((document_id(&id)?, serde_json::Value::Object(body).to_string()))
}
