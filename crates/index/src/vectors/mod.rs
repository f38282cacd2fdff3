//! The vectors of passages, in memory, and which of them are nearest to a query.
//!
//! A vector is kept at three precisions: one bit a number, eight bits, and eight more below them. Vectors that lie near
//! each other are listed under one centre; the bits of a vector say on which side of its centre it lies. A search looks
//! into the lists around the query, guesses from the bits how near each vector is, and narrows the best guesses down
//! with eight bits, then sixteen. A vector can be found as soon as it is here, whatever else is still to be done: until
//! there are many, one list has them all.

mod compare;
mod partition;
mod quantize;

pub(crate) use self::quantize::QuantizedVector;
use self::{
    compare::{ROWS, ScoreScale},
    partition::Centroids,
    quantize::{QuantizedQuery, nibble_count, unpack_high_bits},
};
use crate::top_k::{TopScores, compare_scores, is_set, keep_best, set_bits};

/// Number of passages per block. Blocks never move, so growing copies nothing.
const BLOCK: usize = 16 * 1024;

/// So many are looked at with one bit a number, and so many times the root of their number. Of real passages and
/// questions, these hold more than 98 % of the ten nearest.
const LOOKED_AT: (usize, usize) = (3_000, 60);
/// So many are looked at with eight bits, and one for so many that were looked at before.
const GUESSED: (usize, usize) = (150, 100);
/// So many more than are wanted are looked at with sixteen bits.
const CLOSER: usize = 16;

/// So many are fetched from memory before they are compared.
const AHEAD: usize = 8;

/// Up to this many allowed passages, all are compared directly without the one-bit estimate.
const FEW: usize = 2_000;

/// Vectors of fewer numbers have too few bits to tell one from another, and are short enough to be compared whole.
const SHORT: usize = 128;

/// From so many on they are divided, and again when there are so many times as many.
const DIVIDED: (usize, usize) = (8_000, 4);
/// Into so many times the root of their number.
const LISTS: usize = 4;

/// The vectors of passages, by their slot.
#[derive(Debug)]
pub(crate) struct VectorIndex {
    dimension: usize,
    blocks: Vec<VectorBlock>,
    /// Number of slots that have a vector.
    count: usize,
    centres: Centroids,
    lists: Vec<CentroidList>,
    /// The list of each slot, counted from 1; 0 where there is no vector.
    listed: Vec<u32>,
    /// Number of vectors at the time of the last partition.
    divided: usize,
    /// The slots whose vectors came since a division was begun that is not done yet.
    since: Option<Vec<u32>>,
}

#[derive(Debug)]
struct VectorBlock {
    high: Vec<i8>,
    low: Vec<u8>,
    /// Quantization step of `high`; 0 if the slot has no vector.
    step: Vec<f32>,
}

/// Vectors assigned to one centroid, in one-bit codes.
#[derive(Clone, Debug, Default)]
struct CentroidList {
    slots: Vec<u32>,
    /// The bits of the vectors, in blocks of [`match_form::ROWS`] of them.
    codes: Vec<[u8; 16]>,
    /// Scale of the one-bit code of each row: its mean distance from the centroid per component.
    reach: Vec<f32>,
}

impl CentroidList {
    fn push(&mut self, slot: u32, vector: &[f32], centre: &[f32]) {
        let (row, places) = (self.slots.len(), nibble_count(vector.len()));
        if row.is_multiple_of(ROWS) {
            self.codes.resize(self.codes.len() + places, [0; 16]);
            self.reach.resize(row + ROWS, 0.0);
        }
        for (place, (vector, centre)) in vector.chunks(4).zip(centre.chunks(4)).enumerate() {
            let above = vector.iter().zip(centre).enumerate();
            self.set_code(row, place, places, above.fold(0, |code, (at, (a, b))| code | u8::from(a > b) << at));
        }
        self.reach[row] = residual_scale(vector, centre);
        self.slots.push(slot);
    }

