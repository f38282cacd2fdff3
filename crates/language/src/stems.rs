//! Words without the endings that their language gives them.

use std::borrow::Cow;

pub use rust_stemmers::Algorithm;
use rust_stemmers::Stemmer;

use crate::{Language, fold_accents};

/// Scripts that a stemmer exists for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Arabic,
    Tamil,
}

/// The stemmers: the code of a language, the script it writes, and the algorithm for it.
const ALGORITHMS: &[(&str, Script, Algorithm)] = &[
    ("ar", Script::Arabic, Algorithm::Arabic),
    ("da", Script::Latin, Algorithm::Danish),
    ("de", Script::Latin, Algorithm::German),
    ("el", Script::Greek, Algorithm::Greek),
    ("en", Script::Latin, Algorithm::English),
    ("es", Script::Latin, Algorithm::Spanish),
    ("fi", Script::Latin, Algorithm::Finnish),
    ("fr", Script::Latin, Algorithm::French),
    ("hu", Script::Latin, Algorithm::Hungarian),
    ("it", Script::Latin, Algorithm::Italian),
    ("nb", Script::Latin, Algorithm::Norwegian),
    ("nl", Script::Latin, Algorithm::Dutch),
    ("nn", Script::Latin, Algorithm::Norwegian),
    ("no", Script::Latin, Algorithm::Norwegian),
    ("pt", Script::Latin, Algorithm::Portuguese),
    ("ro", Script::Latin, Algorithm::Romanian),
    ("ru", Script::Cyrillic, Algorithm::Russian),
    ("sv", Script::Latin, Algorithm::Swedish),
    ("ta", Script::Tamil, Algorithm::Tamil),
    ("tr", Script::Latin, Algorithm::Turkish),
];

/// Languages in Latin letters that have no stemmer. English words in a text of any other script are stemmed as English.
const WITHOUT: &[&str] = &[
    "af", "az", "bs", "ca", "cs", "cy", "eo", "et", "eu", "ga", "gl", "hr", "id", "is", "la", "lt", "lv", "ms", "mt",
    "pl", "sk", "sl", "sq", "sw", "tl", "uz", "vi",
];

/// Makes stems of the words of one language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordStemmer {
    latin: Option<Algorithm>,
    own: Option<Algorithm>,
}

impl WordStemmer {
    /// The stemmer for texts in a language. Latin letters in a language of another script are stemmed as English.
    pub fn new(language: Language) -> Self {
        let code = language.code();
        let known = ALGORITHMS.iter().find(|(known, _, _)| *known == code);
        match known {
            Some((_, Script::Latin, algorithm)) => Self { latin: Some(*algorithm), own: None },
            Some((_, _, algorithm)) => Self { latin: Some(Algorithm::English), own: Some(*algorithm) },
            None if WITHOUT.contains(&code) => Self { latin: None, own: None },
            None => Self { latin: Some(Algorithm::English), own: None },
        }
    }

    /// The stem of a word in lower case. A word with digits, of mixed scripts, or of a language without a stemmer is its own stem.
    pub fn stem<'word>(&self, word: &'word str) -> Cow<'word, str> {
        match self.algorithm(word) {
            Some(algorithm) => stem_by(algorithm, word),
            None => Cow::Borrowed(word),
        }
    }

    /// The algorithm for words of ASCII letters alone, which need no look at their script.
    pub const fn plain_algorithm(&self) -> Option<Algorithm> {
        self.latin
    }

    /// Whether the stem of a word may be another one without its accents: where the language itself writes them.
    pub fn hears_accents(&self, algorithm: Algorithm) -> bool {
        self.latin == Some(algorithm) && algorithm != Algorithm::English
    }

    /// Which algorithm stems a word, if all of it is in one script and there is one for that.
    pub fn algorithm(&self, word: &str) -> Option<Algorithm> {
        let script = script(word.chars().next()?)?;
        let algorithm = match (script, self.own) {
            (Script::Latin, _) => self.latin?,
            (_, Some(algorithm)) if ALGORITHMS.iter().any(|known| known.1 == script && known.2 == algorithm) => {
                algorithm
            }
            _ => return None,
        };
        word.chars().all(|c| crate::stems::script(c) == Some(script)).then_some(algorithm)
    }

    /// Whether a stem may begin otherwise than its word: Arabic and Tamil cut beginnings, and Greek has many exceptions.
    pub const fn changes_beginnings(&self) -> bool {
        matches!(self.own, Some(Algorithm::Arabic | Algorithm::Tamil | Algorithm::Greek))
    }
}

/// The stem that an algorithm gives to a word in lower case.
pub fn stem_by(algorithm: Algorithm, word: &str) -> Cow<'_, str> {
    match Stemmer::create(algorithm).stem(word) {
        // The Arabic and Turkish stemmers may leave nothing of a short word.
        stem if stem.is_empty() => Cow::Borrowed(word),
        stem => stem,
    }
}

/// The stem of a word in lower case. For many words of one language, keep a [`WordStemmer`].
pub fn stem(word: &str, language: Language) -> Cow<'_, str> {
    WordStemmer::new(language).stem(word)
}

/// The form in which words of two texts are compared: the stem, without accents.
///
/// The Dutch stemmer leaves what Dutch spelling changes at the end of a syllable (`brug` and `brugg`, `boot` and `bot`,
/// `brief` and `briev`); here they are the same.
pub fn comparable_stem(word: &str, language: Language) -> String {
    let mut folded = fold_accents(&stem(word, language)).into_owned();
    if language == Language::DUTCH {
        let mut last = None;
        folded.retain(|c| !c.is_alphabetic() || last.replace(c) != Some(c));
        for (soft, hard) in [('v', 'f'), ('z', 's')] {
            if folded.ends_with(soft) {
                folded.pop();
                folded.push(hard);
            }
        }
    }
    folded
}

const fn script(c: char) -> Option<Script> {
    match c {
        'a'..='z' | '\u{DF}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Some(Script::Latin),
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Some(Script::Greek),
        '\u{400}'..='\u{52F}' => Some(Script::Cyrillic),
        '\u{600}'..='\u{6FF}' => Some(Script::Arabic),
        '\u{B80}'..='\u{BFF}' => Some(Script::Tamil),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_in_order() {
        assert!(WITHOUT.is_sorted());
        assert!(ALGORITHMS.is_sorted_by_key(|(code, _, _)| code));
    }

    #[test]
    fn a_word_is_never_without_a_stem() {
        for (_, _, algorithm) in ALGORITHMS {
            for word in ["a", "ا", "ال", "και", "с", "ம்"] {
                assert!(!stem_by(*algorithm, word).is_empty(), "{algorithm:?} {word}");
            }
        }
    }
}
