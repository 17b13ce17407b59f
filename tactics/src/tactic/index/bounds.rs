//! Proofs of what the analysis knows: `t ≤ n`, and `t % 2 ^ k = 0`.

use egg::Id;
use logic::Expr;
use num_bigint::BigUint;
use num_traits::One;
use num_traits::Zero;

use super::analysis::{FactId, Says, Why};
use super::engine::Engine;
use super::language::{Kind, Node};

impl Engine<'_, '_> {
    /// The least upper bound that is known of a node's class, and a proof that its term is at most that.
    pub fn max(&mut self, id: Id) -> Option<(BigUint, Expr)> {
        let (n, fact) = self.g[id].data.max.clone()?;
        let proof = self.fact(fact)?;
        let proof = self.moved(id, fact, "Index.le_of_eq_le", &n, proof)?;
        Some((n, proof))
    }

    /// The highest power of two that is known to divide a class, and a proof that it divides the node's term.
    pub fn aligned(&mut self, id: Id) -> Option<(u32, Expr)> {
        let (k, fact) = self.g[id].data.aligned?;
        let proof = self.fact(fact)?;
        let m = BigUint::one() << k;
        let proof = self.moved(id, fact, "Index.aligned_of_eq", &m, proof)?;
        Some((k, proof))
    }

    /// A fact of a node, for another one of its class.
    fn moved(
        &mut self,
        id: Id,
        fact: FactId,
        lemma: &str,
        n: &BigUint,
        proof: Expr,
    ) -> Option<Expr> {
        let witness = self.g.analysis.facts[fact].id;
        let c = self.equal(id, witness)?;
        let n = self.el.st.nat(n);
        Some(match c.proof {
            None => proof,
            Some(e) => self.call(lemma, &[c.from, c.to, n, e, proof]),
        })
    }

    /// The proof of a recorded fact about its own node.
    fn fact(&mut self, fact: FactId) -> Option<Expr> {
        if let Some(Some(p)) = self.bounds.get(fact) {
            return Some(*p);
        }
        let p = logic::subst::with_stack(|| self.build(fact))?;
        if self.bounds.len() <= fact {
            self.bounds.resize(fact + 1, None);
        }
        self.bounds[fact] = Some(p);
        Some(p)
    }

    fn build(&mut self, fact: FactId) -> Option<Expr> {
        let f = self.g.analysis.facts[fact].clone();
        let term = self.term(f.id);
        let args = match &f.why {
            Why::Given(p) => return Some(*p),
            Why::Literal => {
                return Some(match &f.says {
                    Says::Max(_) => self.call("Nat.le_refl", &[term]),
                    Says::Aligned(k) => {
                        let m = self.power(*k);
                        let c = self.computed();
                        self.call("Index.aligned_lit", &[term, m, c])
                    }
                });
            }
            Why::Args(args) => args.clone(),
        };
        // the node with the very arguments that the facts are about, and literals for the others
        let node = self.g.id_to_node(f.id).clone();
        let mut kids = Vec::new();
        for (i, kid) in node.kids.iter().enumerate() {
            kids.push(match args[i] {
                Some(a) => self.g.analysis.facts[a].id,
                None => match self.value(*kid) {
                    Some(n) => self.literal(&n),
                    None => *kid,
                },
            });
        }
        let id = self.node(node.op, &kids);
        let says: Vec<Option<Says>> = args
            .iter()
            .map(|a| a.map(|a| self.g.analysis.facts[a].says.clone()))
            .collect();
        let mut proofs = Vec::new();
        for a in &args {
            proofs.push(match a {
                Some(a) => Some(self.fact(*a)?),
                None => None,
            });
        }
        let kind = self.kind(&node);
        let terms: Vec<Expr> = kids.iter().map(|k| self.term(*k)).collect();
        let (lemma, n, proof) = match &f.says {
            Says::Max(n) => {
                let p = self.upper(kind, &node, &terms, n, &says, &proofs)?;
                ("Index.le_of_eq_le", self.el.st.nat(n), p)
            }
            Says::Aligned(k) => {
                let p = self.divides(kind, &terms, *k, &says, &proofs)?;
                ("Index.aligned_of_eq", self.power(*k), p)
            }
        };
        let c = self.equal(f.id, id)?;
        Some(match c.proof {
            None => proof,
            Some(e) => self.call(lemma, &[c.from, c.to, n, e, proof]),
        })
    }

    fn power(&self, k: u32) -> Expr {
        self.el.st.nat(&(BigUint::one() << k))
    }

