//! The surface syntax of `.ptxp` scripts: text to tree. It is a subset of Lean 4's, and every symbol has an ASCII
//! spelling as well (see the table in [`token::Tok`]).
//!
//! Parsing never fails and never panics: [`parse`] gives the commands that it could read, in their order, and the
//! errors. A part that did not parse is an `Error` node, about which nothing more need be said to the user.
//!
//! ```
//! let script = tactics::syntax::parse("theorem t (p : Prop) (h : p) : p := by\n  exact h\n");
//! assert!(script.errors.is_empty());
//! assert_eq!(script.commands.len(), 1);
//! ```

pub mod ast;
pub mod error;
pub mod lexer;
pub mod line_index;
pub mod near;
pub mod notation;
mod parser;
pub mod token;

pub use error::{SyntaxError, SyntaxErrorKind};
pub use line_index::{LineCol, LineIndex};
pub use notation::Notations;
pub use parser::MAX_DEPTH;

use ast::{Command, CommandKind, Import, Span, Term};

/// A script that was read.
#[derive(Debug, Clone)]
pub struct Script {
    /// The commands in their order; what could not be read is a [`CommandKind::Error`].
    pub commands: Vec<Command>,
    /// The errors in the order of the text. Empty if and only if the tree has no `Error` node and nothing was
    /// skipped.
    pub errors: Vec<SyntaxError>,
    /// The notations in force at the end: those given and those declared. Importers pass them to [`parse_with`].
    pub notations: Notations,
}

/// Reads a script that imports no notations.
pub fn parse(text: &str) -> Script {
    parse_with(text, &Notations::new())
}

/// Reads a script, with the notations of what it imports. Use [`imports`] first to find out what that is.
pub fn parse_with(text: &str, notations: &Notations) -> Script {
    let (commands, errors, notations) = parser::Parser::new(text, notations).script();
    Script {
        commands,
        errors,
        notations,
    }
}

/// Reads a single term.
pub fn parse_term(text: &str, notations: &Notations) -> (Option<Term>, Vec<SyntaxError>) {
    parser::Parser::new(text, notations).lone_term()
}

/// The imports at the head of a script, each with the span of its command. (An `import` after another command is
/// an error of [`parse_with`].)
pub fn imports(text: &str) -> Vec<(Import, Span)> {
    let mut found = Vec::new();
    for command in parse(text).commands {
        match command.kind {
            CommandKind::Import(import) => found.push((import, command.span)),
            _ => break,
        }
    }
    found
}
