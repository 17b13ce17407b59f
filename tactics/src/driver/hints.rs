//! Which import would make an unknown name known: the scripts of the library are searched for its declaration.
//!
//! Only texts are read; what is found is a hint.

use std::path::{Path, PathBuf};

use super::load;
use crate::diagnostic::Diagnostic;

/// How many scripts are searched at most.
const MAX_SCRIPTS: usize = 400;
/// The folder of the library.
const LIBRARY: &str = "lib";

/// Adds hints to errors about names that a script of the library declares. `imported` are the scripts in use.
pub(super) fn add_imports(path: &Path, imported: &[PathBuf], diagnostics: &mut [Diagnostic]) {
    let unknown = |d: &Diagnostic| {
        let name = d
            .message
            .strip_prefix("unknown name `")?
            .strip_suffix('`')?;
        (d.code == "elab.unknown_name").then(|| name.to_owned())
    };
    if diagnostics.iter().all(|d| unknown(d).is_none()) {
        return;
    }
    let Some(library) = library(path, imported) else {
        return;
    };
    let texts: Vec<(String, String)> = library
        .into_iter()
        .filter_map(|(written, file)| {
            let text = load::read(&file).ok()?;
            Some((written, String::from_utf8(text).ok()?))
        })
        .collect();
    for d in diagnostics {
        let Some(name) = unknown(d) else { continue };
        if let Some((written, _)) = texts.iter().find(|(_, text)| declares(text, &name)) {
            d.help
                .insert(0, format!("it is declared in another script: `{written}`"));
        }
    }
}

/// The scripts of the library that are not imported, each with the import that names it: those of the folder `lib` beside
/// the script or above it, or else those beside the first import.
fn library(path: &Path, imported: &[PathBuf]) -> Option<Vec<(String, PathBuf)>> {
    let here = load::absolute(path).ok()?;
    let dir = here.parent()?;
    let known: Vec<PathBuf> = imported
        .iter()
        .filter_map(|p| load::absolute(p).ok())
        .collect();
    let above = dir.ancestors().find(|a| has_scripts(&a.join(LIBRARY)));
    let folder = match above {
        Some(a) => a.join(LIBRARY),
        None => known.first()?.parent()?.to_owned(),
    };
    let scripts = load::scripts_below(&folder).ok()?;
    let written = |file: &Path| match above {
        Some(a) => {
            let module = file.strip_prefix(a).ok()?.with_extension("");
            let parts: Vec<_> = module.iter().map(|p| p.to_string_lossy()).collect();
            Some(format!("import {}", parts.join(".")))
        }
        None => Some(format!("import \"{}\"", relative(dir, file).display())),
    };
    let others = scripts
        .into_iter()
        .take(MAX_SCRIPTS)
        .filter(|s| *s != here && !known.contains(s));
    Some(others.filter_map(|s| Some((written(&s)?, s))).collect())
}

/// Whether a folder is there and holds scripts: other things are called `lib` as well.
fn has_scripts(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| {
        entries
            .flatten()
            .any(|e| e.path().extension().is_some_and(|x| x == "ptxp"))
    })
}

/// The way from a folder to a file.
fn relative(dir: &Path, file: &Path) -> PathBuf {
    let common = dir
        .iter()
        .zip(file.iter())
        .take_while(|(a, b)| a == b)
        .count();
    let up = dir.iter().skip(common).map(|_| "..".as_ref());
    up.chain(file.iter().skip(common)).collect()
}

/// Whether a script declares a name, or a type that the name belongs to.
fn declares(text: &str, name: &str) -> bool {
    const WORDS: &[&str] = &[
        "theorem",
        "lemma",
        "def",
        "abbrev",
        "opaque",
        "inductive",
        "structure",
    ];
    let mut open: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut line = line.trim_start();
        while line.starts_with("@[")
            && let Some((_, rest)) = line.split_once(']')
        {
            line = rest.trim_start();
        }
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        match first {
            "namespace" => open.extend(words.next().map(str::to_owned)),
            "section" => open.push(String::new()),
            "end" => {
                open.pop();
            }
            word if WORDS.contains(&word) => {
                let Some(declared) = words.next() else {
                    continue;
                };
                let end = declared
                    .find(|c| "({[⦃:".contains(c))
                    .unwrap_or(declared.len());
                let declared = declared[..end].trim_end_matches('.');
                let spaces = open.iter().map(String::as_str).filter(|s| !s.is_empty());
                let full: Vec<&str> = spaces.chain([declared]).collect();
                let full = full.join(".");
                let is_type = matches!(word, "inductive" | "structure");
                let member = || {
                    name.strip_prefix(full.as_str())
                        .is_some_and(|rest| rest.starts_with('.'))
                };
                if full == name || is_type && member() {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{declares, relative};
    use std::path::Path;

    #[test]
    fn names_are_found_where_they_are_declared() {
        let text = "namespace A\nsection\n@[simp] theorem b.{u} (x : T) : p\nend\nend A\nstructure S where\n  x : Nat\ndef c : N";
        for name in ["A.b", "S", "S.mk", "c"] {
            assert!(declares(text, name), "{name}");
        }
        for name in ["b", "A.S", "x", "A", "c.d", "SS"] {
            assert!(!declares(text, name), "{name}");
        }
    }

    #[test]
    fn the_way_to_a_file() {
        let way = |a: &str, b: &str| relative(Path::new(a), Path::new(b)).display().to_string();
        assert_eq!(way("/p/tests/x", "/p/lib/int.ptxp"), "../../lib/int.ptxp");
        assert_eq!(way("/p", "/p/int.ptxp"), "int.ptxp");
    }
}
