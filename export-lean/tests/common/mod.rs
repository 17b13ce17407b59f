//! A small environment with one declaration of every kind.

use logic::{
    BinderInfo, Declaration, Environment, Expr, Hint, InductiveDecl, InductiveType, Level, Name,
    Signature, Store,
};

/// Shorthands over a store.
pub struct Make<'b> {
    /// The store.
    pub st: &'b Store<'b>,
}

impl<'b> Make<'b> {
    /// A name.
    pub fn n(&self, s: &str) -> Name {
        self.st.name(s)
    }

    /// A constant without universes.
    pub fn c(&self, s: &str) -> Expr {
        self.st.const0(s)
    }

    /// A constant with universes.
    pub fn cu(&self, s: &str, us: &[Level]) -> Expr {
        self.st.constant(self.n(s), us)
    }

    /// An application.
    pub fn app(&self, f: Expr, args: &[Expr]) -> Expr {
        self.st.apps(f, args)
    }

    /// A bound variable.
    pub fn v(&self, i: u32) -> Expr {
        self.st.bvar(i)
    }

    /// A dependent function type.
    pub fn pi(&self, n: &str, ty: Expr, body: Expr) -> Expr {
        self.st.pi(self.n(n), ty, body, BinderInfo::Default)
    }

    /// The same with an implicit binder.
    pub fn pi_implicit(&self, n: &str, ty: Expr, body: Expr) -> Expr {
        self.st.pi(self.n(n), ty, body, BinderInfo::Implicit)
    }

    /// A function.
    pub fn lam(&self, n: &str, ty: Expr, body: Expr) -> Expr {
        self.st.lam(self.n(n), ty, body, BinderInfo::Default)
    }

    /// `Sort u`.
    pub fn sort_u(&self) -> Expr {
        self.st.sort(self.u())
    }

    /// The universe parameter `u`.
    pub fn u(&self) -> Level {
        self.st.level_param(self.n("u"))
    }

    /// `Type`.
    pub fn type0(&self) -> Expr {
        self.st.sort(self.st.level_nat(1))
    }

    /// A signature.
    pub fn sig(&self, name: &str, params: &[&str], ty: Expr) -> Signature {
        Signature {
            name: self.n(name),
            univ_params: params.iter().map(|p| self.n(p)).collect(),
            ty,
        }
    }

    /// An inductive type.
    pub fn inductive(
        &self,
        name: &str,
        params: &[&str],
        num_params: u32,
        ty: Expr,
        ctors: &[(&str, Expr)],
    ) -> Declaration {
        Declaration::Inductive(InductiveDecl {
            univ_params: params.iter().map(|p| self.n(p)).collect(),
            num_params,
            types: vec![InductiveType {
                name: self.n(name),
                ty,
                ctors: ctors.iter().map(|(c, t)| (self.n(c), *t)).collect(),
            }],
        })
    }

    /// `Eq a b` at `Nat`.
    pub fn eq_nat(&self, a: Expr, b: Expr) -> Expr {
        let one = self.st.level_nat(1);
        self.app(self.cu("Eq", &[one]), &[self.c("Nat"), a, b])
    }

    /// `Eq.refl a` at `Nat`.
    pub fn refl_nat(&self, a: Expr) -> Expr {
        let one = self.st.level_nat(1);
        self.app(self.cu("Eq.refl", &[one]), &[self.c("Nat"), a])
    }

