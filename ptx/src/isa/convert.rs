//! Moves and conversions between registers (ISA §9.7.10).

use std::marker::PhantomData;

use super::words::{resize, saturate};
use super::{Form, Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// The integer types, those of bytes among them.
const ALL: &[&str] = &["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"];

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
            slots: &[("dtype", ALL), ("atype", ALL)],
            section: "9.7.10.24 cvt, 6.5.1 scalar conversions",
            says: "d = a, extended by the sign of atype, or its low bits",
            shape: Shape::Alu(|w, f, x| resize(w, &x[0], f.sources()[0].signed, f.dests()[0].bits)),
        },
        Row {
            syntax: "cvt.sat.dtype.atype d:dtype, a:atype",
            slots: &[("dtype", ALL), ("atype", ALL)],
            section: "9.7.10.24 cvt, 6.5.1 scalar conversions",
            says: "d = the number of dtype that is nearest to a",
            shape: Shape::Alu(|w, f, x| {
                let (from, to) = (f.sources()[0], f.dests()[0]);
                let a = resize(w, &x[0], from.signed, from.bits.max(to.bits) + 1);
                saturate(w, &a, to.signed, to.bits)
            }),
        },
        Row {
            syntax: "cvt.pack.sat.ctype.s32 d:u32, a:s32, b:s32",
            slots: &[("ctype", &["u16", "s16"])],
            section: "9.7.10.25 cvt.pack",
            says: "d = the numbers of ctype nearest to a and b, that of b in the low half",
            shape: Shape::Alu(|w, f, x| {
                let signed = f.word("ctype") == "s16";
                let (a, b) = (
                    saturate(w, &x[0], signed, 16),
                    saturate(w, &x[1], signed, 16),
                );
                w.concat(&a, &b)
            }),
        },
        Row {
            syntax: "cvt.pack.sat.ctype.s32.b32 d:u32, a:s32, b:s32, c:b32",
            slots: &[("ctype", &["u2", "s2", "u4", "s4", "u8", "s8"])],
            section: "9.7.10.25 cvt.pack",
            says: "the low bits of d = the numbers of ctype nearest to a and b, that of b lowest; above them the low bits of c",
            shape: Shape::Alu(|w, f, x| {
                let (signed, bits) = match f.word("ctype") {
                    "u2" => (false, 2),
                    "s2" => (true, 2),
                    "u4" => (false, 4),
                    "s4" => (true, 4),
                    "u8" => (false, 8),
                    _ => (true, 8),
                };
                let (a, b) = (
                    saturate(w, &x[0], signed, bits),
                    saturate(w, &x[1], signed, bits),
                );
                let (c, t) = (w.trunc(&x[2], 32 - 2 * bits), w.concat(&a, &b));
                w.concat(&c, &t)
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
