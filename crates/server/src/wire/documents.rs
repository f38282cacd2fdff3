//! Documents as they go over the wire.

use ibid_app::{
    BibliographyEntry, CheckedClaim, DocumentSettingsPatch, DocumentSource as AppSource, FormattedCitation,
    OpenDocument, Preview as AppPreview, StyleChoice,
};
use ibid_domain::{
    self as domain, CiteAs, DocumentFormat, DocumentVersion, Entry, MissingDetails, Problem, Template, Timestamp,
    Verdict,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    parse::deserialize_present,
    sources::Source,
    values::{self, CheckVerdict, SourceOrigin, SourceType, StyleKind, TextChangeKind},
};

/// A document without its text.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentSummary {
    /// Id of the document, a UUID.
    id: Uuid,
    /// The same, under the name that others know it by.
    pub(crate) document_id: Uuid,
    /// Title, as people see it.
    pub(crate) title: String,
    /// Markup language of the text.
    format: values::DocumentFormat,
    /// The style of its references.
    style: String,
    /// Language tag such as `en-US`; it sets the language of the references.
    locale: String,
    /// Layout that the document is typeset with.
    template: values::Template,
    /// Form of the citations: footnotes or in the text.
    cite_as: values::CiteAs,
    /// What stands for details of a source that are not known.
    missing: values::MissingDetails,
    /// Names of the authors, in order.
    authors: Vec<String>,
    /// Date on the title page, as free text; null if there is none.
    #[schema(required)]
    date: Option<String>,
    /// Number of the newest version, from 1; each save adds one.
    pub(crate) version: u64,
    /// The last number that was given to a citation.
    citation_count: u32,
    /// Number of sources added to the document.
    source_count: u64,
    /// Time of creation, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last change to text, settings or sources.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl DocumentSummary {
    pub(crate) fn new(document: domain::Document, source_count: u64) -> Self {
        let settings = document.settings;
        Self {
            id: document.id.uuid(),
            document_id: document.id.uuid(),
            title: settings.title,
            format: settings.format.into(),
            style: settings.style,
            locale: settings.locale,
            template: settings.template.into(),
            cite_as: settings.cite_as.into(),
            missing: settings.missing.into(),
            authors: settings.authors,
            date: settings.date,
            version: document.version,
            citation_count: document.citation_count,
            source_count,
            created_at: document.created_at,
            updated_at: document.updated_at,
        }
    }
}

/// A file that a document's text may ask for.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentFile {
    /// Its name, as the text asks for it.
    name: String,
    /// Media type of the file, such as `image/png`.
    media_type: String,
    /// Size of the file, in bytes.
    size_bytes: u64,
    /// SHA-256 of the artifact with the file's bytes.
    sha256: String,
}

impl DocumentFile {
    pub(crate) fn new(name: String, entry: Entry) -> Self {
        Self {
            name,
            media_type: entry.media_type.as_str().to_owned(),
            size_bytes: entry.size_bytes,
            sha256: entry.sha256.to_string(),
        }
    }
}

/// A document with its text and settings.
#[derive(Serialize, ToSchema)]
pub(crate) struct Document {
    #[serde(flatten)]
    #[schema(inline)]
    pub(crate) summary: DocumentSummary,
    /// Its text. A citation stands in it by its number: `#footnote[3]` in Typst, `[^3]` in Markdown.
    pub(crate) text: String,
    /// SHA-256 of the manifest that stores this version.
    manifest_sha256: String,
    /// Files that the text may ask for.
    assets: Vec<DocumentFile>,
}

impl Document {
    pub(crate) fn new(open: OpenDocument, source_count: u64) -> Self {
        Self {
            manifest_sha256: open.document.manifest.to_string(),
            summary: DocumentSummary::new(open.document, source_count),
            text: open.text,
            assets: open.files.into_iter().map(|(name, entry)| DocumentFile::new(name, entry)).collect(),
        }
    }
}

