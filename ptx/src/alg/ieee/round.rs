//! Formats as bits: the values of words, and exact numbers rounded to words.

use super::with_format;
use crate::alg::float_op::{Format, Round};

/// How the words of a format are laid out.
pub(super) struct Layout {
    /// Bits of the fraction.
    pub fraction: u32,
    /// The exponent that the lowest normal numbers have.
    pub min_exp: i32,
    /// The word of +∞, or of the NaN that takes its place.
    pub infinity: u64,
    /// The largest finite number.
    pub largest: u64,
    /// The canonical NaN.
    pub nan: u64,
    /// The sign bit.
    pub sign: u64,
    /// Bits below the fraction that are always 0.
    pub padding: u32,
}

/// The layout of a format. The manual asks for a canonical NaN here and there but does not say which: those of `f32`, `f16` and
/// `bf16` are what the hardware gives, the others a choice.
#[inline(always)]
pub(super) const fn layout(ty: Format) -> Layout {
    let (fraction, exponent, nan, padding) = match ty {
        Format::F16 => (10, 5, 0x7FFF, 0),
        Format::Bf16 => (7, 8, 0x7FFF, 0),
        Format::Tf32 => (10, 8, 0x3FFFF, 13),
        Format::F32 => (23, 8, 0x7FFF_FFFF, 0),
        Format::F64 => (52, 11, 0x7FF8_0000_0000_0000, 0),
        Format::E4m3 => (3, 4, 0x7F, 0),
        Format::E5m2 => (2, 5, 0x7F, 0),
    };
    let bias = (1 << (exponent - 1)) - 1;
    // e4m3 has numbers in the binade that other formats keep for infinities, all but the last one.
    let infinity = match ty {
        Format::E4m3 => 0x7F,
        _ => ((1 << exponent) - 1) << fraction,
    };
    Layout {
        fraction,
        min_exp: 1 - bias,
        infinity: infinity << padding,
        largest: (infinity - 1) << padding,
        nan: nan << padding,
        sign: 1 << (exponent + fraction + padding),
        padding,
    }
}

/// The value of a word. Every number of every format is one of binary64.
#[inline(always)]
pub fn to_f64(ty: Format, bits: u64) -> f64 {
    match ty {
        Format::F64 => f64::from_bits(bits),
        Format::F32 => f64::from(f32::from_bits(bits as u32)),
        Format::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
        Format::Tf32 => f64::from(f32::from_bits(bits as u32 & !0x1FFF)),
        Format::F16 => small(bits, 10, 5),
        Format::E5m2 => small(bits, 2, 5),
        Format::E4m3 if bits & 0x7F == 0x7F => f64::NAN,
        Format::E4m3 => small(bits, 3, 4),
    }
}

/// The value of a word of a sign, `exponent` bits and `fraction` bits.
#[inline(always)]
fn small(bits: u64, fraction: u32, exponent: u32) -> f64 {
    let sign = (bits >> (fraction + exponent) & 1) << 63;
    let magnitude = bits & ((1 << (fraction + exponent)) - 1);
    let field = magnitude >> fraction;
    let bias = (1u64 << (exponent - 1)) - 1;
    let wide = if field == 0 {
        // Subnormal: so many units in the last place, each 2^(1 - bias - fraction).
        let unit = f64::from_bits((1023 + 1 - bias - u64::from(fraction)) << 52);
        (magnitude as f64 * unit).to_bits()
    } else if field == (1 << exponent) - 1 && fraction != 3 {
        0x7FF << 52 | (magnitude & ((1 << fraction) - 1)) << (52 - fraction)
    } else {
        (magnitude << (52 - fraction)) + ((1023 - bias) << 52)
    };
    f64::from_bits(sign | wide)
}

/// A binary64 number as a word: rounded once, with the canonical NaN. What is larger than every number overflows as the
/// rounding says: to the infinity (the NaN of e4m3, which has none) or to the largest number.
pub fn round_f64(ty: Format, round: Round, x: f64) -> u64 {
    if ty == Format::F32 && round == Round::Nearest && !x.is_nan() {
        return u64::from((x as f32).to_bits());
    }
    with_format!(ty => round_to(ty, round, x))
}

#[inline(always)]
fn round_to(ty: Format, round: Round, x: f64) -> u64 {
    let l = layout(ty);
    if x.is_nan() {
        return l.nan;
    }
    let bits = x.to_bits();
    let negative = bits >> 63 == 1;
    let sign = if negative { l.sign } else { 0 };
    if x.is_infinite() {
        return sign | l.infinity;
    }
    let field = (bits >> 52 & 0x7FF) as i32;
    let fraction = bits & ((1 << 52) - 1);
    match field {
        0 => pack(&l, round, negative, fraction, -1074),
        _ => pack(&l, round, negative, fraction | 1 << 52, field - 1075),
    }
}

/// The number `(-1)^negative · sig · 2^exp` as a word.
#[inline(always)]
pub(super) fn pack(l: &Layout, round: Round, negative: bool, sig: u64, exp: i32) -> u64 {
    let sign = if negative { l.sign } else { 0 };
    if sig == 0 {
        return sign;
    }
    let zeros = sig.leading_zeros();
    // The number is 1.… · 2^top; the last place that the word has is 2^last.
    let top = exp + 63 - zeros as i32;
    let last = top.max(l.min_exp) - l.fraction as i32;
    let sig = sig << zeros;
    let exp = exp - zeros as i32;
    let shift = last - exp;
    // `sig` has 64 bits and no fraction more than 53: at least 11 bits are cut off.
    let (kept, rest, half) = if shift < 64 {
        (sig >> shift, sig << (64 - shift), 1 << 63)
    } else if shift == 64 {
        (0, sig, 1 << 63)
    } else {
        // Less than half of the last place, and not 0.
        (0, 1, u64::MAX)
    };
    let up = match round {
        Round::Nearest => rest > half || (rest == half && kept & 1 == 1),
        Round::Away => rest >= half,
        Round::Zero => false,
        Round::Down => negative && rest != 0,
        Round::Up => !negative && rest != 0,
    };
    let kept = kept + u64::from(up);
    // A normal number's leading bit adds 1 to the exponent field, and so does a carry out of the fraction.
    let field = (top.max(l.min_exp) - l.min_exp) as u64;
    let word = ((field << l.fraction) + kept) << l.padding;
    if word < l.infinity {
        return sign | word;
    }
    let outward = match round {
        Round::Nearest | Round::Away => true,
        Round::Zero => false,
        Round::Down => negative,
        Round::Up => !negative,
    };
    sign | if outward { l.infinity } else { l.largest }
}
