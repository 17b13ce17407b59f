//! Integer arithmetic (ISA §9.7.1.1–14).

use std::marker::PhantomData;

use super::words::{halves, larger, less, magnitude, negative, saturate, smaller};
use super::{Form, INTEGERS, Row, SIGNED, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Types of the forms whose result is twice as wide.
const NARROW: &[&str] = &["u16", "u32", "s16", "s32"];
/// Types that pack two numbers.
const PAIRS: &[&str] = &["u16x2", "s16x2"];
/// Types of 32 bits.
const WORDS: &[&str] = &["u32", "s32"];

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
            syntax: "add.type d:type, a:type, b:type",
            slots: &[("type", PAIRS)],
            section: "9.7.1.1 add",
            says: "the sums of the halves, each modulo 2^16",
            shape: Shape::Alu(|w, _, x| halves(w, x, |w, a, b| w.add(a, b))),
        },
        Row {
            syntax: "add.sat.type d:type, a:type, b:type",
            slots: &[("type", &["s32"])],
            section: "9.7.1.1 add",
            says: "d = the number of the type nearest to a + b",
            shape: Shape::Alu(|w, _, x| saturated(w, x, A::add)),
        },
        Row {
            syntax: "sub.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.2 sub",
            says: "d = a - b, modulo 2^width",
            shape: Shape::Alu(|w, _, x| w.sub(&x[0], &x[1])),
        },
        Row {
            syntax: "sub.sat.type d:type, a:type, b:type",
            slots: &[("type", &["s32"])],
            section: "9.7.1.2 sub",
            says: "d = the number of the type nearest to a - b",
            shape: Shape::Alu(|w, _, x| saturated(w, x, A::sub)),
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
            syntax: "mad.hi.sat.type d:type, a:type, b:type, c:type",
            slots: &[("type", &["s32"])],
            section: "9.7.1.4 mad",
            says: "d = the number of the type nearest to the high half of a * b, plus c",
            shape: Shape::Alu(|w, f, x| {
                let t = high(w, f, &x[0], &x[1]);
                saturated(w, &[t, x[2].clone()], A::add)
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
            syntax: "mul24.lo.type d:type, a:type, b:type",
            slots: &[("type", WORDS)],
            section: "9.7.1.6 mul24",
            says: "d = bits 0 to 31 of the product of the low 24 bits of a and b",
            shape: Shape::Alu(|w, f, x| product24(w, f, x, 0)),
        },
        Row {
            syntax: "mul24.hi.type d:type, a:type, b:type",
            slots: &[("type", WORDS)],
            section: "9.7.1.6 mul24",
            says: "d = bits 16 to 47 of the product of the low 24 bits of a and b",
            shape: Shape::Alu(|w, f, x| product24(w, f, x, 16)),
        },
        Row {
            syntax: "mad24.lo.type d:type, a:type, b:type, c:type",
            slots: &[("type", WORDS)],
            section: "9.7.1.7 mad24",
            says: "d = mul24.lo of a and b, plus c, modulo 2^32",
            shape: Shape::Alu(|w, f, x| {
                let t = product24(w, f, x, 0);
                w.add(&t, &x[2])
            }),
        },
        Row {
            syntax: "mad24.hi.type d:type, a:type, b:type, c:type",
            slots: &[("type", WORDS)],
            section: "9.7.1.7 mad24",
            says: "d = mul24.hi of a and b, plus c, modulo 2^32",
            shape: Shape::Alu(|w, f, x| {
                let t = product24(w, f, x, 16);
                w.add(&t, &x[2])
            }),
        },
        Row {
            syntax: "mad24.hi.sat.type d:type, a:type, b:type, c:type",
            slots: &[("type", &["s32"])],
            section: "9.7.1.7 mad24",
            says: "d = the number of the type nearest to mul24.hi of a and b, plus c",
            shape: Shape::Alu(|w, f, x| {
                let t = product24(w, f, x, 16);
                saturated(w, &[t, x[2].clone()], A::add)
            }),
        },
        Row {
            syntax: "sad.type d:type, a:type, b:type, c:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.8 sad",
            says: "d = c + |a - b|, the difference by the order of the type, modulo 2^width",
            shape: Shape::Alu(|w, f, x| {
                let below = less(w, f.signed(), &x[0], &x[1]);
                let (up, down) = (w.sub(&x[1], &x[0]), w.sub(&x[0], &x[1]));
                let t = w.ite(&below, &up, &down);
                w.add(&x[2], &t)
            }),
        },
        Row {
            syntax: "abs.type d:type, a:type",
            slots: &[("type", SIGNED)],
            section: "9.7.1.11 abs",
            says: "d = |a|, modulo 2^width: the least number stays",
            shape: Shape::Alu(|w, _, x| magnitude(w, &x[0])),
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
            shape: Shape::Alu(|w, f, x| smaller(w, f.signed(), &x[0], &x[1])),
        },
        Row {
            syntax: "min.type d:type, a:type, b:type",
            slots: &[("type", PAIRS)],
            section: "9.7.1.13 min",
            says: "the smaller halves",
            shape: Shape::Alu(|w, f, x| halves(w, x, |w, a, b| smaller(w, f.signed(), a, b))),
        },
        Row {
            syntax: "min.relu.type d:type, a:type, b:type",
            slots: &[("type", &["s32"])],
            section: "9.7.1.13 min",
            says: "d = the smaller of a and b, or 0 if that is negative",
            shape: Shape::Alu(|w, _, x| {
                let t = smaller(w, true, &x[0], &x[1]);
                relu(w, &t)
            }),
        },
        Row {
            syntax: "min.relu.type d:type, a:type, b:type",
            slots: &[("type", &["s16x2"])],
            section: "9.7.1.13 min",
            says: "the smaller halves, or 0 where that is negative",
            shape: Shape::Alu(|w, _, x| {
                halves(w, x, |w, a, b| {
                    let t = smaller(w, true, a, b);
                    relu(w, &t)
                })
            }),
        },
        Row {
            syntax: "max.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.14 max",
            says: "d = the larger of a and b, signed or unsigned by the type",
            shape: Shape::Alu(|w, f, x| larger(w, f.signed(), &x[0], &x[1])),
        },
        Row {
            syntax: "max.type d:type, a:type, b:type",
            slots: &[("type", PAIRS)],
            section: "9.7.1.14 max",
            says: "the larger halves",
            shape: Shape::Alu(|w, f, x| halves(w, x, |w, a, b| larger(w, f.signed(), a, b))),
        },
        Row {
            syntax: "max.relu.type d:type, a:type, b:type",
            slots: &[("type", &["s32"])],
            section: "9.7.1.14 max",
            says: "d = the larger of a and b, or 0 if that is negative",
            shape: Shape::Alu(|w, _, x| {
                let t = larger(w, true, &x[0], &x[1]);
                relu(w, &t)
            }),
        },
        Row {
            syntax: "max.relu.type d:type, a:type, b:type",
            slots: &[("type", &["s16x2"])],
            section: "9.7.1.14 max",
            says: "the larger halves, or 0 where that is negative",
            shape: Shape::Alu(|w, _, x| {
                halves(w, x, |w, a, b| {
                    let t = larger(w, true, a, b);
                    relu(w, &t)
                })
            }),
        },
    ];
}

