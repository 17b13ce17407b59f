//! Terms in parentheses and braces: tuples, functions made by `·`, structure literals, subtypes, dependent arrows.

use super::term::{ARROW, MAX, PROD};
use super::{PResult, Parser, Pos};
use crate::syntax::ast::{
    Binder, BinderKind, BinderName, FieldInit, FunBinder, Ident, Term, TermKind,
};
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::token::{Kw, Tok};

impl Parser<'_> {
    /// `{x : T} → U`, `{x : T // p}`, `{ a := 1 }`, `{ s with a := 1 }`, `{}`
    pub(super) fn brace(&mut self, min: u32) -> PResult<(Term, u32)> {
        if self.is(Tok::LStrict) || self.after_binder() == Some(Tok::Arrow) {
            if min > ARROW {
                let e = self.expected(&["a term"], "");
                return Err(Box::new(e.hint("put this arrow in parentheses")));
            }
            return Ok((self.dependent_arrow()?, ARROW));
        }
        let open = self.bump().span;
        let kind = self.bracketed(|p| {
            let named = matches!(p.tok(), Tok::Ident | Tok::Underscore);
            if named && matches!(p.tok_at(1).tok, Tok::Colon | Tok::SlashSlash) {
                p.subtype()
            } else {
                p.struct_inst()
            }
        })?;
        self.close(Tok::RBrace, "`}`", open)?;
        Ok((
            Term {
                kind,
                span: self.since(open),
            },
            MAX,
        ))
    }

    fn subtype(&mut self) -> PResult<TermKind> {
        let name = self.binder_name("of a subtype")?;
        let ty = if self.eat(Tok::Colon) {
            Some(Box::new(self.term()?))
        } else {
            None
        };
        self.no_comprehension()?;
        self.expect(Tok::SlashSlash, "`//`", "in this subtype")?;
        Ok(TermKind::Subtype {
            name,
            ty,
            pred: Box::new(self.term()?),
        })
    }

    fn no_comprehension(&self) -> PResult<()> {
        if self.is(Tok::Bar) {
            let e = self.err_here(SyntaxErrorKind::Unsupported("set comprehensions"));
            return Err(Box::new(e.hint("a subtype is written `{x : T // p}`")));
        }
        Ok(())
    }

    fn struct_inst(&mut self) -> PResult<TermKind> {
        let mut sources = Vec::new();
        if self.has_sources() {
            sources = self.terms()?;
            self.expect(Tok::Kw(Kw::With), "`with`", "after what is updated")?;
        }
        let pos = Pos {
            col: self.peek().col,
            tactic: false,
        };
        let fields = self.with_pos(Some(pos), |p| p.field_inits(pos.col))?;
        let ty = if self.eat(Tok::Colon) {
            Some(Box::new(self.term()?))
        } else {
            None
        };
        Ok(TermKind::StructInst {
            sources,
            fields,
            ty,
        })
    }

    /// Fields with commas or, in one column, line breaks between.
    fn field_inits(&mut self, col: u32) -> PResult<Vec<FieldInit>> {
        let mut fields = Vec::new();
        while !matches!(self.tok(), Tok::RBrace | Tok::Colon) {
            let field = self.ident("of a field")?;
            let value = if self.eat(Tok::Assign) {
                Some(self.term()?)
            } else {
                None
            };
            self.no_comprehension()?;
            fields.push(FieldInit { field, value });
            let next = self.peek();
            let next_line = next.first_of_line && next.col == col && next.tok == Tok::Ident;
            if !self.eat(Tok::Comma) && !next_line {
                break;
            }
        }
        Ok(fields)
    }

    /// `with` comes before the first `:=` of these braces.
    fn has_sources(&self) -> bool {
        let mut i = self.i;
        while let Some(token) = self.toks.get(i) {
            match token.tok {
                Tok::Kw(Kw::With) => return true,
                Tok::Assign | Tok::RBrace | Tok::Eof => return false,
                Tok::Kw(kw) if kw.is_command() => return false,
                _ => {}
            }
            i = token.close.map_or(i, |c| c as usize) + 1;
        }
        false
    }

    /// `(e)`, `(e : T)`, `(a, b)`, `()`, `(· + 1)`, `(x : T) → U`, `(x : T) × U`
    pub(super) fn paren(&mut self, min: u32) -> PResult<(Term, u32)> {
        if let Some(after) = self.after_binder() {
            let pi = after == Tok::Arrow && min <= ARROW;
            let sigma = matches!(after, Tok::Times | Tok::PTimes) && min <= PROD;
            if pi {
                return Ok((self.dependent_arrow()?, ARROW));
            }
            if sigma {
                let start = self.span();
                let binders: Vec<Binder> = self.bracketed_binder()?.into_iter().collect();
                self.bump();
                let body = Box::new(self.term_prec(PROD)?);
                let kind = TermKind::Sigma {
                    binders,
                    body,
                    psigma: after == Tok::PTimes,
                };
                return Ok((
                    Term {
                        kind,
                        span: self.since(start),
                    },
                    PROD,
                ));
            }
        }
        let open = self.bump().span;
        if self.is(Tok::Ident) && self.tok_at(1).tok == Tok::Assign {
            let e = self.expected(&["a term"], "in these parentheses");
            return Err(Box::new(
                e.hint("`(x := e)` may only follow the function it is passed to"),
            ));
        }
        let outer = self.cdots.replace(0);
        let inner = self.bracketed(|p| p.in_parens());
        self.cdots = outer;
        let mut term = inner?;
        self.close(Tok::RParen, "`)`", open)?;
        term.span = self.since(open);
        Ok((term, MAX))
    }

    fn in_parens(&mut self) -> PResult<Term> {
        let start = self.span();
        if self.is(Tok::RParen) {
            return Ok(Term {
                kind: TermKind::Tuple(Vec::new()),
                span: start,
            });
        }
        let mut term = self.term()?;
        if self.is(Tok::Comma) {
            let mut list = vec![term];
            while self.eat(Tok::Comma) {
                list.push(self.term()?);
            }
            term = Term {
                kind: TermKind::Tuple(list),
                span: self.since(start),
            };
        }
        term = self.close_cdots(term);
        if self.eat(Tok::Colon) && !self.is(Tok::RParen) {
            let ty = Box::new(self.term()?);
            term = Term {
                kind: TermKind::Ascribe(Box::new(term), ty),
                span: self.since(start),
            };
        }
        Ok(term)
    }

    /// Makes the function of the `·` that were seen.
    fn close_cdots(&mut self, body: Term) -> Term {
        let n = self.cdots.replace(0).unwrap_or(0);
        if n == 0 {
            return body;
        }
        let span = body.span;
        let binder = |i| {
            let id = Ident {
                name: self.cdot_name(i),
                span,
            };
            let names = vec![BinderName {
                name: Some(id),
                span,
            }];
            FunBinder::Binder(Binder {
                names,
                ty: None,
                default: None,
                kind: BinderKind::Explicit,
                span,
            })
        };
        let binders = (1..=n).map(binder).collect();
        Term {
            kind: TermKind::Lam {
                binders,
                body: Box::new(body),
            },
            span,
        }
    }

    /// If a bracket with binders `x y : T` comes next: what follows its closing one.
    pub(super) fn after_binder(&self) -> Option<Tok> {
        let mut n = 1;
        if self.is(Tok::LBrace) && self.tok_at(1).tok == Tok::LBrace {
            n = 2;
        }
        let first = n;
        while matches!(self.tok_at(n).tok, Tok::Ident | Tok::Underscore) {
            n += 1;
        }
        if n > first && self.tok_at(n).tok == Tok::Colon {
            self.after_close()
        } else {
            None
        }
    }

    /// What follows the partner of the bracket that comes next.
    pub(super) fn after_close(&self) -> Option<Tok> {
        let close = self.peek().close? as usize;
        self.toks.get(close + 1).map(|t| t.tok)
    }

    /// `(x : T) → U`, `{x : T} → U`
    pub(super) fn dependent_arrow(&mut self) -> PResult<Term> {
        let start = self.span();
        let binders: Vec<Binder> = self.bracketed_binder()?.into_iter().collect();
        self.expect(Tok::Arrow, "`→`", "after this binder")?;
        let body = Box::new(self.term_prec(ARROW)?);
        Ok(Term {
            kind: TermKind::Pi { binders, body },
            span: self.since(start),
        })
    }
}
