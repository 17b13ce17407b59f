//! Weak head normal forms.
//!
//! A definition whose body is a `match` (or structural recursion) unfolds only when the match makes progress ("smart
//! unfolding"), so that goals keep the names that people wrote.

use logic::subst::with_stack;
use logic::{ConstantInfo, Expr, Level, Name, Node};

use super::{Elab, FVarId, Transparency};

/// How a `casesOn` is laid out: `params motive indices major minors`.
#[derive(Clone, Copy, Debug)]
pub struct CasesOnInfo {
    /// The inductive type.
    pub ind: Name,
    /// Its parameters.
    pub num_params: usize,
    /// Its indices.
    pub num_indices: usize,
    /// Its constructors.
    pub num_ctors: usize,
}

impl CasesOnInfo {
    /// The position of the motive.
    pub fn motive(&self) -> usize {
        self.num_params
    }
    /// The position of the scrutinee.
    pub fn major(&self) -> usize {
        self.num_params + 1 + self.num_indices
    }
    /// The position of the first branch.
    pub fn first_minor(&self) -> usize {
        self.major() + 1
    }
    /// How many arguments make it complete.
    pub fn arity(&self) -> usize {
        self.first_minor() + self.num_ctors
    }
}

impl<'b> Elab<'b> {
    /// Weak head normal form without unfolding definitions (beta, zeta, recursors, `casesOn`, projections, quotients).
    pub fn whnf_core(&mut self, e: Expr) -> Expr {
        let st = self.st;
        match st.node(e) {
            Node::Sort(_) | Node::Lam(..) | Node::Pi(..) | Node::Nat(_) | Node::Str(_) => return e,
            Node::Const(..) | Node::BVar(_) => return e,
            _ => {}
        }
        let key = (e, self.transparency);
        let cacheable = !st.has_mvar(e);
        if cacheable && let Some(r) = self.cache.whnf_core.get(&key) {
            return *r;
        }
        if !self.tick() {
            return e;
        }
        let r = with_stack(|| self.whnf_core_go(e));
        if cacheable && !self.exhausted() {
            self.cache.whnf_core.insert(key, r);
        }
        r
    }

    fn whnf_core_go(&mut self, e: Expr) -> Expr {
        let st = self.st;
        match st.node(e) {
            Node::FVar(i) => match self.local(FVarId(i)).value {
                Some(v) => self.whnf_core(v),
                None => e,
            },
            Node::MVar(i) => match self.mctx.assignment[i as usize] {
                Some(v) => self.whnf_core(v),
                None if self.mctx.delayed[i as usize].is_some() => {
                    let v = self.instantiate_mvars(e);
                    if v == e { e } else { self.whnf_core(v) }
                }
                None => e,
            },
            Node::Let(_, _, v, b) => {
                let b = st.instantiate1(b, v);
                self.whnf_core(b)
            }
            Node::App(..) => {
                let (f, args) = st.unfold_app(e);
                match st.node(f) {
                    Node::Const(n, ls) => match self.reduce_const_app(n, ls, &args) {
                        Some(r) => self.whnf_core(r),
                        None => e,
                    },
                    Node::Lam(..) => {
                        let r = self.beta(f, &args);
                        self.whnf_core(r)
                    }
                    Node::MVar(i) if self.mctx.delayed[i as usize].is_some() => {
                        let v = self.instantiate_mvars(e);
                        if v == e { e } else { self.whnf_core(v) }
                    }
                    _ => {
                        let g = self.whnf_core(f);
                        if g == f {
                            e
                        } else {
                            let r = self.beta(g, &args);
                            self.whnf_core(r)
                        }
                    }
                }
            }
            Node::Proj(s, i, x) => match self.reduce_proj(s, i, x) {
                Some(r) => self.whnf_core(r),
                None => e,
            },
            _ => e,
        }
    }

    /// The field of a structure value, if the value reduces to its constructor.
    pub fn reduce_proj(&mut self, s: Name, i: u32, x: Expr) -> Option<Expr> {
        let c = self.whnf(x);
        let c = self.literal_to_ctor(c);
        let (f, args) = self.st.unfold_app(c);
        let Node::Const(n, _) = self.st.node(f) else {
            return None;
        };
        match self.env.get(n) {
            Some(ConstantInfo::Constructor(k)) if k.inductive == s => {
                args.get(k.num_params as usize + i as usize).copied()
            }
            _ => None,
        }
    }

