//! PTX as `ptxprove` knows it: text to module, the table of instruction forms, and what each form means.
//!
//! - [`text`]: the grammar of whole files, with spans, and the printer.

#![forbid(unsafe_code)]

pub mod text;
