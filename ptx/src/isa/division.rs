//! Integer division (ISA §9.7.1.9–10).
//!
//! It rounds towards zero, and a remainder has the sign of the dividend, as on every machine. Division by zero is
//! unspecified: its result is a field of `FloatOps`, of which nothing is assumed but that it is a function of the dividend.

use std::marker::PhantomData;

use super::words::{magnitude, negative};
use super::{Form, INTEGERS, Row, Shape};
use crate::alg::float_op::Int;
use crate::alg::{FloatOp, WordAlg};

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "div.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.9 div",
            says: "d = a / b, rounded towards zero, modulo 2^width; unspecified if b is 0",
            shape: Shape::Float(quotient),
        },
        Row {
            syntax: "rem.type d:type, a:type, b:type",
            slots: &[("type", INTEGERS)],
            section: "9.7.1.10 rem",
            says: "d = a - b * (a / b); unspecified if b is 0",
            shape: Shape::Float(remainder),
        },
    ];
}

/// The type of the instruction.
fn int(f: &Form) -> Int {
    Int {
        signed: f.signed(),
        width: f.width(),
    }
}

/// `t`, or what `op` says of the dividend if the divisor is 0.
fn unless_zero<A: WordAlg>(w: &mut A, op: FloatOp, x: &[A::Word], t: &A::Word) -> A::Word {
    let zero = w.lit(w.width(&x[1]), 0);
    let by_zero = w.eq(&x[1], &zero);
    let unspecified = w.float(op, &[&x[0]]);
    w.ite(&by_zero, &unspecified, t)
}

/// `t`, or its negative if the condition holds.
fn with_sign<A: WordAlg>(w: &mut A, c: &A::Bool, t: &A::Word) -> A::Word {
    let n = w.neg(t);
    w.ite(c, &n, t)
}

fn quotient<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let t = if f.signed() {
        let (a, b) = (magnitude(w, &x[0]), magnitude(w, &x[1]));
        let t = w.udiv(&a, &b);
        let signs = w.xor(&x[0], &x[1]);
        let differ = negative(w, &signs);
        with_sign(w, &differ, &t)
    } else {
        w.udiv(&x[0], &x[1])
    };
    unless_zero(w, FloatOp::DivZero(int(f)), x, &t)
}

fn remainder<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let t = if f.signed() {
        let (a, b) = (magnitude(w, &x[0]), magnitude(w, &x[1]));
        let t = w.urem(&a, &b);
        let below = negative(w, &x[0]);
        with_sign(w, &below, &t)
    } else {
        w.urem(&x[0], &x[1])
    };
    unless_zero(w, FloatOp::RemZero(int(f)), x, &t)
}
