//! The sentences that a network reads with a question: each candidate with its neighbours and the title of its source.

use std::ops::Range;

use super::{AnswerCandidates, candidates::continues};
use crate::verify::NETWORK_LANGUAGE;

/// The most windows that are read for a question; each costs some milliseconds.
pub const MOST_WINDOWS: usize = 16;
/// The longest window, in words. A longer sentence is read alone, as far as the network looks.
const LONGEST: usize = 110;
/// The longest title that is read with a window, in characters.
const LONGEST_TITLE: usize = 100;

/// Some sentences of a source that follow each other, under its title.
#[derive(Clone, Debug)]
pub struct AnswerWindow {
    /// The text to read.
    pub text: String,
    /// Its sentences: index of each candidate, and its bytes in the text.
    pub(super) sentences: Vec<(usize, Range<usize>)>,
}

/// What a network says of a window, read with the question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedAnswer {
    /// From 0 to 1, whether the window answers the question.
    pub answers: f32,
    /// The bytes of the window's text that are most likely the answer.
    pub answer: Range<usize>,
}

/// What is known of a candidate from the windows it was read in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ReadSentence {
    /// The most that a window says in which the answer is in this sentence.
    pub holds: f32,
    /// The most that a window says in which this sentence stands, wherever the answer is.
    pub beside: f32,
}

impl AnswerCandidates<'_> {
    /// The windows to read with the question, the best candidates by their words first. A candidate that stands in a
    /// window already has none of its own, nor has one in a language that the network was not trained for. A question for
    /// reasons or steps, or several at once, have no windows at all: the network was trained on single questions for facts.
    pub fn windows(&self) -> &[AnswerWindow] {
        self.windows.get_or_init(|| self.choose_windows())
    }

    fn choose_windows(&self) -> Vec<AnswerWindow> {
        let mut windows: Vec<AnswerWindow> = Vec::new();
        if !self.scores.is_for_one_fact() {
            return windows;
        }
        for &place in &self.short {
            if windows.len() == MOST_WINDOWS {
                break;
            }
            if self.scores.languages[self.sentences[place].passage].language() != NETWORK_LANGUAGE {
                continue;
            }
            if !windows.iter().any(|window| window.sentences.iter().any(|(other, _)| *other == place)) {
                windows.push(self.window_around(place));
            }
        }
        windows
    }

    /// A sentence with the one before and the one after, if they stand beside it and are fit to be read.
    fn window_around(&self, place: usize) -> AnswerWindow {
        let words = |place: usize| self.sentences[place].text.split_whitespace().count();
        let is_near = |one: usize, other: usize| {
            self.source_of(one) == self.source_of(other)
                && continues(&self.sentences[one], &self.sentences[other])
                && self.scores.is_quotable(one, &self.sentences[one])
                && self.scores.is_quotable(other, &self.sentences[other])
        };
        let mut sentences = place..place + 1;
        let mut length = words(place);
        let before = place.checked_sub(1).filter(|&before| is_near(before, place));
        let after = Some(place + 1).filter(|&after| after < self.sentences.len() && is_near(place, after));
        for other in [before, after].into_iter().flatten() {
            if length + words(other) <= LONGEST {
                length += words(other);
                sentences = sentences.start.min(other)..sentences.end.max(other + 1);
            }
        }
        let title = self.passages[self.sentences[place].passage].title;
        let mut text: String = title.chars().take(LONGEST_TITLE).collect();
        if !text.is_empty() {
            text.push_str(". ");
        }
        let mut found = Vec::with_capacity(sentences.len());
        for place in sentences {
            if !text.is_empty() && !text.ends_with(' ') {
                text.push(' ');
            }
            let start = text.len();
            text.push_str(self.sentences[place].text);
            found.push((place, start..text.len()));
        }
        AnswerWindow { text, sentences: found }
    }

    /// What the windows say of each candidate, by its index; `None` for those that were not read.
    pub(super) fn read_sentences(&self, judged: &[JudgedAnswer]) -> Vec<Option<ReadSentence>> {
        let mut read: Vec<Option<ReadSentence>> = vec![None; self.sentences.len()];
        for (window, judged) in self.windows().iter().zip(judged) {
            let answers = if judged.answers.is_finite() { judged.answers.clamp(0.0, 1.0) } else { 0.0 };
            let middle = judged.answer.start.midpoint(judged.answer.end);
            for (place, range) in &window.sentences {
                let known = read[*place].get_or_insert_default();
                known.beside = known.beside.max(answers);
                if range.contains(&middle) {
                    known.holds = known.holds.max(answers);
                }
            }
        }
        read
    }
}
