//! The normal form of an entry's text: what the text rendered from the kernel term is compared with.
//!
//! It is the syntax tree with what has no meaning taken away: linkage before `.entry`, `.loc`, `.pragma`; register
//! declarations gathered at the front of their scope and split; `{%r1}` written `%r1`; `[%r1+0]` written `[%r1]`; `-4` as an offset
//! written `+-4`; the words of an opcode in the order of the table. Everything else is left as it was read, so that a construct the term cannot hold is a mismatch.

use crate::isa;
use crate::text::ast::*;

/// The normal form of an entry or function.
fn normal(f: &Function) -> Function {
    let mut f = f.clone();
    f.attrs.clear();
    f.params.get_or_insert_default();
    f.returns = f.returns.filter(|r| !r.is_empty());
    f.tuning.retain(|t| !matches!(t, Tuning::Pragma(_)));
    if let Some(body) = &mut f.body {
        normal_block(body);
    }
    f
}

fn normal_block(b: &mut Block) {
    let (mut registers, mut variables, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for s in std::mem::take(&mut b.statements) {
        match s {
            Statement::Decl(d) => {
                let is_reg = d.attrs.iter().any(|a| a.word.text == ".reg");
                let list = if is_reg {
                    &mut registers
                } else {
                    &mut variables
                };
                list.extend(split(&d).map(Statement::Decl));
            }
            Statement::Loc(_) | Statement::Pragma(_) => {}
            Statement::Instr(i) => rest.push(Statement::Instr(instruction(i))),
            Statement::Block(mut inner) => {
                normal_block(&mut inner);
                rest.push(Statement::Block(inner));
            }
            other => rest.push(other),
        }
    }
    registers.append(&mut variables);
    registers.append(&mut rest);
    b.statements = registers;
}

fn instruction(mut i: Instr) -> Instr {
    // Without a guard all threads that get there do the same.
    if i.guard.is_none() && ["bra.uni", "call.uni", "ret.uni"].contains(&i.opcode.text.as_str()) {
        let plain = i.opcode.text.len() - ".uni".len();
        i.opcode.text.truncate(plain);
    }
    // The words of an opcode may stand in another order than the table's.
    let mut forms = (isa::forms_of(&i.opcode.text).into_iter()).map(|f| f.opcode);
    if let Some(opcode) = forms.next()
        && forms.all(|o| o == opcode)
    {
        i.opcode.text = opcode;
    }
    i.operands = i.operands.into_iter().map(operand).collect();
    i.operands
        .retain(|x| !matches!(x, Operand::List(all, _) if all.is_empty()));
    i
}

fn operand(x: Operand) -> Operand {
    match x {
        Operand::Vector(mut all, _) if all.len() == 1 => all.remove(0),
        Operand::Address(inside, span) => {
            Operand::Address(inside.into_iter().map(offset).collect(), span)
        }
        other => other,
    }
}

fn offset(x: Operand) -> Operand {
    match x {
        Operand::Offset(base, o) if o.value() == 0 => *base,
        Operand::Offset(base, mut o) => {
            o.sign = if o.value() < 0 {
                Sign::Minus
            } else {
                Sign::Plus
            };
            o.operator = Sign::Plus;
            Operand::Offset(base, o)
        }
        other => other,
    }
}

/// A declaration of each name by itself.
fn split(d: &Decl) -> impl Iterator<Item = Decl> {
    d.vars.iter().map(|v| Decl {
        vars: vec![v.clone()],
        attrs: d.attrs.clone(),
        span: d.span,
    })
}

/// The canonical text of the normal form: the variables of the module that have these names, the functions that have these,
/// and the entry.
pub fn normal_text(m: &Module, f: &Function, outer: &[&str], called: &[&str]) -> String {
    let mut items = Vec::new();
    for item in &m.items {
        if let Item::Variable(d) = item {
            let wanted = split(d).filter(|d| outer.contains(&d.vars[0].name.text.as_str()));
            items.extend(wanted.map(|mut d| {
                // Who can see it changes nothing.
                d.attrs.retain(|a| a.word.text != ".visible");
                Item::Variable(d)
            }));
        }
    }
    for name in called {
        let functions = m.items.iter().filter_map(|item| match item {
            Item::Function(f) if f.kind == FunctionKind::Func && f.body.is_some() => Some(f),
            _ => None,
        });
        let named = functions.filter(|f| f.name.text == **name);
        items.extend(named.map(|f| Item::Function(normal(f))));
    }
    items.push(Item::Function(normal(f)));
    Module {
        items,
        ..Module::default()
    }
    .canonical()
}
