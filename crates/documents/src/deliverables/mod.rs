//! An answer with its evidence, to be handed on: a report, a website, a presentation.

mod presentation;
mod report;
mod website;

use ibid_domain::{Span, citation::Verdict};
use ibid_language::one_line;
use serde::Serialize;

use crate::{
    html,
    markdown::{self, MarkdownBlock},
    typst_world::TypstDiagnostic,
};

/// Kinds of deliverable that an answer can be rendered as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliverableFormat {
    /// A text with footnotes: Markdown, Typst, PDF and HTML.
    Report,
    /// Pages that open anywhere, with one of all sources.
    Website,
    /// Slides in a single HTML file.
    Presentation,
}

/// An answer with its evidence.
#[derive(Clone, Debug)]
pub struct DeliverableInput {
    /// Title of the deliverable, as plain text.
    pub title: String,
    /// Question of the user; `None` if the title already states it.
    pub question: Option<String>,
    /// Text of the answer, in Markdown.
    pub text: String,
    /// Date of creation, already formatted for readers.
    pub made_on: String,
    /// Name of the author or model, already formatted for readers.
    pub made_by: String,
    /// One-line result of the citation check.
    pub summary: String,
    /// Sources that the answer cites, ordered by number.
    pub cited: Vec<ListedSource>,
    /// Sources that were read but are not cited.
    pub seen: Vec<ListedSource>,
    /// The words that bear it out.
    pub evidence: Vec<QuotedEvidence>,
}

/// Source as an entry of the list of sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedSource {
    /// Its number in the answer, if it is cited there.
    pub number: Option<u32>,
    /// Its id in the library, if it is there.
    pub source_id: Option<String>,
    pub title: String,
    /// Authors, date and publisher of the source, in one line.
    pub about: String,
    /// Address on the web, if the source has one.
    pub url: Option<String>,
    /// SHA-256 of the bytes of the source, in hexadecimal.
    pub sha256: Option<String>,
    /// True if the source was deleted from the library.
    pub is_deleted: bool,
}

/// Words of a source that stand behind a place of the answer.
#[derive(Clone, Debug)]
pub struct QuotedEvidence {
    /// Span of the citation marker in the answer.
    pub marker: Span,
    /// Number of the cited source, as in [`ListedSource`].
    pub number: u32,
    /// Quoted words of the source.
    pub quote: Option<String>,
    /// First page of the quote, from 1.
    pub page: Option<u32>,
    /// Result of checking the quote against the claim.
    pub verdict: Option<Verdict>,
}

