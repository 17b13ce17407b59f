//! Integer instructions on bits and fields of a word (ISA §9.7.1.15–25).

use std::marker::PhantomData;

use super::words::{
    count_ones, low_ones, negative, ones, resize, reverse, sign_extend_from, smear,
};
use super::{Form, Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

const BITS: &[&str] = &["b32", "b64"];
const INTEGERS: &[&str] = &["u32", "u64", "s32", "s64"];
const WORDS: &[&str] = &["u32", "s32"];
/// What happens to amounts from 32 on.
const MODE: &[&str] = &["clamp", "wrap"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "popc.type d:u32, a:type",
            slots: &[("type", BITS)],
            section: "9.7.1.15 popc",
            says: "d = how many bits of a are set",
            shape: Shape::Alu(|w, _, x| {
                let t = count_ones(w, &x[0]);
                resize(w, &t, false, 32)
            }),
        },
        Row {
            syntax: "clz.type d:u32, a:type",
            slots: &[("type", BITS)],
            section: "9.7.1.16 clz",
            says: "d = how many bits of a above the highest one set, or the width",
            shape: Shape::Alu(|w, _, x| leading_zeros(w, &x[0])),
        },
        Row {
            syntax: "bfind.type d:u32, a:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.17 bfind",
            says: "d = the position of the highest bit that is not the sign, or 2^32 - 1",
            shape: Shape::Alu(|w, f, x| {
                let t = without_sign(w, f, &x[0]);
                let t = smear(w, &t);
                let (n, one) = (count_ones(w, &t), w.lit(32, 1));
                let n = resize(w, &n, false, 32);
                w.sub(&n, &one)
            }),
        },
        Row {
            syntax: "bfind.shiftamt.type d:u32, a:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.17 bfind",
            says: "d = by how much to shift left for the highest bit that is not the sign to be the highest, or 2^32 - 1",
            shape: Shape::Alu(|w, f, x| {
                let t = without_sign(w, f, &x[0]);
                let n = leading_zeros(w, &t);
                let (zero, none) = (w.lit(f.width(), 0), ones(w, 32));
                let nothing = w.eq(&t, &zero);
                w.ite(&nothing, &none, &n)
            }),
        },
        Row {
            syntax: "fns.b32 d:b32, a:b32, b:b32, c:s32",
            slots: &[],
            section: "9.7.1.18 fns",
            says: "d = the position of the c-th bit set of a from bit b upwards, or downwards if c is negative; b itself if c \
                   is 0 and that bit is set; otherwise 2^32 - 1",
            shape: Shape::Alu(nth_set),
        },
        Row {
            syntax: "brev.type d:type, a:type",
            slots: &[("type", BITS)],
            section: "9.7.1.19 brev",
            says: "d = the bits of a in the other order",
            shape: Shape::Alu(|w, _, x| reverse(w, &x[0])),
        },
        Row {
            syntax: "bfe.type d:type, a:type, b:u32, c:u32",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.20 bfe",
            says: "d = the field of a from bit b, of length c, both modulo 256, extended by its sign for signed types; what of \
                   the field is above a is the sign of a, or 0",
            shape: Shape::Alu(|w, f, x| {
                let (at, len) = (byte(w, &x[1]), byte(w, &x[2]));
                if f.signed() {
                    let t = w.ashr(&x[0], &at);
                    sign_extend_from(w, &t, &len)
                } else {
                    let (t, m) = (w.lshr(&x[0], &at), low_ones(w, f.width(), &len));
                    w.and(&t, &m)
                }
            }),
        },
        Row {
            syntax: "bfi.type d:type, a:type, b:type, c:u32, e:u32",
            slots: &[("type", BITS)],
            section: "9.7.1.21 bfi",
            says: "d = b with the low bits of a as the field from bit c, of length e, both modulo 256",
            shape: Shape::Alu(|w, f, x| {
                let (at, len) = (byte(w, &x[2]), byte(w, &x[3]));
                let m = low_ones(w, f.width(), &len);
                let m = w.shl(&m, &at);
                let t = w.shl(&x[0], &at);
                let (t, m_not) = (w.and(&t, &m), w.not(&m));
                let rest = w.and(&x[1], &m_not);
                w.or(&t, &rest)
            }),
        },
        Row {
            syntax: "szext.mode.type d:type, a:type, b:u32",
            slots: &[("mode", MODE), ("type", WORDS)],
            section: "9.7.1.22 szext",
            says: "d = the low b bits of a, extended by their sign for s32; b modulo 32, or all of a from 32 on",
            shape: Shape::Alu(|w, f, x| {
                let n = amount(w, f, &x[1]);
                if f.signed() {
                    sign_extend_from(w, &x[0], &n)
                } else {
                    let m = low_ones(w, 32, &n);
                    w.and(&x[0], &m)
                }
            }),
        },
        Row {
            syntax: "bmsk.mode.b32 d:b32, a:u32, b:u32",
            slots: &[("mode", MODE)],
            section: "9.7.1.23 bmsk",
            says: "d = b bits set from bit a on; both modulo 32, or none and all from 32 on",
            shape: Shape::Alu(|w, f, x: &[A::Word]| {
                let (at, len) = (amount(w, f, &x[0]), amount(w, f, &x[1]));
                let m = low_ones(w, 32, &len);
                w.shl(&m, &at)
            }),
        },
        Row {
            syntax: "dp4a.atype.btype d:u32, a:u32, b:u32, c:u32",
            slots: &[("atype", WORDS), ("btype", WORDS)],
            section: "9.7.1.24 dp4a",
            says: "d = c plus the products of the bytes of a and b, extended by their signs for s32, modulo 2^32",
            shape: Shape::Alu(|w, f, x: &[A::Word]| {
                let mut sum = x[2].clone();
                for i in 0..4 {
                    let t = part_product(w, f, x, (8 * i, 8), 8 * i);
                    sum = w.add(&sum, &t);
                }
                sum
            }),
        },
        Row {
            syntax: "dp2a.mode.atype.btype d:u32, a:u32, b:u32, c:u32",
            slots: &[("mode", &["lo", "hi"]), ("atype", WORDS), ("btype", WORDS)],
            section: "9.7.1.25 dp2a",
            says: "d = c plus the products of the halves of a and the low or high two bytes of b, extended by their signs for \
                   s32, modulo 2^32",
            shape: Shape::Alu(|w, f, x: &[A::Word]| {
                let from = if f.word("mode") == "hi" { 16 } else { 0 };
                let mut sum = x[2].clone();
                for i in 0..2 {
                    let t = part_product(w, f, x, (16 * i, 16), from + 8 * i);
                    sum = w.add(&sum, &t);
                }
                sum
            }),
        },
    ];
}

