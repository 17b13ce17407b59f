//! Expression text to tokens.

use logos::Logos;

/// A token.
#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n]+")]
#[allow(missing_docs)] // the attribute is the documentation
pub enum Token<'s> {
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("and")]
    And,
    #[token("or")]
    Or,
    #[token("not")]
    Not,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*", |l| l.slice())]
    Name(&'s str),
    #[regex(r"[0-9]+|0x[0-9a-fA-F]+", |l| int(l.slice()))]
    Int(i128),
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", |l| l.slice().parse().ok())]
    Real(f64),
    #[token("..")]
    To,
    #[token("//")]
    Div,
    #[token("<<")]
    Left,
    #[token(">>")]
    Right,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Over,
    #[token("%")]
    Percent,
    #[token("&")]
    Amp,
    #[token("|")]
    Bar,
    #[token("^")]
    Caret,
    #[token("~")]
    Tilde,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token(",")]
    Comma,
    #[token("=")]
    Is,
}

fn int(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A token between its places.
pub type Placed<'s> = (usize, Token<'s>, usize);

/// The tokens of a text.
///
/// Errors: the place of what is no token.
pub fn lex(text: &str) -> Result<Vec<Placed<'_>>, usize> {
    let mut out = Vec::new();
    for (token, at) in Token::lexer(text).spanned() {
        out.push((at.start, token.map_err(|()| at.start)?, at.end));
    }
    Ok(out)
}
