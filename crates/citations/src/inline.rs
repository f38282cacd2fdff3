//! The markers of a stretch of prose.
//!
//! One pass with a stack of open brackets, as Markdown's own rules have it. Everything that is looked for ahead (the
//! end of a code span, of math, of a tag) is looked for once per stretch or only as far as the next thing of its kind,
//! which keeps the whole in proportion to the text.

use std::{
    borrow::Cow,
    collections::{HashMap, VecDeque},
};

use ibid_domain::cited_text::TextBlock;
use memchr::{memchr, memchr2, memmem};

use crate::{
    grammar::{LONGEST_ID, LONGEST_LABEL, Marker, MarkerKind, parse_numbers},
    markdown::{MarkdownBlocks, fold_label},
};

/// Start and end of a citation tag, as some models write it.
pub(crate) const TAG: &str = "<gml-inlinecitation";
pub(crate) const TAG_CLOSE: &str = "</gml-inlinecitation>";
/// Start of a citation id in braces.
pub(crate) const BRACES: &str = "{citation:";

/// Maximum number of open brackets kept while scanning; the outermost are dropped first, so that time stays linear.
const MOST_OPEN: usize = 1000;
/// The longest name of an attribute.
const LONGEST_NAME: usize = 64;
/// Maximum nesting of parentheses in the address of a link.
const DEEPEST: usize = 32;

/// Bytes that begin or end something.
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let signs = b"\\`[]<{$";
    let mut at = 0;
    while at < signs.len() {
        special[signs[at] as usize] = true;
        at += 1;
    }
    special
};

/// Adds the markers in the prose of a text.
pub(crate) fn scan_inline(text: &str, blocks: &MarkdownBlocks, markers: &mut Vec<Marker>) {
    for TextBlock { bytes: stretch, .. } in &blocks.prose {
        InlineScanner {
            text: &text[..stretch.end],
            blocks,
            markers,
            open: VecDeque::new(),
            ticks: BacktickRuns::default(),
            math: stretch.start,
            no_display: false,
            no_close: [false; CODE.len()],
        }
        .scan_from(stretch.start);
    }
}

struct InlineScanner<'run> {
    /// The text up to the end of the stretch.
    text: &'run str,
    blocks: &'run MarkdownBlocks,
    markers: &'run mut Vec<Marker>,
    open: VecDeque<OpenBracket>,
    ticks: BacktickRuns,
    /// Position from which to search for the next closing `$`; the end of the text if there is none.
    math: usize,
    no_display: bool,
    no_close: [bool; CODE.len()],
}

/// A bracket that waits for its other half.
struct OpenBracket {
    at: usize,
    /// Number of markers found before the bracket.
    markers: usize,
    /// True if it contains more than words: another bracket, code or math.
    holds_more: bool,
}

/// HTML whose content is shown as it is.
const CODE: [(&str, &str); 4] = [("<!--", "-->"), ("<code", "</code>"), ("<pre", "</pre>"), ("<kbd", "</kbd>")];

