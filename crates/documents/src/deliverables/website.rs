//! A website: the answer on one page, its sources with every quoted word on another. No scripts.

use super::{
    DeliverableInput, ParsedAnswer, RenderedFile, citation_superscript, html_page, quote_html, report,
    source_details_html, title_link,
};
use crate::html;

const STYLE: &str = "nav { display: flex; gap: 1.2rem; font-size: .85rem; padding: 1rem 1.25rem 0; max-width: 42rem; margin: 0 auto; }\n\
nav [aria-current] { color: inherit; text-decoration: none; font-weight: 600; }\n\
.cite { position: relative; }\n\
.card { display: none; position: absolute; z-index: 1; left: -4rem; top: 1.2rem; width: min(22rem, 80vw); padding: .8rem 1rem; \
line-height: 1.45; font-size: .82rem; text-align: left; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; }\n\
.cite:hover .card, .cite:focus-within .card { display: block; }\n\
.card > span { display: block; margin: 0 0 .5rem; } .card > span:last-child { margin: 0; }\n\
.source { border-top: 1px solid var(--line); padding: 1.2rem 0; } .source h2 { font-size: 1.05rem; margin: 0 0 .2rem; }\n\
.source ul { margin: .6rem 0 0; padding-left: 1.1rem; } .source li { margin: 0 0 .5rem; } .hash { overflow-wrap: anywhere; }\n\
@media (max-width: 84rem) { .card { position: fixed; left: 1rem; right: 1rem; top: auto; bottom: 1rem; width: auto; max-width: 40rem; margin: 0 auto; } }\n";

pub(super) fn render_website(work: &DeliverableInput, text: &ParsedAnswer) -> Vec<RenderedFile> {
    vec![
        RenderedFile::from_text("index.html", "text/html", index(work, text)),
        RenderedFile::from_text("sources.html", "text/html", sources_page(work)),
    ]
}

fn navigation_bar(here: usize) -> String {
    let link = |(at, (path, name)): (usize, &(&str, &str))| {
        let current = if at == here { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"{path}\"{current}>{name}</a>")
    };
    let links = [("index.html", "Answer"), ("sources.html", "Sources")];
    format!("<nav>{}</nav>\n", links.iter().enumerate().map(link).collect::<String>())
}

fn index(work: &DeliverableInput, text: &ParsedAnswer) -> String {
    let mut mark = |place: usize| {
        let mark = &text.marks[place];
        let numbers = citation_superscript(work, mark, |number| format!("sources.html#source-{number}"));
        let lines = mark.iter().map(|&at| {
            let evidence = &work.evidence[at];
            let title = work.cited.iter().find(|source| source.number == Some(evidence.number));
            let title = title.map(|source| html::escape_text(&source.title).into_owned()).unwrap_or_default();
            format!("<span><strong>{} {title}</strong> {}</span>", evidence.number, quote_html(evidence))
        });
        let card = format!("<span class=\"card\" role=\"note\">{}</span>", lines.collect::<String>());
        numbers.replace("</sup>", &format!("{card}</sup>"))
    };
    let answer = html::write(&text.blocks, 1, &mut mark);
    let body =
        format!("{}<main>\n{}<article>\n{answer}</article>\n</main>\n", navigation_bar(0), report::html_header(work));
    html_page(&work.title, STYLE, &body, None)
}

fn sources_page(work: &DeliverableInput) -> String {
    let mut body = format!(
        "{}<main>\n<h1>Sources</h1>\n<p class=\"meta\">of “{}”</p>\n",
        navigation_bar(1),
        html::escape_text(&work.title)
    );
    for source in &work.cited {
        let number = source.number.unwrap_or_default();
        body += &format!(
            "<section class=\"source\" id=\"source-{number}\">\n<h2>{number}. {}</h2>\n<p>{}</p>\n<ul>\n",
            title_link(source),
            source_details_html(source)
        );
        let mut said = Vec::new();
        for evidence in work.evidence.iter().filter(|evidence| Some(evidence.number) == source.number) {
            let line = quote_html(evidence);
            if !said.contains(&line) {
                body += &format!("<li>{line}</li>\n");
                said.push(line);
            }
        }
        body += "</ul>\n";
        if let Some(sha256) = &source.sha256 {
            body += &format!("<p class=\"about hash\">SHA-256 {}</p>\n", html::escape_text(sha256));
        }
        body += "</section>\n";
    }
    if !work.seen.is_empty() {
        body += "<h2>Also looked at</h2>\n<ul>\n";
        for source in &work.seen {
            body += &format!("<li>{} {}</li>\n", title_link(source), source_details_html(source));
        }
        body += "</ul>\n";
    }
    body += "</main>\n";
    html_page(&format!("Sources of {}", work.title), STYLE, &body, None)
}
