//! The constructions of types with parameters, indices, dependent fields and universes are accepted by the kernel.

use bumpalo::Bump;
use logic::{
    BinderInfo, Declaration, Environment, Expr, InductiveDecl, InductiveType, Level, Node,
    Signature, Store,
};

use super::{after_inductive, structure_projections};

/// A script of declarations over one environment.
struct World<'b> {
    st: &'b Store<'b>,
    env: Environment<'b>,
    /// Names of the auxiliary constants that were added.
    added: Vec<String>,
}

impl<'b> World<'b> {
    fn new(st: &'b Store<'b>) -> Self {
        World {
            st,
            env: Environment::new(st),
            added: Vec::new(),
        }
    }

    fn add(&mut self, d: Declaration) {
        if let Err(e) = self.env.add(d.clone()) {
            panic!("{}\nin {:?}", e.display(self.st), name_of(self.st, &d));
        }
    }

    fn inductive(
        &mut self,
        univs: &[&str],
        params: u32,
        name: &str,
        ty: Expr,
        ctors: &[(&str, Expr)],
    ) {
        let st = self.st;
        self.add(Declaration::Inductive(InductiveDecl {
            univ_params: univs.iter().map(|u| st.name(u)).collect(),
            num_params: params,
            types: vec![InductiveType {
                name: st.name(name),
                ty,
                ctors: ctors.iter().map(|(c, t)| (st.name(c), *t)).collect(),
            }],
        }));
        for d in after_inductive(&self.env, st.name(name)) {
            self.added.push(name_of(st, &d));
            self.add(d);
        }
    }

    fn structure(&mut self, name: &str) {
        for d in structure_projections(&self.env, self.st.name(name)) {
            self.added.push(name_of(self.st, &d));
            self.add(d);
        }
    }

    fn axiom(&mut self, univs: &[&str], name: &str, ty: Expr) {
        let st = self.st;
        self.add(Declaration::Axiom(Signature {
            name: st.name(name),
            univ_params: univs.iter().map(|u| st.name(u)).collect(),
            ty,
        }));
    }

    fn has(&self, name: &str) -> bool {
        self.env.get(self.st.name(name)).is_some()
    }

    fn u(&self, name: &str) -> Level {
        self.st.level_param(self.st.name(name))
    }

    fn ty(&self, u: &str) -> Expr {
        self.st.sort(self.st.level_succ(self.u(u)))
    }

    fn sort(&self, u: &str) -> Expr {
        self.st.sort(self.u(u))
    }

    fn v(&self, i: u32) -> Expr {
        self.st.bvar(i)
    }

    /// `(name : dom) → …` for each part, the last part being the conclusion.
    fn pi(&self, parts: &[(&str, Expr)], end: Expr) -> Expr {
        parts.iter().rev().fold(end, |b, (n, t)| {
            self.st.pi(self.st.name(n), *t, b, BinderInfo::Default)
        })
    }

    fn c(&self, name: &str, levels: &[Level], args: &[Expr]) -> Expr {
        self.st
            .apps(self.st.constant(self.st.name(name), levels), args)
    }
}

fn name_of(st: &Store<'_>, d: &Declaration) -> String {
    match d {
        Declaration::Axiom(sig)
        | Declaration::Definition { sig, .. }
        | Declaration::Theorem { sig, .. }
        | Declaration::Opaque { sig, .. } => st.name_to_string(sig.name),
        Declaration::Inductive(i) => st.name_to_string(i.types[0].name),
        Declaration::Quot => "Quot".to_owned(),
    }
}

