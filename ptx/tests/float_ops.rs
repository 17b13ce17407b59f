//! `proofs/ptx/float.ptxp` is written by this test, from the list of float operations.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use ptx::alg::{DotKind, FloatOp, WordAlg};
use ptx::isa::{forms_of_row, table};

/// `Word 32 → Word 32 → `
fn domains(widths: &[u32]) -> String {
    widths.iter().map(|w| format!("Word {w} → ")).collect()
}

/// A group with its fields: name, domains, and result.
struct Group {
    name: &'static str,
    says: &'static str,
    fields: Vec<(String, String, u32, usize)>,
}

fn groups() -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    for op in FloatOp::all() {
        let (name, says) = op.group();
        if all.last().is_none_or(|g| g.name != name) {
            all.push(Group {
                name,
                says,
                fields: Vec::new(),
            });
        }
        let field = (
            op.field().to_string(),
            domains(&op.operands()),
            op.result(),
            op.operands().len(),
        );
        all.last_mut().expect("just pushed").fields.push(field);
    }
    let dot = |k: &DotKind| {
        let (a, b, acc) = (k.a.width(), k.b.width(), k.acc.width());
        let domains = format!("List (Word {a} × Word {b}) → Word {acc} → ");
        (k.field().to_string(), domains, acc, 2)
    };
    all.push(Group {
        name: "Dot",
        says: "Dot products with their accumulators: one element of a matrix product (9.7.15, 9.7.16).",
        fields: DotKind::ALL.iter().map(dot).collect(),
    });
    all
}

fn script() -> String {
    let mut s = String::from(
        "/-!
Float operations as unknown functions on words.

Nothing is assumed about them: a theorem for every `F : FloatOps` holds for whatever the hardware computes, as long as
the hardware computes a function of the operand bits. The name of an operation is the opcode with its modifiers and types.
What needs no more than the bits (negation, absolute value, copied signs, the class of a number) is not here; packed
operations are two of these. The same holds of the few integer operations whose result the manual leaves open.

Written by `UPDATE_TRANSCRIPTS=1 cargo test -p ptx --test float_ops`.
-/
import \"../lib/word.ptxp\"
",
    );
    let groups = groups();
    let part = |g: &Group| g.name[..1].to_lowercase() + &g.name[1..];
    for g in &groups {
        let _ = writeln!(
            s,
            "\n/-- {} -/\nstructure FloatOps.{} where",
            g.says, g.name
        );
        for (field, from, to, _) in &g.fields {
            let _ = writeln!(s, "  {field} : {from}Word {to}");
        }
    }
    s += "
/-- Every operation of the supported instructions of which the manual does not fix all bits, a function on words. -/
structure FloatOps where
";
    for g in &groups {
        let _ = writeln!(s, "  {} : FloatOps.{}", part(g), g.name);
    }
    for g in &groups {
        s.push('\n');
        for (field, from, to, _) in &g.fields {
            let _ = writeln!(
                s,
                "def FloatOps.{field} (F : FloatOps) : {from}Word {to} := F.{}.{field}",
                part(g)
            );
        }
    }
    s += "
/-- Operations that all return `n`, whatever the operands are. -/
def FloatOps.constant (n : Nat) : FloatOps :=
  FloatOps.mk";
    for g in &groups {
        let _ = write!(s, "\n    (FloatOps.{}.mk", g.name);
        let mut column = 200;
        for (_, _, width, operands) in &g.fields {
            let term = format!(" (fun{} => Word.ofNat {width} n)", " _".repeat(*operands));
            column += term.len();
            if column > 116 {
                s += "\n     ";
                column = 5 + term.len();
            }
            s += &term;
        }
        s.push(')');
    }
    s.push('\n');
    s
}

#[test]
fn the_structure_is_the_list() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/ptx/float.ptxp");
    let wanted = script();
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        std::fs::write(&path, &wanted).expect("a place to write");
    }
    let found = std::fs::read_to_string(&path).expect("the script");
    let differs = wanted.lines().zip(found.lines()).find(|(w, f)| w != f);
    assert!(
        differs.is_none() && wanted.len() == found.len(),
        "{differs:?} is not the line of the list"
    );
}

/// An algebra that only notes which float operations are asked for. A word is its width.
#[derive(Default)]
struct Notes(HashSet<FloatOp>);

impl WordAlg for Notes {
    type Word = u32;
    type Bool = ();

    fn width(&self, a: &u32) -> u32 {
        *a
    }
    fn lit(&mut self, width: u32, _: u128) -> u32 {
        width
    }
    fn add(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn sub(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn mul(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn udiv(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn urem(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn neg(&mut self, a: &u32) -> u32 {
        *a
    }
    fn and(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn or(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn xor(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn not(&mut self, a: &u32) -> u32 {
        *a
    }
    fn shl(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn lshr(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn ashr(&mut self, a: &u32, _: &u32) -> u32 {
        *a
    }
    fn eq(&mut self, _: &u32, _: &u32) {}
    fn ult(&mut self, _: &u32, _: &u32) {}
    fn ule(&mut self, _: &u32, _: &u32) {}
    fn slt(&mut self, _: &u32, _: &u32) {}
    fn sle(&mut self, _: &u32, _: &u32) {}
    fn bool_not(&mut self, _: &()) {}
    fn ite(&mut self, _: &(), a: &u32, _: &u32) -> u32 {
        *a
    }
    fn of_bool(&mut self, _: &()) -> u32 {
        1
    }
    fn to_bool(&mut self, _: &u32) {}
    fn zext(&mut self, _: &u32, width: u32) -> u32 {
        width
    }
    fn sext(&mut self, _: &u32, width: u32) -> u32 {
        width
    }
    fn trunc(&mut self, _: &u32, width: u32) -> u32 {
        width
    }
    fn extract(&mut self, _: &u32, _: u32, len: u32) -> u32 {
        len
    }
    fn concat(&mut self, hi: &u32, lo: &u32) -> u32 {
        hi + lo
    }
    fn float(&mut self, op: FloatOp, args: &[&u32]) -> u32 {
        let given: Vec<u32> = args.iter().map(|a| **a).collect();
        assert_eq!(given, op.operands(), "{}", op.field());
        self.0.insert(op);
        op.result()
    }
    fn dot(&mut self, kind: DotKind, _: &[(u32, u32)], _: &u32) -> u32 {
        kind.acc.width()
    }
}

/// The fields are the operations that rows of the opcode table use: no more, and no fewer.
#[test]
fn fields_are_what_rows_use() {
    let mut used = Notes::default();
    for (i, row) in table::<Notes>().enumerate() {
        let Some(meaning) = row.shape.meaning() else {
            continue;
        };
        for form in forms_of_row(i) {
            let memory = match form.shape() {
                "atom" | "red" => Some(form.width()),
                _ => None,
            };
            let sources = form.sources().iter().map(|t| t.bits);
            let args: Vec<u32> = memory.into_iter().chain(sources).collect();
            meaning(&mut used, &form, &args);
        }
    }
    let all: HashSet<FloatOp> = FloatOp::all().iter().copied().collect();
    let names = |a: &HashSet<FloatOp>, b: &HashSet<FloatOp>| {
        let mut names: Vec<String> = a.difference(b).map(|op| op.field()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&used.0, &all), Vec::<String>::new(), "are no fields");
    assert_eq!(names(&all, &used.0), Vec::<String>::new(), "are not used");
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    for op in FloatOp::all() {
        assert!(seen.insert(op.field()), "{} twice", op.field());
    }
    for kind in DotKind::ALL {
        assert!(seen.insert(kind.field()), "{} twice", kind.field());
    }
}
