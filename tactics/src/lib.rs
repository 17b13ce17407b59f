//! The script language of ptxprove: its syntax, its elaborator, its tactics.
//!
//! Nothing here is trusted: scripts become terms, and the kernel (`logic`) judges them.

pub mod constructions;
pub mod decl;
pub mod diagnostic;
pub mod driver;
pub mod elab;
pub mod meta;
pub mod print;
pub mod symexec;
pub mod syntax;
pub mod tactic;
