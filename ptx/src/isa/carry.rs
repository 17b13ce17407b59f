//! Extended-precision integer arithmetic (ISA §9.7.2): `CC.CF` is the carry out of an addition, the borrow out of a
//! subtraction.

use std::marker::PhantomData;

use super::arith::high;
use super::{Form, Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

const TYPES: &[&str] = &["u32", "s32", "u64", "s64"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "add.cc.type d:type, <cc>, a:type, b:type",
            slots: &[("type", TYPES)],
            section: "9.7.2.1 add.cc",
            says: "d = a + b, cc = the carry",
            shape: Shape::Alu(|w, _, x| sum(w, &x[0], &x[1], None)),
        },
        Row {
            syntax: "addc.type d:type, a:type, b:type, <cc>",
            slots: &[("type", TYPES)],
            section: "9.7.2.2 addc",
            says: "d = a + b + cc, modulo 2^width",
            shape: Shape::Alu(|w, f, x| {
                let t = sum(w, &x[0], &x[1], Some(&x[2]));
                w.trunc(&t, f.width())
            }),
        },
        Row {
            syntax: "addc.cc.type d:type, <cc>, a:type, b:type, <cc>",
            slots: &[("type", TYPES)],
            section: "9.7.2.2 addc",
            says: "d = a + b + cc, cc = the carry",
            shape: Shape::Alu(|w, _, x| sum(w, &x[0], &x[1], Some(&x[2]))),
        },
        Row {
            syntax: "sub.cc.type d:type, <cc>, a:type, b:type",
            slots: &[("type", TYPES)],
            section: "9.7.2.3 sub.cc",
            says: "d = a - b, cc = the borrow",
            shape: Shape::Alu(|w, _, x| difference(w, &x[0], &x[1], None)),
        },
        Row {
            syntax: "subc.type d:type, a:type, b:type, <cc>",
            slots: &[("type", TYPES)],
            section: "9.7.2.4 subc",
            says: "d = a - (b + cc), modulo 2^width",
            shape: Shape::Alu(|w, f, x| {
                let t = difference(w, &x[0], &x[1], Some(&x[2]));
                w.trunc(&t, f.width())
            }),
        },
        Row {
            syntax: "subc.cc.type d:type, <cc>, a:type, b:type, <cc>",
            slots: &[("type", TYPES)],
            section: "9.7.2.4 subc",
            says: "d = a - (b + cc), cc = the borrow",
            shape: Shape::Alu(|w, _, x| difference(w, &x[0], &x[1], Some(&x[2]))),
        },
        Row {
            syntax: "mad.part.cc.type d:type, <cc>, a:type, b:type, c:type",
            slots: &[("part", &["lo", "hi"]), ("type", TYPES)],
            section: "9.7.2.5 mad.cc",
            says: "d = the low or high half of a * b, plus c, cc = the carry of that addition",
            shape: Shape::Alu(|w, f, x| {
                let t = half(w, f, x);
                sum(w, &t, &x[2], None)
            }),
        },
        Row {
            syntax: "madc.part.type d:type, a:type, b:type, c:type, <cc>",
            slots: &[("part", &["lo", "hi"]), ("type", TYPES)],
            section: "9.7.2.6 madc",
            says: "d = the low or high half of a * b, plus c, plus cc, modulo 2^width",
            shape: Shape::Alu(|w, f, x| {
                let t = half(w, f, x);
                let t = sum(w, &t, &x[2], Some(&x[3]));
                w.trunc(&t, f.width())
            }),
        },
        Row {
            syntax: "madc.part.cc.type d:type, <cc>, a:type, b:type, c:type, <cc>",
            slots: &[("part", &["lo", "hi"]), ("type", TYPES)],
            section: "9.7.2.6 madc",
            says: "d = the low or high half of a * b, plus c, plus cc, cc = the carry of that addition",
            shape: Shape::Alu(|w, f, x| {
                let t = half(w, f, x);
                sum(w, &t, &x[2], Some(&x[3]))
            }),
        },
    ];
}

/// The half of the product that the opcode names.
fn half<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    if f.word("part") == "hi" {
        high(w, f, &x[0], &x[1])
    } else {
        w.mul(&x[0], &x[1])
    }
}

/// `a + b + carry` with one bit more.
fn sum<A: WordAlg>(w: &mut A, a: &A::Word, b: &A::Word, carry: Option<&A::Word>) -> A::Word {
    let width = w.width(a) + 1;
    let (a, b) = (w.zext(a, width), w.zext(b, width));
    let t = w.add(&a, &b);
    match carry {
        None => t,
        Some(c) => {
            let c = w.zext(c, width);
            w.add(&t, &c)
        }
    }
}

/// `a - b - borrow` with one bit more, which is set if the true difference is negative.
fn difference<A: WordAlg>(
    w: &mut A,
    a: &A::Word,
    b: &A::Word,
    borrow: Option<&A::Word>,
) -> A::Word {
    let width = w.width(a) + 1;
    let (a, b) = (w.zext(a, width), w.zext(b, width));
    let t = w.sub(&a, &b);
    match borrow {
        None => t,
        Some(c) => {
            let c = w.zext(c, width);
            w.sub(&t, &c)
        }
    }
}
