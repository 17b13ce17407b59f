//! Terms in braces: structure literals, subtypes, implicit arrows.

use super::term::{ARROW, MAX};
use super::{PResult, Parser, Pos};
use crate::syntax::ast::{FieldInit, Term, TermKind};
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
            if named && matches!(p.tok_at(1).tok, Tok::Colon | Tok::SlashSlash) { p.subtype() } else { p.struct_inst() }
        })?;
        self.close(Tok::RBrace, "`}`", open)?;
        Ok((Term { kind, span: self.since(open) }, MAX))
    }

    fn subtype(&mut self) -> PResult<TermKind> {
        let name = self.binder_name("of a subtype")?;
        let ty = if self.eat(Tok::Colon) { Some(Box::new(self.term()?)) } else { None };
        self.no_comprehension()?;
        self.expect(Tok::SlashSlash, "`//`", "in this subtype")?;
        Ok(TermKind::Subtype { name, ty, pred: Box::new(self.term()?) })
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
        let pos = Pos { col: self.peek().col, tactic: false };
        let fields = self.with_pos(Some(pos), |p| p.field_inits(pos.col))?;
        let ty = if self.eat(Tok::Colon) { Some(Box::new(self.term()?)) } else { None };
        Ok(TermKind::StructInst { sources, fields, ty })
    }

    /// Fields with commas or, in one column, line breaks between.
    fn field_inits(&mut self, col: u32) -> PResult<Vec<FieldInit>> {
        let mut fields = Vec::new();
        while !matches!(self.tok(), Tok::RBrace | Tok::Colon) {
            let field = self.ident("of a field")?;
            let value = if self.eat(Tok::Assign) { Some(self.term()?) } else { None };
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
}
