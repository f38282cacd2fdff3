//! Whether a sentence has the kind of thing that a question asks for.

use std::collections::HashSet;

use ibid_language::{
    Lexicon,
    numbers::{Number, NumberKind, numbers_in},
    phrases::Phrases,
    words::{TokenKind, TokenizedText},
};

use super::{
    language::TextLanguage,
    question_type::{ExpectedAnswer, QuestionType},
};
use crate::verify::{
    figures::{Figures, is_spelled_ordinal},
    words::{is_raised, sentence_starts},
};

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
    /// Words of the question in lower case.
    words: HashSet<String>,
}

impl QuestionFacts {
    /// Reads a question, in the language of a passage where it does not tell its own.
    pub fn new(question: &str, passages: &[TextLanguage]) -> Self {
        let known = passages.iter().copied().find(|language| language.is_known());
        let own = Some(TextLanguage::detect(question)).filter(|own| own.is_known());
        let language = own.or(known).unwrap_or(TextLanguage(None)).language();
        let text = TokenizedText::new(question, language);
        Self { figures: Figures::of(&text), words: text.lower.into_iter().collect() }
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
    // Only capitals tell names.
    if matches!(asking.kind, QuestionType::Person | QuestionType::Place) && !sentence.contains(char::is_lowercase) {
        return AnswerTypeMatch::Unknown;
    }
    let text = TokenizedText::new(sentence, language.language());
    let cues = &language.lexicon().cues;
    let has_cue = |phrases: &Phrases| if phrases.is_empty() { None } else { Some(phrases.is_in(&text.lower)) };
    let has = match asking.kind {
        QuestionType::Person => Some(!words_before_names(&text, known).is_empty()),
        QuestionType::Place => {
            Some(words_before_names(&text, known).iter().any(|before| cues.before_places.contains(before)))
        }
        QuestionType::Number if !has_figure(&text, known) => Some(false),
        // Some figure it has, but is it that of what is counted?
        QuestionType::Number => {
            asking.counted.as_ref().is_none_or(|counted| has_count_of(&text, counted)).then_some(true)
        }
        QuestionType::Date => Some(has_date(&text, known)),
        QuestionType::Reason => has_cue(&cues.reasons),
        QuestionType::Steps => has_cue(&cues.steps),
        QuestionType::Definition if cues.definitions.is_empty() => None,
        QuestionType::Definition => Some((0..text.tokens.len()).any(|place| {
            cues.definitions.longest_at(&text.lower, place).is_some()
                && is_subject(&sentence[..text.tokens[place].start])
        })),
    };
    match has {
        Some(true) => AnswerTypeMatch::Has,
        Some(false) => AnswerTypeMatch::Lacks,
        None => AnswerTypeMatch::Unknown,
    }
}

/// Returns true if a sentence has a number that the question does not have; a place in a row counts nothing.
fn has_figure(text: &TokenizedText<'_>, known: &QuestionFacts) -> bool {
    let figures = Figures::of(text);
    figures.numbers.iter().any(|number| !is_spelled_ordinal(number) && !known.figures.has_number(number))
}

/// Maximum distance from a figure to the word that it counts, in words.
const COUNTED_WITHIN: usize = 3;

/// Returns true if a figure stands shortly before a word with the prefix `counted`.
fn has_count_of(text: &TokenizedText<'_>, counted: &str) -> bool {
    let numbers = numbers_in(text);
    let words: Vec<_> = (0..text.tokens.len()).filter(|place| text.tokens[*place].is_word()).collect();
    let is_number = |place: &usize| {
        let token = text.tokens[*place];
        numbers.iter().any(|number| number.range.start <= token.start && token.end <= number.range.end)
    };
    words.iter().enumerate().any(|(at, place)| {
        text.lower_at(*place).starts_with(counted) && words[at.saturating_sub(COUNTED_WITHIN)..at].iter().any(is_number)
    })
}

fn has_date(text: &TokenizedText<'_>, known: &QuestionFacts) -> bool {
    let found = Figures::of(text);
    let is_year = |number: &&Number| {
        (1000.0..2200.0).contains(&number.value)
            && number.value.fract() == 0.0
            && number.kind == NumberKind::Cardinal
            && !number.is_spelled
    };
    found.numbers.iter().filter(is_year).any(|number| !known.figures.has_number(number))
        || found.dates.iter().any(|(date, _)| !known.figures.has_month(date.month))
        || found.weekdays.iter().any(|day| !known.figures.weekdays.contains(day))
        || has_time_word(text, known)
}

/// Returns true if a sentence has a word about time that the question does not have: `yesterday`, `century`.
fn has_time_word(text: &TokenizedText<'_>, known: &QuestionFacts) -> bool {
    let time = &Lexicon::of(text.language).time;
    (0..text.tokens.len()).any(|place| {
        let length = time.other.longest_at(&text.lower, place).map(|(length, ())| length);
        let length = length.or_else(|| time.days_from_now.longest_at(&text.lower, place).map(|(length, _)| length));
        length.is_some_and(|length| text.lower[place..place + length].iter().any(|word| !known.words.contains(word)))
    })
}

/// For each name in a sentence that the question does not have, the word before it, in lower case.
fn words_before_names(text: &TokenizedText<'_>, known: &QuestionFacts) -> Vec<String> {
    let starts = sentence_starts(text);
    let raises_nouns = Lexicon::of(text.language).has_capital_nouns;
    let is_long = |at: usize| text.tokens.get(at).is_some_and(|token| token.of(text.text).chars().nth(1).is_some());
    let is_raised = |at: usize| is_raised(text, at) && is_long(at);
    let mut names = Vec::new();
    // The last word that was not raised.
    let mut before = String::new();
    for (at, token) in text.tokens.iter().enumerate() {
        if token.kind == TokenKind::Sign {
            continue;
        }
        let begins = starts[at];
        if begins {
            before.clear();
        }
        let lower = text.lower_at(at);
        if !is_raised(at) {
            lower.clone_into(&mut before);
            continue;
        }
        // Where every noun is raised, or a sentence begins, only two in a row make a name.
        let is_name = !(begins || raises_nouns) || is_raised(at + 1) || (!begins && at > 0 && is_raised(at - 1));
        if is_name && !known.words.contains(lower) {
            names.push(before.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use ibid_language::Language;

    use super::{super::question_type::classify_question, *};

    #[test]
    fn a_sentence_has_what_is_asked_for_or_not() {
        let fits = |question: &str, sentence: &str| {
            let subject = question.to_lowercase();
            let is_subject =
                |words: &str| words.to_lowercase().split(' ').any(|word| word.len() > 3 && subject.contains(word));
            let language = match question.starts_with("Wer") {
                true => TextLanguage(Some(Language::GERMAN)),
                false => TextLanguage::detect(sentence),
            };
            match_answer_type(
                &classify_question(question, &[]).unwrap(),
                sentence,
                language,
                &QuestionFacts::new(question, &[]),
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
