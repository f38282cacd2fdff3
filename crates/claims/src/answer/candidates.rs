//! The sentences of the passages, each once, in the order of their sources.

use std::{cmp::Reverse, ops::Range};

use ibid_domain::Span;
use ibid_language::sentences::{may_follow_ordinal, paragraphs, sentences_of};

use super::CandidatePassage;

/// The most passages that are read.
pub(super) const MOST_PASSAGES: usize = 64;
/// Of a longer passage only the beginning is read, in bytes.
pub(super) const LONGEST_PASSAGE: usize = 32 * 1024;
/// The most sentences that are looked at.
pub(super) const MOST_SENTENCES: usize = 4096;

/// A sentence of a passage that may be quoted in the answer.
#[derive(Clone, Debug)]
pub(super) struct CandidateSentence<'text> {
    /// Index of its passage in the list of passages.
    pub passage: usize,
    pub text: &'text str,
    /// Position in the passage, in characters.
    pub span: Span,
    /// Position in the text of the source, in characters.
    pub place: Span,
    /// True if the sentence begins a paragraph or a list item.
    pub opens: bool,
}

/// The sentences of passages: those of one source together and in their order, none twice.
pub(super) fn candidate_sentences<'text>(passages: &[CandidatePassage<'text>]) -> Vec<CandidateSentence<'text>> {
    let all = passages.iter().enumerate().flat_map(|(number, passage)| passage_sentences(number, passage));
    let mut found: Vec<_> = all.take(MOST_SENTENCES).collect();
    // The longer one first where two begin together, then that of the better passage.
    let source = |sentence: &CandidateSentence<'_>| passages[sentence.passage].source;
    found.sort_by(|one, other| {
        let key =
            |sentence: &CandidateSentence<'_>| (source(sentence), sentence.place.start, Reverse(sentence.place.end));
        let score = |sentence: &CandidateSentence<'_>| passages[sentence.passage].score;
        key(one).cmp(&key(other)).then_with(|| score(other).total_cmp(&score(one)))
    });
    let mut kept: Vec<CandidateSentence<'_>> = Vec::with_capacity(found.len());
    for sentence in found {
        // Passages overlap: the same words at the same place, or a sentence that another passage has whole.
        let is_known = kept.iter().rev().take(2).any(|known| {
            source(known) == source(&sentence)
                && known.place.end >= sentence.place.end
                && known.text.contains(sentence.text)
        });
        if !is_known {
            kept.push(sentence);
        }
    }
    kept
}

/// The sentences of one passage.
fn passage_sentences<'text>(
    number: usize,
    passage: &CandidatePassage<'text>,
) -> impl Iterator<Item = CandidateSentence<'text>> + use<'text> {
    let text = truncate_passage(passage.text);
    let from = passage.start;
    let (mut byte, mut char) = (0, 0);
    paragraphs(text)
        .flat_map(move |paragraph| {
            let mut end = None;
            sentences_of(text, paragraph).into_iter().map(move |bytes| {
                let opens = end.is_none_or(|end: usize| text[end..bytes.start].contains('\n'));
                end = Some(bytes.end);
                (opens, without_sign(text, bytes, opens))
            })
        })
        .map(move |(opens, bytes)| {
            let words = &text[bytes.clone()];
            let first = char + text[byte..bytes.start].chars().count();
            (byte, char) = (bytes.end, first + words.chars().count());
            let place = Span::new(from.saturating_add(first), from.saturating_add(char));
            CandidateSentence { passage: number, text: words, span: Span::new(first, char), place, opens }
        })
}

/// As much of a text as is read.
fn truncate_passage(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_PASSAGE)]
}

/// A sentence without the sign or the number that it begins with as an item of a list.
fn without_sign(text: &str, bytes: Range<usize>, opens: bool) -> Range<usize> {
    let words = &text[bytes.clone()];
    if let Some(length) = item_number(words).filter(|_| opens) {
        return bytes.start + length..bytes.end;
    }
    let after = match words.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((number, after))
            if (1..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            after
        }
        _ => words.trim_start_matches(['•', '‣', '◦', '▪', '·', '-', '*', '+', '–', '—']),
    };
    let rest = after.trim_start();
    // Only with a blank after it is it one.
    if after.len() == words.len() || rest.len() == after.len() || rest.is_empty() {
        return bytes;
    }
    bytes.end - rest.len()..bytes.end
}

