//! From the syntax tree to a typed module: registers, scoped labels, operands, addresses as base and offset.

mod data;

pub use data::*;
