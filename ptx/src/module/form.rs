//! Which form of an opcode an instruction is: the one that takes its operands.

use super::data::{Function, Literal, Operand};
use super::error::{Error, Reason};
use crate::isa::types::is_float;
use crate::isa::{self, Form, Given, Group, Spec};
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

/// Checks that registers have the widths of their operands, and that literals are of their types.
///
/// In `cvt`, as in loads and stores, a register may be wider (ISA §9.4.1).
pub(super) fn check_types(
    f: &Function,
    form: &Form,
    operands: &[Operand],
    i: &ast::Instr,
) -> Result<(), Error> {
    let shown = |g: &&Group| !matches!(g, Group::Implicit(_) | Group::Rest);
    if form.operands.iter().filter(shown).count() != operands.len() {
        return Ok(());
    }
    let wider = i.base() == "cvt";
    let groups = form.operands.iter().filter(shown);
    for ((group, x), text) in groups.zip(operands).zip(&i.operands) {
        match (group, x, text) {
            (Group::Vector(specs), Operand::Vector(all), ast::Operand::Vector(texts, _)) => {
                for ((s, x), text) in specs.iter().zip(all).zip(texts) {
                    check_type(f, s, x, text, wider)?;
                }
            }
            (Group::Pair(s, t), Operand::Pair(a, b), ast::Operand::Pair(first, second)) => {
                check_type(f, s, a, first, wider)?;
                check_type(f, t, b, second, wider)?;
            }
            (Group::One(s) | Group::Pair(s, _), x, text) => check_type(f, s, x, text, wider)?,
            _ => {}
        }
    }
    Ok(())
}

fn check_type(
    f: &Function,
    s: &Spec,
    x: &Operand,
    text: &ast::Operand,
    wider: bool,
) -> Result<(), Error> {
    match x {
        Operand::Reg(r) if s.ty.bits > 0 => {
            let known = f.registers.get(r.index());
            let (name, bits) = known.map_or(("", 0), |r| (r.name.as_str(), r.bits));
            if bits != s.ty.bits && !(wider && bits > s.ty.bits) {
                let reason = Reason::Width(name.to_owned(), bits, s.ty.bits);
                return Err(Error::new(reason, text.span()));
            }
        }
        Operand::Imm(l) if s.ty.bits > 0 && !fits(*l, text, s) => {
            return Err(Error::new(
                Reason::Literal(s.ty.name.to_owned()),
                text.span(),
            ));
        }
        _ => {}
    }
    Ok(())
}

/// Whether a literal can stand for a value of a type (ISA §4.5): an integer for an integer or bit type, or as the bits of a
/// format that has no literals of its own; exact float bits for a float or bit type of their width, decimal notation for
/// a float type.
fn fits(l: Literal, text: &ast::Operand, s: &Spec) -> bool {
    let float = is_float(s.ty.name);
    let exact = matches!(text, ast::Operand::Float(_, x) if x.bits.is_some());
    match l {
        Literal::Int(_) => !float || !matches!(s.ty.name, "f32" | "f64"),
        Literal::F32(_) => s.ty.bits == 32 && (float || s.ty.name.starts_with('b')),
        Literal::F64(_) if exact => s.ty.bits == 64 && (float || s.ty.name.starts_with('b')),
        Literal::F64(_) => float,
    }
}
