//! What of a stream may be shown already: everything before a marker of which only a part has come.
//!
//! A machine that looks at each byte once, so that what is released after a number of bytes does not depend on how
//! they were cut into chunks, not even within a character. A newline releases whatever is held, and nothing is held
//! for longer than [`LONGEST_HELD`] bytes: a stray bracket delays a line, never the answer.

use memchr::{memchr3, memchr3_iter};

use crate::inline::{BRACES, TAG, TAG_CLOSE, parse_tag};

/// The most bytes held back: the longest label, each of its characters as long as one can be, and its brackets.
pub const LONGEST_HELD: usize = 4 * crate::grammar::LONGEST_LABEL + 2;

/// Holds back the beginning of a marker until the rest of it has come.
///
/// ```
/// # use ibid_citations::CitationBuffer;
/// let mut buffer = CitationBuffer::new();
/// assert_eq!(buffer.feed("As shown [1"), "As shown ");
/// assert_eq!(buffer.feed("2]."), "[12].");
/// assert_eq!(buffer.finish(), "");
/// ```
#[derive(Debug, Default)]
pub struct CitationBuffer {
    /// Bytes received but not released yet.
    held: Vec<u8>,
    /// Number of held bytes that the state machine has processed.
    seen: usize,
    /// Position in the held bytes where the current marker begins.
    start: usize,
    /// Position of the first held byte that must not be released yet: the beginning of the current marker, or of an
    /// outer marker that it may complete.
    kept: usize,
    state: MarkerState,
    /// True if the released text ends in a backslash that escapes the next character.
    escapes: bool,
    /// True if the released text ends in a line that has content, so that what follows cannot begin a block.
    is_in_line: bool,
}

/// Part of a marker that has been read so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MarkerState {
    /// Outside of any marker; text passes through.
    #[default]
    Free,
    /// Inside a label: `[…` without the closing bracket.
    Bracket { is_escaped: bool },
    /// `[…]`: what follows says whether it is a link or a definition.
    Closed,
    /// Inside a link target: `[…](…` without the closing parenthesis.
    Target { depth: usize, is_escaped: bool },
    /// `[…]:` at the start of a line; a title may follow the address.
    Definition,
    /// So many bytes of the name of a tag.
    TagName(usize),
    /// The attributes of a tag; within a value, the quote that ends it.
    Tag { quote: Option<u8>, is_slash: bool },
    /// So many bytes of what closes a tag.
    TagClose(usize),
    /// So many bytes of `{citation:`.
    BracesName(usize),
    /// Inside an id in braces: `{citation:…`
    Braces,
}

impl CitationBuffer {
    /// A buffer at the beginning of a text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes what came, and gives what may be shown of all that has come so far.
    pub fn feed(&mut self, chunk: impl AsRef<[u8]>) -> String {
        let chunk = chunk.as_ref();
        // Most tokens have nothing to do with a marker.
        if self.held.is_empty()
            && let Ok(text) = std::str::from_utf8(chunk)
            && memchr3(b'[', b'<', b'{', chunk).is_none()
        {
            self.escapes = ends_in_escape(chunk, self.escapes);
            self.is_in_line = is_in_line(chunk, self.is_in_line);
            return text.to_owned();
        }
        self.held.extend_from_slice(chunk);
        self.advance();
        let ready = if self.state == MarkerState::Free { self.held.len() } else { self.kept };
        self.release(complete_chars_len(&self.held, ready))
    }

    /// Gives what is left at the end of the stream.
    pub fn finish(mut self) -> String {
        self.release(self.held.len())
    }

