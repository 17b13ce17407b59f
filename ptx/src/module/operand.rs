//! Operands (ISA §6.3, §6.4): what their names stand for, addresses as base and offset.

use super::body::Body;
use super::data::*;
use super::error::{Error, Reason};
use super::literal;
use super::scope::Local;
use super::special::special_bits;
use crate::text::ast::{self, Word};
use crate::text::span::Span;

impl Body<'_, '_> {
    /// What a name stands for.
    fn name(&mut self, w: &Word) -> Result<Operand, Error> {
        let name = w.text.as_str();
        Ok(
            match self
                .scopes
                .find(name, &self.function.declarations, w.span)?
            {
                Some(Local::Register(declaration, index)) => {
                    Operand::Reg(self.intern(declaration, index))
                }
                Some(Local::Variable(v)) => Operand::Symbol(Symbol::Variable(v), 0),
                Some(Local::Label(l)) => Operand::Label(l),
                Some(Local::Table(t)) => Operand::Table(t),
                None => match self.globals.get(name) {
                    Some((symbol, _)) => Operand::Symbol(*symbol, 0),
                    // The number of threads of a warp (ISA §4.5.4).
                    None if name == "WARP_SZ" => Operand::Imm(Literal::Int(32)),
                    None => match name.strip_prefix('%').filter(|n| special_bits(n).is_some()) {
                        Some(special) => Operand::Special(special.to_owned()),
                        None => {
                            let others = self.others();
                            return Err(self.scopes.unknown(
                                name,
                                &self.function.declarations,
                                &others,
                                w.span,
                            ));
                        }
                    },
                },
            },
        )
    }

    /// A predicate register.
    pub(super) fn predicate(&mut self, w: &Word) -> Result<RegId, Error> {
        match self.name(w)? {
            Operand::Reg(r) if self.bits(r) == 1 => Ok(r),
            other => self.wrong(&w.text, &other, "a predicate", w.span),
        }
    }

    /// A label of this scope or of one around it.
    pub(super) fn label(&mut self, w: &Word) -> Result<LabelId, Error> {
        match self.name(w)? {
            Operand::Label(l) => Ok(l),
            other => self.wrong(&w.text, &other, "a label", w.span),
        }
    }

    /// A function of the module.
    pub(super) fn callee(&mut self, w: &Word) -> Result<FuncId, Error> {
        match self.name(w)? {
            Operand::Symbol(Symbol::Function(f), _) => Ok(f),
            other => self.wrong(&w.text, &other, "a function", w.span),
        }
    }

    fn bits(&self, r: RegId) -> u32 {
        self.function.registers.get(r.index()).map_or(0, |r| r.bits)
    }

    fn wrong<T>(
        &self,
        name: &str,
        is: &Operand,
        wanted: &'static str,
        span: Span,
    ) -> Result<T, Error> {
        Err(Error::new(
            Reason::Kind(name.to_owned(), kind(is), wanted),
            span,
        ))
    }

    /// An operand.
    pub(super) fn operand(&mut self, x: &ast::Operand) -> Result<Operand, Error> {
        Ok(match x {
            ast::Operand::Name(w) => self.name(w)?,
            ast::Operand::Sink(_) => Operand::Sink,
            ast::Operand::Int(s, n) => Operand::Imm(literal::int_literal(*s, n)),
            ast::Operand::Float(s, f) => match literal::float_literal(*s, f) {
                Some(l) => Operand::Imm(l),
                None => {
                    return Err(Error::new(
                        Reason::Wanted("a floating-point constant"),
                        f.span,
                    ));
                }
            },
            ast::Operand::Offset(base, o) => match self.operand(base)? {
                Operand::Symbol(s, at) => Operand::Symbol(s, sum(i128::from(at), o)?),
                Operand::Imm(Literal::Int(n)) => Operand::Imm(Literal::Int(n + o.value())),
                _ => {
                    return Err(Error::new(
                        Reason::Wanted("an operand without an offset"),
                        x.span(),
                    ));
                }
            },
            ast::Operand::Address(inside, span) => match &inside[..] {
                [base] => Operand::Address(self.address(base)?),
                [base, coordinates @ ..] => {
                    let address = self.address(base)?;
                    match coordinates {
                        [ast::Operand::Vector(all, _)] => {
                            Operand::Tensor(address, self.operands(all)?)
                        }
                        _ => {
                            return Err(Error::new(
                                Reason::Wanted("a vector of coordinates"),
                                *span,
                            ));
                        }
                    }
                }
                [] => return Err(Error::new(Reason::Wanted("an address"), *span)),
            },
            ast::Operand::Vector(all, _) => Operand::Vector(self.operands(all)?),
            ast::Operand::List(all, _) => Operand::List(self.operands(all)?),
            ast::Operand::Pair(a, b) => {
                Operand::Pair(Box::new(self.operand(a)?), Box::new(self.operand(b)?))
            }
            ast::Operand::Not(inner, _) => match self.operand(inner)? {
                Operand::Reg(r) if self.bits(r) == 1 => Operand::Not(Box::new(Operand::Reg(r))),
                _ => return Err(Error::new(Reason::Wanted("a predicate"), inner.span())),
            },
        })
    }

    fn operands(&mut self, all: &[ast::Operand]) -> Result<Vec<Operand>, Error> {
        all.iter().map(|x| self.operand(x)).collect()
    }

    /// What stands in brackets: `base`, `base+offset`, or a number.
    fn address(&mut self, x: &ast::Operand) -> Result<Address, Error> {
        let (base, offset) = match x {
            ast::Operand::Offset(base, o) => (base.as_ref(), Some(o)),
            x => (x, None),
        };
        let added = match offset {
            Some(o) => sum(0, o)?,
            None => 0,
        };
        let (base, offset) = match (base, self.operand(base)?) {
            (_, Operand::Reg(r)) => (Base::Reg(r), added),
            (_, Operand::Symbol(s, _)) => (Base::Symbol(s), added),
            (_, Operand::Imm(Literal::Int(n))) => {
                let total = i64::try_from(n).ok().and_then(|n| n.checked_add(added));
                let wrong = || Error::new(Reason::Number("an address below 2^63"), x.span());
                (Base::Zero, total.ok_or_else(wrong)?)
            }
            (ast::Operand::Name(w), other) => {
                return self.wrong(
                    &w.text,
                    &other,
                    "a register, a variable or a number",
                    w.span,
                );
            }
            (other, _) => {
                return Err(Error::new(
                    Reason::Wanted("a register, a variable or a number"),
                    other.span(),
                ));
            }
        };
        Ok(Address { base, offset })
    }
}

/// An offset on top of another.
fn sum(at: i128, o: &ast::Offset) -> Result<i64, Error> {
    let wrong = || {
        Error::new(
            Reason::Number("an offset that a signed number of 64 bits holds"),
            o.int.span,
        )
    };
    i64::try_from(at + o.value()).map_err(|_| wrong())
}

/// What kind of thing an operand is.
fn kind(x: &Operand) -> &'static str {
    match x {
        Operand::Reg(_) => "a register",
        Operand::Imm(_) => "a number",
        Operand::Special(_) => "a special register",
        Operand::Symbol(Symbol::Variable(_), _) => "a variable",
        Operand::Symbol(Symbol::Function(_), _) => "a function",
        Operand::Label(_) => "a label",
        Operand::Table(_) => "a list of targets or a prototype",
        _ => "no name",
    }
}