/// Settings of a document. A field that is left out keeps its value, or gets its default in a new document.
#[derive(Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct DocumentSettingsBody {
    /// Title, as people see it.
    title: Option<String>,
    /// Markup language of the text; default markdown.
    #[schema(value_type = Option<values::DocumentFormat>)]
    format: Option<String>,
    /// The style of its references, by id: `apa`, `mla`, `chicago-notes` …; GET /api/v1/styles lists them.
    style: Option<String>,
    /// The tag of its language: `en-US`.
    locale: Option<String>,
    /// Layout of the pages; default article.
    #[schema(value_type = Option<values::Template>)]
    template: Option<String>,
    /// Form of the citations; default footnotes.
    #[schema(value_type = Option<values::CiteAs>)]
    cite_as: Option<String>,
    /// What stands for details that are not known; default placeholders: Untitled, Unknown Author, n.d.
    #[schema(value_type = Option<values::MissingDetails>)]
    missing: Option<String>,
    /// Names of the authors, in order.
    authors: Option<Vec<String>>,
    /// Date on the title page, as free text; null or an empty string removes it.
    #[schema(value_type = Option<String>)]
    #[serde(deserialize_with = "deserialize_present")]
    date: Option<Option<String>>,
    /// Unknown fields; the request is rejected if there are any.
    #[serde(flatten)]
    #[schema(ignore)]
    rest: domain::JsonObject,
}

impl DocumentSettingsBody {
    pub(crate) fn from_parts(title: String, format: Option<String>, style: Option<String>) -> Self {
        Self { title: Some(title), format, style, ..Self::default() }
    }

    pub(crate) fn into_patch(self) -> Result<DocumentSettingsPatch, Problem> {
        if let Some(name) = self.rest.keys().next() {
            let detail = format!("there is no field '{}'", domain::problem::shorten_for_error(name));
            return Err(Problem::new(domain::Code::InvalidField, detail).with_field(name.as_str()));
        }
        Ok(DocumentSettingsPatch {
            title: self.title,
            format: self.format.as_deref().map(str::parse::<DocumentFormat>).transpose()?,
            style: self.style,
            locale: self.locale,
            template: self.template.as_deref().map(str::parse::<Template>).transpose()?,
            cite_as: self.cite_as.as_deref().map(str::parse::<CiteAs>).transpose()?,
            missing: self.missing.as_deref().map(str::parse::<MissingDetails>).transpose()?,
            authors: self.authors,
            date: self.date,
        })
    }
}

/// A citation of a source in a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentCitation {
    /// Id of the document citation, a UUID.
    id: Uuid,
    /// The same, under the name that others know it by.
    citation_id: Uuid,
    /// Its number in the document.
    pub(crate) citation_number: u32,
    /// Id of the cited source; null once the source was deleted.
    #[schema(required)]
    source_id: Option<Uuid>,
    /// Title of the cited source, as it was when cited.
    pub(crate) title: String,
    /// Type of the cited source when it was cited.
    source_type: SourceType,
    /// Web address of the cited source; null if it has none.
    #[schema(required)]
    url: Option<String>,
    /// True if the cited source was deleted.
    is_deleted: bool,
    /// Offset of the citation in the text, in characters.
    position: usize,
    /// True if the text has the citation's marker at this position.
    is_marked: bool,
    /// True if the citation is rendered: it has a marker, or never had one.
    is_attached: bool,
    /// Place in the source, such as `p. 12`.
    #[schema(required)]
    locator: Option<String>,
    /// Text before the citation, such as `see`.
    #[schema(required)]
    prefix: Option<String>,
    /// Text after the citation in the footnote.
    #[schema(required)]
    suffix: Option<String>,
    /// The words that it stands for.
    #[schema(required)]
    quote: Option<String>,
    /// Text of the footnote in the document's style.
    pub(crate) formatted: String,
    /// Time of creation, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<FormattedCitation> for DocumentCitation {
    fn from(FormattedCitation { citation, formatted }: FormattedCitation) -> Self {
        Self {
            id: citation.id.uuid(),
            citation_id: citation.id.uuid(),
            citation_number: citation.number,
            source_id: citation.source.map(domain::SourceId::uuid),
            is_deleted: citation.source.is_none(),
            is_attached: citation.is_attached(),
            title: citation.snapshot.title,
            source_type: citation.snapshot.kind.into(),
            url: citation.snapshot.url,
            position: citation.position,
            is_marked: citation.is_marked,
            locator: citation.locator,
            prefix: citation.prefix,
            suffix: citation.suffix,
            quote: citation.quote,
            formatted,
            created_at: citation.created_at,
        }
    }
}

