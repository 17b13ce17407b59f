//! Commands: everything at the top level of a script but imports and PTX.

use std::collections::BTreeSet;

use logic::{ConstantInfo, Name};

use crate::diagnostic::{Diagnostic, Severity};
use crate::elab::scope::{CurrentNamespace, Opened, Scope};
use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{Command, CommandKind, Ident, OptionValue, Span, Term};

impl<'b> Elab<'b> {
    /// Runs a command. Errors and answers go to [`Elab::messages`]; a failed command leaves nothing behind.
    pub fn command(&mut self, c: &Command) {
        let saved_scope = self.scope.level_params.clone();
        if let Err(e) = self.command_go(c) {
            self.report(e.at(c.keyword));
            self.remember_failure(c);
        }
        if self.used_sorry
            && !self.failed
            && matches!(c.kind, CommandKind::Decl(_))
            && !self.messages.iter().any(|d| d.severity == Severity::Error)
        {
            let mut d = Diagnostic::error("decl.sorry", "this declaration uses `sorry`");
            d.severity = Severity::Warning;
            d.span = Some(match &c.kind {
                CommandKind::Decl(d) => d.name.as_ref().map_or(c.keyword, |n| n.span),
                _ => c.keyword,
            });
            self.messages.push(d);
        }
        self.scope.level_params = saved_scope;
    }

    /// Adds an error to the messages, once. What has been reported before in another way is left out; what fails only
    /// because something else did is a warning.
    pub(crate) fn report(&mut self, e: ElabError) {
        let mut d = e.into_diagnostic();
        match d.code {
            "reported" => return,
            "elab.depends" => d.severity = Severity::Warning,
            _ => {}
        }
        if !self.messages.contains(&d) {
            self.messages.push(d);
        }
    }

    /// Remembers what a command would have declared.
    fn remember_failure(&mut self, c: &Command) {
        let id = match &c.kind {
            CommandKind::Decl(d) => d.name.as_ref(),
            CommandKind::Inductive(d) => Some(&d.name),
            CommandKind::Structure(d) => Some(&d.name),
            _ => None,
        };
        if let Some(id) = id {
            let n = self.declared_name(id);
            let file = self.scope.file_tag.clone();
            self.scope.failed.entry(n).or_insert((file, id.span));
        }
    }

    fn command_go(&mut self, c: &Command) -> Result<()> {
        let st = self.st;
        match &c.kind {
            CommandKind::Notation(d) => self.notation_command(d),
            CommandKind::Import(_)
            | CommandKind::PtxIsa(_)
            | CommandKind::PtxModule(_)
            | CommandKind::Error { .. } => Ok(()),
            CommandKind::Namespace(id) => {
                let n = st.name_append(self.scope.namespace.0, self.ident_name(id));
                self.ext.namespaces.insert(n);
                let label = self.ident_name(id);
                self.scope.push(Some(label), true, n);
                Ok(())
            }
            CommandKind::Section(id) => {
                let label = id.as_ref().map(|i| self.ident_name(i));
                self.scope.push(label, false, Name::ANON);
                Ok(())
            }
            CommandKind::End(id) => self.end_scope(id.as_ref(), c.span),
            CommandKind::Variable(bs) => {
                // Checked now, so that an error is shown here.
                self.begin_decl(None);
                self.scope.variables.extend(bs.iter().cloned());
                let r = self.elab_variables().and_then(|_| self.synthesize(true));
                self.lctx = crate::meta::LCtx::default();
                if r.is_err() {
                    let n = self.scope.variables.len() - bs.len();
                    self.scope.variables.truncate(n);
                }
                r
            }
            CommandKind::Universe(ids) => {
                for id in ids {
                    let n = self.ident_name(id);
                    if !self.scope.universes.contains(&n) {
                        self.scope.universes.push(n);
                    }
                }
                Ok(())
            }
            CommandKind::InitQuot => self.env.add(logic::Declaration::Quot).map_err(|e| {
                let text = e.display(st).to_string();
                ElabError::new(c.keyword, text).code("kernel")
            }),
            CommandKind::Open(ds) => {
                for d in ds {
                    let namespace = self.resolve_namespace(&d.namespace)?;
                    let only = d
                        .only
                        .as_ref()
                        .map(|ids| ids.iter().map(|i| self.ident_name(i)).collect());
                    self.scope.opened.push(Opened { namespace, only });
                }
                Ok(())
            }
            CommandKind::Decl(d) => self.elab_decl(d, c.span, c.keyword).map(|_| ()),
            CommandKind::Inductive(d) => self.elab_inductive(d, c.keyword).map(|_| ()),
            CommandKind::Structure(d) => self.elab_structure(d, c.keyword).map(|_| ()),
            CommandKind::Mutual(_) => Err(ElabError::new(
                c.keyword,
                "mutual declarations are not supported",
            )
            .code("decl.mutual")
            .help("make one function of them that takes a tag: `def both : Bool → Nat → Nat` with cases `| true, n => …` for one and `| false, n => …` for the other, then `def f := both true` and `def g := both false`; types become one type with an index in the same way")),
            CommandKind::Check(t) => self.check_command(t),
            CommandKind::Eval(t) => self.eval_command(t),
            CommandKind::Print(id) => self.print_command(id),
            CommandKind::Axioms(id) => {
                let n = self.resolve_const(id)?;
                let axioms = self.axioms_below(n);
                let s = st.name_to_string(n);
                let text = if axioms.is_empty() {
                    format!("`{s}` depends on no axioms")
                } else {
                    format!("`{s}` depends on {}", axioms.join(", "))
                };
                self.messages.push(Diagnostic::info(id.span, text));
                Ok(())
            }
            CommandKind::Search(ts) => self.search_command(ts, c.span),
            CommandKind::Attribute { attrs, names } => {
                for id in names {
                    let n = self.resolve_const(id)?;
                    for a in attrs {
                        self.apply_attr(n, a)?;
                    }
                }
                Ok(())
            }
            CommandKind::SetOption { name, value } => self.set_option(name, value),
            CommandKind::PtxOther { word, .. } => Err(ElabError::new(
                word.span,
                format!("unknown command `{}`", word.name),
            )
            .code("command")),
        }
    }

