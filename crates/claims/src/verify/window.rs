//! The few sentences of a passage that a network reads with a claim.

use std::ops::Range;

use super::reading::WordMatches;

/// The most words that are read, unless one sentence has more. A longer window was no better on labelled pairs, and costs
/// more.
const MOST_WORDS: usize = 60;
/// What a word of a window costs, in words of the claim: of two windows with the same words the shorter is read.
const COST: f32 = 0.002;

/// The sentences to read with a claim: those that follow each other and have most of its words.
pub(super) fn best_window(matches: &WordMatches, lengths: &[usize], claim_words: usize) -> Range<usize> {
    let mut best = (f32::MIN, 0..0);
    for first in 0..lengths.len() {
        let mut words = 0;
        for (last, length) in lengths.iter().enumerate().skip(first) {
            words += length;
            if last > first && words > MOST_WORDS {
                break;
            }
            let window = first..last + 1;
            let score = matches.share_in(window.clone()) * claim_words as f32 - COST * words as f32;
            if score > best.0 {
                best = (score, window);
            }
        }
    }
    best.1
}
