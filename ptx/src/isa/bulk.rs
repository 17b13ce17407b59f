//! Bulk copies and reductions, plain and of tensors (ISA §9.7.10.28.4–5), and those of a word (§9.7.10.12, §9.7.15.7).

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Shared memory as destination.
const SHARED: &[&str] = &["shared::cta", "shared::cluster"];
/// Completion by an mbarrier.
const TX: &[&str] = &["mbarrier::complete_tx::bytes"];
/// Dimensions of a tensor.
const DIM: &[&str] = &["1d", "2d", "3d", "4d", "5d"];
/// How a tensor is read.
const MODE: &[&str] = &[
    "tile",
    "tile::gather4",
    "tile::scatter4",
    "im2col",
    "im2col::w",
    "im2col::w::128",
    "im2col_no_offs",
];
/// Reductions.
const OP: &[&str] = &["add", "min", "max", "inc", "dec", "and", "or", "xor"];
/// A hint.
const HINT: &[&str] = &["L2::cache_hint"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "cp.async.bulk.dst.src.completion{.multicast}{.hint} [a], [b], n:u32, [m]{, k:b16}{, c:b64}",
            slots: &[
                ("dst", SHARED),
                ("src", &["global", "shared::cta"]),
                ("completion", TX),
                ("multicast", &["multicast::cluster"]),
                ("hint", HINT),
            ],
            section: "9.7.10.28.4.1 cp.async.bulk",
            says: "copies n bytes to shared memory, of every CTA of the mask k with multicast; completes n transactions of mbarrier m",
            shape: Shape::Bulk,
        },
        Row {
            syntax: "cp.async.bulk.global.shared::cta.bulk_group{.hint}{.cp_mask} [a], [b], n:u32{, c:b64}{, k:b16}",
            slots: &[("hint", HINT)],
            section: "9.7.10.28.4.1 cp.async.bulk",
            says: "copies n bytes from shared to global memory; completes by bulk group",
            shape: Shape::Bulk,
        },
        Row {
            syntax: "cp.reduce.async.bulk.dst.src.completion{.hint}.op.type [a], [b], n:u32, [m]{, c:b64}",
            slots: &[
                ("dst", &["shared::cluster"]),
                ("src", &["shared::cta"]),
                ("completion", TX),
                ("hint", HINT),
                ("op", OP),
                ("type", &["b32", "b64", "u32", "u64", "s32", "s64"]),
            ],
            section: "9.7.10.28.4.2 cp.reduce.async.bulk",
            says: "combines n bytes into shared memory; completes n transactions of mbarrier m",
            shape: Shape::BulkReduce,
        },
        Row {
            syntax: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.hint}.op{.noftz}.type [a], [b], n:u32{, c:b64}",
            slots: &[
                ("hint", HINT),
                ("op", OP),
                (
                    "type",
                    &[
                        "f16", "bf16", "b32", "b64", "u32", "u64", "s32", "s64", "f32", "f64",
                    ],
                ),
            ],
            section: "9.7.10.28.4.2 cp.reduce.async.bulk",
            says: "combines n bytes into global memory; completes by bulk group",
            shape: Shape::BulkReduce,
        },
        Row {
            syntax: "cp.async.bulk.prefetch.L2.global{.hint} [a], n:u32{, c:b64}",
            slots: &[("hint", HINT)],
            section: "9.7.10.28.4.3 cp.async.bulk.prefetch",
            says: "a hint",
            shape: Shape::Hint,
        },
        Row {
            syntax: "cp.async.bulk.commit_group",
            slots: &[],
            section: "9.7.10.28.6.1 cp.async.bulk.commit_group",
            says: "makes a group of the thread's bulk operations that are in none",
            shape: Shape::BulkGroup,
        },
        Row {
            syntax: "cp.async.bulk.wait_group{.read} n:imm",
            slots: &[],
            section: "9.7.10.28.6.2 cp.async.bulk.wait_group",
            says: "waits until at most the n latest groups are incomplete, or have not read their sources",
            shape: Shape::BulkGroup,
        },
        Row {
            syntax: "cp.async.bulk.tensor.dim.dst.src{.mode}.completion{.multicast}{.hint} [a], [t, c], [m]{, o}{, k:b16}{, c:b64}",
            slots: &[
                ("dim", DIM),
                ("dst", SHARED),
                ("src", &["global"]),
                ("mode", MODE),
                ("completion", TX),
                ("multicast", &["multicast::cluster"]),
                ("hint", HINT),
            ],
            section: "9.7.10.28.5.2 cp.async.bulk.tensor",
            says: "copies a box of a tensor to shared memory, of every CTA of the mask k with multicast; completes transactions of mbarrier m",
            shape: Shape::Tensor,
        },
        Row {
            syntax: "cp.async.bulk.tensor.dim.global.shared::cta{.mode}.bulk_group{.hint} [t, c], [a]{, c:b64}",
            slots: &[("dim", DIM), ("mode", MODE), ("hint", HINT)],
            section: "9.7.10.28.5.2 cp.async.bulk.tensor",
            says: "copies a box from shared memory to a tensor; completes by bulk group",
            shape: Shape::Tensor,
        },
        Row {
            syntax: "cp.reduce.async.bulk.tensor.dim.global.shared::cta.op{.mode}.bulk_group{.hint} [t, c], [a]{, c:b64}",
            slots: &[("dim", DIM), ("op", OP), ("mode", MODE), ("hint", HINT)],
            section: "9.7.10.28.5.3 cp.reduce.async.bulk.tensor",
            says: "combines a box from shared memory into a tensor; completes by bulk group",
            shape: Shape::TensorReduce,
        },
        Row {
            syntax: "cp.async.bulk.prefetch.tensor.dim.L2.global{.mode}{.hint} [t, c]{, o}{, c:b64}",
            slots: &[("dim", DIM), ("mode", MODE), ("hint", HINT)],
            section: "9.7.10.28.5.4 cp.async.bulk.prefetch.tensor",
            says: "a hint",
            shape: Shape::Hint,
        },
        Row {
            syntax: "st.async{.weak}{.space}.completion{.vec}.type [a], b, [m]",
            slots: &[
                ("weak", &["weak"]),
                ("space", &["shared::cluster"]),
                ("completion", TX),
                ("vec", &["v2", "v4"]),
                (
                    "type",
                    &[
                        "b32", "b64", "b128", "u32", "u64", "s32", "s64", "f32", "f64",
                    ],
                ),
            ],
            section: "9.7.10.12 st.async",
            says: "stores b in shared memory of the cluster, later; completes its bytes as transactions of mbarrier m",
            shape: Shape::Bulk,
        },
        Row {
            syntax: "red.async.relaxed.cluster{.space}.completion.op.type [a], b, [m]",
            slots: &[
                ("space", &["shared::cluster"]),
                ("completion", TX),
                ("op", OP),
                ("type", &["u32", "s32", "u64", "b32"]),
            ],
            section: "9.7.15.7 red.async",
            says: "combines b into shared memory of the cluster, later; completes its bytes as transactions of mbarrier m",
            shape: Shape::BulkReduce,
        },
    ];
}
