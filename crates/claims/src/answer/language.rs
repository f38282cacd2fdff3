//! Which language a text is in, as far as that changes how its words are compared.
//!
//! Told by the words that every sentence of a language is held together by; the same words say least in a question.

use std::{collections::HashMap, sync::LazyLock};

use rust_stemmers::{Algorithm, Stemmer};

use crate::verify::words::{LITTLE, SentenceToken, sentence_tokens};

/// A language that words are compared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextLanguage {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Swedish,
    Danish,
    Polish,
    Russian,
    Greek,
    Arabic,
    Tamil,
    /// One that cannot be told. English is the likeliest, and its stems do little harm to others.
    Other,
}

/// Number of words that are read to detect the language of a text.
const SAMPLED_WORDS: usize = 160;

/// A language is detected if at least one word in this many is one of its function words, and at least two words are.
const ONE_IN: usize = 16;

/// The languages in Latin letters, with the words that hold their sentences together.
const LATIN: &[(TextLanguage, &[&str])] = &[
    (TextLanguage::English, LITTLE),
    (TextLanguage::German, GERMAN),
    (TextLanguage::French, FRENCH),
    (TextLanguage::Spanish, SPANISH),
    (TextLanguage::Italian, ITALIAN),
    (TextLanguage::Portuguese, PORTUGUESE),
    (TextLanguage::Dutch, DUTCH),
    (TextLanguage::Swedish, SWEDISH),
    (TextLanguage::Danish, DANISH),
    (TextLanguage::Polish, POLISH),
];

impl TextLanguage {
    /// The language of a text; [`TextLanguage::Other`] where nothing speaks for any.
    pub fn detect(text: &str) -> Self {
        let mut counts = [0; LATIN.len()];
        let mut scripts: [(usize, Self); 4] =
            [(0, Self::Russian), (0, Self::Greek), (0, Self::Arabic), (0, Self::Tamil)];
        let mut seen = 0;
        let mut lower = String::new();
        for piece in sentence_tokens(text) {
            let SentenceToken::Word(word) = piece else { continue };
            seen += 1;
            if seen > SAMPLED_WORDS {
                break;
            }
            match word.chars().next() {
                Some('\u{400}'..='\u{52F}') => scripts[0].0 += 1,
                Some('\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}') => scripts[1].0 += 1,
                Some('\u{600}'..='\u{6FF}') => scripts[2].0 += 1,
                Some('\u{B80}'..='\u{BFF}') => scripts[3].0 += 1,
                _ if word.len() <= LONGEST_LITTLE => {
                    lower.clear();
                    lower.extend(word.chars().flat_map(char::to_lowercase));
                    let of = LITTLE_OF.get(lower.as_str()).copied().unwrap_or_default();
                    for (place, count) in counts.iter_mut().enumerate() {
                        *count += usize::from(of >> place & 1 == 1);
                    }
                }
                _ => {}
            }
        }
        let words = seen.min(SAMPLED_WORDS);
        if let Some((_, language)) = scripts.into_iter().find(|(count, _)| count * 2 > words) {
            return language;
        }
        // Of equal ones the first.
        let (count, language) = counts
            .into_iter()
            .zip(LATIN)
            .rev()
            .max_by_key(|(count, _)| *count)
            .map_or((0, Self::Other), |(count, one)| (count, one.0));
        if count >= 2 && count * ONE_IN >= words { language } else { Self::Other }
    }

    /// Returns the Snowball stemmer of the language, if there is one.
    pub fn stemmer(self) -> Option<Stemmer> {
        let algorithm = match self {
            Self::English | Self::Other => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Italian => Algorithm::Italian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Dutch => Algorithm::Dutch,
            Self::Swedish => Algorithm::Swedish,
            Self::Danish => Algorithm::Danish,
            Self::Russian => Algorithm::Russian,
            Self::Greek => Algorithm::Greek,
            Self::Arabic => Algorithm::Arabic,
            Self::Tamil => Algorithm::Tamil,
            Self::Polish => return None,
        };
        Some(Stemmer::create(algorithm))
    }

    /// Returns true if a stem can begin differently from its word.
    pub const fn changes_beginnings(self) -> bool {
        matches!(self, Self::Greek | Self::Arabic | Self::Tamil)
    }

    /// Returns true if the language forms compounds whose last part carries the meaning, as German does.
    pub const fn forms_compounds(self) -> bool {
        matches!(self, Self::German | Self::Dutch | Self::Swedish | Self::Danish)
    }

    /// Returns true if the language capitalizes every noun, so that a capital letter does not mean a name.
    pub const fn raises_nouns(self) -> bool {
        matches!(self, Self::German)
    }

