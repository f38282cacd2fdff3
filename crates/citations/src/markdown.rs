//! The blocks of a Markdown text: which lines are prose, and what the labels of the text stand for.
//!
//! One pass over the lines. Fenced and indented code, HTML blocks that hold code, display math and the boxes of task
//! lists are left out; what remains is given in stretches that no code span and no link reaches beyond.

use std::{collections::HashSet, ops::Range};

use memchr::{memchr, memmem};

use crate::{
    grammar::{LONGEST_LABEL, Marker, MarkerKind},
    inline::unescape,
};

/// What the line scan finds.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Stretches of prose, in bytes.
    pub prose: Vec<(Range<usize>, Stretch)>,
    /// The definitions, in order.
    pub definitions: Vec<Marker>,
    /// Their labels, as they are compared.
    pub labels: HashSet<String>,
}

/// A label as Markdown compares it: without regard to case and to the width of blank space.
pub(crate) fn folded(label: &str) -> String {
    let mut folded = String::with_capacity(label.len());
    for word in label.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(word.chars().flat_map(char::to_lowercase));
    }
    folded
}

/// What a stretch of prose is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stretch {
    /// Sentences.
    Prose,
    /// A heading.
    Heading,
    /// A row of a table.
    Row,
}

pub(crate) fn blocks(text: &str) -> Blocks {
    let mut lines =
        Lines { text, found: Blocks::default(), prose: None, lists: Vec::new(), quotes: 0, within: Within::Text };
    let mut at = 0;
    while at < text.len() {
        let end = memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
        lines.line(at, end);
        at = end + 1;
    }
    lines.end(text.len());
    lines.found
}

/// What the line before left open.
enum Within {
    Text,
    /// Code between fences.
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

struct Lines<'text> {
    text: &'text str,
    found: Blocks,
    /// Where the paragraph that is being read began.
    prose: Option<usize>,
    /// How far the content of each open list item is indented.
    lists: Vec<usize>,
    /// How many quotes the line before was in.
    quotes: usize,
    within: Within,
}

/// A line without the signs of the containers it is in.
#[derive(Clone, Copy)]
struct Line<'text> {
    /// What is left of it.
    rest: &'text str,
    /// The byte it begins at.
    at: usize,
    /// How far it is indented.
    indent: usize,
}

impl Lines<'_> {
    fn line(&mut self, from: usize, to: usize) {
        let (quotes, line) = unquoted(&self.text[from..to], from);
        let is_blank = line.rest.trim_end().is_empty();
        match self.within {
            Within::Text => {}
            Within::Fence { mark, length, quotes: wanted, indent } => {
                if quotes >= wanted && (is_blank || line.indent >= indent) {
                    if closes(line.rest, mark, length) {
                        self.within = Within::Text;
                    }
                    return;
                }
                // The quote or the list item that it was in has ended.
                self.within = Within::Text;
            }
            Within::Html(close) => {
                if contains(line.rest, close) {
                    self.within = Within::Text;
                }
                return;
            }
            Within::Math { from: began, close } => {
                if let Some(after) = memmem::find(line.rest.as_bytes(), close.as_bytes()) {
                    self.within = Within::Text;
                    self.prose = Some(line.at + after + close.len());
                    return;
                }
                if !is_blank {
                    return;
                }
                // It never was math.
                self.within = Within::Text;
                self.found.prose.push((began..from, Stretch::Prose));
            }
        }
        if quotes != self.quotes {
            // A paragraph may go on without the sign of its quote, but nothing that matters here depends on it.
            self.flush(from);
            self.lists.clear();
            self.quotes = quotes;
        }
        if is_blank {
            self.flush(from);
            return;
        }
        self.block(line, to);
    }

    /// Reads what begins in a line, after the signs of its containers.
    fn block(&mut self, mut line: Line<'_>, to: usize) {
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
            self.flush(line.at);
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
                if let Some(length) = fence(rest, mark) {
                    self.flush(line.at);
                    let indent = self.lists.last().copied().unwrap_or(0);
                    self.within = Within::Fence { mark, length, quotes: self.quotes, indent };
                    return;
                }
            }
            b'<' => {
                if let Some(close) = code_in_html(rest) {
                    self.flush(line.at);
                    if !contains(rest, close) {
                        self.within = Within::Html(close);
                    }
                    return;
                }
            }
            b'$' | b'\\' => {
                let close = if rest.starts_with("$$") { "$$" } else { "\\]" };
                let opens = rest.starts_with("$$") || rest.starts_with("\\[");
                if opens && memmem::find(&rest.as_bytes()[2..], close.as_bytes()).is_none() {
                    self.flush(line.at);
                    self.within = Within::Math { from: line.at, close };
                    return;
                }
            }
            b'[' => {
                if let Some((end, label, url)) = definition(line) {
                    self.flush(line.at);
                    self.found.labels.insert(folded(&label));
                    self.found.definitions.push(Marker::at(line.at..end, MarkerKind::Definition { label, url }));
                    // What is said after the address is prose.
                    self.found.prose.push((end..to, Stretch::Prose));
                    return;
                }
                if rest.starts_with("[^")
                    && let Some(label) = memmem::find(rest.as_bytes(), b"]:")
                {
                    self.flush(line.at);
                    self.prose = Some(line.at + label + 2);
                    return;
                }
            }
            // A heading and a row of a table end with their line.
            sign @ (b'#' | b'|') => {
                self.flush(line.at);
                let kind = if sign == b'#' { Stretch::Heading } else { Stretch::Row };
                self.found.prose.push((line.at..to, kind));
                return;
            }
            _ => {}
        }
        self.prose.get_or_insert(line.at);
    }

    /// Ends the paragraph before a byte.
    fn flush(&mut self, to: usize) {
        if let Some(from) = self.prose.take() {
            self.found.prose.push((from..to, Stretch::Prose));
        }
    }

    fn end(&mut self, to: usize) {
        if let Within::Math { from, .. } = self.within {
            self.found.prose.push((from..to, Stretch::Prose));
        }
        self.flush(to);
    }
}

