//! Correctly rounded arithmetic.
//!
//! Where binary64 has enough room the result is computed there, *rounded to odd*: of the two numbers beside an inexact result
//! the one whose last bit is 1. Rounding that once more to a format with at least two bits less gives what rounding the exact
//! result would have given, whatever the rounding [Boldo, Melquiond 2008]. What is left, directed rounding of binary64, is
//! done by `rustc_apfloat`.

use rustc_apfloat::Float as _;
use rustc_apfloat::ieee::Double;

use super::round::round_f64;
use crate::alg::float_op::{Arith, Format, Round};

/// The word of a binary32 number, with the canonical NaN.
#[inline]
fn f32_word(x: f32) -> u64 {
    if x.is_nan() {
        0x7FFF_FFFF
    } else {
        u64::from(x.to_bits())
    }
}

/// The operation on words of `f32`, to nearest even.
#[inline]
pub(super) fn f32_nearest(op: Arith, x: [u64; 3]) -> u64 {
    f32_word(nearest(op, x.map(|x| f32::from_bits(x as u32))))
}

/// The operation on native numbers, to nearest even.
#[inline]
pub(super) fn nearest<T: num_traits::Float>(op: Arith, [a, b, c]: [T; 3]) -> T {
    match op {
        Arith::Add => a + b,
        Arith::Sub => a - b,
        Arith::Mul => a * b,
        Arith::Fma => a.mul_add(b, c),
        Arith::Div => a / b,
        Arith::Rcp => T::one() / a,
        Arith::Sqrt => a.sqrt(),
    }
}

/// The operation on numbers of a format narrower than binary64, as a word of that format.
pub(super) fn narrow(op: Arith, ty: Format, round: Round, x: [f64; 3]) -> u64 {
    let [a, b, c] = x;
    let wide = match op {
        Arith::Add => sum(a, b, round),
        Arith::Sub => sum(a, -b, round),
        // No more than 48 bits: exact, with far more exponents than needed.
        Arith::Mul => a * b,
        Arith::Fma => sum(a * b, c, round),
        Arith::Div => quotient(a, b),
        Arith::Rcp => quotient(1.0, a),
        Arith::Sqrt => root(a),
    };
    round_f64(ty, round, wide)
}

/// `x` rounded to odd, where the exact number is `x` and a little in the direction of `error`.
fn odd(x: f64, error: f64) -> f64 {
    if !x.is_finite() || error == 0.0 || error.is_nan() || x.to_bits() & 1 == 1 {
        x
    } else if error > 0.0 {
        x.next_up()
    } else {
        x.next_down()
    }
}

/// The sum, rounded to odd. An exact 0 of numbers of different sign is -0 when rounding down (IEEE 754 §6.3).
fn sum(a: f64, b: f64, round: Round) -> f64 {
    let s = a + b;
    if s == 0.0 && round == Round::Down && a.is_sign_negative() != b.is_sign_negative() {
        return -0.0;
    }
    // Knuth's TwoSum: what `s` is short of, exactly.
    let b_part = s - a;
    let a_part = s - b_part;
    odd(s, (a - a_part) + (b - b_part))
}

/// The quotient, rounded to odd.
fn quotient(a: f64, b: f64) -> f64 {
    let q = a / b;
    let rest = (-q).mul_add(b, a);
    odd(q, if b.is_sign_negative() { -rest } else { rest })
}

/// The square root, rounded to odd.
fn root(a: f64) -> f64 {
    let q = a.sqrt();
    odd(q, (-q).mul_add(q, a))
}

/// The operation on binary64 with another rounding than to nearest even.
pub(super) fn f64_directed(op: Arith, round: Round, x: [u64; 3]) -> u64 {
    let mode = apfloat_round(round);
    let [a, b, c] = x.map(|x| Double::from_bits(u128::from(x)));
    let r = match op {
        Arith::Add => a.add_r(b, mode),
        Arith::Sub => a.sub_r(b, mode),
        Arith::Mul => a.mul_r(b, mode),
        Arith::Fma => a.mul_add_r(b, c, mode),
        Arith::Div => a.div_r(b, mode),
        Arith::Rcp => Double::from_bits(u128::from(1f64.to_bits())).div_r(a, mode),
        Arith::Sqrt => return f64_root(round, f64::from_bits(x[0])).to_bits(),
    };
    r.value.to_bits() as u64
}

/// The name of a rounding in `rustc_apfloat`.
pub(super) fn apfloat_round(round: Round) -> rustc_apfloat::Round {
    match round {
        Round::Nearest => rustc_apfloat::Round::NearestTiesToEven,
        Round::Zero => rustc_apfloat::Round::TowardZero,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Up => rustc_apfloat::Round::TowardPositive,
        Round::Away => rustc_apfloat::Round::NearestTiesToAway,
    }
}

/// The square root in binary64 with another rounding than to nearest even.
fn f64_root(round: Round, a: f64) -> f64 {
    let two_to = |n: i32| f64::from_bits(((1023 + n) as u64) << 52);
    // Small numbers are scaled by an even power of 2, so that the remainder below is exact.
    let (a, unscale) = if a < two_to(-900) {
        (a * two_to(200), two_to(-100))
    } else {
        (a, 1.0)
    };
    let q = a.sqrt();
    let rest = (-q).mul_add(q, a);
    let q = match round {
        Round::Up if rest > 0.0 => q.next_up(),
        Round::Down | Round::Zero if rest < 0.0 => q.next_down(),
        _ => q,
    };
    q * unscale
}
