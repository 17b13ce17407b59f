//! The opcode table: one documented row for each instruction form, in the manual's notation, split by family.
//!
//! What the table does not know is parsed and printed all the same, and is unsupported when a meaning is asked for.
//! Sections are those of the PTX ISA 9.4.

mod arith;
mod atomic;
mod bulk;
mod carry;
mod compare;
mod control;
mod convert;
mod copy;
mod division;
pub mod exchange;
mod field;
mod float;
mod float_compare;
mod float_convert;
mod floats;
mod half;
mod logical;
mod matrix;
mod mbarrier;
mod mem;
mod permute;
mod row;
mod select;
mod sync;
mod syntax;
mod tensormap;
pub mod types;
mod warp;
mod wgmma;
mod words;

pub use row::{Cmp, Form, Meaning, OperandMismatch, Row, Shape, Slot};
pub use select::{NoForm, choose, form_for, forms_of, forms_of_row};
pub use syntax::{Given, Group, Kind, Spec};
pub use types::Ty;

use crate::alg::WordAlg;
use crate::alg::bits::{BitsAlg, Ieee};

/// The integer types with instructions of their own.
const INTEGERS: &[&str] = &["u16", "u32", "u64", "s16", "s32", "s64"];
/// The signed integer types.
const SIGNED: &[&str] = &["s16", "s32", "s64"];
/// The bit-size types.
const BITS: &[&str] = &["b16", "b32", "b64"];

/// The whole table, for an algebra. Every algebra sees the same rows in the same order.
pub fn table<'r, A: WordAlg + 'r>() -> impl Iterator<Item = &'r Row<A>> {
    [
        arith::Rows::<'r, A>::ROWS,
        logical::Rows::<'r, A>::ROWS,
        division::Rows::<'r, A>::ROWS,
        carry::Rows::<'r, A>::ROWS,
        field::Rows::<'r, A>::ROWS,
        compare::Rows::<'r, A>::EQUAL,
        compare::Rows::<'r, A>::ORDER,
        compare::Rows::<'r, A>::LOWER,
        compare::Rows::<'r, A>::SELECT,
        permute::Rows::<'r, A>::ROWS,
        convert::Rows::<'r, A>::ROWS,
        float::Rows::<'r, A>::ROWS,
        half::Rows::<'r, A>::ROWS,
        float_compare::Rows::<'r, A>::ROWS,
        float_convert::Rows::<'r, A>::ROWS,
        mem::Rows::<'r, A>::ROWS,
        atomic::Rows::<'r, A>::ROWS,
        sync::Rows::<'r, A>::ROWS,
        mbarrier::Rows::<'r, A>::ROWS,
        copy::Rows::<'r, A>::ROWS,
        bulk::Rows::<'r, A>::ROWS,
        tensormap::Rows::<'r, A>::ROWS,
        warp::Rows::<'r, A>::ROWS,
        matrix::Rows::<'r, A>::ROWS,
        wgmma::Rows::<'r, A>::ROWS,
        control::Rows::<'r, A>::ROWS,
    ]
    .into_iter()
    .flatten()
}

/// The concrete algebra that the questions below are asked of: they do not depend on it.
type Any = BitsAlg<Ieee>;

/// Every opcode that is a function of words, in the order of the table.
pub fn alu_forms() -> Vec<Form> {
    let alu = |row: &Row<Any>| matches!(row.shape, Shape::Alu(_) | Shape::Float(_));
    table::<Any>()
        .enumerate()
        .filter(|(_, row)| alu(row))
        .flat_map(|(i, _)| forms_of_row(i))
        .collect()
}

impl Form {
    /// The row that this is a form of.
    pub fn row<'r, A: WordAlg + 'r>(&self) -> Option<&'r Row<A>> {
        table::<A>().nth(self.row)
    }

    /// The syntax line of the row.
    pub fn syntax(&self) -> &'static str {
        self.row::<Any>().map_or("", |r| r.syntax)
    }

    /// The name of the shape.
    pub fn shape(&self) -> &'static str {
        self.row::<Any>().map_or("", |r| r.shape.name())
    }

    /// For a function of words: the widths of the sources, and of the result.
    pub fn signature(&self) -> Option<(Vec<u32>, u32)> {
        match self.row::<Any>()?.shape {
            Shape::Alu(_) | Shape::Float(_) => {}
            _ => return None,
        }
        let ins = self.sources().iter().map(|t| t.bits).collect();
        Some((ins, self.dests().iter().map(|t| t.bits).sum()))
    }

    /// The meaning, to be called with this form and words of exactly the widths of [`Form::sources`] (for an `atom` or `red`
    /// row, what is in memory before them).
    pub fn meaning<A: WordAlg>(&self) -> Option<Meaning<A>> {
        self.row::<A>()?.shape.meaning()
    }

    /// Whether the meaning uses float operations.
    pub fn uses_floats(&self) -> bool {
        self.row::<Any>()
            .is_some_and(|r| matches!(r.shape, Shape::Float(_)))
    }

    /// The meaning: what the instruction computes from its sources.
    ///
    /// Errors: the form is no function of words, or takes operands of other widths.
    pub fn apply<A: WordAlg>(
        &self,
        alg: &mut A,
        args: &[A::Word],
    ) -> Result<A::Word, OperandMismatch> {
        let given: Vec<u32> = args.iter().map(|a| alg.width(a)).collect();
        let wanted = self.signature().map(|(ins, _)| ins).unwrap_or_default();
        match self.row::<A>().map(|r| &r.shape) {
            Some(Shape::Alu(meaning) | Shape::Float(meaning)) if given == wanted => {
                Ok(meaning(alg, self, args))
            }
            _ => Err(OperandMismatch {
                opcode: self.opcode.clone(),
                wanted,
                given,
            }),
        }
    }
}
