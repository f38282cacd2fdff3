//! Whether a passage supports a claim, and whether it answers a question: a small network that reads both together.
//!
//! The network was trained for this (see models/judge), and runs on this machine. It reads at most 224 tokens, so callers
//! give it a few sentences, not a whole text.

mod local;
mod memory;

use std::ops::Range;

pub use self::local::LocalPairJudge;
use crate::{BoxFuture, LocalModelError};

/// What the network says of a passage, read with a claim or a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairJudgement {
    /// Share from 0 to 1 that the passage supports the claim.
    pub supports: f32,
    /// Share from 0 to 1 that the passage contradicts the claim. What is left of 1 is that it does neither.
    pub contradicts: f32,
    /// From 0 to 1, whether the passage answers the question.
    pub answers: f32,
    /// The bytes of the passage that are most likely the answer, whole words; empty for an empty passage.
    pub answer: Range<usize>,
}

/// Reads claims or questions together with passages.
pub trait PairJudge: Send + Sync {
    /// Judges each pair of a claim or question and a passage, in order. Either all succeed or none.
    fn judge_pairs<'a>(
        &'a self,
        pairs: &'a [(&'a str, &'a str)],
    ) -> BoxFuture<'a, Result<Vec<PairJudgement>, LocalModelError>>;
}
