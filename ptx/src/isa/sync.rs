//! Barriers and fences (ISA §9.7.15.1–4).

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// How a barrier combines predicates.
const RED: &[&str] = &["and", "or"];
/// Scopes (ISA §8.5).
const SCOPE: &[&str] = &["cta", "cluster", "gpu", "sys"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "barrier{.cta}.sync{.aligned} a:u32{, b:u32}",
            slots: &[],
            section: "9.7.15.1 barrier",
            says: "arrives at barrier a, and waits until b threads, or all of the CTA, have arrived",
            shape: Shape::Barrier,
        },
        Row {
            syntax: "barrier{.cta}.arrive{.aligned} a:u32, b:u32",
            slots: &[],
            section: "9.7.15.1 barrier",
            says: "arrives at barrier a of b threads without waiting",
            shape: Shape::Barrier,
        },
        Row {
            syntax: "barrier{.cta}.red.popc{.aligned}.u32 d:u32, a:u32{, b:u32}, {!}c:pred",
            slots: &[],
            section: "9.7.15.1 barrier",
            says: "as sync; d = how many threads have c",
            shape: Shape::Barrier,
        },
        Row {
            syntax: "barrier{.cta}.red.op{.aligned}.pred p:pred, a:u32{, b:u32}, {!}c:pred",
            slots: &[("op", RED)],
            section: "9.7.15.1 barrier",
            says: "as sync; p = whether all or some threads have c",
            shape: Shape::Barrier,
        },
        Row {
            syntax: "bar{.cta}.sync a:u32{, b:u32}",
            slots: &[],
            section: "9.7.15.1 bar",
            says: "barrier.sync.aligned",
            shape: Shape::Barrier,
        },
        Row {
            syntax: "bar{.cta}.arrive a:u32, b:u32",
            slots: &[],
            section: "9.7.15.1 bar",
            says: "barrier.arrive.aligned",
            shape: Shape::Barrier,
        },
        Row {
            syntax: "bar{.cta}.red.popc.u32 d:u32, a:u32{, b:u32}, {!}c:pred",
            slots: &[],
            section: "9.7.15.1 bar",
            says: "barrier.red.popc.aligned",
            shape: Shape::Barrier,
        },
        Row {
            syntax: "bar{.cta}.red.op.pred p:pred, a:u32{, b:u32}, {!}c:pred",
            slots: &[("op", RED)],
            section: "9.7.15.1 bar",
            says: "barrier.red.aligned",
            shape: Shape::Barrier,
        },
        Row {
            syntax: "bar.warp.sync a:b32",
            slots: &[],
            section: "9.7.15.2 bar.warp.sync",
            says: "waits for the lanes of the mask",
            shape: Shape::WarpBarrier,
        },
        Row {
            syntax: "barrier.cluster.arrive{.sem}{.aligned}",
            slots: &[("sem", &["release", "relaxed"])],
            section: "9.7.15.3 barrier.cluster",
            says: "arrives at the barrier of the cluster without waiting",
            shape: Shape::ClusterBarrier,
        },
        Row {
            syntax: "barrier.cluster.wait{.sem}{.aligned}",
            slots: &[("sem", &["acquire"])],
            section: "9.7.15.3 barrier.cluster",
            says: "waits until all threads of the cluster have arrived",
            shape: Shape::ClusterBarrier,
        },
        Row {
            syntax: "fence{.sem}.scope",
            slots: &[
                ("sem", &["sc", "acq_rel", "acquire", "release"]),
                ("scope", SCOPE),
            ],
            section: "9.7.15.4 fence",
            says: "orders the memory operations before and after it; acq_rel if nothing is said",
            shape: Shape::Fence,
        },
        Row {
            syntax: "fence.sem.restrict.cluster",
            slots: &[
                ("sem", &["acquire", "release"]),
                (
                    "restrict",
                    &[
                        "sync_restrict::shared::cta",
                        "sync_restrict::shared::cluster",
                    ],
                ),
            ],
            section: "9.7.15.4 fence",
            says: "orders what objects in shared memory synchronize",
            shape: Shape::Fence,
        },
        Row {
            syntax: "fence.mbarrier_init.release.cluster",
            slots: &[],
            section: "9.7.15.4 fence",
            says: "orders initializations of mbarriers before what follows in the cluster",
            shape: Shape::Fence,
        },
        Row {
            syntax: "membar.level",
            slots: &[("level", &["cta", "gl", "sys"])],
            section: "9.7.15.4 membar",
            says: "fence.sc of the scope cta, gpu or sys",
            shape: Shape::Fence,
        },
        Row {
            syntax: "membar.proxy.kind",
            slots: &[("kind", &["alias", "async"])],
            section: "9.7.15.4 membar",
            says: "fence.proxy",
            shape: Shape::FenceProxy,
        },
        Row {
            syntax: "fence.proxy.kind{.space}",
            slots: &[
                ("kind", &["alias", "async"]),
                ("space", &["global", "shared::cta", "shared::cluster"]),
            ],
            section: "9.7.15.4 fence.proxy",
            says: "orders the generic proxy and another, both ways",
            shape: Shape::FenceProxy,
        },
        Row {
            syntax: "fence.proxy.async::generic.sem.restrict.cluster",
            slots: &[
                ("sem", &["acquire", "release"]),
                (
                    "restrict",
                    &[
                        "sync_restrict::shared::cta",
                        "sync_restrict::shared::cluster",
                    ],
                ),
            ],
            section: "9.7.15.4 fence.proxy",
            says: "orders the async proxy and the generic one, one way",
            shape: Shape::FenceProxy,
        },
        Row {
            syntax: "fence.proxy.tensormap::generic.release.scope",
            slots: &[("scope", SCOPE)],
            section: "9.7.15.4 fence.proxy",
            says: "orders the generic proxy before the tensormap proxy",
            shape: Shape::FenceProxy,
        },
        Row {
            syntax: "fence.proxy.tensormap::generic.acquire.scope [a], n:imm",
            slots: &[("scope", SCOPE)],
            section: "9.7.15.4 fence.proxy",
            says: "orders the generic proxy before the tensormap proxy, for n bytes at a",
            shape: Shape::FenceProxy,
        },
    ];
}
