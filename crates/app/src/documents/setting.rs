//! How a document is set: its citations and its bibliography in its style, and its pages.

use std::collections::{BTreeMap, BTreeSet};

use ibid_bibliography::{
    Citation as CslCitation, CitedItem, Form, Formatter, Missing, Output, ReferenceFormat, StyleKind, csl_of_source,
    export,
};
use ibid_citations::{CitationSource, claims::Claim};
use ibid_documents::{
    Fault,
    manuscript::{self, Manuscript, Typeset},
    pressroom::{Made, Order, PageView, Unmade, Want},
    template::{self, Frame},
};
use ibid_domain::{
    CiteAs, Code, DocumentCitation, DocumentFormat, DocumentId, MissingDetails, Problem, Source, SourceId,
    problem::shown,
};
use serde_json::{Value as Json, json};

use super::{LookChange, OpenDocument, check_text};
use crate::{App, CheckedClaim, Result, Scope};

/// Dots of a picture for a point: 144 for an inch.
const DOTS: f64 = 2.0;
/// The most references that are written at once.
const MOST_REFERENCES: usize = 10_000;

/// What a document can be made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderFormat {
    /// All pages.
    Pdf,
    /// One page, as lines.
    Svg,
    /// One page, as a picture.
    Png,
    /// The words, for a browser.
    Html,
    /// The words, in Markdown.
    Markdown,
    /// The whole, in Typst.
    Typst,
}

impl RenderFormat {
    const ALL: [(&str, Self); 7] = [
        ("pdf", Self::Pdf),
        ("svg", Self::Svg),
        ("png", Self::Png),
        ("html", Self::Html),
        ("md", Self::Markdown),
        ("markdown", Self::Markdown),
        ("typ", Self::Typst),
    ];

    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
            Self::Html => "text/html; charset=utf-8",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Typst => "text/x-typst; charset=utf-8",
        }
    }

    /// How the names of its files end.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Typst => "typ",
        }
    }
}

impl std::str::FromStr for RenderFormat {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL.into_iter().find(|(name, _)| *name == text).map(|(_, format)| format).ok_or_else(|| {
            let detail =
                format!("a document is not rendered as '{}'; it is as pdf, svg, png, html, md or typ", shown(text));
            Problem::new(Code::InvalidField, detail).field("format")
        })
    }
}

/// What was made of a document.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// What it is.
    pub format: RenderFormat,
    /// The file.
    pub bytes: Vec<u8>,
    /// How many pages the document has, if it was set.
    pub pages: Option<usize>,
}

/// Which entries a bibliography has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entries {
    /// One for each source, in the style's order.
    #[default]
    PerSource,
    /// One for each citation, in the text's order.
    PerCitation,
}

/// A bibliography.
#[derive(Clone, Debug)]
pub struct Bibliography {
    /// The whole, in the document's own format.
    pub text: String,
    /// Its entries.
    pub entries: Vec<BibliographyEntry>,
    /// How many citations are set.
    pub citation_count: usize,
}

/// An entry of a bibliography.
#[derive(Clone, Debug)]
pub struct BibliographyEntry {
    /// What it is of; none once that was deleted.
    pub source: Option<SourceId>,
    /// The citations of it.
    pub numbers: Vec<u32>,
    /// The entry.
    pub text: String,
    /// The same for a browser.
    pub html: String,
}

/// A citation with what its note says.
#[derive(Clone, Debug)]
pub struct Cited {
    /// The citation.
    pub citation: DocumentCitation,
    /// What its note, or the place in the text, says; nothing if it is not set.
    pub formatted: String,
}

/// What is to be looked at before it is saved.
#[derive(Clone, Debug, Default)]
pub struct PreviewRequest {
    /// The text, instead of the document's.
    pub text: Option<String>,
    /// How it looks, where that differs.
    pub look: LookChange,
    /// Pages that need not be told again.
    pub known: Vec<String>,
    /// The first page.
    pub from: usize,
    /// The last one.
    pub to: usize,
}

