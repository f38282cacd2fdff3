//! Sources as they go over the wire, and what belongs to them.

use ibid_app::{Described, Impact, Losses};
use ibid_domain::{JsonObject, Name, Sha256, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::super::runs::wire::LostSupport;

/// Anything that can be cited.
#[derive(Serialize, ToSchema)]
pub(crate) struct Source {
    /// Its id.
    id: Uuid,
    /// Which of the twelve types it is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Where it came from: blob_storage, sharepoint, onedrive, email, web, api, database, memory, skill, mcp or manual.
    origin: &'static str,
    /// The origin again, under the name that citations use.
    source_type: &'static str,
    /// How a client gets at the content: internal_api, oauth_proxy or external.
    fetch_strategy: &'static str,
    /// What it is called; its address if it has no title.
    title: String,
    /// Who wrote it, in one line.
    #[schema(required)]
    author: Option<String>,
    /// Who wrote it, in order.
    authors: Vec<String>,
    /// Who edited it.
    editors: Vec<String>,
    /// When it appeared: a day, a month or a year.
    #[schema(required)]
    publication_date: Option<String>,
    /// When its content was last fetched or brought.
    #[schema(value_type = String, format = DateTime)]
    access_date: Timestamp,
    /// What kind of work it is, in the words of CSL.
    #[schema(required)]
    genre: Option<String>,
    /// The journal, book, series or site it appeared in.
    #[schema(required)]
    container: Option<String>,
    /// Who published it.
    #[schema(required)]
    publisher: Option<String>,
    /// Where it was published.
    #[schema(required)]
    publisher_place: Option<String>,
    /// The volume of its container.
    #[schema(required)]
    volume: Option<String>,
    /// The issue of its container.
    #[schema(required)]
    issue: Option<String>,
    /// Its pages in its container.
    #[schema(required)]
    pages: Option<String>,
    /// Which edition it is.
    #[schema(required)]
    edition: Option<String>,
    /// Its Digital Object Identifier.
    #[schema(required)]
    doi: Option<String>,
    /// Its International Standard Book Number.
    #[schema(required)]
    isbn: Option<String>,
    /// The International Standard Serial Number of its container.
    #[schema(required)]
    issn: Option<String>,
    /// Its language.
    #[schema(required)]
    language: Option<String>,
    /// What it says it is about.
    #[schema(required)]
    summary: Option<String>,
    /// What a person wrote about it.
    #[schema(required)]
    note: Option<String>,
    /// Which of these fields a person has set; reading the content does not change them.
    edited: Vec<String>,
    /// Where it stands.
    #[schema(required)]
    url: Option<String>,
    /// The address it wants to be known under.
    #[schema(required)]
    canonical_url: Option<String>,
    /// The name of its site.
    #[schema(required)]
    site_name: Option<String>,
    /// The address of its site's icon.
    #[schema(required)]
    favicon: Option<String>,
    /// What its type says of it.
    #[schema(value_type = HashMap<String, serde_json::Value>)]
    metadata: JsonObject,
    /// What it is filed under.
    tags: Vec<String>,
    /// The document it was collected for.
    #[schema(required)]
    document_id: Option<Uuid>,
    /// The project it belongs to.
    #[schema(required)]
    project_id: Option<Uuid>,
    /// The run that brought it.
    #[schema(required)]
    run_id: Option<Uuid>,
    /// The message that brought it.
    #[schema(required)]
    message_id: Option<String>,
    /// What another system calls it.
    #[schema(required)]
    external_id: Option<String>,
    /// Whether it could be reached when it was last tried.
    is_available: bool,
    /// How far it has been taken in: pending, indexed (found by words), ready (found by meaning, too) or failed.
    status: &'static str,
    /// Why it has no text.
    #[schema(required)]
    extraction_error: Option<ExtractionFault>,
    /// Whether it can be found by meaning: none, pending, ready or failed.
    embedding: &'static str,
    /// Why it cannot, or what it waits for.
    #[schema(required)]
    embedding_error: Option<String>,
    /// The version it stands at.
    #[schema(required)]
    revision_id: Option<Uuid>,
    /// Which one that is, from 1.
    #[schema(required)]
    revision: Option<u64>,
    /// The hash of its bytes.
    #[schema(required, value_type = Option<String>)]
    artifact_sha256: Option<Sha256>,
    /// The hash of its text.
    #[schema(required, value_type = Option<String>)]
    text_sha256: Option<Sha256>,
    /// The manifest that names its parts.
    #[schema(required, value_type = Option<String>)]
    manifest_sha256: Option<Sha256>,
    /// What its bytes are.
    #[schema(required)]
    media_type: Option<String>,
    /// What its file was called.
    #[schema(required)]
    filename: Option<String>,
    /// How large it is.
    #[schema(required)]
    size_bytes: Option<u64>,
    /// How many pages it has, where it has pages.
    #[schema(required)]
    page_count: Option<u64>,
    /// How many passages its text was cut into.
    chunk_count: u64,
    /// Whether it is a picture.
    is_image: bool,
    /// Whether there is a small picture of it.
    has_thumbnail: bool,
    /// Who brought it.
    #[schema(required)]
    created_by: Option<Uuid>,
    /// When it came.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When anything of it last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// When its content was read.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    extracted_at: Option<Timestamp>,
}

/// Why a source has no text.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExtractionFault {
    /// A stable name: encrypted, damaged, empty, no_text, unsupported, too_large, too_costly, unreachable …
    code: String,
    /// A sentence for a person.
    detail: String,
}

