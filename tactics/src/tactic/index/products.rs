//! Inequalities of products: hypotheses multiplied by what their sides are multiplied by in the goal.
//!
//! `i * n + j < m * n` follows from `j < n` and `n * (i + 1) ≤ n * m`. All is written in sums of products in one order, so
//! that `omega` sees equal products as one unknown.

use egg::Id;
use logic::Expr;
use num_bigint::BigInt;
use num_traits::One;
use rustc_hash::FxHashSet;

use super::engine::Engine;
use super::language::{Kind, Node};
use super::poly::{Ring, Tree};
use super::replay::Chain;
use super::sums::{Form, Sums, add, class, constant, times};

/// At most so many products of hypotheses are formed.
const MAX_PRODUCTS: usize = 24;

/// An inequality of nodes: its sides, whether it is strict, and the proof.
struct Order {
    left: Id,
    right: Id,
    strict: bool,
    proof: Expr,
}

/// Two sides with their trees, in the order of forms, and a statement with its proof.
type Premise = (Expr, Expr);

/// The products of more than one unknown in a form.
fn products(f: &Form, into: &mut FxHashSet<Vec<Id>>) {
    into.extend(f.keys().filter(|m| m.len() > 1).cloned());
}

impl Engine<'_, '_> {
    /// A proof of `a < b` or `a ≤ b` by products of hypotheses.
    pub fn by_products(&mut self, a: Id, b: Id, strict: bool) -> Option<Expr> {
        if !self.g.clean {
            self.g.rebuild();
        }
        let mut sums = Sums::default();
        let (fa, fb) = (sums.form(self, a), sums.form(self, b));
        let mut wanted = FxHashSet::default();
        products(&fa, &mut wanted);
        products(&fb, &mut wanted);
        if wanted.is_empty() && !self.has_more(&[&fa, &fb]) {
            return None;
        }
        let orders = self.orders();
        let mut premises: Vec<Premise> = Vec::new();
        for o in &orders {
            products(&sums.form(self, o.left), &mut wanted);
            products(&sums.form(self, o.right), &mut wanted);
        }
        let mut factors: Vec<Id> = wanted.iter().flatten().copied().collect();
        let divisors = self.divisors(&mut sums, &orders, (a, b));
        factors.extend(divisors.iter().map(|(k, _, _)| *k));
        factors.sort_unstable();
        factors.dedup();
        for (k, q, _) in &divisors {
            products(
                &times(&sums.form(self, *k), &sums.form(self, *q)),
                &mut wanted,
            );
        }
        for o in &orders {
            premises.extend(self.ordered_sums(&mut sums, o, None));
        }
        for o in &orders {
            for f in &factors {
                if premises.len() >= orders.len() + MAX_PRODUCTS {
                    break;
                }
                let (left, right) = (sums.form(self, o.left), sums.form(self, o.right));
                let mut found = FxHashSet::default();
                products(&times(&left, &class(*f)), &mut found);
                products(&times(&right, &class(*f)), &mut found);
                if found.iter().any(|m| wanted.contains(m)) {
                    premises.extend(self.ordered_sums(&mut sums, o, Some(*f)));
                }
            }
        }
        for (k, q, x) in divisors {
            premises.extend(self.whole_part(&mut sums, k, q, x));
        }
        let mut classes: Vec<Id> = fa.keys().chain(fb.keys()).flatten().copied().collect();
        classes.sort_unstable();
        classes.dedup();
        for c in classes {
            for node in self.g[c].nodes.clone() {
                self.of_digits(&mut sums, c, &node, &mut premises);
            }
        }
        // the goal in the order of forms
        let ((ta, _), (tb, _)) = (sums.build(self, &fa), sums.build(self, &fb));
        let (ca, cb) = (sums.is_tree(self, a, &ta)?, sums.is_tree(self, b, &tb)?);
        let relation = if strict { "Nat.lt" } else { "Nat.le" };
        let p = self.call(relation, &[ca.to, cb.to]);
        let proof = self.omega_with(&premises, p)?;
        Some(self.moved_order(strict, ca, cb, proof))
    }

