//! Sources as they go over the wire, and what belongs to them.

use ibid_app::{AffectedClaims, DeletionImpact, SourceWithRevision};
use ibid_domain::{JsonObject, Name, Sha256, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    runs::AffectedClaimView,
    values::{EmbeddingState, FetchStrategy, MarkKind, SourceOrigin, SourceStatus, SourceType},
};

/// Anything that can be cited.
#[derive(Serialize, ToSchema)]
pub(crate) struct Source {
    /// Id of the source, a UUID.
    id: Uuid,
    /// Type of the source.
    #[serde(rename = "type")]
    kind: SourceType,
    /// Origin of the source.
    origin: SourceOrigin,
    /// The origin again, under the name that citations use.
    source_type: SourceOrigin,
    /// Way for a client to get the content.
    fetch_strategy: FetchStrategy,
    /// Title of the source, or its address if it has no title.
    title: String,
    /// Names of the authors in one line; null if unknown.
    #[schema(required)]
    author: Option<String>,
    /// Names of the authors, in order.
    authors: Vec<String>,
    /// Names of the editors, in order.
    editors: Vec<String>,
    /// Publication date: a day, a month or a year; null if unknown.
    #[schema(required)]
    publication_date: Option<String>,
    /// Time at which the content was last fetched or uploaded.
    #[schema(value_type = String, format = DateTime)]
    access_date: Timestamp,
    /// Type of the work as a CSL type, such as `article-journal`.
    #[schema(required)]
    genre: Option<String>,
    /// The journal, book, series or site it appeared in.
    #[schema(required)]
    container: Option<String>,
    /// Name of the publisher; null if unknown.
    #[schema(required)]
    publisher: Option<String>,
    /// City or place of the publisher; null if unknown.
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
    /// Edition, such as `2` or `revised`; null if unknown.
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
    /// Language tag of the text; null if it was not detected.
    #[schema(required)]
    language: Option<String>,
    /// Abstract or description that the source has of itself.
    #[schema(required)]
    summary: Option<String>,
    /// Note of a user about the source.
    #[schema(required)]
    note: Option<String>,
    /// Names of the fields that a user has set; reading the content does not overwrite them.
    edited: Vec<String>,
    /// Web address of the source; null if it has none.
    #[schema(required)]
    url: Option<String>,
    /// The address it wants to be known under.
    #[schema(required)]
    canonical_url: Option<String>,
    /// Name of the website that the source is from.
    #[schema(required)]
    site_name: Option<String>,
    /// The address of its site's icon.
    #[schema(required)]
    favicon: Option<String>,
    /// Facts that are specific to the type of the source.
    #[schema(value_type = HashMap<String, serde_json::Value>)]
    metadata: JsonObject,
    /// Tags of the source, for filters.
    tags: Vec<String>,
    /// The document it was collected for.
    #[schema(required)]
    document_id: Option<Uuid>,
    /// Id of the project that the source belongs to; null if none.
    #[schema(required)]
    project_id: Option<Uuid>,
    /// Id of the run that added the source; null if no run did.
    #[schema(required)]
    run_id: Option<Uuid>,
    /// The message that brought it.
    #[schema(required)]
    message_id: Option<String>,
    /// Id in another system, as given when the source was added.
    #[schema(required)]
    external_id: Option<String>,
    /// True if the source could be reached at the last attempt.
    is_available: bool,
    /// Processing state of its content.
    status: SourceStatus,
    /// Reason why the source has no text; null if it has, or is still pending.
    #[schema(required)]
    extraction_error: Option<ExtractionFault>,
    /// State of its embeddings, which a search by meaning needs.
    embedding: EmbeddingState,
    /// Why it cannot, or what it waits for.
    #[schema(required)]
    embedding_error: Option<String>,
    /// Id of the current revision; null until there is content.
    #[schema(required)]
    revision_id: Option<Uuid>,
    /// Number of the current revision, from 1.
    #[schema(required)]
    revision: Option<u64>,
    /// SHA-256 of the content's bytes.
    #[schema(required, value_type = Option<String>)]
    artifact_sha256: Option<Sha256>,
    /// SHA-256 of the extracted text; null if there is none.
    #[schema(required, value_type = Option<String>)]
    text_sha256: Option<Sha256>,
    /// The manifest that names its parts.
    #[schema(required, value_type = Option<String>)]
    manifest_sha256: Option<Sha256>,
    /// Media type of the source's content.
    #[schema(required)]
    media_type: Option<String>,
    /// Name of the uploaded file; null if there was none.
    #[schema(required)]
    filename: Option<String>,
    /// Size of the content in bytes.
    #[schema(required)]
    size_bytes: Option<u64>,
    /// Number of pages; null if the format has no pages.
    #[schema(required)]
    page_count: Option<u64>,
    /// Number of chunks that the text was split into.
    chunk_count: u64,
    /// True if the source is an image.
    is_image: bool,
    /// True if a thumbnail of the source exists.
    has_thumbnail: bool,
    /// Id of the user who added the source.
    #[schema(required)]
    created_by: Option<Uuid>,
    /// Time at which the source was added.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last change to the source.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// Time at which the text was extracted; null if it was not.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    extracted_at: Option<Timestamp>,
}

