//! Propositions that `omega` understands, read with their terms; how they are asserted and denied.

use logic::{Expr, Node};
use num_bigint::BigInt;

use super::reify::{Choice, Fact, Linear, Reader};

/// A proposition with the term it was read from.
#[derive(Clone, Debug)]
pub(super) struct Prop {
    /// The proposition as a term.
    pub expr: Expr,
    /// What it says.
    pub kind: Kind,
}

/// The forms of a proposition.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// `low ≤ high` (also `a < b`, as `a + 1 ≤ b`), read and as terms.
    Le(Linear, Linear, Expr, Expr),
    /// `a = b` of natural numbers.
    Eq(Linear, Linear, Expr, Expr),
    /// `True`
    True,
    /// `False`
    False,
    /// `¬ p`
    Not(Box<Prop>),
    /// `p ∧ q`
    And(Box<Prop>, Box<Prop>),
    /// `p ∨ q`
    Or(Box<Prop>, Box<Prop>),
    /// `p → q`
    Imp(Box<Prop>, Box<Prop>),
    /// `p ↔ q`
    Iff(Box<Prop>, Box<Prop>),
    /// Equivalent to another proposition, by this proof of `self ↔ other`.
    Alias(Box<Prop>, Expr),
    /// Anything else.
    Opaque,
}

impl Prop {
    /// Does it say anything to `omega`?
    pub fn understood(&self) -> bool {
        match &self.kind {
            Kind::Opaque => false,
            Kind::Not(p) | Kind::Alias(p, _) => p.understood(),
            Kind::And(p, q) | Kind::Or(p, q) | Kind::Imp(p, q) | Kind::Iff(p, q) => {
                p.understood() || q.understood()
            }
            _ => true,
        }
    }

    /// Its truth at a point; `None` where something is not understood.
    pub fn holds(&self, point: &[BigInt]) -> Option<bool> {
        Some(match &self.kind {
            Kind::Le(a, b, ..) => a.form().eval(point) <= b.form().eval(point),
            Kind::Eq(a, b, ..) => a.form().eval(point) == b.form().eval(point),
            Kind::True => true,
            Kind::False => false,
            Kind::Not(p) => !p.holds(point)?,
            Kind::And(p, q) => both(p.holds(point), q.holds(point))?,
            Kind::Or(p, q) => !both(p.holds(point).map(|b| !b), q.holds(point).map(|b| !b))?,
            Kind::Imp(p, q) => !both(p.holds(point), q.holds(point).map(|b| !b))?,
            Kind::Iff(p, q) => p.holds(point)? == q.holds(point)?,
            Kind::Alias(p, _) => p.holds(point)?,
            Kind::Opaque => return None,
        })
    }
}

fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// What is known on the way to a leaf of the case splits.
#[derive(Clone, Default, Debug)]
pub(super) struct Known {
    /// Inequalities.
    pub facts: Vec<Fact>,
    /// Disjunctions not yet split.
    pub choices: Vec<Choice>,
    /// A proof of `False` that was found on the way.
    pub absurd: Option<Expr>,
}

impl Reader<'_, '_> {
    /// Reads a proposition.
    pub fn prop(&mut self, e: Expr) -> Prop {
        logic::subst::with_stack(|| self.prop_here(e))
    }

    fn prop_here(&mut self, e: Expr) -> Prop {
        if let Some(kind) = self.shape(e) {
            return Prop { expr: e, kind };
        }
        let w = self.el.whnf_reducible(e);
        let w = self.el.instantiate_mvars(w);
        let kind = if w == e { None } else { self.shape(w) };
        Prop {
            expr: e,
            kind: kind.unwrap_or(Kind::Opaque),
        }
    }

