//! Exchanges between the lanes of a warp (ISA §9.7.10.6, §9.7.15.10–15).

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "shfl.sync.mode.b32 d:b32{|p:pred}, a:b32, b:b32, c:b32, m:b32",
            slots: &[("mode", &["up", "down", "bfly", "idx"])],
            section: "9.7.10.6 shfl.sync",
            says: "d = a of another lane, chosen by b, c and the mode; p = whether it was in range",
            shape: Shape::Shuffle,
        },
        Row {
            syntax: "vote.sync.mode.pred p:pred, {!}a:pred, m:b32",
            slots: &[("mode", &["all", "any", "uni"])],
            section: "9.7.15.10 vote.sync",
            says: "p = whether all lanes, any, or all or none have a",
            shape: Shape::Vote,
        },
        Row {
            syntax: "vote.sync.ballot.b32 d:b32, {!}a:pred, m:b32",
            slots: &[],
            section: "9.7.15.10 vote.sync",
            says: "d = the mask of the lanes that have a",
            shape: Shape::Vote,
        },
        Row {
            syntax: "match.any.sync.type d:b32, a:type, m:b32",
            slots: &[("type", &["b32", "b64"])],
            section: "9.7.15.11 match.sync",
            says: "d = the mask of the lanes whose a is this lane's",
            shape: Shape::Match,
        },
        Row {
            syntax: "match.all.sync.type d:b32{|p:pred}, a:type, m:b32",
            slots: &[("type", &["b32", "b64"])],
            section: "9.7.15.11 match.sync",
            says: "d = the mask m and p true if all lanes have the same a, otherwise 0 and false",
            shape: Shape::Match,
        },
        Row {
            syntax: "redux.sync.op.type d:type, a:type, m:b32",
            slots: &[("op", &["add", "min", "max"]), ("type", &["u32", "s32"])],
            section: "9.7.15.13 redux.sync",
            says: "d = the sum, least or largest a of the lanes",
            shape: Shape::Redux,
        },
        Row {
            syntax: "redux.sync.op.type d:type, a:type, m:b32",
            slots: &[("op", &["and", "or", "xor"]), ("type", &["b32"])],
            section: "9.7.15.13 redux.sync",
            says: "d = the bitwise combination of a of the lanes",
            shape: Shape::Redux,
        },
        Row {
            syntax: "redux.sync.op{.abs}{.NaN}.type d:type, a:type, m:b32",
            slots: &[
                ("op", &["min", "max"]),
                ("abs", &["abs"]),
                ("NaN", &["NaN"]),
                ("type", &["f32"]),
            ],
            section: "9.7.15.13 redux.sync",
            says: "d = the least or largest a of the lanes, or of their magnitudes; NaNs are left out, or count with .NaN",
            shape: Shape::Redux,
        },
        Row {
            syntax: "elect.sync d:b32|p:pred, m:b32",
            slots: &[],
            section: "9.7.15.15 elect.sync",
            says: "p = whether this lane is the one chosen, d = which that is",
            shape: Shape::Elect,
        },
        Row {
            syntax: "activemask.b32 d:b32",
            slots: &[],
            section: "9.7.15.12 activemask",
            says: "d = the mask of the lanes that run this together",
            shape: Shape::Activemask,
        },
    ];
}