/// A line after the signs of the quotes it is in, and how many they are.
fn unquoted(line: &str, from: usize) -> (usize, Line<'_>) {
    let mut quotes = 0;
    let mut left = indented(line, from, 0);
    while left.indent < 4 && left.rest.starts_with('>') {
        quotes += 1;
        let rest = &left.rest[1..];
        let at = left.at + 1;
        // One space after the sign belongs to it.
        let space = usize::from(rest.starts_with(' '));
        left = indented(&rest[space..], at + space, 0);
    }
    (quotes, left)
}

/// A line after its blank space, which counts from a column.
fn indented(line: &str, at: usize, column: usize) -> Line<'_> {
    let mut indent = column;
    for (place, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => indent += 1,
            b'\t' => indent += 4 - indent % 4,
            _ => return Line { rest: &line[place..], at: at + place, indent },
        }
    }
    Line { rest: "", at: at + line.len(), indent }
}

/// The content of a list item that begins here.
fn list_item(line: Line<'_>) -> Option<Line<'_>> {
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
    let content = indented(&line.rest[sign..], line.at + sign, column);
    // From five spaces on, one belongs to the sign and the others make code.
    if content.indent > column + 4 || content.rest.is_empty() {
        let space = usize::from(bytes.len() > sign);
        return Some(Line { rest: content.rest, at: content.at, indent: column + space.max(1) });
    }
    Some(content)
}

/// How long the box of a task is, if the item begins with one.
fn task_box(item: &str) -> Option<usize> {
    let is_box = matches!(
        item.as_bytes(),
        [b'[', b' ' | b'x' | b'X', b']'] | [b'[', b' ' | b'x' | b'X', b']', b' ' | b'\t' | b'\r', ..]
    );
    is_box.then_some(3)
}

/// How long the fence is that begins code here.
fn fence(line: &str, mark: u8) -> Option<usize> {
    let length = line.bytes().take_while(|&byte| byte == mark).count();
    // Between backticks in one line it is a code span.
    let is_span = mark == b'`' && memchr(b'`', &line.as_bytes()[length..]).is_some();
    (length >= 3 && !is_span).then_some(length)
}

fn closes(line: &str, mark: u8, length: usize) -> bool {
    let marks = line.bytes().take_while(|&byte| byte == mark).count();
    marks >= length && line[marks..].trim().is_empty()
}

/// What ends the HTML block that begins here, if it holds what is shown as it is.
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

/// Whether a line has a piece of markup in it, in whatever case.
fn contains(line: &str, close: &str) -> bool {
    line.as_bytes().windows(close.len()).any(|window| window.eq_ignore_ascii_case(close.as_bytes()))
}

/// The end, the label and the address of the definition that a line is.
fn definition(line: Line<'_>) -> Option<(usize, String, String)> {
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
    Some((line.at + end, unescape(label).trim().to_owned(), url.to_owned()))
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

/// Whether a word can be the address of something: `[Ann]: hello` is a line of a play.
fn is_address(word: &str) -> bool {
    let inner = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    inner.contains([':', '/', '#', '.'])
}

/// Whether what follows an address is nothing but its title.
fn is_title(said: &str) -> bool {
    let quoted = |open, close| said.len() > 1 && said.starts_with(open) && said.ends_with(close);
    said.is_empty() || quoted('"', '"') || quoted('\'', '\'') || quoted('(', ')')
}
