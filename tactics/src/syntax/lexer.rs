//! Text to tokens: fixed tokens by `logos`, nested comments, keywords, and the words of user notations (the longest
//! match wins, as in Lean).

use logos::Logos;

use super::ast::Span;
use super::error::{SyntaxError, SyntaxErrorKind};
use super::notation::Notations;
use super::token::{Kw, Tok, Token};

/// The tokens of `text[from..]`, with an [`Tok::Eof`] at the end, and the errors found on the way.
///
/// `from` must be 0 or the end of a token; places count from the beginning of `text`. Bracket partners are indices
/// into the returned list plus `base`.
pub fn lex(
    text: &str,
    from: usize,
    base: usize,
    notations: &Notations,
) -> (Vec<Token>, Vec<SyntaxError>) {
    let mut out = Lexed::new(text, from);
    let mut raw = Tok::lexer(&text[from..]);
    while let Some(result) = raw.next() {
        let start = from + raw.span().start;
        let mut tok = result.unwrap_or(Tok::Unknown);
        if matches!(tok, Tok::BlockComment | Tok::Doc) {
            match comment_len(&text[start..]) {
                Some(len) => {
                    raw.bump(len - raw.slice().len());
                    if tok == Tok::Doc && !is_plain_comment(&text[start..start + len]) {
                        out.push(tok, start, start + len);
                    }
                }
                None => {
                    let span = Span::new(start as u32, start as u32 + 2);
                    let e = SyntaxError::new(SyntaxErrorKind::UnterminatedComment, span);
                    out.errors
                        .push(e.hint("comments nest: every `/-` inside needs its own `-/`"));
                    raw.bump(text.len() - start - raw.slice().len());
                }
            }
            continue;
        }
        let slice = raw.slice();
        if tok == Tok::Ident
            && let Some(kw) = Kw::from_text(slice)
        {
            tok = Tok::Kw(kw);
        }
        if let Some((word, len)) = notations.longest_word(&text[start..], tok == Tok::Ident)
            && (len > slice.len() || len == slice.len() && matches!(tok, Tok::Ident | Tok::Unknown))
        {
            raw.bump(len - slice.len());
            tok = Tok::User(word);
        }
        let end = from + raw.span().end;
        out.push(tok, start, end);
    }
    out.finish(base)
}

/// How a word would be read on its own: the single token that it is, if it is one.
pub fn single_token(word: &str) -> Option<Tok> {
    let mut raw = Tok::lexer(word);
    let tok = raw.next()?.unwrap_or(Tok::Unknown);
    if raw.span() != (0..word.len()) {
        return None;
    }
    match tok {
        Tok::Ident => Some(Kw::from_text(word).map_or(Tok::Ident, Tok::Kw)),
        tok => Some(tok),
    }
}

/// The length of the block comment at the beginning of `text`, or `None` if it does not end.
fn comment_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut i = 0;
    while i + 1 < bytes.len() {
        match (bytes[i], bytes[i + 1]) {
            (b'/', b'-') => {
                depth += 1;
                i += 2;
            }
            (b'-', b'/') => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => i += 1,
        }
    }
    None
}

/// `/--/` and `/---…-/` are ordinary comments.
fn is_plain_comment(comment: &str) -> bool {
    comment.len() < 6 || comment.as_bytes().get(3) == Some(&b'-')
}

/// The tokens so far, with the state that places need.
struct Lexed<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    errors: Vec<SyntaxError>,
    /// End of the token before.
    last_end: usize,
    line: u32,
    col: u32,
    /// Line and column are those of this offset.
    at: usize,
}

impl<'t> Lexed<'t> {
    fn new(text: &'t str, from: usize) -> Lexed<'t> {
        let mut lexed = Lexed {
            text,
            tokens: Vec::new(),
            errors: Vec::new(),
            last_end: 0,
            line: 0,
            col: 0,
            at: 0,
        };
        lexed.advance(from);
        lexed.last_end = from;
        lexed
    }

    fn advance(&mut self, to: usize) {
        for c in self.text[self.at..to].chars() {
            if c == '\n' {
                self.line += 1;
                self.col = 0;
            } else {
                self.col += 1;
            }
        }
        self.at = to;
    }

    fn push(&mut self, tok: Tok, start: usize, end: usize) {
        let first_of_line = self.last_end == 0 || self.text[self.last_end..start].contains('\n');
        let space_before = self.last_end == 0 || self.last_end < start;
        self.advance(start);
        self.tokens.push(Token {
            tok,
            span: Span::new(start as u32, end as u32),
            line: self.line,
            col: self.col,
            first_of_line,
            space_before,
            close: None,
        });
        self.last_end = end;
    }

    fn finish(mut self, base: usize) -> (Vec<Token>, Vec<SyntaxError>) {
        let end = self.text.len();
        self.push(Tok::Eof, end, end);
        if let Some(eof) = self.tokens.last_mut() {
            eof.first_of_line = true;
            eof.col = 0;
        }
        match_brackets(&mut self.tokens, base);
        (self.tokens, self.errors)
    }
}

/// Fills in [`Token::close`]. A closing bracket closes the nearest open one of its kind; what is open inside stays
/// without a partner. A command keyword closes nothing and leaves everything before it without a partner.
fn match_brackets(tokens: &mut [Token], base: usize) {
    let mut open: Vec<usize> = Vec::new();
    for i in 0..tokens.len() {
        let opener = match tokens[i].tok {
            Tok::LParen
            | Tok::LBracket
            | Tok::LBrace
            | Tok::LStrict
            | Tok::LAngle
            | Tok::LQuote
            | Tok::DotBrace
            | Tok::AtBracket => {
                open.push(i);
                continue;
            }
            Tok::Kw(kw) if kw.is_command() => {
                open.clear();
                continue;
            }
            Tok::RParen => [Tok::LParen, Tok::LParen],
            Tok::RBracket => [Tok::LBracket, Tok::AtBracket],
            Tok::RBrace => [Tok::LBrace, Tok::DotBrace],
            Tok::RStrict => [Tok::LStrict, Tok::LStrict],
            Tok::RAngle => [Tok::LAngle, Tok::LAngle],
            Tok::RQuote => [Tok::LQuote, Tok::LQuote],
            _ => continue,
        };
        // Looking further down than this many unclosed brackets would make bad input quadratic.
        let nearest = open
            .iter()
            .rev()
            .take(32)
            .position(|&o| opener.contains(&tokens[o].tok));
        if let Some(back) = nearest {
            let at = open.len() - 1 - back;
            tokens[open[at]].close = Some((base + i) as u32);
            open.truncate(at);
        }
    }
}
