//! What is printed says what it stands for: it is read back as the same term.

use std::path::{Path, PathBuf};

use bumpalo::Bump;
use logic::{ConstantInfo, Store};
use tactics::diagnostic::Diagnostic;
use tactics::driver::Session;

/// A script that exists only here, in the folder of the proofs.
fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../proofs")
        .join(name)
}

/// Runs a text as a script; its messages.
fn run(s: &mut Session<'_>, name: &str, text: &str) -> Vec<Diagnostic> {
    let path = script(name);
    s.replace_file(&path, text).expect("a path");
    s.check_file(&path).expect("a script");
    let report = s.reports().last().expect("a report");
    report.diagnostics.clone()
}

/// Operands of each type, and what they may be operands of.
const TABLE: &[(&str, &[&str], &[&str])] = &[
    (
        "Prop",
        &[
            "∀ z, p z",
            "∃ z, p z",
            "∀ z, ∃ w, z < w",
            "¬ q",
            "¬ ∀ z, p z",
            "q ∧ q",
            "q ∧ (∀ z, p z)",
            "q ∨ q",
            "q → q",
            "q → (∀ z, p z)",
            "q → (∃ z, p z)",
            "q ↔ q",
            "q ↔ (∀ z, p z)",
            "x = x",
            "x < x",
            "x ≤ x",
            "x ≠ x",
            "let z := x; p z",
            "(fun z => p z) x",
            "p x",
            "∀ {z : Nat}, p z",
            "b = true",
            "2 ∣ x",
            "Nat = Nat",
            "(fun z => f z) = f",
            "if x = x then q else q",
            "if h : x = x then k h else q",
        ],
        &[
            "A ∧ q",
            "q ∧ A",
            "A ∨ q",
            "q ∨ A",
            "A → q",
            "q → A",
            "A ↔ q",
            "q ↔ A",
            "A = q",
            "q = A",
            "A ≠ q",
            "q ≠ A",
            "¬ A",
            "∃ y : Nat, A",
            "∀ y : Nat, p y → A",
            "j A q",
            "j q A",
            "(fun (_ : Prop) => A) q",
            "let w := x; A",
            "A ∧ q ↔ q",
            "q ∧ A ↔ q",
            "(q → A) ↔ q",
            "(q ↔ A) ↔ q",
            "(q ∨ A) ∧ q",
            "(A, q) = (q, A)",
            "(if x = x then A else q) ∧ q",
            "(if x = x then q else A) ∧ q",
        ],
    ),
    (
        "Nat",
        &[
            "x + x",
            "x - x",
            "x * x",
            "x / x",
            "x % x",
            "x ^ x",
            "f x",
            "f (f x)",
            "if x = x then x else x",
            "2",
            "let z := x; z",
            "(fun z => z) x",
            "x &&& x",
            "x ||| x",
            "x <<< x",
            "x >>> x",
            "x + 1",
            "(x, x).1",
            "[x].length",
            "(f ∘ f) x",
        ],
        &[
            "A + x",
            "x + A",
            "A - x",
            "x - A",
            "A * x",
            "x * A",
            "A / x",
            "x / A",
            "A % x",
            "x % A",
            "A ^ x",
            "x ^ A",
            "A &&& x",
            "x &&& A",
            "A ||| x",
            "x ||| A",
            "A <<< x",
            "x <<< A",
            "A >>> x",
            "x >>> A",
            "f A",
            "f A + x",
            "let z := A; z",
            "(fun y => y + A) x",
            "if A = x then A else x",
            "(A, A).2",
            "(if x = x then x else A) + x",
        ],
    ),
    (
        "Bool",
        &["!b", "!(!b)", "b && b", "b || b", "decide (x = x)", "true"],
        &[
            "A && b",
            "b && A",
            "A || b",
            "b || A",
            "!A",
            "decide (A = b)",
            "decide (b = A)",
            "decide (A = b ∧ q)",
            "decide (A ≠ b)",
            "if A = true then A else b",
            "g A",
        ],
    ),
    (
        "Int",
        &[
            "-i",
            "-(-i)",
            "-(i + i)",
            "-(i * i)",
            "-i + i",
            "-i * i",
            "i - i",
            "i * i",
            "3",
            "(3 : Nat)",
            "↑x",
            "↑(x + 1)",
        ],
        &[
            "A + i",
            "i + A",
            "A - i",
            "i - A",
            "A * i",
            "i * A",
            "-A",
            "-(A + i)",
            "if A = i then A else i",
            "if A ≤ i then A else i",
            "if i < A then A else i",
            "h A",
        ],
    ),
];

const EQUATIONS: &[&str] = &["x = x", "b = true", "Nat = Nat", "(fun z => f z) = f"];

const HEAD: &str = "import lib.omega_int\nimport lib.nat_gcd\nimport lib.bits\nimport lib.list\n
def p (z : Nat) : Prop := z = 1\n@[reducible] def q : Prop := 1 = 1\ndef x : Nat := 7\ndef b : Bool := true\n
def i : Int := 5\ndef f (z : Nat) : Nat := z\ndef g (z : Bool) : Bool := z\ndef h (z : Int) : Int := z\n
def j (_ r : Prop) : Prop := r\ndef k {y z : Nat} (_ : y = z) : Prop := True\n";

