//! `def`, `theorem`, `abbrev`, `axiom`, `opaque`, `example`.

use logic::{BinderInfo, Declaration, Expr, Hint, Name, Node, Signature};

use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{Decl, DeclKind, DeclValue, Span};

/// What became of a declaration.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its full name.
    pub name: Name,
    /// The word that declared it.
    pub kind: &'static str,
}

/// The word for a kind of declaration.
pub fn kind_word(k: DeclKind) -> &'static str {
    match k {
        DeclKind::Def => "def",
        DeclKind::Theorem | DeclKind::Lemma => "theorem",
        DeclKind::Example => "example",
        DeclKind::Abbrev => "abbrev",
        DeclKind::Axiom => "axiom",
        DeclKind::Opaque => "opaque",
    }
}

impl<'b> Elab<'b> {
    /// The full name of a declaration, and the name under which it is written if it is private.
    pub(crate) fn decl_name(&mut self, d: &Decl, span: Span) -> Name {
        let Some(id) = &d.name else {
            return self
                .st
                .name_str(Name::ANON, &format!("_example_{}", span.start));
        };
        let n = self.declared_name(id);
        if d.modifiers.private.is_some() {
            return self.private_name(n);
        }
        n
    }

    pub(crate) fn private_name(&mut self, n: Name) -> Name {
        let st = self.st;
        let root = st.name_str(Name::ANON, "_private");
        let root = st.name_str(root, &self.scope.file_tag);
        let p = st.name_append(root, n);
        self.scope.private.insert(n, p);
        self.ext.private.insert(p);
        p
    }

    /// Elaborates a declaration and adds it.
    pub fn elab_decl(&mut self, d: &Decl, span: Span, keyword: Span) -> Result<Declared> {
        self.begin_decl(d.levels.as_deref());
        let name_span = d.name.as_ref().map_or(keyword, |n| n.span);
        let env = self.env.clone();
        let name = self.decl_name(d, span);
        self.check_fresh(name, name_span)?;
        // Inside `A.f`, names of `A` are known by their last component.
        let outer = self.scope.namespace;
        let written = self.written_name(name);
        if d.name.is_some() {
            self.scope.namespace.0 = self.st.name_prefix(written);
        }
        let r = self.elab_decl_go(d, name, span, name_span);
        self.scope.namespace = outer;
        self.lctx = crate::meta::LCtx::default();
        self.rec_fns.clear();
        match r {
            Ok(()) => {
                if d.kind == DeclKind::Example {
                    self.env = env;
                } else {
                    self.apply_attrs(name, &d.modifiers)?;
                }
                Ok(Declared {
                    name,
                    kind: kind_word(d.kind),
                })
            }
            Err(e) => {
                self.env = env;
                Err(match e {
                    ElabError::Postpone => ElabError::new(
                        name_span,
                        "not enough is known about the types in this declaration",
                    )
                    .code("elab.stuck"),
                    e => e.at(name_span),
                })
            }
        }
    }