fn strings(names: &[Name]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// Several names in one line.
pub(crate) fn line(names: &[Name]) -> Option<String> {
    (!names.is_empty()).then(|| strings(names).join("; "))
}

impl From<Described> for Source {
    fn from(described: Described) -> Self {
        let title = described.source.title().to_owned();
        let Described { source, revision } = described;
        let reference = source.reference;
        let revision = revision.as_ref();
        Self {
            id: source.id.uuid(),
            kind: source.kind.as_str(),
            origin: source.origin.as_str(),
            source_type: source.origin.as_str(),
            fetch_strategy: source.origin.fetch_strategy().as_str(),
            title,
            author: line(&reference.authors),
            authors: strings(&reference.authors),
            editors: strings(&reference.editors),
            publication_date: reference.publication_date.map(|date| date.to_string()),
            access_date: source.accessed_at,
            genre: reference.genre,
            container: reference.container,
            publisher: reference.publisher,
            publisher_place: reference.publisher_place,
            volume: reference.volume,
            issue: reference.issue,
            pages: reference.pages,
            edition: reference.edition,
            doi: reference.doi,
            isbn: reference.isbn,
            issn: reference.issn,
            language: reference.language,
            summary: reference.summary,
            note: reference.note,
            edited: source.edited,
            url: source.url,
            canonical_url: source.canonical_url,
            site_name: source.site_name,
            favicon: source.favicon,
            metadata: source.metadata,
            tags: source.tags,
            document_id: source.document_id,
            project_id: source.project_id,
            run_id: source.run_id,
            message_id: source.message_id,
            external_id: source.external_id,
            is_available: source.is_available,
            status: source.status.as_str(),
            extraction_error: source
                .extraction_error
                .map(|fault| ExtractionFault { code: fault.code, detail: fault.detail }),
            embedding: source.embedding.as_str(),
            embedding_error: source.embedding_error,
            revision_id: source.revision.map(|id| id.uuid()),
            revision: revision.map(|revision| revision.number),
            artifact_sha256: revision.map(|revision| revision.content),
            text_sha256: revision.and_then(|revision| revision.text),
            manifest_sha256: revision.and_then(|revision| revision.manifest),
            media_type: revision.map(|revision| revision.media_type.clone()),
            filename: revision.and_then(|revision| revision.filename.clone()),
            size_bytes: revision.map(|revision| revision.size_bytes),
            page_count: revision.and_then(|revision| revision.page_count),
            chunk_count: revision.map_or(0, |revision| revision.chunk_count),
            is_image: revision.is_some_and(ibid_domain::Revision::is_image),
            has_thumbnail: revision.is_some_and(|revision| revision.thumbnail.is_some()),
            created_by: source.created_by.map(|user| user.uuid()),
            created_at: source.created_at,
            updated_at: source.updated_at,
            extracted_at: revision.and_then(|revision| revision.extracted_at),
        }
    }
}

/// One content version of a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct Revision {
    /// Its id.
    id: Uuid,
    /// Whose it is.
    source_id: Uuid,
    /// Which one, from 1.
    number: u64,
    /// The hash of its bytes.
    #[schema(value_type = String)]
    artifact_sha256: Sha256,
    /// The hash of its text.
    #[schema(required, value_type = Option<String>)]
    text_sha256: Option<Sha256>,
    /// The manifest that names its parts.
    #[schema(required, value_type = Option<String>)]
    manifest_sha256: Option<Sha256>,
    /// What the bytes are.
    media_type: String,
    /// What the file was called.
    #[schema(required)]
    filename: Option<String>,
    /// How large it is.
    size_bytes: u64,
    /// How many characters its text has.
    text_chars: u64,
    /// How many pages it has.
    #[schema(required)]
    page_count: Option<u64>,
    /// How many passages its text was cut into.
    chunk_count: u64,
    /// The language of the text.
    #[schema(required)]
    language: Option<String>,
    /// When it came.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was read.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    extracted_at: Option<Timestamp>,
}

