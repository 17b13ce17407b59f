//! How large a term is when it is written out.

use logic::{Expr, Store};
use rustc_hash::FxHashMap;

use crate::select::children;

/// Sizes of terms, each computed once.
#[derive(Default)]
pub(super) struct Sizes {
    known: FxHashMap<Expr, Size>,
}

/// The size of one term.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    /// Nodes of the tree, every sharing undone.
    pub tree: u64,
    /// Longest path.
    pub depth: u32,
}

impl Sizes {
    /// The size of a term.
    pub fn of(&mut self, st: &Store<'_>, e: Expr) -> Size {
        let mut stack = vec![(e, false)];
        let mut below = Vec::new();
        while let Some((e, parts_done)) = stack.pop() {
            if self.known.contains_key(&e) {
                continue;
            }
            children(st.node(e), &mut below);
            if parts_done {
                let mut size = Size { tree: 1, depth: 1 };
                for c in below.drain(..) {
                    let c = self.known[&c];
                    size.tree = size.tree.saturating_add(c.tree);
                    size.depth = size.depth.max(c.depth + 1);
                }
                self.known.insert(e, size);
            } else {
                stack.push((e, true));
                stack.extend(below.drain(..).map(|c| (c, false)));
            }
        }
        self.known[&e]
    }
}

/// Nodes of a term, every shared one counted once.
pub(super) fn shared_size(st: &Store<'_>, e: Expr) -> usize {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if seen.insert(e) {
            children(st.node(e), &mut stack);
        }
    }
    seen.len()
}
