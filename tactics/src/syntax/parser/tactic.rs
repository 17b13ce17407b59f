//! Blocks of tactics: layout, separators, recovery, and the tactics that are built of others.

use super::leading::opens_wide;
use super::{PResult, Parser, Pos};
use crate::syntax::ast::{CaseTag, Span, Tactic, TacticBlock, TacticKind};
use crate::syntax::error::{SyntaxError, SyntaxErrorKind};
use crate::syntax::token::{Kw, Tok};

impl Parser<'_> {
    /// The block of tactics after `word`, which begins at `start` and ended just now.
    pub(super) fn block(&mut self, word: &'static str, start: Span) -> PResult<TacticBlock> {
        let first = self.peek();
        let empty = self.at_command() || first.first_of_line && !self.right_of_pos();
        if empty {
            let at = Span::new(self.prev_end(), self.prev_end());
            let e = SyntaxError::new(SyntaxErrorKind::EmptyBlock(word), start);
            self.errors
                .push(if first.first_of_line && !self.at_command() {
                    e.hint("indent the tactics more than what they belong to")
                } else {
                    e.hint("write `sorry` for a proof that is still to be done")
                });
            let tactics = vec![Tactic {
                kind: TacticKind::Error,
                span: at,
            }];
            return Ok(TacticBlock {
                tactics,
                span: start,
            });
        }
        if !self.starts_tactic() {
            return Err(self.expected(&["a tactic"], ""));
        }
        let cdots = self.cdots.take();
        let pos = Pos {
            col: first.col,
            tactic: true,
        };
        let result = self.deeper(|p| p.with_pos(Some(pos), |p| p.tactics(pos.col)));
        self.cdots = cdots;
        self.last_block = Some(pos.col);
        Ok(TacticBlock {
            tactics: result?,
            span: self.since(start),
        })
    }

    /// The next token begins a tactic.
    pub(super) fn starts_tactic(&self) -> bool {
        matches!(
            self.tok(),
            Tok::Ident
                | Tok::CDot
                | Tok::Dot
                | Tok::LParen
                | Tok::Unknown
                | Tok::Kw(
                    Kw::Have
                        | Kw::Let
                        | Kw::Show
                        | Kw::Suffices
                        | Kw::Match
                        | Kw::NoMatch
                        | Kw::Calc
                        | Kw::Exists
                        | Kw::Sorry
                        | Kw::If
                )
        )
    }

    fn tactics(&mut self, col: u32) -> PResult<Vec<Tactic>> {
        let mut list = Vec::new();
        loop {
            let (start, began) = (self.span(), self.i);
            match self.tactic() {
                Ok(tactic) => list.push(tactic),
                Err(e) if e.kind == SyntaxErrorKind::TooDeep => return Err(e),
                Err(e) => {
                    self.errors.push(*e);
                    if self.i == began {
                        self.bump();
                    }
                    self.skip_tactic(col);
                    list.push(Tactic {
                        kind: TacticKind::Error,
                        span: self.since(start),
                    });
                }
            }
            self.check_tactic_end(col);
            let semi = self.eat(Tok::Semi);
            let next = self.peek();
            if self.at_command() || !self.starts_tactic() || next.first_of_line && next.col < col {
                return Ok(list);
            }
            if next.first_of_line && next.col > col && !semi {
                let kind = SyntaxErrorKind::TacticColumn {
                    found: next.col + 1,
                    block: col + 1,
                };
                let e = SyntaxError::new(kind, next.span);
                self.errors
                    .push(e.hint("tactics of one block begin in one column"));
            } else if !next.first_of_line && !semi {
                return Ok(list);
            }
        }
    }

    /// Complains of what begins a term or a tactic right after a tactic, on its line, and skips it.
    fn check_tactic_end(&mut self, col: u32) {
        let next = self.peek();
        let wide = opens_wide(next.tok);
        if next.first_of_line
            || !(wide || self.starts_atom() || self.starts_tactic())
            || self.at_command()
        {
            return;
        }
        let e = *self.expected(&["`;`", "a line break"], "after this tactic");
        self.errors.push(match next.tok {
            Tok::Unknown if self.text_is("$") => e.hint("write `<|`"),
            Tok::Unknown => e,
            _ if wide => {
                e.hint("put this in parentheses, or write `<|` before it, to make it an argument")
            }
            _ => e.hint("tactics are separated by `;` or by a line break"),
        });
        self.skip_tactic(col);
    }

    /// Skips to the next line that is not indented more than the block, or to what closes something around it.
    fn skip_tactic(&mut self, col: u32) {
        loop {
            let token = self.peek();
            if self.at_command() || token.first_of_line && token.col <= col {
                return;
            }
            match token.tok {
                Tok::RParen
                | Tok::RBracket
                | Tok::RBrace
                | Tok::RAngle
                | Tok::RQuote
                | Tok::RStrict => return,
                _ => match token.close {
                    Some(close) => self.i = close as usize + 1,
                    None => {
                        self.bump();
                    }
                },
            }
        }
    }

    /// A tactic, with all its `<;>`.
    fn tactic(&mut self) -> PResult<Tactic> {
        self.deeper(|p| {
            let mut lhs = p.simple_tactic()?;
            while p.eat(Tok::AndThen) {
                if !p.starts_tactic() {
                    return Err(p.expected(&["a tactic"], "after `<;>`"));
                }
                let rhs = p.simple_tactic()?;
                let span = lhs.span.to(rhs.span);
                lhs = Tactic {
                    kind: TacticKind::AndThen(Box::new(lhs), Box::new(rhs)),
                    span,
                };
                p.grow(1)?;
            }
            Ok(lhs)
        })
    }

    fn simple_tactic(&mut self) -> PResult<Tactic> {
        let start = self.span();
        let kind = match self.tok() {
            Tok::CDot | Tok::Dot => {
                self.bump();
                TacticKind::Focus(self.block("·", start)?)
            }
            Tok::LParen => {
                self.bump();
                let block = self.bracketed(|p| p.block("(", start))?;
                self.close(Tok::RParen, "`)`", start)?;
                TacticKind::Paren(block)
            }
            Tok::Kw(kw) => self.keyword_tactic(kw)?,
            Tok::Ident => {
                let word = self.slice(start);
                match self.tactical(word, start)? {
                    Some(kind) => kind,
                    None => self.word_tactic(word)?,
                }
            }
            _ => return Err(self.expected(&["a tactic"], "")),
        };
        Ok(Tactic {
            kind,
            span: self.since(start),
        })
    }

    /// Tactics that contain blocks.
    fn tactical(&mut self, word: &str, start: Span) -> PResult<Option<TacticKind>> {
        Ok(Some(match word {
            "try" => {
                self.bump();
                TacticKind::Try(self.block("try", start)?)
            }
            "repeat" => {
                self.bump();
                TacticKind::Repeat(self.block("repeat", start)?)
            }
            "all_goals" => {
                self.bump();
                TacticKind::AllGoals(self.block("all_goals", start)?)
            }
            "any_goals" => {
                self.bump();
                TacticKind::AnyGoals(self.block("any_goals", start)?)
            }
            "first" => {
                self.bump();
                let blocks = self.alternatives(|p| {
                    let bar = p.bump().span;
                    p.block("|", bar)
                })?;
                if blocks.is_empty() {
                    return Err(self.expected(&["`|`"], "and the alternatives of `first`"));
                }
                TacticKind::First(blocks)
            }
            "case" => {
                self.bump();
                let mut tags = Vec::new();
                loop {
                    let tag = match self.tok() {
                        // Tags may be dotted.
                        Tok::Ident => {
                            let id = self.ident("")?;
                            crate::syntax::ast::BinderName {
                                span: id.span,
                                name: Some(id),
                            }
                        }
                        _ => self.binder_name("of a goal")?,
                    };
                    tags.push(CaseTag {
                        tag,
                        vars: self.binder_names()?,
                    });
                    if !self.eat(Tok::Bar) {
                        break;
                    }
                }
                TacticKind::Case {
                    tags,
                    body: self.arrow_block("after the goal's name")?,
                }
            }
            "next" => {
                self.bump();
                let names = self.binder_names()?;
                TacticKind::Next {
                    names,
                    body: self.arrow_block("after these names")?,
                }
            }
            _ => return Ok(None),
        }))
    }

    /// `=> tacs`
    pub(super) fn arrow_block(&mut self, context: &'static str) -> PResult<TacticBlock> {
        let arrow = self.expect(Tok::FatArrow, "`=>`", context)?;
        self.block("=>", arrow)
    }
}
