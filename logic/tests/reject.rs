//! What the kernel must refuse and the notation of `tests/reject/kernel` cannot write: variables from elsewhere, flags,
//! limits, the order of questions.

use lab::*;
use logic::{KernelError::*, *};

#[test]
fn stray_variables() {
    lab(PRELUDE, |l| {
        let nat = l.term("Nat");
        let sig = |name, ty| Signature {
            name,
            univ_params: vec![],
            ty,
        };
        // A free variable, also one that a checker made and that earlier checks have cached; also a metavariable.
        let mut c = Checker::new(&l.env, &[]);
        let x = c.fresh_fvar(l.term("False"), None);
        assert_eq!(c.check(x), Ok(l.term("False")));
        for id in [0, 1, 7, 1 << 31, (1 << 31) + 1, u32::MAX] {
            let x = l.st.fvar(id);
            let d = Declaration::Theorem {
                sig: sig(l.name("t"), l.term("False")),
                value: x,
            };
            assert_eq!(l.env.add(d), Err(FreeVariable(x)));
            assert_eq!(
                l.env.add(Declaration::Axiom(sig(l.name("t"), x))),
                Err(FreeVariable(x))
            );
            let ind = Declaration::Inductive(InductiveDecl {
                univ_params: vec![],
                num_params: 0,
                types: vec![InductiveType {
                    name: l.name("T"),
                    ty: l.term("Type"),
                    ctors: vec![(
                        l.name("T.c"),
                        l.st.pi(Name::ANON, x, l.term("T"), BinderInfo::Default),
                    )],
                }],
            });
            assert!(matches!(l.env.add(ind), Err(FreeVariable(_))));
        }
        let m = l.st.mvar(0);
        let d = Declaration::Definition {
            sig: sig(l.name("t"), nat),
            value: m,
            hint: Hint::Abbrev,
        };
        assert_eq!(l.env.add(d), Err(MetaVariable(m)));
        let s = l.st.sort(l.st.level_mvar(0));
        assert_eq!(
            l.env.add(Declaration::Axiom(sig(l.name("t"), s))),
            Err(LevelMetaVariable(s))
        );
    });
}

#[test]
fn inductive_form() {
    lab(PRELUDE, |l| {
        let empty = Declaration::Inductive(InductiveDecl {
            univ_params: vec![],
            num_params: 0,
            types: vec![],
        });
        assert_eq!(l.env.add(empty), Err(EmptyInductive));
        let (st, type_) = (l.st, l.term("Type"));
        let ty = |n: &str| InductiveType {
            name: st.name(n),
            ty: type_,
            ctors: vec![],
        };
        let two = |num_params, types| {
            Declaration::Inductive(InductiveDecl {
                univ_params: vec![],
                num_params,
                types,
            })
        };
        assert_eq!(
            l.env.add(two(1, vec![ty("A")])),
            Err(ParamCount(l.name("A")))
        );
        let mut t = ty("A");
        t.ty = l.term("Type -> Type");
        t.ctors = vec![(l.name("A.mk"), l.term("A Nat"))];
        assert_eq!(
            l.env.add(two(1, vec![t.clone()])),
            Err(ParamCount(l.name("A.mk")))
        );
        t.ctors = vec![(l.name("A.mk"), l.term("(α : Prop) -> A Nat"))];
        assert_eq!(
            l.env.add(two(1, vec![t])),
            Err(ParamMismatch {
                name: l.name("A.mk"),
                index: 0
            })
        );
    });
}

#[test]
fn elimination() {
    // `Or`, `Exists` eliminate into propositions only: their recursors have no universe parameter for it.
    for (ty, params) in [
        ("Or", 0),
        ("Exists", 1),
        ("And", 1),
        ("Eq", 2),
        ("Acc", 2),
        ("False", 1),
    ] {
        lab(PRELUDE, |l| {
            let rec = l.env.get(l.name(&format!("{ty}.rec"))).expect("exists");
            assert_eq!(rec.univ_params().len(), params, "{ty}");
        });
    }
    // A type that is a proposition for some universes.
    lab(PRELUDE, |l| {
        l.accept("inductive B.{u} (α : Sort u) : Sort u | mk : α -> B.{u} α");
        assert_eq!(
            l.env
                .get(l.name("B.rec"))
                .expect("exists")
                .univ_params()
                .len(),
            1
        );
    });
}