    fn release(&mut self, ready: usize) -> String {
        if ready == 0 {
            return String::new();
        }
        let rest = self.held.split_off(ready);
        let released = std::mem::replace(&mut self.held, rest);
        self.escapes = ends_in_escape(&released, self.escapes);
        self.is_in_line = is_in_line(&released, self.is_in_line);
        self.seen = self.seen.saturating_sub(ready);
        self.start = self.start.saturating_sub(ready);
        self.kept = self.kept.saturating_sub(ready);
        String::from_utf8(released).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned())
    }

    /// Moves the machine to the end of what has come.
    fn advance(&mut self) {
        let mut within = None;
        while self.seen < self.held.len() {
            if self.state == MarkerState::Free {
                let Some(length) = memchr3(b'[', b'<', b'{', &self.held[self.seen..]) else {
                    self.seen = self.held.len();
                    return;
                };
                let at = self.seen + length;
                self.seen = at + 1;
                if !ends_in_escape(&self.held[..at], self.escapes) {
                    self.start = at;
                    self.kept = within.take().unwrap_or(at);
                    self.state = match self.held[at] {
                        b'[' => MarkerState::Bracket { is_escaped: false },
                        b'<' => MarkerState::TagName(1),
                        _ => MarkerState::BracesName(1),
                    };
                }
                continue;
            }
            let byte = self.held[self.seen];
            let (state, takes) = self.next_state(byte);
            let was = std::mem::replace(&mut self.state, state);
            self.seen += usize::from(takes);
            if byte == b'\n' {
                self.state = MarkerState::Free;
            } else if self.state == MarkerState::Free {
                if let Some(at) = self.begins_within(was) {
                    within = Some(self.kept);
                    self.seen = at;
                }
            } else if self.seen - self.kept > LONGEST_HELD {
                // It was no marker, but one may have begun since.
                self.state = MarkerState::Free;
                self.seen = self.start + 1;
            }
        }
    }

    /// Returns the position where another marker may begin inside the text that was just completed. The text looked
    /// like a tag or a link, and only the parser can tell if it is one.
    fn begins_within(&self, was: MarkerState) -> Option<usize> {
        let read = &self.held[self.start..self.seen];
        let is_tag = matches!(was, MarkerState::Tag { .. } | MarkerState::TagClose(_))
            && std::str::from_utf8(read).is_ok_and(|text| parse_tag(text, 0).is_some_and(|(_, end)| end == read.len()));
        if is_tag {
            return None;
        }
        memchr3_iter(b'[', b'<', b'{', &read[1..]).map(|at| at + 1).find_map(|at| {
            let rest = &read[at..];
            let begins = |name: &str| {
                let length = rest.len().min(name.len());
                rest[..length].eq_ignore_ascii_case(&name.as_bytes()[..length])
            };
            // What a bracket holds that is closed by another is no marker.
            let is_open = rest[0] == b'[' && !matches!(was, MarkerState::Bracket { .. } | MarkerState::Closed);
            let is_escaped = ends_in_escape(&self.held[..self.start + at], self.escapes);
            (!is_escaped && (is_open || begins(TAG) || begins(BRACES))).then_some(self.start + at)
        })
    }

    /// The state after a byte, and whether the byte belongs to what was read.
    fn next_state(&mut self, byte: u8) -> (MarkerState, bool) {
        use MarkerState::*;
        match self.state {
            Bracket { is_escaped: true } => (Bracket { is_escaped: false }, true),
            Bracket { .. } => match byte {
                b'\\' => (Bracket { is_escaped: true }, true),
                b']' => (Closed, true),
                // Only the innermost bracket can be a marker.
                b'[' => (Free, false),
                _ => (self.state, true),
            },
            Closed => match byte {
                b'(' => (Target { depth: 0, is_escaped: false }, true),
                b':' if !is_in_line(&self.held[..self.start], self.is_in_line) => (Definition, true),
                _ => (Free, false),
            },
            Target { depth, is_escaped: true } => (Target { depth, is_escaped: false }, true),
            Target { depth, .. } => match byte {
                b'\\' => (Target { depth, is_escaped: true }, true),
                b'(' => (Target { depth: depth + 1, is_escaped: false }, true),
                b')' if depth == 0 => (Free, true),
                b')' => (Target { depth: depth - 1, is_escaped: false }, true),
                _ => (self.state, true),
            },
            Definition => (Definition, true),
            TagName(length) => match match_name_byte(TAG, length, byte) {
                Some(true) => (Tag { quote: None, is_slash: false }, true),
                Some(false) => (TagName(length + 1), true),
                None => (Free, false),
            },
            Tag { quote: Some(quote), .. } => (Tag { quote: (byte != quote).then_some(quote), is_slash: false }, true),
            Tag { is_slash, .. } => match byte {
                b'>' if is_slash => (Free, true),
                b'>' => (TagClose(0), true),
                b'"' | b'\'' => (Tag { quote: Some(byte), is_slash: false }, true),
                b'<' => (Free, false),
                _ => (Tag { quote: None, is_slash: byte == b'/' }, true),
            },
            TagClose(length) => match match_name_byte(TAG_CLOSE, length, byte) {
                Some(true) => (Free, true),
                Some(false) => (TagClose(length + 1), true),
                None => (Free, false),
            },
            BracesName(length) => match match_name_byte(BRACES, length, byte) {
                Some(true) => (Braces, true),
                Some(false) => (BracesName(length + 1), true),
                None => (Free, false),
            },
            Braces => match byte {
                b'}' => (Free, true),
                b'{' | b'[' | b']' | b'<' => (Free, false),
                _ if byte.is_ascii_whitespace() => (Free, false),
                _ => (Braces, true),
            },
            Free => (Free, false),
        }
    }
}

/// Returns `None` if the byte does not continue the name, else if it completes the name.
fn match_name_byte(name: &str, length: usize, byte: u8) -> Option<bool> {
    let next = name.as_bytes().get(length)?;
    next.eq_ignore_ascii_case(&byte).then_some(length + 1 == name.len())
}

/// Returns true if the byte after these would be escaped.
fn ends_in_escape(bytes: &[u8], before: bool) -> bool {
    let backslashes = bytes.iter().rev().take_while(|&&byte| byte == b'\\').count();
    (backslashes % 2 == 1) != (before && backslashes == bytes.len())
}

/// Bytes that can precede the content of a line: white space, quote marks and list markers.
const PREFIX: &[u8] = b" \t>-*+.)0123456789";

/// Returns true if the bytes end in a line that has more than white space, quote marks and list markers.
fn is_in_line(bytes: &[u8], before: bool) -> bool {
    match bytes.iter().rev().find(|byte| !PREFIX.contains(byte)) {
        Some(byte) => *byte != b'\n',
        None => before,
    }
}

/// So many of the bytes, but no part of a character that may still get its end.
fn complete_chars_len(bytes: &[u8], ready: usize) -> usize {
    for length in 1..=ready.min(3) {
        let tail = &bytes[ready - length..ready];
        if tail[0] >= 0xC0 {
            let waits = std::str::from_utf8(tail).is_err_and(|bad| bad.error_len().is_none());
            // What has come after it has already ended it.
            return if waits && ready == bytes.len() { ready - length } else { ready };
        }
    }
    ready
}
