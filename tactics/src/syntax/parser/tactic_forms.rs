//! The tactics with a grammar of their own, and the generic one.

use super::{PResult, Parser};
use crate::syntax::ast::{
    GeneralizeArg, RwFlavour, SimpFlavour, TacticArg, TacticArgKind, TacticKind, TacticMatchAlt,
    Term, TermKind,
};
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::token::{Kw, Tok};

impl Parser<'_> {
    /// A tactic whose word is a keyword.
    pub(super) fn keyword_tactic(&mut self, kw: Kw) -> PResult<TacticKind> {
        Ok(match kw {
            Kw::Have => {
                self.bump();
                TacticKind::Have(Box::new(self.let_decl(true)?))
            }
            Kw::Let => {
                self.bump();
                TacticKind::Let(Box::new(self.let_decl(false)?))
            }
            Kw::Show => {
                self.bump();
                let ty = self.term()?;
                let proof = if self.is_kw(Kw::From) || self.is_kw(Kw::By) {
                    Some(self.proof_clause()?)
                } else {
                    None
                };
                TacticKind::Show { ty, proof }
            }
            Kw::Suffices => {
                self.bump();
                let name = self.hyp_colon()?;
                let ty = self.term()?;
                let proof = if self.is_kw(Kw::From) || self.is_kw(Kw::By) {
                    Some(self.proof_clause()?)
                } else {
                    None
                };
                TacticKind::Suffices { name, ty, proof }
            }
            Kw::Calc => {
                self.bump();
                TacticKind::Calc(self.calc_steps()?)
            }
            Kw::Exists => {
                self.bump();
                TacticKind::Exists(self.terms()?)
            }
            Kw::Sorry => {
                self.bump();
                TacticKind::Sorry
            }
            Kw::NoMatch => {
                let start = self.bump().span;
                let kind = TermKind::Match {
                    motive: None,
                    discrs: self.discrs()?,
                    alts: Vec::new(),
                };
                TacticKind::Exact(Term {
                    kind,
                    span: self.since(start),
                })
            }
            Kw::Match => {
                self.bump();
                let discrs = self.discrs()?;
                self.expect(Tok::Kw(Kw::With), "`with`", "after what is matched")?;
                let alts = self.alternatives(|p| {
                    let start = p.span();
                    let rows = p.pattern_rows()?;
                    let body = p.block("=>", p.since(start))?;
                    Ok(TacticMatchAlt {
                        rows,
                        body,
                        span: p.since(start),
                    })
                })?;
                if alts.is_empty() {
                    return Err(self.expected(&["`|`"], "and the alternatives of `match`"));
                }
                TacticKind::Match { discrs, alts }
            }
            Kw::If => {
                let e = self.err_here(SyntaxErrorKind::Unsupported("`if` tactics"));
                return Err(Box::new(
                    e.hint("write `by_cases h : p` and prove both goals"),
                ));
            }
            _ => return Err(self.expected(&["a tactic"], "")),
        })
    }

    /// A tactic whose word is a name.
    pub(super) fn word_tactic(&mut self, word: &str) -> PResult<TacticKind> {
        let plain = match word {
            "constructor" => TacticKind::Constructor,
            "left" => TacticKind::Left,
            "right" => TacticKind::Right,
            "exfalso" => TacticKind::Exfalso,
            "contradiction" => TacticKind::Contradiction,
            "trivial" => TacticKind::Trivial,
            "rfl" => TacticKind::Rfl,
            "assumption" => TacticKind::Assumption,
            "decide" => TacticKind::Decide,
            "omega" => TacticKind::Omega,
            "ring" => TacticKind::Ring,
            "done" => TacticKind::Done,
            "skip" => TacticKind::Skip,
            _ => return self.word_tactic_with_args(word),
        };
        self.bump();
        Ok(plain)
    }

    fn word_tactic_with_args(&mut self, word: &str) -> PResult<TacticKind> {
        let name = self.bump().span;
        Ok(match word {
            "intro" => {
                let mut binders = Vec::new();
                // Names are taken from this line only: a name on the next is a tactic in the wrong column.
                while self.starts_fun_binder() && !self.peek().first_of_line {
                    binders.push(self.fun_binder()?);
                }
                TacticKind::Intro(binders)
            }
            "intros" if self.peek().first_of_line => TacticKind::Intros(Vec::new()),
            "intros" => TacticKind::Intros(self.binder_names()?),
            "rintro" => TacticKind::RIntro(self.rpatterns()?),
            "exact" => TacticKind::Exact(self.term()?),
            "apply" => TacticKind::Apply(self.term()?),
            "refine" => TacticKind::Refine(self.term()?),
            "specialize" => TacticKind::Specialize(self.term()?),
            "symm" => TacticKind::Symm(self.opt_location()?),
            "trans" => TacticKind::Trans(if self.starts_term() {
                Some(self.term()?)
            } else {
                None
            }),
            "cases" => {
                let targets = self.discrs()?;
                let using = self.opt_using()?;
                TacticKind::Cases {
                    targets,
                    using,
                    alts: self.with_alts("cases")?,
                }
            }
            "cases'" => {
                let target = crate::syntax::ast::Discr {
                    hyp: self.hyp_colon()?,
                    e: self.term()?,
                };
                let with = if self.eat_kw(Kw::With) {
                    self.rpatterns()?
                } else {
                    Vec::new()
                };
                TacticKind::CasesPrime { target, with }
            }
            "rcases" => {
                let targets = self.discrs()?;
                let with = if self.eat_kw(Kw::With) {
                    Some(self.rpattern()?)
                } else {
                    None
                };
                TacticKind::RCases { targets, with }
            }
            "obtain" => {
                let pat = if matches!(self.tok(), Tok::Colon | Tok::Assign) {
                    None
                } else {
                    Some(self.rpattern()?)
                };
                let ty = if self.eat(Tok::Colon) {
                    Some(self.term()?)
                } else {
                    None
                };
                let value = if self.eat(Tok::Assign) {
                    Some(self.term()?)
                } else {
                    None
                };
                if ty.is_none() && value.is_none() {
                    return Err(self.expected(&["`:=`", "`:`"], "in `obtain`"));
                }
                TacticKind::Obtain { pat, ty, value }
            }
            "induction" => {
                let targets = self.discrs()?;
                let mut using = self.opt_using()?;
                let generalizing = if self.eat_kw(Kw::Generalizing) {
                    self.idents()?
                } else {
                    Vec::new()
                };
                if using.is_none() {
                    using = self.opt_using()?;
                }
                TacticKind::Induction {
                    targets,
                    using,
                    generalizing,
                    alts: self.with_alts("induction")?,
                }
            }
            "rw" => self.rewrite(RwFlavour::Rw)?,
            "rewrite" => self.rewrite(RwFlavour::Rewrite)?,
            "rwa" => self.rewrite(RwFlavour::Rwa)?,
            "simp" => self.simp(SimpFlavour::Simp)?,
            "simp_all" => self.simp(SimpFlavour::SimpAll)?,
            "dsimp" => self.simp(SimpFlavour::Dsimp)?,
            "simpa" => self.simp(SimpFlavour::Simpa)?,
            "unfold" => {
                let names = self.idents()?;
                if names.is_empty() {
                    return Err(self.expected(&["a name"], "of what to unfold"));
                }
                TacticKind::Unfold {
                    names,
                    loc: self.opt_location()?,
                }
            }
            "use" => TacticKind::Use(self.terms()?),
            "change" => {
                let ty = self.term()?;
                TacticKind::Change {
                    ty,
                    loc: self.opt_location()?,
                }
            }
            "subst" => {
                let mut terms = Vec::new();
                while self.starts_arg() {
                    terms.push(self.term_prec(super::term::MAX)?);
                }
                if terms.is_empty() {
                    return Err(self.expected(&["an equation or a variable"], "after `subst`"));
                }
                TacticKind::Subst(terms)
            }
            "ext" => TacticKind::Ext(self.rpatterns()?),
            "funext" => TacticKind::Funext(self.binder_names()?),
            "congr" => {
                let depth = if self.is(Tok::Num) && self.continues() {
                    Some(self.num()?)
                } else {
                    None
                };
                TacticKind::Congr(depth)
            }
            "split" => TacticKind::Split(self.opt_location()?),
            "split_ifs" => {
                let loc = self.opt_location()?;
                let names = if self.eat_kw(Kw::With) {
                    self.binder_names()?
                } else {
                    Vec::new()
                };
                TacticKind::SplitIfs { loc, names }
            }
            "by_cases" => TacticKind::ByCases {
                hyp: self.hyp_colon()?,
                prop: self.term()?,
            },
            "generalize" => self.generalize()?,
            "clear" => TacticKind::Clear(self.idents()?),
            "revert" => TacticKind::Revert(self.idents()?),
            "rename_i" => TacticKind::RenameI(self.binder_names()?),
            _ => {
                let name = self.ident_of(name);
                TacticKind::Named {
                    name,
                    args: self.tactic_args()?,
                }
            }
        })
    }

    fn generalize(&mut self) -> PResult<TacticKind> {
        let mut args = Vec::new();
        loop {
            let hyp = self.hyp_colon()?;
            let e = self.term_prec(51)?;
            self.expect(Tok::Eq, "`=`", "and a name for the generalized term")?;
            args.push(GeneralizeArg {
                hyp,
                e,
                var: self.binder_name("for the generalized term")?,
            });
            if !self.eat(Tok::Comma) {
                return Ok(TacticKind::Generalize {
                    args,
                    loc: self.opt_location()?,
                });
            }
        }
    }

    /// `using e`, if it is there.
    pub(super) fn opt_using(&mut self) -> PResult<Option<Term>> {
        if self.eat_kw(Kw::Using) {
            Ok(Some(self.term()?))
        } else {
            Ok(None)
        }
    }

    /// Whatever follows the word of an unknown tactic.
    fn tactic_args(&mut self) -> PResult<Vec<TacticArg>> {
        let mut args = Vec::new();
        while self.continues() {
            let start = self.span();
            let kind = match self.tok() {
                Tok::LParen
                    if self.tok_at(1).tok == Tok::Ident && self.tok_at(2).tok == Tok::Assign =>
                {
                    self.bump();
                    let name = self.atomic_ident("of an argument")?;
                    self.bump();
                    let value = self.bracketed(|p| p.term())?;
                    self.close(Tok::RParen, "`)`", start)?;
                    TacticArgKind::Assign(name, value)
                }
                Tok::LBracket => TacticArgKind::List(self.simp_args()?),
                Tok::Colon => {
                    self.bump();
                    TacticArgKind::Colon(self.term()?)
                }
                Tok::Assign => {
                    self.bump();
                    TacticArgKind::Value(self.term()?)
                }
                Tok::FatArrow => TacticArgKind::Block(self.arrow_block("")?),
                Tok::Kw(Kw::At) => match self.opt_location()? {
                    Some(loc) => TacticArgKind::At(loc),
                    None => return Err(self.expected(&["a place"], "after `at`")),
                },
                Tok::Kw(Kw::With) if self.tok_at(1).tok == Tok::Bar => match self.with_alts("")? {
                    Some(alts) => TacticArgKind::Alts(alts),
                    None => return Err(self.expected(&["alternatives"], "after `with`")),
                },
                Tok::Kw(Kw::With) => {
                    self.bump();
                    TacticArgKind::With(self.rpatterns()?)
                }
                Tok::Kw(Kw::Using) => {
                    self.bump();
                    TacticArgKind::Using(self.term()?)
                }
                Tok::Kw(Kw::From) => {
                    self.bump();
                    TacticArgKind::From(self.term()?)
                }
                Tok::Kw(Kw::Generalizing) => {
                    self.bump();
                    TacticArgKind::Generalizing(self.idents()?)
                }
                _ if self.starts_arg() => TacticArgKind::Term(self.term_prec(super::term::MAX)?),
                _ => break,
            };
            args.push(TacticArg {
                kind,
                span: self.since(start),
            });
        }
        Ok(args)
    }

    fn rewrite(&mut self, flavour: RwFlavour) -> PResult<TacticKind> {
        if !self.is(Tok::LBracket) {
            let e = self.expected(&["`[`"], "and the rules");
            return Err(Box::new(e.hint(
                "write `rw [h]`, or `rw [← h]` to rewrite from right to left",
            )));
        }
        let rules = self.rw_rules()?;
        Ok(TacticKind::Rw {
            flavour,
            rules,
            loc: self.opt_location()?,
        })
    }

    /// `+contextual`, the one option of `simp`.
    fn contextual(&mut self) -> PResult<bool> {
        if !self.continues() || !self.eat(Tok::Plus) {
            return Ok(false);
        }
        if self.eat_word("contextual") {
            return Ok(true);
        }
        Err(self.expected(&["`contextual`"], "after the `+` of `simp`"))
    }

    fn simp(&mut self, flavour: SimpFlavour) -> PResult<TacticKind> {
        // What `dsimp` finds holds by computation, whatever is assumed.
        if flavour == SimpFlavour::Dsimp && self.is(Tok::Plus) && self.continues() {
            return Err(self.expected(&["`only`", "a list of rules"], "after `dsimp`"));
        }
        let contextual = self.contextual()?;
        let only = self.continues() && self.eat_word("only");
        let args = if self.is(Tok::LBracket) && self.continues() {
            Some(self.simp_args()?)
        } else {
            None
        };
        let mut loc = self.opt_location()?;
        let using = if flavour == SimpFlavour::Simpa {
            self.opt_using()?
        } else {
            None
        };
        if loc.is_none() {
            loc = self.opt_location()?;
        }
        Ok(TacticKind::Simp {
            flavour,
            only,
            contextual,
            args,
            using,
            loc,
        })
    }
}
