//! The rules of `simp`: what a theorem says, read from left to right, and how candidates are found.

use std::cmp::Ordering;

use logic::{ConstantInfo, Expr, Name, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::meta::{Elab, MVarId, Result};

/// Where a rule comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Source {
    /// A theorem.
    Const(Name),
    /// A proof in the current context, closed over what it leaves open.
    Proof(Expr),
}

/// How a proposition is read as an equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// `a = b`.
    Eq,
    /// `p ↔ q`, as `p = q`.
    Iff,
    /// `¬p`, as `p = False`.
    Not,
    /// `a ≠ b`, as `(a = b) = False`.
    Ne,
    /// `p`, as `p = True`.
    Holds,
}

/// A step from a proof to a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// Applied to so many arguments.
    Args(usize),
    /// A side of a conjunction.
    Side(u32),
}

/// A rewriting rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// Where it comes from.
    pub source: Source,
    parts: Vec<Part>,
    form: Form,
    rev: bool,
    /// Both sides are instances of each other, so it is used only where the result is smaller.
    pub permutes: bool,
    key: Vec<Key>,
    prio: u32,
}

/// The shape of a subterm of a left side, as far as it is looked at before unification.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    /// Anything.
    Any,
    /// A constant with so many arguments.
    Const(Name, u32),
    /// A variable with so many arguments.
    FVar(u32, u32),
    /// A Π-type.
    Pi,
    /// A `fun`.
    Lam,
    /// A universe.
    Sort,
    /// A projection.
    Proj(Name, u32),
    /// A literal.
    Str,
}

/// A rule with its variables open, ready to be matched.
pub(crate) struct Opened {
    /// What is looked for.
    pub lhs: Expr,
    /// What takes its place.
    pub rhs: Expr,
    /// The proof of `lhs = rhs`.
    pub proof: Expr,
    /// The rule's variables.
    pub vars: Vec<MVarId>,
}

/// Rules by the head of their left side.
#[derive(Clone, Default)]
pub(crate) struct RuleSet {
    rules: Vec<Rule>,
    by_head: FxHashMap<Key, Vec<usize>>,
    /// Definitions to unfold.
    pub unfold: FxHashSet<Name>,
    removed: FxHashSet<Name>,
}

fn key_of(st: &logic::Store<'_>, e: Expr) -> Key {
    let (f, args) = st.unfold_app(e);
    let n = args.len() as u32;
    match st.node(f) {
        Node::Const(c, _) => {
            // Forms of numbers are left to unification.
            match &*st.name_to_string(c) {
                "Nat.succ" | "Nat.zero" | "Nat.add" | "OfNat.ofNat" => Key::Any,
                _ => Key::Const(c, n),
            }
        }
        Node::FVar(i) => Key::FVar(i, n),
        Node::Pi(..) => Key::Pi,
        Node::Lam(..) => Key::Lam,
        Node::Sort(_) => Key::Sort,
        Node::Proj(s, i, _) => Key::Proj(s, i),
        Node::Str(_) => Key::Str,
        Node::Nat(_) | Node::MVar(_) | Node::BVar(_) | Node::Let(..) | Node::App(..) => Key::Any,
    }
}

/// The head of a term, its exact form included.
fn head_key(st: &logic::Store<'_>, e: Expr) -> Key {
    let (f, args) = st.unfold_app(e);
    match st.node(f) {
        Node::Const(c, _) => Key::Const(c, args.len() as u32),
        Node::Nat(_) => Key::Str,
        _ => key_of(st, e),
    }
}

/// The shape of a left side: its head, then its arguments.
fn shape(st: &logic::Store<'_>, lhs: Expr) -> Vec<Key> {
    let (_, args) = st.unfold_app(lhs);
    let mut out = vec![head_key(st, lhs)];
    out.extend(args.iter().map(|a| key_of(st, *a)));
    out
}

fn compatible(pattern: &[Key], shape: &[Key]) -> bool {
    pattern.len() == shape.len()
        && pattern[1..].iter().zip(&shape[1..]).all(|(p, s)| {
            *p == Key::Any || *s == Key::Any || p == s || flexible(*p) || flexible(*s)
        })
}

/// Shapes that reduction may change into others.
fn flexible(k: Key) -> bool {
    matches!(k, Key::Lam | Key::Proj(..))
}

