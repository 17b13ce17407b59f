//! Columns: blocks of tactics, alternatives, nesting.

use crate::show::{error, errors, script, show, tactics};
use tactics::syntax::ast::{CommandKind, DeclValue};

fn by(body: &str) -> String {
    tactics(&format!("theorem t : p := by\n{body}"))
}

#[test]
fn one_column_is_one_block() {
    assert_eq!(
        by("  intro x\n  exact f\n    x\n  done"),
        "{intro x; exact (f x); done}"
    );
    assert_eq!(by("  intro x; exact x\n  done"), "{intro x; exact x; done}");
    assert_eq!(
        tactics("theorem t : p := by intro x; exact x"),
        "{intro x; exact x}"
    );
    assert_eq!(by("  exact a\n    + b"), "{exact (a Add b)}");
    assert_eq!(by("  exact\n    a"), "{exact a}");
}

#[test]
fn focus_blocks() {
    let text = "  constructor\n  · intro x\n    exact x\n  . simp; done\n  · · left\n    · right";
    assert_eq!(
        by(text),
        "{constructor; · {intro x; exact x}; · {Simp; done}; · {· {left}; · {right}}}"
    );
}

#[test]
fn nested_by() {
    let text = "  have h : a = b := by\n    rw [c]\n    exact d\n  exact f (by simp; done) (by\n    intro x\n    exact x) y";
    assert_eq!(
        by(text),
        "{have h : (a Eq b) := (by {Rw [c]; exact d}); exact (f (by {Simp; done}) (by {intro x; exact x}) y)}"
    );
    assert_eq!(
        by("  exact ⟨by simp, by\n    omega⟩\n  done"),
        "{exact ⟨(by {Simp}), (by {omega})⟩; done}"
    );
}

#[test]
fn alternatives_belong_to_the_nearest_that_are_not_to_their_right() {
    let text = "  cases h with
  | a x =>
    cases x with
    | c => simp
    | @d y _ =>
      exact y
  | b | c z => exact match z with
    | 0 => p
    | n+1 => q
  done";
    assert_eq!(
        by(text),
        "{cases h with | a x => {cases x with | c => {Simp} | @d y _ => {exact y}} \
         | b | c z => {exact (match z with | 0 => p | (n + 1) => q)}; done}"
    );
}

#[test]
fn first_inside_an_alternative() {
    let text = "  induction x using r generalizing y z with
  | zero => first | simp | omega; done
  | succ n ih =>
    first
    | rw [ih]
    | exact f
        n
  | _ => sorry";
    assert_eq!(
        by(text),
        "{induction x using r generalizing y z with | zero => {first {Simp} | {omega; done}} \
         | succ n ih => {first {Rw [ih]} | {exact (f n)}} | _ => {sorry}}"
    );
}

#[test]
fn structure_literals_with_blocks() {
    let text = "  exact { a := f\n          b := by\n            simp\n            done\n          c := x }\n  done";
    assert_eq!(
        by(text),
        "{exact {a := f, b := (by {Simp; done}), c := x}; done}"
    );
}

#[test]
fn calc_among_tactics() {
    let text = "  calc a = b := by simp\n    _ = c := by\n      rw [h]\n      done\n    _ ≤ d := foo\n      x\n  exact y";
    assert_eq!(
        by(text),
        "{calc (a Eq b) := (by {Simp}); (_ Eq c) := (by {Rw [h]; done}); (_ Le d) := (foo x); exact y}"
    );
    assert_eq!(
        by("  calc\n    a = b := h\n    _ = c := k\n  done"),
        "{calc (a Eq b) := h; (_ Eq c) := k; done}"
    );
}

