//! Declarations: `def` and its kin, `inductive`, `structure`.

use super::{PResult, Parser, Pos};
use crate::syntax::ast::{
    Binder, BinderKind, CommandKind, Ctor, Decl, DeclKind, DeclValue, Ident, InductiveDecl,
    Modifiers, StructField, StructureDecl, Termination,
};
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::token::{Kw, Tok};

impl Parser<'_> {
    /// The declaration after its keyword.
    pub(super) fn declaration(
        &mut self,
        kw: Kw,
        modifiers: Modifiers,
        name: &mut Option<Ident>,
    ) -> PResult<CommandKind> {
        let kind = match kw {
            Kw::Def => DeclKind::Def,
            Kw::Theorem => DeclKind::Theorem,
            Kw::Lemma => DeclKind::Lemma,
            Kw::Example => DeclKind::Example,
            Kw::Abbrev => DeclKind::Abbrev,
            Kw::Axiom => DeclKind::Axiom,
            Kw::Opaque => DeclKind::Opaque,
            Kw::Inductive => return self.inductive(modifiers, name),
            Kw::Structure => return self.structure(modifiers, name),
            _ => return Err(self.expected(&["a declaration"], "")),
        };
        if kind != DeclKind::Example {
            *name = Some(self.ident("of the declaration")?);
        }
        let levels = self.level_params()?;
        let binders = self.decl_binders()?;
        let ty = if self.eat(Tok::Colon) {
            Some(self.term()?)
        } else {
            None
        };
        let value = if self.eat(Tok::Assign) {
            DeclValue::Term(self.term()?)
        } else if self.is(Tok::Bar) {
            DeclValue::Equations(self.match_alts()?)
        } else if matches!(kind, DeclKind::Axiom | DeclKind::Opaque) {
            DeclValue::None
        } else if self.is_kw(Kw::Where) {
            let e = self.err_here(SyntaxErrorKind::Unsupported("`where` definitions"));
            return Err(Box::new(e.hint("write `:= { field := value, … }`")));
        } else {
            let e = self.expected(
                if ty.is_some() {
                    &["`:=`", "`|`"]
                } else {
                    &["`:`", "`:=`", "`|`"]
                },
                "",
            );
            return Err(if self.is_kw(Kw::By) {
                Box::new(e.hint("write `:= by`"))
            } else {
                e
            });
        };
        if ty.is_none()
            && matches!(
                kind,
                DeclKind::Axiom | DeclKind::Opaque | DeclKind::Theorem | DeclKind::Lemma
            )
        {
            let what = if kind == DeclKind::Opaque {
                "in an opaque definition"
            } else {
                "and a statement"
            };
            let mut e = self.expected(&["`:`"], what);
            e.span = name.as_ref().map_or(e.span, |n| n.span);
            return Err(e);
        }
        if self.is_kw(Kw::Where) {
            let e = self.err_here(SyntaxErrorKind::Unsupported(
                "local definitions after `where`",
            ));
            return Err(Box::new(e.hint("define them before, or with `let`")));
        }
        let termination = self.termination()?;
        let decl = Decl {
            kind,
            modifiers,
            name: name.clone(),
            levels,
            binders,
            ty,
            value,
            termination,
        };
        Ok(CommandKind::Decl(Box::new(decl)))
    }

    /// `termination_by …`, `decreasing_by …`, if they are there.
    fn termination(&mut self) -> PResult<Option<Termination>> {
        let start = self.span();
        let mut t = Termination {
            structural: false,
            vars: Vec::new(),
            measure: None,
            decreasing_by: None,
            span: start,
        };
        if self.eat_kw(Kw::TerminationBy) {
            t.structural = self.is_word("structural")
                && self.starts_term_after_word()
                && self.eat_word("structural");
            let mut n = 0;
            while matches!(self.tok_at(n).tok, Tok::Ident | Tok::Underscore) {
                n += 1;
            }
            if n > 0 && self.tok_at(n).tok == Tok::FatArrow {
                t.vars = self.binder_names()?;
                self.expect(Tok::FatArrow, "`=>`", "after these names")?;
            }
            t.measure = Some(self.term()?);
        }
        if self.is_kw(Kw::DecreasingBy) {
            let word = self.bump().span;
            t.decreasing_by = Some(self.block("decreasing_by", word)?);
        }
        if t.measure.is_none() && t.decreasing_by.is_none() {
            return Ok(None);
        }
        t.span = self.since(start);
        Ok(Some(t))
    }

    fn starts_term_after_word(&self) -> bool {
        matches!(
            self.tok_at(1).tok,
            Tok::Ident | Tok::LParen | Tok::Underscore
        )
    }

    fn inductive(
        &mut self,
        modifiers: Modifiers,
        name: &mut Option<Ident>,
    ) -> PResult<CommandKind> {
        let id = self.ident("of the type")?;
        *name = Some(id.clone());
        let levels = self.level_params()?;
        let params = self.decl_binders()?;
        let ty = if self.eat(Tok::Colon) {
            Some(self.term()?)
        } else {
            None
        };
        if !self.eat_kw(Kw::Where) {
            self.eat(Tok::Assign);
        }
        let mut ctors = Vec::new();
        while self.is(Tok::Bar) || self.is(Tok::Doc) && self.tok_at(1).tok == Tok::Bar {
            let mut doc = self.opt_doc();
            let start = self.span();
            let pos = Pos {
                col: self.peek().col,
                tactic: false,
            };
            let ctor = self.with_pos(Some(pos), |p| {
                p.bump();
                doc = doc.take().or(p.opt_doc());
                let name = p.atomic_ident("of a constructor")?;
                let binders = p.decl_binders()?;
                let ty = if p.eat(Tok::Colon) {
                    Some(p.term()?)
                } else {
                    None
                };
                Ok(Ctor {
                    doc: doc.take(),
                    name,
                    binders,
                    ty,
                    span: p.since(start),
                })
            })?;
            ctors.push(ctor);
        }
        self.no_deriving()?;
        let decl = InductiveDecl {
            modifiers,
            name: id,
            levels,
            params,
            ty,
            ctors,
        };
        Ok(CommandKind::Inductive(Box::new(decl)))
    }

    fn no_deriving(&self) -> PResult<()> {
        if self.is_kw(Kw::Deriving) {
            let e = self.err_here(SyntaxErrorKind::Unsupported("`deriving` clauses"));
            return Err(Box::new(e.hint("there are no type classes to derive")));
        }
        Ok(())
    }

    fn structure(
        &mut self,
        modifiers: Modifiers,
        name: &mut Option<Ident>,
    ) -> PResult<CommandKind> {
        let id = self.ident("of the structure")?;
        *name = Some(id.clone());
        let levels = self.level_params()?;
        let params = self.decl_binders()?;
        let mut ty = if self.eat(Tok::Colon) {
            Some(self.term()?)
        } else {
            None
        };
        let extends = if self.eat_kw(Kw::Extends) {
            self.terms()?
        } else {
            Vec::new()
        };
        if ty.is_none() && self.eat(Tok::Colon) {
            ty = Some(self.term()?);
        }
        let (mut ctor, mut fields) = (None, Vec::new());
        if self.eat_kw(Kw::Where) || self.eat(Tok::Assign) {
            if self.is(Tok::Ident) && self.tok_at(1).tok == Tok::ColonColon {
                ctor = Some(self.atomic_ident("of the constructor")?);
                self.bump();
            }
            fields = self.here(|p| p.fields())?;
        }
        self.no_deriving()?;
        let decl = StructureDecl {
            modifiers,
            name: id,
            levels,
            params,
            extends,
            ty,
            ctor,
            fields,
        };
        Ok(CommandKind::Structure(Box::new(decl)))
    }

    fn fields(&mut self) -> PResult<Vec<StructField>> {
        let mut fields = Vec::new();
        loop {
            let keyword = matches!(self.tok(), Tok::Kw(_)) && self.peek().first_of_line;
            let begins = keyword
                || matches!(
                    self.tok(),
                    Tok::Ident
                        | Tok::Underscore
                        | Tok::LParen
                        | Tok::LBrace
                        | Tok::LStrict
                        | Tok::LBracket
                        | Tok::Doc
                );
            let ends = self.at_command()
                || self.command_follows_doc()
                || !begins
                || !self.not_left_of_pos();
            if ends || self.is_kw(Kw::Deriving) {
                return Ok(fields);
            }
            let doc = self.opt_doc();
            let start = self.span();
            let mut binders = Vec::new();
            let field = match self.bracketed_binder()? {
                Some(field) => field,
                None => {
                    let mut names = vec![self.binder_name("of a field")?];
                    names.append(&mut self.binder_names()?);
                    while let Some(binder) = self.field_binder()? {
                        binders.push(binder);
                    }
                    let ty = if self.eat(Tok::Colon) {
                        Some(Box::new(self.term()?))
                    } else {
                        None
                    };
                    let default = if self.eat(Tok::Assign) {
                        Some(Box::new(self.term()?))
                    } else {
                        None
                    };
                    if ty.is_none() && default.is_none() {
                        return Err(self.expected(&["`:`"], "and the type of this field"));
                    }
                    Binder {
                        names,
                        ty,
                        default,
                        kind: BinderKind::Explicit,
                        span: self.since(start),
                    }
                }
            };
            fields.push(StructField {
                doc,
                field,
                binders,
                span: self.since(start),
            });
        }
    }

    /// A bracket among a field's own parameters; one in the column of the fields is the next field.
    fn field_binder(&mut self) -> PResult<Option<Binder>> {
        if self.continues() {
            self.bracketed_binder()
        } else {
            Ok(None)
        }
    }
}
