//! What a language does to a word: its stem, its accents, and whether it is too common to be looked for.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::char::decompose_canonical;

/// Stemming and apostrophe rules of a language, by script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LanguageRules {
    /// For words in Latin letters.
    latin: Option<Algorithm>,
    /// For words in the language's own script, where that is another one.
    own: Option<(Script, Algorithm)>,
    /// Prefixes that are removed together with the apostrophe after them.
    pub elided: &'static [&'static str],
    /// Suffixes that are removed together with the apostrophe before them.
    pub clipped: &'static [&'static str],
}

/// Scripts that a stemmer exists for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Arabic,
    Tamil,
}

const fn script_of(c: char) -> Option<Script> {
    match c {
        'a'..='z' | '\u{DF}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Some(Script::Latin),
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Some(Script::Greek),
        '\u{400}'..='\u{52F}' => Some(Script::Cyrillic),
        '\u{600}'..='\u{6FF}' => Some(Script::Arabic),
        '\u{B80}'..='\u{BFF}' => Some(Script::Tamil),
        _ => None,
    }
}

/// Languages in Latin letters that have no stemmer here. Words in Latin letters within a text of any other script are
/// taken for English.
const WITHOUT: &[&str] = &[
    "af", "az", "bs", "ca", "cs", "cy", "eo", "et", "eu", "ga", "gl", "hr", "id", "is", "la", "lt", "lv", "ms", "mt",
    "pl", "sk", "sl", "sq", "sw", "tl", "uz", "vi",
];

/// The first two letters of a code such as `en` or `pt-BR`, in lower case.
fn language_code(language: &str) -> Option<[u8; 2]> {
    let main = language.split(['-', '_']).next().unwrap_or(language);
    let code: [u8; 2] = main.as_bytes().try_into().ok()?;
    Some(code.map(|byte| byte.to_ascii_lowercase()))
}

impl LanguageRules {
    /// The language of a code of two letters; where it is not known, English is the likeliest.
    pub fn new(code_of_two: Option<&str>) -> Self {
        use Algorithm as A;
        let code = code_of_two.and_then(language_code);
        let latin = match code.as_ref().map(|code| &code[..]) {
            Some(b"de") => Some(A::German),
            Some(b"fr") => Some(A::French),
            Some(b"es") => Some(A::Spanish),
            Some(b"it") => Some(A::Italian),
            Some(b"pt") => Some(A::Portuguese),
            Some(b"nl") => Some(A::Dutch),
            Some(b"sv") => Some(A::Swedish),
            Some(b"no" | b"nb" | b"nn") => Some(A::Norwegian),
            Some(b"da") => Some(A::Danish),
            Some(b"fi") => Some(A::Finnish),
            Some(b"hu") => Some(A::Hungarian),
            Some(b"ro") => Some(A::Romanian),
            Some(b"tr") => Some(A::Turkish),
            Some(other) if WITHOUT.iter().any(|known| known.as_bytes() == other) => None,
            _ => Some(A::English),
        };
        let own = match code.as_ref().map(|code| &code[..]) {
            Some(b"ru") => Some((Script::Cyrillic, A::Russian)),
            Some(b"ar") => Some((Script::Arabic, A::Arabic)),
            Some(b"el") => Some((Script::Greek, A::Greek)),
            Some(b"ta") => Some((Script::Tamil, A::Tamil)),
            _ => None,
        };
        let elided: &[&str] = match latin {
            Some(A::French) => &["c", "d", "j", "jusqu", "l", "lorsqu", "m", "n", "puisqu", "qu", "s", "t"],
            Some(A::Italian) => &[
                "all", "bell", "c", "coll", "d", "dall", "dell", "gl", "l", "nell", "nessun", "quell", "quest", "s",
                "sull", "t", "un", "v",
            ],
            _ => &[],
        };
        let clipped: &[&str] = match latin {
            Some(A::English) => &["s", "d", "ll", "m", "re", "ve"],
            _ => &["s"],
        };
        Self { latin, own, elided, clipped }
    }

    /// Returns the stemmer for a lowercase word, if the word is in one script and that script has a stemmer.
    pub fn stemmer(self, word: &str) -> Option<Algorithm> {
        let of = script_of(word.chars().next()?)?;
        let algorithm = match self.own {
            Some((own, algorithm)) if own == of => algorithm,
            _ if of == Script::Latin => self.latin?,
            _ => return None,
        };
        (word.is_ascii() || word.chars().all(|c| script_of(c) == Some(of))).then_some(algorithm)
    }

