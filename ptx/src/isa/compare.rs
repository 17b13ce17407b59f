//! Comparison and selection (ISA §9.7.7) of integers and bit patterns.

use std::marker::PhantomData;

use super::words::{bitwise, negative};
use super::{Cmp, Form, INTEGERS, Row, Shape, Slot};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// All types that `setp` and `selp` take but those of floats.
const TYPES: &[&str] = &[
    "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64",
];
/// The comparisons of all types.
const EQUAL: Slot = ("cmp", &["eq", "ne"]);
/// Those of numbers.
const ORDER: Slot = ("cmp", &["lt", "le", "gt", "ge"]);
/// Other names of them, for unsigned types.
const LOWER: Slot = ("cmp", &["lo", "ls", "hi", "hs"]);
const UNSIGNED: &[&str] = &["u16", "u32", "u64"];
/// What a comparison is combined with another predicate by.
const BOOL: Slot = ("bool", &["and", "or", "xor"]);
/// What `set` writes.
const RESULT: Slot = ("dtype", &["u32", "s32", "f32"]);

macro_rules! setp {
    ($cmp:expr, $types:expr) => {
        [
            Row {
                syntax: "setp.cmp.type p:pred, a:type, b:type",
                slots: &[$cmp, ("type", $types)],
                section: "9.7.7.2 setp, 9.3.1.1 integer comparisons",
                says: "p = a compared with b, signed or unsigned by the type",
                shape: Shape::Alu(|w, f, x| {
                    let t = compare(w, f.cmp(), f.signed(), x);
                    w.of_bool(&t)
                }),
            },
            Row {
                syntax: "setp.cmp.type p:pred|q:pred, a:type, b:type",
                slots: &[$cmp, ("type", $types)],
                section: "9.7.7.2 setp, 9.3.1.1 integer comparisons",
                says: "p = a compared with b, signed or unsigned by the type; q the opposite",
                shape: Shape::Alu(|w, f, x| {
                    let t = compare(w, f.cmp(), f.signed(), x);
                    let u = w.bool_not(&t);
                    let (p, q) = (w.of_bool(&t), w.of_bool(&u));
                    w.concat(&q, &p)
                }),
            },
            Row {
                syntax: "setp.cmp.bool.type p:pred, a:type, b:type, {!}c:pred",
                slots: &[$cmp, BOOL, ("type", $types)],
                section: "9.7.7.2 setp, 9.3.1.1 integer comparisons",
                says: "p = a compared with b, combined with c",
                shape: Shape::Alu(|w, f, x| {
                    let t = compare(w, f.cmp(), f.signed(), x);
                    combine(w, f, &t, &x[2])
                }),
            },
            Row {
                syntax: "setp.cmp.bool.type p:pred|q:pred, a:type, b:type, {!}c:pred",
                slots: &[$cmp, BOOL, ("type", $types)],
                section: "9.7.7.2 setp, 9.3.1.1 integer comparisons",
                says: "p = a compared with b, combined with c; q = the opposite combined with c",
                shape: Shape::Alu(|w, f, x| {
                    let t = compare(w, f.cmp(), f.signed(), x);
                    let u = w.bool_not(&t);
                    let (p, q) = (combine(w, f, &t, &x[2]), combine(w, f, &u, &x[2]));
                    w.concat(&q, &p)
                }),
            },
            Row {
                syntax: "set.cmp.dtype.type d:dtype, a:type, b:type",
                slots: &[$cmp, RESULT, ("type", $types)],
                section: "9.7.7.1 set, 9.3.1.1 integer comparisons",
                says: "d = all ones, or 1.0, if a compares with b, otherwise 0",
                shape: Shape::Alu(|w, f, x| {
                    let t = compare(w, f.cmp(), f.signed(), x);
                    let t = w.of_bool(&t);
                    truth(w, f.word("dtype"), &t, 32)
                }),
            },
            Row {
                syntax: "set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred",
                slots: &[$cmp, BOOL, RESULT, ("type", $types)],
                section: "9.7.7.1 set, 9.3.1.1 integer comparisons",
                says: "d = all ones, or 1.0, if a compares with b, combined with c, otherwise 0",
                shape: Shape::Alu(|w, f, x| {
                    let t = compare(w, f.cmp(), f.signed(), x);
                    let t = combine(w, f, &t, &x[2]);
                    truth(w, f.word("dtype"), &t, 32)
                }),
            },
        ]
    };
}

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const EQUAL: &'r [Row<A>] = &setp!(EQUAL, TYPES);
    pub(super) const ORDER: &'r [Row<A>] = &setp!(ORDER, INTEGERS);
    pub(super) const LOWER: &'r [Row<A>] = &setp!(LOWER, UNSIGNED);
    pub(super) const SELECT: &'r [Row<A>] = &[
        Row {
            syntax: "selp.type d:type, a:type, b:type, c:pred",
            slots: &[(
                "type",
                &[
                    "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64",
                ],
            )],
            section: "9.7.7.3 selp",
            says: "d = a if c is true, otherwise b",
            shape: Shape::Alu(|w, _, x| {
                let c = w.to_bool(&x[2]);
                w.ite(&c, &x[0], &x[1])
            }),
        },
        Row {
            syntax: "slct.type.s32 d:type, a:type, b:type, c:s32",
            slots: &[(
                "type",
                &[
                    "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64",
                ],
            )],
            section: "9.7.7.4 slct",
            says: "d = a if c is not negative, otherwise b",
            shape: Shape::Alu(|w, _, x| {
                let c = negative(w, &x[2]);
                w.ite(&c, &x[1], &x[0])
            }),
        },
    ];
}

/// Whether `x[0]` compares with `x[1]`.
fn compare<A: WordAlg>(w: &mut A, cmp: Cmp, signed: bool, x: &[A::Word]) -> A::Bool {
    let (a, b) = match cmp {
        Cmp::Gt | Cmp::Ge => (&x[1], &x[0]),
        _ => (&x[0], &x[1]),
    };
    match (cmp, signed) {
        (Cmp::Lt | Cmp::Gt, false) => w.ult(a, b),
        (Cmp::Lt | Cmp::Gt, true) => w.slt(a, b),
        (Cmp::Le | Cmp::Ge, false) => w.ule(a, b),
        (Cmp::Le | Cmp::Ge, true) => w.sle(a, b),
        (Cmp::Ne, _) => {
            let c = w.eq(a, b);
            w.bool_not(&c)
        }
        _ => w.eq(a, b),
    }
}

/// `t` and `c` by the opcode's Boolean operation.
pub(super) fn combine<A: WordAlg>(w: &mut A, f: &Form, t: &A::Bool, c: &A::Word) -> A::Word {
    let t = w.of_bool(t);
    bitwise(w, f.word("bool"), &t, c)
}

/// What `set` writes for a predicate into a result, or into a half of one: all ones, or the number 1 of a format.
pub(super) fn truth<A: WordAlg>(w: &mut A, dtype: &str, t: &A::Word, width: u32) -> A::Word {
    let one = match dtype {
        "f32" => 0x3F80_0000,
        "f16" | "f16x2" => 0x3C00,
        "bf16" | "bf16x2" => 0x3F80,
        _ => return w.sext(t, width),
    };
    let (t, one, zero) = (w.to_bool(t), w.lit(width, one), w.lit(width, 0));
    w.ite(&t, &one, &zero)
}
