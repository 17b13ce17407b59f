//! The habits of the house, checked over all files.

use std::io;
use std::path::Path;

use crate::lines;

/// The longest a source file may be.
const MAX_LINES: usize = 800;

/// Kinds of files that are ours, to be read as text.
const OURS: [&str; 9] = [
    "rs", "toml", "md", "ptxp", "lalrpop", "sh", "lean", "yml", "json",
];

/// The axioms that scripts may declare.
const AXIOMS: [&str; 3] = ["propext", "Quot.sound", "Classical.choice"];

/// Prints what is untidy. `false` when something is.
///
/// # Errors
/// When a file cannot be read.
pub fn run(root: &Path) -> io::Result<bool> {
    let found = check(root)?;
    for complaint in &found {
        println!("{complaint}");
    }
    println!("{} untidy", found.len());
    Ok(found.is_empty())
}

/// What is untidy, in the order of files.
///
/// # Errors
/// When a file cannot be read.
pub fn check(root: &Path) -> io::Result<Vec<String>> {
    let mut out = Vec::new();
    for path in crate::files(root)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let suffix = path.extension().unwrap_or_default().to_string_lossy();
        if !OURS.contains(&&*suffix) && name != "run" {
            continue;
        }
        let text = std::fs::read_to_string(root.join(&path))?;
        for complaint in file(&path, &suffix, &text) {
            out.push(format!("{}: {complaint}", path.display()));
        }
    }
    Ok(out)
}

/// What is untidy about one file.
fn file(path: &Path, suffix: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    if suffix == "rs" {
        if !text.starts_with("//!") {
            out.push("does not begin with `//!`".to_owned());
        }
        let n = text.lines().count();
        if n > MAX_LINES {
            out.push(format!("{n} lines, more than {MAX_LINES}"));
        }
    }
    for (i, line) in text.lines().enumerate() {
        for word in unwelcome() {
            if line.contains(word) {
                out.push(format!("line {}: `{word}`", i + 1));
            }
        }
    }
    if path.starts_with("proofs") && suffix == "ptxp" {
        out.extend(script(text));
    }
    out
}

/// Folders of one machine, and promises of later work. Written in halves, so that this file is tidy itself.
fn unwelcome() -> [&'static str; 9] {
    [
        concat!("/", "work/"),
        concat!("/", "tmp/"),
        concat!("/", "home/"),
        concat!("/", "root/"),
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
    ]
}

/// Holes and axioms of a script.
fn script(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let code = lines::script_without_comments(text);
    for (i, line) in code.lines().enumerate() {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '\'');
        let words: Vec<&str> = line
            .split(|c: char| !is_part(c))
            .filter(|w| !w.is_empty())
            .collect();
        if words.contains(&"sorry") {
            out.push(format!("line {}: a hole", i + 1));
        }
        if words.first() == Some(&"axiom") {
            let name = words.get(1).map_or("", |w| *w);
            // Inside a namespace only the last component is written.
            let same = |a: &&str| a.rsplit('.').next() == name.rsplit('.').next();
            if !AXIOMS.iter().any(same) {
                out.push(format!("line {}: axiom `{name}`", i + 1));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_name_the_reason() {
        let rs = file(Path::new("a/b.rs"), "rs", "fn f() {}\n");
        assert_eq!(rs, ["does not begin with `//!`"]);
        let long = format!("//! x\n{}", "\n".repeat(MAX_LINES));
        let rs = file(Path::new("a/b.rs"), "rs", &long);
        assert_eq!(rs, ["801 lines, more than 800"]);
        let path = concat!("see /", "tmp/x\n");
        let md = file(Path::new("a.md"), "md", path);
        assert_eq!(md, [concat!("line 1: `/", "tmp/`")]);
    }

    #[test]
    fn scripts_without_holes_and_axioms() {
        let text = "axiom propext : p\n-- sorry\naxiom cheat : False\ntheorem t : p := sorry\n";
        let found = file(Path::new("proofs/x.ptxp"), "ptxp", text);
        assert_eq!(found, ["line 3: axiom `cheat`", "line 4: a hole"]);
    }
}
