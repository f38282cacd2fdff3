//! Whether there is an answer at all.

use super::{
    answer_type::AnswerTypeMatch,
    question::QuestionWordSet,
    score::{SentenceScorer, SentenceSignals},
};

/// Returns the probability, from 0 to 1, that a question is answered: by the best sentence, by the signals of it and of
/// the other selected sentences, and by the highest similarity. The weights come from questions with known evidence,
/// and from the same questions put to other collections.
pub(super) fn answer_confidence(scores: &SentenceScorer, best: usize, look: &SentenceSignals, most_alike: f32) -> f32 {
    let exact = scores.question.exact_words();
    // Without names and figures none is missing.
    let named = |words: QuestionWordSet| match exact.count_ones() {
        0 => 1.0,
        count => (words & exact).count_ones() as f32 / count as f32,
    };
    let (own, around) = (scores.found[best], scores.around[best]);
    let lacks = if look.fit == AnswerTypeMatch::Lacks { 1.0 } else { 0.0 };
    // Of a longer question a smaller share is found.
    let asked = (scores.question.words.len().max(1) as f32).ln();
    let sum = match look.alike {
        None => {
            let everywhere = scores.everywhere;
            let words = 1.7 * scores.question_coverage(own)
                + 6.3 * scores.question_coverage(around)
                + 2.9 * scores.question_coverage(everywhere);
            words + 1.5 * named(everywhere) - 0.8 * lacks + 1.4 * asked - 9.5
        }
        Some(alike) => {
            let words = 3.4 * scores.question_coverage(around) + 0.8 * named(around) - 0.7 * lacks;
            words + 5.2 * alike + 6.3 * most_alike - 6.7
        }
    };
    1.0 / (1.0 + (-sum).exp())
}
