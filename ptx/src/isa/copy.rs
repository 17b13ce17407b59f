//! Asynchronous copies by threads (ISA §9.7.10.28.3).

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Shared memory of the CTA.
const SHARED: &[&str] = &["shared", "shared::cta"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "cp.async.cop.space.global{.hint}{.pre} [a], [b], n:imm{, m}{, c:b64}",
            slots: &[
                ("cop", &["ca", "cg"]),
                ("space", SHARED),
                ("hint", &["L2::cache_hint"]),
                ("pre", &["L2::64B", "L2::128B", "L2::256B"]),
            ],
            section: "9.7.10.28.3.1 cp.async",
            says: "copies n bytes from global to shared memory; a third size m is how many are read, the rest is zero; a predicate m means that none are read",
            shape: Shape::CpAsync,
        },
        Row {
            syntax: "cp.async.commit_group",
            slots: &[],
            section: "9.7.10.28.3.2 cp.async.commit_group",
            says: "makes a group of the thread's copies that are in none",
            shape: Shape::CpAsyncGroup,
        },
        Row {
            syntax: "cp.async.wait_group n:imm",
            slots: &[],
            section: "9.7.10.28.3.3 cp.async.wait_group",
            says: "waits until at most the n latest groups are incomplete",
            shape: Shape::CpAsyncGroup,
        },
        Row {
            syntax: "cp.async.wait_all",
            slots: &[],
            section: "9.7.10.28.3.3 cp.async.wait_all",
            says: "waits for all the thread's copies",
            shape: Shape::CpAsyncGroup,
        },
        Row {
            syntax: "cp.async.mbarrier.arrive{.noinc}{.space}.b64 [a]",
            slots: &[("space", SHARED)],
            section: "9.7.15.16 cp.async.mbarrier.arrive",
            says: "arrives at the mbarrier when the thread's copies before it are complete",
            shape: Shape::CpAsyncArrive,
        },
    ];
}
