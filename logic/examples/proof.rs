//! Builds a small development through the API and checks it: `Nat`, `Eq`, addition, and `∀ n, 0 + n = n` by induction.

use bumpalo::Bump;
use logic::{
    BinderInfo, Declaration, Environment, Expr, Hint, InductiveDecl, InductiveType, KernelError,
    Level, Name, Signature, Store,
};

/// Short names for the constructors of terms.
struct Terms<'b> {
    st: &'b Store<'b>,
}

impl Terms<'_> {
    fn name(&self, s: &str) -> Name {
        self.st.name(s)
    }

    /// A constant with universe arguments.
    fn c(&self, s: &str, levels: &[Level]) -> Expr {
        self.st.constant(self.name(s), levels)
    }

    /// Bound variable `i`, counted from the innermost binder.
    fn v(&self, i: u32) -> Expr {
        self.st.bvar(i)
    }

    fn app(&self, f: Expr, args: &[Expr]) -> Expr {
        self.st.apps(f, args)
    }

    fn pi(&self, x: &str, ty: Expr, body: Expr) -> Expr {
        self.st.pi(self.name(x), ty, body, BinderInfo::Default)
    }

    fn fun(&self, x: &str, ty: Expr, body: Expr) -> Expr {
        self.st.lam(self.name(x), ty, body, BinderInfo::Default)
    }

    fn sig(&self, name: &str, univ_params: &[Name], ty: Expr) -> Signature {
        Signature {
            name: self.name(name),
            univ_params: univ_params.to_vec(),
            ty,
        }
    }
}

fn inductive(
    t: &Terms<'_>,
    univ_params: &[Name],
    num_params: u32,
    (name, ty): (&str, Expr),
    ctors: &[(&str, Expr)],
) -> Declaration {
    Declaration::Inductive(InductiveDecl {
        univ_params: univ_params.to_vec(),
        num_params,
        types: vec![InductiveType {
            name: t.name(name),
            ty,
            ctors: ctors.iter().map(|(n, ty)| (t.name(n), *ty)).collect(),
        }],
    })
}

/// Adds everything to the environment.
fn develop(env: &mut Environment<'_>) -> Result<(), KernelError> {
    let st = env.store();
    let t = Terms { st };
    let (u, one) = (t.name("u"), st.level_nat(1));
    let (sort_u, lu) = (st.sort(st.level_param(u)), st.level_param(u));

    // inductive Nat : Type | zero : Nat | succ : Nat → Nat
    let nat = t.c("Nat", &[]);
    let ctors = [("Nat.zero", nat), ("Nat.succ", t.pi("n", nat, nat))];
    env.add(inductive(&t, &[], 0, ("Nat", st.sort(one)), &ctors))?;

    // inductive Eq.{u} (α : Sort u) (a : α) : α → Prop | refl : Eq α a a
    let params = |body| t.pi("α", sort_u, t.pi("a", t.v(0), body));
    let eq_ty = params(t.pi("b", t.v(1), st.prop()));
    let refl = params(t.app(t.c("Eq", &[lu]), &[t.v(1), t.v(0), t.v(0)]));
    env.add(inductive(&t, &[u], 2, ("Eq", eq_ty), &[("Eq.refl", refl)]))?;

    // def Nat.add (n m : Nat) : Nat := Nat.rec (fun _ => Nat) n (fun _ sum => Nat.succ sum) m
    let (zero, succ) = (t.c("Nat.zero", &[]), t.c("Nat.succ", &[]));
    let step = t.fun("k", nat, t.fun("sum", nat, t.app(succ, &[t.v(0)])));
    let sum = t.app(
        t.c("Nat.rec", &[one]),
        &[t.fun("k", nat, nat), t.v(1), step, t.v(0)],
    );
    env.add(Declaration::Definition {
        sig: t.sig("Nat.add", &[], t.pi("n", nat, t.pi("m", nat, nat))),
        value: t.fun("n", nat, t.fun("m", nat, sum)),
        hint: Hint::Regular(1),
    })?;

    // theorem zero_add (n : Nat) : Nat.add 0 n = n, by induction: the step takes `ih : 0 + k = k` to `0 + succ k = succ k`
    // along the motive `fun x _ => 0 + succ k = succ x`.
    let eq = |a, b| t.app(t.c("Eq", &[one]), &[nat, a, b]);
    let add0 = |n| t.app(t.c("Nat.add", &[]), &[zero, n]);
    let refl = |a| t.app(t.c("Eq.refl", &[one]), &[nat, a]);
    let motive = t.fun("n", nat, eq(add0(t.v(0)), t.v(0)));
    let succ_of = |n| t.app(succ, &[n]);
    // Under the binders `k` and `ih`, `t.v(1)` is k and `t.v(0)` is ih.
    let along = t.fun(
        "x",
        nat,
        t.fun(
            "h",
            eq(add0(t.v(2)), t.v(0)),
            eq(add0(succ_of(t.v(3))), succ_of(t.v(1))),
        ),
    );
    let stepped = t.app(
        t.c("Eq.rec", &[Level::ZERO, one]),
        &[
            nat,
            add0(t.v(1)),
            along,
            refl(add0(succ_of(t.v(1)))),
            t.v(1),
            t.v(0),
        ],
    );
    let step = t.fun("k", nat, t.fun("ih", eq(add0(t.v(0)), t.v(0)), stepped));
    let proof = t.app(
        t.c("Nat.rec", &[Level::ZERO]),
        &[motive, refl(zero), step, t.v(0)],
    );
    env.add(Declaration::Theorem {
        sig: t.sig("zero_add", &[], t.pi("n", nat, eq(add0(t.v(0)), t.v(0)))),
        value: t.fun("n", nat, proof),
    })?;

    // The same proof of `0 + n = succ n` is refused.
    let wrong = t.sig(
        "wrong",
        &[],
        t.pi("n", nat, eq(add0(t.v(0)), succ_of(t.v(0)))),
    );
    let refused = env.add(Declaration::Theorem {
        sig: wrong,
        value: t.fun("n", nat, proof),
    });
    match refused {
        Ok(()) => println!("0 + n = succ n is accepted"),
        Err(e) => println!("refused: {}", e.display(st)),
    }
    Ok(())
}

fn main() {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut env = Environment::new(&store);
    if let Err(e) = develop(&mut env) {
        println!("refused: {}", e.display(&store));
        std::process::exit(1);
    }
    for c in env.constants() {
        let (name, ty) = (store.name_to_string(c.name()), store.show(c.ty()));
        println!("{name} : {ty}");
    }
    println!("{} kernel steps", env.steps());
}
