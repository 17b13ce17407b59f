//! Reading scripts for a command: which files, in which order, on how many threads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use bumpalo::Bump;
use logic::Store;
use tactics::driver::{FileReport, Kind, LoadError, Session, resolve_import, scripts_below};

use crate::output::Output;

/// All scripts that some paths name, folders searched, each once, in order.
pub fn scripts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LoadError> {
    let mut all = Vec::new();
    for p in paths {
        if p.extension().is_some_and(|e| e == "ptx") {
            return Err(LoadError {
                path: p.clone(),
                reason: "this is PTX and no script; `ptxprove show` says what is in it".to_owned(),
            });
        }
        for s in scripts_below(p)? {
            if !all.contains(&s) {
                all.push(s);
            }
        }
    }
    Ok(all)
}

/// What was said of scripts and of what they import, and which scripts cannot be read.
#[derive(Default)]
pub struct Verdicts {
    /// The reports.
    pub reports: Vec<FileReport>,
    /// Why others have none.
    pub unreadable: Vec<LoadError>,
}

/// Runs `f` on a session that has read the scripts, but for those that cannot be read.
pub fn with_session<R>(
    scripts: &[PathBuf],
    out: &Output,
    f: impl FnOnce(&mut Session<'_>, Vec<LoadError>) -> R,
) -> R {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut session = Session::new(&store);
    let mut unreadable = Vec::new();
    for s in scripts {
        out.progress(format_args!("checking {}", s.display()));
        let start = Instant::now();
        unreadable.extend(session.check_file(s).err());
        out.time(start, s.display());
    }
    out.end_progress();
    f(&mut session, unreadable)
}

/// The reports, on this thread.
fn sequential(scripts: &[PathBuf], out: &Output) -> Verdicts {
    with_session(scripts, out, |s, unreadable| Verdicts {
        reports: s.reports().to_vec(),
        unreadable,
    })
}

/// The reports of the scripts and of what they import, checked on several threads; imports of a script are checked on its
/// thread. The result does not depend on the number of threads: a name that two scripts declare is an error only where
/// both are in one environment, so then everything is checked once more in one.
pub fn reports(scripts: &[PathBuf], jobs: usize, out: &Output) -> Verdicts {
    if jobs <= 1 || scripts.len() <= 1 {
        return sequential(scripts, out);
    }
    let parts = shares(scripts, jobs);
    let results: Vec<Option<Verdicts>> = std::thread::scope(|scope| {
        let threads: Vec<_> = parts
            .iter()
            .map(|part| scope.spawn(move || sequential(part, out)))
            .collect();
        threads.into_iter().map(|t| t.join().ok()).collect()
    });
    let mut by_path: BTreeMap<PathBuf, FileReport> = BTreeMap::new();
    let mut unreadable = Vec::new();
    for r in results {
        // A thread without a verdict: what it was to check is checked here.
        let Some(r) = r else {
            return sequential(scripts, out);
        };
        for report in r.reports {
            by_path.entry(key(&report.path)).or_insert(report);
        }
        unreadable.extend(r.unreadable);
    }
    let mut names = BTreeSet::new();
    let decls = by_path.values().flat_map(|r| &r.decls);
    let mut named = decls.filter(|d| d.kind != Kind::Example);
    if named.any(|d| !names.insert(&d.name)) {
        return sequential(scripts, out);
    }
    unreadable.sort_by(|a, b| a.path.cmp(&b.path));
    Verdicts {
        reports: by_path.into_values().collect(),
        unreadable,
    }
}

/// The scripts on several threads, neighbours together since they import the same: with the smallest limit on what one thread
/// reads, in bytes, under which there are threads enough.
fn shares(scripts: &[PathBuf], jobs: usize) -> Vec<Vec<PathBuf>> {
    let mut known = Known::new();
    let needs: Vec<BTreeMap<PathBuf, u64>> = scripts.iter().map(|s| below(s, &mut known)).collect();
    let all: u64 = needs.iter().flat_map(BTreeMap::values).sum();
    let (mut low, mut high) = (0, all);
    while low < high {
        let limit = low + (high - low) / 2;
        match cut(&needs, limit).len() <= jobs {
            true => high = limit,
            false => low = limit + 1,
        }
    }
    let ends = cut(&needs, low);
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts
        .zip(&ends)
        .map(|(start, end)| scripts[start..*end].to_vec())
        .collect()
}

/// Where to cut so that everything below each part has at most `limit` bytes, or the part is a single script.
fn cut(needs: &[BTreeMap<PathBuf, u64>], limit: u64) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut read: BTreeMap<&PathBuf, u64> = BTreeMap::new();
    for (i, need) in needs.iter().enumerate() {
        let more = need.iter().filter(|(p, _)| !read.contains_key(p));
        let size: u64 = read.values().sum::<u64>() + more.map(|(_, n)| n).sum::<u64>();
        if size > limit && !read.is_empty() {
            ends.push(i);
            read.clear();
        }
        read.extend(need.iter().map(|(p, n)| (p, *n)));
    }
    if !needs.is_empty() {
        ends.push(needs.len());
    }
    ends
}

