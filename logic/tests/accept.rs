//! What the kernel must accept: the ordinary, and the subtle good neighbours of what it refuses.

use lab::*;
use logic::*;

#[test]
fn prelude_and_recursor_types() {
    lab(PRELUDE, |l| {
        assert_eq!(
            l.type_of("Nat.rec"),
            "(motive : Nat → Sort u) → motive Nat.zero → ((x2 : Nat) → motive x2 → motive (Nat.succ x2)) → (t : Nat) → motive t"
        );
        assert_eq!(
            l.type_of("Eq.rec"),
            "(α : Sort u) → (a : α) → (motive : (x2 : α) → Eq.{u} α a x2 → Sort u_1) → motive a (Eq.refl.{u} α a) → (x4 : α) → (t : Eq.{u} α a x4) → motive x4 t"
        );
        assert_eq!(
            l.type_of("Or.rec"),
            "(a : Prop) → (b : Prop) → (motive : Or a b → Prop) → ((x3 : a) → motive (Or.inl a b x3)) → ((x4 : b) → motive (Or.inr a b x4)) → (t : Or a b) → motive t"
        );
        assert_eq!(
            l.type_of("Acc.rec"),
            "(α : Sort u) → (r : α → α → Prop) → (motive : (x2 : α) → Acc.{u} α r x2 → Sort u_1) → ((x : α) → (x4 : (y : α) → r y x → Acc.{u} α r y) → ((y : α) → (x6 : r y x) → motive y (x4 y x6)) → motive x (Acc.intro.{u} α r x x4)) → (x4 : α) → (t : Acc.{u} α r x4) → motive x4 t"
        );
    });
}

#[test]
fn computation() {
    lab(PRELUDE, |l| {
        assert_eq!(l.whnf("Nat.add 2 3"), "5");
        assert_eq!(l.whnf("Nat.pow 2 100"), "1267650600228229401496703205376");
        assert_eq!(l.whnf("Nat.beq 7 7"), "Bool.true");
        assert!(l.eq("Nat.sub 3 5", "Nat.zero"));
        assert!(l.eq("Nat.succ (Nat.succ Nat.zero)", "2"));
        assert!(l.eq(
            "fun (x : Nat) => Nat.add x 3",
            "fun (x : Nat) => Nat.succ (Nat.succ (Nat.succ x))"
        ));
        assert!(!l.eq(
            "fun (x : Nat) => Nat.add x 3",
            "fun (x : Nat) => Nat.add x 4"
        ));
        l.accept("theorem two : Eq.{1} Nat (Nat.mul 123456789 987654321) 121932631112635269 := Eq.refl.{1} Nat 121932631112635269");
    });
}

#[test]
fn universe_equations() {
    lab(PRELUDE, |l| {
        l.accept(
            "def a.{u, v} : Sort ((max u v)+1) := Sort (max v u)
             def b.{u, v} : Sort ((imax u v)+1) := Sort (imax u v)
             def c.{u, v} : Sort (max (u+1) (v+2)) := Sort (max u (v+1))
             def d.{u, v} : Sort ((imax u (v+1))+1) := Sort (max u (v+1))
             def e.{u} : Sort ((imax u u)+1) := Sort u
             def f.{u} : Sort ((imax 0 u)+1) := Sort u
             def g.{u} : Sort ((imax 1 u)+1) := Sort u
             def h.{u, v, w} : Sort ((imax u (imax v w))+1) := Sort (max (imax u w) (imax v w))
             def i.{u, v, w} : Sort ((imax u (max v w))+1) := Sort (max (imax u v) (imax u w))
             def j.{u, v} : Sort ((imax (imax u v) v)+1) := Sort (imax u v)
             def k.{u} : Sort ((imax u 0)+1) := Prop
             def l.{u, v} : Sort ((max (imax u v) u)+1) := Sort (max u v)",
        );
    });
}

#[test]
fn prop_in_disguise() {
    // `Sort (imax 1 0)` is `Prop`: theorems may live there, proofs are irrelevant, fields that are proofs project.
    lab(PRELUDE, |l| {
        l.accept(
            "inductive S : Sort (imax 1 0) | mk : True -> Nat -> S
             theorem s : S := S.mk True.intro 3
             theorem out : S -> True := fun (s : S) => proj[S, 0] s",
        );
        assert!(l.eq(
            "fun (x y : S) => Eq.refl.{0} S x",
            "fun (x y : S) => Eq.refl.{0} S y"
        ));
    });
}

