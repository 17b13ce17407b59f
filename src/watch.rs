//! `ptxprove check --watch`: verdicts again after every change of a file, in one process that keeps what the change does not
//! concern. Nothing is kept on a disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use bumpalo::Bump;
use logic::Store;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tactics::driver::Session;

use crate::args::CheckArgs;
use crate::output::Output;
use crate::verdict::{self, Verdicts};
use crate::{CANNOT_READ, check};

/// An editor writes a file in several steps: a change is over when nothing more happens for this long.
const QUIET: Duration = Duration::from_millis(60);

/// Terms of checked scripts stay in memory; when there are this many times as many as after the first verdict, everything
/// is read once more into a new one.
const GROWTH: usize = 4;

/// Runs the command until it is interrupted; the exit code if it cannot.
pub fn run(args: &CheckArgs, out: &Output) -> u8 {
    if let Some(p) = args.paths.iter().find(|p| check::is_export(p)) {
        out.complain(format_args!(
            "error: {}: exports are not watched, only scripts",
            p.display()
        ));
        return CANNOT_READ;
    }
    if let Err(code) = check::scripts(&args.paths, out) {
        return code;
    }
    let (sender, events) = channel();
    let watcher = notify::recommended_watcher(move |e: notify::Result<Event>| {
        if e.map_or(true, |e| is_change(&e)) {
            let _ = sender.send(());
        }
    });
    let mut watched = match watcher {
        Ok(watcher) => Watched {
            watcher,
            folders: BTreeSet::new(),
        },
        Err(e) => {
            out.complain(format_args!("error: files cannot be watched: {e}"));
            return CANNOT_READ;
        }
    };
    let mut first = true;
    loop {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut session = Session::new(&store);
        session.remember_states();
        round(&mut session, args, &mut watched, first, out);
        let most = store.term_count().saturating_mul(GROWTH);
        while store.term_count() <= most {
            if !wait(&events) {
                out.complain("error: files are no longer watched");
                return CANNOT_READ;
            }
            round(&mut session, args, &mut watched, false, out);
        }
        first = false;
    }
}

/// Whether something happened that can matter to a verdict.
fn is_change(e: &Event) -> bool {
    let matters =
        |p: &PathBuf| p.is_dir() || p.extension().is_none_or(|e| e == "ptxp" || e == "ptx");
    let kind = matches!(
        e.kind,
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_)
    );
    kind && (e.paths.is_empty() || e.paths.iter().any(matters))
}

/// Waits for a change, and for its end; `false` if there will be none.
fn wait(events: &Receiver<()>) -> bool {
    if events.recv().is_err() {
        return false;
    }
    loop {
        match events.recv_timeout(QUIET) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Checks what changed and prints the verdicts on it: `all` of them the first time.
fn round(
    session: &mut Session<'_>,
    args: &CheckArgs,
    watched: &mut Watched,
    all: bool,
    out: &Output,
) {
    let before = session.reports().len();
    out.progress("checking");
    let (mut roots, mut unreadable) = (Vec::new(), Vec::new());
    for path in &args.paths {
        match verdict::scripts(std::slice::from_ref(path)) {
            Ok(scripts) => roots.extend(scripts),
            Err(e) => unreadable.push(e),
        }
    }
    // Watched before they are read, so that no change is missed.
    watched.add(args.paths.iter(), RecursiveMode::Recursive);
    let done = session.refresh(&roots);
    out.end_progress();
    watched.add(session.sources().iter(), RecursiveMode::NonRecursive);
    let run: BTreeSet<PathBuf> = done.run.iter().map(|p| verdict::key(p)).collect();
    unreadable.extend(done.unreadable);
    if !all && run.is_empty() && unreadable.is_empty() && before == session.reports().len() {
        return;
    }
    let found = Verdicts {
        reports: session.reports().to_vec(),
        unreadable,
    };
    let mut objects = Vec::new();
    let listed = |r: &tactics::driver::FileReport| all || run.contains(&verdict::key(&r.path));
    let code = check::print(&roots, found, listed, args, out, &mut objects);
    if args.json {
        check::print_json(code, &objects, out);
    }
    out.progress("waiting for a change (Ctrl-C ends)");
}

/// The folders that are watched.
struct Watched {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
}

impl Watched {
    /// Watches folders, and the folders that files are in.
    fn add<'p>(&mut self, paths: impl Iterator<Item = &'p PathBuf>, below: RecursiveMode) {
        for p in paths {
            let folder = if p.is_dir() {
                Some(p.as_path())
            } else {
                p.parent()
            };
            let folder = folder
                .filter(|f| !f.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            let mode = if p.is_dir() {
                below
            } else {
                RecursiveMode::NonRecursive
            };
            let key = verdict::key(folder);
            // Already watched, itself or as part of another; a folder that is gone is tried again next time.
            if !self.folders.contains(&key) && self.watcher.watch(&key, mode).is_ok() {
                self.folders.insert(key);
            }
        }
    }
}
