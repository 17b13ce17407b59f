//! The float operations that run: IEEE 754 arithmetic with what the manual adds to it, and a choice where it is silent.
//!
//! This is one `F` of the many that theorems quantify over. Subnormal numbers are kept, or with `.ftz` flushed before and
//! after. The choices:
//! - a NaN result of `f64` arithmetic is the first operand that is a NaN, made quiet, and without such 0x7FF8000000000000;
//!   that of e4m3 and e5m2 is 0x7F, of `tf32` 0x7FFFE000, of `f32`, `f16` and `bf16` all ones but the sign;
//! - `.approx` and `.full` functions are computed in binary64 by the `libm` crate (the same on every machine) and rounded once,
//!   but for the special values in the manual's tables: see [`approx`];
//! - `.sat` and `.relu` give +0 for -0;
//! - a division by zero gives a word of ones, a remainder by zero the dividend.

mod approx;
mod arith;
mod convert;
mod round;

pub use round::{round_f64, to_f64};

use std::cmp::Ordering;

use super::bits::Floats;
use super::dot::DotKind;
use super::float_op::{Clamp, Cmp, FloatOp, Format, Round};
use round::layout;

/// Evaluates an expression where the format is a constant, so that each format has code of its own.
macro_rules! with_format {
    ($ty:ident => $e:expr) => {
        match $ty {
            Format::F16 => with_format!(@ $ty, F16, $e),
            Format::Bf16 => with_format!(@ $ty, Bf16, $e),
            Format::Tf32 => with_format!(@ $ty, Tf32, $e),
            Format::F32 => with_format!(@ $ty, F32, $e),
            Format::F64 => with_format!(@ $ty, F64, $e),
            Format::E4m3 => with_format!(@ $ty, E4m3, $e),
            Format::E5m2 => with_format!(@ $ty, E5m2, $e),
        }
    };
    (@ $ty:ident, $format:ident, $e:expr) => {{
        let $ty = Format::$format;
        $e
    }};
}
use with_format;

/// IEEE 754 arithmetic, with PTX's rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ieee;

impl Floats for Ieee {
    #[inline]
    fn float(&mut self, op: FloatOp, args: [u64; 3]) -> u64 {
        evaluate(op, args)
    }

    fn dot(&mut self, kind: DotKind, pairs: &[(u64, u64)], acc: u64) -> u64 {
        kind.sum(pairs.iter().copied(), acc)
    }
}

/// The result of an operation on words of its operands' widths; what it does not take is ignored.
#[inline]
pub fn evaluate(op: FloatOp, args: [u64; 3]) -> u64 {
    match op {
        // What kernels do most.
        FloatOp::Rounded {
            op,
            ty: Format::F32,
            round: Round::Nearest,
            ftz,
            clamp: Clamp::Unclamped,
        } => {
            let args = flush_all(Format::F32, ftz, args);
            flush(Format::F32, ftz, arith::f32_nearest(op, args))
        }
        FloatOp::Extreme {
            max,
            ty: Format::F32,
            ftz,
            nan,
        } => {
            let [a, b, _] = flush_all(Format::F32, ftz, args);
            extreme(max, Format::F32, nan, a, b)
        }
        FloatOp::Compare {
            cmp,
            ty: Format::F32,
            ftz,
        } => compare(cmp, flush_all(Format::F32, ftz, args), |x| {
            f32::from_bits(x as u32)
        }),
        _ => general(op, args),
    }
}

