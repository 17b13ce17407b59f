//! Comparison and selection (ISA §9.7.7, §9.7.8) of numbers: all from four comparisons that are fields of `FloatOps`.

use std::marker::PhantomData;

use super::compare::{combine, truth};
use super::{Cmp, Form, Row, Shape, Slot};
use crate::alg::WordAlg;
use crate::alg::float_op::{self, FloatOp, Format};

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// The comparisons (ISA §9.3.1.2).
const CMP: Slot = (
    "cmp",
    &[
        "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
    ],
);
/// What a comparison is combined with another predicate by.
const BOOL: Slot = ("bool", &["and", "or", "xor"]);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "setp.cmp{.ftz}.type p:pred, a:type, b:type",
            slots: &[CMP, ("type", &["f32"])],
            section: "9.7.7.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp{.ftz}.type p:pred|q:pred, a:type, b:type",
            slots: &[CMP, ("type", &["f32"])],
            section: "9.7.7.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b; q the opposite",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.bool{.ftz}.type p:pred, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("type", &["f32"])],
            section: "9.7.7.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b, combined with c",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.bool{.ftz}.type p:pred|q:pred, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("type", &["f32"])],
            section: "9.7.7.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b, combined with c; q = the opposite combined with c",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.type p:pred, a:type, b:type",
            slots: &[CMP, ("type", &["f64"])],
            section: "9.7.7.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.type p:pred|q:pred, a:type, b:type",
            slots: &[CMP, ("type", &["f64"])],
            section: "9.7.7.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b; q the opposite",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.bool.type p:pred, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("type", &["f64"])],
            section: "9.7.7.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b, combined with c",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.bool.type p:pred|q:pred, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("type", &["f64"])],
            section: "9.7.7.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b, combined with c; q = the opposite combined with c",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp{.ftz}.type p:pred, a:type, b:type",
            slots: &[CMP, ("type", &["f16"])],
            section: "9.7.8.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.bool{.ftz}.type p:pred, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("type", &["f16"])],
            section: "9.7.8.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b, combined with c",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.type p:pred, a:type, b:type",
            slots: &[CMP, ("type", &["bf16"])],
            section: "9.7.8.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.bool.type p:pred, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("type", &["bf16"])],
            section: "9.7.8.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = a compared with b, combined with c",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp{.ftz}.type p:pred|q:pred, a:type, b:type",
            slots: &[CMP, ("type", &["f16x2"])],
            section: "9.7.8.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = the low halves compared; q = the high ones",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.bool{.ftz}.type p:pred|q:pred, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("type", &["f16x2"])],
            section: "9.7.8.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = the low halves compared, combined with c; q = the high ones, with the same c",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.type p:pred|q:pred, a:type, b:type",
            slots: &[CMP, ("type", &["bf16x2"])],
            section: "9.7.8.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = the low halves compared; q = the high ones",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "setp.cmp.bool.type p:pred|q:pred, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("type", &["bf16x2"])],
            section: "9.7.8.2 setp, 9.3.1.2 floating point comparisons",
            says: "p = the low halves compared, combined with c; q = the high ones, with the same c",
            shape: Shape::Float(setp),
        },
        Row {
            syntax: "set.cmp{.ftz}.dtype.type d:dtype, a:type, b:type",
            slots: &[
                CMP,
                ("dtype", &["u32", "s32", "f32", "f16"]),
                ("type", &["f32"]),
            ],
            section: "9.7.7.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.bool{.ftz}.dtype.type d:dtype, a:type, b:type, {!}c:pred",
            slots: &[
                CMP,
                BOOL,
                ("dtype", &["u32", "s32", "f32", "f16"]),
                ("type", &["f32"]),
            ],
            section: "9.7.7.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, combined with c, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.dtype.type d:dtype, a:type, b:type",
            slots: &[CMP, ("dtype", &["bf16"]), ("type", &["f32", "f64"])],
            section: "9.7.7.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("dtype", &["bf16"]), ("type", &["f32", "f64"])],
            section: "9.7.7.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, combined with c, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.dtype.type d:dtype, a:type, b:type",
            slots: &[
                CMP,
                ("dtype", &["u32", "s32", "f32", "f16"]),
                ("type", &["f64"]),
            ],
            section: "9.7.7.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred",
            slots: &[
                CMP,
                BOOL,
                ("dtype", &["u32", "s32", "f32", "f16"]),
                ("type", &["f64"]),
            ],
            section: "9.7.7.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, combined with c, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp{.ftz}.dtype.type d:dtype, a:type, b:type",
            slots: &[
                CMP,
                ("dtype", &["u16", "s16", "u32", "s32", "f16"]),
                ("type", &["f16"]),
            ],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.bool{.ftz}.dtype.type d:dtype, a:type, b:type, {!}c:pred",
            slots: &[
                CMP,
                BOOL,
                ("dtype", &["u16", "s16", "u32", "s32", "f16"]),
                ("type", &["f16"]),
            ],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, combined with c, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.dtype.type d:dtype, a:type, b:type",
            slots: &[CMP, ("dtype", &["bf16"]), ("type", &["f16"])],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred",
            slots: &[CMP, BOOL, ("dtype", &["bf16"]), ("type", &["f16"])],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, combined with c, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.dtype.type d:dtype, a:type, b:type",
            slots: &[
                CMP,
                ("dtype", &["u16", "s16", "u32", "s32", "bf16"]),
                ("type", &["bf16"]),
            ],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred",
            slots: &[
                CMP,
                BOOL,
                ("dtype", &["u16", "s16", "u32", "s32", "bf16"]),
                ("type", &["bf16"]),
            ],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "d = all ones, or the number 1, if a compares with b, combined with c, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp{.ftz}.dtype.type d:dtype, a:type, b:type",
            slots: &[
                CMP,
                ("dtype", &["f16x2", "u32", "s32"]),
                ("type", &["f16x2"]),
            ],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "each half of d = all ones, or the number 1, if those of a and b compare, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.bool{.ftz}.dtype.type d:dtype, a:type, b:type, {!}c:pred",
            slots: &[
                CMP,
                BOOL,
                ("dtype", &["f16x2", "u32", "s32"]),
                ("type", &["f16x2"]),
            ],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "each half of d = all ones, or the number 1, if those of a and b compare, combined with c, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.dtype.type d:dtype, a:type, b:type",
            slots: &[
                CMP,
                ("dtype", &["bf16x2", "u32", "s32"]),
                ("type", &["bf16x2"]),
            ],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "each half of d = all ones, or the number 1, if those of a and b compare, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "set.cmp.bool.dtype.type d:dtype, a:type, b:type, {!}c:pred",
            slots: &[
                CMP,
                BOOL,
                ("dtype", &["bf16x2", "u32", "s32"]),
                ("type", &["bf16x2"]),
            ],
            section: "9.7.8.1 set, 9.3.1.2 floating point comparisons",
            says: "each half of d = all ones, or the number 1, if those of a and b compare, combined with c, otherwise 0",
            shape: Shape::Float(set),
        },
        Row {
            syntax: "slct{.ftz}.type.f32 d:type, a:type, b:type, c:f32",
            slots: &[(
                "type",
                &[
                    "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64",
                ],
            )],
            section: "9.7.7.4 slct",
            says: "d = a if c is at least 0, otherwise b, also if c is a NaN",
            shape: Shape::Float(|w, f, x| {
                let (zero, ftz) = (w.lit(32, 0), f.has("ftz"));
                let (cmp, ty) = (float_op::Cmp::Le, Format::F32);
                let t = w.float(FloatOp::Compare { cmp, ty, ftz }, &[&zero, &x[2]]);
                let t = w.to_bool(&t);
                w.ite(&t, &x[0], &x[1])
            }),
        },
    ];
}

