//! Conditions of rules: computed, from bounds and hypotheses, or by `omega`.

use egg::Id;
use logic::{Expr, Name, Node as Term};
use num_bigint::BigUint;
use num_traits::Zero;

use super::engine::Engine;
use super::language::{Kind, compute};
use super::replay::Chain;
use crate::tactic::bits;
use crate::tactic::omega;
use crate::tactic::util::{ATTEMPT, with_budget};

/// How often one search may ask `omega`.
const MAX_OMEGA: usize = 40;

impl Engine<'_, '_> {
    /// The value of a term without variables.
    pub fn evaluated(&mut self, e: Expr) -> Option<BigUint> {
        if let Some(n) = self.el.nat_lit(e) {
            return Some(n);
        }
        let (f, args) = self.el.st.unfold_app(e);
        if args.is_empty() || self.el.st.has_fvar(e) {
            return None;
        }
        if self.el.match_app(e, "Word.val", 2).is_some() && !self.el.st.has_mvar(e) {
            let v = with_budget(self.el, ATTEMPT, |el| el.whnf(e));
            return self.el.nat_lit(v);
        }
        let op = self.g.analysis.ops.function(self.el.st, f, args.len());
        let kind = self.g.analysis.ops.get(op).kind;
        if kind == Kind::Other {
            return None;
        }
        let mut values = Vec::new();
        for a in args {
            values.push(self.evaluated(a)?);
        }
        compute(kind, &values.iter().collect::<Vec<_>>())
    }

    /// A proof of a condition.
    pub fn discharge(&mut self, p: Expr) -> Option<Expr> {
        if let Some(known) = self.conditions.get(&p) {
            return Some(*known);
        }
        if self.refuted.contains(&p) {
            return None;
        }
        let proof = self.find_proof(p)?;
        self.conditions.insert(p, proof);
        Some(proof)
    }

    fn find_proof(&mut self, p: Expr) -> Option<Expr> {
        let zero = self.el.mk_nat(0);
        if let Some((ty, a, b)) = self.el.match_eq(p) {
            if ty == self.el.st.const0("Nat") {
                if let (Some(x), Some(y)) = (self.evaluated(a), self.evaluated(b)) {
                    return (x == y).then(|| self.refl(b));
                }
                if b == zero
                    && let Some(xy) = self.el.match_app(a, "Nat.land", 2)
                {
                    return self.disjoint(xy[0], xy[1]);
                }
            } else if ty == self.el.st.const0("Bool") {
                return self.test(a, b);
            }
        }
        let order = match (
            self.el.match_app(p, "Nat.lt", 2),
            self.el.match_app(p, "Nat.le", 2),
        ) {
            (Some(ab), _) => Some((ab[0], ab[1], true)),
            (_, Some(ab)) => Some((ab[0], ab[1], false)),
            _ => None,
        };
        if let Some((a, b, strict)) = order {
            let (x, y) = (self.evaluated(a), self.evaluated(b));
            if let (Some(x), Some(y)) = (&x, &y) {
                let holds = if strict { x < y } else { x <= y };
                let low = match strict {
                    true => self.el.st.nat(&(x + 1u32)),
                    false => a,
                };
                let c = self.computed();
                return holds.then(|| self.call("Nat.le_of_ble_eq_true", &[low, b, c]));
            }
            if let Some(y) = y {
                let id = self.reify(a);
                if let Some((m, _)) = self.g[id].data.max.clone()
                    && (if strict { m < y } else { m <= y })
                {
                    let (m, h) = self.max(id)?;
                    let lemma = match strict {
                        true => "Index.lt_weaken",
                        false => "Index.le_weaken",
                    };
                    let (m, c) = (self.el.st.nat(&m), self.computed());
                    return Some(self.call(lemma, &[a, m, b, h, c]));
                }
            }
            if x.is_some_and(|x| x.is_zero()) && !strict {
                return Some(self.call("Nat.zero_le", &[b]));
            }
            if !strict && let Some(h) = self.part_of(a, b) {
                return Some(h);
            }
        }
        if let Some(h) = self.hypothesis(p) {
            return Some(h);
        }
        if !self.plausible(p) {
            self.refuted.insert(p);
            return None;
        }
        if !self.patient {
            return None;
        }
        match order {
            Some((a, b, strict)) => self.ordered(a, b, strict),
            None => self.by_omega(p),
        }
    }

