//! Lean's theorems about `Nat.div` and its like, in an export, make these functions compute; other theorems do not.

use export_lean::{Select, read_ndjson, write_ndjson};
use lab::{Lab, PRELUDE, lab};
use logic::Environment;

/// What Lean's statements are made of. The functions and the truth of what is said about them are assumed.
const COMMON: &str = "
def Not : Prop -> Prop := fun (p : Prop) => p -> False
axiom decide : (c : Prop) -> Decidable c
def ite.{u} : (α : Sort u) -> (c : Prop) -> Decidable c -> α -> α -> α :=
  fun (α : Sort u) (c : Prop) (d : Decidable c) (t e : α) =>
    Decidable.rec.{u} c (fun (_ : Decidable c) => α) (fun (_ : c -> False) => e) (fun (_ : c) => t) d
axiom anything : (p : Prop) -> p
axiom Nat.div : Nat -> Nat -> Nat
axiom Nat.mod : Nat -> Nat -> Nat
axiom Nat.gcd : Nat -> Nat -> Nat
axiom Nat.log2 : Nat -> Nat
def Nat.shiftRight : Nat -> Nat -> Nat := fun (n m : Nat) =>
  Nat.rec.{1} (fun (_ : Nat) => Nat) n (fun (_ ih : Nat) => Nat.div ih 2) m
";

/// `≤` as it is now.
const FAMILY: &str = "
inductive Nat.le (n : Nat) : Nat -> Prop | refl : Nat.le n n | step : (m : Nat) -> Nat.le n m -> Nat.le n (Nat.succ m)
theorem Nat.le_of_ble_eq_true : (n m : Nat) -> Eq.{1} Bool (Nat.ble n m) Bool.true -> Nat.le n m :=
  anything ((n m : Nat) -> Eq.{1} Bool (Nat.ble n m) Bool.true -> Nat.le n m)
theorem Nat.not_le_of_not_ble_eq_true : (n m : Nat) -> Not (Eq.{1} Bool (Nat.ble n m) Bool.true) -> Not (Nat.le n m) :=
  anything ((n m : Nat) -> Not (Eq.{1} Bool (Nat.ble n m) Bool.true) -> Not (Nat.le n m))
";

/// `≤` as it was in the first releases.
const EQUATION: &str = "
def Nat.le : Nat -> Nat -> Prop := fun (n m : Nat) => Eq.{1} Bool (Nat.ble n m) Bool.true
";

fn said(name: &str, statement: &str) -> String {
    format!("theorem {name} : {statement} := anything ({statement})\n")
}

/// `∀ x y, lhs = if c then yes else no`.
fn split(lhs: &str, c: &str, yes: &str, no: &str) -> String {
    format!(
        "(x y : Nat) -> Eq.{{1}} Nat ({lhs}) (ite.{{1}} Nat ({c}) (decide ({c})) ({yes}) ({no}))"
    )
}

const BOTH: &str = "And (Nat.le 1 y) (Nat.le y x)";

fn div_eq() -> String {
    let yes = "Nat.add (Nat.div (Nat.sub x y) y) 1";
    said("Nat.div_eq", &split("Nat.div x y", BOTH, yes, "0"))
}

fn mod_eq() -> String {
    let yes = "Nat.mod (Nat.sub x y) y";
    said("Nat.mod_eq", &split("Nat.mod x y", BOTH, yes, "x"))
}

fn log2_def() -> String {
    let (c, yes) = ("Nat.le 2 x", "Nat.add (Nat.log2 (Nat.div x 2)) 1");
    said(
        "Nat.log2_def",
        &split("Nat.log2 x", c, yes, "0").replace("(x y : Nat)", "(x : Nat)"),
    )
}

fn gcd_equations() -> String {
    said(
        "Nat.gcd_zero_left",
        "(y : Nat) -> Eq.{1} Nat (Nat.gcd 0 y) y",
    ) + &said(
        "Nat.gcd_succ",
        "(x y : Nat) -> Eq.{1} Nat (Nat.gcd (Nat.succ x) y) (Nat.gcd (Nat.mod y (Nat.succ x)) (Nat.succ x))",
    )
}

