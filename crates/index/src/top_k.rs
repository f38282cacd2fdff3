//! What both lists of a search need: the best of many, and sets of slots as bits.

use std::cmp::Ordering;

/// The order of what was found: the higher score first, of two that are the same the one that came first.
pub(crate) fn compare_scores(a: &(f32, u32), b: &(f32, u32)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// The best so far, in any order.
pub(crate) struct TopScores {
    wanted: usize,
    /// Minimum score: only higher scores are kept.
    pub(crate) least: f32,
    all: Vec<(f32, u32)>,
}

impl TopScores {
    /// So many of what scores more than `least`.
    pub(crate) fn new(wanted: usize, least: f32) -> Self {
        Self { wanted, least, all: Vec::with_capacity(wanted * 2) }
    }

    /// Takes one that scores more than `least`.
    #[inline]
    pub(crate) fn offer(&mut self, score: f32, slot: u32) {
        self.all.push((score, slot));
        if self.all.len() >= self.wanted * 2 {
            keep_best(&mut self.all, self.wanted);
            self.least = self.all.iter().map(|(score, _)| *score).fold(f32::INFINITY, f32::min);
        }
    }

    /// Them with their scores, in any order.
    pub(crate) fn into_scores(mut self) -> Vec<(f32, u32)> {
        keep_best(&mut self.all, self.wanted);
        self.all
    }
}

/// Keeps the `count` largest, in any order.
pub(crate) fn keep_best(scored: &mut Vec<(f32, u32)>, count: usize) {
    if scored.len() > count && count > 0 {
        scored.select_nth_unstable_by(count - 1, compare_scores);
        scored.truncate(count);
    } else if count == 0 {
        scored.clear();
    }
}

/// Returns true if the bit at an index is set.
pub(crate) fn is_set(bits: &[u64], at: u32) -> bool {
    bits.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

/// The numbers of the bits that are set.
pub(crate) fn set_bits(bits: &[u64]) -> impl Iterator<Item = u32> + '_ {
    bits.iter().enumerate().flat_map(|(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            rest = rest.checked_sub(1).map(|less| rest & less)?;
            Some(at as u32 * 64 + bit)
        })
    })
}