    fn set_code(&mut self, row: usize, place: usize, places: usize, code: u8) {
        let byte = &mut self.codes[row / ROWS * places + place][row % 16];
        *byte = if row % ROWS < 16 { *byte & 0xf0 | code } else { *byte & 0x0f | code << 4 };
    }

    fn code(&self, row: usize, place: usize, places: usize) -> u8 {
        let byte = self.codes[row / ROWS * places + place][row % 16];
        if row % ROWS < 16 { byte & 15 } else { byte >> 4 }
    }

    fn remove_slot(&mut self, slot: u32, places: usize) {
        let Some(at) = self.slots.iter().position(|one| *one == slot) else { return };
        let last = self.slots.len() - 1;
        self.slots.swap_remove(at);
        self.reach[at] = self.reach[last];
        for place in 0..places {
            let code = self.code(last, place, places);
            self.set_code(at, place, places, code);
        }
        self.codes.truncate(last.div_ceil(ROWS) * places);
        self.reach.truncate(last.div_ceil(ROWS) * ROWS);
    }

    /// Guesses how near each vector is to the query, whose product with the centre is known.
    fn estimate_similarities(&self, query: &QuantizedQuery, towards: f32, into: &mut Vec<f32>) {
        let scale = ScoreScale { step: 2.0 * query.table_step, start: query.table_start, towards };
        compare::estimate_scores(&query.table, &self.codes, &self.reach, scale, into);
    }
}

/// Returns the factor by which the bits of a vector best approximate its residual from the centroid.
fn residual_scale(vector: &[f32], centre: &[f32]) -> f32 {
    let (mut squares, mut sum) = (0.0_f32, 0.0_f32);
    for (a, b) in vector.iter().zip(centre) {
        let far = a - b;
        squares += far * far;
        sum += far.abs();
    }
    if sum > 0.0 { squares / sum } else { 0.0 }
}

/// A new partition of the vectors into lists, computed while searches go on.
pub(crate) struct VectorPartition {
    centres: Centroids,
    lists: Vec<CentroidList>,
    listed: Vec<u32>,
}

impl VectorPartition {
    fn new(centres: Centroids) -> Self {
        Self { lists: vec![CentroidList::default(); centres.len()], centres, listed: Vec::new() }
    }

    /// For vectors that stand one after the other, so many of a whole.
    pub(crate) fn train_on(dimension: usize, sample: &[f32], whole: usize) -> Self {
        Self::new(Centroids::train(dimension, sample, (whole as f64).sqrt() as usize * LISTS))
    }

    fn insert_slot(&mut self, slot: u32, list: usize, vector: &[f32]) {
        self.listed.resize(self.listed.len().max(slot as usize + 1), 0);
        self.lists[list].push(slot, vector, self.centres.centroid_at(list));
        self.listed[slot as usize] = list as u32 + 1;
    }
}

