//! How terms are read: precedence, applications, binders, and the forms of a term.

use crate::show::{error, script, term};
use tactics::syntax::ast::{CommandKind, TermKind};
use tactics::syntax::{Notations, parse, parse_term};

#[test]
fn precedence_is_leans() {
    let cases = [
        ("a + b * c ^ d ^ e", "(a Add (b Mul (c Pow (d Pow e))))"),
        ("a - b - c", "((a Sub b) Sub c)"),
        ("a - -b", "(a Sub (Neg b))"),
        ("-x ^ 2", "(Neg (x Pow 2))"),
        ("a ∧ b ∧ c ∨ d", "((a And (b And c)) Or d)"),
        ("¬a ∧ b", "((Not a) And b)"),
        ("¬a = b", "(Not (a Eq b))"),
        ("not a = b /\\ c", "((Not (a Eq b)) And c)"),
        ("a → b ↔ c → d", "((a → b) Iff (c → d))"),
        ("(a → b) ↔ (c → d)", "((a → b) Iff (c → d))"),
        ("a ↔ b ∧ c", "(a Iff (b And c))"),
        ("a = b → c = d → e", "((a Eq b) → ((c Eq d) → e))"),
        ("x :: y :: zs ++ ws", "((x Cons (y Cons zs)) Append ws)"),
        (
            "a ||| b ^^^ c &&& d <<< 2",
            "(a BitOr (b BitXor (c BitAnd (d Shl 2))))",
        ),
        ("a && b || !c", "((a BoolAnd b) BoolOr (BoolNot c))"),
        ("f ∘ g ∘ h", "(f Comp (g Comp h))"),
        ("Nat × Nat × Bool", "(Nat Prod (Nat Prod Bool))"),
        ("a ∣ b + c", "(a Dvd (b Add c))"),
        ("k • a + b", "((k SMul a) Add b)"),
        ("f a + g b", "((f a) Add (g b))"),
        ("f -1", "(f Sub 1)"),
        ("f <| g <| x", "(f (g x))"),
        ("f a <| g x", "(f a (g x))"),
        ("(f a) <| x", "((f a) x)"),
        ("x |> f |> g a", "(g a (f x))"),
        ("h ▸ k ▸ e", "(h ▸ (k ▸ e))"),
        ("x ∈ s ∧ y ∉ t", "((x Mem s) And (y NotMem t))"),
        (
            "∀ x, p x ∧ ∃ y, q y ∨ r",
            "(∀ x, ((p x) And (∃ y, ((q y) Or r))))",
        ),
        ("a ∧ fun x => b", "(a And (fun x => b))"),
        ("a == b && c != d", "((a BEq b) BoolAnd (c BNe d))"),
        ("x % 2 * 3 / 4", "(((x Mod 2) Mul 3) Div 4)"),
    ];
    for (text, expected) in cases {
        assert_eq!(term(text), expected, "{text}");
    }
}

#[test]
fn ascii_spellings_mean_the_same() {
    let pairs = [
        ("forall x, p", "∀ x, p"),
        ("exists x, p", "∃ x, p"),
        ("fun x => x", "λ x ↦ x"),
        ("a -> b", "a → b"),
        ("a <-> b", "a ↔ b"),
        ("a /\\ b \\/ c", "a ∧ b ∨ c"),
        ("not p", "¬p"),
        ("a <= b", "a ≤ b"),
        ("a >= b", "a ≥ b"),
        ("a /= b", "a ≠ b"),
        ("A >< B", "A × B"),
        ("(| a, b |)", "⟨a, b⟩"),
        ("a \\| b", "a ∣ b"),
        ("a \\in b", "a ∈ b"),
        ("a \\notin b", "a ∉ b"),
        ("h \\t e", "h ▸ e"),
        ("f \\circ g", "f ∘ g"),
        ("a \\smul b", "a • b"),
        ("\\<p\\>", "‹p›"),
        ("\\Sigma x : A, B", "Σ x : A, B"),
        ("a \\heq b", "a ≍ b"),
        ("{{x : A}} -> B", "⦃x : A⦄ → B"),
    ];
    for (ascii, unicode) in pairs {
        assert_eq!(term(ascii), term(unicode), "{ascii}");
    }
}