/// Pages to look at, or why there are none.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// How many pages there are.
    pub page_count: usize,
    /// Those that were asked for.
    pub pages: Vec<PageView>,
    /// What is wrong, and what may not be what was meant.
    pub faults: Vec<Fault>,
}

/// What the sources of a document say of its sentences.
#[derive(Clone, Debug)]
pub struct Claims {
    /// Sentences that cite something, with the numbers of their citations.
    pub claims: Vec<(CheckedClaim, Vec<u32>)>,
    /// Sentences that say something and cite nothing.
    pub uncited: Vec<Claim>,
}

/// A document put together.
struct Composed {
    typeset: Typeset,
    main: String,
    frame: Frame,
}

/// What stands at each place, and the entries of a bibliography with their keys.
type Set = (Vec<String>, Vec<(String, String)>);

/// What is cited, in one style.
struct Formatted {
    items: Vec<Json>,
    /// Whose item each is.
    owners: BTreeMap<String, Option<SourceId>>,
    /// Which citation has which item.
    keys: BTreeMap<u32, String>,
}

impl App {
    /// What a document cites, in the order of its text, each with what its note says, and numbers that cite nothing.
    pub async fn cited(&self, scope: &Scope, id: DocumentId) -> Result<(Vec<Cited>, Vec<u32>)> {
        let (citations, dangling) = self.document_citations(scope, id).await?;
        let open = self.document(scope, id, None).await?;
        let formatter = self.style_of(scope, &open).await?;
        let formatted = self.items(scope, &citations, missing(open.document.look.missing)).await?;
        let manuscript = read(&open, &citations);
        let (notes, _) =
            set(&formatter, &formatted, &citations, &manuscript, open.document.look.cite_as, Output::Text)?;
        let mut by_number: BTreeMap<u32, String> = BTreeMap::new();
        for (place, note) in manuscript.places().iter().zip(notes) {
            for number in &place.numbers {
                by_number.entry(*number).or_insert_with(|| note.clone());
            }
        }
        let cited = citations.into_iter().map(|citation| {
            let formatted = by_number.remove(&citation.number).unwrap_or_default();
            Cited { citation, formatted }
        });
        Ok((cited.collect(), dangling))
    }

    /// The bibliography of a document: only what it cites. With `insert` it is put into the text as well.
    pub async fn document_bibliography(
        &self,
        scope: &Scope,
        id: DocumentId,
        style: Option<&str>,
        entries: Entries,
        missing_details: Option<MissingDetails>,
        insert: bool,
    ) -> Result<Bibliography> {
        let mut open = self.document(scope, id, None).await?;
        if let Some(style) = style {
            open.document.look.style = style.to_owned();
        }
        let look = open.document.look.clone();
        let citations = self.store.read().await?.documents(scope).citations(id).await?;
        let formatter = self.style_of(scope, &open).await?;
        let formatted = self.items(scope, &citations, missing(missing_details.unwrap_or(look.missing))).await?;
        let manuscript = read(&open, &citations);
        let order: Vec<u32> = manuscript.places().iter().flat_map(|place| place.numbers.clone()).collect();
        let native = if look.format == DocumentFormat::Typst { Output::Typst } else { Output::Markdown };
        let mut made = [native, Output::Text, Output::Html].into_iter().map(|output| {
            let (_, bibliography) = set(&formatter, &formatted, &citations, &manuscript, look.cite_as, output)?;
            Ok(match entries {
                Entries::PerSource => bibliography,
                Entries::PerCitation => {
                    let of = |number: &u32| {
                        let key = formatted.keys.get(number)?;
                        bibliography.iter().find(|(id, _)| id == key).cloned()
                    };
                    order.iter().filter_map(of).collect()
                }
            })
        });
        let mut next = || made.next().unwrap_or_else(|| Ok(Vec::new()));
        let (written, text, html): (Vec<_>, Vec<_>, Vec<_>) =
            (next().map_err(from_problem)?, next().map_err(from_problem)?, next().map_err(from_problem)?);
        let numbers_of = |at: usize, key: &str| match entries {
            Entries::PerCitation => order.get(at).copied().into_iter().collect(),
            Entries::PerSource => {
                let of = |number: &u32| formatted.keys.get(number).is_some_and(|known| known == key);
                order.iter().copied().filter(of).collect::<Vec<u32>>()
            }
        };
        let listed = text.iter().zip(&html).enumerate().map(|(at, ((key, text), (_, html)))| BibliographyEntry {
            source: formatted.owners.get(key).copied().flatten(),
            numbers: numbers_of(at, key),
            text: text.clone(),
            html: html.clone(),
        });
        let listed: Vec<BibliographyEntry> = listed.collect();
        let words: Vec<String> = written.into_iter().map(|(_, words)| words).collect();
        let heading = heading(formatter.style().id(), &look.locale);
        let body = section(look.format, heading, &words, entries);
        if insert {
            self.put_bibliography(scope, id, &body).await?;
        }
        let text = manuscript::bracketed(look.format, &body);
        Ok(Bibliography { text, entries: listed, citation_count: order.len() })
    }

