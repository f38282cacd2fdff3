//! A report: the answer with footnotes that quote, and a list of what it rests on.

use std::collections::HashMap;

use ibid_language::one_line;

use super::{
    DeliverableInput, ListedSource, ParsedAnswer, RenderedFile, html_page, quote_html, source_details,
    source_details_html, title_link, verdict_warning,
};
use crate::{
    html, markdown, typst_markup,
    typst_world::{TypstDiagnostic, TypstWorld},
};

/// The most of an answer that becomes pages, in bytes.
const LARGEST: usize = 1 << 20;

/// Typst layout that every report starts with.
const LAYOUT: &str = include_str!("report.typ");

/// The footnotes of a report: the same words of the same page have one.
struct ReportFootnotes {
    /// For each note, the first evidence for it.
    first: Vec<usize>,
    /// For each evidence, its note, from 0.
    of: Vec<usize>,
}

impl ReportFootnotes {
    fn collect_notes(work: &DeliverableInput, text: &ParsedAnswer) -> Self {
        let mut known = HashMap::new();
        let (mut first, mut of) = (Vec::new(), vec![0; work.evidence.len()]);
        for &at in text.marks.iter().flatten() {
            let evidence = &work.evidence[at];
            let note = *known.entry((evidence.number, evidence.page, &evidence.quote)).or_insert_with(|| {
                first.push(at);
                first.len() - 1
            });
            of[at] = note;
        }
        Self { first, of }
    }

    /// The notes at a place, from 1, each once.
    fn numbers_at(&self, mark: &[usize]) -> Vec<usize> {
        let mut numbers: Vec<usize> = mark.iter().map(|&at| self.of[at] + 1).collect();
        numbers.dedup();
        numbers
    }
}

pub(super) fn render_report(
    work: &DeliverableInput,
    text: &ParsedAnswer,
) -> Result<Vec<RenderedFile>, Vec<TypstDiagnostic>> {
    if work.text.len() > LARGEST {
        let message = format!("the answer has {} bytes; a report takes at most {LARGEST}", work.text.len());
        return Err(vec![TypstDiagnostic { message, ..TypstDiagnostic::default() }]);
    }
    let notes = ReportFootnotes::collect_notes(work, text);
    let typst = render_typst(work, text, &notes);
    let pdf = TypstWorld::new(typst.clone()).render_pdf()?;
    Ok(vec![
        RenderedFile { path: "report.pdf", media_type: "application/pdf", bytes: pdf },
        RenderedFile::from_text("report.html", "text/html", render_html(work, text, &notes)),
        RenderedFile::from_text("report.md", "text/markdown", render_markdown(work, text, &notes)),
        RenderedFile::from_text("report.typ", "text/x-typst", typst),
    ])
}

fn source_of(work: &DeliverableInput, number: u32) -> Option<&ListedSource> {
    work.cited.iter().find(|source| source.number == Some(number))
}

/// Returns the words of a footnote: source, page, quote and warning.
fn footnote_text(
    work: &DeliverableInput,
    at: usize,
    title: impl Fn(&str) -> String,
    words: impl Fn(&str) -> String,
) -> String {
    let evidence = &work.evidence[at];
    let mut said =
        title(&source_of(work, evidence.number).map_or("Untitled".to_owned(), |source| one_line(&source.title)));
    if let Some(page) = evidence.page {
        said += &format!(", p. {page}");
    }
    if let Some(quote) = &evidence.quote {
        said += &words(&format!(": “{}”", one_line(quote)));
    }
    if let Some(doubt) = verdict_warning(evidence.verdict) {
        said += &format!(" ({doubt})");
    }
    if said.ends_with([')', '*', ';'])
        || !said.ends_with(['.', '!', '?', '”', '…'])
        || verdict_warning(evidence.verdict).is_some()
    {
        said.push('.');
    }
    said
}

fn render_typst(work: &DeliverableInput, text: &ParsedAnswer, notes: &ReportFootnotes) -> String {
    let mut set = vec![false; notes.first.len()];
    let mut mark = |place: usize| {
        let mut written = Vec::new();
        for number in notes.numbers_at(&text.marks[place]) {
            if std::mem::replace(&mut set[number - 1], true) {
                written.push(format!("#footnote(<note-{number}>);"));
            } else {
                let title = |title: &str| format!("#emph[{}];", typst_markup::escape_typst(title));
                let words = |words: &str| typst_markup::escape_typst(words);
                let said = footnote_text(work, notes.first[number - 1], title, words);
                written.push(format!("#footnote[{said}]<note-{number}>"));
            }
        }
        written.join("#super[,];")
    };
    let body = typst_markup::write(&text.blocks, &mut mark);
    let mut written = String::from(LAYOUT);
    written += &format!(
        "#set document(title: {})\n\n#report-head({}, {}, {})\n\n{body}",
        typst_markup::string_literal(&work.title),
        typst_markup::string_literal(&work.title),
        typst_markup::string_literal(work.question.as_deref().unwrap_or_default()),
        typst_markup::string_literal(&byline_text(work)),
    );
    let mut list = |heading: &str, sources: &[ListedSource]| {
        if sources.is_empty() {
            return;
        }
        written += &format!("#report-sources({}, (\n", typst_markup::string_literal(heading));
        for source in sources {
            let address = source.url.as_deref().and_then(markdown::web_address).unwrap_or_default();
            written += &format!(
                "  ({}, {}, {}),\n",
                typst_markup::string_literal(&one_line(&source.title)),
                typst_markup::string_literal(&source_details(source)),
                typst_markup::string_literal(&address)
            );
        }
        written += "))\n\n";
    };
    list("Sources", &work.cited);
    list("Also looked at", &work.seen);
    written
}

