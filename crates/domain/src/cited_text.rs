//! A text taken apart: the blocks it has, the citation markers in it, and what it says without them.
//!
//! The grammar of citations makes a [`CitedText`]; who looks for the claims of a text needs no more than this.

use std::ops::Range;

/// A text whose blocks and citation markers are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedText<'text> {
    pub text: &'text str,
    /// Stretches of prose, in order; code and markup are in none of them.
    pub blocks: Vec<TextBlock>,
    /// The markers, in order; none overlaps another.
    pub markers: Vec<MarkerRange>,
}

/// A stretch of text that no sentence reaches beyond.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBlock {
    /// Position in the text, in bytes.
    pub bytes: Range<usize>,
    pub kind: BlockKind,
}

/// What a stretch of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Paragraph text, split into sentences later.
    Prose,
    Heading,
    /// A row of a table, whose cells are claims.
    Row,
}

/// Where a citation marker stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerRange {
    /// Position in the text, in bytes.
    pub bytes: Range<usize>,
    /// True if it says what a label stands for, and cites nothing itself.
    pub is_definition: bool,
}

/// The text without its markers.
///
/// The blank space and the brackets that were there only for a marker go with it, and so do the signs between two:
/// `Said ([1], [2]).` becomes `Said.`, and a line that held nothing else is gone.
pub fn without_markers<'a>(text: &str, markers: impl IntoIterator<Item = &'a MarkerRange>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut from = 0;
    let mut markers = markers.into_iter().peekable();
    while let Some(marker) = markers.next() {
        plain.push_str(&text[from..marker.bytes.start]);
        let mut end = marker.bytes.end;
        let mut is_definition = marker.is_definition;
        // Several that stand together go together.
        while let Some(next) = markers.peek()
            && is_marker_separator(&text[end..next.bytes.start])
        {
            end = next.bytes.end;
            is_definition |= next.is_definition;
            markers.next();
        }
        from = end;
        close_gap(&mut plain, text, &mut from, is_definition);
    }
    plain.push_str(&text[from..]);
    plain
}

/// Returns true if the text between two markers is there only because of them.
fn is_marker_separator(between: &str) -> bool {
    let signs = between.trim_matches([' ', '\t']);
    between.len() < 8 && (signs.is_empty() || matches!(signs, "," | ";" | "-" | "–" | "—" | "&" | "，" | "、"))
}

/// Makes what is before a marker and what is after it fit.
fn close_gap(plain: &mut String, text: &str, from: &mut usize, is_definition: bool) {
    loop {
        let rest = &text[*from..];
        let after = rest.trim_start_matches([' ', '\t']);
        let before = plain.trim_end_matches([' ', '\t']);
        // Brackets around nothing.
        let around = [('(', ')'), ('[', ']'), ('（', '）')];
        if let Some((open, close)) =
            around.into_iter().find(|&(open, close)| before.ends_with(open) && after.starts_with(close))
        {
            let kept = before.len() - open.len_utf8();
            plain.truncate(kept);
            *from = text.len() - after.len() + close.len_utf8();
            continue;
        }
        let begins_line = before.is_empty() || before.ends_with('\n');
        let ends_line = after.is_empty() || after.starts_with(['\n', '\r']);
        if is_definition && begins_line && ends_line {
            // A line of its own goes with its end.
            let kept = before.len();
            plain.truncate(kept);
            let next = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
            *from = text.len() - next.len();
        } else if ends_line || after.starts_with(is_closing_punctuation) {
            let kept = before.len();
            plain.truncate(kept);
            *from = text.len() - after.len();
        } else if before.len() < plain.len() || begins_line || plain.ends_with(is_opening_punctuation) {
            *from = text.len() - after.len();
        }
        return;
    }
}

/// Returns true for punctuation that has no space before it.
fn is_closing_punctuation(char: char) -> bool {
    matches!(
        char,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | ')'
            | ']'
            | '}'
            | '”'
            | '’'
            | '»'
            | '…'
            | '。'
            | '，'
            | '；'
            | '：'
            | '！'
            | '？'
            | '、'
            | '）'
            | '」'
            | '』'
            | '؟'
            | '،'
            | '؛'
            | '۔'
            | '।'
    )
}

/// Returns true for punctuation that has no space after it.
fn is_opening_punctuation(char: char) -> bool {
    matches!(char, '(' | '[' | '{' | '“' | '‘' | '«' | '（' | '「' | '『')
}
