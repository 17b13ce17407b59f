//! Earns the acceleration of `Nat.div`, `Nat.mod`, `Nat.log2` and `Nat.gcd` from what Lean's library proves about them.
//!
//! The kernel computes such a function `f` on literals once there is a theorem `Nat.f.computes` with a certain equation. Lean's
//! exports hold other equations: `Nat.div_eq` and its like say `if c then t else e`, with a `Decidable c`. Here the one is
//! proved from the other, and the proof is given to the kernel as the theorem `Nat.f.computes.0`. Nothing of this is trusted:
//! where a theorem says something else than expected, the kernel refuses the proof, and `f` stays an ordinary function.

use logic::{BinderInfo, Declaration, Environment, Expr, Level, Name, Signature, Store};

/// After the theorem `name`: what follows from it.
pub(super) fn derive(env: &mut Environment<'_>, name: Name) {
    let st = env.store();
    let t = Terms { st };
    let text = st.name_to_string(name);
    // The conditions `a ≤ b` in `c`, over `x`, `y`.
    let (f, proved) = match text.as_str() {
        "Nat.div_eq" => (
            "div",
            by_cases(env, t, name, 2, |x| vec![(t.one(), x[1]), (x[1], x[0])]),
        ),
        "Nat.mod_eq" => (
            "mod",
            by_cases(env, t, name, 2, |x| vec![(t.one(), x[1]), (x[1], x[0])]),
        ),
        "Nat.log2_def" => (
            "log2",
            by_cases(env, t, name, 1, |x| vec![(st.nat_u64(2), x[0])]),
        ),
        "Nat.gcd_succ" => ("gcd", Some(gcd(t))),
        _ => return,
    };
    let Some((ty, value)) = proved else { return };
    let computes = st.name(&format!("Nat.{f}.computes"));
    let sig = Signature {
        name: st.name_num(computes, 0),
        univ_params: Vec::new(),
        ty,
    };
    // A refusal changes nothing.
    let _ = env.add(Declaration::Theorem { sig, value });
}

/// Builds terms over `Nat` and `Bool`.
#[derive(Clone, Copy)]
struct Terms<'b> {
    st: &'b Store<'b>,
}

impl<'b> Terms<'b> {
    fn call(self, f: &str, levels: &[u32], args: &[Expr]) -> Expr {
        let levels: Vec<Level> = levels.iter().map(|l| self.st.level_nat(*l)).collect();
        self.st
            .apps(self.st.constant(self.st.name(f), &levels), args)
    }

    fn nat(self) -> Expr {
        self.st.const0("Nat")
    }

    fn bool(self) -> Expr {
        self.st.const0("Bool")
    }

    fn one(self) -> Expr {
        self.st.nat_u64(1)
    }

    fn truth(self, b: bool) -> Expr {
        self.st.const0(if b { "Bool.true" } else { "Bool.false" })
    }

    /// `a = b` in a type.
    fn eq(self, ty: Expr, a: Expr, b: Expr) -> Expr {
        self.call("Eq", &[1], &[ty, a, b])
    }

    fn refl(self, ty: Expr, a: Expr) -> Expr {
        self.call("Eq.refl", &[1], &[ty, a])
    }

    /// `fun x : ty => body x`.
    fn fun(self, ty: Expr, body: impl FnOnce(Expr) -> Expr) -> Expr {
        let x = self.st.fresh_fvar();
        let body = self.st.abstract_fvars(body(x), &[x]);
        self.st.lam(Name::ANON, ty, body, BinderInfo::Default)
    }

    /// `fun xs => body` and `∀ xs, ty`, all `xs` numbers.
    fn close(self, xs: &[Expr], ty: Expr, body: Expr) -> (Expr, Expr) {
        let d = BinderInfo::Default;
        let (ty, body) = (
            self.st.abstract_fvars(ty, xs),
            self.st.abstract_fvars(body, xs),
        );
        xs.iter().fold((ty, body), |(ty, body), _| {
            (
                self.st.pi(Name::ANON, self.nat(), ty, d),
                self.st.lam(Name::ANON, self.nat(), body, d),
            )
        })
    }

    /// `if b then t else e`, by the recursor.
    fn cond(self, b: Expr, t: Expr, e: Expr) -> Expr {
        let motive = self.fun(self.bool(), |_| self.nat());
        self.call("Bool.rec", &[1], &[motive, e, t, b])
    }

