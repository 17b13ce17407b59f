//! tactics
pub mod syntax;
