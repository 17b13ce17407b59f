//! Goals: the primitive steps on metavariables that tactics are made of.

use logic::{BinderInfo, Expr, Name, Node};

use super::{Elab, ElabError, FVarId, MVarId, MVarKind, Result};

impl<'b> Elab<'b> {
    /// Runs `f` in the context of a goal.
    pub fn with_goal<R>(&mut self, m: MVarId, f: impl FnOnce(&mut Self) -> R) -> R {
        let lctx = self.mvar_lctx(m);
        self.with_lctx(lctx, f)
    }

    /// Assigns a goal after checking that the types agree.
    pub fn assign_checked(&mut self, m: MVarId, e: Expr) -> Result<()> {
        let ty = self.mvar_type(m);
        self.with_goal(m, |el| {
            let et = el.infer_type(e)?;
            if !el.is_defeq(ty, et) {
                return Err(el.type_mismatch(e, et, ty));
            }
            Ok(())
        })?;
        self.assign(m, e);
        Ok(())
    }

    /// A goal `∀ x, p` (or `let x := v; p`) becomes `p` with `x` in its context.
    pub fn intro(&mut self, m: MVarId, name: Option<Name>) -> Result<(FVarId, MVarId)> {
        let st = self.st;
        let ty = self.mvar_type(m);
        let decl = self.mvar_decl(m).clone();
        let mut w = ty;
        if !matches!(st.node(w), Node::Pi(..) | Node::Let(..)) {
            w = self.with_goal(m, |el| el.whnf(ty));
        }
        let (n, t, v, b, bi) = match st.node(w) {
            Node::Pi(n, t, b, bi) => (n, t, None, b, bi),
            Node::Let(n, t, v, b) => (n, t, Some(v), b, BinderInfo::Default),
            _ => {
                return Err(ElabError::msg(
                    "there is nothing to introduce: the goal is no `∀`, `→` or `let`",
                )
                .code("tactic.intro")
                .goal_text(self.pp_goal(m)));
            }
        };
        let user = name.unwrap_or_else(|| self.inaccessible(n));
        let bi = if bi == BinderInfo::InstImplicit {
            bi
        } else {
            BinderInfo::Default
        };
        let x = self.new_local(user, t, v, bi);
        let mut lctx = decl.lctx;
        lctx.push(x);
        self.steps += lctx.len() as u64;
        let xe = st.fvar(x.0);
        let body = st.instantiate1(b, xe);
        let body = self.head_beta(body);
        let g = self.new_mvar(lctx, body, decl.user_name, MVarKind::Opaque);
        let ge = self.mk_mvar(g);
        let value = self.mk_lambda(&[xe], ge);
        self.assign(m, value);
        Ok((x, g))
    }

    /// Several `intro`s; names that are missing are inaccessible.
    pub fn intro_n(
        &mut self,
        m: MVarId,
        n: usize,
        names: &[Name],
    ) -> Result<(Vec<FVarId>, MVarId)> {
        let mut xs = Vec::new();
        let mut g = m;
        for i in 0..n {
            let name = names.get(i).copied().filter(|n| !n.is_anon());
            let (x, g2) = self.intro(g, name)?;
            xs.push(x);
            g = g2;
        }
        Ok((xs, g))
    }

    /// Variables of a context that are among `ids` or depend on them, in order.
    pub fn with_dependents(&mut self, m: MVarId, ids: &[FVarId]) -> Vec<FVarId> {
        let lctx = self.mvar_lctx(m);
        let mut out: Vec<FVarId> = Vec::new();
        for i in lctx.iter() {
            let d = self.local(i);
            // The function under definition stays: its type may mention anything around it.
            if d.aux && !ids.contains(&i) {
                continue;
            }
            let ty = self.instantiate_mvars(d.ty);
            let dep = ids.contains(&i)
                || self.occurs_fvar(ty, &out)
                || match d.value {
                    Some(v) => {
                        let v = self.instantiate_mvars(v);
                        self.occurs_fvar(v, &out)
                    }
                    None => false,
                };
            if dep {
                out.push(i);
            }
        }
        out
    }

    /// Moves variables (and what depends on them) from the context into the goal. Returns them in order.
    pub fn revert(&mut self, m: MVarId, ids: &[FVarId]) -> Result<(Vec<FVarId>, MVarId)> {
        let st = self.st;
        if ids.is_empty() {
            return Ok((Vec::new(), m));
        }
        let out = self.with_dependents(m, ids);
        let decl = self.mvar_decl(m).clone();
        let xs: Vec<Expr> = out.iter().map(|i| st.fvar(i.0)).collect();
        let ty = self.instantiate_mvars(decl.ty);
        let new_ty = self.mk_pi_keeping_lets(&xs, ty);
        let lctx = decl.lctx.without(&out);
        let g = self.new_mvar(lctx, new_ty, decl.user_name, MVarKind::Opaque);
        let args: Vec<Expr> = out
            .iter()
            .filter(|i| self.local(**i).value.is_none())
            .map(|i| st.fvar(i.0))
            .collect();
        let v = st.apps(st.mvar(g.0), &args);
        self.assign(m, v);
        Ok((out, g))
    }

