//! Runs every launch file of this folder with several seeds. Those of `wrong/` say in their first line what has to be
//! seen: `# fault KIND`, `# sometimes fault KIND`, or `# wrong BUFFER`; all others have to come out as expected, and twins of them, which have one thing
//! changed in the PTX, have not.
//!
//! `cargo test -p launch --test run -- vadd` runs those whose name has `vadd`; `RUN_SEEDS=100` tries that many seeds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use launch::file::{self, File};
use launch::plan::{plan, ptx_of};
use launch::session::{self, Outcome};
use libtest_mimic::{Arguments, Failed, Trial};
use ptx::machine::Silent;
use ptx::module::{Module, resolve};

/// How many seeds a launch file that is right is run with.
const SEEDS: u64 = 3;
/// How many seeds at most it may take until something wrong is seen.
const WRONG_SEEDS: u64 = 20;

/// What has to be seen.
#[derive(Clone, Debug, PartialEq)]
enum Verdict {
    /// Everything is as expected, with every seed.
    Right,
    /// A fault of this kind, with every seed.
    Fault(String),
    /// A fault of this kind, with one seed at least; otherwise everything is as expected.
    Sometimes(String),
    /// Wrong values in this buffer, with one seed at least, and never a fault.
    Wrong(String),
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run")
}

/// The launch files, sorted.
fn launch_files() -> Vec<PathBuf> {
    let inside = |dir: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|e| e.path()).collect()
    };
    let dirs = inside(&folder()).into_iter().filter(|p| p.is_dir());
    let mut all: Vec<PathBuf> = dirs.flat_map(|d| inside(&d)).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    all.sort();
    all
}

fn verdict(path: &Path, text: &str) -> Result<Verdict, Failed> {
    if path
        .parent()
        .and_then(Path::file_name)
        .is_none_or(|n| n != "wrong")
    {
        return Ok(Verdict::Right);
    }
    parse_verdict(text.lines().next().unwrap_or_default())
}

/// `# fault KIND`, `# sometimes fault KIND`, or `# wrong BUFFER`.
fn parse_verdict(first: &str) -> Result<Verdict, Failed> {
    let words: Vec<&str> = first.split_whitespace().collect();
    match words.as_slice() {
        ["#", "fault", kind] => Ok(Verdict::Fault((*kind).to_owned())),
        ["#", "sometimes", "fault", kind] => Ok(Verdict::Sometimes((*kind).to_owned())),
        ["#", "wrong", buffer] => Ok(Verdict::Wrong((*buffer).to_owned())),
        _ => Err(format!("`{first}` does not say what has to be seen").into()),
    }
}

fn module(path: &Path) -> Result<Module, Failed> {
    module_of(&std::fs::read_to_string(path)?)
}

fn module_of(text: &str) -> Result<Module, Failed> {
    let ast = ptx::text::parse(text).map_err(|e| e.to_string())?;
    resolve(&ast).map_err(|errors| {
        let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
        list.join("\n").into()
    })
}

/// How many seeds; the environment may say.
fn seeds(otherwise: u64) -> u64 {
    let said = std::env::var("RUN_SEEDS").ok();
    said.and_then(|s| s.parse().ok()).unwrap_or(otherwise)
}

fn run(path: &Path, file: &File, module: &Module, wanted: &Verdict) -> Result<(), Failed> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let plan = plan(file, module, folder).map_err(|e| {
        let help = e.help.join("\n");
        format!("{e} (at {:?})\n{help}", e.span)
    })?;
    let count = match wanted {
        Verdict::Wrong(_) | Verdict::Sometimes(_) => WRONG_SEEDS,
        _ => seeds(SEEDS),
    };
    for seed in 0..count {
        let outcome = session::run(&plan, module, seed, &mut Silent);
        match (wanted, &outcome.fault) {
            (Verdict::Fault(kind), Some(f)) if f.kind.name() == kind => {}
            (Verdict::Sometimes(kind), Some(f)) if f.kind.name() == kind => return Ok(()),
            (Verdict::Sometimes(_), None) if outcome.is_right() => {}
            (Verdict::Wrong(buffer), None) if is_wrong(&outcome, buffer) => return Ok(()),
            (Verdict::Wrong(_), None) => {}
            (Verdict::Right, None) if outcome.is_right() => {}
            _ => return Err(format!("seed {seed}: {}", told(&outcome)).into()),
        }
    }
    match wanted {
        Verdict::Sometimes(kind) => Err(format!("no fault {kind} with {count} seeds").into()),
        Verdict::Wrong(b) => Err(format!("{b} is right with {count} seeds").into()),
        _ => Ok(()),
    }
}

