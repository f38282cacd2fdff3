//! The forms of a marker, and the one parser for them.
//!
//! | form | kind |
//! |---|---|
//! | `[1]`, `[2, 3]`, `[1-3]`, `[1][2]` (two markers) | numbers |
//! | `[report.pdf]` | label |
//! | `<gml-inlinecitation identifier="…"/>` | tag |
//! | `{citation:ID}` | braces |
//! | `[label]: url` at the start of a line | definition |
//!
//! What Markdown means otherwise is no marker: links, images, footnotes, task boxes, code, math, escaped brackets.
//! No marker goes over the end of a line. Parsing takes time in proportion to the text, whatever the text is.

use std::{collections::HashSet, fmt, ops::Range};

use ibid_domain::Span;
use smallvec::SmallVec;

use crate::{inline, markdown};

/// The longest label, in characters: that of Markdown.
pub const LONGEST_LABEL: usize = 999;
/// The longest identifier in a tag or in braces, in bytes.
pub const LONGEST_ID: usize = 2048;
/// The most sources that one marker can name.
pub const MOST_NUMBERS: usize = 100;

/// A place in a text that names sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Position in the text, in characters.
    pub span: Span,
    /// Position in the text, in bytes.
    pub bytes: Range<usize>,
    /// Kind of marker, with the sources it names.
    pub kind: MarkerKind,
}

/// The numbers of a marker; most name one or two.
pub type MarkerNumbers = SmallVec<[u32; 4]>;

/// Kind of a citation marker, with the sources that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkerKind {
    /// Sources by number, each once, in the order written: `[1]`, `[2, 3]`, `[1-3]`.
    Numbers(MarkerNumbers),
    /// A source by its name: `[report.pdf]`. Brackets in prose look the same; only the sources tell them apart.
    Label(String),
    /// A source by its id: `<gml-inlinecitation identifier="…"/>`.
    Tag(String),
    /// A source by its id: `{citation:ID}`.
    Braces(String),
    /// A link reference definition: `[label]: url`.
    Definition { label: String, url: String },
}

impl Marker {
    /// A marker whose characters are yet to be counted.
    pub(crate) const fn at_bytes(bytes: Range<usize>, kind: MarkerKind) -> Self {
        Self { span: Span::new(0, 0), bytes, kind }
    }
}

/// The marker as it is written; parsing it gives the same kind again.
impl fmt::Display for MarkerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbers(numbers) => {
                f.write_str("[")?;
                let mut at = 0;
                while let Some(&first) = numbers.get(at) {
                    let run = numbers[at..].iter().zip(first..).take_while(|(number, next)| *number == next).count();
                    let separator = if at == 0 { "" } else { ", " };
                    // Two in a row are no range to a reader.
                    if run > 2 {
                        write!(f, "{separator}{first}-{}", numbers[at + run - 1])?;
                        at += run;
                    } else {
                        write!(f, "{separator}{first}")?;
                        at += 1;
                    }
                }
                f.write_str("]")
            }
            Self::Label(label) => write!(f, "[{}]", EscapedLabel(label)),
            Self::Tag(id) => write!(f, "<gml-inlinecitation identifier=\"{id}\"/>"),
            Self::Braces(id) => write!(f, "{{citation:{id}}}"),
            Self::Definition { label, url } => write!(f, "[{}]: {url}", EscapedLabel(label)),
        }
    }
}

/// A label with what would end it escaped.
struct EscapedLabel<'label>(&'label str);

impl fmt::Display for EscapedLabel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            if matches!(char, '[' | ']' | '\\' | '`' | '<' | '$' | '{') {
                f.write_str("\\")?;
            }
            write!(f, "{char}")?;
        }
        Ok(())
    }
}

/// Every marker of a text, in order; none overlaps another.
pub fn parse_markers(text: &str) -> Vec<Marker> {
    let mut blocks = markdown::parse_blocks(text);
    let mut markers = std::mem::take(&mut blocks.definitions);
    let definitions = markers.len();
    inline::scan_inline(text, &blocks, &mut markers);
    if definitions > 0 {
        markers.sort_by_key(|marker| marker.bytes.start);
    }
    let (mut seen, mut chars) = (0, 0);
    let mut count = |to: usize| {
        chars += text[seen..to].chars().count();
        seen = to;
        chars
    };
    for marker in &mut markers {
        marker.span = Span::new(count(marker.bytes.start), count(marker.bytes.end));
    }
    markers
}

/// The text with each marker replaced by what `write` gives for it; `None` leaves it as it is.
pub fn rewrite_markers(text: &str, markers: &[Marker], mut write: impl FnMut(&Marker) -> Option<String>) -> String {
    let mut written = String::with_capacity(text.len());
    let mut from = 0;
    for marker in markers {
        if let Some(instead) = write(marker) {
            written.push_str(&text[from..marker.bytes.start]);
            written.push_str(&instead);
            from = marker.bytes.end;
        }
    }
    written.push_str(&text[from..]);
    written
}

/// Characters that separate the numbers of a marker.
const SEPARATORS: [char; 5] = [',', ';', '，', '、', '；'];

/// The sources that the words between two brackets name by number.
pub(crate) fn parse_numbers(content: &str) -> Option<MarkerNumbers> {
    // Most brackets hold words.
    if !content.trim_start().starts_with(|char: char| char.is_ascii_digit()) {
        return None;
    }
    let mut numbers = MarkerNumbers::new();
    for part in content.split(SEPARATORS) {
        let part = part.trim();
        match part.split_once(['-', '–', '—', '−', '‑']) {
            None => numbers.push(parse_number(part)?),
            Some((first, last)) => {
                let (first, last) = (parse_number(first.trim_end())?, parse_number(last.trim_start())?);
                if first > last || (last - first) as usize >= MOST_NUMBERS {
                    return None;
                }
                numbers.extend(first..=last);
            }
        }
        if numbers.len() > MOST_NUMBERS {
            return None;
        }
    }
    // A range alone has each number once.
    if content.contains(SEPARATORS) {
        let mut known = HashSet::new();
        numbers.retain(|number| known.insert(*number));
    }
    Some(numbers)
}

fn parse_number(digits: &str) -> Option<u32> {
    let is_number = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}
