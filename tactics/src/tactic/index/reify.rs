//! Terms of type `Nat` as nodes, and what hypotheses say of them.

use egg::Id;
use logic::{Expr, Node as Term};
use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::analysis::{Says, Why};
use super::engine::Engine;
use super::language::{Kind, compute, is_known};

impl Engine<'_, '_> {
    /// The node of a term of type `Nat`, up to what reduction changes.
    pub fn reify(&mut self, e: Expr) -> Id {
        let st = self.el.st;
        if let Some(n) = self.el.nat_lit(e) {
            return self.literal(&n);
        }
        let (f, args) = st.unfold_app(e);
        let name = match st.node(f) {
            Term::Const(n, _) => st.name_to_string(n),
            _ => String::new(),
        };
        if is_known(&name, args.len()) {
            return logic::subst::with_stack(|| {
                let kids: Vec<Id> = args.iter().map(|a| self.reify(*a)).collect();
                let op = self.g.analysis.ops.function(st, f, args.len());
                let id = self.node(op, &kids);
                self.fold(id);
                id
            });
        }
        match (&*name, &args[..]) {
            ("Word.val", [w, x]) => {
                if let Some(id) = self.word_value(e, *w, *x) {
                    return id;
                }
            }
            ("Nat.succ", [a]) => {
                let a = self.reify(*a);
                let one = self.literal(&BigUint::one());
                return self.apply(Kind::Add, &[a, one]);
            }
            ("Nat.pred", [a]) => {
                let a = self.reify(*a);
                let one = self.literal(&BigUint::one());
                return self.apply(Kind::Sub, &[a, one]);
            }
            _ => {}
        }
        let w = self.el.whnf_reducible(e);
        let w = self.el.instantiate_mvars(w);
        if w != e {
            return logic::subst::with_stack(|| self.reify(w));
        }
        if matches!(args.len(), 1 | 2) && args.iter().all(|a| self.is_nat(*a)) {
            return logic::subst::with_stack(|| {
                let kids: Vec<Id> = args.iter().map(|a| self.reify(*a)).collect();
                let op = self.g.analysis.ops.function(st, f, args.len());
                self.node(op, &kids)
            });
        }
        let op = self.g.analysis.ops.atom(e);
        let id = self.node(op, &[]);
        self.property(id, &name, &args);
        id
    }

    fn is_nat(&mut self, e: Expr) -> bool {
        let nat = self.el.st.const0("Nat");
        self.el.infer_type(e).is_ok_and(|t| t == nat)
    }

    /// The value of a node whose arguments are literals.
    pub fn fold(&mut self, id: Id) -> bool {
        let node = self.g.id_to_node(id).clone();
        if node.kids.is_empty() || self.is_known(id) {
            return false;
        }
        let values: Option<Vec<BigUint>> = node.kids.iter().map(|k| self.value(*k)).collect();
        let Some(values) = values else {
            return false;
        };
        let kind = self.kind(&node);
        let Some(n) = compute(kind, &values.iter().collect::<Vec<_>>()) else {
            return false;
        };
        let kids: Vec<Id> = values.iter().map(|v| self.literal(v)).collect();
        let closed = self.node(node.op, &kids);
        let result = self.literal(&n);
        let e = self.term(result);
        let proof = self.refl(e);
        if closed != id {
            self.g.rebuild();
        }
        self.join("compute", closed, result, proof)
    }

    /// What the type of an atom says of it.
    pub fn property(&mut self, id: Id, name: &str, args: &[Expr]) {
        let (name, [size, x]) = (name, args) else {
            return;
        };
        let two = self.el.mk_nat(2);
        let (limit, lemma) = match name {
            "Word.val" => (self.call("Nat.pow", &[two, *size]), "Word.isLt"),
            "Fin.val" => (*size, "Fin.isLt"),
            _ => return,
        };
        let proof = self.call(lemma, &[*size, *x]);
        self.below(id, limit, proof);
    }

    /// A proof of `e = n` for the term of a node that is the literal `n`.
    pub fn is_literal(&mut self, id: Id, e: Expr, n: &BigUint) -> Option<Expr> {
        let lit = self.literal(n);
        if !self.el.st.has_fvar(e) {
            let n = self.term(lit);
            return Some(self.refl(n));
        }
        let own = self.term(id);
        let chain = self.equal(id, lit)?;
        // what the term is up to reduction has no proof of its own
        (own == e).then_some(())?;
        chain.proof
    }

    /// Records `h : t < limit`, if the limit is a number.
    pub fn below(&mut self, id: Id, limit: Expr, h: Expr) {
        let k = self.reify(limit);
        if !self.g.clean {
            self.g.rebuild();
        }
        let Some(n) = self.value(k).filter(|k| !k.is_zero()) else {
            return;
        };
        let Some(e) = self.is_literal(k, limit, &n) else {
            return;
        };
        let (term, k) = (self.term(id), self.el.st.nat(&n));
        let n = n - 1u32;
        let (top, c) = (self.el.st.nat(&n), self.computed());
        let h = match k == limit {
            true => h,
            false => self.call("Index.lt_of_lt_eq", &[term, limit, k, h, e]),
        };
        let proof = self.call("Index.le_pred_of_lt", &[term, k, top, h, c]);
        self.at_most(id, n, proof);
    }

    /// Records a proof of `t ≤ n`.
    pub fn at_most(&mut self, id: Id, n: BigUint, proof: Expr) {
        let mut data = self.g[id].data.clone();
        if data.max.as_ref().is_some_and(|(m, _)| *m <= n) {
            return;
        }
        let fact = self
            .g
            .analysis
            .record(id, Says::Max(n.clone()), Why::Given(proof));
        data.max = Some((n, fact));
        self.g.set_analysis_data(id, data);
    }
}
