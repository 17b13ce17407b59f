//! Register files as terms: tries whose paths are copied, so that files share what they have in common.

use std::collections::BTreeMap;

use logic::{Expr, Level, Store};

use super::code::Reg;

/// What is known of some registers, over what is not known of the others.
#[derive(Clone, Debug)]
pub(super) struct File {
    /// The unknown registers, `ρ : Regs`.
    pub base: Expr,
    /// The trie, `Trie Cell`.
    pub trie: Expr,
    /// Its content.
    pub values: BTreeMap<Reg, Expr>,
}

/// The number of a width, `RF.code`.
pub(super) fn code(width: u32) -> Option<u64> {
    Some(match width {
        32 => 0,
        64 => 1,
        1 => 2,
        16 => 3,
        8 => 4,
        128 => 5,
        _ => return None,
    })
}

/// Builds register files.
#[derive(Clone, Copy)]
pub(super) struct Files<'b> {
    st: &'b Store<'b>,
    cell: Expr,
    leaf: Expr,
    none: Expr,
}

impl<'b> Files<'b> {
    /// For a store.
    pub fn new(st: &'b Store<'b>) -> Self {
        let cell = st.const0("Ptx.Cell");
        Files {
            st,
            cell,
            leaf: st.app(st.const0("Ptx.Trie.leaf"), cell),
            none: st.app(st.constant(st.name("Option.none"), &[Level::ZERO]), cell),
        }
    }

    /// Nothing known.
    pub fn empty(&self, base: Expr) -> File {
        File {
            base,
            trie: self.leaf,
            values: BTreeMap::new(),
        }
    }

    /// A cell, `Cell.mk w v`.
    pub fn cell(&self, width: u32, v: Expr) -> Expr {
        let w = self.st.nat_u64(u64::from(width));
        self.st.apps(self.st.const0("Ptx.Cell.mk"), &[w, v])
    }

    /// `some (Cell.mk w v)`.
    pub fn some(&self, width: u32, v: Expr) -> Expr {
        let some = self
            .st
            .constant(self.st.name("Option.some"), &[Level::ZERO]);
        self.st.apps(some, &[self.cell, self.cell(width, v)])
    }

    /// `none`.
    pub fn none(&self) -> Expr {
        self.none
    }

    /// The type `Option Cell`.
    pub fn option_type(&self) -> Expr {
        let option = self.st.constant(self.st.name("Option"), &[Level::ZERO]);
        self.st.app(option, self.cell)
    }

    /// The type `Trie Cell`.
    pub fn trie_type(&self) -> Expr {
        self.st.app(self.st.const0("Ptx.Trie"), self.cell)
    }

    /// `RF.regs ρ t`.
    pub fn regs(&self, f: &File) -> Expr {
        self.st
            .apps(self.st.const0("Ptx.RF.regs"), &[f.base, f.trie])
    }

    /// A register is written. None: there are no registers of this width.
    pub fn put(&self, f: &File, r: Reg, v: Expr) -> Option<File> {
        let key = 8 * r.1 + code(r.0)?;
        let mut new = f.clone();
        new.values.insert(r, v);
        new.trie = self.insert(f.trie, key, self.some(r.0, v));
        Some(new)
    }

    fn insert(&self, trie: Expr, key: u64, v: Expr) -> Expr {
        let (_, args) = self.st.unfold_app(trie);
        let (here, left, right) = match args[..] {
            [_, h, l, r] => (h, l, r),
            _ => (self.none, self.leaf, self.leaf),
        };
        let node = self.st.const0("Ptx.Trie.node");
        let parts = if key == 0 {
            [self.cell, v, left, right]
        } else if key.is_multiple_of(2) {
            [self.cell, here, self.insert(left, key / 2, v), right]
        } else {
            [self.cell, here, left, self.insert(right, key / 2, v)]
        };
        self.st.apps(node, &parts)
    }
}
