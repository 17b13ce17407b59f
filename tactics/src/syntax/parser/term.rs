//! Terms: precedence climbing, applications, projections. What begins a term is in [`leading`](super::leading).

use super::leading::opens_wide;
use super::{PResult, Parser};
use crate::syntax::ast::{Arg, BinOp, Span, Term, TermKind};
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::token::{Kw, Tok};

/// Precedence of an atom; an argument of an application needs it.
pub(super) const MAX: u32 = 1024;
/// Precedence of an application, and of `∀`, `let`, `if`, … which extend to the right as far as they can.
pub(super) const LEAD: u32 = 1023;
/// Precedence of `→`.
pub(super) const ARROW: u32 = 25;
/// Precedence of `×`.
pub(super) const PROD: u32 = 35;
/// Precedence of `<|` and `|>`.
const PIPE: u32 = 10;

/// A built-in infix operator: which one, its precedence, and the least precedence of its left and right operand.
fn infix(tok: Tok) -> Option<(BinOp, u32, u32, u32)> {
    let none = |op, p| Some((op, p, p + 1, p + 1));
    let left = |op, p| Some((op, p, p, p + 1));
    let right = |op, p| Some((op, p, p + 1, p));
    match tok {
        Tok::Iff => none(BinOp::Iff, 20),
        Tok::Or => right(BinOp::Or, 30),
        Tok::BarBar => left(BinOp::BoolOr, 30),
        Tok::CaretCaret => left(BinOp::BoolXor, 33),
        Tok::And => right(BinOp::And, 35),
        Tok::AmpAmp => left(BinOp::BoolAnd, 35),
        Tok::Times => right(BinOp::Prod, PROD),
        Tok::PTimes => right(BinOp::PProd, PROD),
        Tok::Eq => none(BinOp::Eq, 50),
        Tok::Ne => none(BinOp::Ne, 50),
        Tok::HEq => none(BinOp::HEq, 50),
        Tok::Lt => none(BinOp::Lt, 50),
        Tok::Le => none(BinOp::Le, 50),
        Tok::Gt => none(BinOp::Gt, 50),
        Tok::Ge => none(BinOp::Ge, 50),
        Tok::BEq => none(BinOp::BEq, 50),
        Tok::BNe => none(BinOp::BNe, 50),
        Tok::Mem => none(BinOp::Mem, 50),
        Tok::NotMem => none(BinOp::NotMem, 50),
        Tok::Dvd => none(BinOp::Dvd, 50),
        Tok::Bar3 => left(BinOp::BitOr, 55),
        Tok::Caret3 => left(BinOp::BitXor, 58),
        Tok::Amp3 => left(BinOp::BitAnd, 60),
        Tok::Plus => left(BinOp::Add, 65),
        Tok::Minus => left(BinOp::Sub, 65),
        Tok::PlusPlus => left(BinOp::Append, 65),
        Tok::ColonColon => right(BinOp::Cons, 67),
        Tok::Star => left(BinOp::Mul, 70),
        Tok::Slash => left(BinOp::Div, 70),
        Tok::Percent => left(BinOp::Mod, 70),
        Tok::Bullet => right(BinOp::SMul, 73),
        Tok::Lt3 => left(BinOp::Shl, 75),
        Tok::Gt3 => left(BinOp::Shr, 75),
        Tok::Caret => right(BinOp::Pow, 75),
        Tok::Circ => right(BinOp::Comp, 90),
        _ => None,
    }
}

/// The relations that may bound a quantifier: `∀ x < n, p`.
pub(super) fn bounding(tok: Tok) -> Option<BinOp> {
    match infix(tok)? {
        (
            op @ (BinOp::Lt
            | BinOp::Le
            | BinOp::Gt
            | BinOp::Ge
            | BinOp::Ne
            | BinOp::Mem
            | BinOp::NotMem
            | BinOp::Dvd),
            ..,
        ) => Some(op),
        _ => None,
    }
}

pub(super) fn binop(op: BinOp, op_span: Span, lhs: Term, rhs: Term) -> Term {
    let span = lhs.span.to(rhs.span);
    Term {
        kind: TermKind::Binop {
            op,
            op_span,
            lhs: Box::new(lhs),
            rhs: Box::new(rhs),
        },
        span,
    }
}