#[test]
fn not_is_a_name_unless_something_follows() {
    assert_eq!(term("f not x"), "(f not x)");
    assert_eq!(term("map not"), "(map not)");
    assert_eq!(term("not (p ∧ q) ∨ r"), "((Not (p And q)) Or r)");
}

#[test]
fn applications_and_dots() {
    let cases = [
        ("f x.1 y", "(f x.1 y)"),
        ("h.1.2", "h.1.2"),
        ("x.f y", "(x.f y)"),
        ("(f x).g y", "((f x).g y)"),
        ("(f x).g.h.1.k", "(f x).g.h.1.k"),
        ("f (x).1", "(f x.1)"),
        ("f .succ x", "(f .succ x)"),
        ("(.succ n)", "(.succ n)"),
        ("x |>.f a |>.g", "(x.f a).g"),
        ("f (n := 1) x (y := a b)", "(f (n := 1) x (y := (a b)))"),
        ("@f.{u, v+1} _ ?x ?_", "(@f.{u,(v+1)} _ ?x ?_)"),
        ("f fun x => g x", "(f (fun x => (g x)))"),
        ("f (fun x => x) fun y => y", "(f (fun x => x) (fun y => y))"),
        (
            "f 1 \"a\" 'b' [x, y] {a := 1} ⟨⟩ ‹p›",
            "(f 1 \"a\" 'b' [x, y] {a := 1} ⟨⟩ ‹p›)",
        ),
        ("a.from.end", "a.from.end"),
        ("(f x).end", "(f x).end"),
        ("«odd name».x", "«odd name».x"),
    ];
    for (text, expected) in cases {
        assert_eq!(term(text), expected, "{text}");
    }
}

