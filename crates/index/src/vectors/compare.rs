//! Comparing numbers, with the instructions that the processor has.

#[inline(always)]
fn product_of(query: &[i16], numbers: &[i8]) -> i32 {
    query.iter().zip(numbers).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[inline(always)]
fn product_of_low(query: &[i16], numbers: &[u8]) -> i32 {
    query.iter().zip(numbers).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[inline(always)]
fn dot_of(a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<16>();
    let (b, b_rest) = b.as_chunks::<16>();
    let mut sums = [0.0_f32; 16];
    for (a, b) in a.iter().zip(b) {
        for at in 0..16 {
            sums[at] += a[at] * b[at];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// Computes the Hamming distance of each row to the query.
#[inline(always)]
fn distances_of(query: &[u64], bits: &[u64], into: &mut [u16]) {
    /// The widths of common models are known to the compiler.
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

/// Number of rows in one block of codes, fixed by the SIMD layout.
pub(super) const ROWS: usize = 32;

/// For each row of a block the sum, over its codes of four bits, of what the table has for the code at that place. A
/// block has 16 bytes for each place: row `n` in the lower half of byte `n`, row `n + 16` in the upper half of it.
#[inline(always)]
fn sums_of(table: &[[u8; 16]], block: &[[u8; 16]], into: &mut [u16; ROWS]) {
    for (table, codes) in table.iter().zip(block) {
        for (row, code) in codes.iter().enumerate() {
            into[row] += u16::from(table[usize::from(code & 15)]);
            into[row + 16] += u16::from(table[usize::from(code >> 4)]);
        }
    }
}

/// The same with 32 rows at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sums_at_once(table: &[[u8; 16]], block: &[[u8; 16]], into: &mut [u16; ROWS]) {
    use std::arch::x86_64::*;
    let half = _mm256_set1_epi8(15);
    // For rows 0 to 15 and 16 to 31: the sums of even and odd rows together, and those of odd rows.
    let mut sums = [_mm256_setzero_si256(); 4];
    let (tables, _) = table.as_chunks::<2>();
    let (codes, _) = block.as_chunks::<2>();
    for (table, codes) in tables.iter().zip(codes) {
        #[expect(unsafe_code, reason = "reading 32 bytes")]
        // SAFETY: both point to two arrays of 16 bytes, one after the other; they need not be aligned.
        let (table, codes) =
            unsafe { (_mm256_loadu_si256(table.as_ptr().cast()), _mm256_loadu_si256(codes.as_ptr().cast())) };
        let lower = _mm256_shuffle_epi8(table, _mm256_and_si256(codes, half));
        let upper = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(codes), half));
        sums[0] = _mm256_add_epi16(sums[0], lower);
        sums[1] = _mm256_add_epi16(sums[1], _mm256_srli_epi16::<8>(lower));
        sums[2] = _mm256_add_epi16(sums[2], upper);
        sums[3] = _mm256_add_epi16(sums[3], _mm256_srli_epi16::<8>(upper));
    }
    for (half, rows) in into.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let (all, odd) = (sums[half * 2], sums[half * 2 + 1]);
        let even = _mm256_sub_epi16(all, _mm256_slli_epi16::<8>(odd));
        // The two places that were looked at together stand in the two halves of a register.
        let even = _mm_add_epi16(_mm256_castsi256_si128(even), _mm256_extracti128_si256::<1>(even));
        let odd = _mm_add_epi16(_mm256_castsi256_si128(odd), _mm256_extracti128_si256::<1>(odd));
        let (first, second) = (_mm_unpacklo_epi16(even, odd), _mm_unpackhi_epi16(even, odd));
        #[expect(unsafe_code, reason = "writing 32 bytes")]
        // SAFETY: `rows` has 16 numbers of two bytes.
        unsafe {
            _mm_storeu_si128(rows.as_mut_ptr().cast(), first);
            _mm_storeu_si128(rows.as_mut_ptr().add(8).cast(), second);
        }
    }
}

/// Linear scale that turns sums of table entries into scores.
#[derive(Clone, Copy)]
pub(super) struct ScoreScale {
    /// Factor for each sum; `start` is the offset.
    pub(super) step: f32,
    pub(super) start: f32,
    /// Inner product of query and centroid, added to each score.
    pub(super) towards: f32,
}

/// The score of each row: the sum of what the table has for its codes, scaled, times its reach. There is an even number
/// of places, and a reach for every row of every block.
#[inline(always)]
fn guesses_of(
    sums: impl Fn(&[[u8; 16]], &[[u8; 16]], &mut [u16; ROWS]),
    table: &[[u8; 16]],
    codes: &[[u8; 16]],
    reach: &[f32],
    scale: ScoreScale,
    into: &mut Vec<f32>,
) {
    into.clear();
    for (block, reach) in codes.chunks_exact(table.len().max(1)).zip(reach.as_chunks::<ROWS>().0) {
        let mut summed = [0; ROWS];
        sums(table, block, &mut summed);
        let mut scores = [0.0; ROWS];
        for row in 0..ROWS {
            scores[row] = scale.towards + (f32::from(summed[row]) * scale.step + scale.start) * reach[row];
        }
        into.extend_from_slice(&scores);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn guesses_fast(table: &[[u8; 16]], codes: &[[u8; 16]], reach: &[f32], scale: ScoreScale, into: &mut Vec<f32>) {
    guesses_of(|table, block, sums| sums_at_once(table, block, sums), table, codes, reach, scale, into);
}

/// The score of each row of a list, see [`guesses_of`].
pub(super) fn estimate_scores(
    table: &[[u8; 16]],
    codes: &[[u8; 16]],
    reach: &[f32],
    scale: ScoreScale,
    into: &mut Vec<f32>,
) {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        #[expect(unsafe_code, reason = "the processor was just asked whether it has these instructions")]
        // SAFETY: see above.
        return unsafe { guesses_fast(table, codes, reach, scale, into) };
    }
    guesses_of(sums_of, table, codes, reach, scale, into);
}

/// Asks for numbers that will be compared soon.
pub(super) fn prefetch<T>(numbers: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in numbers.chunks((64 / size_of::<T>()).max(1)) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "a hint to the processor")]
        // SAFETY: nothing is read; the address is one of a slice anyway.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = numbers;
}

macro_rules! dispatched {
    ($($name:ident, $fast:ident, $plain:ident ($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,popcnt,bmi1,bmi2")]
        fn $fast($($argument: $type),*) $(-> $result)? {
            $plain($($argument),*)
        }

        pub(super) fn $name($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx2")
                && std::is_x86_feature_detected!("fma")
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
    dot, dot_fast, dot_of (a: &[f32], b: &[f32]) -> f32;
    distances, distances_fast, distances_of (query: &[u64], bits: &[u64], into: &mut [u16]);
}
