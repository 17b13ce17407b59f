//! From the kernel's environment to Lean 4, and back: NDJSON for checkers, `.lean` files for people.
//!
//! Nothing here is trusted. What is written is checked by another kernel; what is read goes through the one door of ours.
#![forbid(unsafe_code)]

pub mod lean_out;
pub mod ndjson_in;
pub mod ndjson_out;
pub mod select;

pub use lean_out::{LeanWritten, Script, write_lean};
pub use ndjson_in::{Difference, Read, ReadError, read_ndjson};
pub use ndjson_out::{Written, write_ndjson};
pub use select::{ExportError, Select, Unit};
