//! Asynchronous matrix products of a warpgroup (ISA §9.7.17).

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Element types of the accumulator.
const ACC: &[&str] = &["f16", "f32", "s32"];
/// Element types of the factors.
const TYPES: &[&str] = &["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1"];
/// Shapes.
#[rustfmt::skip]
const SHAPE: &[&str] = &["m64n8k8", "m64n16k8", "m64n24k8", "m64n32k8", "m64n40k8", "m64n48k8", "m64n56k8", "m64n64k8", "m64n72k8", "m64n80k8", "m64n88k8", "m64n96k8", "m64n104k8", "m64n112k8", "m64n120k8", "m64n128k8", "m64n136k8", "m64n144k8", "m64n152k8", "m64n160k8", "m64n168k8", "m64n176k8", "m64n184k8", "m64n192k8", "m64n200k8", "m64n208k8", "m64n216k8", "m64n224k8", "m64n232k8", "m64n240k8", "m64n248k8", "m64n256k8", "m64n8k16", "m64n16k16", "m64n24k16", "m64n32k16", "m64n40k16", "m64n48k16", "m64n56k16", "m64n64k16", "m64n72k16", "m64n80k16", "m64n88k16", "m64n96k16", "m64n104k16", "m64n112k16", "m64n120k16", "m64n128k16", "m64n136k16", "m64n144k16", "m64n152k16", "m64n160k16", "m64n168k16", "m64n176k16", "m64n184k16", "m64n192k16", "m64n200k16", "m64n208k16", "m64n216k16", "m64n224k16", "m64n232k16", "m64n240k16", "m64n248k16", "m64n256k16", "m64n8k32", "m64n16k32", "m64n24k32", "m64n32k32", "m64n40k32", "m64n48k32", "m64n56k32", "m64n64k32", "m64n72k32", "m64n80k32", "m64n88k32", "m64n96k32", "m64n104k32", "m64n112k32", "m64n120k32", "m64n128k32", "m64n136k32", "m64n144k32", "m64n152k32", "m64n160k32", "m64n168k32", "m64n176k32", "m64n184k32", "m64n192k32", "m64n200k32", "m64n208k32", "m64n216k32", "m64n224k32", "m64n232k32", "m64n240k32", "m64n248k32", "m64n256k32", "m64n8k256", "m64n16k256", "m64n24k256", "m64n32k256", "m64n40k256", "m64n48k256", "m64n56k256", "m64n64k256", "m64n72k256", "m64n80k256", "m64n88k256", "m64n96k256", "m64n104k256", "m64n112k256", "m64n120k256", "m64n128k256", "m64n136k256", "m64n144k256", "m64n152k256", "m64n160k256", "m64n168k256", "m64n176k256", "m64n184k256", "m64n192k256", "m64n200k256", "m64n208k256", "m64n216k256", "m64n224k256", "m64n232k256", "m64n240k256", "m64n248k256", "m64n256k256"];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "wgmma.mma_async.sync.aligned.shape{.satfinite}.dtype.atype.btype d, a, b:b64, s:pred{, x:imm}{, y:imm}{, v:imm}{, w:imm}",
            slots: &[
                ("shape", SHAPE),
                ("dtype", ACC),
                ("atype", TYPES),
                ("btype", TYPES),
            ],
            section: "9.7.17.5.2 wgmma.mma_async",
            says: "d = a * b + d, or a * b unless s; a is registers or a descriptor, b a descriptor; x and y are 1 or -1 and scale a and b; v and w say that a and b are transposed",
            shape: Shape::Wgmma,
        },
        Row {
            syntax: "wgmma.fence.sync.aligned",
            slots: &[],
            section: "9.7.17.7.1 wgmma.fence",
            says: "orders accesses to registers and memory before products that follow",
            shape: Shape::Wgmma,
        },
        Row {
            syntax: "wgmma.commit_group.sync.aligned",
            slots: &[],
            section: "9.7.17.7.2 wgmma.commit_group",
            says: "makes a group of the warpgroup's products that are in none",
            shape: Shape::Wgmma,
        },
        Row {
            syntax: "wgmma.wait_group.sync.aligned n:imm",
            slots: &[],
            section: "9.7.17.7.3 wgmma.wait_group",
            says: "waits until at most the n latest groups are incomplete",
            shape: Shape::Wgmma,
        },
    ];
}
