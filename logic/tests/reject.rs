//! What the kernel must refuse, each with the rule that is broken. Most are minimal forms of holes that checkers of this
//! type theory have had.

mod common;
use common::*;
use logic::{KernelError::*, *};

fn rejects(text: &str, expected: impl Fn(&Lab<'_>) -> KernelError) {
    lab(PRELUDE, |l| {
        let error = l.reject(text);
        let expected = expected(l);
        assert!(
            error == expected,
            "refused for another reason: {}\nexpected: {}",
            error.display(l.st),
            expected.display(l.st)
        );
    });
}

/// As `rejects`, where the variant is enough.
macro_rules! rejects_as {
    ($text:expr, $pattern:pat) => {
        lab(PRELUDE, |l| {
            let error = l.reject($text);
            assert!(
                matches!(error, $pattern),
                "{error:?}: {}",
                error.display(l.st)
            );
        })
    };
}

#[test]
fn names() {
    rejects("axiom Nat : Type", |l| AlreadyDeclared(l.name("Nat")));
    rejects("def Nat.rec : Nat := 0", |l| {
        AlreadyDeclared(l.name("Nat.rec"))
    });
    rejects("inductive A : Type | a : A | a : A", |l| {
        AlreadyDeclared(l.name("A.a"))
    });
    rejects("inductive A : Type | rec : A", |l| {
        AlreadyDeclared(l.name("A.rec"))
    });
    rejects("axiom B.rec : Type inductive B : Type | b : B", |l| {
        AlreadyDeclared(l.name("B.rec"))
    });
    rejects("axiom B.b : Type inductive B : Type | b : B", |l| {
        AlreadyDeclared(l.name("B.b"))
    });
    rejects("def x : Nat := y", |l| UnknownConstant(l.name("y")));
    // A declaration does not see itself.
    rejects("def loop : False := loop", |l| {
        UnknownConstant(l.name("loop"))
    });
    rejects("theorem loop : False := loop", |l| {
        UnknownConstant(l.name("loop"))
    });
    rejects("opaque loop : False := loop", |l| {
        UnknownConstant(l.name("loop"))
    });
}

#[test]
fn universe_parameters() {
    rejects("axiom c.{u, u} : Sort u", |l| {
        DuplicateUnivParam(l.name("u"))
    });
    rejects("axiom c.{u} : Sort v", |l| UndeclaredUnivParam(l.name("v")));
    rejects("def c : Type := PUnit.{v}", |l| {
        UndeclaredUnivParam(l.name("v"))
    });
    rejects(
        "def c : Prop := Exists.{(imax 0 w)} Nat (fun (_ : Nat) => True)",
        |l| UndeclaredUnivParam(l.name("w")),
    );
    rejects("inductive A.{u, u} : Sort u", |l| {
        DuplicateUnivParam(l.name("u"))
    });
    rejects("def c : Prop := Eq Nat 0 0", |l| UnivArgCount {
        name: l.name("Eq"),
        expected: 1,
        found: 0,
    });
    rejects("def c : Prop := Eq.{1, 1} Nat 0 0", |l| UnivArgCount {
        name: l.name("Eq"),
        expected: 1,
        found: 2,
    });
    rejects(
        "def c : Nat := Nat.rec (fun (_ : Nat) => Nat) 0 (fun (_ i : Nat) => i) 0",
        |l| UnivArgCount {
            name: l.name("Nat.rec"),
            expected: 1,
            found: 0,
        },
    );
}

#[test]
fn stray_variables() {
    rejects("axiom c : #0", |l| LooseBVar(l.term("#0")));
    rejects("def c : Nat -> Nat := fun (x : Nat) => #1", |l| {
        LooseBVar(l.term("fun (x : Nat) => #1"))
    });
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
fn typing() {
    rejects("axiom c : 0", |l| TypeExpected {
        term: l.term("0"),
        ty: l.term("Nat"),
    });
    rejects("def c : Nat := 0 0", |l| FunctionExpected {
        term: l.term("0"),
        ty: l.term("Nat"),
    });
    rejects("def c : Nat := Nat.succ Bool.true", |l| ArgumentMismatch {
        fun: l.term("Nat.succ"),
        arg: l.term("Bool.true"),
        expected: l.term("Nat"),
        found: l.term("Bool"),
    });
    rejects("def c : Nat := let x : Nat := Bool.true; 0", |l| {
        LetMismatch {
            value: l.term("Bool.true"),
            expected: l.term("Nat"),
            found: l.term("Bool"),
        }
    });
    rejects("def c : Nat := let x : 0 := 0; 0", |l| TypeExpected {
        term: l.term("0"),
        ty: l.term("Nat"),
    });
    rejects("def c : Nat := Bool.true", |l| DeclarationMismatch {
        name: l.name("c"),
        expected: l.term("Nat"),
        found: l.term("Bool"),
    });
    rejects("def c : Nat -> Nat := fun (x : 0) => x", |l| TypeExpected {
        term: l.term("0"),
        ty: l.term("Nat"),
    });
    // The unused binder type is checked too.
    rejects_as!(
        "def c : Prop := (fun (x : Nat -> 0) => True) (fun (x : Nat) => x)",
        TypeExpected { .. }
    );
    rejects("theorem c : Nat := 0", |l| TheoremNotProp {
        name: l.name("c"),
        ty: l.term("Nat"),
    });
    rejects(
        "theorem c.{u} : (α : Sort u) -> α -> α := fun (α : Sort u) (x : α) => x",
        |l| TheoremNotProp {
            name: l.name("c"),
            ty: l.term("(α : Sort u) -> α -> α"),
        },
    );
    rejects_as!(
        "theorem c : Eq.{1} Nat 2 3 := Eq.refl.{1} Nat 2",
        DeclarationMismatch { .. }
    );
    rejects_as!("opaque c : False := True.intro", DeclarationMismatch { .. });
}

#[test]
fn universe_order() {
    let not_leq = |ty: &str, value: &str| {
        let text = format!("def c.{{u, v}} : {ty} := {value}");
        lab(PRELUDE, |l| {
            let e = l.reject(&text);
            assert!(matches!(e, DeclarationMismatch { .. }), "{text}: {e:?}");
        });
    };
    not_leq("Sort u", "Sort u");
    not_leq("Sort (imax u v)", "Sort (imax u v)");
    not_leq("Sort (max u v)", "Sort (imax u v)");
    // No `imax u v + 1 ≤ imax u v`, no lost successor, no `imax u v = max u v` (v may be 0).
    not_leq("Sort ((imax u v)+1)", "Sort ((imax u v)+1)");
    not_leq("Sort ((max u v)+1)", "Sort (imax u v)");
    not_leq("Sort ((imax u v)+1)", "Sort (max u v)");
    not_leq("Sort ((max u v)+1)", "Sort (max u (v+1))");
    not_leq("Sort (imax u (v+1)+1)", "Sort (max u v)");
    not_leq("Type", "Sort (imax 1 0)+1");
    not_leq("Sort 2", "Sort (imax u v)");
}

#[test]
fn imax_is_not_prop_by_name_only() {
    // `Sort (imax 1 0)` is `Prop`: data cannot hide in it.
    rejects_as!(
        "inductive S : Sort (imax 1 0) | mk : Nat -> S def out : S -> Nat := fun (s : S) => proj[S, 0] s",
        ProjFromProp { .. }
    );
    rejects_as!(
        "inductive S : Sort (imax 1 0) | mk : Nat -> S
         def out : S -> Nat := fun (s : S) => S.rec.{1} (fun (_ : S) => Nat) (fun (n : Nat) => n) s",
        UnivArgCount { .. }
    );
}

#[test]
fn projections() {
    rejects("def c : Nat := proj[Nat, 0] 3", |l| ProjNotStructure {
        term: l.term("3"),
        ty: l.term("Nat"),
    });
    rejects_as!(
        "def c : Nat -> Nat := fun (f : Nat) => proj[Prod, 0] f",
        ProjNotStructure { .. }
    );
    rejects(
        "inductive P : Type | mk : Nat -> P inductive Q : Type | mk : Bool -> Q
        def c : P -> Nat := fun (p : P) => proj[Q, 0] p",
        |l| ProjWrongStructure {
            named: l.name("Q"),
            found: l.name("P"),
        },
    );
    rejects(
        "inductive P : Type | mk : Nat -> P def c : P -> Nat := fun (p : P) => proj[P, 1] p",
        |l| ProjIndex {
            structure: l.name("P"),
            index: 1,
        },
    );
    // Data out of a proposition: directly, through a dependency, and of a structure that may be a proposition.
    rejects(
        "def c : (Exists.{1} Nat (fun (_ : Nat) => True)) -> Nat :=
        fun (h : Exists.{1} Nat (fun (_ : Nat) => True)) => proj[Exists, 0] h",
        |l| ProjFromProp {
            structure: l.name("Exists"),
            index: 0,
        },
    );
    rejects("axiom p : Nat -> Prop
        def c : (h : Exists.{1} Nat p) -> p (proj[Exists, 0] h) := fun (h : Exists.{1} Nat p) => proj[Exists, 1] h",
        |l| ProjFromProp { structure: l.name("Exists"), index: 0 });
    rejects("axiom p : Nat -> Prop
        theorem c : (h : Exists.{1} Nat p) -> True := fun (h : Exists.{1} Nat p) =>
          (fun (_ : p 0 -> True) => True.intro) (fun (_ : p 0) => (fun (x : True) => x) (proj[Exists, 1] h))",
        |l| ProjFromProp { structure: l.name("Exists"), index: 1 });
    rejects(
        "inductive B.{u} (α : Sort u) : Sort u | mk : α -> B.{u} α
        def c.{u} : (α : Sort u) -> B.{u} α -> α := fun (α : Sort u) (b : B.{u} α) => proj[B, 0] b",
        |l| ProjFromProp {
            structure: l.name("B"),
            index: 0,
        },
    );
}

#[test]
fn positivity() {
    rejects("inductive A : Type | mk : (A -> False) -> A", |l| {
        NonPositive {
            ctor: l.name("A.mk"),
            index: 0,
        }
    });
    rejects("inductive A : Type | mk : ((A -> Nat) -> Nat) -> A", |l| {
        NonPositive {
            ctor: l.name("A.mk"),
            index: 0,
        }
    });
    // Behind a definition.
    rejects(
        "def Neg : Type -> Type := fun (X : Type) => X -> Nat inductive A : Type | mk : Nat -> Neg A -> A",
        |l| NonPositive {
            ctor: l.name("A.mk"),
            index: 1,
        },
    );
    // In an index of itself, in a function's argument, in other parameters.
    rejects(
        "inductive A : Type -> Type | mk : A (A Nat) -> A Nat",
        |l| InvalidOccurrence {
            ctor: l.name("A.mk"),
            index: 0,
        },
    );
    rejects(
        "axiom f : Type -> Type inductive A : Type | mk : f A -> A",
        |l| InvalidOccurrence {
            ctor: l.name("A.mk"),
            index: 0,
        },
    );
    rejects(
        "inductive A (α : Type) : Type | mk : A (List.{0} α) -> A α",
        |l| InvalidOccurrence {
            ctor: l.name("A.mk"),
            index: 1,
        },
    );
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
    rejects_as!("inductive A : Nat", TypeExpected { .. });
    rejects("inductive A : Type | mk : Nat", |l| CtorResult {
        ctor: l.name("A.mk"),
        result: l.term("Nat"),
    });
    rejects_as!(
        "inductive A (α : Type) : Type | mk : A Nat",
        CtorResult { .. }
    );
    rejects_as!("inductive A : Nat -> Type | mk : A", TypeExpected { .. });
    rejects_as!(
        "inductive A : Type -> Type | mk : A (A Nat)",
        CtorResult { .. }
    );
    rejects_as!(
        "inductive A.{u} (α : Sort u) : Sort 1 | mk : A.{1} Nat -> A.{u} α",
        InvalidOccurrence { .. }
    );
}

#[test]
fn constructor_universes() {
    rejects("inductive A : Type | mk : Type -> A", |l| CtorUniverse {
        ctor: l.name("A.mk"),
        index: 0,
        field: l.st.level_nat(2),
        inductive: l.st.level_nat(1),
    });
    rejects_as!(
        "inductive A.{u} (α : Sort u) : Type | mk : α -> A.{u} α",
        CtorUniverse { index: 1, .. }
    );
    rejects_as!(
        "inductive A.{u} (α : Sort (u+1)) : Sort (max 1 u) | mk : α -> A.{u} α",
        CtorUniverse { .. }
    );
    // `imax u 1` may be smaller than what a field in `Sort u` over `Sort v` needs.
    rejects_as!(
        "inductive A.{u, v} (α : Sort u) : Sort (imax u v) | mk : α -> A.{u, v} α",
        CtorUniverse { .. }
    );
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
    // No K where the index differs.
    rejects_as!(
        "axiom h : Eq.{1} Nat 0 1
         theorem c : Eq.{1} Nat (Eq.rec.{1, 1} Nat 0 (fun (x : Nat) (_ : Eq.{1} Nat 0 x) => Nat) 5 1 h) 5 := Eq.refl.{1} Nat 5",
        DeclarationMismatch { .. }
    );
}

#[test]
fn literals() {
    for (text, expected) in [
        ("def c : Prop := 0", NatLiteral),
        ("axiom Nat : Type def c : Nat := 0", NatLiteral),
        (
            "inductive Nat : Type | succ : Nat -> Nat | zero : Nat def c : Nat := 0",
            NatLiteral,
        ),
        (
            "inductive Nat : Type | zero : Nat | succ : (Nat -> Nat) -> Nat def c : Nat := 0",
            NonPositive {
                ctor: Name::ANON,
                index: 0,
            },
        ),
        (
            "inductive Nat : Prop | zero : Nat | succ : Nat -> Nat def c : Nat := 0",
            NatLiteral,
        ),
        ("axiom String : Type def c : String := \"a\"", StringLiteral),
    ] {
        lab("", |l| {
            let decls = l.parse(text);
            let r: Result<Vec<()>, _> = decls.into_iter().map(|d| l.env.add(d)).collect();
            let e = r.expect_err("refused");
            assert_eq!(
                std::mem::discriminant(&e),
                std::mem::discriminant(&expected),
                "{text}: {e:?}"
            );
        });
    }
    // An empty `String` gets no literals from a function into something else.
    rejects(
        "inductive Char : Type axiom Char.ofNat : Nat -> Char inductive String : Type
        axiom String.ofList : List.{0} Char -> Nat def c : String := \"a\"",
        |_| StringLiteral,
    );
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
    let huge = "1".to_owned() + &"0".repeat(30);
    rejects_as!(
        &format!("theorem c : Eq.{{1}} Nat (Nat.pow 2 {huge}) 0 := Eq.refl.{{1}} Nat 0"),
        NatTooBig
    );
    rejects_as!(
        "theorem c : Eq.{1} Nat (Nat.pow (Nat.pow 3 1000000) 1000000) 0 := Eq.refl.{1} Nat 0",
        NatTooBig
    );
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
fn quotients() {
    lab("", |l| assert_eq!(l.reject("quot"), QuotNeedsEq));
    lab("axiom Eq.{u} : (α : Sort u) -> α -> α -> Prop", |l| {
        assert_eq!(l.reject("quot"), QuotNeedsEq)
    });
    // An `Eq` with a constructor for anything would make every function respect every relation.
    lab(
        "inductive Eq.{u} (α : Sort u) (a : α) : α -> Prop | refl : (b : α) -> Eq.{u} α a b",
        |l| {
            assert_eq!(l.reject("quot"), QuotNeedsEq);
        },
    );
    rejects("quot quot", |l| AlreadyDeclared(l.name("Quot")));
    rejects_as!(
        "quot def c : Nat := Quot.lift.{1, 1} Bool (fun (_ _ : Bool) => True) Nat
           (fun (b : Bool) => Bool.rec.{1} (fun (_ : Bool) => Nat) 0 1 b)
           (fun (a b : Bool) (_ : True) => Eq.refl.{1} Nat 0) (Quot.mk.{1} Bool (fun (_ _ : Bool) => True) Bool.true)",
        ArgumentMismatch { .. }
    );
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
