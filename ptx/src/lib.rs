//! PTX as `ptxprove` knows it: text to module, the table of instruction forms, and what each form means.
//!
//! - [`text`]: the grammar of whole files, with spans, and the printer.
//! - [`isa`]: the opcode table; [`alg`]: the algebra in which its meanings are written.
//! - [`layout`]: where the elements of matrices and tensors lie.
//! - [`module`]: a file with its names resolved; [`machine`]: the interpreter that runs it.
//! - [`program`]: kernels as data, as terms of the logic, and as text rendered from the terms again.
//! - [`summary`]: what is in a file, and what of it can be run and proved.

#![forbid(unsafe_code)]

pub mod alg;
pub mod isa;
pub mod layout;
pub mod machine;
pub mod module;
pub mod program;
pub mod summary;
pub mod text;
