//! Metavariables, their assignments, and going back to an earlier state.
//!
//! Assignments are undone along a trail, so a snapshot costs nothing. A goal that was abstracted over some of its
//! variables before it was solved is *delayed*: `?d x₁ … xₙ` stands for the solution of `?g` with the variables replaced.

use std::rc::Rc;

use logic::subst::with_stack;
use logic::{Expr, Level, LevelNode, Name, Node};
use rustc_hash::FxHashMap;

use super::{Elab, FVarId, LCtx, Pending};

/// A metavariable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MVarId(pub u32);

/// Who may assign a metavariable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MVarKind {
    /// The unifier.
    Natural,
    /// Only the tactic or the postponed elaboration that it stands for.
    Opaque,
}

/// What is known of a metavariable.
#[derive(Clone, Debug)]
pub struct MVarDecl {
    /// Its context.
    pub lctx: LCtx,
    /// Its type.
    pub ty: Expr,
    /// The name of a goal (`zero`, `succ`, `h`), or anonymous.
    pub user_name: Name,
    /// Who may assign it.
    pub kind: MVarKind,
}

/// `?d xs` stands for the value of `goal`, abstracted over `xs`.
#[derive(Debug)]
pub(crate) struct Delayed {
    pub xs: Vec<Expr>,
    /// `let` variables that the value may mention and that are replaced by their values.
    pub lets: Vec<FVarId>,
    pub goal: MVarId,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Undo {
    Expr(u32),
    Level(u32),
    Delayed(u32),
}

/// All metavariables.
#[derive(Default, Debug)]
pub(crate) struct MCtx {
    pub decls: Vec<MVarDecl>,
    pub assignment: Vec<Option<Expr>>,
    pub delayed: Vec<Option<Rc<Delayed>>>,
    pub levels: Vec<Option<Level>>,
    pub trail: Vec<Undo>,
}

/// A point to go back to.
#[derive(Clone)]
pub struct Saved<'b> {
    trail: usize,
    pending: im::Vector<Pending<'b>>,
    level_constraints: Vec<(Level, Level)>,
    lctx: LCtx,
    env: logic::Environment<'b>,
    messages: usize,
}

