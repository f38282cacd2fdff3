//! A report: the answer with footnotes that quote, and a list of what it rests on.

use std::collections::HashMap;

use super::{File, Listed, Text, Work, about, doubt, known, one_line, page, quoted, titled};
use crate::{
    html, markdown, markup,
    press::{Fault, Sheet},
};

/// The most of an answer that becomes pages, in bytes.
const LARGEST: usize = 1 << 20;

/// How a report is set.
const LAYOUT: &str = include_str!("report.typ");

/// The footnotes of a report: the same words of the same page have one.
struct Notes {
    /// For each note, the first evidence for it.
    first: Vec<usize>,
    /// For each evidence, its note, from 0.
    of: Vec<usize>,
}

impl Notes {
    fn of(work: &Work, text: &Text) -> Self {
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
    fn at(&self, mark: &[usize]) -> Vec<usize> {
        let mut numbers: Vec<usize> = mark.iter().map(|&at| self.of[at] + 1).collect();
        numbers.dedup();
        numbers
    }
}

pub(super) fn files(work: &Work, text: &Text) -> Result<Vec<File>, Vec<Fault>> {
    if work.text.len() > LARGEST {
        let message = format!("the answer has {} bytes; a report takes at most {LARGEST}", work.text.len());
        return Err(vec![Fault { message, ..Fault::default() }]);
    }
    let notes = Notes::of(work, text);
    let typst = typst(work, text, &notes);
    let pdf = Sheet::new(typst.clone()).pdf()?;
    Ok(vec![
        File { path: "report.pdf", media_type: "application/pdf", bytes: pdf },
        File::text("report.html", "text/html", html(work, text, &notes)),
        File::text("report.md", "text/markdown", markdown(work, text, &notes)),
        File::text("report.typ", "text/x-typst", typst),
    ])
}

fn source_of(work: &Work, number: u32) -> Option<&Listed> {
    work.cited.iter().find(|source| source.number == Some(number))
}

/// What a note says, in plain words: the source, the page, the quote.
fn note(work: &Work, at: usize, title: impl Fn(&str) -> String, words: impl Fn(&str) -> String) -> String {
    let evidence = &work.evidence[at];
    let mut said =
        title(&source_of(work, evidence.number).map_or("Untitled".to_owned(), |source| one_line(&source.title)));
    if let Some(page) = evidence.page {
        said += &format!(", p. {page}");
    }
    if let Some(quote) = &evidence.quote {
        said += &words(&format!(": “{}”", one_line(quote)));
    }
    if let Some(doubt) = doubt(evidence.verdict) {
        said += &format!(" ({doubt})");
    }
    if said.ends_with([')', '*', ';'])
        || !said.ends_with(['.', '!', '?', '”', '…'])
        || doubt(evidence.verdict).is_some()
    {
        said.push('.');
    }
    said
}

fn typst(work: &Work, text: &Text, notes: &Notes) -> String {
    let mut set = vec![false; notes.first.len()];
    let mut mark = |place: usize| {
        let mut written = Vec::new();
        for number in notes.at(&text.marks[place]) {
            if std::mem::replace(&mut set[number - 1], true) {
                written.push(format!("#footnote(<note-{number}>);"));
            } else {
                let title = |title: &str| format!("#emph[{}];", markup::words(title));
                let words = |words: &str| markup::words(words);
                let said = note(work, notes.first[number - 1], title, words);
                written.push(format!("#footnote[{said}]<note-{number}>"));
            }
        }
        written.join("#super[,];")
    };
    let body = markup::write(&text.blocks, &mut mark);
    let mut written = String::from(LAYOUT);
    written += &format!(
        "#set document(title: {})\n\n#report-head({}, {}, {})\n\n{body}",
        markup::string(&work.title),
        markup::string(&work.title),
        markup::string(work.question.as_deref().unwrap_or_default()),
        markup::string(&meta(work)),
    );
    let mut list = |heading: &str, sources: &[Listed]| {
        if sources.is_empty() {
            return;
        }
        written += &format!("#report-sources({}, (\n", markup::string(heading));
        for source in sources {
            let address = source.url.as_deref().and_then(markdown::web_address).unwrap_or_default();
            written += &format!(
                "  ({}, {}, {}),\n",
                markup::string(&one_line(&source.title)),
                markup::string(&known(source)),
                markup::string(&address)
            );
        }
        written += "))\n\n";
    };
    list("Sources", &work.cited);
    list("Also looked at", &work.seen);
    written
}

/// Who made it, when, and what its check came to.
pub(super) fn meta(work: &Work) -> String {
    let parts = [work.made_on.as_str(), work.made_by.as_str(), work.summary.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn markdown(work: &Work, text: &Text, notes: &Notes) -> String {
    let mut written = format!("# {}\n\n", plain(&work.title));
    if let Some(question) = &work.question {
        written += &format!("*{}*\n\n", plain(question));
    }
    written += &format!("{}\n\n", plain(&meta(work)));
    let (mut place, mut skip) = (0, 0);
    for (at, char) in work.text.chars().enumerate() {
        if let Some(span) = text.spans.get(place).filter(|span| span.start == at) {
            written.truncate(written.trim_end_matches(' ').len());
            for number in notes.at(&text.marks[place]) {
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
        let said = note(work, at, |title| format!("*{}*", plain(title)), plain);
        written += &format!("[^{}]: {said}\n", number + 1);
    }
    let mut list = |heading: &str, sources: &[Listed]| {
        if sources.is_empty() {
            return;
        }
        written += &format!("\n## {heading}\n\n");
        for source in sources {
            let address = source.url.as_deref().and_then(markdown::web_address);
            let parts = [plain(&one_line(&source.title)), plain(&known(source))];
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
fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in one_line(text).chars() {
        if matches!(char, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '#' | '|') {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

fn html(work: &Work, text: &Text, notes: &Notes) -> String {
    let mut mark = |place: usize| {
        let links =
            notes.at(&text.marks[place]).into_iter().map(|number| format!("<a href=\"#note-{number}\">{number}</a>"));
        format!("<sup class=\"cite\">{}</sup>", links.collect::<Vec<_>>().join(","))
    };
    let answer = html::write(&text.blocks, 1, &mut mark);
    let mut body = format!("<main>\n{}<article>\n{answer}</article>\n", head(work));
    if !notes.first.is_empty() {
        body += "<h2>Notes</h2>\n<ol class=\"notes\">\n";
        for (number, &at) in notes.first.iter().enumerate() {
            let evidence = &work.evidence[at];
            let title = source_of(work, evidence.number).map(titled).unwrap_or_default();
            body += &format!("<li id=\"note-{}\">{title} {}</li>\n", number + 1, quoted(evidence));
        }
        body += "</ol>\n";
    }
    body += &lists(work);
    body += "</main>\n";
    page(&work.title, "", &body, None)
}

/// The title, the question, and who made it.
pub(super) fn head(work: &Work) -> String {
    let question = work.question.as_deref().map(|question| format!("<p><em>{}</em></p>\n", html::text(question)));
    format!(
        "<h1>{}</h1>\n{}<p class=\"meta\">{}</p>\n",
        html::text(&work.title),
        question.unwrap_or_default(),
        html::text(&meta(work))
    )
}

/// What is cited, and what was looked at besides.
fn lists(work: &Work) -> String {
    let mut body = String::new();
    for (heading, sources) in [("Sources", &work.cited), ("Also looked at", &work.seen)] {
        if !sources.is_empty() {
            body += &format!("<h2>{heading}</h2>\n<ul class=\"sources\">\n");
            for source in sources {
                body += &format!("<li>{} {}</li>\n", titled(source), about(source));
            }
            body += "</ul>\n";
        }
    }
    body
}
