//! Whether a sentence has the kind of thing that a question asks for.

use super::{
    cue_words::CueWords,
    language::TextLanguage,
    question_type::{ExpectedAnswer, QuestionType, find_words, lowercase_words},
};
use crate::verify::{
    figures::{Figure, Figures, extract_figures},
    words::{SentenceToken, sentence_tokens},
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

/// Result of looking for the expected type of answer in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerTypeMatch {
    Has,
    Lacks,
    /// The sentence cannot be judged, for example because its script has no capital letters.
    Unknown,
}

/// Figures and words of the question itself, which cannot be its answer.
#[derive(Debug)]
pub(super) struct QuestionFacts {
    figures: Figures,
    /// Words of the question in lower case, with a space before and after each.
    plain: String,
}

impl QuestionFacts {
    pub fn new(question: &str) -> Self {
        Self { figures: extract_figures(question), plain: lowercase_words(question) }
    }

    fn contains_figure(&self, figure: &Figure) -> bool {
        self.figures.figures.iter().any(|known| figure.agrees_with(known))
    }
}

/// Tells if a sentence has something of the expected type that the question does not already have. `is_subject` returns
/// true for words that include the subject of the question.
pub(super) fn match_answer_type(
    asking: &ExpectedAnswer,
    sentence: &str,
    language: TextLanguage,
    known: &QuestionFacts,
    is_subject: impl Fn(&str) -> bool,
) -> AnswerTypeMatch {
    let is_wide = sentence.contains(is_wide);
    let signs = CueWords::for_language(language);
    let has = match asking.kind {
        // Only capitals tell names.
        QuestionType::Person | QuestionType::Place if !sentence.contains(char::is_lowercase) => {
            return AnswerTypeMatch::Unknown;
        }
        QuestionType::Person => !words_before_names(sentence, known, language).is_empty(),
        QuestionType::Place => words_before_names(sentence, known, language)
            .iter()
            .any(|before| signs.before_places.contains(&before.as_str())),
        QuestionType::Number if !has_figure(sentence, known) => false,
        // Some figure it has, but is it that of what is counted?
        QuestionType::Number => match &asking.counted {
            Some(counted) if !has_count_of(sentence, counted) => return AnswerTypeMatch::Unknown,
            _ => true,
        },
        QuestionType::Date => has_date(sentence, known),
        QuestionType::Reason if is_wide => {
            ["因为", "由于", "ため", "から", "때문"].iter().any(|word| sentence.contains(word))
        }
        QuestionType::Definition if is_wide => {
            ["是", "とは", "です", "である", "指"].iter().any(|word| sentence.contains(word))
        }
        QuestionType::Steps if is_wide => return AnswerTypeMatch::Unknown,
        QuestionType::Reason => has_any(&lowercase_words(sentence), signs.reasons),
        QuestionType::Steps => has_any(&lowercase_words(sentence), signs.steps),
        QuestionType::Definition => {
            let plain = lowercase_words(sentence);
            signs.copulas.iter().any(|copula| find_words(&plain, copula).is_some_and(|at| is_subject(&plain[..at])))
        }
    };
    if has { AnswerTypeMatch::Has } else { AnswerTypeMatch::Lacks }
}

fn has_any(plain: &str, words: &[&str]) -> bool {
    words.iter().any(|word| find_words(plain, word).is_some())
}