    /// `a < b` or `a ≤ b` from the same of terms that they are equal to.
    fn moved_order(&self, strict: bool, a: Chain, b: Chain, proof: Expr) -> Expr {
        let lemma = if strict {
            "Index.lt_of_eqs"
        } else {
            "Index.le_of_eqs"
        };
        let ha = a.proof.unwrap_or_else(|| self.refl(a.from));
        let hb = b.proof.unwrap_or_else(|| self.refl(b.from));
        self.call(lemma, &[a.from, a.to, b.from, b.to, ha, hb, proof])
    }

    /// The inequalities among the hypotheses.
    fn orders(&mut self) -> Vec<Order> {
        let mut out = Vec::new();
        for (ty, proof) in self.hypotheses.clone() {
            for (relation, strict) in [("Nat.lt", true), ("Nat.le", false)] {
                if let Some(ab) = self.el.match_app(ty, relation, 2) {
                    let (left, right) = (self.reify(ab[0]), self.reify(ab[1]));
                    out.push(Order {
                        left,
                        right,
                        strict,
                        proof,
                    });
                }
            }
        }
        self.g.rebuild();
        out
    }

    /// Whether there are quotients by unknowns, or operations on digits.
    fn has_more(&self, forms: &[&Form]) -> bool {
        let classes = forms.iter().flat_map(|f| f.keys().flatten());
        classes
            .flat_map(|c| &self.g[*c].nodes)
            .any(|n| match self.kind(n) {
                Kind::Div => !self.is_known(n.kids[1]),
                Kind::Land | Kind::Lor => true,
                _ => false,
            })
    }

    /// Divisor, quotient and dividend of the quotients by unknowns that occur.
    fn divisors(
        &mut self,
        sums: &mut Sums,
        orders: &[Order],
        (a, b): (Id, Id),
    ) -> Vec<(Id, Id, Id)> {
        let sides = orders.iter().flat_map(|o| [o.left, o.right]);
        let mut classes: Vec<Id> = Vec::new();
        for side in sides.chain([a, b]) {
            classes.extend(sums.form(self, side).keys().flatten());
        }
        classes.sort_unstable();
        classes.dedup();
        let mut out = Vec::new();
        for c in classes {
            for n in &self.g[c].nodes {
                if self.kind(n) == Kind::Div && !self.is_known(n.kids[1]) {
                    out.push((self.g.find(n.kids[1]), c, n.kids[0]));
                }
            }
        }
        out
    }

    /// A hypothesis in the order of forms, multiplied by a factor.
    fn ordered_sums(&mut self, sums: &mut Sums, o: &Order, factor: Option<Id>) -> Option<Premise> {
        let ((tx, cx), (ty, cy)) = (sums.tree(self, o.left)?, sums.tree(self, o.right)?);
        let h = self.moved_order(o.strict, self.back(cx), self.back(cy), o.proof);
        let (x, y) = (cx.to, cy.to);
        let one = || Box::new(Tree::Lit(BigInt::one().magnitude().clone()));
        let mut fx = sums.form(self, o.left);
        let fy = sums.form(self, o.right);
        let low = match o.strict {
            true => Tree::Add(Box::new(tx), one()),
            false => tx,
        };
        if o.strict {
            add(
                &mut fx,
                &BigInt::one(),
                &constant(BigInt::one().magnitude()),
            );
        }
        let Some(f) = factor else {
            // `x < y` is `x + 1 ≤ y`
            return self.tidied(sums, (low, fx), (ty, fy), h);
        };
        let k = self.term(f);
        let lemma = if o.strict {
            "Index.mul_lt"
        } else {
            "Index.mul_le"
        };
        let product = self.call(lemma, &[k, x, y, h]);
        let scaled = |sums: &mut Sums, e: &mut Self, t: Tree| {
            Tree::Mul(Box::new(sums.atom(e, f)), Box::new(t))
        };
        let (left, right) = (scaled(sums, self, low), scaled(sums, self, ty));
        let (fx, fy) = (times(&fx, &class(f)), times(&fy, &class(f)));
        self.tidied(sums, (left, fx), (right, fy), product)
    }

