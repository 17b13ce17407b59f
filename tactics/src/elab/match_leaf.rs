//! The leaves of a match: right-hand sides, large literals, cases that cannot occur.

use logic::{BinderInfo, Expr, Name, Node};
use num_traits::ToPrimitive;

use crate::elab::matching::{Compile, Row};
use crate::elab::patterns::PatView;
use crate::meta::{Elab, FVarId, MVarId, Result};
use crate::syntax::ast::Span;
use crate::tactic::cases::cases_core;
use crate::tactic::subst::subst_core;
use crate::tactic::util::FVarSubst;

impl<'b> Elab<'b> {
    /// A literal too large to be taken apart: `if x = lit then … else …`.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn split_literal(
        &mut self,
        c: &mut Compile<'_>,
        goal: MVarId,
        rows: Vec<Row>,
        var: FVarId,
        lit: Expr,
        span: Span,
        subst: FVarSubst,
    ) -> Result<()> {
        let st = self.st;
        let x = st.fvar(var.0);
        let target = self.mvar_type(goal);
        let (g1, g2) = self.with_goal(goal, |el| -> Result<(MVarId, MVarId)> {
            let eq = el.mk_eq(x, lit)?;
            let inst_ty = st.app(st.const0("Decidable"), eq);
            let inst = el.synth_instance(inst_ty).map_err(|e| e.at(span))?;
            let l = el.level_of(target)?;
            let n = el.name("h✝");
            let not = el.mk_not(eq);
            let t1 = st.pi(n, eq, target, BinderInfo::Default);
            let t2 = st.pi(n, not, target, BinderInfo::Default);
            let a = el.mk_goal(t1, Name::ANON);
            let b = el.mk_goal(t2, Name::ANON);
            let f = st.constant(st.name("dite"), &[l]);
            let v = st.apps(f, &[target, eq, inst, st.mvar(a.0), st.mvar(b.0)]);
            el.assign(goal, v);
            Ok((a, b))
        })?;
        let (h, g1) = self.intro(g1, None)?;
        let (s1, g1) = subst_core(self, g1, h, false)?;
        let mut yes = Vec::new();
        for r in &rows {
            let mut r = r.clone();
            for (y, _) in &mut r.cols {
                *y = s1.apply(st, *y);
            }
            for (_, e) in &mut r.binds {
                *e = s1.apply(st, *e);
            }
            yes.push(r);
        }
        let mut s = subst.clone();
        s.then(st, &s1);
        self.compile_rows(c, g1, yes, s)?;
        let (_, g2) = self.intro(g2, None)?;
        let mut no = Vec::new();
        for r in rows {
            let keep = match r.cols.iter().find(|(y, _)| *y == x) {
                Some((_, p)) => {
                    let mut b = Vec::new();
                    let v = self.with_goal(g2, |el| el.view_pattern(p, x, &mut b))?;
                    !matches!(v, PatView::Big(l, _) if l == lit)
                }
                None => true,
            };
            if keep {
                no.push(r);
            }
        }
        self.compile_rows(c, g2, no, subst)
    }

    pub(super) fn leaf_of(
        &mut self,
        c: &mut Compile<'_>,
        goal: MVarId,
        row: &Row,
        subst: &FVarSubst,
    ) -> Result<()> {
        let st = self.st;
        c.used[row.alt] = true;
        let rhs = &c.alts[row.alt].rhs;
        let outer = c.outer.clone();
        let value = self.with_goal(goal, |el| -> Result<Expr> {
            let mut lets = Vec::new();
            let lctx = el.lctx.clone();
            // Names of the outer context that were refined.
            let gone: Vec<FVarId> = outer
                .iter()
                .copied()
                .filter(|x| !lctx.contains(*x))
                .collect();
            for x in &gone {
                let d = el.local(*x);
                if d.aux {
                    continue;
                }
                let v = el.zeta_locals(st.fvar(x.0), &gone);
                let v = subst.apply(st, v);
                if el.collect_fvars(v).iter().any(|y| !lctx.contains(*y)) {
                    continue;
                }
                // Reintroduced under its own name: nothing to do.
                if let Node::FVar(i) = st.node(v)
                    && el.local(FVarId(i)).user_name == d.user_name
                {
                    continue;
                }
                if row.binds.iter().any(|(n, _)| *n == d.user_name) {
                    continue;
                }
                // A field of the same name written in a pattern hides it.
                let ty = el.infer_type(v)?;
                let shadowed = el.find_local(&lctx, d.user_name).is_some();
                if !shadowed {
                    let y = el.push_let(d.user_name, ty, v);
                    lets.push(y);
                }
            }
            for (n, e) in &row.binds {
                let e = el.instantiate_mvars(*e);
                if let Node::FVar(i) = st.node(e)
                    && el.find_local(&el.lctx, *n) == Some(FVarId(i))
                {
                    continue;
                }
                let ty = el.infer_type(e)?;
                let y = el.push_let(*n, ty, e);
                lets.push(y);
            }
            let ty = el.mvar_type(goal);
            let v = el.elab_term_ensuring(rhs, Some(ty))?;
            Ok(el.zeta_abstract(&lets, v))
        })?;
        self.assign(goal, value);
        Ok(())
    }

    /// `e` without the given `let` variables: they are replaced by their values, also in what is still to be elaborated.
    pub(crate) fn zeta_abstract(&mut self, lets: &[Expr], e: Expr) -> Expr {
        if lets.is_empty() {
            return e;
        }
        let e = self.instantiate_mvars(e);
        let e = self.elim_mvar_deps(e, lets);
        let ids: Vec<FVarId> = lets
            .iter()
            .filter_map(|x| match self.st.node(*x) {
                Node::FVar(i) => Some(FVarId(i)),
                _ => None,
            })
            .collect();
        self.zeta_locals(e, &ids)
    }

    /// Whether the context of a goal without rows is absurd (an equation between different constructors).
    pub(super) fn try_close_absurd(&mut self, goal: MVarId) -> bool {
        let lctx = self.mvar_lctx(goal);
        for x in lctx.iter().rev().take(16) {
            let d = self.local(x);
            let ty = self.instantiate_mvars(d.ty);
            // Without constructors, or with indices that none of them has.
            let candidate = self
                .get_inductive_app(ty)
                .is_some_and(|(i, _, _, _)| i.ctors.is_empty() || i.num_indices > 0);
            if candidate && d.value.is_none() {
                let s = self.save();
                if let Ok(g) = cases_core(self, goal, x, &|_, infos| vec![None; infos.len()])
                    && g.is_empty()
                {
                    return true;
                }
                self.restore(&s);
            }
        }
        let s = self.save();
        if matches!(crate::tactic::contradiction::contradiction(self, goal), Ok(g) if g.is_empty())
        {
            return true;
        }
        self.restore(&s);
        false
    }

    /// The value of a literal small enough to be matched successor by successor.
    pub(crate) fn small_literal(n: &num_bigint::BigUint) -> Option<u32> {
        n.to_u32().filter(|k| *k <= 8)
    }
}