    fn shape(&mut self, e: Expr) -> Option<Kind> {
        if let Node::Pi(_, a, b, _) = self.el.st.node(e) {
            if self.el.bvar_occurs(b, 0) || !self.el.is_prop(a) {
                return None;
            }
            let b = self.el.st.instantiate1(b, a);
            return Some(Kind::Imp(Box::new(self.prop(a)), Box::new(self.prop(b))));
        }
        let (name, args) = self.head(e)?;
        Some(match (name.as_str(), &args[..]) {
            ("Nat.le", [a, b]) => self.le(*a, *b).kind,
            ("Nat.lt", [a, b]) => self.lt(*a, *b).kind,
            ("Nat.ge", [a, b]) => self.le(*b, *a).kind,
            ("Nat.gt", [a, b]) => self.lt(*b, *a).kind,
            ("Nat.dvd", [a, b]) => {
                let rest = self.call("Nat.mod", &[*b, *a]);
                let other = self.equal("Nat", rest, self.el.mk_nat(0));
                self.alias("Nat.dvd_iff_mod_eq_zero", &[*a, *b], other)
            }
            ("Fin.le", [n, i, j]) => {
                let other = self.call("Nat.le", &[self.value(*n, *i), self.value(*n, *j)]);
                self.alias("Fin.le_def", &args, other)
            }
            ("Fin.lt", [n, i, j]) => {
                let other = self.call("Nat.lt", &[self.value(*n, *i), self.value(*n, *j)]);
                self.alias("Fin.lt_def", &args, other)
            }
            ("Int.le" | "Int.lt", [a, b]) if self.knows_integers() => {
                self.int_relation(&name, *a, *b)
            }
            ("Int.dvd", [a, b]) if self.knows_integers() => {
                let rest = self.call("Int.emod", &[*b, *a]);
                let zero = self.call("Int.ofNat", &[self.el.mk_nat(0)]);
                let other = self.equal("Int", rest, zero);
                self.alias("Int.dvd_iff_emod_eq_zero", &[*a, *b], other)
            }
            ("Eq", [ty, a, b]) => self.equation_shape(*ty, *a, *b)?,
            ("Ne", [ty, a, b]) => {
                let (f, _) = self.el.st.unfold_app(e);
                let Node::Const(_, levels) = self.el.st.node(f) else {
                    return None;
                };
                let eq = self.el.st.constant(self.el.name("Eq"), levels);
                let eq = self.el.st.apps(eq, &[*ty, *a, *b]);
                Kind::Not(Box::new(self.prop(eq)))
            }
            ("True", []) => Kind::True,
            ("False", []) => Kind::False,
            ("Not", [p]) => Kind::Not(Box::new(self.prop(*p))),
            ("And", [p, q]) => Kind::And(Box::new(self.prop(*p)), Box::new(self.prop(*q))),
            ("Or", [p, q]) => Kind::Or(Box::new(self.prop(*p)), Box::new(self.prop(*q))),
            ("Iff", [p, q]) => Kind::Iff(Box::new(self.prop(*p)), Box::new(self.prop(*q))),
            _ => return None,
        })
    }

    fn equation_shape(&mut self, ty: Expr, a: Expr, b: Expr) -> Option<Kind> {
        let ty = self.el.whnf_reducible(ty);
        let (name, args) = self.head(ty)?;
        match (name.as_str(), &args[..]) {
            ("Nat", []) => Some(Kind::Eq(self.term(a), self.term(b), a, b)),
            ("Bool", []) => self.comparison(a, b),
            ("Int", []) if self.knows_integers() => Some(self.int_relation("Eq", a, b)),
            ("Fin", [n]) => {
                let other = self.equal("Nat", self.value(*n, a), self.value(*n, b));
                Some(self.alias("Fin.ext_iff", &[*n, a, b], other))
            }
            _ => None,
        }
    }

    /// What is equivalent to a proposition by this lemma.
    fn alias(&mut self, lemma: &str, args: &[Expr], other: Expr) -> Kind {
        let proof = self.call(lemma, args);
        Kind::Alias(Box::new(self.prop(other)), proof)
    }

    /// The number that an element of `Fin n` is.
    fn value(&self, n: Expr, i: Expr) -> Expr {
        self.call("Fin.val", &[n, i])
    }

    /// A relation of integers is one of natural numbers: what is negative stands on the other side.
    fn int_relation(&mut self, relation: &str, a: Expr, b: Expr) -> Kind {
        let (x, y) = (self.int(a), self.int(b));
        let side = |p: &Linear, n: &Linear| Linear::Add(Box::new(p.clone()), Box::new(n.clone()));
        let (low, high) = (side(&x.pos, &y.neg), side(&y.pos, &x.neg));
        let (l, h) = (self.plus(x.p, y.n), self.plus(y.p, x.n));
        let (lemma, other) = match relation {
            "Int.lt" => ("Omega.rep_lt", self.lt_of(&low, &high, l, h)),
            "Int.le" => {
                let expr = self.call("Nat.le", &[l, h]);
                let kind = Kind::Le(low, high, l, h);
                ("Omega.rep_le", Prop { expr, kind })
            }
            _ => {
                let expr = self.equal("Nat", l, h);
                let kind = Kind::Eq(low, high, l, h);
                ("Omega.rep_eq", Prop { expr, kind })
            }
        };
        let proof = self.both(lemma, (a, &x), (b, &y));
        Kind::Alias(Box::new(other), proof)
    }