#[test]
fn operators_and_operands_are_read_back() {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut s = Session::new(&store);
    let (mut text, mut count) = (HEAD.to_owned(), 0);
    for (ty, operands, uses) in TABLE {
        for operand in *operands {
            for one in *uses {
                // `¬ x = x` is printed as `x ≠ x`, which has a constant of its own.
                if *one == "¬ A" && EQUATIONS.contains(operand) {
                    continue;
                }
                let body = one.replace('A', &format!("({operand})"));
                text.push_str(&format!("def t{count} : {ty} := {body}\n"));
                count += 1;
            }
        }
    }
    let messages = run(&mut s, "print_a.ptxp", &text);
    let said: Vec<String> = messages.iter().map(|d| d.render("a", &text)).collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
    let constant = |s: &Session<'_>, prefix: &str, n: usize| {
        let name = store.name(&format!("{prefix}{n}"));
        let c = s.environment().get(name)?;
        Some((c.ty(), c.value()?))
    };
    let mut again = String::from("import \"print_a.ptxp\"\n");
    let mut printed = Vec::new();
    for n in 0..count {
        let (ty, value) = constant(&s, "t", n).expect("a definition");
        let (ty, value) = (s.elaborator().pp(ty), s.elaborator().pp(value));
        again.push_str(&format!("def u{n} : {ty} := {value}\n"));
        printed.push(value);
    }
    let messages = run(&mut s, "print_b.ptxp", &again);
    let mut bad: Vec<String> = messages.iter().map(|d| d.render("b", &again)).collect();
    for (n, text) in printed.iter().enumerate() {
        let (Some(a), Some(b)) = (constant(&s, "t", n), constant(&s, "u", n)) else {
            continue;
        };
        if a != b {
            let got = s.elaborator().pp_explicit(b.1);
            let was = s.elaborator().pp_explicit(a.1);
            bad.push(format!(
                "`{text}` stands for\n    {was}\nand is read as\n    {got}\n"
            ));
        }
    }
    assert!(
        bad.is_empty(),
        "{} of {count}:\n{}",
        bad.len(),
        bad[..bad.len().min(40)].join("\n")
    );
}

/// Every statement of these scripts is read back as what it is, without any implicit argument being written.
#[test]
fn statements_of_the_library_are_read_back() {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut s = Session::new(&store);
    let modules = [
        "omega_int",
        "list_more",
        "nat_gcd",
        "option",
        "logic_more",
        "word_lemmas",
    ];
    let mut text: String = modules.map(|m| format!("import lib.{m}\n")).concat();
    assert!(run(&mut s, "print_c.ptxp", &text).is_empty());
    let theorems: Vec<(String, logic::Expr)> = s
        .environment()
        .constants()
        .filter(|c| matches!(c, ConstantInfo::Theorem { .. }))
        .map(|c| (tactics::print::shown_name(&store, c.name()), c.ty()))
        .collect();
    assert!(theorems.len() > 900, "{}", theorems.len());
    text.push_str("universe u v w\n");
    for (name, ty) in &theorems {
        let statement = s.elaborator().pp(*ty);
        text.push_str(&format!("example : {statement} := @{name}\n"));
    }
    let messages = run(&mut s, "print_d.ptxp", &text);
    let said: Vec<String> = messages.iter().map(|d| d.render("d", &text)).collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
}

/// Names that are no identifiers are quoted, and so are those that look like another name.
#[test]
fn names_that_scripts_could_not_write_are_quoted() {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut s = Session::new(&store);
    let text = "import lib.core\ndef «1 = 2» : Prop := True\ntheorem «1.2» : «1 = 2» := trivial\ndef «0» : Nat := 5\n\
                def Νot : Prop := True\ntheorem a («2 = 3» : Nat) (hα : Νot) : «0» = «2 = 3» := by\n  skip\n\
                theorem b («⊢» : True) : «0» = 6 := by\n  skip\n#check «1.2»\n";
    let messages = run(&mut s, "print_e.ptxp", text);
    let goals: Vec<&str> = messages
        .iter()
        .flat_map(|d| &d.goals)
        .map(String::as_str)
        .collect();
    assert_eq!(
        goals,
        [
            "«2 = 3» : Nat\nhα : «Νot»\n⊢ «0» = «2 = 3»",
            "«⊢» : True\n⊢ «0» = 6"
        ]
    );
    assert!(messages.iter().any(|d| d.message == "«1.2» : «1 = 2»"));
    let report = s.reports().last().expect("a report");
    let names: Vec<&str> = report.decls.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["«1 = 2»", "«1.2»", "«0»", "«Νot»", "a", "b"]);
}

/// What `#check` and `#eval` answer.
#[test]
fn answers() {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut s = Session::new(&store);
    let text = "import lib.omega_int\nimport lib.list\nvariable (i : Int) (b : Bool) (p : Nat → Prop) (q : Prop)\n\
                #eval (-3 : Int) / 2\n#check -i\n#check -(-i)\n#check Nat × Nat\n#check (∀ x, p x) ↔ q\n\
                #check (!b) = true\n";
    let messages = run(&mut s, "print_f.ptxp", text);
    let answers: Vec<&str> = messages.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        answers,
        [
            "-2",
            "-i : Int",
            "-(-i) : Int",
            "Nat × Nat : Type",
            "(∀ (x : Nat), p x) ↔ q : Prop",
            "(!b) = Bool.true : Prop",
        ]
    );
}