#[test]
fn k_is_derived() {
    lab(PRELUDE, |l| {
        let k = |n: &str| match l.env.get(l.name(n)) {
            Some(ConstantInfo::Recursor(r)) => r.k,
            _ => panic!("{n} is a recursor"),
        };
        assert!(k("Eq.rec") && k("True.rec"));
        for n in [
            "And.rec",
            "Or.rec",
            "Nat.rec",
            "PUnit.rec",
            "Acc.rec",
            "False.rec",
        ] {
            assert!(!k(n), "{n}");
        }
    });
}

#[test]
fn arithmetic_is_earned() {
    // A `Nat.add` that is not addition is not computed as addition.
    let prelude = "inductive Eq.{u} (α : Sort u) (a : α) : α -> Prop | refl : Eq.{u} α a a
        inductive Bool : Type | false : Bool | true : Bool
        inductive Nat : Type | zero : Nat | succ : Nat -> Nat
        def Nat.add : Nat -> Nat -> Nat := fun (n m : Nat) => n
        def Nat.ble : Nat -> Nat -> Bool := fun (n m : Nat) => Bool.false
        def Nat.pow : Nat -> Nat -> Nat := fun (n m : Nat) => n";
    lab(prelude, |l| {
        assert_eq!(l.whnf("Nat.add 2 3"), "2");
        assert_eq!(l.whnf("Nat.ble 2 3"), "Bool.false");
        assert_eq!(l.whnf("Nat.pow 2 3"), "2");
        let e = l.reject("theorem t : Eq.{1} Nat (Nat.add 2 3) 5 := Eq.refl.{1} Nat 5");
        assert!(matches!(e, DeclarationMismatch { .. }));
    });
    // `Nat.mul` over a wrong `Nat.add` is not multiplication either.
    let prelude = "inductive Nat : Type | zero : Nat | succ : Nat -> Nat
        def Nat.add : Nat -> Nat -> Nat := fun (n m : Nat) => n
        def Nat.mul : Nat -> Nat -> Nat := fun (n m : Nat) =>
          Nat.rec.{1} (fun (_ : Nat) => Nat) Nat.zero (fun (_ ih : Nat) => Nat.add ih n) m";
    lab(prelude, |l| assert_eq!(l.whnf("Nat.mul 2 3"), "Nat.zero"));
    // An axiom of that name computes nothing.
    lab(
        "inductive Nat : Type | zero : Nat | succ : Nat -> Nat axiom Nat.add : Nat -> Nat -> Nat",
        |l| {
            assert_eq!(l.whnf("Nat.add 2 3"), "Nat.add 2 3");
        },
    );
}

#[test]
fn limits_are_named() {
    // Numbers are kept for good, so many large ones are too much, each of them small enough.
    let little = Limits {
        max_terms: 100_000,
        ..Limits::default()
    };
    lab_with(little, PRELUDE, |l| {
        let fact = "def fact : Nat -> Nat := fun (n : Nat) =>
              Nat.rec.{1} (fun (_ : Nat) => Nat) 1 (fun (n ih : Nat) => Nat.mul (Nat.succ n) ih) n
            theorem c : Eq.{1} Nat (Nat.mul (fact 4000) 0) 1 := Eq.refl.{1} Nat 1";
        assert_eq!(l.reject(fact), TooManyTerms);
    });
    let few = Limits {
        max_steps: 1000,
        ..Limits::default()
    };
    lab_with(few, PRELUDE, |l| {
        let slow = "def two : Nat -> Nat := fun (n : Nat) => Nat.rec.{1} (fun (_ : Nat) => Nat) 0 (fun (_ ih : Nat) => Nat.succ ih) n
            theorem c : Eq.{1} Nat (two 5000) 5000 := Eq.refl.{1} Nat 5000";
        assert_eq!(l.reject(slow), OutOfSteps);
    });
}

#[test]
fn equality_does_not_depend_on_order() {
    lab(PRELUDE, |l| {
        l.accept("axiom a : Nat axiom b : Nat axiom c : Nat -> Nat");
        let terms: Vec<Expr> = ["c a", "c b", "a", "b", "Nat.add a b", "Nat.add b a"]
            .iter()
            .map(|t| l.term(t))
            .collect();
        let ask = |order: &[usize]| {
            let mut ch = Checker::new(&l.env, &[]);
            let mut out = vec![];
            for i in order {
                for j in order {
                    out.push((*i, *j, ch.is_defeq(terms[*i], terms[*j])));
                }
            }
            out.sort_by_key(|x| (x.0, x.1));
            out
        };
        let forward = ask(&[0, 1, 2, 3, 4, 5]);
        assert_eq!(forward, ask(&[5, 4, 3, 2, 1, 0]));
        assert_eq!(forward, ask(&[2, 5, 0, 4, 1, 3]));
        assert!(forward.iter().all(|(i, j, r)| *r == Ok(i == j)));
    });
}
