//! Conversions from and to floating-point formats (ISA §9.7.10.24).

use std::marker::PhantomData;

use super::floats::{convert, lanes};
use super::{Form, Row, Shape, Slot};
use crate::alg::WordAlg;
use crate::alg::float_op::{FloatOp, Format, Int};

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Integer roundings.
const IRND: Slot = ("rnd", &["rni", "rzi", "rmi", "rpi"]);
/// Roundings.
const RND: Slot = ("rnd", &["rn", "rz", "rm", "rp"]);
/// The roundings of conversions with `.relu` and `.satfinite`.
const RND2: Slot = ("rnd", &["rn", "rz"]);
/// Integer types.
const INT: &[&str] = &["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"];
/// Packed formats of 8 bits.
const F8X2: &[&str] = &["e4m3x2", "e5m2x2"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "cvt.rnd{.ftz}{.sat}.dtype.type d:dtype, a:type",
            slots: &[IRND, ("dtype", INT), ("type", &["f32"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a as an integer, clamped to the range of the type",
            shape: Shape::Float(to_int),
        },
        Row {
            syntax: "cvt.rnd{.sat}.dtype.type d:dtype, a:type",
            slots: &[IRND, ("dtype", INT), ("type", &["f16", "bf16", "f64"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a as an integer, clamped to the range of the type",
            shape: Shape::Float(to_int),
        },
        Row {
            syntax: "cvt.rnd.type.atype d:type, a:atype",
            slots: &[
                RND,
                ("type", &["f16", "bf16", "f32", "f64"]),
                ("atype", INT),
            ],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = the integer a, rounded once",
            shape: Shape::Float(from_int),
        },
        Row {
            syntax: "cvt.rnd{.ftz}.f32.f32 d:f32, a:f32",
            slots: &[IRND],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a rounded to an integral number",
            shape: Shape::Float(|w, f, x| integral(w, f, Format::F32, x)),
        },
        Row {
            syntax: "cvt.rnd.f16.f16 d:f16, a:f16",
            slots: &[IRND],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a rounded to an integral number",
            shape: Shape::Float(|w, f, x| integral(w, f, Format::F16, x)),
        },
        Row {
            syntax: "cvt.rnd.bf16.bf16 d:bf16, a:bf16",
            slots: &[IRND],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a rounded to an integral number",
            shape: Shape::Float(|w, f, x| integral(w, f, Format::Bf16, x)),
        },
        Row {
            syntax: "cvt.rnd.f64.f64 d:f64, a:f64",
            slots: &[IRND],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a rounded to an integral number",
            shape: Shape::Float(|w, f, x| integral(w, f, Format::F64, x)),
        },
        Row {
            syntax: "cvt{.ftz}.dtype.type d:dtype, a:type",
            slots: &[("dtype", &["f32"]), ("type", &["f16"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, which the format of d has",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt{.ftz}.dtype.type d:dtype, a:type",
            slots: &[("dtype", &["f32"]), ("type", &["bf16"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, which the format of d has",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt{.ftz}.dtype.type d:dtype, a:type",
            slots: &[("dtype", &["f64"]), ("type", &["f32"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, which the format of d has",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.dtype.type d:dtype, a:type",
            slots: &[("dtype", &["f64"]), ("type", &["f16"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, which the format of d has",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.dtype.type d:dtype, a:type",
            slots: &[("dtype", &["f64"]), ("type", &["bf16"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, which the format of d has",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.ftz{.sat}.dtype.type d:dtype, a:type",
            slots: &[("ftz", &["ftz"]), ("dtype", &["f32"]), ("type", &["f32"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, 0 if it is subnormal; with .sat, clamped to [0, 1]",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.sat.dtype.type d:dtype, a:type",
            slots: &[("sat", &["sat"]), ("dtype", &["f32"]), ("type", &["f32"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, clamped to [0, 1]",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd{.ftz}{.sat}.dtype.type d:dtype, a:type",
            slots: &[RND, ("dtype", &["f16"]), ("type", &["f32"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd{.ftz}{.sat}.dtype.type d:dtype, a:type",
            slots: &[RND, ("dtype", &["f32"]), ("type", &["f64"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd.dtype.type d:dtype, a:type",
            slots: &[RND, ("dtype", &["bf16"]), ("type", &["f32"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd.dtype.type d:dtype, a:type",
            slots: &[RND, ("dtype", &["f16"]), ("type", &["f64"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd.dtype.type d:dtype, a:type",
            slots: &[RND, ("dtype", &["bf16"]), ("type", &["f64"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd.dtype.type d:dtype, a:type",
            slots: &[RND, ("dtype", &["f16"]), ("type", &["bf16"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd.dtype.type d:dtype, a:type",
            slots: &[RND, ("dtype", &["bf16"]), ("type", &["f16"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd.relu.dtype.type d:dtype, a:type",
            slots: &[
                RND2,
                ("relu", &["relu"]),
                ("dtype", &["f16", "bf16"]),
                ("type", &["f32"]),
            ],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once; with .relu 0 if negative, with .satfinite never infinite",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd.satfinite.dtype.type d:dtype, a:type",
            slots: &[
                RND2,
                ("satfinite", &["satfinite"]),
                ("dtype", &["f16", "bf16"]),
                ("type", &["f32"]),
            ],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once; with .relu 0 if negative, with .satfinite never infinite",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd.relu.satfinite.dtype.type d:dtype, a:type",
            slots: &[
                RND2,
                ("relu", &["relu"]),
                ("satfinite", &["satfinite"]),
                ("dtype", &["f16", "bf16"]),
                ("type", &["f32"]),
            ],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once; with .relu 0 if negative, with .satfinite never infinite",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd{.relu}{.satfinite}.dtype.type d:dtype, a:type, b:type",
            slots: &[RND2, ("dtype", &["f16x2", "bf16x2"]), ("type", &["f32"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a in the upper half and b in the lower, rounded once; with .relu 0 if negative, with .satfinite never infinite",
            shape: Shape::Float(pack),
        },
        Row {
            syntax: "cvt.rnd{.satfinite}.dtype.type d:dtype, a:type",
            slots: &[("rnd", &["rna"]), ("dtype", &["tf32"]), ("type", &["f32"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once, ties away from zero",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd{.relu}{.satfinite}.dtype.type d:dtype, a:type",
            slots: &[RND2, ("dtype", &["tf32"]), ("type", &["f32"])],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a, rounded once; with .relu 0 if negative, with .satfinite never infinite",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd.satfinite{.relu}.dtype.type d:dtype, a:type, b:type",
            slots: &[
                ("rnd", &["rn"]),
                ("satfinite", &["satfinite"]),
                ("dtype", F8X2),
                ("type", &["f32"]),
            ],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = a in the upper half and b in the lower, rounded once, never infinite",
            shape: Shape::Float(pack),
        },
        Row {
            syntax: "cvt.rnd.satfinite{.relu}.dtype.type d:dtype, a:type",
            slots: &[
                ("rnd", &["rn"]),
                ("satfinite", &["satfinite"]),
                ("dtype", F8X2),
                ("type", &["f16x2"]),
            ],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = both halves of a, rounded once, never infinite",
            shape: Shape::Float(format),
        },
        Row {
            syntax: "cvt.rnd{.relu}.dtype.type d:dtype, a:type",
            slots: &[("rnd", &["rn"]), ("dtype", &["f16x2"]), ("type", F8X2)],
            section: "9.7.10.24 cvt, 6.5.2 rounding modifiers",
            says: "d = both halves of a",
            shape: Shape::Float(format),
        },
    ];
}

/// The integer type in the slot; `s32` if there is none.
fn int(f: &Form, slot: &str) -> Int {
    Int::from_name(f.word(slot)).unwrap_or(Int::s(32))
}

fn to_int<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let op = FloatOp::ToInt {
        to: int(f, "dtype"),
        from: f.format("type"),
        round: f.round("rnd"),
        ftz: f.has("ftz"),
    };
    w.float(op, &[&x[0]])
}

fn from_int<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let Int { signed, width } = int(f, "atype");
    // A narrower integer is the wider one of the same value.
    let (wide, a) = match (width < 32, signed) {
        (false, _) => (width, x[0].clone()),
        (true, true) => (32, w.sext(&x[0], 32)),
        (true, false) => (32, w.zext(&x[0], 32)),
    };
    let op = FloatOp::FromInt {
        to: f.format("type"),
        from: Int {
            signed,
            width: wide,
        },
        round: f.round("rnd"),
    };
    w.float(op, &[&a])
}

fn integral<A: WordAlg>(w: &mut A, f: &Form, ty: Format, x: &[A::Word]) -> A::Word {
    let op = FloatOp::Integral {
        ty,
        round: f.round("rnd"),
        ftz: f.has("ftz"),
    };
    w.float(op, &[&x[0]])
}

/// One number, or both halves of a packed word.
fn format<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let op = convert(f, f.format("dtype"), f.format("type"));
    lanes(w, f.word("type"), x, |w, x| w.float(op, x))
}

/// Two numbers side by side, the first in the upper half.
fn pack<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let op = convert(f, f.format("dtype"), f.format("type"));
    let (hi, lo) = (w.float(op, &[&x[0]]), w.float(op, &[&x[1]]));
    w.concat(&hi, &lo)
}
