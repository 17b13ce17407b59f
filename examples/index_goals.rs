//! Figures of the goals in `tests/accept/index`: each is proved by `index`, and then by `omega` and `simp` alone.
//!
//! ```text
//! cargo run --release --example index_goals
//! ```
//!
//! Prints a JSON object a line: the goal, the tactics, whether they proved it, milliseconds from the text to the kernel's
//! verdict (the least of five runs, the library being read), distinct terms of the statement and proof, steps of the kernel, and of
//! `index` how its search ended and the nodes of its e-graph.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use bumpalo::Bump;
use logic::Store;
use serde::Serialize;
use tactics::diagnostic::Severity;
use tactics::driver::{DeclReport, Session, Status, on_large_stack};

/// The least time of so many runs counts.
const RUNS: usize = 5;

const HEAD: &str =
    "import ptx.isa\nimport lib.index\nimport lib.word_lemmas\nimport lib.simp\nopen Word\n";

/// What instructions are made of.
const WORDS: &str = "Word.add, Word.sub, Word.mul, Word.neg, Word.not, Word.and, Word.or, Word.xor, Word.shl, Word.lshr, \
    Word.ashr, Word.msb, Word.zext, Word.sext, Word.trunc, Word.extract, Word.concat, Word.ult, Word.slt, Word.biased, \
    Word.beq, Word.toBool, Word.ofNat";

#[derive(Serialize)]
struct Figure<'a> {
    goal: &'a str,
    tactics: &'a str,
    proved: bool,
    ms: f64,
    nodes: usize,
    steps: u64,
    by: String,
    egraph: usize,
}

/// A statement: its name, and its text without a proof.
struct Statement<'a> {
    name: &'a str,
    text: &'a str,
}

fn statements(source: &str) -> Vec<Statement<'_>> {
    let blocks = source.split("\ntheorem ").skip(1);
    let found = blocks.filter_map(|b| {
        Some(Statement {
            name: b.split(' ').next()?,
            text: &b[..b.find(" := by")?],
        })
    });
    found.collect()
}

/// The names behind `(` and before `: Word`.
fn words(text: &str) -> Vec<&str> {
    let binders = text.split('(').filter_map(|b| b.split_once(" : Word"));
    binders.flat_map(|(names, _)| names.split(' ')).collect()
}

/// The instructions that it names, once each.
fn instructions(text: &str) -> Vec<String> {
    let mut all: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '.'))
        .filter(|w| w.starts_with("ptx."))
        .map(str::to_owned)
        .collect();
    all.sort();
    all.dedup();
    all
}

/// A proof of a statement by arithmetic and rewriting alone: what is known of words is said, instructions are unfolded.
fn plain(s: &Statement<'_>) -> String {
    let mut proof = String::from("by\n");
    for x in words(s.text) {
        proof.push_str(&format!("  have lt_{x} := {x}.isLt\n"));
    }
    let unfolded = match instructions(s.text) {
        ops if ops.is_empty() => String::new(),
        ops => format!(" [{}, {WORDS}]", ops.join(", ")),
    };
    let of_words = !words(s.text).is_empty() && !s.text.contains(").val");
    let values = if of_words { "apply Word.ext; " } else { "" };
    proof.push_str(&format!(
        "  first\n    | omega\n    | ({values}simp{unfolded}; omega)\n    | ({values}simp{unfolded})\n"
    ));
    proof
}

/// A run: milliseconds, whether it was proved, terms, steps, and what `index report` says.
struct Measured {
    ms: f64,
    proved: bool,
    nodes: usize,
    steps: u64,
    says: String,
}

/// Milliseconds and what the report says of the one theorem of a script.
fn measure(
    session: &mut Session<'_>,
    number: usize,
    text: &str,
) -> Result<Measured, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(format!("proofs/figure-{number}.ptxp"));
    let name = format!("Figure{number}");
    let script = format!("{HEAD}namespace {name}\ntheorem {text}\nend {name}\n");
    session
        .replace_file(&path, script)
        .map_err(|e| e.to_string())?;
    let began = Instant::now();
    session.check_file(&path).map_err(|e| e.to_string())?;
    let ms = began.elapsed().as_secs_f64() * 1000.0;
    let report = session.reports().last().ok_or("no report")?;
    let of_ours = |d: &&DeclReport| d.name.starts_with(&name);
    let decl = report.decls.iter().find(of_ours).ok_or("no declaration")?;
    let info = report.diagnostics.iter();
    let info = info.filter(|d| d.severity == Severity::Info);
    Ok(Measured {
        ms,
        proved: decl.status == Status::Proved,
        nodes: decl.nodes,
        steps: decl.steps,
        says: info.map(|d| d.message.clone()).collect(),
    })
}

fn run() -> Result<(), Box<dyn Error>> {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut session = Session::new(&store);
    let mut number = 0;
    for file in ["goals", "words"] {
        let path = format!("tests/accept/index/{file}.ptxp");
        let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))?;
        for s in statements(&source) {
            let plain = plain(&s);
            for (tactics, proof) in [("index", "by index"), ("omega+simp", &*plain)] {
                let mut best: Option<Measured> = None;
                let mut run = |proof: &str| {
                    number += 1;
                    measure(&mut session, number, &format!("{} := {proof}", s.text))
                };
                for _ in 0..RUNS {
                    let found = run(proof)?;
                    if best.as_ref().is_none_or(|b| found.ms < b.ms) {
                        best = Some(found);
                    }
                }
                let best = best.ok_or("no run")?;
                let says = match tactics {
                    "index" => run("by index report")?.says,
                    _ => String::new(),
                };
                let egraph = says.split_once("e-graph: ");
                let egraph = egraph.and_then(|(_, n)| n.split(' ').next()?.parse().ok());
                let by = says.strip_prefix("proved by ");
                let figure = Figure {
                    goal: s.name,
                    tactics,
                    proved: best.proved,
                    ms: best.ms,
                    nodes: best.nodes,
                    steps: best.steps,
                    by: by
                        .and_then(|t| Some(t.split_once(':')?.0))
                        .unwrap_or("")
                        .to_owned(),
                    egraph: egraph.unwrap_or(0),
                };
                println!("{}", serde_json::to_string(&figure)?);
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    match on_large_stack(|| run().map_err(|e| e.to_string())) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(e)) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
