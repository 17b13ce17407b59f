//! What the meanings of float instructions are made of: operations named by the words of an opcode, on numbers or on both
//! halves of packed words, and what needs only the bits.

use super::Form;
use crate::alg::WordAlg;
use crate::alg::float_op::{Approx, Arith, Clamp, FloatOp, Format, Round};

impl Form {
    /// Whether this is a float product without a rounding modifier. The assembler may fuse it with a sum that has none either
    /// (ISA §9.7.3.5, §9.7.4.3), and then neither is a function of its operands. A run rounds both; in the logic a kernel where
    /// a product may come to such a sum has no meaning (`program/fuse.rs`).
    pub fn may_fuse(&self) -> bool {
        self.opcode.starts_with("mul.")
            && super::types::is_float(self.word("type"))
            && self.word("rnd").is_empty()
    }

    /// The format in a slot, or that of the halves; `f32` if there is none.
    pub(super) fn format(&self, slot: &str) -> Format {
        Format::from_name(self.word(slot)).unwrap_or(Format::F32)
    }

    /// The rounding in a slot; to nearest even if there is none.
    pub(super) fn round(&self, slot: &str) -> Round {
        Round::from_name(self.word(slot)).unwrap_or(Round::Nearest)
    }

    /// Whether a modifier that may be left out is there.
    pub(super) fn has(&self, word: &str) -> bool {
        !self.word(word).is_empty()
    }

    fn clamp(&self) -> Clamp {
        Clamp::new(self.has("sat"), self.has("relu"), self.has("satfinite"))
    }
}

/// `f` on numbers; of packed words on both halves, the results side by side again.
pub(super) fn lanes<A: WordAlg>(
    w: &mut A,
    ty: &str,
    x: &[A::Word],
    f: impl Fn(&mut A, &[&A::Word]) -> A::Word,
) -> A::Word {
    if !ty.ends_with("x2") {
        return f(w, &x.iter().collect::<Vec<_>>());
    }
    let part = |w: &mut A, lo: u32| {
        let parts: Vec<A::Word> = x
            .iter()
            .map(|a| {
                let half = w.width(a) / 2;
                w.extract(a, lo * half, half)
            })
            .collect();
        f(w, &parts.iter().collect::<Vec<_>>())
    };
    let (lo, hi) = (part(w, 0), part(w, 1));
    w.concat(&hi, &lo)
}

/// The correctly rounded operation with the opcode's modifiers, on numbers of the type in the slot `type`.
pub(super) fn rounded<A: WordAlg>(w: &mut A, f: &Form, op: Arith, x: &[A::Word]) -> A::Word {
    let op = FloatOp::Rounded {
        op,
        ty: f.format("type"),
        round: f.round("rnd"),
        ftz: f.has("ftz"),
        clamp: f.clamp(),
    };
    lanes(w, f.word("type"), x, |w, x| w.float(op, x))
}

/// The approximate function.
pub(super) fn approx<A: WordAlg>(w: &mut A, f: &Form, op: Approx, x: &[A::Word]) -> A::Word {
    let (ty, ftz) = (f.format("type"), f.has("ftz"));
    lanes(w, f.word("type"), x, |w, x| {
        w.float(FloatOp::Approx { op, ty, ftz }, x)
    })
}

/// The smaller or larger of two.
pub(super) fn extreme<A: WordAlg>(w: &mut A, f: &Form, max: bool, x: &[A::Word]) -> A::Word {
    let op = extreme_op(f, max);
    lanes(w, f.word("type"), x, |w, x| w.float(op, x))
}

fn extreme_op(f: &Form, max: bool) -> FloatOp {
    FloatOp::Extreme {
        max,
        ty: f.format("type"),
        ftz: f.has("ftz"),
        nan: f.has("NaN"),
    }
}