/// Whether each term computes to what stands beside it, after the declarations have been read from an export.
fn computes(declarations: &str, terms: &[(&str, &str)]) -> Vec<bool> {
    let mut out = Vec::new();
    lab(PRELUDE, |l| {
        l.accept(declarations);
        let mut text = Vec::new();
        write_ndjson(&mut text, &l.env, Select::All).expect("it can be written");
        let mut env = Environment::new(l.st);
        read_ndjson(text.as_slice(), &mut env).expect("accepted");
        let again = Lab { st: l.st, env };
        out.extend(terms.iter().map(|(a, b)| again.whnf(a) == *b));
    });
    out
}

const TERMS: [(&str, &str); 5] = [
    ("Nat.div 1000000000007 1000003", "999997"),
    ("Nat.mod 1000000000007 1000003", "16"),
    (
        "Nat.gcd 1000000000000 15625000000000000000",
        "1000000000000",
    ),
    ("Nat.log2 1000000000000", "39"),
    ("Nat.shiftRight 1000000000000 20", "953674"),
];

#[test]
fn leans_theorems_suffice() {
    for order in [FAMILY, EQUATION] {
        let start = COMMON.to_owned() + order;
        let all = start.clone() + &div_eq() + &mod_eq() + &log2_def() + &gcd_equations();
        assert_eq!(computes(&all, &TERMS), [true; 5]);
        // One by one: each needs its own, and those that it is defined from.
        assert_eq!(computes(&start, &TERMS), [false; 5]);
        let without = |parts: [String; 3]| computes(&(start.clone() + &parts.concat()), &TERMS);
        assert_eq!(
            without([div_eq(), log2_def(), gcd_equations()]),
            [true, false, false, true, true]
        );
        assert_eq!(
            without([mod_eq(), log2_def(), gcd_equations()]),
            [false, true, true, false, false]
        );
    }
}

#[test]
fn other_theorems_do_not() {
    let start = COMMON.to_owned() + FAMILY;
    let div = |c: &str, yes: &str, no: &str| said("Nat.div_eq", &split("Nat.div x y", c, yes, no));
    let step = "Nat.add (Nat.div (Nat.sub x y) y) 1";
    let wrong = [
        div(BOTH, "Nat.div (Nat.sub x y) y", "0"),
        div(BOTH, step, "1"),
        div("And (Nat.le y x) (Nat.le 1 y)", step, "0"),
        div("And (Nat.le 0 y) (Nat.le y x)", step, "0"),
        div("Or (Nat.le 1 y) (Nat.le y x)", step, "0"),
        div(BOTH, "Nat.add (Nat.div (Nat.sub x y) x) 1", "0"),
        said("Nat.div_eq", &split("Nat.mod x y", BOTH, step, "0")),
        said("Nat.div_eq", "True"),
        said("Nat.div_eq", "(x y : Nat) -> Eq.{1} Nat (Nat.div x y) 0"),
    ];
    for theorem in wrong {
        assert_eq!(
            computes(&(start.clone() + &theorem), &TERMS[..1]),
            [false],
            "{theorem}"
        );
    }
    // An axiom is no theorem.
    let axiom = div_eq().replace("theorem", "axiom");
    let axiom = axiom.split(":=").next().unwrap_or_default().to_owned();
    assert_eq!(computes(&(start.clone() + &axiom), &TERMS[..1]), [false]);
    // A choice that does not follow its condition.
    let choice = start.replace(
        "(fun (_ : c -> False) => e) (fun (_ : c) => t)",
        "(fun (_ : c -> False) => t) (fun (_ : c) => e)",
    );
    assert_ne!(choice, start);
    assert_eq!(computes(&(choice + &div_eq()), &TERMS[..1]), [false]);
}
