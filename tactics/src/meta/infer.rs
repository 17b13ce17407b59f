//! The type of an open term. Nothing is checked.

use logic::subst::with_stack;
use logic::{Expr, Level, LevelNode, Name, Node};

use super::{Elab, ElabError, FVarId, MVarId, Result};

impl<'b> Elab<'b> {
    /// The type of a term. Fails only on terms without one.
    pub fn infer_type(&mut self, e: Expr) -> Result<Expr> {
        let st = self.st;
        match st.node(e) {
            Node::FVar(i) => {
                let ty = self.local(FVarId(i)).ty;
                return Ok(self.instantiate_mvars(ty));
            }
            Node::MVar(i) => return Ok(self.mvar_type(MVarId(i))),
            _ => {}
        }
        let cacheable = !st.has_mvar(e) && !st.has_level_mvar(e);
        if cacheable && let Some(t) = self.cache.infer.get(&e) {
            return Ok(*t);
        }
        let t = with_stack(|| self.infer_uncached(e))?;
        // A local's type may still contain metavariables: then the result is not final.
        if cacheable && !st.has_mvar(t) && !st.has_level_mvar(t) {
            self.cache.infer.insert(e, t);
        }
        Ok(t)
    }

    fn infer_uncached(&mut self, e: Expr) -> Result<Expr> {
        let st = self.st;
        match st.node(e) {
            Node::BVar(_) => Err(ElabError::msg("a bound variable escaped its binder")),
            Node::FVar(_) | Node::MVar(_) => self.infer_type(e),
            Node::Sort(l) => Ok(st.sort(st.level_succ(l))),
            Node::Const(n, ls) => self.const_type(n, ls),
            Node::Nat(_) => Ok(st.constant(self.known.nat, &[])),
            Node::Str(_) => Ok(st.constant(self.known.string, &[])),
            Node::App(..) => {
                let (f, args) = st.unfold_app(e);
                let fty = self.infer_type(f)?;
                self.instantiate_forall(fty, &args, e)
            }
            Node::Lam(..) => self.with_lctx_saved(|el| {
                let mut xs = Vec::new();
                let mut cur = e;
                while let Node::Lam(n, t, b, bi) = st.node(cur) {
                    let t = st.instantiate_rev(t, &xs);
                    let x = el.push_local(n, t, bi);
                    xs.push(x);
                    cur = b;
                }
                let body = st.instantiate_rev(cur, &xs);
                let bt = el.infer_type(body)?;
                Ok(el.mk_pi(&xs, bt))
            }),
            Node::Pi(..) => self.with_lctx_saved(|el| {
                let mut xs = Vec::new();
                let mut levels = Vec::new();
                let mut cur = e;
                while let Node::Pi(n, t, b, bi) = st.node(cur) {
                    let t = st.instantiate_rev(t, &xs);
                    levels.push(el.level_of(t)?);
                    let x = el.push_local(n, t, bi);
                    xs.push(x);
                    cur = b;
                }
                let body = st.instantiate_rev(cur, &xs);
                let mut l = el.level_of(body)?;
                for d in levels.into_iter().rev() {
                    l = el.level_imax(d, l);
                }
                Ok(st.sort(el.level_simp(l)))
            }),
            Node::Let(_, _, v, b) => {
                let b = st.instantiate1(b, v);
                self.infer_type(b)
            }
            Node::Proj(s, i, x) => self.infer_proj(s, i, x),
        }
    }

    /// The type of a constant at given levels.
    pub fn const_type(&self, n: Name, ls: &[Level]) -> Result<Expr> {
        match self.env.get(n) {
            Some(c) if c.univ_params().len() == ls.len() => {
                Ok(self
                    .st
                    .instantiate_level_params(c.ty(), c.univ_params(), ls))
            }
            Some(c) => Err(ElabError::msg(format!(
                "`{}` takes {} universe arguments, {} are given",
                self.st.name_to_string(n),
                c.univ_params().len(),
                ls.len()
            ))),
            None => Err(ElabError::msg(format!(
                "unknown constant `{}`",
                self.st.name_to_string(n)
            ))),
        }
    }

    /// The type of `f args` when `f : fty`.
    pub fn instantiate_forall(&mut self, fty: Expr, args: &[Expr], whole: Expr) -> Result<Expr> {
        let st = self.st;
        let mut ty = fty;
        let mut from = 0;
        for i in 0..args.len() {
            if let Node::Pi(_, _, b, _) = st.node(ty) {
                ty = b;
                continue;
            }
            let t = st.instantiate_rev(ty, &args[from..i]);
            let t = self.whnf(t);
            from = i;
            match st.node(t) {
                Node::Pi(_, _, b, _) => ty = b,
                _ => {
                    let shown = self.pp(whole);
                    return Err(ElabError::msg(format!("function expected in `{shown}`")));
                }
            }
        }
        Ok(st.instantiate_rev(ty, &args[from..]))
    }

