//! Binders.

use super::{PResult, Parser};
use crate::syntax::ast::{
    Binder, BinderKind, BinderName, FunBinder, Ident, Pattern, PatternKind, Span,
};
use crate::syntax::error::SyntaxError;
use crate::syntax::token::Tok;

impl Parser<'_> {
    /// A name without dots, or `_`.
    pub(super) fn binder_name(&mut self, context: &'static str) -> PResult<BinderName> {
        if self.is(Tok::Underscore) {
            return Ok(BinderName {
                name: None,
                span: self.bump().span,
            });
        }
        let id = self.atomic_ident(context)?;
        Ok(BinderName {
            span: id.span,
            name: Some(id),
        })
    }

    /// As many names and `_` as follow.
    pub(super) fn binder_names(&mut self) -> PResult<Vec<BinderName>> {
        let mut names = Vec::new();
        while matches!(self.tok(), Tok::Ident | Tok::Underscore) && self.continues() {
            names.push(self.binder_name("for a variable")?);
        }
        Ok(names)
    }

    /// As many names as follow.
    pub(super) fn idents(&mut self) -> PResult<Vec<Ident>> {
        let mut names = Vec::new();
        while self.is(Tok::Ident) && self.continues() {
            names.push(self.ident("")?);
        }
        Ok(names)
    }

    /// `h :` before something, if it is there.
    pub(super) fn hyp_colon(&mut self) -> PResult<Option<BinderName>> {
        let named =
            matches!(self.tok(), Tok::Ident | Tok::Underscore) && self.tok_at(1).tok == Tok::Colon;
        if !named {
            return Ok(None);
        }
        let name = self.binder_name("for a hypothesis")?;
        self.bump();
        Ok(Some(name))
    }

    /// Binders of a declaration: brackets and bare names.
    pub(super) fn decl_binders(&mut self) -> PResult<Vec<Binder>> {
        let mut binders = Vec::new();
        while self.continues() {
            match self.tok() {
                Tok::Ident | Tok::Underscore => binders.push(self.bare_binder()?),
                _ => match self.bracketed_binder()? {
                    Some(binder) => binders.push(binder),
                    None => break,
                },
            }
        }
        Ok(binders)
    }

    fn bare_binder(&mut self) -> PResult<Binder> {
        let name = self.binder_name("for a variable")?;
        let span = name.span;
        Ok(Binder {
            names: vec![name],
            ty: None,
            default: None,
            kind: BinderKind::Explicit,
            span,
        })
    }

    /// `(x y : T := d)`, `{x : T}`, `⦃x : T⦄`, `{{x : T}}`, `[T]`, if an opening bracket comes next.
    pub(super) fn bracketed_binder(&mut self) -> PResult<Option<Binder>> {
        let start = self.span();
        let double = |p: &Self| p.tok_at(1).tok == Tok::LBrace && !p.tok_at(1).space_before;
        let (kind, close, text) = match self.tok() {
            Tok::LParen => (BinderKind::Explicit, Tok::RParen, "`)`"),
            Tok::LBrace if double(self) => {
                self.bump();
                (BinderKind::StrictImplicit, Tok::RBrace, "`}}`")
            }
            Tok::LBrace => (BinderKind::Implicit, Tok::RBrace, "`}`"),
            Tok::LStrict => (BinderKind::StrictImplicit, Tok::RStrict, "`⦄`"),
            Tok::LBracket => return self.instance_binder().map(Some),
            _ => return Ok(None),
        };
        let twice = kind == BinderKind::StrictImplicit && close == Tok::RBrace;
        self.bump();
        let binder = self.bracketed(|p| {
            let mut names = vec![p.binder_name("in this binder")?];
            names.append(&mut p.binder_names()?);
            let ty = if p.eat(Tok::Colon) {
                Some(Box::new(p.term()?))
            } else {
                None
            };
            let default = if p.eat(Tok::Assign) {
                Some(Box::new(p.term()?))
            } else {
                None
            };
            Ok(Binder {
                names,
                ty,
                default,
                kind,
                span: start,
            })
        })?;
        self.close(close, text, start)?;
        if twice {
            self.close(close, text, start)?;
        }
        Ok(Some(Binder {
            span: self.since(start),
            ..binder
        }))
    }

    /// `[x : T]`, `[T]`
    fn instance_binder(&mut self) -> PResult<Binder> {
        let start = self.bump().span;
        let (name, ty) = self.bracketed(|p| {
            let name = p.hyp_colon()?.unwrap_or(BinderName {
                name: None,
                span: start,
            });
            Ok((name, Box::new(p.term()?)))
        })?;
        self.close(Tok::RBracket, "`]`", start)?;
        let span = self.since(start);
        Ok(Binder {
            names: vec![name],
            ty: Some(ty),
            default: None,
            kind: BinderKind::InstImplicit,
            span,
        })
    }

    /// The binders of `∀`, `∃`, `Σ`: `x y : T`, or a mixture of names and brackets. At least one.
    pub(super) fn quantifier_binders(&mut self) -> PResult<Vec<Binder>> {
        let mut binders = Vec::new();
        loop {
            match self.tok() {
                Tok::Ident | Tok::Underscore => binders.push(self.bare_binder()?),
                _ => match self.bracketed_binder()? {
                    Some(binder) => binders.push(binder),
                    None => break,
                },
            }
        }
        if binders.is_empty() {
            return Err(self.expected(&["a variable"], "to bind"));
        }
        if self.is(Tok::Colon) {
            self.shared_type(&mut binders)?;
        }
        Ok(binders)
    }

    /// `: T` after bare names: one group for all of them.
    fn shared_type(&mut self, binders: &mut Vec<Binder>) -> PResult<()> {
        if let Some(b) = binders
            .iter()
            .find(|b| b.ty.is_some() || b.kind != BinderKind::Explicit)
        {
            let e = self.expected(&["`,`"], "after these binders");
            return Err(Box::new(e.hint(format!(
                "a type without brackets belongs to bare names only; put brackets around all after `{}`",
                self.slice(b.span)
            ))));
        }
        self.bump();
        let ty = Some(Box::new(self.term()?));
        let names: Vec<BinderName> = binders.drain(..).flat_map(|b| b.names).collect();
        let first = names.first().map_or(self.span(), |n| n.span);
        let span = self.since(first);
        binders.push(Binder {
            names,
            ty,
            default: None,
            kind: BinderKind::Explicit,
            span,
        });
        Ok(())
    }

    /// The next token begins a binder of `fun` or `intro`.
    pub(super) fn starts_fun_binder(&self) -> bool {
        matches!(
            self.tok(),
            Tok::Ident
                | Tok::Underscore
                | Tok::LParen
                | Tok::LBrace
                | Tok::LStrict
                | Tok::LAngle
                | Tok::LBracket
        )
    }

    /// A binder of `fun` or `intro`: name, brackets, or pattern.
    pub(super) fn fun_binder(&mut self) -> PResult<FunBinder> {
        match self.tok() {
            Tok::Ident | Tok::Underscore => Ok(FunBinder::Binder(self.bare_binder()?)),
            Tok::LParen if !self.paren_binds_names() => {
                let pat = self.pattern_atom()?;
                Ok(match pat.kind {
                    PatternKind::Ascribe(inner, ty) => FunBinder::Pattern {
                        pat: Pattern {
                            span: pat.span,
                            ..*inner
                        },
                        ty: Some(ty),
                    },
                    _ => FunBinder::Pattern { pat, ty: None },
                })
            }
            Tok::LAngle => Ok(FunBinder::Pattern {
                pat: self.pattern_atom()?,
                ty: None,
            }),
            _ => match self.bracketed_binder()? {
                Some(binder) => Ok(FunBinder::Binder(binder)),
                None => Err(self.expected(&["a variable", "a pattern"], "to bind")),
            },
        }
    }

    /// `(x y : T)` or `(x)` comes next, and not a pattern.
    fn paren_binds_names(&self) -> bool {
        let mut n = 1;
        while matches!(self.tok_at(n).tok, Tok::Ident | Tok::Underscore) {
            n += 1;
        }
        n > 1 && (self.tok_at(n).tok == Tok::Colon || n == 2 && self.tok_at(n).tok == Tok::RParen)
    }

    /// The binders of `fun`, at least one, up to `=>`. A type without brackets belongs to all of them.
    pub(super) fn fun_binders(&mut self) -> PResult<Vec<FunBinder>> {
        let mut binders = vec![self.fun_binder()?];
        while self.starts_fun_binder() {
            binders.push(self.fun_binder()?);
        }
        if self.is(Tok::Colon) {
            let bare = |b: &FunBinder| match b {
                FunBinder::Binder(b) if b.ty.is_none() && b.kind == BinderKind::Explicit => {
                    Some(b.clone())
                }
                _ => None,
            };
            let Some(mut group) = binders.iter().map(bare).collect::<Option<Vec<Binder>>>() else {
                return Err(self.expected(&["`=>`"], "after these binders"));
            };
            self.shared_type(&mut group)?;
            binders = group.into_iter().map(FunBinder::Binder).collect();
        }
        Ok(binders)
    }

    /// `=>` after the binders of `fun`, with a hint for those who write a comma.
    pub(super) fn fun_arrow(&mut self) -> PResult<Span> {
        let comma = self.is(Tok::Comma);
        self.expect(Tok::FatArrow, "`=>`", "after the binders of `fun`")
            .map_err(|e: Box<SyntaxError>| {
                if comma {
                    Box::new(e.hint("write `fun x => e`"))
                } else {
                    e
                }
            })
    }
}
