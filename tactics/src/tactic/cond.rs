//! Conditions: `by_cases`, `split`, `split_ifs`.

use logic::{BinderInfo, Expr, Name, Node};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use crate::syntax::ast::{BinderName, Location, Term};

use super::cases::{cases_core, generalize_term, no_names};
use super::location::{at_places, places};
use super::util::{binder_name, elab_type, goal_in, mentions, on_goal};

/// `by_cases h : p`: the cases `p` and `¬p`, by a decision procedure if there is one, else classically.
pub(crate) fn by_cases<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    hyp: Option<&BinderName>,
    prop: &Term,
) -> Result<Vec<MVarId>> {
    let p = elab_type(el, m, prop)?;
    let p = el.instantiate_mvars(p);
    if !el.with_goal(m, |el| el.is_prop(p)) {
        let t = el.pp(p);
        return Err(ElabError::new(
            prop.span,
            format!("`by_cases` distinguishes whether a proposition holds, but `{t}` is none"),
        ));
    }
    let name = hyp.and_then(|b| binder_name(el.st, b));
    let name = match name {
        Some(n) => n,
        None if hyp.is_some() => el.inaccessible(el.name("h")),
        None => el.name("h"),
    };
    by_cases_core(el, m, p, name)
}

/// The two goals of a case distinction on `p`.
pub(crate) fn by_cases_core<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    p: Expr,
    name: Name,
) -> Result<Vec<MVarId>> {
    let st = el.st;
    let target = el.mvar_type(m);
    let u = el.with_goal(m, |el| el.level_of(target))?;
    let not_p = el.mk_not(p);
    let lctx = el.mvar_lctx(m);
    let imp = |hyp: Expr| st.pi(name, hyp, target, BinderInfo::Default);
    let pos = goal_in(el, lctx.clone(), imp(p), el.name("pos"));
    let neg = goal_in(el, lctx, imp(not_p), el.name("neg"));
    let (pos_e, neg_e) = (el.mk_mvar(pos), el.mk_mvar(neg));
    let dec_ty = st.app(st.const0("Decidable"), p);
    let inst = el
        .try_or_restore(|el| el.with_goal(m, |el| el.synth_instance(dec_ty)))
        .ok();
    let e = match inst {
        Some(inst) => {
            let c = st.constant(st.name("Decidable.casesOn"), &[u]);
            let motive = st.lam(st.name("x"), dec_ty, target, BinderInfo::Default);
            st.apps(c, &[p, motive, inst, neg_e, pos_e])
        }
        None => {
            if !el.with_goal(m, |el| el.is_prop(target)) {
                let t = el.pp(p);
                let err = ElabError::msg(format!(
                    "`{t}` has no decision procedure, and the goal is no proposition"
                ));
                return Err(on_goal(el, err, m));
            }
            let em = st.app(st.const0("Classical.em"), p);
            if el.env.get(st.name("Classical.em")).is_none() {
                let t = el.pp(p);
                return Err(ElabError::msg(format!(
                    "`{t}` has no decision procedure, and `Classical.em` is not imported"
                )));
            }
            let or = el.mk_or(p, not_p);
            let motive = st.lam(st.name("x"), or, target, BinderInfo::Default);
            let c = st.const0("Or.casesOn");
            st.apps(c, &[p, not_p, motive, em, pos_e, neg_e])
        }
    };
    el.assign(m, e);
    let (_, pos) = el.intro(pos, Some(name))?;
    let (_, neg) = el.intro(neg, Some(name))?;
    Ok(vec![pos, neg])
}

/// A place where a term branches.
enum Branching {
    /// `ite` or `dite` with condition and instance.
    If { cond: Expr, inst: Expr },
    /// A match on a term: its scrutinees.
    Match { major: Expr },
}

/// Looks for the outermost, leftmost branching without bound variables whose condition is not itself branching.
fn find_branching<'b>(el: &mut Elab<'b>, e: Expr) -> Option<Branching> {
    let st = el.st;
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        if !st.has_loose_bvars(e)
            && let Some(b) = branching_at(el, e)
        {
            // A condition that branches itself comes first.
            let inner = match &b {
                Branching::If { cond, .. } => find_branching(el, *cond),
                Branching::Match { major } => find_branching(el, *major),
            };
            return Some(inner.unwrap_or(b));
        }
        match st.node(e) {
            Node::App(f, a) => {
                stack.push(a);
                stack.push(f);
            }
            Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => {
                stack.push(b);
                stack.push(t);
            }
            Node::Let(_, t, v, b) => stack.extend([b, v, t]),
            Node::Proj(_, _, x) => stack.push(x),
            _ => {}
        }
    }
    None
}

