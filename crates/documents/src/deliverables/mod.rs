//! An answer with its evidence, to be handed on: a report, a website, a presentation.

mod presentation;
mod report;
mod website;

use ibid_domain::{Span, citation::Verdict};
use serde::Serialize;

use crate::{
    html,
    markdown::{self, Block},
    press::Fault,
};

/// What an answer can be made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text with footnotes: Markdown, Typst, PDF and HTML.
    Report,
    /// Pages that open anywhere, with one of all sources.
    Website,
    /// Slides in one file.
    Presentation,
}

/// An answer with its evidence.
#[derive(Clone, Debug)]
pub struct Work {
    /// What it is called.
    pub title: String,
    /// What was asked, if that is not the title.
    pub question: Option<String>,
    /// The answer, in Markdown.
    pub text: String,
    /// The day it was made.
    pub made_on: String,
    /// Who wrote it.
    pub made_by: String,
    /// What its check comes to.
    pub summary: String,
    /// What it cites, by number.
    pub cited: Vec<Listed>,
    /// What was looked at besides.
    pub seen: Vec<Listed>,
    /// The words that bear it out.
    pub evidence: Vec<Evidence>,
}

/// A source as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Its number in the answer, if it is cited there.
    pub number: Option<u32>,
    /// Its id in the library, if it is there.
    pub source_id: Option<String>,
    /// What it is called.
    pub title: String,
    /// Who wrote it, when, where.
    pub about: String,
    /// Its address.
    pub url: Option<String>,
    /// The hash of its bytes.
    pub sha256: Option<String>,
    /// Whether it was in the library and is no more.
    pub is_deleted: bool,
}

/// Words of a source that stand behind a place of the answer.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Where the marker stands in the answer.
    pub marker: Span,
    /// The number of the source.
    pub number: u32,
    /// Its words.
    pub quote: Option<String>,
    /// Their first page.
    pub page: Option<u32>,
    /// What the check came to.
    pub verdict: Option<Verdict>,
}

/// A file of what was made.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name.
    pub path: &'static str,
    /// What format it is in.
    pub media_type: &'static str,
    /// What it says.
    pub bytes: Vec<u8>,
}

impl File {
    fn text(path: &'static str, media_type: &'static str, text: String) -> Self {
        Self { path, media_type, bytes: text.into_bytes() }
    }
}

/// Makes something of an answer. Takes time in proportion to the answer; that of a report is Typst's.
pub fn make(kind: Kind, work: &Work) -> Result<Vec<File>, Vec<Fault>> {
    let text = Text::of(work);
    let mut files = match kind {
        Kind::Report => report::files(work, &text)?,
        Kind::Website => website::files(work, &text),
        Kind::Presentation => vec![presentation::file(work, &text)],
    };
    let sources =
        serde_json::json!({ "cited": work.cited, "all_seen": work.cited.iter().chain(&work.seen).collect::<Vec<_>>() });
    files.push(File::text("sources.json", "application/json", format!("{sources:#}\n")));
    Ok(files)
}

/// The answer as it was read.
struct Text {
    blocks: Vec<Block>,
    /// For each place where something is cited, which of the evidence.
    marks: Vec<Vec<usize>>,
    /// Where those places are.
    spans: Vec<Span>,
}

impl Text {
    fn of(work: &Work) -> Self {
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
        Self { blocks: markdown::read(&work.text, &spans), marks, spans }
    }
}

/// The numbers of sources at a place, as small raised links; `to` gives where a number leads.
fn raised(work: &Work, mark: &[usize], to: impl Fn(u32) -> String) -> String {
    let mut numbers: Vec<u32> = mark.iter().map(|&at| work.evidence[at].number).collect();
    numbers.dedup();
    let links = numbers.iter().map(|number| format!("<a href=\"{}\">{number}</a>", to(*number)));
    format!("<sup class=\"cite\">{}</sup>", links.collect::<Vec<_>>().join(","))
}

/// A quote on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is to be said of a verdict: nothing, where all is well.
fn doubt(verdict: Option<Verdict>) -> Option<&'static str> {
    match verdict {
        Some(Verdict::Partial) => Some("supports it in part"),
        Some(Verdict::Unsupported) => Some("no support found"),
        Some(Verdict::Unverifiable) | None => Some("not checked"),
        Some(Verdict::Supported) => None,
    }
}

/// The title of a source, as a link if it has an address.
fn titled(source: &Listed) -> String {
    let title = html::text(&source.title);
    match source.url.as_deref().and_then(markdown::web_address) {
        Some(url) => format!("{}{title}</a>", html::link(&url)),
        None => format!("<cite>{title}</cite>"),
    }
}

/// What is known of a source beside its title.
fn known(source: &Listed) -> String {
    let gone = source.is_deleted.then_some("no longer in the library");
    let about = Some(source.about.as_str()).filter(|about| !about.is_empty());
    about.into_iter().chain(gone).collect::<Vec<_>>().join(" · ")
}

/// The same on a page.
fn about(source: &Listed) -> String {
    match known(source) {
        nothing if nothing.is_empty() => nothing,
        known => format!("<span class=\"about\">{}</span>", html::text(&known)),
    }
}

/// A quote with its page and what is to be said against it.
fn quoted(evidence: &Evidence) -> String {
    let quote = match &evidence.quote {
        Some(quote) => format!("<q>{}</q>", html::text(&one_line(quote))),
        None => String::new(),
    };
    let page = evidence.page.map(|page| format!("p. {page}"));
    let notes: Vec<String> = page.into_iter().chain(doubt(evidence.verdict).map(str::to_owned)).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" <small>{}</small>", notes.join(" · ")) };
    format!("{quote}{notes}")
}

/// A page of HTML that loads nothing and, but for `script`, runs nothing.
fn page(title: &str, style: &str, body: &str, script: Option<(&str, &str)>) -> String {
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
        html::text(title)
    )
}

/// What all pages look like.
const BASE: &str = include_str!("base.css");
