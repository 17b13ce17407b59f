//! Launch files: what `ptxprove run` runs, on which data, and what has to come out.
//!
//! - [`file`]: the TOML format, as it is read; [`error`]: what is wrong with a file, and where.
//! - [`dtype`], [`fill`], [`npy`], [`expr`]: the values of buffers.
//! - [`plan`]: a file whose names and sizes have been checked against a module; [`args`]: the bytes of parameters.
//! - [`session`]: runs a plan with a seed; [`compare`]: what came out, against what was expected.
//!
//! The format is described for users in `book/src/run.md`.

#![forbid(unsafe_code)]

pub mod args;
pub mod compare;
pub mod dtype;
pub mod error;
pub mod expr;
pub mod file;
pub mod fill;
pub mod npy;
pub mod plan;
pub mod session;