fn is_wrong(outcome: &Outcome, buffer: &str) -> bool {
    let named = |c: &&(String, launch::compare::Comparison)| c.0 == buffer;
    outcome
        .comparisons
        .iter()
        .find(named)
        .is_some_and(|c| c.1.wrong > 0)
}

/// What was seen.
fn told(outcome: &Outcome) -> String {
    if let Some(f) = &outcome.fault {
        return format!("fault {}: {f}", f.kind.name());
    }
    let wrong = outcome.comparisons.iter().filter(|c| c.1.wrong > 0);
    let lines: Vec<String> = wrong
        .map(|(name, c)| {
            let first = c.first.first();
            let first =
                first.map(|d| format!("{:?} is {}, should be {}", d.index, d.got, d.wanted));
            format!(
                "{name}: {} of {} elements are wrong, the first one {}",
                c.wrong,
                c.compared,
                first.unwrap_or_default()
            )
        })
        .collect();
    match lines.is_empty() {
        true => "everything is as expected".to_owned(),
        false => lines.join("\n"),
    }
}

/// The tests of a launch file: one for each PTX file that it names.
fn trials(path: PathBuf) -> Vec<Trial> {
    let name = |p: &Path| {
        let p = p.strip_prefix(folder()).unwrap_or(p);
        p.with_extension("").display().to_string()
    };
    let read = || -> Result<(File, Verdict), Failed> {
        let text = std::fs::read_to_string(&path)?;
        let file = file::parse(&text).map_err(|e| format!("{e} (at {:?})", e.span))?;
        Ok((file, verdict(&path, &text)?))
    };
    let title = name(&path);
    let (file, wanted) = match read() {
        Ok(found) => found,
        Err(e) => return vec![Trial::test(title, move || Err(e))],
    };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let first = ptx_of(&file, &folder);
    let others = file.variants.iter().map(|v| folder.join(v.get_ref()));
    let all: Vec<PathBuf> = first.into_iter().chain(others).collect();
    let mut out = Vec::new();
    for (i, ptx) in all.into_iter().enumerate() {
        let (path, file, wanted) = (path.clone(), file.clone(), wanted.clone());
        let title = match i {
            0 => title.clone(),
            _ => {
                let stem = ptx.file_stem().unwrap_or_default().to_string_lossy();
                format!("{title} ({stem})")
            }
        };
        out.push(Trial::test(title, move || {
            run(&path, &file, &module(&ptx)?, &wanted)
        }));
    }
    out
}

/// A kernel that is right, with one thing changed in its PTX: the launch file, the text, which of its occurrences (all of
/// them, if there is no number), what is there instead, and what has to be seen.
type Twin = (
    &'static str,
    &'static str,
    Option<usize>,
    &'static str,
    &'static str,
);

