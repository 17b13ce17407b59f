//! Refused twins: a real proof with one thing changed, which must be refused at the right place for the right reason.
//!
//! A `.twin` file says what is changed in which file, so that a twin cannot go stale:
//!
//! ```text
//! # The comparison lets thread n through.
//! check: proofs/kernels/vadd/correct.ptxp
//! edit: proofs/kernels/vadd/vadd.sm_90a.ptx
//! - setp.ge.s32
//! + setp.gt.s32
//! expect: symexec.line proofs/kernels/vadd/vadd.ptxp
//! within: theorem idle (hn
//! says: line 44: the thread makes a request here
//! ```
//!
//! The script that is checked must be accepted as it stands. Each old text occurs exactly once, or
//! (`after: text`) is the first one after a text that does. A changed `.ptx` renews the
//! hash in the scripts that pin it, unless `pin: keep` is said. The first error has to have the expected code and file, and
//! to contain every text after `says:`, and to be in
//! the line of the text after `at:`, or to lie within the declaration that `within:` begins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bumpalo::Bump;
use libtest_mimic::{Failed, Trial};
use logic::Store;
use sha2::{Digest, Sha256};
use tactics::driver::{Session, on_large_stack};

use crate::files;
use crate::scripts::{Found, errors, list, replace_once};

struct Edit {
    file: PathBuf,
    /// Only what stands after this text is looked at.
    after: Option<String>,
    from: String,
    to: String,
}

enum Place {
    At(String),
    Within(String),
}

struct Twin {
    check: PathBuf,
    edits: Vec<Edit>,
    keep_pin: bool,
    code: String,
    file: PathBuf,
    place: Place,
    says: Vec<String>,
}

fn parse(text: &str) -> Result<Twin, String> {
    let mut check = None;
    let mut edits: Vec<Edit> = Vec::new();
    let mut keep_pin = false;
    let mut expect = None;
    let mut place = None;
    let mut says: Vec<String> = Vec::new();
    let mut described = false;
    let add = |s: &mut String, line: &str| {
        if !s.is_empty() {
            s.push('\n');
        }
        s.push_str(line);
    };
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            described |= !rest.is_empty();
        } else if let (Some(rest), Some(e)) = (line.strip_prefix("- "), edits.last_mut()) {
            add(&mut e.from, rest);
        } else if let (Some(rest), Some(e)) = (line.strip_prefix("+ "), edits.last_mut()) {
            add(&mut e.to, rest);
        } else if let Some((key, value)) = line.split_once(": ") {
            match key {
                "check" => check = Some(PathBuf::from(value)),
                "edit" => edits.push(Edit {
                    file: PathBuf::from(value),
                    after: None,
                    from: String::new(),
                    to: String::new(),
                }),
                "after" => {
                    edits.last_mut().ok_or("after: before edit:")?.after = Some(value.to_owned())
                }
                "pin" => keep_pin = value == "keep",
                "expect" => {
                    let (code, file) = value
                        .split_once(' ')
                        .ok_or("expect: needs a code and a file")?;
                    expect = Some((code.to_owned(), PathBuf::from(file)));
                }
                "at" => place = Some(Place::At(value.to_owned())),
                "within" => place = Some(Place::Within(value.to_owned())),
                "says" => says.push(value.to_owned()),
                _ => return Err(format!("unknown key `{key}`")),
            }
        } else if !line.trim().is_empty() {
            return Err(format!("not understood: {line}"));
        }
    }
    let (code, file) = expect.ok_or("no expect:")?;
    if says.is_empty() {
        return Err("no says:".to_owned());
    }
    if !described {
        return Err("no `# ` line says what is wrong with it".to_owned());
    }
    Ok(Twin {
        check: check.ok_or("no check:")?,
        edits,
        keep_pin,
        code,
        file,
        place: place.ok_or("no at: or within:")?,
        says,
    })
}

