//! From files to verdicts: reads scripts and what they import, runs their commands, reports on every declaration.
//!
//! One environment serves a whole session, so a name means the same everywhere; but a script may use only what it
//! imports, directly or through others, and a declaration that uses anything else is an error.

mod axioms;
mod facts;
mod goal;
mod hints;
mod isa;
mod load;
mod ptx;
mod refresh;
mod report;
mod run;
mod stack;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use logic::{Environment, Name, Store};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::elab::scope::NotationNames;
use crate::meta::Elab;
use crate::meta::ext::{Extensions, SimpEntry};
use crate::syntax::Notations;
use crate::syntax::ast::Span;

pub use axioms::{ALLOWED as ALLOWED_AXIOMS, check as check_axiom};
pub use goal::{GoalError, GoalsAt, When};
pub use load::{LoadError, read as read_file, resolve as resolve_import, scripts_below};
pub use refresh::Refreshed;
pub use report::{DeclReport, Diagnosed, FileReport, Kind, PtxDiagnostic, PtxUse, Status};
pub use stack::on_large_stack;

/// The index of a script in a session.
pub(crate) type FileId = usize;

/// What a script leaves to those that import it, beside its constants.
#[derive(Default)]
struct Left {
    simp: Vec<SimpEntry>,
    instances: Vec<Name>,
    ext: Vec<Name>,
    notations: Notations,
    /// What the names in its notations mean.
    notation_names: Vec<NotationNames>,
    /// What it failed to declare: the script, and where.
    failed: Vec<(Name, (String, Span))>,
}

/// A script that was read. Its report is that of the same index.
struct Loaded {
    path: PathBuf,
    /// The one name of the file.
    key: PathBuf,
    /// Every script that it may use: what it imports, and what those import.
    visible: FxHashSet<FileId>,
    left: Left,
    /// The constants that it declared, in order.
    constants: Vec<Name>,
    /// What it was read from.
    inputs: refresh::Inputs,
}

/// A session: an environment, and the scripts read into it.
pub struct Session<'b> {
    el: Elab<'b>,
    files: Vec<Loaded>,
    by_path: BTreeMap<PathBuf, FileId>,
    /// Scripts that are being read, to find cycles.
    active: Vec<PathBuf>,
    /// Which script declared a constant.
    owner: FxHashMap<Name, FileId>,
    /// The script of `ptx_isa`.
    isa: Option<FileId>,
    /// PTX kernels by the constant that they became.
    kernels: BTreeMap<Name, PtxUse>,
    facts: facts::Facts,
    /// Texts that stand in for files, by canonical path.
    replaced: BTreeMap<PathBuf, Vec<u8>>,
    /// What is said of each script; diagnostics of PTX files that it names are part of it.
    reports: Vec<FileReport>,
    /// The state before each script was run, if states are remembered.
    states: Option<Vec<Snapshot<'b>>>,
}

/// A state of a session.
pub struct Snapshot<'b> {
    env: Environment<'b>,
    ext: Extensions,
    files: usize,
    by_path: BTreeMap<PathBuf, FileId>,
    owner: FxHashMap<Name, FileId>,
    isa: Option<FileId>,
    kernels: BTreeMap<Name, PtxUse>,
    reports: usize,
    replaced: BTreeMap<PathBuf, Vec<u8>>,
}

impl<'b> Session<'b> {
    /// An empty session over a store.
    pub fn new(store: &'b Store<'b>) -> Self {
        Session {
            el: Elab::new(Environment::new(store)),
            files: Vec::new(),
            by_path: BTreeMap::new(),
            active: Vec::new(),
            owner: FxHashMap::default(),
            isa: None,
            kernels: BTreeMap::new(),
            facts: facts::Facts::default(),
            replaced: BTreeMap::new(),
            reports: Vec::new(),
            states: None,
        }
    }

