//! Running a script: its imports first, then its commands one by one; a command that fails does not stop the next.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use logic::{ConstantInfo, Name, Node, Store};

use super::hints;
use super::{DeclReport, Kind, Status};
use super::{FileId, FileReport, Left, LoadError, Loaded, Session, axioms, facts, load};
use crate::diagnostic::{Diagnostic, Severity, line_col};
use crate::elab::scope::Scope;
use crate::elab::watch::{Goals, Watch};
use crate::print::shown_name;
use crate::syntax::ast::{Command, CommandKind, Ident, Span};
use crate::syntax::{self, Notations};

impl<'b> Session<'b> {
    /// Reads a script and everything that it imports, once each. The reports are in [`Session::reports`], imports first.
    ///
    /// Errors: the file itself cannot be read. Anything wrong in it, an import that cannot be read included, is in its
    /// report.
    pub fn check_file(&mut self, path: &Path) -> Result<(), LoadError> {
        self.load(&load::normalize(path)).map(|_| ())
    }

    fn load(&mut self, path: &Path) -> Result<FileId, LoadError> {
        let key = self.key(path).map_err(|e| LoadError::new(path, e))?;
        if let Some(id) = self.by_path.get(&key) {
            return Ok(*id);
        }
        let mut report = FileReport::new(path, self.source(path)?);
        self.active.push(key.clone());
        let imports = self.load_imports(path, &mut report);
        self.active.pop();
        let id = self.run(path, imports, &mut report);
        self.by_path.insert(key, id);
        self.reports.push(report);
        Ok(id)
    }

    /// The text of a script.
    pub(super) fn source(&self, path: &Path) -> Result<String, LoadError> {
        let bytes = self.read(path).map_err(|e| LoadError::new(path, e))?;
        String::from_utf8(bytes).map_err(|e| {
            let good = e.utf8_error().valid_up_to();
            let line = e.as_bytes()[..good].iter().filter(|b| **b == b'\n').count() + 1;
            let text = format!(
                "it is not UTF-8 text: line {line}, byte {} of the file",
                good + 1
            );
            LoadError::new(path, text)
        })
    }

    /// Runs a script, its imports first, up to the command at a place; the goals there.
    pub(super) fn run_until(
        &mut self,
        path: &Path,
        at: u32,
        report: &mut FileReport,
    ) -> Option<Goals> {
        if let Ok(key) = self.key(path) {
            self.active.push(key);
        }
        let imports = self.load_imports(path, report);
        self.active.pop();
        self.el.watch = Some(Watch::new(at));
        self.run(path, imports, report);
        self.el.watch.take()?.found
    }

    /// Loads what a script imports; the ids, in the order of the text.
    fn load_imports(&mut self, path: &Path, report: &mut FileReport) -> Vec<FileId> {
        let mut ids = Vec::new();
        for (import, span) in syntax::imports(&report.source) {
            let found = load::resolve(path, &import).and_then(|p| {
                if let Ok(key) = self.key(&p)
                    && self.active.contains(&key)
                {
                    return Err(self.cycle(&key));
                }
                self.load(&p).map_err(|e| e.to_string())
            });
            match found {
                Ok(id) => ids.push(id),
                Err(reason) => {
                    let mut d = Diagnostic::error("import", format!("import failed: {reason}"));
                    d.span = Some(span);
                    report.diagnostics.push(d);
                }
            }
        }
        ids
    }

    /// The message for a script that imports itself through others.
    fn cycle(&self, key: &Path) -> String {
        let from = self.active.iter().position(|p| p == key).unwrap_or(0);
        let names: Vec<String> = self.active[from..]
            .iter()
            .map(|p| file_name(p))
            .chain([file_name(key)])
            .collect();
        format!("the imports form a circle: {}", names.join(" → "))
    }

