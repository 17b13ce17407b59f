//! `unfold f`: definitions are replaced by what they say.

use logic::{ConstantInfo, Expr, Name, Node};

use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{Ident, Location};

use super::location::{at_places, places};
use super::util::on_goal;

/// `unfold f g at h`.
pub(crate) fn unfold<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    names: &[Ident],
    loc: Option<&Location>,
) -> Result<Vec<MVarId>> {
    let places = places(el, m, loc)?;
    let mut consts = Vec::new();
    for id in names {
        let n = el.resolve_const(id)?;
        if !matches!(el.env.get(n), Some(ConstantInfo::Definition { .. })) {
            let what = match el.env.get(n) {
                Some(ConstantInfo::Theorem { .. }) => "a theorem",
                Some(ConstantInfo::Axiom { .. }) => "an axiom",
                Some(ConstantInfo::Inductive(_)) => "an inductive type",
                Some(ConstantInfo::Constructor(_)) => "a constructor",
                _ => "no definition",
            };
            return Err(ElabError::new(
                id.span,
                format!("`{}` is {what}: there is nothing to unfold", id.name),
            ));
        }
        consts.push((n, id));
    }
    at_places(el, m, &places, &mut |el, g, place| {
        let mut goal = g;
        let mut place = place;
        for (n, id) in &consts {
            let ty = match place {
                None => el.mvar_type(goal),
                Some(h) => el.local(h).ty,
            };
            let ty = el.instantiate_mvars(ty);
            let new = el.with_goal(goal, |el| unfold_in(el, ty, *n));
            if new == ty {
                let err = ElabError::new(
                    id.span,
                    format!("`{}` does not occur here in a form that unfolds", id.name),
                );
                return Err(on_goal(el, err, goal));
            }
            match place {
                None => goal = el.change_goal(goal, new)?,
                Some(h) => {
                    let h_e = el.mk_fvar(h);
                    let (h2, g2) = el.replace_local(goal, h, new, h_e)?;
                    goal = g2;
                    place = Some(h2);
                }
            }
        }
        Ok(vec![goal])
    })
}

/// Unfolds the constant once at each of its occurrences. Recursive functions unfold where their argument shows a
/// constructor.
pub(crate) fn unfold_in<'b>(el: &mut Elab<'b>, e: Expr, n: Name) -> Expr {
    let st = el.st;
    let mut memo = rustc_hash::FxHashMap::default();
    go(el, e, n, &mut memo, st)
}

fn go<'b>(
    el: &mut Elab<'b>,
    e: Expr,
    n: Name,
    memo: &mut rustc_hash::FxHashMap<Expr, Expr>,
    st: &'b logic::Store<'b>,
) -> Expr {
    if let Some(r) = memo.get(&e) {
        return *r;
    }
    let r = logic::subst::with_stack(|| match st.node(e) {
        Node::App(..) | Node::Const(..) => {
            let (f, args) = st.unfold_app(e);
            let args: Vec<Expr> = args.iter().map(|a| go(el, *a, n, memo, st)).collect();
            let f2 = if matches!(st.node(f), Node::Const(..)) {
                f
            } else {
                go(el, f, n, memo, st)
            };
            let whole = st.apps(f2, &args);
            match st.node(f2) {
                Node::Const(c, _) if c == n => {
                    el.unfold_definition(whole).map_or(whole, |u| el.head_beta(u))
                }
                _ => whole,
            }
        }
        Node::Lam(x, t, b, bi) => {
            let t = go(el, t, n, memo, st);
            let b = go(el, b, n, memo, st);
            st.lam(x, t, b, bi)
        }
        Node::Pi(x, t, b, bi) => {
            let t = go(el, t, n, memo, st);
            let b = go(el, b, n, memo, st);
            st.pi(x, t, b, bi)
        }
        Node::Let(x, t, v, b) => {
            let t = go(el, t, n, memo, st);
            let v = go(el, v, n, memo, st);
            let b = go(el, b, n, memo, st);
            st.let_(x, t, v, b)
        }
        Node::Proj(s, i, x) => {
            let x = go(el, x, n, memo, st);
            st.proj(s, i, x)
        }
        _ => e,
    });
    memo.insert(e, r);
    r
}
