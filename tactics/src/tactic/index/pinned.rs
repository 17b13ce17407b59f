//! What lower bounds of the hypotheses decide together with upper ones: a number between two equal bounds, and a quotient
//! between two bounds with the same one.

use egg::Id;
use logic::Expr;
use num_bigint::BigUint;

use super::engine::Engine;
use super::language::Kind;

impl Engine<'_, '_> {
    /// Joins with literals what bounds decide; the number of unions made.
    pub fn join_pinned(&mut self) -> usize {
        let mut new = self.join_nothing();
        let quotients = self.quotients();
        for (id, lo, proof) in self.lowest.clone() {
            new += self.pinned(id, &lo, proof).unwrap_or(0);
            if !self.g.clean {
                self.g.rebuild();
            }
            let c = self.g.find(id);
            for node in &quotients {
                if self.g.find(node.kids[0]) != c {
                    continue;
                }
                let own = self.node(node.op, &node.kids);
                if self.is_known(own) {
                    continue;
                }
                let Some(k) = self.value(node.kids[1]).filter(|k| *k != BigUint::ZERO) else {
                    continue;
                };
                let Some((hi, le)) = self.max(id) else {
                    continue;
                };
                let q = &lo / &k;
                if q != &hi / &k {
                    continue;
                }
                let st = self.el.st;
                let lit = self.literal(&k);
                let quotient = self.node(node.op, &[id, lit]);
                let result = self.literal(&q);
                let c = self.computed();
                let (l, x, m) = (st.nat(&lo), self.term(id), st.nat(&hi));
                let args = [l, x, m, st.nat(&k), st.nat(&q), proof, le, c, c];
                let proof = self.call("Index.div_between", &args);
                new += usize::from(self.join("bounds", quotient, result, proof));
                new += usize::from(self.remainder(id, &k, &q, proof));
            }
        }
        new
    }

    /// The remainder that belongs to a known quotient, as a difference.
    fn remainder(&mut self, x: Id, k: &BigUint, q: &BigUint, quotient: Expr) -> bool {
        let (lit, multiple) = (self.literal(k), self.literal(&(k * q)));
        let rest = self.apply(Kind::Mod, &[x, lit]);
        let difference = self.apply(Kind::Sub, &[x, multiple]);
        let st = self.el.st;
        let args = [self.term(x), st.nat(k), st.nat(q), st.nat(&(k * q))];
        let proof = [quotient, self.computed()];
        let proof = self.call("Index.mod_of_div", &[&args[..], &proof].concat());
        self.join("bounds", rest, difference, proof)
    }

    /// Joins with 0 what is at most that.
    fn join_nothing(&mut self) -> usize {
        let mut new = 0;
        for c in self.classes() {
            let data = &self.g[c].data;
            if data.value.is_none()
                && data.max.as_ref().is_some_and(|(m, _)| *m == BigUint::ZERO)
                && let Some((_, le)) = self.max(c)
            {
                let x = self.term(c);
                let proof = self.call("Nat.eq_zero_of_le_zero", &[x, le]);
                let zero = self.literal(&BigUint::ZERO);
                new += usize::from(self.join("bounds", c, zero, proof));
            }
        }
        new
    }

    /// The literal that a number is, if its bounds are equal.
    fn pinned(&mut self, id: Id, lo: &BigUint, proof: Expr) -> Option<usize> {
        if self.is_known(id) {
            return None;
        }
        let (hi, le) = self.max(id)?;
        if *lo != hi {
            return None;
        }
        let (x, n) = (self.term(id), self.el.st.nat(lo));
        let proof = self.call("Index.eq_between", &[x, n, proof, le]);
        let lit = self.literal(lo);
        Some(usize::from(self.join("bounds", id, lit, proof)))
    }

    /// All quotients.
    fn quotients(&mut self) -> Vec<super::language::Node> {
        if !self.g.clean {
            self.g.rebuild();
        }
        let mut out = Vec::new();
        for class in self.classes() {
            for node in &self.g[class].nodes {
                if self.kind(node) == Kind::Div {
                    out.push(node.clone());
                }
            }
        }
        out
    }
}
