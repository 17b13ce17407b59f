//! What a known remainder, an exclusive or that is 0, and an or that is 0 say of their arguments.

use egg::Id;
use num_bigint::BigUint;
use num_traits::Zero;

use super::analysis::{Says, Why};
use super::engine::Engine;
use super::language::{Kind, Node};

/// The largest exponent of a power of two that is recorded.
const MAX_ALIGNED: u64 = 1024;

impl Engine<'_, '_> {
    /// Joins what zeros and known remainders say; the number of unions made.
    pub fn join_zeros(&mut self) -> usize {
        if !self.g.clean {
            self.g.rebuild();
        }
        let mut found: Vec<(Node, BigUint)> = Vec::new();
        for c in self.classes() {
            if !self.is_known(c) {
                continue;
            }
            if let Some(v) = self.value(c) {
                let nodes = self.g[c].nodes.iter();
                let nodes = nodes.filter(|n| match self.kind(n) {
                    Kind::Mod => true,
                    Kind::Xor | Kind::Lor => v.is_zero(),
                    _ => false,
                });
                let nodes: Vec<Node> = nodes.cloned().collect();
                found.extend(nodes.into_iter().map(|n| (n, v.clone())));
            }
        }
        let mut new = 0;
        for (node, v) in found {
            let (a, b) = (node.kids[0], node.kids[1]);
            let joined = match self.kind(&node) {
                Kind::Xor => self.nothing_between(&node, "Index.eq_of_xor", (a, b)),
                Kind::Lor => {
                    let zero = self.literal(&v);
                    let left = self.nothing_between(&node, "Index.left_of_lor", (a, zero));
                    let right = self.nothing_between(&node, "Index.right_of_lor", (b, zero));
                    left.max(right)
                }
                _ => self.remainder_known(&node, &v),
            };
            new += usize::from(joined == Some(true));
        }
        new
    }

    /// From an operation that is 0, that two numbers are equal.
    fn nothing_between(&mut self, node: &Node, lemma: &str, (x, y): (Id, Id)) -> Option<bool> {
        if self.g.find(x) == self.g.find(y) {
            return Some(false);
        }
        let own = self.node(node.op, &node.kids);
        let zero = self.literal(&BigUint::zero());
        let h = self.equal(own, zero)?.proof?;
        let (a, b) = (self.term(node.kids[0]), self.term(node.kids[1]));
        let proof = self.call(lemma, &[a, b, h]);
        Some(self.join("zero", x, y, proof))
    }

    /// `x = k * (x / k) + r`, from `x % k = r`, and the power of two that divides `x`.
    fn remainder_known(&mut self, node: &Node, r: &BigUint) -> Option<bool> {
        let x = node.kids[0];
        let k = self.value(node.kids[1]).filter(|k| !k.is_zero())?;
        if self.is_known(x) {
            return None;
        }
        let lit = self.literal(&k);
        let own = self.node(node.op, &[x, lit]);
        let rest = self.literal(r);
        let div = self.apply(Kind::Div, &[x, lit]);
        let product = self.apply(Kind::Mul, &[lit, div]);
        if r.is_zero() {
            self.note_aligned(x, own, rest, &k);
        }
        let whole = match r.is_zero() {
            true => product,
            false => self.apply(Kind::Add, &[product, rest]),
        };
        if self.g.find(whole) == self.g.find(x) {
            return Some(false);
        }
        let h = self.equal(own, rest)?.proof?;
        let st = self.el.st;
        let ex = self.term(x);
        let proof = match r.is_zero() {
            true => self.call("Index.eq_mul_of_aligned", &[ex, st.nat(&k), h]),
            false => self.call("Index.eq_of_mod", &[ex, st.nat(&k), st.nat(r), h]),
        };
        Some(self.join("remainder", x, whole, proof))
    }

    /// Records that the power of two in `k` divides `x`, from `x % k = 0`.
    fn note_aligned(&mut self, x: Id, own: Id, zero: Id, k: &BigUint) -> Option<()> {
        let power = k.trailing_zeros()?.min(MAX_ALIGNED);
        let mut data = self.g[x].data.clone();
        if power == 0 || data.aligned.is_some_and(|(n, _)| u64::from(n) >= power) {
            return None;
        }
        let h = self.equal(own, zero)?.proof?;
        let st = self.el.st;
        let m = st.nat(&(BigUint::from(1u32) << power));
        let ex = self.term(x);
        let args = [ex, st.nat(k), m, h, self.computed()];
        let proof = match m == st.nat(k) {
            true => h,
            false => self.call("Index.aligned_weaken", &args),
        };
        let power = power as u32;
        let facts = &mut self.g.analysis;
        let fact = facts.record(x, Says::Aligned(power), Why::Given(proof));
        data.aligned = Some((power, fact));
        self.g.set_analysis_data(x, data);
        Some(())
    }
}