    fn upper(
        &mut self,
        kind: Kind,
        node: &Node,
        terms: &[Expr],
        n: &BigUint,
        says: &[Option<Says>],
        proofs: &[Option<Expr>],
    ) -> Option<Expr> {
        let st = self.el.st;
        let bound = |i: usize| match &says[i] {
            Some(Says::Max(m)) => Some(m.clone()),
            _ => None,
        };
        let (a, b) = (terms[0], *terms.get(1)?);
        let one = |e: &Self, lemma: &str, i: usize| -> Option<Expr> {
            let m = st.nat(&bound(i)?);
            Some(e.call(lemma, &[terms[i], m, terms[1 - i], proofs[i]?]))
        };
        let two = |e: &Self, lemma: &str| -> Option<Expr> {
            let (m, n) = (st.nat(&bound(0)?), st.nat(&bound(1)?));
            Some(e.call(lemma, &[a, b, m, n, proofs[0]?, proofs[1]?]))
        };
        match kind {
            Kind::Add => two(self, "Index.le_add"),
            Kind::Mul => two(self, "Index.le_mul"),
            Kind::Sub => one(self, "Index.le_sub", 0),
            Kind::Div if self.value(node.kids[1]).is_some_and(|d| !d.is_zero()) => {
                one(self, "Index.le_div", 0)
            }
            Kind::Div => one(self, "Index.le_div_self", 0),
            Kind::Mod if proofs[0].is_some() => one(self, "Index.le_mod_self", 0),
            Kind::Mod => {
                let c = self.computed();
                Some(self.call("Index.le_mod", &[b, st.nat(n), a, c, c]))
            }
            Kind::Land if proofs[0].is_some() => one(self, "Index.le_land_left", 0),
            Kind::Land => one(self, "Index.le_land_right", 1),
            Kind::Min if proofs[0].is_some() => one(self, "Index.le_min_left", 0),
            Kind::Min => one(self, "Index.le_min_right", 1),
            Kind::Lor | Kind::Xor | Kind::Max => {
                let m = bound(0)?.max(bound(1)?);
                let top = st.nat(&m);
                let mut weak = Vec::new();
                for i in 0..2 {
                    let own = bound(i)?;
                    let c = self.computed();
                    weak.push(if own == m {
                        proofs[i]?
                    } else {
                        let own = st.nat(&own);
                        self.call("Index.le_weaken", &[terms[i], own, top, proofs[i]?, c])
                    });
                }
                let lemma = match kind {
                    Kind::Lor => "Index.le_lor",
                    Kind::Xor => "Index.le_xor",
                    _ => return Some(self.call("Index.le_max", &[a, b, top, weak[0], weak[1]])),
                };
                let bits = st.nat_u64(m.bits());
                let c = self.computed();
                Some(self.call(lemma, &[a, b, top, bits, weak[0], weak[1], c]))
            }
            Kind::Pow => {
                let (m, c) = (st.nat(&bound(1)?), self.computed());
                Some(self.call("Index.le_pow", &[a, b, m, proofs[1]?, c]))
            }
            Kind::Shl => one(self, "Index.le_shiftLeft", 0),
            Kind::Shr => one(self, "Index.le_shiftRight", 0),
            _ => None,
        }
    }

    fn divides(
        &mut self,
        kind: Kind,
        terms: &[Expr],
        k: u32,
        says: &[Option<Says>],
        proofs: &[Option<Expr>],
    ) -> Option<Expr> {
        let st = self.el.st;
        let power = |i: usize| match &says[i] {
            Some(Says::Aligned(k)) => Some(*k),
            _ => None,
        };
        let (a, b) = (terms[0], *terms.get(1)?);
        let target = self.power(k);
        let exponent = st.nat_u64(k.into());
        let weak = |e: &Self, i: usize| -> Option<Expr> {
            let own = power(i)?;
            if own == k {
                return proofs[i];
            }
            let m = e.power(own);
            Some(e.call(
                "Index.aligned_weaken",
                &[terms[i], m, target, proofs[i]?, e.computed()],
            ))
        };
        // a power of two that divides an argument of which nothing is known
        let all = |e: &Self, i: usize| -> Option<(Expr, Expr)> {
            match power(i) {
                Some(k) => Some((e.power(k), proofs[i]?)),
                None => Some((st.nat_u64(1), e.call("Nat.mod_one", &[terms[i]]))),
            }
        };
        match kind {
            Kind::Add => {
                let (p, q) = (weak(self, 0)?, weak(self, 1)?);
                Some(self.call("Index.aligned_add", &[a, b, target, p, q]))
            }
            Kind::Lor | Kind::Xor => {
                let lemma = match kind {
                    Kind::Lor => "Index.aligned_lor",
                    _ => "Index.aligned_xor",
                };
                let (p, q) = (weak(self, 0)?, weak(self, 1)?);
                Some(self.call(lemma, &[a, b, exponent, p, q]))
            }
            Kind::Land if proofs[0].is_some() => {
                Some(self.call("Index.aligned_land_left", &[a, exponent, b, weak(self, 0)?]))
            }
            Kind::Land => Some(self.call(
                "Index.aligned_land_right",
                &[b, exponent, a, weak(self, 1)?],
            )),
            Kind::Mul => {
                let ((m, p), (n, q)) = (all(self, 0)?, all(self, 1)?);
                Some(self.call("Index.aligned_mul", &[a, b, m, n, p, q]))
            }
            Kind::Shl => {
                let (m, p) = all(self, 0)?;
                Some(self.call("Index.aligned_shiftLeft", &[a, m, b, p]))
            }
            _ => None,
        }
    }
}
