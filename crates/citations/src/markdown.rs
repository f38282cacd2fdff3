//! The blocks of a Markdown text: which lines are prose, and what the labels of the text stand for.
//!
//! One pass over the lines. Fenced and indented code, HTML blocks that hold code, display math and the boxes of task
//! lists are left out; what remains is given in stretches that no code span and no link reaches beyond.

use std::collections::HashSet;

use ibid_domain::cited_text::{BlockKind, TextBlock};
use memchr::{memchr, memmem};

use crate::{
    grammar::{LONGEST_LABEL, Marker, MarkerKind},
    inline::unescape_label,
};

/// Blocks of a Markdown text: prose ranges and link definitions.
#[derive(Debug, Default)]
pub(crate) struct MarkdownBlocks {
    /// Stretches of prose, in bytes.
    pub prose: Vec<TextBlock>,
    /// Link reference definitions, in order of the text.
    pub definitions: Vec<Marker>,
    /// Their labels, as they are compared.
    pub labels: HashSet<String>,
}

/// A label as Markdown compares it: without regard to case and to the width of blank space.
pub(crate) fn fold_label(label: &str) -> String {
    let mut folded = String::with_capacity(label.len());
    for word in label.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(word.chars().flat_map(char::to_lowercase));
    }
    folded
}

pub(crate) fn parse_blocks(text: &str) -> MarkdownBlocks {
    let mut lines = LineScanner {
        text,
        found: MarkdownBlocks::default(),
        prose: None,
        lists: Vec::new(),
        quotes: 0,
        within: OpenBlock::Text,
    };
    let mut at = 0;
    while at < text.len() {
        let end = memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
        lines.scan_line(at, end);
        at = end + 1;
    }
    lines.finish(text.len());
    lines.found
}

/// Multi-line block that the previous line left open.
enum OpenBlock {
    Text,
    /// A fenced code block, which ends at a fence of the same mark and at least this length.
    Fence {
        mark: u8,
        length: usize,
        quotes: usize,
        indent: usize,
    },
    /// An HTML block, and what ends it.
    Html(&'static str),
    /// Display math that began at a byte, and what ends it.
    Math {
        from: usize,
        close: &'static str,
    },
}

struct LineScanner<'text> {
    text: &'text str,
    found: MarkdownBlocks,
    /// Start of the current paragraph in bytes.
    prose: Option<usize>,
    /// Indentation of the content of each open list item, in columns.
    lists: Vec<usize>,
    /// Number of block quotes that the previous line was in.
    quotes: usize,
    within: OpenBlock,
}

/// A line without the signs of the containers it is in.
#[derive(Clone, Copy)]
struct ContentLine<'text> {
    /// Text of the line after quote marks and indentation.
    rest: &'text str,
    /// Byte position of `rest` in the text.
    at: usize,
    /// Indentation of the line in columns.
    indent: usize,
}

