//! Tactics on small scripts. A folder's name is the verdict: in `accept/` nothing may be reported, in `reject/` each
//! `-- expect: text` announces the next error, which has to contain every text of the line (separated by ` && `).

use std::path::{Path, PathBuf};

use bumpalo::Bump;
use logic::Store;
use tactics::driver::Session;

fn folder(name: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tactic")
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

/// The rendered messages of a script itself; an error in what it imports is reported for it too.
fn messages(path: &Path) -> (Vec<String>, String) {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut session = Session::new(&store);
    session.check_file(path).expect("the script can be read");
    let mut out = Vec::new();
    let mut text = String::new();
    for r in session.reports() {
        for d in &r.diagnostics {
            let name = r.path.file_name().unwrap_or_default();
            out.push(d.render(&name.to_string_lossy(), &r.source));
        }
        text.clone_from(&r.source);
    }
    (out, text)
}

#[test]
fn accepted() {
    let mut bad = String::new();
    for f in folder("accept") {
        for m in messages(&f).0 {
            bad.push_str(&m);
        }
    }
    assert!(bad.is_empty(), "{bad}");
}

#[test]
fn rejected_for_the_right_reason() {
    let mut bad = String::new();
    for f in folder("reject") {
        let (found, text) = messages(&f);
        let wanted: Vec<&str> = text
            .lines()
            .filter_map(|l| l.strip_prefix("-- expect: "))
            .collect();
        for (k, w) in wanted.iter().enumerate() {
            let Some(m) = found.get(k) else {
                bad.push_str(&format!("{}: missing: {w}\n", f.display()));
                continue;
            };
            for part in w.split(" && ") {
                if !m.contains(part) {
                    bad.push_str(&format!("expected `{part}` in:\n{m}\n"));
                }
            }
        }
        for m in found.iter().skip(wanted.len()) {
            bad.push_str(&format!("not expected:\n{m}\n"));
        }
    }
    assert!(bad.is_empty(), "{bad}");
}