fn general(op: FloatOp, args: [u64; 3]) -> u64 {
    match op {
        FloatOp::Rounded {
            op,
            ty,
            round,
            ftz,
            clamp,
        } => {
            let args = flush_all(ty, ftz, args);
            let word = match (ty, round) {
                (Format::F32, Round::Nearest) => arith::f32_nearest(op, args),
                (Format::F64, Round::Nearest) => {
                    let y = arith::nearest(op, args.map(f64::from_bits));
                    payload(y.to_bits(), args)
                }
                (Format::F64, _) => payload(arith::f64_directed(op, round, args), args),
                _ => arith::narrow(op, ty, round, args.map(|x| to_f64(ty, x))),
            };
            with_format!(ty => clamped(ty, clamp, flush(ty, ftz, word)))
        }
        FloatOp::Approx { op, ty, ftz } => {
            let args = flush_all(ty, ftz, args);
            let y = approx::value(op, args.map(|x| to_f64(ty, x)));
            match ty {
                // §9.7.3.14, §9.7.3.17
                Format::F64 if ftz && y.is_nan() => 0x7FFF_FFFF_0000_0000,
                _ => flush(ty, ftz, round_f64(ty, Round::Nearest, y)),
            }
        }
        FloatOp::Extreme { max, ty, ftz, nan } => {
            with_format!(ty => {
                let [a, b, _] = flush_all(ty, ftz, args);
                extreme(max, ty, nan, a, b)
            })
        }
        FloatOp::Compare { cmp, ty, ftz } => {
            with_format!(ty => compare(cmp, flush_all(ty, ftz, args), |x| to_f64(ty, x)))
        }
        FloatOp::Convert {
            to,
            from,
            round,
            ftz,
            clamp,
        } => convert::format(to, from, round, ftz, clamp, args[0]),
        FloatOp::Integral { ty, round, ftz } => {
            let x = to_f64(ty, flush(ty, ftz, args[0]));
            round_f64(ty, Round::Zero, convert::integral(round, x))
        }
        FloatOp::FromInt { to, from, round } => convert::from_int(to, from, round, args[0]),
        FloatOp::ToInt {
            to,
            from,
            round,
            ftz,
        } => convert::to_int(to, from, round, flush(from, ftz, args[0])),
        FloatOp::DivZero(ty) => u64::MAX >> (64 - ty.width),
        FloatOp::RemZero(_) => args[0],
    }
}

/// A result of `f64`; instead of a NaN the first operand that is one, made quiet (§9.7.3: payloads are supported), or the
/// canonical one.
#[inline]
fn payload(word: u64, args: [u64; 3]) -> u64 {
    if !f64::from_bits(word).is_nan() {
        return word;
    }
    let nan = args.into_iter().find(|x| f64::from_bits(*x).is_nan());
    nan.map_or(layout(Format::F64).nan, |x| x | 1 << 51)
}

/// With `ftz`, a zero of the same sign instead of a subnormal number.
#[inline(always)]
fn flush(ty: Format, ftz: bool, word: u64) -> u64 {
    if !ftz {
        return word;
    }
    let l = layout(ty);
    if (word & !l.sign) >> l.padding >> l.fraction == 0 {
        word & l.sign
    } else {
        word
    }
}

#[inline(always)]
fn flush_all(ty: Format, ftz: bool, args: [u64; 3]) -> [u64; 3] {
    if ftz {
        args.map(|x| flush(ty, true, x))
    } else {
        args
    }
}

/// A rounded result, clamped. `.satfinite` is a matter of rounding and not done here.
#[inline(always)]
fn clamped(ty: Format, clamp: Clamp, word: u64) -> u64 {
    let l = layout(ty);
    let negative = word & l.sign != 0;
    let nan = is_nan(ty, word);
    match clamp {
        Clamp::Unclamped | Clamp::SatFinite => word,
        Clamp::Relu | Clamp::ReluSatFinite if nan => l.nan,
        Clamp::Sat if nan => 0,
        _ if negative => 0,
        Clamp::Sat => word.min(round_f64(ty, Round::Nearest, 1.0)),
        Clamp::Relu | Clamp::ReluSatFinite => word,
    }
}

#[inline(always)]
fn is_nan(ty: Format, word: u64) -> bool {
    let l = layout(ty);
    let magnitude = word & !l.sign;
    magnitude > l.infinity || (ty == Format::E4m3 && magnitude == l.infinity)
}

#[inline(always)]
fn compare<T: PartialOrd>(cmp: Cmp, [a, b, _]: [u64; 3], number: impl Fn(u64) -> T) -> u64 {
    let order = number(a).partial_cmp(&number(b));
    u64::from(match cmp {
        Cmp::Eq => order == Some(Ordering::Equal),
        Cmp::Lt => order == Some(Ordering::Less),
        Cmp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Cmp::Unordered => order.is_none(),
    })
}

/// The smaller or the larger operand (§9.7.3.11, §9.7.3.12): a number wins against a NaN unless `nan` is asked for, and -0 is less
/// than +0.
#[inline(always)]
fn extreme(max: bool, ty: Format, nan: bool, a: u64, b: u64) -> u64 {
    let l = layout(ty);
    match (is_nan(ty, a), is_nan(ty, b)) {
        (true, true) if ty == Format::F64 => return payload(a, [a, b, 0]),
        (true, true) => return l.nan,
        (true, _) | (_, true) if nan => return l.nan,
        (true, _) => return b,
        (_, true) => return a,
        _ => {}
    }
    // Numbers are in the order of these keys.
    let key = |x: u64| {
        if x & l.sign != 0 {
            l.sign.wrapping_sub(1 + (x & !l.sign))
        } else {
            x | l.sign
        }
    };
    if (key(a) > key(b)) == max { a } else { b }
}
