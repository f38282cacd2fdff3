//! Whether a sentence has the kind of thing that a question asks for.

use super::{
    kinds::{Asking, Kind, find_words, plain},
    language::Language,
    signs::Signs,
};
use crate::verify::{
    figures::{Figure, Figures, figures},
    words::{Piece, pieces},
};

/// Words that only a date has, in any language.
#[rustfmt::skip]
const DATES: &[&str] = &[
    "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "yesterday", "today", "tomorrow",
    "ago", "last week", "last month", "last year", "last night", "last weekend", "next week", "next month",
    "next year", "this week", "this month", "this year", "recently", "century", "tonight", "januar", "februar", "märz",
    "mai", "juni", "juli", "oktober", "dezember", "gestern", "heute", "morgen", "jahrhundert", "jahrhunderts",
    "janvier", "février", "avril", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre",
    "siècle", "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
    "octubre", "noviembre", "diciembre", "ayer", "siglo", "gennaio", "febbraio", "aprile", "maggio", "giugno",
    "luglio", "settembre", "ottobre", "dicembre", "ieri", "secolo", "janeiro", "fevereiro", "março", "maio", "junho",
    "julho", "setembro", "outubro", "novembro", "dezembro", "ontem", "século", "januari", "februari", "maart", "mei",
    "augustus", "gisteren", "eeuw", "augusti", "igår", "århundrede", "wczoraj", "wieku", "января", "февраля", "марта",
    "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря", "веке",
];

/// Whether a sentence has what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It has.
    Has,
    /// It has not.
    Lacks,
    /// That cannot be told.
    Unknown,
}

/// What the question itself has of what it asks for, which answers nothing.
#[derive(Debug)]
pub(super) struct Known {
    figures: Figures,
    /// Its words in lower case.
    plain: String,
}

impl Known {
    pub fn new(question: &str) -> Self {
        Self { figures: figures(question), plain: plain(question) }
    }

    fn has(&self, figure: &Figure) -> bool {
        self.figures.figures.iter().any(|known| figure.fits(known))
    }
}

/// Whether a sentence has a thing of that kind that the question does not have. `is_subject` says whether words have
/// some that the question is about.
pub(super) fn fit(
    asking: &Asking,
    sentence: &str,
    language: Language,
    known: &Known,
    is_subject: impl Fn(&str) -> bool,
) -> Fit {
    let is_wide = sentence.contains(is_wide);
    let signs = Signs::of(language);
    let has = match asking.kind {
        // Only capitals tell names.
        Kind::Person | Kind::Place if !sentence.contains(char::is_lowercase) => return Fit::Unknown,
        Kind::Person => !names(sentence, known, language).is_empty(),
        Kind::Place => {
            names(sentence, known, language).iter().any(|before| signs.before_places.contains(&before.as_str()))
        }
        Kind::Number if !has_figure(sentence, known) => false,
        // Some figure it has, but is it that of what is counted?
        Kind::Number => match &asking.counted {
            Some(counted) if !counts(sentence, counted) => return Fit::Unknown,
            _ => true,
        },
        Kind::Date => has_date(sentence, known),
        Kind::Reason if is_wide => ["因为", "由于", "ため", "から", "때문"].iter().any(|word| sentence.contains(word)),
        Kind::Definition if is_wide => {
            ["是", "とは", "です", "である", "指"].iter().any(|word| sentence.contains(word))
        }
        Kind::Steps if is_wide => return Fit::Unknown,
        Kind::Reason => has_any(&plain(sentence), signs.reasons),
        Kind::Steps => has_any(&plain(sentence), signs.steps),
        Kind::Definition => {
            let plain = plain(sentence);
            signs.copulas.iter().any(|copula| find_words(&plain, copula).is_some_and(|at| is_subject(&plain[..at])))
        }
    };
    if has { Fit::Has } else { Fit::Lacks }
}

fn has_any(plain: &str, words: &[&str]) -> bool {
    words.iter().any(|word| find_words(plain, word).is_some())
}