impl Rule {
    /// The name for messages.
    pub fn describe<'b>(&self, el: &mut Elab<'b>) -> String {
        match self.source {
            Source::Const(n) => el.st.name_to_string(n),
            Source::Proof(e) => el.pp(e),
        }
    }

    /// Opens the rule with fresh variables.
    pub fn open<'b>(&self, el: &mut Elab<'b>) -> Result<Option<Opened>> {
        let st = el.st;
        let mut proof = match self.source {
            Source::Const(n) => el.mk_const(n)?,
            Source::Proof(e) => e,
        };
        let mut ty = el.infer_type(proof)?;
        let mut vars = Vec::new();
        for p in &self.parts {
            match p {
                Part::Args(n) => {
                    let (ms, _, body) = el.forall_mvar_telescope(ty, Some(*n));
                    if ms.len() != *n {
                        return Ok(None);
                    }
                    let args: Vec<Expr> = ms.iter().map(|m| st.mvar(m.0)).collect();
                    proof = st.apps(proof, &args);
                    vars.extend(ms);
                    ty = body;
                }
                Part::Side(k) => {
                    let Some(args) = el.match_app(ty, "And", 2) else {
                        return Ok(None);
                    };
                    proof = st.proj(st.name("And"), *k, proof);
                    ty = args[*k as usize];
                }
            }
        }
        let (lhs, rhs, proof) = match self.form {
            Form::Eq => {
                let Some((t, a, b)) = el.match_eq(ty) else {
                    return Ok(None);
                };
                if self.rev {
                    let l = match st.node(st.app_fn(ty)) {
                        Node::Const(_, ls) => ls[0],
                        _ => return Ok(None),
                    };
                    let s = st.constant(st.name("Eq.symm"), &[l]);
                    (b, a, st.apps(s, &[t, a, b, proof]))
                } else {
                    (a, b, proof)
                }
            }
            Form::Iff => {
                let Some(args) = el.match_app(ty, "Iff", 2) else {
                    return Ok(None);
                };
                let p = st.apps(st.const0("propext"), &[args[0], args[1], proof]);
                if self.rev {
                    let s = st.constant(st.name("Eq.symm"), &[st.level_nat(1)]);
                    let p = st.apps(s, &[st.prop(), args[0], args[1], p]);
                    (args[1], args[0], p)
                } else {
                    (args[0], args[1], p)
                }
            }
            Form::Not => {
                let Some(args) = el.match_app(ty, "Not", 1) else {
                    return Ok(None);
                };
                let p = st.apps(st.const0("eq_false"), &[args[0], proof]);
                (args[0], st.const0("False"), p)
            }
            Form::Ne => {
                let Some(eq) = ne_as_eq(el, ty) else {
                    return Ok(None);
                };
                let p = st.apps(st.const0("eq_false"), &[eq, proof]);
                (eq, st.const0("False"), p)
            }
            Form::Holds => {
                let p = st.apps(st.const0("eq_true"), &[ty, proof]);
                (ty, st.const0("True"), p)
            }
        };
        Ok(Some(Opened {
            lhs,
            rhs,
            proof,
            vars,
        }))
    }
}

/// `a = b` of `a ≠ b`.
fn ne_as_eq<'b>(el: &Elab<'b>, ty: Expr) -> Option<Expr> {
    let st = el.st;
    let args = el.match_app(ty, "Ne", 3)?;
    match st.node(st.app_fn(ty)) {
        Node::Const(_, ls) => Some(st.apps(st.constant(st.name("Eq"), ls), &args)),
        _ => None,
    }
}

impl RuleSet {
    /// The rule with a number.
    pub fn rule(&self, k: usize) -> &Rule {
        &self.rules[k]
    }

    /// Candidates for a term, the best first.
    pub fn candidates(&self, st: &logic::Store<'_>, e: Expr) -> Vec<usize> {
        let Some(list) = self.by_head.get(&head_key(st, e)) else {
            return Vec::new();
        };
        let s = shape(st, e);
        let mut out: Vec<usize> = list
            .iter()
            .copied()
            .filter(|k| compatible(&self.rules[*k].key, &s))
            .filter(|k| match self.rules[*k].source {
                Source::Const(n) => !self.removed.contains(&n),
                Source::Proof(_) => true,
            })
            .collect();
        // Higher priority first; of equal ones the later declared.
        out.sort_by_key(|k| {
            (
                std::cmp::Reverse(self.rules[*k].prio),
                std::cmp::Reverse(*k),
            )
        });
        out
    }