/// What a script that can be read imports, and its size in bytes.
type Known = BTreeMap<PathBuf, Option<(u64, Vec<PathBuf>)>>;

/// A script and everything below it, with sizes in bytes. What is known of a script is not read again.
fn below(script: &Path, known: &mut Known) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    let mut todo = vec![script.to_owned()];
    while let Some(path) = todo.pop() {
        let k = key(&path);
        let read = known.entry(k.clone()).or_insert_with(|| {
            let bytes = tactics::driver::read_file(&path).ok()?;
            let files = imported(&path, &String::from_utf8_lossy(&bytes));
            Some((bytes.len() as u64, files))
        });
        if let Some((size, files)) = read
            && found.insert(k, *size).is_none()
        {
            todo.extend(files.iter().cloned());
        }
    }
    found
}

/// The files that a script imports, in the order of the text, without those that are not there.
fn imported(path: &Path, source: &str) -> Vec<PathBuf> {
    let imports = tactics::syntax::imports(source);
    let files = imports.iter().map(|(i, _)| resolve_import(path, i));
    files.filter_map(Result::ok).collect()
}

/// The one name of a file.
pub fn key(p: &Path) -> PathBuf {
    std::fs::canonicalize(p).unwrap_or_else(|_| p.to_owned())
}

/// The reports by path, but every script after those that it imports, so that a cause is read before its consequences.
pub fn imports_first(mut reports: Vec<FileReport>) -> Vec<FileReport> {
    reports.sort_by(|a, b| a.path.cmp(&b.path));
    let places = reports.iter().enumerate();
    let index: BTreeMap<PathBuf, usize> = places.map(|(i, r)| (key(&r.path), i)).collect();
    let imports: Vec<Vec<usize>> = reports
        .iter()
        .map(|r| {
            let files = imported(&r.path, &r.source);
            files
                .iter()
                .filter_map(|p| index.get(&key(p)).copied())
                .collect()
        })
        .collect();
    let mut order = Vec::new();
    let mut seen = vec![false; reports.len()];
    for root in 0..reports.len() {
        let mut stack = Vec::new();
        if !std::mem::replace(&mut seen[root], true) {
            stack.push((root, 0));
        }
        while let Some((i, next)) = stack.pop() {
            match imports[i].get(next) {
                Some(j) => {
                    stack.push((i, next + 1));
                    if !std::mem::replace(&mut seen[*j], true) {
                        stack.push((*j, 0));
                    }
                }
                None => order.push(i),
            }
        }
    }
    let mut slots: Vec<Option<FileReport>> = reports.into_iter().map(Some).collect();
    order.into_iter().filter_map(|i| slots[i].take()).collect()
}
