//! What the kernel must accept: the ordinary, and the subtle good neighbours of what it refuses.

mod common;
use common::*;

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
        assert!(l.eq("fun (x : Nat) => Nat.add x 3", "fun (x : Nat) => Nat.succ (Nat.succ (Nat.succ x))"));
        assert!(!l.eq("fun (x : Nat) => Nat.add x 3", "fun (x : Nat) => Nat.add x 4"));
        l.accept("theorem two : Eq.{1} Nat (Nat.mul 123456789 987654321) 121932631112635269 := Eq.refl.{1} Nat 121932631112635269");
    });
}