    /// Runs the commands of a script whose imports are loaded; if a place is watched, those up to the place.
    fn run(&mut self, path: &Path, imports: Vec<FileId>, report: &mut FileReport) -> FileId {
        let id = self.files.len();
        self.remember_state();
        let inputs = self.inputs(path, &report.source, imports.len());
        let mut visible: Vec<FileId> = Vec::new();
        for i in imports {
            visible.extend(self.files[i].visible.iter().copied());
        }
        visible.sort_unstable();
        visible.dedup();
        let notations = self.enter(&visible, path);
        let mut set: rustc_hash::FxHashSet<FileId> = visible.into_iter().collect();
        set.insert(id);
        self.files.push(Loaded {
            path: path.to_owned(),
            key: self.key(path).unwrap_or_else(|_| path.to_owned()),
            visible: set,
            left: Left::default(),
            constants: Vec::new(),
            inputs,
        });
        let before = (
            self.el.ext.simp.len(),
            self.el.ext.instances.len(),
            self.el.ext.ext.len(),
        );
        let notation_mark = self.el.scope.notations.len();
        for word in notations.conflicts() {
            let text = format!("two imports give the notation `{word}` different meanings");
            report.diagnostics.push(Diagnostic::error("notation", text));
        }
        let script = syntax::parse_with(&report.source, &notations);
        let end = self.el.watch.as_ref().map(|w| w.at);
        for e in &script.errors {
            if end.is_some_and(|at| at < e.span.start) {
                continue;
            }
            let mut d = Diagnostic::error("syntax", e.to_string());
            d.span = Some(e.span);
            d.help.extend(e.hint.clone());
            report.diagnostics.push(d);
        }
        for command in &script.commands {
            if end.is_some_and(|at| at < command.span.start) {
                break;
            }
            let inside = |e: &syntax::SyntaxError| {
                command.span.start <= e.span.start && e.span.start <= command.span.end
            };
            let malformed = script.errors.iter().any(inside);
            self.command(id, command, malformed, report);
        }
        if let Some(frame) = self.el.scope.innermost()
            && end.is_none()
        {
            let what = if frame.is_namespace {
                "namespace"
            } else {
                "section"
            };
            let label = frame
                .label
                .map(|n| format!(" {}", shown_name(self.el.st, n)));
            let text = format!("the {what}{} is not closed", label.unwrap_or_default());
            let mut d = Diagnostic::error("scope", text);
            let end = report.source.len() as u32;
            d.span = Some(Span::new(end, end));
            d.help.push("add `end`".to_owned());
            report.diagnostics.push(d);
        }
        let mut imported: Vec<FileId> = self.files[id].visible.iter().copied().collect();
        imported.retain(|i| *i != id);
        imported.sort_unstable();
        let imported: Vec<PathBuf> = imported
            .iter()
            .map(|i| self.files[*i].path.clone())
            .collect();
        hints::add_imports(path, &imported, &mut report.diagnostics);
        report
            .diagnostics
            .sort_by_key(|d| d.span.map_or(0, |s| s.start));
        let scope = &self.el.scope;
        let notation_names = scope.notations[notation_mark..].to_vec();
        let own = scope
            .failed
            .iter()
            .filter(|(_, (f, _))| *f == scope.file_tag);
        let failed = own.map(|(n, at)| (*n, at.clone())).collect();
        let ext = &self.el.ext;
        self.files[id].left = Left {
            simp: ext.simp[before.0.min(ext.simp.len())..].to_vec(),
            instances: ext.instances[before.1.min(ext.instances.len())..].to_vec(),
            ext: ext.ext[before.2.min(ext.ext.len())..].to_vec(),
            notations: script.notations,
            notation_names,
            failed,
        };
        id
    }

    /// Sets up scope and attributes as the imports leave them; the notations in force.
    fn enter(&mut self, visible: &[FileId], path: &Path) -> Notations {
        self.el.scope = Scope {
            file_tag: path.display().to_string(),
            ..Scope::default()
        };
        let ext = &mut self.el.ext;
        (ext.simp, ext.instances, ext.ext) = Default::default();
        self.el.cache.instances.clear();
        let seen: rustc_hash::FxHashSet<FileId> = visible.iter().copied().collect();
        let hidden = self.owner.iter().filter(|(_, f)| !seen.contains(f));
        self.el.scope.hidden = Some(Rc::new(hidden.map(|(n, _)| *n).collect()));
        let mut notations = Notations::new();
        for i in visible {
            let left = &self.files[*i].left;
            ext.simp.extend(left.simp.iter().copied());
            ext.instances.extend(left.instances.iter().copied());
            ext.ext.extend(left.ext.iter().copied());
            let failed = left.failed.iter().map(|(n, at)| (*n, at.clone()));
            self.el.scope.failed.extend(failed);
            notations.extend(&left.notations);
            let names = left.notation_names.iter().cloned();
            self.el.scope.notations.extend(names);
        }
        notations
    }

