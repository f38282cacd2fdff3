//! A presentation: slides in one file that loads nothing. Without its script it can be scrolled.

use super::{
    DeliverableInput, ParsedAnswer, RenderedFile, citation_superscript, html_page, quote_html, report::byline_text,
    source_details_html, title_link,
};
use crate::{
    html,
    markdown::{MarkdownBlock, MarkdownInline, plain_text},
};

/// Maximum number of characters on a slide.
const FULL: usize = 480;
/// Maximum number of sources on one slide.
const SOURCES: usize = 6;

const STYLE: &str = include_str!("presentation.css");
/// Turns pages by key and swipe.
const SCRIPT: &str = include_str!("presentation.js");
/// The only script that may run: the hash of the one above.
pub(super) const SCRIPT_HASH: &str = "sha256-AuV7mO4Z2mp73DTialtW77L72Nh0vRwaJa44SVivfXQ=";

pub(super) fn render_presentation(work: &DeliverableInput, text: &ParsedAnswer) -> RenderedFile {
    let mut slides = vec![title_slide(work)];
    for slide in split_into_slides(&text.blocks) {
        slides.push(content_slide(work, text, &slide));
    }
    slides.extend(work.cited.chunks(SOURCES).map(|sources| {
        let items = sources.iter().map(|source| {
            let number = source.number.unwrap_or_default();
            format!(
                "<li id=\"source-{number}\" value=\"{number}\">{} {}</li>\n",
                title_link(source),
                source_details_html(source)
            )
        });
        format!("<h2>Sources</h2>\n<ol>\n{}</ol>\n", items.collect::<String>())
    }));
    let many = slides.len();
    let body: String = slides
        .iter()
        .enumerate()
        .map(|(at, slide)| {
            let number = at + 1;
            format!(
                "<section id=\"slide-{number}\" aria-label=\"Slide {number} of {many}\">\n<div>\n{slide}</div>\n\
                 <p class=\"page\">{number} / {many}</p>\n</section>\n"
            )
        })
        .collect();
    let body = format!("<main>\n{body}</main>\n");
    RenderedFile::from_text(
        "presentation.html",
        "text/html",
        html_page(&work.title, STYLE, &body, Some((SCRIPT_HASH, SCRIPT))),
    )
}

fn title_slide(work: &DeliverableInput) -> String {
    let question =
        work.question.as_deref().map(|question| format!("<p><em>{}</em></p>\n", html::escape_text(question)));
    format!(
        "<h1>{}</h1>\n{}<p class=\"meta\">{}</p>\n",
        html::escape_text(&work.title),
        question.unwrap_or_default(),
        html::escape_text(&byline_text(work))
    )
}

fn content_slide(work: &DeliverableInput, text: &ParsedAnswer, blocks: &[MarkdownBlock]) -> String {
    let mut used: Vec<usize> = Vec::new();
    let mut mark = |place: usize| {
        used.extend(&text.marks[place]);
        citation_superscript(work, &text.marks[place], |number| format!("#source-{number}"))
    };
    let mut slide = html::write(blocks, 1, &mut mark);
    let mut lines: Vec<String> = Vec::new();
    for at in used {
        let evidence = &work.evidence[at];
        let title = work.cited.iter().find(|source| source.number == Some(evidence.number));
        let title = title.map(|source| html::escape_text(&source.title).into_owned()).unwrap_or_default();
        let line = format!("<li value=\"{}\"><cite>{title}</cite> {}</li>\n", evidence.number, quote_html(evidence));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if !lines.is_empty() {
        slide += &format!("<ol class=\"evidence\">\n{}</ol>\n", lines.concat());
    }
    slide
}

/// The blocks of each slide: one begins with each heading, and whenever one is full. The heading is said again.
fn split_into_slides(blocks: &[MarkdownBlock]) -> Vec<Vec<MarkdownBlock>> {
    let mut slides: Vec<Vec<MarkdownBlock>> = Vec::new();
    let mut heading: Option<MarkdownBlock> = None;
    let mut slide: Vec<MarkdownBlock> = Vec::new();
    let mut held = 0;
    let is_begun = |slide: &[MarkdownBlock]| slide.iter().any(|block| !matches!(block, MarkdownBlock::Heading(..)));
    for block in blocks.iter().flat_map(split_block) {
        if let MarkdownBlock::Heading(..) = block {
            if is_begun(&slide) {
                slides.push(std::mem::take(&mut slide));
            }
            (slide, held, heading) = (vec![block.clone()], 0, Some(block));
            continue;
        }
        if matches!(block, MarkdownBlock::Rule) {
            continue;
        }
        let size = block_length(&block);
        if is_begun(&slide) && held + size > FULL {
            slides.push(std::mem::replace(&mut slide, heading.iter().cloned().collect()));
            held = 0;
        }
        held += size;
        // Parts of one list that stand on one slide are one list again.
        match (slide.last_mut(), block) {
            (Some(MarkdownBlock::List(None, items)), MarkdownBlock::List(None, more)) => items.extend(more),
            (Some(MarkdownBlock::List(Some(first), items)), MarkdownBlock::List(Some(next), more))
                if *first + items.len() as u64 == next =>
            {
                items.extend(more);
            }
            (_, block) => slide.push(block),
        }
    }
    if !slide.is_empty() {
        slides.push(slide);
    }
    slides
}

/// A block as parts that may stand on different slides.
fn split_block(block: &MarkdownBlock) -> Vec<MarkdownBlock> {
    match block {
        MarkdownBlock::List(first, items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| {
                MarkdownBlock::List(first.map(|first| first.saturating_add(at as u64)), vec![item.clone()])
            })
            .collect(),
        MarkdownBlock::Table(columns, rows) if rows.len() > 9 => {
            let head = rows[..1].to_vec();
            rows[1..]
                .chunks(8)
                .map(|chunk| MarkdownBlock::Table(columns.clone(), [&head[..], chunk].concat()))
                .collect()
        }
        MarkdownBlock::Quote(blocks) => blocks.iter().map(|block| MarkdownBlock::Quote(vec![block.clone()])).collect(),
        block => vec![block.clone()],
    }
}

/// Estimates the room that a block takes on a slide, in characters.
fn block_length(block: &MarkdownBlock) -> usize {
    let line = |words: &[MarkdownInline]| plain_text(words).chars().count().max(40);
    match block {
        MarkdownBlock::Heading(_, words) | MarkdownBlock::Paragraph(words) => line(words),
        MarkdownBlock::List(_, items) => items.iter().flatten().map(block_length).sum(),
        MarkdownBlock::Quote(blocks) => blocks.iter().map(block_length).sum(),
        MarkdownBlock::Code(code) => code.lines().count() * 60,
        MarkdownBlock::Table(_, rows) => rows.len() * 60,
        MarkdownBlock::Rule => 0,
    }
}
