//! Citations and bibliographies in the style of a document.

use std::collections::{BTreeMap, BTreeSet};

use ibid_bibliography::{
    CitationForm, CitedItem, CslCitation, Formatter, OutputFormat, PlaceholderMode, ReferenceFormat, StyleKind,
    csl_of_source, export,
};
use ibid_documents::manuscript::{self, Manuscript};
use ibid_domain::{
    CiteAs, Code, DocumentCitation, DocumentFormat, DocumentId, MissingDetails, Problem, Source, SourceId, Template,
};
use serde_json::Value as Json;

use super::OpenDocument;
use crate::{Result, services::DocumentService};

/// The most references that are written at once.
const MOST_REFERENCES: usize = 10_000;

/// Tells if a bibliography lists sources or citations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BibliographyGrouping {
    /// One for each source, in the style's order.
    #[default]
    PerSource,
    /// One for each citation, in the text's order.
    PerCitation,
}

/// The formatted bibliography of a document.
#[derive(Clone, Debug)]
pub struct Bibliography {
    /// The whole, in the document's own format.
    pub text: String,
    /// Entries as plain text and HTML, in the order of the bibliography.
    pub entries: Vec<BibliographyEntry>,
    /// Number of citations in the text.
    pub citation_count: usize,
}

/// One line of a bibliography, with the source it stands for.
#[derive(Clone, Debug)]
pub struct BibliographyEntry {
    /// The source of the entry; `None` if it was deleted.
    pub source: Option<SourceId>,
    /// Numbers of the citations of this source.
    pub numbers: Vec<u32>,
    /// The formatted entry as plain text.
    pub text: String,
    /// The formatted entry as HTML.
    pub html: String,
}

/// A citation with what its note says.
#[derive(Clone, Debug)]
pub struct FormattedCitation {
    pub citation: DocumentCitation,
    /// Text of the note or of the citation in the text; empty if the citation is not in the text.
    pub formatted: String,
}

/// Text of each citation in the document, and the bibliography entries with their item keys.
pub(super) type RenderedCitations = (Vec<String>, Vec<(String, String)>);

/// CSL items of the sources that a document cites.
pub(super) struct CitedCslItems {
    items: Vec<Json>,
    /// Source of each item, by item key; `None` if it was deleted.
    owners: BTreeMap<String, Option<SourceId>>,
    /// Item key of each citation, by citation number.
    keys: BTreeMap<u32, String>,
}

