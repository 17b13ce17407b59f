//! PTX as `ptxprove` knows it: text to module, the table of instruction forms, and what each form means.
//!
//! - [`text`]: the grammar of whole files, with spans, and the printer.
//! - [`isa`]: the opcode table; [`alg`]: the algebra in which its meanings are written.

#![forbid(unsafe_code)]

pub mod text;
pub mod alg;
pub mod isa;
