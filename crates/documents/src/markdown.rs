//! Markdown as a tree, with the places where something is cited in it.
//!
//! What is HTML in it becomes words: nothing that a model or a document wrote is markup of ours.

use std::ops::Range;

use ibid_domain::Span;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// How deep a text may nest; what lies deeper is lifted up.
const DEEPEST: usize = 24;

/// What stands where a marker was while the text is read: characters that no text may have.
const OPEN: char = '\u{E000}';
const CLOSE: char = '\u{E001}';

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading, from 1 to 6.
    Heading(u8, Vec<Inline>),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list, with its first number if it has numbers.
    List(Option<u64>, Vec<Vec<Block>>),
    /// Words of someone else.
    Quote(Vec<Block>),
    /// Code.
    Code(String),
    /// Rows of cells, the first of them the head.
    Table(Vec<Align>, Vec<Vec<Vec<Inline>>>),
    /// A line across.
    Rule,
}

/// On which side the words of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Where a language begins its lines.
    Start,
    /// In the middle.
    Centre,
    /// Where a language ends its lines.
    End,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    /// Words.
    Text(String),
    /// Stressed.
    Emphasis(Vec<Inline>),
    /// Stressed more.
    Strong(Vec<Inline>),
    /// Struck out.
    Struck(Vec<Inline>),
    /// Code.
    Code(String),
    /// A link.
    Link(String, Vec<Inline>),
    /// The end of a line.
    Break,
    /// A marker, by its place among those that were given.
    Mark(usize),
}

