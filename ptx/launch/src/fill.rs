//! What buffers hold at first: functions of a seed and an index that any program can repeat exactly.
//!
//! `word(s, n)` is the `n`-th output of SplitMix64 started at `s`:
//!
//! ```text
//! z = s + (n + 1) * 0x9E3779B97F4A7C15
//! z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
//! z = (z ^ (z >> 27)) * 0x94D049BB133111EB
//! word(s, n) = z ^ (z >> 31)                          (all modulo 2⁶⁴)
//! even(s, n) = (word(s, n) >> 11) / 2⁵³               (a double in [0, 1), exactly)
//! ```
//!
//! The element `n` (row by row) is `low + (high - low) * even(s, n)` for `uniform`, `low + word(s, n) mod (high - low)` for
//! `integers`, and `mean + deviation * (even(s, 12 n) + … + even(s, 12 n + 11) - 6)` for `normal`, added from the left in
//! doubles; then it is rounded to the type, to the nearest, ties to even.

use crate::dtype::{DType, Value};
use crate::file::{Arange, Between, Integers, Normal};

/// The `n`-th output of SplitMix64 started at a seed.
pub fn word(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A double in [0, 1).
pub fn even(seed: u64, n: u64) -> f64 {
    (word(seed, n) >> 11) as f64 / (1u64 << 53) as f64
}

/// An element of `arange`.
pub fn arange(f: Arange, n: u64) -> Value {
    match (Value::from(f.start), Value::from(f.step)) {
        (Value::Int(start), Value::Int(step)) => Value::Int(start + step * i128::from(n)),
        (start, step) => Value::Real(start.real() + step.real() * n as f64),
    }
}

/// An element of `uniform`.
pub fn uniform(f: Between, n: u64) -> Value {
    let (low, high) = (f.low.real(), f.high.real());
    Value::Real(low + (high - low) * even(f.seed, n))
}

/// An element of `integers`; `low` if there are none between.
pub fn integers(f: Integers, n: u64) -> Value {
    let count = (i128::from(f.high) - i128::from(f.low)).max(1);
    Value::Int(i128::from(f.low) + i128::from(word(f.seed, n)) % count)
}

/// An element of `normal`.
pub fn normal(f: Normal, n: u64) -> Value {
    let mut sum = 0.0;
    for k in 0..12 {
        sum += even(f.seed, n.wrapping_mul(12).wrapping_add(k));
    }
    Value::Real(f.mean.real() + f.deviation.real() * (sum - 6.0))
}

/// Bytes of elements.
pub fn bytes(dtype: DType, values: impl Iterator<Item = Value>) -> Vec<u8> {
    let mut out = Vec::new();
    for v in values {
        let word = dtype.encode(v).to_le_bytes();
        out.extend_from_slice(&word[..dtype.bytes()]);
    }
    out
}

/// Bytes that nobody has written: they depend on the seed of the run and on the buffer's number.
pub fn unwritten(seed: u64, buffer: u64, count: usize) -> Vec<u8> {
    let start = word(seed, buffer);
    let words = (0..count.div_ceil(8) as u64).flat_map(|n| word(start, n).to_le_bytes());
    words.take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of the published generator, started at 1234567.
    #[test]
    fn split_mix() {
        let known: [u64; 3] = [
            6457827717110365317,
            3203168211198807973,
            9817491932198370423,
        ];
        for (n, k) in known.into_iter().enumerate() {
            assert_eq!(word(1234567, n as u64), k);
        }
    }
}