    /// The equation of two numbers, by linear arithmetic or digit by digit on the simplest terms that they are equal to; with
    /// what it is by.
    pub fn at_last(&mut self, left: Id, right: Id) -> Option<(Expr, &'static str)> {
        let (a, b) = (self.simplest(left), self.simplest(right));
        let (x, y) = (self.term(a), self.term(b));
        let p = self.equation(x, y);
        let (proof, by) = match self.by_omega(p) {
            Some(proof) => (proof, "`omega`"),
            None if self.has_digits(x) || self.has_digits(y) => {
                self.bits_calls += 1;
                (bits::attempt(self.el, x, y)?, "rules and `bits`")
            }
            None => return None,
        };
        Some((self.carried((left, a), (b, right), proof)?, by))
    }

    /// `a < b` or `a ≤ b`, by linear arithmetic on the simplest terms that the two are equal to.
    fn ordered(&mut self, a: Expr, b: Expr, strict: bool) -> Option<Expr> {
        let (ia, ib) = (self.reify(a), self.reify(b));
        let (na, nb) = (self.simplest(ia), self.simplest(ib));
        let (x, y) = (self.term(na), self.term(nb));
        let (relation, lemma) = match strict {
            true => ("Nat.lt", "Index.lt_of_eqs"),
            false => ("Nat.le", "Index.le_of_eqs"),
        };
        let p = self.call(relation, &[x, y]);
        let proof = self.by_omega(p)?;
        if x == a && y == b {
            return Some(proof);
        }
        let (ca, cb) = (self.equal(ia, na)?, self.equal(ib, nb)?);
        let ha = ca.proof.unwrap_or_else(|| self.refl(ca.from));
        let hb = cb.proof.unwrap_or_else(|| self.refl(cb.from));
        Some(self.call(lemma, &[a, x, b, y, ha, hb, proof]))
    }

    /// `land x y = 0`, where one is a multiple of a power of two below which the other is.
    fn disjoint(&mut self, x: Expr, y: Expr) -> Option<Expr> {
        let (a, b) = (self.reify(x), self.reify(y));
        for (a, b, x, y, swapped) in [(a, b, x, y, false), (b, a, y, x, true)] {
            let Some((k, _)) = self.g[a].data.aligned else {
                continue;
            };
            let Some((m, _)) = self.g[b].data.max.clone() else {
                continue;
            };
            if m.bits() > u64::from(k) {
                continue;
            }
            let ((_, h), (m, g)) = (self.aligned(a)?, self.max(b)?);
            let st = self.el.st;
            let (m, k) = (st.nat(&m), st.nat_u64(k.into()));
            let c = self.computed();
            let small = self.call("Index.lt_of_le_two_pow", &[y, m, k, g, c]);
            let lemma = match swapped {
                false => "Index.disjoint",
                true => "Index.disjoint'",
            };
            return Some(self.call(lemma, &[x, y, k, h, small]));
        }
        let (both, zero) = (self.call("Nat.land", &[x, y]), self.el.mk_nat(0));
        let p = self.equation(both, zero);
        if !self.patient || !self.plausible(p) {
            return None;
        }
        // digit by digit, on the simplest terms
        let (na, nb) = (self.simplest(a), self.simplest(b));
        let (sx, sy) = (self.term(na), self.term(nb));
        let simple = self.call("Nat.land", &[sx, sy]);
        let proof = self.by_bits(simple, zero)?;
        let (ca, cb) = (self.equal(a, na)?, self.equal(b, nb)?);
        let first = self.congruent(self.el.st.const0("Nat.land"), &[ca, cb])?;
        let second = Chain::step(simple, zero, proof);
        self.then(first, second)?.proof
    }