    /// What a document cites, for other programs.
    pub async fn document_references(&self, scope: &Scope, id: DocumentId, format: ReferenceFormat) -> Result<String> {
        let citations = self.store.read().await?.documents(scope).citations(id).await?;
        self.document(scope, id, None).await?;
        let formatted = self.items(scope, &citations, Missing::Style).await?;
        Ok(export(&formatted.items, format))
    }

    /// Sources, or all of them, for other programs.
    pub async fn references(&self, scope: &Scope, sources: &[SourceId], format: ReferenceFormat) -> Result<String> {
        let mut found: Vec<Source> = Vec::new();
        let mut tx = self.store.read().await?;
        if sources.is_empty() {
            let mut after = None;
            loop {
                let filter = ibid_store::SourceFilter::default();
                let page = tx.sources(scope).list(&filter, ibid_domain::Limit::new(200)?, after.as_ref()).await?;
                found.extend(page.items);
                after = page.next;
                if after.is_none() || found.len() >= MOST_REFERENCES {
                    break;
                }
            }
        } else {
            if sources.len() > MOST_REFERENCES {
                let detail = format!("at most {MOST_REFERENCES} sources are written at once");
                return Err(Problem::new(Code::InvalidField, detail).field("source_ids").into());
            }
            found = tx.sources(scope).get_many(sources).await?;
            if let Some(gone) = sources.iter().find(|id| !found.iter().any(|source| source.id == **id)) {
                return Err(super::citing::unknown_source(*gone).into());
            }
        }
        let items: Vec<Json> = found.iter().map(|source| csl_of_source(source, Missing::Style)).collect();
        Ok(export(&items, format))
    }

    /// A source as a reference, in each kind of writing there is: as text, for a browser, in Markdown.
    pub async fn format_source(
        &self,
        scope: &Scope,
        id: SourceId,
        style: &str,
        locale: Option<&str>,
        form: Form,
        missing_details: MissingDetails,
    ) -> Result<[String; 3]> {
        let source = self.source(scope, id).await?.source;
        let formatter = self.formatter(scope, style, locale).await?;
        let items = [csl_of_source(&source, missing(missing_details))];
        let written = |output| -> Result<String, Problem> {
            let mut entries = formatter.format(&items, form, output)?;
            // A style that leaves such sources out of its bibliography has a note for them.
            if entries.is_empty() {
                entries = formatter.format(&items, Form::Note, output)?;
            }
            Ok(entries.pop().map(|entry| entry.text).unwrap_or_default())
        };
        Ok([written(Output::Text)?, written(Output::Html)?, written(Output::Markdown)?])
    }

