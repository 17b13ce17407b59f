//! Moves and conversions between registers (ISA §9.7.10).

use std::marker::PhantomData;

use super::{Form, INTEGERS, Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "mov.type d:type, s:sreg",
            slots: &[(
                "type",
                &[
                    "pred", "b16", "b32", "b64", "u16", "u32", "u64", "s32", "s64",
                ],
            )],
            section: "9.7.10.3 mov, 10 special registers",
            says: "d = a special register",
            shape: Shape::Special,
        },
        Row {
            syntax: "mov.type d:type, a:type",
            slots: &[(
                "type",
                &[
                    "pred", "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32",
                    "f64",
                ],
            )],
            section: "9.7.10.3 mov",
            says: "d = a",
            shape: Shape::Alu(|_, _, x: &[A::Word]| x[0].clone()),
        },
        Row {
            syntax: "mov.type d:type, {a:half, b:half}",
            slots: &[("type", &["b16", "b32", "b64", "b128"])],
            section: "9.7.10.4 mov",
            says: "d = the elements side by side, the first lowest",
            shape: Shape::Alu(pack),
        },
        Row {
            syntax: "mov.type d:type, {a:quarter, b:quarter, c:quarter, e:quarter}",
            slots: &[("type", &["b32", "b64"])],
            section: "9.7.10.4 mov",
            says: "d = the elements side by side, the first lowest",
            shape: Shape::Alu(pack),
        },
        Row {
            syntax: "mov.type {d0:half, d1:half}, a:type",
            slots: &[("type", &["b16", "b32", "b64", "b128"])],
            section: "9.7.10.4 mov",
            says: "the results are the parts of a, the first lowest",
            shape: Shape::Alu(|_, _, x: &[A::Word]| x[0].clone()),
        },
        Row {
            syntax: "mov.type {d0:quarter, d1:quarter, d2:quarter, d3:quarter}, a:type",
            slots: &[("type", &["b32", "b64"])],
            section: "9.7.10.4 mov",
            says: "the results are the parts of a, the first lowest",
            shape: Shape::Alu(|_, _, x: &[A::Word]| x[0].clone()),
        },
        Row {
            syntax: "cvta.to.global.type d:type, a:type",
            slots: &[("type", &["u64"])],
            section: "9.7.10.23 cvta, 6.4.1.1 generic addressing",
            says: "d = a: the global window is the part of generic addresses that no other window takes, mapped to itself",
            shape: Shape::Alu(|_, _, x: &[A::Word]| x[0].clone()),
        },
        Row {
            syntax: "cvta.global.type d:type, a:type",
            slots: &[("type", &["u64"])],
            section: "9.7.10.23 cvta, 6.4.1.1 generic addressing",
            says: "d = a: a global address is its own generic address",
            shape: Shape::Alu(|_, _, x: &[A::Word]| x[0].clone()),
        },
        Row {
            syntax: "cvt.dtype.atype d:dtype, a:atype",
            slots: &[("dtype", INTEGERS), ("atype", INTEGERS)],
            section: "9.7.10.24 cvt, 6.5.1 scalar conversions",
            says: "d = a, extended by the sign of atype, or its low bits",
            shape: Shape::Alu(|w, f, x| {
                let (from, to) = (f.sources()[0], f.dests()[0].bits);
                match (to > from.bits, from.signed) {
                    (true, true) => w.sext(&x[0], to),
                    (true, false) => w.zext(&x[0], to),
                    (false, _) if to < from.bits => w.trunc(&x[0], to),
                    (false, _) => x[0].clone(),
                }
            }),
        },
    ];
}

/// The words side by side, the first lowest.
fn pack<A: WordAlg>(w: &mut A, _: &Form, x: &[A::Word]) -> A::Word {
    let mut all = x[0].clone();
    for a in &x[1..] {
        all = w.concat(a, &all);
    }
    all
}