/// Citations of a document, in the order of its text.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitationsAnswer {
    /// The citations, in the order of the text.
    pub(crate) items: Vec<DocumentCitation>,
    /// Numbers of markers in the text that cite nothing.
    pub(crate) dangling: Vec<u32>,
}

/// A citation that was added to a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitationAnswer {
    /// Always true; a failure is an error response.
    pub(crate) success: bool,
    /// Citation after the call.
    pub(crate) citation: DocumentCitation,
    /// Summary of the result in one sentence.
    pub(crate) message: String,
    /// The version that the document is at.
    pub(crate) version: u64,
}

/// Next free citation number of a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct NumberAnswer {
    /// The number: each is given out once, and none is left out.
    pub(crate) citation_number: u32,
    /// Summary of the result in one sentence.
    pub(crate) message: String,
}

/// A source that was added to a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentSource {
    /// Id of the document source, a UUID.
    id: Uuid,
    /// The same, under the name that others know it by.
    source_id: Uuid,
    /// Title, as people see it.
    pub(crate) title: String,
    /// Type of the source, which tells how it is cited.
    source_type: SourceType,
    /// Origin of the source, such as the web.
    origin: SourceOrigin,
    /// Web address of the source; null if it has none.
    #[schema(required)]
    url: Option<String>,
    /// Names of the authors, in order.
    authors: Vec<String>,
    /// Publication date: a day, a month or a year; null if unknown.
    #[schema(required)]
    date: Option<String>,
    /// True if the content of the source could be read.
    is_available: bool,
    /// Number of citations of this source in the document.
    citation_count: u64,
    /// Time at which the source was added to the document.
    #[schema(value_type = String, format = DateTime)]
    added_at: Timestamp,
    /// All details of the source, as GET /api/v1/sources/{id} returns them.
    source: Source,
}

impl From<AppSource> for DocumentSource {
    fn from(one: AppSource) -> Self {
        let source = &one.source;
        Self {
            id: source.id.uuid(),
            source_id: source.id.uuid(),
            title: source.display_title().to_owned(),
            source_type: source.kind.into(),
            origin: source.origin.into(),
            url: source.url.clone(),
            authors: source.reference.authors.iter().map(ToString::to_string).collect(),
            date: source.reference.publication_date.map(|date| date.to_string()),
            is_available: source.is_available,
            citation_count: one.citation_count,
            added_at: one.added_at,
            source: Source::from(ibid_app::SourceWithRevision { source: one.source, revision: None }),
        }
    }
}

/// Sources that were added to a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentSources {
    /// In the order in which they were added.
    pub(crate) items: Vec<DocumentSource>,
}

/// Bibliography of the sources that a document cites.
#[derive(Serialize, ToSchema)]
pub(crate) struct BibliographyAnswer {
    /// The whole, in the document's own format. Put into the text, it is kept up with what the text cites.
    pub(crate) bibliography: String,
    /// Entries in the order that the style sorts them.
    pub(crate) entries: Vec<BibliographyLine>,
    /// Number of citations that are rendered in the document.
    pub(crate) citation_count: usize,
    /// Id of the citation style that was used.
    pub(crate) style: String,
}

/// An entry of a bibliography.
#[derive(Serialize, ToSchema)]
pub(crate) struct BibliographyLine {
    /// Id of the source of this entry; null once the source was deleted.
    #[schema(required)]
    source_id: Option<Uuid>,
    /// Numbers of the document's citations of this source.
    citation_numbers: Vec<u32>,
    /// Formatted entry as plain text.
    pub(crate) text: String,
    /// Formatted entry as an HTML fragment.
    html: String,
}