impl InlineScanner<'_> {
    fn scan_from(&mut self, from: usize) {
        let mut at = from;
        while let Some(length) = self.bytes_from(at).iter().position(|&byte| SPECIAL[byte as usize]) {
            at += length;
            at = match self.text.as_bytes()[at] {
                b'\\' => self.skip_escape(at),
                b'`' => self.skip_code_span(at),
                b'<' => self.scan_angle_bracket(at),
                b'{' => self.scan_braces(at),
                b'$' => self.skip_math(at),
                b'[' => {
                    if self.open.len() == MOST_OPEN {
                        self.open.pop_front();
                    }
                    self.open.push_back(OpenBracket { at, markers: self.markers.len(), holds_more: false });
                    at + 1
                }
                _ => self.close_bracket(at),
            };
        }
    }

    fn bytes_from(&self, from: usize) -> &[u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    /// Something that is no word has been passed.
    fn pass_non_word(&mut self, to: usize) -> usize {
        if let Some(open) = self.open.back_mut() {
            open.holds_more = true;
        }
        to
    }

    /// Skips an escape: `\x`, `\(…\)` or `\[…\]`.
    fn skip_escape(&mut self, at: usize) -> usize {
        // In brackets it is a sign of a name.
        let close: &[u8] = match self.bytes_from(at + 1).first().filter(|_| self.open.is_empty()) {
            Some(b'(') => b"\\)",
            Some(b'[') => b"\\]",
            _ => return at + 2,
        };
        // Math ends before more math begins.
        let mut ahead = at + 2;
        while let Some(length) = memchr(b'\\', self.bytes_from(ahead)) {
            ahead += length;
            let next = self.bytes_from(ahead);
            if next.starts_with(close) {
                return self.pass_non_word(ahead + 2);
            }
            if matches!(next.get(1), Some(b'(' | b'[')) {
                break;
            }
            ahead += 2;
        }
        at + 2
    }

    /// A code span, or backticks that begin none.
    fn skip_code_span(&mut self, at: usize) -> usize {
        let length = self.bytes_from(at).iter().take_while(|&&byte| byte == b'`').count();
        match self.ticks.find_closing_run(self.text.as_bytes(), at + length, length) {
            Some(end) => self.pass_non_word(end),
            None => at + length,
        }
    }

    /// A tag that cites, HTML, an address, or a plain `<`.
    fn scan_angle_bracket(&mut self, at: usize) -> usize {
        if let Some((id, end)) = parse_tag(self.text, at) {
            let id = id.to_owned();
            self.markers.push(Marker::at_bytes(at..end, MarkerKind::Tag(id)));
            return self.pass_non_word(end);
        }
        for (place, (begin, close)) in CODE.iter().enumerate() {
            let opens =
                self.bytes_from(at).get(..begin.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(begin.as_bytes()))
                    && (*begin == "<!--" || matches!(self.bytes_from(at + begin.len()).first(), Some(b'>' | b' ')));
            if opens && !self.no_close[place] {
                if let Some(length) = memmem::find(self.bytes_from(at), close.as_bytes()) {
                    return self.pass_non_word(at + length + close.len());
                }
                self.no_close[place] = true;
            }
        }
        match html_end(self.bytes_from(at)) {
            Some(length) => self.pass_non_word(at + length),
            None => at + 1,
        }
    }

    fn scan_braces(&mut self, at: usize) -> usize {
        let Some((id, end)) = parse_braces(self.text, at) else { return at + 1 };
        let id = id.to_owned();
        self.markers.push(Marker::at_bytes(at..end, MarkerKind::Braces(id)));
        self.pass_non_word(end)
    }

    /// `$…$` or `$$…$$`: not the price of something.
    fn skip_math(&mut self, at: usize) -> usize {
        if self.bytes_from(at).starts_with(b"$$") {
            if !self.no_display {
                if let Some(length) = memmem::find(self.bytes_from(at + 2), b"$$") {
                    return self.pass_non_word(at + 2 + length + 2);
                }
                self.no_display = true;
            }
            return at + 2;
        }
        let follows_word = self.text[..at].ends_with(char::is_alphanumeric);
        let opens = self.bytes_from(at + 1).first().is_some_and(|byte| !byte.is_ascii_whitespace());
        if follows_word || !opens {
            return at + 1;
        }
        self.math = self.math.max(at + 2);
        while let Some(length) = memchr(b'$', self.bytes_from(self.math)) {
            let close = self.math + length;
            let before = self.text.as_bytes()[close - 1];
            let follows = self.text[close + 1..].starts_with(|char: char| char.is_alphanumeric() || char == '$');
            if before.is_ascii_whitespace() || before == b'\\' || follows {
                self.math = close + 1;
                continue;
            }
            return self.pass_non_word(close + 1);
        }
        self.math = self.text.len();
        at + 1
    }

    /// A bracket has closed: it is a link, an image, a footnote, a marker, or part of the prose.
    fn close_bracket(&mut self, at: usize) -> usize {
        let Some(open) = self.open.pop_back() else { return at + 1 };
        if let Some(outer) = self.open.back_mut() {
            outer.holds_more = true;
        }
        let content = &self.text[open.at + 1..at];
        let after = at + 1;
        let named = if open.holds_more || content.contains(['\n', '\r']) { None } else { parse_numbers(content) };
        let is_image = self.text[..open.at].ends_with('!') && !is_escaped(self.text.as_bytes(), open.at - 1);
        let link = match self.bytes_from(after).first() {
            Some(b'(') => link_end(self.text, after),
            Some(b'[') if named.is_none() => self.reference_end(content, after),
            _ => None,
        };
        if let Some(end) = link {
            self.markers.truncate(open.markers);
            return end;
        }
        if let Some(numbers) = named {
            self.markers.push(Marker::at_bytes(open.at..after, MarkerKind::Numbers(numbers)));
        } else if !open.holds_more && !is_image && is_label(content) {
            self.markers
                .push(Marker::at_bytes(open.at..after, MarkerKind::Label(unescape_label(content).trim().to_owned())));
        }
        after
    }

    /// The end of `[words][label]`, if the text says what the label stands for.
    fn reference_end(&self, words: &str, at: usize) -> Option<usize> {
        let length = memchr2(b']', b'[', self.bytes_from(at + 1))?;
        let end = at + 1 + length;
        if self.text.as_bytes()[end] == b'[' || self.blocks.labels.is_empty() || length > 4 * LONGEST_LABEL {
            return None;
        }
        let label = if length == 0 { words } else { &self.text[at + 1..end] };
        let is_known =
            label.len() <= 4 * LONGEST_LABEL && self.blocks.labels.contains(&fold_label(&unescape_label(label)));
        is_known.then_some(end + 1)
    }
}

