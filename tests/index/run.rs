//! Statements judged by `index`: each becomes a line of a script, which is checked in this process.

use std::path::Path;
use std::sync::Mutex;

use bumpalo::Bump;
use logic::Store;
use tactics::diagnostic::{Severity, line_col};
use tactics::driver::{FileReport, Session, Status, on_large_stack};

use crate::eval::Point;
use crate::syntax::Goal;

/// An answer.
pub enum Judged {
    /// A proof that the kernel accepted.
    Proved {
        /// How many different terms it has.
        nodes: usize,
    },
    /// An error.
    Refused {
        /// The values that it names, if it names a value for each variable.
        at: Option<Point>,
        /// What it says.
        text: String,
    },
}

/// So many statements make a script.
const TOGETHER: usize = 64;

const HEAD: &str = "import ptx.isa\nimport lib.index\nopen Word\nnamespace Judged\n";

/// Judges statements, in their order. Two sessions at a time.
pub fn judge(statements: &[&Goal]) -> Vec<Judged> {
    let todo: Vec<&[&Goal]> = statements.chunks(TOGETHER).collect();
    let next = Mutex::new(0..todo.len());
    let mut done: Vec<Option<Vec<Judged>>> = todo.iter().map(|_| None).collect();
    let found = Mutex::new(&mut done);
    let work = || {
        let worked = on_large_stack(|| {
            let bump = Bump::new();
            let store = Store::new(&bump);
            let mut session = Session::new(&store);
            loop {
                let Some(i) = next.lock().ok().and_then(|mut n| n.next()) else {
                    return;
                };
                let judged = script(&mut session, i, todo[i]);
                if let Ok(mut found) = found.lock() {
                    found[i] = Some(judged);
                }
            }
        });
        worked.expect("a thread");
    };
    std::thread::scope(|s| {
        s.spawn(work);
        work();
    });
    let all = done
        .into_iter()
        .map(|d| d.expect("every script was judged"));
    all.flatten().collect()
}

fn script(session: &mut Session<'_>, number: usize, statements: &[&Goal]) -> Vec<Judged> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(format!("proofs/judged-{number}.ptxp"));
    let mut text = HEAD.replace("Judged", &format!("Judged{number}"));
    for s in statements {
        text.push_str(&format!("{s} := by index\n"));
    }
    text.push_str(&format!("end Judged{number}\n"));
    session.replace_file(&path, text).expect("a path");
    session.check_file(&path).expect("a script");
    let report = session.reports().last().expect("a report");
    let first = HEAD.lines().count() + 1;
    let judged = statements
        .iter()
        .enumerate()
        .map(|(i, goal)| answer(report, goal, first + i));
    judged.collect()
}

/// What a report says of the statement on a line.
fn answer(report: &FileReport, goal: &Goal, line: usize) -> Judged {
    let at_line = |start: u32| line_col(&report.source, start as usize).0 == line;
    if let Some(d) = report.decls.iter().find(|d| at_line(d.span.start))
        && d.status == Status::Proved
    {
        return Judged::Proved { nodes: d.nodes };
    }
    let mut text = String::new();
    for d in &report.diagnostics {
        if d.severity == Severity::Error && d.span.is_some_and(|s| at_line(s.start)) {
            text.push_str(&format!("[{}] {}\n", d.code, d.message));
            for part in d.goals.iter().chain(&d.notes).chain(&d.help) {
                text.push_str(part);
                text.push('\n');
            }
        }
    }
    Judged::Refused {
        at: counterexample(goal, &text),
        text,
    }
}

/// The values behind `at:`, in the order of the variables.
fn counterexample(goal: &Goal, text: &str) -> Option<Point> {
    let line = text.lines().find_map(|l| l.split_once("at: "))?.1;
    let values: Vec<(&str, u128)> = line
        .split(", ")
        .filter_map(|part| part.split_once(" = "))
        .filter_map(|(x, n)| Some((x.trim_end_matches(".val"), n.trim().parse().ok()?)))
        .collect();
    let value = |x: &str| values.iter().find(|(y, _)| x == *y).map(|(_, n)| *n);
    goal.variables.iter().map(|(x, _)| value(x)).collect()
}
