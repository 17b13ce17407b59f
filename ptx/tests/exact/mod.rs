//! What float operations should give, by exact integer arithmetic: numbers are integers times powers of two, and a result is
//! rounded by comparing integers. Nothing here is shared with what it is compared with but the names of the operations.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};
use ptx::alg::float_op::{Arith, Clamp, Cmp, FloatOp, Format, Int, Round};

/// A number, exactly: `mag · 2^exp`, and less than one unit of `mag` more if `more`.
#[derive(Clone, Debug)]
pub struct Exact {
    negative: bool,
    mag: BigUint,
    exp: i64,
    more: bool,
}

#[derive(Clone, Debug)]
pub enum Value {
    Nan,
    Inf(bool),
    Num(Exact),
}

use Value::{Inf, Nan, Num};

fn zero(negative: bool) -> Value {
    Num(Exact {
        negative,
        mag: BigUint::zero(),
        exp: 0,
        more: false,
    })
}

/// Bits of exponent and of fraction, and of zeros below.
fn shape(ty: Format) -> (u32, u32, u32) {
    match ty {
        Format::F16 => (5, 10, 0),
        Format::Bf16 => (8, 7, 0),
        Format::Tf32 => (8, 10, 13),
        Format::F32 => (8, 23, 0),
        Format::F64 => (11, 52, 0),
        Format::E4m3 => (4, 3, 0),
        Format::E5m2 => (5, 2, 0),
    }
}

fn canonical(ty: Format) -> u64 {
    match ty {
        Format::F16 | Format::Bf16 => 0x7FFF,
        Format::Tf32 => 0x7FFF_E000,
        Format::F32 => 0x7FFF_FFFF,
        Format::F64 => 0x7FF8_0000_0000_0000,
        Format::E4m3 | Format::E5m2 => 0x7F,
    }
}

pub fn decode(ty: Format, bits: u64) -> Value {
    let (e, f, pad) = shape(ty);
    let bits = bits >> pad;
    let negative = bits >> (e + f) & 1 == 1;
    let field = bits >> f & ((1 << e) - 1);
    let fraction = bits & ((1 << f) - 1);
    let bias = (1i64 << (e - 1)) - 1;
    if ty == Format::E4m3 {
        if field == 15 && fraction == 7 {
            return Nan;
        }
    } else if field == (1 << e) - 1 {
        return if fraction == 0 { Inf(negative) } else { Nan };
    }
    let (mag, exp) = match field {
        0 => (fraction, 1 - bias - i64::from(f)),
        _ => (fraction + (1 << f), field as i64 - bias - i64::from(f)),
    };
    Num(Exact {
        negative,
        mag: mag.into(),
        exp,
        more: false,
    })
}

/// Whether to take the larger magnitude of two neighbours, where `rest` is how the number compares with their middle.
fn away(round: Round, negative: bool, exact: bool, odd: bool, rest: Ordering) -> bool {
    match round {
        Round::Nearest => rest == Ordering::Greater || (rest == Ordering::Equal && odd),
        Round::Away => rest != Ordering::Less,
        Round::Zero => false,
        Round::Down => negative && !exact,
        Round::Up => !negative && !exact,
    }
}

/// The integer below `mag · 2^exp / 2^at`, and that rounded.
fn to_unit(x: &Exact, at: i64, round: Round) -> BigUint {
    // Two bits more, so that `more` is a bit and there is a middle.
    let mag = (&x.mag << 2u32) + u32::from(x.more);
    let exp = x.exp - 2;
    if exp >= at {
        return mag << (exp - at) as u64;
    }
    let cut = (at - exp) as u64;
    let n = &mag >> cut;
    let rest = &mag - (&n << cut);
    let half = BigUint::one() << (cut - 1);
    let odd = n.bit(0);
    if away(round, x.negative, rest.is_zero(), odd, rest.cmp(&half)) {
        n + 1u32
    } else {
        n
    }
}

