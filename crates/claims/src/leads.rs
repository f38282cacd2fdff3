//! Sentences that open a text or a section of it: what a reader sees first, as it stands there.

use std::ops::Range;

use ibid_domain::Span;
use ibid_language::sentences::{char_count, paragraphs, sentences_of};

/// Number of bytes that are read of a text or a section; a section without a sentence in them has none.
const LOOKED_AT: usize = 20_000;
/// A sentence of fewer words says too little to stand alone, one of more is a list or a table in disguise.
const LEAD_WORDS: std::ops::RangeInclusive<usize> = 4..=60;
/// The longest sentence that is quoted, in characters.
const LONGEST: usize = 400;

/// The first sentence of prose in a text: no heading, no row of a table, no question, no line of a list of references.
pub fn lead_sentence(text: &str) -> Option<Span> {
    lead_sentences(text, 1).first().copied()
}

/// The first sentence of each of the first paragraphs that have one of prose.
pub fn lead_sentences(text: &str, most: usize) -> Vec<Span> {
    let end = (0..=LOOKED_AT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let text = &text[..end];
    let mut leads: Vec<Range<usize>> = Vec::new();
    for paragraph in paragraphs(text) {
        if leads.len() == most {
            break;
        }
        let lead = sentences_of(text, paragraph).into_iter().find(|sentence| is_prose(&text[sentence.clone()]));
        let is_new = |lead: &Range<usize>| leads.iter().all(|known| text[known.clone()] != text[lead.clone()]);
        leads.extend(lead.filter(is_new));
    }
    let (mut seen, mut chars) = (0, 0);
    leads
        .into_iter()
        .map(|lead| {
            let start = chars + char_count(text, seen..lead.start);
            chars = start + char_count(text, lead.clone());
            seen = lead.end;
            Span::new(start, chars)
        })
        .collect()
}

/// True if a sentence states something in whole words and ends as sentences do.
pub fn is_prose(sentence: &str) -> bool {
    let closed = sentence.trim_end_matches(['"', '”', '»', '“', ')', '\'', '’']);
    let words = sentence.split_whitespace().count();
    // Languages without blanks between words have few of them.
    let has_words = LEAD_WORDS.contains(&words)
        || (words < *LEAD_WORDS.start() && sentence.chars().filter(|char| !char.is_ascii()).count() > 8);
    let letters = sentence.chars().filter(|char| char.is_alphabetic()).count();
    let signs = sentence.chars().filter(|char| !char.is_whitespace()).count();
    let begins = sentence.trim_start_matches(['"', '“', '„', '«', '(', '¿', '¡', '\'', '‘']);
    closed.ends_with(['.', '!', '。', '！', '…'])
        && has_words
        && sentence.chars().count() <= LONGEST
        && begins.starts_with(|char: char| char.is_alphanumeric() && !char.is_lowercase())
        && letters * 3 >= signs * 2
        && !sentence.contains(['|', '\t', '©'])
        && !sentence.contains("http")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_of_prose_leads() {
        let text = "Harbour survey\n\nContents . . . . . 3\n\n| a | b |\n\nWhat is it? The harbour of Selde is surveyed — every year. It is deep.";
        let lead = lead_sentence(text).unwrap();
        assert_eq!(lead.slice_of(text), Some("The harbour of Selde is surveyed — every year."));
        assert_eq!(lead_sentence("1 2 3 4 5. See http://example.org/a b c d."), None);
        assert_eq!(lead_sentence(""), None);
    }

    #[test]
    fn each_paragraph_has_one_lead() {
        let text = "Ünïcode stands here before all. More of it.\n\nThe second says something else. And more.\n\nThe second says something else.";
        let leads: Vec<_> = lead_sentences(text, 5).iter().map(|span| span.slice_of(text).unwrap()).collect();
        assert_eq!(leads, ["Ünïcode stands here before all.", "The second says something else."]);
        assert_eq!(lead_sentences(text, 1).len(), 1);
        assert!(lead_sentence(&"港は毎年調査されることになっている。".repeat(3)).is_some());
        assert!(lead_sentences(&"a".repeat(1 << 20), 3).is_empty());
    }
}
