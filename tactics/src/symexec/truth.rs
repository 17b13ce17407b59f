//! Truth values: whether one is decided, and what it says.

use logic::{Expr, Node};

use super::Exec;
use crate::meta::Result;

impl<'a, 'b> Exec<'a, 'b> {
    /// `true` or `false`, if a truth value can be decided, with the proof.
    pub(super) fn truth_of(&mut self, b: Expr) -> Result<Option<(bool, Expr)>> {
        if let Some(known) = self.known.truth(b) {
            return Ok(Some(known));
        }
        let st = self.el.st;
        let bool_ty = st.const0("Bool");
        let (f, args) = st.unfold_app(b);
        let Node::Const(n, _) = st.node(f) else {
            return Ok(None);
        };
        let name = st.name_to_string(n);
        Ok(match (name.as_str(), &args[..]) {
            ("Bool.true", _) => Some((true, self.refl(bool_ty, b))),
            ("Bool.false", _) => Some((false, self.refl(bool_ty, b))),
            ("Nat.ble", [x, y]) | ("Nat.blt", [x, y]) => {
                let strict = name == "Nat.blt";
                let ops = if strict {
                    ["Nat.lt", "Nat.le"]
                } else {
                    ["Nat.le", "Nat.lt"]
                };
                let yes = st.apps(st.const0(ops[0]), &[*x, *y]);
                let no = st.apps(st.const0(ops[1]), &[*y, *x]);
                let lemmas = if strict {
                    ["blt_true", "blt_false"]
                } else {
                    ["ble_true", "ble_false"]
                };
                self.either((yes, lemmas[0]), (no, lemmas[1]), *x, *y)?
            }
            ("Nat.beq", [x, y]) => {
                let nat = st.const0("Nat");
                let yes = self.eq(nat, *x, *y);
                let no = self.el.mk_not(yes);
                self.either((yes, "beq_of_eq"), (no, "beq_of_ne"), *x, *y)?
            }
            ("Bool.not", [x]) => match self.truth_of(*x)? {
                None => None,
                Some((v, p)) => {
                    let name = if v { "not_true" } else { "not_false" };
                    Some((!v, self.call(name, &[("a", *x), ("h", p)])?))
                }
            },
            ("Bool.and", [x, y]) | ("Bool.or", [x, y]) => {
                let and = name == "Bool.and";
                // the value that decides
                let (a, b) = (self.truth_of(*x)?, self.truth_of(*y)?);
                match (a, b) {
                    (Some((v, p)), _) if v != and => {
                        let l = if and {
                            "and_false_left"
                        } else {
                            "or_true_left"
                        };
                        Some((v, self.call(l, &[("a", *x), ("b", *y), ("h", p)])?))
                    }
                    (_, Some((v, p))) if v != and => {
                        let l = if and {
                            "and_false_right"
                        } else {
                            "or_true_right"
                        };
                        Some((v, self.call(l, &[("a", *x), ("b", *y), ("h", p)])?))
                    }
                    (Some((_, p)), Some((_, q))) => {
                        let l = if and { "and_true" } else { "or_false" };
                        Some((
                            and,
                            self.call(l, &[("a", *x), ("b", *y), ("h", p), ("k", q)])?,
                        ))
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    fn either(
        &mut self,
        yes: (Expr, &'static str),
        no: (Expr, &'static str),
        x: Expr,
        y: Expr,
    ) -> Result<Option<(bool, Expr)>> {
        for (value, (p, lemma)) in [(true, yes), (false, no)] {
            if let Some(h) = self.arithmetic(p) {
                return Ok(Some((
                    value,
                    self.call(lemma, &[("a", x), ("b", y), ("h", h)])?,
                )));
            }
        }
        Ok(None)
    }

    /// What a truth value says: a proposition, and the lemma that derives it from `b = value`.
    pub(super) fn meaning_of(
        &mut self,
        b: Expr,
        value: bool,
        h: Expr,
    ) -> Result<Option<(Expr, Expr)>> {
        let st = self.el.st;
        let (f, args) = st.unfold_app(b);
        let Node::Const(n, _) = st.node(f) else {
            return Ok(None);
        };
        let name = st.name_to_string(n);
        let (p, lemma, x, y) = match (name.as_str(), &args[..], value) {
            ("Nat.ble", [x, y], true) => (
                st.apps(st.const0("Nat.le"), &[*x, *y]),
                "of_ble_true",
                *x,
                *y,
            ),
            ("Nat.ble", [x, y], false) => (
                st.apps(st.const0("Nat.lt"), &[*y, *x]),
                "of_ble_false",
                *x,
                *y,
            ),
            ("Nat.blt", [x, y], true) => (
                st.apps(st.const0("Nat.lt"), &[*x, *y]),
                "of_blt_true",
                *x,
                *y,
            ),
            ("Nat.blt", [x, y], false) => (
                st.apps(st.const0("Nat.le"), &[*y, *x]),
                "of_blt_false",
                *x,
                *y,
            ),
            ("Nat.beq", [x, y], _) => {
                let e = self.eq(st.const0("Nat"), *x, *y);
                match value {
                    true => (e, "of_beq_true", *x, *y),
                    false => (self.el.mk_not(e), "of_beq_false", *x, *y),
                }
            }
            ("Bool.not", [x], _) => {
                let l = if value { "of_not_true" } else { "of_not_false" };
                let h = self.call(l, &[("a", *x), ("h", h)])?;
                return self.meaning_of(*x, !value, h);
            }
            ("Bool.and", [x, y], true) | ("Bool.or", [x, y], false) => {
                let [p, q] = self.both(*x, *y, value, h)?;
                let (p, q) = (self.said_of(*x, value, p)?, self.said_of(*y, value, q)?);
                let intro = st.apps(st.const0("And.intro"), &[p.0, q.0, p.1, q.1]);
                return Ok(Some((st.apps(st.const0("And"), &[p.0, q.0]), intro)));
            }
            ("Bool.and", [x, y], false) | ("Bool.or", [x, y], true) => {
                let l = if value { "of_or_true" } else { "of_and_false" };
                let h = self.call(l, &[("a", *x), ("b", *y), ("h", h)])?;
                let mut kinds = Vec::new();
                let mut ways = Vec::new();
                for b in [*x, *y] {
                    let ty = self.truth_is(b, value);
                    let mut said = None;
                    let ((), way) = self.under("h", ty, |ex, h| {
                        let (p, proof) = ex.said_of(b, value, h)?;
                        said = Some(p);
                        Ok(((), proof))
                    })?;
                    kinds.push((ty, said.unwrap_or(ty)));
                    ways.push(way);
                }
                let [(a, p), (b, q)] = kinds[..] else {
                    return Ok(None);
                };
                let imp = st.apps(st.const0("Or.imp"), &[a, b, p, q, ways[0], ways[1], h]);
                return Ok(Some((st.apps(st.const0("Or"), &[p, q]), imp)));
            }
            _ => return Ok(None),
        };
        let proof = self.call(lemma, &[("a", x), ("b", y), ("h", h)])?;
        Ok(Some((p, proof)))
    }

    /// What a truth value says, at least that it is one.
    fn said_of(&mut self, b: Expr, value: bool, h: Expr) -> Result<(Expr, Expr)> {
        if let Some(r) = self.meaning_of(b, value, h)? {
            return Ok(r);
        }
        Ok((self.truth_is(b, value), h))
    }

    /// Both parts of a conjunction that holds, or of a disjunction that does not, have this value.
    fn both(&mut self, x: Expr, y: Expr, value: bool, h: Expr) -> Result<[Expr; 2]> {
        let [l, r] = match value {
            true => ["of_and_left", "of_and_right"],
            false => ["of_or_left", "of_or_right"],
        };
        let args = [("a", x), ("b", y), ("h", h)];
        Ok([self.call(l, &args)?, self.call(r, &args)?])
    }

    /// What is known from now on: that `b` has the value by the proof, and so have its parts if that follows.
    pub(super) fn assume(&mut self, b: Expr, value: bool, h: Expr) -> Result<()> {
        self.known.assume(b, value, h);
        for (op, of) in [("Bool.and", true), ("Bool.or", false)] {
            if let Some(a) = self.el.match_app(b, op, 2)
                && of == value
            {
                let (x, y) = (a[0], a[1]);
                let [p, q] = self.both(x, y, value, h)?;
                self.assume(x, value, p)?;
                self.assume(y, value, q)?;
            }
        }
        if let Some(a) = self.el.match_app(b, "Bool.not", 1) {
            let x = a[0];
            let l = if value { "of_not_true" } else { "of_not_false" };
            let h = self.call(l, &[("a", x), ("h", h)])?;
            self.assume(x, !value, h)?;
        }
        Ok(())
    }
}