    /// Returns the stemmer for a lowercase ASCII word.
    pub const fn plain_stemmer(self) -> Option<Algorithm> {
        self.latin
    }

    /// Returns true if the stem depends on accents, so that a word has one form with accents and one without.
    pub fn hears_accents(self, algorithm: Algorithm) -> bool {
        self.latin == Some(algorithm) && algorithm != Algorithm::English
    }

    /// Returns true if a stem may begin differently from its word: Arabic and Tamil remove prefixes, and Greek has many
    /// exceptions.
    pub const fn changes_beginnings(self) -> bool {
        matches!(self.own, Some((Script::Arabic | Script::Tamil | Script::Greek, _)))
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
            let stem = Stemmer::create(algorithm).stem(word);
            slot.algorithm = number;
            slot.word.clear();
            slot.word.push_str(word);
            // No word is without a form.
            fold_accents(if stem.is_empty() { word } else { &stem }, &mut slot.stem);
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

/// Writes what is in lower case without its accents. Marks that are vowels, as in Hindi, and letters of their own, as
/// the Russian й, stay.
pub(crate) fn fold_accents(lower: &str, into: &mut String) {
    into.clear();
    if lower.is_ascii() {
        return into.push_str(lower);
    }
    let is_accent = |c: char| {
        matches!(c,
            '\u{300}'..='\u{36F}'
            | '\u{591}'..='\u{5C7}'
            | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{6D6}'..='\u{6DC}'
            | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
    };
    for c in lower.chars() {
        match c {
            '\0'..='\u{7F}' => into.push(c),
            'ß' => into.push_str("ss"),
            'æ' => into.push_str("ae"),
            'œ' => into.push_str("oe"),
            'þ' => into.push_str("th"),
            'ø' => into.push('o'),
            'ł' => into.push('l'),
            'đ' | 'ð' => into.push('d'),
            'ħ' => into.push('h'),
            'ı' => into.push('i'),
            'ŧ' => into.push('t'),
            'ŋ' => into.push('n'),
            '\u{80}'..='\u{3FF}' | '\u{600}'..='\u{6FF}' | '\u{1E00}'..='\u{1FFF}' => {
                decompose_canonical(c, |c| {
                    if !is_accent(c) {
                        into.push(c);
                    }
                });
            }
            _ if is_accent(c) => {}
            _ => into.push(c),
        }
    }
}

/// Returns true if a word in lower case without accents is a stop word of a language. An unknown language counts as
/// English; languages other than the seven listed have no stop words.
pub fn is_common(word: &str, language: Option<&str>) -> bool {
    let list = match language.map(language_code) {
        None | Some(Some([b'e', b'n'])) => ENGLISH,
        Some(Some([b'd', b'e'])) => GERMAN,
        Some(Some([b'f', b'r'])) => FRENCH,
        Some(Some([b'e', b's'])) => SPANISH,
        Some(Some([b'i', b't'])) => ITALIAN,
        Some(Some([b'p', b't'])) => PORTUGUESE,
        Some(Some([b'n', b'l'])) => DUTCH,
        Some(_) => return false,
    };
    list.binary_search(&word).is_ok()
}

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "arent", "as", "at", "be", "because",
    "been", "before", "being", "between", "both", "but", "by", "can", "cannot", "cant", "could", "did", "didnt", "do",
    "does", "doesnt", "doing", "done", "dont", "for", "from", "had", "has", "have", "having", "he", "her", "here",
    "hers", "him", "his", "how", "i", "if", "in", "into", "is", "isnt", "it", "its", "itself", "just", "may", "me",
    "might", "more", "most", "must", "my", "no", "nor", "not", "of", "off", "on", "once", "only", "or", "other",
    "our", "ours", "out", "over", "own", "per", "same", "shall", "she", "should", "so", "some", "such", "than",
    "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "through", "to",
    "too", "under", "until", "up", "upon", "us", "very", "was", "wasnt", "we", "were", "werent", "what", "when",
    "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "wont", "would", "yes", "you", "your",
    "yours",
];

#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "aber", "als", "am", "an", "auch", "auf", "aus", "bei", "bin", "bis", "das", "dass", "dem", "den", "der", "des",
    "die", "dies", "diese", "dieser", "dieses", "doch", "du", "durch", "ein", "eine", "einem", "einen", "einer",
    "eines", "er", "es", "fur", "haben", "hat", "hatte", "hier", "ich", "ihr", "im", "in", "ist", "ja", "kann",
    "konnen", "man", "mehr", "mit", "nach", "nicht", "noch", "nur", "ob", "oder", "sein", "sich", "sie", "sind", "so",
    "uber", "um", "und", "uns", "unter", "vom", "von", "vor", "war", "waren", "was", "weil", "welche", "welcher",
    "welches", "wenn", "wer", "werden", "wie", "wieso", "wir", "wird", "wo", "wurde", "wurden", "zu", "zum", "zur",
    "zwischen",
];

#[rustfmt::skip]
const FRENCH: &[&str] = &[
    "a", "au", "aux", "avec", "ce", "ces", "cette", "comme", "comment", "dans", "de", "des", "du", "elle", "elles",
    "en", "est", "et", "etre", "eux", "il", "ils", "je", "la", "le", "les", "leur", "leurs", "lui", "ma", "mais",
    "me", "mes", "mon", "ne", "nos", "notre", "nous", "on", "ont", "ou", "par", "pas", "plus", "pour", "pourquoi",
    "quand", "que", "quel", "quelle", "quelles", "quels", "qui", "quoi", "sa", "sans", "se", "ses", "si", "son",
    "sont", "sur", "ta", "te", "tes", "ton", "tu", "un", "une", "vos", "votre", "vous", "y",
];

#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "a", "al", "como", "con", "cual", "cuales", "cuando", "de", "del", "desde", "donde", "e", "el", "ella", "ellas",
    "ellos", "en", "entre", "era", "es", "esta", "estas", "este", "esto", "estos", "fue", "ha", "han", "hasta", "la",
    "las", "le", "les", "lo", "los", "mas", "me", "mi", "muy", "ni", "no", "nos", "o", "para", "pero", "por",
    "porque", "que", "quien", "quienes", "se", "ser", "si", "sin", "sobre", "son", "su", "sus", "tambien", "te", "tu",
    "un", "una", "unas", "unos", "y", "ya", "yo",
];

