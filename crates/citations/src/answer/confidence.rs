//! Whether there is an answer at all.

use super::{
    fits::Fit,
    question::Words,
    score::{Look, Scores},
};

/// How sure that a question is answered, from 0 to 1: by the best sentence, by what a closer look at it and the others
/// picked told, and by how alike the one most alike is.
///
/// The weights come from questions with known evidence, and from the same questions put to other collections.
pub(super) fn confidence(scores: &Scores, best: usize, look: &Look, most_alike: f32) -> f32 {
    let exact = scores.question.exact();
    // Without names and figures none is missing.
    let named = |words: Words| match exact.count_ones() {
        0 => 1.0,
        count => (words & exact).count_ones() as f32 / count as f32,
    };
    let (own, around) = (scores.found[best], scores.around[best]);
    let lacks = if look.fit == Fit::Lacks { 1.0 } else { 0.0 };
    // Of a longer question a smaller share is found.
    let asked = (scores.question.words.len().max(1) as f32).ln();
    let sum = match look.alike {
        None => {
            let everywhere = scores.everywhere;
            let words = 1.7 * scores.covered(own) + 6.3 * scores.covered(around) + 2.9 * scores.covered(everywhere);
            words + 1.5 * named(everywhere) - 0.8 * lacks + 1.4 * asked - 9.5
        }
        Some(alike) => {
            let words = 3.4 * scores.covered(around) + 0.8 * named(around) - 0.7 * lacks;
            words + 5.2 * alike + 6.3 * most_alike - 6.7
        }
    };
    1.0 / (1.0 + (-sum).exp())
}
