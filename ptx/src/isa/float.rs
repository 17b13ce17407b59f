//! Floating-point arithmetic (ISA §9.7.3): fields of `FloatOps`, of which nothing is assumed.
//!
//! Without a rounding modifier `add`, `sub` and `mul` round to nearest even, but the assembler may fuse such a `mul` with such
//! an `add` or `sub` into one `fma`. So `mul` without `.rn` has no meaning here, and then there is nothing that `add` and `sub`
//! could be fused with. `.ftz` and `.sat` forms are not known yet.

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;
use crate::alg::float_op::{Arith, Clamp, FloatOp, Format, Round};

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// The rounding that may be left out, and the only type.
const RN: &[super::Slot] = &[("rn", &["rn"]), ("type", &["f32"])];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "add{.rn}.type d:type, a:type, b:type",
            slots: RN,
            section: "9.7.3.3 add",
            says: "d = a + b, rounded to nearest even",
            shape: Shape::Float(|w, _, x| w.float(rounded(Arith::Add), &[&x[0], &x[1]])),
        },
        Row {
            syntax: "sub{.rn}.type d:type, a:type, b:type",
            slots: RN,
            section: "9.7.3.4 sub",
            says: "d = a - b, rounded to nearest even",
            shape: Shape::Float(|w, _, x| w.float(rounded(Arith::Sub), &[&x[0], &x[1]])),
        },
        Row {
            syntax: "mul.rn.type d:type, a:type, b:type",
            slots: &[("type", &["f32"])],
            section: "9.7.3.5 mul",
            says: "d = a * b, rounded to nearest even",
            shape: Shape::Float(|w, _, x| w.float(rounded(Arith::Mul), &[&x[0], &x[1]])),
        },
        Row {
            syntax: "fma.rn.type d:type, a:type, b:type, c:type",
            slots: &[("type", &["f32"])],
            section: "9.7.3.6 fma",
            says: "d = a * b + c, rounded once to nearest even",
            shape: Shape::Float(|w, _, x| w.float(rounded(Arith::Fma), &[&x[0], &x[1], &x[2]])),
        },
        Row {
            syntax: "min.type d:type, a:type, b:type",
            slots: &[("type", &["f32"])],
            section: "9.7.3.11 min",
            says: "d = the smaller of a and b; a number wins against a NaN",
            shape: Shape::Float(|w, _, x| w.float(extreme(false), &[&x[0], &x[1]])),
        },
        Row {
            syntax: "max.type d:type, a:type, b:type",
            slots: &[("type", &["f32"])],
            section: "9.7.3.12 max",
            says: "d = the larger of a and b; a number wins against a NaN",
            shape: Shape::Float(|w, _, x| w.float(extreme(true), &[&x[0], &x[1]])),
        },
    ];
}

fn rounded(op: Arith) -> FloatOp {
    FloatOp::Rounded {
        op,
        ty: Format::F32,
        round: Round::Nearest,
        ftz: false,
        clamp: Clamp::Unclamped,
    }
}

fn extreme(max: bool) -> FloatOp {
    FloatOp::Extreme {
        max,
        ty: Format::F32,
        ftz: false,
        nan: false,
    }
}
