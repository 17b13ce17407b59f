//! Substitution: instantiate bound variables, abstract free ones, replace universe parameters.
//!
//! Every traversal is memoised by (term, depth), so cost follows the shared size of a term, and grows the stack on
//! demand, so depth is bounded by memory alone. Nodes are counted (`Store::visit`): a walk that comes to too many is cut
//! short, and the declaration for which it was made is refused.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{Expr, Node};
use crate::level::{Level, LevelNode};
use crate::name::Name;
use crate::store::Store;

/// Runs `f` with enough stack for one more level of recursion.
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, f)
}

impl<'b> Store<'b> {
    /// Rebuilds `e` bottom-up. `f(e, depth)` decides: `Some(r)` replaces the subterm under `depth` binders by `r`,
    /// `None` descends into it.
    pub fn replace(&self, e: Expr, mut f: impl FnMut(Expr, u32) -> Option<Expr>) -> Expr {
        let mut memo = FxHashMap::default();
        self.replace_go(e, 0, &mut memo, &mut f)
    }

    fn replace_go(
        &self,
        e: Expr,
        depth: u32,
        memo: &mut FxHashMap<(Expr, u32), Expr>,
        f: &mut impl FnMut(Expr, u32) -> Option<Expr>,
    ) -> Expr {
        if let Some(r) = f(e, depth) {
            return r;
        }
        let node = self.node(e);
        if matches!(
            node,
            Node::BVar(_)
                | Node::FVar(_)
                | Node::MVar(_)
                | Node::Sort(_)
                | Node::Const(..)
                | Node::Nat(_)
                | Node::Str(_)
        ) {
            return e;
        }
        if let Some(r) = memo.get(&(e, depth)) {
            return *r;
        }
        if !self.visit() {
            return e;
        }
        let r = with_stack(|| match node {
            Node::App(g, a) => {
                let g = self.replace_go(g, depth, memo, f);
                let a = self.replace_go(a, depth, memo, f);
                self.app(g, a)
            }
            Node::Lam(n, t, b, bi) => {
                let t = self.replace_go(t, depth, memo, f);
                let b = self.replace_go(b, depth + 1, memo, f);
                self.lam(n, t, b, bi)
            }
            Node::Pi(n, t, b, bi) => {
                let t = self.replace_go(t, depth, memo, f);
                let b = self.replace_go(b, depth + 1, memo, f);
                self.pi(n, t, b, bi)
            }
            Node::Let(n, t, v, b) => {
                let t = self.replace_go(t, depth, memo, f);
                let v = self.replace_go(v, depth, memo, f);
                let b = self.replace_go(b, depth + 1, memo, f);
                self.let_(n, t, v, b)
            }
            Node::Proj(s, i, x) => {
                let x = self.replace_go(x, depth, memo, f);
                self.proj(s, i, x)
            }
            _ => e,
        });
        memo.insert((e, depth), r);
        r
    }

