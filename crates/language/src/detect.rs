//! Which language a text is in.
//!
//! [`detect`] is for documents: it compares letter sequences and is right for texts of some length. [`detect_short`] is
//! for a claim or a question: it counts the little words that hold sentences together. [`guess`] always answers.

use std::{collections::HashMap, sync::LazyLock};

use whatlang::{Detector, Lang};

use crate::{
    Language, Lexicon,
    lexicon::lexicons,
    words::{TokenKind, lower_into, raw_tokens},
};

/// Characters that are read at the beginning, in the middle and at the end of a long text.
const SAMPLE: usize = 2000;

/// Words that are read of a short text.
const MOST_WORDS: usize = 160;

/// One of so many words has to be a little word of the language.
const ONE_IN: usize = 16;

/// The fewest characters of a number word that speaks for a language; shorter ones are words of others too.
const SHORTEST_NUMBER: usize = 4;

/// What a little word counts; a number word, or a letter that few other languages have, counts one.
const LITTLE_WORD: usize = 2;

/// What speaks for a language has to come to this: two little words, or one and a letter.
const ENOUGH: usize = 3;

/// The language of a document, where there is little doubt; a title is too short to tell.
pub fn detect(text: &str) -> Option<Language> {
    let info = whatlang::detect(&sample(text))?;
    if info.is_reliable() { language_of(info.lang()) } else { None }
}

/// The language of a document or a passage of one, as [`detect`] finds it. Most are English, which its little words give
/// away in a hundredth of the time that comparing a text with all languages takes.
pub fn detect_quickly(text: &str) -> Option<Language> {
    if is_plainly_english(text) { Some(Language::ENGLISH) } else { detect(text) }
}

/// Whether a third of the words are little words of English, and two of them are so in no other language.
fn is_plainly_english(text: &str) -> bool {
    /// Fewer words than this may all be a name or a quotation.
    const LEAST_WORDS: usize = 12;
    let candidates = &*CANDIDATES;
    let Some(english) = candidates.languages.iter().position(|language| *language == Language::ENGLISH) else {
        return false;
    };
    let (mut words, mut little, mut only_english) = (0, 0, 0);
    let mut lower = String::new();
    for token in raw_tokens(text).filter(|token| token.kind == TokenKind::Word) {
        words += 1;
        lower_into(token.of(text), &mut lower);
        let languages = candidates.little.get(lower.as_str()).copied().unwrap_or_default();
        little += usize::from(languages >> english & 1 == 1);
        only_english += usize::from(languages == 1 << english);
    }
    words >= LEAST_WORDS && little * 3 >= words && only_english >= 2
}

/// The language of a short text such as a claim or a question, by its script and its little words.
pub fn detect_short(text: &str) -> Option<Language> {
    let candidates = &*CANDIDATES;
    let mut points = vec![0_usize; candidates.languages.len()];
    let mut scripts: HashMap<&str, usize> = HashMap::new();
    let mut words = 0;
    let mut lower = String::new();
    for token in raw_tokens(text).filter(|token| token.kind == TokenKind::Word).take(MOST_WORDS) {
        words += 1;
        let word = token.of(text);
        if let Some(code) = word.chars().next().and_then(language_of_script) {
            *scripts.entry(code).or_default() += 1;
            continue;
        }
        lower_into(word, &mut lower);
        let little = |word: &str| candidates.little.get(word).copied().unwrap_or_default();
        // `l'eau` has a little word of its own before the apostrophe.
        let clitic = lower.find('\'').map_or(0, |end| little(&lower[..=end]));
        let little = little(&lower) | clitic;
        let letters = lower.chars().fold(0, |bits, c| bits | candidates.letters.get(&c).copied().unwrap_or_default());
        let numbers = candidates.numbers.get(lower.as_str()).copied().unwrap_or_default();
        for (place, count) in points.iter_mut().enumerate() {
            let has = |bits: u32| usize::from(bits >> place & 1 == 1);
            *count += LITTLE_WORD * has(little) + has(letters) + has(numbers);
        }
    }
    // Japanese writes Chinese characters between its own letters.
    if let Some(kana) = scripts.get("ja").copied() {
        let characters = scripts.remove("zh").unwrap_or_default();
        scripts.insert("ja", kana + characters);
    }
    let by_script = scripts.into_iter().find(|(_, count)| count * 2 > words);
    if let Some((code, _)) = by_script {
        // Many languages share the Cyrillic and the Arabic script; a text long enough is asked for which.
        return detect(text).or_else(|| Language::from_code(code));
    }
    let count = points.iter().copied().max()?;
    if count < ENOUGH || count * ONE_IN < words * LITTLE_WORD {
        return None;
    }
    let best = points.into_iter().zip(&candidates.languages).filter(|(points, _)| *points == count);
    let best: Vec<Language> = best.map(|(_, language)| *language).collect();
    likeliest(text, &best)
}