    /// `a ≤ b`, where `a` is made of `b` in a way that makes nothing larger.
    fn part_of(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let (ia, ib) = (self.reify(a), self.reify(b));
        if !self.g.clean {
            self.g.rebuild();
        }
        let whole = self.g.find(ib);
        for node in self.g[ia].nodes.clone() {
            let found = match (self.kind(&node), &*node.kids) {
                (Kind::Mul, [x, y]) => [(*x, *y), (*y, *x)]
                    .into_iter()
                    .find_map(|(k, q)| self.whole_multiple(ia, k, q, ib)),
                (Kind::Sub | Kind::Mod | Kind::Div, [x, k]) if self.g.find(*x) == whole => {
                    let lemma = match self.kind(&node) {
                        Kind::Sub => "Nat.sub_le",
                        Kind::Mod => "Nat.mod_le",
                        _ => "Nat.div_le_self",
                    };
                    let own = self.node(node.op, &node.kids);
                    let (ex, ek) = (self.term(*x), self.term(*k));
                    let proof = self.call(lemma, &[ex, ek]);
                    self.moved_le((ia, own), (*x, ib), proof)
                }
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// `k * (b / k) ≤ b`, for a class that is the product of `k` and `q`.
    fn whole_multiple(&mut self, a: Id, k: Id, q: Id, b: Id) -> Option<Expr> {
        let whole = self.g.find(b);
        for node in self.g[q].nodes.clone() {
            if self.kind(&node) == Kind::Div
                && self.g.find(node.kids[0]) == whole
                && self.g.find(node.kids[1]) == self.g.find(k)
            {
                let div = self.node(node.op, &[b, k]);
                let own = self.apply(Kind::Mul, &[k, div]);
                self.g.rebuild();
                // the product may have its factors the other way round
                if self.g.find(own) != self.g.find(a) {
                    let other = self.apply(Kind::Mul, &[div, k]);
                    let (x, y) = (self.term(div), self.term(k));
                    let proof = self.call("Nat.mul_comm", &[x, y]);
                    self.join("mul_comm", other, own, proof);
                    self.g.rebuild();
                }
                let (ek, eb) = (self.term(k), self.term(b));
                let proof = self.call("Index.mul_div_le", &[ek, eb]);
                return self.moved_le((a, own), (b, b), proof);
            }
        }
        None
    }

    /// `a ≤ b` from the same of a term equal to `a` and one equal to `b`.
    fn moved_le(&mut self, (a, x): (Id, Id), (y, b): (Id, Id), proof: Expr) -> Option<Expr> {
        let (ca, cb) = (self.equal(a, x)?, self.equal(b, y)?);
        let ha = ca.proof.unwrap_or_else(|| self.refl(ca.from));
        let hb = cb.proof.unwrap_or_else(|| self.refl(cb.from));
        let args = [ca.from, ca.to, cb.from, cb.to, ha, hb, proof];
        Some(self.call("Index.le_of_eqs", &args))
    }

    /// A hypothesis that says it.
    fn hypothesis(&mut self, p: Expr) -> Option<Expr> {
        self.hypotheses
            .iter()
            .find(|(ty, _)| *ty == p)
            .map(|(_, h)| *h)
    }

    /// Linear arithmetic with the hypotheses of the goal, in their own form and in the simplest.
    pub fn by_omega(&mut self, p: Expr) -> Option<Expr> {
        if self.omega_calls >= MAX_OMEGA || self.hopeless.contains(&p) {
            return None;
        }
        let premises = self.simplified_hypotheses();
        let proof = self.omega_with(&premises, p);
        if proof.is_none() {
            self.hopeless.insert(p);
        }
        proof
    }

    /// Linear arithmetic with more premises: statements with proofs.
    pub fn omega_with(&mut self, premises: &[(Expr, Expr)], p: Expr) -> Option<Expr> {
        self.omega_calls += 1;
        self.omega_calls += 1;
        let mut goal = p;
        for (ty, _) in premises.iter().rev() {
            goal = self.el.mk_arrow(*ty, goal);
        }
        let saved = self.el.save();
        let m = self.el.mk_goal(goal, Name::ANON);
        if omega::omega(self.el, m).is_ok_and(|gs| gs.is_empty()) {
            let e = self.el.mk_mvar(m);
            let e = self.el.instantiate_mvars(e);
            let proofs: Vec<Expr> = premises.iter().map(|(_, h)| *h).collect();
            return Some(self.el.beta(e, &proofs));
        }
        self.el.restore(&saved);
        None
    }

    /// The inequalities among the hypotheses with the simplest terms that theirs are equal to, where these are others.
    fn simplified_hypotheses(&mut self) -> Vec<(Expr, Expr)> {
        let mut out = Vec::new();
        for (ty, h) in self.hypotheses.clone() {
            let (ab, relation, lemma) = match (
                self.el.match_app(ty, "Nat.lt", 2),
                self.el.match_app(ty, "Nat.le", 2),
            ) {
                (Some(ab), _) => (ab, "Nat.lt", "Index.lt_of_eqs"),
                (_, Some(ab)) => (ab, "Nat.le", "Index.le_of_eqs"),
                _ => continue,
            };
            let (ia, ib) = (self.reify(ab[0]), self.reify(ab[1]));
            let (na, nb) = (self.simplest(ia), self.simplest(ib));
            let (Some(ca), Some(cb)) = (self.equal(na, ia), self.equal(nb, ib)) else {
                continue;
            };
            // what stands in the context already `omega` sees itself
            let own = matches!(self.el.st.node(h), Term::FVar(_));
            if own && ca.proof.is_none() && cb.proof.is_none() {
                continue;
            }
            let ha = ca.proof.unwrap_or_else(|| self.refl(ca.from));
            let hb = cb.proof.unwrap_or_else(|| self.refl(cb.from));
            let args = [ca.from, ca.to, cb.from, cb.to, ha, hb, h];
            out.push((
                self.call(relation, &[ca.from, cb.from]),
                self.call(lemma, &args),
            ));
        }
        out
    }
}
