//! Warp-level matrix operations (ISA §9.7.16).

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Element types.
const TYPES: &[&str] = &[
    "f16", "f32", "f64", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "s4", "u4", "b1", "s32",
];
/// Layouts.
const LAYOUT: &[&str] = &["row", "col"];
/// Shapes of `mma`.
const MMA: &[&str] = &[
    "m8n8k4",
    "m8n8k16",
    "m8n8k32",
    "m8n8k128",
    "m16n8k4",
    "m16n8k8",
    "m16n8k16",
    "m16n8k32",
    "m16n8k64",
    "m16n8k128",
    "m16n8k256",
];
/// Shapes of `wmma`.
const WMMA: &[&str] = &[
    "m16n16k16",
    "m8n32k16",
    "m32n8k16",
    "m16n16k8",
    "m8n8k4",
    "m8n8k32",
    "m8n8k128",
];
/// Where fragments are in memory.
const SPACE: &[&str] = &["global", "shared", "shared::cta"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "ldmatrix.sync.aligned.shape.num{.trans}{.space}.type d, [a]",
            slots: &[
                ("shape", &["m8n8", "m16n16"]),
                ("num", &["x1", "x2", "x4"]),
                ("space", &["shared", "shared::cta"]),
                ("type", &["b16", "b8"]),
            ],
            section: "9.7.16.5.15 ldmatrix",
            says: "d = the lane's part of one, two or four matrices, whose rows are at the addresses of the lanes",
            shape: Shape::Ldmatrix,
        },
        Row {
            syntax: "stmatrix.sync.aligned.shape.num{.trans}{.space}.type [a], b",
            slots: &[
                ("shape", &["m8n8", "m16n8"]),
                ("num", &["x1", "x2", "x4"]),
                ("space", &["shared", "shared::cta"]),
                ("type", &["b16", "b8"]),
            ],
            section: "9.7.16.5.16 stmatrix",
            says: "stores one, two or four matrices, whose rows are at the addresses of the lanes",
            shape: Shape::Stmatrix,
        },
        Row {
            syntax: "movmatrix.sync.aligned.m8n8.trans.b16 d:b32, a:b32",
            slots: &[],
            section: "9.7.16.5.17 movmatrix",
            says: "d = the lane's part of the transposed matrix",
            shape: Shape::Movmatrix,
        },
        Row {
            syntax: "mma.sync.aligned.shape.alayout.blayout{.satfinite}.dtype.atype.btype.ctype d, a, b, c",
            slots: &[
                ("shape", MMA),
                ("alayout", LAYOUT),
                ("blayout", LAYOUT),
                ("dtype", TYPES),
                ("atype", TYPES),
                ("btype", TYPES),
                ("ctype", TYPES),
            ],
            section: "9.7.16.5.14 mma",
            says: "d = a * b + c",
            shape: Shape::Mma,
        },
        Row {
            syntax: "wmma.load.mat.sync.aligned.layout.shape{.space}.type d, [a]{, s:b32}",
            slots: &[
                ("mat", &["a", "b", "c"]),
                ("layout", LAYOUT),
                ("shape", WMMA),
                ("space", SPACE),
                ("type", TYPES),
            ],
            section: "9.7.16.4.3 wmma.load",
            says: "d = the lane's fragment of a matrix with stride s",
            shape: Shape::Wmma,
        },
        Row {
            syntax: "wmma.store.d.sync.aligned.layout.shape{.space}.type [a], b{, s:b32}",
            slots: &[
                ("layout", LAYOUT),
                ("shape", WMMA),
                ("space", SPACE),
                ("type", TYPES),
            ],
            section: "9.7.16.4.4 wmma.store",
            says: "stores the fragments of a matrix with stride s",
            shape: Shape::Wmma,
        },
        Row {
            syntax: "wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype{.satfinite} d, a, b, c",
            slots: &[
                ("alayout", LAYOUT),
                ("blayout", LAYOUT),
                ("shape", WMMA),
                ("dtype", TYPES),
                ("ctype", TYPES),
            ],
            section: "9.7.16.4.5 wmma.mma",
            says: "d = a * b + c, of f16 matrices a and b",
            shape: Shape::Wmma,
        },
        Row {
            syntax: "wmma.mma.sync.aligned.alayout.blayout.shape.dtype.atype.btype.ctype{.satfinite} d, a, b, c",
            slots: &[
                ("alayout", LAYOUT),
                ("blayout", LAYOUT),
                ("shape", WMMA),
                ("dtype", TYPES),
                ("atype", TYPES),
                ("btype", TYPES),
                ("ctype", TYPES),
            ],
            section: "9.7.16.4.5 wmma.mma",
            says: "d = a * b + c",
            shape: Shape::Wmma,
        },
    ];
}
