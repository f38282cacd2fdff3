//! Places in a text: spans, and the marks that say which page, section or cell a span lies in.

use serde::{Deserialize, Serialize};

/// A half-open range of Unicode scalar values in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Index of the first character.
    #[serde(rename = "start_char")]
    pub start: usize,
    /// One past the last character.
    #[serde(rename = "end_char")]
    pub end: usize,
}

impl Span {
    /// The span from `start` to `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the length in characters.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// True if it covers no characters.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// True if the character at `place` is in the span.
    pub const fn contains(self, place: usize) -> bool {
        self.start <= place && place < self.end
    }

    /// True if the two spans share at least one character.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The words it points at, if it lies within `text`.
    pub fn slice_of(self, text: &str) -> Option<&str> {
        if self.start > self.end {
            return None;
        }
        let mut places = text.char_indices().map(|(byte, _)| byte).chain([text.len()]);
        let from = places.nth(self.start)?;
        let to = if self.is_empty() { from } else { places.nth(self.len() - 1)? };
        text.get(from..to)
    }
}

/// Finds characters of one text by their number without walking the text from its beginning: for whoever reads many
/// spans of it.
#[derive(Clone, Debug)]
pub struct CharIndex<'text> {
    text: &'text str,
    chars: usize,
    /// The byte of every 256th character; empty where a character is a byte.
    steps: Vec<usize>,
}

impl<'text> CharIndex<'text> {
    /// Characters between two that are known.
    const STEP: usize = 256;

    /// Builds the index in one pass over the text.
    pub fn new(text: &'text str) -> Self {
        if text.is_ascii() {
            return Self { text, chars: text.len(), steps: Vec::new() };
        }
        let mut steps = Vec::with_capacity(text.len() / Self::STEP + 1);
        let mut chars = 0;
        for (byte, _) in text.char_indices() {
            if chars % Self::STEP == 0 {
                steps.push(byte);
            }
            chars += 1;
        }
        Self { text, chars, steps }
    }

    /// Returns the text that was indexed.
    pub const fn text(&self) -> &'text str {
        self.text
    }

    /// Returns the length of the text, in characters.
    pub const fn len(&self) -> usize {
        self.chars
    }

    /// True if the text has no characters.
    pub const fn is_empty(&self) -> bool {
        self.chars == 0
    }

    /// The byte that a character begins at; the text's length for the place after the last one.
    pub fn byte_offset(&self, place: usize) -> Option<usize> {
        if place >= self.chars {
            return (place == self.chars).then_some(self.text.len());
        }
        let Some(&from) = self.steps.get(place / Self::STEP) else { return Some(place) };
        let (within, _) = self.text.get(from..)?.char_indices().nth(place % Self::STEP)?;
        Some(from + within)
    }

    /// The number of the character that begins at a byte.
    pub fn char_offset(&self, byte: usize) -> Option<usize> {
        if !self.text.is_char_boundary(byte) {
            return None;
        }
        let step = self.steps.partition_point(|&known| known <= byte);
        let Some(step) = step.checked_sub(1) else { return Some(byte) };
        let from = *self.steps.get(step)?;
        Some(step * Self::STEP + self.text.get(from..byte)?.chars().count())
    }

    /// The words that a span points at, if it lies within the text.
    pub fn span_text(&self, span: Span) -> Option<&'text str> {
        if span.start > span.end {
            return None;
        }
        self.text.get(self.byte_offset(span.start)?..self.byte_offset(span.end)?)
    }

    /// The span of a range of bytes, if both ends lie between characters.
    pub fn span_of_bytes(&self, bytes: std::ops::Range<usize>) -> Option<Span> {
        Some(Span::new(self.char_offset(bytes.start)?, self.char_offset(bytes.end)?))
    }
}

/// A text from outside as one line of at most so many characters, without control characters: fit to be a label.
pub fn single_line(text: &str, most: usize) -> String {
    let spaced = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line = String::new();
    for (count, c) in spaced.enumerate() {
        if count >= most.saturating_mul(8) {
            break;
        }
        if !(c.is_whitespace() && (line.is_empty() || line.ends_with(' '))) {
            line.push(if c.is_whitespace() { ' ' } else { c });
        }
    }
    let cut = line.char_indices().nth(most).map_or(line.len(), |(byte, _)| byte);
    line.truncate(cut);
    line.truncate(line.trim_end().len());
    line
}

macro_rules! mark_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// What a mark stands for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum MarkKind {
            $($(#[$doc])* $variant,)*
        }

        impl MarkKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name it is stored under.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The kind of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
            }
        }
    };
}

mark_kinds! {
    /// A page of a PDF or a slide of a deck; `number` counts from 1.
    Page = "page";
    /// From a heading to the next one of the same or a higher level; `level` is the heading's.
    Section = "section";
    /// A sheet of a workbook.
    Sheet = "sheet";
    /// A range of cells, as in `B2:D2`.
    Cells = "cells";
    /// One message of a mailbox or thread.
    Message = "message";
    /// A file that came with a message.
    Attachment = "attachment";
}

