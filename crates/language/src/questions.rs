//! What a question asks for, by the words it is put with.

use std::ops::Range;

use crate::{
    Lexicon,
    lexicon::QuestionKind,
    words::{TokenKind, TokenizedText},
};

/// What a question asks for, and where it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionCue {
    /// What it asks for.
    pub kind: QuestionKind,
    /// The tokens that say so: `how many`.
    pub tokens: Range<usize>,
    /// The token that names what is counted: `people` in `How many people …`.
    pub counted: Option<usize>,
}

/// What a question asks for: the first cue counts, the longest where two begin together. A question that opens as one
/// for yes or no is one only where no other cue follows.
pub fn question_cue(question: &TokenizedText<'_>) -> Option<QuestionCue> {
    let lexicon = Lexicon::of(question.language);
    let words = &question.lower;
    let mut opening: Option<QuestionCue> = None;
    for place in 0..words.len() {
        if opening.as_ref().is_some_and(|opening| opening.tokens.contains(&place)) {
            continue;
        }
        let Some((length, kind)) = lexicon.questions.longest_at(words, place) else { continue };
        let tokens = place..place + length;
        if kind == QuestionKind::YesNo {
            let is_first = question.tokens[..place].iter().all(|token| token.kind == TokenKind::Sign);
            opening = opening.or(is_first.then_some(QuestionCue { kind, tokens, counted: None }));
            continue;
        }
        let counts = kind == QuestionKind::Number && lexicon.counting_questions.is_in(&words[tokens.clone()]);
        let counted = counts.then(|| first_content_word(question, tokens.end)).flatten();
        return Some(QuestionCue { kind, tokens, counted });
    }
    opening
}

/// How far behind `how many` what is counted may stand, in tokens.
const COUNTED_WITHIN: usize = 3;

fn first_content_word(text: &TokenizedText<'_>, from: usize) -> Option<usize> {
    let lexicon = Lexicon::of(text.language);
    (from..text.tokens.len().min(from + COUNTED_WITHIN))
        // `How much does it cost` counts nothing that it names.
        .take_while(|&place| !lexicon.auxiliaries.contains(text.lower_at(place)))
        .find(|&place| text.tokens[place].kind == TokenKind::Word && !lexicon.is_little(text.lower_at(place)))
}
