//! Postponed problems: resumed as more becomes known, tactic blocks last.

use std::rc::Rc;

use logic::{Expr, Node};

use crate::meta::{Elab, ElabError, MVarId, MVarKind, Pending, PendingKind, Result};
use crate::syntax::ast::{self, Span, Term, TermKind};

impl<'b> Elab<'b> {
    /// Resumes what can be resumed now; nothing is forced.
    pub fn synthesize_light(&mut self) -> Result<()> {
        loop {
            let n = self.pending.len();
            let mut progress = false;
            for _ in 0..n {
                let Some(p) = self.pending.pop_front() else {
                    break;
                };
                if matches!(p.kind, PendingKind::Tactic(_)) {
                    self.pending.push_back(p);
                    continue;
                }
                let old = std::mem::replace(&mut self.may_postpone, true);
                let r = self.resume(&p);
                self.may_postpone = old;
                if r? {
                    progress = true;
                } else {
                    self.pending.push_back(p);
                }
            }
            if !progress || self.pending.is_empty() {
                return Ok(());
            }
        }
    }

    /// Solves all postponed problems; with `tactics`, runs the tactic blocks too.
    pub fn synthesize(&mut self, tactics: bool) -> Result<()> {
        loop {
            self.synthesize_light()?;
            self.solve_level_constraints(false);
            // What is stuck is forced, numerals first.
            let forced = self
                .pending
                .iter()
                .position(|p| {
                    matches!(&p.kind, PendingKind::Term(t) if matches!(t.kind, TermKind::Num(_)))
                })
                .or_else(|| {
                    self.pending.iter().position(|p| {
                        matches!(&p.kind, PendingKind::Term(t)
                            if matches!(t.kind, TermKind::Binop { .. } | TermKind::Unop { .. }))
                    })
                })
                .or_else(|| {
                    self.pending
                        .iter()
                        .position(|p| matches!(p.kind, PendingKind::Term(_)))
                })
                .or_else(|| {
                    self.pending
                        .iter()
                        .position(|p| !matches!(p.kind, PendingKind::Tactic(_)))
                });
            if let Some(i) = forced {
                let p = self.pending.remove(i);
                // An operator decides for itself first; its operands may still wait.
                let operator = matches!(&p.kind, PendingKind::Term(t)
                    if matches!(t.kind, TermKind::Binop { .. } | TermKind::Unop { .. }));
                if operator {
                    let old = std::mem::replace(&mut self.may_postpone, true);
                    let ops = std::mem::replace(&mut self.force_ops, true);
                    let r = self.resume(&p);
                    self.may_postpone = old;
                    self.force_ops = ops;
                    if r? {
                        continue;
                    }
                }
                let old = std::mem::replace(&mut self.may_postpone, false);
                let r = self.resume(&p);
                self.may_postpone = old;
                if !r? {
                    return Err(ElabError::new(
                        p.span,
                        "not enough is known about the type of this term",
                    )
                    .code("elab.stuck"));
                }
                continue;
            }
            if !tactics {
                return Ok(());
            }
            let Some(p) = self.pending.pop_front() else {
                return Ok(());
            };
            let PendingKind::Tactic(block) = &p.kind else {
                continue;
            };
            self.run_by(p.mvar, block.clone(), p.span)?;
        }
    }

    /// Runs a `by` block for a metavariable.
    fn run_by(&mut self, m: MVarId, block: Rc<ast::TacticBlock>, span: Span) -> Result<()> {
        if self.is_assigned(m) {
            return Ok(());
        }
        let outer = std::mem::take(&mut self.pending);
        let old = std::mem::replace(&mut self.may_postpone, true);
        let lctx = self.lctx.clone();
        let saved = self.save();
        let r = self.run_block_closed(m, &block);
        self.may_postpone = old;
        self.lctx = lctx;
        let result = match r {
            Ok(()) => Ok(()),
            Err(e) if self.recover && !self.exhausted() => {
                self.restore(&saved);
                self.report(e.at(span));
                self.failed = true;
                let ty = self.mvar_type(m);
                let v = self.with_goal(m, |el| el.mk_sorry(ty, span))?;
                self.assign(m, v);
                Ok(())
            }
            Err(e) => Err(e.at(span)),
        };
        let mut all = outer;
        all.append(std::mem::take(&mut self.pending));
        self.pending = all;
        result
    }