/// Returns true if words in brackets can be the label of a source.
fn is_label(content: &str) -> bool {
    !content.starts_with(['^', '!'])
        && !content.contains(['\n', '\r'])
        && content.contains(char::is_alphanumeric)
        && (content.len() <= LONGEST_LABEL || content.chars().count() <= LONGEST_LABEL)
}

/// A label without the backslashes before its signs.
pub(crate) fn unescape_label(label: &str) -> Cow<'_, str> {
    if memchr(b'\\', label.as_bytes()).is_none() {
        return Cow::Borrowed(label);
    }
    let mut plain = String::with_capacity(label.len());
    let mut chars = label.chars().peekable();
    while let Some(char) = chars.next() {
        match chars.peek() {
            Some(next) if char == '\\' && next.is_ascii_punctuation() => plain.extend(chars.next()),
            _ => plain.push(char),
        }
    }
    Cow::Owned(plain)
}

/// Returns true if an odd number of backslashes stands before a byte.
fn is_escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// The id and the end of a tag that begins at a byte.
pub(crate) fn parse_tag(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = &text[at..];
    let name = rest.as_bytes().get(..TAG.len())?;
    if !name.eq_ignore_ascii_case(TAG.as_bytes()) {
        return None;
    }
    let mut id = None;
    let mut left = &rest[TAG.len()..];
    loop {
        let blank = left.trim_start_matches([' ', '\t']);
        if let Some(after) = blank.strip_prefix("/>") {
            return Some((id?, text.len() - after.len()));
        }
        if let Some(after) = blank.strip_prefix('>') {
            let is_close = after
                .as_bytes()
                .get(..TAG_CLOSE.len())
                .is_some_and(|tag| tag.eq_ignore_ascii_case(TAG_CLOSE.as_bytes()));
            let end = text.len() - after.len() + if is_close { TAG_CLOSE.len() } else { 0 };
            return Some((id?, end));
        }
        // An attribute stands apart from what is before it.
        if blank.len() == left.len() {
            return None;
        }
        let (name, value) = blank.split_at(blank.bytes().take(LONGEST_NAME + 1).position(|byte| byte == b'=')?);
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
            return None;
        }
        let quote = *value.as_bytes().get(1)?;
        if !matches!(quote, b'"' | b'\'') {
            return None;
        }
        let value = &value[2..];
        let end =
            value.bytes().take(LONGEST_ID + 1).position(|byte| byte == quote || byte == b'\n' || byte == b'\r')?;
        if value.as_bytes()[end] != quote {
            return None;
        }
        if name.eq_ignore_ascii_case("identifier") && end > 0 && id.is_none() {
            id = Some(&value[..end]);
        }
        left = &value[end + 1..];
    }
}

