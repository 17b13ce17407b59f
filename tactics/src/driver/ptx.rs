//! The command that brings PTX into a script: `ptx_module`, the kernels of a file.

use std::path::Path;

use ::ptx::program::data::Kernel;
use ::ptx::program::{Unsupported, kernel_meanings};
use logic::{ConstantInfo, Declaration, Environment, Expr, Hint, Name, Node, Signature};
use sha2::{Digest, Sha256};

use super::isa::NoMeaning;
use super::run::head_const;
use super::{FileId, FileReport, PtxDiagnostic, PtxUse, Session, facts, load};
use crate::diagnostic::{Diagnostic, Severity};
use crate::syntax::ast::{PtxModule, Span};

/// SHA-256 in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

fn error(span: Span, code: &'static str, text: String) -> Diagnostic {
    let mut d = Diagnostic::error(code, text);
    d.span = Some(span);
    d
}

impl<'b> Session<'b> {
    /// `ptx_module m from "file.ptx" [sha256 "…"] [entries a b]`.
    pub(super) fn ptx_module(&mut self, file: FileId, m: &PtxModule, report: &mut FileReport) {
        let dir = self.files[file]
            .path
            .parent()
            .map(ToOwned::to_owned)
            .unwrap_or_default();
        let path = load::normalize(&dir.join(&*m.path.value));
        let bytes = match self.read(&path) {
            Ok(b) => b,
            Err(e) => {
                self.depends_on_ptx(file, path.clone(), None);
                let text = format!("cannot read {}: {e}", path.display());
                self.el.messages.push(error(m.path.span, "ptx.read", text));
                return;
            }
        };
        let hash = sha256(&bytes);
        self.depends_on_ptx(file, path.clone(), Some(hash.clone()));
        if let Some(expected) = &m.sha256
            && *expected.value != hash
        {
            let text = format!(
                "{} is not the file that this script was written for",
                path.display()
            );
            let mut d = error(expected.span, "ptx.hash", text);
            d.notes.push(format!("expected SHA-256 {}", expected.value));
            d.notes.push(format!("the file's is {hash}"));
            d.help
                .push("read what changed in the file, then put its hash here".to_owned());
            self.el.messages.push(d);
            return;
        }
        let Ok(text) = String::from_utf8(bytes) else {
            let text = format!("{} is not UTF-8 text", path.display());
            self.el.messages.push(error(m.path.span, "ptx.read", text));
            return;
        };
        let mut in_ptx = |severity,
                          span: ::ptx::text::span::Span,
                          code,
                          message: String,
                          help: Option<String>| {
            let mut d = error(Span::new(span.start, span.end), code, message);
            d.severity = severity;
            d.help.extend(help);
            report.ptx.push(PtxDiagnostic {
                path: path.clone(),
                source: text.clone(),
                diagnostic: d,
            });
        };
        let module = match ::ptx::text::parse(&text) {
            Ok(module) => module,
            Err(e) => {
                in_ptx(
                    Severity::Error,
                    e.span,
                    "ptx.syntax",
                    e.to_string(),
                    Some(e.help().to_owned()),
                );
                return;
            }
        };
        let prefix = self.el.declared_name(&m.name);
        let all = match ::ptx::program::module_declarations(self.el.st, &module, prefix) {
            Ok(all) => all,
            Err(e) => {
                self.el
                    .messages
                    .push(error(m.path.span, "ptx.render", e.to_string()));
                return;
            }
        };
        // Why, with the other place that it is about.
        let said = |why: &Unsupported| match why.other_place() {
            None => why.to_string(),
            Some((what, span)) => {
                let line = text[..span.range().start].matches('\n').count() + 1;
                format!("{why}; {what} is in line {line}: `{}`", &text[span.range()])
            }
        };
        let wanted = |name: &str| match &m.entries {
            None => true,
            Some(list) => list.iter().any(|s| *s.value == *name),
        };
        if m.entries.is_none() {
            for (entry, why) in &all.unsupported {
                let message = format!("the entry `{entry}` becomes no constant: {}", said(why));
                let help = "`entries` after the file names those that are wanted".to_owned();
                in_ptx(
                    Severity::Warning,
                    why.span,
                    "ptx.unsupported",
                    message,
                    Some(help),
                );
            }
        }
        for s in m.entries.iter().flatten() {
            let unsupported = all.unsupported.iter().find(|(n, _)| **n == *s.value);
            if let Some((_, why)) = unsupported {
                in_ptx(
                    Severity::Error,
                    why.span,
                    "ptx.unsupported",
                    said(why),
                    why.help(),
                );
            } else if !all
                .kernels
                .iter()
                .any(|k| entry_name(self, k.definition.name) == *s.value)
            {
                let names: Vec<String> = module.entries().map(|f| f.name.text.clone()).collect();
                let mut d = error(
                    s.span,
                    "ptx.entry",
                    format!("{} has no entry `{}`", path.display(), s.value),
                );
                d.help.push(format!("its entries are {}", names.join(", ")));
                self.el.messages.push(d);
            }
        }
        for k in all.kernels {
            let entry = entry_name(self, k.definition.name);
            if !wanted(&entry) {
                continue;
            }
            let d = k.definition;
            if let Err(message) = self.meanings(file, m, &path, &k.translation.kernel) {
                self.el.messages.push(*message);
                return;
            }
            if let Err(e) = self
                .el
                .env
                .add(definition(d.name, d.ty, d.value, Hint::Regular(2)))
            {
                let text = format!(
                    "the entry `{entry}` is no term of the logic: {}",
                    e.display(self.el.st)
                );
                let mut d = error(m.name.span, "ptx.term", text);
                d.help
                    .push("import ptx.isa, which declares the instructions".to_owned());
                self.el.messages.push(d);
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let lines = std::iter::once(&k.translation.spans)
                .chain(&k.translation.called)
                .map(|spans| {
                    let places = spans.iter().map(|s| s.range());
                    std::rc::Rc::new(crate::symexec::PtxLines::new(&name, &text, places))
                })
                .collect();
            self.el.ext.ptx_lines.insert(d.name, lines);
            let used = PtxUse {
                entry,
                file: m.path.value.to_string(),
                sha256: hash.clone(),
            };
            self.kernels.insert(d.name, used);
        }
    }
}

impl Session<'_> {
    /// Declares the meanings of a kernel's instructions.
    ///
    /// Errors: a constant that bears an opcode's name means something else, or could be made to.
    fn meanings(
        &mut self,
        file: FileId,
        m: &PtxModule,
        path: &Path,
        kernel: &Kernel,
    ) -> Result<(), Box<Diagnostic>> {
        for d in kernel_meanings(self.el.st, kernel) {
            let shown = |n: Name| self.el.st.name_to_string(n);
            let (text, help) = match self.demand(file, d) {
                Ok(()) => continue,
                Err(NoMeaning::Fake(n)) => (
                    format!(
                        "`{}` is not what the opcode table says, so no kernel that uses it is the program in {}",
                        shown(n),
                        path.display()
                    ),
                    "the constants below `ptx` are the instructions' meanings: import ptx.isa, and name yours otherwise",
                ),
                Err(NoMeaning::Refused(n, why)) => (
                    format!("the meaning `{}` is not a definition here: {why}", shown(n)),
                    "import lib.word and ptx.float first",
                ),
            };
            let mut d = error(m.name.span, "ptx.isa", text);
            d.help.push(help.to_owned());
            return Err(Box::new(d));
        }
        Ok(())
    }
}

