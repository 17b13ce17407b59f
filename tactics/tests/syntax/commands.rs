//! Commands.

use crate::show::{binder, error, script, show};
use tactics::syntax::ast::*;

fn one(text: &str) -> CommandKind {
    let mut s = script(text);
    assert_eq!(s.commands.len(), 1, "{text}");
    s.commands.remove(0).kind
}

#[test]
fn declarations() {
    let CommandKind::Decl(d) = one(
        "@[simp, ext (iff := false), foo 3 \"s\" ←] private theorem A.b.{u, v} {α : Sort u} (x y : α) z : x = y := h",
    ) else {
        panic!()
    };
    assert_eq!(d.kind, DeclKind::Theorem);
    assert_eq!(d.name.as_ref().map(|n| &*n.name), Some("A.b"));
    assert_eq!(d.levels.as_ref().map(|l| l.len()), Some(2));
    assert_eq!(
        d.binders.iter().map(binder).collect::<Vec<_>>(),
        ["{α : Sort u}", "(x y : α)", "z"]
    );
    assert_eq!(d.ty.as_ref().map(show).as_deref(), Some("(x Eq y)"));
    assert!(d.modifiers.private.is_some());
    let names: Vec<(&str, usize)> = d
        .modifiers
        .attrs
        .iter()
        .map(|a| (&*a.name.name, a.args.len()))
        .collect();
    assert_eq!(names, [("simp", 0), ("ext", 1), ("foo", 3)]);

    for (text, kind) in [
        ("def a := 1", DeclKind::Def),
        ("lemma a : p := h", DeclKind::Lemma),
        ("example : p := h", DeclKind::Example),
        ("abbrev a : T := h", DeclKind::Abbrev),
        ("axiom a : p", DeclKind::Axiom),
        ("opaque a : p", DeclKind::Opaque),
    ] {
        let CommandKind::Decl(d) = one(text) else {
            panic!("{text}")
        };
        assert_eq!(d.kind, kind);
        assert_eq!(d.name.is_none(), kind == DeclKind::Example);
        assert_eq!(
            d.value == DeclValue::None,
            matches!(kind, DeclKind::Axiom | DeclKind::Opaque)
        );
    }
}

#[test]
fn termination() {
    let CommandKind::Decl(d) =
        one("def f (n : Nat) : Nat := f n\ntermination_by n + 1\ndecreasing_by simp")
    else {
        panic!()
    };
    let t = d.termination.expect("termination");
    assert_eq!(t.measure.as_ref().map(show).as_deref(), Some("(n Add 1)"));
    assert!(!t.structural && t.vars.is_empty() && t.decreasing_by.is_some());
    let CommandKind::Decl(d) =
        one("def f (n : Nat) : Nat := f n\ntermination_by structural x => x")
    else {
        panic!()
    };
    let t = d.termination.expect("termination");
    assert!(t.structural && t.vars.len() == 1);
}

#[test]
fn inductive_types() {
    let CommandKind::Inductive(t) = one(
        "inductive Vec.{u} (α : Type u) : Nat → Type u where\n  | nil : Vec α 0\n  | cons {n} (x : α) (xs : Vec α n) : Vec α (n + 1)",
    ) else {
        panic!()
    };
    assert_eq!((&*t.name.name, t.params.len()), ("Vec", 1));
    assert_eq!(t.ty.as_ref().map(show).as_deref(), Some("(Nat → Type u)"));
    assert_eq!(t.ctors[1].binders.len(), 3);
    assert_eq!(
        t.ctors[1].ty.as_ref().map(show).as_deref(),
        Some("(Vec α (n Add 1))")
    );
    let CommandKind::Inductive(t) = one("inductive C | red | green (n : Nat)") else {
        panic!()
    };
    assert_eq!(
        t.ctors.iter().map(|c| &*c.name.name).collect::<Vec<_>>(),
        ["red", "green"]
    );
    let CommandKind::Inductive(t) = one("inductive False : Prop") else {
        panic!()
    };
    assert!(t.ctors.is_empty());
}

#[test]
fn structures() {
    let text = "structure S (α : Type) extends A α, B : Type where\n  mk' ::\n  x y : α := 0\n  /-- doc -/\n  f (a : A) : B a\n  {z : C}\n  (w : D)\ndef next := 1";
    let s = script(text);
    assert_eq!(s.commands.len(), 2);
    let CommandKind::Structure(t) = &s.commands[0].kind else {
        panic!()
    };
    assert_eq!(
        t.extends.iter().map(show).collect::<Vec<_>>(),
        ["(A α)", "B"]
    );
    assert_eq!(t.ctor.as_ref().map(|c| &*c.name), Some("mk'"));
    let fields: Vec<(String, usize, bool)> = t
        .fields
        .iter()
        .map(|f| (binder(&f.field), f.binders.len(), f.doc.is_some()))
        .collect();
    assert_eq!(
        fields,
        [
            ("(x y : α := 0)".into(), 0, false),
            ("(f : (B a))".into(), 1, true),
            ("{z : C}".into(), 0, false),
            ("(w : D)".into(), 0, false)
        ]
    );
    let CommandKind::Structure(t) = one("structure P where (x : Nat) (y : Nat)") else {
        panic!()
    };
    assert_eq!(t.fields.len(), 2);
    let CommandKind::Structure(t) = one("structure U") else {
        panic!()
    };
    assert!(t.fields.is_empty());
}