    /// Makes a document into something else.
    pub async fn render(
        &self,
        scope: &Scope,
        id: DocumentId,
        format: RenderFormat,
        page: usize,
        version: Option<u64>,
    ) -> Result<Rendered> {
        let open = self.document(scope, id, version).await?;
        let citations = self.store.read().await?.documents(scope).citations(id).await?;
        let done = |bytes: Vec<u8>| Rendered { format, bytes, pages: None };
        if format == RenderFormat::Markdown {
            return Ok(done(self.as_markdown(scope, &open, &citations).await?.into_bytes()));
        }
        let composed = self.compose(scope, &open, &citations).await?;
        let want = match format {
            RenderFormat::Pdf => Want::Pdf,
            RenderFormat::Svg => Want::Svg { page },
            RenderFormat::Png => Want::Png { page, dots: DOTS },
            RenderFormat::Html => Want::Html,
            RenderFormat::Markdown | RenderFormat::Typst => {
                let look = &open.document.look;
                let bibliography =
                    composed.main.split_once("#include \"/document.typ\"\n").map_or("", |(_, after)| after);
                let whole = composed.frame.alone(look.format, &open.text, &composed.typeset.text, bibliography);
                return Ok(done(whole.into_bytes()));
            }
        };
        let made = self.press(scope, &open, &composed, want).await?;
        let made = made.map_err(|faults| {
            let said = faults.iter().find(|fault| !fault.is_warning).or(faults.first());
            let place = said.and_then(|fault| Some(format!("line {}, column {}: ", fault.line?, fault.column?)));
            let detail = format!(
                "{}{}",
                place.unwrap_or_default(),
                said.map_or("the text cannot be set", |fault| fault.message.as_str())
            );
            Problem::new(Code::DocumentDoesNotCompile, detail).fact("faults", told(&faults))
        })?;
        let pages = (format != RenderFormat::Html).then_some(made.page_count);
        Ok(Rendered { format, bytes: made.bytes, pages })
    }

    /// Sets a document as it would be, without saving anything.
    pub async fn preview(&self, scope: &Scope, id: DocumentId, request: PreviewRequest) -> Result<Preview> {
        let mut open = self.document(scope, id, None).await?;
        if let Some(text) = request.text {
            check_text(&text)?;
            open.text = text;
        }
        open.document.look = self.changed(scope, &open.document.look, &request.look).await?;
        let citations = self.store.read().await?.documents(scope).citations(id).await?;
        let composed = self.compose(scope, &open, &citations).await?;
        let want = Want::Preview { from: request.from.max(1), to: request.to, known: request.known };
        Ok(match self.press(scope, &open, &composed, want).await? {
            Ok(made) => {
                let faults = self.placed(&open, &composed, made.warnings);
                Preview { page_count: made.page_count, pages: made.pages, faults }
            }
            Err(faults) => Preview { faults, ..Preview::default() },
        })
    }

    /// Checks the sentences of a document against what they cite.
    pub async fn document_support(&self, scope: &Scope, id: DocumentId) -> Result<Claims> {
        let open = self.document(scope, id, None).await?;
        let citations = self.store.read().await?.documents(scope).citations(id).await?;
        // What is cited twice is one work: its first citation has the number of both.
        let mut works: BTreeMap<u32, u32> = BTreeMap::new();
        let mut sources: Vec<CitationSource> = Vec::new();
        for citation in &citations {
            let known = citations.iter().find(|one| one.source.is_some() && one.source == citation.source);
            let number = known.map_or(citation.number, |first| first.number);
            works.insert(citation.number, number);
            if number == citation.number {
                sources.push(CitationSource {
                    id: number.to_string(),
                    number: Some(number),
                    title: Some(citation.snapshot.title.clone()),
                    source_id: citation.source.map(|source| source.to_string()),
                    snippet: citation.quote.clone(),
                    ..CitationSource::default()
                });
            }
        }
        let format = open.document.look.format;
        let prose = manuscript::prose(format, &open.text, |number| works.get(&number).copied());
        let markers = manuscript::markers(format, &open.text);
        let checked = self.check_text(scope, &prose, sources).await?;
        let numbered = |claim: CheckedClaim| {
            let span = claim.claim.span;
            let own = markers.iter().filter(|marker| marker.span.end > span.start && marker.span.start < span.end);
            let numbers = own.map(|marker| marker.number).filter(|number| works.contains_key(number)).collect();
            (claim, numbers)
        };
        Ok(Claims { claims: checked.claims.into_iter().map(numbered).collect(), uncited: checked.uncited })
    }