/// Whether a character is of a script without spaces.
const fn is_wide(char: char) -> bool {
    matches!(char, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}

fn has_figure(sentence: &str, known: &Known) -> bool {
    figures(sentence).figures.iter().any(|figure| !known.has(figure))
        // Without spaces a figure stands among other signs, and many are written out.
        || sentence.contains(is_wide)
            && sentence.contains(|char: char| char.is_ascii_digit() || WIDE_FIGURES.contains(char))
}

const WIDE_FIGURES: &str = "一二三四五六七八九十百千万亿億";

/// How far behind a figure what it counts may stand, in words.
const COUNTED_WITHIN: usize = 3;

/// Whether a figure stands right before a word that begins so.
fn counts(sentence: &str, counted: &str) -> bool {
    let words = plain(sentence);
    let words: Vec<_> = words.split(' ').collect();
    words.iter().enumerate().any(|(at, word)| {
        word.starts_with(counted)
            && words[at.saturating_sub(COUNTED_WITHIN)..at].iter().any(|before| !figures(before).figures.is_empty())
    })
}

fn has_date(sentence: &str, known: &Known) -> bool {
    let found = figures(sentence);
    let is_year =
        |figure: &Figure| (1000.0..2200.0).contains(&figure.value) && figure.value.fract() == 0.0 && !figure.is_percent;
    found.figures.iter().any(|figure| is_year(figure) && !known.has(figure))
        || found.months.iter().any(|month| !known.figures.months.contains(month))
        || has_wide_date(sentence)
        || {
            let plain = plain(sentence);
            DATES.iter().any(|word| find_words(&plain, word).is_some() && find_words(&known.plain, word).is_none())
        }
}

/// A year or a day as Chinese, Japanese and Korean write it: `1958年`, `3月`.
fn has_wide_date(sentence: &str) -> bool {
    let mut before = ' ';
    sentence.chars().any(|char| {
        let is_date = matches!(char, '年' | '月' | '日' | '년' | '월' | '일') && before.is_numeric();
        before = char;
        is_date
    })
}

/// For each name in a sentence that the question does not have, the word before it, in lower case.
fn names(sentence: &str, known: &Known, language: Language) -> Vec<String> {
    let words: Vec<_> = pieces(sentence).collect();
    let is_raised = |at: usize| match words.get(at) {
        Some(Piece::Word(word)) => word.starts_with(char::is_uppercase) && word.chars().nth(1).is_some(),
        _ => false,
    };
    let mut names = Vec::new();
    // The last word that was not raised.
    let mut before = String::new();
    for (at, piece) in words.iter().enumerate() {
        let Piece::Word(word) = piece else {
            before.clear();
            continue;
        };
        let lower = word.to_lowercase();
        if !is_raised(at) {
            before = lower;
            continue;
        }
        let begins = at == 0 || matches!(words[at - 1], Piece::End);
        // Where every noun is raised, or a sentence begins, only two in a row make a name.
        let is_name = !(begins || language.raises_nouns()) || is_raised(at + 1) || (!begins && is_raised(at - 1));
        let bare = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(&lower);
        if is_name && find_words(&known.plain, bare).is_none() {
            names.push(before.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{super::kinds::asked, *};

    #[test]
    fn a_sentence_has_what_is_asked_for_or_not() {
        let fits = |question: &str, sentence: &str| {
            let subject = plain(question);
            let is_subject = |words: &str| words.split(' ').any(|word| word.len() > 3 && subject.contains(word));
            let language = if question.starts_with("Wer") { Language::German } else { Language::of(sentence) };
            fit(&asked(question).unwrap(), sentence, language, &Known::new(question), is_subject)
        };
        for (question, sentence, wanted) in [
            ("Who built the Harbour Bridge?", "The Harbour Bridge was built by John Bradfield.", Fit::Has),
            ("Who built the Harbour Bridge?", "The Harbour Bridge was built of steel.", Fit::Lacks),
            ("Wer baute die Brücke?", "Die Brücke wurde von Ada Muster gebaut.", Fit::Has),
            ("Wer baute die Brücke?", "Die Brücke wurde aus Stahl gebaut.", Fit::Lacks),
            ("When was it opened?", "It was opened on 19 March.", Fit::Has),
            ("When was it opened in 1932?", "It was opened in 1932.", Fit::Lacks),
            ("When was it opened?", "It cost 4200000 and has 8 lanes.", Fit::Lacks),
            ("How many lanes does it have?", "It has eight lanes.", Fit::Has),
            ("How many lanes does it have?", "It has lanes.", Fit::Lacks),
            ("How many lanes does it have?", "It has lanes since 1932.", Fit::Unknown),
            ("How much does it cost?", "It is 5 euros.", Fit::Has),
            ("Combien de piles a-t-il ?", "Il a douze piles et 3 arches, puis 12 vieilles piles.", Fit::Has),
            ("Where is the bridge?", "The bridge stands in Sydney.", Fit::Has),
            ("Where is the bridge?", "The bridge was built by Dorman Long.", Fit::Lacks),
            ("Why was it closed?", "It was closed because of ice.", Fit::Has),
            ("Why was it closed?", "It was closed in winter.", Fit::Lacks),
            ("What is a truss?", "A truss is a frame of bars.", Fit::Has),
            ("What is a truss?", "The frame is a truss.", Fit::Lacks),
            ("How do I open the lock?", "First press the green button.", Fit::Has),
            ("東京タワーはいつ完成しましたか？", "東京タワーは1958年に完成した。", Fit::Has),
            ("东京塔有多高？", "东京塔高333米。", Fit::Has),
            ("东京塔有多高？", "东京塔很高。", Fit::Lacks),
            ("谁建造了这座桥？", "这座桥由工程师建造。", Fit::Unknown),
        ] {
            assert_eq!(fits(question, sentence), wanted, "{question} | {sentence}");
        }
    }
}