    /// One attempt at a postponed problem: `false` if it has to wait.
    fn resume(&mut self, p: &Pending<'b>) -> Result<bool> {
        let lctx = self.mvar_lctx(p.mvar);
        let outer = std::mem::replace(&mut self.lctx, lctx);
        let r = self.resume_here(p);
        self.lctx = outer;
        r.map_err(|e| e.at(p.span))
    }

    fn resume_here(&mut self, p: &Pending<'b>) -> Result<bool> {
        match &p.kind {
            PendingKind::Tactic(_) => Ok(false),
            PendingKind::Term(t) => {
                if self.is_assigned(p.mvar) {
                    return Ok(true);
                }
                let ty = self.mvar_type(p.mvar);
                let saved = self.save();
                match self.elab_again(t, ty) {
                    Ok(e) => {
                        self.finish(p.mvar, e, t.span)?;
                        Ok(true)
                    }
                    Err(ElabError::Postpone) => {
                        self.restore(&saved);
                        Ok(false)
                    }
                    Err(e) => Err(e),
                }
            }
            PendingKind::Coercion(e) => {
                let ty = self.mvar_type(p.mvar);
                let et = self.infer_type(*e)?;
                let et = self.instantiate_mvars(et);
                if self.is_mvar_headed(et) || self.is_mvar_headed(ty) {
                    if !self.may_postpone && self.is_defeq(ty, et) {
                        self.finish(p.mvar, *e, p.span)?;
                        return Ok(true);
                    }
                    return Ok(false);
                }
                if self.is_defeq(ty, et) {
                    self.finish(p.mvar, *e, p.span)?;
                    return Ok(true);
                }
                if self.may_postpone && (self.mentions_pending(et) || self.mentions_pending(ty)) {
                    return Ok(false);
                }
                match self.coerce(*e, et, ty)? {
                    Some(r) => {
                        self.finish(p.mvar, r, p.span)?;
                        Ok(true)
                    }
                    None => Err(self.type_mismatch(*e, et, ty).at(p.span)),
                }
            }
            PendingKind::Instance => {
                // It may have become `?m x` by abstraction without being solved.
                let m = self.mk_mvar(p.mvar);
                let cur = self.instantiate_mvars(m);
                if !matches!(self.st.node(self.st.app_fn(cur)), Node::MVar(_)) {
                    return Ok(true);
                }
                let ty = self.mvar_type(p.mvar);
                if self.st.has_mvar(ty) && self.may_postpone {
                    return Ok(false);
                }
                let v = self.synth_instance(ty)?;
                if cur == m {
                    self.assign(p.mvar, v);
                } else if !self.is_defeq(cur, v) {
                    let t = self.pp(ty);
                    return Err(ElabError::new(
                        p.span,
                        format!("the instance of `{t}` does not fit here"),
                    )
                    .code("elab.instance"));
                }
                Ok(true)
            }
        }
    }

    fn elab_again(&mut self, t: &Term, ty: Expr) -> Result<Expr> {
        let e = self.elab_postponable(t, Some(ty))?;
        self.ensure_type(e, ty, t.span)
    }

    fn finish(&mut self, m: MVarId, e: Expr, span: Span) -> Result<()> {
        if self.is_assigned(m) {
            return Ok(());
        }
        let e = self.instantiate_mvars(e);
        if e == self.mk_mvar(m) {
            return Err(ElabError::new(span, "this term refers to itself"));
        }
        self.assign(m, e);
        Ok(())
    }

    /// Solves an instance argument now, or notes it for later.
    pub(crate) fn instance_arg(&mut self, m: Expr, span: Span) -> Result<()> {
        let Node::MVar(i) = self.st.node(m) else {
            return Ok(());
        };
        let id = MVarId(i);
        if self.is_assigned(id) {
            return Ok(());
        }
        let ty = self.mvar_type(id);
        if !self.st.has_mvar(ty) {
            let v = self.synth_instance(ty).map_err(|e| e.at(span))?;
            self.assign(id, v);
            return Ok(());
        }
        self.pending.push_back(Pending {
            mvar: id,
            kind: PendingKind::Instance,
            span,
            _bump: std::marker::PhantomData,
        });
        Ok(())
    }