    fn elab_decl_go(&mut self, d: &Decl, name: Name, span: Span, name_span: Span) -> Result<()> {
        let start = self.mctx.decls.len() as u32;
        let mut vars = self.elab_variables()?;
        let xs = self.elab_binders(&d.binders)?;
        let is_theorem = matches!(d.kind, DeclKind::Theorem | DeclKind::Lemma);
        let ty = match &d.ty {
            Some(t) => self.elab_type(t)?,
            None if is_theorem || matches!(d.kind, DeclKind::Axiom) => {
                return Err(ElabError::new(name_span, "the statement is missing"));
            }
            None => {
                let s = self.mk_fresh_sort();
                self.mk_fresh_mvar(s)
            }
        };
        self.synthesize(true)?;
        let mut ty = self.instantiate_mvars(ty);
        let value = match &d.value {
            DeclValue::None => None,
            v => Some(v),
        };
        if is_theorem || d.kind == DeclKind::Axiom || value.is_none() {
            let t = self.mk_pi(&xs, ty);
            self.report_open(t, start, d.ty.as_ref().map_or(name_span, |t| t.span))?;
            self.solve_level_constraints(true);
        }
        if is_theorem {
            let p = self.st.prop();
            let s = self.infer_type(ty)?;
            if !self.is_defeq(s, p) {
                let t = self.pp(ty);
                return Err(ElabError::new(
                    d.ty.as_ref().map_or(name_span, |t| t.span),
                    format!("a theorem states a proposition, but this is\n    {t}"),
                )
                .code("decl.not_prop")
                .help("use `def` for data"));
            }
            // The statement fixes the section variables: the proof sees those that it mentions.
            let mut terms = vec![ty];
            terms.extend(self.local_types(&xs));
            vars = self.keep_variables(&vars, &terms);
            // It fixes the universes, too.
            let t = self.mk_pi(&xs, ty);
            let mut all = vec![t];
            all.extend(self.local_types(&vars));
            self.generalize_levels(&all);
            ty = self.instantiate_mvars(ty);
        }
        let Some(value) = value else {
            return self.add_axiom_like(d, name, &vars, &xs, ty, name_span);
        };
        // The function itself, for recursive calls.
        let fty = self.mk_pi(&xs, ty);
        let f = self.new_local(name, fty, None, BinderInfo::Default);
        self.locals[f.0 as usize].aux = true;
        self.lctx.push(f);
        self.rec_fns.push((f, self.written_name(name)));
        self.recover = true;
        let r = self.elab_decl_value(value, ty, span);
        let r = match r {
            Ok(v) => self.synthesize(true).map(|()| v),
            Err(e) => Err(e),
        };
        self.recover = false;
        let v = r?;
        if self.exhausted() {
            return Err(self.out_of_steps());
        }
        if !self.solve_level_constraints(true) {
            return Err(
                ElabError::new(name_span, "universe levels do not fit together")
                    .code("elab.universe"),
            );
        }
        let v = self.instantiate_mvars(v);
        let ty = self.instantiate_mvars(ty);
        let value_span = match value {
            DeclValue::Term(t) => t.span,
            _ => span,
        };
        self.report_open(ty, start, d.ty.as_ref().map_or(name_span, |t| t.span))?;
        self.report_open(v, start, value_span)?;
        if self.failed {
            // Errors were reported inside of the proof; the declaration fails.
            return Err(ElabError::msg("").code("reported"));
        }
        // Section variables that are used.
        let mut terms = vec![v, ty];
        terms.extend(self.local_types(&xs));
        let mut used = self.used_variables(&vars, &terms);
        let with_used = |used: &[Expr]| [used, &xs].concat();
        let mut all = with_used(&used);
        let recursive = self.occurs_fvar(v, &[f]);
        let value_e;
        let mut smart = None;
        if recursive {
            let r = loop {
                let r = self.compile_recursion(
                    name,
                    f,
                    &used,
                    &xs,
                    v,
                    ty,
                    d.termination.as_ref(),
                    value_span,
                )?;
                // The proofs that calls get smaller may use more of them.
                terms.push(r.value);
                let more = self.used_variables(&vars, &terms);
                if more.len() == used.len() {
                    break r;
                }
                used = more;
            };
            all = with_used(&used);
            value_e = r.value;
            smart = Some((r.smart, r.rec_arg));
        } else {
            value_e = self.mk_lambda(&all, v);
        }
        let ty_e = self.mk_pi(&all, ty);
        let mut group = vec![ty_e, value_e];
        if let Some((s, _)) = smart {
            group.push(s);
        }
        let group = self.generalize_levels(&group);
        let (ty_e, value_e) = (group[0], group[1]);
        for l in &self.scope.level_params.clone() {
            if self.scope.level_params.iter().filter(|m| *m == l).count() > 1 {
                return Err(ElabError::new(
                    name_span,
                    "a universe parameter is listed twice",
                ));
            }
        }
        let params = self.occurring_levels(&[ty_e, value_e]);
        let levels: Vec<_> = params.iter().map(|n| self.st.level_param(*n)).collect();
        let sig = Signature {
            name,
            univ_params: params.clone(),
            ty: ty_e,
        };
        let value_e = self.simplify_levels(value_e);
        let decl = match d.kind {
            DeclKind::Theorem | DeclKind::Lemma => Declaration::Theorem {
                sig,
                value: value_e,
            },
            DeclKind::Opaque => Declaration::Opaque {
                sig,
                value: value_e,
            },
            DeclKind::Example => {
                let prop = self.is_prop(ty_e);
                if prop {
                    Declaration::Theorem {
                        sig,
                        value: value_e,
                    }
                } else {
                    Declaration::Definition {
                        sig,
                        value: value_e,
                        hint: Hint::Regular(1),
                    }
                }
            }
            _ => Declaration::Definition {
                sig,
                value: value_e,
                hint: if d.kind == DeclKind::Abbrev {
                    Hint::Abbrev
                } else {
                    Hint::Regular(self.height_of(value_e))
                },
            },
        };
        let sorry = self.used_sorry;
        self.add_decl(decl, name_span)?;
        if sorry {
            self.ext.holes.insert(name);
        }
        if let Some((_, rec_arg)) = smart
            && !matches!(d.kind, DeclKind::Theorem | DeclKind::Lemma)
        {
            // The smart body mentions the function by its constant.
            let body = group[2];
            let c = self.st.constant(name, &levels);
            let c = self.st.apps(c, &used);
            let fv = self.mk_fvar(f);
            let body = self.st.replace(body, |x, _| {
                if !self.st.has_fvar(x) {
                    return Some(x);
                }
                (x == fv).then_some(c)
            });
            let body = self.mk_lambda(&all, body);
            let body = self.instantiate_mvars(body);
            match rec_arg {
                Some(k) => {
                    self.ext.smart.insert(name, body);
                    self.ext.rec_arg.insert(name, k);
                }
                None => self.add_well_founded(name, body, name_span)?,
            }
        }
        Ok(())
    }

