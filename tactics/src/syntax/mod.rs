//! The surface syntax of `.ptxp` scripts: text to tree.

pub mod ast;