    /// Everything.
    pub fn declarations(&self) -> Vec<Declaration> {
        let st = self.st;
        let nat = self.c("Nat");
        let (prop, u) = (st.prop(), self.u());
        let one = st.level_nat(1);
        let mut out = Vec::new();
        // Nat, Eq, the quotient.
        out.push(self.inductive(
            "Nat",
            &[],
            0,
            self.type0(),
            &[("Nat.zero", nat), ("Nat.succ", self.pi("n", nat, nat))],
        ));
        let eq = |a, b, c| self.app(self.cu("Eq", &[u]), &[a, b, c]);
        out.push(self.inductive(
            "Eq",
            &["u"],
            2,
            self.pi_implicit(
                "α",
                self.sort_u(),
                self.pi("a", self.v(0), self.pi("b", self.v(1), prop)),
            ),
            &[(
                "Eq.refl",
                self.pi_implicit(
                    "α",
                    self.sort_u(),
                    self.pi("a", self.v(0), eq(self.v(1), self.v(0), self.v(0))),
                ),
            )],
        ));
        out.push(Declaration::Quot);
        // A structure with a projection function.
        let pair = self.app(self.c("Pair"), &[self.v(0)]);
        out.push(self.inductive(
            "Pair",
            &[],
            1,
            self.pi("α", self.type0(), self.type0()),
            &[(
                "Pair.mk",
                self.pi(
                    "α",
                    self.type0(),
                    self.pi(
                        "fst",
                        self.v(0),
                        self.pi("snd", self.v(1), self.app(self.c("Pair"), &[self.v(2)])),
                    ),
                ),
            )],
        ));
        out.push(Declaration::Definition {
            sig: self.sig(
                "Pair.fst",
                &[],
                self.pi_implicit("α", self.type0(), self.pi("self", pair, self.v(1))),
            ),
            value: self.lam(
                "α",
                self.type0(),
                self.lam("self", pair, st.proj(self.n("Pair"), 0, self.v(0))),
            ),
            hint: Hint::Abbrev,
        });
        // A function by recursion.
        let motive = self.lam("x", nat, nat);
        let step = self.lam(
            "n",
            nat,
            self.lam("ih", nat, self.app(self.c("Nat.succ"), &[self.v(0)])),
        );
        out.push(Declaration::Definition {
            sig: self.sig("Nat.add", &[], self.pi("n", nat, self.pi("m", nat, nat))),
            value: self.lam(
                "n",
                nat,
                self.lam(
                    "m",
                    nat,
                    self.app(
                        self.cu("Nat.rec", &[one]),
                        &[motive, self.v(1), step, self.v(0)],
                    ),
                ),
            ),
            hint: Hint::Regular(1),
        });
        // Theorems, one with a `let` and a name that Lean reads as something else.
        let sum = self.app(self.c("Nat.add"), &[st.nat_u64(2), st.nat_u64(2)]);
        out.push(Declaration::Theorem {
            sig: self.sig("two_and_two", &[], self.eq_nat(sum, st.nat_u64(4))),
            value: self.refl_nat(st.nat_u64(4)),
        });
        let zero = self.c("Nat.zero");
        out.push(Declaration::Theorem {
            sig: self.sig("at.zero", &[], self.eq_nat(zero, zero)),
            value: st.let_(self.n("x"), nat, zero, self.refl_nat(self.v(0))),
        });
        let self_eq = self.pi("n", nat, self.eq_nat(self.v(0), self.v(0)));
        out.push(Declaration::Theorem {
            sig: self.sig("all", &[], self_eq),
            value: self.lam("n", nat, self.refl_nat(self.v(0))),
        });
        out.push(Declaration::Opaque {
            sig: self.sig("hidden", &[], nat),
            value: st.nat_u64(7),
        });
        // Lean's `Iff` and `propext`.
        let arrow = |a, b| self.pi("h", a, b);
        let iff = |a, b| self.app(self.c("Iff"), &[a, b]);
        out.push(self.inductive(
            "Iff",
            &[],
            2,
            self.pi("a", prop, self.pi("b", prop, prop)),
            &[(
                "Iff.intro",
                self.pi_implicit(
                    "a",
                    prop,
                    self.pi_implicit(
                        "b",
                        prop,
                        self.pi(
                            "mp",
                            arrow(self.v(1), self.v(1)),
                            self.pi(
                                "mpr",
                                arrow(self.v(1), self.v(3)),
                                iff(self.v(3), self.v(2)),
                            ),
                        ),
                    ),
                ),
            )],
        ));
        let eq_prop = self.app(self.cu("Eq", &[one]), &[prop, self.v(2), self.v(1)]);
        out.push(Declaration::Axiom(self.sig(
            "propext",
            &[],
            self.pi_implicit(
                "a",
                prop,
                self.pi_implicit("b", prop, self.pi("h", iff(self.v(1), self.v(0)), eq_prop)),
            ),
        )));
        out
    }

    /// An environment with all declarations.
    pub fn environment(&self) -> Environment<'b> {
        let mut env = Environment::new(self.st);
        for d in self.declarations() {
            let shown = format!("{d:?}");
            if let Err(e) = env.add(d) {
                panic!("{}: {shown}", e.display(self.st));
            }
        }
        env
    }
}
