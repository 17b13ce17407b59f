//! Control flow (ISA §9.7.14). Guards are not part of the opcode.

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "bra label",
            slots: &[],
            section: "9.7.14.3 bra",
            says: "goes to the label",
            shape: Shape::Bra,
        },
        Row {
            syntax: "ret",
            slots: &[],
            section: "9.7.14.6 ret",
            says: "returns: from a kernel, the thread ends",
            shape: Shape::Ret,
        },
        Row {
            syntax: "exit",
            slots: &[],
            section: "9.7.14.7 exit",
            says: "the thread ends",
            shape: Shape::Exit,
        },
    ];
}