fn entry_name(s: &Session<'_>, n: Name) -> String {
    s.el.st.name_last(n).unwrap_or_default().to_owned()
}

pub(super) fn definition(name: Name, ty: Expr, value: Expr, hint: Hint) -> Declaration {
    Declaration::Definition {
        sig: Signature {
            name,
            univ_params: Vec::new(),
            ty,
        },
        value,
        hint,
    }
}

/// The constants whose first argument says what is assumed.
fn is_correctness(env: &Environment<'_>, n: Name) -> bool {
    let st = env.store();
    n == st.name("Ptx.Correct") || n == st.name("Ptx.Goes")
}

/// Whether a definition or a constructor speaks about correctness itself.
pub(super) fn speaks_of_correctness(env: &Environment<'_>, c: &ConstantInfo) -> bool {
    !is_correctness(env, c.name())
        && inside(c).is_some_and(|e| {
            facts::constants(env, [e])
                .iter()
                .any(|n| is_correctness(env, *n))
        })
}

/// The term in which a definition or a constructor may hide a statement.
fn inside(c: &ConstantInfo) -> Option<Expr> {
    match c {
        ConstantInfo::Definition { value, .. } => Some(*value),
        ConstantInfo::Constructor(_) => Some(c.ty()),
        _ => None,
    }
}