/// A value as a word; what overflows, as the rounding says, or as the largest number.
pub fn encode(ty: Format, round: Round, finite: bool, v: &Value) -> u64 {
    let (e, f, pad) = shape(ty);
    let sign = |negative: bool| u64::from(negative) << (e + f + pad);
    let top = match ty {
        Format::E4m3 => 0x7F,
        _ => ((1u64 << e) - 1) << f,
    };
    let x = match v {
        Nan => return canonical(ty),
        Inf(n) => return sign(*n) | (top - u64::from(finite)) << pad,
        Num(x) => x,
    };
    if x.mag.is_zero() && !x.more {
        return sign(x.negative);
    }
    let lowest = 1 - ((1i64 << (e - 1)) - 1) - i64::from(f);
    let mut unit = (x.mag.bits() as i64 + x.exp - i64::from(f) - 1).max(lowest);
    let mut n = to_unit(x, unit, round);
    if n.bits() > u64::from(f) + 1 {
        n >>= 1u32;
        unit += 1;
    }
    let n = u64::try_from(n).expect("few bits");
    let field = if n < 1 << f {
        n
    } else {
        ((unit - lowest + 1) as u64) << f | (n - (1 << f))
    };
    let outward = match round {
        Round::Nearest | Round::Away => true,
        Round::Zero => false,
        Round::Down => x.negative,
        Round::Up => !x.negative,
    };
    let field = match field >= top {
        false => field,
        true if finite || !outward => top - 1,
        true => top,
    };
    sign(x.negative) | field << pad
}

fn signed(x: &Exact, at: i64) -> BigInt {
    let sign = if x.negative { Sign::Minus } else { Sign::Plus };
    BigInt::from_biguint(sign, &x.mag << (x.exp - at) as u64)
}

fn add(a: &Value, b: &Value, round: Round) -> Value {
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Inf(x), Inf(y)) if x != y => Nan,
        (Inf(x), _) | (_, Inf(x)) => Inf(*x),
        (Num(x), Num(y)) => {
            let exp = x.exp.min(y.exp);
            let sum = signed(x, exp) + signed(y, exp);
            if sum.is_zero() {
                // The sign of both, or that of the rounding.
                let same = x.negative == y.negative;
                return zero(if same {
                    x.negative
                } else {
                    round == Round::Down
                });
            }
            Num(Exact {
                negative: sum.sign() == Sign::Minus,
                mag: sum.magnitude().clone(),
                exp,
                more: false,
            })
        }
    }
}

fn negate(a: &Value) -> Value {
    match a {
        Nan => Nan,
        Inf(n) => Inf(!n),
        Num(x) => Num(Exact {
            negative: !x.negative,
            ..x.clone()
        }),
    }
}

fn is_zero(x: &Exact) -> bool {
    x.mag.is_zero()
}

fn mul(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Inf(_), Num(x)) | (Num(x), Inf(_)) if is_zero(x) => Nan,
        (Inf(n), Num(x)) | (Num(x), Inf(n)) => Inf(*n != x.negative),
        (Inf(n), Inf(m)) => Inf(n != m),
        (Num(x), Num(y)) => Num(Exact {
            negative: x.negative != y.negative,
            mag: &x.mag * &y.mag,
            exp: x.exp + y.exp,
            more: false,
        }),
    }
}

fn div(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Nan, _) | (_, Nan) | (Inf(_), Inf(_)) => Nan,
        (Num(x), Num(y)) if is_zero(x) && is_zero(y) => Nan,
        (Inf(n), Num(x)) => Inf(*n != x.negative),
        (Num(x), Inf(n)) => zero(x.negative != *n),
        (Num(x), Num(y)) if is_zero(y) => Inf(x.negative != y.negative),
        (Num(x), Num(y)) => {
            let shifted = &x.mag << 200u32;
            let q = &shifted / &y.mag;
            let more = &q * &y.mag != shifted;
            Num(Exact {
                negative: x.negative != y.negative,
                mag: q,
                exp: x.exp - 200 - y.exp,
                more,
            })
        }
    }
}

