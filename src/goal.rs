//! `ptxprove goal FILE:LINE:COL`: what is known and what is to be shown at a place.

use std::path::PathBuf;

use bumpalo::Bump;
use logic::Store;
use serde_json::json;
use tactics::driver::{Diagnosed, FileReport, GoalError, GoalsAt, Session, When};

use crate::args::GoalArgs;
use crate::output::{Output, printable};
use crate::{CANNOT_READ, NOT_PROVED, PROVED, diagnostics};

/// Runs the command; the exit code.
pub fn run(args: &GoalArgs, out: &Output) -> u8 {
    let Some((path, line, column)) = place(&args.place) else {
        out.complain(format_args!(
            "error: `{}` is no place\nhelp: a place is FILE:LINE:COLUMN, lines and columns counted from 1",
            printable(&args.place)
        ));
        return CANNOT_READ;
    };
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut session = Session::new(&store);
    out.progress(format_args!("checking {}", path.display()));
    let found = session.goals_at(&path, line, column);
    out.end_progress();
    match &found {
        Ok(goals) => show(goals, args, out),
        Err(e) => out.complain(format_args!("error: {}: {e}", args.place)),
    }
    match found {
        Err(GoalError::Load(_) | GoalError::NoSuchPlace { .. }) => CANNOT_READ,
        found => {
            // What was wrong on the way: it may be why the goals are not those expected.
            for r in session.reports().iter().filter(|r| r.has_errors()) {
                diagnostics::print(out, &errors_of(r));
            }
            if found.is_ok() { PROVED } else { NOT_PROVED }
        }
    }
}

/// The report without answers to questions that the script asks.
fn errors_of(r: &FileReport) -> FileReport {
    let mut r = r.clone();
    r.diagnostics
        .retain(|d| d.severity == tactics::diagnostic::Severity::Error);
    r
}

/// The file, line and column that an argument names. The column may be missing; file names may have colons.
fn place(text: &str) -> Option<(PathBuf, usize, usize)> {
    let (before, last) = text.rsplit_once(':')?;
    let last: usize = last.parse().ok()?;
    match before
        .rsplit_once(':')
        .map(|(file, line)| (file, line.parse()))
    {
        Some((file, Ok(line))) if !file.is_empty() => Some((file.into(), line, last)),
        _ if before.is_empty() => None,
        _ => Some((before.into(), last, 1)),
    }
}

fn show(g: &GoalsAt, args: &GoalArgs, out: &Output) {
    let when = match g.when {
        When::Before => "before",
        When::After => "after",
        When::Term => "expected of",
    };
    if args.json {
        let place = json!({ "line": g.line, "column": g.column });
        out.say(format_args!(
            "{:#}",
            json!({ "when": when, "text": g.text, "place": place, "goals": g.goals })
        ));
        return;
    }
    let mut lines = g.text.lines();
    let first = printable(lines.next().unwrap_or_default());
    let dots = if lines.next().is_some() { " …" } else { "" };
    let title = format!("{when} `{first}{dots}` at {}:{}", g.line, g.column);
    out.say(out.faint(&title));
    match g.goals.len() {
        0 => out.say(out.good("no goals")),
        1 => {}
        n => out.say(out.faint(&format!("{n} goals"))),
    }
    for (i, goal) in g.goals.iter().enumerate() {
        if i > 0 {
            out.say("");
        }
        out.say(printable(goal));
    }
}
