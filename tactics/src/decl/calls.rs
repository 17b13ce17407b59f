//! Replacing recursive calls by components of the values at hand (`T.below`).

use logic::{BinderInfo, ConstantInfo, Expr, Level, Name, Node};

use crate::decl::branches::Branch;
use crate::decl::recursion::Rec;
use crate::meta::{Elab, ElabError, FVarId, Result};

impl<'b> Elab<'b> {
    pub(super) fn fvar_of(&self, e: Expr) -> Vec<FVarId> {
        match self.st.node(e) {
            Node::FVar(i) => vec![FVarId(i)],
            _ => Vec::new(),
        }
    }

    /// Beta-reduces applications of the motive that was put in.
    pub(super) fn beta_motive(&self, e: Expr, motive: Expr) -> Expr {
        let st = self.st;
        st.replace(e, |x, _| {
            if matches!(st.node(x), Node::App(..)) && st.app_fn(x) == motive {
                let (_, args) = st.unfold_app(x);
                let args: Vec<Expr> = args.iter().map(|a| self.beta_motive(*a, motive)).collect();
                return Some(self.beta(motive, &args));
            }
            None
        })
    }

    fn contains_f(&self, rec: &mut Rec<'_, 'b>, e: Expr) -> bool {
        let st = self.st;
        if !st.has_fvar(e) {
            return false;
        }
        if let Some(r) = rec.has_f.get(&e) {
            return *r;
        }
        let r = logic::subst::with_stack(|| {
            e == rec.f
                || match st.node(e) {
                    Node::App(a, b) => self.contains_f(rec, a) || self.contains_f(rec, b),
                    Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => {
                        self.contains_f(rec, t) || self.contains_f(rec, b)
                    }
                    Node::Let(_, t, v, b) => {
                        self.contains_f(rec, t)
                            || self.contains_f(rec, v)
                            || self.contains_f(rec, b)
                    }
                    Node::Proj(_, _, x) => self.contains_f(rec, x),
                    _ => false,
                }
        });
        rec.has_f.insert(e, r);
        r
    }

    pub(super) fn replace_calls(
        &mut self,
        rec: &mut Rec<'_, 'b>,
        e: Expr,
        belows: &[Expr],
    ) -> Result<Expr> {
        if !self.contains_f(rec, e) {
            return Ok(e);
        }
        if !self.tick() {
            return Err(self.out_of_steps());
        }
        logic::subst::with_stack(|| self.replace_calls_go(rec, e, belows))
    }

    fn replace_calls_go(
        &mut self,
        rec: &mut Rec<'_, 'b>,
        e: Expr,
        belows: &[Expr],
    ) -> Result<Expr> {
        let st = self.st;
        match st.node(e) {
            Node::App(..) => {
                let (h, args) = st.unfold_app(e);
                if h == rec.f {
                    return self.replace_call(rec, &args, belows);
                }
                if let Node::Const(c, ls) = st.node(h)
                    && let Some(info) = self.cases_on_info(c)
                    && info.ind == rec.ind
                    && args.len() >= info.arity()
                    && args[info.first_minor()..]
                        .iter()
                        .any(|m| self.contains_f(rec, *m))
                    && let Some(b) = self.find_below(rec, args[info.major()], belows)
                {
                    return self.refine_cases(rec, c, ls, info, &args, b, belows);
                }
                let h = self.replace_calls(rec, h, belows)?;
                let mut out = Vec::new();
                for a in args {
                    out.push(self.replace_calls(rec, a, belows)?);
                }
                Ok(st.apps(h, &out))
            }
            Node::Lam(n, t, b, bi) => {
                let t = self.replace_calls(rec, t, belows)?;
                self.with_lctx_saved(|el| {
                    let x = el.push_local(n, t, bi);
                    let b = el.replace_calls(rec, st.instantiate1(b, x), belows)?;
                    Ok(el.mk_lambda(&[x], b))
                })
            }
            Node::Pi(n, t, b, bi) => {
                let t = self.replace_calls(rec, t, belows)?;
                self.with_lctx_saved(|el| {
                    let x = el.push_local(n, t, bi);
                    let b = el.replace_calls(rec, st.instantiate1(b, x), belows)?;
                    Ok(el.mk_pi(&[x], b))
                })
            }
            Node::Let(n, t, v, b) => {
                let t = self.replace_calls(rec, t, belows)?;
                let v = self.replace_calls(rec, v, belows)?;
                self.with_lctx_saved(|el| {
                    let x = el.push_let(n, t, v);
                    let b = el.replace_calls(rec, st.instantiate1(b, x), belows)?;
                    Ok(el.mk_lambda(&[x], b))
                })
            }
            Node::Proj(s, i, x) => {
                let x = self.replace_calls(rec, x, belows)?;
                Ok(st.proj(s, i, x))
            }
            _ => Err(ElabError::msg("the function is used without arguments")),
        }
    }