fn sqrt(a: &Value) -> Value {
    match a {
        Nan | Inf(true) => Nan,
        Inf(false) => Inf(false),
        Num(x) if is_zero(x) => Num(x.clone()),
        Num(x) if x.negative => Nan,
        Num(x) => {
            let shift = 200 + x.exp.rem_euclid(2);
            let shifted = &x.mag << shift as u64;
            let r = shifted.sqrt();
            let more = &r * &r != shifted;
            Num(Exact {
                negative: false,
                mag: r,
                exp: (x.exp - shift) / 2,
                more,
            })
        }
    }
}

fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    Some(match (a, b) {
        (Nan, _) | (_, Nan) => return None,
        (Inf(n), Inf(m)) => m.cmp(n),
        (Inf(n), _) if *n => Ordering::Less,
        (Inf(_), _) => Ordering::Greater,
        (_, Inf(n)) if *n => Ordering::Greater,
        (_, Inf(_)) => Ordering::Less,
        (Num(x), Num(y)) => {
            let exp = x.exp.min(y.exp);
            signed(x, exp).cmp(&signed(y, exp))
        }
    })
}

/// A zero of the same sign instead of a subnormal word.
fn flush(ty: Format, ftz: bool, bits: u64) -> u64 {
    let (e, f, pad) = shape(ty);
    if ftz && bits >> (f + pad) & ((1 << e) - 1) == 0 {
        bits & 1 << (e + f + pad)
    } else {
        bits
    }
}

fn one() -> Value {
    Num(Exact {
        negative: false,
        mag: BigUint::one(),
        exp: 0,
        more: false,
    })
}

fn finish(ty: Format, round: Round, ftz: bool, clamp: Clamp, v: &Value) -> u64 {
    let finite = matches!(clamp, Clamp::SatFinite | Clamp::ReluSatFinite);
    let word = flush(ty, ftz, encode(ty, round, finite, v));
    let back = decode(ty, word);
    let negative = match &back {
        Nan => false,
        Inf(n) => *n,
        Num(x) => x.negative,
    };
    match (clamp, &back) {
        (Clamp::Sat, Nan) => 0,
        (Clamp::Sat, _) if negative => 0,
        (Clamp::Sat, v) if compare(v, &one()) == Some(Ordering::Greater) => {
            encode(ty, Round::Nearest, false, &one())
        }
        (Clamp::Relu | Clamp::ReluSatFinite, _) if negative => 0,
        _ => word,
    }
}

/// An integral value, rounded.
fn integral(v: &Value, round: Round) -> Value {
    match v {
        Num(x) => Num(Exact {
            negative: x.negative,
            mag: to_unit(x, 0, round),
            exp: 0,
            more: false,
        }),
        _ => v.clone(),
    }
}

/// The first NaN among words of `f64`, made quiet.
fn payload(args: &[u64]) -> u64 {
    let nan = args
        .iter()
        .find(|x| matches!(decode(Format::F64, **x), Nan));
    nan.map_or(canonical(Format::F64), |x| x | 1 << 51)
}

