//! The claims of a text: its sentences, list items and table cells, and which markers stand for which.

use std::ops::Range;

use ibid_domain::{
    Span,
    cited_text::{BlockKind, CitedText, MarkerRange, TextBlock, without_markers},
};
use ibid_language::{
    Language, Lexicon,
    detect::guess,
    sentences::sentences_of,
    words::{Token, TokenizedText},
};

/// A statement of a text: a sentence, a list item or a table cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its words, without markers.
    pub text: String,
    /// Position in the text in characters, including the markers.
    pub span: Span,
    /// The markers that stand for it, by their place among all of the text.
    pub cited: Vec<ClaimMarker>,
    /// True if it reads like a statement of fact.
    pub is_factual: bool,
}

/// A marker that cites sources for a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimMarker {
    /// Its place among the markers of the text.
    pub marker: usize,
    /// Text that the marker supports: the whole claim, or the part since the previous marker.
    pub part: String,
}

/// The claims of a text whose markers are known.
pub fn extract_claims(cited: &CitedText<'_>) -> Vec<Claim> {
    let CitedText { text, blocks, markers } = cited;
    let masked = mask_markers(text, markers);
    let language = guess(&masked, None);
    let mut found = Vec::new();
    let mut at = 0;
    for TextBlock { bytes: stretch, kind } in blocks {
        let sentences = match kind {
            BlockKind::Prose => sentences_of(&masked, stretch.clone()),
            BlockKind::Row => table_cells(&masked, stretch.clone()),
            BlockKind::Heading => continue,
        };
        while markers.get(at).is_some_and(|marker| marker.bytes.start < stretch.start) {
            at += 1;
        }
        for (place, sentence) in sentences.iter().enumerate() {
            let next = sentences.get(place + 1).map_or(stretch.end, |next| next.start);
            let from = at;
            // Markers before the first sentence are of that sentence, those between two of the one that they close.
            while markers.get(at).is_some_and(|marker| marker.bytes.start < next) {
                at += 1;
            }
            found.push((sentence.clone(), from..at, *kind));
        }
    }
    let (mut seen, mut chars) = (0, 0);
    found
        .into_iter()
        .map(|(sentence, own, kind)| {
            let own_markers = &markers[own.clone()];
            let start = own_markers.first().map_or(sentence.start, |first| first.bytes.start.min(sentence.start));
            let end = own_markers.last().map_or(sentence.end, |last| last.bytes.end.max(sentence.end));
            chars += text[seen..start].chars().count();
            let first = chars;
            chars += text[start..end].chars().count();
            seen = end;
            let words = text_without_markers(text, start..end, own_markers);
            let cited = claim_markers(text, start, &words, own.start, own_markers);
            let is_factual = kind == BlockKind::Prose && is_factual(&words, language);
            Claim { text: words, span: Span::new(first, chars), cited, is_factual }
        })
        .filter(|claim| claim.text.contains(char::is_alphanumeric))
        .collect()
}

/// The text with its markers blanked out, every other byte where it was.
fn mask_markers(text: &str, markers: &[MarkerRange]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for marker in markers {
        masked.push_str(&text[from..marker.bytes.start]);
        masked.extend(std::iter::repeat_n(' ', marker.bytes.len()));
        from = marker.bytes.end;
    }
    masked.push_str(&text[from..]);
    masked
}

/// The cells of a row that hold words.
fn table_cells(text: &str, row: Range<usize>) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut from = row.start;
    for cell in text[row].split('|') {
        let start = from + cell.len() - cell.trim_start().len();
        if cell.contains(char::is_alphanumeric) {
            cells.push(start..start + cell.trim().len());
        }
        from += cell.len() + 1;
    }
    cells
}

/// The words of a range without its markers, on one line.
fn text_without_markers(text: &str, range: Range<usize>, markers: &[MarkerRange]) -> String {
    let local: Vec<_> = markers
        .iter()
        .map(|marker| MarkerRange {
            bytes: marker.bytes.start - range.start..marker.bytes.end - range.start,
            is_definition: marker.is_definition,
        })
        .collect();
    without_markers(&text[range], &local).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the markers of a claim, each with the part of the claim that it supports.
fn claim_markers(text: &str, start: usize, whole: &str, first: usize, markers: &[MarkerRange]) -> Vec<ClaimMarker> {
    let mut cited = Vec::new();
    let mut from = start;
    for (place, marker) in markers.iter().enumerate() {
        if marker.is_definition {
            continue;
        }
        let words = text[from.min(marker.bytes.start)..marker.bytes.start].split_whitespace().collect::<Vec<_>>();
        let part = if words.len() >= SHORTEST_PART { words.join(" ") } else { String::new() };
        let part = match (part.is_empty(), cited.last()) {
            // Several that stand together stand for the same.
            (true, Some(ClaimMarker { part, .. }))
                if words.iter().all(|word| !word.contains(char::is_alphanumeric)) =>
            {
                part.clone()
            }
            (true, _) => whole.to_owned(),
            (false, _) => part,
        };
        from = marker.bytes.end;
        cited.push(ClaimMarker { marker: first + place, part });
    }
    // One alone stands for the whole sentence, wherever in it it stands.
    if let [only] = &mut cited[..] {
        only.part = whole.to_owned();
    }
    cited
}

/// Minimum number of words for a part of a claim that is checked by itself.
const SHORTEST_PART: usize = 4;

/// Number of characters in which a sentence says that it speaks to the reader.
const LONGEST_OPENING: usize = 60;

/// Returns true if words read like a statement of fact: not a question, not a list heading, not addressed to the
/// reader.
fn is_factual(words: &str, language: Language) -> bool {
    let count = words.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    let wide = words.chars().filter(|char| *char >= '\u{2E80}').count();
    let opening = words.char_indices().nth(LONGEST_OPENING).map_or(words, |(end, _)| &words[..end]);
    let opening = TokenizedText::new(opening, language);
    let first = opening.tokens.iter().position(Token::is_word).unwrap_or_default();
    let is_addressed = Lexicon::of(language).cues.addresses.longest_at(&opening.lower, first).is_some();
    let end = words.trim_end_matches(['"', '”', '*', '_', ')']);
    (count >= 5 || wide >= 8) && !end.ends_with(['?', ':', '？', '：']) && !is_addressed
}
