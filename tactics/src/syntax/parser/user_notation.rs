//! Notations that scripts declare: their declarations and their uses.

use std::sync::Arc;

use super::term::MAX;
use super::{PResult, Parser};
use crate::syntax::ast::{CommandKind, Fixity, NotationDecl, NotationItem, Span, Term, TermKind};
use crate::syntax::error::{SyntaxError, SyntaxErrorKind};
use crate::syntax::lexer;
use crate::syntax::notation::{check_rhs, expand, hides_text, is_builtin};
use crate::syntax::token::{Kw, Tok};

/// The greatest precedence that a notation may state.
const MAX_STATED: u32 = 1024;

impl Parser<'_> {
    /// A use of a notation that begins with a word, which comes next.
    pub(super) fn user_leading(&mut self, word: u32, min: u32) -> PResult<(Term, u32)> {
        let Some(decl) = self
            .notations
            .leading(word)
            .filter(|d| d.prec >= min)
            .cloned()
        else {
            return Err(self.expected(&["a term"], ""));
        };
        let op = self.bump().span;
        let mut args = Vec::new();
        self.user_items(&decl.items[1..], &mut args)?;
        let span = self.since(op);
        let term = self.user_term(&decl, args, span, op)?;
        Ok((term, decl.prec))
    }

    /// A use of a notation that begins with `lhs` and a word, which comes next.
    pub(super) fn user_trailing(
        &mut self,
        word: u32,
        lhs: Term,
        prec: u32,
        min: u32,
    ) -> PResult<(Term, Option<u32>)> {
        let Some(decl) = self.notations.trailing(word).cloned() else {
            return Ok((lhs, None));
        };
        let left = match decl.items.first() {
            Some(NotationItem::Place { prec, .. }) => *prec,
            _ => 0,
        };
        let Some(op) = self.operator(decl.prec, left, prec, min)? else {
            return Ok((lhs, None));
        };
        let start = lhs.span;
        let mut args = vec![lhs];
        self.user_items(&decl.items[2..], &mut args)?;
        let span = self.since(start);
        let term = self.user_term(&decl, args, span, op)?;
        Ok((term, Some(decl.prec)))
    }

    /// The rest of a use: its words are checked, its places are read into `args`.
    fn user_items(&mut self, items: &[NotationItem], args: &mut Vec<Term>) -> PResult<()> {
        for (i, item) in items.iter().enumerate() {
            match item {
                NotationItem::Word(word) if self.text_is(word) => {
                    self.bump();
                }
                NotationItem::Word(word) => {
                    let e = self.expected(&["the next word of this notation"], "");
                    return Err(Box::new(
                        e.hint(format!("the notation goes on with `{word}`")),
                    ));
                }
                NotationItem::Place { prec, .. } => {
                    let next = match items.get(i + 1) {
                        Some(NotationItem::Word(word)) => Some(word.clone()),
                        _ => self.awaited.clone(),
                    };
                    let outer = std::mem::replace(&mut self.awaited, next);
                    let result = self.term_prec(*prec);
                    self.awaited = outer;
                    args.push(result?);
                }
            }
        }
        Ok(())
    }

    /// The notation in progress waits for the word that comes next.
    pub(super) fn is_awaited(&self) -> bool {
        self.awaited.as_ref().is_some_and(|word| self.text_is(word))
    }

    fn user_term(
        &mut self,
        decl: &Arc<NotationDecl>,
        args: Vec<Term>,
        span: Span,
        word: Span,
    ) -> PResult<Term> {
        let Some((expansion, depth)) = expand(decl, args, span) else {
            let why = "its right-hand side cannot be expanded".to_string();
            return Err(self.err_at(SyntaxErrorKind::BadNotation(why), word));
        };
        self.grow(depth + 1)?;
        Ok(Term {
            kind: TermKind::UserOp {
                notation: decl.clone(),
                expansion: Box::new(expansion),
            },
            span,
        })
    }

    /// `infixl:65 " op " => f`, `notation:max "‖" x "‖" => norm x`. From the next token on it is in force.
    pub(super) fn notation(&mut self) -> PResult<CommandKind> {
        let keyword = self.bump();
        let fixity = match keyword.tok {
            Tok::Kw(Kw::Infix) => Fixity::Infix,
            Tok::Kw(Kw::Infixl) => Fixity::Infixl,
            Tok::Kw(Kw::Infixr) => Fixity::Infixr,
            Tok::Kw(Kw::Prefix) => Fixity::Prefix,
            Tok::Kw(Kw::Postfix) => Fixity::Postfix,
            _ => Fixity::Mixfix,
        };
        let stated = self.precedence()?;
        let (prec, items) = if fixity == Fixity::Mixfix {
            let items = self.notation_items()?;
            let ends_in_place = matches!(items.last(), Some(NotationItem::Place { .. }));
            (stated.unwrap_or(if ends_in_place { 0 } else { MAX }), items)
        } else {
            let Some(prec) = stated else {
                let e = self.expected(&["`:` and a precedence"], "");
                return Err(Box::new(e.hint("as in `infixl:65 \" ⊕ \" => f`")));
            };
            let word = NotationItem::Word(self.notation_word()?);
            let place = |n: u32, prec| NotationItem::Place {
                name: self.cdot_name(n),
                prec,
            };
            let items = match fixity {
                Fixity::Infixl => vec![place(1, prec), word, place(2, prec + 1)],
                Fixity::Infixr => vec![place(1, prec + 1), word, place(2, prec)],
                Fixity::Prefix => vec![word, place(1, prec)],
                Fixity::Postfix => vec![place(1, prec), word],
                _ => vec![place(1, prec + 1), word, place(2, prec + 1)],
            };
            (prec, items)
        };
        self.expect(Tok::FatArrow, "`=>`", "in this notation")?;
        let rhs = self.term()?;
        let decl = NotationDecl {
            fixity,
            prec,
            items,
            rhs,
            span: self.since(keyword.span),
        };
        if let Err(why) = check_rhs(&decl) {
            return Err(self.err_at(SyntaxErrorKind::BadNotation(why), decl.rhs.span));
        }
        if self.notations.is_taken(&decl.items) {
            let why = "its first word has a meaning there already".to_string();
            return Err(self.err_at(SyntaxErrorKind::BadNotation(why), keyword.span));
        }
        let decl = Arc::new(decl);
        self.notations.add(decl.clone());
        self.relex();
        Ok(CommandKind::Notation(decl))
    }

    /// `:65`, `:max`, if it is there.
    fn precedence(&mut self) -> PResult<Option<u32>> {
        if !self.eat(Tok::Colon) {
            return Ok(None);
        }
        if self.eat_word("max") {
            return Ok(Some(MAX));
        }
        if !self.is(Tok::Num) {
            return Err(self.expected(&["a precedence"], "after `:`"));
        }
        let (prec, span) = self.small_num("precedence")?;
        if prec > MAX_STATED {
            return Err(self.err_at(
                SyntaxErrorKind::NumberTooLarge("precedence".to_string()),
                span,
            ));
        }
        Ok(Some(prec))
    }

    /// Words and places up to `=>`.
    fn notation_items(&mut self) -> PResult<Vec<NotationItem>> {
        let start = self.span();
        let mut items = Vec::new();
        loop {
            match self.tok() {
                // Only the word by which the parser finds the notation must be new.
                Tok::Str if !items.iter().any(|i| matches!(i, NotationItem::Word(_))) => {
                    items.push(NotationItem::Word(self.notation_word()?));
                }
                Tok::Str => {
                    let lit = self.string("")?;
                    items.push(NotationItem::Word(self.check_word(&lit.value, lit.span)?));
                }
                Tok::Ident => {
                    let name = self.atomic_ident("of a place in this notation")?;
                    let same = |i: &NotationItem| matches!(i, NotationItem::Place { name: n, .. } if *n == name.name);
                    if items.iter().any(same) {
                        let why = format!("it has two places called `{}`", name.name);
                        return Err(self.err_at(SyntaxErrorKind::BadNotation(why), name.span));
                    }
                    let prec = self.precedence()?.unwrap_or(0);
                    items.push(NotationItem::Place {
                        name: name.name,
                        prec,
                    });
                }
                Tok::FatArrow => break,
                _ => {
                    return Err(
                        self.expected(&["a word in quotes", "a name", "`=>`"], "in this notation")
                    );
                }
            }
        }
        let found_by = |i: Option<&NotationItem>| matches!(i, Some(NotationItem::Word(_)));
        if !found_by(items.first()) && !found_by(items.get(1)) {
            let why = "it must begin with a word, or with a place and then a word".to_string();
            return Err(self.err_at(SyntaxErrorKind::BadNotation(why), self.since(start)));
        }
        Ok(items)
    }

    /// A word that no built-in token is.
    fn notation_word(&mut self) -> PResult<Arc<str>> {
        let lit = self.string("in this notation")?;
        let word = self.check_word(&lit.value, lit.span)?;
        if is_builtin(&word) {
            let why = format!("`{word}` has a built-in meaning");
            return Err(self.err_at(SyntaxErrorKind::BadNotation(why), lit.span));
        }
        Ok(word)
    }

    fn check_word(&self, text: &str, span: Span) -> PResult<Arc<str>> {
        let word = text.trim();
        let bad = if word.is_empty() {
            Some("a word is empty")
        } else if word.contains(char::is_whitespace) {
            Some("a word has blanks inside")
        } else if word.contains('"') || word.starts_with("--") || word.starts_with("/-") {
            Some("a word would be read as a string or a comment")
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            Some("a word begins with a digit")
        } else {
            hides_text(word)
        };
        match bad {
            Some(why) => Err(Box::new(SyntaxError::new(
                SyntaxErrorKind::BadNotation(why.to_string()),
                span,
            ))),
            None => Ok(Arc::from(word)),
        }
    }

    /// Reads the tokens from the next one on once more, with the notations that are now in force.
    fn relex(&mut self) {
        let from = self.prev_end();
        let (toks, errors) = lexer::lex(self.text, from as usize, self.i, &self.notations);
        self.toks.truncate(self.i);
        self.toks.extend(toks);
        self.lex_errors.retain(|e| e.span.start < from);
        self.lex_errors.extend(errors);
    }
}