/// `.xorsign.abs`: the smaller or larger magnitude, with the exclusive or of the signs unless it is a NaN.
pub(super) fn extreme_magnitude<A: WordAlg>(
    w: &mut A,
    f: &Form,
    max: bool,
    x: &[A::Word],
) -> A::Word {
    let (op, ty) = (extreme_op(f, max), f.format("type"));
    lanes(w, f.word("type"), x, |w, x| {
        let (sign, rest) = sign_masks(w, ty.width());
        let (a, b) = (w.and(x[0], &rest), w.and(x[1], &rest));
        let m = w.float(op, &[&a, &b]);
        let s = w.xor(x[0], x[1]);
        let s = w.and(&s, &sign);
        let signed = w.or(&m, &s);
        let magnitude = w.and(&m, &rest);
        let infinity = w.lit(ty.width(), u128::from(infinity(ty)));
        let number = w.ule(&magnitude, &infinity);
        w.ite(&number, &signed, &m)
    })
}

/// The word of +∞.
fn infinity(ty: Format) -> u64 {
    (1 << (ty.width() - 1)) - (1 << ty.fraction())
}

/// The sign bit, and all others.
pub(super) fn sign_masks<A: WordAlg>(w: &mut A, width: u32) -> (A::Word, A::Word) {
    let sign = w.lit(width, 1 << (width - 1));
    let rest = w.not(&sign);
    (sign, rest)
}

/// What happens to a sign.
#[derive(Clone, Copy)]
pub(super) enum Sign {
    Clear,
    Flip,
}

/// A number with another sign; with `.ftz`, a zero if it is subnormal.
pub(super) fn signs<A: WordAlg>(w: &mut A, f: &Form, change: Sign, x: &[A::Word]) -> A::Word {
    let (ty, ftz) = (f.format("type"), f.has("ftz"));
    lanes(w, f.word("type"), x, |w, x| {
        let (sign, rest) = sign_masks(w, ty.width());
        let y = match change {
            Sign::Clear => w.and(x[0], &rest),
            Sign::Flip => w.xor(x[0], &sign),
        };
        if !ftz {
            return y;
        }
        let exponent = w.lit(ty.width(), u128::from(infinity(ty)));
        let (e, zero) = (w.and(&y, &exponent), w.lit(ty.width(), 0));
        let (subnormal, flushed) = (w.eq(&e, &zero), w.and(&y, &sign));
        w.ite(&subnormal, &flushed, &y)
    })
}

/// The class of a number.
pub(super) fn testp<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let (ty, width) = (f.format("type"), f.width());
    let (_, rest) = sign_masks(w, width);
    let m = w.and(&x[0], &rest);
    let infinity = w.lit(width, u128::from(infinity(ty)));
    let c = match f.word("op") {
        "finite" => w.ult(&m, &infinity),
        "infinite" => w.eq(&m, &infinity),
        "number" => w.ule(&m, &infinity),
        "notanumber" => w.ult(&infinity, &m),
        // Of the numbers from 1 on, those below the lowest normal one are subnormal; 0 wraps to the end of the order.
        class => {
            let (one, edge) = (w.lit(width, 1), w.lit(width, (1 << ty.fraction()) - 1));
            let k = w.sub(&m, &one);
            let subnormal = w.ult(&k, &edge);
            if class == "subnormal" {
                subnormal
            } else {
                let finite = w.ult(&m, &infinity);
                let (n, f) = (w.bool_not(&subnormal), w.of_bool(&finite));
                let n = w.of_bool(&n);
                return w.and(&n, &f);
            }
        }
    };
    w.of_bool(&c)
}

/// `.approx.ftz.f64`: computed from the upper half of the operand, and only the upper half of the result is not 0.
pub(super) fn gross<A: WordAlg>(w: &mut A, op: Approx, x: &[A::Word]) -> A::Word {
    let (hi, zero) = (w.extract(&x[0], 32, 32), w.lit(32, 0));
    let a = w.concat(&hi, &zero);
    let op = FloatOp::Approx {
        op,
        ty: Format::F64,
        ftz: true,
    };
    let y = w.float(op, &[&a]);
    let hi = w.extract(&y, 32, 32);
    w.concat(&hi, &zero)
}

/// A conversion between formats, with the opcode's modifiers.
pub(super) fn convert(f: &Form, to: Format, from: Format) -> FloatOp {
    FloatOp::Convert {
        to,
        from,
        round: Round::from_name(f.word("rnd")),
        ftz: f.has("ftz"),
        clamp: f.clamp(),
    }
}
