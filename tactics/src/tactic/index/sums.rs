//! Sums, normalised outside of the e-graph: associativity and commutativity as rules would fill it.
//!
//! Each class gets a *form*: a sum of products of classes that are no sums themselves. Remainders and differences are then
//! eliminated, `x % d = x - d * (x / d)` and `x - y` where `y ≤ x`; classes whose forms are equal afterwards are equal. The
//! proof is an identity of polynomials after these equations have been added to both sides ([`super::poly`]).

use std::collections::BTreeMap;

use egg::Id;
use logic::Expr;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Signed, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use super::engine::Engine;
use super::language::{Kind, Node};
use super::poly::{Ring, Tree};
use super::replay::Chain;

/// A sum of products of classes with coefficients; the empty product is the constant.
pub(super) type Form = BTreeMap<Vec<Id>, BigInt>;

/// No form has more products than this.
const MAX_TERMS: usize = 48;
/// How many equations one identity may use.
const MAX_EQUATIONS: usize = 40;

/// How a class is read.
#[derive(Clone, Debug)]
enum Pick {
    /// As it is.
    Atom,
    /// As a literal.
    Lit(BigUint),
    /// As this sum or product.
    Node(Node),
}

/// What an atom is equal to: `atom + product = whole`.
#[derive(Clone, Debug)]
enum Equation {
    /// A remainder: `d * (x / d) + x % d = x`.
    Mod { node: Node, quotient: Id },
    /// A difference: `x - y + y = x`, with a proof of `y ≤ x`.
    Sub { node: Node, le: Expr },
}

/// The forms of the classes at one time.
#[derive(Default)]
pub(super) struct Sums {
    picks: FxHashMap<Id, Pick>,
    forms: FxHashMap<Id, Form>,
    reduced: FxHashMap<Id, Form>,
    equations: FxHashMap<Id, Option<Equation>>,
    active: FxHashSet<Id>,
    trees: FxHashMap<Id, (Tree, Chain)>,
    statements: FxHashMap<Id, (Tree, Tree, Expr)>,
    /// The atoms by number, and their terms.
    numbers: FxHashMap<Id, u32>,
    pub(super) exprs: Vec<Expr>,
    ids: Vec<Id>,
}

/// Adds `k * form` to a form.
pub(super) fn add(to: &mut Form, k: &BigInt, form: &Form) {
    for (m, c) in form {
        let e = to.entry(m.clone()).or_default();
        *e += k * c;
        if e.is_zero() {
            to.remove(m);
        }
    }
}

/// The product of two forms.
pub(super) fn times(a: &Form, b: &Form) -> Form {
    let mut out = Form::new();
    for (m, c) in a {
        for (n, d) in b {
            let mut p = [&m[..], &n[..]].concat();
            p.sort_unstable();
            let one = Form::from([(p, c * d)]);
            add(&mut out, &BigInt::one(), &one);
        }
    }
    out
}

/// A constant.
pub(super) fn constant(n: &BigUint) -> Form {
    if n.is_zero() {
        return Form::new();
    }
    Form::from([(Vec::new(), BigInt::from(n.clone()))])
}

/// One class.
pub(super) fn class(c: Id) -> Form {
    Form::from([(vec![c], BigInt::one())])
}

/// Whether no coefficient is negative.
pub(super) fn natural(f: &Form) -> bool {
    f.values().all(|c| !c.is_negative())
}

impl Sums {
    /// The form of a class, by its number in the cleaned-up e-graph.
    pub fn form(&mut self, e: &Engine<'_, '_>, c: Id) -> Form {
        if let Some(f) = self.forms.get(&c) {
            return f.clone();
        }
        self.active.insert(c);
        let (pick, form) = logic::subst::with_stack(|| self.read(e, c));
        self.active.remove(&c);
        self.picks.insert(c, pick);
        self.forms.insert(c, form.clone());
        form
    }

