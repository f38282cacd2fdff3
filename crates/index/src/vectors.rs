//! The vectors of passages, in memory, and which of them are nearest to a query.
//!
//! A vector is kept at three precisions: one bit a number (which side of the average it lies on), eight bits, and
//! eight more below them. A search narrows down in four steps: the bits of all against the bits of the query, the bits
//! of the best of those against the query in four bits, then eight bits, then sixteen. Nothing is built: a vector can
//! be found as soon as it is here, a filter costs nothing, and what is deleted is not looked at.

/// How many passages lie in one block. Blocks never move, so growing copies nothing.
const BLOCK: usize = 16 * 1024;

/// How many the first step leaves, at least, and for so many of the whole one more. Of real passages and questions,
/// these hold 99 % of the ten nearest.
const BY_BITS: (usize, usize) = (3_000, 20);
/// How many the second step leaves.
const BY_QUERY: (usize, usize) = (800, 100);

/// How many times as many as are wanted are looked at with sixteen bits.
const CLOSER: usize = 4;

/// When at most so many are allowed, the bits are not worth looking at.
const FEW: usize = 4_000;

/// Vectors of fewer numbers have too few bits to tell one from another, and are short enough to be compared whole.
const SHORT: usize = 128;

/// The vectors of passages, by their slot.
#[derive(Debug)]
pub(crate) struct Vectors {
    dimension: usize,
    /// How many machine words the bits of one vector take.
    width: usize,
    blocks: Vec<Block>,
    /// How many there are.
    count: usize,
    /// The sum of all, for the average.
    sum: Vec<f64>,
    /// The average that the bits were made with, and how many it was of.
    average: Vec<f32>,
    averaged: usize,
}

#[derive(Debug)]
struct Block {
    bits: Vec<u64>,
    high: Vec<i8>,
    low: Vec<u8>,
    /// What one step of `high` is worth; 0 where there is no vector.
    step: Vec<f32>,
    /// A bit a row: whether there is a vector.
    present: Vec<u64>,
}

/// A vector in sixteen bits, as it goes into the journal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packed {
    /// What one step of `high` is worth.
    pub(crate) step: f32,
    /// The upper eight bits of each number.
    pub(crate) high: Vec<i8>,
    /// The lower eight.
    pub(crate) low: Vec<u8>,
}

impl Packed {
    /// A vector of any length, brought to length one. None if it has no direction.
    pub(crate) fn new(vector: &[f32]) -> Option<Self> {
        let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        if !length.is_finite() || length == 0.0 {
            return None;
        }
        let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let step = f64::from(largest) / length / 127.0;
        let (mut high, mut low) = (Vec::with_capacity(vector.len()), Vec::with_capacity(vector.len()));
        for number in vector {
            // Rounded down to 1/256 of a step, so that the lower bits are never negative.
            let fine = (f64::from(*number) / length / step * 256.0).round().clamp(-32512.0, 32512.0) as i32;
            high.push((fine >> 8).clamp(-128, 127) as i8);
            low.push((fine & 255) as u8);
        }
        Some(Self { step: step as f32, high, low })
    }
}

/// A query in the forms that are compared.
struct Query {
    bits: Vec<u64>,
    whole: Vec<i16>,
    /// What one step of `whole` is worth.
    step: f32,
    /// The query in four bits a number, 8 being zero: the lowest bit of all numbers, then the next.
    planes: Vec<u64>,
}

