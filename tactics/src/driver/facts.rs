//! Facts about constants, computed once: the axioms below them, the kernels that they speak about, their size.

use std::collections::BTreeSet;
use std::rc::Rc;

use logic::{ConstantInfo, Environment, Expr, Name, Node};
use rustc_hash::{FxHashMap, FxHashSet};

type Names = Rc<BTreeSet<Name>>;

/// Memoised facts.
#[derive(Default)]
pub(super) struct Facts {
    axioms: FxHashMap<Name, Names>,
    kernels: FxHashMap<Name, Names>,
}

/// The terms of a constant: its type and, if it has one, its value.
pub(super) fn parts(c: &ConstantInfo) -> impl Iterator<Item = Expr> {
    [Some(c.ty()), c.value()].into_iter().flatten()
}

/// The constants in some terms, sorted.
pub(super) fn constants(
    env: &Environment<'_>,
    terms: impl IntoIterator<Item = Expr>,
) -> BTreeSet<Name> {
    let st = env.store();
    let mut found = BTreeSet::new();
    visit(env, terms, |e| {
        match st.node(e) {
            Node::Const(n, _) => {
                found.insert(n);
            }
            Node::Proj(s, _, _) => {
                found.insert(s);
            }
            _ => {}
        };
    });
    found
}

/// How many distinct terms there are in some terms.
pub(super) fn nodes(env: &Environment<'_>, terms: impl IntoIterator<Item = Expr>) -> usize {
    let mut n = 0;
    visit(env, terms, |_| n += 1);
    n
}

fn visit(env: &Environment<'_>, terms: impl IntoIterator<Item = Expr>, mut f: impl FnMut(Expr)) {
    let st = env.store();
    let mut seen = FxHashSet::default();
    let mut todo: Vec<Expr> = terms.into_iter().collect();
    while let Some(e) = todo.pop() {
        if !seen.insert(e) {
            continue;
        }
        f(e);
        match st.node(e) {
            Node::App(a, b) => todo.extend([a, b]),
            Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => todo.extend([t, b]),
            Node::Let(_, t, v, b) => todo.extend([t, v, b]),
            Node::Proj(_, _, x) => todo.push(x),
            _ => {}
        }
    }
}

/// The constants that a constant rests on. For an inductive type that is its constructors too.
fn below(env: &Environment<'_>, c: &ConstantInfo, values: bool) -> BTreeSet<Name> {
    let is_theorem = matches!(c, ConstantInfo::Theorem { .. });
    let terms = parts(c).take(if values || !is_theorem { 2 } else { 1 });
    let mut names = constants(env, terms);
    if let ConstantInfo::Inductive(i) = c {
        names.extend(i.ctors.iter().copied());
    }
    names
}

/// Computes a union over everything below `root`, depth first without recursion.
fn closure(
    memo: &mut FxHashMap<Name, Names>,
    env: &Environment<'_>,
    root: Name,
    values: bool,
    own: &impl Fn(Name, &ConstantInfo) -> bool,
) -> Names {
    let mut stack = vec![(root, false)];
    let mut active = FxHashSet::default();
    while let Some((n, ready)) = stack.pop() {
        if memo.contains_key(&n) {
            continue;
        }
        let Some(c) = env.get(n) else {
            memo.insert(n, Names::default());
            continue;
        };
        let deps = below(env, c, values);
        if !ready {
            if !active.insert(n) {
                continue;
            }
            stack.push((n, true));
            stack.extend(
                deps.into_iter()
                    .filter(|d| !memo.contains_key(d))
                    .map(|d| (d, false)),
            );
            continue;
        }
        let mut all: BTreeSet<Name> = BTreeSet::new();
        if own(n, c) {
            all.insert(n);
        }
        for d in deps {
            if let Some(s) = memo.get(&d) {
                all.extend(s.iter().copied());
            }
        }
        memo.insert(n, Rc::new(all));
    }
    memo.get(&root).cloned().unwrap_or_default()
}

impl Facts {
    /// The axioms below a constant, by name, sorted.
    pub(super) fn axioms(&mut self, env: &Environment<'_>, n: Name) -> Vec<String> {
        let is_axiom = |_: Name, c: &ConstantInfo| matches!(c, ConstantInfo::Axiom { .. });
        let set = closure(&mut self.axioms, env, n, true, &is_axiom);
        let mut names: Vec<String> = set.iter().map(|n| env.store().name_to_string(*n)).collect();
        names.sort();
        names
    }

    /// The kernels that the statement of a constant speaks about, also through definitions.
    pub(super) fn kernels(
        &mut self,
        env: &Environment<'_>,
        n: Name,
        is_kernel: &impl Fn(Name) -> bool,
    ) -> BTreeSet<Name> {
        let own = |n: Name, _: &ConstantInfo| is_kernel(n);
        closure(&mut self.kernels, env, n, false, &own)
            .as_ref()
            .clone()
    }
}
