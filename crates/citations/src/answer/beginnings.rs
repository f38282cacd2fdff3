//! Whether a sentence can stand without the one before it.

use super::language::Language;
use crate::verify::words::{Piece, pieces};

/// Whether a sentence begins with a word that points back to what was said before.
pub(super) fn points_back(sentence: &str, language: Language) -> bool {
    let mut words = pieces(sentence).filter_map(|piece| match piece {
        Piece::Word(word) => Some(word.to_lowercase()),
        Piece::End => None,
    });
    let Some(first) = words.next() else { return false };
    let back: &[&str] = match language {
        Language::English | Language::Other => ENGLISH,
        Language::German => GERMAN,
        Language::French => FRENCH,
        Language::Spanish => SPANISH,
        Language::Italian => ITALIAN,
        Language::Portuguese => PORTUGUESE,
        Language::Dutch => DUTCH,
        Language::Swedish | Language::Danish => NORDIC,
        Language::Polish => POLISH,
        Language::Russian => RUSSIAN,
        Language::Greek | Language::Arabic | Language::Tamil => return false,
    };
    back.contains(&first.as_str())
        || language == Language::English
            && THIS.contains(&first.as_str())
            && words.next().is_some_and(|next| AFTER_THIS.contains(&next.as_str()))
}

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "additionally", "but", "consequently", "furthermore", "he", "hence", "her", "his", "however", "instead", "it", "its",
    "it's", "meanwhile", "moreover", "nevertheless", "otherwise", "she", "similarly", "such", "their", "then",
    "therefore", "they", "thus",
];
/// `This paper` says what it is about, `This was` does not.
const THIS: &[&str] = &["this", "that", "these", "those"];
#[rustfmt::skip]
const AFTER_THIS: &[&str] = &[
    "also", "allowed", "allows", "are", "can", "caused", "causes", "could", "did", "does", "gave", "gives", "had", "has", "have",
    "included", "includes", "is", "led", "leads", "made", "makes", "may", "means", "meant", "might", "was", "were", "will",
    "would",
];
#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "aber", "außerdem", "dabei", "dadurch", "daher", "damit", "deren", "deshalb", "dessen", "dies", "diese", "dieser",
    "dieses", "dort", "er", "es", "ihr", "ihre", "jedoch", "seine", "sie", "trotzdem",
];
#[rustfmt::skip]
const FRENCH: &[&str] = &[
    "ainsi", "cela", "celle", "celui", "cependant", "ceux", "donc", "elle", "elles", "il", "ils", "leur", "leurs", "mais",
    "sa", "ses", "son", "toutefois",
];
#[rustfmt::skip]
const SPANISH: &[&str] = &["además", "ella", "ellas", "ellos", "esto", "pero", "por", "su", "sus", "él"];
#[rustfmt::skip]
const ITALIAN: &[&str] = &["ciò", "egli", "ella", "essa", "essi", "esso", "inoltre", "loro", "lui", "ma", "però", "quindi"];
#[rustfmt::skip]
const PORTUGUESE: &[&str] = &["além", "ela", "elas", "ele", "eles", "essa", "esse", "isso", "isto", "mas", "porém"];
#[rustfmt::skip]
const DUTCH: &[&str] = &["bovendien", "daarom", "dit", "echter", "hij", "hun", "maar", "ze", "zij"];
#[rustfmt::skip]
const NORDIC: &[&str] = &["den", "denne", "det", "detta", "dette", "de", "han", "hon", "hun", "men", "därför", "derfor"];
#[rustfmt::skip]
const POLISH: &[&str] = &["ale", "dlatego", "jednak", "jego", "jej", "ich", "on", "ona", "one", "oni", "ono"];
#[rustfmt::skip]
const RUSSIAN: &[&str] = &["его", "ее", "её", "их", "но", "однако", "он", "она", "они", "оно", "поэтому"];

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
            ("Il fut ouvert en 1932.", Language::French, true),
            ("Il ponte fu aperto.", Language::Italian, false),
            ("Она была открыта.", Language::Russian, true),
            ("桥开通了。", Language::Other, false),
            ("", Language::English, false),
        ] {
            assert_eq!(points_back(sentence, language), wanted, "{sentence}");
        }
    }
}