    /// `a ≤ b` for the forms of two trees, from the same for the trees.
    fn tidied(
        &mut self,
        sums: &mut Sums,
        (left, fl): (Tree, Form),
        (right, fr): (Tree, Form),
        proof: Expr,
    ) -> Option<Premise> {
        let ((tl, _), (tr, _)) = (sums.build(self, &fl), sums.build(self, &fr));
        let el = sums.identity(self, &tl, &left)?;
        let er = sums.identity(self, &tr, &right)?;
        let ring = Ring::new(self.el.st, &sums.exprs);
        let (a, b) = (ring.tree(&tl), ring.tree(&tr));
        let (from, to) = (ring.tree(&left), ring.tree(&right));
        let p = self.call("Nat.le", &[a, b]);
        let args = [a, from, b, to, el, er, proof];
        Some((p, self.call("Index.le_of_eqs", &args)))
    }

    /// `k * (x / k) ≤ x`.
    fn whole_part(&mut self, sums: &mut Sums, k: Id, q: Id, x: Id) -> Option<Premise> {
        let ((tx, cx), (tk, ck)) = (sums.tree(self, x)?, sums.tree(self, k)?);
        let div = self.apply(Kind::Div, &[x, k]);
        let (tq, cq) = sums.tree(self, q)?;
        let there = self.equal(div, q)?;
        let cq = self.then(there, cq)?;
        let mul = self.el.st.const0("Nat.mul");
        let product = self.congruent(mul, &[ck, cq])?;
        let (ek, ex) = (self.term(k), self.term(x));
        let proof = self.call("Index.mul_div_le", &[ek, ex]);
        let h = self.moved_order(false, self.back(product), self.back(cx), proof);
        let form = times(&sums.form(self, k), &sums.form(self, q));
        let left = Tree::Mul(Box::new(tk), Box::new(tq));
        let fx = sums.form(self, x);
        self.tidied(sums, (left, form), (tx, fx), h)
    }

    /// An "and" is at most either side, an "or" at least that, and at most their sum.
    fn of_digits(&mut self, sums: &mut Sums, c: Id, node: &Node, out: &mut Vec<Premise>) {
        let kind = self.kind(node);
        if !matches!(kind, Kind::Land | Kind::Lor) {
            return;
        }
        let mut one = |e: &mut Self, i: usize| -> Option<Premise> {
            let own = e.node(node.op, &node.kids);
            let here = e.equal(c, own)?;
            let (atom, form) = (sums.atom(e, c), class(c));
            let (a, b) = (e.term(node.kids[0]), e.term(node.kids[1]));
            let ((tx, cx), (ty, cy)) = (sums.tree(e, node.kids[0])?, sums.tree(e, node.kids[1])?);
            let (fx, fy) = (sums.form(e, node.kids[0]), sums.form(e, node.kids[1]));
            let (back_x, back_y) = (e.back(cx), e.back(cy));
            if i == 2 {
                let plus = e.el.st.const0("Nat.add");
                let sum = e.congruent(plus, &[back_x, back_y])?;
                let h = e.moved_order(false, here, sum, e.call("Nat.lor_le_add", &[a, b]));
                let tree = Tree::Add(Box::new(tx), Box::new(ty));
                let mut whole = fx;
                add(&mut whole, &BigInt::one(), &fy);
                return e.tidied(sums, (atom, form), (tree, whole), h);
            }
            let (t, f, back) = match i {
                0 => (tx, fx, back_x),
                _ => (ty, fy, back_y),
            };
            match kind {
                Kind::Land => {
                    let lemma = ["Nat.land_le_left", "Nat.land_le_right"][i];
                    let h = e.moved_order(false, here, back, e.call(lemma, &[a, b]));
                    e.tidied(sums, (atom, form), (t, f), h)
                }
                _ => {
                    let lemma = ["Nat.le_lor_left", "Nat.le_lor_right"][i];
                    let h = e.moved_order(false, back, here, e.call(lemma, &[a, b]));
                    e.tidied(sums, (t, f), (atom, form), h)
                }
            }
        };
        let count = if kind == Kind::Land { 2 } else { 3 };
        for i in 0..count {
            out.extend(one(self, i));
        }
    }
}
