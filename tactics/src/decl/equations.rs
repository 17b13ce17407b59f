//! Equation theorems: `f.eq_1`, … say what a definition computes, one for each leaf of its matches, proved by `rfl`.

use logic::{BinderInfo, ConstantInfo, Declaration, Expr, Name, Node, Signature};

use crate::meta::{Elab, ElabError, FVarId, Result};

impl<'b> Elab<'b> {
    /// The names of the equation theorems of a definition; they are made on first use.
    pub fn equations_of(&mut self, name: Name) -> Result<Vec<Name>> {
        if let Some(eqs) = self.ext.equations.get(&name)
            && eqs.iter().all(|e| self.env.get(*e).is_some())
        {
            return Ok(eqs.clone());
        }
        let st = self.st;
        let Some(ConstantInfo::Definition { sig, value, .. }) = self.env.get(name) else {
            return Err(ElabError::msg(format!(
                "`{}` is no definition",
                st.name_to_string(name)
            )));
        };
        let params = sig.univ_params.clone();
        let value = *value;
        let by_measure = self.ext.well_founded.get(&name).copied();
        let smart = self.ext.smart.get(&name).copied();
        let value = by_measure.or(smart).unwrap_or(value);
        let eq_def = match by_measure {
            Some(_) => crate::tactic::unfold::eq_def(self, name)?,
            None => None,
        };
        let levels: Vec<_> = params.iter().map(|n| st.level_param(*n)).collect();
        let head = st.constant(name, &levels);
        let saved = self.lctx.clone();
        self.lctx = crate::meta::LCtx::default();
        let mut found: Vec<(Expr, Expr)> = Vec::new();
        let r = self.equation_leaves(head, value, &mut found);
        self.lctx = saved;
        r?;
        let mut names = Vec::new();
        for (k, (ty, proof)) in found.into_iter().enumerate() {
            let proof = match eq_def {
                Some(n) => self.leaf_by_equation(st.constant(n, &levels), ty),
                None => proof,
            };
            let n = st.name_str(name, &format!("eq_{}", k + 1));
            if self.env.get(n).is_none() {
                let d = Declaration::Theorem {
                    sig: Signature {
                        name: n,
                        univ_params: params.clone(),
                        ty,
                    },
                    value: proof,
                };
                // An equation that does not hold by computation is left out.
                if self.env.add(d).is_err() {
                    continue;
                }
                self.register_name(n);
            }
            names.push(n);
        }
        self.ext.equations.insert(name, names.clone());
        Ok(names)
    }

    /// A proof of an equation of one case by the equation of the whole function.
    fn leaf_by_equation(&mut self, eq_def: Expr, ty: Expr) -> Expr {
        let st = self.st;
        let mut binders = Vec::new();
        let mut cur = ty;
        while let Node::Pi(n, t, b, bi) = st.node(cur) {
            binders.push((n, t, bi));
            cur = b;
        }
        let args = match self.match_eq(cur) {
            Some((_, lhs, _)) => st.unfold_app(lhs).1.to_vec(),
            None => Vec::new(),
        };
        let body = st.apps(eq_def, &args);
        binders
            .into_iter()
            .rev()
            .fold(body, |b, (n, t, bi)| st.lam(n, t, b, bi))
    }

    /// Opens the arguments of a definition and collects the equations of its body.
    fn equation_leaves(
        &mut self,
        head: Expr,
        value: Expr,
        out: &mut Vec<(Expr, Expr)>,
    ) -> Result<()> {
        let st = self.st;
        let mut xs = Vec::new();
        let mut cur = value;
        while let Node::Lam(n, t, b, bi) = st.node(cur) {
            let x = self.push_local(n, t, bi);
            xs.push(x);
            cur = st.instantiate1(b, x);
        }
        let lhs = st.apps(head, &xs);
        self.leaves(&xs, lhs, cur, out, 0)
    }

