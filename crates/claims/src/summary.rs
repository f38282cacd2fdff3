//! What a text is about, in its own words: the sentences whose words come up most in all of it.

use std::collections::HashMap;

use ibid_language::{
    detect::guess,
    numbers::numbers_in,
    sentences::{paragraphs, sentences_of},
    words::TokenizedText,
};

use crate::verify::words::content_words;

/// Number of bytes that are read; a text says early what it is about.
const LOOKED_AT: usize = 60_000;
/// Sentences of fewer words say too little, of more too much.
const WORDS: std::ops::RangeInclusive<usize> = 4..=50;

/// A sentence or two that stand for a text, in at most so many characters; nothing if it has none that would do.
pub fn extract_summary(text: &str, most: usize) -> Option<String> {
    let end = (0..=LOOKED_AT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let text = &text[..end];
    let language = guess(text, None);
    let mut sentences = Vec::new();
    let mut counts: HashMap<String, u32> = HashMap::new();
    for paragraph in paragraphs(text) {
        for sentence in sentences_of(text, paragraph) {
            let words = TokenizedText::new(&text[sentence.clone()], language);
            let words = content_words(&words, &numbers_in(&words));
            let stems: Vec<_> = words.into_iter().map(|word| word.stem).collect();
            stems.iter().for_each(|stem| *counts.entry(stem.clone()).or_default() += 1);
            sentences.push((sentence, stems));
        }
    }
    let weigh = |place: usize, stems: &[String]| {
        let common: f32 = stems.iter().map(|stem| (counts[stem] as f32).sqrt() - 1.0).sum();
        // Of two that say as much, the earlier one.
        common / (stems.len().max(1) as f32).sqrt() + 1.5 / (1.0 + place as f32)
    };
    let would_do = |sentence: &str| {
        let closed = sentence.trim_end_matches(['"', '”', '»', ')', '\'']);
        let spaced = WORDS.contains(&sentence.split_whitespace().count()) || !sentence.is_ascii();
        closed.ends_with(['.', '!', '。', '！', '…']) && spaced && sentence.chars().count() <= most
    };
    let mut ranked: Vec<_> = sentences
        .iter()
        .enumerate()
        .filter(|(_, (range, _))| would_do(&text[range.clone()]))
        .map(|(place, (range, stems))| (place, range, weigh(place, stems)))
        .collect();
    ranked.sort_by(|one, other| other.2.total_cmp(&one.2));
    let mut chosen: Vec<(usize, String)> = Vec::new();
    let mut left = most;
    for (place, range, _) in ranked {
        let sentence = text[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let chars = sentence.chars().count() + usize::from(!chosen.is_empty());
        if chars <= left && chosen.iter().all(|(_, known)| *known != sentence) {
            left -= chars;
            chosen.push((place, sentence));
        }
        if chosen.len() == 2 {
            break;
        }
    }
    chosen.sort();
    let chosen: Vec<_> = chosen.into_iter().map(|(_, sentence)| sentence).collect();
    (!chosen.is_empty()).then(|| chosen.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentences_that_the_rest_is_about_stand_for_it() {
        let text = "# Harbour survey\n\nContents\n\nThe harbour of Selde is surveyed every year. Coffee was served. The \
                    survey of the harbour found two broken piers. Piers of the harbour are repaired in spring.";
        let told = extract_summary(text, 400).unwrap();
        assert!(told.contains("harbour") && !told.contains("Coffee") && !told.contains('#'), "{told}");
        assert!(extract_summary(text, 60).unwrap().chars().count() <= 60);
        assert_eq!(extract_summary("", 100), None);
        assert_eq!(extract_summary("1 2 3 | 4 5 6", 100), None);
    }

    #[test]
    fn a_long_text_without_sentences_is_no_trouble() {
        assert_eq!(extract_summary(&"a".repeat(1 << 20), 100), None);
        assert!(extract_summary(&"港は毎年調査される。".repeat(10_000), 100).is_some());
    }
}