impl From<ibid_domain::Revision> for Revision {
    fn from(revision: ibid_domain::Revision) -> Self {
        Self {
            id: revision.id.uuid(),
            source_id: revision.source.uuid(),
            number: revision.number,
            artifact_sha256: revision.content,
            text_sha256: revision.text,
            manifest_sha256: revision.manifest,
            media_type: revision.media_type,
            filename: revision.filename,
            size_bytes: revision.size_bytes,
            text_chars: revision.text_chars,
            page_count: revision.page_count,
            chunk_count: revision.chunk_count,
            language: revision.language,
            created_at: revision.created_at,
            extracted_at: revision.extracted_at,
        }
    }
}

/// A named part of a text.
#[derive(Serialize, ToSchema)]
pub(crate) struct Mark {
    /// page, section, sheet, cells, message or attachment.
    kind: &'static str,
    /// What a person calls it.
    label: String,
    /// Where it stands in its sequence, from 1.
    #[schema(required)]
    number: Option<u32>,
    /// How deep a section is nested, from 1; 0 for what does not nest.
    level: u8,
    /// The first character.
    start_char: usize,
    /// One past the last.
    end_char: usize,
}

impl From<ibid_domain::Mark> for Mark {
    fn from(mark: ibid_domain::Mark) -> Self {
        Self {
            kind: mark.kind.as_str(),
            label: mark.label,
            number: mark.number,
            level: mark.level,
            start_char: mark.span.start,
            end_char: mark.span.end,
        }
    }
}

/// The text of a source, or a part of it. Places count Unicode scalar values.
#[derive(Serialize, ToSchema)]
pub(crate) struct Text {
    /// Whose.
    pub(crate) source_id: Uuid,
    /// Of which version.
    pub(crate) revision_id: Uuid,
    /// The hash of the whole text.
    #[schema(required, value_type = Option<String>)]
    pub(crate) text_sha256: Option<Sha256>,
    /// The first character that is shown.
    pub(crate) start_char: usize,
    /// One past the last.
    pub(crate) end_char: usize,
    /// How many characters there are in all.
    pub(crate) total_chars: usize,
    /// The words.
    pub(crate) text: String,
    /// The parts that what is shown lies in.
    pub(crate) marks: Vec<Mark>,
}

/// A stretch of a source's text that is found as one.
#[derive(Serialize, ToSchema)]
pub(crate) struct Chunk {
    /// Its id.
    id: Uuid,
    /// Whose.
    source_id: Uuid,
    /// Of which version.
    revision_id: Uuid,
    /// Which one, from 0.
    chunk_index: u64,
    /// The first character in the revision's text.
    start_char: usize,
    /// One past the last.
    end_char: usize,
    /// How many tokens it has.
    tokens: u64,
    /// The page it begins on.
    #[schema(required)]
    page: Option<u32>,
    /// The headings above it, outermost first.
    section: Vec<String>,
    /// The sheet it lies in.
    #[schema(required)]
    sheet: Option<String>,
    /// The cells it covers.
    #[schema(required)]
    cells: Option<String>,
    /// The message or attachment it belongs to.
    #[schema(required)]
    part: Option<String>,
    /// Whether it can be found by meaning.
    embedded: bool,
    /// The words.
    content: String,
}

impl From<ibid_store::Chunk> for Chunk {
    fn from(chunk: ibid_store::Chunk) -> Self {
        Self {
            id: chunk.id.uuid(),
            source_id: chunk.source.uuid(),
            revision_id: chunk.revision.uuid(),
            chunk_index: chunk.ordinal,
            start_char: chunk.span.start,
            end_char: chunk.span.end,
            tokens: chunk.tokens,
            page: chunk.place.page,
            section: chunk.place.section,
            sheet: chunk.place.sheet,
            cells: chunk.place.cells,
            part: chunk.place.part,
            embedded: chunk.embedded,
            content: chunk.content,
        }
    }
}

/// What would be lost with a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct SourceImpact {
    /// The source.
    source_id: Uuid,
    /// What it is called.
    title: String,
    /// The document it was collected for.
    documents: Vec<Uuid>,
    /// The message that brought it.
    messages: Vec<String>,
    /// How many citations of it there are in messages.
    citation_count: u64,
    /// In how many messages.
    message_count: u64,
    /// The claims that would lose their support, newest first, one page of them.
    claims: Vec<LostSupport>,
    /// `cursor` of the next page of claims; null on the last.
    #[schema(required)]
    next_cursor: Option<String>,
    /// How many versions of its content would go.
    revision_count: u64,
    /// How many passages could no longer be found.
    chunk_count: u64,
    /// The artifacts that nothing else names: they go with the next collection of garbage.
    artifacts: Vec<LostArtifact>,
    /// How many bytes those are.
    size_bytes: u64,
}