    /// Whether there are rules for terms with the head of this one and as many arguments.
    pub fn has_candidates(&self, st: &logic::Store<'_>, e: Expr) -> bool {
        self.by_head
            .get(&head_key(st, e))
            .is_some_and(|l| !l.is_empty())
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Takes the rules out that were added last, all but the first `n`. Their numbers stay theirs.
    pub fn retire(&mut self, n: usize) {
        if n == self.rules.len() {
            return;
        }
        for list in self.by_head.values_mut() {
            list.retain(|k| *k < n);
        }
    }

    /// Takes a theorem or definition out.
    pub fn remove(&mut self, n: Name) {
        self.removed.insert(n);
        self.unfold.remove(&n);
    }

    /// Adds a constant: a theorem's rules, or a definition to unfold. `false` if it gives no rule.
    pub fn add_const<'b>(
        &mut self,
        el: &mut Elab<'b>,
        n: Name,
        rev: bool,
        prio: u32,
    ) -> Result<bool> {
        self.removed.remove(&n);
        let Some(info) = el.const_info(n) else {
            return Ok(false);
        };
        if el.ext.well_founded.contains_key(&n) && !rev {
            // It does not unfold by computation, so its equations are the rules.
            for eq in el.equations_of(n)? {
                let proof = el.mk_const(eq)?;
                self.add(el, Source::Const(eq), proof, false, prio)?;
            }
            return Ok(true);
        }
        if matches!(info, ConstantInfo::Definition { .. }) && !el.is_prop(info.ty()) && !rev {
            self.unfold.insert(n);
            return Ok(true);
        }
        let proof = el.mk_const(n)?;
        let before = self.rules.len();
        self.add(el, Source::Const(n), proof, rev, prio)?;
        Ok(self.rules.len() > before)
    }

    /// Adds a proof of the current context. `false` if it gives no rule.
    pub fn add_proof<'b>(
        &mut self,
        el: &mut Elab<'b>,
        proof: Expr,
        rev: bool,
        prio: u32,
    ) -> Result<bool> {
        let before = self.rules.len();
        self.add(el, Source::Proof(proof), proof, rev, prio)?;
        Ok(self.rules.len() > before)
    }

    fn add<'b>(
        &mut self,
        el: &mut Elab<'b>,
        source: Source,
        proof: Expr,
        rev: bool,
        prio: u32,
    ) -> Result<()> {
        let ty = el.infer_type(proof)?;
        let ty = el.instantiate_mvars(ty);
        let saved = el.save();
        let mut parts = Vec::new();
        self.add_parts(el, source, ty, rev, prio, &mut parts, 0);
        el.restore(&saved);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn add_parts<'b>(
        &mut self,
        el: &mut Elab<'b>,
        source: Source,
        ty: Expr,
        rev: bool,
        prio: u32,
        parts: &mut Vec<Part>,
        depth: u32,
    ) {
        let st = el.st;
        let mut ty = el.instantiate_mvars(ty);
        let mut n = 0;
        let mark = parts.len();
        while let Node::Pi(..) = st.node(ty) {
            let (ms, _, body) = el.forall_mvar_telescope(ty, Some(1));
            n += ms.len();
            ty = body;
        }
        if n > 0 {
            parts.push(Part::Args(n));
        }
        if let Some((_, a, b)) = el.match_eq(ty) {
            self.push(el, source, parts, Form::Eq, (a, b), rev, prio);
        } else if let Some(args) = el.match_app(ty, "Iff", 2) {
            self.push(el, source, parts, Form::Iff, (args[0], args[1]), rev, prio);
        } else if let Some(args) = el.match_app(ty, "Not", 1) {
            let f = st.const0("False");
            self.push(el, source, parts, Form::Not, (args[0], f), false, prio);
        } else if let Some(eq) = ne_as_eq(el, ty) {
            let f = st.const0("False");
            self.push(el, source, parts, Form::Ne, (eq, f), false, prio);
        } else if let Some(args) = el.match_app(ty, "And", 2)
            && depth < 16
        {
            for k in 0..2 {
                parts.push(Part::Side(k));
                self.add_parts(el, source, args[k as usize], rev, prio, parts, depth + 1);
                parts.pop();
            }
        } else if ty == st.const0("False") && n > 0 {
            // `p → False`: the last argument is what is refuted; such facts are stated with `¬` to be rules.
        } else {
            let t = st.const0("True");
            self.push(el, source, parts, Form::Holds, (ty, t), false, prio);
        }
        parts.truncate(mark);
    }

    #[allow(clippy::too_many_arguments)]
    fn push<'b>(
        &mut self,
        el: &mut Elab<'b>,
        source: Source,
        parts: &[Part],
        form: Form,
        (a, b): (Expr, Expr),
        rev: bool,
        prio: u32,
    ) {
        let st = el.st;
        let (lhs, rhs) = if rev { (b, a) } else { (a, b) };
        let lhs = el.instantiate_mvars(lhs);
        let rhs = el.instantiate_mvars(rhs);
        if matches!(st.node(st.app_fn(lhs)), Node::MVar(_)) || lhs == rhs {
            return;
        }
        let key = shape(st, lhs);
        let rule = Rule {
            source,
            parts: parts.to_vec(),
            form,
            rev,
            permutes: permutation(st, lhs, rhs),
            key,
            prio,
        };
        let k = self.rules.len();
        self.by_head.entry(rule.key[0]).or_default().push(k);
        self.rules.push(rule);
    }
}

