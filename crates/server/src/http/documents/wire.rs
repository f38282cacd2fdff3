//! Documents as they go over the wire.

use ibid_app::{
    BibliographyEntry, CheckedClaim, Cited, DocumentSource as AppSource, LookChange, OpenDocument,
    Preview as AppPreview, StyleChoice,
};
use ibid_domain::{
    self as domain, CiteAs, DocumentFormat, DocumentVersion, Entry, MissingDetails, Problem, Template, Timestamp,
    Verdict,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::sources::{body::said, wire::Source};

/// A document without its text.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentSummary {
    /// Its id.
    id: Uuid,
    /// The same, under the name that others know it by.
    pub(crate) document_id: Uuid,
    /// What it is called.
    pub(crate) title: String,
    /// `markdown` or `typst`.
    format: &'static str,
    /// The style of its references.
    style: String,
    /// The tag of its language.
    locale: String,
    /// `article`, `report`, `essay` or `none`.
    template: &'static str,
    /// `footnotes` or `in_text`.
    cite_as: &'static str,
    /// `placeholders` or `csl`: what stands for what is not known of a source.
    missing: &'static str,
    /// Who writes it.
    authors: Vec<String>,
    /// When, in any words.
    #[schema(required)]
    date: Option<String>,
    /// How often it was saved.
    pub(crate) version: u64,
    /// The last number that was given to a citation.
    citation_count: u32,
    /// How many sources it has.
    source_count: u64,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was changed last.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl DocumentSummary {
    pub(crate) fn new(document: domain::Document, source_count: u64) -> Self {
        let look = document.look;
        Self {
            id: document.id.uuid(),
            document_id: document.id.uuid(),
            title: look.title,
            format: look.format.as_str(),
            style: look.style,
            locale: look.locale,
            template: look.template.as_str(),
            cite_as: look.cite_as.as_str(),
            missing: look.missing.as_str(),
            authors: look.authors,
            date: look.date,
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
    /// What it is.
    media_type: String,
    /// How large it is.
    size_bytes: u64,
    /// Its artifact.
    sha256: String,
}

impl DocumentFile {
    fn new(name: String, entry: Entry) -> Self {
        Self {
            name,
            media_type: entry.media_type.as_str().to_owned(),
            size_bytes: entry.size_bytes,
            sha256: entry.sha256.to_string(),
        }
    }
}

/// A document.
#[derive(Serialize, ToSchema)]
pub(crate) struct Document {
    #[serde(flatten)]
    #[schema(inline)]
    pub(crate) summary: DocumentSummary,
    /// Its text. A citation stands in it by its number: `#footnote[3]` in Typst, `[^3]` in Markdown.
    pub(crate) text: String,
    /// What this version holds.
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

/// How a document looks; what is left out stays, or is as usual.
#[derive(Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct LookBody {
    /// What it is called.
    title: Option<String>,
    /// `markdown` (the usual) or `typst`.
    format: Option<String>,
    /// The style of its references, by id: `apa`, `mla`, `chicago-notes` …; GET /api/v1/styles lists them.
    style: Option<String>,
    /// The tag of its language: `en-US`.
    locale: Option<String>,
    /// `article` (the usual), `report`, `essay` or `none`.
    template: Option<String>,
    /// `footnotes` (the usual) or `in_text`.
    cite_as: Option<String>,
    /// `placeholders` (the usual: Untitled, Unknown Author, n.d.) or `csl` (the style's own rule).
    missing: Option<String>,
    /// Who writes it.
    authors: Option<Vec<String>>,
    /// When, in any words; null or an empty one is none.
    #[schema(value_type = Option<String>)]
    #[serde(deserialize_with = "said")]
    date: Option<Option<String>>,
    /// Fields that nobody knows.
    #[serde(flatten)]
    #[schema(ignore)]
    rest: domain::JsonObject,
}

impl LookBody {
    pub(crate) fn of(title: String, format: Option<String>, style: Option<String>) -> Self {
        Self { title: Some(title), format, style, ..Self::default() }
    }

    pub(crate) fn change(self) -> Result<LookChange, Problem> {
        if let Some(name) = self.rest.keys().next() {
            let detail = format!("there is no field '{}'", domain::problem::shown(name));
            return Err(Problem::new(domain::Code::InvalidField, detail).field(name.as_str()));
        }
        Ok(LookChange {
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

/// A citation of a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentCitation {
    /// Its id.
    id: Uuid,
    /// The same, under the name that others know it by.
    citation_id: Uuid,
    /// Its number in the document.
    pub(crate) citation_number: u32,
    /// What is cited; null once that was deleted.
    #[schema(required)]
    source_id: Option<Uuid>,
    /// What that is called.
    pub(crate) title: String,
    /// Which of the twelve types it is.
    source_type: &'static str,
    /// Its address.
    #[schema(required)]
    url: Option<String>,
    /// Whether it was deleted.
    is_deleted: bool,
    /// Where it stands in the text, in characters.
    position: usize,
    /// Whether its marker stands there.
    is_marked: bool,
    /// Whether it is set: it is marked, or never had a marker.
    is_attached: bool,
    /// Where in the source.
    #[schema(required)]
    locator: Option<String>,
    /// What is said before it.
    #[schema(required)]
    prefix: Option<String>,
    /// What is said after it.
    #[schema(required)]
    suffix: Option<String>,
    /// The words that it stands for.
    #[schema(required)]
    quote: Option<String>,
    /// What its footnote says, in the document's style.
    pub(crate) formatted: String,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<Cited> for DocumentCitation {
    fn from(Cited { citation, formatted }: Cited) -> Self {
        Self {
            id: citation.id.uuid(),
            citation_id: citation.id.uuid(),
            citation_number: citation.number,
            source_id: citation.source.map(domain::SourceId::uuid),
            is_deleted: citation.source.is_none(),
            is_attached: citation.is_attached(),
            title: citation.snapshot.title,
            source_type: citation.snapshot.kind.as_str(),
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

/// What a document cites.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitationsAnswer {
    /// The citations, in the order of the text.
    pub(crate) items: Vec<DocumentCitation>,
    /// Numbers of markers in the text that cite nothing.
    pub(crate) dangling: Vec<u32>,
}

/// A citation that was made.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitationAnswer {
    /// That it was.
    pub(crate) success: bool,
    /// The citation.
    pub(crate) citation: DocumentCitation,
    /// What was done.
    pub(crate) message: String,
    /// The version that the document is at.
    pub(crate) version: u64,
}

/// A number for a citation.
#[derive(Serialize, ToSchema)]
pub(crate) struct NumberAnswer {
    /// The number: each is given out once, and none is left out.
    pub(crate) citation_number: u32,
    /// The same in words.
    pub(crate) message: String,
}

/// A source of a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentSource {
    /// Its id.
    id: Uuid,
    /// The same, under the name that others know it by.
    source_id: Uuid,
    /// What it is called.
    pub(crate) title: String,
    /// Which of the twelve types it is.
    source_type: &'static str,
    /// Where it came from: `web`, `manual` …
    origin: &'static str,
    /// Its address.
    #[schema(required)]
    url: Option<String>,
    /// Who wrote it.
    authors: Vec<String>,
    /// When it appeared.
    #[schema(required)]
    date: Option<String>,
    /// Whether its content could be read.
    is_available: bool,
    /// How often the document cites it.
    citation_count: u64,
    /// When it became one of the document's.
    #[schema(value_type = String, format = DateTime)]
    added_at: Timestamp,
    /// The source.
    source: Source,
}

impl From<AppSource> for DocumentSource {
    fn from(one: AppSource) -> Self {
        let source = &one.source;
        Self {
            id: source.id.uuid(),
            source_id: source.id.uuid(),
            title: source.title().to_owned(),
            source_type: source.kind.as_str(),
            origin: source.origin.as_str(),
            url: source.url.clone(),
            authors: source.reference.authors.iter().map(ToString::to_string).collect(),
            date: source.reference.publication_date.map(|date| date.to_string()),
            is_available: source.is_available,
            citation_count: one.citation_count,
            added_at: one.added_at,
            source: Source::from(ibid_app::Described { source: one.source, revision: None }),
        }
    }
}

/// The sources of a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentSources {
    /// In the order in which they were added.
    pub(crate) items: Vec<DocumentSource>,
}

/// A bibliography.
#[derive(Serialize, ToSchema)]
pub(crate) struct BibliographyAnswer {
    /// The whole, in the document's own format. Put into the text, it is kept up with what the text cites.
    pub(crate) bibliography: String,
    /// Its entries.
    pub(crate) entries: Vec<BibliographyLine>,
    /// How many citations are set.
    pub(crate) citation_count: usize,
    /// The style.
    pub(crate) style: String,
}

/// An entry of a bibliography.
#[derive(Serialize, ToSchema)]
pub(crate) struct BibliographyLine {
    /// What it is of; null once that was deleted.
    #[schema(required)]
    source_id: Option<Uuid>,
    /// The citations of it.
    citation_numbers: Vec<u32>,
    /// The entry.
    pub(crate) text: String,
    /// The same for a browser.
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

/// A page to look at.
#[derive(Serialize, ToSchema)]
pub(crate) struct PreviewPage {
    /// Which, from 1.
    number: usize,
    /// In points.
    width: f64,
    /// In points.
    height: f64,
    /// What tells whether it looks as before.
    hash: String,
    /// The page; null if its hash was among those that are known.
    #[schema(required)]
    svg: Option<String>,
}

/// Something in a text that cannot be set, or that may not be what was meant.
#[derive(Serialize, ToSchema)]
pub(crate) struct TextFault {
    /// What is wrong.
    message: String,
    /// What would be right, if that is known.
    hints: Vec<String>,
    /// The line of the text, from 1.
    #[schema(required)]
    line: Option<usize>,
    /// The column, from 1, in characters.
    #[schema(required)]
    column: Option<usize>,
    /// `error` or `warning`.
    severity: &'static str,
}

/// Pages to look at, or why there are none.
#[derive(Serialize, ToSchema)]
pub(crate) struct PreviewAnswer {
    /// How many pages there are.
    page_count: usize,
    /// Those that were asked for.
    pages: Vec<PreviewPage>,
    /// What is wrong, and what may not be what was meant.
    faults: Vec<TextFault>,
    /// How long it took, in milliseconds.
    elapsed_ms: f64,
}

impl PreviewAnswer {
    pub(crate) fn new(preview: AppPreview, elapsed_ms: f64) -> Self {
        let page = |page: ibid_documents::pressroom::PageView| PreviewPage {
            number: page.number,
            width: page.width,
            height: page.height,
            hash: page.hash,
            svg: page.svg,
        };
        let fault = |fault: ibid_documents::Fault| TextFault {
            message: fault.message,
            hints: fault.hints,
            line: fault.line,
            column: fault.column,
            severity: if fault.is_warning { "warning" } else { "error" },
        };
        Self {
            page_count: preview.page_count,
            pages: preview.pages.into_iter().map(page).collect(),
            faults: preview.faults.into_iter().map(fault).collect(),
            elapsed_ms,
        }
    }
}

/// What a document's sources say of a sentence.
#[derive(Serialize, ToSchema)]
pub(crate) struct ClaimSupport {
    /// The sentence.
    text: String,
    /// Its first character in the text.
    start_index: usize,
    /// One past its last.
    end_index: usize,
    /// `supported`, `partial` or `unsupported`: the best that one of its citations says.
    verdict: &'static str,
    /// How sure that is, 0 to 1.
    score: f64,
    /// Its citations.
    citation_numbers: Vec<u32>,
}

/// A sentence that cites nothing and should.
#[derive(Serialize, ToSchema)]
pub(crate) struct UncitedClaim {
    /// The sentence.
    text: String,
    /// Its first character in the text.
    start_index: usize,
    /// One past its last.
    end_index: usize,
}

/// What a document's sources say of its sentences.
#[derive(Serialize, ToSchema)]
pub(crate) struct SupportAnswer {
    /// Sentences that cite something.
    claims: Vec<ClaimSupport>,
    /// Sentences that say something and cite nothing.
    uncited: Vec<UncitedClaim>,
}

impl From<ibid_app::Claims> for SupportAnswer {
    fn from(claims: ibid_app::Claims) -> Self {
        let claim = |(one, citation_numbers): (CheckedClaim, Vec<u32>)| {
            let supports = one.citations.iter().map(|citation| &citation.support);
            let best = supports.max_by(|a, b| a.verdict.cmp(&b.verdict).then(a.score.total_cmp(&b.score)));
            ClaimSupport {
                start_index: one.claim.span.start,
                end_index: one.claim.span.end,
                verdict: best.map_or(Verdict::Unsupported, |best| best.verdict).as_str(),
                score: best.map_or(0.0, |best| f64::from(best.score)),
                citation_numbers,
                text: one.claim.text,
            }
        };
        let uncited = |claim: ibid_citations::claims::Claim| UncitedClaim {
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

/// A version of a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct Version {
    /// Which, from 1.
    pub(crate) version: u64,
    /// What it holds.
    manifest_sha256: String,
    /// When it was saved.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Why.
    #[schema(required)]
    message: Option<String>,
    /// What the document was called.
    title: String,
    /// How long the text was, in characters.
    char_count: u64,
    /// How many characters came.
    added: u64,
    /// How many went.
    removed: u64,
}

impl From<DocumentVersion> for Version {
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

/// A part of two texts.
#[derive(Serialize, ToSchema)]
pub(crate) struct DiffPart {
    /// `same`, `added` or `removed`.
    pub(crate) kind: &'static str,
    /// The words.
    pub(crate) text: String,
}

/// What changed between two versions.
#[derive(Serialize, ToSchema)]
pub(crate) struct DiffAnswer {
    /// The earlier version.
    pub(crate) from: u64,
    /// The later version.
    pub(crate) to: u64,
    /// The parts of both, in order.
    pub(crate) parts: Vec<DiffPart>,
}

/// A style of references.
#[derive(Serialize, ToSchema)]
pub(crate) struct StyleView {
    /// What it is asked for by.
    id: String,
    /// The same, under the name that others know it by.
    pub(crate) style_id: String,
    /// What it is called.
    pub(crate) title: String,
    /// `author_date`, `numeric`, `note` or `label`.
    kind: String,
    /// Other names of it.
    aliases: Vec<&'static str>,
    /// Whether it was brought.
    is_own: bool,
}

impl From<StyleChoice> for StyleView {
    fn from(style: StyleChoice) -> Self {
        Self {
            id: style.id.clone(),
            style_id: style.id,
            title: style.title,
            kind: style.kind.replace('-', "_"),
            aliases: style.aliases,
            is_own: style.is_own,
        }
    }
}

/// A language.
#[derive(Serialize, ToSchema)]
pub(crate) struct Locale {
    /// Its tag.
    pub(crate) tag: String,
}

/// All styles.
#[derive(Serialize, ToSchema)]
pub(crate) struct StylesAnswer {
    /// Those that were brought first.
    pub(crate) items: Vec<StyleView>,
    /// The languages that references can be in.
    pub(crate) locales: Vec<Locale>,
}