    /// From `proof : motive a` and `h : a = b`, `motive b`.
    fn rewrite(
        self,
        ty: Expr,
        (a, b, h): (Expr, Expr, Expr),
        motive: impl Fn(Expr) -> Expr,
        proof: Expr,
    ) -> Expr {
        let motive = self.fun(ty, |z| self.fun(self.eq(ty, a, z), |_| motive(z)));
        self.call("Eq.rec", &[0, 1], &[ty, a, motive, proof, b, h])
    }

    /// From `no : b = false` and `yes : b = true`, `False`.
    fn contradiction(self, b: Expr, no: Expr, yes: Expr) -> Expr {
        let (bool, t, f) = (self.bool(), self.truth(true), self.truth(false));
        let f_is_t = self.rewrite(bool, (b, f, no), |z| self.eq(bool, z, t), yes);
        let differs = |z| {
            let prop = self.fun(bool, |_| self.st.prop());
            let (yes, no) = (self.st.const0("True"), self.st.const0("False"));
            self.call("Bool.rec", &[1], &[prop, yes, no, z])
        };
        let proof = self.st.const0("True.intro");
        self.rewrite(bool, (f, t, f_is_t), differs, proof)
    }
}

/// A theorem `∀ xs, f xs = if c then t else e`, where `c` says `a ≤ b` for each of the `bounds`, taken apart.
struct Cases<'b> {
    t: Terms<'b>,
    /// The theorem at `xs`.
    theorem: Expr,
    lhs: Expr,
    ite: Expr,
    c: Expr,
    decision: Expr,
    yes: Expr,
    no: Expr,
    bounds: Vec<(Expr, Expr)>,
    /// `a ≤ b` is not `Nat.ble a b = true` by definition (as it was in Lean's first releases) but follows from it.
    lemmas: bool,
}

/// Statement and proof of `∀ xs, f xs = cond (a₁ ≤ b₁) (cond (a₂ ≤ b₂) … e) e`.
fn by_cases<'b>(
    env: &Environment<'b>,
    t: Terms<'b>,
    name: Name,
    arity: usize,
    bounds: impl Fn(&[Expr]) -> Vec<(Expr, Expr)>,
) -> Option<(Expr, Expr)> {
    let st = t.st;
    let xs: Vec<Expr> = (0..arity).map(|_| st.fresh_fvar()).collect();
    let (_, sides) = st.unfold_app(st.instantiate_pis(env.get(name)?.ty(), &xs));
    let [_, lhs, rhs] = sides[..] else {
        return None;
    };
    let (ite, parts) = st.unfold_app(rhs);
    let [_, c, decision, yes, no] = parts[..] else {
        return None;
    };
    let cases = Cases {
        t,
        theorem: st.apps(st.constant(name, &[]), &xs),
        lhs,
        ite,
        c,
        decision,
        yes,
        no,
        bounds: bounds(&xs),
        lemmas: env.get(st.name("Nat.le_of_ble_eq_true")).is_some(),
    };
    let proof = cases.prove(&mut Vec::new());
    Some(t.close(&xs, t.eq(t.nat(), lhs, cases.claim(0)), proof))
}

