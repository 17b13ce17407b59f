//! Transcripts of a terminal: lines after `$ ` are run, and what follows has to be what they print.
//!
//! `...` stands for any lines, `[..]` for anything within a line; counts of nodes, steps and so on may differ. A command has to succeed, unless the next one is
//! `echo $?`. With `UPDATE_TRANSCRIPTS=1` the file is rewritten instead.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Failed;

use crate::root;

/// A command and what it prints.
struct Step {
    command: String,
    expected: Vec<String>,
}

fn parse(block: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => steps.push(Step {
                command: command.to_owned(),
                expected: Vec::new(),
            }),
            None => {
                if let Some(step) = steps.last_mut() {
                    step.expected.push(line.to_owned());
                }
            }
        }
    }
    steps
}

/// What is counted in output; how many there are may change without making the book wrong.
const COUNTED: [&str; 6] = [
    " nodes",
    " steps",
    " kernel steps",
    " theorems",
    " scripts",
    " declarations",
];

/// A line with `#` for every count.
fn without_counts(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(i) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = rest[i..].len()
            - rest[i..]
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        let (number, after) = rest[i..].split_at(digits);
        out.push_str(&rest[..i]);
        out.push_str(if COUNTED.iter().any(|w| after.starts_with(w)) {
            "#"
        } else {
            number
        });
        rest = after;
    }
    out + rest
}

/// Whether a line is as expected, `[..]` standing for anything.
fn line_fits(expected: &str, line: &str) -> bool {
    let (expected, line) = (without_counts(expected), without_counts(line));
    let line = line.as_str();
    let parts: Vec<&str> = expected.split("[..]").collect();
    let [first, middle @ .., last] = parts.as_slice() else {
        return expected == line;
    };
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    for part in middle {
        let Some(i) = rest.find(part) else {
            return false;
        };
        rest = &rest[i + part.len()..];
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

/// Whether lines are as expected, `...` standing for any lines.
pub fn fits(expected: &[String], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((e, more)) if e == "..." => (0..=lines.len()).any(|i| fits(more, &lines[i..])),
        Some((e, more)) => lines
            .split_first()
            .is_some_and(|(l, rest)| line_fits(e, l) && fits(more, rest)),
    }
}

/// Runs a shell command at the root of the repository, `ptxprove` being the one under test; the exit code and the output,
/// standard error included.
pub fn shell(command: &str) -> Result<(i32, String), Failed> {
    let command = command.replace("cargo run --release -- ", "ptxprove ");
    let bin = Path::new(env!("CARGO_BIN_EXE_ptxprove"));
    let dir = bin.parent().ok_or("the binary is nowhere")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(dir.to_owned()).chain(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(root())
        .env("PATH", std::env::join_paths(paths)?)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((output.status.code().unwrap_or(-1), text))
}

/// Runs the commands of a block; the block as it should be, if that is not what it is.
fn rerun(block: &str) -> Result<Option<String>, Failed> {
    let steps = parse(block);
    if steps.is_empty() {
        return Err("a transcript without a command".into());
    }
    let (mut actual, mut same, mut last) = (String::new(), true, 0);
    for (i, step) in steps.iter().enumerate() {
        let text = if step.command == "echo $?" {
            format!("{last}\n")
        } else {
            let (code, text) = shell(&step.command)?;
            last = code;
            let asked = steps.get(i + 1).is_some_and(|s| s.command == "echo $?");
            if code != 0 && !asked {
                return Err(format!("exit code {code} of `{}`:\n{text}", step.command).into());
            }
            text
        };
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let fit = fits(&step.expected, &lines);
        same &= fit;
        actual.push_str(&format!("$ {}\n", step.command));
        for line in if fit {
            step.expected.iter().map(String::as_str).collect()
        } else {
            lines
        } {
            actual.push_str(line);
            actual.push('\n');
        }
    }
    Ok((!same).then_some(actual))
}

/// Runs a block of a file.
pub fn check(file: &Path, block: &str) -> Result<(), Failed> {
    let Some(actual) = rerun(block)? else {
        return Ok(());
    };
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        let text = std::fs::read_to_string(file)?;
        std::fs::write(file, text.replacen(block, &actual, 1))?;
        return Ok(());
    }
    Err(format!("expected:\n{block}\nfound:\n{actual}").into())
}
