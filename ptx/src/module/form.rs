//! Which form of an opcode an instruction is: the one that takes its operands.

use super::data::Operand;
use super::error::{Error, Reason};
use crate::isa::{self, Form, Given};
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
    let given: Vec<Given> = operands.iter().map(given).collect();
    let found = isa::choose(forms, &given);
    if found.is_none() {
        let syntax = forms.iter().map(|f| f.syntax().to_owned()).collect();
        return Err(Error::new(
            Reason::Operands(i.opcode.text.clone(), syntax),
            i.span,
        ));
    }
    Ok(found)
}

fn given(x: &Operand) -> Given {
    match x {
        Operand::Reg(_) => Given::Register,
        Operand::Imm(_) => Given::Immediate,
        Operand::Special(_) => Given::Special,
        Operand::Sink => Given::Sink,
        Operand::Symbol(..) => Given::Symbol,
        Operand::Label(_) => Given::Label,
        Operand::Table(_) => Given::Table,
        Operand::Address(_) => Given::Address,
        Operand::Tensor(..) => Given::Tensor,
        Operand::Vector(v) => Given::Vector(v.len()),
        Operand::List(_) => Given::List,
        Operand::Pair(..) => Given::Pair,
        Operand::Not(_) => Given::Not,
    }
}