    /// `Nat.zero` or `Nat.succ n` for a literal; anything else unchanged.
    pub fn literal_to_ctor(&self, e: Expr) -> Expr {
        let st = self.st;
        match st.node(e) {
            Node::Nat(n) => {
                if n == &num_bigint::BigUint::ZERO {
                    st.constant(self.known.nat_zero, &[])
                } else {
                    let p = st.nat(&(n - 1u32));
                    st.app(st.constant(self.known.nat_succ, &[]), p)
                }
            }
            _ => e,
        }
    }

    pub(crate) fn reduce_const_app(
        &mut self,
        n: Name,
        ls: &'b [Level],
        args: &[Expr],
    ) -> Option<Expr> {
        if let Some(c) = self.cases_on_info(n) {
            return self.reduce_cases_on(c, args);
        }
        match self.env.get(n) {
            Some(ConstantInfo::Recursor(_)) => self.reduce_rec(n, ls, args),
            Some(ConstantInfo::Quot { .. }) => self.reduce_quot(n, args),
            _ => None,
        }
    }

    /// The layout of `T.casesOn`.
    pub fn cases_on_info(&self, n: Name) -> Option<CasesOnInfo> {
        if self.st.name_last(n) != Some("casesOn") {
            return None;
        }
        let ind = self.st.name_prefix(n);
        match self.env.get(ind) {
            Some(ConstantInfo::Inductive(i)) => Some(CasesOnInfo {
                ind,
                num_params: i.num_params as usize,
                num_indices: i.num_indices as usize,
                num_ctors: i.ctors.len(),
            }),
            _ => None,
        }
    }

    pub(super) fn reduce_cases_on(&mut self, c: CasesOnInfo, args: &[Expr]) -> Option<Expr> {
        if args.len() < c.arity() {
            return None;
        }
        let (ctor, fields) = self.constructor_of(c.ind, args[c.major()])?;
        let r = self.beta(args[c.first_minor() + ctor], &fields);
        Some(self.beta(r, &args[c.arity()..]))
    }

    /// The number of the constructor that a value of an inductive type reduces to, and its fields.
    pub(super) fn constructor_of(&mut self, ind: Name, e: Expr) -> Option<(usize, Vec<Expr>)> {
        let value = self.major_to_ctor(ind, e)?;
        let (f, args) = self.st.unfold_app(value);
        let Node::Const(k, _) = self.st.node(f) else {
            return None;
        };
        let Some(ConstantInfo::Constructor(k)) = self.env.get(k) else {
            return None;
        };
        let fields = args[(k.num_params as usize).min(args.len())..].to_vec();
        Some((k.cidx as usize, fields))
    }

    /// The scrutinee as a constructor application, by reduction, K, or eta for structures.
    fn major_to_ctor(&mut self, ind: Name, major: Expr) -> Option<Expr> {
        let st = self.st;
        let w = self.whnf(major);
        let w = self.literal_to_ctor(w);
        let head = st.app_fn(w);
        if let Node::Const(k, _) = st.node(head)
            && let Some(ConstantInfo::Constructor(c)) = self.env.get(k)
            && c.inductive == ind
        {
            return Some(w);
        }
        let info = self.ind_info(ind)?;
        // Eta for structures (never for propositions).
        if info.ctors.len() == 1 && info.num_indices == 0 && !info.is_recursive {
            let ty = self.infer_type(w).ok()?;
            let ty = self.whnf(ty);
            let (tf, targs) = st.unfold_app(ty);
            let Node::Const(tn, tls) = st.node(tf) else {
                return None;
            };
            if tn == ind && !self.is_prop(ty) {
                let ctor = info.ctors[0];
                let np = info.num_params as usize;
                let nf = match self.env.get(ctor) {
                    Some(ConstantInfo::Constructor(c)) => c.num_fields,
                    _ => return None,
                };
                let mut r = st.apps(st.constant(ctor, tls), &targs[..np]);
                for i in 0..nf {
                    r = st.app(r, st.proj(ind, i, w));
                }
                return Some(r);
            }
        }
        // K: a proof of an inductive proposition with one constructor without fields.
        let rec_name = st.name_str(ind, "rec");
        let k = matches!(self.env.get(rec_name), Some(ConstantInfo::Recursor(r)) if r.k);
        if k {
            let ty = self.infer_type(w).ok()?;
            let ty = self.whnf(ty);
            let (tf, targs) = st.unfold_app(ty);
            let Node::Const(tn, tls) = st.node(tf) else {
                return None;
            };
            if tn != ind || st.has_mvar(ty) {
                return None;
            }
            let np = info.num_params as usize;
            let r = st.apps(st.constant(info.ctors[0], tls), &targs[..np]);
            let rt = self.infer_type(r).ok()?;
            if self.is_defeq(rt, ty) {
                return Some(r);
            }
        }
        None
    }