    fn replace_call(
        &mut self,
        rec: &mut Rec<'_, 'b>,
        args: &[Expr],
        belows: &[Expr],
    ) -> Result<Expr> {
        let st = self.st;
        if args.len() < rec.ps.len() {
            return Err(ElabError::msg("a call is not fully applied"));
        }
        let mut out = Vec::new();
        for a in args {
            out.push(self.replace_calls(rec, *a, belows)?);
        }
        for (k, a) in out.iter().enumerate().take(rec.fixed) {
            if *a != rec.ps[k] && !self.with_no_assign(|el| el.is_defeq(*a, rec.ps[k])) {
                return Err(ElabError::msg("an argument before it varies"));
            }
        }
        let target = out[rec.major];
        let Some(v) = self.find_value(rec, target, belows) else {
            let t = self.pp(target);
            return Err(ElabError::msg(format!(
                "`{t}` is not a part of what was matched"
            )));
        };
        let mut e = v;
        for k in &rec.others {
            e = st.app(e, out[*k]);
        }
        Ok(st.apps(e, &out[rec.ps.len()..]))
    }

    /// A term of type `motive … target` out of the values at hand.
    fn find_value(&mut self, rec: &Rec<'_, 'b>, target: Expr, belows: &[Expr]) -> Option<Expr> {
        for b in belows.iter().rev() {
            let ty = self.infer_type(*b).ok()?;
            if let Some(r) = self.search_below(rec, *b, ty, target, true, 0) {
                return Some(r);
            }
        }
        None
    }

    /// A term of type `T.below … major`.
    fn find_below(&mut self, rec: &Rec<'_, 'b>, major: Expr, belows: &[Expr]) -> Option<Expr> {
        for b in belows.iter().rev() {
            let ty = self.infer_type(*b).ok()?;
            if let Some(r) = self.search_below(rec, *b, ty, major, false, 0) {
                return Some(r);
            }
        }
        None
    }

    fn search_below(
        &mut self,
        rec: &Rec<'_, 'b>,
        e: Expr,
        ty: Expr,
        target: Expr,
        value: bool,
        depth: u32,
    ) -> Option<Expr> {
        let st = self.st;
        if depth > 64 || !self.tick() {
            return None;
        }
        let ty = self.head_beta(ty);
        let (h, args) = st.unfold_app(ty);
        // A value of the motive.
        if h == rec.motive {
            let last = *args.last()?;
            return (value && self.same(last, target)).then_some(e);
        }
        // `T.below … t`, or what it unfolds to: `T.rec … t`.
        let is_below = match (st.node(h), st.node(st.app_fn(rec.below))) {
            (Node::Const(a, _), Node::Const(b, _)) => a == b || a == st.name_str(rec.ind, "rec"),
            _ => false,
        };
        if is_below {
            let last = *args.last()?;
            if !value && self.same(last, target) {
                return Some(e);
            }
        }
        if let Node::Pi(..) = st.node(ty) {
            let s = self.save();
            let (ms, _, body) = self.forall_mvar_telescope(ty, None);
            let xs: Vec<Expr> = ms.iter().map(|m| st.mvar(m.0)).collect();
            let app = st.apps(e, &xs);
            if let Some(r) = self.search_below(rec, app, body, target, value, depth + 1) {
                let r = self.instantiate_mvars(r);
                if !st.has_mvar(r) {
                    return Some(r);
                }
            }
            self.restore(&s);
            return None;
        }
        let w = self.whnf(ty);
        if let Some(v) = self.match_app(w, "PProd", 2) {
            let p = st.name("PProd");
            if let Some(r) =
                self.search_below(rec, st.proj(p, 0, e), v[0], target, value, depth + 1)
            {
                return Some(r);
            }
            return self.search_below(rec, st.proj(p, 1, e), v[1], target, value, depth + 1);
        }
        None
    }

