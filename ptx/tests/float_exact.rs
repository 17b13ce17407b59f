//! The float operations that run against exact integer arithmetic, against `rustc_apfloat`, and the approximate ones against the
//! error bounds of the manual.

mod exact;

use ptx::alg::float_op::{Approx, Arith, Clamp, FloatOp, Format, Round};
use ptx::alg::ieee::{evaluate, to_f64};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};

/// Pseudo-random words (xorshift64*), the same in every run.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A word of this width: any, an awkward one, or one near the last.
    fn word(&mut self, width: u32, last: u64) -> u64 {
        let mask = u64::MAX >> (64 - width);
        let r = self.next();
        let any = self.next();
        let top = 1 << (width - 1);
        (match r % 8 {
            0..=2 => any,
            // Around the ends of the exponents: all of its bits, or none, or those of 1.
            3 => (any & top) | (any % 3),
            4 => (any & top) | (u64::MAX >> 1 << (any % 24)),
            5 => any & (u64::MAX << (any % u64::from(width))),
            6 => last.wrapping_add(any % 7).wrapping_sub(3) ^ (any & top),
            // A few units below a power of two.
            _ => (1u64 << (any % u64::from(width))).wrapping_sub(r >> 60),
        }) & mask
    }

    fn args(&mut self, op: FloatOp) -> [u64; 3] {
        let mut args = [0; 3];
        let mut last = self.next();
        for (a, width) in args.iter_mut().zip(op.operands()) {
            *a = self.word(width, last);
            last = *a;
        }
        args
    }
}

/// Every operation that IEEE 754 or the manual defines, on pseudo-random words: a thousand each, or `FLOAT_ROUNDS`.
#[test]
fn exactly() {
    let rounds = std::env::var("FLOAT_ROUNDS").map_or(1_000, |n| n.parse().expect("a number"));
    let mut words = Words(0x9E37_79B9_7F4A_7C15);
    let mut checked = 0;
    for op in FloatOp::all() {
        for _ in 0..rounds {
            let args = words.args(*op);
            let Some(wanted) = exact::expected(*op, args) else {
                break;
            };
            let got = evaluate(*op, args);
            assert_eq!(
                got,
                wanted,
                "{} {args:#x?}: {got:#x}, not {wanted:#x}",
                op.field()
            );
            checked += 1;
        }
    }
    assert!(checked >= 500 * rounds, "only {checked}");
}

/// Conversions from formats of 8 and 16 bits, on every word.
#[test]
fn every_word() {
    for op in FloatOp::all() {
        if let FloatOp::Convert { from, .. } = op
            && from.width() <= 16
        {
            for word in 0..1 << from.width() {
                let args = [word, 0, 0];
                let (got, wanted) = (evaluate(*op, args), exact::expected(*op, args));
                assert_eq!(Some(got), wanted, "{} {word:#x}", op.field());
            }
        }
    }
}

/// What arithmetic gives in `rustc_apfloat`.
fn apfloat<F: Float>(op: Arith, round: Round, args: [u64; 3]) -> Option<(u64, bool)> {
    let [a, b, c] = args.map(|x| F::from_bits(u128::from(x)));
    let mode = match round {
        Round::Nearest => rustc_apfloat::Round::NearestTiesToEven,
        Round::Zero => rustc_apfloat::Round::TowardZero,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Up => rustc_apfloat::Round::TowardPositive,
        Round::Away => rustc_apfloat::Round::NearestTiesToAway,
    };
    let r = match op {
        Arith::Add => a.add_r(b, mode),
        Arith::Sub => a.sub_r(b, mode),
        Arith::Mul => a.mul_r(b, mode),
        Arith::Fma => a.mul_add_r(b, c, mode),
        Arith::Div => a.div_r(b, mode),
        Arith::Rcp | Arith::Sqrt => return None,
    };
    Some((r.value.to_bits() as u64, r.value.is_nan()))
}

#[test]
fn as_apfloat() {
    let mut words = Words(0xD1B5_4A32_D192_ED03);
    for op in FloatOp::all() {
        let FloatOp::Rounded {
            op: what,
            ty,
            round,
            ftz: false,
            clamp: Clamp::Unclamped,
        } = *op
        else {
            continue;
        };
        for _ in 0..1_000 {
            let args = words.args(*op);
            let wanted = match ty {
                Format::F16 => apfloat::<Half>(what, round, args),
                Format::Bf16 => apfloat::<BFloat>(what, round, args),
                Format::F32 => apfloat::<Single>(what, round, args),
                _ => apfloat::<Double>(what, round, args),
            };
            let got = evaluate(*op, args);
            match wanted {
                None => break,
                Some((_, true)) => assert!(to_f64(ty, got).is_nan(), "{} {args:#x?}", op.field()),
                Some((w, false)) => assert_eq!(got, w, "{} {args:#x?}", op.field()),
            }
        }
    }
}

