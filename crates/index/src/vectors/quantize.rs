//! Vectors in fewer bits.

/// A vector in sixteen bits, as it goes into the journal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuantizedVector {
    /// Quantization step of the high bits.
    pub(crate) step: f32,
    /// The upper eight bits of each number.
    pub(crate) high: Vec<i8>,
    /// The lower eight bits of each component.
    pub(crate) low: Vec<u8>,
}

/// The length of a vector, if it has a direction.
fn vector_length(vector: &[f32]) -> Option<f64> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    (length.is_finite() && length > 0.0).then_some(length)
}

fn largest_component(vector: &[f32]) -> f64 {
    f64::from(vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs())))
}

impl QuantizedVector {
    /// A vector of any length, brought to length one. None if it has no direction.
    pub(crate) fn new(vector: &[f32]) -> Option<Self> {
        let length = vector_length(vector)?;
        let step = largest_component(vector) / length / 127.0;
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

/// The numbers of a vector as its upper eight bits tell them.
pub(crate) fn unpack_high_bits(high: &[i8], step: f32, into: &mut Vec<f32>) {
    // The lower bits are half a step on average.
    into.extend(high.iter().map(|number| (f32::from(*number) + 0.5) * step));
}

/// A bit a number: whether it is above the other's.
pub(crate) fn write_bits(vector: &[f32], above: &[f32], bits: &mut [u64]) {
    for ((vector, above), word) in vector.chunks(64).zip(above.chunks(64)).zip(bits) {
        *word = vector.iter().zip(above).enumerate().fold(0, |word, (at, (a, b))| word | u64::from(a > b) << at);
    }
}

/// Returns the number of four-bit codes per vector, rounded up to an even number.
pub(crate) fn nibble_count(dimension: usize) -> usize {
    dimension.div_ceil(8) * 2
}

/// A query in the forms that are compared.
pub(crate) struct QuantizedQuery {
    pub(crate) whole: Vec<i16>,
    /// Sum of the components of `whole`.
    pub(crate) sum: f32,
    /// Quantization step of `whole`.
    pub(crate) step: f32,
    /// For each four numbers, what they sum up to for each choice of those that count; as steps above the least.
    pub(crate) table: Vec<[u8; 16]>,
    /// Quantization step of the table entries.
    pub(crate) table_step: f32,
    /// Offset of the table sums: twice the sum of the minima, minus the sum of all components.
    pub(crate) table_start: f32,
}

impl QuantizedQuery {
    /// A vector of any length, brought to length one. None if it has no direction.
    pub(crate) fn new(vector: &[f32]) -> Option<Self> {
        let length = vector_length(vector)?;
        let step = largest_component(vector) / length / 2047.0;
        let vector: Vec<f32> = vector.iter().map(|number| (f64::from(*number) / length) as f32).collect();
        let whole: Vec<i16> = vector.iter().map(|number| (f64::from(*number) / step).round() as i16).collect();
        let mut sums = vec![[0.0_f32; 16]; nibble_count(vector.len())];
        let (mut start, mut widest) = (0.0, 0.0_f32);
        for (four, sums) in vector.chunks(4).zip(&mut sums) {
            for (choice, sum) in sums.iter_mut().enumerate() {
                *sum = four.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1).map(|(_, number)| number).sum();
            }
            let (least, most) = sums.iter().fold((0.0_f32, 0.0_f32), |(a, b), sum| (a.min(*sum), b.max(*sum)));
            sums.iter_mut().for_each(|sum| *sum -= least);
            start += least;
            widest = widest.max(most - least);
        }
        // Sums over all places must fit into sixteen bits.
        let most = (65_535 / sums.len().max(1)).min(255) as f32;
        let table_step = (widest / most).max(f32::MIN_POSITIVE);
        let table = sums.iter().map(|sums| sums.map(|sum| (sum / table_step).round() as u8)).collect();
        let table_start = 2.0 * start - vector.iter().sum::<f32>();
        let sum = whole.iter().map(|number| f32::from(*number)).sum();
        Some(Self { whole, sum, step: step as f32, table, table_step, table_start })
    }
}
