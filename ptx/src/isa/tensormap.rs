//! Tensor maps in memory (ISA §9.7.10.29, §9.7.15.17).

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Where a tensor map is changed.
const SPACE: &[&str] = &["global", "shared::cta"];
/// Sizes of values.
const TYPES: &[&str] = &["b32", "b64"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "tensormap.replace.mode.field{.space}.b1024.type [a], b",
            slots: &[
                ("mode", &["tile"]),
                (
                    "field",
                    &[
                        "global_address",
                        "rank",
                        "elemtype",
                        "interleave_layout",
                        "swizzle_mode",
                        "swizzle_atomicity",
                        "fill_mode",
                    ],
                ),
                ("space", SPACE),
                ("type", TYPES),
            ],
            section: "9.7.10.29 tensormap.replace",
            says: "the field of the tensor map at a becomes b",
            shape: Shape::TensormapReplace,
        },
        Row {
            syntax: "tensormap.replace.mode.field{.space}.b1024.type [a], n:imm, b",
            slots: &[
                ("mode", &["tile"]),
                (
                    "field",
                    &["box_dim", "global_dim", "global_stride", "element_stride"],
                ),
                ("space", SPACE),
                ("type", TYPES),
            ],
            section: "9.7.10.29 tensormap.replace",
            says: "the field for dimension n of the tensor map at a becomes b",
            shape: Shape::TensormapReplace,
        },
        Row {
            syntax: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [a], [b], n:imm",
            slots: &[("scope", &["cta", "cluster", "gpu", "sys"])],
            section: "9.7.15.17 tensormap.cp_fenceproxy",
            says: "copies a tensor map from shared to global memory, and orders it before the tensormap proxy",
            shape: Shape::TensormapCopy,
        },
    ];
}
