//! A presentation: slides in one file that loads nothing. Without its script it can be scrolled.

use super::{File, Text, Work, about, page, quoted, raised, report::meta, titled};
use crate::{
    html,
    markdown::{Block, Inline, plain},
};

/// How much a slide holds, in characters.
const FULL: usize = 480;
/// How many sources a slide lists.
const SOURCES: usize = 6;

const STYLE: &str = include_str!("presentation.css");
/// Turns pages by key and swipe.
const SCRIPT: &str = include_str!("presentation.js");
/// The only script that may run: the hash of the one above.
pub(super) const SCRIPT_HASH: &str = "sha256-AuV7mO4Z2mp73DTialtW77L72Nh0vRwaJa44SVivfXQ=";

pub(super) fn file(work: &Work, text: &Text) -> File {
    let mut slides = vec![title(work)];
    for slide in cut(&text.blocks) {
        slides.push(content(work, text, &slide));
    }
    slides.extend(work.cited.chunks(SOURCES).map(|sources| {
        let items = sources.iter().map(|source| {
            let number = source.number.unwrap_or_default();
            format!("<li id=\"source-{number}\" value=\"{number}\">{} {}</li>\n", titled(source), about(source))
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
    File::text("presentation.html", "text/html", page(&work.title, STYLE, &body, Some((SCRIPT_HASH, SCRIPT))))
}

fn title(work: &Work) -> String {
    let question = work.question.as_deref().map(|question| format!("<p><em>{}</em></p>\n", html::text(question)));
    format!(
        "<h1>{}</h1>\n{}<p class=\"meta\">{}</p>\n",
        html::text(&work.title),
        question.unwrap_or_default(),
        html::text(&meta(work))
    )
}

fn content(work: &Work, text: &Text, blocks: &[Block]) -> String {
    let mut used: Vec<usize> = Vec::new();
    let mut mark = |place: usize| {
        used.extend(&text.marks[place]);
        raised(work, &text.marks[place], |number| format!("#source-{number}"))
    };
    let mut slide = html::write(blocks, 1, &mut mark);
    let mut lines: Vec<String> = Vec::new();
    for at in used {
        let evidence = &work.evidence[at];
        let title = work.cited.iter().find(|source| source.number == Some(evidence.number));
        let title = title.map(|source| html::text(&source.title).into_owned()).unwrap_or_default();
        let line = format!("<li value=\"{}\"><cite>{title}</cite> {}</li>\n", evidence.number, quoted(evidence));
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
fn cut(blocks: &[Block]) -> Vec<Vec<Block>> {
    let mut slides: Vec<Vec<Block>> = Vec::new();
    let mut heading: Option<Block> = None;
    let mut slide: Vec<Block> = Vec::new();
    let mut held = 0;
    let is_begun = |slide: &[Block]| slide.iter().any(|block| !matches!(block, Block::Heading(..)));
    for block in blocks.iter().flat_map(parts) {
        if let Block::Heading(..) = block {
            if is_begun(&slide) {
                slides.push(std::mem::take(&mut slide));
            }
            (slide, held, heading) = (vec![block.clone()], 0, Some(block));
            continue;
        }
        if matches!(block, Block::Rule) {
            continue;
        }
        let size = length(&block);
        if is_begun(&slide) && held + size > FULL {
            slides.push(std::mem::replace(&mut slide, heading.iter().cloned().collect()));
            held = 0;
        }
        held += size;
        // Parts of one list that stand on one slide are one list again.
        match (slide.last_mut(), block) {
            (Some(Block::List(None, items)), Block::List(None, more)) => items.extend(more),
            (Some(Block::List(Some(first), items)), Block::List(Some(next), more))
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
fn parts(block: &Block) -> Vec<Block> {
    match block {
        Block::List(first, items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| Block::List(first.map(|first| first.saturating_add(at as u64)), vec![item.clone()]))
            .collect(),
        Block::Table(columns, rows) if rows.len() > 9 => {
            let head = rows[..1].to_vec();
            rows[1..].chunks(8).map(|chunk| Block::Table(columns.clone(), [&head[..], chunk].concat())).collect()
        }
        Block::Quote(blocks) => blocks.iter().map(|block| Block::Quote(vec![block.clone()])).collect(),
        block => vec![block.clone()],
    }
}

/// How much room a block takes, in characters.
fn length(block: &Block) -> usize {
    let line = |words: &[Inline]| plain(words).chars().count().max(40);
    match block {
        Block::Heading(_, words) | Block::Paragraph(words) => line(words),
        Block::List(_, items) => items.iter().flatten().map(length).sum(),
        Block::Quote(blocks) => blocks.iter().map(length).sum(),
        Block::Code(code) => code.lines().count() * 60,
        Block::Table(_, rows) => rows.len() * 60,
        Block::Rule => 0,
    }
}
