//! `let`, `have`, `show … from`, `match` and `calc`, and what tactics share with them.

use super::term::LEAD;
use super::{PResult, Parser, Pos};
use crate::syntax::ast::{CalcStep, Discr, LetDecl, LetLhs, LetValue, Term, TermKind};
use crate::syntax::token::{Kw, Tok};

impl Parser<'_> {
    /// `from e` or `by tacs`
    pub(super) fn proof_clause(&mut self) -> PResult<Term> {
        if self.eat_kw(Kw::From) {
            return self.term();
        }
        if self.is_kw(Kw::By) {
            return self.term_prec(LEAD);
        }
        Err(self.expected(&["`from`", "`by`"], ""))
    }

    /// `;` or a new line before the body of `let` and the like.
    pub(super) fn body_follows(&mut self, word: &'static str) -> PResult<()> {
        if self.eat(Tok::Semi) || self.peek().first_of_line && !self.at_command() {
            return Ok(());
        }
        let e = self.expected(&["`;`", "a new line"], "");
        Err(Box::new(e.hint(format!(
            "`{word}` is followed by the term that uses it"
        ))))
    }

    pub(super) fn let_term(&mut self) -> PResult<TermKind> {
        let is_let = self.is_kw(Kw::Let);
        let decl = self.here(|p| {
            p.bump();
            p.let_decl(false)
        })?;
        self.body_follows(if is_let { "let" } else { "have" })?;
        let (decl, body) = (Box::new(decl), Box::new(self.term()?));
        Ok(if is_let {
            TermKind::Let(decl, body)
        } else {
            TermKind::Have(decl, body)
        })
    }

    /// What follows `let` or `have`. With `goal`, the value may be missing.
    pub(super) fn let_decl(&mut self, goal: bool) -> PResult<LetDecl> {
        let start = self.span();
        let lhs = match self.tok() {
            Tok::Colon | Tok::Assign => LetLhs::Anonymous,
            Tok::LAngle | Tok::LParen => LetLhs::Pattern(self.pattern_atom()?),
            _ => {
                let name = self.binder_name("to bind")?;
                let mut binders = Vec::new();
                while self.starts_fun_binder() && self.continues() {
                    binders.push(self.fun_binder()?);
                }
                LetLhs::Name { name, binders }
            }
        };
        let ty = if self.eat(Tok::Colon) {
            Some(self.term()?)
        } else {
            None
        };
        let value = if self.eat(Tok::Assign) {
            Some(LetValue::Term(self.term()?))
        } else if self.is(Tok::Bar) && matches!(lhs, LetLhs::Name { .. }) && self.not_left_of_pos()
        {
            Some(LetValue::Alts(self.match_alts()?))
        } else if goal && ty.is_some() {
            None
        } else {
            let e = self.expected(
                if ty.is_some() {
                    &["`:=`"]
                } else {
                    &["`:`", "`:=`"]
                },
                "",
            );
            return Err(if self.is_kw(Kw::From) || self.is_kw(Kw::By) {
                Box::new(e.hint("write `have h : T := e` or `have h : T := by …`"))
            } else {
                e
            });
        };
        Ok(LetDecl {
            lhs,
            ty,
            value,
            span: self.since(start),
        })
    }

    /// Scrutinees with commas between.
    pub(super) fn discrs(&mut self) -> PResult<Vec<Discr>> {
        let mut discrs = Vec::new();
        loop {
            discrs.push(Discr {
                hyp: self.hyp_colon()?,
                e: self.term()?,
            });
            if !self.eat(Tok::Comma) {
                return Ok(discrs);
            }
        }
    }

    pub(super) fn match_term(&mut self) -> PResult<TermKind> {
        self.bump();
        let open = self.span();
        let word = self.tok_at(1);
        let named =
            self.is(Tok::LParen) && word.tok == Tok::Ident && self.tok_at(2).tok == Tok::Assign;
        let motive = if named && self.slice(word.span) == "motive" {
            for _ in 0..3 {
                self.bump();
            }
            let motive = self.bracketed(|p| p.term())?;
            self.close(Tok::RParen, "`)`", open)?;
            Some(Box::new(motive))
        } else {
            None
        };
        let discrs = self.discrs()?;
        self.expect(Tok::Kw(Kw::With), "`with`", "after what is matched")?;
        let alts = self.match_alts()?;
        if alts.is_empty() {
            let e = self.expected(&["`|`"], "and the alternatives of `match`");
            return Err(Box::new(
                e.hint("for a type without constructors write `nomatch e`"),
            ));
        }
        Ok(TermKind::Match {
            motive,
            discrs,
            alts,
        })
    }

    /// The steps of `calc`. The first may stand on its line; later ones begin lines, in one column.
    pub(super) fn calc_steps(&mut self) -> PResult<Vec<CalcStep>> {
        let first = self.here(|p| p.calc_step(true))?;
        let mut steps = vec![first];
        if !self.begins_step() {
            return Ok(steps);
        }
        let outer = self.pos;
        let pos = Pos {
            col: self.peek().col,
            tactic: false,
        };
        self.with_pos(Some(pos), |p| {
            while p.begins_step_in(outer) && p.not_left_of_pos() {
                steps.push(p.calc_step(false)?);
            }
            Ok(steps)
        })
    }

    fn begins_step(&self) -> bool {
        self.begins_step_in(self.pos)
    }

    fn begins_step_in(&self, outer: Option<Pos>) -> bool {
        let token = self.peek();
        let term = !matches!(token.tok, Tok::CDot | Tok::Kw(_))
            && (self.starts_atom() || token.tok == Tok::Minus);
        token.first_of_line && term && !self.at_command() && outer.is_none_or(|p| token.col > p.col)
    }

    fn calc_step(&mut self, first: bool) -> PResult<CalcStep> {
        let start = self.span();
        let rel = self.term()?;
        let proof = if first && !self.is(Tok::Assign) {
            None
        } else {
            self.expect(Tok::Assign, "`:=`", "and the proof of this step")?;
            Some(self.term()?)
        };
        Ok(CalcStep {
            rel,
            proof,
            span: self.since(start),
        })
    }
}
