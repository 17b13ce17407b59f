//! Comments, literals, names, and places.

use crate::show::{error, errors, script, term};
use tactics::syntax::ast::{CommandKind, Span, TermKind};
use tactics::syntax::{LineCol, LineIndex, Notations, imports, parse_term};

#[test]
fn comments() {
    assert_eq!(
        term("a -- no -/ \n + /- x /- y -/ \" -/ b -- end"),
        "(a Add b)"
    );
    assert_eq!(term("/-! module -/ /--/ a /----- banner -----/"), "a");
    assert_eq!(
        error("def a := 1 /- open /- -/\ndef b := 2"),
        (
            "this comment has no closing `-/`".into(),
            "/-".into(),
            "comments nest: every `/-` inside needs its own `-/`".into()
        )
    );
}

#[test]
fn numerals() {
    assert_eq!(
        term("[0, 12_000, 0xfF, 0b101, 0o17]"),
        "[0, 12000, 255, 5, 15]"
    );
    assert_eq!(
        term("340282366920938463463374607431768211456"),
        "340282366920938463463374607431768211456"
    );
    let (message, span, _) = error("#check 0x_");
    assert_eq!(
        (message.as_str(), span.as_str()),
        ("bad numeral: `0x_` has no digits of base 16", "0x_")
    );
    let (message, span, _) = error("#check 1.5");
    assert_eq!(
        (message.as_str(), span.as_str()),
        ("decimal fractions are not part of this language", "1.5")
    );
    let long = format!("#check {}", "1".repeat(20_001));
    assert_eq!(error(&long).0, "bad numeral: more than 20000 digits");
    assert_eq!(
        error("#check x.4294967296").0,
        "this projection is too large"
    );
}

#[test]
fn strings_and_characters() {
    let (t, _) = parse_term(
        r#""a\n\t\"\\\x41\u03b1\
        b""#,
        &Notations::new(),
    );
    assert_eq!(
        t.map(|t| t.kind),
        Some(TermKind::Str("a\n\t\"\\Aαb".into()))
    );
    assert_eq!(term(r"['a', '\n', 'α', '\'']"), r"['a', '\n', 'α', '\'']");
    let (message, span, hint) = error(r#"#check "ab\qc""#);
    assert_eq!(
        (message.as_str(), span.as_str()),
        (r"unknown escape `\q`", r"\q")
    );
    assert!(hint.contains(r"\n \t"));
    assert_eq!(error(r#"#check "\ud800""#).0, r"unknown escape `\ud800`");
}

#[test]
fn a_string_without_end_spoils_its_line_only() {
    let text = "def a := \"abc\ndef b := \"d\"\n";
    assert_eq!(error(text).0, "this string has no closing quote");
    assert_eq!(error(text).1, "\"");
}

#[test]
fn names() {
    assert_eq!(
        term("x' + α₁ + ℕ + h? + _x + x.y'"),
        "(((((x' Add α₁) Add ℕ) Add h?) Add _x) Add x.y')"
    );
    assert_eq!(term("a!=b"), "(a BNe b)");
    assert_eq!(
        errors("def λ := 1")[0],
        (
            "expected a name of the declaration, found `λ`".into(),
            "λ".into()
        )
    );
}

#[test]
fn spans_are_exact() {
    let text = "α + (f x).1 * 2";
    let (t, _) = parse_term(text, &Notations::new());
    let t = t.expect("a term");
    assert_eq!(t.span, Span::new(0, text.len() as u32));
    let TermKind::Binop {
        lhs, rhs, op_span, ..
    } = &t.kind
    else {
        panic!("{t:?}")
    };
    assert_eq!(&text[lhs.span.range()], "α");
    assert_eq!(&text[op_span.range()], "+");
    assert_eq!(&text[rhs.span.range()], "(f x).1 * 2");
    let TermKind::Binop { lhs, .. } = &rhs.kind else {
        panic!("{rhs:?}")
    };
    let TermKind::Proj { e, index_span, .. } = &lhs.kind else {
        panic!("{lhs:?}")
    };
    assert_eq!(
        (&text[e.span.range()], &text[index_span.range()]),
        ("(f x)", "1")
    );
}

#[test]
fn spans_of_commands() {
    let text = "/-- d -/\n@[simp] def a := 1 -- c\n\ntheorem b : p := by\n  simp\n\n-- end\n";
    let s = script(text);
    let spans: Vec<(&str, &str)> = s
        .commands
        .iter()
        .map(|c| (&text[c.span.range()], &text[c.keyword.range()]))
        .collect();
    assert_eq!(
        spans,
        [
            ("/-- d -/\n@[simp] def a := 1", "def"),
            ("theorem b : p := by\n  simp", "theorem")
        ]
    );
}

#[test]
fn lines_and_columns() {
    let text = "ab\nαβγ\n\nx";
    let index = LineIndex::new(text);
    let at = |o| index.line_col(text, o);
    assert_eq!(at(0), LineCol { line: 1, col: 1 });
    assert_eq!(at(2), LineCol { line: 1, col: 3 });
    assert_eq!(at(3), LineCol { line: 2, col: 1 });
    assert_eq!(at(7), LineCol { line: 2, col: 3 });
    assert_eq!(at(6), LineCol { line: 2, col: 2 });
    assert_eq!(at(10), LineCol { line: 3, col: 1 });
    assert_eq!(at(11), LineCol { line: 4, col: 1 });
    assert_eq!(at(99), LineCol { line: 4, col: 2 });
    assert_eq!(&text[index.line_span(text, 1).range()], "αβγ");
    assert_eq!(index.line_count(), 4);
}

#[test]
fn imports_are_found_without_their_notations() {
    let text = "import \"a/b.ptxp\"\nimport lib.nat\n#check a ⊕ b\n";
    let found = imports(text);
    assert_eq!(found.len(), 2);
    assert_eq!(&text[found[1].1.range()], "import lib.nat");
    let (message, span, _) = error("def a := 1\nimport lib.nat");
    assert_eq!(
        (message.as_str(), span.as_str()),
        (
            "`import` must come before all other commands",
            "import lib.nat"
        )
    );
}

#[test]
fn doc_comments_are_kept() {
    let s = script("/-- Two\n lines. -/\ninductive T\n  /-- c -/\n  | c\n  | /-- d -/ d");
    let CommandKind::Inductive(t) = &s.commands[0].kind else {
        panic!()
    };
    assert_eq!(
        t.modifiers.doc.as_ref().map(|d| d.text.as_str()),
        Some("Two\n lines.")
    );
    let docs: Vec<_> = t
        .ctors
        .iter()
        .map(|c| c.doc.as_ref().map(|d| d.text.as_str()))
        .collect();
    assert_eq!(docs, [Some("c"), Some("d")]);
}
