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

/// Runs `f` on a session that has read the scripts.
pub fn with_session<R>(
    scripts: &[PathBuf],
    out: &Output,
    f: impl FnOnce(&mut Session<'_>) -> R,
) -> Result<R, LoadError> {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut session = Session::new(&store);
    for s in scripts {
        out.progress(format_args!("checking {}", s.display()));
        let start = Instant::now();
        session.check_file(s)?;
        out.time(start, s.display());
    }
    out.end_progress();
    Ok(f(&mut session))
}

/// The reports of the scripts and of what they import, checked on several threads; imports of a script are checked on its
/// thread. The result does not depend on the number of threads: a name that two scripts declare is an error only where
/// both are in one environment, so then everything is checked once more in one.
pub fn reports(
    scripts: &[PathBuf],
    jobs: usize,
    out: &Output,
) -> Result<Vec<FileReport>, LoadError> {
    if jobs <= 1 || scripts.len() <= 1 {
        return with_session(scripts, out, |s| s.reports().to_vec());
    }
    let jobs = jobs.min(scripts.len());
    let parts: Vec<Vec<PathBuf>> = (0..jobs)
        .map(|j| scripts.iter().skip(j).step_by(jobs).cloned().collect())
        .collect();
    let results: Vec<Result<Vec<FileReport>, LoadError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = parts
            .iter()
            .map(|part| scope.spawn(move || with_session(part, out, |s| s.reports().to_vec())))
            .collect();
        threads
            .into_iter()
            .map(|t| {
                t.join().unwrap_or_else(|_| {
                    Err(LoadError {
                        path: PathBuf::from("."),
                        reason: "a checking thread ended without a verdict".to_owned(),
                    })
                })
            })
            .collect()
    });
    let mut by_path: BTreeMap<PathBuf, FileReport> = BTreeMap::new();
    for r in results {
        for report in r? {
            by_path.entry(key(&report.path)).or_insert(report);
        }
    }
    let mut names = BTreeSet::new();
    let decls = by_path.values().flat_map(|r| &r.decls);
    let mut named = decls.filter(|d| d.kind != Kind::Example);
    if named.any(|d| !names.insert(&d.name)) {
        return with_session(scripts, out, |s| s.reports().to_vec());
    }
    Ok(by_path.into_values().collect())
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
            tactics::syntax::imports(&r.source)
                .iter()
                .filter_map(|(import, _)| resolve_import(&r.path, import).ok())
                .filter_map(|p| index.get(&key(&p)).copied())
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
