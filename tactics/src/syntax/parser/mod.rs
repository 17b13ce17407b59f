//! The parser: by hand, because `by` blocks and alternatives are told apart by columns, which no LALR grammar can
//! see. Terms are read by precedence climbing with Lean's numbers.
//!
//! * **Layout.** A [`Pos`] is the column that binds at the moment: the `by` block's, the first `|` of alternatives, the
//!   `let`, or the command. An argument of an application must stand to the right of it, an alternative not to
//!   the left of it, a tactic exactly in it. Inside brackets no column binds.
//! * **Errors.** A function returns `Err` when it cannot go on; blocks of tactics and the loop over commands catch
//!   it, note it, and skip to the next tactic or command.
//! * **Depth.** Both the parser's recursion and the height of the tree are bounded by [`MAX_DEPTH`], so that later
//!   passes may recurse.

mod binder;
mod brackets;
mod command;
mod decl;
mod leading;
mod lets;
mod level;
mod literal;
mod pattern;
mod ptx;
mod tactic;
mod tactic_forms;
mod tactic_parts;
mod term;
mod user_notation;

use std::sync::Arc;

use super::ast::{Command, Ident, Span, Term};
use super::error::{SyntaxError, SyntaxErrorKind};
use super::lexer;
use super::notation::Notations;
use super::token::{Kw, Tok, Token};

/// The greatest depth of a tree, and of the parser's recursion.
pub const MAX_DEPTH: u32 = 1024;

/// The result of a parsing function; the error was not yet noted.
pub(crate) type PResult<T> = Result<T, Box<SyntaxError>>;

/// The column that binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pos {
    /// In characters, from 0.
    col: u32,
    /// It is a block of tactics: what continues a tactic on a new line must be indented more.
    tactic: bool,
}