#[test]
fn projections_and_structure_eta() {
    lab(PRELUDE, |l| {
        let p = "Prod.mk.{0, 0} Nat Bool 3 Bool.true";
        assert_eq!(l.whnf(&format!("proj[Prod, 0] ({p})")), "3");
        assert_eq!(l.whnf(&format!("proj[Prod, 1] ({p})")), "Bool.true");
        let binder = "fun (x : Prod.{0, 0} Nat Bool)";
        assert!(l.eq(
            &format!("{binder} => Prod.mk.{{0, 0}} Nat Bool (proj[Prod, 0] x) (proj[Prod, 1] x)"),
            &format!("{binder} => x")
        ));
        // The recursor computes on a variable of a structure.
        assert!(l.eq(
            &format!("{binder} => Prod.rec.{{1, 0, 0}} Nat Bool (fun (_ : Prod.{{0, 0}} Nat Bool) => Nat) (fun (a : Nat) (b : Bool) => a) x"),
            &format!("{binder} => proj[Prod, 0] x")
        ));
        // A proof that a conjunction's parts are proofs; earlier proofs may occur in the type of later ones.
        l.accept("theorem left : (a b : Prop) -> And a b -> a := fun (a b : Prop) (h : And a b) => proj[And, 0] h");
        // A structure with indices.
        l.accept(
            "inductive I : Nat -> Type | mk : (n : Nat) -> Bool -> I n
             def get : (n : Nat) -> I n -> Nat := fun (n : Nat) (i : I n) => proj[I, 0] i",
        );
        assert_eq!(l.whnf("get 4 (I.mk 4 Bool.true)"), "4");
    });
}

#[test]
fn unit_like_and_function_eta() {
    lab(PRELUDE, |l| {
        assert!(l.eq("fun (x y : PUnit.{1}) => x", "fun (x y : PUnit.{1}) => y"));
        assert!(l.eq(
            "fun (x y : Nat) => x",
            "fun (x : Nat) => (fun (z y : Nat) => z) x"
        ));
        assert!(l.eq(
            "fun (f : Nat -> Nat) (x : Nat) => f x",
            "fun (f : Nat -> Nat) => f"
        ));
        assert!(!l.eq("fun (x y : Bool) => x", "fun (x y : Bool) => y"));
        // A recursive type is no structure, however few its constructors.
        l.accept("inductive W : Type | mk : (Nat -> W) -> W");
        assert!(!l.eq("fun (x y : W) => x", "fun (x y : W) => y"));
    });
}

#[test]
fn proof_irrelevance_and_k() {
    lab(PRELUDE, |l| {
        assert!(l.eq(
            "fun (p : Prop) (a b : p) => a",
            "fun (p : Prop) (a b : p) => b"
        ));
        assert!(l.eq(
            "fun (h : Eq.{1} Nat 0 0) => Eq.rec.{1, 1} Nat 0 (fun (x : Nat) (_ : Eq.{1} Nat 0 x) => Nat) 5 0 h",
            "fun (h : Eq.{1} Nat 0 0) => 5"
        ));
        // Accessibility computes on a constructor, not on a variable.
        assert!(!l.eq(
            "fun (h : Acc.{1} Nat (fun (_ _ : Nat) => False) 0) => Acc.rec.{1, 1} Nat (fun (_ _ : Nat) => False)
               (fun (x : Nat) (_ : Acc.{1} Nat (fun (_ _ : Nat) => False) x) => Nat)
               (fun (x : Nat) (_ : (y : Nat) -> False -> Acc.{1} Nat (fun (_ _ : Nat) => False) y) (_ : (y : Nat) -> False -> Nat) => 7) 0 h",
            "fun (h : Acc.{1} Nat (fun (_ _ : Nat) => False) 0) => 7"
        ));
    });
}

