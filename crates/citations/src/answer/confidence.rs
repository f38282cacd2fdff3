//! Whether there is an answer at all.

use super::{kinds::Fit, question::Words, score::Scores};

/// What was picked, as far as it tells whether there is an answer.
pub(super) struct Evidence {
    /// The question's words that the best sentence has.
    pub best: Words,
    /// The question's words in what was picked and around it.
    pub around: Words,
    /// Whether what was picked has the kind of thing that is asked for.
    pub fit: Fit,
    /// How alike the meaning of the best sentence is to the question's, and that of the one most alike.
    pub alike: Option<(f32, f32)>,
}

/// How sure that a question is answered, from 0 to 1.
pub(super) fn confidence(scores: &Scores, evidence: &Evidence) -> f32 {
    let everywhere = scores.around.iter().fold(0, |all, words| all | words);
    let exact = scores.question.exact();
    // Without names and figures none is missing.
    let named = |words: Words| match exact.count_ones() {
        0 => 1.0,
        count => (words & exact).count_ones() as f32 / count as f32,
    };
    let (best, around) = (scores.covered(evidence.best), scores.covered(evidence.around));
    let lacks = if evidence.fit == Fit::Lacks { 1.0 } else { 0.0 };
    let asked = (scores.asked().max(1) as f32).ln();
    let sum = match evidence.alike {
        None => {
            1.7 * best + 6.3 * around + 2.9 * scores.covered(everywhere) + 1.5 * named(everywhere) - 0.8 * lacks
                + 1.4 * asked
                - 9.5
        }
        Some((alike, most)) => {
            3.4 * around + 0.8 * named(evidence.around) - 0.7 * lacks + 5.2 * alike + 6.3 * most - 6.7
        }
    };
    1.0 / (1.0 + (-sum).exp())
}