    /// Remembers the body of a function by a measure, which does not unfold by computation, and proves its equation.
    fn add_well_founded(&mut self, name: Name, body: Expr, span: Span) -> Result<()> {
        self.ext.well_founded.insert(name, body);
        self.ext.irreducible.insert(name);
        if crate::tactic::unfold::eq_def(self, name)?.is_some() {
            return Ok(());
        }
        self.ext.well_founded.remove(&name);
        self.ext.irreducible.remove(&name);
        let n = self.st.name_to_string(name);
        Err(ElabError::new(
            span,
            format!("the equation of `{n}` cannot be proved: a match is on a variable bound inside of the body"),
        )
        .code("decl.recursion")
        .help("match on arguments of the function, or make the inner function a definition of its own"))
    }

    /// The name as written, for a private one.
    fn written_name(&self, n: Name) -> Name {
        self.scope
            .private
            .iter()
            .find(|(_, p)| **p == n)
            .map_or(n, |(w, _)| *w)
    }

    pub(crate) fn local_types(&mut self, xs: &[Expr]) -> Vec<Expr> {
        let mut out = Vec::new();
        for x in xs {
            if let Node::FVar(i) = self.st.node(*x) {
                out.push(self.local(crate::meta::FVarId(i)).ty);
            }
        }
        out
    }

    /// Levels in normal form, so that equal terms are shared.
    fn simplify_levels(&self, e: Expr) -> Expr {
        self.st.map_levels(e, |l| self.level_simp(l))
    }

    fn elab_decl_value(&mut self, value: &DeclValue, ty: Expr, span: Span) -> Result<Expr> {
        match value {
            DeclValue::Term(t) => self.elab_term_ensuring(t, Some(ty)),
            DeclValue::Equations(alts) => {
                let w = self.instantiate_mvars(ty);
                let n = alts
                    .first()
                    .and_then(|a| a.rows.first())
                    .map_or(1, Vec::len);
                let old = std::mem::replace(&mut self.may_postpone, false);
                let r = self.elab_equations(alts, w, n, true, span);
                self.may_postpone = old;
                r
            }
            DeclValue::None => Err(ElabError::new(span, "the value is missing")),
        }
    }

    fn add_axiom_like(
        &mut self,
        d: &Decl,
        name: Name,
        vars: &[Expr],
        xs: &[Expr],
        ty: Expr,
        span: Span,
    ) -> Result<()> {
        let mut terms = vec![ty];
        terms.extend(self.local_types(xs));
        let mut all = self.used_variables(vars, &terms);
        all.extend_from_slice(xs);
        let ty = self.mk_pi(&all, ty);
        let ty = self.generalize_levels(&[ty])[0];
        let params = self.occurring_levels(&[ty]);
        let sig = Signature {
            name,
            univ_params: params,
            ty,
        };
        match d.kind {
            DeclKind::Axiom => self.add_decl(Declaration::Axiom(sig), span),
            _ => Err(ElabError::new(span, "a value is missing")
                .help("only `axiom` states something without a value")),
        }
    }
}
