//! The list of float operations that the opcode table uses, made from tables.

use super::float_op::Clamp::{Relu, ReluSatFinite, Sat, SatFinite, Unclamped};
use super::float_op::Format::{Bf16, E4m3, E5m2, F16, F32, F64, Tf32};
use super::float_op::Round::{Away, Down, Nearest, Up, Zero};
use super::float_op::{Approx, Arith, Cmp, FloatOp, Format, INTS, Round};

/// The directed roundings and to nearest even.
const ROUNDS: [Round; 4] = [Nearest, Zero, Down, Up];

/// Formats with their `.ftz` variants, where the manual has those.
const WITH_FTZ: [(Format, bool); 6] = [
    (F16, false),
    (F16, true),
    (Bf16, false),
    (F32, false),
    (F32, true),
    (F64, false),
];

/// The list of fields.
pub(super) fn list() -> Vec<FloatOp> {
    let mut all = Vec::new();
    arithmetic(&mut all);
    approximate(&mut all);
    for max in [false, true] {
        for (ty, ftz) in WITH_FTZ {
            let nans: &[bool] = if ty == F64 { &[false] } else { &[false, true] };
            all.extend(
                nans.iter()
                    .map(|&nan| FloatOp::Extreme { max, ty, ftz, nan }),
            );
        }
    }
    for cmp in [Cmp::Eq, Cmp::Lt, Cmp::Le, Cmp::Unordered] {
        all.extend(WITH_FTZ.map(|(ty, ftz)| FloatOp::Compare { cmp, ty, ftz }));
    }
    for (ty, ftz) in WITH_FTZ.into_iter().filter(|x| *x != (F16, true)) {
        all.extend(ROUNDS.map(|round| FloatOp::Integral { ty, round, ftz }));
    }
    integers(&mut all);
    formats(&mut all);
    let divided = INTS.into_iter().filter(|i| i.width > 8);
    all.extend(divided.clone().map(FloatOp::DivZero));
    all.extend(divided.map(FloatOp::RemZero));
    all
}

/// `add`, `sub`, `mul`, `fma`, `div`, `rcp`, `sqrt`.
fn arithmetic(all: &mut Vec<FloatOp>) {
    use Arith::{Add, Div, Fma, Mul, Rcp, Sqrt, Sub};
    let mut push = |op, ty, round, ftz, clamp| {
        all.push(FloatOp::Rounded {
            op,
            ty,
            round,
            ftz,
            clamp,
        });
    };
    for op in [Add, Sub, Mul, Fma] {
        for round in ROUNDS {
            for (ftz, clamp) in [
                (false, Unclamped),
                (true, Unclamped),
                (false, Sat),
                (true, Sat),
            ] {
                push(op, F32, round, ftz, clamp);
            }
            push(op, F64, round, false, Unclamped);
        }
        for (ftz, clamp) in [
            (false, Unclamped),
            (true, Unclamped),
            (false, Sat),
            (true, Sat),
        ] {
            push(op, F16, Nearest, ftz, clamp);
        }
        push(op, Bf16, Nearest, false, Unclamped);
    }
    push(Fma, F16, Nearest, false, Relu);
    push(Fma, F16, Nearest, true, Relu);
    push(Fma, Bf16, Nearest, false, Relu);
    for op in [Div, Rcp, Sqrt] {
        for round in ROUNDS {
            push(op, F32, round, false, Unclamped);
            push(op, F32, round, true, Unclamped);
            push(op, F64, round, false, Unclamped);
        }
    }
}

/// The approximate functions.
fn approximate(all: &mut Vec<FloatOp>) {
    use Approx::{Cos, Div, DivFull, Ex2, Lg2, Rcp, Rsqrt, Sin, Sqrt, Tanh};
    let mut push = |op, ty, ftz| all.push(FloatOp::Approx { op, ty, ftz });
    for op in [Div, DivFull, Rcp, Sqrt, Rsqrt, Ex2, Lg2, Sin, Cos] {
        push(op, F32, false);
        push(op, F32, true);
    }
    push(Rcp, F64, true);
    push(Rsqrt, F64, false);
    push(Rsqrt, F64, true);
    push(Tanh, F32, false);
    push(Tanh, F16, false);
    push(Tanh, Bf16, false);
    push(Ex2, F16, false);
    push(Ex2, Bf16, true);
}

/// Conversions between integers and floating-point numbers.
fn integers(all: &mut Vec<FloatOp>) {
    // A narrower integer converts as the wider one of the same value.
    let wide = INTS.into_iter().filter(|i| i.width >= 32);
    for to in [F16, Bf16, F32, F64] {
        for from in wide.clone() {
            all.extend(ROUNDS.map(|round| FloatOp::FromInt { to, from, round }));
        }
    }
    for (from, ftz) in WITH_FTZ.into_iter().filter(|x| *x != (F16, true)) {
        for to in INTS {
            all.extend(ROUNDS.map(|round| FloatOp::ToInt {
                to,
                from,
                round,
                ftz,
            }));
        }
    }
}

/// Conversions between formats.
fn formats(all: &mut Vec<FloatOp>) {
    let mut push = |to, from, round: Option<Round>, ftz, clamp| {
        all.push(FloatOp::Convert {
            to,
            from,
            round,
            ftz,
            clamp,
        });
    };
    // To a format that has every number of the other.
    for (to, from) in [(F32, F16), (F32, Bf16), (F64, F32)] {
        push(to, from, None, false, Unclamped);
        push(to, from, None, true, Unclamped);
    }
    push(F64, F16, None, false, Unclamped);
    push(F64, Bf16, None, false, Unclamped);
    // Within `f32`: what the modifiers do alone.
    for (ftz, clamp) in [(true, Unclamped), (false, Sat), (true, Sat)] {
        push(F32, F32, None, ftz, clamp);
    }
    for round in ROUNDS {
        for (to, from) in [(F16, F32), (F32, F64)] {
            for (ftz, clamp) in [
                (false, Unclamped),
                (true, Unclamped),
                (false, Sat),
                (true, Sat),
            ] {
                push(to, from, Some(round), ftz, clamp);
            }
        }
        for (to, from) in [
            (Bf16, F32),
            (F16, F64),
            (Bf16, F64),
            (F16, Bf16),
            (Bf16, F16),
        ] {
            push(to, from, Some(round), false, Unclamped);
        }
    }
    for to in [F16, Bf16] {
        for round in [Nearest, Zero] {
            for clamp in [Relu, SatFinite, ReluSatFinite] {
                push(to, F32, Some(round), false, clamp);
            }
        }
    }
    push(Tf32, F32, Some(Away), false, Unclamped);
    push(Tf32, F32, Some(Away), false, SatFinite);
    for round in [Nearest, Zero] {
        for clamp in [Unclamped, Relu, SatFinite, ReluSatFinite] {
            push(Tf32, F32, Some(round), false, clamp);
        }
    }
    for eight in [E4m3, E5m2] {
        for clamp in [SatFinite, ReluSatFinite] {
            push(eight, F32, Some(Nearest), false, clamp);
            push(eight, F16, Some(Nearest), false, clamp);
        }
        push(F16, eight, Some(Nearest), false, Unclamped);
        push(F16, eight, Some(Nearest), false, Relu);
    }
}