fn hash(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// A text with one edit.
fn edited(text: &str, e: &Edit) -> Result<String, Failed> {
    let Some(after) = &e.after else {
        return replace_once(text, &e.from, &e.to);
    };
    replace_once(text, after, after)?;
    let (start, rest) = text.split_at(text.find(after).unwrap_or(0));
    match rest.contains(&e.from) {
        true => Ok(format!("{start}{}", rest.replacen(&e.from, &e.to, 1))),
        false => Err(format!("`{}` does not stand after `{after}`", e.from).into()),
    }
}

/// The changed files.
fn changed(t: &Twin) -> Result<BTreeMap<PathBuf, String>, Failed> {
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    let text_of = |texts: &BTreeMap<PathBuf, String>, p: &Path| match texts.get(p) {
        Some(t) => Ok(t.clone()),
        None => std::fs::read_to_string(p),
    };
    for e in &t.edits {
        let text = text_of(&texts, &e.file)?;
        texts.insert(e.file.clone(), edited(&text, e)?);
    }
    let ptx: Vec<PathBuf> = texts
        .keys()
        .filter(|p| p.extension().is_some_and(|e| e == "ptx"))
        .cloned()
        .collect();
    for p in ptx.iter().filter(|_| !t.keep_pin) {
        let (old, new) = (hash(&std::fs::read_to_string(p)?), hash(&texts[p]));
        for script in files("proofs", "ptxp") {
            let text = text_of(&texts, &script)?;
            if text.contains(&old) {
                texts.insert(script, text.replace(&old, &new));
            }
        }
    }
    Ok(texts)
}

fn verify(t: &Twin, texts: &BTreeMap<PathBuf, String>, found: &[Found]) -> Result<(), Failed> {
    let first = found.first().ok_or("the twin is accepted")?;
    let says = |what: &str| Failed::from(format!("{what}\nfound:\n{}", list(found)));
    if first.file != t.file || first.code != t.code {
        return Err(says(&format!(
            "expected [{}] in {}",
            t.code,
            t.file.display()
        )));
    }
    if let Some(text) = t.says.iter().find(|text| !first.text.contains(*text)) {
        return Err(says(&format!("it does not say `{text}`")));
    }
    let source = match texts.get(&t.file) {
        Some(text) => text.clone(),
        None => std::fs::read_to_string(&t.file)?,
    };
    let line_of = |text: &str| match source.matches(text).count() {
        1 => Ok(source[..source.find(text).unwrap_or(0)]
            .matches('\n')
            .count()
            + 1),
        n => Err(says(&format!(
            "`{text}` occurs {n} times in {}",
            t.file.display()
        ))),
    };
    match &t.place {
        Place::At(text) => {
            let line = line_of(text)?;
            match first.line == line {
                true => Ok(()),
                false => Err(says(&format!("expected it in line {line}"))),
            }
        }
        Place::Within(text) => {
            let start = line_of(text)?;
            // The declaration ends where the next line at the left margin begins, beside closing brackets.
            let next = source
                .lines()
                .skip(start)
                .position(|l| l.starts_with(|c: char| !c.is_whitespace() && !")]}".contains(c)));
            let end = next.map_or(usize::MAX, |n| start + n);
            match (start..=end).contains(&first.line) {
                true => Ok(()),
                false => Err(says(&format!("expected it in lines {start} to {end}"))),
            }
        }
    }
}

type Outcome = Result<Vec<Found>, String>;

/// Checks an original, then each twin, in one session that is rewound between them to what no twin changes.
fn run(check: &Path, twins: &[BTreeMap<PathBuf, String>]) -> (Outcome, Vec<Outcome>) {
    let result = on_large_stack(|| {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut session = Session::new(&store);
        // What no twin changes: neither the script, nor a PTX file beside it, nor anything that it imports.
        let near = |p: &Path| {
            twins
                .iter()
                .any(|t| t.keys().any(|k| k == p || k.parent() == p.parent()))
        };
        for p in imports(check) {
            let touched = near(&p) || imports(&p).iter().any(|q| near(q));
            if !touched && let Err(e) = session.check_file(&p) {
                return (Err(e.to_string()), Vec::new());
            }
        }
        let start = session.snapshot();
        let go = |session: &mut Session<'_>, texts: &BTreeMap<PathBuf, String>| {
            for (p, text) in texts {
                session
                    .replace_file(p, text.as_str())
                    .map_err(|e| e.to_string())?;
            }
            session.check_file(check).map_err(|e| e.to_string())?;
            Ok(errors(session.reports()))
        };
        let original = go(&mut session, &BTreeMap::new());
        session.restore(&start);
        let mut results = Vec::new();
        for texts in twins {
            results.push(go(&mut session, texts));
            session.restore(&start);
        }
        (original, results)
    });
    result.unwrap_or_else(|e| (Err(e.to_string()), Vec::new()))
}

/// The scripts that a script imports directly or through others, deepest first.
fn imports(path: &Path) -> Vec<PathBuf> {
    fn visit(path: &Path, done: &mut Vec<PathBuf>) {
        let Ok(text) = std::fs::read_to_string(path) else {
            return;
        };
        for (import, _) in tactics::syntax::imports(&text) {
            if let Ok(p) = tactics::driver::resolve_import(path, &import)
                && !done.contains(&p)
            {
                visit(&p, done);
                done.push(p);
            }
        }
    }
    let mut done = Vec::new();
    visit(path, &mut done);
    done
}

/// The twins of one original.
struct Group {
    check: PathBuf,
    twins: Vec<Result<BTreeMap<PathBuf, String>, String>>,
    outcome: OnceLock<(Outcome, Vec<Outcome>)>,
}

impl Group {
    fn outcome(&self) -> &(Outcome, Vec<Outcome>) {
        self.outcome.get_or_init(|| {
            let texts: Vec<_> = self
                .twins
                .iter()
                .map(|t| t.clone().unwrap_or_default())
                .collect();
            run(&self.check, &texts)
        })
    }
}

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut groups: BTreeMap<PathBuf, Vec<(PathBuf, Twin)>> = BTreeMap::new();
    for path in files("tests/reject", "twin") {
        let parsed = std::fs::read_to_string(&path).map_err(|e| e.to_string());
        match parsed.and_then(|t| parse(&t)) {
            Ok(t) => groups.entry(t.check.clone()).or_default().push((path, t)),
            Err(e) => trials.push(Trial::test(path.display().to_string(), move || {
                Err(e.into())
            })),
        }
    }
    for (check, twins) in groups {
        let texts = twins
            .iter()
            .map(|(_, t)| changed(t).map_err(|e| format!("{e:?}")));
        let group = Arc::new(Group {
            check: check.clone(),
            twins: texts.collect(),
            outcome: OnceLock::new(),
        });
        let original = Arc::clone(&group);
        let name = format!("{} (the original of its twins)", check.display());
        trials.push(Trial::test(name, move || match &original.outcome().0 {
            Ok(found) if found.is_empty() => Ok(()),
            Ok(found) => Err(format!("refused:\n{}", list(found)).into()),
            Err(e) => Err(e.into()),
        }));
        for (i, (path, twin)) in twins.into_iter().enumerate() {
            let group = Arc::clone(&group);
            trials.push(Trial::test(path.display().to_string(), move || {
                let texts = group.twins[i]
                    .as_ref()
                    .map_err(|e| Failed::from(e.as_str()))?;
                match group.outcome().1.get(i) {
                    Some(Ok(found)) => verify(&twin, texts, found),
                    Some(Err(e)) => Err(e.into()),
                    None => Err("the original cannot be checked".into()),
                }
            }));
        }
    }
    trials
}