impl LineScanner<'_> {
    fn scan_line(&mut self, from: usize, to: usize) {
        let (quotes, line) = strip_quote_marks(&self.text[from..to], from);
        let is_blank = line.rest.trim_end().is_empty();
        match self.within {
            OpenBlock::Text => {}
            OpenBlock::Fence { mark, length, quotes: wanted, indent } => {
                if quotes >= wanted && (is_blank || line.indent >= indent) {
                    if closes_fence(line.rest, mark, length) {
                        self.within = OpenBlock::Text;
                    }
                    return;
                }
                // The quote or the list item that it was in has ended.
                self.within = OpenBlock::Text;
            }
            OpenBlock::Html(close) => {
                if contains_ignoring_case(line.rest, close) {
                    self.within = OpenBlock::Text;
                }
                return;
            }
            OpenBlock::Math { from: began, close } => {
                if let Some(after) = memmem::find(line.rest.as_bytes(), close.as_bytes()) {
                    self.within = OpenBlock::Text;
                    self.prose = Some(line.at + after + close.len());
                    return;
                }
                if !is_blank {
                    return;
                }
                // It never was math.
                self.within = OpenBlock::Text;
                self.found.prose.push(TextBlock { bytes: began..from, kind: BlockKind::Prose });
            }
        }
        if quotes != self.quotes {
            // A paragraph may go on without the sign of its quote, but nothing that matters here depends on it.
            self.end_paragraph(from);
            self.lists.clear();
            self.quotes = quotes;
        }
        if is_blank {
            self.end_paragraph(from);
            return;
        }
        self.scan_block(line, to);
    }

    /// Reads what begins in a line, after the signs of its containers.
    fn scan_block(&mut self, mut line: ContentLine<'_>, to: usize) {
        loop {
            if self.prose.is_none() {
                while self.lists.last().is_some_and(|&indent| indent > line.indent) {
                    self.lists.pop();
                }
            }
            let indent = line.indent.saturating_sub(self.lists.last().copied().unwrap_or(0));
            if indent >= 4 {
                // Goes on with the paragraph, or is code.
                return;
            }
            let Some(item) = list_item(line) else { break };
            self.end_paragraph(line.at);
            while self.lists.last().is_some_and(|&indent| indent > line.indent) {
                self.lists.pop();
            }
            self.lists.push(item.indent);
            line = item;
            if line.rest.trim_end().is_empty() {
                return;
            }
            if let Some(length) = task_box(line.rest) {
                self.prose = Some(line.at + length);
                return;
            }
        }
        let rest = line.rest;
        match rest.as_bytes()[0] {
            mark @ (b'`' | b'~') => {
                if let Some(length) = fence_length(rest, mark) {
                    self.end_paragraph(line.at);
                    let indent = self.lists.last().copied().unwrap_or(0);
                    self.within = OpenBlock::Fence { mark, length, quotes: self.quotes, indent };
                    return;
                }
            }
            b'<' => {
                if let Some(close) = code_in_html(rest) {
                    self.end_paragraph(line.at);
                    if !contains_ignoring_case(rest, close) {
                        self.within = OpenBlock::Html(close);
                    }
                    return;
                }
            }
            b'$' | b'\\' => {
                let close = if rest.starts_with("$$") { "$$" } else { "\\]" };
                let opens = rest.starts_with("$$") || rest.starts_with("\\[");
                if opens && memmem::find(&rest.as_bytes()[2..], close.as_bytes()).is_none() {
                    self.end_paragraph(line.at);
                    self.within = OpenBlock::Math { from: line.at, close };
                    return;
                }
            }
            b'[' => {
                if let Some((end, label, url)) = parse_definition(line) {
                    self.end_paragraph(line.at);
                    self.found.labels.insert(fold_label(&label));
                    self.found.definitions.push(Marker::at_bytes(line.at..end, MarkerKind::Definition { label, url }));
                    // What is said after the address is prose.
                    self.found.prose.push(TextBlock { bytes: end..to, kind: BlockKind::Prose });
                    return;
                }
                if rest.starts_with("[^")
                    && let Some(label) = memmem::find(rest.as_bytes(), b"]:")
                {
                    self.end_paragraph(line.at);
                    self.prose = Some(line.at + label + 2);
                    return;
                }
            }
            // A heading and a row of a table end with their line.
            sign @ (b'#' | b'|') => {
                self.end_paragraph(line.at);
                let kind = if sign == b'#' { BlockKind::Heading } else { BlockKind::Row };
                self.found.prose.push(TextBlock { bytes: line.at..to, kind });
                return;
            }
            _ => {}
        }
        self.prose.get_or_insert(line.at);
    }

    /// Ends the paragraph before a byte.
    fn end_paragraph(&mut self, to: usize) {
        if let Some(from) = self.prose.take() {
            self.found.prose.push(TextBlock { bytes: from..to, kind: BlockKind::Prose });
        }
    }

    fn finish(&mut self, to: usize) {
        if let OpenBlock::Math { from, .. } = self.within {
            self.found.prose.push(TextBlock { bytes: from..to, kind: BlockKind::Prose });
        }
        self.end_paragraph(to);
    }
}

/// A line after the signs of the quotes it is in, and how many they are.
fn strip_quote_marks(line: &str, from: usize) -> (usize, ContentLine<'_>) {
    let mut quotes = 0;
    let mut left = strip_indent(line, from, 0);
    while left.indent < 4 && left.rest.starts_with('>') {
        quotes += 1;
        let rest = &left.rest[1..];
        let at = left.at + 1;
        // One space after the sign belongs to it.
        let space = usize::from(rest.starts_with(' '));
        left = strip_indent(&rest[space..], at + space, 0);
    }
    (quotes, left)
}

/// A line after its blank space, which counts from a column.
fn strip_indent(line: &str, at: usize, column: usize) -> ContentLine<'_> {
    let mut indent = column;
    for (place, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => indent += 1,
            b'\t' => indent += 4 - indent % 4,
            _ => return ContentLine { rest: &line[place..], at: at + place, indent },
        }
    }
    ContentLine { rest: "", at: at + line.len(), indent }
}

