//! Scripts that must be accepted, and scripts that must be refused for the reason that they name.
//!
//! A refused script says in comments what is expected of it, and what would repair it:
//!
//! ```text
//! -- expect: tactic.rfl 7: not equal by computation
//! -- repair: n + 1 ==> n
//! ```
//!
//! Every error of the script has to be expected (code, line, a part of its text), every expectation has to come true, and
//! the script with all its repairs (each from-text occurs exactly once, `\n` in it ends a line) has to be accepted.

use std::fmt;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use libtest_mimic::{Failed, Trial};
use logic::Store;
use tactics::diagnostic::{Diagnostic, Severity, line_col};
use tactics::driver::{FileReport, Session, Status, on_large_stack};

use crate::files;

/// An error: where it is, and all of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub file: PathBuf,
    pub line: usize,
    pub code: String,
    pub text: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Found {
            file,
            line,
            code,
            text,
        } = self;
        write!(f, "{}:{line}: [{code}] {}", file.display(), text.trim_end())
    }
}

fn found(file: &Path, source: &str, d: &Diagnostic) -> Found {
    let mut text = format!("{}\n", d.message);
    for part in d.goals.iter().chain(&d.notes).chain(&d.help) {
        text.push_str(part);
        text.push('\n');
    }
    Found {
        file: file.to_owned(),
        line: d.span.map_or(0, |s| line_col(source, s.start as usize).0),
        code: d.code.to_owned(),
        text,
    }
}

/// What is wrong in some reports: errors, then declarations with holes.
pub fn errors(reports: &[FileReport]) -> Vec<Found> {
    let mut all = Vec::new();
    for r in reports {
        let before = all.len();
        let is_error = |d: &&Diagnostic| d.severity == Severity::Error;
        all.extend(
            r.diagnostics
                .iter()
                .filter(is_error)
                .map(|d| found(&r.path, &r.source, d)),
        );
        let in_ptx = r.ptx.iter().filter(|p| is_error(&&p.diagnostic));
        all.extend(in_ptx.map(|p| found(&p.path, &p.source, &p.diagnostic)));
        for d in r.decls.iter().filter(|d| d.status == Status::Hole) {
            all.push(Found {
                file: r.path.clone(),
                line: line_col(&r.source, d.span.start as usize).0,
                code: "hole".to_owned(),
                text: format!("{} has a hole; axioms: {}", d.name, d.axioms.join(" ")),
            });
        }
        // A failure is never silent.
        let failed = r.decls.iter().find(|d| d.status == Status::Failed);
        if let (Some(d), true) = (failed, all.len() == before) {
            all.push(Found {
                file: r.path.clone(),
                line: 0,
                code: "silent".to_owned(),
                text: format!("{} failed without an error", d.name),
            });
        }
    }
    all
}

/// Checks one script in a session of its own, some files replaced; the errors in it and in what it imports.
pub fn check(path: &Path, replaced: &[(PathBuf, String)]) -> Result<Vec<Found>, Failed> {
    let reports = on_large_stack(|| {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut session = Session::new(&store);
        for (path, text) in replaced {
            session.replace_file(path, text.as_str())?;
        }
        session.check_file(path)?;
        Ok::<_, tactics::driver::LoadError>(session.reports().to_vec())
    });
    Ok(errors(&reports??))
}

/// Errors as a text.
pub fn list(found: &[Found]) -> String {
    let lines: Vec<String> = found.iter().map(|f| format!("  {f}\n")).collect();
    lines.concat()
}

struct Expected {
    code: String,
    line: usize,
    says: String,
}

fn expectations(source: &str) -> Result<Vec<Expected>, Failed> {
    let mut all = Vec::new();
    for line in source.lines().filter_map(|l| l.strip_prefix("-- expect: ")) {
        let parsed = line.split_once(": ").and_then(|(place, says)| {
            let (code, line) = place.split_once(' ')?;
            Some(Expected {
                code: code.to_owned(),
                line: line.trim().parse().ok()?,
                says: says.to_owned(),
            })
        });
        all.push(parsed.ok_or(format!("not `code line: text`: {line}"))?);
    }
    Ok(all)
}

/// A comment's text with its `\\n` as ends of lines.
fn lines(s: &str) -> String {
    s.replace("\\n", "\n")
}

/// The text with what its `-- repair:` comments say.
fn repaired(source: &str) -> Result<String, Failed> {
    let mut text = source.to_owned();
    let mut any = false;
    for line in source.lines().filter_map(|l| l.strip_prefix("-- repair: ")) {
        let (from, to) = line
            .split_once(" ==> ")
            .ok_or(format!("not `from ==> to`: {line}"))?;
        let (header, body) = text
            .split_once("\n\n")
            .ok_or("no blank line below the header")?;
        text = format!(
            "{header}\n\n{}",
            replace_once(body, &lines(from), &lines(to))?
        );
        any = true;
    }
    match any {
        true => Ok(text),
        false => Err("no `-- repair:` says what would make the script acceptable".into()),
    }
}

/// A text with the only occurrence of `from` replaced.
pub fn replace_once(text: &str, from: &str, to: &str) -> Result<String, Failed> {
    match text.matches(from).count() {
        1 => Ok(text.replacen(from, to, 1)),
        n => Err(format!("`{from}` occurs {n} times, not once").into()),
    }
}

fn accept(path: &Path) -> Result<(), Failed> {
    let errors = check(path, &[])?;
    match errors.is_empty() {
        true => Ok(()),
        false => Err(format!("refused:\n{}", list(&errors)).into()),
    }
}

fn reject(path: &Path) -> Result<(), Failed> {
    let source = std::fs::read_to_string(path)?;
    let expected = expectations(&source)?;
    if expected.is_empty() {
        return Err("no `-- expect:` says why it is refused".into());
    }
    let errors = check(path, &[])?;
    let fits =
        |e: &Expected, f: &Found| e.code == f.code && e.line == f.line && f.text.contains(&e.says);
    for e in &expected {
        if !errors.iter().any(|f| fits(e, f)) {
            let Expected { code, line, says } = e;
            let text = format!(
                "not found: line {line}: [{code}] {says}\nfound:\n{}",
                list(&errors)
            );
            return Err(text.into());
        }
    }
    if let Some(f) = errors.iter().find(|f| !expected.iter().any(|e| fits(e, f))) {
        return Err(format!("not expected: {f}").into());
    }
    let errors = check(path, &[(path.to_owned(), repaired(&source)?)])?;
    match errors.is_empty() {
        true => Ok(()),
        false => Err(format!("refused also after the repair:\n{}", list(&errors)).into()),
    }
}

pub fn trials() -> Vec<Trial> {
    let accepted = files("tests/accept", "ptxp").into_iter();
    let rejected = files("tests/reject", "ptxp").into_iter();
    let test = |p: PathBuf, f: fn(&Path) -> Result<(), Failed>| {
        Trial::test(p.display().to_string(), move || f(&p))
    };
    accepted
        .map(|p| test(p, accept))
        .chain(rejected.map(|p| test(p, reject)))
        .collect()
}
