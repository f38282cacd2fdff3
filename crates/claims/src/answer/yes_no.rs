//! Yes or no, where a quoted sentence says so plainly.

use ibid_language::{
    Lexicon,
    lexicon::QuestionKind,
    questions::question_cue,
    stems::comparable_stem,
    words::{TokenKind, TokenizedText},
};

use super::language::TextLanguage;
use crate::verify::{ModelSignals, ParsedPassage, Verdict, words::is_empty_word};

/// What a sentence answers to a question for yes or no; `None` if the question is another one, or the sentence leaves it
/// open. The words of the question have to stand in the sentence in the same order: who did what to whom is not told by
/// words alone. A sentence that is not certain, or tells of a plan, answers neither yes nor no.
pub fn yes_or_no(question: &str, sentence: &str) -> Option<bool> {
    let language = TextLanguage::detect(question).language();
    let asked = TokenizedText::new(question, language);
    let cue = question_cue(&asked).filter(|cue| cue.kind == QuestionKind::YesNo)?;
    let statement = question.get(asked.tokens.get(cue.tokens.end)?.start..)?.trim_end_matches(['?', ' ', '\u{A0}']);
    let said = TokenizedText::new(sentence, language);
    let lexicon = Lexicon::of(language);
    let cues = &lexicon.cues;
    let is_open =
        |phrases: &ibid_language::phrases::Phrases| phrases.is_in(&said.lower) && !phrases.is_in(&asked.lower);
    if is_open(&cues.hedges) || is_open(&cues.plans) || is_open(&cues.conditions) {
        return None;
    }
    let support = ParsedPassage::with_hint(sentence, Some(language)).check_claim(statement, &ModelSignals::default());
    let answer = match support.verdict {
        Verdict::Supported => true,
        Verdict::Contradicted => false,
        _ => return None,
    };
    stands_in_order(&TokenizedText::new(statement, language), &said, lexicon).then_some(answer)
}

/// Returns true if the words that two texts share stand in the same order in both. Figures may differ.
fn stands_in_order(statement: &TokenizedText<'_>, sentence: &TokenizedText<'_>, lexicon: &Lexicon) -> bool {
    let stems = |text: &TokenizedText<'_>| -> Vec<String> {
        let words = text.tokens.iter().zip(&text.lower).filter(|(token, _)| token.kind == TokenKind::Word);
        let words = words.filter(|(_, lower)| !is_empty_word(lower, lexicon));
        words.map(|(_, lower)| comparable_stem(lower, text.language)).collect()
    };
    let said = stems(sentence);
    let mut from = 0;
    stems(statement).iter().filter(|stem| said.contains(stem)).all(|stem| {
        let found = said[from..].iter().position(|other| other == stem);
        from += found.map_or(0, |at| at + 1);
        found.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_sentence_answers_yes_or_no() {
        for (question, sentence, answer) in [
            ("Was the lighthouse finished in 1874?", "The lighthouse was finished in 1874.", Some(true)),
            ("Was the lighthouse finished in 1880?", "The lighthouse was finished in 1874.", Some(false)),
            ("Is the harbour closed on Sundays?", "The harbour is not closed on Sundays.", Some(false)),
            ("Is the tower taller than the mast?", "The mast is taller than the tower.", None),
            ("Did Ann Brook sue Tom Reed?", "Tom Reed sued Ann Brook.", None),
            ("Is the harbour closed on Sundays?", "The harbour may be closed on Sundays.", None),
            ("Was the bridge rebuilt?", "The bridge is long and grey.", None),
            ("When was the lighthouse finished?", "The lighthouse was finished in 1874.", None),
            ("Wurde der Leuchtturm 1874 fertiggestellt?", "Der Leuchtturm wurde 1874 fertiggestellt.", Some(true)),
            ("Wurde der Leuchtturm 1880 fertiggestellt?", "Der Leuchtturm wurde 1874 fertiggestellt.", Some(false)),
        ] {
            assert_eq!(yes_or_no(question, sentence), answer, "{question} | {sentence}");
        }
    }
}
