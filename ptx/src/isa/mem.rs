//! Loads, stores and address windows (ISA §9.7.10). What they do to memory is the machine's business; here is their syntax.

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Types in memory.
const TYPES: &[&str] = &[
    "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32",
    "f64",
];
/// Memory semantics (ISA §8.4) of a load or store.
const SEM: &[&str] = &["weak", "relaxed", "acquire", "release", "volatile", "mmio"];
/// Scopes (ISA §8.5).
const SCOPE: &[&str] = &["cta", "cluster", "gpu", "sys"];
/// Element counts of vectors.
const VEC: &[&str] = &["v2", "v4", "v8"];
/// Cache eviction priorities (ISA §9.7.10.2): hints.
const L1: &[&str] = &[
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
];
/// Prefetch sizes: hints.
const PRE: &[&str] = &["L2::64B", "L2::128B", "L2::256B"];
/// State spaces whose addresses have a window in generic addresses (ISA §6.4.1.1), but for `global`, which is the rest.
const WINDOWS: &[&str] = &[
    "const",
    "local",
    "shared",
    "shared::cta",
    "shared::cluster",
    "param",
    "param::entry",
];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "ld.space{.vec}.type d, [a]",
            slots: &[
                ("space", &["param", "param::entry", "param::func"]),
                ("vec", VEC),
                ("type", TYPES),
            ],
            section: "9.7.10.8 ld, 5.1.6 parameter state space",
            says: "d = bytes of a parameter, extended to the width of d by the sign of the type",
            shape: Shape::LdParam,
        },
        Row {
            syntax: "ld{.sem}{.scope}{.space}{.cop}{.nc}{.l1}{.hint}{.pre}{.vec}.type{.unified} d, [a]{, c:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                (
                    "space",
                    &[
                        "const",
                        "global",
                        "local",
                        "shared",
                        "shared::cta",
                        "shared::cluster",
                    ],
                ),
                ("cop", &["ca", "cg", "cs", "lu", "cv"]),
                ("nc", &["nc"]),
                ("l1", L1),
                ("hint", &["L2::cache_hint"]),
                ("pre", PRE),
                ("vec", VEC),
                ("type", TYPES),
            ],
            section: "9.7.10.8 ld, 9.7.10.9 ld.global.nc",
            says: "d = load of one or more consecutive values, each extended by the sign of the type; .nc leaves the memory model and asks that nobody writes the bytes; cache operators and hints change nothing but time",
            shape: Shape::Ld,
        },
        Row {
            syntax: "st{.sem}{.scope}{.space}{.cop}{.l1}{.hint}{.vec}.type [a], b{, c:b64}",
            slots: &[
                ("sem", SEM),
                ("scope", SCOPE),
                (
                    "space",
                    &[
                        "global",
                        "local",
                        "shared",
                        "shared::cta",
                        "shared::cluster",
                        "param",
                        "param::func",
                    ],
                ),
                ("cop", &["wb", "cg", "cs", "wt"]),
                ("l1", L1),
                ("hint", &["L2::cache_hint"]),
                ("vec", VEC),
                ("type", TYPES),
            ],
            section: "9.7.10.11 st",
            says: "store of the low bytes of one or more registers, consecutively; cache operators and hints change nothing but time",
            shape: Shape::St,
        },
        Row {
            syntax: "cvta.space.type d:type, a:type",
            slots: &[("space", WINDOWS), ("type", &["u32", "u64"])],
            section: "9.7.10.23 cvta, 6.4.1.1 generic addressing",
            says: "d = the generic address of an address in the window",
            shape: Shape::Window,
        },
        Row {
            syntax: "cvta.to.space.type d:type, a:type",
            slots: &[("space", WINDOWS), ("type", &["u32", "u64"])],
            section: "9.7.10.23 cvta, 6.4.1.1 generic addressing",
            says: "d = the address in the window of a generic address",
            shape: Shape::Window,
        },
        Row {
            syntax: "isspacep.space p:pred, a:u64",
            slots: &[(
                "space",
                &[
                    "const",
                    "global",
                    "local",
                    "shared",
                    "shared::cta",
                    "shared::cluster",
                    "param",
                    "param::entry",
                ],
            )],
            section: "9.7.10.22 isspacep",
            says: "p = whether the generic address a is in the window",
            shape: Shape::Window,
        },
        Row {
            syntax: "mapa{.space}.type d:type, a:type, b:u32",
            slots: &[("space", &["shared::cluster"]), ("type", &["u32", "u64"])],
            section: "9.7.10.26 mapa",
            says: "d = the address in the shared memory of CTA b of the cluster that corresponds to a",
            shape: Shape::Window,
        },
        Row {
            syntax: "getctarank{.space}.type d:u32, a:type",
            slots: &[("space", &["shared::cluster"]), ("type", &["u32", "u64"])],
            section: "9.7.10.27 getctarank",
            says: "d = the rank of the CTA in whose shared memory a is",
            shape: Shape::Window,
        },
        Row {
            syntax: "prefetch{.space}.level [a]",
            slots: &[
                ("space", &["global", "local"]),
                ("level", &["L1", "L2", "L2::evict_last", "L2::evict_normal"]),
            ],
            section: "9.7.10.16 prefetch",
            says: "a hint",
            shape: Shape::Hint,
        },
        Row {
            syntax: "prefetch{.space}.tensormap [a]",
            slots: &[("space", &["const", "param"])],
            section: "9.7.10.16 prefetch",
            says: "a hint",
            shape: Shape::Hint,
        },
        Row {
            syntax: "prefetchu.L1 [a]",
            slots: &[],
            section: "9.7.10.16 prefetchu",
            says: "a hint",
            shape: Shape::Hint,
        },
        Row {
            syntax: "applypriority{.space}.level [a], n:imm",
            slots: &[("space", &["global"]), ("level", &["L2::evict_normal"])],
            section: "9.7.10.17 applypriority",
            says: "a hint",
            shape: Shape::Hint,
        },
    ];
}
