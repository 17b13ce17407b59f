//! The commands that bring PTX into a script: `ptx_isa` (the meanings of instructions) and `ptx_module` (a file's kernels).

use logic::{ConstantInfo, Declaration, Environment, Expr, Hint, Name, Node, Signature};
use sha2::{Digest, Sha256};

use super::run::head_const;
use super::{FileId, FileReport, PtxDiagnostic, PtxUse, Session, load};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Command, PtxModule, Span};

/// SHA-256 in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
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
    /// `ptx_isa`: one definition for each form and type of instruction that computes.
    pub(super) fn ptx_isa(&mut self, command: &Command) {
        let st = self.el.st;
        for d in ::ptx::program::isa_declarations(st) {
            let decl = definition(d.name, d.ty, d.value, Hint::Regular(1));
            if let Err(e) = self.el.env.add(decl) {
                let text = format!(
                    "the meaning `{}` is not a definition here: {}",
                    st.name_to_string(d.name),
                    e.display(st)
                );
                let mut d = error(command.span, "ptx.isa", text);
                d.help
                    .push("import lib.word and ptx.float first".to_owned());
                self.el.messages.push(d);
                return;
            }
        }
    }

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
                let text = format!("cannot read {}: {e}", path.display());
                self.el.messages.push(error(m.path.span, "ptx.read", text));
                return;
            }
        };
        let hash = sha256(&bytes);
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
        let mut in_ptx =
            |span: ::ptx::text::span::Span, code, message: String, help: Option<String>| {
                let mut d = error(Span::new(span.start, span.end), code, message);
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
        let wanted = |name: &str| match &m.entries {
            None => true,
            Some(list) => list.iter().any(|s| *s.value == *name),
        };
        for s in m.entries.iter().flatten() {
            let unsupported = all.unsupported.iter().find(|(n, _)| **n == *s.value);
            if let Some((_, why)) = unsupported {
                in_ptx(why.span, "ptx.unsupported", why.to_string(), None);
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
            let used = PtxUse {
                entry,
                file: m.path.value.to_string(),
                sha256: hash.clone(),
            };
            self.kernels.insert(d.name, used);
        }
    }
}

fn entry_name(s: &Session<'_>, n: Name) -> String {
    s.el.st.name_last(n).unwrap_or_default().to_owned()
}

fn definition(name: Name, ty: Expr, value: Expr, hint: Hint) -> Declaration {
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

/// The optional assumptions in a statement about `Ptx.Correct`: the fields of its first argument that are `true`. `None`
/// if the statement does not mention it; `["any"]` if it holds for all of them.
pub(super) fn assumptions(env: &Environment<'_>, statement: Expr) -> Option<Vec<String>> {
    let st = env.store();
    let correct = [st.name("Ptx.Correct"), st.name("Ptx.Goes")];
    let mut found = None;
    let mut todo = vec![statement];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(e) = todo.pop() {
        if !seen.insert(e) {
            continue;
        }
        if let Node::App(f, a) = st.node(e)
            && let Node::Const(n, _) = st.node(f)
            && correct.contains(&n)
        {
            found.get_or_insert_with(Vec::new).extend(switches(env, a));
        }
        match st.node(e) {
            Node::App(a, b) => todo.extend([a, b]),
            Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => todo.extend([t, b]),
            Node::Let(_, t, v, b) => todo.extend([t, v, b]),
            Node::Proj(_, _, x) => todo.push(x),
            _ => {}
        }
    }
    let mut found: Vec<String> = found?;
    found.sort();
    found.dedup();
    Some(found)
}

/// The names of the switches that are on in a term of type `Ptx.Assumptions`.
fn switches(env: &Environment<'_>, e: Expr) -> Vec<String> {
    let st = env.store();
    if st.has_loose_bvars(e) {
        return vec!["any".to_owned()];
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