/// Whether the sides are equal up to a renaming of the rule's variables.
fn permutation(st: &logic::Store<'_>, a: Expr, b: Expr) -> bool {
    let mut map = FxHashMap::default();
    let mut back = FxHashMap::default();
    same_shape(st, a, b, &mut map, &mut back)
}

fn same_shape(
    st: &logic::Store<'_>,
    a: Expr,
    b: Expr,
    map: &mut FxHashMap<u32, u32>,
    back: &mut FxHashMap<u32, u32>,
) -> bool {
    match (st.node(a), st.node(b)) {
        (Node::MVar(x), Node::MVar(y)) => {
            *map.entry(x).or_insert(y) == y && *back.entry(y).or_insert(x) == x
        }
        (Node::App(f, x), Node::App(g, y)) => {
            same_shape(st, f, g, map, back) && same_shape(st, x, y, map, back)
        }
        (Node::Const(m, _), Node::Const(n, _)) => m == n,
        (Node::Lam(_, t, x, _), Node::Lam(_, u, y, _))
        | (Node::Pi(_, t, x, _), Node::Pi(_, u, y, _)) => {
            same_shape(st, t, u, map, back) && same_shape(st, x, y, map, back)
        }
        (Node::Proj(s, i, x), Node::Proj(t, j, y)) => {
            s == t && i == j && same_shape(st, x, y, map, back)
        }
        _ => a == b,
    }
}

/// Whether one term comes before another in an order that does not depend on when terms were built: smaller terms first,
/// then by head and arguments from the left. Under it, commutativity and associativity sort sums.
pub(crate) fn smaller(st: &logic::Store<'_>, a: Expr, b: Expr) -> bool {
    let mut sizes = FxHashMap::default();
    compare(st, a, b, &mut sizes) == Ordering::Less
}

fn compare(st: &logic::Store<'_>, a: Expr, b: Expr, sizes: &mut FxHashMap<Expr, u64>) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    // A negation stands beside what it negates, so that the two meet and cancel.
    let ((na, a2), (nb, b2)) = (strip_negation(st, a), strip_negation(st, b));
    if na || nb {
        return compare(st, a2, b2, sizes).then(na.cmp(&nb));
    }
    let by_size = size_go(st, a, sizes).cmp(&size_go(st, b, sizes));
    if by_size != Ordering::Equal {
        return by_size;
    }
    let ((f, xs), (g, ys)) = (st.unfold_app(a), st.unfold_app(b));
    if !xs.is_empty() || !ys.is_empty() {
        let by_args = |sizes: &mut FxHashMap<Expr, u64>| {
            xs.iter()
                .zip(&ys)
                .map(|(x, y)| compare(st, *x, *y, sizes))
                .find(|o| *o != Ordering::Equal)
                .unwrap_or(Ordering::Equal)
        };
        return xs
            .len()
            .cmp(&ys.len())
            .then_with(|| compare(st, f, g, sizes))
            .then_with(|| by_args(sizes));
    }
    match (st.node(a), st.node(b)) {
        (Node::FVar(x), Node::FVar(y)) | (Node::MVar(x), Node::MVar(y)) => x.cmp(&y),
        (Node::Nat(x), Node::Nat(y)) => x.cmp(y),
        (Node::Str(x), Node::Str(y)) => x.cmp(y),
        _ => {
            let (x, y) = (st.show(a).to_string(), st.show(b).to_string());
            x.cmp(&y)
        }
    }
}

/// `x` of `neg x`, for the negation of a ring.
fn strip_negation(st: &logic::Store<'_>, e: Expr) -> (bool, Expr) {
    let Node::App(_, x) = st.node(e) else {
        return (false, e);
    };
    match st.node(st.app_fn(e)) {
        Node::Const(n, _) if st.name_last(n) == Some("neg") => (true, x),
        _ => (false, e),
    }
}

fn size_go(st: &logic::Store<'_>, e: Expr, memo: &mut FxHashMap<Expr, u64>) -> u64 {
    if let Some(n) = memo.get(&e) {
        return *n;
    }
    let n = logic::subst::with_stack(|| match st.node(e) {
        Node::App(f, a) => size_go(st, f, memo).saturating_add(size_go(st, a, memo)),
        Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => size_go(st, t, memo)
            .saturating_add(size_go(st, b, memo))
            .saturating_add(1),
        Node::Let(_, t, v, b) => size_go(st, t, memo)
            .saturating_add(size_go(st, v, memo))
            .saturating_add(size_go(st, b, memo))
            .saturating_add(1),
        Node::Proj(_, _, x) => size_go(st, x, memo).saturating_add(1),
        _ => 1,
    });
    memo.insert(e, n);
    n
}