/// The result of an operation; none of those that IEEE 754 does not define.
pub fn expected(op: FloatOp, args: [u64; 3]) -> Option<u64> {
    Some(match op {
        FloatOp::Rounded {
            op,
            ty,
            round,
            ftz,
            clamp,
        } => {
            let words = args.map(|x| flush(ty, ftz, x));
            let [a, b, c] = words.map(|x| decode(ty, x));
            let (v, n) = match op {
                Arith::Add => (add(&a, &b, round), 2),
                Arith::Sub => (add(&a, &negate(&b), round), 2),
                Arith::Mul => (mul(&a, &b), 2),
                Arith::Fma => (add(&mul(&a, &b), &c, round), 3),
                Arith::Div => (div(&a, &b), 2),
                Arith::Rcp => (div(&one(), &a), 1),
                Arith::Sqrt => (sqrt(&a), 1),
            };
            if ty == Format::F64 && matches!(v, Nan) {
                return Some(payload(&words[..n]));
            }
            finish(ty, round, ftz, clamp, &v)
        }
        FloatOp::Extreme { max, ty, ftz, nan } => {
            let words = [args[0], args[1]].map(|x| flush(ty, ftz, x));
            let [a, b] = words.map(|x| decode(ty, x));
            let wanted = if max {
                Ordering::Greater
            } else {
                Ordering::Less
            };
            let quiet = if ty == Format::F64 {
                payload(&words)
            } else {
                canonical(ty)
            };
            match (&a, &b) {
                (Nan, Nan) => quiet,
                (Nan, _) | (_, Nan) if nan => quiet,
                (Nan, _) => words[1],
                (_, Nan) => words[0],
                _ => match compare(&a, &b).expect("numbers") {
                    // Zeros of different sign, or the same word.
                    Ordering::Equal if max => words[0].min(words[1]),
                    Ordering::Equal => words[0].max(words[1]),
                    o if o == wanted => words[0],
                    _ => words[1],
                },
            }
        }
        FloatOp::Compare { cmp, ty, ftz } => {
            let [a, b] = [args[0], args[1]].map(|x| decode(ty, flush(ty, ftz, x)));
            let o = compare(&a, &b);
            u64::from(match cmp {
                Cmp::Eq => o == Some(Ordering::Equal),
                Cmp::Lt => o == Some(Ordering::Less),
                Cmp::Le => matches!(o, Some(Ordering::Less | Ordering::Equal)),
                Cmp::Unordered => o.is_none(),
            })
        }
        FloatOp::Convert {
            to,
            from,
            round,
            ftz,
            clamp,
        } => {
            let v = decode(from, flush(from, ftz && from == Format::F32, args[0]));
            // Without a rounding every number is one of the result's.
            let round = round.unwrap_or(Round::Zero);
            finish(to, round, ftz && to == Format::F32, clamp, &v)
        }
        FloatOp::Integral { ty, round, ftz } => {
            let v = integral(&decode(ty, flush(ty, ftz, args[0])), round);
            encode(ty, Round::Zero, false, &v)
        }
        FloatOp::FromInt { to, from, round } => {
            let value = of_int(from, args[0]);
            let v = Num(Exact {
                negative: value.sign() == Sign::Minus,
                mag: value.magnitude().clone(),
                exp: 0,
                more: false,
            });
            encode(to, round, false, &v)
        }
        FloatOp::ToInt {
            to,
            from,
            round,
            ftz,
        } => {
            let half = BigInt::one() << (to.width - 1);
            let (least, most) = if to.signed {
                (-half.clone(), half.clone() - 1)
            } else {
                (BigInt::zero(), half.clone() * 2 - 1)
            };
            let value = match integral(&decode(from, flush(from, ftz, args[0])), round) {
                Nan if from == Format::F64 || to.width == 64 => half,
                Nan => BigInt::zero(),
                Inf(true) => least,
                Inf(false) => most,
                Num(x) => signed(&x, 0).clamp(least, most),
            };
            let modulus = BigInt::one() << to.width;
            u64::try_from(((value % &modulus) + &modulus) % &modulus).expect("a word")
        }
        FloatOp::Approx { .. } | FloatOp::DivZero(_) | FloatOp::RemZero(_) => return None,
    })
}

fn of_int(ty: Int, word: u64) -> BigInt {
    let value = BigInt::from(word);
    if ty.signed && word >> (ty.width - 1) & 1 == 1 {
        value - (BigInt::one() << ty.width)
    } else {
        value
    }
}
