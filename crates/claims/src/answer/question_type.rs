//! What kind of thing a question asks for.

use ibid_language::{Language, lexicon::QuestionKind, questions::question_cue, words::TokenizedText};

use super::language::TextLanguage;

/// Type of answer that a question expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionType {
    /// A person, or people together.
    Person,
    /// A day, a year or a time of day.
    Date,
    Number,
    Place,
    Reason,
    /// An explanation of what something is.
    Definition,
    /// Instructions on how something is done.
    Steps,
}

/// Type of answer that a question expects, and for "how many" questions the thing that is counted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExpectedAnswer {
    pub kind: QuestionType,
    /// Prefix of the word that is counted, if the question asks for a number.
    pub counted: Option<String>,
}

impl ExpectedAnswer {
    /// Returns true if the answer must contain a figure: a date or a number.
    pub const fn is_for_figure(&self) -> bool {
        matches!(self.kind, QuestionType::Date | QuestionType::Number)
    }
}

/// Returns the type of answer that a question expects, or `None` if no known phrase is found. Where the question does
/// not tell its language, it is read in those of the passages, and then in every other.
pub(super) fn classify_question(question: &str, passages: &[TextLanguage]) -> Option<ExpectedAnswer> {
    let own = TextLanguage::detect(question);
    if let Some(language) = own.0 {
        return classify_in(question, language);
    }
    let known = passages.iter().filter_map(|language| language.0);
    known.chain(Language::COMPLETE).find_map(|language| classify_in(question, language))
}

fn classify_in(question: &str, language: Language) -> Option<ExpectedAnswer> {
    let text = TokenizedText::new(question, language);
    let cue = question_cue(&text)?;
    let kind = match cue.kind {
        QuestionKind::Person => QuestionType::Person,
        QuestionKind::Time => QuestionType::Date,
        QuestionKind::Number => QuestionType::Number,
        QuestionKind::Place => QuestionType::Place,
        QuestionKind::Reason => QuestionType::Reason,
        QuestionKind::Definition => QuestionType::Definition,
        // `How do I …` asks for steps, `how` alone for anything.
        QuestionKind::Manner if cue.tokens.len() > 1 => QuestionType::Steps,
        QuestionKind::Manner | QuestionKind::Thing | QuestionKind::YesNo => return None,
    };
    // `How many people`; what follows `how long` is not counted.
    let counted = cue.counted.map(|place| text.lower_at(place)).filter(|word| word.chars().count() >= SHORTEST_COUNTED);
    Some(ExpectedAnswer { kind, counted: counted.map(|word| word.chars().take(COUNTED).collect()) })
}

/// A shorter word is not looked for.
const SHORTEST_COUNTED: usize = 4;
/// So many letters tell whether two words are forms of one.
const COUNTED: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_tells_what_it_asks_for() {
        for (question, kind) in [
            ("Who built the bridge?", Some(QuestionType::Person)),
            ("In which year was the bridge opened?", Some(QuestionType::Date)),
            ("How many people cross it?", Some(QuestionType::Number)),
            ("How long is it, and where does it end?", Some(QuestionType::Number)),
            ("Where does it end?", Some(QuestionType::Place)),
            ("Why was it closed?", Some(QuestionType::Reason)),
            ("What's a truss?", Some(QuestionType::Definition)),
            ("What is the name of the architect?", Some(QuestionType::Person)),
            ("How do I open the lock?", Some(QuestionType::Steps)),
            ("Is the bridge closed?", None),
            ("Wer baute die Brücke?", Some(QuestionType::Person)),
            ("Seit wann ist sie offen?", Some(QuestionType::Date)),
            ("Qu’est-ce qu’une ferme ?", Some(QuestionType::Definition)),
            ("¿Cuántos arcos tiene?", Some(QuestionType::Number)),
            ("Dove si trova il ponte?", Some(QuestionType::Place)),
            ("東京タワーはいつ完成しましたか？", Some(QuestionType::Date)),
            ("Кто построил мост?", Some(QuestionType::Person)),
            ("whoever whenever", None),
            ("", None),
        ] {
            assert_eq!(classify_question(question, &[]).map(|asking| asking.kind), kind, "{question}");
        }
    }
}
