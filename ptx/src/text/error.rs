//! Why a text is not PTX: the one error type of lexer and parser.

use std::fmt;

use super::span::Span;

/// A text that could not be read: what, where, and (through [`ParseError::help`]) a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What went wrong.
    pub kind: ParseErrorKind,
    /// Where. Empty and at the end of the text if the text ended too early.
    pub span: Span,
}

/// The ways in which a text can fail to be PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// A character that begins no PTX token.
    UnexpectedCharacter(char),
    /// `/*` without `*/`.
    UnterminatedComment,
    /// `"` without a closing `"` on the same line.
    UnterminatedString,
    /// An integer literal above 2⁶⁴ − 1, the widest constant PTX has (ISA §4.5.1).
    IntegerTooLarge,
    /// Brackets nested more than [`super::lexer::MAX_DEPTH`] deep.
    TooDeep,
    /// A text of 4 GiB or more: spans are 32 bits wide.
    TextTooLarge,
    /// A token that cannot stand here.
    UnexpectedToken {
        /// The token's text.
        found: String,
        /// What could have stood here instead, in the notation of the grammar.
        expected: Vec<String>,
    },
    /// The text ended inside a construct.
    UnexpectedEnd {
        /// What could have followed, in the notation of the grammar.
        expected: Vec<String>,
    },
    /// A word of `.loc` other than `function_name` and `inlined_at` (ISA §11.5.4).
    UnknownLocAttribute(String),
}

impl ParseError {
    /// An error at a place.
    pub fn new(kind: ParseErrorKind, span: Span) -> Self {
        ParseError { kind, span }
    }

    /// What the reader can do about it, in one sentence.
    pub fn help(&self) -> String {
        match &self.kind {
            ParseErrorKind::UnexpectedCharacter(c) if !c.is_ascii() => {
                "PTX is ASCII outside comments and strings; was this copied from a formatted document?".into()
            }
            ParseErrorKind::UnexpectedCharacter('#') => {
                "preprocessor lines must be expanded first; compilers emit PTX without them".into()
            }
            ParseErrorKind::UnexpectedCharacter('\0') => "cut the text at its first NUL byte".into(),
            ParseErrorKind::UnexpectedCharacter(_) => "remove the character, or comment it out with `//`".into(),
            ParseErrorKind::UnterminatedComment => "close the comment with `*/`".into(),
            ParseErrorKind::UnterminatedString => "close the string with `\"` on the same line".into(),
            ParseErrorKind::IntegerTooLarge => "PTX constants have 64 bits; write it modulo 2^64".into(),
            ParseErrorKind::TooDeep => {
                format!("no compiler nests so deep; the limit is {} open brackets", super::lexer::MAX_DEPTH)
            }
            ParseErrorKind::TextTooLarge => "split the module into several files".into(),
            ParseErrorKind::UnexpectedToken { expected, .. } if expected.iter().any(|e| e == "`;`") => {
                "is the `;` of the statement before missing?".into()
            }
            ParseErrorKind::UnexpectedToken { .. } => {
                "check the text against `ptxas`; if it accepts the text, this grammar lacks a form: please report it".into()
            }
            ParseErrorKind::UnexpectedEnd { .. } => "is the file cut short, or a closing bracket missing?".into(),
            ParseErrorKind::UnknownLocAttribute(_) => {
                "`.loc` takes `, function_name LABEL, inlined_at FILE LINE COLUMN`".into()
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, expected: &[String]) -> fmt::Result {
    for (i, e) in expected.iter().take(8).enumerate() {
        f.write_str(if i == 0 { "; expected " } else { ", " })?;
        f.write_str(e)?;
    }
    if expected.len() > 8 {
        f.write_str(", …")
    } else {
        Ok(())
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ParseErrorKind::UnexpectedCharacter(c) => write!(f, "unexpected character {c:?}"),
            ParseErrorKind::UnterminatedComment => f.write_str("comment without end"),
            ParseErrorKind::UnterminatedString => f.write_str("string without end"),
            ParseErrorKind::IntegerTooLarge => f.write_str("integer constant of more than 64 bits"),
            ParseErrorKind::TooDeep => f.write_str("brackets nested too deep"),
            ParseErrorKind::TextTooLarge => f.write_str("text of 4 GiB or more"),
            ParseErrorKind::UnexpectedToken { found, expected } => {
                write!(f, "unexpected `{found}`")?;
                list(f, expected)
            }
            ParseErrorKind::UnexpectedEnd { expected } => {
                f.write_str("unexpected end of the text")?;
                list(f, expected)
            }
            ParseErrorKind::UnknownLocAttribute(word) => {
                write!(f, "unknown `.loc` attribute `{word}`")
            }
        }
    }
}

impl std::error::Error for ParseError {}
