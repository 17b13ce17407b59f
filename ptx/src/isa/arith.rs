//! Integer arithmetic (ISA §9.7.1). Division is missing: by zero its result is unspecified, so it is no function of words.

use std::marker::PhantomData;

use super::{INTEGERS, Row, SIGNED, Shape};
use crate::alg::WordAlg;
use crate::isa::Form;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Types of the forms whose result is twice as wide.
const NARROW: &[&str] = &["u16", "u32", "s16", "s32"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "add.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.1 add",
            says: "d = a + b, modulo 2^width: the same for signed and unsigned",
            shape: Shape::Alu(|w, _, x| w.add(&x[0], &x[1])),
        },
        Row {
            syntax: "sub.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.2 sub",
            says: "d = a - b, modulo 2^width",
            shape: Shape::Alu(|w, _, x| w.sub(&x[0], &x[1])),
        },
        Row {
            syntax: "mul.lo.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.3 mul",
            says: "d = the low half of a * b",
            shape: Shape::Alu(|w, _, x| w.mul(&x[0], &x[1])),
        },
        Row {
            syntax: "mul.hi.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.3 mul",
            says: "d = the high half of a * b",
            shape: Shape::Alu(|w, f, x| high(w, f, &x[0], &x[1])),
        },
        Row {
            syntax: "mul.wide.type d:wide, a:type, b:type",
            slots: &[("type", NARROW)],
            section: "9.7.1.3 mul",
            says: "d = a * b in twice the width, exactly",
            shape: Shape::Alu(|w, f, x| product(w, f, &x[0], &x[1])),
        },
        Row {
            syntax: "mad.lo.type d:type, a:type, b:type, c:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.4 mad",
            says: "d = the low half of a * b, plus c, modulo 2^width",
            shape: Shape::Alu(|w, _, x| {
                let t = w.mul(&x[0], &x[1]);
                w.add(&t, &x[2])
            }),
        },
        Row {
            syntax: "mad.hi.type d:type, a:type, b:type, c:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.4 mad",
            says: "d = the high half of a * b, plus c, modulo 2^width",
            shape: Shape::Alu(|w, f, x| {
                let t = high(w, f, &x[0], &x[1]);
                w.add(&t, &x[2])
            }),
        },
        Row {
            syntax: "mad.wide.type d:wide, a:type, b:type, c:wide",
            slots: &[("type", NARROW)],
            section: "9.7.1.4 mad",
            says: "d = a * b in twice the width, plus c, modulo 2^(2 * width)",
            shape: Shape::Alu(|w, f, x| {
                let t = product(w, f, &x[0], &x[1]);
                w.add(&t, &x[2])
            }),
        },
        Row {
            syntax: "abs.type d:type, a:type",
            slots: &[("type", SIGNED)],
            section: "9.7.1.11 abs",
            says: "d = |a|, modulo 2^width: the least number stays",
            shape: Shape::Alu(|w, f, x| {
                let zero = w.lit(f.width(), 0);
                let negative = w.slt(&x[0], &zero);
                let t = w.neg(&x[0]);
                w.ite(&negative, &t, &x[0])
            }),
        },
        Row {
            syntax: "neg.type d:type, a:type",
            slots: &[("type", SIGNED)],
            section: "9.7.1.12 neg",
            says: "d = -a, modulo 2^width: the least number stays",
            shape: Shape::Alu(|w, _, x| w.neg(&x[0])),
        },
        Row {
            syntax: "min.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.13 min",
            says: "d = the smaller of a and b, signed or unsigned by the type",
            shape: Shape::Alu(|w, f, x| {
                let c = if f.signed() {
                    w.slt(&x[0], &x[1])
                } else {
                    w.ult(&x[0], &x[1])
                };
                w.ite(&c, &x[0], &x[1])
            }),
        },
        Row {
            syntax: "max.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.14 max",
            says: "d = the larger of a and b, signed or unsigned by the type",
            shape: Shape::Alu(|w, f, x| {
                let c = if f.signed() {
                    w.slt(&x[1], &x[0])
                } else {
                    w.ult(&x[1], &x[0])
                };
                w.ite(&c, &x[0], &x[1])
            }),
        },
    ];
}

/// `a * b` in twice the width.
fn product<A: WordAlg>(w: &mut A, f: &Form, a: &A::Word, b: &A::Word) -> A::Word {
    let wide = 2 * f.width();
    let (a, b) = if f.signed() {
        (w.sext(a, wide), w.sext(b, wide))
    } else {
        (w.zext(a, wide), w.zext(b, wide))
    };
    w.mul(&a, &b)
}

/// The high half of `a * b`.
fn high<A: WordAlg>(w: &mut A, f: &Form, a: &A::Word, b: &A::Word) -> A::Word {
    let t = product(w, f, a, b);
    w.extract(&t, f.width(), f.width())
}