    async fn style_of(&self, scope: &Scope, open: &OpenDocument) -> Result<std::sync::Arc<Formatter>> {
        self.formatter(scope, &open.document.look.style, Some(&open.document.look.locale)).await
    }

    /// The items that citations cite, each once, in the order of the text.
    async fn items(&self, scope: &Scope, citations: &[DocumentCitation], missing: Missing) -> Result<Formatted> {
        let ids: BTreeSet<SourceId> = citations.iter().filter_map(|citation| citation.source).collect();
        let ids: Vec<SourceId> = ids.into_iter().collect();
        let mut tx = self.store.read().await?;
        let mut sources: BTreeMap<SourceId, Source> = BTreeMap::new();
        for batch in ids.chunks(200) {
            sources.extend(tx.sources(scope).get_many(batch).await?.into_iter().map(|source| (source.id, source)));
        }
        drop(tx);
        let mut formatted = Formatted { items: Vec::new(), owners: BTreeMap::new(), keys: BTreeMap::new() };
        for citation in citations.iter().filter(|citation| citation.is_attached()) {
            let item = match citation.source.and_then(|id| sources.get(&id)) {
                Some(source) => csl_of_source(source, missing),
                None => filled(citation.snapshot.item.clone(), missing),
            };
            let key = item.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
            formatted.keys.insert(citation.number, key.clone());
            if formatted.owners.insert(key, citation.source).is_none() {
                formatted.items.push(item);
            }
        }
        Ok(formatted)
    }

    async fn compose(&self, scope: &Scope, open: &OpenDocument, citations: &[DocumentCitation]) -> Result<Composed> {
        let look = &open.document.look;
        let formatter = self.style_of(scope, open).await?;
        let formatted = self.items(scope, citations, missing(look.missing)).await?;
        let manuscript = read(open, citations);
        let (notes, bibliography) = set(&formatter, &formatted, citations, &manuscript, look.cite_as, Output::Typst)?;
        let words: Vec<String> = bibliography.into_iter().map(|(_, words)| words).collect();
        let whole = match words.is_empty() {
            true => String::new(),
            false => {
                let heading = heading(formatter.style().id(), &look.locale);
                section(DocumentFormat::Typst, heading, &words, Entries::PerSource)
            }
        };
        let typeset = manuscript.typst(&notes, &whole);
        let frame = Frame {
            title: look.title.clone(),
            authors: look.authors.clone(),
            date: look.date.clone(),
            locale: look.locale.clone(),
            template: look.template,
        };
        let after = if manuscript.has_bibliography() { "" } else { whole.as_str() };
        let main = frame.main(look.format, &open.text, after);
        Ok(Composed { typeset, main, frame })
    }

