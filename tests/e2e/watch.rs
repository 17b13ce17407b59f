//! `ptxprove check --watch` and `ptxprove goal`, as a user runs them.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::cli::{ensure, expect, out};
use crate::no_crash::scratch;
use crate::root;

/// How long one verdict may take, on a slow and busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// A command that is stopped when the test ends, however it ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The lines up to the next summary.
fn verdict(lines: &Receiver<String>) -> Result<Vec<String>, Failed> {
    let mut all = Vec::new();
    loop {
        let line = lines
            .recv_timeout(LIMIT)
            .map_err(|e| format!("{e}, after {all:?}"))?;
        let last = line.contains(" kernel steps");
        all.push(line);
        if last {
            return Ok(all);
        }
    }
}

fn holds(said: &[String], parts: &[&str]) -> Result<(), Failed> {
    let all = said.join("\n");
    match parts.iter().find(|p| !all.contains(**p)) {
        None => Ok(()),
        Some(part) => Err(format!("expected `{part}` in\n{all}").into()),
    }
}

fn watch() -> Result<(), Failed> {
    let dir = scratch("watch")?;
    let core = root().join("proofs/lib/core.ptxp");
    let write = |name: &str, text: &str| {
        let text = text.replace("CORE", &core.display().to_string());
        std::fs::write(dir.join(name), text)
    };
    let _ = std::fs::remove_file(dir.join("c.ptxp"));
    write("a.ptxp", "import \"CORE\"\ntheorem a : 1 = 1 := rfl\n")?;
    write("b.ptxp", "import \"a.ptxp\"\ntheorem b : 1 = 1 := a\n")?;
    let child = Command::new(env!("CARGO_BIN_EXE_ptxprove"))
        .args(["check", "--watch"])
        .arg(&dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut running = Running(child);
    let stdout = running.0.stdout.take().ok_or("no output")?;
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    holds(
        &verdict(&lines)?,
        &["✓ theorem a", "✓ theorem b", "3 scripts"],
    )?;
    // Only what the change concerns.
    write("b.ptxp", "import \"a.ptxp\"\ntheorem b : 1 = 2 := a\n")?;
    let said = verdict(&lines)?;
    holds(&said, &["✗ theorem b", "1 declaration failed"])?;
    ensure_not(&said, "theorem a ")?;
    write("b.ptxp", "import \"a.ptxp\"\ntheorem b2 : 1 = 1 := a\n")?;
    holds(
        &verdict(&lines)?,
        &["✓ theorem b2", " 0 declarations failed"],
    )?;
    // A new script, and one that is gone.
    write("c.ptxp", "import \"CORE\"\ntheorem c : 2 = 2 := rfl\n")?;
    holds(&verdict(&lines)?, &["✓ theorem c", "4 scripts"])?;
    std::fs::remove_file(dir.join("c.ptxp"))?;
    holds(&verdict(&lines)?, &["3 scripts"])?;
    // What others import.
    write("a.ptxp", "import \"CORE\"\ntheorem a : 2 = 2 := rfl\n")?;
    holds(&verdict(&lines)?, &["✓ theorem a", "✗ theorem b2"])
}

fn ensure_not(said: &[String], part: &str) -> Result<(), Failed> {
    match said.iter().any(|l| l.contains(part)) {
        true => Err(format!("`{part}` in\n{}", said.join("\n")).into()),
        false => Ok(()),
    }
}

const GOALS: &str = "tests/cli/goals.ptxp";

fn at(place: &str) -> String {
    format!("{GOALS}:{place}")
}

fn goals() -> Result<(), Failed> {
    for (place, when, goal) in [
        ("6:3", "before `constructor` at 6:3", "⊢ p ∧ q"),
        ("6:14", "after `constructor` at 6:3", "2 goals"),
        ("7:5", "before `exact hp` at 7:5", "case left"),
        ("7", "before `· exact hp` at 7:3", "case left"),
        ("8:13", "after `exact hq` at 8:5", "no goals"),
        ("12:4", "expected of `m - n` at 12:4", "⊢ Nat"),
        ("18:7", "before `exact n.zero_le` at 18:5", "case inl"),
    ] {
        let o = expect(&["goal", &at(place)], 0, when)?;
        ensure(out(&o).contains(goal), &format!("expected `{goal}`"), &o)?;
    }
    let o = expect(&["goal", &at("6:14"), "--json"], 0, "")?;
    let v: Value = serde_json::from_slice(&o.stdout)?;
    ensure(
        v["goals"].as_array().is_some_and(|g| g.len() == 2),
        "two goals",
        &o,
    )
}

/// Places where there is nothing, and what is no place.
fn no_goals() -> Result<(), Failed> {
    expect(&["goal", &at("1:1")], 1, "no tactic and no term")?;
    expect(&["goal", &at("99:1")], 2, "has only 24 lines")?;
    expect(&["goal", &at("6:99")], 2, "has only 14 columns")?;
    expect(&["goal", &at("0:1")], 2, "lines")?;
    expect(&["goal", GOALS], 2, "FILE:LINE:COLUMN")?;
    expect(&["goal", "missing.ptxp:1:1"], 2, "cannot read missing.ptxp")?;
    // Behind a tactic that fails there is nothing; what failed is shown.
    expect(&["goal", &at("23:3")], 1, "no progress")?;
    Ok(())
}

/// The tests.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cli: check --watch", watch),
        Trial::test("cli: goal", goals),
        Trial::test("cli: goal, where there is none", no_goals),
    ]
}
