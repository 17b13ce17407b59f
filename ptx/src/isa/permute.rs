//! Permutation of bytes (ISA §9.7.10.7).

use std::marker::PhantomData;

use super::{Form, Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "prmt.b32 d:b32, a:b32, b:b32, c:b32",
            slots: &[],
            section: "9.7.10.7 prmt",
            says: "byte i of d = of the eight bytes of b and a side by side the one that bits 0 to 2 of digit i of c number, or \
                   its sign eight times if bit 3 of the digit is set",
            shape: Shape::Alu(|w, _, x| {
                let both = w.concat(&x[1], &x[0]);
                let mut bytes = Vec::new();
                for i in 0..4 {
                    let number = w.extract(&x[2], 4 * i, 3);
                    let t = byte(w, &both, &number);
                    let by = w.lit(8, 7);
                    let sign = w.ashr(&t, &by);
                    let wanted = w.extract(&x[2], 4 * i + 3, 1);
                    let wanted = w.to_bool(&wanted);
                    bytes.push(w.ite(&wanted, &sign, &t));
                }
                side_by_side(w, &bytes)
            }),
        },
        Row {
            syntax: "prmt.b32.mode d:b32, a:b32, b:b32, c:b32",
            slots: &[("mode", &["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"])],
            section: "9.7.10.7 prmt",
            says: "the bytes of d = those of b and a side by side that the mode and the low two bits of c number",
            shape: Shape::Alu(special),
        },
    ];
}

/// Byte number `n` (a word of 3 bits) of a word of 64.
fn byte<A: WordAlg>(w: &mut A, both: &A::Word, n: &A::Word) -> A::Word {
    let zeros = w.lit(3, 0);
    let by = w.concat(n, &zeros);
    let t = w.lshr(both, &by);
    w.trunc(&t, 8)
}

fn side_by_side<A: WordAlg>(w: &mut A, bytes: &[A::Word]) -> A::Word {
    let mut all = bytes[0].clone();
    for b in &bytes[1..] {
        all = w.concat(b, &all);
    }
    all
}

/// The number of the byte that goes to place `i`, for selector `s`.
fn number(mode: &str, s: u128, i: u128) -> u128 {
    match mode {
        "f4e" => s + i,
        "b4e" => (s + 8 - i) % 8,
        "rc8" => s,
        "ecl" => s.max(i),
        "ecr" => s.min(i),
        _ => 2 * (s % 2) + i % 2,
    }
}

fn special<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let mode = f.word("mode");
    let both = w.concat(&x[1], &x[0]);
    let selectors = [w.extract(&x[2], 0, 1), w.extract(&x[2], 1, 1)];
    let [odd, upper] = selectors.map(|s| w.to_bool(&s));
    let mut bytes = Vec::new();
    for i in 0..4 {
        let n: Vec<A::Word> = (0..4).map(|s| w.lit(3, number(mode, s, i))).collect();
        let (low, high) = (w.ite(&odd, &n[1], &n[0]), w.ite(&odd, &n[3], &n[2]));
        let n = w.ite(&upper, &high, &low);
        bytes.push(byte(w, &both, &n));
    }
    side_by_side(w, &bytes)
}
