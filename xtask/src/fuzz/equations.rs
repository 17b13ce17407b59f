//! Random equations `t = s` proved by `Eq.refl t`: true ones by taking a term and writing it otherwise, and false ones by a change of it.

use logic::{BinderInfo, Declaration, Expr, Level, Name, Signature, Store};

use super::rng::Rng;

/// The types of terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// `Nat`
    Nat,
    /// `Bool`
    Bool,
    /// `Nat × Nat`
    Pair,
    /// `List Nat`
    List,
    /// `Nat → Nat`
    Fun,
    /// `PUnit`, any two elements of which are equal by definition.
    Unit,
}

const ALL: [Ty; 6] = [Ty::Nat, Ty::Bool, Ty::Pair, Ty::List, Ty::Fun, Ty::Unit];

/// Makes terms.
pub struct Terms<'r, 'b> {
    /// The store.
    pub st: &'b Store<'b>,
    /// Where chance comes from.
    pub rng: &'r mut Rng,
}

type Vars = Vec<(Expr, Ty)>;

impl<'b> Terms<'_, 'b> {
    fn one(&self) -> Level {
        self.st.level_nat(1)
    }

    fn ty(&self, t: Ty) -> Expr {
        let st = self.st;
        let nat = st.const0("Nat");
        let zero = [Level::ZERO];
        match t {
            Ty::Nat => nat,
            Ty::Bool => st.const0("Bool"),
            Ty::Pair => {
                let prod = st.constant(st.name("Prod"), &[Level::ZERO, Level::ZERO]);
                st.apps(prod, &[nat, nat])
            }
            Ty::List => st.app(st.constant(st.name("List"), &zero), nat),
            Ty::Fun => st.pi(st.name("n"), nat, nat, BinderInfo::Default),
            Ty::Unit => st.constant(st.name("PUnit"), &[self.one()]),
        }
    }

    fn lam(&self, x: Expr, t: Ty, body: Expr) -> Expr {
        let st = self.st;
        st.lam(
            st.name("x"),
            self.ty(t),
            st.abstract_fvars(body, &[x]),
            BinderInfo::Default,
        )
    }

    fn call(&self, f: &str, args: &[Expr]) -> Expr {
        self.st.apps(self.st.const0(f), args)
    }

    fn pair(&self, what: &str, args: &[Expr]) -> Expr {
        let st = self.st;
        let nat = self.ty(Ty::Nat);
        let f = st.constant(st.name(what), &[Level::ZERO, Level::ZERO]);
        st.apps(st.apps(f, &[nat, nat]), args)
    }

    fn list(&self, what: &str, args: &[Expr]) -> Expr {
        let st = self.st;
        let f = st.constant(st.name(what), &[Level::ZERO]);
        st.apps(st.app(f, self.ty(Ty::Nat)), args)
    }

    /// A term of a type.
    pub fn term(&mut self, t: Ty, vars: &mut Vars, deep: usize) -> Expr {
        let known: Vec<Expr> = vars.iter().filter(|v| v.1 == t).map(|v| v.0).collect();
        if !known.is_empty() && self.rng.once_in(3) {
            return *self.rng.pick(&known);
        }
        if deep > 0 && self.rng.once_in(3) {
            return self.eliminated(t, vars, deep - 1);
        }
        let d = deep.saturating_sub(1);
        match (t, deep) {
            (Ty::Nat, 0) => self.literal(),
            (Ty::Nat, _) => match self.rng.below(6) {
                0 => self.literal(),
                1 => {
                    let n = self.term(Ty::Nat, vars, d);
                    self.call("Nat.succ", &[n])
                }
                2 => {
                    let f = self.term(Ty::Fun, vars, d);
                    let n = self.term(Ty::Nat, vars, d);
                    self.st.app(f, n)
                }
                3 => {
                    let p = self.term(Ty::Pair, vars, d);
                    let i = self.rng.below(2) as u32;
                    self.st.proj(self.st.name("Prod"), i, p)
                }
                _ => {
                    let ops = ["Nat.add", "Nat.sub", "Nat.mul", "Nat.pow"];
                    let op = ops[self.rng.below(ops.len())];
                    let (a, b) = (self.term(Ty::Nat, vars, d), self.term(Ty::Nat, vars, d));
                    self.call(op, &[a, b])
                }
            },
            (Ty::Bool, 0) => self.st.const0(if self.rng.once_in(2) {
                "Bool.true"
            } else {
                "Bool.false"
            }),
            (Ty::Bool, _) => {
                let op = if self.rng.once_in(2) {
                    "Nat.beq"
                } else {
                    "Nat.ble"
                };
                let (a, b) = (self.term(Ty::Nat, vars, d), self.term(Ty::Nat, vars, d));
                self.call(op, &[a, b])
            }
            (Ty::Pair, _) => {
                let (a, b) = (self.term(Ty::Nat, vars, d), self.term(Ty::Nat, vars, d));
                self.pair("Prod.mk", &[a, b])
            }
            (Ty::List, _) if deep == 0 || self.rng.once_in(3) => self.list("List.nil", &[]),
            (Ty::List, _) => {
                let (a, l) = (self.term(Ty::Nat, vars, d), self.term(Ty::List, vars, d));
                self.list("List.cons", &[a, l])
            }
            (Ty::Fun, _) => {
                let x = self.st.fresh_fvar();
                vars.push((x, Ty::Nat));
                let body = self.term(Ty::Nat, vars, d);
                vars.pop();
                self.lam(x, Ty::Nat, body)
            }
            (Ty::Unit, _) => self.st.constant(self.st.name("PUnit.unit"), &[self.one()]),
        }
    }

    fn literal(&mut self) -> Expr {
        match self.rng.below(8) {
            0 => self.st.const0("Nat.zero"),
            1 => self.st.nat_u64(1 << 40),
            _ => self.st.nat_u64(self.rng.below(6) as u64),
        }
    }

    /// A term that computes by a recursor, a `let` or a function applied.
    fn eliminated(&mut self, t: Ty, vars: &mut Vars, deep: usize) -> Expr {
        let st = self.st;
        let out = self.ty(t);
        let motive =
            |this: &Self, of: Ty| st.lam(st.name("m"), this.ty(of), out, BinderInfo::Default);
        match self.rng.below(6) {
            0 => {
                let of = *self.rng.pick(&ALL);
                let v = self.term(of, vars, deep);
                let x = st.fresh_fvar();
                vars.push((x, of));
                let body = self.term(t, vars, deep);
                vars.pop();
                match self.rng.below(2) {
                    0 => st.let_(st.name("x"), self.ty(of), v, st.abstract_fvars(body, &[x])),
                    _ => st.app(self.lam(x, of, body), v),
                }
            }
            1 => {
                let n = self.term(Ty::Nat, vars, deep.min(1));
                let z = self.term(t, vars, deep);
                let (k, ih) = (st.fresh_fvar(), st.fresh_fvar());
                vars.extend([(k, Ty::Nat), (ih, t)]);
                let s = self.term(t, vars, deep);
                vars.truncate(vars.len() - 2);
                let s = self.lam(k, Ty::Nat, self.lam(ih, t, s));
                let rec = st.constant(st.name("Nat.rec"), &[self.one()]);
                st.apps(rec, &[motive(self, Ty::Nat), z, s, n])
            }
            2 => {
                let b = self.term(Ty::Bool, vars, deep);
                let (x, y) = (self.term(t, vars, deep), self.term(t, vars, deep));
                let rec = st.constant(st.name("Bool.rec"), &[self.one()]);
                st.apps(rec, &[motive(self, Ty::Bool), x, y, b])
            }
            3 => {
                let l = self.term(Ty::List, vars, deep);
                let z = self.term(t, vars, deep);
                let (h, r, ih) = (st.fresh_fvar(), st.fresh_fvar(), st.fresh_fvar());
                vars.extend([(h, Ty::Nat), (r, Ty::List), (ih, t)]);
                let s = self.term(t, vars, deep);
                vars.truncate(vars.len() - 3);
                let s = self.lam(h, Ty::Nat, self.lam(r, Ty::List, self.lam(ih, t, s)));
                let rec = st.constant(st.name("List.rec"), &[self.one(), Level::ZERO]);
                st.apps(rec, &[self.ty(Ty::Nat), motive(self, Ty::List), z, s, l])
            }
            4 => {
                // A cast along an equation of numbers that holds by computation, or along an unknown one.
                let n = self.term(Ty::Nat, vars, 0);
                let v = self.term(t, vars, deep);
                let eq = st.constant(st.name("Eq.refl"), &[self.one()]);
                let nat = self.ty(Ty::Nat);
                let h = st.apps(eq, &[nat, n]);
                let b = st.fresh_fvar();
                let e = st.fresh_fvar();
                let eq_ty = st.apps(st.constant(st.name("Eq"), &[self.one()]), &[nat, n, b]);
                let m = st.lam(
                    st.name("e"),
                    eq_ty,
                    st.abstract_fvars(out, &[e]),
                    BinderInfo::Default,
                );
                let m = st.lam(
                    st.name("b"),
                    nat,
                    st.abstract_fvars(m, &[b]),
                    BinderInfo::Default,
                );
                let rec = st.constant(st.name("Eq.rec"), &[self.one(), self.one()]);
                st.apps(rec, &[nat, n, m, v, n, h])
            }
            _ => {
                let p = self.term(Ty::Pair, vars, deep);
                let (a, b) = (st.fresh_fvar(), st.fresh_fvar());
                vars.extend([(a, Ty::Nat), (b, Ty::Nat)]);
                let s = self.term(t, vars, deep);
                vars.truncate(vars.len() - 2);
                let s = self.lam(a, Ty::Nat, self.lam(b, Ty::Nat, s));
                let rec = st.constant(st.name("Prod.rec"), &[self.one(), Level::ZERO, Level::ZERO]);
                let nat = self.ty(Ty::Nat);
                st.apps(rec, &[nat, nat, motive(self, Ty::Pair), s, p])
            }
        }
    }

    /// The same value, written otherwise.
    fn otherwise(&mut self, e: Expr, t: Ty) -> Expr {
        let st = self.st;
        match (t, self.rng.below(4)) {
            (Ty::Fun, 0 | 1) => {
                let x = st.fresh_fvar();
                self.lam(x, Ty::Nat, st.app(e, x))
            }
            (Ty::Pair, 0 | 1) => {
                let prod = st.name("Prod");
                self.pair("Prod.mk", &[st.proj(prod, 0, e), st.proj(prod, 1, e)])
            }
            (Ty::Nat, 0) => self.call("Nat.add", &[e, st.nat_u64(0)]),
            (Ty::Nat, 1) => {
                let more = self.call("Nat.succ", &[e]);
                self.call("Nat.sub", &[more, st.nat_u64(1)])
            }
            (_, 2) => {
                let x = st.fresh_fvar();
                st.app(self.lam(x, t, x), e)
            }
            _ => st.let_(st.name("y"), self.ty(t), e, st.bvar(0)),
        }
    }

    /// An equation, perhaps under variables.
    pub fn theorem(&mut self, name: Name) -> Declaration {
        let st = self.st;
        let mut vars: Vars = Vec::new();
        for _ in 0..self.rng.below(3) {
            let t = *self.rng.pick(&ALL);
            vars.push((st.fresh_fvar(), t));
        }
        let t = *self.rng.pick(&ALL);
        let deep = 1 + self.rng.below(4);
        let a = self.term(t, &mut vars, deep);
        let mut b = a;
        for _ in 0..=self.rng.below(2) {
            b = self.otherwise(b, t);
        }
        if self.rng.once_in(2) {
            b = self.changed(b, t, &mut vars);
        }
        let (a, b) = if self.rng.once_in(2) { (b, a) } else { (a, b) };
        let ty = self.ty(t);
        let eq = st.apps(st.constant(st.name("Eq"), &[self.one()]), &[ty, a, b]);
        let proof = st.apps(st.constant(st.name("Eq.refl"), &[self.one()]), &[ty, a]);
        let binders: Vec<(Expr, Expr)> = vars.iter().map(|v| (v.0, self.ty(v.1))).collect();
        let x = st.name("x");
        let ty = st.close_over(&binders, eq, |_, t, b| st.pi(x, t, b, BinderInfo::Default));
        let value = st.close_over(&binders, proof, |_, t, b| {
            st.lam(x, t, b, BinderInfo::Default)
        });
        let sig = Signature {
            name,
            univ_params: Vec::new(),
            ty,
        };
        Declaration::Theorem { sig, value }
    }

    /// A term of the same type in which something may be different.
    fn changed(&mut self, e: Expr, t: Ty, vars: &mut Vars) -> Expr {
        let st = self.st;
        match t {
            Ty::Nat => self.call("Nat.succ", &[e]),
            Ty::Pair => {
                let other = self.term(Ty::Nat, vars, 1);
                self.pair("Prod.mk", &[st.proj(st.name("Prod"), 0, e), other])
            }
            t => self.term(t, vars, 2),
        }
    }
}