/// The likeliest by the letters of a text of languages that its little words speak for equally; the first where the
/// letters tell nothing.
fn likeliest(text: &str, languages: &[Language]) -> Option<Language> {
    if languages.len() < 2 {
        return languages.first().copied();
    }
    let is_one = |lang: &Lang| language_of(*lang).is_some_and(|language| languages.contains(&language));
    let allowed: Vec<Lang> = Lang::all().iter().copied().filter(is_one).collect();
    let told = Detector::with_allowlist(allowed).detect_lang(&sample(text)).and_then(language_of);
    told.or(languages.first().copied())
}

/// The language to read a short text in: that of its words, else of its letters, else `hint`, else English.
///
/// Pass the language of the source as the hint when a claim is compared with it.
pub fn guess(text: &str, hint: Option<Language>) -> Language {
    detect_short(text).or_else(|| detect(text)).or(hint).unwrap_or(Language::ENGLISH)
}

/// A part of the text that costs the same however long it is.
fn sample(text: &str) -> String {
    if text.len() <= 4 * 3 * SAMPLE {
        return text.chars().take(3 * SAMPLE).collect();
    }
    [0, text.len() / 2, text.len() - 4 * SAMPLE]
        .into_iter()
        .map(|at| text.floor_char_boundary(at))
        .flat_map(|at| text[at..].chars().take(SAMPLE).chain(['\n']))
        .collect()
}

/// The languages in Latin letters that have a lexicon, and what speaks for each, as a bit at its place.
struct Candidates {
    languages: Vec<Language>,
    little: HashMap<&'static str, u32>,
    /// Number words that are not short.
    numbers: HashMap<&'static str, u32>,
    letters: HashMap<char, u32>,
}

static CANDIDATES: LazyLock<Candidates> = LazyLock::new(|| {
    let is_latin = |lexicon: &&Lexicon| {
        let first = lexicon.little_words().next().and_then(|word| word.chars().next());
        first.is_some_and(|first| language_of_script(first).is_none())
    };
    let latin: Vec<&'static Lexicon> = lexicons().filter(is_latin).take(32).collect();
    let mut candidates =
        Candidates { languages: Vec::new(), little: HashMap::new(), numbers: HashMap::new(), letters: HashMap::new() };
    for (place, lexicon) in latin.into_iter().enumerate() {
        candidates.languages.push(lexicon.language);
        for word in lexicon.little_words() {
            *candidates.little.entry(word).or_default() |= 1 << place;
        }
        let is_long = |word: &&str| word.chars().count() >= SHORTEST_NUMBER;
        for word in lexicon.numbers.words.single_words().filter(is_long) {
            *candidates.numbers.entry(word).or_default() |= 1 << place;
        }
        for letter in lexicon.letters.chars() {
            *candidates.letters.entry(letter).or_default() |= 1 << place;
        }
    }
    candidates
});

/// The code of the language that a script other than the Latin one most likely stands for.
const fn language_of_script(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => "el",
        '\u{400}'..='\u{52F}' => "ru",
        '\u{590}'..='\u{5FF}' => "he",
        '\u{600}'..='\u{6FF}' => "ar",
        '\u{900}'..='\u{97F}' => "hi",
        '\u{B80}'..='\u{BFF}' => "ta",
        '\u{E00}'..='\u{E7F}' => "th",
        '\u{3040}'..='\u{30FF}' => "ja",
        '\u{4E00}'..='\u{9FFF}' => "zh",
        '\u{AC00}'..='\u{D7AF}' => "ko",
        _ => return None,
    })
}

fn language_of(lang: Lang) -> Option<Language> {
    Language::from_code(code(lang))
}

/// The code of two letters of each language that whatlang knows.
const fn code(lang: Lang) -> &'static str {
    match lang {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Ben => "bn",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Kat => "ka",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Yid => "yi",
        Lang::Pol => "pl",
        Lang::Amh => "am",
        Lang::Jav => "jv",
        Lang::Kor => "ko",
        Lang::Nob => "nb",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Mar => "mr",
        Lang::Kan => "kn",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Mkd => "mk",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Tam => "ta",
        Lang::Vie => "vi",
        Lang::Urd => "ur",
        Lang::Tha => "th",
        Lang::Guj => "gu",
        Lang::Uzb => "uz",
        Lang::Pan => "pa",
        Lang::Aze => "az",
        Lang::Ind => "id",
        Lang::Tel => "te",
        Lang::Pes => "fa",
        Lang::Mal => "ml",
        Lang::Ori => "or",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Sin => "si",
        Lang::Khm => "km",
        Lang::Tuk => "tk",
        Lang::Aka => "ak",
        Lang::Zul => "zu",
        Lang::Sna => "sn",
        Lang::Afr => "af",
        Lang::Lat => "la",
        Lang::Slk => "sk",
        Lang::Cat => "ca",
        Lang::Tgl => "tl",
        Lang::Hye => "hy",
        Lang::Cym => "cy",
    }
}