#[rustfmt::skip]
const ITALIAN: &[&str] = &[
    "a", "ad", "ai", "al", "alla", "alle", "anche", "che", "chi", "ci", "come", "con", "cosa", "cui", "da", "dal",
    "dalla", "dei", "del", "della", "delle", "di", "dove", "e", "ed", "era", "gli", "i", "il", "in", "io", "la", "le",
    "lei", "lo", "loro", "lui", "ma", "mi", "ne", "nei", "nel", "nella", "non", "o", "per", "perche", "piu", "quale",
    "quali", "quando", "quella", "quello", "questa", "questo", "se", "si", "sono", "su", "sul", "sulla", "suo", "tra",
    "un", "una", "uno",
];

#[rustfmt::skip]
const PORTUGUESE: &[&str] = &[
    "a", "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "elas", "ele", "eles", "em",
    "entre", "era", "essa", "esse", "esta", "este", "eu", "foi", "ha", "isso", "isto", "ja", "mais", "mas", "me",
    "mesmo", "meu", "minha", "muito", "na", "nao", "nas", "no", "nos", "o", "onde", "os", "ou", "para", "pela",
    "pelo", "por", "porque", "quais", "qual", "quando", "que", "quem", "sao", "se", "sem", "ser", "seu", "so", "sua",
    "tambem", "te", "um", "uma", "voce",
];

#[rustfmt::skip]
const DUTCH: &[&str] = &[
    "aan", "al", "als", "bij", "dat", "de", "den", "der", "des", "deze", "die", "dit", "door", "dus", "een", "en",
    "er", "had", "heb", "hebben", "heeft", "het", "hij", "hoe", "hun", "ik", "in", "is", "je", "kan", "maar", "me",
    "meer", "met", "mijn", "na", "naar", "niet", "nog", "nu", "of", "om", "onder", "ook", "op", "over", "te", "tot",
    "uit", "van", "veel", "voor", "waar", "waarom", "wanneer", "was", "wat", "we", "wel", "werd", "wie", "wij",
    "worden", "wordt", "zal", "ze", "zich", "zij", "zijn", "zo", "zonder",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order_and_as_they_are_compared() {
        for list in [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH] {
            assert!(list.is_sorted());
            assert!(list.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
        }
        assert!(WITHOUT.is_sorted());
    }

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
            assert_eq!(stems.stem(Algorithm::English, word), Stemmer::create(Algorithm::English).stem(word));
        }
        assert_eq!(stems.stem(Algorithm::German, "laufen"), "lauf");
        assert_eq!(stems.stem(Algorithm::English, "laufen"), "laufen");
    }
}