    async fn as_markdown(&self, scope: &Scope, open: &OpenDocument, citations: &[DocumentCitation]) -> Result<String> {
        let look = &open.document.look;
        let formatter = self.style_of(scope, open).await?;
        let formatted = self.items(scope, citations, missing(look.missing)).await?;
        let manuscript = read(open, citations);
        let (notes, bibliography) =
            set(&formatter, &formatted, citations, &manuscript, look.cite_as, Output::Markdown)?;
        let words: Vec<String> = bibliography.into_iter().map(|(_, words)| words).collect();
        let whole = match words.is_empty() {
            true => String::new(),
            false => {
                let heading = heading(formatter.style().id(), &look.locale);
                section(DocumentFormat::Markdown, heading, &words, Entries::PerSource)
            }
        };
        let text = manuscript.markdown(&notes, &whole);
        let is_titled = text.trim_start().starts_with("# ");
        Ok(if is_titled { text } else { format!("# {}\n\n{text}", look.title) })
    }

    /// Has a document set. The inner error is what is wrong with its text.
    async fn press(
        &self,
        scope: &Scope,
        open: &OpenDocument,
        composed: &Composed,
        want: Want,
    ) -> Result<Result<Made, Vec<Fault>>> {
        let mut files = Vec::with_capacity(open.files.len());
        for (name, entry) in &open.files {
            files.push((name.clone(), self.bytes_of(scope, entry.sha256).await?));
        }
        let order = Order {
            key: open.document.id.to_string(),
            main: composed.main.clone(),
            template: template::text(open.document.look.template).to_owned(),
            text: composed.typeset.text.clone(),
            files,
            want,
        };
        let began = std::time::Instant::now();
        let made = self.tools().press.press(order).await?;
        metrics::histogram!("ibid_press_seconds").record(began.elapsed().as_secs_f64());
        match made {
            Ok(made) => Ok(Ok(made)),
            Err(Unmade::Faults(faults)) => Ok(Err(self.placed(open, composed, faults))),
            Err(Unmade::NoSuchPage(count)) => {
                let detail = format!("the document has {count} pages");
                Err(Problem::new(Code::PageNotFound, detail).field("page").into())
            }
        }
    }

    /// Faults with their places in the text as it was written.
    fn placed(&self, open: &OpenDocument, composed: &Composed, faults: Vec<Fault>) -> Vec<Fault> {
        let is_typst = open.document.look.format == DocumentFormat::Typst;
        let place = |mut fault: Fault| {
            let own = fault.file.as_deref() == Some(ibid_documents::pressroom::TEXT);
            let place = fault.byte.filter(|_| own && is_typst).map(|byte| composed.typeset.place(&open.text, byte));
            (fault.line, fault.column) = place.unzip();
            fault
        };
        faults.into_iter().map(place).collect()
    }
}

fn from_problem(problem: Problem) -> crate::Error {
    problem.into()
}

/// Faults as they are told.
fn told(faults: &[Fault]) -> Json {
    let told = |fault: &Fault| {
        json!({
            "message": fault.message, "hints": fault.hints, "line": fault.line, "column": fault.column,
            "severity": if fault.is_warning { "warning" } else { "error" },
        })
    };
    faults.iter().map(told).collect()
}

const fn missing(details: MissingDetails) -> Missing {
    match details {
        MissingDetails::Placeholders => Missing::Placeholders,
        MissingDetails::Csl => Missing::Style,
    }
}

fn filled(item: Json, missing: Missing) -> Json {
    let Json::Object(mut fields) = item else { return item };
    if missing == Missing::Placeholders {
        ibid_bibliography::fill(&mut fields, missing);
    }
    Json::Object(fields)
}

/// Looks through the text of a document for what it cites.
fn read(open: &OpenDocument, citations: &[DocumentCitation]) -> Manuscript {
    let look = &open.document.look;
    let marked: BTreeSet<u32> =
        manuscript::markers(look.format, &open.text).iter().map(|marker| marker.number).collect();
    let known: BTreeSet<u32> = citations.iter().map(|citation| citation.number).collect();
    let unmarked: Vec<(u32, usize)> = citations
        .iter()
        .filter(|citation| !citation.was_marked && !marked.contains(&citation.number))
        .map(|citation| (citation.number, citation.position))
        .collect();
    Manuscript::read(look.format, look.cite_as, &open.text, &known, &unmarked)
}

