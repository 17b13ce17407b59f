//! Which form of an opcode an instruction is: the one whose operands it has.

use super::data::Operand;
use super::error::{Error, Reason};
use crate::alg::bits::{BitsAlg, Ieee};
use crate::isa::Form;
use crate::text::ast;

/// The form, or `None` if the table does not know the opcode.
///
/// Errors: the table knows the opcode, but with other operands.
pub(super) fn choose<'f>(
    forms: &'f [Form],
    operands: &[Operand],
    i: &ast::Instr,
) -> Result<Option<&'f Form>, Error> {
    if forms.is_empty() {
        return Ok(None);
    }
    let special = operands.iter().any(|x| matches!(x, Operand::Special(_)));
    let mut fitting = forms.iter().filter(|f| count(f) == operands.len());
    let found = fitting
        .clone()
        .find(|f| (f.shape() == "sreg") == special)
        .or_else(|| fitting.next());
    match found {
        Some(f) => Ok(Some(f)),
        None => {
            let syntax = forms
                .iter()
                .filter_map(|f| f.row::<BitsAlg<Ieee>>())
                .map(|r| r.syntax.to_owned())
                .collect();
            Err(Error::new(
                Reason::Operands(i.opcode.text.clone(), syntax),
                i.span,
            ))
        }
    }
}

/// How many operands the syntax line has.
fn count(f: &Form) -> usize {
    let syntax = f.row::<BitsAlg<Ieee>>().map_or("", |r| r.syntax);
    syntax
        .split_once(' ')
        .map_or(0, |(_, operands)| operands.split(", ").count())
}
