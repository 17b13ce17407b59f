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
    /// The proof of `t.put k v = t'` for the change that made it.
    pub put: Option<Expr>,
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
            put: None,
        }
    }

    /// A cell, `Cell.mk w v`.
    pub fn cell(&self, width: u32, v: Expr) -> Expr {
        let w = self.st.nat_u64(u64::from(width));
        self.st.apps(self.st.const0("Ptx.Cell.mk"), &[w, v])
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
        let steps = steps(r)?;
        let cell = self.cell(r.0, v);
        let (path, trie, proof) = self.insert(f.trie, &steps, cell);
        let (w, i, key) = self.key(r, path);
        let put = self.lemma("RF.put", &[f.trie, trie, w, i, path, cell, key, proof]);
        let mut new = f.clone();
        new.values.insert(r, v);
        new.trie = trie;
        new.put = Some(put);
        Some(new)
    }

    /// The proof that the look-up of a register gives its value (`none`, if nothing is known of it). None: there are no registers
    /// of this width.
    pub fn get(&self, f: &File, r: Reg) -> Option<Expr> {
        let steps = steps(r)?;
        let (path, found, proof) = self.look_up(f.trie, &steps);
        let (w, i, key) = self.key(r, path);
        Some(self.lemma("RF.get", &[f.trie, w, i, path, found, key, proof]))
    }

    fn lemma(&self, name: &str, args: &[Expr]) -> Expr {
        self.st.apps(self.st.const0(&format!("Ptx.{name}")), args)
    }

    /// Width and number of a register, and the proof of `RF.key w i = path`.
    fn key(&self, r: Reg, path: Expr) -> (Expr, Expr, Expr) {
        let st = self.st;
        let (w, i) = (st.nat_u64(u64::from(r.0)), st.nat_u64(r.1));
        let yes = st.apps(
            st.constant(st.name("Eq.refl"), &[st.level_nat(1)]),
            &[st.const0("Bool"), st.const0("Bool.true")],
        );
        (w, i, self.lemma("RF.key_of", &[w, i, path, yes]))
    }

    /// The parts of a node; nothing is below a leaf.
    fn parts(&self, trie: Expr) -> Option<(Expr, Expr, Expr)> {
        match self.st.unfold_app(trie).1[..] {
            [_, here, left, right] => Some((here, left, right)),
            _ => None,
        }
    }

    /// The path, the trie with another cell there, and the proof.
    fn insert(&self, trie: Expr, steps: &[bool], cell: Expr) -> (Expr, Expr, Expr) {
        let (st, ty) = (self.st, self.cell);
        let node =
            |here, left, right| st.apps(st.const0("Ptx.Trie.node"), &[ty, here, left, right]);
        let Some((u, l, r)) = self.parts(trie) else {
            let empty = node(self.none, self.leaf, self.leaf);
            let (path, new, proof) = self.insert(empty, steps, cell);
            let proof = self.lemma("Trie.put_leaf", &[ty, new, path, cell, proof]);
            return (path, new, proof);
        };
        match steps {
            [] => {
                let some = st.constant(st.name("Option.some"), &[Level::ZERO]);
                let new = node(st.apps(some, &[ty, cell]), l, r);
                let proof = self.lemma("Trie.put_at", &[ty, u, l, r, cell]);
                (st.const0("Ptx.Path.here"), new, proof)
            }
            [false, rest @ ..] => {
                let (p, l2, h) = self.insert(l, rest, cell);
                let proof = self.lemma("Trie.put_even", &[ty, u, l, l2, r, p, cell, h]);
                (self.lemma("Path.even", &[p]), node(u, l2, r), proof)
            }
            [true, rest @ ..] => {
                let (p, r2, h) = self.insert(r, rest, cell);
                let proof = self.lemma("Trie.put_odd", &[ty, u, l, r, r2, p, cell, h]);
                (self.lemma("Path.odd", &[p]), node(u, l, r2), proof)
            }
        }
    }

    /// The path, what stands there, and the proof.
    fn look_up(&self, trie: Expr, steps: &[bool]) -> (Expr, Expr, Expr) {
        let ty = self.cell;
        let Some((u, l, r)) = self.parts(trie) else {
            let path = steps
                .iter()
                .rev()
                .fold(self.st.const0("Ptx.Path.here"), |p, odd| {
                    self.lemma(if *odd { "Path.odd" } else { "Path.even" }, &[p])
                });
            return (path, self.none, self.lemma("Trie.get_leaf", &[ty, path]));
        };
        match steps {
            [] => {
                let proof = self.lemma("Trie.get_at", &[ty, u, l, r]);
                (self.st.const0("Ptx.Path.here"), u, proof)
            }
            [false, rest @ ..] => {
                let (p, x, h) = self.look_up(l, rest);
                let proof = self.lemma("Trie.get_even", &[ty, u, x, l, r, p, h]);
                (self.lemma("Path.even", &[p]), x, proof)
            }
            [true, rest @ ..] => {
                let (p, x, h) = self.look_up(r, rest);
                let proof = self.lemma("Trie.get_odd", &[ty, u, x, l, r, p, h]);
                (self.lemma("Path.odd", &[p]), x, proof)
            }
        }
    }
}

/// The path of a register's key: whether the number at each node is odd. Below `n` are `2 n + 1` and `2 n + 2`.
fn steps(r: Reg) -> Option<Vec<bool>> {
    let mut key = r.1.checked_mul(8)? + code(r.0)?;
    let mut out = Vec::new();
    while key > 0 {
        let odd = key % 2 == 1;
        out.push(odd);
        key = if odd { key / 2 } else { key / 2 - 1 };
    }
    Some(out)
}