/// `a * b` in twice the width.
pub(super) fn product<A: WordAlg>(w: &mut A, f: &Form, a: &A::Word, b: &A::Word) -> A::Word {
    let wide = 2 * f.width();
    let (a, b) = if f.signed() {
        (w.sext(a, wide), w.sext(b, wide))
    } else {
        (w.zext(a, wide), w.zext(b, wide))
    };
    w.mul(&a, &b)
}

/// The high half of `a * b`.
pub(super) fn high<A: WordAlg>(w: &mut A, f: &Form, a: &A::Word, b: &A::Word) -> A::Word {
    let t = product(w, f, a, b);
    w.extract(&t, f.width(), f.width())
}

/// 32 bits from bit `lo` of the product of the low 24 bits of the first two.
fn product24<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word], lo: u32) -> A::Word {
    let (a, b) = (w.trunc(&x[0], 24), w.trunc(&x[1], 24));
    let (a, b) = if f.signed() {
        (w.sext(&a, 48), w.sext(&b, 48))
    } else {
        (w.zext(&a, 48), w.zext(&b, 48))
    };
    let t = w.mul(&a, &b);
    w.extract(&t, lo, 32)
}

/// The signed number nearest to `op` of two signed numbers.
fn saturated<A: WordAlg>(
    w: &mut A,
    x: &[A::Word],
    op: fn(&mut A, &A::Word, &A::Word) -> A::Word,
) -> A::Word {
    let width = w.width(&x[0]);
    let (a, b) = (w.sext(&x[0], width + 1), w.sext(&x[1], width + 1));
    let t = op(w, &a, &b);
    saturate(w, &t, true, width)
}

/// 0 instead of a negative number.
fn relu<A: WordAlg>(w: &mut A, a: &A::Word) -> A::Word {
    let (n, zero) = (negative(w, a), w.lit(w.width(a), 0));
    w.ite(&n, &zero, a)
}
