//! What changed between two texts, word by word.

use std::{
    ops::Range,
    time::{Duration, Instant},
};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Maximum time for comparing two texts; anything not matched by then counts as changed.
const LONGEST: Duration = Duration::from_millis(500);

/// Fate of a part of a text between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextChange {
    /// Part that is in both texts.
    Same,
    /// It is only in the later one.
    Added,
    /// It is only in the earlier one.
    Removed,
}

impl TextChange {
    /// All kinds of parts.
    pub const ALL: [Self; 3] = [Self::Same, Self::Added, Self::Removed];

    /// Returns the name used in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

/// The one stretch of two texts outside of which they are the same, in each, in characters.
pub fn changed_ranges(old: &[char], new: &[char]) -> (Range<usize>, Range<usize>) {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - prefix;
    let suffix = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    (prefix..old.len() - suffix, prefix..new.len() - suffix)
}

/// Words that two texts share: where they begin in each, and how many there are.
pub(crate) struct MatchingRun {
    pub(crate) old: usize,
    pub(crate) new: usize,
    pub(crate) length: usize,
}

/// The parts of two texts in their order, what went before what came.
pub fn diff_words(before: &str, after: &str) -> Vec<(TextChange, String)> {
    let (old, new) = (split_words(before), split_words(after));
    let mut parts: Vec<(TextChange, String)> = Vec::new();
    let mut put = |change, text: &[&str]| {
        if !text.is_empty() {
            match parts.last_mut().filter(|(last, _)| *last == change) {
                Some((_, last)) => last.push_str(&text.concat()),
                None => parts.push((change, text.concat())),
            }
        }
    };
    for op in diff_operations(&old, &new) {
        let (gone, come) = (old.get(op.old_range()).unwrap_or_default(), new.get(op.new_range()).unwrap_or_default());
        match op {
            DiffOp::Equal { .. } => put(TextChange::Same, gone),
            _ => {
                put(TextChange::Removed, gone);
                put(TextChange::Added, come);
            }
        }
    }
    parts
}

/// Returns the runs of words that two texts share.
pub(crate) fn matching_runs(old: &[&str], new: &[&str]) -> Vec<MatchingRun> {
    let runs = diff_operations(old, new).into_iter().filter_map(|op| match op {
        DiffOp::Equal { old_index, new_index, len } => {
            Some(MatchingRun { old: old_index, new: new_index, length: len })
        }
        _ => None,
    });
    runs.collect()
}

fn diff_operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(Instant::now() + LONGEST))
}

/// Words, and what stands between them.
pub(crate) fn split_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut before: Option<u8> = None;
    for (at, char) in text.char_indices() {
        let kind = if char.is_alphanumeric() {
            0
        } else if char == '\n' {
            1
        } else if char.is_whitespace() {
            2
        } else {
            3
        };
        // Signs and ends of lines stand alone.
        if before.is_some_and(|before| before != kind || kind == 1 || kind == 3) {
            words.push(text.get(start..at).unwrap_or_default());
            start = at;
        }
        before = Some(kind);
    }
    if start < text.len() {
        words.push(text.get(start..).unwrap_or_default());
    }
    words
}
