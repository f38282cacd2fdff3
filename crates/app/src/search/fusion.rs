//! Putting the two lists together.
//!
//! Reciprocal Rank Fusion sees only places: a passage that is far ahead in one list and one that is just ahead of the
//! next count the same, and a passage that one list cut off counts nothing there. Both lose where the lists are of
//! unequal worth, as for remembered conversations. So every candidate of either list is scored in both, and its place
//! is read off its score: the best stands at 1, the worst at 1 + [`SPREAD`], the others between by how near they are.

/// Returns the number of candidates to fetch per list: twice the limit, at least 50.
pub(super) fn candidate_count(limit: usize) -> usize {
    (limit * 2).max(50)
}

/// The constant of Reciprocal Rank Fusion that is added to each rank.
const K: f64 = 60.0;
/// Number of ranks between the best and the worst candidate of a list.
const SPREAD: f64 = 20.0;

/// A candidate, scored in both lists.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FusionCandidate {
    /// Its number in the database.
    pub(super) seq: i64,
    /// Its score by words; 0 if it has none of them.
    pub(super) bm25: f32,
    /// Cosine similarity to the query; `None` if it has no vector.
    pub(super) cosine: Option<f32>,
}

/// The lists that count in the fusion.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveLists {
    /// The list of words was asked and found something.
    pub(super) words: bool,
    /// The list of vectors was asked and found something.
    pub(super) vectors: bool,
}

/// The place of something in one list of those that count, by how good it is there: from 0, the worst, to 1.
fn reciprocal_score(goodness: f64) -> f64 {
    (K + 1.0) / (K + 1.0 + SPREAD * (1.0 - goodness))
}

/// Returns the score of a result that is in one list only, comparable to fused scores.
pub(super) fn single_list_score(goodness: f64) -> f64 {
    (reciprocal_score(goodness) + reciprocal_score(0.0)) / 2.0
}

/// Orders candidates, best first, each with its score; the best possible is 1.
pub(super) fn fuse(candidates: Vec<FusionCandidate>, weights: ActiveLists) -> Vec<(FusionCandidate, f64)> {
    let most = candidates.iter().map(|one| one.bm25).fold(0.0_f32, f32::max);
    let cosines = || candidates.iter().filter_map(|one| one.cosine);
    let (nearest, farthest) = (cosines().fold(f32::MIN, f32::max), cosines().fold(f32::MAX, f32::min));
    let lists = f64::from(u8::from(weights.words) + u8::from(weights.vectors)).max(1.0);
    let mut fused: Vec<_> = candidates
        .iter()
        .map(|one| {
            let words = if most > 0.0 { f64::from(one.bm25 / most) } else { 0.0 };
            let meaning = match one.cosine {
                Some(cosine) if nearest > farthest => f64::from((cosine - farthest) / (nearest - farthest)),
                Some(_) => 1.0,
                None => 0.0,
            };
            let mut score = 0.0;
            if weights.words {
                score += reciprocal_score(words) / lists;
            }
            if weights.vectors {
                score += reciprocal_score(meaning) / lists;
            }
            (one.clone(), score)
        })
        .collect();
    fused.sort_by(|(a, a_score), (b, b_score)| {
        b_score.total_cmp(a_score).then(b.bm25.total_cmp(&a.bm25)).then(a.seq.cmp(&b.seq))
    });
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: ActiveLists = ActiveLists { words: true, vectors: true };

    fn order(candidates: &[(i64, f32, Option<f32>)], weights: ActiveLists) -> Vec<i64> {
        let candidates =
            candidates.iter().map(|(seq, bm25, cosine)| FusionCandidate { seq: *seq, bm25: *bm25, cosine: *cosine });
        fuse(candidates.collect(), weights).into_iter().map(|(one, _)| one.seq).collect()
    }

    #[test]
    fn what_is_good_in_both_lists_comes_before_what_is_best_in_one() {
        let all = [(1, 10.0, Some(0.1)), (2, 0.0, Some(0.9)), (3, 9.0, Some(0.8)), (4, 1.0, None)];
        assert_eq!(order(&all, BOTH), [3, 1, 2, 4]);
        assert_eq!(order(&all, ActiveLists { words: true, vectors: false }), [1, 3, 4, 2]);
        assert_eq!(order(&all, ActiveLists { words: false, vectors: true }), [2, 3, 1, 4]);
    }

    #[test]
    fn a_lead_counts_by_how_large_it_is() {
        // By places alone the two would be equal.
        assert_eq!(order(&[(1, 10.0, Some(0.50)), (2, 2.0, Some(0.51)), (3, 0.0, Some(0.1))], BOTH)[0], 1);
        assert_eq!(order(&[(1, 10.0, Some(0.20)), (2, 9.9, Some(0.90)), (3, 0.0, Some(0.1))], BOTH)[0], 2);
    }

    #[test]
    fn ties_and_empty_lists_have_an_order_too() {
        assert_eq!(order(&[(7, 0.0, None), (3, 0.0, None)], BOTH), [3, 7]);
        assert_eq!(order(&[(7, 1.0, Some(0.5))], BOTH), [7]);
        let best = fuse(vec![FusionCandidate { seq: 1, bm25: 2.0, cosine: Some(0.7) }], BOTH);
        assert!((best[0].1 - 1.0).abs() < 1e-9, "the best possible is 1");
        assert!(order(&[], BOTH).is_empty());
    }
}
