//! Centres of vectors that lie near each other, so that a search looks at the surroundings of a query only.

use super::{
    compare,
    quantize::{QuantizedQuery, write_bits},
};

/// Number of k-means iterations.
const ROUNDS: usize = 8;
/// So many centres are compared number by number; the bits choose them.
const CLOSER: usize = 24;
/// The centres are made from at most so many vectors each.
const SAMPLE: usize = 40;

/// And from at most so many altogether.
const MOST: usize = 80_000;

/// Centres, and what is needed to find the nearest of them.
#[derive(Clone, Debug)]
pub(crate) struct Centroids {
    dimension: usize,
    width: usize,
    /// The numbers of all, one centre after the other.
    numbers: Vec<f32>,
    /// The same in eight bits, and what one step of them is worth.
    high: Vec<i8>,
    steps: Vec<f32>,
    /// Half of the square of their lengths.
    halves: Vec<f32>,
    /// Reciprocal length of each centroid.
    directions: Vec<f32>,
    /// On which side of the average each number lies.
    bits: Vec<u64>,
    average: Vec<f32>,
}

impl Centroids {
    /// Creates centroids from known components, one centroid after the other.
    pub(crate) fn new(dimension: usize, numbers: Vec<f32>) -> Self {
        let dimension = dimension.max(1);
        let width = dimension.div_ceil(64);
        let count = numbers.len() / dimension;
        let mut average = vec![0.0_f32; dimension];
        for centre in numbers.chunks_exact(dimension) {
            average.iter_mut().zip(centre).for_each(|(sum, number)| *sum += number / count as f32);
        }
        let mut centres = Self {
            dimension,
            width,
            high: vec![0; numbers.len()],
            steps: vec![0.0; count],
            halves: vec![0.0; count],
            directions: vec![0.0; count],
            bits: vec![0; count * width],
            numbers,
            average,
        };
        centres.update_derived();
        centres
    }

    /// Returns the number of centroids.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    pub(crate) fn centroid_at(&self, centre: usize) -> &[f32] {
        &self.numbers[centre * self.dimension..(centre + 1) * self.dimension]
    }

    /// Makes anew what follows from the numbers.
    fn update_derived(&mut self) {
        for (at, centre) in self.numbers.chunks_exact(self.dimension).enumerate() {
            let largest = centre.iter().fold(f32::MIN_POSITIVE, |largest, number| largest.max(number.abs()));
            let step = largest / 127.0;
            let high = &mut self.high[at * self.dimension..(at + 1) * self.dimension];
            high.iter_mut().zip(centre).for_each(|(high, number)| *high = (number / step).round() as i8);
            self.steps[at] = step;
            let square = centre.iter().map(|number| number * number).sum::<f32>();
            self.halves[at] = square / 2.0;
            self.directions[at] = if square > 0.0 { square.sqrt().recip() } else { 1.0 };
            write_bits(centre, &self.average, &mut self.bits[at * self.width..(at + 1) * self.width]);
        }
    }

    /// The centre that a vector lies nearest to.
    pub(crate) fn nearest_centroid(&self, vector: &[f32], near: &mut Vec<(u16, u32)>) -> usize {
        let mut bits = vec![0; self.width];
        write_bits(vector, &self.average, &mut bits);
        let mut distances = vec![0_u16; self.len()];
        compare::distances(&bits, &self.bits, &mut distances);
        near.clear();
        near.extend(distances.into_iter().zip(0_u32..));
        if near.len() > CLOSER {
            near.select_nth_unstable(CLOSER - 1);
            near.truncate(CLOSER);
        }
        let goodness =
            |centre: u32| compare::dot(vector, self.centroid_at(centre as usize)) - self.halves[centre as usize];
        let best = near.iter().map(|(_, centre)| (goodness(*centre), *centre)).max_by(|a, b| a.0.total_cmp(&b.0));
        best.map_or(0, |(_, centre)| centre as usize)
    }

    /// The product of the query with each centre, and its number: the `wanted` ones first whose direction is nearest
    /// to the query's, in order.
    pub(crate) fn rank_centroids(&self, query: &QuantizedQuery, wanted: usize) -> Vec<(f32, u32)> {
        let products: Vec<f32> = self
            .high
            .chunks_exact(self.dimension)
            .zip(&self.steps)
            .map(|(high, step)| compare::product(&query.whole, high) as f32 * step * query.step)
            .collect();
        // Sorted as whole numbers: the larger the direction's product, the smaller the upper half.
        let key = |at: usize| u64::from(!sortable_bits(products[at] * self.directions[at])) << 32 | at as u64;
        let mut keys: Vec<u64> = (0..products.len()).map(key).collect();
        if wanted < keys.len() && wanted > 0 {
            keys.select_nth_unstable(wanted - 1);
            keys.truncate(wanted);
        }
        keys.sort_unstable();
        keys.into_iter().map(|key| (products[key as u32 as usize], key as u32)).collect()
    }

    /// Returns the number of vectors needed to train this many centroids.
    pub(crate) fn sample_size(count: usize) -> usize {
        (count * SAMPLE).min(MOST)
    }

    /// Makes `count` centres from vectors that stand one after the other.
    pub(crate) fn train(dimension: usize, vectors: &[f32], count: usize) -> Self {
        let total = vectors.len() / dimension.max(1);
        let count = count.clamp(1, total.max(1));
        // Vectors from all over are the first centres.
        let mut numbers = Vec::with_capacity(count * dimension);
        for at in 0..count {
            let from = at * total / count * dimension;
            numbers.extend_from_slice(vectors.get(from..from + dimension).unwrap_or_default());
        }
        let mut centres = Self::new(dimension, numbers);
        let mut near = Vec::new();
        for _ in 0..ROUNDS {
            let mut sums = vec![0.0_f32; count * dimension];
            let mut members = vec![0_u32; count];
            for vector in vectors.chunks_exact(dimension.max(1)) {
                let centre = centres.nearest_centroid(vector, &mut near);
                members[centre] += 1;
                let sum = &mut sums[centre * dimension..(centre + 1) * dimension];
                sum.iter_mut().zip(vector).for_each(|(sum, number)| *sum += number);
            }
            for (centre, members) in members.iter().enumerate().filter(|(_, members)| **members > 0) {
                let sum = &sums[centre * dimension..(centre + 1) * dimension];
                let into = &mut centres.numbers[centre * dimension..(centre + 1) * dimension];
                into.iter_mut().zip(sum).for_each(|(number, sum)| *number = sum / *members as f32);
            }
            centres.update_derived();
        }
        centres
    }
}

/// A number that is ordered as the other is.
fn sortable_bits(number: f32) -> u32 {
    let bits = number.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}
