//! Instances that `rw` cannot reach because they contain a variable bound inside of the term: found to explain a failure.

use logic::{BinderInfo, Expr, Name, Node};

use crate::meta::{Elab, FVarId, Transparency};

use super::util::mentions;

/// An instance with a bound variable.
pub(crate) struct Bound {
    /// The instance, printed.
    pub instance: String,
    /// The bound variable, printed.
    pub variable: String,
    /// What binds it: `fun`, `∀`, `∃` or `let`.
    pub binder: &'static str,
    /// Whether that is the outermost form of the term.
    pub outermost: bool,
}

struct Search {
    pattern: Expr,
    head: Option<Name>,
    /// The variables opened on the way, with what binds them.
    opened: Vec<(FVarId, &'static str)>,
}

/// The first instance of `pattern` in `e` that contains a variable bound in `e`.
pub(crate) fn bound_instance<'b>(el: &mut Elab<'b>, e: Expr, pattern: Expr) -> Option<Bound> {
    let e = el.instantiate_mvars(e);
    let pattern = el.instantiate_mvars(pattern);
    let mut s = Search {
        pattern,
        head: el.head_const(pattern),
        opened: Vec::new(),
    };
    el.with_lctx_saved(|el| s.visit(el, e, "fun"))
}

impl Search {
    /// `word` is what a `fun` at this place is written as.
    fn visit<'b>(&mut self, el: &mut Elab<'b>, e: Expr, word: &'static str) -> Option<Bound> {
        if !el.tick() {
            return None;
        }
        logic::subst::with_stack(|| self.visit_go(el, e, word))
    }

    fn visit_go<'b>(&mut self, el: &mut Elab<'b>, e: Expr, word: &'static str) -> Option<Bound> {
        let st = el.st;
        if let Some(found) = self.at(el, e) {
            return Some(found);
        }
        match st.node(e) {
            Node::App(..) => {
                let (f, args) = st.unfold_app(e);
                let exists = el.match_app(e, "Exists", 2).is_some();
                let inner = if exists { "∃" } else { "fun" };
                self.visit(el, f, "fun")
                    .or_else(|| args.iter().find_map(|a| self.visit(el, *a, inner)))
            }
            Node::Lam(n, t, b, bi) => self.below(el, (n, t, None, b, bi), word),
            Node::Pi(n, t, b, bi) => self.below(el, (n, t, None, b, bi), "∀"),
            Node::Let(n, t, v, b) => self.below(el, (n, t, Some(v), b, BinderInfo::Default), "let"),
            Node::Proj(_, _, x) => self.visit(el, x, "fun"),
            _ => None,
        }
    }

    fn below<'b>(
        &mut self,
        el: &mut Elab<'b>,
        (n, t, v, b, bi): (Name, Expr, Option<Expr>, Expr, BinderInfo),
        word: &'static str,
    ) -> Option<Bound> {
        if let Some(found) = self.visit(el, t, "fun") {
            return Some(found);
        }
        if let Some(found) = v.and_then(|v| self.visit(el, v, "fun")) {
            return Some(found);
        }
        let st = el.st;
        let x = match v {
            None => el.push_local(n, t, bi),
            Some(v) => el.push_let(n, t, v),
        };
        let id = super::util::as_fvar(st, x)?;
        self.opened.push((id, word));
        let found = self.visit(el, st.instantiate1(b, x), "fun");
        self.opened.pop();
        found
    }

    /// Whether the term itself is an instance with a bound variable.
    fn at<'b>(&mut self, el: &mut Elab<'b>, e: Expr) -> Option<Bound> {
        let st = el.st;
        if el.head_const(e) != self.head
            || st.unfold_app(e).1.len() != st.unfold_app(self.pattern).1.len()
        {
            return None;
        }
        let (k, (x, binder)) = self
            .opened
            .iter()
            .copied()
            .enumerate()
            .find(|(_, (x, _))| mentions(st, e, &[*x]))?;
        let saved = el.save();
        let p = here(el, self.pattern);
        let fits = el.with_transparency(Transparency::Reducible, |el| el.is_defeq(e, p));
        el.restore(&saved);
        fits.then(|| Bound {
            instance: el.pp_short(e),
            variable: st.name_to_string(el.local(x).user_name),
            binder,
            outermost: k == 0,
        })
    }
}

/// The pattern with fresh variables, which may stand for what is bound here.
fn here<'b>(el: &mut Elab<'b>, pattern: Expr) -> Expr {
    let st = el.st;
    let old = el.collect_mvars(pattern);
    let mut new: Vec<Expr> = Vec::new();
    let renamed = |e: Expr, new: &[Expr]| {
        st.replace(e, |x, _| match st.node(x) {
            _ if !st.has_mvar(x) => Some(x),
            Node::MVar(i) => {
                let k = old.iter().take(new.len()).position(|m| m.0 == i);
                Some(k.map_or(x, |k| new[k]))
            }
            _ => None,
        })
    };
    for m in &old {
        let ty = el.mvar_type(*m);
        let ty = renamed(ty, &new);
        new.push(el.mk_fresh_mvar(ty));
    }
    renamed(pattern, &new)
}
