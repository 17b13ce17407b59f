//! Messages about terms that do not fit: both of them, and the part in which they differ.

use logic::{Expr, Node};

use super::{Elab, ElabError};

/// Steps spent on looking for the part that differs.
const DIFF_STEPS: u64 = 20_000;

impl<'b> Elab<'b> {
    /// A type error: `e : actual`, but `expected` was wanted.
    pub fn type_mismatch(&mut self, e: Expr, actual: Expr, expected: Expr) -> ElabError {
        let e = self.instantiate_mvars(e);
        let a = self.instantiate_mvars(actual);
        let x = self.instantiate_mvars(expected);
        let refl = matches!(self.head_const(e), Some(n)
            if n == self.name("rfl") || n == self.name("Eq.refl"));
        if self.exhausted() {
            // The comparison was cut short: whether they are equal is not known.
            let (what, l, r) = match self.match_eq(x) {
                Some((_, l, r)) if refl => (String::new(), l, r),
                _ => (format!("the type of `{}`, ", self.pp_short(e)), a, x),
            };
            let (l, r) = (self.pp_short(l), self.pp_short(r));
            return self.out_of_steps().note(format!(
                "it was comparing {what}`{l}` with `{r}`; whether they are equal is not known"
            ));
        }
        if refl && let Some((_, l, r)) = self.match_eq(x) {
            let (sl, sr) = (self.pp(l), self.pp(r));
            let err = ElabError::msg(format!(
                "the sides of this equation are not equal by computation:\n    {sl}\n    {sr}"
            ))
            .code("elab.type_mismatch");
            let err = match self.by_measure_in(&[l, r]) {
                Some(f) => err.help(format!(
                    "`{f}` recurses by a measure, so it does not compute here: rewrite with its equation (`rw [{f}]`, `simp [{f}]`)"
                )),
                None => err,
            };
            return self.with_difference(err, l, r, true);
        }
        let (mut sa, mut sx) = (self.pp(a), self.pp(x));
        if sa == sx {
            sa = self.pp_explicit(a);
            sx = self.pp_explicit(x);
        }
        let se = self.pp_short(e);
        let err = ElabError::msg(format!(
            "type mismatch: `{se}` has type\n    {sa}\nbut is expected to have type\n    {sx}"
        ))
        .code("elab.type_mismatch");
        let whole = |el: &mut Self, e: Expr, name: &str| {
            let w = el.whnf_reducible(e);
            w == el.st.const0(name)
        };
        if whole(self, a, "Int") && whole(self, x, "Nat") {
            let to_nat = self.st.app(self.st.const0("Int.toNat"), e);
            let to_nat = self.pp_short(to_nat);
            return err.help(format!(
                "an integer is no natural number by itself: `{to_nat}` is one, 0 for negative integers"
            ));
        }
        self.with_difference(err, a, x, false)
    }

    /// A function by a measure that occurs in some terms.
    fn by_measure_in(&self, es: &[Expr]) -> Option<String> {
        let st = self.st;
        let mut found = None;
        for e in es {
            st.replace(*e, |x, _| {
                if let Node::Const(n, _) = st.node(x)
                    && self.ext.well_founded.contains_key(&n)
                {
                    found.get_or_insert(n);
                }
                None
            });
        }
        found.map(|n| st.name_to_string(n))
    }

    /// Adds a note on where two terms differ, if that is a proper part of them. With `compute`, parts are reduced.
    pub fn with_difference(
        &mut self,
        err: ElabError,
        a: Expr,
        b: Expr,
        compute: bool,
    ) -> ElabError {
        let limit = self.max_steps;
        let start = self.steps;
        self.max_steps = start.saturating_add(DIFF_STEPS);
        let s = self.save();
        let (x, y) = self.difference(a, b, compute, 0);
        self.restore(&s);
        let err = if (x, y) != (a, b) && !self.st.has_loose_bvars(x) && !self.st.has_loose_bvars(y)
        {
            let (sx, sy) = (self.pp(x), self.pp(y));
            if sx == sy {
                err
            } else {
                err.note(format!("they differ in `{sx}` and `{sy}`"))
            }
        } else {
            err
        };
        self.max_steps = limit;
        self.steps = start;
        err
    }

    /// The smallest corresponding parts of two terms that are not equal.
    fn difference(&mut self, a: Expr, b: Expr, compute: bool, depth: u32) -> (Expr, Expr) {
        let st = self.st;
        if depth > 64 || self.exhausted() {
            return (a, b);
        }
        let (mut wa, mut wb) = (a, b);
        if compute {
            (wa, wb) = (self.whnf(a), self.whnf(b));
        }
        let (f, xs) = st.unfold_app(wa);
        let (g, ys) = st.unfold_app(wb);
        let same = match (st.node(f), st.node(g)) {
            (Node::Const(m, _), Node::Const(n, _)) => m == n,
            _ => f == g,
        };
        if !same || xs.len() != ys.len() || xs.is_empty() {
            return if compute && depth > 0 {
                (wa, wb)
            } else {
                (a, b)
            };
        }
        for (x, y) in xs.iter().zip(&ys) {
            if x != y && !self.is_defeq(*x, *y) {
                return self.difference(*x, *y, compute, depth + 1);
            }
        }
        (a, b)
    }
}