impl<'b> Elab<'b> {
    /// The present state.
    pub fn save(&self) -> Saved<'b> {
        Saved {
            trail: self.mctx.trail.len(),
            pending: self.pending.clone(),
            level_constraints: self.level_constraints.clone(),
            lctx: self.lctx.clone(),
            env: self.env.clone(),
            messages: self.messages.len(),
        }
    }

    /// Back to an earlier state.
    pub fn restore(&mut self, s: &Saved<'b>) {
        self.undo_to(s.trail);
        self.pending = s.pending.clone();
        self.level_constraints = s.level_constraints.clone();
        self.lctx = s.lctx.clone();
        self.env = s.env.clone();
        self.messages.truncate(s.messages);
    }

    pub(crate) fn undo_to(&mut self, trail: usize) {
        while self.mctx.trail.len() > trail {
            match self.mctx.trail.pop() {
                Some(Undo::Expr(i)) => self.mctx.assignment[i as usize] = None,
                Some(Undo::Level(i)) => self.mctx.levels[i as usize] = None,
                Some(Undo::Delayed(i)) => self.mctx.delayed[i as usize] = None,
                None => {}
            }
        }
    }

    /// Runs `f`; on an error the state is as before.
    pub fn try_or_restore<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> super::Result<T>,
    ) -> super::Result<T> {
        let s = self.save();
        let r = f(self);
        if r.is_err() {
            self.restore(&s);
        }
        r
    }

    /// A new metavariable with everything given.
    pub fn new_mvar(&mut self, lctx: LCtx, ty: Expr, user_name: Name, kind: MVarKind) -> MVarId {
        let id = self.mctx.decls.len() as u32;
        self.mctx.decls.push(MVarDecl {
            lctx,
            ty,
            user_name,
            kind,
        });
        self.mctx.assignment.push(None);
        self.mctx.delayed.push(None);
        MVarId(id)
    }

    /// A new natural metavariable in the current context.
    pub fn mk_fresh_mvar(&mut self, ty: Expr) -> Expr {
        let m = self.new_mvar(self.lctx.clone(), ty, Name::ANON, MVarKind::Natural);
        self.st.mvar(m.0)
    }

    /// A new natural metavariable whose type is a metavariable too.
    pub fn mk_fresh_hole(&mut self) -> Expr {
        let s = self.mk_fresh_sort();
        let ty = self.mk_fresh_mvar(s);
        self.mk_fresh_mvar(ty)
    }

    /// A new goal in the current context.
    pub fn mk_goal(&mut self, ty: Expr, user_name: Name) -> MVarId {
        self.new_mvar(self.lctx.clone(), ty, user_name, MVarKind::Opaque)
    }

    /// The metavariable as a term.
    pub fn mk_mvar(&self, m: MVarId) -> Expr {
        self.st.mvar(m.0)
    }

    /// A new universe metavariable.
    pub fn mk_fresh_level(&mut self) -> Level {
        let id = self.mctx.levels.len() as u32;
        self.mctx.levels.push(None);
        self.st.level_mvar(id)
    }

    /// `Sort ?u`.
    pub fn mk_fresh_sort(&mut self) -> Expr {
        let l = self.mk_fresh_level();
        self.st.sort(l)
    }

    /// What is known of a metavariable.
    pub fn mvar_decl(&self, m: MVarId) -> &MVarDecl {
        &self.mctx.decls[m.0 as usize]
    }

    /// Its type, instantiated.
    pub fn mvar_type(&mut self, m: MVarId) -> Expr {
        let ty = self.mctx.decls[m.0 as usize].ty;
        self.instantiate_mvars(ty)
    }

    /// Its context.
    pub fn mvar_lctx(&self, m: MVarId) -> LCtx {
        self.mctx.decls[m.0 as usize].lctx.clone()
    }

    /// Renames a goal.
    pub fn set_goal_name(&mut self, m: MVarId, name: Name) {
        self.mctx.decls[m.0 as usize].user_name = name;
    }

    /// Whether it has a value (or stands for a goal abstracted over variables).
    pub fn is_assigned(&self, m: MVarId) -> bool {
        self.mctx.assignment[m.0 as usize].is_some() || self.mctx.delayed[m.0 as usize].is_some()
    }

    /// Gives a metavariable its value. Nothing is checked.
    pub fn assign(&mut self, m: MVarId, value: Expr) {
        self.mctx.assignment[m.0 as usize] = Some(value);
        self.mctx.trail.push(Undo::Expr(m.0));
    }

    pub(crate) fn assign_delayed(
        &mut self,
        m: MVarId,
        xs: Vec<Expr>,
        lets: Vec<FVarId>,
        goal: MVarId,
    ) {
        self.mctx.delayed[m.0 as usize] = Some(Rc::new(Delayed { xs, lets, goal }));
        self.mctx.trail.push(Undo::Delayed(m.0));
    }

    pub(crate) fn assign_level(&mut self, id: u32, l: Level) {
        self.mctx.levels[id as usize] = Some(l);
        self.mctx.trail.push(Undo::Level(id));
    }

    /// Replaces assigned universe metavariables.
    pub fn instantiate_level(&self, l: Level) -> Level {
        let st = self.st;
        if !st.level_has_mvar(l) {
            return l;
        }
        with_stack(|| match st.level_node(l) {
            LevelNode::Zero | LevelNode::Param(_) => l,
            LevelNode::Succ(a) => st.level_succ(self.instantiate_level(a)),
            LevelNode::Max(a, b) => {
                self.level_max(self.instantiate_level(a), self.instantiate_level(b))
            }
            LevelNode::IMax(a, b) => {
                self.level_imax(self.instantiate_level(a), self.instantiate_level(b))
            }
            LevelNode::MVar(i) => match self.mctx.levels.get(i as usize).copied().flatten() {
                Some(v) => self.instantiate_level(v),
                None => l,
            },
        })
    }

    /// Replaces assigned metavariables, and beta-reduces where one was applied.
    pub fn instantiate_mvars(&mut self, e: Expr) -> Expr {
        if !self.st.has_mvar(e) && !self.st.has_level_mvar(e) {
            return e;
        }
        let mut memo = FxHashMap::default();
        self.inst_go(e, &mut memo)
    }

    /// The value of a metavariable, fully instantiated; for a delayed one a function, once its goal is solved.
    pub(crate) fn mvar_value(
        &mut self,
        m: MVarId,
        memo: &mut FxHashMap<Expr, Expr>,
    ) -> Option<Expr> {
        if let Some(v) = self.mctx.assignment[m.0 as usize] {
            return Some(self.inst_go(v, memo));
        }
        let d = self.mctx.delayed[m.0 as usize].clone()?;
        let gv = self.mk_mvar(d.goal);
        let v = self.inst_go(gv, memo);
        if self.st.has_mvar(v) {
            return None;
        }
        let v = self.zeta_locals(v, &d.lets);
        if self.st.has_mvar(v) {
            return None;
        }
        Some(self.abstract_lambda_plain(&d.xs, v, &d.lets))
    }

    /// `fun xs => v` for a metavariable-free `v`; `let` variables among what `v` mentions stay.
    fn abstract_lambda_plain(&mut self, xs: &[Expr], v: Expr, lets: &[FVarId]) -> Expr {
        let st = self.st;
        let mut body = st.abstract_fvars(v, xs);
        for (i, x) in xs.iter().enumerate().rev() {
            let Node::FVar(id) = st.node(*x) else {
                continue;
            };
            let d = self.local(FVarId(id));
            let ty = self.zeta_locals(d.ty, lets);
            let ty = st.abstract_fvars(ty, &xs[..i]);
            body = st.lam(d.user_name, ty, body, d.bi);
        }
        body
    }

    fn inst_go(&mut self, e: Expr, memo: &mut FxHashMap<Expr, Expr>) -> Expr {
        let st = self.st;
        if !st.has_mvar(e) && !st.has_level_mvar(e) {
            return e;
        }
        if let Some(r) = memo.get(&e) {
            return *r;
        }
        let r = with_stack(|| match st.node(e) {
            Node::Sort(l) => st.sort(self.instantiate_level(l)),
            Node::Const(n, ls) => {
                let ls: Vec<Level> = ls.iter().map(|l| self.instantiate_level(*l)).collect();
                st.constant(n, &ls)
            }
            Node::MVar(i) => self.mvar_value(MVarId(i), memo).unwrap_or(e),
            Node::App(..) => {
                let (f, args) = st.unfold_app(e);
                let nf = self.inst_go(f, memo);
                let nargs: Vec<Expr> = args.iter().map(|a| self.inst_go(*a, memo)).collect();
                if nf != f && matches!(st.node(f), Node::MVar(_)) {
                    self.beta(nf, &nargs)
                } else {
                    st.apps(nf, &nargs)
                }
            }
            Node::Lam(n, t, b, bi) => {
                let t = self.inst_go(t, memo);
                let b = self.inst_go(b, memo);
                st.lam(n, t, b, bi)
            }
            Node::Pi(n, t, b, bi) => {
                let t = self.inst_go(t, memo);
                let b = self.inst_go(b, memo);
                st.pi(n, t, b, bi)
            }
            Node::Let(n, t, v, b) => {
                let t = self.inst_go(t, memo);
                let v = self.inst_go(v, memo);
                let b = self.inst_go(b, memo);
                st.let_(n, t, v, b)
            }
            Node::Proj(s, i, x) => {
                let x = self.inst_go(x, memo);
                st.proj(s, i, x)
            }
            _ => e,
        });
        memo.insert(e, r);
        r
    }

    /// `f args`, reduced while `f` is a `fun`.
    pub fn beta(&self, f: Expr, args: &[Expr]) -> Expr {
        let st = self.st;
        let mut body = f;
        let mut used = 0;
        while used < args.len() {
            match st.node(body) {
                Node::Lam(_, _, b, _) => {
                    body = b;
                    used += 1;
                }
                _ => break,
            }
        }
        if used == 0 {
            return st.apps(f, args);
        }
        let body = st.instantiate_rev(body, &args[..used]);
        if used == args.len() {
            body
        } else {
            self.beta(body, &args[used..])
        }
    }

    /// Beta-reduces the head of a term.
    pub fn head_beta(&self, e: Expr) -> Expr {
        let (f, args) = self.st.unfold_app(e);
        if args.is_empty() || !matches!(self.st.node(f), Node::Lam(..)) {
            return e;
        }
        self.beta(f, &args)
    }

    /// The metavariables that stand in a term as it is written, assigned or not, by id.
    pub(crate) fn written_mvars(&self, e: Expr) -> Vec<MVarId> {
        let st = self.st;
        let mut found = std::collections::BTreeSet::new();
        st.replace(e, |x, _| {
            if !st.has_mvar(x) {
                return Some(x);
            }
            if let Node::MVar(i) = st.node(x) {
                found.insert(MVarId(i));
            }
            None
        });
        found.into_iter().collect()
    }

    /// The unassigned metavariables of an instantiated term, in order of creation. Those behind delayed ones are listed
    /// instead of the delayed ones.
    pub fn collect_mvars(&mut self, e: Expr) -> Vec<MVarId> {
        let mut out = std::collections::BTreeSet::new();
        let mut seen = std::collections::BTreeSet::new();
        self.collect_mvars_go(e, &mut out, &mut seen);
        out.into_iter().collect()
    }

    fn collect_mvars_go(
        &mut self,
        e: Expr,
        out: &mut std::collections::BTreeSet<MVarId>,
        seen: &mut std::collections::BTreeSet<MVarId>,
    ) {
        let st = self.st;
        let e = self.instantiate_mvars(e);
        let mut found = Vec::new();
        st.replace(e, |x, _| {
            if !st.has_mvar(x) {
                return Some(x);
            }
            if let Node::MVar(i) = st.node(x) {
                found.push(MVarId(i));
            }
            None
        });
        for m in found {
            if !seen.insert(m) {
                continue;
            }
            match self.mctx.delayed[m.0 as usize].clone() {
                Some(d) => {
                    let g = self.mk_mvar(d.goal);
                    self.collect_mvars_go(g, out, seen);
                }
                None => {
                    out.insert(m);
                }
            }
        }
    }
}
