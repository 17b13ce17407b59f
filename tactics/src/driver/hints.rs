//! Which import would make an unknown name known: the scripts of the library are searched for its declaration.
//!
//! Only texts are read; what is found is a hint.

use std::path::{Path, PathBuf};

use super::load;
use crate::diagnostic::Diagnostic;

/// How many scripts are searched at most.
const MAX_SCRIPTS: usize = 400;
/// How many names that end in an unknown one are proposed at most.
const MAX_ENDINGS: usize = 4;
/// The folder of the library.
const LIBRARY: &str = "lib";

/// What an error misses.
enum Missing {
    /// A constant; with the flag, its last parts may do.
    Name(String, bool),
    /// An instance of `Decidable` for a proposition with this operator.
    Decidable(&'static str),
}

/// Adds hints to errors about what a script of the library declares. `imported` are the scripts in use.
pub(super) fn add_imports(path: &Path, imported: &[PathBuf], diagnostics: &mut [Diagnostic]) {
    for d in diagnostics.iter_mut() {
        d.help = std::mem::take(&mut d.help)
            .into_iter()
            .filter_map(without_private)
            .collect();
    }
    if diagnostics.iter().all(|d| missing(d).is_none()) {
        return;
    }
    // What is missing may be in the import that failed, and guesses at names would lead astray.
    if let Some(at) = diagnostics.iter().position(|d| d.code == "import") {
        let text = "what is unknown below may be declared there: the import comes first";
        diagnostics[at].notes.push(text.to_owned());
        for d in diagnostics.iter_mut().filter(|d| missing(d).is_some()) {
            d.help.clear();
        }
        return;
    }
    let Some(library) = library(path, imported) else {
        if imported.is_empty()
            && let Some(d) = diagnostics.iter_mut().find(|d| missing(d).is_some())
        {
            d.help.insert(0, NO_LIBRARY.to_owned());
        }
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
        match missing(d) {
            Some(Missing::Name(name, short)) => {
                let whole = |(_, text): &&(String, String)| declares(text, &name);
                if let Some((written, _)) = texts.iter().find(whole) {
                    let it = match short {
                        true => "it".to_owned(),
                        false => format!("`{name}`"),
                    };
                    let text = format!("{it} is declared in another script: `{written}`");
                    d.help.insert(0, text);
                    continue;
                }
                let ending = |(written, text): &(String, String)| {
                    let ends =
                        |full: &str| full.strip_suffix(&*name).is_some_and(|r| r.ends_with('.'));
                    let full = declared(text).find(|(full, _)| ends(full))?.0;
                    Some(format!("`{full}` (`{written}`)"))
                };
                let found: Vec<String> = match short {
                    true => texts.iter().filter_map(ending).take(MAX_ENDINGS).collect(),
                    false => Vec::new(),
                };
                if !found.is_empty() {
                    let text = format!("declared in other scripts: {}", found.join(", "));
                    d.help.push(text);
                }
            }
            Some(Missing::Decidable(op)) => {
                if let Some((written, _)) = texts.iter().find(|(_, text)| decides(text, op)) {
                    let text = format!(
                        "propositions with `{op}` are decided in another script: `{written}`"
                    );
                    d.help.insert(0, text);
                }
            }
            None => {}
        }
    }
}

/// Said once, of a script that imports nothing, where there is no library to look into.
const NO_LIBRARY: &str = "nothing is imported, and no folder `lib` with scripts is beside this script or above it: put the \
    script where the library is and begin it with `import lib.core`, or name a file, `import \"PATH/lib/core.ptxp\"`";

/// Signs that propositions are told apart by, those that bind least first.
const SIGNS: &[&str] = &[
    "∀", "∃", "↔", "→", "∨", "∧", "¬", "=", "≠", "<", "≤", "∣", "∈",
];

/// What an error misses that a script could declare.
fn missing(d: &Diagnostic) -> Option<Missing> {
    let between = |text: &str, before: &str, after: &str| {
        let (_, rest) = text.split_once(before)?;
        Some(rest.split_once(after)?.0.to_owned())
    };
    let m = d.message.as_str();
    if d.code == "elab.unknown_name" {
        return Some(Missing::Name(between(m, "unknown name `", "`")?, true));
    }
    if d.code == "elab.unknown_field" {
        let field = between(m, "has no field or function `", "`")?;
        let (_, ty) = m.split_once("its type is\n")?;
        let head: String = ty
            .trim_start()
            .chars()
            .take_while(|c| !c.is_whitespace())
            .collect();
        return Some(Missing::Name(format!("{head}.{field}"), false));
    }
    if d.code == "elab.operator" {
        let stands = |h: &String| between(h, "stands for `", "`, which is not defined");
        return Some(Missing::Name(d.help.iter().find_map(stands)?, false));
    }
    if let Some(name) = between(m, "unknown constant `", "`") {
        return Some(Missing::Name(name, true));
    }
    if let Some(name) = between(m, "and `", "` is not imported") {
        return Some(Missing::Name(name, false));
    }
    let mut said = std::iter::once(m).chain(d.notes.iter().map(String::as_str));
    let p = said.find_map(|t| between(t, "no instance of `Decidable ", "` was found"))?;
    let sign = |s: &&&str| p.contains(**s);
    SIGNS.iter().find(sign).map(|s| Missing::Decidable(s))
}

/// Proposals without names that scripts cannot write; none if nothing is left of them.
fn without_private(help: String) -> Option<String> {
    const INNER: &str = "`_private.";
    match help
        .strip_prefix("did you mean ")
        .and_then(|r| r.strip_suffix('?'))
    {
        Some(list) if list.contains(INNER) => {
            let left: Vec<&str> = list.split(", ").filter(|n| !n.starts_with(INNER)).collect();
            (!left.is_empty()).then(|| format!("did you mean {}?", left.join(", ")))
        }
        _ => Some(help),
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
    let member = |full: &str| name.strip_prefix(full).is_some_and(|r| r.starts_with('.'));
    declared(text).any(|(full, is_type)| full == name || is_type && member(&full))
}

/// Whether a script has an instance that decides propositions with this operator.
fn decides(text: &str, op: &str) -> bool {
    text.split("@[instance]").skip(1).any(|after| {
        let statement = after.split(":=").next().unwrap_or_default();
        let statement = statement.split("\n  |").next().unwrap_or_default();
        statement
            .split_once("Decidable (")
            .or_else(|| statement.split_once(": DecidableEq"))
            .is_some_and(|(before, p)| {
                p.contains(op) || op == "=" && before.contains(": DecidableEq")
            })
    })
}

/// The names that a script declares, and whether each is a type.
fn declared(text: &str) -> impl Iterator<Item = (String, bool)> + '_ {
    const WORDS: &[&str] = &[
        "theorem",
        "lemma",
        "def",
        "abbrev",
        "opaque",
        "inductive",
        "structure",
    ];
    let mut open: Vec<&str> = Vec::new();
    text.lines().filter_map(move |line| {
        let mut line = line.trim_start();
        while line.starts_with("@[")
            && let Some((_, rest)) = line.split_once(']')
        {
            line = rest.trim_start();
        }
        let mut words = line.split_whitespace();
        match words.next()? {
            "namespace" => open.extend(words.next()),
            "section" => open.push(""),
            "end" => {
                open.pop();
            }
            word if WORDS.contains(&word) => {
                let name = words.next()?;
                let end = name.find(|c| "({[⦃:".contains(c)).unwrap_or(name.len());
                let name = name[..end].trim_end_matches('.');
                let spaces = open.iter().copied().filter(|s| !s.is_empty());
                let full: Vec<&str> = spaces.chain([name]).collect();
                return Some((full.join("."), matches!(word, "inductive" | "structure")));
            }
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::{Missing, decides, declares, missing, relative, without_private};
    use crate::diagnostic::Diagnostic;
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
    fn what_an_error_misses() {
        let name = |d: &Diagnostic| match missing(d) {
            Some(Missing::Name(n, _)) => n,
            Some(Missing::Decidable(op)) => op.to_owned(),
            None => String::new(),
        };
        let is = |code, message: &str, wanted: &str| {
            assert_eq!(name(&Diagnostic::error(code, message)), wanted, "{message}");
        };
        is("elab.unknown_name", "unknown name `Nat`", "Nat");
        is("elab", "unknown constant `And`", "And");
        let field = "`o` has no field or function `isSome`: its type is\n    Option Nat";
        is("elab.unknown_field", field, "Option.isSome");
        is(
            "elab.instance",
            "no instance of `Decidable (n = m)` was found",
            "=",
        );
        let em = "`p` has no decision procedure, and `Classical.em` is not imported";
        is("elab", em, "Classical.em");
        is("elab", "`x` is not imported", "");
        let mut op = Diagnostic::error("elab.operator", "`∣` has no meaning on type `Nat`");
        op.help
            .push("`∣` stands for `Nat.dvd`, which is not defined".to_owned());
        assert_eq!(name(&op), "Nat.dvd");
    }

    #[test]
    fn instances_that_decide() {
        let text = "@[instance]\ndef Nat.decLt (a b : Nat) : Decidable (a < b) :=\n  if a = b then c else d\n";
        assert!(decides(text, "<"));
        assert!(!decides(text, "="));
        assert!(!decides("def d : Decidable (a < b) := e", "<"));
    }

    #[test]
    fn private_names_are_not_proposed() {
        let left = |s: &str| without_private(s.to_owned());
        let both = "did you mean `_private./a.ptxp.foo`, `fop`?";
        assert_eq!(left(both).as_deref(), Some("did you mean `fop`?"));
        assert_eq!(left("did you mean `_private./a.ptxp.foo`?"), None);
        assert_eq!(left("add `end`").as_deref(), Some("add `end`"));
    }

    #[test]
    fn the_way_to_a_file() {
        let way = |a: &str, b: &str| relative(Path::new(a), Path::new(b)).display().to_string();
        assert_eq!(way("/p/tests/x", "/p/lib/int.ptxp"), "../../lib/int.ptxp");
        assert_eq!(way("/p", "/p/int.ptxp"), "int.ptxp");
    }
}