/// File of a rendered deliverable.
#[derive(Clone, Debug)]
pub struct RenderedFile {
    /// Path of the file within the deliverable.
    pub path: &'static str,
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

impl RenderedFile {
    fn from_text(path: &'static str, media_type: &'static str, text: String) -> Self {
        Self { path, media_type, bytes: text.into_bytes() }
    }
}

/// Makes something of an answer. Takes time in proportion to the answer; that of a report is Typst's.
pub fn render_deliverable(
    kind: DeliverableFormat,
    work: &DeliverableInput,
) -> Result<Vec<RenderedFile>, Vec<TypstDiagnostic>> {
    let text = ParsedAnswer::from_input(work);
    let mut files = match kind {
        DeliverableFormat::Report => report::render_report(work, &text)?,
        DeliverableFormat::Website => website::render_website(work, &text),
        DeliverableFormat::Presentation => vec![presentation::render_presentation(work, &text)],
    };
    let sources =
        serde_json::json!({ "cited": work.cited, "all_seen": work.cited.iter().chain(&work.seen).collect::<Vec<_>>() });
    files.push(RenderedFile::from_text("sources.json", "application/json", format!("{sources:#}\n")));
    Ok(files)
}

/// Answer after parsing its Markdown and grouping its evidence.
struct ParsedAnswer {
    blocks: Vec<MarkdownBlock>,
    /// For each place where something is cited, which of the evidence.
    marks: Vec<Vec<usize>>,
    /// Spans of those places in the answer.
    spans: Vec<Span>,
}

impl ParsedAnswer {
    fn from_input(work: &DeliverableInput) -> Self {
        let mut order: Vec<usize> = (0..work.evidence.len()).collect();
        order.sort_by_key(|&at| (work.evidence[at].marker.start, at));
        let (mut spans, mut marks): (Vec<Span>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for at in order {
            let marker = work.evidence[at].marker;
            match spans.last() {
                Some(last) if *last == marker => {
                    if let Some(mark) = marks.last_mut() {
                        mark.push(at);
                    }
                }
                // Markers do not overlap; whatever says so is passed over.
                Some(last) if marker.start < last.end => {}
                _ => {
                    spans.push(marker);
                    marks.push(vec![at]);
                }
            }
        }
        Self { blocks: markdown::parse(&work.text, &spans), marks, spans }
    }
}

/// The numbers of sources at a place, as small raised links; `to` gives where a number leads.
fn citation_superscript(work: &DeliverableInput, mark: &[usize], to: impl Fn(u32) -> String) -> String {
    let mut numbers: Vec<u32> = mark.iter().map(|&at| work.evidence[at].number).collect();
    numbers.dedup();
    let links = numbers.iter().map(|number| format!("<a href=\"{}\">{number}</a>", to(*number)));
    format!("<sup class=\"cite\">{}</sup>", links.collect::<Vec<_>>().join(","))
}

/// Returns the warning for a verdict, or `None` if the claim is supported.
fn verdict_warning(verdict: Option<Verdict>) -> Option<&'static str> {
    match verdict {
        Some(Verdict::Partial) => Some("supports it in part"),
        Some(Verdict::Contradicted) => Some("says otherwise"),
        Some(Verdict::Unsupported) => Some("no support found"),
        Some(Verdict::Unverifiable) | None => Some("not checked"),
        Some(Verdict::Supported) => None,
    }
}

/// The title of a source, as a link if it has an address.
fn title_link(source: &ListedSource) -> String {
    let title = html::escape_text(&source.title);
    match source.url.as_deref().and_then(markdown::web_address) {
        Some(url) => format!("{}{title}</a>", html::open_link(&url)),
        None => format!("<cite>{title}</cite>"),
    }
}

/// Returns the description of a source without its title, and notes if it was deleted.
fn source_details(source: &ListedSource) -> String {
    let gone = source.is_deleted.then_some("no longer in the library");
    let about = Some(source.about.as_str()).filter(|about| !about.is_empty());
    about.into_iter().chain(gone).collect::<Vec<_>>().join(" · ")
}

/// Returns the same description as HTML.
fn source_details_html(source: &ListedSource) -> String {
    match source_details(source) {
        nothing if nothing.is_empty() => nothing,
        known => format!("<span class=\"about\">{}</span>", html::escape_text(&known)),
    }
}

/// A quote with its page and what is to be said against it.
fn quote_html(evidence: &QuotedEvidence) -> String {
    let quote = match &evidence.quote {
        Some(quote) => format!("<q>{}</q>", html::escape_text(&one_line(quote))),
        None => String::new(),
    };
    let page = evidence.page.map(|page| format!("p. {page}"));
    let notes: Vec<String> = page.into_iter().chain(verdict_warning(evidence.verdict).map(str::to_owned)).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" <small>{}</small>", notes.join(" · ")) };
    format!("{quote}{notes}")
}

/// A page of HTML that loads nothing and, but for `script`, runs nothing.
fn html_page(title: &str, style: &str, body: &str, script: Option<(&str, &str)>) -> String {
    let (policy, script) = match script {
        Some((hash, code)) => (format!("; script-src '{hash}'"), format!("<script>{code}</script>\n")),
        None => (String::new(), String::new()),
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{policy}\">\n\
         <meta name=\"generator\" content=\"Ibid\">\n<title>{}</title>\n<style>\n{BASE}{style}</style>\n</head>\n\
         <body>\n{body}{script}</body>\n</html>\n",
        html::escape_text(title)
    )
}

/// Style sheet shared by all pages.
const BASE: &str = include_str!("base.css");