    /// Removes a variable that nothing depends on.
    pub fn clear(&mut self, m: MVarId, x: FVarId) -> Result<MVarId> {
        let decl = self.mvar_decl(m).clone();
        if !decl.lctx.contains(x) {
            return Ok(m);
        }
        let name = self.st.name_to_string(self.local(x).user_name);
        let ty = self.instantiate_mvars(decl.ty);
        if self.occurs_fvar(ty, &[x]) {
            return Err(ElabError::msg(format!(
                "`{name}` cannot be cleared: the goal depends on it"
            )));
        }
        let deps = self.with_dependents(m, &[x]);
        if let Some(d) = deps.iter().find(|d| **d != x) {
            let other = self.st.name_to_string(self.local(*d).user_name);
            return Err(ElabError::msg(format!(
                "`{name}` cannot be cleared: `{other}` depends on it"
            )));
        }
        let g = self.new_mvar(
            decl.lctx.without(&[x]),
            ty,
            decl.user_name,
            MVarKind::Opaque,
        );
        let ge = self.mk_mvar(g);
        self.assign(m, ge);
        Ok(g)
    }

    /// Clears what can be cleared of some variables, the last first.
    pub fn try_clear_many(&mut self, m: MVarId, xs: &[FVarId]) -> MVarId {
        let mut g = m;
        for x in xs.iter().rev() {
            if let Ok(g2) = self.clear(g, *x) {
                g = g2;
            }
        }
        g
    }

    /// Adds a hypothesis `name : ty` with its proof to a goal.
    pub fn assert(
        &mut self,
        m: MVarId,
        name: Name,
        ty: Expr,
        proof: Expr,
    ) -> Result<(FVarId, MVarId)> {
        let st = self.st;
        let decl = self.mvar_decl(m).clone();
        let x = self.new_local(name, ty, None, BinderInfo::Default);
        let mut lctx = decl.lctx.clone();
        lctx.push(x);
        // A new context costs as much as it is long.
        self.steps += lctx.len() as u64;
        let gty = self.instantiate_mvars(decl.ty);
        let g = self.new_mvar(lctx, gty, decl.user_name, MVarKind::Opaque);
        let xe = st.fvar(x.0);
        let ge = self.mk_mvar(g);
        let f = self.mk_lambda(&[xe], ge);
        self.assign(m, st.app(f, proof));
        Ok((x, g))
    }

    /// Adds a local definition to a goal.
    pub fn define(
        &mut self,
        m: MVarId,
        name: Name,
        ty: Expr,
        value: Expr,
    ) -> Result<(FVarId, MVarId)> {
        let decl = self.mvar_decl(m).clone();
        let x = self.new_local(name, ty, Some(value), BinderInfo::Default);
        let mut lctx = decl.lctx.clone();
        lctx.push(x);
        // A new context costs as much as it is long.
        self.steps += lctx.len() as u64;
        let gty = self.instantiate_mvars(decl.ty);
        let g = self.new_mvar(lctx, gty, decl.user_name, MVarKind::Opaque);
        let ge = self.mk_mvar(g);
        let xe = self.mk_fvar(x);
        let v = self.mk_lambda(&[xe], ge);
        self.assign(m, v);
        Ok((x, g))
    }

    /// The goal with a definitionally equal type; `ty` is not checked here.
    pub fn change_goal(&mut self, m: MVarId, ty: Expr) -> Result<MVarId> {
        let decl = self.mvar_decl(m).clone();
        let g = self.new_mvar(decl.lctx, ty, decl.user_name, MVarKind::Opaque);
        let ge = self.mk_mvar(g);
        self.assign(m, ge);
        Ok(g)
    }

    /// The goal proved from another proposition: `m := Eq.mpr (h : old = new) ?g`.
    pub fn replace_goal_eq(&mut self, m: MVarId, new_ty: Expr, h: Expr) -> Result<MVarId> {
        let decl = self.mvar_decl(m).clone();
        let g = self.new_mvar(decl.lctx, new_ty, decl.user_name, MVarKind::Opaque);
        let ge = self.mk_mvar(g);
        let v = self.with_goal(m, |el| el.mk_eq_mpr(h, ge))?;
        self.assign(m, v);
        Ok(g)
    }