/// The optional assumptions of a statement about `Ptx.Correct`, made in it or in the definitions `hidden` below it: the
/// fields of the first argument that are `true`. `None` if it does not speak about correctness. `any`: it holds for all of
/// them. `unknown`: it depends on a variable of which more is said.
pub(super) fn assumptions(
    env: &Environment<'_>,
    statement: Expr,
    hidden: &[&ConstantInfo],
) -> Option<Vec<String>> {
    let st = env.store();
    // The leading binders: an assumption that is just a variable, with nothing said of it, is any.
    let (mut body, mut free, mut open): (_, Vec<bool>, Vec<usize>) = (statement, vec![], vec![]);
    while let Node::Pi(_, ty, rest, _) = st.node(body) {
        for i in open.iter().rev().copied() {
            let at = (free.len() - 1 - i) as u32;
            free[i] &= !st.has_loose_bvar(ty, at);
        }
        if ty == st.const0("Ptx.Assumptions") {
            open.push(free.len());
        }
        free.push(ty == st.const0("Ptx.Assumptions"));
        body = rest;
    }
    let mut found: Option<Vec<String>> = None;
    switches_in(env, body, &free, &mut found);
    let mut domains = statement;
    while let Node::Pi(_, ty, rest, _) = st.node(domains) {
        switches_in(env, ty, &[], &mut found);
        domains = rest;
    }
    for c in hidden {
        if let Some(e) = inside(c) {
            switches_in(env, e, &[], &mut found);
        }
    }
    let mut found: Vec<String> = found?;
    found.sort();
    found.dedup();
    Some(found)
}

/// Adds the assumptions of every statement in `e`; `free` are the variables around it that stand for any.
fn switches_in(env: &Environment<'_>, e: Expr, free: &[bool], found: &mut Option<Vec<String>>) {
    let st = env.store();
    let mut todo = vec![(e, 0u32)];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some((e, depth)) = todo.pop() {
        if !seen.insert((e, depth)) {
            continue;
        }
        match st.node(e) {
            Node::App(f, a) => {
                todo.push((a, depth));
                match st.node(f) {
                    Node::Const(n, _) if is_correctness(env, n) => {
                        let outer = match st.node(a) {
                            Node::BVar(i) => i.checked_sub(depth),
                            _ => None,
                        };
                        let is_any = outer
                            .and_then(|i| free.iter().rev().nth(i as usize))
                            .copied()
                            .unwrap_or(false);
                        let on = match is_any {
                            true => vec!["any".to_owned()],
                            false => switches(env, a),
                        };
                        found.get_or_insert_with(Vec::new).extend(on);
                    }
                    _ => todo.push((f, depth)),
                }
            }
            // Not applied: who knows to what it will be.
            Node::Const(n, _) if is_correctness(env, n) => found
                .get_or_insert_with(Vec::new)
                .push("unknown".to_owned()),
            Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => {
                todo.extend([(t, depth), (b, depth + 1)]);
            }
            Node::Let(_, t, v, b) => todo.extend([(t, depth), (v, depth), (b, depth + 1)]),
            Node::Proj(_, _, x) => todo.push((x, depth)),
            _ => {}
        }
    }
}

/// The names of the switches that are on in a term of type `Ptx.Assumptions`.
fn switches(env: &Environment<'_>, e: Expr) -> Vec<String> {
    let st = env.store();
    if st.has_loose_bvars(e) {
        return vec!["unknown".to_owned()];
    }
    let mut checker = logic::Checker::new(env, &[]);
    let Ok(value) = checker.whnf(e) else {
        return vec!["unknown".to_owned()];
    };
    let (_, args) = st.unfold_app(value);
    let ctor = env.get(st.name("Ptx.Assumptions.mk"));
    if head_const(st, value) != ctor.map(ConstantInfo::name) {
        return vec!["unknown".to_owned()];
    }
    let mut names = Vec::new();
    let mut ty = ctor.map(ConstantInfo::ty);
    while let Some(Node::Pi(n, _, body, _)) = ty.map(|t| st.node(t)) {
        names.push(st.name_to_string(n));
        ty = Some(body);
    }
    let mut on = Vec::new();
    for (name, arg) in names.into_iter().zip(args) {
        let arg = checker.whnf(arg).unwrap_or(arg);
        if head_const(st, arg) != Some(st.name("Bool.false")) {
            on.push(name);
        }
    }
    on
}