    /// Whether loose bound variable `i` occurs in `e`.
    pub fn has_loose_bvar(&self, e: Expr, i: u32) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![(e, i)];
        while let Some((e, i)) = todo.pop() {
            if self.loose_bvar_range(e) <= i || !seen.insert((e, i)) {
                continue;
            }
            if !self.visit() {
                break;
            }
            match self.node(e) {
                Node::BVar(j) if i == j => return true,
                Node::App(f, a) => todo.extend([(f, i), (a, i)]),
                Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => todo.extend([(t, i), (b, i + 1)]),
                Node::Let(_, t, v, b) => todo.extend([(t, i), (v, i), (b, i + 1)]),
                Node::Proj(_, _, x) => todo.push((x, i)),
                _ => {}
            }
        }
        false
    }

    /// Adds `by` to every loose bound variable of `e` that is at least `from`.
    pub fn lift(&self, e: Expr, from: u32, by: u32) -> Expr {
        if by == 0 || self.loose_bvar_range(e) <= from {
            return e;
        }
        self.replace(e, |x, depth| {
            if self.loose_bvar_range(x) <= from + depth {
                return Some(x);
            }
            match self.node(x) {
                Node::BVar(i) => Some(self.bvar(i + by)),
                _ => None,
            }
        })
    }

    /// Replaces the `args.len()` innermost loose bound variables: bound variable `i` becomes `args[n - 1 - i]`
    /// (so `args` lists binders from the outermost to the innermost); higher ones move down by `n`.
    pub fn instantiate_rev(&self, e: Expr, args: &[Expr]) -> Expr {
        let n = args.len() as u32;
        if n == 0 || !self.has_loose_bvars(e) {
            return e;
        }
        self.replace(e, |x, depth| {
            if self.loose_bvar_range(x) <= depth {
                return Some(x);
            }
            match self.node(x) {
                Node::BVar(i) if i >= depth + n => Some(self.bvar(i - n)),
                Node::BVar(i) => Some(self.lift(args[(n - 1 - (i - depth)) as usize], 0, depth)),
                _ => None,
            }
        })
    }

    /// As [`Store::instantiate_rev`], with the arguments from the innermost binder to the outermost.
    pub fn instantiate(&self, e: Expr, args: &[Expr]) -> Expr {
        let n = args.len() as u32;
        if n == 0 || !self.has_loose_bvars(e) {
            return e;
        }
        self.replace(e, |x, depth| {
            if self.loose_bvar_range(x) <= depth {
                return Some(x);
            }
            match self.node(x) {
                Node::BVar(i) if i >= depth + n => Some(self.bvar(i - n)),
                Node::BVar(i) => Some(self.lift(args[(i - depth) as usize], 0, depth)),
                _ => None,
            }
        })
    }

    /// The body of a binder with its variable replaced by `v`.
    pub fn instantiate1(&self, body: Expr, v: Expr) -> Expr {
        self.instantiate_rev(body, &[v])
    }

    /// What is left of a Π type when its first `args.len()` binders, which must be written there, are given these values.
    pub fn instantiate_pis(&self, mut ty: Expr, args: &[Expr]) -> Expr {
        for _ in args {
            if let Node::Pi(_, _, body, _) = self.node(ty) {
                ty = body;
            }
        }
        self.instantiate_rev(ty, args)
    }

    /// Turns free variables into loose bound variables: `fvars[i]` becomes bound variable `n - 1 - i`, inverse to
    /// [`Store::instantiate_rev`]. Every element of `fvars` is a free variable or a metavariable. Loose bound variables
    /// already in `e` move up by `n`.
    pub fn abstract_fvars(&self, e: Expr, fvars: &[Expr]) -> Expr {
        let info = self.info(e);
        if fvars.is_empty() || (!info.has_fvar && !info.has_mvar && info.loose == 0) {
            return e;
        }
        self.abstract_first(e, fvars.len() as u32, &positions(fvars))
    }

    /// Closes `body` over binders: the type of each binder may mention the variables of those before it, and `binder`
    /// makes a binder from its position, its closed type and what it ranges over.
    pub fn close_over(
        &self,
        vars: &[(Expr, Expr)],
        body: Expr,
        binder: impl Fn(usize, Expr, Expr) -> Expr,
    ) -> Expr {
        let xs: Vec<Expr> = vars.iter().map(|v| v.0).collect();
        let index = positions(&xs);
        let body = self.abstract_first(body, vars.len() as u32, &index);
        vars.iter().enumerate().rev().fold(body, |b, (i, (_, ty))| {
            binder(i, self.abstract_first(*ty, i as u32, &index), b)
        })
    }

    /// Abstracts the variables at positions below `n`.
    fn abstract_first(&self, e: Expr, n: u32, index: &FxHashMap<Expr, u32>) -> Expr {
        self.replace(e, |x, depth| {
            let info = self.info(x);
            if !info.has_fvar && !info.has_mvar && info.loose <= depth {
                return Some(x);
            }
            match self.node(x) {
                Node::FVar(_) | Node::MVar(_) => Some(match index.get(&x) {
                    Some(i) if *i < n => self.bvar(n - 1 - i + depth),
                    _ => x,
                }),
                Node::BVar(i) if i >= depth => Some(self.bvar(i + n)),
                _ => None,
            }
        })
    }

    /// Replaces universe parameters in a level. `params` and `levels` have equal length.
    pub fn level_instantiate(&self, l: Level, params: &[Name], levels: &[Level]) -> Level {
        if params.is_empty() {
            return l;
        }
        self.level_replace(l, &mut FxHashMap::default(), &|n| {
            params.iter().position(|p| *p == n).map(|i| levels[i])
        })
    }

    /// Replaces each universe parameter for which `f` says `Some`.
    fn level_replace(
        &self,
        l: Level,
        memo: &mut FxHashMap<Level, Level>,
        f: &impl Fn(Name) -> Option<Level>,
    ) -> Level {
        if !self.level_has_param(l) {
            return l;
        }
        if let LevelNode::Param(n) = self.level_node(l) {
            return f(n).unwrap_or(l);
        }
        if let Some(r) = memo.get(&l) {
            return *r;
        }
        if !self.visit() {
            return l;
        }
        let r = with_stack(|| match self.level_node(l) {
            LevelNode::Succ(a) => self.level_succ(self.level_replace(a, memo, f)),
            LevelNode::Max(a, b) => {
                let a = self.level_replace(a, memo, f);
                let b = self.level_replace(b, memo, f);
                self.level_max(a, b)
            }
            LevelNode::IMax(a, b) => {
                let a = self.level_replace(a, memo, f);
                let b = self.level_replace(b, memo, f);
                self.level_imax(a, b)
            }
            LevelNode::Zero | LevelNode::MVar(_) | LevelNode::Param(_) => l,
        });
        memo.insert(l, r);
        r
    }

    /// Replaces universe parameters in a term. `params` and `levels` have equal length.
    pub fn instantiate_level_params(&self, e: Expr, params: &[Name], levels: &[Level]) -> Expr {
        if params.is_empty() || !self.has_level_param(e) {
            return e;
        }
        self.map_levels(e, |l| self.level_instantiate(l, params, levels))
    }

    /// Applies `f` to every level in `e`.
    pub fn map_levels(&self, e: Expr, f: impl Fn(Level) -> Level) -> Expr {
        self.replace(e, |x, _| {
            let info = self.info(x);
            if !info.has_level_param && !info.has_level_mvar {
                return Some(x);
            }
            match self.node(x) {
                Node::Sort(l) => Some(self.sort(f(l))),
                Node::Const(n, ls) => {
                    let ls: Vec<Level> = ls.iter().map(|l| f(*l)).collect();
                    Some(self.constant(n, &ls))
                }
                _ => None,
            }
        })
    }
}

/// The position of each variable.
fn positions(fvars: &[Expr]) -> FxHashMap<Expr, u32> {
    let numbered = fvars.iter().enumerate();
    numbered.map(|(i, x)| (*x, i as u32)).collect()
}
