//! The page about tactics is a reference: every tactic of the language has an entry there, with an example that uses it and
//! is accepted, and nothing else has an entry.
//!
//! An entry is a heading `### …` that names the tactic between backticks. That its examples do what they say is tested with
//! all scripts of the book.

use libtest_mimic::{Failed, Trial};
use tactics::tactic::KNOWN;

use crate::book::{Block, blocks};

const PAGE: &str = "book/src/tactics.md";

/// Entries that are signs: they begin no tactic.
const SIGNS: [&str; 2] = ["·", "<;>"];

/// An entry: what its heading names, and its scripts.
struct Entry<'a> {
    line: usize,
    names: Vec<&'a str>,
    scripts: Vec<&'a Block>,
}

fn entries<'a>(page: &'a str, blocks: &'a [Block]) -> Vec<Entry<'a>> {
    let mut all: Vec<Entry<'a>> = Vec::new();
    for (i, line) in page.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("### ") {
            all.push(Entry {
                line: i + 1,
                names: heading.split('`').skip(1).step_by(2).collect(),
                scripts: Vec::new(),
            });
        } else if line.starts_with("## ") {
            // What follows belongs to no entry.
            all.push(Entry {
                line: i + 1,
                names: Vec::new(),
                scripts: Vec::new(),
            });
        } else if let Some(block) = blocks.iter().find(|b| b.line == i + 1)
            && block.info.starts_with("ptxp")
            && let Some(entry) = all.last_mut()
        {
            entry.scripts.push(block);
        }
    }
    all
}

/// The declarations of a script that are accepted, or have a hole (`sorry` leaves one).
fn accepted(script: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in script.lines() {
        match all.last_mut() {
            Some(last) if line.starts_with(' ') || line.is_empty() => {
                last.push('\n');
                last.push_str(line);
            }
            _ => all.push(line.to_owned()),
        }
    }
    all.retain(|d| !d.replace("-- error: has a hole", "").contains("-- error: "));
    all
}

/// Whether a word stands where a tactic begins: on its own line, or after `by`, `;`, `=>`, a bullet, another tactic's word.
fn uses(declaration: &str, name: &str) -> bool {
    const BEFORE: [&str; 11] = [
        "by",
        ";",
        "=>",
        "·",
        "<;>",
        "|",
        "(",
        "try",
        "repeat",
        "all_goals",
        "any_goals",
    ];
    let in_word = |c: char| c.is_alphanumeric() || "_'.".contains(c);
    declaration.lines().any(|line| {
        line.match_indices(name).any(|(i, _)| {
            let (before, after) = (line[..i].trim_end(), &line[i + name.len()..]);
            let whole = !after.starts_with(in_word) && !line[..i].ends_with(in_word);
            let begins = before.is_empty() && i > 0 || BEFORE.iter().any(|b| before.ends_with(b));
            whole && begins
        })
    })
}

fn check(page: &str, known: &[&str]) -> Result<(), Failed> {
    let blocks = blocks(page);
    let entries = entries(page, &blocks);
    let mut wrong = Vec::new();
    for name in known.iter().chain(&SIGNS) {
        let Some(entry) = entries.iter().find(|e| e.names.contains(name)) else {
            wrong.push(format!("`{name}` has no entry"));
            continue;
        };
        let shown = |d: &String| match SIGNS.contains(name) {
            true => d.contains(name),
            false => uses(d, name),
        };
        if !entry
            .scripts
            .iter()
            .flat_map(|b| accepted(&b.text))
            .any(|d| shown(&d))
        {
            wrong.push(format!(
                "line {}: no example uses `{name}` and is accepted",
                entry.line
            ));
        }
    }
    for entry in &entries {
        for name in entry
            .names
            .iter()
            .filter(|n| !known.contains(n) && !SIGNS.contains(n))
        {
            wrong.push(format!("line {}: `{name}` is no tactic", entry.line));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// What the test itself must find.
fn finds_what_is_missing() -> Result<(), Failed> {
    let page = |heading: &str, tactic: &str| {
        let signs = "### `·`, `<;>`\n```ptxp\nexample : True := by\n  · skip <;> trivial\n```\n";
        format!("{signs}### {heading}\n```ptxp\nexample : True := by\n  {tactic}\n```\n")
    };
    let cases = [
        (page("`exact`", "exact h"), ""),
        (page("`apply`", "exact h"), "`exact` has no entry"),
        (page("`exact`", "exacts [h]"), "no example uses `exact`"),
        (page("`exact`", "apply exact"), "no example uses `exact`"),
        (
            page("`exact`", "exact h -- error: type"),
            "no example uses `exact`",
        ),
        (page("`exact`, `apply`", "exact h"), "`apply` is no tactic"),
    ];
    for (page, says) in cases {
        let found = check(&page, &["exact"]).err();
        let text = found.map(|f| f.message().unwrap_or_default().to_owned());
        let text = text.unwrap_or_default();
        if says.is_empty() != text.is_empty() || !text.contains(says) {
            return Err(format!("for the page\n{page}expected {says:?}, found {text:?}").into());
        }
    }
    Ok(())
}

pub fn trial() -> Trial {
    Trial::test(format!("{PAGE}: an entry for every tactic"), || {
        finds_what_is_missing()?;
        check(&std::fs::read_to_string(PAGE)?, KNOWN)
    })
}