impl DocumentService<'_> {
    /// Returns the citations of a document in text order with their formatted text, and the numbers of markers that
    /// cite nothing.
    pub async fn formatted_citations(self, id: DocumentId) -> Result<(Vec<FormattedCitation>, Vec<u32>)> {
        let (citations, dangling) = self.citations(id).await?;
        let open = self.get(id, None).await?;
        let formatter = self.style_of(&open).await?;
        let formatted = self.load_csl_items(&citations, missing_policy(open.document.settings.missing)).await?;
        let manuscript = parse_manuscript(&open, &citations);
        let (notes, _) = render_citations(
            &formatter,
            &formatted,
            &citations,
            &manuscript,
            open.document.settings.cite_as,
            OutputFormat::Text,
        )?;
        let mut by_number: BTreeMap<u32, String> = BTreeMap::new();
        for (place, note) in manuscript.places().iter().zip(notes) {
            for number in &place.numbers {
                by_number.entry(*number).or_insert_with(|| note.clone());
            }
        }
        let cited = citations.into_iter().map(|citation| {
            let formatted = by_number.remove(&citation.number).unwrap_or_default();
            FormattedCitation { citation, formatted }
        });
        Ok((cited.collect(), dangling))
    }

    /// The bibliography of a document: only what it cites. With `insert` it is put into the text as well.
    pub async fn bibliography(
        self,
        id: DocumentId,
        style: Option<&str>,
        entries: BibliographyGrouping,
        missing_details: Option<MissingDetails>,
        insert: bool,
    ) -> Result<Bibliography> {
        let mut open = self.get(id, None).await?;
        if let Some(style) = style {
            open.document.settings.style = style.to_owned();
        }
        let settings = open.document.settings.clone();
        let citations = self.app.store.read().await?.documents(self.scope).list_citations(id).await?;
        let formatter = self.style_of(&open).await?;
        let formatted =
            self.load_csl_items(&citations, missing_policy(missing_details.unwrap_or(settings.missing))).await?;
        let manuscript = parse_manuscript(&open, &citations);
        let order: Vec<u32> = manuscript.places().iter().flat_map(|place| place.numbers.clone()).collect();
        let made = |output| -> Result<Vec<(String, String)>, Problem> {
            let (_, bibliography) =
                render_citations(&formatter, &formatted, &citations, &manuscript, settings.cite_as, output)?;
            let of = |number: &u32| {
                let key = formatted.keys.get(number)?;
                bibliography.iter().find(|(id, _)| id == key).cloned()
            };
            Ok(match entries {
                BibliographyGrouping::PerSource => bibliography,
                BibliographyGrouping::PerCitation => order.iter().filter_map(of).collect(),
            })
        };
        let (written, text, html) =
            (made(output_format(settings.format))?, made(OutputFormat::Text)?, made(OutputFormat::Html)?);
        let numbers_of = |at: usize, key: &str| match entries {
            BibliographyGrouping::PerCitation => order.get(at).copied().into_iter().collect(),
            BibliographyGrouping::PerSource => {
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
        let heading = bibliography_heading(formatter.style().id(), &settings.locale);
        let body = render_bibliography(settings.format, heading, &words, entries);
        if insert {
            self.put_bibliography(id, &body).await?;
        }
        let text = manuscript::wrap_bibliography(settings.format, &body);
        Ok(Bibliography { text, entries: listed, citation_count: order.len() })
    }

    /// Exports the references of a document, as BibTeX, RIS or CSL-JSON.
    pub async fn references(self, id: DocumentId, format: ReferenceFormat) -> Result<String> {
        let citations = self.app.store.read().await?.documents(self.scope).list_citations(id).await?;
        self.get(id, None).await?;
        let formatted = self.load_csl_items(&citations, PlaceholderMode::Style).await?;
        Ok(export(&formatted.items, format))
    }

    /// Sources, or all of them, for other programs.
    pub async fn export_references(self, sources: &[SourceId], format: ReferenceFormat) -> Result<String> {
        let mut found: Vec<Source> = Vec::new();
        let mut tx = self.app.store.read().await?;
        if sources.is_empty() {
            let mut after = None;
            loop {
                let filter = ibid_store::SourceFilter::default();
                let page = tx.sources(self.scope).list(&filter, ibid_domain::Limit::new(200)?, after.as_ref()).await?;
                found.extend(page.items);
                after = page.next;
                if after.is_none() || found.len() >= MOST_REFERENCES {
                    break;
                }
            }
        } else {
            if sources.len() > MOST_REFERENCES {
                let detail = format!("at most {MOST_REFERENCES} sources are written at once");
                return Err(Problem::new(Code::InvalidField, detail).with_field("source_ids").into());
            }
            found = tx.sources(self.scope).get_many(sources).await?;
            if let Some(gone) = sources.iter().find(|id| !found.iter().any(|source| source.id == **id)) {
                return Err(super::citing::unknown_source(*gone).into());
            }
        }
        let items: Vec<Json> = found.iter().map(|source| csl_of_source(source, PlaceholderMode::Style)).collect();
        Ok(export(&items, format))
    }

    /// A source as a reference, in each kind of writing there is: as text, for a browser, in Markdown.
    pub async fn format_source(
        self,
        id: SourceId,
        style: &str,
        locale: Option<&str>,
        form: CitationForm,
        missing_details: MissingDetails,
    ) -> Result<[String; 3]> {
        let source = self.app.sources(self.scope).get(id).await?.source;
        let formatter = self.formatter(style, locale).await?;
        let items = [document_as_report(csl_of_source(&source, missing_policy(missing_details)))];
        let written = |output| -> Result<String, Problem> {
            let mut entries = formatter.format(&items, form, output)?;
            // A style that leaves such sources out of its bibliography has a note for them.
            if entries.is_empty() {
                entries = formatter.format(&items, CitationForm::Note, output)?;
            }
            Ok(entries.pop().map(|entry| entry.text).unwrap_or_default())
        };
        Ok([written(OutputFormat::Text)?, written(OutputFormat::Html)?, written(OutputFormat::Markdown)?])
    }

    pub(super) async fn style_of(self, open: &OpenDocument) -> Result<std::sync::Arc<Formatter>> {
        self.formatter(&open.document.settings.style, Some(&open.document.settings.locale)).await
    }

    /// The items that citations cite, each once, in the order of the text.
    pub(super) async fn load_csl_items(
        self,
        citations: &[DocumentCitation],
        missing: PlaceholderMode,
    ) -> Result<CitedCslItems> {
        let ids: BTreeSet<SourceId> = citations.iter().filter_map(|citation| citation.source).collect();
        let ids: Vec<SourceId> = ids.into_iter().collect();
        let mut tx = self.app.store.read().await?;
        let mut sources: BTreeMap<SourceId, Source> = BTreeMap::new();
        for batch in ids.chunks(200) {
            sources.extend(tx.sources(self.scope).get_many(batch).await?.into_iter().map(|source| (source.id, source)));
        }
        drop(tx);
        let mut formatted = CitedCslItems { items: Vec::new(), owners: BTreeMap::new(), keys: BTreeMap::new() };
        for citation in citations.iter().filter(|citation| citation.is_attached()) {
            let item = match citation.source.and_then(|id| sources.get(&id)) {
                Some(source) => csl_of_source(source, missing),
                None => fill_missing_fields(citation.snapshot.item.clone(), missing),
            };
            let item = document_as_report(item);
            let key = item.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
            formatted.keys.insert(citation.number, key.clone());
            if formatted.owners.insert(key, citation.source).is_none() {
                formatted.items.push(item);
            }
        }
        Ok(formatted)
    }
}

/// Returns the output format that matches the markup of a document.
pub(super) const fn output_format(format: DocumentFormat) -> OutputFormat {
    match format {
        DocumentFormat::Typst => OutputFormat::Typst,
        DocumentFormat::Markdown => OutputFormat::Markdown,
    }
}

pub(super) const fn missing_policy(details: MissingDetails) -> PlaceholderMode {
    match details {
        MissingDetails::Placeholders => PlaceholderMode::Placeholders,
        MissingDetails::Csl => PlaceholderMode::Style,
    }
}

fn fill_missing_fields(item: Json, missing: PlaceholderMode) -> Json {
    let Json::Object(mut fields) = item else { return item };
    if missing == PlaceholderMode::Placeholders {
        ibid_bibliography::fill_placeholders(&mut fields, missing);
    }
    Json::Object(fields)
}

/// A file of which nothing says what it is, is cited as a report: what is only a document some styles leave out of their
/// bibliographies, as a letter in an archive.
fn document_as_report(mut item: Json) -> Json {
    if let Some(kind) = item.get_mut("type").filter(|kind| kind.as_str() == Some("document")) {
        *kind = Json::from("report");
    }
    item
}

/// Looks through the text of a document for what it cites.
pub(super) fn parse_manuscript(open: &OpenDocument, citations: &[DocumentCitation]) -> Manuscript {
    let settings = &open.document.settings;
    let marked: BTreeSet<u32> =
        manuscript::find_markers(settings.format, &open.text).iter().map(|marker| marker.number).collect();
    let known: BTreeSet<u32> = citations.iter().map(|citation| citation.number).collect();
    let unmarked: Vec<(u32, usize)> = citations
        .iter()
        .filter(|citation| !citation.was_marked && !marked.contains(&citation.number))
        .map(|citation| (citation.number, citation.position))
        .collect();
    // Without a template nobody else says the title.
    let title = (settings.template != Template::None).then_some(settings.title.as_str());
    Manuscript::read(settings.format, settings.cite_as, &open.text, &known, &unmarked, title)
}

/// Formats the citations of a document, and its bibliography entries with their keys.
pub(super) fn render_citations(
    formatter: &Formatter,
    formatted: &CitedCslItems,
    citations: &[DocumentCitation],
    manuscript: &Manuscript,
    cite_as: CiteAs,
    output: OutputFormat,
) -> Result<RenderedCitations, Problem> {
    let by_number: BTreeMap<u32, &DocumentCitation> =
        citations.iter().map(|citation| (citation.number, citation)).collect();
    let cited = |number: &u32| -> Option<CitedItem> {
        let citation = by_number.get(number)?;
        let (label, locator) = citation.locator.as_deref().map(parse_locator).unzip();
        Some(CitedItem {
            id: formatted.keys.get(number)?.clone(),
            locator,
            label: label.flatten().map(str::to_owned),
            prefix: citation.prefix.as_ref().map(|prefix| format!("{prefix} ")),
            suffix: citation.suffix.as_ref().map(|suffix| spaced_suffix(suffix)),
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
    let document = formatter.format_document(&items, &clusters, output)?;
    let mut bibliography: Vec<(String, String)> =
        document.bibliography.into_iter().map(|entry| (entry.id, entry.text)).collect();
    // A style without bibliographies has notes that say everything.
    if !formatter.style().has_bibliography() {
        let notes = formatter.format(&items, CitationForm::Note, output)?;
        bibliography = notes.into_iter().map(|entry| (entry.id, entry.text)).collect();
    }
    if cite_as == CiteAs::InText || formatter.style().kind() == StyleKind::Note {
        return Ok((document.citations, bibliography));
    }
    // A style without notes of its own has whole entries in them.
    let whole: BTreeMap<String, String> =
        formatter.format(&items, CitationForm::Note, output)?.into_iter().map(|entry| (entry.id, entry.text)).collect();
    let note = |cluster: &CslCitation| {
        let parts =
            cluster.items.iter().map(|item| with_locator(whole.get(&item.id).map_or("", String::as_str), item, output));
        parts.collect::<Vec<_>>().join("; ")
    };
    Ok((clusters.iter().map(note).collect(), bibliography))
}

/// An entry as a note: with what is said before it, where in it, and what is said after.
fn with_locator(entry: &str, item: &CitedItem, output: OutputFormat) -> String {
    let plain = |text: &str| match output {
        OutputFormat::Typst => ibid_documents::escaped(text),
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
        let stop = if output == OutputFormat::Typst { "\\." } else { "." };
        let bare = note.strip_suffix(stop).unwrap_or(&note);
        note = format!("{bare}{more}{stop}");
    }
    note
}

/// Puts a space before a suffix unless it starts with punctuation.
fn spaced_suffix(suffix: &str) -> String {
    if suffix.starts_with([',', '.', ';', ':', ')']) { suffix.to_owned() } else { format!(" {suffix}") }
}

/// Splits a locator into CSL label and value: `chap. 3` is chapter 3. The label is `None` for a bare `12`, which means
/// a page.
fn parse_locator(locator: &str) -> (Option<&'static str>, String) {
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

/// Returns the heading of the reference list for a style and a language.
pub(super) fn bibliography_heading(style: &str, locale: &str) -> &'static str {
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
pub(super) fn render_bibliography(
    format: DocumentFormat,
    heading: &str,
    entries: &[String],
    kind: BibliographyGrouping,
) -> String {
    let mut text = match format {
        DocumentFormat::Typst => format!("#pagebreak(weak: true)\n\n= {heading}\n"),
        DocumentFormat::Markdown => format!("## {heading}\n"),
    };
    for (at, entry) in entries.iter().enumerate() {
        let number = match kind {
            BibliographyGrouping::PerSource => String::new(),
            BibliographyGrouping::PerCitation => format!("{}\\. ", at + 1),
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
