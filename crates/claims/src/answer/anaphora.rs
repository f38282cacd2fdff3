//! Whether a sentence can stand without the one before it.

use super::{cue_words::CueWords, language::TextLanguage};
use crate::verify::words::{SentenceToken, sentence_tokens};

/// Returns true if a sentence begins with a word that refers to an earlier sentence, such as "it" or "therefore".
pub(super) fn points_back(sentence: &str, language: TextLanguage) -> bool {
    if WIDE.iter().any(|word| sentence.starts_with(word)) {
        return true;
    }
    let mut words = sentence_tokens(sentence).filter_map(|piece| match piece {
        SentenceToken::Word(word) => Some(word.to_lowercase()),
        SentenceToken::End => None,
    });
    let (first, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match (language, first.as_str(), next.as_str()) {
        // These point at nothing.
        (TextLanguage::French, "il", "faut" | "y" | "existe" | "s'agit")
        | (TextLanguage::German, "es", "gibt" | "gab") => false,
        // `This paper` says what it is about, `This was` does not.
        (TextLanguage::English, "this" | "that" | "these" | "those", next) => AFTER_THIS.contains(&next),
        (_, first, _) => CueWords::for_language(language).back.contains(&first),
    }
}

/// Chinese and Japanese words that refer back, matched as prefixes because there are no spaces.
const WIDE: &[&str] =
    &["它", "他", "她", "这", "该", "其", "但", "因此", "これ", "それ", "この", "その", "彼", "しかし"];

#[rustfmt::skip]
const AFTER_THIS: &[&str] = &[
    "allowed", "allows", "also", "are", "can", "caused", "causes", "could", "did", "does", "gave", "gives", "had",
    "has", "have", "included", "includes", "is", "leads", "led", "made", "makes", "may", "means", "meant", "might",
    "was", "were", "will", "would",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_beginnings_want_the_sentence_before() {
        for (sentence, language, wanted) in [
            ("It was opened in 1932.", TextLanguage::English, true),
            ("“However, it was closed.”", TextLanguage::English, true),
            ("This was the longest.", TextLanguage::English, true),
            ("This bridge was the longest.", TextLanguage::English, false),
            ("The bridge was opened.", TextLanguage::English, false),
            ("Er wurde 1932 eröffnet.", TextLanguage::German, true),
            ("Es gibt drei Brücken.", TextLanguage::German, false),
            ("Il fut ouvert en 1932.", TextLanguage::French, true),
            ("Il faut quatre mois.", TextLanguage::French, false),
            ("Il ponte fu aperto.", TextLanguage::Italian, false),
            ("Она была открыта.", TextLanguage::Russian, true),
            ("桥开通了。", TextLanguage::Other, false),
            ("它开通了。", TextLanguage::Other, true),
            ("", TextLanguage::English, false),
        ] {
            assert_eq!(points_back(sentence, language), wanted, "{sentence}");
        }
    }
}