impl VectorIndex {
    /// Room for vectors of this dimension.
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            blocks: Vec::new(),
            count: 0,
            centres: Centroids::new(dimension, vec![0.0; dimension]),
            lists: vec![CentroidList::default()],
            listed: Vec::new(),
            divided: 0,
            since: None,
        }
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Keeps the vector of a slot.
    pub(crate) fn set(&mut self, slot: u32, packed: &QuantizedVector) {
        if packed.high.len() != self.dimension || packed.low.len() != self.dimension {
            return;
        }
        let (block, row) = (slot as usize / BLOCK, slot as usize % BLOCK);
        while self.blocks.len() <= block {
            self.blocks.push(VectorBlock {
                high: vec![0; BLOCK * self.dimension],
                low: vec![0; BLOCK * self.dimension],
                step: vec![0.0; BLOCK],
            });
        }
        self.listed.resize(self.listed.len().max(slot as usize + 1), 0);
        let at = &mut self.blocks[block];
        let numbers = row * self.dimension..(row + 1) * self.dimension;
        at.high[numbers.clone()].copy_from_slice(&packed.high);
        at.low[numbers].copy_from_slice(&packed.low);
        at.step[row] = packed.step;
        self.count += usize::from(self.listed[slot as usize] == 0);
        self.assign_list(slot);
        if let Some(since) = &mut self.since {
            since.push(slot);
        }
    }

    /// Returns true if the number of vectors has grown enough since the last partition, and no partition is in
    /// progress.
    pub(crate) fn is_partition_due(&self) -> bool {
        self.dimension > SHORT
            && self.count >= DIVIDED.0
            && self.count >= self.divided * DIVIDED.1
            && self.since.is_none()
    }

    /// Starts recording new vectors, so that they can be added to the partition in progress.
    pub(crate) fn begin_partition(&mut self) {
        self.since = Some(Vec::new());
    }

    /// Some of them, from all over, one after the other.
    pub(crate) fn sample_vectors(&self) -> Vec<f32> {
        let wanted = Centroids::sample_size((self.count as f64).sqrt() as usize * LISTS).min(self.count);
        let mut sample = Vec::with_capacity(wanted * self.dimension);
        let mut taken = 0;
        for (at, slot) in (0..).zip(self.slots()) {
            if at * wanted / self.count.max(1) >= taken {
                taken += 1;
                self.unpack_slot(slot, &mut sample);
            }
        }
        sample
    }

    fn slots(&self) -> impl Iterator<Item = u32> {
        (0_u32..).zip(&self.listed).filter(|(_, list)| **list > 0).map(|(slot, _)| slot)
    }

    /// Divides those of the next slots, and says if there are more.
    pub(crate) fn partition_more(&self, division: &mut VectorPartition) -> bool {
        let first = division.listed.len();
        let end = (first + BLOCK).min(self.listed.len());
        let (mut vector, mut near) = (Vec::new(), Vec::new());
        for slot in first..end {
            if self.listed[slot] > 0 {
                vector.clear();
                self.unpack_slot(slot as u32, &mut vector);
                let list = division.centres.nearest_centroid(&vector, &mut near);
                division.insert_slot(slot as u32, list, &vector);
            }
        }
        division.listed.resize(end, 0);
        end < self.listed.len()
    }

    /// Takes a division over that was made of these vectors.
    pub(crate) fn apply_partition(&mut self, mut division: VectorPartition) {
        let Some(since) = self.since.take() else { return };
        while self.partition_more(&mut division) {}
        (self.centres, self.lists, self.listed) = (division.centres, division.lists, division.listed);
        for slot in since {
            self.assign_list(slot);
        }
        self.divided = self.count;
    }

    /// Returns the centroids, the list of each slot counted from 1, and the number of vectors when they were
    /// partitioned.
    pub(crate) fn current_partition(&self) -> (&[f32], &[u32], usize) {
        (self.centres.numbers(), &self.listed, self.divided)
    }

    /// Divides them as they were divided once.
    pub(crate) fn adopt_partition(&mut self, centres: Vec<f32>, listed: &[u32], divided: usize) {
        let centres = Centroids::new(self.dimension, centres);
        if centres.len() == 0 {
            return;
        }
        let mut division = VectorPartition::new(centres);
        let (mut vector, mut near) = (Vec::new(), Vec::new());
        for slot in self.slots() {
            vector.clear();
            self.unpack_slot(slot, &mut vector);
            let known = listed.get(slot as usize).map(|list| *list as usize);
            let list = match known.and_then(|list| list.checked_sub(1)).filter(|list| *list < division.lists.len()) {
                Some(list) => list,
                None => division.centres.nearest_centroid(&vector, &mut near),
            };
            division.insert_slot(slot, list, &vector);
        }
        division.listed.resize(self.listed.len(), 0);
        (self.centres, self.lists, self.listed) = (division.centres, division.lists, division.listed);
        self.divided = divided;
    }

    /// Puts a slot that has a vector into the list that it belongs to.
    fn assign_list(&mut self, slot: u32) {
        let mut vector = Vec::with_capacity(self.dimension);
        self.unpack_slot(slot, &mut vector);
        if let Some(list) = self.listed[slot as usize].checked_sub(1) {
            self.lists[list as usize].remove_slot(slot, nibble_count(self.dimension));
        }
        let list = self.centres.nearest_centroid(&vector, &mut Vec::new());
        self.lists[list].push(slot, &vector, self.centres.centroid_at(list));
        self.listed[slot as usize] = list as u32 + 1;
    }

    fn unpack_slot(&self, slot: u32, into: &mut Vec<f32>) {
        let (block, row) = (&self.blocks[slot as usize / BLOCK], slot as usize % BLOCK);
        unpack_high_bits(&block.high[row * self.dimension..(row + 1) * self.dimension], block.step[row], into);
    }

    /// The `count` nearest slots that are allowed, by cosine, best first. `allowed` has a bit a slot and says how many
    /// are set; none means all.
    pub(crate) fn nearest_slots(
        &self,
        vector: &[f32],
        allowed: Option<(&[u64], usize)>,
        count: usize,
    ) -> Vec<(u32, f32)> {
        if vector.len() != self.dimension || count == 0 {
            return Vec::new();
        }
        let Some(query) = QuantizedQuery::new(vector) else { return Vec::new() };
        let looked_at = match allowed {
            Some((bits, few)) if few <= FEW || self.dimension <= SHORT => set_bits(bits).collect(),
            None if self.dimension <= SHORT => (0..self.listed.len() as u32).collect(),
            _ => self.estimate_nearest(&query, allowed.map(|(bits, _)| bits), count),
        };
        let mut scored: Vec<(f32, u32)> = Vec::with_capacity(looked_at.len());
        for (at, slot) in looked_at.iter().enumerate() {
            if let Some(slot) = looked_at.get(at + AHEAD) {
                self.prefetch(*slot, |block| &block.high);
            }
            scored.extend(self.score_high(&query, *slot).map(|score| (score, *slot)));
        }
        // The shorter a vector, the more of it eight bits leave open.
        if self.dimension > SHORT {
            keep_best(&mut scored, count + CLOSER);
        }
        for (_, slot) in &scored {
            self.prefetch(*slot, |block| &block.low);
        }
        for (score, slot) in &mut scored {
            *score = self.score_exact(&query, *slot).unwrap_or(*score);
        }
        keep_best(&mut scored, count);
        scored.sort_unstable_by(compare_scores);
        scored.into_iter().map(|(score, slot)| (slot, score)).collect()
    }

    /// The cosines of these slots, where they have a vector.
    pub(crate) fn similarities(&self, vector: &[f32], slots: &[u32]) -> Vec<Option<f32>> {
        match QuantizedQuery::new(vector) {
            Some(query) if vector.len() == self.dimension => {
                slots.iter().for_each(|slot| self.prefetch(*slot, |block| &block.high));
                slots.iter().for_each(|slot| self.prefetch(*slot, |block| &block.low));
                slots.iter().map(|slot| self.score_exact(&query, *slot)).collect()
            }
            _ => vec![None; slots.len()],
        }
    }

    /// Asks for what will be compared soon.
    fn prefetch<T>(&self, slot: u32, of: impl Fn(&VectorBlock) -> &Vec<T>) {
        let Some(block) = self.blocks.get(slot as usize / BLOCK) else { return };
        let row = slot as usize % BLOCK;
        compare::prefetch(&of(block)[row * self.dimension..(row + 1) * self.dimension]);
        compare::prefetch(&block.step[row..=row]);
    }

    fn block_row(&self, slot: u32) -> Option<(&VectorBlock, usize)> {
        let (block, row) = (self.blocks.get(slot as usize / BLOCK)?, slot as usize % BLOCK);
        (block.step[row] != 0.0).then_some((block, row))
    }

    fn score_high(&self, query: &QuantizedQuery, slot: u32) -> Option<f32> {
        let (block, row) = self.block_row(slot)?;
        let high = &block.high[row * self.dimension..(row + 1) * self.dimension];
        // The lower bits are half a step on average.
        let product = compare::product(&query.whole, high) as f32 + query.sum / 2.0;
        Some(product * block.step[row] * query.step)
    }

    fn score_exact(&self, query: &QuantizedQuery, slot: u32) -> Option<f32> {
        let (block, row) = self.block_row(slot)?;
        let numbers = row * self.dimension..(row + 1) * self.dimension;
        let high = i64::from(compare::product(&query.whole, &block.high[numbers.clone()]));
        let low = i64::from(compare::product_low(&query.whole, &block.low[numbers]));
        Some((high * 256 + low) as f32 / 256.0 * block.step[row] * query.step)
    }

    /// The slots around the query that are nearest as far as their bits tell.
    fn estimate_nearest(&self, query: &QuantizedQuery, allowed: Option<&[u64]>, count: usize) -> Vec<u32> {
        let looked = (LOOKED_AT.0 + LOOKED_AT.1 * (self.count as f64).sqrt() as usize).max(count * 40);
        let wanted = GUESSED.0.max(count * 3) + looked / GUESSED.1;
        let probes = (self.lists.len() * looked / self.count.max(1) * 2 + 8).min(self.lists.len());
        let centres = self.centres.rank_centroids(query, probes);
        let mut best = TopScores::new(wanted, f32::NEG_INFINITY);
        let mut scores = Vec::new();
        let (mut seen, mut at) = (0, 0);
        while seen < looked && at < centres.len() {
            let (towards, centre) = centres[at];
            let list = &self.lists[centre as usize];
            at += 1;
            if let Some((_, next)) = centres.get(at) {
                compare::prefetch(self.lists[*next as usize].codes.get(..AHEAD * 4).unwrap_or_default());
            }
            list.estimate_similarities(query, towards, &mut scores);
            seen +=
                allowed.map_or(list.slots.len(), |bits| list.slots.iter().filter(|slot| is_set(bits, **slot)).count());
            for (slots, scores) in list.slots.chunks(ROWS).zip(scores.chunks(ROWS)) {
                if scores.iter().fold(false, |any, score| any | (*score > best.least)) {
                    for (slot, score) in slots.iter().zip(scores) {
                        if *score > best.least && allowed.is_none_or(|bits| is_set(bits, *slot)) {
                            best.offer(*score, *slot);
                        }
                    }
                }
            }
        }
        best.into_scores().into_iter().map(|(_, slot)| slot).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same every time.
    fn noise(seed: u64) -> impl FnMut() -> f32 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 40) as f32 / (1_u64 << 24) as f32) - 0.5
        }
    }

    fn clustered(count: usize, dimension: usize) -> Vec<Vec<f32>> {
        let mut next = noise(7);
        let centres: Vec<Vec<f32>> = (0..400).map(|_| (0..dimension).map(|_| next()).collect()).collect();
        (0..count).map(|at| centres[at % 400].iter().map(|number| number + 0.8 * next() + 0.1).collect()).collect()
    }

    fn divided(kept: &mut VectorIndex) {
        if kept.is_partition_due() {
            kept.begin_partition();
            let mut division = VectorPartition::train_on(kept.dimension(), &kept.sample_vectors(), kept.len());
            while kept.partition_more(&mut division) {}
            kept.apply_partition(division);
        }
    }

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    fn exact(vectors: &[Vec<f32>], query: &[f32], allowed: impl Fn(usize) -> bool, count: usize) -> Vec<u32> {
        let mut all: Vec<_> =
            (0..vectors.len()).filter(|at| allowed(*at)).map(|at| (cosine(&vectors[at], query), at)).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        all.into_iter().take(count).map(|(_, at)| at as u32).collect()
    }

    #[test]
    fn the_nearest_are_found_as_if_every_number_had_been_compared() {
        for dimension in [100, 384] {
            let vectors = clustered(20_000, dimension);
            let mut kept = VectorIndex::new(dimension);
            for (slot, vector) in vectors.iter().enumerate() {
                kept.set(slot as u32, &QuantizedVector::new(vector).unwrap());
            }
            divided(&mut kept);
            let mut next = noise(99);
            let (mut same, mut asked) = (0, 0);
            for at in 0..60 {
                let query: Vec<f32> = vectors[at * 13].iter().map(|number| number + 0.5 * next()).collect();
                let found = kept.nearest_slots(&query, None, 10);
                let expected = exact(&vectors, &query, |_| true, 10);
                same += found.iter().filter(|(slot, _)| expected.contains(slot)).count();
                asked += 10;
                assert!((found[0].1 - cosine(&vectors[found[0].0 as usize], &query)).abs() < 1e-3);
            }
            assert!(same * 100 >= asked * 98, "{same} of {asked} at {dimension}");
        }
    }

    #[test]
    fn a_filter_costs_no_recall_and_deleted_ones_are_not_found() {
        let vectors = clustered(20_000, 384);
        let mut kept = VectorIndex::new(384);
        for (slot, vector) in vectors.iter().enumerate().filter(|(slot, _)| slot % 7 != 0) {
            kept.set(slot as u32, &QuantizedVector::new(vector).unwrap());
        }
        divided(&mut kept);
        for one_of in [2, 5, 100] {
            let legal = |slot: usize| slot % one_of == 1;
            let mut bits = vec![0_u64; 20_000_usize.div_ceil(64)];
            for slot in (0..20_000).filter(|slot| legal(*slot)) {
                bits[slot / 64] |= 1 << (slot % 64);
            }
            let many = set_bits(&bits).count();
            let (mut same, mut asked) = (0, 0);
            for query in vectors.iter().step_by(700) {
                let found = kept.nearest_slots(query, Some((&bits, many)), 10);
                let expected = exact(&vectors, query, |slot| legal(slot) && slot % 7 != 0, 10);
                same += found.iter().filter(|(slot, _)| expected.contains(slot)).count();
                asked += expected.len();
                assert!(found.iter().all(|(slot, _)| legal(*slot as usize) && slot % 7 != 0));
            }
            assert!(same * 100 >= asked * 98, "{same} of {asked} at one of {one_of}");
        }
    }

    #[test]
    fn what_has_no_direction_or_another_dimension_is_not_compared() {
        assert!(QuantizedVector::new(&[0.0, 0.0]).is_none() && QuantizedVector::new(&[f32::NAN, 1.0]).is_none());
        let mut kept = VectorIndex::new(2);
        kept.set(3, &QuantizedVector::new(&[3.0, 4.0]).unwrap());
        kept.set(4, &QuantizedVector::new(&[1.0, 2.0, 3.0]).unwrap());
        assert_eq!(kept.len(), 1);
        assert!(
            kept.nearest_slots(&[1.0, 2.0, 3.0], None, 5).is_empty()
                && kept.nearest_slots(&[0.0, 0.0], None, 5).is_empty()
        );
        let found = kept.nearest_slots(&[6.0, 8.0], None, 5);
        assert!(found.len() == 1 && found[0].0 == 3 && (found[0].1 - 1.0).abs() < 1e-3);
        assert_eq!(kept.similarities(&[4.0, -3.0], &[3, 4]).len(), 2);
        assert!(kept.similarities(&[4.0, -3.0], &[3])[0].unwrap().abs() < 1e-3);
    }
}
