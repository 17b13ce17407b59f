//! Patterns, and the alternatives of `match`, `fun` and equations.

use std::sync::Arc;

use super::{PResult, Parser, Pos};
use crate::syntax::ast::{BinOp, Ident, MatchAlt, Pattern, PatternArg, PatternKind};
use crate::syntax::token::Tok;

impl Parser<'_> {
    /// A pattern: `n + 1`, `x :: xs`, `c p q`, …
    pub(super) fn pattern(&mut self) -> PResult<Pattern> {
        self.deeper(|p| {
            let mut lhs = p.pattern_app()?;
            loop {
                if p.eat(Tok::Plus) {
                    if !p.is(Tok::Num) {
                        return Err(
                            p.expected(&["a numeral"], "(a pattern may add only a literal)")
                        );
                    }
                    let n = p.num()?;
                    let span = lhs.span.to(n.span);
                    lhs = Pattern {
                        kind: PatternKind::Add(Box::new(lhs), n.value),
                        span,
                    };
                    p.grow(1)?;
                } else if p.eat(Tok::ColonColon) {
                    let rhs = p.pattern()?;
                    let span = lhs.span.to(rhs.span);
                    let kind = PatternKind::Binop {
                        op: BinOp::Cons,
                        lhs: Box::new(lhs),
                        rhs: Box::new(rhs),
                    };
                    p.grow(1)?;
                    return Ok(Pattern { kind, span });
                } else {
                    return Ok(lhs);
                }
            }
        })
    }

    /// A constructor with its arguments, or an atom.
    fn pattern_app(&mut self) -> PResult<Pattern> {
        let start = self.span();
        let head = self.pattern_head()?;
        let (name, explicit, dotted) = match head {
            Some(head) => head,
            None => return self.pattern_atom(),
        };
        if self.is(Tok::At) && !self.peek().space_before {
            self.bump();
            let inner = Box::new(self.pattern_atom()?);
            return Ok(Pattern {
                kind: PatternKind::As(name, inner),
                span: self.since(start),
            });
        }
        let mut args = Vec::new();
        while self.starts_pattern() && self.right_of_pos() {
            let named = self.is(Tok::LParen)
                && self.tok_at(1).tok == Tok::Ident
                && self.tok_at(2).tok == Tok::Assign;
            if named {
                let open = self.bump().span;
                let name = self.atomic_ident("of an argument")?;
                self.bump();
                let pat = self.bracketed(|p| p.pattern())?;
                self.close(Tok::RParen, "`)`", open)?;
                args.push(PatternArg {
                    name: Some(name),
                    pat,
                });
            } else {
                args.push(PatternArg {
                    name: None,
                    pat: self.pattern_atom()?,
                });
            }
        }
        let kind = if args.is_empty() && !explicit && !dotted {
            PatternKind::Name(name)
        } else {
            PatternKind::Ctor {
                name,
                explicit,
                dotted,
                args,
            }
        };
        Ok(Pattern {
            kind,
            span: self.since(start),
        })
    }

    /// `c`, `@c`, `.c`: the name, and whether `@` and `.` were there.
    fn pattern_head(&mut self) -> PResult<Option<(Ident, bool, bool)>> {
        let glued = self.tok_at(1).tok == Tok::Ident && !self.tok_at(1).space_before;
        match self.tok() {
            Tok::Ident => Ok(Some((self.ident("")?, false, false))),
            Tok::At if glued => {
                self.bump();
                Ok(Some((self.ident("")?, true, false)))
            }
            Tok::Dot if glued => {
                self.bump();
                Ok(Some((self.ident("")?, false, true)))
            }
            _ => Ok(None),
        }
    }

    /// The next token begins an atomic pattern.
    fn starts_pattern(&self) -> bool {
        match self.tok() {
            Tok::Ident
            | Tok::Underscore
            | Tok::Num
            | Tok::Str
            | Tok::Char
            | Tok::LParen
            | Tok::LAngle
            | Tok::LBracket => true,
            Tok::Dot => {
                let next = self.tok_at(1);
                matches!(next.tok, Tok::Ident | Tok::LParen) && !next.space_before
            }
            _ => false,
        }
    }

    /// A pattern that needs no parentheses as an argument.
    pub(super) fn pattern_atom(&mut self) -> PResult<Pattern> {
        self.deeper(|p| p.pattern_atom_inner())
    }

    fn pattern_atom_inner(&mut self) -> PResult<Pattern> {
        let start = self.span();
        let kind = match self.tok() {
            Tok::Underscore => {
                self.bump();
                PatternKind::Wild
            }
            Tok::Num => PatternKind::Num(self.num()?.value),
            Tok::Str => PatternKind::Str(self.string("")?.value),
            Tok::Char => PatternKind::Char(self.char_lit()?.0),
            Tok::Ident => {
                let name = self.ident("")?;
                if self.is(Tok::At) && !self.peek().space_before {
                    self.bump();
                    PatternKind::As(name, Box::new(self.pattern_atom()?))
                } else {
                    PatternKind::Name(name)
                }
            }
            Tok::LParen => return self.paren_pattern(),
            Tok::LAngle => PatternKind::AnonCtor(self.pattern_list(Tok::RAngle, "`⟩`")?),
            Tok::LBracket => PatternKind::List(self.pattern_list(Tok::RBracket, "`]`")?),
            Tok::Dot if self.tok_at(1).tok == Tok::LParen && !self.tok_at(1).space_before => {
                self.bump();
                let open = self.bump().span;
                let e = self.bracketed(|p| p.term())?;
                self.close(Tok::RParen, "`)`", open)?;
                PatternKind::Inaccessible(Box::new(e))
            }
            _ => match self.pattern_head()? {
                Some((name, explicit, dotted)) => PatternKind::Ctor {
                    name,
                    explicit,
                    dotted,
                    args: Vec::new(),
                },
                None => return Err(self.expected(&["a pattern"], "")),
            },
        };
        Ok(Pattern {
            kind,
            span: self.since(start),
        })
    }

    fn pattern_list(&mut self, close: Tok, text: &'static str) -> PResult<Vec<Pattern>> {
        let open = self.bump().span;
        let list = self.bracketed(|p| {
            let mut list = Vec::new();
            if !p.is(close) {
                list.push(p.pattern()?);
                while p.eat(Tok::Comma) {
                    list.push(p.pattern()?);
                }
            }
            Ok(list)
        })?;
        self.close(close, text, open)?;
        Ok(list)
    }

    /// `()`, `(p)`, `(p, q)`, `(p : T)`
    fn paren_pattern(&mut self) -> PResult<Pattern> {
        let open = self.bump().span;
        let mut pat = self.bracketed(|p| {
            if p.is(Tok::RParen) {
                return Ok(Pattern {
                    kind: PatternKind::Tuple(Vec::new()),
                    span: open,
                });
            }
            let first = p.pattern()?;
            if p.eat(Tok::Colon) {
                let ty = Box::new(p.term()?);
                return Ok(Pattern {
                    kind: PatternKind::Ascribe(Box::new(first), ty),
                    span: open,
                });
            }
            if !p.is(Tok::Comma) {
                return Ok(first);
            }
            let mut list = vec![first];
            while p.eat(Tok::Comma) {
                list.push(p.pattern()?);
            }
            Ok(Pattern {
                kind: PatternKind::Tuple(list),
                span: open,
            })
        })?;
        self.close(Tok::RParen, "`)`", open)?;
        pat.span = self.since(open);
        Ok(pat)
    }

    /// Rows of patterns `| p, q | p', q'` up to `=>`.
    pub(super) fn pattern_rows(&mut self) -> PResult<Vec<Vec<Pattern>>> {
        let mut rows = Vec::new();
        while self.eat(Tok::Bar) {
            let mut row = vec![self.pattern()?];
            while self.eat(Tok::Comma) {
                row.push(self.pattern()?);
            }
            rows.push(row);
        }
        self.expect(Tok::FatArrow, "`=>`", "after these patterns")?;
        Ok(rows)
    }

    /// The alternatives that follow, each read by `alt`. The first `|` sets the column for all.
    pub(super) fn alternatives<T>(
        &mut self,
        mut alt: impl FnMut(&mut Self) -> PResult<T>,
    ) -> PResult<Vec<T>> {
        let mut alts = Vec::new();
        if !self.is(Tok::Bar) {
            return Ok(alts);
        }
        let pos = Pos {
            col: self.peek().col,
            tactic: false,
        };
        self.with_pos(Some(pos), |p| {
            while p.is(Tok::Bar) && p.not_left_of_pos() {
                alts.push(alt(p)?);
            }
            Ok(alts)
        })
    }

    /// `| p, q => e | …`; may be none.
    pub(super) fn match_alts(&mut self) -> PResult<Vec<MatchAlt>> {
        self.alternatives(|p| {
            let start = p.span();
            let rows = p.pattern_rows()?;
            let rhs = p.term()?;
            Ok(MatchAlt {
                rows,
                rhs,
                span: p.since(start),
            })
        })
    }

    /// A name that no user can write, for the `n`-th `·`.
    pub(super) fn cdot_name(&self, n: u32) -> Arc<str> {
        Arc::from(format!("·{n}"))
    }
}