    fn end_scope(&mut self, id: Option<&Ident>, span: Span) -> Result<()> {
        let want = id.map(|i| self.ident_name(i));
        let Some(f) = self.scope.innermost().cloned() else {
            return Err(
                ElabError::new(span, "`end` without `namespace` or `section`").code("scope"),
            );
        };
        if f.label != want && (want.is_some() || f.is_namespace) {
            let label = f
                .label
                .map(|n| format!(" {}", self.st.name_to_string(n)))
                .unwrap_or_default();
            let word = if f.is_namespace {
                "namespace"
            } else {
                "section"
            };
            return Err(ElabError::new(
                span,
                format!("this `end` does not fit: `{word}{label}` is open"),
            )
            .code("scope"));
        }
        self.scope.pop();
        Ok(())
    }

    /// Forgets the scopes of a script, before the next one.
    pub fn reset_scope(&mut self, file_tag: &str) {
        self.scope = Scope {
            namespace: CurrentNamespace::default(),
            file_tag: file_tag.to_owned(),
            ..Scope::default()
        };
    }

    fn open_term(&mut self, t: &Term) -> Result<logic::Expr> {
        self.begin_decl(None);
        self.elab_variables()?;
        let e = self.elab_term_synth(t, None)?;
        self.solve_level_constraints(true);
        Ok(self.generalize_levels(&[e])[0])
    }

    fn check_command(&mut self, t: &Term) -> Result<()> {
        let r = self.open_term(t).and_then(|e| {
            let ty = self.infer_type(e)?;
            let ty = self.beta_everywhere(ty);
            let (a, b) = (self.pp(e), self.pp(ty));
            self.messages
                .push(Diagnostic::info(t.span, format!("{a} : {b}")));
            Ok(())
        });
        self.lctx = crate::meta::LCtx::default();
        r
    }

    fn eval_command(&mut self, t: &Term) -> Result<()> {
        let r = self.open_term(t).and_then(|e| {
            let v = self.evaluate(e);
            let s = self.pp(v);
            if self.exhausted() {
                return Err(self.out_of_steps().at(t.span));
            }
            self.messages.push(Diagnostic::info(t.span, s));
            Ok(())
        });
        self.lctx = crate::meta::LCtx::default();
        r
    }

    /// The normal form of a value, for which functions by a measure unfold as their equations say.
    fn evaluate(&mut self, e: logic::Expr) -> logic::Expr {
        let smart = self.ext.smart.clone();
        let cache = std::mem::take(&mut self.cache);
        let bodies: Vec<_> = self
            .ext
            .well_founded
            .iter()
            .map(|(n, b)| (*n, *b))
            .collect();
        self.ext.smart.extend(bodies);
        let v = self.full_reduce(e, 0);
        self.ext.smart = smart;
        self.cache = cache;
        v
    }