    /// Runs one command and reports what it declared. What is `malformed`, has failed, whatever became of it.
    fn command(
        &mut self,
        file: FileId,
        command: &Command,
        malformed: bool,
        report: &mut FileReport,
    ) {
        let span = command.span.start as usize..command.span.end as usize;
        self.demand_named(file, report.source.get(span).unwrap_or_default());
        let mark = self.el.env.constants().count();
        let ptx_before = report.ptx.len();
        match &command.kind {
            CommandKind::Import(_) => {}
            CommandKind::PtxIsa(_) => self.ptx_isa(file, command),
            CommandKind::PtxModule(m) => self.ptx_module(file, m, report),
            _ => self.el.command(command),
        }
        let mut messages = std::mem::take(&mut self.el.messages);
        let new: Vec<Name> = self
            .el
            .env
            .constants()
            .skip(mark)
            .map(|c| c.name())
            .filter(|n| !self.owner.contains_key(n))
            .collect();
        for n in &new {
            let home = self.home(file, *n);
            self.owner.insert(*n, home);
            self.files[home].constants.push(*n);
        }
        self.check_visible(file, command.keyword, &new, &mut messages);
        for n in &new {
            if let Some(ConstantInfo::Axiom { .. }) = self.el.env.get(*n)
                && let Err(reason) = axioms::check(&self.el.env, *n)
                && *n != self.el.name("sorryAx")
            {
                let mut d = Diagnostic::error("axiom", reason);
                d.span = Some(command.span);
                messages.push(d);
            }
        }
        self.say_where(file, report, &mut messages);
        let failed = malformed
            || messages
                .iter()
                .any(|d| d.severity == Severity::Error || d.code == "elab.depends")
            || report.ptx[ptx_before..]
                .iter()
                .any(|p| p.diagnostic.severity == Severity::Error);
        let hole = messages.iter().any(|d| d.code == "decl.sorry");
        self.report_decls(command, &new, (failed, hole), report);
        report.diagnostics.extend(messages);
    }

    /// Adds to messages about a name that is taken where it was declared.
    fn say_where(&self, file: FileId, report: &FileReport, messages: &mut [Diagnostic]) {
        for d in messages.iter_mut().filter(|d| d.code == "decl.duplicate") {
            let name = d.message.split('`').nth(1).unwrap_or_default();
            let mut all = self.el.env.constants().map(|c| c.name());
            let found = all.find(|n| self.el.st.name_to_string(*n) == name);
            let Some((n, home)) = found.and_then(|n| Some((n, self.owner.get(&n)?))) else {
                continue;
            };
            // A constructor, or another part, is declared with what it belongs to.
            let mut n = n;
            let place = loop {
                let shown = shown_name(self.el.st, n);
                match report.decls.iter().find(|r| r.name == shown) {
                    Some(r) if *home == file => {
                        let (line, _) = line_col(&report.source, r.span.start as usize);
                        break format!("in line {line}");
                    }
                    _ if *home == file && !self.el.st.name_prefix(n).is_anon() => {
                        n = self.el.st.name_prefix(n);
                    }
                    _ if *home == file => break "above".to_owned(),
                    _ => break format!("in {}", self.files[*home].path.display()),
                }
            };
            d.notes.push(format!("it was declared {place}"));
        }
    }

    /// The script that a new constant belongs to. An equation of a function (`f.eq_1`) is made where it is first needed, but
    /// belongs to the script of the function, so that what another script sees does not depend on who came first.
    fn home(&self, file: FileId, n: Name) -> FileId {
        let st = self.el.st;
        let equation = st.name_last(n).is_some_and(|s| s.starts_with("eq_"));
        let Some(owner) = self
            .owner
            .get(&st.name_prefix(n))
            .copied()
            .filter(|_| equation)
        else {
            return file;
        };
        let Some(c) = self.el.env.get(n) else {
            return file;
        };
        let sees = |used: &Name| {
            let o = self.owner.get(used);
            o.is_none_or(|o| self.files[owner].visible.contains(o))
        };
        let used = facts::constants(&self.el.env, facts::parts(c));
        if used.iter().all(sees) { owner } else { file }
    }

    /// Refuses what uses a script that is not imported.
    fn check_visible(
        &self,
        file: FileId,
        span: Span,
        new: &[Name],
        messages: &mut Vec<Diagnostic>,
    ) {
        let mut missing: Vec<(String, PathBuf)> = Vec::new();
        for n in new {
            let Some(c) = self.el.env.get(*n) else {
                continue;
            };
            for used in facts::constants(&self.el.env, facts::parts(c)) {
                if let Some(owner) = self.owner.get(&used)
                    && !self.files[file].visible.contains(owner)
                {
                    let name = shown_name(self.el.st, used);
                    missing.push((name, self.files[*owner].path.clone()));
                }
            }
        }
        missing.sort();
        missing.dedup();
        for (name, path) in missing {
            let text = format!(
                "`{name}` is declared in {}, which is not imported",
                path.display()
            );
            let mut d = Diagnostic::error("import.missing", text);
            d.span = Some(span);
            messages.push(d);
        }
    }