impl Vectors {
    /// Room for vectors of this dimension.
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            width: dimension.div_ceil(64),
            blocks: Vec::new(),
            count: 0,
            sum: vec![0.0; dimension],
            average: vec![0.0; dimension],
            averaged: 0,
        }
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Keeps the vector of a slot.
    pub(crate) fn set(&mut self, slot: u32, packed: &Packed) {
        if packed.high.len() != self.dimension || packed.low.len() != self.dimension {
            return;
        }
        let (block, row) = (slot as usize / BLOCK, slot as usize % BLOCK);
        while self.blocks.len() <= block {
            self.blocks.push(Block {
                bits: vec![0; BLOCK * self.width],
                high: vec![0; BLOCK * self.dimension],
                low: vec![0; BLOCK * self.dimension],
                step: vec![0.0; BLOCK],
                present: vec![0; BLOCK / 64],
            });
        }
        let Some(at) = self.blocks.get_mut(block) else { return };
        let numbers = row * self.dimension..(row + 1) * self.dimension;
        if at.step[row] == 0.0 {
            self.count += 1;
            for (sum, high) in self.sum.iter_mut().zip(&packed.high) {
                *sum += f64::from(*high) * f64::from(packed.step);
            }
        }
        at.high[numbers.clone()].copy_from_slice(&packed.high);
        at.low[numbers.clone()].copy_from_slice(&packed.low);
        at.step[row] = packed.step;
        at.present[row / 64] |= 1 << (row % 64);
        let bits = &mut at.bits[row * self.width..(row + 1) * self.width];
        write_bits(&packed.high, packed.step, &self.average, bits);
    }

    /// Makes the bits anew if the average has become another one. To be called after vectors were added.
    pub(crate) fn settle(&mut self) {
        // The average of the first few says little, that of many hardly changes.
        if self.count < 64 || (self.averaged > 0 && self.count < self.averaged * 4) || self.averaged > 50_000 {
            return;
        }
        self.averaged = self.count;
        self.average = self.sum.iter().map(|sum| (sum / self.count as f64) as f32).collect();
        let (width, dimension) = (self.width, self.dimension);
        for block in &mut self.blocks {
            for row in 0..BLOCK {
                let high = &block.high[row * dimension..(row + 1) * dimension];
                write_bits(high, block.step[row], &self.average, &mut block.bits[row * width..(row + 1) * width]);
            }
        }
    }

    /// The `count` nearest slots that are allowed, by cosine, best first. `allowed` has a bit a slot and says how many
    /// are set; none means all.
    pub(crate) fn nearest(&self, vector: &[f32], allowed: Option<(&[u64], usize)>, count: usize) -> Vec<(u32, f32)> {
        let Some(query) = self.query(vector) else { return Vec::new() };
        let left = |(least, one_of): (usize, usize)| (least.max(count * 8) + self.count / one_of).min(self.count);
        let looked_at = match allowed {
            Some((bits, few)) if few <= FEW || self.dimension <= SHORT => ones(bits).collect(),
            None if self.dimension <= SHORT => (0..(self.blocks.len() * BLOCK) as u32).collect(),
            _ => {
                let near = self.by_bits(&query, allowed.map(|(bits, _)| bits), left(BY_BITS));
                self.by_query(&query, near, left(BY_QUERY))
            }
        };
        let mut scored: Vec<(f32, u32)> = Vec::with_capacity(looked_at.len());
        for slot in looked_at {
            if let Some(score) = self.score_high(&query, slot) {
                scored.push((score, slot));
            }
        }
        let closer = (count * CLOSER).max(64);
        keep_best(&mut scored, closer);
        for (score, slot) in &mut scored {
            *score = self.score_whole(&query, *slot).unwrap_or(*score);
        }
        keep_best(&mut scored, count);
        scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().map(|(score, slot)| (slot, score)).collect()
    }

    /// The cosines of these slots, where they have a vector.
    pub(crate) fn similarities(&self, vector: &[f32], slots: &[u32]) -> Vec<Option<f32>> {
        let Some(query) = self.query(vector) else { return vec![None; slots.len()] };
        slots.iter().map(|slot| self.score_whole(&query, *slot)).collect()
    }

    fn query(&self, vector: &[f32]) -> Option<Query> {
        if vector.len() != self.dimension {
            return None;
        }
        let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        if !length.is_finite() || length == 0.0 {
            return None;
        }
        let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let step = f64::from(largest) / length / 2047.0;
        let whole: Vec<i16> = vector.iter().map(|number| (f64::from(*number) / length / step).round() as i16).collect();
        let mut bits = vec![0; self.width];
        for (at, (number, average)) in vector.iter().zip(&self.average).enumerate() {
            if f64::from(*number) / length > f64::from(*average) {
                bits[at / 64] |= 1 << (at % 64);
            }
        }
        let mut planes = vec![0; self.width * 4];
        for (at, number) in whole.iter().enumerate() {
            let four = (f32::from(*number) / 2047.0 * 7.0).round() as i32 + 8;
            for plane in 0..4 {
                planes[plane * self.width + at / 64] |= ((four >> plane & 1) as u64) << (at % 64);
            }
        }
        Some(Query { bits, whole, step: step as f32, planes })
    }

    fn row(&self, slot: u32) -> Option<(&Block, usize)> {
        let (block, row) = (self.blocks.get(slot as usize / BLOCK)?, slot as usize % BLOCK);
        (block.step[row] != 0.0).then_some((block, row))
    }

    fn score_high(&self, query: &Query, slot: u32) -> Option<f32> {
        let (block, row) = self.row(slot)?;
        let high = &block.high[row * self.dimension..(row + 1) * self.dimension];
        // The lower bits are half a step on average.
        Some(compare::product(&query.whole, high) as f32 * block.step[row] * query.step)
    }

    fn score_whole(&self, query: &Query, slot: u32) -> Option<f32> {
        let (block, row) = self.row(slot)?;
        let numbers = row * self.dimension..(row + 1) * self.dimension;
        let high = i64::from(compare::product(&query.whole, &block.high[numbers.clone()]));
        let low = i64::from(compare::product_low(&query.whole, &block.low[numbers]));
        Some((high * 256 + low) as f32 / 256.0 * block.step[row] * query.step)
    }

    /// The slots whose bits differ least from the query's: about `wanted`, more where many differ as little.
    fn by_bits(&self, query: &Query, allowed: Option<&[u64]>, wanted: usize) -> Vec<u32> {
        let mut distances = vec![0_u16; self.blocks.len() * BLOCK];
        let far = u16::MAX;
        let mut legal = 0;
        for (at, block) in self.blocks.iter().enumerate() {
            let into = &mut distances[at * BLOCK..(at + 1) * BLOCK];
            compare::distances(&query.bits, &block.bits, into);
            for (word, rows) in into.chunks_exact_mut(64).enumerate() {
                let allowed = allowed.map_or(u64::MAX, |bits| bits.get(at * BLOCK / 64 + word).copied().unwrap_or(0));
                let mask = allowed & block.present[word];
                legal += mask.count_ones() as usize;
                if mask != u64::MAX {
                    for (_, distance) in rows.iter_mut().enumerate().filter(|(row, _)| mask >> row & 1 == 0) {
                        *distance = far;
                    }
                }
            }
        }
        if legal <= wanted {
            return distances
                .iter()
                .enumerate()
                .filter(|(_, far)| **far != u16::MAX)
                .map(|(at, _)| at as u32)
                .collect();
        }
        // How far the wanted ones reach is told by one in eight of them.
        const SAMPLE: usize = 8;
        let mut counts = vec![0_usize; self.dimension + 2];
        for distance in distances.iter().step_by(SAMPLE).filter(|distance| **distance != far) {
            counts[usize::from(*distance).min(self.dimension + 1)] += 1;
        }
        let mut border = 0;
        let mut sum = 0;
        while border < self.dimension && sum * SAMPLE < wanted {
            sum += counts[border];
            border += 1;
        }
        loop {
            let near = u16::try_from(border).unwrap_or(u16::MAX - 1);
            let mut found = Vec::with_capacity(wanted + wanted / 2);
            found.extend(distances.iter().enumerate().filter(|(_, far)| **far < near).map(|(slot, _)| slot as u32));
            if found.len() * 10 >= wanted * 9 || border > self.dimension {
                return found;
            }
            border += 1 + border / 64;
        }
    }

    /// Of these slots the `wanted` whose bits go best with the query in four bits.
    fn by_query(&self, query: &Query, slots: Vec<u32>, wanted: usize) -> Vec<u32> {
        if slots.len() <= wanted {
            return slots;
        }
        let mut scored: Vec<(i32, u32)> = slots
            .into_iter()
            .map(|slot| {
                let (block, row) = (&self.blocks[slot as usize / BLOCK], slot as usize % BLOCK);
                let bits = &block.bits[row * self.width..(row + 1) * self.width];
                (compare::sum_of_set(&query.planes, bits), slot)
            })
            .collect();
        scored.select_nth_unstable_by(wanted - 1, |a, b| b.0.cmp(&a.0));
        scored.truncate(wanted);
        scored.into_iter().map(|(_, slot)| slot).collect()
    }
}

