//! Answers in the words of the sources: which sentences of the passages that a search found answer a question, and the
//! text that quotes and cites them.
//!
//! Nothing is worded here. Sentences are compared with the question by their words, each counted by how rare it is
//! among the passages, by the kind of thing that is asked for, by what a network says that reads them with the question,
//! and by their meaning where a model can tell; the best are quoted as they stand. Where nothing comes close enough the
//! answer says so: [`ExtractiveAnswer::is_answered`].
//!
//! [`AnswerCandidates::new`] takes the passages apart, [`AnswerCandidates::windows`] are the sentences for a network to
//! read, [`AnswerCandidates::shortlisted_texts`] those that a model may compare with the question,
//! [`AnswerCandidates::select_answer`] chooses, and [`ExtractiveAnswer::to_markdown`] makes Markdown of what was chosen. The
//! weights come from questions with known evidence; what the models are worth was measured with the local ones.

mod anaphora;
mod answer_type;
mod candidates;
mod confidence;
mod language;
mod question;
mod question_type;
mod render;
mod repetition;
mod score;
mod select;
mod sentence_form;
mod windows;
mod yes_no;

use std::sync::OnceLock;

use ibid_domain::Span;

use self::{
    candidates::{CandidateSentence, candidate_sentences},
    question::LONGEST_QUESTION,
    score::SentenceScorer,
};
pub use self::{
    render::{QuotedSentence, RenderedAnswer, WordsPlace, escape_markdown},
    select::CandidateFeatures,
    windows::{AnswerWindow, JudgedAnswer, MOST_WINDOWS},
    yes_no::yes_or_no,
};

/// The most sentences that are compared by their meaning.
pub const MOST_TEXTS: usize = 48;

/// A passage that a search found.
#[derive(Clone, Copy, Debug, Default)]
pub struct CandidatePassage<'text> {
    /// Index of its source; passages of one source may overlap.
    pub source: usize,
    pub text: &'text str,
    /// Relevance to the question, on any scale; only the order and the relative distances matter.
    pub score: f32,
    /// Position of the first character in the text of the source.
    pub start: usize,
    pub title: &'text str,
}

/// What models say of the candidates, as far as there are any.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerSignals<'a> {
    /// For each of [`AnswerCandidates::shortlisted_texts`] how alike its meaning is to the question's, from -1 to 1. What
    /// is missing or no number counts as unlike.
    pub similarities: Option<&'a [f32]>,
    /// For each of [`AnswerCandidates::windows`] what a network says that read it with the question.
    pub judged: Option<&'a [JudgedAnswer]>,
}

/// Limits for an answer built from quoted sentences.
#[derive(Clone, Copy, Debug)]
pub struct AnswerOptions {
    /// Maximum number of sentences in the answer.
    pub most: usize,
    /// From this confidence on a question counts as answered.
    pub least_confidence: f32,
}

impl Default for AnswerOptions {
    fn default() -> Self {
        Self { most: 5, least_confidence: 0.5 }
    }
}

/// The sentences that may answer a question.
pub struct AnswerCandidates<'text> {
    passages: Vec<CandidatePassage<'text>>,
    sentences: Vec<CandidateSentence<'text>>,
    scores: SentenceScorer,
    /// The sentences worth a closer look, the best by their words first.
    short: Vec<usize>,
    windows: OnceLock<Vec<AnswerWindow>>,
}

/// An answer in the words of the sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtractiveAnswer {
    /// The sentences in the order in which they are read; those of one source that follow each other stand together.
    pub sentences: Vec<AnswerSentence>,
    /// Probability from 0 to 1 that the sentences answer the question.
    pub confidence: f32,
    /// True if the confidence reaches the required minimum; if false, the sentences are only the closest ones found.
    pub is_answered: bool,
    /// True if the best sentence, those before it and the title have half of the question's words, or it is an answer.
    pub is_close: bool,
    /// True if sources answer with different figures; all of them are quoted.
    pub disagrees: bool,
    /// Words of the question that neither the best sentence nor those before it nor the title have, names and figures first.
    pub missing: Vec<String>,
}

/// A quoted sentence of an answer, with its passage and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerSentence {
    /// Index of its passage in the list that was given.
    pub passage: usize,
    /// Index of its source, as given with the passage.
    pub source: usize,
    /// Position in the passage, in characters.
    pub span: Span,
    /// Text of the sentence, unchanged.
    pub quote: String,
    /// Estimated quality as an answer, from 0 to 1.
    pub score: f32,
    /// True if it directly follows the previous sentence of the answer in the same source.
    pub goes_on: bool,
}

impl<'text> AnswerCandidates<'text> {
    /// Takes a question and passages apart. Read are the first 2,000 characters of the question, the first 64 passages,
    /// the first 32 KiB of each, and 4,096 sentences in all.
    pub fn new(question: &str, passages: &[CandidatePassage<'text>]) -> Self {
        let end = question.char_indices().nth(LONGEST_QUESTION).map_or(question.len(), |(at, _)| at);
        let passages = passages[..passages.len().min(candidates::MOST_PASSAGES)].to_vec();
        let sentences = candidate_sentences(&passages);
        let scores = SentenceScorer::new(&question[..end], &passages, &sentences);
        let short = scores.shortlist(&sentences, MOST_TEXTS);
        Self { passages, sentences, scores, short, windows: OnceLock::new() }
    }

    /// The sentences worth comparing with the question by their meaning, the best by their words first.
    pub fn shortlisted_texts(&self) -> Vec<&'text str> {
        self.short.iter().map(|&place| self.sentences[place].text).collect()
    }
}