    /// As `Store::instantiate_rev`; where a variable that becomes a `fun` is applied, the application is reduced.
    pub fn instantiate_beta(&self, e: Expr, args: &[Expr]) -> Expr {
        let st = self.st;
        let fun = |a: &Expr| matches!(st.node(*a), Node::Lam(..));
        if !st.has_loose_bvars(e) || !args.iter().any(fun) {
            return st.instantiate_rev(e, args);
        }
        self.instantiate_beta_at(e, args, 0)
    }

    fn instantiate_beta_at(&self, e: Expr, args: &[Expr], offset: u32) -> Expr {
        let st = self.st;
        let n = args.len() as u32;
        st.replace(e, |x, d| {
            let depth = d + offset;
            if st.loose_bvar_range(x) <= depth {
                return Some(x);
            }
            match st.node(x) {
                Node::BVar(i) if i >= depth + n => Some(st.bvar(i - n)),
                Node::BVar(i) => Some(st.lift(args[(n - 1 - (i - depth)) as usize], 0, depth)),
                Node::App(..) => {
                    let (h, xs) = st.unfold_app(x);
                    match st.node(h) {
                        Node::BVar(i) if i >= depth && i < depth + n => {
                            let f = st.lift(args[(n - 1 - (i - depth)) as usize], 0, depth);
                            let xs: Vec<Expr> = xs
                                .iter()
                                .map(|a| self.instantiate_beta_at(*a, args, depth))
                                .collect();
                            Some(self.beta(f, &xs))
                        }
                        _ => None,
                    }
                }
                _ => None,
            }
        })
    }

    fn infer_proj(&mut self, s: Name, i: u32, x: Expr) -> Result<Expr> {
        let st = self.st;
        let xt = self.infer_type(x)?;
        let xt = self.whnf(xt);
        let (head, args) = st.unfold_app(xt);
        let Node::Const(_, ls) = st.node(head) else {
            return Err(ElabError::msg(
                "a projection out of something that is no structure",
            ));
        };
        let Some(info) = self.ind_info(s) else {
            return Err(ElabError::msg(
                "a projection out of something that is no structure",
            ));
        };
        let Some(ctor) = info.ctors.first().copied() else {
            return Err(ElabError::msg(
                "a projection out of something that is no structure",
            ));
        };
        let mut t = self.const_type(ctor, ls)?;
        t = self.instantiate_forall(t, &args[..(info.num_params as usize).min(args.len())], x)?;
        for j in 0..i {
            let w = self.whnf_core(t);
            match st.node(w) {
                Node::Pi(_, _, b, _) => t = st.instantiate1(b, st.proj(s, j, x)),
                _ => {
                    return Err(ElabError::msg(
                        "a projection to a field that does not exist",
                    ));
                }
            }
        }
        let w = self.whnf_core(t);
        match st.node(w) {
            Node::Pi(_, d, _, _) => Ok(d),
            _ => Err(ElabError::msg(
                "a projection to a field that does not exist",
            )),
        }
    }

    /// The universe level of a type.
    pub fn level_of(&mut self, ty: Expr) -> Result<Level> {
        let st = self.st;
        let s = self.infer_type(ty)?;
        let s = self.whnf(s);
        match st.node(s) {
            Node::Sort(l) => Ok(self.instantiate_level(l)),
            Node::MVar(_) => {
                let l = self.mk_fresh_level();
                if self.is_defeq(s, st.sort(l)) {
                    Ok(l)
                } else {
                    Err(ElabError::msg("a type was expected"))
                }
            }
            _ => {
                let (e, t) = (self.pp(ty), self.pp(s));
                Err(
                    ElabError::msg(format!("a type was expected, but `{e}` has type `{t}`"))
                        .code("elab.not_a_type"),
                )
            }
        }
    }

    /// Whether `e` is a proposition (its type is `Prop`).
    pub fn is_prop(&mut self, e: Expr) -> bool {
        let Ok(t) = self.infer_type(e) else {
            return false;
        };
        let t = self.whnf(t);
        match self.st.node(t) {
            Node::Sort(l) => {
                let l = self.instantiate_level(l);
                self.level_simp(l) == Level::ZERO
            }
            _ => false,
        }
    }

    /// Whether `e` is a proof (its type is a proposition).
    pub fn is_proof(&mut self, e: Expr) -> bool {
        match self.infer_type(e) {
            Ok(t) => self.is_prop(t),
            Err(_) => false,
        }
    }

    /// Whether `e` is a type (its type is a sort).
    pub fn is_type(&mut self, e: Expr) -> bool {
        match self.infer_type(e) {
            Ok(t) => {
                let t = self.whnf(t);
                matches!(self.st.node(t), Node::Sort(_))
            }
            Err(_) => false,
        }
    }

    /// Whether a level is certainly not `0`.
    pub fn level_never_zero(&self, l: Level) -> bool {
        match self.st.level_node(l) {
            LevelNode::Succ(_) => true,
            _ => self.level_is_positive(l),
        }
    }
}
