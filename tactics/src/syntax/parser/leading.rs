//! What begins a term: names, literals, brackets, and the forms that extend to the right.

use super::term::{ARROW, LEAD, MAX, binop, bounding};
use super::{PResult, Parser, Pos};
use crate::syntax::ast::{BinOp, Ident, Span, Term, TermKind, UnOp};
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::token::{Kw, Tok};

impl Parser<'_> {
    /// A term that is no application and no operation, unless by a prefix; and its precedence.
    pub(super) fn leading(&mut self, min: u32) -> PResult<(Term, u32)> {
        let start = self.span();
        self.check_indent()?;
        let tok = self.tok();
        if min > LEAD && opens_wide(tok) {
            let e = self.expected(&["an argument"], "");
            return Err(Box::new(
                e.hint("put this in parentheses, or write `<|` before it"),
            ));
        }
        let kind = match tok {
            Tok::Ident => return self.name(min),
            Tok::At if self.tok_at(1).tok == Tok::Ident && !self.tok_at(1).space_before => {
                self.bump();
                let id = self.ident("")?;
                TermKind::Ident {
                    id,
                    levels: self.level_args()?,
                    explicit: true,
                }
            }
            Tok::Underscore => {
                self.bump();
                TermKind::Hole
            }
            Tok::SynthHole => {
                let span = self.bump().span;
                let id = self.ident_of(Span::new(span.start + 1, span.end));
                TermKind::SynthHole(if &*id.name == "_" { None } else { Some(id) })
            }
            Tok::Num => TermKind::Num(self.num()?.value),
            Tok::Str => TermKind::Str(self.string("")?.value),
            Tok::Char => TermKind::Char(self.char_lit()?.0),
            Tok::Dot if self.tok_at(1).tok == Tok::Ident && !self.tok_at(1).space_before => {
                self.bump();
                TermKind::DotIdent(self.ident("")?)
            }
            Tok::CDot => {
                let Some(n) = self.cdots else {
                    return Err(self.err_here(SyntaxErrorKind::CDotOutsideParens));
                };
                self.cdots = Some(n + 1);
                let span = self.bump().span;
                let id = Ident {
                    name: self.cdot_name(n + 1),
                    span,
                };
                TermKind::Ident {
                    id,
                    levels: None,
                    explicit: false,
                }
            }
            Tok::LParen => return self.paren(min),
            Tok::LBrace | Tok::LStrict => return self.brace(min),
            Tok::LBracket if min <= ARROW && self.after_close() == Some(Tok::Arrow) => {
                return Ok((self.dependent_arrow()?, ARROW));
            }
            Tok::LBracket => TermKind::List(self.term_list(Tok::RBracket, "`]`")?),
            Tok::LAngle => TermKind::AnonCtor(self.term_list(Tok::RAngle, "`⟩`")?),
            Tok::LQuote => {
                self.bump();
                let p = self.bracketed(|p| p.term())?;
                self.close(Tok::RQuote, "`›`", start)?;
                TermKind::TypeAssumption(Box::new(p))
            }
            Tok::Not => return self.prefix(UnOp::Not, 40, LEAD),
            Tok::Bang => return self.prefix(UnOp::BoolNot, 40, LEAD),
            Tok::UpArrow => return self.prefix(UnOp::Coe, MAX, MAX),
            Tok::Minus if min <= 75 => return self.prefix(UnOp::Neg, 75, 75),
            Tok::Lambda | Tok::Kw(Kw::Fun) => self.fun()?,
            Tok::Kw(Kw::Sorry) => {
                self.bump();
                TermKind::Sorry
            }
            Tok::Kw(Kw::Prop) => {
                self.bump();
                TermKind::Prop
            }
            Tok::Kw(kw @ (Kw::Type | Kw::Sort)) => {
                self.bump();
                let level = if min <= LEAD && self.starts_level() {
                    Some(self.level_atom()?)
                } else {
                    None
                };
                let kind = if kw == Kw::Type {
                    TermKind::Type(level)
                } else {
                    TermKind::Sort(level)
                };
                return Ok((
                    Term {
                        kind,
                        span: self.since(start),
                    },
                    LEAD,
                ));
            }
            Tok::Forall | Tok::Exists | Tok::Kw(Kw::Forall | Kw::Exists) => {
                return self.quantifier();
            }
            Tok::Sigma | Tok::PSigma => {
                self.bump();
                let binders = self.quantifier_binders()?;
                self.expect(Tok::Comma, "`,`", "after these binders")?;
                let body = Box::new(self.term()?);
                TermKind::Sigma {
                    binders,
                    body,
                    psigma: tok == Tok::PSigma,
                }
            }
            Tok::Kw(Kw::Let | Kw::Have) => self.let_term()?,
            Tok::Kw(Kw::Show) => {
                self.bump();
                let ty = Box::new(self.term()?);
                TermKind::Show {
                    ty,
                    proof: Box::new(self.proof_clause()?),
                }
            }
            Tok::Kw(Kw::Suffices) => {
                let (name, ty, proof) = self.here(|p| {
                    p.bump();
                    let name = p.hyp_colon()?;
                    Ok((name, Box::new(p.term()?), Box::new(p.proof_clause()?)))
                })?;
                self.body_follows("suffices")?;
                TermKind::Suffices {
                    name,
                    ty,
                    proof,
                    body: Box::new(self.term()?),
                }
            }
            Tok::Kw(Kw::Match) => self.match_term()?,
            Tok::Kw(Kw::NoMatch) => {
                self.bump();
                TermKind::Match {
                    motive: None,
                    discrs: self.discrs()?,
                    alts: Vec::new(),
                }
            }
            Tok::Kw(Kw::If) => {
                self.bump();
                let hyp = self.hyp_colon()?;
                let cond = Box::new(self.term()?);
                self.expect(Tok::Kw(Kw::Then), "`then`", "after the condition")?;
                let then = Box::new(self.term()?);
                self.expect(Tok::Kw(Kw::Else), "`else`", "after the first branch")?;
                TermKind::If {
                    hyp,
                    cond,
                    then,
                    els: Box::new(self.term()?),
                }
            }
            Tok::Kw(Kw::By) => {
                self.bump();
                TermKind::By(self.block("by", start)?)
            }
            Tok::Kw(Kw::Calc) => {
                self.bump();
                TermKind::Calc(self.calc_steps()?)
            }
            Tok::User(word) => return self.user_leading(word, min),
            _ => return Err(self.expected(&["a term"], "")),
        };
        let prec = if opens_wide(tok) { LEAD } else { MAX };
        Ok((
            Term {
                kind,
                span: self.since(start),
            },
            prec,
        ))
    }

    /// In a block of tactics, what begins a line as far left as the tactics is no term of the tactic before.
    fn check_indent(&self) -> PResult<()> {
        let token = self.peek();
        match self.pos {
            Some(Pos { col, tactic: true })
                if token.first_of_line && token.col <= col && !matches!(token.tok, Tok::Eof) =>
            {
                let e = self.expected(&["a term"], "");
                Err(Box::new(e.hint(
                    "a term that begins a line must be indented more than the tactic it belongs to",
                )))
            }
            _ => Ok(()),
        }
    }

    /// A name; or `not p`.
    fn name(&mut self, min: u32) -> PResult<(Term, u32)> {
        let start = self.span();
        if min <= LEAD && self.is_word("not") {
            let next = self.tok_at(1);
            let operand = matches!(
                next.tok,
                Tok::Ident | Tok::LParen | Tok::Forall | Tok::Exists | Tok::Not
            ) || matches!(next.tok, Tok::Kw(Kw::Forall | Kw::Exists));
            if operand && next.line == self.peek().line {
                return self.prefix(UnOp::Not, 40, LEAD);
            }
        }
        let id = self.ident("")?;
        let kind = TermKind::Ident {
            id,
            levels: self.level_args()?,
            explicit: false,
        };
        Ok((
            Term {
                kind,
                span: self.since(start),
            },
            MAX,
        ))
    }

    fn prefix(&mut self, op: UnOp, operand: u32, prec: u32) -> PResult<(Term, u32)> {
        let op_span = self.bump().span;
        let e = Box::new(self.term_prec(operand)?);
        let span = op_span.to(e.span);
        Ok((
            Term {
                kind: TermKind::Unop { op, op_span, e },
                span,
            },
            prec,
        ))
    }

    /// Terms in brackets, the opening one of which comes next.
    fn term_list(&mut self, close: Tok, text: &'static str) -> PResult<Vec<Term>> {
        let open = self.bump().span;
        let list = self.bracketed(|p| {
            if p.is(close) {
                Ok(Vec::new())
            } else {
                p.terms()
            }
        })?;
        self.close(close, text, open)?;
        Ok(list)
    }

    /// Terms with commas between.
    pub(super) fn terms(&mut self) -> PResult<Vec<Term>> {
        let mut list = vec![self.term()?];
        while self.eat(Tok::Comma) {
            list.push(self.term()?);
        }
        Ok(list)
    }

    fn fun(&mut self) -> PResult<TermKind> {
        self.bump();
        if self.is(Tok::Bar) {
            return Ok(TermKind::FunMatch(self.match_alts()?));
        }
        let binders = self.fun_binders()?;
        self.fun_arrow()?;
        Ok(TermKind::Lam {
            binders,
            body: Box::new(self.term()?),
        })
    }

    /// `∀ …, p`, `∃ …, p`, `∀ x < n, p`
    fn quantifier(&mut self) -> PResult<(Term, u32)> {
        let token = self.bump();
        let forall = matches!(token.tok, Tok::Forall | Tok::Kw(Kw::Forall));
        let binders = self.quantifier_binders()?;
        let bound = match bounding(self.tok()) {
            Some(op) => {
                let op_span = self.bump().span;
                Some((op, op_span, self.term_prec(51)?))
            }
            None => None,
        };
        self.expect(Tok::Comma, "`,`", "after these binders")?;
        let body = self.term()?;
        let span = self.since(token.span);
        let make = |binders, body| {
            let body = Box::new(body);
            let kind = if forall {
                TermKind::Pi { binders, body }
            } else {
                TermKind::Exists { binders, body }
            };
            Term { kind, span }
        };
        let Some((op, op_span, bound)) = bound else {
            return Ok((make(binders, body), LEAD));
        };
        let mut names = binders.into_iter();
        let (Some(binder), None) = (names.next(), names.next()) else {
            let e = self.err_at(
                SyntaxErrorKind::Unsupported("bounds of several variables at once"),
                op_span,
            );
            return Err(Box::new(e.hint(
                "write one quantifier for each variable: `∀ x < n, ∀ y < n, …`",
            )));
        };
        let Some(id) = binder.names.first().and_then(|n| n.name.clone()) else {
            return Err(self.err_at(
                SyntaxErrorKind::Unsupported("bounds of a variable without a name"),
                op_span,
            ));
        };
        let var = Term {
            span: id.span,
            kind: TermKind::Ident {
                id,
                levels: None,
                explicit: false,
            },
        };
        let cond = binop(op, op_span, var, bound);
        let body = if forall {
            Term {
                kind: TermKind::Arrow(Box::new(cond), Box::new(body)),
                span,
            }
        } else {
            let mut both = binop(BinOp::And, op_span, cond, body);
            both.span = span;
            both
        };
        self.grow(2)?;
        Ok((make(vec![binder], body), LEAD))
    }
}

/// The forms that extend to the right as far as they can.
pub(super) fn opens_wide(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Forall
            | Tok::Exists
            | Tok::Sigma
            | Tok::PSigma
            | Tok::Kw(
                Kw::Forall
                    | Kw::Exists
                    | Kw::Let
                    | Kw::Have
                    | Kw::Show
                    | Kw::Suffices
                    | Kw::Match
                    | Kw::NoMatch
                    | Kw::If
                    | Kw::By
                    | Kw::Calc
            )
    )
}
