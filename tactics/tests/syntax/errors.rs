//! What the user is told: message, place, hint.

use crate::show::{error, errors};
use tactics::syntax::ast::CommandKind;
use tactics::syntax::{MAX_DEPTH, SyntaxErrorKind, parse};

#[test]
fn messages_places_and_hints() {
    let cases = [
        (
            "thoerem a : p := h",
            "expected a command, found `thoerem`",
            "thoerem",
            "did you mean `theorem`?",
        ),
        (
            "#chekc a",
            "expected a command, found `#chekc`",
            "#chekc",
            "did you mean `#check`?",
        ),
        (
            "instance : C := x",
            "expected a command, found `instance`",
            "instance",
            "there are no type classes: mark a definition with `@[instance]`",
        ),
        (
            "def from := 1",
            "`from` is a reserved word and cannot be a name",
            "from",
            "write `«from»` if it must have this name",
        ),
        (
            "theorem a : p by simp",
            "expected `:=` or `|`, found keyword `by`",
            "by",
            "write `:= by`",
        ),
        (
            "theorem a := h",
            "expected `:` and a statement, found the end of the file",
            "a",
            "",
        ),
        (
            "def a : T",
            "expected `:=` or `|`, found the end of the file",
            "",
            "",
        ),
        (
            "def a := b = c = d",
            "`=` does not associate: parentheses are needed",
            "=",
            "",
        ),
        (
            "def a := f ∀ x, p",
            "unexpected `∀` after a complete command",
            "∀",
            "put this in parentheses, or write `<|` before it",
        ),
        (
            "def a := f · x",
            "`·` needs parentheses around the function it makes",
            "·",
            "",
        ),
        (
            "def a := fun x, x",
            "expected `=>` after the binders of `fun`, found `,`",
            ",",
            "write `fun x => e`",
        ),
        (
            "def a := {x | p}",
            "set comprehensions are not part of this language",
            "|",
            "a subtype is written `{x : T // p}`",
        ),
        (
            "def a := {x : T | p}",
            "set comprehensions are not part of this language",
            "|",
            "a subtype is written `{x : T // p}`",
        ),
        (
            "def a := (x := 1)",
            "expected a term in these parentheses, found `x`",
            "x",
            "`(x := e)` may only follow the function it is passed to",
        ),
        (
            "def a := f $ x",
            "unexpected character '$'",
            "$",
            "write `<|`",
        ),
        (
            "def a := (f (x)",
            "expected `)` to close this bracket, found the end of the file",
            "",
            "",
        ),
        (
            "def a := f x)",
            "unexpected `)` after a complete command",
            ")",
            "this bracket closes nothing",
        ),
        (
            "def a := match x with",
            "expected `|` and the alternatives of `match`, found the end of the file",
            "",
            "for a type without constructors write `nomatch e`",
        ),
        (
            "def a := if p then q",
            "expected `else` after the first branch, found the end of the file",
            "",
            "",
        ),
        (
            "def a := let x := 1 y",
            "expected `;` or a new line, found the end of the file",
            "",
            "`let` is followed by the term that uses it",
        ),
        (
            "def a := have h : T from x; y",
            "expected `:=`, found keyword `from`",
            "from",
            "write `have h : T := e` or `have h : T := by …`",
        ),
        (
            "def f : T | n+m => 1",
            "expected a numeral (a pattern may add only a literal), found `m`",
            "m",
            "",
        ),
        (
            "def a := ∀ x y < n, p",
            "bounds of several variables at once are not part of this language",
            "<",
            "write one quantifier for each variable: `∀ x < n, ∀ y < n, …`",
        ),
        (
            "/-- d -/ namespace A",
            "a doc comment cannot stand before this command",
            "/-- d -/",
            "an ordinary comment is `/- … -/`",
        ),
        (
            "@[simp] /-- d -/ def a := 1",
            "expected a command, found a doc comment",
            "/-- d -/",
            "a doc comment comes before the attributes of its declaration",
        ),
        (
            "@[simp] open A",
            "attributes cannot stand before this command",
            "@[simp]",
            "",
        ),
        (
            "open A in def b := 1",
            "`open … in` prefixes are not part of this language",
            "in",
            "open it in a `section`",
        ),
        (
            "def a : T where x := 1",
            "`where` definitions are not part of this language",
            "where",
            "write `:= { field := value, … }`",
        ),
        (
            "inductive A | a deriving B",
            "`deriving` clauses are not part of this language",
            "deriving",
            "there are no type classes to derive",
        ),
        (
            "structure S where\n  x : T\n  from : U",
            "`from` is a reserved word and cannot be a name",
            "from",
            "write `«from»` if it must have this name",
        ),
        (
            "theorem t : p := by\n  exact\n  simp",
            "expected a term, found `simp`",
            "simp",
            "a term that begins a line must be indented more than the tactic it belongs to",
        ),
        (
            "theorem t : p := by\n  if c then d",
            "`if` tactics are not part of this language",
            "if",
            "write `by_cases h : p` and prove both goals",
        ),
        (
            "theorem t : p := by\n  simp at",
            "expected a hypothesis, `⊢` or `*` after `at`, found the end of the file",
            "",
            "",
        ),
        (
            "theorem t : p := by\n  simp exact x",
            "expected `;` or a line break after this tactic, found `exact`",
            "exact",
            "tactics are separated by `;` or by a line break",
        ),
        (
            "def a := x.\ny",
            "expected a field or an index right after `.`, found `y`",
            "y",
            "",
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
fn a_bad_command_hides_no_other() {
    let text = "def a := (b\ntheorem c : p := q r =\n/-- d -/\n@[simp] def e := 1\nfoo bar\n#check f )\ndef g := 2";
    assert_eq!(
        errors(text),
        [
            (
                "expected `)` to close this bracket, found keyword `theorem`".to_string(),
                "theorem".to_string()
            ),
            (
                "expected a term, found a doc comment".to_string(),
                "/-- d -/".to_string()
            ),
            (
                "expected a command, found `foo`".to_string(),
                "foo".to_string()
            ),
            (
                "unexpected `)` after a complete command".to_string(),
                ")".to_string()
            ),
        ]
    );
    let names: Vec<String> = parse(text)
        .commands
        .iter()
        .map(|c| match &c.kind {
            CommandKind::Error { name } => {
                format!("error {}", name.as_ref().map_or("", |n| &n.name))
            }
            CommandKind::Decl(d) => d
                .name
                .as_ref()
                .map_or(String::new(), |n| n.name.to_string()),
            _ => "other".to_string(),
        })
        .collect();
    assert_eq!(names, ["error a", "error c", "e", "error ", "other", "g"]);
}

#[test]
fn an_unclosed_bracket_is_shown() {
    let text = "def a := f (g [x, y)";
    let e = &parse(text).errors[0];
    let SyntaxErrorKind::Unclosed { open, close, .. } = &e.kind else {
        panic!("{e:?}")
    };
    assert_eq!(
        (&text[open.range()], *close, &text[e.span.range()]),
        ("[", "`]`", ")")
    );
}

#[test]
fn too_deep_is_an_error() {
    let n = 3 * MAX_DEPTH as usize;
    let texts = [
        format!("def a := {}x{}", "(".repeat(n), ")".repeat(n)),
        format!("def a := {}x", "(".repeat(n)),
        format!("def a := {}x", "¬".repeat(n)),
        format!("def a := x{}", " + x".repeat(n)),
        format!("def a := x{}", " → x".repeat(n)),
        format!("def a := x{}", " <| x".repeat(n)),
        format!("def a := (x){}", ".1".repeat(n)),
        format!("def a := {}x", "fun x => ".repeat(n)),
        format!("def a := {}x", "let x := 1; ".repeat(n)),
        format!("def a := {}x", "by exact ".repeat(n)),
        format!("theorem a : p := by\n  {}x", "· ".repeat(n)),
        format!("theorem a : p := by\n  x{}", " <;> x".repeat(n)),
        format!("theorem a : p := by\n  rcases h with {}", "⟨".repeat(n)),
        format!("def a := fun | {}", "(".repeat(n)),
        format!("def a := fun | n{} => x", " + 1".repeat(n)),
        format!("def a := fun | n{} => x", " :: n".repeat(n)),
        format!("def a := Type {}", "(".repeat(n)),
        format!("infixl:65 \" ⊕ \" => f\ndef a := x{}", " ⊕ x".repeat(n)),
    ];
    for text in texts {
        let kinds: Vec<SyntaxErrorKind> = parse(&text).errors.into_iter().map(|e| e.kind).collect();
        let start: String = text.chars().take(40).collect();
        assert_eq!(kinds, [SyntaxErrorKind::TooDeep], "{start}");
    }
}

#[test]
fn long_flat_things_are_not_deep() {
    let n = 20_000;
    let list = format!("def a := [{}x]", "x, ".repeat(n));
    let args = format!("def a := f{}", " x".repeat(n));
    let tactics = format!("theorem a : p := by\n{}", "  simp [h]\n".repeat(n));
    let alts = format!("def f : T\n{}", "  | n+1 => f n\n".repeat(n));
    let commands = "def a := 1\n".repeat(n);
    for text in [list, args, tactics, alts, commands] {
        assert_eq!(parse(&text).errors, []);
    }
}