#[test]
fn quotients() {
    lab(PRELUDE, |l| {
        l.accept(
            "quot
             def r : Bool -> Bool -> Prop := fun (_ _ : Bool) => True
             def f : Quot.{1} Bool r -> Nat := Quot.lift.{1, 1} Bool r Nat (fun (_ : Bool) => 4) (fun (a b : Bool) (_ : r a b) => Eq.refl.{1} Nat 4)
             axiom Quot.sound.{u} : (α : Sort u) -> (r : α -> α -> Prop) -> (a b : α) -> r a b ->
               Eq.{u} (Quot.{u} α r) (Quot.mk.{u} α r a) (Quot.mk.{u} α r b)",
        );
        assert_eq!(
            l.type_of("Quot.lift"),
            "(α : Sort u) → (r : α → α → Prop) → (β : Sort v) → (f : α → β) → ((a : α) → (b : α) → r a b → Eq.{v} β (f a) (f b)) → Quot.{u} α r → β"
        );
        assert_eq!(
            l.type_of("Quot.ind"),
            "(α : Sort u) → (r : α → α → Prop) → (β : Quot.{u} α r → Prop) → ((a : α) → β (Quot.mk.{u} α r a)) → (q : Quot.{u} α r) → β q"
        );
        assert_eq!(l.whnf("f (Quot.mk.{1} Bool r Bool.true)"), "4");
        for c in ["Quot", "Quot.mk", "Quot.lift", "Quot.ind"] {
            let info = l.env.get(l.name(c)).expect("exists");
            let mut checker = Checker::new(&l.env, info.univ_params());
            checker.check(info.ty()).expect("well typed");
        }
    });
}

#[test]
fn literals() {
    lab(PRELUDE, |l| {
        assert!(l.eq("Nat.succ 4", "5"));
        assert!(l.eq("fun (x : Nat) => Nat.add x 0", "fun (x : Nat) => x"));
        assert!(!l.eq("0", "1"));
        assert!(!l.eq("fun (x : Nat) => Nat.succ x", "fun (x : Nat) => 0"));
        assert_eq!(
            l.whnf("Nat.rec.{1} (fun (_ : Nat) => Nat) 7 (fun (n _ : Nat) => n) 1000000000000"),
            "999999999999"
        );
        l.accept(
            "inductive Char : Type | mk : Nat -> Char
             def Char.ofNat : Nat -> Char := Char.mk
             inductive String : Type | mk : List.{0} Char -> String
             def String.ofList : List.{0} Char -> String := fun (l : List.{0} Char) => String.mk l
             theorem t : Eq.{1} String \"ab\" (String.mk (List.cons.{0} Char (Char.mk 97) (List.cons.{0} Char (Char.mk 98) (List.nil.{0} Char)))) :=
               Eq.refl.{1} String \"ab\"",
        );
        assert!(l.eq("proj[String, 0] \"\"", "List.nil.{0} Char"));
        assert!(!l.eq("\"a\"", "\"b\""));
    });
}

#[test]
fn decisions_compute_on_literals() {
    lab(PRELUDE, |l| {
        // The shape of Lean's `Nat.decEq`: a match on `h : Nat.beq n m = b`.
        l.accept(
            "axiom eq_of_beq : (n m : Nat) -> Eq.{1} Bool (Nat.beq n m) Bool.true -> Eq.{1} Nat n m
             axiom ne_of_beq : (n m : Nat) -> Eq.{1} Bool (Nat.beq n m) Bool.false -> Eq.{1} Nat n m -> False
             def Nat.decEq : (n m : Nat) -> Decidable (Eq.{1} Nat n m) := fun (n m : Nat) =>
               Bool.rec.{1} (fun (b : Bool) => Eq.{1} Bool (Nat.beq n m) b -> Decidable (Eq.{1} Nat n m))
                 (fun (h : Eq.{1} Bool (Nat.beq n m) Bool.false) => Decidable.isFalse (Eq.{1} Nat n m) (ne_of_beq n m h))
                 (fun (h : Eq.{1} Bool (Nat.beq n m) Bool.true) => Decidable.isTrue (Eq.{1} Nat n m) (eq_of_beq n m h))
                 (Nat.beq n m) (Eq.refl.{1} Bool (Nat.beq n m))
             def ite.{u} : (c : Prop) -> Decidable c -> (α : Sort u) -> α -> α -> α :=
               fun (c : Prop) (h : Decidable c) (α : Sort u) (t e : α) =>
                 Decidable.rec.{u} c (fun (_ : Decidable c) => α) (fun (_ : c -> False) => e) (fun (_ : c) => t) h",
        );
        let test = |n: &str, m: &str| {
            l.whnf(&format!(
                "ite.{{1}} (Eq.{{1}} Nat {n} {m}) (Nat.decEq {n} {m}) Nat 1 0"
            ))
        };
        assert_eq!(test("123456789123456789", "123456789123456789"), "1");
        assert_eq!(test("123456789123456789", "123456789123456788"), "0");
    });
}