/// Returns the length in bytes of `12. ` or `3) ` at the beginning of a list item. The day of a date does not count.
fn item_number(words: &str) -> Option<usize> {
    let rest = words.trim_start_matches(|char: char| char.is_ascii_digit());
    let digits = words.len() - rest.len();
    let after = rest.strip_prefix(['.', ')'])?;
    let item = after.trim_start();
    let is_number = (1..=3).contains(&digits) && item.len() < after.len();
    let first = item.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    let begins = first.starts_with(|char: char| char.is_uppercase() || char >= '\u{2E80}');
    (is_number && begins && !may_follow_ordinal(first)).then(|| words.len() - item.len())
}

/// Returns true if `after` follows `before` directly in the same source.
pub(super) fn continues(before: &CandidateSentence<'_>, after: &CandidateSentence<'_>) -> bool {
    before.place.end <= after.place.start && after.place.start - before.place.end <= WIDEST_GAP
}

/// Maximum gap between two consecutive sentences, in characters: white space or a list marker.
const WIDEST_GAP: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(source: usize, start: usize, text: &str) -> CandidatePassage<'_> {
        CandidatePassage { source, start, text, score: 1.0, title: "" }
    }

    #[test]
    fn what_passages_share_is_there_once() {
        let text = "The bridge opened in 1932. It was widened in 1988 by the city. It is closed on Sundays now.";
        let passages = [
            passage(0, 27, &text[27..]),
            // Cut within the second sentence.
            passage(0, 0, &text[..45]),
            passage(1, 0, &text[..26]),
        ];
        let found: Vec<_> =
            candidate_sentences(&passages).into_iter().map(|one| (one.passage, one.text, one.place.start)).collect();
        assert_eq!(
            found,
            [
                (1, "The bridge opened in 1932.", 0),
                (0, "It was widened in 1988 by the city.", 27),
                (0, "It is closed on Sundays now.", 63),
                (2, "The bridge opened in 1932.", 0),
            ]
        );
    }

    #[test]
    fn other_words_at_the_same_place_are_kept() {
        let passages = [passage(0, 0, "One thing is said here today."), passage(0, 0, "Another one is said there.")];
        assert_eq!(candidate_sentences(&passages).len(), 2);
    }

    #[test]
    fn spans_point_at_the_words_and_items_lose_their_signs() {
        let text = "Żółć – first.\n\n- The second – one\n  is an item.\n• Third 数据 item.  Last one\n\n\
                    [12] Noted.\n\n[x] Kept.";
        for sentence in candidate_sentences(&[passage(0, 100, text)]) {
            assert_eq!(sentence.span.slice_of(text), Some(sentence.text));
            assert_eq!(sentence.place.start, sentence.span.start + 100);
            assert!(!sentence.text.starts_with(['-', '•']), "{}", sentence.text);
        }
        let numbered =
            "Rules:\n\n1. Every boat keeps a berth.\n2) No boat stays a year.\n\n3. Mai 1931 war ein Sonntag.";
        let found: Vec<_> = candidate_sentences(&[passage(0, 0, numbered)]).into_iter().map(|one| one.text).collect();
        assert_eq!(found[1..], ["Every boat keeps a berth.", "No boat stays a year.", "3. Mai 1931 war ein Sonntag."]);
        let last: Vec<_> =
            candidate_sentences(&[passage(0, 100, text)]).into_iter().map(|one| one.text).rev().take(2).collect();
        assert_eq!(last, ["[x] Kept.", "Noted."]);
    }

    #[test]
    fn absurd_passages_are_bounded() {
        let endless = "word ".repeat(200_000);
        let many = "A b c d e. ".repeat(100_000);
        let passages: Vec<_> = (0..MOST_PASSAGES)
            .map(|number| passage(number, usize::MAX - 3, if number % 2 == 0 { &endless } else { &many }))
            .collect();
        assert!(candidate_sentences(&passages).len() <= MOST_SENTENCES);
    }
}