/// `Eq`, `HEq`, `And`, `Iff`, `Nat`, and, if `axioms`, `propext` and `eq_of_heq`.
fn basics(w: &mut World<'_>, axioms: bool) {
    let st = w.st;
    let prop = st.prop();
    let u = w.u("u");
    let eq_ty = w.pi(&[("α", w.sort("u")), ("a", w.v(0)), ("b", w.v(1))], prop);
    let eq_refl = w.pi(
        &[("α", w.sort("u")), ("a", w.v(0))],
        w.c("Eq", &[u], &[w.v(1), w.v(0), w.v(0)]),
    );
    w.inductive(&["u"], 2, "Eq", eq_ty, &[("Eq.refl", eq_refl)]);
    let heq_ty = w.pi(
        &[
            ("α", w.sort("u")),
            ("a", w.v(0)),
            ("β", w.sort("u")),
            ("b", w.v(0)),
        ],
        prop,
    );
    let heq_refl = w.pi(
        &[("α", w.sort("u")), ("a", w.v(0))],
        w.c("HEq", &[u], &[w.v(1), w.v(0), w.v(1), w.v(0)]),
    );
    w.inductive(&["u"], 2, "HEq", heq_ty, &[("HEq.refl", heq_refl)]);
    let and_ty = w.pi(&[("a", prop), ("b", prop)], prop);
    let and_intro = w.pi(
        &[
            ("a", prop),
            ("b", prop),
            ("left", w.v(1)),
            ("right", w.v(1)),
        ],
        w.c("And", &[], &[w.v(3), w.v(2)]),
    );
    w.inductive(&[], 2, "And", and_ty, &[("And.intro", and_intro)]);
    w.structure("And");
    let iff_intro = w.pi(
        &[
            ("a", prop),
            ("b", prop),
            ("mp", w.pi(&[("h", w.v(1))], w.v(1))),
            ("mpr", w.pi(&[("h", w.v(1))], w.v(3))),
        ],
        w.c("Iff", &[], &[w.v(3), w.v(2)]),
    );
    w.inductive(&[], 2, "Iff", and_ty, &[("Iff.intro", iff_intro)]);
    if axioms {
        let eq_prop = w.c("Eq", &[st.level_nat(1)], &[prop, w.v(2), w.v(1)]);
        let propext = w.pi(
            &[
                ("a", prop),
                ("b", prop),
                ("h", w.c("Iff", &[], &[w.v(1), w.v(0)])),
            ],
            eq_prop,
        );
        w.axiom(&[], "propext", propext);
        let heq = w.c("HEq", &[u], &[w.v(2), w.v(1), w.v(2), w.v(0)]);
        let eq = w.c("Eq", &[u], &[w.v(3), w.v(2), w.v(1)]);
        let ty = w.pi(
            &[("α", w.sort("u")), ("a", w.v(0)), ("b", w.v(1)), ("h", heq)],
            eq,
        );
        w.axiom(&["u"], "eq_of_heq", ty);
    }
    let type0 = st.sort(st.level_nat(1));
    let nat = st.const0("Nat");
    let succ = w.pi(&[("n", nat)], nat);
    w.inductive(
        &[],
        0,
        "Nat",
        type0,
        &[("Nat.zero", nat), ("Nat.succ", succ)],
    );
}