/// Reads a text. `marks` are where markers stand in it, in order; none overlaps another.
pub fn read(text: &str, marks: &[Span]) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let marked = with_marks(text, marks);
    let mut builder = Builder { open: vec![Frame::new(Kind::Blocks)] };
    for event in Parser::new_ext(&marked, options) {
        builder.take(event);
    }
    while builder.open.len() > 1 {
        builder.end();
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
pub(crate) fn footnotes(text: &str) -> Vec<(u32, Range<usize>)> {
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
        let Some(number) = crate::manuscript::number(digits) else { continue };
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

/// Whether what follows is taken as it is written.
fn is_escaped(before: &str) -> bool {
    before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

enum Kind {
    Blocks,
    Heading(u8),
    Paragraph,
    List(Option<u64>),
    Item,
    Quote,
    Code,
    Table(Vec<Align>),
    Row,
    Cell,
    Emphasis,
    Strong,
    Struck,
    Link(String),
    /// Nests too deep, or means nothing here: its content stands for it.
    Nothing,
}

/// Something that has begun.
struct Frame {
    kind: Kind,
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    items: Vec<Vec<Block>>,
    rows: Vec<Vec<Vec<Inline>>>,
    cells: Vec<Vec<Inline>>,
}

impl Frame {
    fn new(kind: Kind) -> Self {
        Self { kind, blocks: vec![], inlines: vec![], items: vec![], rows: vec![], cells: vec![] }
    }

    /// Words that stand in no paragraph, as in the items of a tight list, make one.
    fn close_paragraph(&mut self) {
        if !self.inlines.is_empty() {
            let inlines = std::mem::take(&mut self.inlines);
            self.blocks.push(Block::Paragraph(inlines));
        }
    }
}

struct Builder {
    open: Vec<Frame>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(TagEnd::TableHead) | Event::End(_) => self.end(),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(code) => self.inline(Inline::Code(without_marks(&code))),
            Event::SoftBreak => self.inline(Inline::Text(" ".to_owned())),
            Event::HardBreak => self.inline(Inline::Break),
            Event::Rule => self.block(Block::Rule),
            Event::TaskListMarker(_) | Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let kind = match tag {
            _ if self.open.len() > DEEPEST => Kind::Nothing,
            Tag::Paragraph => Kind::Paragraph,
            Tag::Heading { level, .. } => Kind::Heading(level as u8),
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => Kind::Code,
            Tag::List(first) => Kind::List(first),
            Tag::Item => Kind::Item,
            Tag::Table(columns) => Kind::Table(columns.into_iter().map(align).collect()),
            Tag::TableHead | Tag::TableRow => Kind::Row,
            Tag::TableCell => Kind::Cell,
            Tag::Emphasis => Kind::Emphasis,
            Tag::Strong => Kind::Strong,
            Tag::Strikethrough => Kind::Struck,
            Tag::Link { dest_url, .. } => match web_address(&dest_url) {
                Some(url) => Kind::Link(url),
                None => Kind::Nothing,
            },
            // What an image says of itself stands for it.
            _ => Kind::Nothing,
        };
        if !matches!(kind, Kind::Emphasis | Kind::Strong | Kind::Struck | Kind::Link(_) | Kind::Nothing)
            && let Some(parent) = self.open.last_mut()
        {
            parent.close_paragraph();
        }
        self.open.push(Frame::new(kind));
    }

    fn end(&mut self) {
        let Some(mut frame) = self.open.pop() else { return };
        match frame.kind {
            Kind::Blocks => self.open.push(frame),
            Kind::Heading(level) => self.block(Block::Heading(level, frame.inlines)),
            Kind::Paragraph => self.block(Block::Paragraph(frame.inlines)),
            Kind::List(first) => self.block(Block::List(first, frame.items)),
            Kind::Item => {
                frame.close_paragraph();
                if let Some(list) = self.open.last_mut() {
                    list.items.push(frame.blocks);
                }
            }
            Kind::Quote => {
                frame.close_paragraph();
                self.block(Block::Quote(frame.blocks));
            }
            Kind::Code => {
                let text = frame.inlines.into_iter().map(|inline| match inline {
                    Inline::Text(text) => text,
                    _ => String::new(),
                });
                self.block(Block::Code(text.collect::<String>().trim_end_matches('\n').to_owned()));
            }
            Kind::Table(columns) => self.block(Block::Table(columns, frame.rows)),
            Kind::Row => {
                if let Some(table) = self.open.last_mut() {
                    table.rows.push(frame.cells);
                }
            }
            Kind::Cell => {
                if let Some(row) = self.open.last_mut() {
                    row.cells.push(frame.inlines);
                }
            }
            Kind::Emphasis => self.inline(Inline::Emphasis(frame.inlines)),
            Kind::Strong => self.inline(Inline::Strong(frame.inlines)),
            Kind::Struck => self.inline(Inline::Struck(frame.inlines)),
            Kind::Link(url) => self.inline(Inline::Link(url, frame.inlines)),
            Kind::Nothing => {
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

    fn block(&mut self, block: Block) {
        if let Some(frame) = self.open.last_mut() {
            frame.close_paragraph();
            frame.blocks.push(block);
        }
    }

    fn inline(&mut self, inline: Inline) {
        if let Some(frame) = self.open.last_mut() {
            match (frame.inlines.last_mut(), inline) {
                (Some(Inline::Text(before)), Inline::Text(more)) => before.push_str(&more),
                // A raised number stands close to its words.
                (Some(Inline::Text(before)), Inline::Mark(place)) if !before.trim_end().is_empty() => {
                    before.truncate(before.trim_end_matches(' ').len());
                    frame.inlines.push(Inline::Mark(place));
                }
                (_, inline) => frame.inlines.push(inline),
            }
        }
    }

    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            let Some((place, after)) = after.split_once(CLOSE) else { break };
            if !before.is_empty() {
                self.inline(Inline::Text(before.to_owned()));
            }
            if let Ok(place) = place.parse() {
                self.inline(Inline::Mark(place));
            }
            rest = after;
        }
        if !rest.is_empty() {
            self.inline(Inline::Text(rest.to_owned()));
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

const fn align(alignment: Alignment) -> Align {
    match alignment {
        Alignment::None | Alignment::Left => Align::Start,
        Alignment::Center => Align::Centre,
        Alignment::Right => Align::End,
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
pub fn plain(inlines: &[Inline]) -> String {
    let mut words = String::new();
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => words.push_str(text),
            Inline::Emphasis(inner) | Inline::Strong(inner) | Inline::Struck(inner) | Inline::Link(_, inner) => {
                words.push_str(&plain(inner));
            }
            Inline::Break => words.push(' '),
            Inline::Mark(_) => {}
        }
    }
    words
}