    fn read(&mut self, e: &Engine<'_, '_>, c: Id) -> (Pick, Form) {
        if let Some(n) = e.value(c) {
            return (Pick::Lit(n.clone()), constant(&n));
        }
        let nodes = e.g[c].nodes.clone();
        let mut best: Option<(usize, Pick, Form)> = None;
        for node in nodes {
            let kind = e.kind(&node);
            if !matches!(kind, Kind::Add | Kind::Mul) {
                continue;
            }
            if node.kids.iter().any(|k| self.active.contains(k)) {
                continue;
            }
            let (a, b) = (self.form(e, node.kids[0]), self.form(e, node.kids[1]));
            let form = match kind {
                Kind::Add => {
                    let mut s = a;
                    add(&mut s, &BigInt::one(), &b);
                    s
                }
                _ if a.len() * b.len() > MAX_TERMS => continue,
                _ => times(&a, &b),
            };
            if form.len() <= MAX_TERMS && best.as_ref().is_none_or(|(n, _, _)| form.len() < *n) {
                best = Some((form.len(), Pick::Node(node), form));
            }
        }
        match best {
            Some((_, pick, form)) => (pick, form),
            None => (Pick::Atom, class(c)),
        }
    }

    /// The equation of an atom.
    fn equation(&mut self, e: &mut Engine<'_, '_>, c: Id) -> Option<Equation> {
        if let Some(found) = self.equations.get(&c) {
            return found.clone();
        }
        let mut found = None;
        if matches!(self.picks.get(&c), Some(Pick::Atom)) {
            let nodes = e.g[c].nodes.clone();
            // a difference brings no quotient with it
            let differences = nodes.iter().filter(|n| e.kind(n) == Kind::Sub);
            for node in differences.cloned().collect::<Vec<_>>() {
                let (x, y) = (e.term(node.kids[0]), e.term(node.kids[1]));
                let le = e.call("Nat.le", &[y, x]);
                if let Some(le) = e.discharge(le) {
                    found = Some(Equation::Sub { node, le });
                    break;
                }
            }
            let remainders = nodes.iter().filter(|n| e.kind(n) == Kind::Mod);
            for node in remainders.cloned().collect::<Vec<_>>() {
                if found.is_some() {
                    break;
                }
                let quotient = e.apply(Kind::Div, &node.kids);
                let quotient = e.g.find(quotient);
                let equation = Equation::Mod { node, quotient };
                // `x % d` that is `x` says nothing of it
                let meaning = self.meaning_of(e, &equation);
                if !meaning.keys().flatten().any(|x| *x == c) {
                    found = Some(equation);
                }
            }
        }
        self.equations.insert(c, found.clone());
        found
    }

    /// What an atom is replaced by.
    fn meaning(&mut self, e: &mut Engine<'_, '_>, c: Id) -> Option<Form> {
        let equation = self.equation(e, c)?;
        Some(self.meaning_of(e, &equation))
    }

    fn meaning_of(&mut self, e: &Engine<'_, '_>, equation: &Equation) -> Form {
        let (node, quotient) = match equation {
            Equation::Mod { node, quotient } => (node, Some(*quotient)),
            Equation::Sub { node, .. } => (node, None),
        };
        let mut f = self.form(e, node.kids[0]);
        let mut less = self.form(e, node.kids[1]);
        if let Some(q) = quotient {
            less = times(&less, &self.form(e, q));
        }
        add(&mut f, &BigInt::from(-1), &less);
        f
    }

    /// The form of a class without remainders and differences.
    pub fn reduced(&mut self, e: &mut Engine<'_, '_>, c: Id) -> Form {
        if let Some(f) = self.reduced.get(&c) {
            return f.clone();
        }
        let form = self.form(e, c);
        self.active.insert(c);
        let out = logic::subst::with_stack(|| self.reduce(e, &form));
        self.active.remove(&c);
        self.reduced.insert(c, out.clone());
        out
    }

