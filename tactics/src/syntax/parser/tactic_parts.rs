//! Parts of tactics: places, rules, alternatives, `rcases` patterns.

use super::{PResult, Parser};
use crate::syntax::ast::{
    InductionAlt, InductionAltHead, Location, RPattern, RPatternKind, RwRule, SimpArg, SimpArgKind,
};
use crate::syntax::error::SyntaxError;
use crate::syntax::token::{Kw, Tok};

impl Parser<'_> {
    /// `at h k ⊢`, `at *`, if it is there.
    pub(super) fn opt_location(&mut self) -> PResult<Option<Location>> {
        if !self.is_kw(Kw::At) {
            return Ok(None);
        }
        let start = self.bump().span;
        let mut loc = Location {
            hyps: Vec::new(),
            goal: false,
            everywhere: false,
            span: start,
        };
        loc.everywhere = self.eat(Tok::Star);
        while !loc.everywhere && self.continues() {
            match self.tok() {
                Tok::Ident => loc.hyps.push(self.ident("")?),
                Tok::Turnstile => {
                    self.bump();
                    loc.goal = true;
                }
                _ => break,
            }
        }
        if !loc.everywhere && !loc.goal && loc.hyps.is_empty() {
            return Err(self.expected(&["a hypothesis", "`⊢`", "`*`"], "after `at`"));
        }
        loc.span = self.since(start);
        Ok(Some(loc))
    }

    /// `[← h, foo a]`
    pub(super) fn rw_rules(&mut self) -> PResult<Vec<RwRule>> {
        self.bracket_list(|p| {
            let start = p.span();
            let rev = p.eat(Tok::LeftArrow);
            let term = p.term()?;
            Ok(RwRule {
                rev,
                term,
                span: p.since(start),
            })
        })
    }

    /// `[h, ← k, -l, *]`
    pub(super) fn simp_args(&mut self) -> PResult<Vec<SimpArg>> {
        self.bracket_list(|p| {
            let start = p.span();
            let ends = matches!(p.tok_at(2).tok, Tok::Comma | Tok::RBracket);
            let kind = if p.eat(Tok::Star) {
                SimpArgKind::Star
            } else if p.is(Tok::Minus) && p.tok_at(1).tok == Tok::Ident && ends {
                p.bump();
                SimpArgKind::Minus(p.ident("")?)
            } else {
                let rev = p.eat(Tok::LeftArrow);
                SimpArgKind::Rule {
                    rev,
                    term: p.term()?,
                }
            };
            Ok(SimpArg {
                kind,
                span: p.since(start),
            })
        })
    }

    /// Items in square brackets, the opening one of which comes next. A comma may stand at the end.
    fn bracket_list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> PResult<T>,
    ) -> PResult<Vec<T>> {
        let open = self.bump().span;
        let list = self.bracketed(|p| {
            let mut list = Vec::new();
            while !p.is(Tok::RBracket) {
                list.push(item(p)?);
                if !p.eat(Tok::Comma) {
                    break;
                }
            }
            Ok(list)
        })?;
        self.close(Tok::RBracket, "`]`", open)?;
        Ok(list)
    }

    /// `with | c x y => tacs | …`, if it is there.
    pub(super) fn with_alts(&mut self, word: &'static str) -> PResult<Option<Vec<InductionAlt>>> {
        if !self.eat_kw(Kw::With) {
            return Ok(None);
        }
        let alts = self.alternatives(|p| p.induction_alt())?;
        if !alts.is_empty() {
            return Ok(Some(alts));
        }
        let e = self.expected(&["`|`"], "and the alternatives");
        Err(if word == "cases" && self.is(Tok::Ident) {
            Box::new(e.hint("write `cases h with | c x y => …`, or `cases' h with x y`"))
        } else {
            e
        })
    }

    fn induction_alt(&mut self) -> PResult<InductionAlt> {
        let start = self.span();
        let mut heads = Vec::new();
        while self.eat(Tok::Bar) {
            let head = self.span();
            let explicit = self.eat(Tok::At);
            let ctor = if self.eat(Tok::Underscore) {
                None
            } else {
                Some(self.ident("of a case")?)
            };
            let vars = self.binder_names()?;
            heads.push(InductionAltHead {
                ctor,
                explicit,
                vars,
                span: self.since(head),
            });
        }
        let body = self
            .arrow_block("after this case")
            .map_err(|e: Box<SyntaxError>| {
                if self.is(Tok::LAngle) || self.is(Tok::LParen) {
                    Box::new(
                        e.hint("a case takes names only; use `rcases` or `match` for patterns"),
                    )
                } else {
                    e
                }
            })?;
        Ok(InductionAlt {
            heads,
            body,
            span: self.since(start),
        })
    }

    /// `p | q | …`
    pub(super) fn rpattern(&mut self) -> PResult<RPattern> {
        self.deeper(|p| {
            let start = p.span();
            let first = p.rpattern_atom()?;
            if !p.is(Tok::Bar) {
                return Ok(first);
            }
            let mut alts = vec![first];
            while p.eat(Tok::Bar) {
                alts.push(p.rpattern_atom()?);
            }
            Ok(RPattern {
                kind: RPatternKind::Alts(alts),
                span: p.since(start),
            })
        })
    }

    /// As many atomic patterns as follow.
    pub(super) fn rpatterns(&mut self) -> PResult<Vec<RPattern>> {
        let mut list = Vec::new();
        while matches!(
            self.tok(),
            Tok::Ident | Tok::Underscore | Tok::LAngle | Tok::LParen
        ) && self.continues()
        {
            list.push(self.rpattern_atom()?);
        }
        Ok(list)
    }

    fn rpattern_atom(&mut self) -> PResult<RPattern> {
        self.deeper(|p| {
            let start = p.span();
            let kind = match p.tok() {
                Tok::Underscore => {
                    p.bump();
                    RPatternKind::Wild
                }
                Tok::Minus => {
                    p.bump();
                    RPatternKind::Clear
                }
                Tok::Ident if p.text_is("rfl") => {
                    p.bump();
                    RPatternKind::Rfl
                }
                Tok::Ident => RPatternKind::Name(p.atomic_ident("in this pattern")?),
                Tok::LAngle => {
                    p.bump();
                    let list = p.bracketed(|p| {
                        let mut list = Vec::new();
                        while !p.is(Tok::RAngle) {
                            list.push(p.rpattern()?);
                            if !p.eat(Tok::Comma) {
                                break;
                            }
                        }
                        Ok(list)
                    })?;
                    p.close(Tok::RAngle, "`⟩`", start)?;
                    RPatternKind::Tuple(list)
                }
                Tok::LParen => {
                    p.bump();
                    let mut pat = p.bracketed(|p| {
                        let pat = p.rpattern()?;
                        if !p.eat(Tok::Colon) {
                            return Ok(pat);
                        }
                        let ty = Box::new(p.term()?);
                        Ok(RPattern {
                            kind: RPatternKind::Typed(Box::new(pat), ty),
                            span: start,
                        })
                    })?;
                    p.close(Tok::RParen, "`)`", start)?;
                    pat.span = p.since(start);
                    return Ok(pat);
                }
                _ => return Err(p.expected(&["a pattern"], "")),
            };
            Ok(RPattern {
                kind,
                span: p.since(start),
            })
        })
    }
}
