//! Whether a sentence can stand without the one before it.

use super::{language::Language, signs::Signs};
use crate::verify::words::{Piece, pieces};

/// Whether a sentence begins with a word that points back to what was said before.
pub(super) fn points_back(sentence: &str, language: Language) -> bool {
    if WIDE.iter().any(|word| sentence.starts_with(word)) {
        return true;
    }
    let mut words = pieces(sentence).filter_map(|piece| match piece {
        Piece::Word(word) => Some(word.to_lowercase()),
        Piece::End => None,
    });
    let (first, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match (language, first.as_str(), next.as_str()) {
        // These point at nothing.
        (Language::French, "il", "faut" | "y" | "existe" | "s'agit") | (Language::German, "es", "gibt" | "gab") => {
            false
        }
        // `This paper` says what it is about, `This was` does not.
        (Language::English, "this" | "that" | "these" | "those", next) => AFTER_THIS.contains(&next),
        (_, first, _) => Signs::of(language).back.contains(&first),
    }
}

/// Chinese and Japanese.
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
            ("It was opened in 1932.", Language::English, true),
            ("“However, it was closed.”", Language::English, true),
            ("This was the longest.", Language::English, true),
            ("This bridge was the longest.", Language::English, false),
            ("The bridge was opened.", Language::English, false),
            ("Er wurde 1932 eröffnet.", Language::German, true),
            ("Es gibt drei Brücken.", Language::German, false),
            ("Il fut ouvert en 1932.", Language::French, true),
            ("Il faut quatre mois.", Language::French, false),
            ("Il ponte fu aperto.", Language::Italian, false),
            ("Она была открыта.", Language::Russian, true),
            ("桥开通了。", Language::Other, false),
            ("它开通了。", Language::Other, true),
            ("", Language::English, false),
        ] {
            assert_eq!(points_back(sentence, language), wanted, "{sentence}");
        }
    }
}
