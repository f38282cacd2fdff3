//! Whether a sentence can stand without the one before it.

use ibid_language::words::{Token, TokenizedText};

use super::language::TextLanguage;

/// Number of characters in which a sentence says that it refers back.
const LONGEST_OPENING: usize = 60;

/// Returns true if a sentence begins with a word that refers to an earlier sentence, such as "it" or "therefore".
/// `This paper` says what it is about, `This was` does not.
pub(super) fn points_back(sentence: &str, language: TextLanguage) -> bool {
    let opening = sentence.char_indices().nth(LONGEST_OPENING).map_or(sentence, |(end, _)| &sentence[..end]);
    let text = TokenizedText::new(opening, language.language());
    let Some(first) = text.tokens.iter().position(Token::is_word) else { return false };
    let cues = &language.lexicon().cues;
    let is_at_first = |length: Option<(usize, ())>| length.map_or(0, |(length, ())| length);
    is_at_first(cues.points_back.longest_at(&text.lower, first))
        > is_at_first(cues.points_nowhere.longest_at(&text.lower, first))
}

#[cfg(test)]
mod tests {
    use ibid_language::Language;

    use super::*;

    #[test]
    fn some_beginnings_want_the_sentence_before() {
        for (sentence, language, wanted) in [
            ("It was opened in 1932.", Language::ENGLISH, true),
            ("“However, it was closed.”", Language::ENGLISH, true),
            ("This was the longest.", Language::ENGLISH, true),
            ("This bridge was the longest.", Language::ENGLISH, false),
            ("The bridge was opened.", Language::ENGLISH, false),
            ("Er wurde 1932 eröffnet.", Language::GERMAN, true),
            ("Es gibt drei Brücken.", Language::GERMAN, false),
            ("Il fut ouvert en 1932.", Language::FRENCH, true),
            ("Il faut quatre mois.", Language::FRENCH, false),
            ("Il ponte fu aperto.", Language::ITALIAN, false),
            ("Она была открыта.", Language::RUSSIAN, true),
            ("桥开通了。", Language::from_code("zh").unwrap(), false),
            ("它开通了。", Language::from_code("zh").unwrap(), true),
            ("", Language::ENGLISH, false),
        ] {
            assert_eq!(points_back(sentence, TextLanguage(Some(language))), wanted, "{sentence}");
        }
    }
}