/// The id and the end of `{citation:ID}`.
fn parse_braces(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text[at..].strip_prefix(BRACES)?;
    let end = rest
        .bytes()
        .take(LONGEST_ID + 1)
        .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b'[' | b']' | b'<'))?;
    (end > 0 && rest.as_bytes()[end] == b'}').then(|| (&rest[..end], at + BRACES.len() + end + 1))
}

/// Returns the length of the HTML tag or autolink at the beginning of the bytes.
fn html_end(bytes: &[u8]) -> Option<usize> {
    let first = bytes.get(1)?;
    if !first.is_ascii_alphabetic() && *first != b'/' {
        return None;
    }
    let mut is_value = false;
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return Some(at + 1),
            b'<' | b'\n' => return None,
            b':' | b'=' => is_value = true,
            // Only an address or the value of an attribute holds these.
            b'[' | b'{' if !is_value => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The end of `(address "title")`, which makes a link of the brackets before it.
pub(crate) fn link_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let blank = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    let mut at = blank(at + 1);
    if bytes.get(at) == Some(&b'<') {
        at += 1;
        loop {
            match bytes.get(at)? {
                b'>' => break,
                b'<' | b'\n' => return None,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        at += 1;
    } else {
        let mut depth = 0;
        loop {
            match bytes.get(at)? {
                b'\\' => at += 1,
                b'(' => {
                    depth += 1;
                    if depth > DEEPEST {
                        return None;
                    }
                }
                b')' if depth == 0 => break,
                b')' => depth -= 1,
                byte if byte.is_ascii_whitespace() => {
                    if depth > 0 {
                        return None;
                    }
                    break;
                }
                _ => {}
            }
            at += 1;
        }
    }
    let after = blank(at);
    match bytes.get(after)? {
        b')' => return Some(after + 1),
        quote @ (b'"' | b'\'' | b'(') if after > at => {
            let close = if *quote == b'(' { b')' } else { *quote };
            at = after + 1;
            while *bytes.get(at)? != close {
                if close == b')' && bytes[at] == b'(' {
                    return None;
                }
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
        }
        _ => return None,
    }
    let end = blank(at + 1);
    (bytes.get(end) == Some(&b')')).then_some(end + 1)
}

/// Looks for the runs of backticks that close code spans.
///
/// A search that finds is passed over with what it found, and one that does not has seen the whole stretch: it notes
/// the last run of each length, so that no search has to fail twice.
#[derive(Default)]
struct BacktickRuns {
    is_whole: bool,
    /// Start of the last run seen, by the length of the run.
    last: HashMap<usize, usize>,
}

impl BacktickRuns {
    /// The end of the first run of a length from a byte on.
    fn find_closing_run(&mut self, bytes: &[u8], from: usize, length: usize) -> Option<usize> {
        if self.is_whole && self.last.get(&length).is_none_or(|&begin| begin < from) {
            return None;
        }
        let mut at = from;
        while let Some(skipped) = memchr(b'`', bytes.get(at..).unwrap_or_default()) {
            let begin = at + skipped;
            let run = bytes[begin..].iter().take_while(|&&byte| byte == b'`').count();
            at = begin + run;
            self.last.insert(run, begin);
            if run == length {
                return Some(at);
            }
        }
        self.is_whole = true;
        None
    }
}
