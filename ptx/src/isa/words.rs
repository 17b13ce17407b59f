//! What meanings are made of beyond the algebra's own operations.

use crate::alg::WordAlg;

/// All bits set.
pub(super) fn ones<A: WordAlg>(w: &mut A, width: u32) -> A::Word {
    w.lit(width, u128::MAX)
}

/// The word with its `n` lowest bits set, all if `n` is at least the width.
pub(super) fn low_ones<A: WordAlg>(w: &mut A, width: u32, n: &A::Word) -> A::Word {
    let all = ones(w, width);
    let rest = w.shl(&all, n);
    w.not(&rest)
}

/// `a` with the sign of its lowest `n` bits above them; all of `a` if `n` is at least its width, 0 if it is 0. `n` is a word
/// of width 32.
pub(super) fn sign_extend_from<A: WordAlg>(w: &mut A, a: &A::Word, n: &A::Word) -> A::Word {
    let (width, none) = (w.width(a), w.lit(32, 0));
    let full = w.lit(32, u128::from(width));
    let rest = w.sub(&full, n);
    let shorter = w.ult(n, &full);
    let by = w.ite(&shorter, &rest, &none);
    let top = w.shl(a, &by);
    w.ashr(&top, &by)
}

/// `a`, extended by the sign of a signed type, or its low bits.
pub(super) fn resize<A: WordAlg>(w: &mut A, a: &A::Word, signed: bool, to: u32) -> A::Word {
    let from = w.width(a);
    match (to > from, signed) {
        (true, true) => w.sext(a, to),
        (true, false) => w.zext(a, to),
        (false, _) if to < from => w.trunc(a, to),
        (false, _) => a.clone(),
    }
}

/// `a < b`, signed or unsigned.
pub(super) fn less<A: WordAlg>(w: &mut A, signed: bool, a: &A::Word, b: &A::Word) -> A::Bool {
    if signed { w.slt(a, b) } else { w.ult(a, b) }
}

/// The smaller of two, signed or unsigned.
pub(super) fn smaller<A: WordAlg>(w: &mut A, signed: bool, a: &A::Word, b: &A::Word) -> A::Word {
    let c = less(w, signed, a, b);
    w.ite(&c, a, b)
}

/// The larger of two, signed or unsigned.
pub(super) fn larger<A: WordAlg>(w: &mut A, signed: bool, a: &A::Word, b: &A::Word) -> A::Word {
    let c = less(w, signed, b, a);
    w.ite(&c, a, b)
}

/// `and`, `or` or `xor`, bit by bit.
pub(super) fn bitwise<A: WordAlg>(w: &mut A, op: &str, a: &A::Word, b: &A::Word) -> A::Word {
    match op {
        "and" => w.and(a, b),
        "or" => w.or(a, b),
        _ => w.xor(a, b),
    }
}

/// Whether `a` is negative in two's complement.
pub(super) fn negative<A: WordAlg>(w: &mut A, a: &A::Word) -> A::Bool {
    let zero = w.lit(w.width(a), 0);
    w.slt(a, &zero)
}

/// `|a|`, modulo 2^width.
pub(super) fn magnitude<A: WordAlg>(w: &mut A, a: &A::Word) -> A::Word {
    let (n, t) = (negative(w, a), w.neg(a));
    w.ite(&n, &t, a)
}

/// `a`, a signed number, as the nearest number of the type with `to` bits, which must be less than the width of `a`.
pub(super) fn saturate<A: WordAlg>(w: &mut A, a: &A::Word, signed: bool, to: u32) -> A::Word {
    let width = w.width(a);
    let (least, most) = if signed {
        let half = 1u128 << (to - 1);
        (half.wrapping_neg(), half - 1)
    } else {
        (0, u128::MAX >> (128 - to))
    };
    let (least, most) = (w.lit(width, least), w.lit(width, most));
    let (below, above) = (w.slt(a, &least), w.slt(&most, a));
    let t = w.ite(&above, &most, a);
    let t = w.ite(&below, &least, &t);
    w.trunc(&t, to)
}

/// `f` on the halves of words, side by side again.
pub(super) fn halves<A: WordAlg>(
    w: &mut A,
    x: &[A::Word],
    f: impl Fn(&mut A, &A::Word, &A::Word) -> A::Word,
) -> A::Word {
    let half = w.width(&x[0]) / 2;
    let (a, b) = (w.extract(&x[0], 0, half), w.extract(&x[1], 0, half));
    let lo = f(w, &a, &b);
    let (a, b) = (w.extract(&x[0], half, half), w.extract(&x[1], half, half));
    let hi = f(w, &a, &b);
    w.concat(&hi, &lo)
}

/// How many bits are set, in the width of `a` (32 or 64).
pub(super) fn count_ones<A: WordAlg>(w: &mut A, a: &A::Word) -> A::Word {
    let width = w.width(a);
    let every = |byte: u128| byte * (u128::MAX / 255);
    // Sums of two bits, of four, of eight, then of all bytes in the highest one.
    let by = w.lit(8, 1);
    let t = w.lshr(a, &by);
    let m = w.lit(width, every(0x55));
    let t = w.and(&t, &m);
    let t = w.sub(a, &t);
    let (m, by) = (w.lit(width, every(0x33)), w.lit(8, 2));
    let lo = w.and(&t, &m);
    let hi = w.lshr(&t, &by);
    let hi = w.and(&hi, &m);
    let t = w.add(&lo, &hi);
    let by = w.lit(8, 4);
    let hi = w.lshr(&t, &by);
    let t = w.add(&t, &hi);
    let m = w.lit(width, every(0x0F));
    let t = w.and(&t, &m);
    let m = w.lit(width, every(0x01));
    let t = w.mul(&t, &m);
    let by = w.lit(8, u128::from(width - 8));
    w.lshr(&t, &by)
}

/// All bits from the highest one set downwards.
pub(super) fn smear<A: WordAlg>(w: &mut A, a: &A::Word) -> A::Word {
    let (width, mut t, mut by) = (w.width(a), a.clone(), 1);
    while by < width {
        let n = w.lit(8, u128::from(by));
        let s = w.lshr(&t, &n);
        t = w.or(&t, &s);
        by *= 2;
    }
    t
}

/// The bits in the other order (widths 32 and 64).
pub(super) fn reverse<A: WordAlg>(w: &mut A, a: &A::Word) -> A::Word {
    let (width, mut t, mut by) = (w.width(a), a.clone(), 1);
    while by < width {
        // Blocks of `by` bits change places with their neighbours.
        let block = (1u128 << by) - 1;
        let mask = (0..width / (2 * by)).fold(0, |m, i| m | block << (2 * by * i));
        let (m, n) = (w.lit(width, mask), w.lit(8, u128::from(by)));
        let lo = w.and(&t, &m);
        let lo = w.shl(&lo, &n);
        let hi = w.lshr(&t, &n);
        let hi = w.and(&hi, &m);
        t = w.or(&hi, &lo);
        by *= 2;
    }
    t
}