impl Cases<'_> {
    fn test(&self, i: usize) -> Expr {
        let (a, b) = self.bounds[i];
        self.t.call("Nat.ble", &[], &[a, b])
    }

    /// The right side once the first `i` bounds are known to hold.
    fn claim(&self, i: usize) -> Expr {
        if i == self.bounds.len() {
            return self.yes;
        }
        self.t.cond(self.test(i), self.claim(i + 1), self.no)
    }

    /// `lhs = claim (known.len())`, from proofs of the first tests.
    fn prove(&self, known: &mut Vec<Expr>) -> Expr {
        let (t, i) = (self.t, known.len());
        if i == self.bounds.len() {
            return self.decided(true, |_| self.condition(known));
        }
        let (test, bool) = (self.test(i), t.bool());
        let motive = t.fun(bool, |z| {
            let claim = t.cond(z, self.claim(i + 1), self.no);
            let claim = t.eq(t.nat(), self.lhs, claim);
            t.st.pi(Name::ANON, t.eq(bool, test, z), claim, BinderInfo::Default)
        });
        let fails = t.fun(t.eq(bool, test, t.truth(false)), |no| {
            self.decided(false, |h| self.refuted(i, no, h))
        });
        let holds = t.fun(t.eq(bool, test, t.truth(true)), |yes| {
            known.push(yes);
            let proof = self.prove(known);
            known.pop();
            proof
        });
        t.call(
            "Bool.rec",
            &[0],
            &[motive, fails, holds, test, t.refl(bool, test)],
        )
    }

    /// `lhs = yes` by a proof of `c`, or `lhs = no` by a proof of `False` from one of `c`.
    fn decided(&self, holds: bool, proof: impl Fn(Expr) -> Expr) -> Expr {
        let (t, nat, c) = (self.t, self.t.nat(), self.c);
        let not_c = t.call("Not", &[], &[c]);
        let value = if holds { self.yes } else { self.no };
        let ite = |d| t.st.apps(self.ite, &[nat, c, d, self.yes, self.no]);
        let motive = t.fun(t.call("Decidable", &[], &[c]), |d| t.eq(nat, ite(d), value));
        let absurd = |no: Expr| {
            let goal = t.eq(nat, if holds { self.no } else { self.yes }, value);
            let motive = t.fun(t.st.const0("False"), |_| goal);
            t.call("False.rec", &[0], &[motive, no])
        };
        let is_false = t.fun(not_c, |h| match holds {
            true => absurd(t.st.app(h, proof(h))),
            false => t.refl(nat, value),
        });
        let is_true = t.fun(c, |h| match holds {
            true => t.refl(nat, value),
            false => absurd(proof(h)),
        });
        let by_decision = t.call(
            "Decidable.rec",
            &[0],
            &[c, motive, is_false, is_true, self.decision],
        );
        let side = ite(self.decision);
        t.rewrite(
            nat,
            (side, value, by_decision),
            |z| t.eq(nat, self.lhs, z),
            self.theorem,
        )
    }

    /// `c`, from the truth of all tests.
    fn condition(&self, known: &[Expr]) -> Expr {
        let proof = |i: usize| match self.lemmas {
            true => {
                let (a, b) = self.bounds[i];
                self.t.call("Nat.le_of_ble_eq_true", &[], &[a, b, known[i]])
            }
            false => known[i],
        };
        match (&self.t.st.unfold_app(self.c).1[..], known.len()) {
            ([p, q], 2) => self.t.call("And.intro", &[], &[*p, *q, proof(0), proof(1)]),
            _ => proof(0),
        }
    }

    /// `False`, from the failure of test `i` and `h : c`.
    fn refuted(&self, i: usize, no: Expr, h: Expr) -> Expr {
        let (t, test) = (self.t, self.test(i));
        let bound = match self.bounds.len() {
            1 => h,
            _ => t.st.proj(t.st.name("And"), i as u32, h),
        };
        if !self.lemmas {
            return t.contradiction(test, no, bound);
        }
        let (a, b) = self.bounds[i];
        let not = t.fun(t.eq(t.bool(), test, t.truth(true)), |yes| {
            t.contradiction(test, no, yes)
        });
        t.call("Nat.not_le_of_not_ble_eq_true", &[], &[a, b, not, bound])
    }
}

/// Statement and proof of `∀ x y, gcd x y = cond (x = 0) y (gcd (y % x) x)`, from `Nat.gcd_zero_left` and `Nat.gcd_succ`.
fn gcd(t: Terms<'_>) -> (Expr, Expr) {
    let (x, y, nat) = (t.st.fresh_fvar(), t.st.fresh_fvar(), t.nat());
    let gcd = |a, b| t.call("Nat.gcd", &[], &[a, b]);
    let claim = |x| {
        let is_zero = t.call("Nat.beq", &[], &[x, t.st.nat_u64(0)]);
        let step = gcd(t.call("Nat.mod", &[], &[y, x]), x);
        t.eq(nat, gcd(x, y), t.cond(is_zero, y, step))
    };
    let zero = t.call("Nat.gcd_zero_left", &[], &[y]);
    let succ = t.fun(nat, |n| {
        t.fun(claim(n), |_| t.call("Nat.gcd_succ", &[], &[n, y]))
    });
    let proof = t.call("Nat.rec", &[0], &[t.fun(nat, claim), zero, succ, x]);
    t.close(&[x, y], claim(x), proof)
}
