//! Comparison and selection (ISA §9.7.7) of integers and bit patterns. Float comparisons are not known yet.

use std::marker::PhantomData;

use super::{INTEGERS, Row, Shape};
use crate::alg::WordAlg;
use crate::isa::Form;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "setp.cmp.type p:pred, a:type, b:type",
            slots: &[
                ("cmp", &["eq", "ne"]),
                (
                    "type",
                    &[
                        "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64",
                    ],
                ),
            ],
            section: "9.7.7.2 setp, 9.3.1.1 integer comparisons",
            says: "p = a == b, or its negation",
            shape: Shape::Alu(|w, f, x| {
                let c = w.eq(&x[0], &x[1]);
                let c = if f.word("cmp") == "ne" {
                    w.bool_not(&c)
                } else {
                    c
                };
                w.of_bool(&c)
            }),
        },
        Row {
            syntax: "setp.cmp.type p:pred, a:type, b:type",
            slots: &[("cmp", &["lt", "le", "gt", "ge"]), ("type", INTEGERS)],
            section: "9.7.7.2 setp, 9.3.1.1 integer comparisons",
            says: "p = a < b and so on, signed or unsigned by the type",
            shape: Shape::Alu(|w, f, x| ordered(w, f.word("cmp"), f.signed(), x)),
        },
        Row {
            syntax: "setp.cmp.type p:pred, a:type, b:type",
            slots: &[
                ("cmp", &["lo", "ls", "hi", "hs"]),
                ("type", &["u16", "u32", "u64"]),
            ],
            section: "9.7.7.2 setp, 9.3.1.1 integer comparisons",
            says: "p = a < b and so on, unsigned: lo, ls, hi, hs are lt, le, gt, ge",
            shape: Shape::Alu(|w, f, x| {
                let cmp = match f.word("cmp") {
                    "lo" => "lt",
                    "ls" => "le",
                    "hi" => "gt",
                    _ => "ge",
                };
                ordered(w, cmp, false, x)
            }),
        },
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
            shape: Shape::Alu(|w, _: &Form, x| {
                let c = w.to_bool(&x[2]);
                w.ite(&c, &x[0], &x[1])
            }),
        },
    ];
}

/// An order comparison of two words, as a predicate.
fn ordered<A: WordAlg>(w: &mut A, cmp: &str, signed: bool, x: &[A::Word]) -> A::Word {
    let (a, b) = if cmp == "gt" || cmp == "ge" {
        (&x[1], &x[0])
    } else {
        (&x[0], &x[1])
    };
    let strict = cmp == "lt" || cmp == "gt";
    let c = match (signed, strict) {
        (false, true) => w.ult(a, b),
        (false, false) => w.ule(a, b),
        (true, true) => w.slt(a, b),
        (true, false) => w.sle(a, b),
    };
    w.of_bool(&c)
}