    /// `Nat.ble m n = true` and the like.
    fn comparison(&mut self, a: Expr, b: Expr) -> Option<Kind> {
        let value = match self.head(b)?.0.as_str() {
            "Bool.true" => true,
            "Bool.false" => false,
            _ => return None,
        };
        let (name, args) = self.head(a)?;
        let (lemma, args, other) = match (name.as_str(), &args[..]) {
            ("Nat.ble", [m, n]) => ("ble", vec![*m, *n], self.call("Nat.le", &[*m, *n])),
            ("Nat.blt", [m, n]) => {
                let next = self.call("Nat.add", &[*m, self.el.mk_nat(1)]);
                ("ble", vec![next, *n], self.call("Nat.le", &[next, *n]))
            }
            ("Nat.beq", [m, n]) => {
                let st = self.el.st;
                let eq = st.constant(st.name("Eq"), &[st.level_nat(1)]);
                (
                    "beq",
                    vec![*m, *n],
                    st.apps(eq, &[st.const0("Nat"), *m, *n]),
                )
            }
            ("Decidable.decide", [p, inst]) => ("decide", vec![*p, *inst], *p),
            _ => return None,
        };
        let proof = self.call(&format!("Omega.{lemma}_{value}"), &args);
        let other = if value {
            other
        } else {
            self.call("Not", &[other])
        };
        let other = self.prop(other);
        other
            .understood()
            .then(|| Kind::Alias(Box::new(other), proof))
    }

    /// A proof of `p ∨ ¬p`.
    pub fn decided(&self, p: &Prop) -> Option<Expr> {
        let two = |name: &str, a: &Prop, b: &Prop| {
            let (ha, hb) = (self.decided(a)?, self.decided(b)?);
            Some(self.call(name, &[a.expr, b.expr, ha, hb]))
        };
        match &p.kind {
            Kind::Le(_, _, a, b) => Some(self.call("Omega.em_le", &[*a, *b])),
            Kind::Eq(_, _, a, b) => Some(self.call("Omega.em_eq", &[*a, *b])),
            Kind::True => Some(self.call("Omega.em_true", &[])),
            Kind::False => Some(self.call("Omega.em_false", &[])),
            Kind::Not(q) => Some(self.call("Omega.em_not", &[q.expr, self.decided(q)?])),
            Kind::And(a, b) => two("Omega.em_and", a, b),
            Kind::Or(a, b) => two("Omega.em_or", a, b),
            Kind::Imp(a, b) => two("Omega.em_imp", a, b),
            Kind::Iff(a, b) => two("Omega.em_iff", a, b),
            Kind::Alias(q, proof) => Some(self.call(
                "Omega.em_alias",
                &[p.expr, q.expr, *proof, self.decided(q)?],
            )),
            Kind::Opaque => None,
        }
    }

