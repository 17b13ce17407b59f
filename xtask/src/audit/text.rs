//! The `.lean` files: real Lean accepts them, names no other axioms, and refuses a forged one.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::Tally;
use super::tools::{Tools, output};

const AXIOMS: [&str; 3] = ["propext", "Quot.sound", "Classical.choice"];

/// Checks the files with their own script.
pub(super) fn files(tools: &Tools, dir: &Path, tally: &mut Tally) -> io::Result<()> {
    let start = Instant::now();
    let done = output(
        Command::new("sh")
            .arg(dir.join("check.sh"))
            .env("LEAN", &tools.lean),
    )?;
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    println!(
        "        Lean files checked in {:.1} s",
        start.elapsed().as_secs_f64()
    );
    let complaint = said
        .lines()
        .find(|l| l.contains("error") || l.contains("sorry"));
    let verdict = match (done.status.success(), complaint) {
        (true, None) => Ok(()),
        (_, Some(line)) => Err(line.to_owned()),
        (false, None) => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    };
    let accepted = verdict.is_ok();
    tally.note("Lean accepts the .lean files", verdict);
    if !accepted {
        return Ok(());
    }
    let (count, axioms) = printed_axioms(&said);
    println!("        {count} theorems in the .lean files");
    let other: Vec<&String> = axioms
        .iter()
        .filter(|a| !AXIOMS.contains(&a.as_str()))
        .collect();
    let verdict = match (count, other.is_empty()) {
        (0, _) => Err("no theorem was printed".into()),
        (_, true) => Ok(()),
        (_, false) => Err(format!("{other:?}")),
    };
    tally.note(
        "the theorems in the .lean files use at most the three axioms",
        verdict,
    );
    forged(tools, dir, tally)
}

/// How many theorems `#print axioms` spoke of, and all axioms that it named.
fn printed_axioms(said: &str) -> (usize, BTreeSet<String>) {
    let mut count = 0;
    let mut axioms = BTreeSet::new();
    let joined = said.replace(",\n", ",");
    for line in joined.lines() {
        if line.contains("does not depend on any axioms") {
            count += 1;
        } else if let Some((_, list)) = line.split_once("depends on axioms: [") {
            count += 1;
            let list = list.trim_end_matches(']');
            axioms.extend(list.split(',').map(|a| a.trim().to_owned()));
        }
    }
    (count, axioms)
}

/// The last theorem of the last file with the proof of the one before it.
fn forged(tools: &Tools, dir: &Path, tally: &mut Tally) -> io::Result<()> {
    let what = "refused by Lean: a .lean file with a swapped proof";
    let script = std::fs::read_to_string(dir.join("check.sh"))?;
    let files: Vec<&str> = script
        .lines()
        .filter_map(|l| l.rsplit(' ').next())
        .filter(|f| f.ends_with(".lean") && *f != "Axioms.lean")
        .collect();
    for file in files.iter().rev() {
        let text = std::fs::read_to_string(dir.join(file))?;
        let Some((forged, name)) = swap_last_proof(&text) else {
            continue;
        };
        let path = dir.join("Forged.lean");
        std::fs::write(&path, forged)?;
        let done = output(Command::new(&tools.lean).arg(&path).env("LEAN_PATH", dir))?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        std::fs::remove_file(&path)?;
        let refused = !done.status.success() && said.contains("ype mismatch");
        let verdict = match refused {
            true => Ok(()),
            false => Err(format!("{name} in {file}: {said}")),
        };
        tally.note(what, verdict);
        return Ok(());
    }
    tally.note(what, Err("no file has two theorems".into()));
    Ok(())
}

/// The text with the proof of its last theorem replaced by a reference to another theorem without universes.
fn swap_last_proof(text: &str) -> Option<(String, String)> {
    let starts: Vec<usize> = text
        .match_indices("\ntheorem ")
        .map(|(i, _)| i + 1)
        .collect();
    let name = |at: usize| text[at + "theorem ".len()..].split_whitespace().next();
    let statement = |at: usize| {
        let end = text[at..].find(" :=\n")?;
        text[at..at + end]
            .split_once(':')
            .map(|(_, s)| s.to_owned())
    };
    let (last, earlier) = starts.split_last()?;
    let other = earlier.iter().rev().find(|at| {
        name(**at).is_some_and(|n| !n.contains(".{")) && statement(**at) != statement(*last)
    })?;
    let header = last + text[*last..].find(" :=\n")?;
    let forged = format!("{} :=\n  {}\n", &text[..header], name(*other)?);
    Some((forged, name(*last)?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axioms_are_collected() {
        let said =
            "'a' does not depend on any axioms\n'b' depends on axioms: [propext,\n Quot.sound]\n";
        let (count, axioms) = printed_axioms(said);
        assert_eq!(count, 2);
        assert_eq!(
            axioms.into_iter().collect::<Vec<_>>(),
            ["Quot.sound", "propext"]
        );
    }

    #[test]
    fn the_last_proof_is_swapped() {
        let text = "\ntheorem a : A :=\n  x\n\ntheorem b : B :=\n  y\n";
        let (forged, name) = swap_last_proof(text).expect("two theorems");
        assert_eq!(name, "b");
        assert_eq!(forged, "\ntheorem a : A :=\n  x\n\ntheorem b : B :=\n  a\n");
        assert!(swap_last_proof("\ntheorem a : A :=\n  x\n").is_none());
    }
}
