//! Structural recursion, compiled to `T.brecOn`.
//!
//! The body is elaborated with the function as a variable. Then each recursive call is replaced by a component of the
//! value of type `T.below t` that is at hand: every `casesOn` on the way to the call refines that value with its scrutinee.

use logic::{BinderInfo, Expr, Level, Name, Node};
use rustc_hash::FxHashMap;

use crate::meta::{Elab, ElabError, FVarId, Result};
use crate::syntax::ast::{Span, Termination};

/// A recursive definition after compilation.
pub(crate) struct Compiled {
    /// The closed value.
    pub value: Expr,
    /// The body (open) that still calls the function by its variable.
    pub smart: Expr,
    /// The position of the decreasing argument; none for recursion by a measure.
    pub rec_arg: Option<usize>,
}

/// What the replacement of calls needs to know.
pub(super) struct Rec<'a, 'b> {
    pub f: Expr,
    /// All arguments of the function.
    pub ps: &'a [Expr],
    pub fixed: usize,
    /// The position of the decreasing argument.
    pub major: usize,
    /// Positions of the other varying arguments.
    pub others: Vec<usize>,
    /// The variable for the motive.
    pub motive: Expr,
    pub ind: Name,
    /// `T.below params motive`.
    pub below: Expr,
    pub below_level: Level,
    pub params: Vec<Expr>,
    pub levels: &'b [Level],
    pub has_f: FxHashMap<Expr, bool>,
}

impl<'b> Elab<'b> {
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn compile_recursion(
        &mut self,
        name: Name,
        f: FVarId,
        vars: &[Expr],
        xs: &[Expr],
        body: Expr,
        ty: Expr,
        hint: Option<&Termination>,
        span: Span,
    ) -> Result<Compiled> {
        let fe = self.mk_fvar(f);
        let saved = self.lctx.clone();
        let r = self.compile_rec_go(name, fe, vars, xs, body, ty, hint, span);
        self.lctx = saved;
        r
    }

    #[allow(clippy::too_many_arguments)]
    fn compile_rec_go(
        &mut self,
        name: Name,
        f: Expr,
        vars: &[Expr],
        xs: &[Expr],
        body: Expr,
        ty: Expr,
        hint: Option<&Termination>,
        span: Span,
    ) -> Result<Compiled> {
        let st = self.st;
        // All arguments: those before the colon, then the leading `fun`s.
        let mut ps: Vec<Expr> = xs.to_vec();
        let mut cur = self.instantiate_mvars(body);
        let mut res_ty = ty;
        while let Node::Lam(n, t, b, bi) = st.node(cur) {
            let x = self.push_local(n, t, bi);
            let w = match st.node(res_ty) {
                Node::Pi(..) => res_ty,
                _ => self.whnf(res_ty),
            };
            let Node::Pi(_, _, tb, _) = st.node(w) else {
                break;
            };
            res_ty = st.instantiate1(tb, x);
            cur = st.instantiate1(b, x);
            ps.push(x);
        }
        let calls = self.collect_calls(cur, f);
        let fixed = (0..ps.len())
            .take_while(|i| calls.iter().all(|c| c.get(*i) == Some(&ps[*i])))
            .count();
        let mut order: Vec<usize> = (0..ps.len()).collect();
        if let Some(h) = hint {
            if !h.structural {
                // An argument that gets structurally smaller is better: calls compute.
                let named = self.hinted_argument(h, &ps);
                if let Some(i) = named.filter(|_| h.decreasing_by.is_none()) {
                    let s = self.save();
                    if let Ok(Some(value)) = self.recurse_on(i, f, vars, &ps, fixed, cur, res_ty) {
                        return Ok(Compiled {
                            value,
                            smart: body,
                            rec_arg: Some(vars.len() + i),
                        });
                    }
                    self.restore(&s);
                }
                let value = self.recurse_by_measure(f, (vars, &ps, fixed), cur, res_ty, h, span)?;
                return Ok(Compiled {
                    value,
                    smart: body,
                    rec_arg: None,
                });
            } else if let Some(i) = self.hinted_argument(h, &ps) {
                order = vec![i];
            }
        }
        let mut notes = Vec::new();
        for i in order {
            let s = self.save();
            match self.recurse_on(i, f, vars, &ps, fixed, cur, res_ty) {
                Ok(Some(value)) => {
                    return Ok(Compiled {
                        value,
                        smart: body,
                        rec_arg: Some(vars.len() + i),
                    });
                }
                Ok(None) => self.restore(&s),
                Err(e) => {
                    self.restore(&s);
                    let p = self.pp(ps[i]);
                    notes.push(format!("not on `{p}`: {}", e.message()));
                }
            }
        }
        let n = st.name_to_string(name);
        let mut e = ElabError::new(
            span,
            format!("`{n}` calls itself, and no argument is structurally smaller in every call"),
        )
        .code("decl.recursion")
        .help("match on the argument that gets smaller, and call with its parts")
        .help("or state a natural number that gets smaller in each call, below the definition: `termination_by e` (the book, The script language, Recursion)");
        for x in notes {
            e = e.note(x);
        }
        Err(e)
    }

