//! The trusted kernel: terms, their types, and the one door through which a declaration becomes a fact.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod check;
pub mod env;
pub mod expr;
mod inductive;
pub mod level;
pub mod name;
pub mod show;
pub mod store;
pub mod subst;

pub use check::Checker;
pub use env::{
    ConstantInfo, ConstructorInfo, Declaration, Environment, Hint, InductiveDecl, InductiveInfo,
    InductiveType, KernelError, Limits, QuotKind, RecursorInfo, RecursorRule, Signature,
};
pub use expr::{BinderInfo, Expr, Node};
pub use level::{Level, LevelNode};
pub use name::{Name, NameNode};
pub use store::Store;
