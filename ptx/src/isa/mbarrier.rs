//! Operations on mbarrier objects (ISA §9.7.15.16).

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Where mbarrier objects are.
const SHARED: &[&str] = &["shared", "shared::cta", "shared::cluster"];
/// Memory semantics.
const SEM: &[&str] = &["release", "acquire", "relaxed"];
/// Scopes.
const SCOPE: &[&str] = &["cta", "cluster"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "mbarrier.init{.space}.b64 [a], n:b32",
            slots: &[("space", SHARED)],
            section: "9.7.15.16 mbarrier.init",
            says: "makes an object that expects n arrivals a phase",
            shape: Shape::Mbarrier,
        },
        Row {
            syntax: "mbarrier.inval{.space}.b64 [a]",
            slots: &[("space", SHARED)],
            section: "9.7.15.16 mbarrier.inval",
            says: "ends the object",
            shape: Shape::Mbarrier,
        },
        Row {
            syntax: "mbarrier.expect_tx{.sem}{.scope}{.space}.b64 [a], n:b32",
            slots: &[("sem", SEM), ("scope", SCOPE), ("space", SHARED)],
            section: "9.7.15.16 mbarrier.expect_tx",
            says: "adds n to the transactions that the phase waits for",
            shape: Shape::Mbarrier,
        },
        Row {
            syntax: "mbarrier.complete_tx{.sem}{.scope}{.space}.b64 [a], n:b32",
            slots: &[("sem", SEM), ("scope", SCOPE), ("space", SHARED)],
            section: "9.7.15.16 mbarrier.complete_tx",
            says: "takes n from the transactions that the phase waits for",
            shape: Shape::Mbarrier,
        },
        Row {
            syntax: "mbarrier.op{.noComplete}{.sem}{.scope}{.space}.b64 d:b64, [a]{, n:b32}",
            slots: &[
                ("op", &["arrive", "arrive_drop"]),
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SHARED),
            ],
            section: "9.7.15.16 mbarrier.arrive, mbarrier.arrive_drop",
            says: "d = the state; then n arrivals, or one",
            shape: Shape::Mbarrier,
        },
        Row {
            syntax: "mbarrier.op.expect_tx{.sem}{.scope}{.space}.b64 d:b64, [a], n:b32",
            slots: &[
                ("op", &["arrive", "arrive_drop"]),
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SHARED),
            ],
            section: "9.7.15.16 mbarrier.arrive, mbarrier.arrive_drop",
            says: "d = the state; then expect_tx of n, then one arrival",
            shape: Shape::Mbarrier,
        },
        Row {
            syntax: "mbarrier.op{.sem}{.scope}{.space}.b64 p:pred, [a], s:b64{, t:u32}",
            slots: &[
                ("op", &["test_wait", "try_wait"]),
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SHARED),
            ],
            section: "9.7.15.16 mbarrier.test_wait, mbarrier.try_wait",
            says: "p = whether the phase of the state s is complete; try_wait may wait for it",
            shape: Shape::Mbarrier,
        },
        Row {
            syntax: "mbarrier.op.parity{.sem}{.scope}{.space}.b64 p:pred, [a], s:b32{, t:u32}",
            slots: &[
                ("op", &["test_wait", "try_wait"]),
                ("sem", SEM),
                ("scope", SCOPE),
                ("space", SHARED),
            ],
            section: "9.7.15.16 mbarrier.test_wait, mbarrier.try_wait",
            says: "p = whether the phase of parity s is complete; try_wait may wait for it",
            shape: Shape::Mbarrier,
        },
        Row {
            syntax: "mbarrier.pending_count.b64 d:b32, s:b64",
            slots: &[],
            section: "9.7.15.16 mbarrier.pending_count",
            says: "d = the pending count in the state s",
            shape: Shape::Mbarrier,
        },
    ];
}
