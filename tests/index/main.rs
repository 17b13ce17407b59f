//! Goals about indices: those of `tests/accept/index` are closed by `index` within bounds, and what is beside them is judged
//! as it should be.
//!
//! A neighbour of a goal has one literal or one operator changed. An evaluator of its own says first whether it is still
//! true. If it is, `index` has to prove it; if it is not, `index` has to refuse it with values for which the same evaluator
//! finds that the hypotheses hold and the sides differ. `twins.txt` does the same for the goals on words: one mistake each,
//! as one makes them.

mod eval;
mod neighbours;
mod run;
mod samples;
mod syntax;
mod words;

use std::path::Path;

use run::{Judged, judge};
use samples::{Finding, Random, try_out};
use syntax::{Goal, goals};

/// At most so many statements are named when a test fails.
const SHOWN: usize = 200;

/// Of the neighbours of goals on words, every eighth is tried; all of them by `cargo test --test index -- --ignored`.
const SAMPLE: usize = 8;

/// No proof may have more terms.
const NODES: usize = 20_000;

/// A file of the repository.
fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The goals of a script of `tests/accept/index`, with the script.
fn script(name: &str) -> (String, Vec<Goal>) {
    let source = read(&format!("tests/accept/index/{name}.ptxp"));
    let all = goals(&source).unwrap_or_else(|e| panic!("{name}.ptxp: {e}"));
    (source, all)
}

/// Judges statements that were tried out before; what is wrong with the answers.
fn wrong(statements: &[(Goal, Finding)]) -> Vec<String> {
    let texts: Vec<&Goal> = statements.iter().map(|(g, _)| g).collect();
    let answers = judge(&texts);
    let mut all = Vec::new();
    for ((goal, finding), answer) in statements.iter().zip(answers) {
        let problem = match (finding, answer) {
            (Finding::Holds { .. }, Judged::Proved { nodes }) if nodes <= NODES => continue,
            (Finding::Holds { .. }, Judged::Proved { nodes }) => format!("{nodes} nodes"),
            (Finding::Holds { .. }, Judged::Refused { text, .. }) => format!("not proved: {text}"),
            (Finding::False(at), Judged::Proved { .. }) => format!("proved, but false at {at:?}"),
            (Finding::False(_), Judged::Refused { at: Some(at), text }) => {
                let refuted = eval::admitted(goal, &at) == Some(true)
                    && eval::equal(goal, &at) == Some(false);
                match refuted {
                    true => continue,
                    false => format!("{at:?} does not refute it: {text}"),
                }
            }
            (Finding::False(at), Judged::Refused { at: None, text }) => {
                format!("no counterexample, {at:?} is one: {text}")
            }
            (Finding::Unknown, _) => "could not be tried out".to_owned(),
        };
        let first = problem.lines().next().unwrap_or_default();
        all.push(format!("{goal}\n    {first}"));
    }
    all
}

/// Fails with what is wrong.
fn report(of: usize, wrong: Vec<String>) {
    let shown: Vec<String> = wrong.iter().take(SHOWN).cloned().collect();
    assert!(
        wrong.is_empty(),
        "{} of {of} are judged wrongly:\n{}",
        wrong.len(),
        shown.join("\n")
    );
}

#[test]
fn goals_close_within_bounds() {
    let mut random = Random(1);
    for (name, count) in [("goals", 44), ("words", 40)] {
        let all = script(name).1;
        assert_eq!(all.len(), count, "{name}");
        let tried: Vec<(Goal, Finding)> = all
            .into_iter()
            .map(|g| {
                let finding = try_out(&g, &mut random);
                assert!(matches!(finding, Finding::Holds { .. }), "{g}: {finding:?}");
                (g, finding)
            })
            .collect();
        report(count, wrong(&tried));
    }
}

/// The neighbours of the goals of a script, tried out.
fn neighbourhood(name: &str) -> Vec<(Goal, Finding)> {
    let mut random = Random(2);
    let mut tried = Vec::new();
    for goal in script(name).1 {
        for neighbour in neighbours::of(&goal) {
            let finding = try_out(&neighbour, &mut random);
            tried.push((neighbour, finding));
        }
    }
    tried
}

/// How many hold, and how many do not.
fn counts(tried: &[(Goal, Finding)]) -> (usize, usize) {
    let count = |f: fn(&Finding) -> bool| tried.iter().filter(|(_, x)| f(x)).count();
    (
        count(|f| matches!(f, Finding::Holds { .. })),
        count(|f| matches!(f, Finding::False(_))),
    )
}

#[test]
fn neighbours_are_judged_rightly() {
    let tried = neighbourhood("goals");
    assert_eq!(counts(&tried), (544, 2654));
    report(tried.len(), wrong(&tried));
}

#[test]
fn some_neighbours_of_words_are_judged_rightly() {
    let tried = neighbourhood("words");
    assert_eq!(counts(&tried), (328, 2668));
    let some: Vec<(Goal, Finding)> = tried.into_iter().step_by(SAMPLE).collect();
    report(some.len(), wrong(&some));
}

#[test]
#[ignore = "takes a minute in a release build"]
fn all_neighbours_of_words_are_judged_rightly() {
    let tried = neighbourhood("words");
    report(tried.len(), wrong(&tried));
}

#[test]
fn twins_of_words_are_refused() {
    let source = script("words").0;
    let mut random = Random(3);
    let mut tried = Vec::new();
    for line in read("tests/index/twins.txt").lines() {
        if line.starts_with('#') {
            continue;
        }
        let parts = line
            .split_once(": ")
            .and_then(|(name, change)| Some((name, change.split_once(" ==> ")?)));
        let Some((name, (old, new))) = parts else {
            panic!("not `name: old ==> new`: {line}");
        };
        let begin = source.find(&format!("\ntheorem {name} "));
        let text = &source[begin.unwrap_or_else(|| panic!("no theorem {name}"))..];
        let text = &text[..text.find(" := by").unwrap_or(text.len()) + 6];
        assert!(text.contains(old), "{name} has no `{old}`");
        let twin = goals(&text.replacen(old, new, 1)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for goal in twin {
            let finding = try_out(&goal, &mut random);
            assert!(matches!(finding, Finding::False(_)), "{goal}: {finding:?}");
            tried.push((goal, finding));
        }
    }
    assert_eq!(tried.len(), 40);
    report(tried.len(), wrong(&tried));
}
