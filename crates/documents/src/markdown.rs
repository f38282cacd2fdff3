//! Markdown as a tree, with the places where something is cited in it.
//!
//! What is HTML in it becomes words: nothing that a model or a document wrote is markup of ours.

use std::ops::Range;

use ibid_domain::Span;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Maximum nesting depth; deeper content is lifted to this level.
const DEEPEST: usize = 24;

/// Private-use characters that stand for a marker while the Markdown is parsed.
const OPEN: char = '\u{E000}';
const CLOSE: char = '\u{E001}';

/// Block element of a Markdown text.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkdownBlock {
    /// Heading with its level, from 1 to 6.
    Heading(u8, Vec<MarkdownInline>),
    Paragraph(Vec<MarkdownInline>),
    /// A list, with its first number if it has numbers.
    List(Option<u64>, Vec<Vec<MarkdownBlock>>),
    /// Block quote with nested blocks.
    Quote(Vec<MarkdownBlock>),
    Code(String),
    /// Rows of cells, the first of them the head.
    Table(Vec<ColumnAlign>, Vec<Vec<Vec<MarkdownInline>>>),
    /// Thematic break, a horizontal line.
    Rule,
}

/// On which side the words of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnAlign {
    /// Left in languages written from left to right.
    Start,
    Centre,
    /// Right in languages written from left to right.
    End,
}

/// Inline element of a Markdown text.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkdownInline {
    Text(String),
    Emphasis(Vec<MarkdownInline>),
    Strong(Vec<MarkdownInline>),
    /// Text with a line through it.
    Struck(Vec<MarkdownInline>),
    Code(String),
    /// Link target, then the linked text.
    Link(String, Vec<MarkdownInline>),
    /// Hard line break within a paragraph.
    Break,
    /// A marker, by its place among those that were given.
    Mark(usize),
}

/// Reads a text. `marks` are where markers stand in it, in order; none overlaps another.
pub fn parse(text: &str, marks: &[Span]) -> Vec<MarkdownBlock> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let marked = with_marks(text, marks);
    let mut builder = MarkdownTreeBuilder { open: vec![MarkdownFrame::new(MarkdownFrameKind::Blocks)] };
    for event in Parser::new_ext(&marked, options) {
        builder.push_event(event);
    }
    while builder.open.len() > 1 {
        builder.close_frame();
    }
    builder.open.pop().map(|frame| frame.blocks).unwrap_or_default()
}

/// The text with each marker replaced by its place in signs that Markdown does not read.
fn with_marks(text: &str, marks: &[Span]) -> String {
    let mut written = String::with_capacity(text.len());
    let mut next = 0;
    for (at, char) in text.chars().enumerate() {
        if marks.get(next).is_some_and(|mark| at >= mark.end) {
            next += 1;
        }
        match marks.get(next) {
            Some(mark) if at == mark.start => written.push_str(&format!("{OPEN}{next}{CLOSE}")),
            Some(mark) if at > mark.start => {}
            _ => written.push(if matches!(char, OPEN | CLOSE) { '\u{FFFD}' } else { char }),
        }
    }
    written
}

/// The markers `[^3]` of a text, with their bytes, in order. Those in code or HTML are none, nor are those that the text
/// itself says something of (`[^3]: …`).
pub(crate) fn footnote_markers(text: &str) -> Vec<(u32, Range<usize>)> {
    if !text.contains("[^") {
        return Vec::new();
    }
    let mut covered: Vec<Range<usize>> = Vec::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        if matches!(event, Event::Code(_) | Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::CodeBlock(_))) {
            covered.push(range);
        }
    }
    let mut found = Vec::new();
    let mut own: Vec<u32> = Vec::new();
    let mut covered = covered.into_iter().peekable();
    for (at, _) in text.match_indices("[^") {
        while covered.next_if(|range| range.end <= at).is_some() {}
        if covered.peek().is_some_and(|range| range.contains(&at)) || text.get(..at).is_some_and(is_escaped) {
            continue;
        }
        let Some((digits, rest)) =
            text.get(at + 2..).and_then(|rest| rest.get(..12.min(rest.len())).unwrap_or(rest).split_once(']'))
        else {
            continue;
        };
        let Some(number) = crate::manuscript::parse_citation_number(digits) else { continue };
        let end = at + 3 + digits.len();
        let begins_line = text.get(..at).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
        if begins_line && rest.starts_with(':') {
            own.push(number);
        } else {
            found.push((number, at..end));
        }
    }
    found.retain(|(number, _)| !own.contains(number));
    found
}

