//! Logic and shifts (ISA §9.7.9).

use std::marker::PhantomData;

use super::{BITS, Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Types of the bitwise operations; a predicate is a word of width 1.
const LOGIC: &[&str] = &["pred", "b16", "b32", "b64"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "and.type d:type, a:type, b:type",
            slots: &[("type", LOGIC)],
            section: "9.7.9.1 and",
            says: "d = a & b, bit by bit",
            shape: Shape::Alu(|w, _, x| w.and(&x[0], &x[1])),
        },
        Row {
            syntax: "or.type d:type, a:type, b:type",
            slots: &[("type", LOGIC)],
            section: "9.7.9.2 or",
            says: "d = a | b, bit by bit",
            shape: Shape::Alu(|w, _, x| w.or(&x[0], &x[1])),
        },
        Row {
            syntax: "xor.type d:type, a:type, b:type",
            slots: &[("type", LOGIC)],
            section: "9.7.9.3 xor",
            says: "d = a ^ b, bit by bit",
            shape: Shape::Alu(|w, _, x| w.xor(&x[0], &x[1])),
        },
        Row {
            syntax: "not.type d:type, a:type",
            slots: &[("type", LOGIC)],
            section: "9.7.9.4 not",
            says: "d = ~a, bit by bit",
            shape: Shape::Alu(|w, _, x| w.not(&x[0])),
        },
        Row {
            syntax: "shl.type d:type, a:type, b:b32",
            slots: &[("type", BITS)],
            section: "9.7.9.8 shl",
            says: "d = a << b; b is a 32-bit unsigned number, and amounts from the width on give 0",
            shape: Shape::Alu(|w, _, x| w.shl(&x[0], &x[1])),
        },
        Row {
            syntax: "shr.type d:type, a:type, b:b32",
            slots: &[(
                "type",
                &[
                    "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64",
                ],
            )],
            section: "9.7.9.9 shr",
            says: "d = a >> b, filling with the sign for signed types and with 0 otherwise; b is a 32-bit unsigned \
                   number, and amounts from the width on leave only the filling",
            shape: Shape::Alu(|w, f, x| {
                if f.signed() {
                    w.ashr(&x[0], &x[1])
                } else {
                    w.lshr(&x[0], &x[1])
                }
            }),
        },
    ];
}