#[test]
fn combinators() {
    assert_eq!(
        by("  simp <;> omega <;> try done"),
        "{((Simp <;> omega) <;> try {done})}"
    );
    assert_eq!(
        by("  all_goals try simp <;> omega\n  (left; right) <;>\n    done"),
        "{all_goals {try {(Simp <;> omega)}}; (({left; right}) <;> done)}"
    );
    assert_eq!(
        by("  repeat\n    intro x\n    simp\n  any_goals done"),
        "{repeat {intro x; Simp}; any_goals {done}}"
    );
    assert_eq!(
        by("  case inl x | inr.a y => exact x\n  next h => exact h"),
        "{case inl x | inr.a y => {exact x}; next h => {exact h}}"
    );
}

#[test]
fn tactic_forms() {
    let cases = [
        ("rw [← h, foo a] at h ⊢", "Rw [←h, (foo a)] at h ⊢"),
        ("rewrite [<- h,] at *", "Rewrite [←h] at *"),
        (
            "simp only [*, h, -foo, <- k, -x + y] at h |-",
            "Simp only [*, h, -foo, ←k, ((Neg x) Add y)] at h ⊢",
        ),
        ("simpa [a] using h", "Simpa [a] using h"),
        ("intro x (y : T) ⟨a, b⟩ _", "intro x (y : T) ⟨a, b⟩ _"),
        ("cases' h : e with x ⟨y, z⟩", "cases' h : e with x ⟨y, z⟩"),
        (
            "rcases h with ⟨a, rfl | -⟩ | (c : T)",
            "rcases h with (⟨a, (rfl | -)⟩ | (c : T))",
        ),
        (
            "obtain ⟨x, hx⟩ : ∃ x, p := h",
            "obtain ⟨x, hx⟩ : (∃ x, p) := h",
        ),
        ("obtain h | h := e", "obtain (h | h) := e"),
        ("rintro x ⟨a, b⟩ (c | d)", "rintro x ⟨a, b⟩ (c | d)"),
        ("have h : T", "have h : T"),
        ("have h (x : A) : T := e", "have h (x : A) : T := e"),
        ("have := f x", "have this := (f x)"),
        ("have ⟨a, b⟩ := e", "have ⟨a, b⟩ := e"),
        ("let x := 1", "let x := 1"),
        ("suffices h : T by simp", "suffices h : T from (by {Simp})"),
        ("suffices h : T from e", "suffices h : T from e"),
        ("suffices T", "suffices T"),
        ("show T", "show T"),
        ("change T at h", "change T at h"),
        ("exists a, b + 1", "exists a, (b Add 1)"),
        ("use a, b", "use a, b"),
        ("by_cases h : a = b", "by_cases h : (a Eq b)"),
        (
            "generalize h : f x = y, z = w at k",
            "generalize h : (f x) = y, z = w at k",
        ),
        ("unfold f g at h", "unfold f g at h"),
        (
            "refine ⟨?_, ?x, fun y => ?_⟩",
            "refine ⟨?_, ?x, (fun y => ?_)⟩",
        ),
        ("specialize h a b", "specialize (h a b)"),
        ("subst h k", "subst h k"),
        ("congr 2", "congr 2"),
        ("split at h", "split at h"),
        ("split_ifs with a b", "split_ifs with a b"),
        ("rename_i x _ y", "rename_i x _ y"),
        ("trans b + c", "trans  (b Add c)"),
        ("nomatch h", "exact (match h with )"),
        (
            "match x, h : y with | 0, _ => simp; done | n+1, z => exact z",
            "match x, h : y with | 0, _ => {Simp; done} | (n + 1), z => {exact z}",
        ),
        ("bits", "bits"),
        ("index [a, ← b] at h", "index [a, ←b] at h"),
        (
            "symexec m (fuel := 100) \"pc\" 7 using inv with ⟨x, y⟩",
            "symexec m (fuel := 100) \"pc\" 7 using inv with ⟨x, y⟩",
        ),
        (
            "ordered (a + b) from h => simp; done",
            "ordered (a Add b) from h => {Simp; done}",
        ),
        ("kernel_auto pre : P x", "kernel_auto pre : (P x)"),
        (
            "my.tactic x with | c y => simp",
            "my.tactic x with | c y => {Simp}",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(
            by(&format!("  {text}\n  done")),
            format!("{{{expected}; done}}"),
            "{text}"
        );
    }
}

#[test]
fn equations_and_their_columns() {
    let s = script(
        "def f : Nat → Nat → Nat\n| 0, m => m\n| n+1, m =>\n  f n\n    (m + 1)\ntermination_by n m => n\ndef g := 1",
    );
    let CommandKind::Decl(d) = &s.commands[0].kind else {
        panic!()
    };
    let DeclValue::Equations(alts) = &d.value else {
        panic!()
    };
    assert_eq!(show(&alts[1].rhs), "(f n (m Add 1))");
    assert_eq!(d.termination.as_ref().map(|t| t.vars.len()), Some(2));
    assert_eq!(s.commands.len(), 2);
}

#[test]
fn let_and_have_by_lines() {
    let s = script(
        "def f := \n  let x := g a\n  have h : p := by\n    simp\n    done\n  let y := x\n    z\n  k x y",
    );
    let CommandKind::Decl(d) = &s.commands[0].kind else {
        panic!()
    };
    let DeclValue::Term(t) = &d.value else {
        panic!()
    };
    assert_eq!(
        show(t),
        "(let x := (g a); (have h : p := (by {Simp; done}); (let y := (x z); (k x y))))"
    );
}

#[test]
fn a_tactic_in_a_column_of_its_own() {
    let (message, span, hint) = error("theorem t : p := by\n  intro x\n    exact x\n  done");
    assert_eq!(
        message,
        "this tactic begins in column 5, but its block is in column 3"
    );
    assert_eq!(span, "exact");
    assert_eq!(hint, "tactics of one block begin in one column");
    let (message, span, _) = error("theorem t : p := by\n  · left\n   right\n  done");
    assert_eq!(
        message,
        "this tactic begins in column 4, but its block is in column 3"
    );
    assert_eq!(span, "right");
    let (message, _, _) = error("theorem t : p := by\n    left\n  right\ndef a := 1");
    assert_eq!(
        message,
        "this tactic begins in column 3, but its block is in column 5"
    );
}

#[test]
fn an_empty_block() {
    let indent = "indent the tactics more than what they belong to";
    let cases = [
        (
            "theorem t : p := by\ndef a := 1",
            "expected a tactic after `by`",
            "by",
            "write `sorry` for a proof that is still to be done",
        ),
        (
            "theorem t : p := by\n  have h : q := by\n  simp",
            "expected a tactic after `by`",
            "by",
            indent,
        ),
        (
            "theorem t : p := by\n  cases h with\n  | c =>\n  | d => simp",
            "expected a tactic after `=>`",
            "=>",
            indent,
        ),
        (
            "theorem t : p := by\n  case c =>\n  simp",
            "expected a tactic after `=>`",
            "=>",
            indent,
        ),
    ];
    for (text, message, span, hint) in cases {
        assert_eq!(
            error(text),
            (message.to_string(), span.to_string(), hint.to_string()),
            "{text}"
        );
    }
}

#[test]
fn a_bad_tactic_does_not_hide_the_next() {
    let text = "theorem t : p := by\n  rw foo\n  simp [a, b\n  exact f by simp\n  cases h with x y\n  exact )\n  done\ndef a := )";
    assert_eq!(
        errors(text),
        [
            (
                "expected `[` and the rules, found `foo`".to_string(),
                "foo".to_string()
            ),
            (
                "expected `]` to close this bracket, found `exact`".to_string(),
                "exact".to_string()
            ),
            (
                "expected `;` or a line break after this tactic, found keyword `by`".to_string(),
                "by".to_string()
            ),
            (
                "expected `|` and the alternatives, found `x`".to_string(),
                "x".to_string()
            ),
            ("expected a term, found `)`".to_string(), ")".to_string()),
            ("expected a term, found `)`".to_string(), ")".to_string()),
        ]
    );
}
