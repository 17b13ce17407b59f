//! `tests/accept/kernel` and `tests/reject/kernel` in the root of the repository: declarations in the notation of the crate `lab`.
//!
//! A file under `accept` is declarations that are all accepted. A file under `reject` is cases; each ends in a line
//! `-- refused: RULE: MESSAGE` and is declarations of which all but the last are accepted, and the last is refused by that
//! rule with that message. `UPDATE_REASONS=1` writes these lines anew (read the difference). A case begins after the
//! prelude of `lab`, unless it says `-- prelude: none`.

use lab::*;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn files(verdict: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let folder = root.join(verdict).join("kernel");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder exists")
        .map(|f| f.expect("readable").path())
        .collect();
    files.sort();
    assert!(files.len() > 3, "{} is there", folder.display());
    files
}

/// Why the last declaration is refused: the rule and the message.
fn reason(case: &str) -> String {
    let mut out = String::new();
    let prelude = if case.contains("-- prelude: none") {
        ""
    } else {
        PRELUDE
    };
    lab(prelude, |l| {
        let e = l.reject(case);
        let rule = format!("{e:?}");
        let rule = rule.split(['(', ' ']).next().unwrap_or_default();
        let _ = write!(out, "{rule}: {}", e.display(l.st));
    });
    out
}

#[test]
fn rejected_for_the_reason_given() {
    const MARK: &str = "-- refused: ";
    for file in files("reject") {
        let text = std::fs::read_to_string(&file).expect("readable");
        let (mut written, mut case, mut cases) = (String::new(), String::new(), 0);
        for line in text.lines() {
            match line.strip_prefix(MARK) {
                Some(expected) => {
                    let found = reason(&case);
                    let update = std::env::var_os("UPDATE_REASONS").is_some();
                    assert!(
                        update || found == expected,
                        "{}: {case}\nexpected {expected}\nfound    {found}",
                        file.display()
                    );
                    let _ = writeln!(written, "{MARK}{found}");
                    case.clear();
                    cases += 1;
                }
                None => {
                    let _ = writeln!(written, "{line}");
                    let _ = writeln!(case, "{line}");
                }
            }
        }
        assert!(
            case.trim().is_empty() && cases > 0,
            "{}: a case without a reason",
            file.display()
        );
        if written != text {
            std::fs::write(&file, written).expect("written");
        }
    }
}

#[test]
fn accepted() {
    for file in files("accept") {
        let text = std::fs::read_to_string(&file).expect("readable");
        lab(PRELUDE, |l| l.accept(&text));
    }
}
