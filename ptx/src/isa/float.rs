//! Floating-point arithmetic of `f32` and `f64` (ISA §9.7.3).
//!
//! Operations are fields of `FloatOps`, of which nothing is assumed; what only moves or reads the bits (`neg`, `abs`,
//! `copysign`, `testp`) is written with the bits. (Of a NaN the manual leaves open which NaN `neg.f32` and `abs.f32` give; here
//! they change its sign alone, as for `f64`.)
//!
//! Without a rounding modifier `add`, `sub` and `mul` round to nearest even; but see [`Form::may_fuse`](super::Form::may_fuse).

use std::marker::PhantomData;

use super::floats::{
    Sign, approx, extreme, extreme_magnitude, gross, rounded, sign_masks, signs, testp,
};
use super::{Row, Shape, Slot};
use crate::alg::WordAlg;
use crate::alg::float_op::{Approx, Arith};

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

pub(super) const RND: Slot = ("rnd", &["rn", "rz", "rm", "rp"]);
pub(super) const F32: Slot = ("type", &["f32"]);
pub(super) const F64: Slot = ("type", &["f64"]);
const BOTH: Slot = ("type", &["f32", "f64"]);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "testp.op.type p:pred, a:type",
            slots: &[
                (
                    "op",
                    &[
                        "finite",
                        "infinite",
                        "number",
                        "notanumber",
                        "normal",
                        "subnormal",
                    ],
                ),
                BOTH,
            ],
            section: "9.7.3.1 testp",
            says: "p = whether a is of this class; zeros are normal",
            shape: Shape::Alu(testp),
        },
        Row {
            syntax: "copysign.type d:type, a:type, b:type",
            slots: &[BOTH],
            section: "9.7.3.2 copysign",
            says: "d = b with the sign of a",
            shape: Shape::Alu(|w, f, x| {
                let (sign, rest) = sign_masks(w, f.width());
                let (s, m) = (w.and(&x[0], &sign), w.and(&x[1], &rest));
                w.or(&s, &m)
            }),
        },
        Row {
            syntax: "add{.rnd}{.ftz}{.sat}.type d:type, a:type, b:type",
            slots: &[RND, F32],
            section: "9.7.3.3 add",
            says: "d = a + b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Add, x)),
        },
        Row {
            syntax: "add{.rnd}.type d:type, a:type, b:type",
            slots: &[RND, F64],
            section: "9.7.3.3 add",
            says: "d = a + b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Add, x)),
        },
        Row {
            syntax: "sub{.rnd}{.ftz}{.sat}.type d:type, a:type, b:type",
            slots: &[RND, F32],
            section: "9.7.3.4 sub",
            says: "d = a - b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Sub, x)),
        },
        Row {
            syntax: "sub{.rnd}.type d:type, a:type, b:type",
            slots: &[RND, F64],
            section: "9.7.3.4 sub",
            says: "d = a - b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Sub, x)),
        },
        Row {
            syntax: "mul{.rnd}{.ftz}{.sat}.type d:type, a:type, b:type",
            slots: &[RND, F32],
            section: "9.7.3.5 mul",
            says: "d = a * b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Mul, x)),
        },
        Row {
            syntax: "mul{.rnd}.type d:type, a:type, b:type",
            slots: &[RND, F64],
            section: "9.7.3.5 mul",
            says: "d = a * b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Mul, x)),
        },
        Row {
            syntax: "fma.rnd{.ftz}{.sat}.type d:type, a:type, b:type, c:type",
            slots: &[RND, F32],
            section: "9.7.3.6 fma",
            says: "d = a * b + c, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Fma, x)),
        },
        Row {
            syntax: "fma.rnd.type d:type, a:type, b:type, c:type",
            slots: &[RND, F64],
            section: "9.7.3.6 fma",
            says: "d = a * b + c, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Fma, x)),
        },
        Row {
            syntax: "mad.rnd{.ftz}{.sat}.type d:type, a:type, b:type, c:type",
            slots: &[RND, F32],
            section: "9.7.3.7 mad",
            says: "the same as fma",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Fma, x)),
        },
        Row {
            syntax: "mad.rnd.type d:type, a:type, b:type, c:type",
            slots: &[RND, F64],
            section: "9.7.3.7 mad",
            says: "the same as fma",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Fma, x)),
        },
        Row {
            syntax: "div.rnd{.ftz}.type d:type, a:type, b:type",
            slots: &[RND, F32],
            section: "9.7.3.8 div",
            says: "d = a / b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Div, x)),
        },
        Row {
            syntax: "div.rnd.type d:type, a:type, b:type",
            slots: &[RND, F64],
            section: "9.7.3.8 div",
            says: "d = a / b, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Div, x)),
        },
        Row {
            syntax: "div.approx{.ftz}.type d:type, a:type, b:type",
            slots: &[F32],
            section: "9.7.3.8 div",
            says: "d = a / b, approximately; 0 for large b",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Div, x)),
        },
        Row {
            syntax: "div.full{.ftz}.type d:type, a:type, b:type",
            slots: &[F32],
            section: "9.7.3.8 div",
            says: "d = a / b, approximately, for all b",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::DivFull, x)),
        },
        Row {
            syntax: "abs{.ftz}.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.9 abs",
            says: "d = a without its sign",
            shape: Shape::Alu(|w, f, x| signs(w, f, Sign::Clear, x)),
        },
        Row {
            syntax: "abs.type d:type, a:type",
            slots: &[F64],
            section: "9.7.3.9 abs",
            says: "d = a without its sign",
            shape: Shape::Alu(|w, f, x| signs(w, f, Sign::Clear, x)),
        },
        Row {
            syntax: "neg{.ftz}.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.10 neg",
            says: "d = a with the opposite sign",
            shape: Shape::Alu(|w, f, x| signs(w, f, Sign::Flip, x)),
        },
        Row {
            syntax: "neg.type d:type, a:type",
            slots: &[F64],
            section: "9.7.3.10 neg",
            says: "d = a with the opposite sign",
            shape: Shape::Alu(|w, f, x| signs(w, f, Sign::Flip, x)),
        },
        Row {
            syntax: "min{.ftz}{.NaN}.type d:type, a:type, b:type",
            slots: &[F32],
            section: "9.7.3.11 min",
            says: "d = the smaller of a and b; a number wins against a NaN, unless .NaN",
            shape: Shape::Float(|w, f, x| extreme(w, f, false, x)),
        },
        Row {
            syntax: "min{.ftz}{.NaN}.xorsign.abs.type d:type, a:type, b:type",
            slots: &[F32],
            section: "9.7.3.11 min",
            says: "d = the smaller magnitude, with the product of the signs",
            shape: Shape::Float(|w, f, x| extreme_magnitude(w, f, false, x)),
        },
        Row {
            syntax: "min.type d:type, a:type, b:type",
            slots: &[F64],
            section: "9.7.3.11 min",
            says: "d = the smaller of a and b; a number wins against a NaN",
            shape: Shape::Float(|w, f, x| extreme(w, f, false, x)),
        },
        Row {
            syntax: "max{.ftz}{.NaN}.type d:type, a:type, b:type",
            slots: &[F32],
            section: "9.7.3.12 max",
            says: "d = the larger of a and b; a number wins against a NaN, unless .NaN",
            shape: Shape::Float(|w, f, x| extreme(w, f, true, x)),
        },
        Row {
            syntax: "max{.ftz}{.NaN}.xorsign.abs.type d:type, a:type, b:type",
            slots: &[F32],
            section: "9.7.3.12 max",
            says: "d = the larger magnitude, with the product of the signs",
            shape: Shape::Float(|w, f, x| extreme_magnitude(w, f, true, x)),
        },
        Row {
            syntax: "max.type d:type, a:type, b:type",
            slots: &[F64],
            section: "9.7.3.12 max",
            says: "d = the larger of a and b; a number wins against a NaN",
            shape: Shape::Float(|w, f, x| extreme(w, f, true, x)),
        },
        Row {
            syntax: "rcp.rnd{.ftz}.type d:type, a:type",
            slots: &[RND, F32],
            section: "9.7.3.13 rcp",
            says: "d = 1 / a, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Rcp, x)),
        },
        Row {
            syntax: "rcp.rnd.type d:type, a:type",
            slots: &[RND, F64],
            section: "9.7.3.13 rcp",
            says: "d = 1 / a, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Rcp, x)),
        },
        Row {
            syntax: "rcp.approx{.ftz}.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.13 rcp",
            says: "d = 1 / a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Rcp, x)),
        },
        Row {
            syntax: "rcp.approx.ftz.f64 d:f64, a:f64",
            slots: &[],
            section: "9.7.3.14 rcp.approx.ftz.f64",
            says: "d = 1 / a, approximately: the upper half of the word, from that of a",
            shape: Shape::Float(|w, _, x| gross(w, Approx::Rcp, x)),
        },
        Row {
            syntax: "sqrt.rnd{.ftz}.type d:type, a:type",
            slots: &[RND, F32],
            section: "9.7.3.15 sqrt",
            says: "d = the square root of a, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Sqrt, x)),
        },
        Row {
            syntax: "sqrt.rnd.type d:type, a:type",
            slots: &[RND, F64],
            section: "9.7.3.15 sqrt",
            says: "d = the square root of a, rounded once",
            shape: Shape::Float(|w, f, x| rounded(w, f, Arith::Sqrt, x)),
        },
        Row {
            syntax: "sqrt.approx{.ftz}.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.15 sqrt",
            says: "d = the square root of a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Sqrt, x)),
        },
        Row {
            syntax: "rsqrt.approx{.ftz}.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.16 rsqrt",
            says: "d = 1 / the square root of a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Rsqrt, x)),
        },
        Row {
            syntax: "rsqrt.approx.type d:type, a:type",
            slots: &[F64],
            section: "9.7.3.16 rsqrt",
            says: "d = 1 / the square root of a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Rsqrt, x)),
        },
        Row {
            syntax: "rsqrt.approx.ftz.f64 d:f64, a:f64",
            slots: &[],
            section: "9.7.3.17 rsqrt.approx.ftz.f64",
            says: "d = 1 / the square root of a, approximately: the upper half of the word, from that of a",
            shape: Shape::Float(|w, _, x| gross(w, Approx::Rsqrt, x)),
        },
        Row {
            syntax: "sin.approx{.ftz}.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.18 sin",
            says: "d = the sine of a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Sin, x)),
        },
        Row {
            syntax: "cos.approx{.ftz}.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.19 cos",
            says: "d = the cosine of a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Cos, x)),
        },
        Row {
            syntax: "lg2.approx{.ftz}.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.20 lg2",
            says: "d = the logarithm of a to base 2, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Lg2, x)),
        },
        Row {
            syntax: "ex2.approx{.ftz}.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.21 ex2",
            says: "d = 2 to the power of a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Ex2, x)),
        },
        Row {
            syntax: "tanh.approx.type d:type, a:type",
            slots: &[F32],
            section: "9.7.3.22 tanh",
            says: "d = the hyperbolic tangent of a, approximately",
            shape: Shape::Float(|w, f, x| approx(w, f, Approx::Tanh, x)),
        },
    ];
}
