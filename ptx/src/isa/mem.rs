//! Loads and stores (ISA §9.7.10.8–11). What they do to memory is the machine's business; here is their syntax.

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

/// Types in memory.
const TYPES: &[&str] = &[
    "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64",
];

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "ld.param.type d, [a]",
            slots: &[("type", TYPES)],
            section: "9.7.10.8 ld, 5.1.6.1 kernel function parameters",
            says: "d = bytes of a kernel parameter, extended to the width of d by the sign of the type",
            shape: Shape::LdParam,
        },
        Row {
            syntax: "ld.global{.nc}{.vec}.type d, [a]",
            slots: &[("nc", &["nc"]), ("vec", &["v2", "v4"]), ("type", TYPES)],
            section: "9.7.10.8 ld, 9.7.10.9 ld.global.nc",
            says: "d = weak load of one, two or four consecutive values, each extended by the sign of the type; .nc \
                   leaves the memory model and asks that nobody writes the bytes",
            shape: Shape::Ld,
        },
        Row {
            syntax: "st.global{.vec}.type [a], b",
            slots: &[("vec", &["v2", "v4"]), ("type", TYPES)],
            section: "9.7.10.11 st",
            says: "weak store of the low bytes of one, two or four registers, consecutively",
            shape: Shape::St,
        },
    ];
}
