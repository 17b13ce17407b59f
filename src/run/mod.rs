//! `ptxprove run FILE.ptx --launch L.toml`: runs kernels on the machine, and compares what comes out with what is expected.

mod observer;
mod report;

use std::path::{Component, Path, PathBuf};

use launch::error::LaunchError;
use launch::file::File;
use launch::npy;
use launch::plan::{self, Plan};
use launch::session::{self, Outcome};
use ptx::machine::FaultKind;
use ptx::module::{Module, resolve};
use serde_json::json;
use tactics::diagnostic::Diagnostic;
use tactics::syntax::ast::Span;
use tactics::syntax::near::near;

use crate::args::RunArgs;
use crate::output::Output;
use crate::source::Text;
use crate::{CANNOT_READ, NOT_PROVED, PROVED, diagnostics};
use observer::Watcher;

/// What one run of one PTX file with one seed came to.
struct Run<'a> {
    ptx: &'a Text,
    module: &'a Module,
    plan: &'a Plan,
    seed: u64,
    outcome: Outcome,
    /// What the kernels printed.
    printed: String,
}

/// Runs the command; the exit code.
pub fn run(args: &RunArgs, out: &Output) -> u8 {
    let mut objects = Vec::new();
    let code = command(args, out, &mut objects).unwrap_or_else(|message| {
        out.complain(message.trim_end());
        CANNOT_READ
    });
    if args.json {
        let verdict = match code {
            PROVED => "as expected",
            NOT_PROVED => "not as expected",
            _ => "cannot run",
        };
        let launch = args.launch.display().to_string();
        let object = json!({ "verdict": verdict, "launch": launch, "runs": objects });
        out.say(format_args!("{object:#}"));
    }
    code
}

/// Errors: a message, for what cannot be read or makes no sense.
fn command(
    args: &RunArgs,
    out: &Output,
    objects: &mut Vec<serde_json::Value>,
) -> Result<u8, String> {
    let toml = Text::read(&args.launch)?;
    let file = launch::file::parse(&toml.text).map_err(|e| refusal(&e, &toml, out))?;
    let folder = args.launch.parent().unwrap_or(Path::new(""));
    let paths = ptx_files(args, &file, folder, &toml, out)?;
    let mut code = PROVED;
    for path in &paths {
        let ptx = Text::read(path)?;
        let module = module(&ptx, out)?;
        let mut plan = plan::plan(&file, &module, folder).map_err(|e| refusal(&e, &toml, out))?;
        plan.limit = args.limit.unwrap_or(plan.limit);
        code = code.max(seeds(args, &ptx, &module, &plan, out, objects)?);
    }
    Ok(code)
}

/// The PTX files: the one of the command line, or those that the launch file names.
fn ptx_files(
    args: &RunArgs,
    file: &File,
    folder: &Path,
    toml: &Text,
    out: &Output,
) -> Result<Vec<PathBuf>, String> {
    if let Some(path) = &args.file {
        return Ok(vec![path.clone()]);
    }
    let Some(first) = plan::ptx_of(file, folder) else {
        let e = LaunchError::new("neither the command line nor this file names a PTX file").help(
            "say `ptxprove run FILE.ptx --launch …`, or begin this file with `ptx = \"FILE.ptx\"`",
        );
        return Err(refusal(&e, toml, out));
    };
    let others = file.variants.iter().map(|v| folder.join(v.get_ref()));
    Ok(std::iter::once(first)
        .chain(others)
        .map(|p| plain(&p))
        .collect())
}

/// A path without `folder/..` in it, as a reader wants it; the path itself if that would be another file.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            part => out.push(part),
        }
    }
    let same = std::fs::canonicalize(&out).ok() == std::fs::canonicalize(path).ok();
    if same { out } else { path.to_owned() }
}

/// The resolved module of a PTX text.
fn module(ptx: &Text, out: &Output) -> Result<Module, String> {
    resolve(&ptx.parse(out)?).map_err(|errors| {
        let shown: Vec<String> = errors.iter().map(|e| ptx.unresolved(out, e)).collect();
        shown.concat()
    })
}

/// A message about a launch file.
fn refusal(e: &LaunchError, toml: &Text, out: &Output) -> String {
    let mut d = Diagnostic::error("launch", e.message.clone());
    let range = e.span.clone().filter(|s| s.end <= toml.text.len());
    d.span = range.map(|s| Span::new(s.start as u32, s.end as u32));
    if let Some((word, known)) = &e.unknown {
        let found = near(word, known.iter().map(String::as_str));
        if !found.is_empty() {
            let found: Vec<String> = found.into_iter().map(|n| format!("`{n}`")).collect();
            d.help.push(format!("did you mean {}?", found.join(", ")));
        }
    }
    d.help.extend(e.help.iter().cloned());
    if d.span.is_none() {
        d.message = format!("{}: {}", toml.name, d.message);
    }
    diagnostics::render(out, &toml.name, &toml.text, &d)
}

/// Runs a plan with every seed that is asked for; the exit code.
///
/// Errors: what a run holds cannot be written.
fn seeds(
    args: &RunArgs,
    ptx: &Text,
    module: &Module,
    plan: &Plan,
    out: &Output,
    objects: &mut Vec<serde_json::Value>,
) -> Result<u8, String> {
    let count = u64::from(args.seeds.unwrap_or(1));
    let mut code = PROVED;
    for n in 0..count {
        let seed = args.seed.wrapping_add(n);
        let mut watcher = Watcher::new(out, args, ptx);
        let outcome = session::run(plan, module, seed, &mut watcher);
        let run = Run {
            ptx,
            module,
            plan,
            seed,
            printed: watcher.finish(),
            outcome,
        };
        let this = verdict(&run.outcome);
        if let Some(folder) = &args.out {
            write(folder, &run)?;
        }
        if args.json {
            objects.push(report::json(&run));
        } else if n == 0 || this != PROVED {
            report::print(&run, out, count > 1 && this == PROVED);
        }
        code = code.max(this);
        if this != PROVED {
            return Ok(code);
        }
    }
    if count > 1 && !args.json {
        let last = args.seed.wrapping_add(count - 1);
        out.say(out.good(&format!(
            "as expected with each of the {count} seeds from {} to {last}",
            args.seed
        )));
    }
    Ok(code)
}

/// The exit code of an outcome: a launch that the machine cannot begin is bad input.
fn verdict(outcome: &Outcome) -> u8 {
    match &outcome.fault {
        Some(f) if matches!(f.kind, FaultKind::Launch(_)) => CANNOT_READ,
        _ if outcome.is_right() => PROVED,
        _ => NOT_PROVED,
    }
}

/// Writes every buffer as a `.npy` file.
fn write(folder: &Path, run: &Run<'_>) -> Result<(), String> {
    let problem = |path: &Path, e: String| format!("error: cannot write {}: {e}", path.display());
    std::fs::create_dir_all(folder).map_err(|e| problem(folder, e.to_string()))?;
    for (b, bytes) in run.plan.buffers.iter().zip(&run.outcome.contents) {
        let path = folder.join(format!("{}.npy", b.name));
        npy::write(&path, b.dtype, &b.shape, bytes).map_err(|e| problem(&path, e))?;
    }
    Ok(())
}