/// An artifact that would go with a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct LostArtifact {
    /// Its hash.
    #[schema(value_type = String)]
    sha256: Sha256,
    /// What it is.
    media_type: String,
    /// How large it is.
    size_bytes: u64,
    /// What it was called.
    #[schema(required)]
    filename: Option<String>,
}

impl SourceImpact {
    pub(super) fn new(impact: Impact, losses: Losses) -> Self {
        let artifacts: Vec<_> = impact
            .artifacts
            .into_iter()
            .map(|artifact| LostArtifact {
                sha256: artifact.sha256,
                media_type: artifact.media_type.as_str().to_owned(),
                size_bytes: artifact.size_bytes,
                filename: artifact.filename.map(|name| name.as_str().to_owned()),
            })
            .collect();
        Self {
            source_id: impact.source.id.uuid(),
            title: impact.source.title().to_owned(),
            documents: {
                let citing = impact.documents.iter().map(|(id, ..)| id.uuid());
                let mut documents: Vec<Uuid> = impact.source.document_id.into_iter().chain(citing).collect();
                documents.sort_unstable();
                documents.dedup();
                documents
            },
            messages: impact.source.message_id.into_iter().collect(),
            citation_count: losses.citations,
            message_count: losses.messages,
            next_cursor: losses.losses.next.map(|cursor| cursor.encode()),
            claims: losses.losses.items.into_iter().map(Into::into).collect(),
            revision_count: impact.revisions,
            chunk_count: impact.chunks,
            size_bytes: artifacts.iter().map(|artifact| artifact.size_bytes).sum(),
            artifacts,
        }
    }
}

/// Sources that were brought together.
#[derive(Serialize, ToSchema)]
pub(crate) struct Brought {
    /// Those that are here now, in the order in which they came.
    pub(crate) items: Vec<Source>,
    /// How many of them are new.
    pub(crate) added: u64,
    /// How many were here already.
    pub(crate) unchanged: u64,
    /// What could not be taken, and why.
    pub(crate) failed: Vec<NotBrought>,
}

/// Something that could not be taken.
#[derive(Serialize, ToSchema)]
pub(crate) struct NotBrought {
    /// Which entry, file or line.
    pub(crate) entry: String,
    /// Why.
    pub(crate) reason: String,
}

/// What a page tells of itself, as it would be stored.
#[derive(Serialize, ToSchema)]
pub(crate) struct Extracted {
    /// What it is called; its address if it does not say.
    #[schema(required)]
    pub(crate) title: Option<String>,
    /// Who wrote it, in one line.
    #[schema(required)]
    pub(crate) author: Option<String>,
    /// Who wrote it, in order.
    pub(crate) authors: Vec<String>,
    /// When it appeared.
    #[schema(required)]
    pub(crate) publication_date: Option<String>,
    /// The name of its site.
    #[schema(required)]
    pub(crate) site_name: Option<String>,
    /// The address of its site's icon.
    #[schema(required)]
    pub(crate) favicon: Option<String>,
    /// Its language.
    #[schema(required)]
    pub(crate) language: Option<String>,
    /// The address it wants to be known under.
    #[schema(required)]
    pub(crate) canonical_url: Option<String>,
    /// What it says it is about.
    #[schema(required)]
    pub(crate) summary: Option<String>,
    /// Its Digital Object Identifier.
    #[schema(required)]
    pub(crate) doi: Option<String>,
    /// Where it stands.
    #[schema(required)]
    pub(crate) url: Option<String>,
    /// What it was read as.
    pub(crate) media_type: String,
    /// Whether there is something to read.
    pub(crate) is_available: bool,
    /// How many words its main content has.
    pub(crate) word_count: usize,
    /// Its main content, without navigation, banners and comments.
    pub(crate) text: String,
    /// The same, under the name that a chunk uses.
    pub(crate) content: String,
    /// The parts of the text.
    pub(crate) marks: Vec<Mark>,
}

impl From<ibid_app::Reading> for Extracted {
    fn from(reading: ibid_app::Reading) -> Self {
        let (read, web) = (reading.extracted.reference, reading.extracted.web);
        let text = reading.extracted.text;
        Self {
            author: line(&read.authors),
            authors: strings(&read.authors),
            title: read.title,
            publication_date: read.publication_date.map(|date| date.to_string()),
            site_name: web.site_name,
            favicon: web.favicon,
            language: read.language,
            canonical_url: web.canonical_url,
            summary: read.summary,
            doi: read.doi,
            url: None,
            media_type: reading.extracted.media_type,
            is_available: true,
            word_count: text.split_whitespace().count(),
            content: text.clone(),
            text,
            marks: reading.extracted.marks.into_iter().map(Mark::from).collect(),
        }
    }
}