fn branching_at<'b>(el: &mut Elab<'b>, e: Expr) -> Option<Branching> {
    let st = el.st;
    let (f, args) = st.unfold_app(e);
    let Node::Const(n, _) = st.node(f) else {
        return None;
    };
    let s = st.name_to_string(n);
    if (s == "ite" || s == "dite") && args.len() >= 5 {
        return Some(Branching::If {
            cond: args[1],
            inst: args[2],
        });
    }
    if (s == "cond" || s == "Bool.cond") && args.len() >= 4 {
        return Some(Branching::Match { major: args[1] });
    }
    if let Some(info) = el.cases_on_info(n) {
        let major = *args.get(info.major())?;
        return Some(Branching::Match { major });
    }
    None
}

/// Reduces the branching that a case distinction has decided, everywhere in a goal.
fn reduce_decided<'b>(el: &mut Elab<'b>, e: Expr) -> Expr {
    let st = el.st;
    st.replace(e, |x, _| {
        let (f, args) = st.unfold_app(x);
        let Node::Const(n, _) = st.node(f) else {
            return None;
        };
        let s = st.name_to_string(n);
        if (s == "ite" || s == "dite") && args.len() >= 5 {
            let (d, dargs) = st.unfold_app(args[2]);
            let Node::Const(dn, _) = st.node(d) else {
                return None;
            };
            let branch = match &*st.name_to_string(dn) {
                "Decidable.isTrue" => args[3],
                "Decidable.isFalse" => args[4],
                _ => return None,
            };
            let taken = if s == "dite" {
                st.app(branch, *dargs.get(1)?)
            } else {
                branch
            };
            let taken = st.apps(taken, &args[5..]);
            let taken = el.head_beta(taken);
            return Some(reduce_decided(el, taken));
        }
        if let Some(info) = el.cases_on_info(n)
            && let Some(major) = args.get(info.major())
            && (matches!(st.node(*major), Node::Nat(_)) || super::ext::is_ctor_app(el, *major))
        {
            let w = el.whnf_core(x);
            if w != x {
                return Some(reduce_decided(el, w));
            }
        }
        if (s == "cond" || s == "Bool.cond")
            && args.len() >= 4
            && let Some(w) = el.unfold_definition(x)
        {
            return Some(reduce_decided(el, w));
        }
        None
    })
}

/// One `split` of the goal. Names go to the new hypotheses.
fn split_goal<'b>(el: &mut Elab<'b>, m: MVarId, name: Option<Name>) -> Result<Option<Vec<MVarId>>> {
    let st = el.st;
    let target = el.mvar_type(m);
    let Some(b) = el.with_goal(m, |el| find_branching(el, target)) else {
        return Ok(None);
    };
    match b {
        Branching::If { cond, inst } => {
            let name = match name {
                Some(n) => n,
                None => el.inaccessible(el.name("h")),
            };
            split_if(el, m, cond, inst, name).map(Some)
        }
        Branching::Match { major } => {
            let mut out = Vec::new();
            let (x, eq, goal) = if let Some(x) = super::util::as_fvar(st, major)
                && el.local(x).value.is_none()
            {
                (x, None, m)
            } else {
                generalize_term(el, m, major, None, Some(name))?
            };
            let _ = eq;
            let cases = cases_core(el, goal, x, &no_names)?;
            for c in cases {
                let t = el.mvar_type(c.goal);
                let t2 = el.with_goal(c.goal, |el| reduce_decided(el, t));
                out.push(if t2 == t {
                    c.goal
                } else {
                    el.change_goal(c.goal, t2)?
                });
            }
            Ok(Some(out))
        }
    }
}