impl From<BibliographyEntry> for BibliographyLine {
    fn from(entry: BibliographyEntry) -> Self {
        Self {
            source_id: entry.source.map(domain::SourceId::uuid),
            citation_numbers: entry.numbers,
            text: entry.text,
            html: entry.html,
        }
    }
}

/// A rendered page of a preview.
#[derive(Serialize, ToSchema)]
pub(crate) struct PreviewPage {
    /// Number of the page, from 1.
    number: usize,
    /// Width in points (1/72 inch).
    width: f64,
    /// Height in points (1/72 inch).
    height: f64,
    /// Hash of the page's content; the same hash means that the page looks the same.
    hash: String,
    /// The page; null if its hash was among those that are known.
    #[schema(required)]
    svg: Option<String>,
}

/// Something in a text that cannot be set, or that may not be what was meant.
#[derive(Serialize, ToSchema)]
pub(crate) struct TextDiagnostic {
    /// Description of the error or warning.
    message: String,
    /// Suggestions for a fix; empty if there are none.
    hints: Vec<String>,
    /// The line of the text, from 1.
    #[schema(required)]
    line: Option<usize>,
    /// The column, from 1, in characters.
    #[schema(required)]
    column: Option<usize>,
    /// Errors keep the document from being typeset; warnings do not.
    severity: FaultSeverity,
}

/// Pages to settings at, or why there are none.
#[derive(Serialize, ToSchema)]
pub(crate) struct PreviewAnswer {
    /// Total number of pages in the document.
    page_count: usize,
    /// Rendered pages that were requested.
    pages: Vec<PreviewPage>,
    /// Errors and warnings found in the text.
    faults: Vec<TextDiagnostic>,
    /// Duration of the rendering, in milliseconds.
    elapsed_ms: f64,
}

impl PreviewAnswer {
    pub(crate) fn new(preview: AppPreview, elapsed_ms: f64) -> Self {
        let page = |page: ibid_documents::render_pool::PageView| PreviewPage {
            number: page.number,
            width: page.width,
            height: page.height,
            hash: page.hash,
            svg: page.svg,
        };
        let fault = |fault: ibid_documents::TypstDiagnostic| TextDiagnostic {
            message: fault.message,
            hints: fault.hints,
            line: fault.line,
            column: fault.column,
            severity: if fault.is_warning { FaultSeverity::Warning } else { FaultSeverity::Error },
        };
        Self {
            page_count: preview.page_count,
            pages: preview.pages.into_iter().map(page).collect(),
            faults: preview.faults.into_iter().map(fault).collect(),
            elapsed_ms,
        }
    }
}

/// Result of checking a sentence of a document against its sources.
#[derive(Serialize, ToSchema)]
pub(crate) struct ClaimSupport {
    /// Text of the checked sentence.
    text: String,
    /// Its first character in the text.
    start_index: usize,
    /// Offset after the sentence's last character.
    end_index: usize,
    /// The best verdict of its citations.
    verdict: CheckVerdict,
    /// Confidence in the verdict, from 0 to 1.
    score: f64,
    /// Numbers of the citations in this sentence.
    citation_numbers: Vec<u32>,
}

/// A sentence that cites nothing and should.
#[derive(Serialize, ToSchema)]
pub(crate) struct UncitedDocumentClaim {
    /// Text of the sentence that should cite something.
    text: String,
    /// Its first character in the text.
    start_index: usize,
    /// Offset after the sentence's last character.
    end_index: usize,
}

/// Results of checking the sentences of a document against its sources.
#[derive(Serialize, ToSchema)]
pub(crate) struct SupportAnswer {
    /// Sentences that cite something.
    claims: Vec<ClaimSupport>,
    /// Sentences that say something and cite nothing.
    uncited: Vec<UncitedDocumentClaim>,
}

