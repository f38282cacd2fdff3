//! Whether there is an answer at all.

use super::{
    answer_type::AnswerTypeMatch,
    question::QuestionWordSet,
    score::{SentenceScorer, SentenceSignals},
};
use crate::odds::{log_odds, probability};

/// Number of signals that there is an answer.
pub(super) const SIGNALS: usize = 13;

/// The signals that a question is answered, in the order of the weights: of the best sentence, of the other selected
/// ones, and the highest similarity.
pub(super) fn answer_signals(
    scores: &SentenceScorer,
    best: usize,
    look: &SentenceSignals,
    most_alike: f32,
) -> [f32; SIGNALS] {
    let exact = scores.question.exact_words();
    // Without names and figures none is missing.
    let named = |words: QuestionWordSet| match exact.count_ones() {
        0 => 1.0,
        count => (words & exact).count_ones() as f32 / count as f32,
    };
    let (own, about, everywhere) = (scores.found[best], scores.about[best], scores.everywhere);
    let read = look.read.unwrap_or_default();
    [
        scores.question_coverage(own),
        scores.question_coverage(about),
        scores.question_coverage(everywhere),
        named(own),
        named(about),
        named(everywhere),
        if look.fit == AnswerTypeMatch::Lacks { 1.0 } else { 0.0 },
        if look.fit == AnswerTypeMatch::Has { 1.0 } else { 0.0 },
        // Of a longer question a smaller share is found.
        (scores.question.words.len().max(1) as f32).ln(),
        look.alike.unwrap_or_default(),
        if look.alike.is_some() { most_alike } else { 0.0 },
        log_odds(read.holds),
        log_odds(read.beside),
    ]
}

/// Returns the probability, from 0 to 1, that a question is answered.
pub(super) fn answer_confidence(scores: &SentenceScorer, best: usize, look: &SentenceSignals, most_alike: f32) -> f32 {
    let signals = answer_signals(scores, best, look, most_alike);
    let weighted = |(weights, bias): ([f32; SIGNALS], f32)| {
        signals.iter().zip(weights).map(|(signal, weight)| signal * weight).sum::<f32>() + bias
    };
    probability(match (look.read, look.alike) {
        (Some(read), _) => {
            BY_WORDS_WORTH * weighted(BY_WORDS).min(MOST_BY_WORDS)
                + BY_NETWORK_WORTH * log_odds(read.holds)
                + BY_NETWORK
        }
        (None, Some(_)) => weighted(WITH_MEANING),
        (None, None) => weighted(BY_WORDS),
    })
}

/// Weights of the signals, and the intercept. They come from questions with known evidence, and from the same questions put
/// to other collections.
const BY_WORDS: ([f32; SIGNALS], f32) = ([1.7, 6.3, 2.9, 0.0, 2.0, 1.5, -0.8, 0.0, 1.4, 0.0, 0.0, 0.0, 0.0], -11.5);
const WITH_MEANING: ([f32; SIGNALS], f32) = ([0.0, 3.4, 0.0, 0.0, 2.0, 0.0, -0.7, 0.0, 0.0, 5.2, 6.3, 0.0, 0.0], -7.9);

/// With a network: what the log odds by words and by the network are worth, and the intercept. Words count up to a limit:
/// they tell that a sentence is about something else, but not that it answers. Chosen so that of questions with an answer,
/// on articles that the network was not trained on, about one in seven is refused.
const BY_WORDS_WORTH: f32 = 0.3;
const MOST_BY_WORDS: f32 = 2.0;
const BY_NETWORK_WORTH: f32 = 0.28;
const BY_NETWORK: f32 = 0.71;