    fn reduce_rec(&mut self, n: Name, ls: &[Level], args: &[Expr]) -> Option<Expr> {
        let st = self.st;
        let (major_at, num_indices, ind) = match self.env.get(n) {
            Some(ConstantInfo::Recursor(r)) => {
                (r.major_index(), r.num_indices as usize, r.inductive)
            }
            _ => return None,
        };
        let first_index = major_at - num_indices;
        let major = *args.get(major_at)?;
        let major = self.major_to_ctor(ind, major)?;
        let (f, cargs) = st.unfold_app(major);
        let Node::Const(ctor, _) = st.node(f) else {
            return None;
        };
        let Some(ConstantInfo::Recursor(r)) = self.env.get(n) else {
            return None;
        };
        let rule = r.rules.iter().find(|x| x.ctor == ctor)?;
        let nf = rule.num_fields as usize;
        if cargs.len() < nf {
            return None;
        }
        let rhs = st.instantiate_level_params(rule.rhs, &r.sig.univ_params, ls);
        let mut all: Vec<Expr> = args[..first_index].to_vec();
        all.extend_from_slice(&cargs[cargs.len() - nf..]);
        all.extend_from_slice(&args[major_at + 1..]);
        Some(self.beta(rhs, &all))
    }

    fn reduce_quot(&mut self, n: Name, args: &[Expr]) -> Option<Expr> {
        let (at, fun) = match self.st.name_last(n)? {
            "lift" => (5, 3),
            "ind" => (4, 3),
            _ => return None,
        };
        let q = *args.get(at)?;
        let q = self.whnf(q);
        let (f, qargs) = self.st.unfold_app(q);
        let Node::Const(m, _) = self.st.node(f) else {
            return None;
        };
        if self.st.name_last(m) != Some("mk") || self.st.name_prefix(m) != self.st.name_prefix(n) {
            return None;
        }
        let v = *qargs.get(2)?;
        let mut all = vec![v];
        all.extend_from_slice(&args[at + 1..]);
        Some(self.beta(args[fun], &all))
    }

    /// Weak head normal form at the current transparency.
    pub fn whnf(&mut self, e: Expr) -> Expr {
        let st = self.st;
        match st.node(e) {
            Node::Sort(_) | Node::Lam(..) | Node::Pi(..) | Node::Nat(_) | Node::Str(_) => return e,
            _ => {}
        }
        let key = (e, self.transparency);
        let cacheable = !st.has_mvar(e);
        if cacheable && let Some(r) = self.cache.whnf.get(&key) {
            return *r;
        }
        let r = with_stack(|| {
            let mut cur = e;
            loop {
                cur = self.whnf_core(cur);
                if !self.tick() {
                    return cur;
                }
                if self.transparency >= Transparency::Default
                    && let Some(lit) = self.reduce_nat(cur)
                {
                    return lit;
                }
                match self.unfold_definition(cur) {
                    Some(next) => cur = next,
                    None => return cur,
                }
            }
        });
        if cacheable && !self.exhausted() {
            self.cache.whnf.insert(key, r);
        }
        r
    }

    /// Weak head normal form, unfolding only reducible definitions.
    pub fn whnf_reducible(&mut self, e: Expr) -> Expr {
        self.with_transparency(Transparency::Reducible, |el| el.whnf(e))
    }