/// The product of a part of `a` (lowest bit, width) and the byte of `b` from this bit on, in 32 bits.
fn part_product<A: WordAlg>(
    w: &mut A,
    f: &Form,
    x: &[A::Word],
    (lo, len): (u32, u32),
    byte: u32,
) -> A::Word {
    let (a, b) = (w.extract(&x[0], lo, len), w.extract(&x[1], byte, 8));
    let a = resize(w, &a, f.word("atype") == "s32", 32);
    let b = resize(w, &b, f.word("btype") == "s32", 32);
    w.mul(&a, &b)
}

/// A position or length modulo 256.
fn byte<A: WordAlg>(w: &mut A, a: &A::Word) -> A::Word {
    let m = w.lit(32, 0xFF);
    w.and(a, &m)
}

/// An amount, modulo 32 in the mode `wrap`.
fn amount<A: WordAlg>(w: &mut A, f: &Form, a: &A::Word) -> A::Word {
    if f.word("mode") == "wrap" {
        let m = w.lit(32, 31);
        w.and(a, &m)
    } else {
        a.clone()
    }
}

/// The complement of a negative number of a signed type, otherwise the number itself.
fn without_sign<A: WordAlg>(w: &mut A, f: &Form, a: &A::Word) -> A::Word {
    if f.signed() {
        let (n, t) = (negative(w, a), w.not(a));
        w.ite(&n, &t, a)
    } else {
        a.clone()
    }
}

fn leading_zeros<A: WordAlg>(w: &mut A, a: &A::Word) -> A::Word {
    let t = smear(w, a);
    let t = w.not(&t);
    let n = count_ones(w, &t);
    resize(w, &n, false, 32)
}

/// `fns`: downwards is upwards in the mask with its bits in the other order.
fn nth_set<A: WordAlg>(w: &mut A, _: &Form, x: &[A::Word]) -> A::Word {
    let (mask, base, offset) = (&x[0], &x[1], &x[2]);
    let (zero, one, last, none) = (w.lit(32, 0), w.lit(32, 1), w.lit(32, 31), ones(w, 32));
    let down = negative(w, offset);
    let reversed = reverse(w, mask);
    let from_top = w.sub(&last, base);
    let m = w.ite(&down, &reversed, mask);
    let from = w.ite(&down, &from_top, base);
    let m = w.lshr(&m, &from);
    let count = w.neg(offset);
    let count = w.ite(&down, &count, offset);
    let at = w.sub(&count, &one);
    let at = select(w, &m, &at);
    let at = w.add(&from, &at);
    let at_top = w.sub(&last, &at);
    let at = w.ite(&down, &at_top, &at);
    // Whether there are so many.
    let all = count_ones(w, &m);
    let enough = w.ule(&count, &all);
    let counted = w.ite(&enough, &at, &none);
    let here = w.lshr(mask, base);
    let here = w.and(&here, &one);
    let is_set = w.eq(&here, &one);
    let itself = w.ite(&is_set, base, &none);
    let is_zero = w.eq(offset, &zero);
    let found = w.ite(&is_zero, &itself, &counted);
    let inside = w.ule(base, &last);
    w.ite(&inside, &found, &none)
}

/// The position of bit number `k` among those set in `m` (32 bits): half of the rest is left out at each step.
fn select<A: WordAlg>(w: &mut A, m: &A::Word, k: &A::Word) -> A::Word {
    let (mut m, mut k, mut at) = (m.clone(), k.clone(), w.lit(32, 0));
    for half in [16u32, 8, 4, 2, 1] {
        let (low, by) = (w.lit(32, (1 << half) - 1), w.lit(32, u128::from(half)));
        let t = w.and(&m, &low);
        let below = count_ones(w, &t);
        let here = w.ult(&k, &below);
        let (rest, upper, further) = (w.sub(&k, &below), w.lshr(&m, &by), w.add(&at, &by));
        k = w.ite(&here, &k, &rest);
        m = w.ite(&here, &m, &upper);
        at = w.ite(&here, &at, &further);
    }
    at
}
