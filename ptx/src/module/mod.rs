//! From the syntax tree to a typed module: registers, scoped labels, operands, addresses as base and offset.

mod body;
mod calls;
pub mod cfg;
mod data;
mod decl;
mod error;
mod form;
mod init;
mod literal;
mod operand;
mod resolve;
pub(crate) mod scope;
mod special;
pub mod uses;

pub use data::*;
pub use decl::MAX_BYTES;
pub use error::{Error, Reason};
pub use init::MAX_INIT;
pub use resolve::{Resolved, resolve};
pub use special::special_bits;
