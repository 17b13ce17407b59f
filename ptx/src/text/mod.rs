//! PTX text: lexer, grammar, syntax tree, printer.
//!
//! [`parse`] followed by [`Module::print`](ast::Module::print) gives back the text byte for byte; the printer writes
//! every token from the tree and takes only comments and white space from the reading.

pub mod ast;
mod build;
pub mod error;
pub mod lexer;
mod parse;
mod print;
pub mod span;

pub use parse::parse;
pub use print::{Layout, Printer};

lalrpop_util::lalrpop_mod!(
    #[allow(
        clippy::all,
        missing_docs,
        unused,
        reason = "generated from grammar.lalrpop"
    )]
    grammar,
    "/text/grammar.rs"
);