#[test]
fn parts_of_a_name() {
    let (t, _) = parse_term("«a.b».c.«d»", &Notations::new());
    match t.map(|t| t.kind) {
        Some(TermKind::Ident { id, .. }) => assert_eq!(id.parts(), ["a.b", "c", "d"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn binders() {
    let cases = [
        ("∀ x y, p", "(∀ x y, p)"),
        ("∀ x y : T, p", "(∀ (x y : T), p)"),
        ("∀ (x : T) {y : U} z, p", "(∀ (x : T) {y : U} z, p)"),
        ("(x y : T) → {z : U} → V", "(∀ (x y : T), (∀ {z : U}, V))"),
        ("(x : T) × U", "(Σ (x : T), U)"),
        ("(x : T) ∧ U", "((x : T) And U)"),
        (
            "fun (x : T) {y} _ ⟨a, b⟩ (c, d) => e",
            "(fun (x : T) {y} _ ⟨a, b⟩ (c, d) => e)",
        ),
        ("fun x y : T => e", "(fun (x y : T) => e)"),
        ("fun (⟨a, b⟩ : T) => a", "(fun (⟨a, b⟩ : T) => a)"),
        ("∃ x, p", "(∃ x, p)"),
        ("∃ (x : T) (y : U), p", "(∃ (x : T) (y : U), p)"),
        ("∀ x < n, p x", "(∀ x, ((x Lt n) → (p x)))"),
        ("∃ x ∈ s, p x", "(∃ x, ((x Mem s) And (p x)))"),
        (
            "∀ x ≤ n + 1, ∀ y ≥ x, p",
            "(∀ x, ((x Le (n Add 1)) → (∀ y, ((y Ge x) → p))))",
        ),
        ("{x : T // p x}", "{x : T // (p x)}"),
        ("{x // p x}", "{x // (p x)}"),
        (
            "∀ [Decidable p] [d : D], q",
            "(∀ [_ : (Decidable p)] [d : D], q)",
        ),
        (
            "[Decidable p] → [d : D] → q",
            "(∀ [_ : (Decidable p)], (∀ [d : D], q))",
        ),
        ("Σ x : T, U", "(Σ (x : T), U)"),
        ("Σ' x : T, U", "(Σ' (x : T), U)"),
    ];
    for (text, expected) in cases {
        assert_eq!(term(text), expected, "{text}");
    }
}

#[test]
fn fun_and_match_and_their_patterns() {
    let cases = [
        (
            "fun | 0, x => x | n+1, x => f n",
            "(fun | 0, x => x | (n + 1), x => (f n))",
        ),
        ("fun | a | b => c", "(fun | a | b => c)"),
        (
            "match x, h : y with | .some ⟨a, _⟩, @c p q => a | x :: (y :: zs), l@(n+2) => b | (a, b), .(z) => c",
            "(match x, h : y with | (.some ⟨a, _⟩), (@c p q) => a \
             | (x Cons (y Cons zs)), l@(n + 2) => b | (a, b), .(z) => c)",
        ),
        (
            "match (motive := fun _ => T) x with | c (a := p) (q : U) => \"s\"",
            "(match (motive := (fun _ => T)) x with | (c (a := p) (q : U)) => \"s\")",
        ),
        ("nomatch h", "(match h with )"),
        (
            "match x with | 'a' => 1 | \"b\" => 2 | [a, b] => 3 | [] => 4",
            "(match x with | 'a' => 1 | \"b\" => 2 | [a, b] => 3 | [] => 4)",
        ),
        (
            "if h : a = b then c else if d then e else f",
            "(if h : (a Eq b) then c else (if d then e else f))",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(term(text), expected, "{text}");
    }
}

#[test]
fn let_have_show_suffices() {
    let cases = [
        ("let x : T := e; b", "(let x : T := e; b)"),
        ("let f (x : T) y := e; b", "(let f (x : T) y := e; b)"),
        ("let ⟨a, b⟩ := e; c", "(let ⟨a, b⟩ := e; c)"),
        ("let x := f a\ng x", "(let x := (f a); (g x))"),
        ("have h : T := e; b", "(have h : T := e; b)"),
        ("have : T := e\nb", "(have this : T := e; b)"),
        ("have := e\nb", "(have this := e; b)"),
        (
            "have h : a → b | x => y; b",
            "(have h : (a → b) | x => y; b)",
        ),
        ("show T from e", "(show T from e)"),
        ("show T by simp", "(show T from (by {Simp}))"),
        ("suffices h : T from e; b", "(suffices h : T from e; b)"),
        ("suffices T by simp\nb", "(suffices T from (by {Simp}); b)"),
    ];
    for (text, expected) in cases {
        assert_eq!(term(text), expected, "{text}");
    }
}

#[test]
fn brackets() {
    let cases = [
        ("()", "()"),
        ("(a)", "a"),
        ("(a, b, c)", "(a, b, c)"),
        ("(a : T)", "(a : T)"),
        ("(a :)", "a"),
        ("⟨a, ⟨b⟩, ⟨⟩⟩", "⟨a, ⟨b⟩, ⟨⟩⟩"),
        ("{ a := 1, b := f x }", "{a := 1, b := (f x)}"),
        ("{ a := 1\n  b := f x\n  c }", "{a := 1, b := (f x), c}"),
        ("{ s with a := 1 }", "{s with a := 1}"),
        ("{ s, t with a.b := 1, }", "{s, t with a.b := 1}"),
        (
            "{ a := match x with | y => z : T }",
            "{a := (match x with | y => z) : T}",
        ),
        ("{ a := { b := 1 }}", "{a := {b := 1}}"),
        ("{}", "{}"),
        ("[[1], []]", "[[1], []]"),
    ];
    for (text, expected) in cases {
        assert_eq!(term(text), expected, "{text}");
    }
}

#[test]
fn dots_make_functions_of_the_nearest_parentheses() {
    let cases = [
        ("(· + 1)", "(fun ·1 => (·1 Add 1))"),
        (
            "(f · (g ·) ·)",
            "(fun ·1 ·2 => (f ·1 (fun ·1 => (g ·1)) ·2))",
        ),
        ("(·, [·])", "(fun ·1 ·2 => (·1, [·2]))"),
        ("(· + 1 : T)", "((fun ·1 => (·1 Add 1)) : T)"),
    ];
    for (text, expected) in cases {
        assert_eq!(term(text), expected, "{text}");
    }
}

#[test]
fn universes() {
    assert_eq!(
        term("Type → Type u → Type (max u v + 1)"),
        "(Type → (Type u → Type ((max u v)+1)))"
    );
    assert_eq!(term("Sort (imax 1 u) → Prop"), "(Sort (imax 1 u) → Prop)");
    assert_eq!(term("f Type x"), "(f Type x)");
    assert_eq!(term("f.{u+1+2, _}"), "f.{(u+3),_}");
}

#[test]
fn calc_as_a_term() {
    let text = "calc a = b := h\n  _ = c := foo x\n    y\n  _ < d := by simp";
    assert_eq!(
        term(text),
        "(calc (a Eq b) := h; (_ Eq c) := (foo x y); (_ Lt d) := (by {Simp}))"
    );
    assert_eq!(
        term("calc a\n  _ = b := h\n  _ = c := k"),
        "(calc a; (_ Eq b) := h; (_ Eq c) := k)"
    );
}

#[test]
fn notations_of_the_script() {
    let s = script(
        "notation:65 a:66 \" ⊕ \" b:65 => add a b\ninfixl:70 \" ⊗⊗ \" => mul\nprefix:max \"√\" => sqrt\n\
         notation \"‖\" x \"‖\" => norm x\npostfix:90 \"‼\" => fact\ninfix:50 \" ⊘ \" => modulo\n\
         #check a ⊕ b ⊕ c ⊗⊗ √d ⊗⊗ e\n#check f ‖x ⊕ y‖ + n‼\n#check a ⊕ b ⊘ c.mod",
    );
    let checks: Vec<String> = s
        .commands
        .iter()
        .filter_map(|c| match &c.kind {
            CommandKind::Check(t) => Some(crate::show::show(t)),
            _ => None,
        })
        .collect();
    assert_eq!(
        checks,
        [
            "«(add a «(add b «(mul «(mul c «(sqrt d)»)» e)»)»)»",
            "((f «(norm «(add x y)»)») Add «(fact n)»)",
            "«(modulo «(add a b)» c.mod)»"
        ]
    );
}

#[test]
fn notations_travel_to_importers() {
    let lib = script("infixl:65 \" ⊕ \" => add");
    assert!(parse("#check a ⊕ b").errors.len() == 1);
    let (t, errors) = parse_term("a ⊕ b", &lib.notations);
    assert!(errors.is_empty());
    assert_eq!(
        t.map(|t| crate::show::show(&t)).as_deref(),
        Some("«(add a b)»")
    );
}

#[test]
fn notations_that_cannot_work_are_refused() {
    let cases = [
        (
            "infixl:65 \" + \" => f",
            "`+` has a built-in meaning",
            "\" + \"",
        ),
        ("infixl:65 \"\" => f", "a word is empty", "\"\""),
        (
            "notation x y => f x y",
            "it must begin with a word, or with a place and then a word",
            "x y",
        ),
        (
            "notation \"‡\" x => (x, x)",
            "its right-hand side may use each place once",
            "(x, x)",
        ),
        (
            "notation \"‡\" x => fun y => x",
            "its right-hand side may use each place once",
            "fun y => x",
        ),
        (
            "notation \"True\" => False",
            "a word with letters could be read as a name",
            "\"True\"",
        ),
        (
            "notation \"‖\" x \"then\" => x",
            "a word with letters could be read as a name",
            "\"then\"",
        ),
        (
            "infixl:65 \" +- \" => f",
            "its signs can stand side by side",
            "\" +- \"",
        ),
        (
            "infixl:65 \" )+ \" => f",
            "its signs can stand side by side",
            "\" )+ \"",
        ),
        (
            "infixl:65 \" ⊕ \" => f\ninfixr:60 \" ⊕ \" => g",
            "its first word has a meaning there already",
            "infixr",
        ),
        (
            "notation \"‡\" x x => x",
            "it has two places called `x`",
            "x",
        ),
    ];
    for (text, why, place) in cases {
        let (message, span, _) = error(text);
        assert!(
            message.starts_with(&format!("this notation cannot be used: {why}")),
            "{text}: {message}"
        );
        assert_eq!(span, place);
    }
}