    /// Replaces hypothesis `x` by one of the same name with type `new_ty` and the given proof; the old one is cleared if
    /// nothing depends on it.
    pub fn replace_local(
        &mut self,
        m: MVarId,
        x: FVarId,
        new_ty: Expr,
        proof: Expr,
    ) -> Result<(FVarId, MVarId)> {
        let name = self.local(x).user_name;
        let (y, g) = self.assert(m, name, new_ty, proof)?;
        let g2 = self.clear(g, x).unwrap_or(g);
        Ok((y, g2))
    }

    /// `apply e`: new goals for the arguments that unification leaves open, in order (those that others depend on last).
    pub fn apply_term(&mut self, m: MVarId, e: Expr) -> Result<Vec<MVarId>> {
        self.with_goal(m, |el| el.apply_in(m, e))
    }

    fn apply_in(&mut self, m: MVarId, e: Expr) -> Result<Vec<MVarId>> {
        let st = self.st;
        let goal_ty = self.mvar_type(m);
        let ety = self.infer_type(e)?;
        let ety = self.instantiate_mvars(ety);
        // How many arguments: try the difference in arity first, then more, then fewer.
        let (total, _) = {
            let s = self.save();
            let (ms, _, _) = self.forall_mvar_telescope(ety, Some(64));
            let n = ms.len();
            self.restore(&s);
            (n, ())
        };
        let goal_arity = {
            let mut n = 0;
            let mut t = goal_ty;
            while let Node::Pi(_, _, b, _) = st.node(t) {
                n += 1;
                t = b;
            }
            n
        };
        let first = total.saturating_sub(goal_arity);
        let mut tries: Vec<usize> = (first..=total).collect();
        tries.extend((0..first).rev());
        let mut shown: Option<Expr> = None;
        for n in tries {
            let s = self.save();
            let (ms, bis, res) = self.forall_mvar_telescope(ety, Some(n));
            if self.is_defeq(goal_ty, res) {
                let args: Vec<Expr> = ms.iter().map(|x| st.mvar(x.0)).collect();
                let v = st.apps(e, &args);
                // Instances are looked for, the rest become goals.
                for (x, bi) in ms.iter().zip(&bis) {
                    if *bi == BinderInfo::InstImplicit && !self.is_assigned(*x) {
                        let ty = self.mvar_type(*x);
                        let inst = self.synth_instance(ty)?;
                        self.assign(*x, inst);
                    }
                }
                self.assign(m, v);
                let open: Vec<MVarId> = ms
                    .iter()
                    .copied()
                    .filter(|x| !self.is_assigned(*x))
                    .collect();
                return Ok(self.order_new_goals(&open));
            }
            if shown.is_none() {
                shown = Some(self.instantiate_mvars(res));
            }
            self.restore(&s);
        }
        let ety = self.pp(ety);
        let g = self.pp(goal_ty);
        let es = self.pp_short(e);
        Err(ElabError::msg(format!(
            "cannot apply `{es}`: its conclusion does not unify with the goal\n    {g}\nit has type\n    {ety}"
        ))
        .code("tactic.apply")
        .goal_text(self.pp_goal(m)))
    }

    /// Makes goals of natural metavariables; those that other goals' types mention come last.
    pub fn order_new_goals(&mut self, open: &[MVarId]) -> Vec<MVarId> {
        let mut dependent: Vec<MVarId> = Vec::new();
        let mut plain: Vec<MVarId> = Vec::new();
        let types: Vec<Expr> = open.iter().map(|x| self.mvar_type(*x)).collect();
        for x in open {
            let xe = self.mk_mvar(*x);
            let mentioned = types.iter().any(|t| self.occurs_mvar(*t, xe));
            if mentioned {
                dependent.push(*x);
            } else {
                plain.push(*x);
            }
        }
        for x in plain.iter() {
            self.mctx.decls[x.0 as usize].kind = MVarKind::Opaque;
        }
        plain.extend(dependent);
        plain
    }

    fn occurs_mvar(&self, e: Expr, m: Expr) -> bool {
        let st = self.st;
        if !st.has_mvar(e) {
            return false;
        }
        let mut found = false;
        st.replace(e, |x, _| {
            if found || !st.has_mvar(x) {
                return Some(x);
            }
            if x == m {
                found = true;
            }
            None
        });
        found
    }

    /// A user name not yet used in a context.
    pub fn fresh_user_name(&mut self, base: &str) -> Name {
        let n = self.st.name(base);
        if self.find_local(&self.lctx, n).is_none() {
            return n;
        }
        let mut i = 1;
        loop {
            let n = self.st.name_str(Name::ANON, &format!("{base}_{i}"));
            if self.find_local(&self.lctx, n).is_none() {
                return n;
            }
            i += 1;
        }
    }
}
