//! Operands where the form of an opcode has them, and literals.

use super::data::*;
use super::error::Reason;
use super::translate::{Entry, Res, refuse};
use crate::isa::{Form, Group, Spec};
use crate::module::{self, Literal};
use crate::text::ast;

/// An operand as it is written, and what it is.
pub(super) type Written<'a> = (&'a ast::Operand, &'a module::Operand);

impl Entry<'_> {
    /// Results, widths of the sources, and sources, in the order of the form. What may be left out is given or is not.
    pub(super) fn operands(
        &self,
        text: &ast::Instr,
        form: &Form,
        all: &[Written<'_>],
    ) -> Res<(Vec<Dst>, Vec<u32>, Vec<Operand>)> {
        let mut found = Found {
            entry: self,
            form,
            dsts: Vec::new(),
            ins: Vec::new(),
            srcs: Vec::new(),
        };
        let shown = |g: &&Group| !matches!(g, Group::Implicit(_));
        let places = form.operands.iter().filter(shown).count();
        let mut spare = places.saturating_sub(all.len());
        let mut rest = all;
        for g in &form.operands {
            if let Group::Implicit(x) = g {
                found.carry(x);
                continue;
            }
            if matches!(g, Group::One(x) if x.optional) && spare > 0 {
                spare -= 1;
                continue;
            }
            let Some((x, more)) = rest.split_first() else {
                let reason = Reason::OperandCount(form.opcode.clone(), places, all.len());
                return refuse(reason, text.opcode.span);
            };
            rest = more;
            found.group(g, x)?;
        }
        if !rest.is_empty() {
            let reason = Reason::OperandCount(form.opcode.clone(), places, all.len());
            return refuse(reason, text.opcode.span);
        }
        Ok((found.dsts, found.ins, found.srcs))
    }
}

/// Operands as they are found.
struct Found<'a, 'm> {
    entry: &'a Entry<'m>,
    form: &'a Form,
    dsts: Vec<Dst>,
    ins: Vec<u32>,
    srcs: Vec<Operand>,
}

impl Found<'_, '_> {
    /// The condition code register.
    fn carry(&mut self, x: &Spec) {
        let cc = self.entry.carry;
        if x.dest {
            self.dsts.push(Dst::Reg(1, cc));
        } else {
            self.ins.push(1);
            self.srcs.push(Operand::Reg(cc));
        }
    }

    fn group(&mut self, g: &Group, x: &Written<'_>) -> Res<()> {
        match (g, x) {
            (Group::One(spec), x) => self.one(spec, x),
            (Group::Pair(a, b), (ast::Operand::Pair(s, t), module::Operand::Pair(p, q))) => {
                self.one(a, &(s, p))?;
                self.one(b, &(t, q))
            }
            (Group::Pair(a, b), x) if b.optional => self.one(a, x),
            (Group::Vector(v), (ast::Operand::Vector(texts, _), module::Operand::Vector(all)))
                if v.len() == all.len() =>
            {
                for (spec, x) in v.iter().zip(texts.iter().zip(all)) {
                    self.one(spec, &x)?;
                }
                Ok(())
            }
            _ => refuse(Reason::OperandKind("a register"), x.0.span()),
        }
    }

    fn one(&mut self, spec: &Spec, x: &Written<'_>) -> Res<()> {
        if spec.dest {
            let d = self.dst(spec, x)?;
            self.dsts.push(d);
        } else {
            let v = self.src(spec, x)?;
            self.ins.push(spec.ty.bits);
            self.srcs.push(v);
        }
        Ok(())
    }

    /// Whether registers may be wider than their operands (ISA §9.4.1).
    fn wider(&self) -> bool {
        self.form.opcode.starts_with("cvt.")
    }

    fn dst(&self, spec: &Spec, x: &Written<'_>) -> Res<Dst> {
        let width = spec.ty.bits;
        if matches!(x.1, module::Operand::Sink) {
            return Ok(Dst::Sink(width));
        }
        match self.entry.reg(x)? {
            (w, n) if w == width => Ok(Dst::Reg(w, n)),
            (v, n) if self.wider() && v > width => Ok(Dst::Wide(width, v, n, spec.ty.signed)),
            (v, _) => refuse(Reason::Width(width, v), x.0.span()),
        }
    }

    fn src(&self, spec: &Spec, x: &Written<'_>) -> Res<Operand> {
        let width = spec.ty.bits;
        match x.1 {
            module::Operand::Not(inner) if spec.negatable => match **inner {
                module::Operand::Reg(r) => Ok(Operand::Compl(self.entry.number(r).1)),
                _ => refuse(Reason::OperandKind("a predicate"), x.0.span()),
            },
            module::Operand::Symbol(s, off) if self.form.opcode.starts_with("mov.") => {
                let fits = |space| width == 64 || width == 32 && space != StateSpace::Global;
                self.entry.symbol(*s, *off, x.0, fits)
            }
            module::Operand::Reg(_) => match self.entry.reg(x)? {
                (w, n) if w == width => Ok(Operand::Reg(n)),
                (v, n) if self.wider() && v > width => Ok(Operand::Other(v, n)),
                (v, _) => refuse(Reason::Width(width, v), x.0.span()),
            },
            _ => self.entry.value(x, width, spec.ty.name),
        }
    }
}

/// A literal: an integer for integer and bit types, 0 or ±1 for predicates (any other integer would be *true*, which is
/// not its low bit: ISA §4.5.3), exact float bits for float and bit types.
pub(super) fn literal(
    written: &ast::Operand,
    l: Literal,
    width: u32,
    ty: &'static str,
) -> Res<Lit> {
    let float = ty.starts_with('f');
    let found = match (written, l) {
        (ast::Operand::Int(sign, _), Literal::Int(n)) if !float && (width > 1 || n.abs() <= 1) => {
            let negative = *sign == ast::Sign::Minus;
            let size = u64::try_from(n.unsigned_abs()).ok();
            size.map(|size| Lit::Int(negative, size))
        }
        (ast::Operand::Float(ast::Sign::Plus, x), l)
            if x.bits.is_some() && (float || (ty.starts_with('b') && width > 1)) =>
        {
            match l {
                Literal::F32(bits) if width == 32 => Some(Lit::F32(bits)),
                Literal::F64(bits) if width == 64 => Some(Lit::F64(bits)),
                _ => None,
            }
        }
        _ => None,
    };
    found.map_or_else(|| refuse(Reason::Literal(ty), written.span()), Ok)
}