    fn leaves(
        &mut self,
        xs: &[Expr],
        lhs: Expr,
        body: Expr,
        out: &mut Vec<(Expr, Expr)>,
        depth: u32,
    ) -> Result<()> {
        let st = self.st;
        let body = self.head_beta(body);
        let (h, args) = st.unfold_app(body);
        if depth < 64
            && let Node::Const(c, _) = st.node(h)
            && let Some(info) = self.cases_on_info(c)
            && args.len() >= info.arity()
            && let Node::FVar(_) = st.node(args[info.major()])
            && xs.contains(&args[info.major()])
            && let Some(cases) = self.split_leaf(xs, info, &args)?
        {
            for (ys, from, to) in cases {
                let lhs2 = self.subst_all(lhs, &from, &to);
                let body2 = self.subst_all(body, &from, &to);
                let body2 = self.whnf_core_cases(body2);
                self.leaves(&ys, lhs2, body2, out, depth + 1)?;
            }
            return Ok(());
        }
        let eq = self.mk_eq(lhs, body)?;
        let refl = self.mk_eq_refl(lhs)?;
        let ty = self.mk_pi(xs, eq);
        let proof = self.mk_lambda(xs, refl);
        out.push((ty, proof));
        Ok(())
    }

    pub(crate) fn subst_all(&self, e: Expr, from: &[Expr], to: &[Expr]) -> Expr {
        let st = self.st;
        let abs = st.abstract_fvars(e, from);
        st.instantiate_rev(abs, to)
    }

    /// Reduces the one `casesOn` at the head.
    fn whnf_core_cases(&mut self, e: Expr) -> Expr {
        let (h, args) = self.st.unfold_app(e);
        if let Node::Const(c, ls) = self.st.node(h)
            && self.cases_on_info(c).is_some()
            && let Some(r) = self.reduce_const_app(c, ls, &args)
        {
            return r;
        }
        e
    }

    /// For each constructor of the scrutinee: the new variables, and what replaces the old ones. `None` if its indices are not
    /// variables.
    #[allow(clippy::type_complexity)]
    fn split_leaf(
        &mut self,
        xs: &[Expr],
        info: crate::meta::whnf::CasesOnInfo,
        args: &[Expr],
    ) -> Result<Option<Vec<(Vec<Expr>, Vec<Expr>, Vec<Expr>)>>> {
        let st = self.st;
        let major = args[info.major()];
        let ty = self.infer_type(major)?;
        let Some((ind, levels, params, indices)) = self.get_inductive_app(ty) else {
            return Ok(None);
        };
        let mut seen = Vec::new();
        for i in &indices {
            if !xs.contains(i) || seen.contains(i) || params.contains(i) {
                return Ok(None);
            }
            seen.push(*i);
        }
        let mut out = Vec::new();
        for c in &ind.ctors {
            let cty = self.const_type(*c, levels)?;
            let cty = self.instantiate_forall(cty, &params, cty)?;
            let (fields, res) = self.open_foralls(cty, None, true);
            for f in &fields {
                if let Node::FVar(i) = st.node(*f) {
                    self.locals[i as usize].bi = BinderInfo::Default;
                }
            }
            let res = self.whnf(res);
            let (_, rargs) = st.unfold_app(res);
            let value = st.apps(st.apps(st.constant(*c, levels), &params), &fields);
            let mut from: Vec<Expr> = vec![major];
            let mut to: Vec<Expr> = vec![value];
            for (i, r) in indices.iter().zip(&rargs[params.len().min(rargs.len())..]) {
                from.push(*i);
                to.push(*r);
            }
            // Where the fields go: in the place of the scrutinee; later variables get new types.
            let mut ys: Vec<Expr> = Vec::new();
            for x in xs {
                if *x == major {
                    ys.extend_from_slice(&fields);
                    continue;
                }
                if indices.contains(x) {
                    continue;
                }
                let Node::FVar(i) = st.node(*x) else { continue };
                let d = self.local(FVarId(i));
                let ids: Vec<FVarId> = from
                    .iter()
                    .filter_map(|e| match st.node(*e) {
                        Node::FVar(j) => Some(FVarId(j)),
                        _ => None,
                    })
                    .collect();
                if self.occurs_fvar(d.ty, &ids) {
                    let t = self.subst_all(d.ty, &from, &to);
                    let y = self.push_local(d.user_name, t, d.bi);
                    from.push(*x);
                    to.push(y);
                    ys.push(y);
                } else {
                    ys.push(*x);
                }
            }
            out.push((ys, from, to));
        }
        Ok(Some(out))
    }
}
