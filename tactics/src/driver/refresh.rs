//! Checking again after files changed, in one process: scripts that neither changed nor rest on what changed are kept.
//!
//! What is kept are constants of the environment, which the kernel of this process has checked; nothing comes from a disk.
//! An environment only grows, so the session goes back to its state before the first script concerned and runs from there. The
//! scripts concerned come last in the new order: the next change of the same script finds everything else before it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{FileId, LoadError, Session, load, ptx::sha256};
use crate::syntax;

/// What a script was read from, beside its own text.
#[derive(Default)]
pub(super) struct Inputs {
    /// The files that its imports named, in the order of the text; `None` for what names no file.
    imports: Vec<Option<PathBuf>>,
    /// Whether an import could not be used.
    incomplete: bool,
    /// The PTX files that it names, and their bytes' SHA-256 if they could be read.
    ptx: Vec<(PathBuf, Option<String>)>,
}

/// What [`Session::refresh`] did.
#[derive(Default, Debug)]
pub struct Refreshed {
    /// The scripts that were run because of a change, in order.
    pub run: Vec<PathBuf>,
    /// Why scripts that were asked for cannot be read.
    pub unreadable: Vec<LoadError>,
}

impl Session<'_> {
    /// From now on remembers its states, so that [`Session::refresh`] can go back to them. To be called before anything is
    /// read.
    pub fn remember_states(&mut self) {
        self.states.get_or_insert_default();
    }

    /// Remembers the state before the next script runs.
    pub(super) fn remember_state(&mut self) {
        if self.states.is_some() {
            let now = self.snapshot();
            self.states.get_or_insert_default().push(now);
        }
    }

    /// What a script with these imports, of which those in `loaded` could be used, is read from.
    pub(super) fn inputs(&self, path: &Path, source: &str, loaded: usize) -> Inputs {
        let imports = self.imports_now(path, source);
        Inputs {
            incomplete: imports.len() != loaded,
            imports,
            ptx: Vec::new(),
        }
    }

    /// The script `file` names a PTX file.
    pub(super) fn depends_on_ptx(&mut self, file: FileId, path: PathBuf, hash: Option<String>) {
        self.files[file].inputs.ptx.push((path, hash));
    }

    fn imports_now(&self, path: &Path, source: &str) -> Vec<Option<PathBuf>> {
        let file = |import| self.key(&load::resolve(path, import).ok()?).ok();
        let imports = syntax::imports(source);
        imports.iter().map(|(import, _)| file(import)).collect()
    }

    /// The scripts that `roots` need now, themselves among them, and their texts.
    fn needed(&self, roots: &[PathBuf]) -> BTreeMap<PathBuf, String> {
        let mut todo: Vec<PathBuf> = roots.iter().filter_map(|r| self.key(r).ok()).collect();
        let mut found = BTreeMap::new();
        while let Some(key) = todo.pop() {
            if !found.contains_key(&key)
                && let Ok(source) = self.source(&key)
            {
                todo.extend(self.imports_now(&key, &source).into_iter().flatten());
                found.insert(key, source);
            }
        }
        found
    }

    /// Whether a script is not what it was when it was read, or no longer needed.
    fn is_stale(&self, file: FileId, needed: &BTreeMap<PathBuf, String>) -> bool {
        let f = &self.files[file];
        let was = &self.reports[file].source;
        let hash = |p: &PathBuf| self.read(p).ok().map(|bytes| sha256(&bytes));
        f.inputs.incomplete
            || needed.get(&f.key) != Some(was)
            || self.imports_now(&f.path, was) != f.inputs.imports
            || f.inputs.ptx.iter().any(|(p, h)| hash(p) != *h)
    }

    /// Reads again what changed since it was read, and what rests on it; forgets what `roots` no longer need.
    pub fn refresh(&mut self, roots: &[PathBuf]) -> Refreshed {
        let needed = self.needed(roots);
        let all = 0..self.files.len();
        let stale: BTreeSet<FileId> = all.clone().filter(|f| self.is_stale(*f, &needed)).collect();
        let rests = |f: &FileId| self.files[*f].visible.iter().any(|v| stale.contains(v));
        let concerned: BTreeSet<FileId> = all.clone().filter(rests).collect();
        let old = self.reports.clone();
        let mut unreadable = Vec::new();
        if let Some(first) = concerned.first().copied() {
            let kept = all.skip(first).filter(|f| !concerned.contains(f));
            let kept: Vec<PathBuf> = kept.map(|f| self.files[f].path.clone()).collect();
            self.back_to(first);
            for path in &kept {
                unreadable.extend(self.check_file(path).err());
            }
        }
        let before = self.files.len();
        for path in roots {
            unreadable.extend(self.check_file(path).err());
        }
        let mut run: BTreeSet<PathBuf> = self.files[before..]
            .iter()
            .map(|f| f.path.clone())
            .collect();
        // Which of two scripts may have a name depends on their order, so that has to be the usual one.
        if !run.is_empty() && self.has_clash() {
            self.back_to(0);
            unreadable.clear();
            for path in roots {
                unreadable.extend(self.check_file(path).err());
            }
            let changed = self.reports.iter().filter(|r| !old.contains(r));
            run.extend(changed.map(|r| r.path.clone()));
        }
        let files = self.files.iter().map(|f| f.path.clone());
        Refreshed {
            run: files.filter(|p| run.contains(p)).collect(),
            unreadable,
        }
    }

    /// Whether two scripts declare the same name.
    fn has_clash(&self) -> bool {
        let messages = self.reports.iter().flat_map(|r| &r.diagnostics);
        messages.into_iter().any(|d| d.code == "decl.duplicate")
    }

    /// The files that were read: scripts, and the PTX files that they name.
    pub fn sources(&self) -> BTreeSet<PathBuf> {
        let files = self.files.iter();
        files
            .flat_map(|f| std::iter::once(&f.key).chain(f.inputs.ptx.iter().map(|(p, _)| p)))
            .cloned()
            .collect()
    }

    /// The state before the script `file` was run.
    fn back_to(&mut self, file: FileId) {
        let replaced = std::mem::take(&mut self.replaced);
        let mut states = self.states.take().unwrap_or_default();
        match states.get(file) {
            Some(state) => self.restore(state),
            None => *self = Session::new(self.el.st),
        }
        states.truncate(file);
        self.states = Some(states);
        self.replaced = replaced;
    }
}
