//! What a language does to a word: its stem, its accents, and whether it is too common to be looked for.
//!
//! The rules are those of `ibid-language`; here they are kept at hand for a text, and stems for the next word.

use ibid_language::{
    Language, Lexicon, fold_accents_into,
    stems::{Algorithm, WordStemmer, stem_by},
};

/// Written after names in texts of any language.
const POSSESSIVE: &str = "'s";

/// Stemming and apostrophe rules of a language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LanguageRules {
    stemmer: WordStemmer,
    elided: &'static [String],
}

impl LanguageRules {
    /// The language of a code of two letters; where it is not known, English is the likeliest.
    pub fn new(code_of_two: Option<&str>) -> Self {
        let language = code_of_two.and_then(Language::from_code).unwrap_or(Language::ENGLISH);
        Self { stemmer: WordStemmer::new(language), elided: &Lexicon::of(language).elided_in_search }
    }

    /// Returns the stemmer for a lowercase word, if the word is in one script and that script has a stemmer.
    pub fn stemmer(self, word: &str) -> Option<Algorithm> {
        self.stemmer.algorithm(word)
    }

    /// Returns the stemmer for a lowercase ASCII word.
    pub const fn plain_stemmer(self) -> Option<Algorithm> {
        self.stemmer.plain_algorithm()
    }

    /// Returns true if the stem depends on accents, so that a word has one form with accents and one without.
    pub fn hears_accents(self, algorithm: Algorithm) -> bool {
        self.stemmer.hears_accents(algorithm)
    }

    /// Returns true if a stem may begin differently from its word: Arabic and Tamil remove prefixes, and Greek has many
    /// exceptions.
    pub const fn changes_beginnings(self) -> bool {
        self.stemmer.changes_beginnings()
    }

    /// Returns true if a prefix is removed together with the apostrophe after it.
    pub fn elides(self, prefix: &str) -> bool {
        self.elided.iter().any(|elided| elided == prefix)
    }

    /// Returns true if a suffix, which begins with an apostrophe, is removed.
    pub fn clips(self, suffix: &str) -> bool {
        suffix == POSSESSIVE
            || (self.plain_stemmer() == Some(Algorithm::English)
                && Lexicon::of(Language::ENGLISH).clitics.after.iter().any(|clipped| clipped == suffix))
    }
}

/// Stems that were made before, as many as fit: texts repeat their words.
#[derive(Default)]
pub(crate) struct StemCache {
    slots: Vec<CachedStem>,
}

#[derive(Clone, Default)]
struct CachedStem {
    algorithm: u8,
    word: String,
    stem: String,
}

impl StemCache {
    /// Number of cached stems, a power of two. A word replaces the one with the same hash.
    const KEPT: usize = 1 << 13;

    /// The stem of a word in lower case, without accents: the Turkish stemmer puts some there that the word has not.
    pub fn stem(&mut self, algorithm: Algorithm, word: &str) -> &str {
        if self.slots.is_empty() {
            self.slots.resize(Self::KEPT, CachedStem::default());
        }
        let number = algorithm as u8;
        let place = hash(number, word.as_bytes());
        let slot = &mut self.slots[place % Self::KEPT];
        if slot.word != word || slot.algorithm != number {
            slot.algorithm = number;
            slot.word.clear();
            slot.word.push_str(word);
            fold_accents_into(&stem_by(algorithm, word), &mut slot.stem);
        }
        &slot.stem
    }
}

/// Multiplies eight bytes at a time; only speed depends on how well it spreads.
fn hash(seed: u8, bytes: &[u8]) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = u64::from(seed) ^ (bytes.len() as u64) << 8;
    for part in bytes.chunks(8) {
        let mut eight = [0; 8];
        eight[..part.len()].copy_from_slice(part);
        state = (state.rotate_left(23) ^ u64::from_le_bytes(eight)).wrapping_mul(FACTOR);
    }
    (state >> 40) as usize
}

/// Returns true if a word in lower case without accents is a stop word of a language. An unknown language counts as
/// English; languages without a lexicon have no stop words.
pub fn is_common(word: &str, language: Option<&str>) -> bool {
    let language = language.map_or(Some(Language::ENGLISH), Language::from_code);
    language.is_some_and(|language| Lexicon::of(language).is_common(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_those_of_the_language() {
        for (word, language, expected) in [
            ("the", None, true),
            ("why", Some("en"), true),
            ("whom", Some("en-GB"), true),
            ("the", Some("de"), false),
            ("die", Some("de"), true),
            ("die", Some("en"), false),
            ("pourquoi", Some("FR"), true),
            ("the", Some("pl"), false),
            ("the", Some(""), false),
            ("theory", None, false),
        ] {
            assert_eq!(is_common(word, language), expected, "{word} {language:?}");
        }
    }

    #[test]
    fn a_script_has_its_own_stemmer() {
        let of = |language, word| LanguageRules::new(language).stemmer(word);
        assert_eq!(of(None, "words"), Some(Algorithm::English));
        assert_eq!(of(Some("ja"), "words"), Some(Algorithm::English));
        assert_eq!(of(Some("ru"), "words"), Some(Algorithm::English));
        assert_eq!(of(Some("ru"), "слова"), Some(Algorithm::Russian));
        assert_eq!(of(Some("uk"), "слова"), None);
        assert_eq!(of(Some("pl"), "słowa"), None);
        assert_eq!(of(Some("nb"), "ordene"), Some(Algorithm::Norwegian));
        assert_eq!(of(Some("de"), "wörter"), Some(Algorithm::German));
        assert_eq!(of(Some("de"), "wörтer"), None);
        assert_eq!(of(None, ""), None);
    }

    #[test]
    fn what_is_kept_changes_no_stem() {
        let mut stems = StemCache::default();
        let words: Vec<String> = (0..30_000)
            .map(|n: u32| {
                format!(
                    "w{}ing",
                    "abcdefghij"
                        .repeat(3)
                        .split_at((n % 30) as usize)
                        .1
                        .replace('a', &"x".repeat((n / 30 % 40) as usize))
                )
            })
            .collect();
        for word in &words {
            assert_eq!(stems.stem(Algorithm::English, word), stem_by(Algorithm::English, word));
        }
        assert_eq!(stems.stem(Algorithm::German, "laufen"), "lauf");
        assert_eq!(stems.stem(Algorithm::English, "laufen"), "laufen");
    }
}