/// Returns date, author and check result in one line.
pub(super) fn byline_text(work: &DeliverableInput) -> String {
    let parts = [work.made_on.as_str(), work.made_by.as_str(), work.summary.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn render_markdown(work: &DeliverableInput, text: &ParsedAnswer, notes: &ReportFootnotes) -> String {
    let mut written = format!("# {}\n\n", escape_markdown(&work.title));
    if let Some(question) = &work.question {
        written += &format!("*{}*\n\n", escape_markdown(question));
    }
    written += &format!("{}\n\n", escape_markdown(&byline_text(work)));
    let (mut place, mut skip) = (0, 0);
    for (at, char) in work.text.chars().enumerate() {
        if let Some(span) = text.spans.get(place).filter(|span| span.start == at) {
            written.truncate(written.trim_end_matches(' ').len());
            for number in notes.numbers_at(&text.marks[place]) {
                written += &format!("[^{number}]");
            }
            (place, skip) = (place + 1, span.end);
        }
        if at >= skip {
            written.push(char);
        }
    }
    written.truncate(written.trim_end().len());
    written += "\n\n";
    for (number, &at) in notes.first.iter().enumerate() {
        let said = footnote_text(work, at, |title| format!("*{}*", escape_markdown(title)), escape_markdown);
        written += &format!("[^{}]: {said}\n", number + 1);
    }
    let mut list = |heading: &str, sources: &[ListedSource]| {
        if sources.is_empty() {
            return;
        }
        written += &format!("\n## {heading}\n\n");
        for source in sources {
            let address = source.url.as_deref().and_then(markdown::web_address);
            let parts = [escape_markdown(&one_line(&source.title)), escape_markdown(&source_details(source))];
            let parts = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
            let address = address.map(|url| format!(" <{}>", url.replace(['<', '>', ' '], ""))).unwrap_or_default();
            written += &format!("- {parts}{address}\n");
        }
    };
    list("Sources", &work.cited);
    list("Also looked at", &work.seen);
    written
}

/// Words of which none is Markdown.
fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in one_line(text).chars() {
        if matches!(char, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '#' | '|') {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

fn render_html(work: &DeliverableInput, text: &ParsedAnswer, notes: &ReportFootnotes) -> String {
    let mut mark = |place: usize| {
        let links = notes
            .numbers_at(&text.marks[place])
            .into_iter()
            .map(|number| format!("<a href=\"#note-{number}\">{number}</a>"));
        format!("<sup class=\"cite\">{}</sup>", links.collect::<Vec<_>>().join(","))
    };
    let answer = html::write(&text.blocks, 1, &mut mark);
    let mut body = format!("<main>\n{}<article>\n{answer}</article>\n", html_header(work));
    if !notes.first.is_empty() {
        body += "<h2>Notes</h2>\n<ol class=\"notes\">\n";
        for (number, &at) in notes.first.iter().enumerate() {
            let evidence = &work.evidence[at];
            let title = source_of(work, evidence.number).map(title_link).unwrap_or_default();
            body += &format!("<li id=\"note-{}\">{title} {}</li>\n", number + 1, quote_html(evidence));
        }
        body += "</ol>\n";
    }
    body += &html_source_lists(work);
    body += "</main>\n";
    html_page(&work.title, "", &body, None)
}

/// The title, the question, and who made it.
pub(super) fn html_header(work: &DeliverableInput) -> String {
    let question =
        work.question.as_deref().map(|question| format!("<p><em>{}</em></p>\n", html::escape_text(question)));
    format!(
        "<h1>{}</h1>\n{}<p class=\"meta\">{}</p>\n",
        html::escape_text(&work.title),
        question.unwrap_or_default(),
        html::escape_text(&byline_text(work))
    )
}

/// Renders the cited sources and the sources that were only read.
fn html_source_lists(work: &DeliverableInput) -> String {
    let mut body = String::new();
    for (heading, sources) in [("Sources", &work.cited), ("Also looked at", &work.seen)] {
        if !sources.is_empty() {
            body += &format!("<h2>{heading}</h2>\n<ul class=\"sources\">\n");
            for source in sources {
                body += &format!("<li>{} {}</li>\n", title_link(source), source_details_html(source));
            }
            body += "</ul>\n";
        }
    }
    body
}