#[test]
fn arithmetic_by_theorem() {
    lab(PRELUDE, |l| {
        let body = "Bool.rec.{1} (fun (_ : Bool) => Nat) 0
            (Bool.rec.{1} (fun (_ : Bool) => Nat) 0 (Nat.succ (Nat.div (Nat.sub x y) y)) (Nat.ble y x)) (Nat.ble 1 y)";
        l.accept("axiom Nat.div : Nat -> Nat -> Nat");
        assert_eq!(l.whnf("Nat.div 7 2"), "Nat.div 7 2");
        // The proof is an axiom's here; the kernel asks for a theorem.
        l.accept(&format!(
            "axiom proof : (x y : Nat) -> Eq.{{1}} Nat (Nat.div x y) ({body})
             theorem Nat.div.other : (x y : Nat) -> Eq.{{1}} Nat (Nat.div x y) ({body}) := proof"
        ));
        assert_eq!(l.whnf("Nat.div 7 2"), "Nat.div 7 2");
        l.accept(&format!(
            "theorem Nat.div.computes : (x y : Nat) -> Eq.{{1}} Nat (Nat.div x y) ({body}) := proof"
        ));
        assert_eq!(l.whnf("Nat.div 7 2"), "3");
        assert_eq!(l.whnf("Nat.div 7 0"), "0");
        l.accept(
            "def Nat.shiftRight : Nat -> Nat -> Nat := fun (n m : Nat) =>
            Nat.rec.{1} (fun (_ : Nat) => Nat) n (fun (_ ih : Nat) => Nat.div ih 2) m",
        );
        assert_eq!(l.whnf("Nat.shiftRight 1000 3"), "125");
    });
}

/// `f (f (… x))`, n times.
fn tower(l: &Lab<'_>, f: &str, n: usize, x: &str) -> Expr {
    let f = l.term(f);
    (0..n).fold(l.term(x), |e, _| l.st.app(f, e))
}

fn theorem<'b>(l: &Lab<'b>, name: &str, a: Expr, b: Expr) -> Declaration {
    let eq = l.term("Eq.{1} Nat");
    let refl = l.term("Eq.refl.{1} Nat");
    Declaration::Theorem {
        sig: Signature {
            name: l.name(name),
            univ_params: vec![],
            ty: l.st.apps(eq, &[a, b]),
        },
        value: l.st.app(refl, b),
    }
}

#[test]
fn numbers_beside_variables() {
    lab(PRELUDE, |l| {
        let big = 1u64 << 40;
        assert!(l.eq(
            &format!("fun (x : Nat) => Nat.add x {big}"),
            &format!("fun (x : Nat) => Nat.succ (Nat.add x {})", big - 1)
        ));
        assert!(l.eq(
            "fun (x : Nat) => Nat.sub x 2",
            "fun (x : Nat) => Nat.pred (Nat.pred x)"
        ));
        // A number that is hidden behind a variable is computed in unary, as Lean does.
        let hidden =
            |n: u64| format!("fun (f : Nat -> Nat) => Nat.mul ((fun (_ : Nat -> Nat) => {n}) f) 3");
        assert!(l.eq(&hidden(10), "fun (f : Nat -> Nat) => 30"));
        assert!(!l.eq(&hidden(10), "fun (f : Nat -> Nat) => 31"));
    });
}

