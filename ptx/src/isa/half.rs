//! Floating-point arithmetic of `f16` and `bf16`, alone and in pairs (ISA §9.7.4).
//!
//! A packed instruction is two operations on halves.

use std::marker::PhantomData;

use super::floats::{Sign, approx, extreme, extreme_magnitude, rounded, signs};
use super::{Row, Shape, Slot};
use crate::alg::WordAlg;
use crate::alg::float_op::{Approx, Arith};

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

const RN: Slot = ("rnd", &["rn"]);
const F16: Slot = ("type", &["f16", "f16x2"]);
const BF16: Slot = ("type", &["bf16", "bf16x2"]);
const BOTH: Slot = ("type", &["f16", "f16x2", "bf16", "bf16x2"]);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "add{.rnd}{.ftz}{.sat}.type d:type, a:type, b:type",
            slots: &[RN, F16],
            section: "9.7.4.1 add",
            says: "d = a + b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Add, x)),
        },
        Row {
            syntax: "add{.rnd}.type d:type, a:type, b:type",
            slots: &[RN, BF16],
            section: "9.7.4.1 add",
            says: "d = a + b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Add, x)),
        },
        Row {
            syntax: "sub{.rnd}{.ftz}{.sat}.type d:type, a:type, b:type",
            slots: &[RN, F16],
            section: "9.7.4.2 sub",
            says: "d = a - b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Sub, x)),
        },
        Row {
            syntax: "sub{.rnd}.type d:type, a:type, b:type",
            slots: &[RN, BF16],
            section: "9.7.4.2 sub",
            says: "d = a - b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Sub, x)),
        },
        Row {
            syntax: "mul{.rnd}{.ftz}{.sat}.type d:type, a:type, b:type",
            slots: &[RN, F16],
            section: "9.7.4.3 mul",
            says: "d = a * b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Mul, x)),
        },
        Row {
            syntax: "mul{.rnd}.type d:type, a:type, b:type",
            slots: &[RN, BF16],
            section: "9.7.4.3 mul",
            says: "d = a * b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Mul, x)),
        },
        Row {
            syntax: "fma.rnd{.ftz}{.sat}.type d:type, a:type, b:type, c:type",
            slots: &[RN, F16],
            section: "9.7.4.4 fma",
            says: "d = a * b + c, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Fma, x)),
        },
        Row {
            syntax: "fma.rnd{.ftz}.relu.type d:type, a:type, b:type, c:type",
            slots: &[RN, ("relu", &["relu"]), F16],
            section: "9.7.4.4 fma",
            says: "d = a * b + c, rounded once, 0 if negative",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Fma, x)),
        },
        Row {
            syntax: "fma.rnd{.relu}.type d:type, a:type, b:type, c:type",
            slots: &[RN, BF16],
            section: "9.7.4.4 fma",
            says: "d = a * b + c, rounded once; with .relu, 0 if negative",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Fma, x)),
        },
        Row {
            syntax: "neg{.ftz}.type d:type, a:type",
            slots: &[F16],
            section: "9.7.4.5 neg",
            says: "d = a with the opposite sign",
            shape: Shape::Alu(|w, f, x| signs(w, f, Sign::Flip, x)),
        },
        Row {
            syntax: "neg.type d:type, a:type",
            slots: &[BF16],
            section: "9.7.4.5 neg",
            says: "d = a with the opposite sign",
            shape: Shape::Alu(|w, f, x| signs(w, f, Sign::Flip, x)),
        },
        Row {
            syntax: "abs{.ftz}.type d:type, a:type",
            slots: &[F16],
            section: "9.7.4.6 abs",
            says: "d = a without its sign",
            shape: Shape::Alu(|w, f, x| signs(w, f, Sign::Clear, x)),
        },
        Row {
            syntax: "abs.type d:type, a:type",
            slots: &[BF16],
            section: "9.7.4.6 abs",
            says: "d = a without its sign",
            shape: Shape::Alu(|w, f, x| signs(w, f, Sign::Clear, x)),
        },
        Row {
            syntax: "min{.ftz}{.NaN}.type d:type, a:type, b:type",
            slots: &[F16],
            section: "9.7.4.7 min",
            says: "d = the smaller of a and b; a number wins against a NaN, unless .NaN",
            shape: Shape::Float(|w, f, x| extreme(w, f, false, x)),
        },
        Row {
            syntax: "min{.NaN}.type d:type, a:type, b:type",
            slots: &[BF16],
            section: "9.7.4.7 min",
            says: "d = the smaller of a and b; a number wins against a NaN, unless .NaN",
            shape: Shape::Float(|w, f, x| extreme(w, f, false, x)),
        },
        Row {
            syntax: "min{.ftz}{.NaN}.xorsign.abs.type d:type, a:type, b:type",
            slots: &[F16],
            section: "9.7.4.7 min",
            says: "d = the smaller magnitude, with the product of the signs",
            shape: Shape::Float(|w, f, x| extreme_magnitude(w, f, false, x)),
        },
        Row {
            syntax: "min{.NaN}.xorsign.abs.type d:type, a:type, b:type",
            slots: &[BF16],
            section: "9.7.4.7 min",
            says: "d = the smaller magnitude, with the product of the signs",
            shape: Shape::Float(|w, f, x| extreme_magnitude(w, f, false, x)),
        },
        Row {
            syntax: "max{.ftz}{.NaN}.type d:type, a:type, b:type",
            slots: &[F16],
            section: "9.7.4.8 max",
            says: "d = the larger of a and b; a number wins against a NaN, unless .NaN",
            shape: Shape::Float(|w, f, x| extreme(w, f, true, x)),
        },
        Row {
            syntax: "max{.NaN}.type d:type, a:type, b:type",
            slots: &[BF16],
            section: "9.7.4.8 max",
            says: "d = the larger of a and b; a number wins against a NaN, unless .NaN",
            shape: Shape::Float(|w, f, x| extreme(w, f, true, x)),
        },
        Row {
            syntax: "max{.ftz}{.NaN}.xorsign.abs.type d:type, a:type, b:type",
            slots: &[F16],
            section: "9.7.4.8 max",
            says: "d = the larger magnitude, with the product of the signs",
            shape: Shape::Float(|w, f, x| extreme_magnitude(w, f, true, x)),
        },
        Row {
            syntax: "max{.NaN}.xorsign.abs.type d:type, a:type, b:type",
            slots: &[BF16],
            section: "9.7.4.8 max",
            says: "d = the larger magnitude, with the product of the signs",
            shape: Shape::Float(|w, f, x| extreme_magnitude(w, f, true, x)),
        },
        Row {
            syntax: "tanh.approx.type d:type, a:type",
            slots: &[BOTH],
            section: "9.7.4.9 tanh",
            says: "d = the hyperbolic tangent of a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Tanh, x)),
        },
        Row {
            syntax: "ex2.approx.type d:type, a:type",
            slots: &[F16],
            section: "9.7.4.10 ex2",
            says: "d = 2 to the power of a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Ex2, x)),
        },
        Row {
            syntax: "ex2.approx.ftz.type d:type, a:type",
            slots: &[("ftz", &["ftz"]), BF16],
            section: "9.7.4.10 ex2",
            says: "d = 2 to the power of a, approximately; subnormal numbers count as 0",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Ex2, x)),
        },
    ];
}