    fn reduce(&mut self, e: &mut Engine<'_, '_>, form: &Form) -> Form {
        let mut out = Form::new();
        for (m, k) in form {
            let mut product = constant(&BigUint::one());
            for c in m {
                let replaced = match self.meaning(e, *c) {
                    Some(f)
                        if !f
                            .keys()
                            .flatten()
                            .any(|x| self.active.contains(x) || x == c) =>
                    {
                        self.active.insert(*c);
                        let f = logic::subst::with_stack(|| self.reduce(e, &f));
                        self.active.remove(c);
                        f
                    }
                    _ => class(*c),
                };
                product = times(&product, &replaced);
            }
            if product.len() > MAX_TERMS {
                return form.clone();
            }
            add(&mut out, k, &product);
        }
        out
    }

    /// The number of an atom in the trees.
    pub(super) fn atom(&mut self, e: &mut Engine<'_, '_>, c: Id) -> Tree {
        let next = self.exprs.len() as u32;
        let k = *self.numbers.entry(c).or_insert(next);
        if k == next {
            self.exprs.push(e.term(c));
            self.ids.push(c);
        }
        Tree::Atom(k)
    }

    /// The tree of a class, and why its term is equal to it.
    pub fn tree(&mut self, e: &mut Engine<'_, '_>, c: Id) -> Option<(Tree, Chain)> {
        if let Some(t) = self.trees.get(&c) {
            return Some(t.clone());
        }
        self.form(e, c);
        let pick = self.picks.get(&c)?.clone();
        let out = match pick {
            Pick::Atom => {
                let t = self.atom(e, c);
                let same = e.term(c);
                let chain = Chain {
                    from: same,
                    to: same,
                    proof: None,
                };
                (t, chain)
            }
            Pick::Lit(n) => {
                let lit = e.literal(&n);
                (Tree::Lit(n), e.equal(c, lit)?)
            }
            Pick::Node(node) => {
                let id = e.node(node.op, &node.kids);
                let first = e.equal(c, id)?;
                let (a, ha) = logic::subst::with_stack(|| self.tree(e, node.kids[0]))?;
                let (b, hb) = logic::subst::with_stack(|| self.tree(e, node.kids[1]))?;
                let head = e.g.analysis.ops.get(node.op).head;
                let inner = e.congruent(head, &[ha, hb])?;
                let (a, b) = (Box::new(a), Box::new(b));
                let t = match e.kind(&node) {
                    Kind::Add => Tree::Add(a, b),
                    _ => Tree::Mul(a, b),
                };
                (t, e.then(first, inner)?)
            }
        };
        self.trees.insert(c, out.clone());
        Some(out)
    }

    /// The tree and the node of a form with natural coefficients.
    pub fn build(&mut self, e: &mut Engine<'_, '_>, form: &Form) -> (Tree, Id) {
        let mut all: Option<(Tree, Id)> = None;
        let products: Vec<_> = form
            .iter()
            .filter(|(m, _)| !m.is_empty())
            .chain(form.iter().filter(|(m, _)| m.is_empty()))
            .collect();
        for (m, c) in products {
            let coefficient = c.magnitude();
            let mut product: Option<(Tree, Id)> = None;
            for x in m.iter().rev() {
                let t = self.atom(e, *x);
                product = Some(match product {
                    None => (t, *x),
                    Some((u, id)) => (
                        Tree::Mul(Box::new(t), Box::new(u)),
                        e.apply(Kind::Mul, &[*x, id]),
                    ),
                });
            }
            let lit = e.literal(coefficient);
            let term = match product {
                None => (Tree::Lit(coefficient.clone()), lit),
                Some(p) if coefficient.is_one() => p,
                Some((u, id)) => (
                    Tree::Mul(Box::new(Tree::Lit(coefficient.clone())), Box::new(u)),
                    e.apply(Kind::Mul, &[lit, id]),
                ),
            };
            all = Some(match all {
                None => term,
                Some((t, id)) => (
                    Tree::Add(Box::new(t), Box::new(term.0)),
                    e.apply(Kind::Add, &[id, term.1]),
                ),
            });
        }
        all.unwrap_or_else(|| {
            let zero = BigUint::zero();
            let id = e.literal(&zero);
            (Tree::Lit(zero), id)
        })
    }

