//! Lean files: the example as text, to the letter. That real Lean accepts such files is what the audit checks.

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;

use bumpalo::Bump;
use common::Make;
use export_lean::{ExportError, LeanWritten, Script, write_lean};
use logic::{Declaration, Environment, Hint, Store};

/// A folder of the test's own, emptied first.
fn folder(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("the folder can be emptied");
    }
    dir
}

/// Everything in one script, with a note above one theorem.
fn one_script(env: &Environment<'_>) -> Script {
    let note = (
        env.store().name("two_and_two"),
        "theorem two_and_two : 2 + 2 = 4".to_owned(),
    );
    Script {
        path: "proofs/lib/small_example.ptxp".into(),
        constants: env.constants().map(|c| c.name()).collect(),
        notes: BTreeMap::from([note]),
    }
}

#[test]
fn the_example_as_text() {
    let bump = Bump::new();
    let st = Store::new(&bump);
    let env = Make { st: &st }.environment();
    let dir = folder("lean-example");
    let written = write_lean(&dir, &env, &[one_script(&env)]).expect("written");
    let counts = LeanWritten {
        bytes: 0,
        ..written
    };
    let expected = LeanWritten {
        files: 3,
        declarations: 11,
        proved: 3,
        ..LeanWritten::default()
    };
    assert_eq!(counts, expected);
    let text = std::fs::read_to_string(dir.join("Lib/SmallExample.lean")).expect("a module");
    let body = text
        .split_once("noncomputable section\n")
        .expect("a header")
        .1;
    assert_eq!(body, include_str!("expected/SmallExample.lean.txt"));
    let base = std::fs::read_to_string(dir.join("Base.lean")).expect("a module");
    assert!(base.starts_with("prelude\n\n"), "{base}");
    assert!(base.ends_with("| refl : Eq α a a\n\ninit_quot\n"), "{base}");
    let script = std::fs::read_to_string(dir.join("check.sh")).expect("a script");
    assert!(
        script.contains("-o Lib/SmallExample.olean Lib/SmallExample.lean\n"),
        "{script}"
    );
}

#[test]
fn scripts_become_modules_that_import_each_other() {
    let bump = Bump::new();
    let st = Store::new(&bump);
    let env = Make { st: &st }.environment();
    let all: Vec<_> = env.constants().map(|c| c.name()).collect();
    let at = all
        .iter()
        .position(|n| *n == st.name("Nat.add"))
        .expect("Nat.add");
    let (first, second) = all.split_at(at);
    let scripts = [
        Script {
            path: "a/lib/nat.ptxp".into(),
            constants: first.to_vec(),
            ..Script::default()
        },
        Script {
            path: "a/main.ptxp".into(),
            constants: second.to_vec(),
            ..Script::default()
        },
    ];
    let dir = folder("lean-modules");
    write_lean(&dir, &env, &scripts).expect("written");
    let main = std::fs::read_to_string(dir.join("Main.lean")).expect("a module");
    assert!(
        main.starts_with("prelude\nimport Base\nimport Lib.Nat\n\n/-! From `main.ptxp`. -/\n"),
        "{main}"
    );
}

#[test]
fn a_proof_beyond_the_limit_is_stated_and_named() {
    let bump = Bump::new();
    let st = Store::new(&bump);
    let make = Make { st: &st };
    let mut env = make.environment();
    // A proof that is deeper than what is written.
    let mut proof = make.refl_nat(st.nat_u64(1));
    let one = make.eq_nat(st.nat_u64(1), st.nat_u64(1));
    for _ in 0..2_000 {
        proof = st.let_(st.name("h"), one, proof, st.bvar(0));
    }
    let sig = make.sig("deep", &[], one);
    env.add(Declaration::Theorem { sig, value: proof })
        .expect("accepted");
    let sig = make.sig("user", &[], one);
    env.add(Declaration::Theorem {
        sig,
        value: make.c("deep"),
    })
    .expect("accepted");
    let dir = folder("lean-deep");
    let written = write_lean(&dir, &env, &[one_script(&env)]).expect("written");
    assert_eq!((written.proved, written.stated, written.omitted), (3, 2, 0));
    let text = std::fs::read_to_string(dir.join("Lib/SmallExample.lean")).expect("a module");
    assert!(!text.contains("axiom deep"));
    assert!(text.contains(
        "is too large to be written here.\ndef deep.statement : Prop :=\n  Eq.{1} Nat 1 1\n"
    ));
    assert!(
        text.contains("mentions what is not proved or defined in these files.\ndef user.statement")
    );
}

#[test]
fn names_that_the_numerals_need_are_refused() {
    let bump = Bump::new();
    let st = Store::new(&bump);
    let make = Make { st: &st };
    let mut env = make.environment();
    env.add(Declaration::Definition {
        sig: make.sig("OfNat", &[], make.c("Nat")),
        value: st.nat_u64(0),
        hint: Hint::Abbrev,
    })
    .expect("accepted");
    let done = write_lean(&folder("lean-names"), &env, &[one_script(&env)]);
    assert!(matches!(done, Err(ExportError::Inexpressible(n, _)) if n == "OfNat"));
}