    /// The normal form of a value: constructors with their arguments reduced.
    pub fn full_reduce(&mut self, e: logic::Expr, depth: u32) -> logic::Expr {
        let st = self.st;
        if depth > 4096 || !self.tick() {
            return e;
        }
        let w = self.whnf_all(e);
        let (f, args) = st.unfold_app(w);
        match st.node(f) {
            logic::Node::Const(n, _) => match self.env.get(n) {
                Some(ConstantInfo::Constructor(c)) => {
                    let np = c.num_params as usize;
                    let out: Vec<logic::Expr> = args
                        .iter()
                        .enumerate()
                        .map(|(i, a)| {
                            if i < np {
                                *a
                            } else {
                                logic::subst::with_stack(|| self.full_reduce(*a, depth + 1))
                            }
                        })
                        .collect();
                    let r = st.apps(f, &out);
                    match self.nat_lit(r) {
                        Some(n) => st.nat(&n),
                        None => r,
                    }
                }
                _ => w,
            },
            _ => w,
        }
    }

    fn print_command(&mut self, id: &Ident) -> Result<()> {
        let st = self.st;
        let n = self.resolve_const(id)?;
        let Some(c) = self.const_info(n) else {
            return Err(self.unknown_name(id));
        };
        let ty = self.pp(c.ty());
        let s = st.name_to_string(n);
        let mut text = match &c {
            ConstantInfo::Axiom { .. } => format!("axiom {s} : {ty}"),
            ConstantInfo::Theorem { .. } => format!("theorem {s} : {ty}"),
            ConstantInfo::Opaque { .. } => format!("opaque {s} : {ty}"),
            ConstantInfo::Quot { .. } => format!("quotient constant {s} : {ty}"),
            ConstantInfo::Constructor(_) => format!("constructor {s} : {ty}"),
            ConstantInfo::Recursor(_) => format!("recursor {s} : {ty}"),
            ConstantInfo::Inductive(_) => format!("inductive {s} : {ty}"),
            ConstantInfo::Definition { .. } => format!("def {s} : {ty}"),
        };
        match &c {
            ConstantInfo::Definition { value, .. } => {
                let by_measure = self.ext.well_founded.get(&n).copied();
                let v = by_measure.or(self.ext.smart.get(&n).copied());
                let v = v.unwrap_or(*value);
                let v = self.pp(v);
                text.push_str(&format!(" :=\n  {v}"));
            }
            ConstantInfo::Inductive(i) => {
                for k in &i.ctors {
                    if let Some(k) = self.const_info(*k) {
                        let t = self.pp(k.ty());
                        let kn = st.name_to_string(k.name());
                        text.push_str(&format!("\n| {kn} : {t}"));
                    }
                }
            }
            _ => {}
        }
        self.messages.push(Diagnostic::info(id.span, text));
        Ok(())
    }

    /// The axioms below a constant, by name, sorted.
    pub fn axioms_below(&self, n: Name) -> Vec<String> {
        let st = self.st;
        let mut seen: BTreeSet<Name> = BTreeSet::new();
        let mut todo = vec![n];
        let mut out = BTreeSet::new();
        while let Some(n) = todo.pop() {
            if !seen.insert(n) {
                continue;
            }
            let Some(c) = self.env.get(n) else { continue };
            if let ConstantInfo::Axiom { .. } = c {
                out.insert(st.name_to_string(n));
            }
            let mut parts = vec![c.ty()];
            parts.extend(match c {
                ConstantInfo::Opaque { value, .. } => Some(*value),
                c => c.value(),
            });
            for p in parts {
                st.replace(p, |x, _| {
                    if let logic::Node::Const(m, _) = st.node(x) {
                        todo.push(m);
                    }
                    None
                });
            }
        }
        out.into_iter().collect()
    }

    fn set_option(&mut self, name: &Ident, value: &OptionValue) -> Result<()> {
        match (&*name.name, value) {
            ("max_steps" | "maxSteps", OptionValue::Num(n)) => {
                let v: u64 = n.value.to_string().parse().unwrap_or(u64::MAX);
                self.max_steps = v.clamp(1000, 4_000_000_000);
                Ok(())
            }
            _ => Err(
                ElabError::new(name.span, format!("unknown option `{}`", name.name))
                    .code("command.option")
                    .help("the option is `max_steps <n>`"),
            ),
        }
    }
}
