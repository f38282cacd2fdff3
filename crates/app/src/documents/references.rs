//! Citations and bibliographies in the style of a document.

use std::collections::{BTreeMap, BTreeSet};

use ibid_bibliography::{
    Citation as CslCitation, CitedItem, Form, Formatter, Missing, Output, ReferenceFormat, StyleKind, csl_of_source,
    export,
};
use ibid_documents::manuscript::{self, Manuscript};
use ibid_domain::{
    CiteAs, Code, DocumentCitation, DocumentFormat, DocumentId, MissingDetails, Problem, Source, SourceId, Template,
};
use serde_json::Value as Json;

use super::OpenDocument;
use crate::{App, Result, Scope};

/// The most references that are written at once.
const MOST_REFERENCES: usize = 10_000;

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

/// What stands at each place, and the entries of a bibliography with their keys.
pub(super) type Set = (Vec<String>, Vec<(String, String)>);

/// What is cited, in one style.
pub(super) struct Formatted {
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
        let made = |output| -> Result<Vec<(String, String)>, Problem> {
            let (_, bibliography) = set(&formatter, &formatted, &citations, &manuscript, look.cite_as, output)?;
            let of = |number: &u32| {
                let key = formatted.keys.get(number)?;
                bibliography.iter().find(|(id, _)| id == key).cloned()
            };
            Ok(match entries {
                Entries::PerSource => bibliography,
                Entries::PerCitation => order.iter().filter_map(of).collect(),
            })
        };
        let (written, text, html) = (made(output(look.format))?, made(Output::Text)?, made(Output::Html)?);
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
        let items = [citable(csl_of_source(&source, missing(missing_details)))];
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

    pub(super) async fn style_of(&self, scope: &Scope, open: &OpenDocument) -> Result<std::sync::Arc<Formatter>> {
        self.formatter(scope, &open.document.look.style, Some(&open.document.look.locale)).await
    }

    /// The items that citations cite, each once, in the order of the text.
    pub(super) async fn items(
        &self,
        scope: &Scope,
        citations: &[DocumentCitation],
        missing: Missing,
    ) -> Result<Formatted> {
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
            let item = citable(item);
            let key = item.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
            formatted.keys.insert(citation.number, key.clone());
            if formatted.owners.insert(key, citation.source).is_none() {
                formatted.items.push(item);
            }
        }
        Ok(formatted)
    }
}

/// What is written into a text of this format.
pub(super) const fn output(format: DocumentFormat) -> Output {
    match format {
        DocumentFormat::Typst => Output::Typst,
        DocumentFormat::Markdown => Output::Markdown,
    }
}

pub(super) const fn missing(details: MissingDetails) -> Missing {
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

/// A file of which nothing says what it is, is cited as a report: what is only a document some styles leave out of their
/// bibliographies, as a letter in an archive.
fn citable(mut item: Json) -> Json {
    if let Some(kind) = item.get_mut("type").filter(|kind| kind.as_str() == Some("document")) {
        *kind = Json::from("report");
    }
    item
}

/// Looks through the text of a document for what it cites.
pub(super) fn read(open: &OpenDocument, citations: &[DocumentCitation]) -> Manuscript {
    let look = &open.document.look;
    let marked: BTreeSet<u32> =
        manuscript::markers(look.format, &open.text).iter().map(|marker| marker.number).collect();
    let known: BTreeSet<u32> = citations.iter().map(|citation| citation.number).collect();
    let unmarked: Vec<(u32, usize)> = citations
        .iter()
        .filter(|citation| !citation.was_marked && !marked.contains(&citation.number))
        .map(|citation| (citation.number, citation.position))
        .collect();
    // Without a template nobody else says the title.
    let title = (look.template != Template::None).then_some(look.title.as_str());
    Manuscript::read(look.format, look.cite_as, &open.text, &known, &unmarked, title)
}

/// What stands at each place of a text, and the entries of its bibliography with their keys.
pub(super) fn set(
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
    // A style without bibliographies has notes that say everything.
    if !formatter.style().has_bibliography() {
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
pub(super) fn heading(style: &str, locale: &str) -> &'static str {
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
pub(super) fn section(format: DocumentFormat, heading: &str, entries: &[String], kind: Entries) -> String {
    let mut text = match format {
        DocumentFormat::Typst => format!("#pagebreak(weak: true)\n\n= {heading}\n"),
        DocumentFormat::Markdown => format!("## {heading}\n"),
    };
    for (at, entry) in entries.iter().enumerate() {
        let number = match kind {
            Entries::PerSource => String::new(),
            Entries::PerCitation => format!("{}\\. ", at + 1),
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