impl From<ibid_app::DocumentClaims> for SupportAnswer {
    fn from(claims: ibid_app::DocumentClaims) -> Self {
        let claim = |(one, citation_numbers): (CheckedClaim, Vec<u32>)| {
            let supports = one.citations.iter().map(|citation| &citation.support);
            let best = supports.max_by(|a, b| a.verdict.cmp(&b.verdict).then(a.score.total_cmp(&b.score)));
            ClaimSupport {
                start_index: one.claim.span.start,
                end_index: one.claim.span.end,
                verdict: best.map_or(Verdict::Unsupported, |best| best.verdict).into(),
                score: best.map_or(0.0, |best| f64::from(best.score)),
                citation_numbers,
                text: one.claim.text,
            }
        };
        let uncited = |claim: ibid_claims::Claim| UncitedDocumentClaim {
            start_index: claim.span.start,
            end_index: claim.span.end,
            text: claim.text,
        };
        Self {
            claims: claims.claims.into_iter().map(claim).collect(),
            uncited: claims.uncited.into_iter().map(uncited).collect(),
        }
    }
}

/// A saved version of a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentVersionSummary {
    /// Number of the version, from 1.
    pub(crate) version: u64,
    /// SHA-256 of the manifest that stores this version.
    manifest_sha256: String,
    /// Time at which this version was saved.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Reason for the change; null if the author gave none.
    #[schema(required)]
    message: Option<String>,
    /// Title of the document in this version.
    title: String,
    /// Length of the text in this version, in characters.
    char_count: u64,
    /// Number of characters added since the previous version.
    added: u64,
    /// Number of characters removed since the previous version.
    removed: u64,
}

impl From<DocumentVersion> for DocumentVersionSummary {
    fn from(version: DocumentVersion) -> Self {
        Self {
            version: version.version,
            manifest_sha256: version.manifest.to_string(),
            created_at: version.created_at,
            message: version.message,
            title: version.title,
            char_count: version.char_count,
            added: version.added,
            removed: version.removed,
        }
    }
}

/// A part of a comparison: text that was kept, added or removed.
#[derive(Serialize, ToSchema)]
pub(crate) struct DiffPart {
    /// Tells whether both versions have the text, or which one.
    pub(crate) kind: TextChangeKind,
    /// Words of this part of the text.
    pub(crate) text: String,
}

/// Differences between two versions of a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct DiffAnswer {
    /// Number of the earlier version, from 1.
    pub(crate) from: u64,
    /// Number of the later version, from 1.
    pub(crate) to: u64,
    /// The parts of both, in order.
    pub(crate) parts: Vec<DiffPart>,
}

/// A citation style that documents can use.
#[derive(Serialize, ToSchema)]
pub(crate) struct StyleView {
    /// Id to use as `style` in requests.
    id: String,
    /// The same, under the name that others know it by.
    pub(crate) style_id: String,
    /// Title, as people see it.
    pub(crate) title: String,
    /// Citation system of the style.
    kind: StyleKind,
    /// Other names that are accepted for this style.
    aliases: Vec<&'static str>,
    /// True if a user uploaded this style; false if it is built in.
    is_own: bool,
}

impl From<StyleChoice> for StyleView {
    fn from(style: StyleChoice) -> Self {
        Self {
            id: style.id.clone(),
            style_id: style.id,
            title: style.title,
            kind: style.kind.into(),
            aliases: style.aliases,
            is_own: style.is_own,
        }
    }
}

/// A language that references can be formatted in.
#[derive(Serialize, ToSchema)]
pub(crate) struct Locale {
    /// Language tag such as `en-US`.
    pub(crate) tag: String,
}

/// All citation styles and languages that can be used.
#[derive(Serialize, ToSchema)]
pub(crate) struct StylesAnswer {
    /// Those that were brought first.
    pub(crate) items: Vec<StyleView>,
    /// The languages that references can be in.
    pub(crate) locales: Vec<Locale>,
}

/// Severity of a fault in a text.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FaultSeverity {
    /// The text cannot be typeset.
    Error,
    /// The text can be typeset, but not as it may be meant.
    Warning,
}
