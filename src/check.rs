//! `ptxprove check`: verdicts on scripts and exports.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

use bumpalo::Bump;
use logic::{Environment, Store};
use lzma_rust2::XzReader;
use serde_json::{Value, json};
use tactics::driver::{
    ALLOWED_AXIOMS, DeclReport, Diagnosed, FileReport, Kind, Status, check_axiom,
};

use crate::args::CheckArgs;
use crate::output::{Output, printable};
use crate::verdict::Verdicts;
use crate::{CANNOT_READ, NOT_PROVED, PROVED, diagnostics, verdict, watch};

/// Runs the command; the exit code.
pub fn run(args: &CheckArgs, out: &Output) -> u8 {
    let start = Instant::now();
    let (exports, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.paths.iter().cloned().partition(|p| is_export(p));
    if args.watch {
        return watch::run(args, out);
    }
    let mut objects = Vec::new();
    let mut code = PROVED;
    for p in &exports {
        code = code.max(check_export(p, args, out, &mut objects));
    }
    if !paths.is_empty() {
        code = code.max(check_scripts(&paths, args, out, &mut objects));
    }
    if args.json {
        print_json(code, &objects, out);
    }
    out.time(start, "in all");
    code
}

/// Whether a path is read as an export.
pub fn is_export(p: &Path) -> bool {
    let name = p.to_string_lossy();
    name == "-" || name.ends_with(".ndjson") || name.ends_with(".ndjson.xz")
}

/// The memory that unpacking an `.xz` file may take, in KiB.
const XZ_MEMORY: u32 = 1 << 18;

fn open_export(path: &Path) -> io::Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = BufReader::new(File::open(path)?);
    Ok(match path.extension().is_some_and(|e| e == "xz") {
        true => Box::new(BufReader::new(XzReader::new_mem_limit(
            file, true, XZ_MEMORY,
        ))),
        false => Box::new(file),
    })
}

/// Prints the verdict as one JSON object.
pub fn print_json(code: u8, files: &[Value], out: &Output) {
    let verdict = match code {
        PROVED => "proved",
        NOT_PROVED => "not proved",
        _ => "cannot read",
    };
    out.say(format_args!(
        "{:#}",
        json!({ "verdict": verdict, "files": files })
    ));
}

fn check_scripts(
    paths: &[PathBuf],
    args: &CheckArgs,
    out: &Output,
    objects: &mut Vec<Value>,
) -> u8 {
    let scripts = match scripts(paths, out) {
        Ok(scripts) => scripts,
        Err(code) => return code,
    };
    let found = verdict::reports(&scripts, usize::from(args.jobs), out);
    let all = |_: &FileReport| true;
    print(&scripts, found, all, args, out, objects)
}

/// The scripts that some paths name, at least one.
///
/// Errors: the exit code, after a message.
pub fn scripts(paths: &[PathBuf], out: &Output) -> Result<Vec<PathBuf>, u8> {
    match verdict::scripts(paths) {
        Ok(s) if s.is_empty() => {
            out.complain(format_args!(
                "error: no scripts (.ptxp) in {}",
                shown(paths)
            ));
            Err(CANNOT_READ)
        }
        Ok(s) => Ok(s),
        Err(e) => {
            out.complain(format_args!("error: {e}"));
            Err(CANNOT_READ)
        }
    }
}

/// Prints verdicts, those on scripts for which `listed` holds one by one; the exit code.
pub fn print(
    scripts: &[PathBuf],
    found: Verdicts,
    listed: impl Fn(&FileReport) -> bool,
    args: &CheckArgs,
    out: &Output,
    objects: &mut Vec<Value>,
) -> u8 {
    let reports = verdict::imports_first(found.reports);
    let asked: BTreeSet<PathBuf> = scripts.iter().map(|p| verdict::key(p)).collect();
    let mut code = PROVED;
    for r in &reports {
        let imported = !asked.contains(&verdict::key(&r.path));
        let bad = r.has_errors() || r.decls.iter().any(|d| !passes(d, args));
        if bad {
            code = NOT_PROVED;
        }
        if !listed(r) {
            continue;
        }
        if args.json {
            objects.push(file_json(r, imported));
        } else {
            print_file(r, imported, args, out);
        }
    }
    for e in &found.unreadable {
        code = CANNOT_READ;
        if args.json {
            objects.push(json!({ "path": e.path.display().to_string(), "message": e.to_string() }));
        }
        out.complain(format_args!("error: {e}"));
    }
    if !args.json {
        print_summary(&reports, code, out);
    }
    code
}