impl Parser<'_> {
    /// A term.
    pub(super) fn term(&mut self) -> PResult<Term> {
        self.term_prec(0)
    }

    /// A term of at least this precedence.
    pub(super) fn term_prec(&mut self, min: u32) -> PResult<Term> {
        self.deeper(|p| p.climb(min))
    }

    fn climb(&mut self, min: u32) -> PResult<Term> {
        let (mut lhs, mut prec) = self.leading(min)?;
        loop {
            if prec == MAX && self.is(Tok::Dot) && !self.peek().space_before {
                lhs = self.dot(lhs)?;
                self.grow(1)?;
            } else if prec == MAX && min <= LEAD && self.starts_arg() {
                let args = self.args()?;
                let span = self.since(lhs.span);
                lhs = Term {
                    kind: TermKind::App {
                        fun: Box::new(lhs),
                        args,
                    },
                    span,
                };
                prec = LEAD;
                self.grow(1)?;
            } else {
                match self.trailing(lhs, prec, min)? {
                    (term, Some(new)) => {
                        (lhs, prec) = (term, new);
                        self.grow(1)?;
                    }
                    (term, None) => return Ok(term),
                }
            }
        }
    }

    /// `.1`, `.field` right after a term.
    fn dot(&mut self, e: Term) -> PResult<Term> {
        self.bump();
        let token = self.peek();
        let e = Box::new(e);
        let kind = match token.tok {
            _ if token.space_before => {
                return Err(self.expected(&["a field", "an index"], "right after `.`"));
            }
            Tok::Num if matches!(e.kind, TermKind::Num(_)) => {
                let span = e.span.to(token.span);
                return Err(self.err_at(SyntaxErrorKind::Unsupported("decimal fractions"), span));
            }
            Tok::Num => {
                let (index, index_span) = self.small_num("projection")?;
                TermKind::Proj {
                    e,
                    index,
                    index_span,
                }
            }
            Tok::Ident | Tok::Kw(_) => {
                let span = self.bump().span;
                TermKind::Field {
                    e,
                    field: self.ident_of(span),
                }
            }
            _ => return Err(self.expected(&["a field", "an index"], "after `.`")),
        };
        let span = match &kind {
            TermKind::Proj { e, .. } | TermKind::Field { e, .. } => self.since(e.span),
            _ => token.span,
        };
        Ok(Term { kind, span })
    }

    /// The next token begins an argument of an application.
    pub(super) fn starts_arg(&self) -> bool {
        self.starts_atom() && self.continues()
    }

    /// The next token begins a term that may be an argument, wherever it stands.
    pub(super) fn starts_atom(&self) -> bool {
        let next = self.tok_at(1);
        match self.tok() {
            Tok::Ident
            | Tok::SynthHole
            | Tok::Num
            | Tok::Str
            | Tok::Char
            | Tok::LParen
            | Tok::LBracket
            | Tok::LBrace
            | Tok::LAngle
            | Tok::LQuote
            | Tok::Underscore
            | Tok::Lambda
            | Tok::Not
            | Tok::Bang
            | Tok::UpArrow
            | Tok::Kw(Kw::Fun | Kw::Sorry | Kw::Prop | Kw::Type | Kw::Sort) => true,
            Tok::At => next.tok == Tok::Ident && !next.space_before,
            Tok::Dot => next.tok == Tok::Ident && !next.space_before && self.peek().space_before,
            Tok::CDot => self.cdots.is_some(),
            Tok::User(word) => {
                !self.is_awaited() && self.notations.leading(word).is_some_and(|d| d.prec >= MAX)
            }
            _ => false,
        }
    }

    /// The next token begins a term.
    pub(super) fn starts_term(&self) -> bool {
        match self.tok() {
            Tok::Minus | Tok::LStrict => self.continues(),
            tok if opens_wide(tok) => self.continues(),
            Tok::User(word) => self.notations.leading(word).is_some() && self.continues(),
            _ => self.starts_arg(),
        }
    }

    /// The arguments that follow.
    pub(super) fn args(&mut self) -> PResult<Vec<Arg>> {
        let mut args = Vec::new();
        while self.starts_arg() {
            args.push(self.arg()?);
        }
        Ok(args)
    }

    fn arg(&mut self) -> PResult<Arg> {
        let start = self.span();
        if self.is(Tok::LParen)
            && self.tok_at(1).tok == Tok::Ident
            && self.tok_at(2).tok == Tok::Assign
        {
            self.bump();
            let name = self.atomic_ident("of an argument")?;
            self.bump();
            let value = self.bracketed(|p| p.term())?;
            self.close(Tok::RParen, "`)`", start)?;
            return Ok(Arg {
                name: Some(name),
                value,
                span: self.since(start),
            });
        }
        let value = self.term_prec(MAX)?;
        Ok(Arg {
            name: None,
            span: value.span,
            value,
        })
    }

    /// An operator after `lhs`, if one applies: the new term and its precedence.
    fn trailing(&mut self, lhs: Term, prec: u32, min: u32) -> PResult<(Term, Option<u32>)> {
        let tok = self.tok();
        if let Some((op, p, left, right)) = infix(tok) {
            let Some(op_span) = self.operator(p, left, prec, min)? else {
                return Ok((lhs, None));
            };
            let rhs = self.term_prec(right)?;
            return Ok((binop(op, op_span, lhs, rhs), Some(p)));
        }
        match tok {
            Tok::Arrow => {
                let Some(_) = self.operator(ARROW, ARROW + 1, prec, min)? else {
                    return Ok((lhs, None));
                };
                let rhs = self.term_prec(ARROW)?;
                let span = lhs.span.to(rhs.span);
                let kind = TermKind::Arrow(Box::new(lhs), Box::new(rhs));
                Ok((Term { kind, span }, Some(ARROW)))
            }
            Tok::Triangle => {
                let Some(_) = self.operator(75, 76, prec, min)? else {
                    return Ok((lhs, None));
                };
                let e = self.term_prec(75)?;
                let span = lhs.span.to(e.span);
                Ok((
                    Term {
                        kind: TermKind::Subst {
                            eq: Box::new(lhs),
                            e: Box::new(e),
                        },
                        span,
                    },
                    Some(75),
                ))
            }
            Tok::PipeLeft => {
                let Some(_) = self.operator(PIPE, PIPE, prec, min)? else {
                    return Ok((lhs, None));
                };
                let value = self.term_prec(PIPE)?;
                Ok((apply(lhs, value), Some(PIPE)))
            }
            Tok::PipeRight => {
                let Some(_) = self.operator(PIPE, PIPE, prec, min)? else {
                    return Ok((lhs, None));
                };
                if self.is(Tok::Dot) && !self.peek().space_before {
                    let mut term = self.dot(lhs)?;
                    let args = self.args()?;
                    if !args.is_empty() {
                        let span = self.since(term.span);
                        term = Term {
                            kind: TermKind::App {
                                fun: Box::new(term),
                                args,
                            },
                            span,
                        };
                        self.grow(1)?;
                    }
                    return Ok((term, Some(PIPE)));
                }
                let fun = self.term_prec(PIPE + 1)?;
                let span = lhs.span.to(fun.span);
                let mut term = apply(fun, lhs);
                term.span = span;
                Ok((term, Some(PIPE)))
            }
            Tok::User(word) if !self.is_awaited() => self.user_trailing(word, lhs, prec, min),
            _ => Ok((lhs, None)),
        }
    }

    /// Takes the operator that comes next if it applies; an error if only the left operand forbids it.
    pub(super) fn operator(
        &mut self,
        op: u32,
        left: u32,
        prec: u32,
        min: u32,
    ) -> PResult<Option<Span>> {
        if op < min {
            return Ok(None);
        }
        if prec < left {
            let text = self.slice(self.span()).to_string();
            return Err(self.err_here(SyntaxErrorKind::NonAssociative(text)));
        }
        Ok(Some(self.bump().span))
    }
}

/// `f a`, where an application `f` without parentheses gets one more argument.
fn apply(f: Term, a: Term) -> Term {
    let span = f.span.to(a.span);
    let arg = Arg {
        name: None,
        span: a.span,
        value: a,
    };
    let kind = match f.kind {
        TermKind::App { fun, mut args } if fun.span.start == f.span.start => {
            args.push(arg);
            TermKind::App { fun, args }
        }
        kind => TermKind::App {
            fun: Box::new(Term { kind, span: f.span }),
            args: vec![arg],
        },
    };
    Term { kind, span }
}