    fn same(&mut self, a: Expr, b: Expr) -> bool {
        let (a, b) = (self.instantiate_mvars(a), self.instantiate_mvars(b));
        a == b || self.is_defeq(a, b)
    }

    #[allow(clippy::too_many_arguments)]
    fn refine_cases(
        &mut self,
        rec: &mut Rec<'_, 'b>,
        c: Name,
        ls: &[Level],
        info: crate::meta::whnf::CasesOnInfo,
        args: &[Expr],
        b: Expr,
        belows: &[Expr],
    ) -> Result<Expr> {
        let st = self.st;
        let ctors = match self.env.get(info.ind) {
            Some(ConstantInfo::Inductive(i)) => i.ctors.clone(),
            _ => Vec::new(),
        };
        // Other values at hand whose types mention the scrutinee are refined with it.
        let major = args[info.major()];
        let mut extras: Vec<Expr> = vec![b];
        let mut abstracted: Vec<Expr> = Vec::new();
        if let Node::FVar(i) = st.node(major) {
            abstracted.extend_from_slice(&args[info.motive() + 1..=info.major()]);
            if abstracted
                .iter()
                .any(|x| !matches!(st.node(*x), Node::FVar(_)))
            {
                abstracted.clear();
            }
            for x in belows {
                if *x == b || abstracted.is_empty() {
                    continue;
                }
                let t = self.infer_type(*x)?;
                if self.occurs_fvar(t, &[FVarId(i)]) {
                    extras.push(*x);
                }
            }
        }
        let mut extra_types = Vec::new();
        for x in &extras[1..] {
            extra_types.push(self.infer_type(*x)?);
        }
        // The motive: `fun idx t => below t → … → old idx t`.
        let old = args[info.motive()];
        let new_motive = self.with_lctx_saved(|el| -> Result<Expr> {
            let (xs, mut arrow) = el.open_motive(old, info)?;
            for t in extra_types.iter().rev() {
                let t = el.subst_all(*t, &abstracted, &xs);
                arrow = st.pi(st.name("f"), t, arrow, BinderInfo::Default);
            }
            let bt = st.apps(rec.below, &xs);
            arrow = st.pi(st.name("f"), bt, arrow, BinderInfo::Default);
            Ok(el.mk_lambda_explicit(&xs, arrow))
        })?;
        let mut new_ls = ls.to_vec();
        if let Some(l) = new_ls.first_mut() {
            for _ in &extras {
                *l = self.level_imax(rec.below_level, *l);
            }
            *l = self.level_simp(*l);
        }
        let mut out: Vec<Expr> = args[..info.num_params].to_vec();
        out.push(new_motive);
        out.extend_from_slice(&args[info.motive() + 1..=info.major()]);
        for (k, ctor) in ctors.iter().enumerate() {
            let minor = args[info.first_minor() + k];
            let m = self.with_lctx_saved(|el| -> Result<Expr> {
                let of = (rec.levels, &rec.params[..]);
                let Branch {
                    fields,
                    body,
                    at: ts,
                } = el.open_branch(minor, *ctor, of, info)?;
                let bt = st.apps(rec.below, &ts);
                let nb = el.push_local(st.name("f"), bt, BinderInfo::Default);
                let mut bs = fields;
                bs.push(nb);
                let mut more: Vec<Expr> = belows
                    .iter()
                    .copied()
                    .filter(|x| !extras[1..].contains(x))
                    .collect();
                for t in &extra_types {
                    let t = el.subst_all(*t, &abstracted, &ts);
                    let y = el.push_local(st.name("f"), t, BinderInfo::Default);
                    bs.push(y);
                    more.push(y);
                }
                more.push(nb);
                let body = el.replace_calls(rec, body, &more)?;
                Ok(el.mk_lambda_explicit(&bs, body))
            })?;
            out.push(m);
        }
        out.extend_from_slice(&extras);
        for a in &args[info.arity()..] {
            out.push(self.replace_calls(rec, *a, belows)?);
        }
        Ok(st.apps(st.constant(c, &new_ls), &out))
    }
}
