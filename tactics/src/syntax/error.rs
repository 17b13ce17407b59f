//! Syntax errors: what was wrong, where, and what to try.

use std::fmt;

use super::ast::Span;

/// A syntax error. [`fmt::Display`] gives the message without place and hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What was wrong.
    pub kind: SyntaxErrorKind,
    /// Where. For something that is missing: the token found instead (empty at the end of the text).
    pub span: Span,
    /// What to try.
    pub hint: Option<String>,
}

/// The kinds of a syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// Something else should stand here.
    Expected {
        /// What should: ``"`)`"``, `"a term"`.
        expected: Vec<&'static str>,
        /// What does: ``"`foo`"``, `"the end of the file"`.
        found: String,
        /// While reading what: `"in this binder"`; may be empty.
        context: &'static str,
    },
    /// A bracket has no partner.
    Unclosed {
        /// The opening bracket.
        open: Span,
        /// The closing bracket that is missing.
        close: &'static str,
        /// What stands there instead.
        found: String,
    },
    /// A command was expected, and this is not the beginning of one.
    NotACommand(String),
    /// A command is complete, but something follows on it.
    AfterCommand(String),
    /// A keyword stands where a name is needed.
    ReservedWord(String),
    /// A character that begins no token.
    UnknownChar(char),
    /// A string without its closing quote.
    UnterminatedString,
    /// A comment without its `-/`.
    UnterminatedComment,
    /// An unknown escape in a string or character literal.
    BadEscape(String),
    /// A numeral that is none, or is too long.
    BadNumber(String),
    /// A number too large where a small one is needed (projection, level, precedence).
    NumberTooLarge(String),
    /// `a = b = c` and the like.
    NonAssociative(String),
    /// No tactic after the word that introduces some.
    EmptyBlock(&'static str),
    /// A tactic that begins a line in a column of its own.
    TacticColumn {
        /// Its column, from 1.
        found: u32,
        /// The column of its block, from 1.
        block: u32,
    },
    /// `·` as a place for an argument, with no parentheses around it.
    CDotOutsideParens,
    /// A doc comment or attributes before a command that takes none.
    Misplaced(&'static str),
    /// An `import` after another command.
    LateImport,
    /// A notation whose words or shape cannot be used.
    BadNotation(String),
    /// Something of Lean that this language leaves out.
    Unsupported(&'static str),
    /// Nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep,
    /// The text has more than `u32::MAX` bytes.
    TextTooLong,
}

impl SyntaxError {
    /// An error without a hint.
    pub fn new(kind: SyntaxErrorKind, span: Span) -> SyntaxError {
        SyntaxError {
            kind,
            span,
            hint: None,
        }
    }

    /// The same with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> SyntaxError {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for SyntaxError {}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected {
                expected,
                found,
                context,
            } => {
                f.write_str("expected ")?;
                for (i, e) in expected.iter().enumerate() {
                    let sep = match i {
                        0 => "",
                        _ if i + 1 == expected.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{sep}{e}")?;
                }
                if !context.is_empty() {
                    write!(f, " {context}")?;
                }
                write!(f, ", found {found}")
            }
            Self::Unclosed { close, found, .. } => {
                write!(f, "expected {close} to close this bracket, found {found}")
            }
            Self::NotACommand(found) => write!(f, "expected a command, found {found}"),
            Self::AfterCommand(found) => write!(f, "unexpected {found} after a complete command"),
            Self::ReservedWord(word) => {
                write!(f, "`{word}` is a reserved word and cannot be a name")
            }
            Self::UnknownChar(c) => write!(f, "unexpected character {c:?}"),
            Self::UnterminatedString => f.write_str("this string has no closing quote"),
            Self::UnterminatedComment => f.write_str("this comment has no closing `-/`"),
            Self::BadEscape(text) => write!(f, "unknown escape `{text}`"),
            Self::BadNumber(why) => write!(f, "bad numeral: {why}"),
            Self::NumberTooLarge(what) => write!(f, "this {what} is too large"),
            Self::NonAssociative(op) => {
                write!(f, "`{op}` does not associate: parentheses are needed")
            }
            Self::EmptyBlock(word) => write!(f, "expected a tactic after `{word}`"),
            Self::TacticColumn { found, block } => {
                write!(
                    f,
                    "this tactic begins in column {found}, but its block is in column {block}"
                )
            }
            Self::CDotOutsideParens => {
                f.write_str("`·` needs parentheses around the function it makes")
            }
            Self::Misplaced(what) => write!(f, "{what} cannot stand before this command"),
            Self::LateImport => f.write_str("`import` must come before all other commands"),
            Self::BadNotation(why) => write!(f, "this notation cannot be used: {why}"),
            Self::Unsupported(what) => write!(f, "{what} are not part of this language"),
            Self::TooDeep => f.write_str("this is nested too deeply"),
            Self::TextTooLong => f.write_str("a script may have at most 4 GiB"),
        }
    }
}