const TWINS: [Twin; 11] = [
    ("matmul/tiled", "bar.sync \t0;", Some(0), "", "# wrong C"),
    (
        "scan_hist/blelloch",
        "bar.sync \t0;",
        Some(0),
        "",
        "# wrong d",
    ),
    (
        "mma_sync/gemm",
        "cp.async.wait_group 1;",
        None,
        "",
        "# wrong C",
    ),
    (
        "mma_sync/gemm",
        "m8n8.x2.trans",
        None,
        "m8n8.x2",
        "# wrong C",
    ),
    (
        "hopper/gemm_tma_wgmma",
        "wgmma.wait_group.sync.aligned 0;",
        None,
        "",
        "# fault in-flight",
    ),
    (
        "hopper/gemm_tma_wgmma",
        "wgmma.fence.sync.aligned;",
        None,
        "",
        "# fault undefined",
    ),
    (
        "hopper/bulk_scale",
        "cp.async.bulk.wait_group.read 0;",
        None,
        "",
        "# sometimes fault async",
    ),
    (
        "sync_flag/cluster_dsmem",
        "barrier.cluster.wait;",
        Some(0),
        "",
        "# fault barrier",
    ),
    (
        "sync_flag/named_barriers",
        "bar.sync 1, 256;",
        None,
        "",
        "# wrong y",
    ),
    (
        "reduce/int_redux",
        "redux.sync.add.s32",
        None,
        "redux.sync.max.s32",
        "# wrong out",
    ),
    (
        "moe/topk_gate",
        "shfl.sync.bfly",
        Some(0),
        "shfl.sync.up",
        "# wrong w",
    ),
];

/// Runs the twin of a kernel.
fn twin(t: Twin) -> Result<(), Failed> {
    let (name, text, which, instead, verdict_line) = t;
    let path = folder().join(name).with_extension("toml");
    let launch = std::fs::read_to_string(&path)?;
    let file = file::parse(&launch).map_err(|e| e.to_string())?;
    let dir = path.parent().unwrap_or(Path::new(""));
    let source = std::fs::read_to_string(ptx_of(&file, dir).ok_or("it names no PTX file")?)?;
    let entry = file.launches.first().ok_or("it has no launch")?.get_ref();
    let from = source.find(&format!(".entry {}(", entry.entry.get_ref()));
    let (head, body) = source.split_at(from.ok_or("the entry is not there")?);
    let place = body.match_indices(text).nth(which.unwrap_or(0));
    let (at, _) = place.ok_or("the text is not there")?;
    let changed = match which {
        None => body.replace(text, instead),
        Some(_) => format!("{}{instead}{}", &body[..at], &body[at + text.len()..]),
    };
    let wanted = parse_verdict(verdict_line)?;
    run(
        &path,
        &file,
        &module_of(&format!("{head}{changed}"))?,
        &wanted,
    )
}

/// Every kernel of the corpus is launched here, or the README says why not.
fn complete() -> Result<(), Failed> {
    let readme = std::fs::read_to_string(folder().join("README.md"))?;
    let mut launched = BTreeSet::new();
    for path in launch_files() {
        let text = std::fs::read_to_string(&path)?;
        let file = file::parse(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let dir = path.parent().unwrap_or(Path::new(""));
        let ptx = ptx_of(&file, dir).ok_or("it names no PTX file")?;
        let ptx = std::fs::canonicalize(ptx)?;
        for l in &file.launches {
            launched.insert((ptx.clone(), l.get_ref().entry.get_ref().clone()));
        }
    }
    let (mut count, mut missing) = (0, Vec::new());
    for family in ["cuda", "triton", "library"] {
        let kernels = folder().join("../kernels").join(family);
        for entry in std::fs::read_dir(std::fs::canonicalize(kernels)?)? {
            let path = entry?.path();
            let name = path.to_string_lossy();
            if !name.ends_with(".sm_90a.ptx") && !name.ends_with(".sm_90.ptx") {
                continue;
            }
            for f in module(&path)?.functions.iter().filter(|f| f.is_entry) {
                count += 1;
                let known = launched.contains(&(path.clone(), f.name.clone()));
                if !known
                    && !f.name.contains("EmptyKernel")
                    && !readme.contains(&format!("`{}`", f.name))
                {
                    missing.push(format!("{} of {name}", f.name));
                }
            }
        }
    }
    match missing.is_empty() && count > 80 {
        true => Ok(()),
        false => Err(format!("{count} kernels; not launched: {}", missing.join(", ")).into()),
    }
}

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let mut all: Vec<Trial> = launch_files().into_iter().flat_map(trials).collect();
    all.push(Trial::test("every kernel", complete));
    for t in TWINS {
        let title = format!("twin of {}: {} {}", t.0, t.1, t.4);
        all.push(Trial::test(title, move || twin(t)));
    }
    libtest_mimic::run(&args, all).exit_code()
}
