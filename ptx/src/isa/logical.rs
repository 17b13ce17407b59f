//! Logic and shifts (ISA §9.7.9).

use std::marker::PhantomData;

use super::{BITS, Form, Row, Shape};
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
            syntax: "cnot.type d:type, a:type",
            slots: &[("type", BITS)],
            section: "9.7.9.5 cnot",
            says: "d = 1 if a is 0, otherwise 0",
            shape: Shape::Alu(|w, f, x| {
                let zero = w.lit(f.width(), 0);
                let c = w.eq(&x[0], &zero);
                let c = w.of_bool(&c);
                w.zext(&c, f.width())
            }),
        },
        Row {
            syntax: "lop3.b32 d:b32, a:b32, b:b32, c:b32, t:b8",
            slots: &[],
            section: "9.7.9.6 lop3",
            says: "d = for each bit, the bit of the table t whose number is the bits of a, b and c",
            shape: Shape::Alu(|w, _, x| table(w, x)),
        },
        Row {
            syntax: "lop3.bool.b32 d:b32|p:pred, a:b32, b:b32, c:b32, t:b8, {!}r:pred",
            slots: &[("bool", &["or", "and"])],
            section: "9.7.9.6 lop3",
            says: "d as without .bool, p = whether d is not 0, combined with r",
            shape: Shape::Alu(|w, f, x| {
                let (d, zero) = (table(w, x), w.lit(32, 0));
                let c = w.eq(&d, &zero);
                let c = w.bool_not(&c);
                let c = w.of_bool(&c);
                let p = if f.word("bool") == "or" {
                    w.or(&c, &x[4])
                } else {
                    w.and(&c, &x[4])
                };
                w.concat(&p, &d)
            }),
        },
        Row {
            syntax: "shf.l.mode.b32 d:b32, a:b32, b:b32, c:u32",
            slots: &[("mode", &["clamp", "wrap"])],
            section: "9.7.9.7 shf",
            says: "d = the high word of b and a side by side, shifted left by c, at most 32 or modulo 32",
            shape: Shape::Alu(|w, f, x| {
                let (t, n) = funnel(w, f, x);
                let t = w.shl(&t, &n);
                w.extract(&t, 32, 32)
            }),
        },
        Row {
            syntax: "shf.r.mode.b32 d:b32, a:b32, b:b32, c:u32",
            slots: &[("mode", &["clamp", "wrap"])],
            section: "9.7.9.7 shf",
            says: "d = the low word of b and a side by side, shifted right by c, at most 32 or modulo 32",
            shape: Shape::Alu(|w, f, x| {
                let (t, n) = funnel(w, f, x);
                let t = w.lshr(&t, &n);
                w.trunc(&t, 32)
            }),
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

/// `lop3`: a table of eight bits looked up at every position, by halving it for `c`, then `b`, then `a`.
fn table<A: WordAlg>(w: &mut A, x: &[A::Word]) -> A::Word {
    let mut rows: Vec<A::Word> = (0..8)
        .map(|i| {
            let bit = w.extract(&x[3], i, 1);
            w.sext(&bit, 32)
        })
        .collect();
    for input in [&x[2], &x[1], &x[0]] {
        rows = rows
            .chunks_exact(2)
            .map(|pair| {
                let t = w.xor(&pair[0], &pair[1]);
                let t = w.and(&t, input);
                w.xor(&pair[0], &t)
            })
            .collect();
    }
    rows.remove(0)
}

/// The two words side by side and the amount.
fn funnel<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> (A::Word, A::Word) {
    let both = w.concat(&x[1], &x[0]);
    let n = if f.word("mode") == "wrap" {
        let m = w.lit(32, 31);
        w.and(&x[2], &m)
    } else {
        let most = w.lit(32, 32);
        let less = w.ult(&x[2], &most);
        w.ite(&less, &x[2], &most)
    };
    (both, n)
}