/// What stands at each place of a text, and the entries of its bibliography with their keys.
fn set(
    formatter: &Formatter,
    formatted: &Formatted,
    citations: &[DocumentCitation],
    manuscript: &Manuscript,
    cite_as: CiteAs,
    output: Output,
) -> Result<Set, Problem> {
    let by_number: BTreeMap<u32, &DocumentCitation> =
        citations.iter().map(|citation| (citation.number, citation)).collect();
    let cited = |number: &u32| -> Option<CitedItem> {
        let citation = by_number.get(number)?;
        let (label, locator) = citation.locator.as_deref().map(located).unzip();
        Some(CitedItem {
            id: formatted.keys.get(number)?.clone(),
            locator,
            label: label.flatten().map(str::to_owned),
            prefix: citation.prefix.as_ref().map(|prefix| format!("{prefix} ")),
            suffix: citation.suffix.as_ref().map(|suffix| after(suffix)),
            ..CitedItem::default()
        })
    };
    let clusters: Vec<CslCitation> = manuscript
        .places()
        .iter()
        .enumerate()
        .map(|(at, place)| CslCitation {
            items: place.numbers.iter().filter_map(cited).collect(),
            note_number: Some(at + 1),
        })
        .collect();
    // Only what is cited in the text is in the bibliography.
    let used: BTreeSet<&str> =
        clusters.iter().flat_map(|cluster| &cluster.items).map(|item| item.id.as_str()).collect();
    let key = |item: &&Json| item.get("id").and_then(Json::as_str).is_some_and(|id| used.contains(id));
    let items: Vec<Json> = formatted.items.iter().filter(key).cloned().collect();
    let document = formatter.document(&items, &clusters, output)?;
    let mut bibliography: Vec<(String, String)> =
        document.bibliography.into_iter().map(|entry| (entry.id, entry.text)).collect();
    if bibliography.is_empty() && !items.is_empty() {
        let notes = formatter.format(&items, Form::Note, output)?;
        bibliography = notes.into_iter().map(|entry| (entry.id, entry.text)).collect();
    }
    if cite_as == CiteAs::InText || formatter.style().kind() == StyleKind::Note {
        return Ok((document.citations, bibliography));
    }
    // A style without notes of its own has whole entries in them.
    let whole: BTreeMap<String, String> =
        formatter.format(&items, Form::Note, output)?.into_iter().map(|entry| (entry.id, entry.text)).collect();
    let note = |cluster: &CslCitation| {
        let parts =
            cluster.items.iter().map(|item| with_locator(whole.get(&item.id).map_or("", String::as_str), item, output));
        parts.collect::<Vec<_>>().join("; ")
    };
    Ok((clusters.iter().map(note).collect(), bibliography))
}

/// An entry as a note: with what is said before it, where in it, and what is said after.
fn with_locator(entry: &str, item: &CitedItem, output: Output) -> String {
    let plain = |text: &str| match output {
        Output::Typst => ibid_documents::escaped(text),
        _ => text.to_owned(),
    };
    let mut note = item.prefix.as_deref().map(plain).unwrap_or_default();
    note.push_str(entry);
    let mut more = String::new();
    if let Some(locator) = &item.locator {
        let short = match item.label.as_deref() {
            None | Some("page") if locator.contains(['-', '–', ',']) => "pp. ",
            None | Some("page") => "p. ",
            Some("chapter") => "chap. ",
            Some("section") => "sec. ",
            Some("volume") => "vol. ",
            Some("figure") => "fig. ",
            Some("paragraph") => "para. ",
            Some("line") => "line ",
            Some(_) => "",
        };
        more.push_str(&plain(&format!(", {short}{locator}")));
    }
    if let Some(suffix) = &item.suffix {
        more.push_str(&plain(suffix));
    }
    if !more.is_empty() {
        let stop = if output == Output::Typst { "\\." } else { "." };
        let bare = note.strip_suffix(stop).unwrap_or(&note);
        note = format!("{bare}{more}{stop}");
    }
    note
}

