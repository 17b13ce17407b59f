//! Named alternatives (`with | c x y => …`) and the tactic `cases`.

use logic::{BinderInfo, ConstantInfo, Name};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use crate::syntax::ast::{self, Discr, Ident, InductionAlt, InductionAltHead};

use super::cases::{cases_core, generalize_term, intro_fields};
use super::induction::induction;
use super::util::{as_fvar, binder_name, nearest, run_closed, term_local};

/// A goal that an alternative of a `with` clause may close.
pub(crate) struct Branch {
    /// What the alternative is called: a constructor, or a minor premise of a custom principle.
    pub name: Name,
    /// What is to be shown.
    pub goal: MVarId,
    /// How many variables the alternative may name, in order of introduction, and which of them are implicit.
    pub infos: Vec<BinderInfo>,
    /// Variables to introduce after the named ones.
    pub rest: Vec<Name>,
    /// Whether the goal still has its variables in front.
    pub closed: bool,
}

/// The tactic `cases e, … with | c x y => …`.
pub(crate) fn cases<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    targets: &[Discr],
    using: Option<&ast::Term>,
    alts: Option<&[InductionAlt]>,
) -> Result<Vec<MVarId>> {
    if let Some(u) = using {
        return induction(el, m, targets, Some(u), &[], alts);
    }
    let [target] = targets else {
        if alts.is_some() {
            return Err(ElabError::msg(
                "`cases` with alternatives takes one value; use `rcases` or nested `cases` for several",
            ));
        }
        let mut goals = vec![m];
        for t in targets {
            let mut next = Vec::new();
            for g in goals {
                next.extend(cases(el, g, std::slice::from_ref(t), None, None)?);
            }
            goals = next;
        }
        return Ok(goals);
    };
    let (h, goal) = target_variable(el, m, target)?;
    let st = el.st;
    let heads: Vec<&InductionAltHead> = alts
        .unwrap_or_default()
        .iter()
        .flat_map(|a| &a.heads)
        .collect();
    let names = |ctor: Name, infos: &[BinderInfo]| -> Vec<Option<Name>> {
        match heads.iter().find(|hd| head_matches(st, hd, ctor)) {
            Some(hd) => spread_names(st, hd, infos),
            None => Vec::new(),
        }
    };
    if alts.is_some() {
        let ctors = constructors_of(el, h)?;
        check_heads(el, &heads, &ctors)?;
        for hd in &heads {
            check_count(el, hd, &ctors)?;
        }
    }
    let done = cases_core(el, goal, h, &names)?;
    let branches = done
        .into_iter()
        .map(|c| Branch {
            name: c.ctor,
            goal: c.goal,
            infos: Vec::new(),
            rest: Vec::new(),
            closed: false,
        })
        .collect();
    finish(el, branches, alts)
}

/// An error if a case names more variables than its constructor has.
fn check_count<'b>(el: &Elab<'b>, head: &InductionAltHead, ctors: &[Name]) -> Result<()> {
    let st = el.st;
    let Some(ctor) = ctors.iter().find(|c| head_matches(st, head, **c)) else {
        return Ok(());
    };
    let Some(ConstantInfo::Constructor(c)) = el.env.get(*ctor) else {
        return Ok(());
    };
    let infos = super::rcases::field_infos(st, c.sig.ty, c.num_params as usize);
    let n = count_named(head, &infos);
    if head.vars.len() > n {
        return Err(too_many(head, n));
    }
    Ok(())
}

fn too_many(head: &InductionAltHead, n: usize) -> ElabError {
    let given = head.vars.len();
    let vars = if n == 1 { "variable" } else { "variables" };
    ElabError::new(
        head.span,
        format!("this case has {n} {vars} to name, but {given} names are given"),
    )
}

fn constructors_of<'b>(el: &mut Elab<'b>, h: FVarId) -> Result<Vec<Name>> {
    let ty = el.local(h).ty;
    let ty = el.instantiate_mvars(ty);
    Ok(el
        .get_inductive_app(ty)
        .map(|(i, ..)| i.ctors.clone())
        .unwrap_or_default())
}

/// The variable to distinguish: a hypothesis itself, or a new one that stands for a term.
pub(crate) fn target_variable<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    d: &Discr,
) -> Result<(FVarId, MVarId)> {
    if d.hyp.is_none()
        && let Some(x) = term_local(el, m, &d.e)
        && el.local(x).value.is_none()
    {
        return Ok((x, m));
    }
    let (e, new) = el.with_goal(m, |el| el.elab_for_tactic(&d.e, None, false))?;
    if !new.is_empty() {
        return Err(ElabError::new(
            d.e.span,
            "this value is not determined completely",
        ));
    }
    let e = el.instantiate_mvars(e);
    if d.hyp.is_none()
        && let Some(x) = as_fvar(el.st, e)
        && el.local(x).value.is_none()
    {
        return Ok((x, m));
    }
    let eq = d.hyp.as_ref().map(|b| binder_name(el.st, b));
    let (x, _, goal) = generalize_term(el, m, e, None, eq)?;
    Ok((x, goal))
}