#[test]
fn deep_terms() {
    lab(PRELUDE, |l| {
        let n = 100_000;
        // succ (… zero) = 100000
        let t = tower(l, "Nat.succ", n, "Nat.zero");
        let d = theorem(l, "deep_succ", t, l.st.nat_u64(n as u64));
        assert_eq!(l.env.add(d), Ok(()));
        // A deep spine of an unknown function, against itself with another name for the bottom.
        l.accept("axiom g : Nat -> Nat axiom a : Nat def b : Nat := a");
        let d = theorem(
            l,
            "deep_spine",
            tower(l, "g", n, "a"),
            tower(l, "g", n, "b"),
        );
        assert_eq!(l.env.add(d), Ok(()));
        // Many binders.
        let (nat, ty) = (l.term("Nat"), BinderInfo::Default);
        let pi = (0..n).fold(nat, |e, _| l.st.pi(Name::ANON, nat, e, ty));
        let lam = (0..n).fold(l.st.bvar(n as u32 - 1), |e, _| {
            l.st.lam(Name::ANON, nat, e, ty)
        });
        let d = Declaration::Definition {
            sig: Signature {
                name: l.name("deep_binders"),
                univ_params: vec![],
                ty: pi,
            },
            value: lam,
            hint: Hint::Regular(1),
        };
        assert_eq!(l.env.add(d), Ok(()));
        // Many lets.
        let lets = (0..n).fold(l.st.bvar(0), |e, _| {
            l.st.let_(Name::ANON, nat, l.term("Nat.succ #0"), e)
        });
        let lets = l.st.let_(Name::ANON, nat, l.term("0"), lets);
        let d = theorem(l, "deep_let", lets, l.st.nat_u64(n as u64));
        assert_eq!(l.env.add(d), Ok(()));
    });
}

#[test]
fn beyond_the_depth() {
    lab(PRELUDE, |l| {
        let n = 1_000_000;
        let t = tower(l, "Nat.succ", n, "Nat.zero");
        let d = theorem(l, "t", t, l.st.nat_u64(n as u64));
        assert_eq!(l.env.add(d), Err(KernelError::TooDeep));
    });
    let shallow = Limits {
        max_depth: 20_000,
        ..Limits::default()
    };
    lab_with(shallow, PRELUDE, |l| {
        // Recursion that a literal drives.
        l.accept("def double : Nat -> Nat := fun (n : Nat) => Nat.rec.{1} (fun (_ : Nat) => Nat) 0 (fun (_ ih : Nat) => Nat.succ (Nat.succ ih)) n");
        let e = l.reject("theorem t : Eq.{1} Nat (double 100000000000) 200000000000 := Eq.refl.{1} Nat 200000000000");
        assert_eq!(e, KernelError::TooDeep);
    });
}

#[test]
fn shared_towers() {
    lab(PRELUDE, |l| {
        // 2^200 leaves, 200 nodes.
        let add = l.term("Nat.add");
        let t = (0..200).fold(l.term("1"), |e, _| l.st.apps(add, &[e, e]));
        let two = num_bigint::BigUint::from(2u32);
        let d = theorem(l, "tower", t, l.st.nat(&two.pow(200)));
        assert_eq!(l.env.add(d), Ok(()));
        // The same in universes.
        let u = l.name("u");
        let level = (0..200).fold(l.st.level_param(u), |x, _| l.st.level_imax(x, x));
        let d = Declaration::Definition {
            sig: Signature {
                name: l.name("levels"),
                univ_params: vec![u],
                ty: l.st.sort(l.st.level_succ(level)),
            },
            value: l.st.sort(l.st.level_param(u)),
            hint: Hint::Abbrev,
        };
        assert_eq!(l.env.add(d), Ok(()));
        l.accept("def use : Sort (imax 1 1)+1 := levels.{1}");
        // A maximum of many independent `imax`, in another order.
        let params: Vec<Name> = (0..40).map(|i| l.name(&format!("u{i}"))).collect();
        let pair = |i: usize| {
            let [a, b] = [2 * i, 2 * i + 1].map(|k| l.st.level_param(params[k]));
            l.st.level_imax(a, b)
        };
        let sum = |order: &mut dyn Iterator<Item = usize>| {
            order.fold(Level::ZERO, |x, i| l.st.level_max(x, pair(i)))
        };
        let d = Declaration::Definition {
            sig: Signature {
                name: l.name("many"),
                ty: l.st.sort(l.st.level_succ(sum(&mut (0..20)))),
                univ_params: params.clone(),
            },
            value: l.st.sort(sum(&mut (0..20).rev())),
            hint: Hint::Abbrev,
        };
        assert_eq!(l.env.add(d), Ok(()));
        // 10^100000 squared.
        l.accept("theorem big : Eq.{1} Nat (Nat.mul (Nat.pow 10 100000) (Nat.pow 10 100000)) (Nat.pow 10 200000) := Eq.refl.{1} Nat (Nat.pow 10 200000)");
    });
}