/// A named part of a text. Marks may nest and overlap; each has its own span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub kind: MarkKind,
    /// Name for people: the page's label, the heading's words or the sheet's name.
    pub label: String,
    /// Position in its sequence, from 1; `None` if it is not numbered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Nesting depth of a section, from 1; 0 for marks that do not nest.
    #[serde(default)]
    pub level: u8,
    /// Range of the text that it covers.
    #[serde(flatten)]
    pub span: Span,
}

/// Location of a span in terms that people use: page, section, sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The page that the span starts on.
    pub page: Option<u32>,
    /// The headings above it, outermost first.
    pub section: Vec<String>,
    /// Name of the sheet, in a workbook.
    pub sheet: Option<String>,
    /// The cells it covers: the first to the last range.
    pub cells: Option<String>,
    /// The message or attachment it belongs to.
    pub part: Option<String>,
}

/// Returns the location of `span`, as the marks around it tell.
pub fn locate_span(marks: &[Mark], span: Span) -> Place {
    let mut place = Place::default();
    let mut sections: Vec<&Mark> = Vec::new();
    let mut cells: Vec<&str> = Vec::new();
    for mark in marks {
        // A section belongs to where the span starts; cells are those it touches.
        let here = mark.span.contains(span.start);
        match mark.kind {
            MarkKind::Page if here => place.page = mark.number,
            MarkKind::Section if here => sections.push(mark),
            MarkKind::Sheet if here => place.sheet = Some(mark.label.clone()),
            MarkKind::Message | MarkKind::Attachment if here => place.part = Some(mark.label.clone()),
            MarkKind::Cells if mark.span.overlaps(span) => cells.push(&mark.label),
            _ => {}
        }
    }
    sections.sort_by_key(|mark| (mark.span.start, mark.level));
    place.section = sections.into_iter().map(|mark| mark.label.clone()).collect();
    place.cells = match cells.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        [first, .., last] => {
            let from = first.split(':').next().unwrap_or(first);
            let to = last.rsplit(':').next().unwrap_or(last);
            Some(format!("{from}:{to}"))
        }
    };
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(kind: MarkKind, label: &str, level: u8, start: usize, end: usize) -> Mark {
        Mark { kind, label: label.to_owned(), number: label.parse().ok(), level, span: Span::new(start, end) }
    }

    #[test]
    fn a_span_counts_characters_not_bytes() {
        let text = "aé😀e\u{301}z";
        assert_eq!(Span::new(1, 3).slice_of(text), Some("é😀"));
        assert_eq!(Span::new(0, 6).slice_of(text), Some(text));
        assert_eq!(Span::new(6, 6).slice_of(text), Some(""));
        assert_eq!(Span::new(6, 7).slice_of(text), None);
        assert_eq!(Span::new(3, 2).slice_of(text), None);
    }

    #[test]
    fn an_index_finds_what_a_walk_finds() {
        let mixed = "aé😀e\u{301}z ".repeat(200);
        let plain = "plain text ".repeat(100);
        for text in ["", "é", plain.as_str(), mixed.as_str()] {
            let index = CharIndex::new(text);
            let chars = text.chars().count();
            assert_eq!(index.len(), chars);
            for start in (0..=chars + 1).step_by(7) {
                for span in [Span::new(start, start), Span::new(start, start + 300), Span::new(start, chars)] {
                    assert_eq!(index.span_text(span), span.slice_of(text), "{span:?}");
                }
            }
            for (place, (byte, _)) in text.char_indices().enumerate() {
                assert_eq!(index.byte_offset(place), Some(byte));
                assert_eq!(index.char_offset(byte), Some(place));
            }
            assert_eq!(index.span_of_bytes(0..text.len()), Some(Span::new(0, chars)));
        }
        assert_eq!(CharIndex::new("é").char_offset(1), None);
        assert_eq!(CharIndex::new("abc").span_text(Span::new(2, 1)), None);
    }

    #[test]
    fn a_label_is_one_line_of_bounded_length() {
        assert_eq!(single_line("  a\u{0}b\n\n c\t", 10), "a b c");
        assert_eq!(single_line("äöü und mehr", 4), "äöü");
        assert_eq!(single_line(&" x".repeat(9000), 3), "x x");
        assert_eq!(single_line("\u{1}\u{2}", 5), "");
    }

    #[test]
    fn a_place_names_the_page_the_headings_and_the_cells() {
        let marks = [
            mark(MarkKind::Page, "1", 0, 0, 50),
            mark(MarkKind::Page, "2", 0, 50, 100),
            mark(MarkKind::Section, "Methods", 1, 10, 100),
            mark(MarkKind::Section, "Sampling", 2, 60, 100),
            mark(MarkKind::Cells, "A1:C1", 0, 60, 70),
            mark(MarkKind::Cells, "A2:C2", 0, 71, 80),
        ];
        let found = locate_span(&marks, Span::new(65, 75));
        assert_eq!(found.page, Some(2));
        assert_eq!(found.section, ["Methods", "Sampling"]);
        assert_eq!(found.cells.as_deref(), Some("A1:C2"));
        assert_eq!(locate_span(&marks, Span::new(5, 9)).section, Vec::<String>::new());
    }
}