/// Whether two numbers of a format compare as the opcode says: a predicate.
fn compare<A: WordAlg>(w: &mut A, f: &Form, ty: Format, a: &A::Word, b: &A::Word) -> A::Word {
    use float_op::Cmp::{Eq, Le, Lt, Unordered};
    let ftz = f.has("ftz");
    let ask = |cmp, x: &A::Word, y: &A::Word, w: &mut A| {
        w.float(FloatOp::Compare { cmp, ty, ftz }, &[x, y])
    };
    let cmp = f.cmp();
    let t = match cmp {
        Cmp::Eq | Cmp::Equ | Cmp::Ne | Cmp::Neu => ask(Eq, a, b, w),
        Cmp::Lt | Cmp::Ltu => ask(Lt, a, b, w),
        Cmp::Le | Cmp::Leu => ask(Le, a, b, w),
        Cmp::Gt | Cmp::Gtu => ask(Lt, b, a, w),
        Cmp::Ge | Cmp::Geu => ask(Le, b, a, w),
        Cmp::Num | Cmp::Nan => ask(Unordered, a, b, w),
    };
    match cmp {
        Cmp::Equ | Cmp::Ltu | Cmp::Leu | Cmp::Gtu | Cmp::Geu => {
            let u = ask(Unordered, a, b, w);
            w.or(&t, &u)
        }
        // Not equal, and no NaN.
        Cmp::Ne => {
            let u = ask(Unordered, a, b, w);
            let t = w.or(&t, &u);
            w.not(&t)
        }
        Cmp::Neu | Cmp::Num => w.not(&t),
        _ => t,
    }
}

/// The comparison of the operands, combined with a third one if there is such, and the other result: the opposite, or of
/// packed operands the comparison of the high halves.
fn both<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> (A::Word, A::Word) {
    let ty = f.format("type");
    let (p, q) = if f.word("type").ends_with("x2") {
        let (a, b) = (w.extract(&x[0], 0, 16), w.extract(&x[1], 0, 16));
        let p = compare(w, f, ty, &a, &b);
        let (a, b) = (w.extract(&x[0], 16, 16), w.extract(&x[1], 16, 16));
        (p, compare(w, f, ty, &a, &b))
    } else {
        let p = compare(w, f, ty, &x[0], &x[1]);
        let q = w.not(&p);
        (p, q)
    };
    let Some(c) = x.get(2) else {
        return (p, q);
    };
    let (p, q) = (w.to_bool(&p), w.to_bool(&q));
    (combine(w, f, &p, c), combine(w, f, &q, c))
}

fn setp<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let (p, q) = both(w, f, x);
    if f.dests().len() == 2 {
        w.concat(&q, &p)
    } else {
        p
    }
}

fn set<A: WordAlg>(w: &mut A, f: &Form, x: &[A::Word]) -> A::Word {
    let (p, q) = both(w, f, x);
    let dtype = f.word("dtype");
    if f.word("type").ends_with("x2") {
        let (lo, hi) = (truth(w, dtype, &p, 16), truth(w, dtype, &q, 16));
        w.concat(&hi, &lo)
    } else {
        truth(w, dtype, &p, f.dests()[0].bits)
    }
}