/// The content of a list item that begins here.
fn list_item(line: ContentLine<'_>) -> Option<ContentLine<'_>> {
    let bytes = line.rest.as_bytes();
    let sign = match bytes.first()? {
        b'-' | b'+' | b'*' => 1,
        b'0'..=b'9' => {
            let digits = bytes.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 9 || !matches!(bytes.get(digits), Some(b'.' | b')')) {
                return None;
            }
            digits + 1
        }
        _ => return None,
    };
    if !matches!(bytes.get(sign), None | Some(b' ' | b'\t' | b'\r')) {
        return None;
    }
    let column = line.indent + sign;
    let content = strip_indent(&line.rest[sign..], line.at + sign, column);
    // From five spaces on, one belongs to the sign and the others make code.
    if content.indent > column + 4 || content.rest.is_empty() {
        let space = usize::from(bytes.len() > sign);
        return Some(ContentLine { rest: content.rest, at: content.at, indent: column + space.max(1) });
    }
    Some(content)
}

/// Returns the length of the task list checkbox at the beginning of an item.
fn task_box(item: &str) -> Option<usize> {
    let is_box = matches!(
        item.as_bytes(),
        [b'[', b' ' | b'x' | b'X', b']'] | [b'[', b' ' | b'x' | b'X', b']', b' ' | b'\t' | b'\r', ..]
    );
    is_box.then_some(3)
}

/// Returns the length of the code fence that the line begins with.
fn fence_length(line: &str, mark: u8) -> Option<usize> {
    let length = line.bytes().take_while(|&byte| byte == mark).count();
    // Between backticks in one line it is a code span.
    let is_span = mark == b'`' && memchr(b'`', &line.as_bytes()[length..]).is_some();
    (length >= 3 && !is_span).then_some(length)
}

fn closes_fence(line: &str, mark: u8, length: usize) -> bool {
    let marks = line.bytes().take_while(|&byte| byte == mark).count();
    marks >= length && line[marks..].trim().is_empty()
}

/// Returns the end tag of the HTML block that begins here, if its content is verbatim.
fn code_in_html(line: &str) -> Option<&'static str> {
    if line.starts_with("<!--") {
        return Some("-->");
    }
    let tags = [("pre", "</pre>"), ("script", "</script>"), ("style", "</style>"), ("textarea", "</textarea>")];
    let (_, close) = tags.into_iter().find(|(tag, _)| {
        let name = line.as_bytes().get(1..=tag.len());
        let after = line.as_bytes().get(1 + tag.len());
        name.is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes()))
            && after.is_none_or(|&byte| byte == b'>' || byte.is_ascii_whitespace())
    })?;
    Some(close)
}

/// Returns true if a line contains a piece of markup, ignoring case.
fn contains_ignoring_case(line: &str, close: &str) -> bool {
    line.as_bytes().windows(close.len()).any(|window| window.eq_ignore_ascii_case(close.as_bytes()))
}

/// The end, the label and the address of the definition that a line is.
fn parse_definition(line: ContentLine<'_>) -> Option<(usize, String, String)> {
    let rest = line.rest.trim_end();
    let close = label_end(rest)?;
    let label = &rest[1..close];
    let after = rest[close + 1..].strip_prefix(':')?;
    if label.starts_with('^') || label.trim().is_empty() || label.chars().count() > LONGEST_LABEL {
        return None;
    }
    let target = after.trim_start();
    let (url, said) = match target.strip_prefix('<') {
        Some(bracketed) => bracketed.split_once('>')?,
        None => target.split_at(target.find(char::is_whitespace).unwrap_or(target.len())),
    };
    if !is_address(url) {
        return None;
    }
    let end = rest.len() - if is_title(said.trim()) { 0 } else { said.len() };
    Some((line.at + end, unescape_label(label).trim().to_owned(), url.to_owned()))
}

/// The closing bracket of a label that a line begins with.
fn label_end(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = 1;
    loop {
        at += memchr::memchr3(b'[', b']', b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'\\' => at += 2,
            b']' => return Some(at),
            _ => return None,
        }
    }
}

/// Returns true if a word can be a link target. `[Ann]: hello` is a line of dialogue, not a definition.
fn is_address(word: &str) -> bool {
    let inner = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    inner.contains([':', '/', '#', '.'])
}

/// Returns true if the text after a link target is only a title.
fn is_title(said: &str) -> bool {
    let quoted = |open, close| said.len() > 1 && said.starts_with(open) && said.ends_with(close);
    said.is_empty() || quoted('"', '"') || quoted('\'', '\'') || quoted('(', ')')
}