/// Returns true if an odd number of backslashes precedes the next character.
fn is_escaped(before: &str) -> bool {
    before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

enum MarkdownFrameKind {
    Blocks,
    Heading(u8),
    Paragraph,
    List(Option<u64>),
    Item,
    Quote,
    Code,
    Table(Vec<ColumnAlign>),
    Row,
    Cell,
    Emphasis,
    Strong,
    Struck,
    Link(String),
    /// Nests too deep, or means nothing here: its content stands for it.
    Nothing,
}

/// Element that was opened and not yet closed, with the content so far.
struct MarkdownFrame {
    kind: MarkdownFrameKind,
    blocks: Vec<MarkdownBlock>,
    inlines: Vec<MarkdownInline>,
    items: Vec<Vec<MarkdownBlock>>,
    rows: Vec<Vec<Vec<MarkdownInline>>>,
    cells: Vec<Vec<MarkdownInline>>,
}

impl MarkdownFrame {
    fn new(kind: MarkdownFrameKind) -> Self {
        Self { kind, blocks: vec![], inlines: vec![], items: vec![], rows: vec![], cells: vec![] }
    }

    /// Words that stand in no paragraph, as in the items of a tight list, make one.
    fn close_paragraph(&mut self) {
        if !self.inlines.is_empty() {
            let inlines = std::mem::take(&mut self.inlines);
            self.blocks.push(MarkdownBlock::Paragraph(inlines));
        }
    }
}

struct MarkdownTreeBuilder {
    open: Vec<MarkdownFrame>,
}

impl MarkdownTreeBuilder {
    fn push_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open_frame(tag),
            Event::End(TagEnd::TableHead) | Event::End(_) => self.close_frame(),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.push_text(&text),
            Event::Code(code) => self.push_inline(MarkdownInline::Code(without_marks(&code))),
            Event::SoftBreak => self.push_inline(MarkdownInline::Text(" ".to_owned())),
            Event::HardBreak => self.push_inline(MarkdownInline::Break),
            Event::Rule => self.push_block(MarkdownBlock::Rule),
            Event::TaskListMarker(_) | Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn open_frame(&mut self, tag: Tag<'_>) {
        let kind = match tag {
            _ if self.open.len() > DEEPEST => MarkdownFrameKind::Nothing,
            Tag::Paragraph => MarkdownFrameKind::Paragraph,
            Tag::Heading { level, .. } => MarkdownFrameKind::Heading(level as u8),
            Tag::BlockQuote(_) => MarkdownFrameKind::Quote,
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => MarkdownFrameKind::Code,
            Tag::List(first) => MarkdownFrameKind::List(first),
            Tag::Item => MarkdownFrameKind::Item,
            Tag::Table(columns) => MarkdownFrameKind::Table(columns.into_iter().map(column_align).collect()),
            Tag::TableHead | Tag::TableRow => MarkdownFrameKind::Row,
            Tag::TableCell => MarkdownFrameKind::Cell,
            Tag::Emphasis => MarkdownFrameKind::Emphasis,
            Tag::Strong => MarkdownFrameKind::Strong,
            Tag::Strikethrough => MarkdownFrameKind::Struck,
            Tag::Link { dest_url, .. } => match web_address(&dest_url) {
                Some(url) => MarkdownFrameKind::Link(url),
                None => MarkdownFrameKind::Nothing,
            },
            // What an image says of itself stands for it.
            _ => MarkdownFrameKind::Nothing,
        };
        if !matches!(
            kind,
            MarkdownFrameKind::Emphasis
                | MarkdownFrameKind::Strong
                | MarkdownFrameKind::Struck
                | MarkdownFrameKind::Link(_)
                | MarkdownFrameKind::Nothing
        ) && let Some(parent) = self.open.last_mut()
        {
            parent.close_paragraph();
        }
        self.open.push(MarkdownFrame::new(kind));
    }

    fn close_frame(&mut self) {
        let Some(mut frame) = self.open.pop() else { return };
        match frame.kind {
            MarkdownFrameKind::Blocks => self.open.push(frame),
            MarkdownFrameKind::Heading(level) => self.push_block(MarkdownBlock::Heading(level, frame.inlines)),
            MarkdownFrameKind::Paragraph => self.push_block(MarkdownBlock::Paragraph(frame.inlines)),
            MarkdownFrameKind::List(first) => self.push_block(MarkdownBlock::List(first, frame.items)),
            MarkdownFrameKind::Item => {
                frame.close_paragraph();
                if let Some(list) = self.open.last_mut() {
                    list.items.push(frame.blocks);
                }
            }
            MarkdownFrameKind::Quote => {
                frame.close_paragraph();
                self.push_block(MarkdownBlock::Quote(frame.blocks));
            }
            MarkdownFrameKind::Code => {
                let text = frame.inlines.into_iter().map(|inline| match inline {
                    MarkdownInline::Text(text) => text,
                    _ => String::new(),
                });
                self.push_block(MarkdownBlock::Code(text.collect::<String>().trim_end_matches('\n').to_owned()));
            }
            MarkdownFrameKind::Table(columns) => self.push_block(MarkdownBlock::Table(columns, frame.rows)),
            MarkdownFrameKind::Row => {
                if let Some(table) = self.open.last_mut() {
                    table.rows.push(frame.cells);
                }
            }
            MarkdownFrameKind::Cell => {
                if let Some(row) = self.open.last_mut() {
                    row.cells.push(frame.inlines);
                }
            }
            MarkdownFrameKind::Emphasis => self.push_inline(MarkdownInline::Emphasis(frame.inlines)),
            MarkdownFrameKind::Strong => self.push_inline(MarkdownInline::Strong(frame.inlines)),
            MarkdownFrameKind::Struck => self.push_inline(MarkdownInline::Struck(frame.inlines)),
            MarkdownFrameKind::Link(url) => self.push_inline(MarkdownInline::Link(url, frame.inlines)),
            MarkdownFrameKind::Nothing => {
                if let Some(parent) = self.open.last_mut() {
                    parent.inlines.append(&mut frame.inlines);
                    if !frame.blocks.is_empty() || !frame.items.is_empty() {
                        parent.close_paragraph();
                    }
                    parent.blocks.append(&mut frame.blocks);
                    parent.blocks.extend(frame.items.into_iter().flatten());
                    parent.inlines.extend(frame.rows.into_iter().flatten().chain(frame.cells).flatten());
                }
            }
        }
    }

    fn push_block(&mut self, block: MarkdownBlock) {
        if let Some(frame) = self.open.last_mut() {
            frame.close_paragraph();
            frame.blocks.push(block);
        }
    }

    fn push_inline(&mut self, inline: MarkdownInline) {
        if let Some(frame) = self.open.last_mut() {
            match (frame.inlines.last_mut(), inline) {
                (Some(MarkdownInline::Text(before)), MarkdownInline::Text(more)) => before.push_str(&more),
                // A raised number stands close to its words.
                (Some(MarkdownInline::Text(before)), MarkdownInline::Mark(place)) if !before.trim_end().is_empty() => {
                    before.truncate(before.trim_end_matches(' ').len());
                    frame.inlines.push(MarkdownInline::Mark(place));
                }
                (_, inline) => frame.inlines.push(inline),
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            let Some((place, after)) = after.split_once(CLOSE) else { break };
            if !before.is_empty() {
                self.push_inline(MarkdownInline::Text(before.to_owned()));
            }
            if let Ok(place) = place.parse() {
                self.push_inline(MarkdownInline::Mark(place));
            }
            rest = after;
        }
        if !rest.is_empty() {
            self.push_inline(MarkdownInline::Text(rest.to_owned()));
        }
    }
}

/// Code says nothing about sources.
fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut within = false;
    for char in text.chars() {
        match char {
            OPEN => within = true,
            CLOSE => within = false,
            _ if !within => kept.push(char),
            _ => {}
        }
    }
    kept
}

const fn column_align(alignment: Alignment) -> ColumnAlign {
    match alignment {
        Alignment::None | Alignment::Left => ColumnAlign::Start,
        Alignment::Center => ColumnAlign::Centre,
        Alignment::Right => ColumnAlign::End,
    }
}

/// An address that a reader may be led to.
pub(crate) fn web_address(url: &str) -> Option<String> {
    let url = url.trim();
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    let is_safe = lower.starts_with("https://") || lower.starts_with("http://") || lower.starts_with("mailto:");
    (is_safe && !url.contains(char::is_control)).then(|| url.to_owned())
}

/// The words of a line, without anything else.
pub fn plain_text(inlines: &[MarkdownInline]) -> String {
    let mut words = String::new();
    for inline in inlines {
        match inline {
            MarkdownInline::Text(text) | MarkdownInline::Code(text) => words.push_str(text),
            MarkdownInline::Emphasis(inner)
            | MarkdownInline::Strong(inner)
            | MarkdownInline::Struck(inner)
            | MarkdownInline::Link(_, inner) => {
                words.push_str(&plain_text(inner));
            }
            MarkdownInline::Break => words.push(' '),
            MarkdownInline::Mark(_) => {}
        }
    }
    words
}
