//! The normal form of an entry's text: what the text rendered from the kernel term is compared with.
//!
//! It is the syntax tree with what has no meaning taken away: linkage before `.entry`, `.loc`, `.pragma`; register
//! declarations gathered at the front and split; `{%r1}` written `%r1`; `[%r1+0]` written `[%r1]`; `-4` as an offset
//! written `+-4`. Everything else is left as it was read, so that a construct the term cannot hold is a mismatch.

use crate::text::ast::*;

/// The normal form of an entry.
pub fn normal(f: &Function) -> Function {
    let mut f = f.clone();
    f.attrs.clear();
    f.params.get_or_insert_default();
    f.tuning.retain(|t| !matches!(t, Tuning::Pragma(_)));
    if let Some(body) = &mut f.body {
        let (mut decls, mut rest) = (Vec::new(), Vec::new());
        for s in std::mem::take(&mut body.statements) {
            match s {
                Statement::Decl(d) => {
                    let one = |v: &Declarator| Decl {
                        vars: vec![v.clone()],
                        attrs: d.attrs.clone(),
                        span: d.span,
                    };
                    decls.extend(d.vars.iter().map(one).map(Statement::Decl));
                }
                Statement::Loc(_) | Statement::Pragma(_) => {}
                Statement::Instr(mut i) => {
                    i.operands = i.operands.into_iter().map(operand).collect();
                    rest.push(Statement::Instr(i));
                }
                other => rest.push(other),
            }
        }
        decls.append(&mut rest);
        body.statements = decls;
    }
    f
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

/// The canonical text of the normal form.
pub fn normal_text(f: &Function) -> String {
    Module {
        items: vec![Item::Function(normal(f))],
        ..Module::default()
    }
    .canonical()
}
