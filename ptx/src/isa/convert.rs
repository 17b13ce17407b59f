//! Moves and conversions between registers (ISA §9.7.10).

use std::marker::PhantomData;

use super::{INTEGERS, Row, Shape, types};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "mov.u32 d:u32, sreg",
            slots: &[],
            section: "9.7.10.3 mov, 10 special registers",
            says: "d = a special register: %tid, %ntid, %ctaid or %nctaid with .x, .y or .z",
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
                let (from, to) = (f.width_of("atype"), f.width_of("dtype"));
                match (to > from, types::is_signed(f.word("atype"))) {
                    (true, true) => w.sext(&x[0], to),
                    (true, false) => w.zext(&x[0], to),
                    (false, _) if to < from => w.trunc(&x[0], to),
                    (false, _) => x[0].clone(),
                }
            }),
        },
    ];
}