fn head_matches(st: &logic::Store<'_>, head: &InductionAltHead, ctor: Name) -> bool {
    head.ctor
        .as_ref()
        .is_some_and(|c| name_matches(st, c, ctor))
}

/// `c` names `T.c`, by its last component or by a longer suffix.
fn name_matches(st: &logic::Store<'_>, id: &Ident, full: Name) -> bool {
    let spelled = st.name_to_string(full);
    let wanted = id.parts().join(".");
    spelled == wanted || spelled.ends_with(&format!(".{wanted}"))
}

/// The names that a pattern head gives to the variables: to explicit ones only, unless it begins with `@`.
fn spread_names(
    st: &logic::Store<'_>,
    head: &InductionAltHead,
    infos: &[BinderInfo],
) -> Vec<Option<Name>> {
    let mut given = head.vars.iter();
    let mut out = Vec::with_capacity(infos.len());
    for bi in infos {
        if head.explicit || *bi == BinderInfo::Default {
            out.push(given.next().and_then(|b| binder_name(st, b)));
        } else {
            out.push(None);
        }
    }
    out
}

pub(crate) fn check_heads<'b>(
    el: &Elab<'b>,
    heads: &[&InductionAltHead],
    known: &[Name],
) -> Result<()> {
    let st = el.st;
    for (k, h) in heads.iter().enumerate() {
        let Some(id) = &h.ctor else { continue };
        if !known.iter().any(|c| name_matches(st, id, *c)) {
            let spelled: Vec<String> = known
                .iter()
                .map(|c| {
                    st.name_last(*c)
                        .map_or_else(|| st.name_to_string(*c), str::to_owned)
                })
                .collect();
            let mut err = ElabError::new(h.span, format!("there is no case `{}`", id.name));
            if let Some(n) = nearest(&id.name, &spelled) {
                err = err.help(format!("did you mean `{n}`?"));
            }
            let list = spelled.join("`, `");
            return Err(if known.is_empty() {
                err.note("the type has no constructors")
            } else {
                err.note(format!("the cases are `{list}`"))
            });
        }
        let twice = heads[..k]
            .iter()
            .any(|o| o.ctor.as_ref().is_some_and(|c| c.name == id.name));
        if twice {
            return Err(ElabError::new(
                h.span,
                format!("the case `{}` is treated twice", id.name),
            ));
        }
    }
    Ok(())
}

/// Introduces what is left in front of each branch and runs the alternatives. Without alternatives the goals remain.
pub(crate) fn finish<'b>(
    el: &mut Elab<'b>,
    branches: Vec<Branch>,
    alts: Option<&[InductionAlt]>,
) -> Result<Vec<MVarId>> {
    let st = el.st;
    let mut goals = Vec::new();
    let mut missing = Vec::new();
    for b in branches {
        let found = alts.and_then(|alts| {
            let exact = alts.iter().find_map(|a| {
                let h = a.heads.iter().find(|h| head_matches(st, h, b.name))?;
                Some((a, h))
            });
            exact.or_else(|| {
                alts.iter().find_map(|a| {
                    let h = a.heads.iter().find(|h| h.ctor.is_none())?;
                    Some((a, h))
                })
            })
        });
        let names = found
            .map(|(_, h)| spread_names(st, h, &b.infos))
            .unwrap_or_default();
        if let Some((_, h)) = found
            && b.closed
            && h.vars.len() > count_named(h, &b.infos)
        {
            return Err(too_many(h, count_named(h, &b.infos)));
        }
        let (_, goal) = intro_fields(el, b.goal, &b.infos, &names)?;
        let (_, goal) = el.intro_n(goal, b.rest.len(), &b.rest)?;
        match (alts, found) {
            (None, _) => goals.push(goal),
            (Some(_), Some((a, _))) => run_closed(el, goal, &a.body)?,
            (Some(_), None) => missing.push((b.name, goal)),
        }
    }
    if !missing.is_empty() {
        let list: Vec<String> = missing
            .iter()
            .map(|(n, _)| {
                let last = st.name_last(*n).unwrap_or("_");
                format!("`{last}`")
            })
            .collect();
        let mut err = ElabError::msg(format!("no alternative for the case {}", list.join(", ")))
            .help(format!(
                "add `| {} … => …`, or `| _ => …` for all that are left",
                list[0].trim_matches('`')
            ));
        for (_, g) in missing {
            err = super::util::on_goal(el, err, g);
        }
        return Err(err);
    }
    Ok(goals)
}

fn count_named(h: &InductionAltHead, infos: &[BinderInfo]) -> usize {
    if h.explicit {
        infos.len()
    } else {
        infos.iter().filter(|b| **b == BinderInfo::Default).count()
    }
}
