//! What of a stream may be shown already: everything before a marker of which only a part has come.
//!
//! A machine that looks at each byte once, so that what is released after a number of bytes does not depend on how
//! they were cut into chunks, not even within a character. A newline releases whatever is held, and nothing is held
//! for longer than [`LONGEST_HELD`] bytes: a stray bracket delays a line, never the answer.

use memchr::{memchr3, memchr3_iter};

use crate::inline::{BRACES, TAG, TAG_CLOSE, tag};

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
    /// What has come and is not released.
    held: Vec<u8>,
    /// How much of it the machine has seen.
    seen: usize,
    /// Where in it the marker begins that is being read.
    start: usize,
    /// Where in it the first word stands that this marker keeps from being shown: its own beginning, or that of one
    /// around it that it may turn out to end.
    kept: usize,
    state: State,
    /// Whether what was released ends in a backslash that escapes what follows.
    escapes: bool,
    /// Whether a line has begun with what was released, and nothing has come in it yet.
    is_in_line: bool,
}

/// What has been read of a marker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing.
    #[default]
    Free,
    /// `[…`
    Bracket { is_escaped: bool },
    /// `[…]`: what follows says whether it is a link or a definition.
    Closed,
    /// `[…](…`
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
    /// `{citation:…`
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
            self.escapes = escapes(chunk, self.escapes);
            self.is_in_line = is_in_line(chunk, self.is_in_line);
            return text.to_owned();
        }
        self.held.extend_from_slice(chunk);
        self.run();
        let ready = if self.state == State::Free { self.held.len() } else { self.kept };
        self.release(whole(&self.held, ready))
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
        self.escapes = escapes(&released, self.escapes);
        self.is_in_line = is_in_line(&released, self.is_in_line);
        self.seen = self.seen.saturating_sub(ready);
        self.start = self.start.saturating_sub(ready);
        self.kept = self.kept.saturating_sub(ready);
        String::from_utf8(released).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned())
    }

    /// Moves the machine to the end of what has come.
    fn run(&mut self) {
        let mut within = None;
        while self.seen < self.held.len() {
            if self.state == State::Free {
                let Some(length) = memchr3(b'[', b'<', b'{', &self.held[self.seen..]) else {
                    self.seen = self.held.len();
                    return;
                };
                let at = self.seen + length;
                self.seen = at + 1;
                if !escapes(&self.held[..at], self.escapes) {
                    self.start = at;
                    self.kept = within.take().unwrap_or(at);
                    self.state = match self.held[at] {
                        b'[' => State::Bracket { is_escaped: false },
                        b'<' => State::TagName(1),
                        _ => State::BracesName(1),
                    };
                }
                continue;
            }
            let byte = self.held[self.seen];
            let (state, takes) = self.step(byte);
            let was = std::mem::replace(&mut self.state, state);
            self.seen += usize::from(takes);
            if byte == b'\n' {
                self.state = State::Free;
            } else if self.state == State::Free {
                if let Some(at) = self.begins_within(was) {
                    within = Some(self.kept);
                    self.seen = at;
                }
            } else if self.seen - self.kept > LONGEST_HELD {
                // It was no marker, but one may have begun since.
                self.state = State::Free;
                self.seen = self.start + 1;
            }
        }
    }

    /// Where in what was read, and has just ended, another marker may have begun whose end is yet to come: the words
    /// looked like a tag or a link, and only the parser tells whether they are one.
    fn begins_within(&self, was: State) -> Option<usize> {
        let read = &self.held[self.start..self.seen];
        let is_tag = matches!(was, State::Tag { .. } | State::TagClose(_))
            && std::str::from_utf8(read).is_ok_and(|text| tag(text, 0).is_some_and(|(_, end)| end == read.len()));
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
            let is_open = rest[0] == b'[' && !matches!(was, State::Bracket { .. } | State::Closed);
            let is_escaped = escapes(&self.held[..self.start + at], self.escapes);
            (!is_escaped && (is_open || begins(TAG) || begins(BRACES))).then_some(self.start + at)
        })
    }

    /// The state after a byte, and whether the byte belongs to what was read.
    fn step(&mut self, byte: u8) -> (State, bool) {
        use State::*;
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
            TagName(length) => match name(TAG, length, byte) {
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
            TagClose(length) => match name(TAG_CLOSE, length, byte) {
                Some(true) => (Free, true),
                Some(false) => (TagClose(length + 1), true),
                None => (Free, false),
            },
            BracesName(length) => match name(BRACES, length, byte) {
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

/// Whether a byte goes on with a name, and whether it ends it.
fn name(name: &str, length: usize, byte: u8) -> Option<bool> {
    let next = name.as_bytes().get(length)?;
    next.eq_ignore_ascii_case(&byte).then_some(length + 1 == name.len())
}

/// Whether a byte after these is escaped.
fn escapes(bytes: &[u8], before: bool) -> bool {
    let backslashes = bytes.iter().rev().take_while(|&&byte| byte == b'\\').count();
    (backslashes % 2 == 1) != (before && backslashes == bytes.len())
}

/// What a line can begin with: blank space, and the signs of quotes and lists.
const PREFIX: &[u8] = b" \t>-*+.)0123456789";

/// Whether these end within a line that has something else in it than what lines begin with.
fn is_in_line(bytes: &[u8], before: bool) -> bool {
    match bytes.iter().rev().find(|byte| !PREFIX.contains(byte)) {
        Some(byte) => *byte != b'\n',
        None => before,
    }
}

/// So many of the bytes, but no part of a character that may still get its end.
fn whole(bytes: &[u8], ready: usize) -> usize {
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
