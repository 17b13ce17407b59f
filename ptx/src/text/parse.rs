//! The front door: text to syntax tree.

use lalrpop_util::ParseError as Lalr;

use super::ast::Module;
use super::error::{ParseError, ParseErrorKind};
use super::grammar::ItemsParser;
use super::lexer::{self, Token};
use super::span::Span;

/// Reads a whole PTX file. The parser is table-driven: no text can overflow the stack.
///
/// Errors: see [`ParseErrorKind`].
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let (tokens, trivia) = lexer::lex(text)?;
    let end = text.len() as u32;
    match ItemsParser::new().parse(tokens) {
        Ok(items) => Ok(Module { items, trivia }),
        Err(e) => Err(refusal(text, end, e)),
    }
}

fn refusal(text: &str, end: u32, e: Lalr<u32, Token<'_>, ParseError>) -> ParseError {
    let unexpected = |l: u32, r: u32, expected: Vec<String>| {
        let span = Span::new(l, r);
        let found = text[span.range()].to_owned();
        ParseError::new(
            ParseErrorKind::UnexpectedToken {
                found,
                expected: names(expected),
            },
            span,
        )
    };
    match e {
        Lalr::User { error } => error,
        Lalr::UnrecognizedToken {
            token: (l, _, r),
            expected,
        } => unexpected(l, r, expected),
        Lalr::ExtraToken { token: (l, _, r) } => unexpected(l, r, Vec::new()),
        Lalr::UnrecognizedEof { expected, .. } => ParseError::new(
            ParseErrorKind::UnexpectedEnd {
                expected: names(expected),
            },
            Span::new(end, end),
        ),
        Lalr::InvalidToken { location } => ParseError::new(
            ParseErrorKind::UnexpectedEnd {
                expected: Vec::new(),
            },
            Span::new(location, location),
        ),
    }
}

/// The grammar's names of terminals, `"\";\""`, as a reader wants them: `` `;` ``.
fn names(expected: Vec<String>) -> Vec<String> {
    let words = ["name", "dotted name", "integer", "float", "string"];
    let tidy = |e: String| {
        let inner = e.trim_matches('"');
        if words.contains(&inner) {
            format!("a {inner}").replace("a integer", "an integer")
        } else {
            format!("`{inner}`")
        }
    };
    expected.into_iter().map(tidy).collect()
}