/// What is said after a citation stands apart from it.
fn after(suffix: &str) -> String {
    if suffix.starts_with([',', '.', ';', ':', ')']) { suffix.to_owned() } else { format!(" {suffix}") }
}

/// Where in a source, and what that counts: `chap. 3` is chapter 3, and `12` page 12.
fn located(locator: &str) -> (Option<&'static str>, String) {
    const WORDS: [(&str, &str); 24] = [
        ("pp.", "page"),
        ("p.", "page"),
        ("pages", "page"),
        ("page", "page"),
        ("s.", "page"),
        ("chapter", "chapter"),
        ("chap.", "chapter"),
        ("ch.", "chapter"),
        ("section", "section"),
        ("sect.", "section"),
        ("sec.", "section"),
        ("§§", "section"),
        ("§", "section"),
        ("volume", "volume"),
        ("vol.", "volume"),
        ("figure", "figure"),
        ("fig.", "figure"),
        ("paragraph", "paragraph"),
        ("para.", "paragraph"),
        ("¶", "paragraph"),
        ("lines", "line"),
        ("line", "line"),
        ("verse", "verse"),
        ("note", "note"),
    ];
    let trimmed = locator.trim();
    let lower = trimmed.to_lowercase();
    let known = WORDS.iter().find(|(word, _)| {
        lower.strip_prefix(word).is_some_and(|rest| {
            rest.trim_start().starts_with(|char: char| char.is_ascii_digit() || "ivxlc".contains(char))
        })
    });
    match known.and_then(|(word, label)| Some((label, trimmed.get(word.len()..)?))) {
        Some((label, rest)) => (Some(label), rest.trim().to_owned()),
        None => (None, trimmed.to_owned()),
    }
}

/// What a list of references is called.
fn heading(style: &str, locale: &str) -> &'static str {
    let language = locale.split('-').next().unwrap_or_default();
    match language {
        "de" => "Literaturverzeichnis",
        "fr" => "Bibliographie",
        "es" => "Referencias",
        "it" => "Bibliografia",
        "pt" => "Referências",
        "nl" => "Literatuurlijst",
        "pl" => "Bibliografia",
        "sv" => "Referenser",
        "da" => "Litteratur",
        "nb" | "nn" => "Referanser",
        "fi" => "Lähteet",
        "cs" => "Literatura",
        "ru" => "Список литературы",
        "uk" => "Список літератури",
        "ja" => "参考文献",
        "zh" => "参考文献",
        "ko" => "참고문헌",
        _ if style.starts_with("modern-language") => "Works Cited",
        _ if style.starts_with("chicago-notes") || style.starts_with("turabian") => "Bibliography",
        _ => "References",
    }
}

/// A list of references as a part of a text.
fn section(format: DocumentFormat, heading: &str, entries: &[String], kind: Entries) -> String {
    let mut text = match format {
        DocumentFormat::Typst => format!("#pagebreak(weak: true)\n\n= {heading}\n"),
        DocumentFormat::Markdown => format!("## {heading}\n"),
    };
    for (at, entry) in entries.iter().enumerate() {
        let number = match (kind, format) {
            (Entries::PerSource, _) => String::new(),
            (Entries::PerCitation, DocumentFormat::Typst) => format!("{}\\. ", at + 1),
            (Entries::PerCitation, DocumentFormat::Markdown) => format!("{}\\. ", at + 1),
        };
        text.push_str(&match format {
            DocumentFormat::Typst => {
                format!("\n#par(hanging-indent: 1.5em, first-line-indent: 0em, justify: false)[{number}{entry}]\n")
            }
            DocumentFormat::Markdown => format!("\n{number}{entry}\n"),
        });
    }
    text
}
