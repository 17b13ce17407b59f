//! The environment: what has been accepted so far, and `add`, the one door into it.

mod accel;
mod add;
mod decl;
mod error;
mod known;
mod limits;
mod quot;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::check::NatOp;
use crate::name::Name;
use crate::store::Store;

pub(crate) use add::check_distinct;
use known::Known;

pub use decl::*;
pub use error::KernelError;
pub use limits::Limits;

/// The accepted constants, in order. A clone is a snapshot and shares everything with the original.
#[derive(Clone)]
pub struct Environment<'b> {
    st: &'b Store<'b>,
    limits: Limits,
    by_name: Rc<FxHashMap<Name, Entry>>,
    order: Rc<Vec<Rc<ConstantInfo>>>,
    steps: u64,
    known: Known,
    primitives: Primitives,
}

/// A constant and the steps that its declaration took (0 for those that come with another).
#[derive(Clone)]
struct Entry {
    info: Rc<ConstantInfo>,
    steps: u64,
}

/// What is known of the constants that the checker computes with.
#[derive(Clone, Default)]
struct Primitives {
    nat: bool,
    bool_: bool,
    /// `String.ofList` (Lean 4.35) or `String.mk` (older), whichever came first.
    string_builder: Option<Name>,
    ops: Rc<FxHashMap<Name, NatOp>>,
}

impl<'b> Environment<'b> {
    /// The empty environment over a store, with the default limits.
    pub fn new(st: &'b Store<'b>) -> Self {
        Self::new_with(st, Limits::default())
    }

    /// The empty environment over a store.
    pub fn new_with(st: &'b Store<'b>, limits: Limits) -> Self {
        Environment {
            st,
            limits,
            by_name: Rc::default(),
            order: Rc::default(),
            steps: 0,
            known: Known::new(st),
            primitives: Primitives::default(),
        }
    }

    /// The store of all terms in this environment.
    pub fn store(&self) -> &'b Store<'b> {
        self.st
    }

    /// The limits within which each declaration is checked.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The constant of this name.
    pub fn get(&self, n: Name) -> Option<&ConstantInfo> {
        self.by_name.get(&n).map(|e| &*e.info)
    }

    /// All constants in the order of their addition.
    pub fn constants(&self) -> impl Iterator<Item = &ConstantInfo> {
        self.order.iter().map(|c| &**c)
    }

    /// Steps taken so far by all checks; equal input gives equal counts.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Steps that the declaration of this constant took; for an inductive declaration under the name of its first type, and
    /// 0 for what comes with it.
    pub fn steps_of(&self, n: Name) -> Option<u64> {
        self.by_name.get(&n).map(|e| e.steps)
    }

    /// Names with a meaning for the checker.
    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    /// The function from lists of characters that string literals are notation for.
    pub(crate) fn string_builder(&self) -> Name {
        let builder = self.primitives.string_builder;
        builder.unwrap_or(self.known.string_of_list)
    }

    /// Whether `Nat` exists and is Lean's.
    pub(crate) fn nat_is_leans(&self) -> bool {
        self.primitives.nat
    }
}