    fn hinted_argument(&self, h: &Termination, ps: &[Expr]) -> Option<usize> {
        use crate::syntax::ast::TermKind;
        let m = h.measure.as_ref()?;
        let TermKind::Ident { id, .. } = &m.kind else {
            return None;
        };
        let n = self.ident_name(id);
        if let Some(k) = h
            .vars
            .iter()
            .position(|v| v.name.as_ref().is_some_and(|x| self.ident_name(x) == n))
        {
            return Some(ps.len().checked_sub(h.vars.len())? + k);
        }
        ps.iter().position(|p| self.user_name_of(*p) == n)
    }

    /// The argument lists of all occurrences of `f`; arguments may contain loose bound variables.
    fn collect_calls(&self, e: Expr, f: Expr) -> Vec<Vec<Expr>> {
        let st = self.st;
        let mut out = Vec::new();
        st.replace(e, |x, _| {
            if !st.has_fvar(x) {
                return Some(x);
            }
            if x == f {
                out.push(Vec::new());
                return Some(x);
            }
            if st.app_fn(x) == f && x != f {
                let (_, args) = st.unfold_app(x);
                for a in &args {
                    out.extend(self.collect_calls(*a, f));
                }
                out.push(args);
                return Some(x);
            }
            None
        });
        out
    }

    #[allow(clippy::too_many_arguments)]
    fn recurse_on(
        &mut self,
        i: usize,
        f: Expr,
        vars: &[Expr],
        ps: &[Expr],
        fixed: usize,
        body: Expr,
        res_ty: Expr,
    ) -> Result<Option<Expr>> {
        let st = self.st;
        let pty = self.infer_type(ps[i])?;
        let Some((info, levels, params, indices)) = self.get_inductive_app(pty) else {
            return Ok(None);
        };
        let ind = info.sig.name;
        let brec = st.name_str(ind, "brecOn");
        if self.env.get(brec).is_none() {
            if info.is_recursive {
                return Err(ElabError::msg(
                    "its type is a proposition that only proves propositions: use `induction`",
                ));
            }
            return Ok(None);
        }
        // Indices must be other arguments, all different.
        let mut idx = Vec::new();
        for e in &indices {
            match ps.iter().position(|p| p == e) {
                Some(k) if !idx.contains(&k) => idx.push(k),
                _ => return Err(ElabError::msg("the indices of its type are not variables")),
            }
        }
        let fixed = fixed.min(i).min(idx.iter().copied().min().unwrap_or(i));
        let others: Vec<usize> = (fixed..ps.len())
            .filter(|k| *k != i && !idx.contains(k))
            .collect();
        // The types of the decreasing argument and its indices must not depend on what varies besides.
        let other_ids: Vec<FVarId> = others
            .iter()
            .filter_map(|k| match st.node(ps[*k]) {
                Node::FVar(j) => Some(FVarId(j)),
                _ => None,
            })
            .collect();
        for k in idx.iter().chain([&i]) {
            let t = self.infer_type(ps[*k])?;
            if self.occurs_fvar(t, &other_ids) {
                return Err(ElabError::msg(
                    "its type depends on an argument that varies as well",
                ));
            }
        }
        let mut targets: Vec<Expr> = idx.iter().map(|k| ps[*k]).collect();
        targets.push(ps[i]);
        let other_vars: Vec<Expr> = others.iter().map(|k| ps[*k]).collect();
        let motive_body = self.mk_pi(&other_vars, res_ty);
        let v = self.level_of(motive_body)?;
        let v = self.level_simp(v);
        let motive = self.mk_lambda_explicit(&targets, motive_body);
        // A variable stands for the motive while calls are replaced.
        let sort = st.sort(v);
        let mv_ty = self.mk_pi(&targets, sort);
        let mv = self.push_local(st.name("motive"), mv_ty, BinderInfo::Default);
        let mut ls = vec![v];
        ls.extend_from_slice(levels);
        let below = st.apps(st.constant(st.name_str(ind, "below"), &ls), &params);
        let below = st.app(below, mv);
        let below_ty = st.apps(below, &targets);
        let b = self.push_local(st.name("f"), below_ty, BinderInfo::Default);
        let v1 = self.level_max(st.level_nat(1), v);
        let mut rec = Rec {
            f,
            ps,
            fixed,
            major: i,
            others,
            motive: mv,
            ind,
            below,
            below_level: v1,
            params: params.clone(),
            levels,
            has_f: FxHashMap::default(),
        };
        let new_body = self.replace_calls(&mut rec, body, &[b])?;
        if self.occurs_fvar(new_body, &self.fvar_of(f)) {
            return Err(ElabError::msg("a call is not fully applied"));
        }
        let mut binders = targets.clone();
        binders.push(b);
        binders.extend_from_slice(&other_vars);
        let functional = self.mk_lambda_explicit(&binders, new_body);
        let mut e = st.apps(st.constant(brec, &ls), &params);
        e = st.app(e, mv);
        e = st.apps(e, &targets);
        e = st.app(e, functional);
        e = st.apps(e, &other_vars);
        // Now the motive itself.
        let e = st.replace(e, |x, _| {
            if !st.has_fvar(x) {
                return Some(x);
            }
            if x == mv {
                return Some(motive);
            }
            None
        });
        let e = self.beta_motive(e, motive);
        let mut all = vars.to_vec();
        all.extend_from_slice(ps);
        Ok(Some(self.mk_lambda(&all, e)))
    }
}