    /// Runs `f` with its own list of postponed problems, all of which are solved before it returns.
    pub fn isolated<R>(&mut self, f: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        let outer = std::mem::take(&mut self.pending);
        let old = std::mem::replace(&mut self.may_postpone, true);
        let r = f(self).and_then(|r| {
            self.synthesize(true)?;
            Ok(r)
        });
        self.may_postpone = old;
        let mut all = outer;
        if r.is_ok() {
            all.append(std::mem::take(&mut self.pending));
        }
        self.pending = all;
        r
    }

    /// Elaborates a term and solves everything that was postponed; natural metavariables may remain.
    pub fn elab_term_synth(&mut self, t: &Term, expected: Option<Expr>) -> Result<Expr> {
        let e = self.isolated(|el| el.elab_term_ensuring(t, expected))?;
        Ok(self.instantiate_mvars(e))
    }

    /// Elaborates a term without leaving anything open.
    pub fn elab_term_closed(&mut self, t: &Term, expected: Option<Expr>) -> Result<Expr> {
        let start = self.mctx.decls.len() as u32;
        let e = self.elab_term_synth(t, expected)?;
        self.report_open(e, start, t.span)?;
        Ok(e)
    }

    /// An error if metavariables made since `start` are open in `e`.
    pub fn report_open(&mut self, e: Expr, start: u32, span: Span) -> Result<()> {
        let open: Vec<MVarId> = self
            .collect_mvars(e)
            .into_iter()
            .filter(|m| m.0 >= start)
            .collect();
        let Some(first) = open.first() else {
            return Ok(());
        };
        Err(self.open_mvar_error(*first, span))
    }

    pub(crate) fn open_mvar_error(&mut self, m: MVarId, span: Span) -> ElabError {
        let st = self.st;
        let ty = self.mvar_type(m);
        let shown = self.with_goal(m, |el| el.pp(ty));
        // Which `_` or implicit argument stands for it?
        let me = st.mvar(m.0);
        let find = |el: &mut Self, x: MVarId| {
            let v = st.mvar(x.0);
            let v = el.instantiate_mvars(v);
            v == me || st.app_fn(v) == me
        };
        for (x, s) in self.holes.clone() {
            if find(self, x) {
                return ElabError::new(
                    s,
                    format!("this `_` cannot be found from the context; its type is\n    {shown}"),
                )
                .code("elab.hole");
            }
        }
        for (t, s) in self.binder_types.clone() {
            let v = self.instantiate_mvars(t);
            if v == me || st.app_fn(v) == me {
                return ElabError::new(
                    s,
                    "the type of this binder cannot be found from the context",
                )
                .code("elab.hole");
            }
        }
        for (x, n, f, s) in self.implicit_args.clone() {
            if find(self, x) {
                let fs = self.pp(f);
                return ElabError::new(
                    s,
                    format!(
                        "the implicit argument `{}` of `{fs}` cannot be found; its type is\n    {shown}",
                        st.name_to_string(n)
                    ),
                )
                .code("elab.implicit")
                .help(format!("give it by name: `({} := …)`", st.name_to_string(n)));
            }
        }
        ElabError::new(
            span,
            format!(
                "a part of this term cannot be found from the context; its type is\n    {shown}"
            ),
        )
        .code("elab.open")
    }

    /// For `exact`, `refine`, `apply`: the term and the goals it leaves. Without `allow_holes`, `_`s must be solved; `?_`
    /// always become goals.
    pub fn elab_for_tactic(
        &mut self,
        t: &Term,
        expected: Option<Expr>,
        allow_holes: bool,
    ) -> Result<(Expr, Vec<MVarId>)> {
        let start = self.mctx.decls.len() as u32;
        let named = std::mem::take(&mut self.named_holes);
        let r = self.elab_term_synth(t, expected);
        self.named_holes = named;
        let e = r?;
        let open: Vec<MVarId> = self
            .collect_mvars(e)
            .into_iter()
            .filter(|m| m.0 >= start)
            .collect();
        if !allow_holes
            && let Some(m) = open
                .iter()
                .find(|m| self.mvar_decl(**m).kind == MVarKind::Natural)
        {
            return Err(self.open_mvar_error(*m, t.span));
        }
        let goals = self.order_new_goals(&open);
        for g in &goals {
            self.mctx.decls[g.0 as usize].kind = MVarKind::Opaque;
        }
        Ok((e, goals))
    }
}