/// A parser at a place in the tokens.
pub(crate) struct Parser<'t> {
    text: &'t str,
    toks: Vec<Token>,
    /// The next token.
    i: usize,
    errors: Vec<SyntaxError>,
    lex_errors: Vec<SyntaxError>,
    notations: Notations,
    pos: Option<Pos>,
    depth: u32,
    /// The height of the highest tree finished in the present frame of [`Parser::deeper`].
    height: u32,
    /// The number of `·` seen in the parentheses around; `None` outside any.
    cdots: Option<u32>,
    /// The column of the block of tactics that ended last in this command.
    last_block: Option<u32>,
    /// The word that a notation in progress waits for: it begins no term and no operation now.
    awaited: Option<Arc<str>>,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, notations: &Notations) -> Parser<'t> {
        let too_long = u32::try_from(text.len()).is_err();
        let text = if too_long { "" } else { text };
        let (toks, mut lex_errors) = lexer::lex(text, 0, 0, notations);
        if too_long {
            lex_errors.push(SyntaxError::new(
                SyntaxErrorKind::TextTooLong,
                Span::new(0, 0),
            ));
        }
        Parser {
            text,
            toks,
            i: 0,
            errors: Vec::new(),
            lex_errors,
            notations: notations.clone(),
            pos: None,
            depth: 0,
            height: 0,
            cdots: None,
            last_block: None,
            awaited: None,
        }
    }

    /// All commands, the errors in the order of the text, and the notations in force at the end.
    pub(crate) fn script(mut self) -> (Vec<Command>, Vec<SyntaxError>, Notations) {
        let commands = self.commands();
        let (errors, notations) = self.finish();
        (commands, errors, notations)
    }

    /// A single term, to the end of the text.
    pub(crate) fn lone_term(mut self) -> (Option<Term>, Vec<SyntaxError>) {
        let result = self.term().and_then(|t| match self.tok() {
            Tok::Eof => Ok(t),
            _ => Err(self.expected(&["the end of the term"], "")),
        });
        let term = self.note(result);
        (term, self.finish().0)
    }

    fn finish(self) -> (Vec<SyntaxError>, Notations) {
        let mut errors = self.errors;
        errors.extend(self.lex_errors);
        // Of several errors at one place the first is the cause of the others.
        errors.sort_by_key(|e| e.span.start);
        errors.dedup_by_key(|e| e.span.start);
        (errors, self.notations)
    }

    // The next token.

    fn peek(&self) -> Token {
        self.toks[self.i]
    }

    fn tok(&self) -> Tok {
        self.toks[self.i].tok
    }

    /// The token `n` after the next one.
    fn tok_at(&self, n: usize) -> Token {
        self.toks[(self.i + n).min(self.toks.len() - 1)]
    }

    fn span(&self) -> Span {
        self.toks[self.i].span
    }

    /// The end of the token before.
    fn prev_end(&self) -> u32 {
        if self.i == 0 {
            0
        } else {
            self.toks[self.i - 1].span.end
        }
    }

    fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.prev_end().max(start.end))
    }

    fn slice(&self, span: Span) -> &'t str {
        &self.text[span.range()]
    }

    fn text_is(&self, word: &str) -> bool {
        self.slice(self.span()) == word
    }

    fn is(&self, tok: Tok) -> bool {
        self.tok() == tok
    }

    fn is_kw(&self, kw: Kw) -> bool {
        self.tok() == Tok::Kw(kw)
    }

    /// The next token is this name, which is a word only here.
    fn is_word(&self, word: &str) -> bool {
        self.tok() == Tok::Ident && self.text_is(word)
    }

    fn bump(&mut self) -> Token {
        let token = self.toks[self.i];
        if token.tok != Tok::Eof {
            self.i += 1;
        }
        token
    }

    fn eat(&mut self, tok: Tok) -> bool {
        let yes = self.is(tok);
        if yes {
            self.bump();
        }
        yes
    }

    fn eat_kw(&mut self, kw: Kw) -> bool {
        self.eat(Tok::Kw(kw))
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let yes = self.is_word(word);
        if yes {
            self.bump();
        }
        yes
    }

    fn expect(&mut self, tok: Tok, what: &'static str, context: &'static str) -> PResult<Span> {
        if self.is(tok) {
            Ok(self.bump().span)
        } else {
            Err(self.expected(&[what], context))
        }
    }

    /// The bracket that closes the one at `open`.
    fn close(&mut self, tok: Tok, close: &'static str, open: Span) -> PResult<Span> {
        if self.is(tok) {
            return Ok(self.bump().span);
        }
        if self.is(Tok::Unknown) {
            return Err(self.expected(&[close], ""));
        }
        let kind = SyntaxErrorKind::Unclosed {
            open,
            close,
            found: self.found(),
        };
        Err(self.err_here(kind))
    }

    // Errors.

    fn err_at(&self, kind: SyntaxErrorKind, span: Span) -> Box<SyntaxError> {
        Box::new(SyntaxError::new(kind, span))
    }

    fn err_here(&self, kind: SyntaxErrorKind) -> Box<SyntaxError> {
        self.err_at(kind, self.span())
    }

    fn found(&self) -> String {
        match self.tok() {
            Tok::Eof => "the end of the file".to_string(),
            Tok::Doc => "a doc comment".to_string(),
            Tok::Kw(kw) => format!("keyword `{}`", kw.text()),
            _ => {
                let text = self.slice(self.span());
                match text.char_indices().nth(40) {
                    Some((cut, _)) => format!("`{}…`", &text[..cut]),
                    None => format!("`{text}`"),
                }
            }
        }
    }

    fn expected(&self, what: &[&'static str], context: &'static str) -> Box<SyntaxError> {
        let token = self.peek();
        if token.tok == Tok::Unknown {
            return match self.slice(token.span).chars().next() {
                Some('"') => {
                    let e = SyntaxError::new(SyntaxErrorKind::UnterminatedString, token.span);
                    Box::new(e.hint("write a quote inside a string as `\\\"`"))
                }
                c => self.err_here(SyntaxErrorKind::UnknownChar(c.unwrap_or('?'))),
            };
        }
        let kind = SyntaxErrorKind::Expected {
            expected: what.to_vec(),
            found: self.found(),
            context,
        };
        self.err_at(kind, token.span)
    }

    /// Notes the error, if it is one.
    fn note<T>(&mut self, result: PResult<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(e) => {
                self.errors.push(*e);
                None
            }
        }
    }

    // Depth and layout.

    /// Runs `f` one level deeper.
    fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.err_here(SyntaxErrorKind::TooDeep));
        }
        self.depth += 1;
        let outer = std::mem::replace(&mut self.height, 0);
        let result = stacker::maybe_grow(128 << 10, 2 << 20, || f(self));
        self.depth -= 1;
        let inner = std::mem::replace(&mut self.height, outer) + 1;
        let value = result?;
        if inner > MAX_DEPTH {
            return Err(self.err_here(SyntaxErrorKind::TooDeep));
        }
        self.height = outer.max(inner);
        Ok(value)
    }

    /// Notes that the tree being built got `by` levels higher.
    fn grow(&mut self, by: u32) -> PResult<()> {
        self.height = self.height.saturating_add(by);
        if self.height > MAX_DEPTH {
            return Err(self.err_at(SyntaxErrorKind::TooDeep, self.span()));
        }
        Ok(())
    }

    /// Runs `f` with another column.
    fn with_pos<T>(
        &mut self,
        pos: Option<Pos>,
        f: impl FnOnce(&mut Self) -> PResult<T>,
    ) -> PResult<T> {
        let outer = std::mem::replace(&mut self.pos, pos);
        let result = f(self);
        self.pos = outer;
        result
    }

    /// Runs `f` with the column of the next token.
    fn here<T>(&mut self, f: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        let pos = Pos {
            col: self.peek().col,
            tactic: false,
        };
        self.with_pos(Some(pos), f)
    }

    /// Runs `f` as inside brackets: no column binds, no notation waits. If the opening bracket was taken just now
    /// and has no partner, the column stays, so that the error is found where the line should have ended.
    fn bracketed<T>(&mut self, f: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        let awaited = self.awaited.take();
        let unclosed = self.i > 0
            && is_opening(self.toks[self.i - 1].tok)
            && self.toks[self.i - 1].close.is_none();
        let pos = if unclosed { self.pos } else { None };
        let result = self.with_pos(pos, f);
        self.awaited = awaited;
        result
    }

    /// The next token stands to the right of the column that binds.
    fn right_of_pos(&self) -> bool {
        self.pos.is_none_or(|p| self.peek().col > p.col)
    }

    /// The next token does not stand to the left of the column that binds.
    fn not_left_of_pos(&self) -> bool {
        self.pos.is_none_or(|p| self.peek().col >= p.col)
    }

    /// The next token can continue what was begun, as far as columns go.
    fn continues(&self) -> bool {
        !self.at_command() && self.right_of_pos()
    }

    // Names.

    fn ident_of(&self, span: Span) -> Ident {
        Ident {
            name: Arc::from(self.slice(span)),
            span,
        }
    }

    /// A name, dotted or not.
    fn ident(&mut self, context: &'static str) -> PResult<Ident> {
        match self.tok() {
            Tok::Ident => {
                let span = self.bump().span;
                Ok(self.ident_of(span))
            }
            Tok::Kw(kw) if !kw.is_command() || !self.peek().first_of_line => {
                let e = self.err_here(SyntaxErrorKind::ReservedWord(kw.text().to_string()));
                Err(Box::new(e.hint(format!(
                    "write `«{}»` if it must have this name",
                    kw.text()
                ))))
            }
            _ => Err(self.expected(&["a name"], context)),
        }
    }

    /// A name without dots.
    fn atomic_ident(&mut self, context: &'static str) -> PResult<Ident> {
        let id = self.ident(context)?;
        if id.is_atomic() {
            return Ok(id);
        }
        let found = format!("`{}`", id.name);
        let kind = SyntaxErrorKind::Expected {
            expected: vec!["a name without dots"],
            found,
            context,
        };
        Err(self.err_at(kind, id.span))
    }

    /// True at the end of the text and at what begins the next command.
    fn at_command(&self) -> bool {
        let token = self.peek();
        match token.tok {
            Tok::Eof => true,
            Tok::Kw(kw) => kw.is_command(),
            Tok::Hash | Tok::AtBracket => token.first_of_line,
            Tok::Ident => {
                token.col == 0 && token.first_of_line && self.slice(token.span).starts_with("ptx_")
            }
            _ => false,
        }
    }
}

fn is_opening(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::LParen
            | Tok::LBracket
            | Tok::LBrace
            | Tok::LStrict
            | Tok::LAngle
            | Tok::LQuote
            | Tok::DotBrace
            | Tok::AtBracket
    )
}
