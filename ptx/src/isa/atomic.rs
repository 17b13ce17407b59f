//! Atomic operations (ISA §9.7.15.5–6): their meanings are what is in memory afterwards, from what was there and the sources.

use std::marker::PhantomData;

use super::floats::rounded;
use super::words::{bitwise, larger, smaller};
use super::{Form, Row, Shape};
use crate::alg::WordAlg;
use crate::alg::float_op::{Arith, Clamp, FloatOp, Format, Round};

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Memory semantics.
const SEM: &[&str] = &["relaxed", "acquire", "release", "acq_rel"];
/// Scopes.
const SCOPE: &[&str] = &["cta", "cluster", "gpu", "sys"];
/// Where.
const SPACE: &[&str] = &["global", "shared", "shared::cta", "shared::cluster"];
/// A hint.
const HINT: &[&str] = &["L2::cache_hint"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "atom{.sem}{.scope}{.space}.op{.hint}.type d:type, [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("op", &["and", "or", "xor"]),
                ("hint", HINT),
                ("type", &["b32", "b64"]),
            ],
            section: "9.7.15.5 atom",
            says: "bit by bit",
            shape: Shape::Atom(|w, f, x| bitwise(w, f.word("op"), &x[0], &x[1])),
        },
        Row {
            syntax: "atom{.sem}{.scope}{.space}.add{.hint}.type d:type, [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["u32", "s32", "u64"]),
            ],
            section: "9.7.15.5 atom",
            says: "the sum",
            shape: Shape::Atom(|w, _, x| w.add(&x[0], &x[1])),
        },
        Row {
            syntax: "atom{.sem}{.scope}{.space}.add{.hint}.type d:type, [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["f32"]),
            ],
            section: "9.7.15.5 atom",
            says: "the sum, rounded to nearest even; subnormal numbers are 0 but in shared memory",
            shape: Shape::Atom(add_f32),
        },
        Row {
            syntax: "atom{.sem}{.scope}{.space}.add{.hint}.type d:type, [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["f64"]),
            ],
            section: "9.7.15.5 atom",
            says: "the sum, rounded to nearest even",
            shape: Shape::Atom(|w, f, x| rounded(w, f, Arith::Add, &x[..2])),
        },
        Row {
            syntax: "atom{.sem}{.scope}{.space}.add.noftz{.hint}.type d:type, [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["f16", "f16x2", "bf16", "bf16x2"]),
            ],
            section: "9.7.15.5 atom",
            says: "the sum, rounded to nearest even",
            shape: Shape::Atom(|w, f, x| rounded(w, f, Arith::Add, &x[..2])),
        },
        Row {
            syntax: "atom{.sem}{.scope}{.space}.op{.hint}.type d:type, [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("op", &["min", "max"]),
                ("hint", HINT),
                ("type", &["u32", "s32", "u64", "s64"]),
            ],
            section: "9.7.15.5 atom",
            says: "the smaller or the larger",
            shape: Shape::Atom(extreme),
        },
        Row {
            syntax: "atom{.sem}{.scope}{.space}.inc{.hint}.type d:type, [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["u32"]),
            ],
            section: "9.7.15.5 atom",
            says: "0 if what is in memory is at least b, otherwise one more",
            shape: Shape::Atom(inc),
        },
        Row {
            syntax: "atom{.sem}{.scope}{.space}.dec{.hint}.type d:type, [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["u32"]),
            ],
            section: "9.7.15.5 atom",
            says: "b if what is in memory is 0 or more than b, otherwise one less",
            shape: Shape::Atom(dec),
        },
        Row {
            syntax: "atom{.sem}{.scope}{.space}.exch{.hint}.type d:type, [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["b32", "b64", "b128"]),
            ],
            section: "9.7.15.5 atom",
            says: "b",
            shape: Shape::Atom(|_, _, x: &[A::Word]| x[1].clone()),
        },
        Row {
            syntax: "atom{.sem}{.scope}{.space}.cas{.hint}.type d:type, [a], b:type, c:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["b16", "b32", "b64", "b128"]),
            ],
            section: "9.7.15.5 atom",
            says: "c if b is in memory, otherwise what is there",
            shape: Shape::Atom(|w, _, x| {
                let c = w.eq(&x[0], &x[1]);
                w.ite(&c, &x[2], &x[0])
            }),
        },
        Row {
            syntax: "red{.sem}{.scope}{.space}.op{.hint}.type [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("op", &["and", "or", "xor"]),
                ("hint", HINT),
                ("type", &["b32", "b64"]),
            ],
            section: "9.7.15.6 red",
            says: "bit by bit",
            shape: Shape::Red(|w, f, x| bitwise(w, f.word("op"), &x[0], &x[1])),
        },
        Row {
            syntax: "red{.sem}{.scope}{.space}.add{.hint}.type [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["u32", "s32", "u64"]),
            ],
            section: "9.7.15.6 red",
            says: "the sum",
            shape: Shape::Red(|w, _, x| w.add(&x[0], &x[1])),
        },
        Row {
            syntax: "red{.sem}{.scope}{.space}.add{.hint}.type [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["f32"]),
            ],
            section: "9.7.15.6 red",
            says: "the sum, rounded to nearest even; subnormal numbers are 0 but in shared memory",
            shape: Shape::Red(add_f32),
        },
        Row {
            syntax: "red{.sem}{.scope}{.space}.add{.hint}.type [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["f64"]),
            ],
            section: "9.7.15.6 red",
            says: "the sum, rounded to nearest even",
            shape: Shape::Red(|w, f, x| rounded(w, f, Arith::Add, &x[..2])),
        },
        Row {
            syntax: "red{.sem}{.scope}{.space}.add.noftz{.hint}.type [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["f16", "f16x2", "bf16", "bf16x2"]),
            ],
            section: "9.7.15.6 red",
            says: "the sum, rounded to nearest even",
            shape: Shape::Red(|w, f, x| rounded(w, f, Arith::Add, &x[..2])),
        },
        Row {
            syntax: "red{.sem}{.scope}{.space}.op{.hint}.type [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("op", &["min", "max"]),
                ("hint", HINT),
                ("type", &["u32", "s32", "u64", "s64"]),
            ],
            section: "9.7.15.6 red",
            says: "the smaller or the larger",
            shape: Shape::Red(extreme),
        },
        Row {
            syntax: "red{.sem}{.scope}{.space}.inc{.hint}.type [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["u32"]),
            ],
            section: "9.7.15.6 red",
            says: "0 if what is in memory is at least b, otherwise one more",
            shape: Shape::Red(inc),
        },
        Row {
            syntax: "red{.sem}{.scope}{.space}.dec{.hint}.type [a], b:type{, h:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SPACE),
                ("hint", HINT),
                ("type", &["u32"]),
            ],
            section: "9.7.15.6 red",
            says: "b if what is in memory is 0 or more than b, otherwise one less",
            shape: Shape::Red(dec),
        },
    ];
}