/// Returns true for a character of a script without spaces between words.
const fn is_wide(char: char) -> bool {
    matches!(char, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}

fn has_figure(sentence: &str, known: &QuestionFacts) -> bool {
    extract_figures(sentence).figures.iter().any(|figure| !known.contains_figure(figure))
        // Without spaces a figure stands among other signs, and many are written out.
        || sentence.contains(is_wide)
            && sentence.contains(|char: char| char.is_ascii_digit() || WIDE_FIGURES.contains(char))
}

const WIDE_FIGURES: &str = "一二三四五六七八九十百千万亿億";

/// Maximum distance from a figure to the word that it counts, in words.
const COUNTED_WITHIN: usize = 3;

/// Returns true if a figure stands shortly before a word with the prefix `counted`.
fn has_count_of(sentence: &str, counted: &str) -> bool {
    let words = lowercase_words(sentence);
    let words: Vec<_> = words.split(' ').collect();
    words.iter().enumerate().any(|(at, word)| {
        word.starts_with(counted)
            && words[at.saturating_sub(COUNTED_WITHIN)..at]
                .iter()
                .any(|before| !extract_figures(before).figures.is_empty())
    })
}

fn has_date(sentence: &str, known: &QuestionFacts) -> bool {
    let found = extract_figures(sentence);
    let is_year =
        |figure: &Figure| (1000.0..2200.0).contains(&figure.value) && figure.value.fract() == 0.0 && !figure.is_percent;
    found.figures.iter().any(|figure| is_year(figure) && !known.contains_figure(figure))
        || found.months.iter().any(|month| !known.figures.months.contains(month))
        || has_wide_date(sentence)
        || {
            let plain = lowercase_words(sentence);
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
fn words_before_names(sentence: &str, known: &QuestionFacts, language: TextLanguage) -> Vec<String> {
    let words: Vec<_> = sentence_tokens(sentence).collect();
    let is_raised = |at: usize| match words.get(at) {
        Some(SentenceToken::Word(word)) => word.starts_with(char::is_uppercase) && word.chars().nth(1).is_some(),
        _ => false,
    };
    let mut names = Vec::new();
    // The last word that was not raised.
    let mut before = String::new();
    for (at, piece) in words.iter().enumerate() {
        let SentenceToken::Word(word) = piece else {
            before.clear();
            continue;
        };
        let lower = word.to_lowercase();
        if !is_raised(at) {
            before = lower;
            continue;
        }
        let begins = at == 0 || matches!(words[at - 1], SentenceToken::End);
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
    use super::{super::question_type::classify_question, *};

    #[test]
    fn a_sentence_has_what_is_asked_for_or_not() {
        let fits = |question: &str, sentence: &str| {
            let subject = lowercase_words(question);
            let is_subject = |words: &str| words.split(' ').any(|word| word.len() > 3 && subject.contains(word));
            let language =
                if question.starts_with("Wer") { TextLanguage::German } else { TextLanguage::detect(sentence) };
            match_answer_type(
                &classify_question(question).unwrap(),
                sentence,
                language,
                &QuestionFacts::new(question),
                is_subject,
            )
        };
        for (question, sentence, wanted) in [
            ("Who built the Harbour Bridge?", "The Harbour Bridge was built by John Bradfield.", AnswerTypeMatch::Has),
            ("Who built the Harbour Bridge?", "The Harbour Bridge was built of steel.", AnswerTypeMatch::Lacks),
            ("Wer baute die Brücke?", "Die Brücke wurde von Ada Muster gebaut.", AnswerTypeMatch::Has),
            ("Wer baute die Brücke?", "Die Brücke wurde aus Stahl gebaut.", AnswerTypeMatch::Lacks),
            ("When was it opened?", "It was opened on 19 March.", AnswerTypeMatch::Has),
            ("When was it opened in 1932?", "It was opened in 1932.", AnswerTypeMatch::Lacks),
            ("When was it opened?", "It cost 4200000 and has 8 lanes.", AnswerTypeMatch::Lacks),
            ("How many lanes does it have?", "It has eight lanes.", AnswerTypeMatch::Has),
            ("How many lanes does it have?", "It has lanes.", AnswerTypeMatch::Lacks),
            ("How many lanes does it have?", "It has lanes since 1932.", AnswerTypeMatch::Unknown),
            ("How much does it cost?", "It is 5 euros.", AnswerTypeMatch::Has),
            (
                "Combien de piles a-t-il ?",
                "Il a douze piles et 3 arches, puis 12 vieilles piles.",
                AnswerTypeMatch::Has,
            ),
            ("Where is the bridge?", "The bridge stands in Sydney.", AnswerTypeMatch::Has),
            ("Where is the bridge?", "The bridge was built by Dorman Long.", AnswerTypeMatch::Lacks),
            ("Why was it closed?", "It was closed because of ice.", AnswerTypeMatch::Has),
            ("Why was it closed?", "It was closed in winter.", AnswerTypeMatch::Lacks),
            ("What is a truss?", "A truss is a frame of bars.", AnswerTypeMatch::Has),
            ("What is a truss?", "The frame is a truss.", AnswerTypeMatch::Lacks),
            ("How do I open the lock?", "First press the green button.", AnswerTypeMatch::Has),
            ("東京タワーはいつ完成しましたか？", "東京タワーは1958年に完成した。", AnswerTypeMatch::Has),
            ("东京塔有多高？", "东京塔高333米。", AnswerTypeMatch::Has),
            ("东京塔有多高？", "东京塔很高。", AnswerTypeMatch::Lacks),
            ("谁建造了这座桥？", "这座桥由工程师建造。", AnswerTypeMatch::Unknown),
        ] {
            assert_eq!(fits(question, sentence), wanted, "{question} | {sentence}");
        }
    }
}