fn write_bits(high: &[i8], step: f32, average: &[f32], bits: &mut [u64]) {
    bits.fill(0);
    for (at, (number, average)) in high.iter().zip(average).enumerate() {
        if (f32::from(*number) + 0.5) * step > *average {
            bits[at / 64] |= 1 << (at % 64);
        }
    }
}

/// Keeps the `count` largest, in any order.
fn keep_best(scored: &mut Vec<(f32, u32)>, count: usize) {
    if scored.len() > count && count > 0 {
        scored.select_nth_unstable_by(count - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(count);
    } else if count == 0 {
        scored.clear();
    }
}

/// The numbers of the bits that are set.
pub(crate) fn ones(bits: &[u64]) -> impl Iterator<Item = u32> + '_ {
    bits.iter().enumerate().flat_map(|(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            rest = rest.checked_sub(1).map(|less| rest & less)?;
            Some(at as u32 * 64 + bit)
        })
    })
}

/// Comparing numbers, with the instructions that the processor has.
mod compare {
    #[inline(always)]
    fn product_of(query: &[i16], numbers: &[i8]) -> i32 {
        query.iter().zip(numbers).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
    }

    #[inline(always)]
    fn product_of_low(query: &[i16], numbers: &[u8]) -> i32 {
        query.iter().zip(numbers).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
    }

    #[inline(always)]
    fn distances_of(query: &[u64], bits: &[u64], into: &mut [u16]) {
        // The widths of common models are known to the compiler.
        match query.len() {
            6 => fixed::<6>(query, bits, into),
            12 => fixed::<12>(query, bits, into),
            16 => fixed::<16>(query, bits, into),
            24 => fixed::<24>(query, bits, into),
            width => {
                for (row, distance) in bits.chunks_exact(width.max(1)).zip(into) {
                    *distance = row.iter().zip(query).map(|(a, b)| (a ^ b).count_ones() as u16).sum();
                }
            }
        }
    }