    /// Returns true if a lowercase word is a function word that carries no meaning by itself.
    pub fn is_little(self, word: &str) -> bool {
        let little = match self {
            Self::Russian => RUSSIAN,
            _ => match LATIN.iter().find(|(language, _)| *language == self) {
                Some((_, little)) => little,
                None => return false,
            },
        };
        little.binary_search(&word).is_ok()
    }
}

/// Every word of the lists for Latin letters, with a bit for each language that has it.
static LITTLE_OF: LazyLock<HashMap<&str, u16>> = LazyLock::new(|| {
    let mut of = HashMap::new();
    for (place, (_, little)) in LATIN.iter().enumerate() {
        for word in *little {
            *of.entry(*word).or_default() |= 1 << place;
        }
    }
    of
});

/// No word of the lists for Latin letters has more bytes.
const LONGEST_LITTLE: usize = 12;

#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "aber", "alle", "als", "am", "an", "auch", "auf", "aus", "bei", "bin", "bis", "da", "damit", "dann", "das", "dass",
    "dem", "den", "denn", "der", "des", "die", "dies", "diese", "diesem", "diesen", "dieser", "doch", "du", "durch",
    "ein", "eine", "einem", "einen", "einer", "eines", "er", "es", "für", "gab", "gibt", "haben", "hat", "hatte",
    "hatten", "ich", "ihr", "ihre", "im", "in", "ins", "ist", "kann", "können", "man", "mehr", "mit", "muss", "nach",
    "nicht", "noch", "nur", "ob", "oder", "sein", "seine", "sich", "sie", "sind", "so", "sowie", "um", "und", "uns",
    "unter", "vom", "von", "vor", "wann", "war", "waren", "warum", "was", "welche", "welchem", "welchen", "welcher",
    "welches", "wenn", "wer", "werden", "weshalb", "wie", "wieso", "wieviel", "wir", "wird", "wo", "wodurch", "woher",
    "wohin", "worden", "wurde", "wurden", "während", "zu", "zum", "zur", "zwischen", "über",
];
#[rustfmt::skip]
const FRENCH: &[&str] = &[
    "a", "ai", "au", "aux", "avec", "c'est", "ce", "ces", "cette", "combien", "comme", "comment", "dans", "de", "des",
    "dont", "du", "elle", "elles", "en", "est", "et", "eu", "fut", "il", "ils", "je", "l'on", "la", "le", "les",
    "leur", "lui", "mais", "ne", "nous", "on", "ont", "ou", "où", "par", "pas", "plus", "pour", "pourquoi", "qu'est",
    "qu'il", "quand", "que", "quel", "quelle", "quelles", "quels", "qui", "quoi", "sa", "se", "ses", "si", "son",
    "sont", "sous", "sur", "un", "une", "vous", "y", "à", "était", "été", "être",
];
#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "a", "al", "como", "con", "cual", "cuando", "cuál", "cuáles", "cuándo", "cuánta", "cuántas", "cuánto", "cuántos",
    "cómo", "de", "del", "desde", "donde", "dónde", "el", "ella", "en", "entre", "era", "eran", "es", "esta", "este",
    "esto", "está", "fue", "fueron", "ha", "han", "hasta", "hay", "la", "las", "le", "les", "lo", "los", "más", "no",
    "o", "para", "pero", "por", "porque", "que", "quien", "quién", "quiénes", "qué", "se", "ser", "si", "sin", "sobre",
    "son", "su", "sus", "también", "tiene", "un", "una", "y", "ya",
];
#[rustfmt::skip]
const ITALIAN: &[&str] = &[
    "a", "ai", "al", "alla", "anche", "c'è", "che", "chi", "come", "con", "cosa", "cui", "da", "dal", "dalla", "degli",
    "dei", "del", "della", "delle", "di", "dove", "e", "ed", "era", "fu", "gli", "ha", "hanno", "i", "il", "in", "io",
    "la", "le", "lo", "ma", "nel", "nella", "nelle", "non", "o", "per", "perché", "più", "quale", "quali", "quando",
    "quanta", "quante", "quanti", "quanto", "questa", "questo", "se", "si", "sono", "stata", "stato", "su", "sua",
    "sul", "sulla", "suo", "un", "una", "è",
];
#[rustfmt::skip]
const PORTUGUESE: &[&str] = &[
    "a", "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "ele", "em", "entre", "era",
    "essa", "esse", "esta", "este", "está", "foi", "foram", "há", "isso", "mais", "mas", "na", "nas", "no", "nos",
    "não", "o", "onde", "os", "ou", "para", "pela", "pelo", "por", "porque", "quais", "qual", "quando", "quantas",
    "quanto", "quantos", "que", "quem", "se", "sem", "ser", "seu", "sua", "são", "também", "tem", "um", "uma", "à",
    "é",
];
#[rustfmt::skip]
const DUTCH: &[&str] = &[
    "aan", "als", "bij", "dan", "dat", "de", "deze", "die", "dit", "door", "een", "en", "er", "had", "heeft", "het",
    "hij", "hoe", "hoeveel", "hun", "in", "is", "kan", "maar", "met", "naar", "niet", "nog", "of", "om", "onder",
    "ook", "op", "over", "te", "tot", "uit", "van", "voor", "waar", "waarom", "wanneer", "was", "wat", "welk", "welke",
    "werd", "werden", "wie", "wordt", "ze", "zich", "zijn",
];
#[rustfmt::skip]
const SWEDISH: &[&str] = &[
    "att", "av", "blev", "de", "den", "det", "där", "efter", "eller", "en", "ett", "från", "för", "ha", "hade", "han",
    "har", "hon", "hur", "i", "inte", "med", "men", "mot", "många", "när", "och", "om", "på", "sin", "som", "så",
    "till", "under", "upp", "vad", "var", "varför", "vem", "vid", "vilka", "vilken", "vilket", "är", "över",
];
#[rustfmt::skip]
const DANISH: &[&str] = &[
    "af", "at", "ble", "blev", "da", "de", "den", "der", "det", "efter", "eller", "en", "er", "et", "etter", "for",
    "fra", "han", "har", "havde", "hun", "hva", "hvad", "hvem", "hvilken", "hvilket", "hvor", "hvordan", "hvorfor",
    "hvornår", "i", "ikke", "med", "men", "nå", "når", "og", "om", "på", "sin", "som", "til", "var", "ved",
];
#[rustfmt::skip]
const POLISH: &[&str] = &[
    "ale", "był", "była", "było", "były", "co", "czy", "dla", "dlaczego", "do", "gdy", "gdzie", "go", "i", "ich",
    "ile", "jak", "jaki", "jakie", "jako", "jego", "jej", "jest", "kiedy", "kto", "która", "które", "który", "na",
    "nie", "o", "od", "oraz", "po", "przez", "przy", "się", "są", "tak", "to", "tym", "w", "z", "za", "ze", "został",
    "została", "że",
];
#[rustfmt::skip]
const RUSSIAN: &[&str] = &[
    "а", "был", "была", "были", "было", "в", "во", "где", "для", "до", "его", "ее", "если", "есть", "же", "за", "и",
    "из", "или", "их", "к", "как", "какая", "какие", "каким", "какого", "какое", "какой", "каком", "когда", "кто",
    "ли", "на", "не", "но", "о", "об", "он", "она", "они", "от", "по", "почему", "при", "с", "сколько", "со", "так",
    "также", "то", "что", "чтобы", "чём", "это", "этот", "я",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order_and_short() {
        for (language, little) in LATIN {
            assert!(little.is_sorted(), "{language:?}");
            assert!(little.iter().all(|word| word.len() <= LONGEST_LITTLE), "{language:?}");
        }
        assert!(RUSSIAN.is_sorted());
    }

    #[test]
    fn a_sentence_tells_its_language() {
        for (text, language) in [
            ("When was the bridge opened to traffic?", TextLanguage::English),
            ("Wann wurde die Brücke für den Verkehr geöffnet?", TextLanguage::German),
            ("Quand le pont a-t-il été ouvert à la circulation ?", TextLanguage::French),
            ("¿Cuándo se abrió el puente al tráfico?", TextLanguage::Spanish),
            ("Quando è stato aperto il ponte al traffico?", TextLanguage::Italian),
            ("Quando foi que a ponte abriu ao trânsito?", TextLanguage::Portuguese),
            ("Wanneer werd de brug voor het verkeer geopend?", TextLanguage::Dutch),
            ("När öppnades bron för trafik och vem var där?", TextLanguage::Swedish),
            ("Hvornår blev broen åbnet for trafik?", TextLanguage::Danish),
            ("Kiedy most został otwarty dla ruchu?", TextLanguage::Polish),
            ("Когда был открыт мост?", TextLanguage::Russian),
            ("Πότε άνοιξε η γέφυρα;", TextLanguage::Greek),
            ("متى افتتح الجسر؟", TextLanguage::Arabic),
            ("Milloin silta avattiin liikenteelle?", TextLanguage::Other),
            ("桥是什么时候开通的？", TextLanguage::Other),
            ("", TextLanguage::Other),
        ] {
            assert_eq!(TextLanguage::detect(text), language, "{text}");
        }
    }
}