fn with_world(f: impl FnOnce(&mut World<'_>)) {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut w = World::new(&store);
    f(&mut w);
}

#[test]
fn nat_has_all_of_them() {
    with_world(|w| {
        basics(w, true);
        for n in [
            "Nat.recOn",
            "Nat.casesOn",
            "Nat.noConfusionType",
            "Nat.noConfusion",
            "Nat.succ.inj",
            "Nat.succ.injEq",
        ] {
            assert!(w.has(n), "{n}");
        }
        assert!(
            !w.has("Nat.zero.inj"),
            "a constructor without fields has no `inj`"
        );
        let st = w.st;
        let Some(inj) = w.env.get(st.name("Nat.succ.inj")) else {
            panic!("no inj");
        };
        let nat = st.const0("Nat");
        let one = st.level_nat(1);
        let s = |i| st.app(st.const0("Nat.succ"), st.bvar(i));
        let hyp = w.c("Eq", &[one], &[nat, s(1), s(0)]);
        let end = w.c("Eq", &[one], &[nat, st.bvar(2), st.bvar(1)]);
        let want = w.pi(&[("n", nat), ("n", nat), ("a", hyp)], end);
        let (have, want) = (st.canon(inj.ty()), st.canon(want));
        assert_eq!(erase(st, have), erase(st, want), "{}", st.show(inj.ty()));
    });
}

/// All binders explicit.
fn erase(st: &Store<'_>, e: Expr) -> Expr {
    match st.node(e) {
        Node::Pi(n, t, b, _) => st.pi(n, t, erase(st, b), BinderInfo::Default),
        _ => e,
    }
}

/// Injectivity is for constructors of up to 64 fields.
#[test]
fn wide_constructors_have_no_injectivity() {
    for (fields, has) in [(64, true), (65, false)] {
        with_world(|w| {
            basics(w, true);
            let (nat, wide) = (w.st.const0("Nat"), w.st.const0("Wide"));
            let names: Vec<String> = (0..fields).map(|i| format!("x{i}")).collect();
            let binders: Vec<(&str, Expr)> = names.iter().map(|n| (n.as_str(), nat)).collect();
            let ctor = w.pi(&binders, wide);
            let type0 = w.st.sort(w.st.level_nat(1));
            w.inductive(&[], 0, "Wide", type0, &[("Wide.mk", ctor)]);
            w.structure("Wide");
            assert_eq!(w.has("Wide.mk.inj"), has, "{fields}");
            assert!(w.has("Wide.noConfusion") && w.has("Wide.x63"));
        });
    }
}

#[test]
fn propositions_and_what_comes_before_eq_have_no_confusion() {
    with_world(|w| {
        let st = w.st;
        let type0 = st.sort(st.level_nat(1));
        let b = st.const0("Early");
        w.inductive(&[], 0, "Early", type0, &[("Early.a", b), ("Early.b", b)]);
        assert!(w.has("Early.casesOn") && w.has("Early.recOn"));
        assert!(!w.has("Early.noConfusion"));
        basics(w, true);
        assert!(!w.has("And.noConfusion") && w.has("And.casesOn"));
        assert!(!w.has("Eq.noConfusion") && w.has("Eq.casesOn"));
        assert!(w.has("And.left") && w.has("And.right"));
    });
}

#[test]
fn parameters_recursion_and_universes() {
    with_world(|w| {
        basics(w, true);
        let u = w.u("u");
        let ty = w.pi(&[("α", w.ty("u"))], w.ty("u"));
        let nil = w.pi(&[("α", w.ty("u"))], w.c("List", &[u], &[w.v(0)]));
        let cons = w.pi(
            &[
                ("α", w.ty("u")),
                ("head", w.v(0)),
                ("tail", w.c("List", &[u], &[w.v(1)])),
            ],
            w.c("List", &[u], &[w.v(2)]),
        );
        w.inductive(
            &["u"],
            1,
            "List",
            ty,
            &[("List.nil", nil), ("List.cons", cons)],
        );
        for n in ["List.noConfusion", "List.cons.inj", "List.cons.injEq"] {
            assert!(w.has(n), "{n}");
        }
        // structure Prod.{u, v} (α : Type u) (β : Type v)
        let v = w.u("v");
        let st = w.st;
        let sort = st.sort(st.level_succ(st.level_max(u, v)));
        let ty = w.pi(&[("α", w.ty("u")), ("β", w.ty("v"))], sort);
        let mk = w.pi(
            &[
                ("α", w.ty("u")),
                ("β", w.ty("v")),
                ("fst", w.v(1)),
                ("snd", w.v(1)),
            ],
            w.c("Prod", &[u, v], &[w.v(3), w.v(2)]),
        );
        w.inductive(&["u", "v"], 2, "Prod", ty, &[("Prod.mk", mk)]);
        w.structure("Prod");
        for n in ["Prod.mk.inj", "Prod.mk.injEq", "Prod.fst", "Prod.snd"] {
            assert!(w.has(n), "{n}");
        }
    });
}

#[test]
fn indices_are_shared_and_heterogeneous_fields_become_equations() {
    with_world(|w| {
        basics(w, true);
        let st = w.st;
        let nat = st.const0("Nat");
        let type0 = st.sort(st.level_nat(1));
        // inductive Vec (α : Type) : Nat → Type
        let ty = w.pi(&[("α", type0), ("n", nat)], type0);
        let nil = w.pi(
            &[("α", type0)],
            w.c("Vec", &[], &[w.v(0), st.const0("Nat.zero")]),
        );
        let cons = w.pi(
            &[
                ("α", type0),
                ("n", nat),
                ("head", w.v(1)),
                ("tail", w.c("Vec", &[], &[w.v(2), w.v(1)])),
            ],
            w.c("Vec", &[], &[w.v(3), w.c("Nat.succ", &[], &[w.v(2)])]),
        );
        w.inductive(&[], 1, "Vec", ty, &[("Vec.nil", nil), ("Vec.cons", cons)]);
        assert!(w.has("Vec.noConfusion") && w.has("Vec.cons.inj"));
        let Some(inj) = w.env.get(st.name("Vec.cons.inj")) else {
            panic!("no inj");
        };
        // α n head tail head' tail' h
        let mut binders = 0;
        let mut t = inj.ty();
        while let Node::Pi(_, _, b, _) = st.node(t) {
            binders += 1;
            t = b;
        }
        assert_eq!(binders, 7, "{}", st.show(inj.ty()));
        assert_eq!(st.app_fn(t), st.const0("And"));
    });
}

#[test]
fn dependent_pairs_and_proof_fields() {
    with_world(|w| {
        basics(w, true);
        let st = w.st;
        let (u, v) = (w.u("u"), w.u("v"));
        // structure Sigma.{u, v} {α : Type u} (β : α → Type v)
        let sort = st.sort(st.level_succ(st.level_max(u, v)));
        let beta = w.pi(&[("a", w.v(0))], w.ty("v"));
        let ty = w.pi(&[("α", w.ty("u")), ("β", beta)], sort);
        let mk = w.pi(
            &[
                ("α", w.ty("u")),
                ("β", beta),
                ("fst", w.v(1)),
                ("snd", st.app(w.v(1), w.v(0))),
            ],
            w.c("Sigma", &[u, v], &[w.v(3), w.v(2)]),
        );
        w.inductive(&["u", "v"], 2, "Sigma", ty, &[("Sigma.mk", mk)]);
        w.structure("Sigma");
        assert!(w.has("Sigma.mk.inj") && w.has("Sigma.snd"));
        assert!(!w.has("Sigma.mk.injEq"), "needs HEq");
        // structure Subtype.{u} {α : Sort u} (p : α → Prop) : Sort (max 1 u)
        let p = w.pi(&[("a", w.v(0))], st.prop());
        let ty = w.pi(
            &[("α", w.sort("u")), ("p", p)],
            st.sort(st.level_max(st.level_nat(1), u)),
        );
        let mk = w.pi(
            &[
                ("α", w.sort("u")),
                ("p", p),
                ("val", w.v(1)),
                ("property", st.app(w.v(1), w.v(0))),
            ],
            w.c("Subtype", &[u], &[w.v(3), w.v(2)]),
        );
        w.inductive(&["u"], 2, "Subtype", ty, &[("Subtype.mk", mk)]);
        w.structure("Subtype");
        for n in [
            "Subtype.mk.inj",
            "Subtype.mk.injEq",
            "Subtype.val",
            "Subtype.property",
        ] {
            assert!(w.has(n), "{n}");
        }
        assert!(
            matches!(
                w.env.get(st.name("Subtype.property")),
                Some(logic::ConstantInfo::Theorem { .. })
            ),
            "the projection to a proof is a theorem"
        );
    });
}

#[test]
fn without_propext_and_eq_of_heq_less_is_made() {
    with_world(|w| {
        basics(w, false);
        assert!(w.has("Nat.succ.inj") && !w.has("Nat.succ.injEq"));
    });
}
