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
    speakers: FxHashMap<Name, Names>,
}

/// The terms of a constant: its type and, if it has one, its value, whether it unfolds or not.
pub(super) fn parts(c: &ConstantInfo) -> impl Iterator<Item = Expr> {
    let value = match c {
        ConstantInfo::Opaque { value, .. } => Some(*value),
        _ => c.value(),
    };
    [Some(c.ty()), value].into_iter().flatten()
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
            Node::Str(_) => {
                let names = BEHIND_STRINGS.iter().map(|s| st.name(s));
                found.extend(names.filter(|n| env.get(*n).is_some()));
            }
            _ => {}
        };
    });
    found
}

/// What a string literal is notation for mentions these.
const BEHIND_STRINGS: [&str; 6] = [
    "Char.ofNat",
    "List.cons",
    "List.nil",
    "String",
    "String.mk",
    "String.ofList",
];

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

/// The constants that a constant rests on. For an inductive type that is its constructors too; for a function that the
/// kernel computes because of a theorem (`Nat.land` and `Nat.land.computes`), that theorem.
fn below(env: &Environment<'_>, c: &ConstantInfo, values: bool) -> BTreeSet<Name> {
    let st = env.store();
    let is_theorem = matches!(c, ConstantInfo::Theorem { .. });
    let terms = parts(c).take(if values || !is_theorem { 2 } else { 1 });
    let mut names = constants(env, terms);
    if let ConstantInfo::Inductive(i) = c {
        names.extend(i.ctors.iter().copied());
    }
    if is_computed(env, c.name()) {
        let theorem = st.name_str(c.name(), "computes");
        names.extend(env.get(theorem).map(ConstantInfo::name));
    }
    names
}

/// Whether the kernel computes this function on literals once a theorem allows it.
fn is_computed(env: &Environment<'_>, n: Name) -> bool {
    let st = env.store();
    let op = st.name_last(n).is_some_and(|s| COMPUTED.contains(&s));
    op && st.name_prefix(n) == st.name("Nat")
}

/// The functions on `Nat` whose theorem `computes` lets the kernel compute them.
const COMPUTED: [&str; 7] = ["div", "mod", "gcd", "log2", "land", "lor", "xor"];

/// Computes a union over everything below `root`. Only what was asked for is remembered, and so is complete: constants may
/// rest on each other in a circle (a type and its constructors), where part of a walk is not the whole of it.
fn closure(
    memo: &mut FxHashMap<Name, Names>,
    env: &Environment<'_>,
    root: Name,
    values: bool,
    own: &impl Fn(Name, &ConstantInfo) -> bool,
) -> Names {
    let mut all: BTreeSet<Name> = BTreeSet::new();
    let (mut todo, mut seen) = (vec![root], FxHashSet::default());
    while let Some(n) = todo.pop() {
        if !seen.insert(n) {
            continue;
        }
        // The theorem may come after what is remembered of the function.
        if let Some(known) = memo.get(&n).filter(|_| !is_computed(env, n)) {
            all.extend(known.iter().copied());
            continue;
        }
        let Some(c) = env.get(n) else {
            continue;
        };
        if own(n, c) {
            all.insert(n);
        }
        todo.extend(below(env, c, values));
    }
    let all = Rc::new(all);
    memo.insert(root, all.clone());
    all
}

impl Facts {
    /// Forgets what was said of constants that an environment does not have. What is below a constant that it has is the
    /// same as before, unless a theorem is gone that let the kernel compute something.
    pub(super) fn forget(&mut self, env: &Environment<'_>) {
        let st = env.store();
        let theorem = |op| st.name_str(st.name_str(st.name("Nat"), op), "computes");
        let all = COMPUTED.iter().all(|op| env.get(theorem(op)).is_some());
        for memo in [&mut self.axioms, &mut self.kernels, &mut self.speakers] {
            memo.retain(|n, _| all && env.get(*n).is_some());
        }
    }

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

    /// The definitions and constructors below the statement of a constant for which `own` holds.
    pub(super) fn speakers(
        &mut self,
        env: &Environment<'_>,
        n: Name,
        own: &impl Fn(Name, &ConstantInfo) -> bool,
    ) -> BTreeSet<Name> {
        closure(&mut self.speakers, env, n, false, own)
            .as_ref()
            .clone()
    }
}