/// Whether a declaration counts as proved.
fn passes(d: &DeclReport, args: &CheckArgs) -> bool {
    match d.status {
        Status::Proved => true,
        Status::Hole => args.allow_sorry,
        Status::Failed => false,
    }
}

fn shown(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    names.join(", ")
}

/// Prints what is said of a script; of one that was only imported, what is wrong in it.
fn print_file(r: &FileReport, imported: bool, args: &CheckArgs, out: &Output) {
    let listed = |d: &&DeclReport| {
        d.status != Status::Proved
            || !imported
                && (args.all || matches!(d.kind, Kind::Theorem | Kind::Kernel | Kind::Axiom))
    };
    let decls: Vec<&DeclReport> = r.decls.iter().filter(listed).collect();
    if !imported || !decls.is_empty() || r.has_errors() {
        out.say(out.strong(&r.path.display().to_string()));
    }
    for d in decls {
        print_decl(d, out);
    }
    diagnostics::print(out, r);
}

fn print_decl(d: &DeclReport, out: &Output) {
    let mark = match d.status {
        Status::Proved => out.good("✓"),
        Status::Hole => out.bad("○"),
        Status::Failed => out.bad("✗"),
    };
    let mut facts = match d.status {
        Status::Failed => String::new(),
        _ => format!("  {} nodes, {} steps", d.nodes, d.steps),
    };
    if !d.axioms.is_empty() {
        facts.push_str(&format!(", axioms: {}", d.axioms.join(" ")));
    }
    if d.status == Status::Hole {
        facts.push_str(", has a hole (sorry)");
    }
    let (kind, name) = (d.kind.word(), printable(&d.name));
    out.say(format_args!("  {mark} {kind} {name}{}", out.faint(&facts)));
    for p in &d.ptx {
        out.say(format_args!(
            "      entry {} of {}, sha256 {}",
            p.entry, p.file, p.sha256
        ));
    }
    if let Some(a) = &d.assumptions {
        let text = if a.is_empty() {
            "none (strict)".to_owned()
        } else {
            a.join(", ")
        };
        out.say(format_args!("      assumptions: {text}"));
    }
}

/// `1 script`, `2 scripts`.
fn count_of(n: usize, word: &str) -> String {
    match n {
        1 => format!("1 {word}"),
        _ => format!("{n} {word}s"),
    }
}

fn print_summary(reports: &[FileReport], code: u8, out: &Output) {
    let decls = || reports.iter().flat_map(|r| &r.decls);
    let count = |k: Kind, s: Status| decls().filter(|d| d.kind == k && d.status == s).count();
    let failed = decls().filter(|d| d.status == Status::Failed).count();
    let holes = decls().filter(|d| d.status == Status::Hole).count();
    let steps: u64 = decls().map(|d| d.steps).sum();
    let fine = |r: &&FileReport| r.decls.iter().all(|d| d.status == Status::Proved);
    let elsewhere = reports
        .iter()
        .filter(fine)
        .filter(|r| r.has_errors())
        .count();
    let elsewhere = match elsewhere {
        0 => String::new(),
        n => format!(
            " {} with errors outside declarations;",
            count_of(n, "script")
        ),
    };
    let text = format!(
        "{}: {} proved, {} failed, {holes} with holes;{elsewhere} {steps} kernel steps",
        count_of(reports.len(), "script"),
        count_of(count(Kind::Theorem, Status::Proved), "theorem"),
        count_of(failed, "declaration"),
    );
    match code {
        PROVED => out.say(out.good(&text)),
        _ => out.say(out.bad(&text)),
    }
}