    /// From now on `text` is read in place of the file `path`, a script or a PTX file, whether it exists or not: what an
    /// editor has not saved yet, or a test has changed.
    ///
    /// Errors: the path cannot be made absolute.
    pub fn replace_file(&mut self, path: &Path, text: impl Into<Vec<u8>>) -> Result<(), LoadError> {
        let key = std::fs::canonicalize(path).or_else(|_| load::absolute(path));
        let key = key.map_err(|e| LoadError::new(path, e))?;
        self.replaced.insert(key, text.into());
        Ok(())
    }

    /// The one name of a file, however it is written.
    fn key(&self, path: &Path) -> std::io::Result<PathBuf> {
        std::fs::canonicalize(path).or_else(|e| {
            let key = load::absolute(path)?;
            if self.replaced.contains_key(&key) {
                Ok(key)
            } else {
                Err(e)
            }
        })
    }

    /// What a file holds, or what stands in for it.
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let key = self.key(path)?;
        match self.replaced.get(&key) {
            Some(text) => Ok(text.clone()),
            None => load::read(&key),
        }
    }

    /// The session as it is now, to come back to with [`Session::restore`].
    pub fn snapshot(&self) -> Snapshot<'b> {
        Snapshot {
            env: self.el.env.clone(),
            ext: self.el.ext.clone(),
            files: self.files.len(),
            by_path: self.by_path.clone(),
            owner: self.owner.clone(),
            isa: self.isa,
            kernels: self.kernels.clone(),
            reports: self.reports.len(),
            replaced: self.replaced.clone(),
        }
    }

    /// Forgets everything since a snapshot of this session was taken.
    pub fn restore(&mut self, s: &Snapshot<'b>) {
        self.el = Elab::new(s.env.clone());
        self.el.ext = s.ext.clone();
        self.files.truncate(s.files);
        for f in &mut self.files {
            let env = &self.el.env;
            f.constants.retain(|n| env.get(*n).is_some());
        }
        self.by_path.clone_from(&s.by_path);
        self.owner.clone_from(&s.owner);
        self.isa = s.isa;
        self.kernels.clone_from(&s.kernels);
        self.reports.truncate(s.reports);
        self.replaced.clone_from(&s.replaced);
        self.facts.forget(&self.el.env);
    }

    /// The environment so far: everything in it was checked by the kernel.
    pub fn environment(&self) -> &Environment<'b> {
        &self.el.env
    }

    /// The elaborator, for questions about what was read.
    pub fn elaborator(&mut self) -> &mut Elab<'b> {
        &mut self.el
    }

    /// The reports of the scripts read so far, in the order in which they were finished (imports first).
    pub fn reports(&self) -> &[FileReport] {
        &self.reports
    }

    /// The PTX kernels that were read: the constant, and the entry, file and hash behind it.
    pub fn kernels(&self) -> &BTreeMap<Name, PtxUse> {
        &self.kernels
    }

    /// The axioms below a constant, by name, sorted; `None` if there is no such constant.
    pub fn axioms_of(&mut self, name: Name) -> Option<Vec<String>> {
        self.el.env.get(name)?;
        Some(self.facts.axioms(&self.el.env, name))
    }

    /// The scripts read so far, imports first: the path, and the constants that it declared, in order.
    pub fn scripts(&self) -> impl Iterator<Item = (&Path, &[Name])> {
        self.files
            .iter()
            .map(|f| (f.path.as_path(), f.constants.as_slice()))
    }

    /// What to show above a constant in an export: a kernel's PTX text, rendered from its term, or a statement in the
    /// notation of scripts.
    pub fn note_of(&mut self, name: Name) -> Option<String> {
        let info = self.el.env.get(name)?;
        let (ty, value) = (info.ty(), info.value());
        if self.kernels.contains_key(&name) {
            return ::ptx::program::render(self.el.st, value?).ok();
        }
        Some(self.el.pp(ty))
    }

    /// The doc comment of a constant.
    pub fn doc_of(&self, name: Name) -> Option<&str> {
        self.el.ext.docs.get(&name).map(String::as_str)
    }
}