    /// The side of a disjunction that can be denied, if only one can: a way to prove the whole. And how the whole
    /// follows: by these constructors, outermost first.
    pub fn decided_side(&self, p: Prop) -> (Prop, Vec<(&'static str, Expr, Expr)>) {
        let (mut p, mut sides) = (p, Vec::new());
        while let Kind::Or(a, b) = &p.kind {
            let (intro, side) = match (self.decided(a), self.decided(b)) {
                (Some(_), Some(_)) => break,
                (Some(_), None) => ("Or.inl", a),
                (None, Some(_)) => ("Or.inr", b),
                (None, None) if matches!(a.kind, Kind::Or(..)) => ("Or.inl", a),
                (None, None) => ("Or.inr", b),
            };
            sides.push((intro, a.expr, b.expr));
            p = (**side).clone();
        }
        (p, sides)
    }

    /// Adds what follows from `proof`, a proof of `p` (or of `¬p`). What is not understood is dropped.
    pub fn assert(&self, known: &mut Known, proof: Expr, p: &Prop, positive: bool) {
        logic::subst::with_stack(|| {
            if positive {
                self.assert_true(known, proof, p);
            } else {
                self.assert_false(known, proof, p);
            }
        });
    }

    fn assert_true(&self, known: &mut Known, h: Expr, p: &Prop) {
        match &p.kind {
            Kind::Le(low, high, ..) => known.facts.push(Fact {
                low: low.clone(),
                high: high.clone(),
                proof: h,
            }),
            Kind::Eq(a, b, ea, eb) => {
                for (low, high, lemma) in [(a, b, "Nat.le_of_eq"), (b, a, "Omega.ge_of_eq")] {
                    known.facts.push(Fact {
                        low: low.clone(),
                        high: high.clone(),
                        proof: self.call(lemma, &[*ea, *eb, h]),
                    });
                }
            }
            Kind::False => known.absurd = Some(h),
            Kind::True | Kind::Opaque => {}
            Kind::Not(q) => self.assert(known, h, q, false),
            Kind::And(a, b) => {
                self.assert(known, self.call("And.left", &[a.expr, b.expr, h]), a, true);
                self.assert(known, self.call("And.right", &[a.expr, b.expr, h]), b, true);
            }
            Kind::Or(a, b) => known.choices.push(Choice {
                left: ((**a).clone(), true),
                right: ((**b).clone(), true),
                proof: h,
            }),
            Kind::Imp(a, b) => {
                if let Some(d) = self.decided(a) {
                    known.choices.push(Choice {
                        left: ((**a).clone(), false),
                        right: ((**b).clone(), true),
                        proof: self.call("Omega.imp", &[a.expr, b.expr, d, h]),
                    });
                }
            }
            Kind::Iff(a, b) => {
                if let Some(d) = self.decided(a) {
                    known.choices.push(Choice {
                        left: (self.and(a, b), true),
                        right: (self.and(&self.not(a), &self.not(b)), true),
                        proof: self.call("Omega.iff", &[a.expr, b.expr, d, h]),
                    });
                }
            }
            Kind::Alias(q, iff) => {
                let h = self.call("Iff.mp", &[p.expr, q.expr, *iff, h]);
                self.assert(known, h, q, true);
            }
        }
    }

    fn assert_false(&self, known: &mut Known, h: Expr, p: &Prop) {
        match &p.kind {
            // ¬ low ≤ high, so high + 1 ≤ low
            Kind::Le(low, high, a, b) => known.facts.push(Fact {
                low: high.clone().succ(),
                high: low.clone(),
                proof: self.call("Nat.lt_of_not_le", &[*a, *b, h]),
            }),
            Kind::Eq(a, b, ea, eb) => known.choices.push(Choice {
                left: (self.lt_of(a, b, *ea, *eb), true),
                right: (self.lt_of(b, a, *eb, *ea), true),
                proof: self.call("Nat.lt_or_gt_of_ne", &[*ea, *eb, h]),
            }),
            Kind::True => {
                let st = self.el.st;
                known.absurd = Some(st.app(h, st.const0("True.intro")));
            }
            Kind::False | Kind::Opaque => {}
            Kind::Not(q) => {
                if let Some(d) = self.decided(q) {
                    let h = self.call("Omega.of_not_not", &[q.expr, d, h]);
                    self.assert(known, h, q, true);
                }
            }
            Kind::And(a, b) => {
                if let Some(d) = self.decided(a) {
                    known.choices.push(Choice {
                        left: ((**a).clone(), false),
                        right: ((**b).clone(), false),
                        proof: self.call("Omega.not_and", &[a.expr, b.expr, d, h]),
                    });
                }
            }
            Kind::Or(a, b) => {
                let args = [a.expr, b.expr, h];
                self.assert(known, self.call("Omega.not_or_left", &args), a, false);
                self.assert(known, self.call("Omega.not_or_right", &args), b, false);
            }
            Kind::Imp(a, b) => {
                if let Some(d) = self.decided(a) {
                    let h = self.call("Omega.not_imp_left", &[a.expr, b.expr, d, h]);
                    self.assert(known, h, a, true);
                }
                let h = self.call("Omega.not_imp_right", &[a.expr, b.expr, h]);
                self.assert(known, h, b, false);
            }
            Kind::Iff(a, b) => {
                if let (Some(da), Some(db)) = (self.decided(a), self.decided(b)) {
                    known.choices.push(Choice {
                        left: (self.and(a, &self.not(b)), true),
                        right: (self.and(&self.not(a), b), true),
                        proof: self.call("Omega.not_iff", &[a.expr, b.expr, da, db, h]),
                    });
                }
            }
            Kind::Alias(q, iff) => {
                let h = self.call("Omega.not_alias", &[p.expr, q.expr, *iff, h]);
                self.assert(known, h, q, false);
            }
        }
    }

    /// `a ≤ b`.
    pub fn le(&mut self, a: Expr, b: Expr) -> Prop {
        let (low, high) = (self.term(a), self.term(b));
        Prop {
            expr: self.call("Nat.le", &[a, b]),
            kind: Kind::Le(low, high, a, b),
        }
    }

    /// `a < b`.
    pub fn lt(&mut self, a: Expr, b: Expr) -> Prop {
        let (low, high) = (self.term(a), self.term(b));
        self.lt_of(&low, &high, a, b)
    }

    fn lt_of(&self, low: &Linear, high: &Linear, a: Expr, b: Expr) -> Prop {
        let next = self.call("Nat.add", &[a, self.el.mk_nat(1)]);
        Prop {
            expr: self.call("Nat.lt", &[a, b]),
            kind: Kind::Le(low.clone().succ(), high.clone(), next, b),
        }
    }

    fn not(&self, p: &Prop) -> Prop {
        Prop {
            expr: self.call("Not", &[p.expr]),
            kind: Kind::Not(Box::new(p.clone())),
        }
    }

    fn and(&self, p: &Prop, q: &Prop) -> Prop {
        Prop {
            expr: self.call("And", &[p.expr, q.expr]),
            kind: Kind::And(Box::new(p.clone()), Box::new(q.clone())),
        }
    }
}