    /// Adds the reports of what a command declared, or failed to declare.
    fn report_decls(
        &mut self,
        command: &Command,
        new: &[Name],
        (failed, hole): (bool, bool),
        report: &mut FileReport,
    ) {
        let Some((ident, kind)) = declared(&command.kind) else {
            match command.kind {
                CommandKind::PtxModule(_) => {
                    for n in new {
                        let r = self.decl_report(*n, &[*n], Kind::Kernel, command.span, failed);
                        report.decls.push(r);
                    }
                }
                // Something without a name: an example, or an instance.
                CommandKind::Decl(_) if failed || hole => {
                    let status = if failed { Status::Failed } else { Status::Hole };
                    let r = not_declared("(no name)".to_owned(), Kind::Example, command.keyword);
                    report.decls.push(DeclReport { status, ..r });
                }
                _ => {}
            }
            return;
        };
        let full = self.el.declared_name(ident);
        let is_it = |n: &&Name| **n == full || ends_with(self, **n, full);
        let mut r = match new.iter().find(is_it).copied() {
            Some(n) => self.decl_report(n, new, kind, ident.span, failed),
            None => not_declared(shown_name(self.el.st, full), kind, ident.span),
        };
        // Whatever rests on the hole: it was written here.
        if hole && r.status == Status::Proved {
            r.status = Status::Hole;
        }
        report.decls.push(r);
    }

    /// The report of constant `n`, which a command declared among the constants `new`.
    fn decl_report(
        &mut self,
        n: Name,
        new: &[Name],
        kind: Kind,
        span: Span,
        failed: bool,
    ) -> DeclReport {
        let env = &self.el.env;
        // The steps for it and its parts (`n.match_1`), but not for equations of other functions that it happened to
        // need first.
        let parts = new.iter().filter(|m| is_below(self.el.st, **m, n));
        let steps = parts.filter_map(|m| env.steps_of(*m)).sum();
        let below = self.facts.axioms(env, n);
        let kernels = self
            .facts
            .kernels(env, n, &|k| self.kernels.contains_key(&k));
        let mut ptx: Vec<_> = kernels
            .iter()
            .filter_map(|k| self.kernels.get(k).cloned())
            .collect();
        ptx.sort();
        let speakers = self
            .facts
            .speakers(env, n, &|_, c| super::ptx::speaks_of_correctness(env, c));
        let hidden: Vec<_> = speakers
            .iter()
            .filter(|s| **s != n)
            .filter_map(|s| env.get(*s))
            .collect();
        let (nodes, assumptions) = match env.get(n) {
            Some(c) => (
                facts::nodes(env, facts::parts(c)),
                super::ptx::assumptions(env, c.ty(), &hidden),
            ),
            None => (0, None),
        };
        let hole = below.iter().any(|a| a == "sorryAx");
        // Nothing is proved by an axiom that was refused.
        let refused = |a: &String| {
            let allowed = axioms::ALLOWED.contains(&a.as_str());
            a != "sorryAx" && !(allowed && axioms::check(env, env.store().name(a)).is_ok())
        };
        let failed = failed || below.iter().any(refused);
        DeclReport {
            name: shown_name(self.el.st, n),
            kind,
            status: match (failed, hole) {
                (true, _) => Status::Failed,
                (false, true) => Status::Hole,
                (false, false) => Status::Proved,
            },
            span,
            ptx,
            assumptions,
            axioms: below,
            nodes,
            steps,
        }
    }
}

/// The report of a declaration that no constant came of.
fn not_declared(name: String, kind: Kind, span: Span) -> DeclReport {
    DeclReport {
        name,
        kind,
        status: Status::Failed,
        span,
        ptx: Vec::new(),
        assumptions: None,
        axioms: Vec::new(),
        nodes: 0,
        steps: 0,
    }
}

/// The name that a command declares, as it is written, and what it is.
fn declared(kind: &CommandKind) -> Option<(&Ident, Kind)> {
    use crate::syntax::ast::DeclKind as D;
    match kind {
        CommandKind::Decl(d) => {
            let kind = match d.kind {
                D::Theorem | D::Lemma => Kind::Theorem,
                D::Axiom => Kind::Axiom,
                D::Def | D::Abbrev | D::Opaque | D::Example => Kind::Definition,
            };
            d.name.as_ref().map(|n| (n, kind))
        }
        CommandKind::Inductive(d) => Some((&d.name, Kind::Inductive)),
        CommandKind::Structure(d) => Some((&d.name, Kind::Inductive)),
        _ => None,
    }
}

/// Whether `n` is `root` or a name in it.
fn is_below(st: &Store<'_>, n: Name, root: Name) -> bool {
    let mut n = n;
    while n != root && !n.is_anon() {
        n = st.name_prefix(n);
    }
    n == root
}

/// Whether the last components of `n` are those of `suffix`.
fn ends_with(s: &Session<'_>, n: Name, suffix: Name) -> bool {
    let st = s.el.st;
    let n = st.name_to_string(n);
    n.ends_with(&format!(".{}", st.name_to_string(suffix)))
}

fn file_name(p: &Path) -> String {
    p.file_name()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The head constant of an application.
pub(super) fn head_const(st: &logic::Store<'_>, e: logic::Expr) -> Option<Name> {
    match st.node(st.app_fn(e)) {
        Node::Const(n, _) => Some(n),
        _ => None,
    }
}