    /// The form of a tree.
    fn form_of(&self, t: &Tree) -> Form {
        match t {
            Tree::Atom(k) => class(self.ids[*k as usize]),
            Tree::Lit(n) => constant(n),
            Tree::Add(a, b) => {
                let mut f = self.form_of(a);
                add(&mut f, &BigInt::one(), &self.form_of(b));
                f
            }
            Tree::Mul(a, b) => times(&self.form_of(a), &self.form_of(b)),
        }
    }

    /// `a = b` for trees with equal forms, as far as equations of remainders and differences show it.
    pub fn identity(&mut self, e: &mut Engine<'_, '_>, a: &Tree, b: &Tree) -> Option<Expr> {
        let mut difference = self.form_of(a);
        add(&mut difference, &BigInt::from(-1), &self.form_of(b));
        let mut given = Vec::new();
        while !difference.is_empty() {
            if given.len() >= MAX_EQUATIONS {
                return None;
            }
            let mut step = None;
            // the atom that was made last is eliminated first
            for (m, k) in &difference {
                for c in m.iter().rev() {
                    if self.equation(e, *c).is_some() && step.as_ref().is_none_or(|(_, _, d)| c > d)
                    {
                        step = Some((m.clone(), k.clone(), *c));
                    }
                }
            }
            let (m, k, c) = step?;
            let mut rest = m.clone();
            rest.remove(rest.iter().position(|x| *x == c)?);
            let rest = Form::from([(rest, BigInt::one())]);
            let meaning = self.meaning(e, c)?;
            difference.remove(&m);
            add(&mut difference, &k, &times(&rest, &meaning));
            let (u, v, proof) = self.stated(e, c)?;
            let (r, _) = self.build(e, &rest);
            let product = |t: Tree| match &r {
                Tree::Lit(n) if n.is_one() => t,
                r => Tree::Mul(Box::new(r.clone()), Box::new(t)),
            };
            let ring = Ring::new(e.el.st, &self.exprs);
            let (eu, ev) = (ring.tree(&u), ring.tree(&v));
            let proof = match &r {
                Tree::Lit(n) if n.is_one() => proof,
                r => e.call("Index.mul_eq", &[ring.tree(r), eu, ev, proof]),
            };
            let (u, v) = (product(u), product(v));
            let (eu, ev) = (ring.tree(&u), ring.tree(&v));
            given.push(match k.sign() {
                Sign::Minus => (k.magnitude().clone(), u, v, proof),
                _ => (k.magnitude().clone(), v, u, e.symm(eu, ev, proof)),
            });
        }
        Ring::new(e.el.st, &self.exprs).equal(a, b, &given)
    }

    /// The equation of an atom as trees with a proof: `d * q + r = x`, or `s + y = x`.
    fn stated(&mut self, e: &mut Engine<'_, '_>, c: Id) -> Option<(Tree, Tree, Expr)> {
        if let Some(s) = self.statements.get(&c) {
            return Some(s.clone());
        }
        let s = self.state(e, c)?;
        self.statements.insert(c, s.clone());
        Some(s)
    }

