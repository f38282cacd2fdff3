//! The few sentences of a passage that a network reads with a claim.

use std::ops::Range;

use super::reading::WordMatches;

/// Sizes of the windows that are read, in words: close around the claim's words, and with what explains them.
const SIZES: [usize; 2] = [60, 130];
/// What a word of a window costs, in words of the claim: of two windows with the same words the shorter is read.
const COST: f32 = 0.002;

/// The sentences to read with a claim: for each size those that follow each other and have most of its words, each window
/// once. A sentence that is longer than a window is one by itself.
pub(super) fn best_windows(matches: &WordMatches, lengths: &[usize], claim_words: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for size in SIZES {
        let mut best = (f32::MIN, 0..0);
        for first in 0..lengths.len() {
            let mut words = 0;
            for (last, length) in lengths.iter().enumerate().skip(first) {
                words += length;
                if last > first && words > size {
                    break;
                }
                let window = first..last + 1;
                let score = matches.share_in(window.clone()) * claim_words as f32 - COST * words as f32;
                if score > best.0 {
                    best = (score, window);
                }
            }
        }
        if !best.1.is_empty() && !found.contains(&best.1) {
            found.push(best.1);
        }
    }
    found
}