#[test]
fn mutual_blocks() {
    let CommandKind::Mutual(list) =
        one("mutual\ninductive A | a : B → A\ninductive B | b : A → B\nend")
    else {
        panic!()
    };
    assert_eq!(list.len(), 2);
    let (message, span, _) = error("mutual\ndef a := 1\n");
    assert_eq!(
        (message.as_str(), span.as_str()),
        (
            "expected `end` to close this bracket, found the end of the file",
            ""
        )
    );
}

#[test]
fn scopes_and_options() {
    let s = script(
        "namespace A.b\nsection\nsection S\nend S\nend\nopen X Y (a b)\nuniverse u v\nvariable {α : Type u} (x : α)\nset_option depth 3\nset_option flag true\nattribute [simp, -ext] f g\nend A.b",
    );
    let kinds: Vec<&CommandKind> = s.commands.iter().map(|c| &c.kind).collect();
    assert!(matches!(kinds[0], CommandKind::Namespace(n) if n.parts() == ["A", "b"]));
    assert!(matches!(kinds[1], CommandKind::Section(None)));
    assert!(matches!(kinds[2], CommandKind::Section(Some(_))));
    assert!(matches!(kinds[4], CommandKind::End(None)));
    assert!(
        matches!(kinds[5], CommandKind::Open(l) if l.len() == 2 && l[1].only.as_ref().map(Vec::len) == Some(2))
    );
    assert!(matches!(kinds[6], CommandKind::Universe(l) if l.len() == 2));
    assert!(matches!(kinds[7], CommandKind::Variable(l) if l.len() == 2));
    assert!(matches!(
        kinds[8],
        CommandKind::SetOption {
            value: OptionValue::Num(_),
            ..
        }
    ));
    assert!(matches!(
        kinds[9],
        CommandKind::SetOption {
            value: OptionValue::Word(_),
            ..
        }
    ));
    assert!(
        matches!(kinds[10], CommandKind::Attribute { attrs, names } if attrs[1].remove && names.len() == 2)
    );
}

#[test]
fn queries() {
    assert!(matches!(one("#check f x"), CommandKind::Check(_)));
    assert!(matches!(one("#eval f x"), CommandKind::Eval(_)));
    assert!(matches!(one("#print f"), CommandKind::Print(_)));
    assert!(matches!(one("#print axioms f"), CommandKind::Axioms(_)));
    assert!(matches!(one("#print axioms"), CommandKind::Print(n) if &*n.name == "axioms"));
    assert!(matches!(one("#axioms f"), CommandKind::Axioms(_)));
    assert!(matches!(one("#search _ + 0 = _, foo"), CommandKind::Search(l) if l.len() == 2));
}

#[test]
fn ptx_commands() {
    let s = script(
        "def a := f\nptx_isa\n/-- The kernel. -/\nptx_module m from \"k.ptx\" entries gemm \"$odd\"\n  third\nptx_goal m with x (fuel := 3) 7 ⟨a⟩ := f x\nptx_foo",
    );
    let CommandKind::Decl(d) = &s.commands[0].kind else {
        panic!()
    };
    assert!(matches!(&d.value, DeclValue::Term(t) if show(t) == "f"));
    assert!(matches!(&s.commands[1].kind, CommandKind::PtxIsa(a) if a.is_empty()));
    let CommandKind::PtxModule(m) = &s.commands[2].kind else {
        panic!()
    };
    assert_eq!((&*m.name.name, m.path.value.as_str()), ("m", "k.ptx"));
    let entries: Vec<&str> = m
        .entries
        .iter()
        .flatten()
        .map(|e| e.value.as_str())
        .collect();
    assert_eq!(entries, ["gemm", "$odd", "third"]);
    let CommandKind::PtxOther { word, args } = &s.commands[3].kind else {
        panic!()
    };
    assert_eq!((&*word.name, args.len()), ("ptx_goal", 7));
    assert!(matches!(&args[6], PtxArg::Value(t) if show(t) == "(f x)"));
    assert!(matches!(&s.commands[4].kind, CommandKind::PtxOther { .. }));
    let (message, span, _) = error("ptx_module m \"k.ptx\"");
    assert_eq!(
        (message.as_str(), span.as_str()),
        ("expected `from` and a file, found `\"k.ptx\"`", "\"k.ptx\"")
    );
}