    fn state(&mut self, e: &mut Engine<'_, '_>, c: Id) -> Option<(Tree, Tree, Expr)> {
        let equation = self.equation(e, c)?;
        let atom = self.atom(e, c);
        let (node, quotient) = match &equation {
            Equation::Mod { node, quotient } => (node.clone(), Some(*quotient)),
            Equation::Sub { node, .. } => (node.clone(), None),
        };
        let (x, y) = (node.kids[0], node.kids[1]);
        let ((tx, hx), (ty, hy)) = (self.tree(e, x)?, self.tree(e, y)?);
        let own = e.node(node.op, &node.kids);
        let here = e.equal(c, own)?;
        let (ex, ey) = (e.term(x), e.term(y));
        let head = |e: &Engine<'_, '_>, n: &str| e.el.st.const0(n);
        let (u, left, lemma) = match (&equation, quotient) {
            (Equation::Mod { .. }, Some(q)) => {
                let (tq, hq) = self.tree(e, q)?;
                let div = e.apply(Kind::Div, &[x, y]);
                let there = e.equal(div, q)?;
                let hq = e.then(there, hq)?;
                let (mul, plus) = (head(e, "Nat.mul"), head(e, "Nat.add"));
                let product = e.congruent(mul, &[hy, hq])?;
                let left = e.congruent(plus, &[product, e.back(here)])?;
                let u = Tree::Add(
                    Box::new(Tree::Mul(Box::new(ty), Box::new(tq))),
                    Box::new(atom),
                );
                (u, left, e.call("Nat.div_add_mod", &[ex, ey]))
            }
            (Equation::Sub { le, .. }, _) => {
                let plus = head(e, "Nat.add");
                let left = e.congruent(plus, &[e.back(here), hy])?;
                let u = Tree::Add(Box::new(atom), Box::new(ty));
                (u, left, e.call("Nat.sub_add_cancel", &[ex, ey, *le]))
            }
            _ => return None,
        };
        let middle = Chain {
            from: left.from,
            to: ex,
            proof: Some(lemma),
        };
        let all = e.then(e.back(left), middle)?;
        let all = e.then(all, hx)?;
        Some((u, tx, all.proof?))
    }

    /// `t = s` for the term of a class and a tree.
    pub fn is_tree(&mut self, e: &mut Engine<'_, '_>, c: Id, to: &Tree) -> Option<Chain> {
        let (t, chain) = self.tree(e, c)?;
        let proof = self.identity(e, &t, to)?;
        let end = Ring::new(e.el.st, &self.exprs).tree(to);
        let step = Chain {
            from: chain.to,
            to: end,
            proof: (chain.to != end).then_some(proof),
        };
        e.then(chain, step)
    }

    /// Joins a sum of multiples of one product with the multiple that it is.
    fn collect(&mut self, e: &mut Engine<'_, '_>, c: Id) -> Option<bool> {
        let form = self.form(e, c);
        let Some(Pick::Node(node)) = self.picks.get(&c) else {
            return None;
        };
        if form.len() != 1 || e.kind(node) != Kind::Add {
            return None;
        }
        let (tree, id) = self.build(e, &form);
        if e.g.find(id) == e.g.find(c) {
            return None;
        }
        let chain = self.is_tree(e, c, &tree)?;
        Some(e.join("sum", c, id, chain.proof?))
    }

    /// Joins classes whose forms without remainders and differences are equal.
    pub fn join_equal(&mut self, e: &mut Engine<'_, '_>, classes: &[Id]) -> usize {
        let mut by_form: BTreeMap<Form, Id> = BTreeMap::new();
        let mut joined = 0;
        for c in classes {
            joined += usize::from(self.collect(e, *c).unwrap_or(false));
            let form = self.reduced(e, *c);
            let other = match form.get(&Vec::new()) {
                _ if form.is_empty() => Some(e.literal(&BigUint::zero())),
                Some(n) if form.len() == 1 && !n.is_negative() => Some(e.literal(n.magnitude())),
                _ => by_form.get(&form).copied(),
            };
            let Some(other) = other else {
                by_form.insert(form, *c);
                continue;
            };
            if e.g.find(*c) == e.g.find(other) {
                continue;
            }
            let target = match e.value(other) {
                Some(n) => Some((Tree::Lit(n), None)),
                None => self.tree(e, other).map(|(t, h)| (t, Some(h))),
            };
            let Some((target, there)) = target else {
                continue;
            };
            let Some(here) = self.is_tree(e, *c, &target) else {
                continue;
            };
            let whole = match there {
                None => Some(here),
                Some(h) => e.then(here, e.back(h)),
            };
            if let Some(Chain { proof: Some(p), .. }) = whole
                && e.join("sum", *c, other, p)
            {
                joined += 1;
            }
        }
        joined
    }
}
