//! The audit: everything under `proofs/` is exported and checked again by real Lean, and forged exports are refused.

mod forge;
mod text;
mod tools;

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use self::forge::{Export, Forgery};
pub use self::tools::{Official, official};
use self::tools::{Tools, must, output};

/// Counts what passed and says why something did not.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
}

impl Tally {
    fn note(&mut self, what: &str, verdict: Result<(), String>) {
        match verdict {
            Ok(()) => {
                self.passed += 1;
                println!("ok      {what}");
            }
            Err(why) => {
                self.failed += 1;
                println!("FAILED  {what}: {why}");
            }
        }
    }
}

/// Runs the audit over some paths, `proofs` if none is given. `false` when a check fails.
///
/// # Errors
/// When a tool is missing or a file cannot be written.
pub fn run(root: &Path, paths: &[String]) -> io::Result<bool> {
    let tools = tools::prepare(root)?;
    let mut tally = Tally::default();
    let version = must(Command::new(&tools.lean).arg("--version"))?;
    println!("{}", version.trim());

    let ndjson = tools.folder.join("proofs.ndjson");
    let lean = tools.folder.join("lean");
    if lean.exists() {
        std::fs::remove_dir_all(&lean)?;
    }
    let start = Instant::now();
    must(
        Command::new(&tools.ptxprove)
            .current_dir(root)
            .args(["--quiet", "export"])
            .args(paths)
            .args(if paths.is_empty() {
                &["proofs"][..]
            } else {
                &[]
            })
            .arg("--ndjson")
            .arg(&ndjson)
            .arg("--lean")
            .arg(&lean),
    )?;
    let bytes = std::fs::metadata(&ndjson)?.len();
    println!(
        "exported {bytes} bytes in {:.1} s",
        start.elapsed().as_secs_f64()
    );

    kernel(&tools, &ndjson, &mut tally)?;
    again(&tools, &ndjson, &mut tally)?;
    forgeries(&tools, &ndjson, &mut tally)?;
    text::files(&tools, &lean, &mut tally)?;
    println!("{} passed, {} failed", tally.passed, tally.failed);
    Ok(tally.failed == 0)
}

/// The official kernel accepts the export, and its axioms are at most the three.
fn kernel(tools: &Tools, ndjson: &Path, tally: &mut Tally) -> io::Result<()> {
    let done = output(Command::new(&tools.leanck).arg(ndjson))?;
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    for line in said.lines() {
        println!("        {line}");
    }
    let accepted = done.status.code() == Some(0) && said.starts_with("accepted ");
    let verdict = if accepted { Ok(()) } else { Err(said) };
    tally.note("the official kernel accepts the export", verdict);
    Ok(())
}

/// Our own kernel accepts the export when it reads it back.
fn again(tools: &Tools, ndjson: &Path, tally: &mut Tally) -> io::Result<()> {
    let done = output(
        Command::new(&tools.ptxprove)
            .args(["--quiet", "check"])
            .arg(ndjson),
    )?;
    let verdict = match done.status.code() {
        Some(0) => Ok(()),
        code => Err(format!(
            "exit {code:?}\n{}{}",
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        )),
    };
    tally.note("our kernel accepts the export that it reads back", verdict);
    Ok(())
}

/// Forged exports are refused for the right reason by the official kernel, and refused by ours.
fn forgeries(tools: &Tools, ndjson: &Path, tally: &mut Tally) -> io::Result<()> {
    let text = std::fs::read_to_string(ndjson)?;
    let export = Export::read(&text).map_err(io::Error::other)?;
    let mut all: Vec<Forgery> = Vec::new();
    let single = [
        ("a swapped proof", export.swapped_proof()),
        ("an added axiom", export.added_axiom()),
        ("a disguised axiom", export.disguised_axiom()),
        ("a theorem made an axiom", export.theorem_as_axiom()),
        ("exchanged rules of a recursor", export.exchanged_rules()),
    ];
    for (what, forged) in single {
        match forged {
            Some(f) => all.push(f),
            None => tally.note(what, Err("the export has nothing to forge it from".into())),
        }
    }
    let edited = export.edited_statements(3);
    if edited.is_empty() {
        let why = "no statement has anything to edit".to_owned();
        tally.note("an edited statement", Err(why));
    }
    all.extend(edited);
    let file = tools.folder.join("forged.ndjson");
    for f in all {
        std::fs::write(&file, &f.text)?;
        let done = output(
            Command::new(&tools.leanck)
                .arg(&file)
                .arg(f.from.to_string()),
        )?;
        let said = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        let refused = done.status.code() == Some(1) && said == f.reason;
        let verdict = match refused {
            true => Ok(()),
            false => Err(format!("wanted `{}`, got `{said}`", f.reason)),
        };
        tally.note(&format!("refused by Lean: {}", f.what), verdict);
    }
    Ok(())
}