/// The value that an approximate function should be near, and how near (ISA §9.7.3, §9.7.4): relative error, absolute error.
fn bound(op: Approx, ty: Format, a: f64, b: f64) -> Option<(f64, f64, f64)> {
    let ulps = |n: f64| n * 2f64.powi(-(ty.fraction() as i32));
    let relative = |y: f64, e: f64| Some((y, e, 0.0));
    match (op, ty) {
        (Approx::Div, _) if b.abs() < 2f64.powi(-126) || b.abs() > 2f64.powi(126) => None,
        (Approx::Div | Approx::DivFull, _) => relative(a / b, ulps(2.0)),
        (Approx::Rcp, Format::F64) => relative(1.0 / a, 2f64.powi(-20)),
        (Approx::Rcp, _) => relative(1.0 / a, ulps(1.0)),
        (Approx::Sqrt, _) => relative(a.sqrt(), 2f64.powi(-23)),
        (Approx::Rsqrt, Format::F64) => relative(1.0 / a.sqrt(), 2f64.powi(-20)),
        (Approx::Rsqrt, _) => relative(1.0 / a.sqrt(), 2f64.powf(-22.9)),
        (Approx::Ex2, Format::F16) => relative(a.exp2(), 2f64.powf(-9.9)),
        (Approx::Ex2, Format::Bf16) => relative(a.exp2(), 2f64.powi(-7)),
        (Approx::Ex2, _) => relative(a.exp2(), ulps(2.0)),
        (Approx::Lg2, _) if a > 0.5 && a < 2.0 => Some((a.log2(), 0.0, 2f64.powi(-22))),
        (Approx::Lg2, _) => relative(a.log2(), 2f64.powi(-22)),
        (Approx::Sin | Approx::Cos, _) => {
            let y = if op == Approx::Sin { a.sin() } else { a.cos() };
            let turns = a.abs() / std::f64::consts::TAU;
            match turns {
                t if t <= 1.0 => Some((y, 0.0, 2f64.powf(-20.5))),
                t if t <= 50.0 => Some((y, 0.0, 2f64.powf(-14.7))),
                _ => None,
            }
        }
        (Approx::Tanh, Format::F32) => relative(a.tanh(), 2f64.powi(-11)),
        (Approx::Tanh, Format::F16) => relative(a.tanh(), 2f64.powf(-10.987)),
        (Approx::Tanh, _) => relative(a.tanh(), 2f64.powi(-8)),
    }
}

#[test]
fn approximately() {
    let mut words = Words(0xA076_1D64_78BD_642F);
    let mut checked = 0;
    for op in FloatOp::all() {
        let FloatOp::Approx { op: what, ty, ftz } = *op else {
            continue;
        };
        let lowest = match ty {
            Format::F16 => 2f64.powi(-14),
            Format::F64 => 2f64.powi(-1022),
            _ => 2f64.powi(-126),
        };
        for _ in 0..20_000 {
            let args = words.args(*op);
            let [a, b, _] = args.map(|x| to_f64(ty, x));
            let subnormal = |x: f64| x != 0.0 && x.abs() < lowest;
            let Some((y, relative, absolute)) = bound(what, ty, a, b) else {
                continue;
            };
            let got = to_f64(ty, evaluate(*op, args));
            // The lowest numbers lie further apart, and may be flushed.
            if subnormal(a) || subnormal(b) || y.abs() < 2.0 * lowest {
                assert!(ftz || got.is_nan() == y.is_nan());
                continue;
            }
            if y.is_nan() || y.is_infinite() {
                assert!(got.is_nan() == y.is_nan() && got.is_infinite() == y.is_infinite());
                continue;
            }
            if got.is_infinite() {
                let largest = if ty == Format::F16 {
                    65504.0
                } else {
                    f64::from(f32::MAX)
                };
                assert!(
                    y.abs() > largest * (1.0 - relative),
                    "{} {args:#x?}",
                    op.field()
                );
                continue;
            }
            let error = (got - y).abs();
            assert!(
                error <= absolute.max(relative * y.abs()),
                "{} {args:#x?}: {got}, not {y}",
                op.field()
            );
            checked += 1;
        }
    }
    assert!(checked > 100_000, "only {checked}");
}
