//! What came out, against what was expected.

use crate::dtype::{DType, Value};

/// How many differences are kept.
pub const SHOWN: usize = 5;

/// How far off a value may be: within `abs + rel * |wanted|`, or at most `ulp` values of the type between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Absolutely.
    pub abs: f64,
    /// Relative to what is wanted.
    pub rel: f64,
    /// In values of the type.
    pub ulp: u64,
}

/// A box of indices: from, to.
pub type Region = Vec<[u64; 2]>;

/// What a part of a buffer has to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Which part.
    pub region: Region,
    /// The values, row by row; `None` for anything.
    pub values: Option<Vec<Value>>,
    /// Whether the order does not count.
    pub unordered: bool,
    /// How far off.
    pub tolerance: Tolerance,
}

/// An element that is not as expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its indices; of an unordered part, the place in order.
    pub index: Vec<u64>,
    /// What is there.
    pub got: Value,
    /// What should be.
    pub wanted: Value,
}

impl Difference {
    /// How far off it is, where that is a number.
    pub fn error(&self) -> f64 {
        distance(self.got, self.wanted)
    }
}

/// How far two values are from each other.
fn distance(a: Value, b: Value) -> f64 {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.abs_diff(b) as f64,
        (a, b) => (a.real() - b.real()).abs(),
    }
}

/// What is to be said of a buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// How many elements were compared.
    pub compared: u64,
    /// How many are wrong.
    pub wrong: u64,
    /// The first ones.
    pub first: Vec<Difference>,
    /// The largest error among all that are numbers, wrong ones and right ones.
    pub worst: f64,
}

/// Compares the end of a buffer with its beginning and with what is wanted of its parts.
pub fn compare(
    dtype: DType,
    shape: &[u64],
    before: &[u8],
    after: &[u8],
    parts: &[Part],
) -> Comparison {
    let mut found = Comparison::default();
    let count = after.len() / dtype.bytes();
    let mut covered = vec![false; count];
    for part in parts {
        for p in places(shape, &part.region) {
            covered[p] = true;
        }
        if let Some(values) = &part.values {
            one_part(dtype, shape, after, part, values, &mut found);
        }
    }
    for (i, covered) in covered.into_iter().enumerate() {
        if covered {
            continue;
        }
        found.compared += 1;
        let (got, wanted) = (dtype.bits_at(after, i), dtype.bits_at(before, i));
        if got != wanted {
            wrong(
                &mut found,
                indices(shape, i),
                dtype.decode(got),
                dtype.decode(wanted),
            );
        }
    }
    found
}

fn one_part(
    dtype: DType,
    shape: &[u64],
    after: &[u8],
    part: &Part,
    values: &[Value],
    found: &mut Comparison,
) {
    let places = places(shape, &part.region);
    if !part.unordered {
        for (p, &wanted) in places.zip(values) {
            let bits = dtype.bits_at(after, p);
            element(dtype, bits, wanted, part.tolerance, found, || {
                indices(shape, p)
            });
        }
        return;
    }
    let mut got: Vec<u64> = places.map(|p| dtype.bits_at(after, p)).collect();
    let mut wanted = values.to_vec();
    let order = |a: Value, b: Value| match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(&b),
        (a, b) => a.real().total_cmp(&b.real()),
    };
    got.sort_by(|&a, &b| order(dtype.decode(a), dtype.decode(b)));
    wanted.sort_by(|&a, &b| order(a, b));
    for (i, (bits, wanted)) in got.into_iter().zip(wanted).enumerate() {
        element(dtype, bits, wanted, part.tolerance, found, || {
            vec![i as u64]
        });
    }
}

/// Compares an element; its index is asked for only where it is wrong.
fn element(
    dtype: DType,
    bits: u64,
    wanted: Value,
    tolerance: Tolerance,
    found: &mut Comparison,
    index: impl FnOnce() -> Vec<u64>,
) {
    found.compared += 1;
    let value = dtype.decode(bits);
    let error = distance(value, wanted);
    if error.is_finite() {
        found.worst = found.worst.max(error);
    }
    if !close(dtype, bits, wanted, tolerance) {
        wrong(found, index(), value, wanted);
    }
}

fn wrong(found: &mut Comparison, index: Vec<u64>, got: Value, wanted: Value) {
    found.wrong += 1;
    if found.first.len() < SHOWN {
        found.first.push(Difference { index, got, wanted });
    }
}

/// Whether an element is close enough to a value. Without tolerance: the same bits as the value rounded to the type. Any
/// NaN is as good as another.
fn close(dtype: DType, bits: u64, wanted: Value, t: Tolerance) -> bool {
    let rounded = dtype.encode(wanted);
    if bits == rounded && in_range(dtype, wanted) {
        return true;
    }
    let (got, want) = (dtype.decode(bits).real(), wanted.real());
    if got.is_nan() || want.is_nan() {
        return got.is_nan() && want.is_nan();
    }
    if let (Value::Int(a), Value::Int(b)) = (dtype.decode(bits), wanted)
        && t == Tolerance::default()
    {
        return a == b;
    }
    let near =
        got.is_finite() && want.is_finite() && (got - want).abs() <= t.abs + t.rel * want.abs();
    let exact = t == Tolerance::default();
    (near && !exact) || (t.ulp > 0 && dtype.steps_between(bits, rounded) <= u128::from(t.ulp))
}

/// Whether an integer type holds an integer; `b32` and the like hold whatever has their bits.
fn in_range(dtype: DType, value: Value) -> bool {
    let (low, high) = dtype.range();
    match value {
        Value::Int(n) if !dtype.is_float() => (low..=high).contains(&n),
        _ => true,
    }
}

/// The places of a region, row by row.
pub fn places<'a>(shape: &'a [u64], region: &'a Region) -> impl Iterator<Item = usize> + 'a {
    let count: u64 = region.iter().map(|[from, to]| to - from).product();
    (0..count).map(move |n| {
        let (mut at, mut rest, mut unit) = (0, n, 1);
        for (size, [from, to]) in shape.iter().zip(region).rev() {
            let length = (to - from).max(1);
            at += unit * (from + rest % length);
            rest /= length;
            unit *= size;
        }
        at as usize
    })
}

/// The indices of a place.
pub fn indices(shape: &[u64], place: usize) -> Vec<u64> {
    let mut rest = place as u64;
    let mut out: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&size| {
            let i = rest % size.max(1);
            rest /= size.max(1);
            i
        })
        .collect();
    out.reverse();
    out
}