/// Splits on the instance of a condition: in each case the instance is a constructor, so every `if` on it reduces.
fn split_if<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    cond: Expr,
    inst: Expr,
    name: Name,
) -> Result<Vec<MVarId>> {
    let st = el.st;
    let target = el.mvar_type(m);
    let u = el.with_goal(m, |el| el.level_of(target))?;
    let dec_ty = st.app(st.const0("Decidable"), cond);
    let abs = el.with_goal(m, |el| abstract_exact(el, target, inst));
    let motive = st.lam(st.name("x"), dec_ty, abs, BinderInfo::Default);
    let not_cond = el.mk_not(cond);
    let lctx = el.mvar_lctx(m);
    let mut goals = Vec::new();
    for (ctor, hyp, label) in [
        ("Decidable.isTrue", cond, "isTrue"),
        ("Decidable.isFalse", not_cond, "isFalse"),
    ] {
        let c = st.const0(ctor);
        let value = st.apps(c, &[cond, st.bvar(0)]);
        let body = st.instantiate1(abs, value);
        let ty = st.pi(name, hyp, body, BinderInfo::Default);
        let g = goal_in(el, lctx.clone(), ty, el.name(label));
        goals.push(g);
    }
    let (pos, neg) = (el.mk_mvar(goals[0]), el.mk_mvar(goals[1]));
    let c = st.constant(st.name("Decidable.casesOn"), &[u]);
    el.assign(m, st.apps(c, &[cond, motive, inst, neg, pos]));
    let mut out = Vec::new();
    for g in goals {
        let (_, g) = el.intro(g, Some(name))?;
        let t = el.mvar_type(g);
        let t2 = el.with_goal(g, |el| reduce_decided(el, t));
        out.push(if t2 == t { g } else { el.change_goal(g, t2)? });
    }
    Ok(out)
}

/// Loose bound variable 0 in place of a term, found by identity.
fn abstract_exact<'b>(el: &mut Elab<'b>, e: Expr, what: Expr) -> Expr {
    let st = el.st;
    let e = el.instantiate_mvars(e);
    st.replace(e, |x, depth| (x == what).then(|| st.bvar(depth)))
}

/// `split`, `split at h`.
pub(crate) fn split<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    loc: Option<&Location>,
) -> Result<Vec<MVarId>> {
    let places = places(el, m, loc)?;
    at_places(el, m, &places, &mut |el, g, place| {
        split_at(el, g, place, None)?.ok_or_else(|| no_branching(el, g))
    })
}

fn no_branching<'b>(el: &mut Elab<'b>, m: MVarId) -> ElabError {
    let err = ElabError::msg("there is no `if` and no `match` to split here")
        .help("`unfold` makes those inside a definition visible");
    on_goal(el, err, m)
}

fn split_at<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    place: Option<FVarId>,
    name: Option<Name>,
) -> Result<Option<Vec<MVarId>>> {
    let Some(h) = place else {
        return split_goal(el, m, name);
    };
    let h_name = el.local(h).user_name;
    // The hypothesis goes into the goal, as an implication whose hypothesis is split.
    let st = el.st;
    let target = el.mvar_type(m);
    if mentions(st, target, &[h]) {
        return Ok(None);
    }
    let h_ty = el.local(h).ty;
    let h_ty = el.instantiate_mvars(h_ty);
    if el.with_goal(m, |el| find_branching(el, h_ty)).is_none() {
        return Ok(None);
    }
    let (reverted, g) = el.revert(m, &[h])?;
    let names: Vec<Name> = reverted.iter().map(|x| el.local(*x).user_name).collect();
    let Some(goals) = split_goal(el, g, name)? else {
        return Ok(None);
    };
    let _ = h_name;
    let mut out = Vec::new();
    for g in goals {
        let (_, g) = el.intro_n(g, names.len(), &names)?;
        out.push(g);
    }
    Ok(Some(out))
}

/// `split_ifs at h with a b`: splits as long as there is something to split, using what is known already.
pub(crate) fn split_ifs<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    loc: Option<&Location>,
    names: &[BinderName],
) -> Result<Vec<MVarId>> {
    let places = places(el, m, loc)?;
    let place = places.hyps.first().copied();
    let mut out = Vec::new();
    let any = go(el, m, place, names, &mut out)?;
    if !any {
        return Err(no_branching(el, m));
    }
    return Ok(out);

    fn go<'b>(
        el: &mut Elab<'b>,
        m: MVarId,
        place: Option<FVarId>,
        names: &[BinderName],
        out: &mut Vec<MVarId>,
    ) -> Result<bool> {
        let name = names.first().and_then(|b| binder_name(el.st, b));
        let h_name = place.map(|h| el.local(h).user_name);
        match split_at(el, m, place, name)? {
            None => {
                out.push(m);
                Ok(false)
            }
            Some(goals) => {
                for g in goals {
                    if super::contradiction::try_contradiction(el, g) {
                        continue;
                    }
                    let lctx = el.mvar_lctx(g);
                    let place = h_name.and_then(|n| el.find_local(&lctx, n));
                    let rest = names.get(1..).unwrap_or_default();
                    go(el, g, place, rest, out)?;
                }
                Ok(true)
            }
        }
    }
}
