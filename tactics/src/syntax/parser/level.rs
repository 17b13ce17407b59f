//! Universe levels.

use super::{PResult, Parser};
use crate::syntax::ast::{Ident, Level, LevelKind};
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::token::Tok;

impl Parser<'_> {
    /// `u + 1`, `max u v`, …
    pub(super) fn level(&mut self) -> PResult<Level> {
        self.deeper(|p| {
            let start = p.span();
            let max = p.is_word("max");
            let mut level = if max || p.is_word("imax") {
                p.bump();
                let mut args = vec![p.level_atom()?];
                while p.starts_level() {
                    args.push(p.level_atom()?);
                }
                if args.len() < 2 {
                    return Err(
                        p.expected(&["a universe level"], "(`max` and `imax` take two or more)")
                    );
                }
                Level {
                    kind: if max {
                        LevelKind::Max(args)
                    } else {
                        LevelKind::IMax(args)
                    },
                    span: p.since(start),
                }
            } else {
                p.level_atom()?
            };
            let mut sum = 0u32;
            while p.eat(Tok::Plus) {
                let (n, at) = p.small_num("universe level")?;
                sum = sum.checked_add(n).filter(|&s| s < 1 << 31).ok_or_else(|| {
                    p.err_at(SyntaxErrorKind::NumberTooLarge("universe level".into()), at)
                })?;
                if !p.is(Tok::Plus) {
                    level = Level {
                        kind: LevelKind::Add(Box::new(level), sum),
                        span: p.since(start),
                    };
                    break;
                }
            }
            Ok(level)
        })
    }

    /// `u`, `1`, `_`, `(…)`
    pub(super) fn level_atom(&mut self) -> PResult<Level> {
        let start = self.span();
        let kind = match self.tok() {
            Tok::Ident => LevelKind::Param(self.atomic_ident("in a universe level")?),
            Tok::Num => LevelKind::Num(self.small_num("universe level")?.0),
            Tok::Underscore => {
                self.bump();
                LevelKind::Hole
            }
            Tok::LParen => {
                self.bump();
                let mut level = self.bracketed(|p| p.level())?;
                level.span = start.to(self.close(Tok::RParen, "`)`", start)?);
                return Ok(level);
            }
            _ => return Err(self.expected(&["a universe level"], "")),
        };
        Ok(Level {
            kind,
            span: self.since(start),
        })
    }

    /// The next token begins a level and continues what was begun.
    pub(super) fn starts_level(&self) -> bool {
        matches!(
            self.tok(),
            Tok::Ident | Tok::Num | Tok::Underscore | Tok::LParen
        ) && self.continues()
    }

    /// `.{u, v}` after a name that is used, if it is there.
    pub(super) fn level_args(&mut self) -> PResult<Option<Vec<Level>>> {
        if !self.is(Tok::DotBrace) || self.peek().space_before {
            return Ok(None);
        }
        let open = self.bump().span;
        let levels = self.bracketed(|p| {
            let mut levels = vec![p.level()?];
            while p.eat(Tok::Comma) {
                levels.push(p.level()?);
            }
            Ok(levels)
        })?;
        self.close(Tok::RBrace, "`}`", open)?;
        Ok(Some(levels))
    }

    /// `.{u, v}` after a name that is declared, if it is there. Commas may be left out.
    pub(super) fn level_params(&mut self) -> PResult<Option<Vec<Ident>>> {
        if !self.is(Tok::DotBrace) {
            return Ok(None);
        }
        let open = self.bump().span;
        let mut names = Vec::new();
        while self.is(Tok::Ident) {
            names.push(self.atomic_ident("for a universe")?);
            self.eat(Tok::Comma);
        }
        self.close(Tok::RBrace, "`}`", open)?;
        Ok(Some(names))
    }
}
