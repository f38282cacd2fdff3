//! What a line shows before it is read: marks of lists and headings, code, the close of a letter.

use std::ops::Range;

use ibid_domain::Category;
use ibid_language::{one_line, words::lower};

use super::{
    lexicon::{GazetteerType, LEXICON},
    tokens::{LexiconToken, LexiconTokenKind},
    traits::{CLOSING, COMMON, FAMILY, GIVEN, HEADER, LABEL},
};

/// Form of the line that a sentence is in.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineContext {
    /// True if the line is a list item.
    pub item: bool,
    /// A box before it: `Some(true)` if it is ticked.
    pub ticked: Option<bool>,
    /// True if the line is a heading.
    pub heading: bool,
    /// True if the line quotes another message.
    pub quoted: bool,
    /// It ends as a sentence does.
    pub ends: bool,
    /// Category from the label or section; true if the label is the line's own.
    pub category: Option<(Category, bool)>,
}

/// Returns true if all longer words begin with a capital, as in a title.
pub fn capitals_everywhere(tokens: &[LexiconToken]) -> bool {
    let mut long = tokens.iter().filter(|token| token.kind == LexiconTokenKind::Word && token.end - token.start > 3);
    let mut any = false;
    long.all(|token| {
        any = true;
        token.shape.capital || token.shape.camel
    }) && any
}

/// Returns true if a line closes a letter: `Best regards,`, `Yours sincerely`, `--`.
pub fn is_closing(tokens: &[LexiconToken]) -> bool {
    let words: Vec<&LexiconToken> = tokens.iter().filter(|token| token.kind == LexiconTokenKind::Word).collect();
    if words.is_empty() {
        return tokens.len() <= 3 && tokens.iter().all(|token| token.is_sign('-') || token.is_sign('—'));
    }
    if words.len() > 5 {
        return false;
    }
    let ends = tokens.last().is_some_and(|last| !last.is_sign('.'));
    let closing = |token: &&&LexiconToken| token.has_trait(CLOSING);
    let named = words.iter().any(|token| token.has_trait(GIVEN) && !token.has_trait(COMMON | LABEL));
    ends && !named && words.iter().filter(closing).count() * 2 >= words.len().min(2)
}

/// Skips what marks an item, a heading or a quotation; the byte where the words begin, and what the marks say.
pub fn skip_marker(text: &str, range: Range<usize>) -> (usize, LineContext) {
    let mut stand = LineContext::default();
    let mut at = range.start;
    for _ in 0..8 {
        let rest = text.get(at..range.end).unwrap_or("");
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let mut chars = trimmed.chars();
        let spaced = |rest: &str| rest.starts_with(char::is_whitespace);
        match chars.next() {
            Some('>') => {
                stand.quoted = true;
                at += 1;
            }
            Some('#') if trimmed.trim_start_matches('#').starts_with(' ') => {
                stand.heading = true;
                at += trimmed.len() - trimmed.trim_start_matches('#').len();
            }
            Some(sign @ ('-' | '*' | '+' | '•' | '‣' | '◦' | '▪' | '·' | '–' | '—')) if spaced(chars.as_str()) =>
            {
                stand.item = true;
                at += sign.len_utf8();
            }
            Some('[') if matches!(trimmed.as_bytes(), [b'[', b' ' | b'x' | b'X', b']', ..]) => {
                stand.item = true;
                stand.ticked = Some(!trimmed.starts_with("[ ]"));
                at += 3;
            }
            // The number of a note: `[2] It was so.`
            Some('[') if trimmed.bytes().skip(1).take_while(u8::is_ascii_digit).take(4).count() > 0 => {
                let digits = trimmed.bytes().skip(1).take_while(u8::is_ascii_digit).take(4).count();
                if !trimmed.get(1 + digits..).is_some_and(|rest| rest.starts_with("] ")) {
                    break;
                }
                at += digits + 2;
            }
            Some('☐') => {
                (stand.item, stand.ticked) = (true, Some(false));
                at += '☐'.len_utf8();
            }
            Some('☑' | '✓' | '✔' | '✅') => {
                (stand.item, stand.ticked) = (true, Some(true));
                at += trimmed.chars().next().map_or(0, char::len_utf8);
            }
            Some(first) if first.is_ascii_digit() => {
                let digits = trimmed.bytes().take(4).take_while(u8::is_ascii_digit).count();
                let after = trimmed.get(digits..).unwrap_or("");
                let mark = after.starts_with(['.', ')']) && after.get(1..).is_some_and(spaced);
                if !mark || digits > 3 {
                    break;
                }
                stand.item = true;
                at += digits + 1;
            }
            _ => break,
        }
    }
    (at.min(range.end), stand)
}

/// Returns true if a text begins as the head of a message does: `From:`.
pub fn begins_with_header(said: &str) -> bool {
    let Some((label, _)) = said.split_once(':') else { return false };
    let label = label.trim_end();
    let is_header = |label: &str| LEXICON.traits(LEXICON.word_id(&lower(label))) & HEADER != 0;
    label.len() <= LONGEST_HEADER && label.starts_with(char::is_uppercase) && is_header(label)
}

/// Returns true if one of the words is by itself a firm or a product that the gazetteers know, and no person's name.
pub fn names_product(named: &[LexiconToken]) -> bool {
    let firm = |known: &GazetteerType| matches!(known, GazetteerType::Org | GazetteerType::Object);
    named.iter().filter(|token| !token.has_trait(GIVEN | FAMILY)).any(|token| {
        LEXICON.phrases_starting_with(token.word).iter().any(|(rest, known)| rest.is_empty() && firm(known))
    })
}

/// More bytes than the name of any header line has.
const LONGEST_HEADER: usize = 24;

/// Returns true if a line is code or data rather than prose.
pub fn is_code(said: &str) -> bool {
    let bytes = said.as_bytes();
    let strange = bytes
        .iter()
        .filter(|byte| {
            matches!(byte, b'{' | b'}' | b'=' | b'<' | b'>' | b'\\' | b'$' | b'^' | b'`' | b'~' | b';' | b'_')
        })
        .count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte >= 0x80 || **byte == b' ').count();
    strange > 4 && strange * 12 > letters
}

/// The words around a place, in a line.
pub fn surrounding_words(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or("");
    let from =
        before.char_indices().rev().take(60).find(|(_, c)| *c == '\n').map_or_else(
            || before.char_indices().rev().nth(59).map_or(0, |(start, _)| start),
            |(newline, _)| newline + 1,
        );
    let line = text.get(from..).unwrap_or("");
    let words: String = line.chars().take(220).collect();
    let words = one_line(words.split("\n\n").next().unwrap_or(""));
    words.chars().take(180).collect()
}