#[test]
fn snapshots_are_independent() {
    lab(PRELUDE, |l| {
        let mut other = Lab {
            st: l.st,
            env: l.env.clone(),
        };
        l.accept("def c : Nat := 1 theorem one : Eq.{1} Nat c 1 := Eq.refl.{1} Nat 1");
        assert!(other.env.get(l.name("c")).is_none());
        other.accept("def c : Nat := 2 theorem two : Eq.{1} Nat c 2 := Eq.refl.{1} Nat 2");
        assert_eq!((l.whnf("c"), other.whnf("c")), ("1".into(), "2".into()));
        let e = other.reject("theorem one : Eq.{1} Nat c 1 := Eq.refl.{1} Nat 1");
        assert!(matches!(e, KernelError::DeclarationMismatch { .. }));
    });
}

#[test]
fn equal_input_takes_equal_steps() {
    let run = |first: &str| {
        let mut steps = None;
        lab(PRELUDE, |l| {
            l.accept(first);
            l.accept("theorem t : Eq.{1} Nat (Nat.sub (Nat.pow 2 20) 5) 1048571 := Eq.refl.{1} Nat 1048571");
            steps = l.env.steps_of(l.name("t"));
            assert_eq!(l.env.steps_of(l.name("Nat.rec")), Some(0));
            assert_eq!(l.env.steps_of(l.name("nothing")), None);
        });
        steps
    };
    assert!(run("").is_some_and(|s| s > 0));
    // What was checked before does not change the count.
    assert_eq!(run(""), run("def a : Nat := Nat.sub (Nat.pow 2 20) 5"));
}

#[test]
fn binder_infos_of_recursors() {
    lab(PRELUDE, |l| {
        let infos = |c: &str| {
            let mut e = l.env.get(l.name(c)).expect("exists").ty();
            let mut out = String::new();
            while let Node::Pi(_, _, body, bi) = l.st.node(e) {
                out.push(if bi == BinderInfo::Default { 'x' } else { 'i' });
                e = body;
            }
            out
        };
        assert_eq!(infos("Nat.rec"), "ixxx");
        assert_eq!(infos("Eq.rec"), "iiixix");
        // No minor premise mentions the motive: it is given.
        assert_eq!(infos("False.rec"), "xx");
    });
}

#[test]
fn many_fields() {
    lab(PRELUDE, |l| {
        // structure S : Type where x₀ : Nat, x₁ … : Eq Nat x₀ x₀
        let n = 20_000;
        let (st, d) = (l.st, BinderInfo::Default);
        let (nat, eq) = (l.term("Nat"), l.term("Eq.{1} Nat"));
        let ctor = (0..n).rev().fold(l.term("S"), |e, i| {
            let ty = match i {
                0 => nat,
                _ => st.apps(eq, &[st.bvar(i - 1), st.bvar(i - 1)]),
            };
            st.pi(Name::ANON, ty, e, d)
        });
        let decl = Declaration::Inductive(InductiveDecl {
            univ_params: vec![],
            num_params: 0,
            types: vec![InductiveType {
                name: l.name("S"),
                ty: l.term("Type"),
                ctors: vec![(l.name("S.mk"), ctor)],
            }],
        });
        assert_eq!(l.env.add(decl), Ok(()));
        let last = st.proj(l.name("S"), n - 1, st.bvar(0));
        let first = st.proj(l.name("S"), 0, st.bvar(0));
        let d = Declaration::Theorem {
            sig: Signature {
                name: l.name("last"),
                univ_params: vec![],
                ty: st.pi(Name::ANON, l.term("S"), st.apps(eq, &[first, first]), d),
            },
            value: st.lam(Name::ANON, l.term("S"), last, d),
        };
        assert_eq!(l.env.add(d), Ok(()));
    });
}
