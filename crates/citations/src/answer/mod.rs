//! Answers in the words of the sources: which sentences of the passages that a search found answer a question, and the
//! text that quotes and cites them.
//!
//! Nothing is worded here. Sentences are compared with the question by their words, each counted by how rare it is
//! among the passages, by the kind of thing that is asked for, and by their meaning where a model can tell; the best
//! are quoted as they stand. Where nothing comes close enough the answer says so: [`Answer::is_answered`].
//!
//! [`Candidates::new`] takes the passages apart, [`Candidates::texts`] are the sentences that a model may compare with
//! the question, [`Candidates::pick`] chooses, and [`Answer::write`] makes Markdown of what was chosen. The weights
//! come from questions with known evidence; what meaning is worth was measured with the local model, and another
//! model's numbers may lie higher or lower.

mod beginnings;
mod confidence;
mod fits;
mod gather;
mod kinds;
mod language;
mod pick;
mod question;
mod repetition;
mod score;
mod shape;
mod signs;
mod write;

use ibid_domain::Span;

pub use self::write::{Quoted, Written};
use self::{
    gather::{Sentence, gather},
    question::LONGEST_QUESTION,
    score::Scores,
};

/// The most sentences that are compared by their meaning.
pub const MOST_TEXTS: usize = 48;

/// A passage that a search found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found<'text> {
    /// Which source it is of; passages of one source may overlap.
    pub source: usize,
    /// Its words.
    pub text: &'text str,
    /// How well it fits the question, on any scale.
    pub score: f32,
    /// Where it begins in the text of its source, in characters.
    pub start: usize,
    /// The title of its source.
    pub title: &'text str,
}

/// What an answer may be like.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most sentences.
    pub most: usize,
    /// From this confidence on a question counts as answered.
    pub least_confidence: f32,
}

impl Default for Options {
    fn default() -> Self {
        Self { most: 5, least_confidence: 0.5 }
    }
}

/// The sentences that may answer a question.
pub struct Candidates<'text> {
    passages: Vec<Found<'text>>,
    sentences: Vec<Sentence<'text>>,
    scores: Scores,
    /// The sentences worth a closer look, the best by their words first.
    short: Vec<usize>,
}

/// An answer in the words of the sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The sentences in the order in which they are read; those of one source that follow each other stand together.
    pub sentences: Vec<Picked>,
    /// How sure that they answer the question, from 0 to 1.
    pub confidence: f32,
    /// Whether they do. If not, the sentences are only what comes nearest.
    pub is_answered: bool,
}

/// A sentence of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Picked {
    /// Which of the passages it is of.
    pub passage: usize,
    /// Which source that is of.
    pub source: usize,
    /// Where it stands in the passage.
    pub span: Span,
    /// Exactly its words.
    pub quote: String,
    /// How well it answers, from 0 to 1.
    pub score: f32,
    /// Whether it goes on, in its source, where the sentence before it in the answer ends.
    pub goes_on: bool,
}

impl<'text> Candidates<'text> {
    /// Takes a question and passages apart. Read are the first 2,000 characters of the question, the first 64 passages,
    /// the first 32 KiB of each, and 4,096 sentences in all.
    pub fn new(question: &str, passages: &[Found<'text>]) -> Self {
        let end = question.char_indices().nth(LONGEST_QUESTION).map_or(question.len(), |(at, _)| at);
        let passages = passages[..passages.len().min(gather::MOST_PASSAGES)].to_vec();
        let sentences = gather(&passages);
        let scores = Scores::new(&question[..end], &passages, &sentences);
        let short = scores.shortlist(&sentences, MOST_TEXTS);
        Self { passages, sentences, scores, short }
    }

    /// The sentences worth comparing with the question by their meaning, the best by their words first.
    pub fn texts(&self) -> Vec<&'text str> {
        self.short.iter().map(|&place| self.sentences[place].text).collect()
    }
}