    /// Weak head normal form, unfolding every definition.
    pub fn whnf_all(&mut self, e: Expr) -> Expr {
        self.with_transparency(Transparency::All, |el| el.whnf(e))
    }

    /// Whether reduction may unfold a constant now.
    pub fn can_unfold(&self, n: Name) -> bool {
        match self.env.get(n) {
            Some(ConstantInfo::Definition { hint, .. }) => match self.transparency {
                Transparency::None => false,
                Transparency::Reducible => {
                    (matches!(hint, logic::Hint::Abbrev) || self.ext.reducible.contains(&n))
                        && !self.ext.irreducible.contains(&n)
                }
                Transparency::Default => !self.ext.irreducible.contains(&n),
                Transparency::All => true,
            },
            _ => false,
        }
    }

    /// The value of a definition at given levels, whatever the transparency.
    pub fn const_value(&self, n: Name, ls: &[Level]) -> Option<Expr> {
        let c = self.env.get(n)?;
        let v = match c {
            ConstantInfo::Definition { value, .. } => *value,
            _ => return None,
        };
        if c.univ_params().len() != ls.len() {
            return None;
        }
        Some(self.st.instantiate_level_params(v, c.univ_params(), ls))
    }

    /// Replaces the head constant by its value and beta-reduces, whatever the transparency.
    pub fn unfold_const_raw(&mut self, e: Expr) -> Option<Expr> {
        let (f, args) = self.st.unfold_app(e);
        let Node::Const(n, ls) = self.st.node(f) else {
            return None;
        };
        let v = self.const_value(n, ls)?;
        Some(self.beta(v, &args))
    }

    /// One step of unfolding of the head constant, respecting transparency; `None` if it is stuck on a match.
    pub fn unfold_definition(&mut self, e: Expr) -> Option<Expr> {
        let st = self.st;
        let (f, args) = st.unfold_app(e);
        let Node::Const(n, ls) = st.node(f) else {
            return None;
        };
        if !self.can_unfold(n) || self.is_unary_trap(n, &args) {
            return None;
        }
        self.unfold_computing(n, ls, &args)
    }

    /// Unfolds `n args`, whatever the transparency, unless it is stuck on a match of an argument or of a variable of an
    /// enclosing pattern. A match on another term that stands in the body stays.
    pub fn unfold_smart(&mut self, n: Name, ls: &[Level], args: &[Expr]) -> Option<Expr> {
        let r = self.unfold_computing(n, ls, args);
        r.or_else(|| self.unfold_to_match(n, ls, args))
    }

    /// Unfolds `n args`, whatever the transparency, unless it is stuck on a match.
    fn unfold_computing(&mut self, n: Name, ls: &[Level], args: &[Expr]) -> Option<Expr> {
        let st = self.st;
        if self.cases_on_info(n).is_some() {
            return None;
        }
        if let Some((s, np, i)) = self.ext.projections.get(&n).copied() {
            let x = *args.get(np)?;
            let r = self.reduce_proj(s, i, x)?;
            return Some(self.beta(r, &args[np + 1..]));
        }
        let body = match self.ext.smart.get(&n) {
            Some(b) => {
                let params = self.env.get(n)?.univ_params();
                if params.len() != ls.len() {
                    return None;
                }
                st.instantiate_level_params(*b, params, ls)
            }
            None => self.const_value(n, ls)?,
        };
        let mut cur = self.beta(body, args);
        // Follow matches at the head as long as they reduce.
        loop {
            cur = self.head_beta(cur);
            if let Node::Let(_, _, v, b) = st.node(cur) {
                cur = st.instantiate1(b, v);
                continue;
            }
            let (h, hargs) = st.unfold_app(cur);
            match st.node(h) {
                Node::Const(c, _) => match self.cases_on_info(c) {
                    Some(info) if hargs.len() >= info.arity() => {
                        cur = self.reduce_cases_on(info, &hargs)?;
                    }
                    // Not enough arguments to compute: a match that is a function.
                    _ if self.ext.smart.contains_key(&n)
                        && matches!(st.node(cur), Node::Lam(..)) =>
                    {
                        return None;
                    }
                    _ => return Some(cur),
                },
                Node::Lam(..) if self.ext.smart.contains_key(&n) => return None,
                _ => return Some(cur),
            }
        }
    }
}
