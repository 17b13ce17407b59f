//! Text to tokens (ISA §4.2–4.5), keeping what lies between them.
//!
//! An opcode with its modifiers, `ld.global.nc.f32`, is one token, and so is a dotted register, `%tid.x`; a word that
//! begins with a dot is a directive, a type or an attribute. Comments and white space are [`Trivia`].

use logos::Logos;

use super::error::{ParseError, ParseErrorKind};
use super::span::Span;

/// How many brackets may be open at once. Real files reach 4.
pub const MAX_DEPTH: usize = 200;

/// A PTX token, borrowing from the text.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*[^*]*\*+([^/*][^*]*\*+)*/")]
#[allow(missing_docs)] // the attribute is the documentation
pub enum Token<'s> {
    #[regex(r"[a-zA-Z][a-zA-Z0-9_$]*|[_$%][a-zA-Z0-9_$]+", |l| l.slice())]
    Ident(&'s str),
    /// An identifier with dotted words after it: an opcode with modifiers, or a register with a component.
    #[regex(r"([a-zA-Z][a-zA-Z0-9_$]*|[_$%][a-zA-Z0-9_$]+)(\.[a-zA-Z0-9_]+(::[a-zA-Z0-9_]+)*)+", |l| l.slice())]
    Dotted(&'s str),
    /// `.word`: a directive, type, state space or attribute without a token of its own.
    #[regex(r"\.[a-zA-Z_][a-zA-Z0-9_]*(::[a-zA-Z0-9_]+)*", |l| l.slice())]
    Dot(&'s str),
    #[regex(r"(0[0-7]*|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[bB][01]+)U?", |l| l.slice())]
    Int(&'s str),
    #[regex(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", |l| l.slice(), priority = 30)]
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", |l| l.slice())]
    Float(&'s str),
    #[regex(r#""([^"\\\n]|\\[^\n])*""#, |l| l.slice())]
    Str(&'s str),
    #[token(".version")]
    Version,
    #[token(".target")]
    Target,
    #[token(".address_size")]
    AddressSize,
    #[token(".file")]
    File,
    #[token(".loc")]
    Loc,
    #[token(".section")]
    Section,
    #[token(".pragma")]
    Pragma,
    #[token(".alias")]
    Alias,
    #[token(".entry")]
    Entry,
    #[token(".func")]
    Func,
    #[token(".callprototype")]
    CallPrototype,
    #[token(".branchtargets")]
    BranchTargets,
    #[token(".calltargets")]
    CallTargets,
    #[token("_")]
    Underscore,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token(",")]
    Comma,
    #[token(";")]
    Semi,
    #[token(":")]
    Colon,
    #[token("@")]
    At,
    #[token("!")]
    Bang,
    #[token("|")]
    Bar,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("=")]
    Equals,
}

/// What lies before each token and after the last one: white space and comments, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trivia {
    text: String,
    ends: Vec<usize>,
}

impl Trivia {
    /// The number of pieces: one more than the number of tokens.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no piece at all (no text was read).
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The piece before token `i` (or after the last token, for `i` the number of tokens).
    pub fn piece(&self, i: usize) -> Option<&str> {
        let end = *self.ends.get(i)?;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        self.text.get(start..end)
    }

    fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        self.ends.push(self.text.len());
    }
}

/// A token with its span, in the shape that the parser wants.
pub type Spanned<'s> = (u32, Token<'s>, u32);

/// Splits `text` into tokens and trivia.
///
/// Errors: a character that begins no token, an unclosed comment or string, brackets nested deeper than [`MAX_DEPTH`].
pub fn lex(text: &str) -> Result<(Vec<Spanned<'_>>, Trivia), ParseError> {
    if u32::try_from(text.len()).is_err() {
        return Err(ParseError::new(
            ParseErrorKind::TextTooLarge,
            Span::default(),
        ));
    }
    let (mut tokens, mut trivia) = (Vec::new(), Trivia::default());
    let (mut depth, mut last) = (0usize, 0usize);
    for (token, range) in Token::lexer(text).spanned() {
        let span = Span::new(range.start as u32, range.end as u32);
        let token = token.map_err(|()| stray(text, range.start))?;
        match token {
            Token::LBrace | Token::LParen | Token::LBracket => depth += 1,
            Token::RBrace | Token::RParen | Token::RBracket => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(ParseError::new(ParseErrorKind::TooDeep, span));
        }
        trivia.push(&text[last..range.start]);
        last = range.end;
        tokens.push((span.start, token, span.end));
    }
    trivia.push(&text[last..]);
    Ok((tokens, trivia))
}

/// The error for a text that has no token at `start`.
fn stray(text: &str, start: usize) -> ParseError {
    let rest = &text[start..];
    let (kind, len) = match rest.chars().next() {
        Some('/') if rest.starts_with("/*") => (ParseErrorKind::UnterminatedComment, 2),
        Some('"') => (ParseErrorKind::UnterminatedString, 1),
        Some(c) => (ParseErrorKind::UnexpectedCharacter(c), c.len_utf8()),
        None => (
            ParseErrorKind::UnexpectedEnd {
                expected: Vec::new(),
            },
            0,
        ),
    };
    ParseError::new(kind, Span::new(start as u32, (start + len) as u32))
}