    #[inline(always)]
    fn fixed<const WIDTH: usize>(query: &[u64], bits: &[u64], into: &mut [u16]) {
        let Ok(query) = <&[u64; WIDTH]>::try_from(query) else { return };
        for (row, distance) in bits.as_chunks::<WIDTH>().0.iter().zip(into) {
            let mut sum = 0;
            for at in 0..WIDTH {
                sum += (row[at] ^ query[at]).count_ones();
            }
            *distance = sum as u16;
        }
    }

    /// The sum of the numbers of a query, in four bits each, over the bits that are set.
    #[inline(always)]
    fn sum_of(planes: &[u64], bits: &[u64]) -> i32 {
        let width = bits.len();
        let mut sum = -8 * bits.iter().map(|word| word.count_ones() as i32).sum::<i32>();
        for (plane, words) in planes.chunks_exact(width.max(1)).enumerate() {
            sum += (words.iter().zip(bits).map(|(a, b)| (a & b).count_ones() as i32).sum::<i32>()) << plane;
        }
        sum
    }

    macro_rules! dispatched {
        ($($name:ident, $fast:ident, $plain:ident ($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
            fn $fast($($argument: $type),*) $(-> $result)? {
                $plain($($argument),*)
            }

            pub(super) fn $name($($argument: $type),*) $(-> $result)? {
                #[cfg(target_arch = "x86_64")]
                if std::is_x86_feature_detected!("avx2")
                    && std::is_x86_feature_detected!("popcnt")
                    && std::is_x86_feature_detected!("bmi2")
                {
                    #[expect(unsafe_code, reason = "the processor was just asked whether it has these instructions")]
                    // SAFETY: see above.
                    return unsafe { $fast($($argument),*) };
                }
                $plain($($argument),*)
            }
        )*};
    }

    dispatched! {
        product, product_fast, product_of (query: &[i16], numbers: &[i8]) -> i32;
        product_low, product_low_fast, product_of_low (query: &[i16], numbers: &[u8]) -> i32;
        sum_of_set, sum_fast, sum_of (planes: &[u64], bits: &[u64]) -> i32;
        distances, distances_fast, distances_of (query: &[u64], bits: &[u64], into: &mut [u16]);
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
            let mut kept = Vectors::new(dimension);
            for (slot, vector) in vectors.iter().enumerate() {
                kept.set(slot as u32, &Packed::new(vector).unwrap());
            }
            kept.settle();
            let mut next = noise(99);
            let (mut same, mut asked) = (0, 0);
            for at in 0..60 {
                let query: Vec<f32> = vectors[at * 13].iter().map(|number| number + 0.5 * next()).collect();
                let found = kept.nearest(&query, None, 10);
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
        let mut kept = Vectors::new(384);
        for (slot, vector) in vectors.iter().enumerate().filter(|(slot, _)| slot % 7 != 0) {
            kept.set(slot as u32, &Packed::new(vector).unwrap());
        }
        kept.settle();
        for one_of in [2, 5, 100] {
            let legal = |slot: usize| slot % one_of == 1;
            let mut bits = vec![0_u64; 20_000_usize.div_ceil(64)];
            for slot in (0..20_000).filter(|slot| legal(*slot)) {
                bits[slot / 64] |= 1 << (slot % 64);
            }
            let many = ones(&bits).count();
            let (mut same, mut asked) = (0, 0);
            for query in vectors.iter().step_by(700) {
                let found = kept.nearest(query, Some((&bits, many)), 10);
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
        assert!(Packed::new(&[0.0, 0.0]).is_none() && Packed::new(&[f32::NAN, 1.0]).is_none());
        let mut kept = Vectors::new(2);
        kept.set(3, &Packed::new(&[3.0, 4.0]).unwrap());
        kept.set(4, &Packed::new(&[1.0, 2.0, 3.0]).unwrap());
        assert_eq!(kept.len(), 1);
        assert!(kept.nearest(&[1.0, 2.0, 3.0], None, 5).is_empty() && kept.nearest(&[0.0, 0.0], None, 5).is_empty());
        let found = kept.nearest(&[6.0, 8.0], None, 5);
        assert!(found.len() == 1 && found[0].0 == 3 && (found[0].1 - 1.0).abs() < 1e-3);
        assert_eq!(kept.similarities(&[4.0, -3.0], &[3, 4]).len(), 2);
        assert!(kept.similarities(&[4.0, -3.0], &[3])[0].unwrap().abs() < 1e-3);
    }
}