/// Reason why no text could be extracted from a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExtractionFault {
    /// A stable name: encrypted, damaged, empty, no_text, unsupported, too_large, too_costly, unreachable …
    code: String,
    /// Explanation of the failure, for people.
    detail: String,
}

fn name_strings(names: &[Name]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// Joins several names in one line; returns `None` if there are none.
pub(crate) fn join_names(names: &[Name]) -> Option<String> {
    (!names.is_empty()).then(|| name_strings(names).join("; "))
}

impl From<SourceWithRevision> for Source {
    fn from(described: SourceWithRevision) -> Self {
        let title = described.source.display_title().to_owned();
        let SourceWithRevision { source, revision } = described;
        let reference = source.reference;
        let revision = revision.as_ref();
        Self {
            id: source.id.uuid(),
            kind: source.kind.into(),
            origin: source.origin.into(),
            source_type: source.origin.into(),
            fetch_strategy: source.origin.fetch_strategy().into(),
            title,
            author: join_names(&reference.authors),
            authors: name_strings(&reference.authors),
            editors: name_strings(&reference.editors),
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
            status: source.status.into(),
            extraction_error: source
                .extraction_error
                .map(|fault| ExtractionFault { code: fault.code, detail: fault.detail }),
            embedding: source.embedding.into(),
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
    /// Id of the revision, a UUID.
    id: Uuid,
    /// Id of the source, a UUID.
    source_id: Uuid,
    /// Number of the revision, from 1.
    number: u64,
    /// SHA-256 of the content's bytes.
    #[schema(value_type = String)]
    artifact_sha256: Sha256,
    /// SHA-256 of the extracted text; null if there is none.
    #[schema(required, value_type = Option<String>)]
    text_sha256: Option<Sha256>,
    /// The manifest that names its parts.
    #[schema(required, value_type = Option<String>)]
    manifest_sha256: Option<Sha256>,
    /// Media type of the revision's content.
    media_type: String,
    /// Name of the uploaded file; null if there was none.
    #[schema(required)]
    filename: Option<String>,
    /// Size of the content in bytes.
    size_bytes: u64,
    /// Length of the extracted text, in characters.
    text_chars: u64,
    /// Number of pages; null if the format has no pages.
    #[schema(required)]
    page_count: Option<u64>,
    /// Number of chunks that the text was split into.
    chunk_count: u64,
    /// Language tag of the text; null if it was not detected.
    #[schema(required)]
    language: Option<String>,
    /// Time at which the revision was stored.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time at which the text was extracted; null if it was not.
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

/// A named part of a text, such as a page or a section.
#[derive(Serialize, ToSchema)]
pub(crate) struct Mark {
    /// Kind of the part, such as a page.
    kind: MarkKind,
    /// Label of the part for people, such as a heading.
    label: String,
    /// Position among the parts of its kind, from 1.
    #[schema(required)]
    number: Option<u32>,
    /// Nesting depth of a section, from 1; 0 for parts that do not nest.
    level: u8,
    /// Offset of the part's first character.
    start_char: usize,
    /// Offset after the part's last character.
    end_char: usize,
}

impl From<ibid_domain::Mark> for Mark {
    fn from(mark: ibid_domain::Mark) -> Self {
        Self {
            kind: mark.kind.into(),
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
pub(crate) struct SourceText {
    /// Id of the source that has the text.
    pub(crate) source_id: Uuid,
    /// Id of the revision that has the text.
    pub(crate) revision_id: Uuid,
    /// The hash of the whole text.
    #[schema(required, value_type = Option<String>)]
    pub(crate) text_sha256: Option<Sha256>,
    /// The first character that is shown.
    pub(crate) start_char: usize,
    /// Offset after the last returned character.
    pub(crate) end_char: usize,
    /// Length of the whole text, in characters.
    pub(crate) total_chars: usize,
    /// Requested part of the text.
    pub(crate) text: String,
    /// The parts that what is shown lies in.
    pub(crate) marks: Vec<Mark>,
}

/// A stretch of a source's text that is found as one.
#[derive(Serialize, ToSchema)]
pub(crate) struct Chunk {
    /// Id of the chunk, a UUID.
    id: Uuid,
    /// Id of the source, a UUID.
    source_id: Uuid,
    /// Id of the revision that was split into chunks.
    revision_id: Uuid,
    /// Position among the chunks of the revision, from 0.
    chunk_index: u64,
    /// The first character in the revision's text.
    start_char: usize,
    /// Offset after the chunk's last character.
    end_char: usize,
    /// Length of the chunk in tokens.
    tokens: u64,
    /// Page that the chunk begins on, from 1; null if the source has no pages.
    #[schema(required)]
    page: Option<u32>,
    /// The headings above it, outermost first.
    section: Vec<String>,
    /// Name of the spreadsheet's sheet; null for other formats.
    #[schema(required)]
    sheet: Option<String>,
    /// Range of cells, such as `A1:D20`; null for other formats.
    #[schema(required)]
    cells: Option<String>,
    /// The message or attachment it belongs to.
    #[schema(required)]
    part: Option<String>,
    /// True if the chunk has a vector and is found by meaning.
    embedded: bool,
    /// Text of the chunk, as it stands in the source.
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

/// Impact of deleting a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct SourceImpact {
    /// Id of the source, a UUID.
    source_id: Uuid,
    /// Title, as people see it.
    title: String,
    /// The document it was collected for.
    documents: Vec<Uuid>,
    /// The message that brought it.
    messages: Vec<String>,
    /// Number of citations of the source in messages.
    citation_count: u64,
    /// Number of messages that cite the source.
    message_count: u64,
    /// Number of claims in messages and documents that cite the source, each counted once.
    claim_count: u64,
    /// Number of those claims that no other source supports.
    lost_claim_count: u64,
    /// The claims that cite the source, newest first, one page of them.
    claims: Vec<AffectedClaimView>,
    /// `cursor` of the next page of claims; null on the last.
    #[schema(required)]
    next_cursor: Option<String>,
    /// Number of revisions that would be deleted.
    revision_count: u64,
    /// Number of chunks that would no longer be found.
    chunk_count: u64,
    /// The artifacts that nothing else names: they go with the next collection of garbage.
    artifacts: Vec<LostArtifact>,
    /// Total size of the artifacts that would be deleted, in bytes.
    size_bytes: u64,
}

/// An artifact that would go with a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct LostArtifact {
    /// SHA-256 of the artifact, in hexadecimal.
    #[schema(value_type = String)]
    sha256: Sha256,
    /// Media type of the artifact.
    media_type: String,
    /// Size of the artifact in bytes.
    size_bytes: u64,
    /// Name of the uploaded file; null if there was none.
    #[schema(required)]
    filename: Option<String>,
}

impl SourceImpact {
    pub(crate) fn new(impact: DeletionImpact, losses: AffectedClaims) -> Self {
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
            title: impact.source.display_title().to_owned(),
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
            claim_count: losses.claims,
            lost_claim_count: losses.lost_claims,
            next_cursor: losses.page.next.map(|cursor| cursor.encode()),
            claims: losses.page.items.into_iter().map(Into::into).collect(),
            revision_count: impact.revisions,
            chunk_count: impact.chunks,
            size_bytes: artifacts.iter().map(|artifact| artifact.size_bytes).sum(),
            artifacts,
        }
    }
}

/// Sources that were brought together.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportResult {
    /// Those that are here now, in the order in which they came.
    pub(crate) items: Vec<Source>,
    /// Number of sources that are new.
    pub(crate) added: u64,
    /// Number of sources that were in the library already.
    pub(crate) unchanged: u64,
    /// Entries that could not be imported, with reasons.
    pub(crate) failed: Vec<ImportFailure>,
}

/// Something that could not be taken.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportFailure {
    /// Name of the entry or file, or number of the line.
    pub(crate) entry: String,
    /// Reason for the failure, as a sentence.
    pub(crate) reason: String,
}

/// Metadata and content of a page, as they would be stored.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExtractedPage {
    /// Title of the page, or its address if it has no title.
    #[schema(required)]
    pub(crate) title: Option<String>,
    /// Names of the authors in one line; null if unknown.
    #[schema(required)]
    pub(crate) author: Option<String>,
    /// Names of the authors, in order.
    pub(crate) authors: Vec<String>,
    /// Publication date: a day, a month or a year; null if unknown.
    #[schema(required)]
    pub(crate) publication_date: Option<String>,
    /// Name of the website that the page is from.
    #[schema(required)]
    pub(crate) site_name: Option<String>,
    /// The address of its site's icon.
    #[schema(required)]
    pub(crate) favicon: Option<String>,
    /// Language tag of the page; null if unknown.
    #[schema(required)]
    pub(crate) language: Option<String>,
    /// The address it wants to be known under.
    #[schema(required)]
    pub(crate) canonical_url: Option<String>,
    /// Description that the page has of itself.
    #[schema(required)]
    pub(crate) summary: Option<String>,
    /// Its Digital Object Identifier.
    #[schema(required)]
    pub(crate) doi: Option<String>,
    /// Web address of the page, as in the request.
    #[schema(required)]
    pub(crate) url: Option<String>,
    /// Media type that the content was read as.
    pub(crate) media_type: String,
    /// True if the page has content to read.
    pub(crate) is_available: bool,
    /// Number of words in the main content.
    pub(crate) word_count: usize,
    /// Its main content, without navigation, banners and comments.
    pub(crate) text: String,
    /// The same, under the name that a chunk uses.
    pub(crate) content: String,
    /// Pages, sections and other named parts of the text.
    pub(crate) marks: Vec<Mark>,
}

impl From<ibid_app::ExtractedContent> for ExtractedPage {
    fn from(reading: ibid_app::ExtractedContent) -> Self {
        let (read, web) = (reading.extracted.reference, reading.extracted.web);
        let text = reading.extracted.text;
        Self {
            author: join_names(&read.authors),
            authors: name_strings(&read.authors),
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