/// The sum of numbers: subnormal ones are flushed in global memory and kept in shared memory. (Of a generic address this
/// cannot be told here: it counts as global.)
fn add_f32<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let op = FloatOp::Rounded {
        op: Arith::Add,
        ty: Format::F32,
        round: Round::Nearest,
        ftz: !f.word("space").starts_with("shared"),
        clamp: Clamp::Unclamped,
    };
    w.float(op, &[&x[0], &x[1]])
}

/// The smaller or the larger of two.
fn extreme<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    match f.word("op") {
        "min" => smaller(w, f.signed(), &x[0], &x[1]),
        _ => larger(w, f.signed(), &x[0], &x[1]),
    }
}

/// One more, from 0 again after `x[1]`.
fn inc<A: WordAlg>(w: &mut A, _: &Form, x: &[A::Word]) -> A::Word {
    let (zero, one) = (w.lit(32, 0), w.lit(32, 1));
    let more = w.add(&x[0], &one);
    let wraps = w.ule(&x[1], &x[0]);
    w.ite(&wraps, &zero, &more)
}

/// One less, from `x[1]` again after 0.
fn dec<A: WordAlg>(w: &mut A, _: &Form, x: &[A::Word]) -> A::Word {
    let (zero, one) = (w.lit(32, 0), w.lit(32, 1));
    let less = w.sub(&x[0], &one);
    let (above, none) = (w.ult(&x[1], &x[0]), w.eq(&x[0], &zero));
    let t = w.ite(&above, &x[1], &less);
    w.ite(&none, &x[1], &t)
}
