//! The elaborator on small scripts. A folder's name is the verdict: in `accept/` nothing but answers may be reported
//! (an `-- answer: text` line announces the next answer), in `reject/` each `-- expect: text` announces the next error or
//! warning, which has to contain every text of the line (separated by ` && `), in `no-crash/` any verdict will do.

use std::path::{Path, PathBuf};

use bumpalo::Bump;
use logic::Store;
use tactics::diagnostic::Severity;
use tactics::driver::Session;

fn folder(name: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/elab")
        .join(name);
    let entries = std::fs::read_dir(&dir).expect("the folder of tests exists");
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.expect("a readable folder").path())
        .filter(|p| p.extension().is_some_and(|x| x == "ptxp"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no tests in {}", dir.display());
    files
}

/// The rendered errors and warnings, the answers, and the text of the script itself.
fn messages(path: &Path) -> (Vec<String>, Vec<String>, String) {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut session = Session::new(&store);
    session.check_file(path).expect("the script can be read");
    let (mut out, mut answers, mut text) = (Vec::new(), Vec::new(), String::new());
    for r in session.reports() {
        for d in &r.diagnostics {
            if d.severity == Severity::Info {
                answers.push(d.message.clone());
            } else {
                let name = r.path.file_name().unwrap_or_default();
                out.push(d.render(&name.to_string_lossy(), &r.source));
            }
        }
        text.clone_from(&r.source);
    }
    (out, answers, text)
}

fn compare(file: &Path, text: &str, mark: &str, found: &[String], bad: &mut String) {
    let wanted: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix(mark)).collect();
    for (k, w) in wanted.iter().enumerate() {
        let Some(m) = found.get(k) else {
            bad.push_str(&format!("{}: missing: {w}\n", file.display()));
            continue;
        };
        for part in w.split(" && ") {
            if !m.contains(part) {
                bad.push_str(&format!("{}: expected `{part}` in:\n{m}\n", file.display()));
            }
        }
    }
    for m in found.iter().skip(wanted.len()) {
        bad.push_str(&format!("{}: not expected:\n{m}\n", file.display()));
    }
}

#[test]
fn accepted() {
    let mut bad = String::new();
    for f in folder("accept") {
        let (errors, answers, text) = messages(&f);
        for m in errors {
            bad.push_str(&m);
        }
        compare(&f, &text, "-- answer: ", &answers, &mut bad);
    }
    assert!(bad.is_empty(), "{bad}");
}

#[test]
fn rejected_for_the_right_reason() {
    let mut bad = String::new();
    for f in folder("reject") {
        let (errors, _, text) = messages(&f);
        compare(&f, &text, "-- expect: ", &errors, &mut bad);
    }
    assert!(bad.is_empty(), "{bad}");
}

#[test]
fn no_crash() {
    for f in folder("no-crash") {
        let (errors, _, _) = messages(&f);
        assert!(!errors.is_empty(), "{} should not be accepted", f.display());
    }
}

/// The same script twice gives the same messages, byte for byte.
#[test]
fn deterministic() {
    for f in folder("reject") {
        assert_eq!(messages(&f), messages(&f), "{}", f.display());
    }
}