fn file_json(r: &FileReport, imported: bool) -> Value {
    let decls: Vec<Value> = r
        .decls
        .iter()
        .map(|d| {
            let ptx: Vec<Value> = d
                .ptx
                .iter()
                .map(|p| json!({ "entry": p.entry, "file": p.file, "sha256": p.sha256 }))
                .collect();
            let status = match d.status {
                Status::Proved => "proved",
                Status::Hole => "hole",
                Status::Failed => "failed",
            };
            json!({
                "name": d.name, "kind": d.kind.word(), "status": status, "ptx": ptx,
                "assumptions": d.assumptions, "axioms": d.axioms, "nodes": d.nodes, "steps": d.steps,
            })
        })
        .collect();
    let message = |source: &str, d: &tactics::diagnostic::Diagnostic| {
        let place = d.span.map(|s| {
            let (line, column) = tactics::diagnostic::line_col(source, s.start as usize);
            json!({ "line": line, "column": column, "start": s.start, "end": s.end })
        });
        json!({
            "severity": format!("{:?}", d.severity).to_lowercase(), "code": d.code, "message": d.message,
            "place": place, "goals": d.goals, "notes": d.notes, "help": d.help,
        })
    };
    let messages: Vec<Value> = r
        .diagnostics
        .iter()
        .map(|d| message(&r.source, d))
        .collect();
    let ptx: Vec<Value> = r
        .ptx
        .iter()
        .map(|p| json!({ "file": p.path.display().to_string(), "message": message(&p.source, &p.diagnostic) }))
        .collect();
    json!({ "path": r.path.display().to_string(), "imported": imported, "declarations": decls, "messages": messages, "ptx": ptx })
}

fn check_export(path: &Path, args: &CheckArgs, out: &Output, objects: &mut Vec<Value>) -> u8 {
    let input = match open_export(path) {
        Ok(input) => input,
        Err(e) => {
            out.complain(format_args!("error: cannot read {}: {e}", path.display()));
            return CANNOT_READ;
        }
    };
    out.progress(format_args!("checking {}", path.display()));
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut env = Environment::new(&store);
    let result = export_lean::read_ndjson(input, &mut env);
    out.end_progress();
    let name = path.display().to_string();
    match result {
        Ok(read) => {
            let mut axioms: Vec<String> = read
                .axioms
                .iter()
                .map(|n| store.name_to_string(*n))
                .collect();
            axioms.sort();
            let (known, other): (Vec<_>, Vec<_>) = axioms
                .into_iter()
                .partition(|a| ALLOWED_AXIOMS.contains(&a.as_str()));
            // An axiom under one of the three names must say what Lean's says.
            let mut wrong: Vec<String> = read
                .axioms
                .iter()
                .filter(|n| known.contains(&store.name_to_string(**n)))
                .filter_map(|n| check_axiom(&env, *n).err())
                .collect();
            wrong.sort();
            if args.json {
                objects.push(json!({
                    "path": name, "declarations": read.declarations, "theorems": read.theorems.len(),
                    "axioms": known, "other_axioms": other, "refused_axioms": wrong, "steps": env.steps(),
                }));
            } else {
                let mark = match wrong.is_empty() {
                    true => out.good("✓"),
                    false => out.bad("✗"),
                };
                out.say(out.strong(&name));
                out.say(format_args!(
                    "  {mark} {} declarations, {} theorems, {} kernel steps",
                    read.declarations,
                    read.theorems.len(),
                    env.steps()
                ));
                let list = |names: &[String]| match names {
                    [] => "none".to_owned(),
                    _ => printable(&names.join(" ")),
                };
                out.say(format_args!("      axioms: {}", list(&known)));
                if !other.is_empty() {
                    let text = format!("      other axioms: {}", list(&other));
                    out.say(out.bad(&text));
                }
                for reason in &wrong {
                    out.complain(format_args!("error: {name}: {reason}"));
                }
            }
            if wrong.is_empty() { PROVED } else { NOT_PROVED }
        }
        Err(e) => {
            use export_lean::ReadError::{Differs, Refused};
            let refused = matches!(e, Refused { .. } | Differs { .. });
            let text = e.to_string();
            if args.json {
                objects.push(json!({ "path": name, "refused": refused, "message": text }));
            } else {
                out.complain(format_args!("error: {name}: {text}"));
            }
            if refused { NOT_PROVED } else { CANNOT_READ }
        }
    }
}
