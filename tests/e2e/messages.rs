//! Messages that a beginner meets first.

use libtest_mimic::{Failed, Trial};

use crate::cli::{ensure, err, expect, out};
use crate::no_crash::scratch;

/// A script in a folder of its own.
fn script(folder: &str, text: &[u8]) -> Result<String, Failed> {
    let file = scratch(folder)?.join("s.ptxp");
    std::fs::write(&file, text)?;
    Ok(file.display().to_string())
}

/// A script in the folder of the proofs of a copy of a part of the library.
fn beside_library(folder: &str, text: &str) -> Result<String, Failed> {
    let dir = scratch(folder)?;
    std::fs::create_dir_all(dir.join("lib"))?;
    for entry in std::fs::read_dir("proofs/lib")? {
        let path = entry?.path();
        if let Some(name) = path.file_name() {
            std::fs::copy(&path, dir.join("lib").join(name))?;
        }
    }
    script(folder, text.as_bytes())
}

/// What is missing names the import that has it.
fn imports() -> Result<(), Failed> {
    let cases = [
        ("theorem t (n : Nat) : n = n := rfl\n", "import lib.core"),
        (
            "example (p q : Prop) (h : p ∧ q) : p := h.1\n",
            "import lib.core",
        ),
        (
            "import lib.core\ntheorem t (n : Nat) : 2 ∣ n := sorry\n",
            "import lib.nat_gcd",
        ),
        (
            "import lib.core\ntheorem t (o : Option Nat) : o.isSome = true := sorry\n",
            "import lib.option",
        ),
        (
            "import lib.core\nexample : 3 < 5 := by decide\n",
            "import lib.decidable",
        ),
        (
            "import lib.core\nexample (p : Prop) : p ∨ ¬p := by by_cases h : p; exact Or.inl h; exact Or.inr h\n",
            "import lib.classical",
        ),
        (
            "import lib.core\nexample (a b : Nat) (h : a < b) : a ≤ b := le_of_lt h\n",
            "`Nat.le_of_lt` (`import",
        ),
    ];
    for (text, wanted) in cases {
        expect(
            &["check", &beside_library("messages-imports", text)?],
            1,
            wanted,
        )?;
    }
    let alone = script(
        "messages-alone",
        "theorem t (n : Nat) : n = n := rfl\n".as_bytes(),
    )?;
    expect(&["check", &alone], 1, "begin it with `import lib.core`")?;
    let text =
        "import lib.nowhere\ntheorem t (n : Nat) : n = n := rfl\nprivate theorem foo : p := q\n";
    let o = expect(
        &["check", &beside_library("messages-failed", text)?],
        1,
        "the import comes first",
    )?;
    ensure(
        !err(&o).contains("lib.core"),
        "guesses after a failed import",
        &o,
    )
}

/// What rests on a failed declaration is told in a line; a name that is taken, where.
fn one_line_each() -> Result<(), Failed> {
    let text = "inductive T : Type where\n  | c : T\ndef a : T := d\ndef x : T := .c\ndef b : T := a\ndef x : T := .c\ndef T.c : T := x\n";
    let o = expect(
        &["check", &script("messages-lines", text.as_bytes())?],
        1,
        "it was declared in line 4",
    )?;
    let text = err(&o);
    let line =
        "s.ptxp:5:14: elab.depends: this is not checked: the declaration of `a` has failed above\n";
    ensure(text.contains(line), "expected one line", &o)?;
    ensure(
        text.contains("it was declared in line 1"),
        "expected the type",
        &o,
    )?;
    ensure(
        out(&o).contains("\n1 script: 0 theorems proved, 4 declarations failed"),
        "expected the summary",
        &o,
    )
}

/// A proof with a syntax error in it is no proof; at a place before it the goals are shown without it.
fn syntax_errors() -> Result<(), Failed> {
    let text = "import lib.core\ntheorem o (p : Prop) (h : p) : p ∧ p := by\n  constructor\n    · exact h\n  · exact h\n";
    let file = beside_library("messages-syntax", text)?;
    expect(&["check", &file], 1, "✗ theorem o")?;
    let o = expect(&["goal", &format!("{file}:3:3")], 0, "⊢ p ∧ p")?;
    ensure(!err(&o).contains("syntax"), "an error behind the place", &o)
}

/// Text that is none is placed, and options that are missing are named.
fn arguments() -> Result<(), Failed> {
    let file = script("messages-bytes", b"-- a\n-- \xff\n")?;
    expect(&["check", &file], 2, "line 2, byte 9 of the file")?;
    let o = expect(&["export", &file], 2, "--ndjson")?;
    ensure(err(&o).contains("--lean"), "expected both options", &o)
}

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("messages: imports", imports),
        Trial::test("messages: one line each", one_line_each),
        Trial::test("messages: syntax errors", syntax_errors),
        Trial::test("messages: arguments", arguments),
    ]
}
