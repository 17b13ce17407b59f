//! Building common terms: applications with inferred arguments, equality reasoning, logical connectives.

use logic::{BinderInfo, ConstantInfo, Expr, Level, Name, Node};
use num_bigint::BigUint;

use super::{Elab, ElabError, MVarId, Result, Transparency};

/// What the kernel knows of an inductive type.
pub type IndInfo = logic::InductiveInfo;

/// A type that is an inductive type applied to arguments: the type, universe arguments, parameters, indices.
pub type IndApp<'b> = (IndInfo, &'b [Level], Vec<Expr>, Vec<Expr>);

impl<'b> Elab<'b> {
    /// A copy of what the kernel knows of a constant.
    pub fn const_info(&self, n: Name) -> Option<ConstantInfo> {
        self.env.get(n).cloned()
    }

    /// An inductive type by name.
    pub fn ind_info(&self, n: Name) -> Option<IndInfo> {
        match self.env.get(n) {
            Some(ConstantInfo::Inductive(i)) => Some(i.clone()),
            _ => None,
        }
    }

    /// The inductive type that a type reduces to, with its arguments.
    pub fn get_inductive_app(&mut self, ty: Expr) -> Option<IndApp<'b>> {
        let st = self.st;
        let w = self.whnf(ty);
        let w = self.instantiate_mvars(w);
        let (f, args) = st.unfold_app(w);
        let Node::Const(n, levels) = st.node(f) else {
            return None;
        };
        let info = self.ind_info(n)?;
        let np = info.num_params as usize;
        if args.len() != np + info.num_indices as usize {
            return None;
        }
        Some((info, levels, args[..np].to_vec(), args[np..].to_vec()))
    }

    /// A constant at fresh universe metavariables.
    pub fn mk_const(&mut self, n: Name) -> Result<Expr> {
        let count = match self.env.get(n) {
            Some(c) => c.univ_params().len(),
            None => {
                return Err(ElabError::msg(format!(
                    "unknown constant `{}`",
                    self.st.name_to_string(n)
                )));
            }
        };
        let ls: Vec<Level> = (0..count).map(|_| self.mk_fresh_level()).collect();
        Ok(self.st.constant(n, &ls))
    }

    /// `name args`, where `args` are the explicit arguments; implicit ones and universes are found by unification, instance
    /// arguments by resolution.
    pub fn mk_app(&mut self, name: &str, args: &[Expr]) -> Result<Expr> {
        let n = self.name(name);
        self.mk_app_n(n, args)
    }

    /// As [`Elab::mk_app`], by name.
    pub fn mk_app_n(&mut self, n: Name, args: &[Expr]) -> Result<Expr> {
        let f = self.mk_const(n)?;
        self.mk_app_fn(f, args)
    }

    /// As [`Elab::mk_app`], for any function.
    pub fn mk_app_fn(&mut self, f: Expr, args: &[Expr]) -> Result<Expr> {
        let st = self.st;
        let mut ty = self.infer_type(f)?;
        let mut all: Vec<Expr> = Vec::new();
        let mut insts = Vec::new();
        let mut next = 0;
        while next < args.len() {
            if !matches!(st.node(ty), Node::Pi(..)) {
                ty = self.whnf(ty);
            }
            match st.node(ty) {
                Node::Pi(_, t, b, bi) => {
                    let a = if bi == BinderInfo::Default {
                        let a = args[next];
                        next += 1;
                        let at = self.infer_type(a)?;
                        if !self.with_transparency(Transparency::Default, |el| el.is_defeq(t, at)) {
                            let (fs, a, at, t) = (self.pp(f), self.pp(a), self.pp(at), self.pp(t));
                            return Err(ElabError::msg(format!(
                                "`{fs}` cannot be applied: `{a}` has type `{at}`, expected `{t}`"
                            )));
                        }
                        a
                    } else {
                        let m = self.mk_fresh_mvar(t);
                        if bi == BinderInfo::InstImplicit {
                            insts.push(m);
                        }
                        m
                    };
                    all.push(a);
                    ty = st.instantiate1(b, a);
                }
                _ => {
                    let fs = self.pp(f);
                    return Err(ElabError::msg(format!(
                        "`{fs}` is applied to too many arguments"
                    )));
                }
            }
        }
        self.fill_instances(&insts)?;
        let r = st.apps(f, &all);
        self.solve_level_constraints(false);
        Ok(self.instantiate_mvars(r))
    }

    pub(crate) fn fill_instances(&mut self, insts: &[Expr]) -> Result<()> {
        for m in insts {
            if let Node::MVar(i) = self.st.node(*m)
                && !self.is_assigned(MVarId(i))
            {
                let ty = self.mvar_type(MVarId(i));
                let v = self.synth_instance(ty)?;
                self.assign(MVarId(i), v);
            }
        }
        Ok(())
    }

    /// `name args`, with every argument listed; `None` is found by unification.
    pub fn mk_app_opt(&mut self, name: &str, args: &[Option<Expr>]) -> Result<Expr> {
        let st = self.st;
        let f = self.mk_const(self.name(name))?;
        let mut ty = self.infer_type(f)?;
        let mut all: Vec<Expr> = Vec::new();
        let mut insts = Vec::new();
        for arg in args {
            if !matches!(st.node(ty), Node::Pi(..)) {
                ty = self.whnf(ty);
            }
            let Node::Pi(_, t, b, bi) = st.node(ty) else {
                return Err(ElabError::msg(format!(
                    "`{name}` is applied to too many arguments"
                )));
            };
            let a = match arg {
                Some(a) => {
                    let at = self.infer_type(*a)?;
                    if !self.is_defeq(t, at) {
                        let (a, at, t) = (self.pp(*a), self.pp(at), self.pp(t));
                        return Err(ElabError::msg(format!(
                            "`{name}` cannot be applied: `{a}` has type `{at}`, expected `{t}`"
                        )));
                    }
                    *a
                }
                None => {
                    let m = self.mk_fresh_mvar(t);
                    if bi == BinderInfo::InstImplicit {
                        insts.push(m);
                    }
                    m
                }
            };
            all.push(a);
            ty = st.instantiate1(b, a);
        }
        self.fill_instances(&insts)?;
        let r = st.apps(f, &all);
        self.solve_level_constraints(false);
        Ok(self.instantiate_mvars(r))
    }

    /// `a = b`.
    pub fn mk_eq(&mut self, a: Expr, b: Expr) -> Result<Expr> {
        let ty = self.infer_type(a)?;
        let l = self.level_of(ty)?;
        let eq = self.st.constant(self.known.eq, &[l]);
        Ok(self.st.apps(eq, &[ty, a, b]))
    }

    /// `Eq.refl a : a = a`.
    pub fn mk_eq_refl(&mut self, a: Expr) -> Result<Expr> {
        let ty = self.infer_type(a)?;
        let l = self.level_of(ty)?;
        let c = self.st.constant(self.name("Eq.refl"), &[l]);
        Ok(self.st.apps(c, &[ty, a]))
    }

    /// From `h : a = b`, `b = a`.
    pub fn mk_eq_symm(&mut self, h: Expr) -> Result<Expr> {
        self.mk_app("Eq.symm", &[h])
    }

    /// From `a = b` and `b = c`, `a = c`.
    pub fn mk_eq_trans(&mut self, h1: Expr, h2: Expr) -> Result<Expr> {
        self.mk_app("Eq.trans", &[h1, h2])
    }

    /// From `h : a = b`, `f a = f b`.
    pub fn mk_congr_arg(&mut self, f: Expr, h: Expr) -> Result<Expr> {
        self.mk_app("congrArg", &[f, h])
    }

    /// From `h : f = g`, `f a = g a`.
    pub fn mk_congr_fun(&mut self, h: Expr, a: Expr) -> Result<Expr> {
        self.mk_app("congrFun", &[h, a])
    }

    /// From `f = g` and `a = b`, `f a = g b`.
    pub fn mk_congr(&mut self, hf: Expr, ha: Expr) -> Result<Expr> {
        self.mk_app("congr", &[hf, ha])
    }

    /// From `p ↔ q`, `p = q` (uses the axiom `propext`).
    pub fn mk_propext(&mut self, h: Expr) -> Result<Expr> {
        self.mk_app("propext", &[h])
    }

    /// From `h : p = q` and a proof of `p`, a proof of `q`.
    pub fn mk_eq_mp(&mut self, h: Expr, e: Expr) -> Result<Expr> {
        self.mk_app("Eq.mp", &[h, e])
    }

    /// From `h : p = q` and a proof of `q`, a proof of `p`.
    pub fn mk_eq_mpr(&mut self, h: Expr, e: Expr) -> Result<Expr> {
        self.mk_app("Eq.mpr", &[h, e])
    }

    /// Anything of type (or proposition) `ty` from `h : False`.
    pub fn mk_false_elim(&mut self, ty: Expr, h: Expr) -> Result<Expr> {
        let l = self.level_of(ty)?;
        let c = self.st.constant(self.name("False.elim"), &[l]);
        Ok(self.st.apps(c, &[ty, h]))
    }

    /// Anything of type `ty` from `h : p` and `hn : ¬p`.
    pub fn mk_absurd(&mut self, ty: Expr, h: Expr, hn: Expr) -> Result<Expr> {
        let f = self.st.app(hn, h);
        self.mk_false_elim(ty, f)
    }

    /// `p ∧ q`.
    pub fn mk_and(&mut self, p: Expr, q: Expr) -> Expr {
        self.st.apps(self.st.const0("And"), &[p, q])
    }

    /// `p ∨ q`.
    pub fn mk_or(&mut self, p: Expr, q: Expr) -> Expr {
        self.st.apps(self.st.const0("Or"), &[p, q])
    }

    /// `¬p`.
    pub fn mk_not(&mut self, p: Expr) -> Expr {
        self.st.app(self.st.const0("Not"), p)
    }

    /// `p ↔ q`.
    pub fn mk_iff(&mut self, p: Expr, q: Expr) -> Expr {
        self.st.apps(self.st.const0("Iff"), &[p, q])
    }

    /// `α → β`.
    pub fn mk_arrow(&mut self, a: Expr, b: Expr) -> Expr {
        let n = self.name("a✝");
        self.st.pi(n, a, self.st.lift(b, 0, 1), BinderInfo::Default)
    }

    /// The literal `n`.
    pub fn mk_nat(&self, n: u64) -> Expr {
        self.st.nat(&BigUint::from(n))
    }

    /// The arguments, if `e` is the named constant applied to exactly `arity` of them.
    pub fn match_app(&self, e: Expr, name: &str, arity: usize) -> Option<Vec<Expr>> {
        let (f, args) = self.st.unfold_app(e);
        match self.st.node(f) {
            Node::Const(n, _) if args.len() == arity && n == self.name(name) => Some(args),
            _ => None,
        }
    }

    /// `(α, a, b)`, if `e` is `@Eq α a b` (as it stands, after instantiation).
    pub fn match_eq(&self, e: Expr) -> Option<(Expr, Expr, Expr)> {
        let (f, args) = self.st.unfold_app(e);
        match self.st.node(f) {
            Node::Const(n, _) if args.len() == 3 && n == self.known.eq => {
                Some((args[0], args[1], args[2]))
            }
            _ => None,
        }
    }

    /// The head constant of a term.
    pub fn head_const(&self, e: Expr) -> Option<Name> {
        match self.st.node(self.st.app_fn(e)) {
            Node::Const(n, _) => Some(n),
            _ => None,
        }
    }
}
