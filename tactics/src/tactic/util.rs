//! What all tactics share: hypotheses by name, goals in a given context, substitutions of free variables.

use logic::{Expr, Name, Node, Store};

use crate::meta::{Elab, ElabError, FVarId, LCtx, MVarId, Result};
use crate::syntax::ast::{self, BinderName, Ident};

/// What became of free variables when hypotheses were reverted and introduced again, or substituted away.
#[derive(Clone, Debug, Default)]
pub(crate) struct FVarSubst(Vec<(FVarId, Expr)>);

impl FVarSubst {
    /// Records that `x` now is `e`. Earlier entries that mention `x` are rewritten.
    pub fn insert(&mut self, st: &Store<'_>, x: FVarId, e: Expr) {
        for (_, old) in &mut self.0 {
            *old = replace_fvar(st, *old, x, e);
        }
        self.0.push((x, e));
    }

    /// First this substitution, then `next`.
    pub fn then(&mut self, st: &Store<'_>, next: &FVarSubst) {
        for (x, e) in &next.0 {
            self.insert(st, *x, *e);
        }
    }

    /// A term with the variables replaced.
    pub fn apply(&self, st: &Store<'_>, e: Expr) -> Expr {
        if self.0.is_empty() || !st.has_fvar(e) {
            return e;
        }
        st.replace(e, |x, _| {
            if !st.has_fvar(x) {
                return Some(x);
            }
            match st.node(x) {
                Node::FVar(id) => Some(
                    self.0
                        .iter()
                        .find(|(y, _)| y.0 == id)
                        .map_or(x, |(_, e)| *e),
                ),
                _ => None,
            }
        })
    }

    /// What became of a variable, if it still is a variable.
    pub fn fvar(&self, st: &Store<'_>, x: FVarId) -> Option<FVarId> {
        match self.0.iter().find(|(y, _)| *y == x) {
            None => Some(x),
            Some((_, e)) => as_fvar(st, *e),
        }
    }
}

/// `e` with a free variable replaced by a closed-enough term (without loose bound variables).
pub(crate) fn replace_fvar(st: &Store<'_>, e: Expr, x: FVarId, by: Expr) -> Expr {
    if !st.has_fvar(e) {
        return e;
    }
    let fvar = st.fvar(x.0);
    let abs = st.abstract_fvars(e, &[fvar]);
    st.instantiate1(abs, by)
}

/// The variable that a term is.
pub(crate) fn as_fvar(st: &Store<'_>, e: Expr) -> Option<FVarId> {
    match st.node(e) {
        Node::FVar(id) => Some(FVarId(id)),
        _ => None,
    }
}

/// Whether one of the variables occurs in a term.
pub(crate) fn mentions(st: &Store<'_>, e: Expr, xs: &[FVarId]) -> bool {
    if xs.is_empty() || !st.has_fvar(e) {
        return false;
    }
    let mut found = false;
    st.replace(e, |x, _| {
        if found || !st.has_fvar(x) {
            return Some(x);
        }
        if let Node::FVar(id) = st.node(x) {
            found |= xs.iter().any(|y| y.0 == id);
            return Some(x);
        }
        None
    });
    found
}

/// The variables of a context that depend on one of `xs` (those in `xs` left out), in the order of the context.
pub(crate) fn dependents<'b>(el: &mut Elab<'b>, lctx: &LCtx, xs: &[FVarId]) -> Vec<FVarId> {
    let mut all: Vec<FVarId> = xs.to_vec();
    let mut out = Vec::new();
    for id in context(lctx) {
        if all.contains(&id) {
            continue;
        }
        let d = el.local(id);
        // The function under definition stays where it is.
        if d.aux {
            continue;
        }
        let ty = el.instantiate_mvars(d.ty);
        let value = d.value.map(|v| el.instantiate_mvars(v));
        if mentions(el.st, ty, &all) || value.is_some_and(|v| mentions(el.st, v, &all)) {
            all.push(id);
            out.push(id);
        }
    }
    out
}

/// The variables of a context in order.
pub(crate) fn context(lctx: &LCtx) -> Vec<FVarId> {
    lctx.iter().collect()
}

/// A new goal in a context.
pub(crate) fn goal_in<'b>(el: &mut Elab<'b>, lctx: LCtx, ty: Expr, tag: Name) -> MVarId {
    let old = std::mem::replace(&mut el.lctx, lctx);
    let m = el.mk_goal(ty, tag);
    el.lctx = old;
    m
}

/// The tag (`case` name) of a goal.
pub(crate) fn tag<'b>(el: &Elab<'b>, m: MVarId) -> Name {
    el.mvar_decl(m).user_name
}

/// The hypothesis that a script names.
pub(crate) fn hypothesis<'b>(el: &mut Elab<'b>, m: MVarId, id: &Ident) -> Result<FVarId> {
    let lctx = el.mvar_lctx(m);
    let name = el.st.name(&id.name);
    if let Some(x) = el.find_local(&lctx, name) {
        return Ok(x);
    }
    let mut known = Vec::new();
    for x in context(&lctx) {
        let n = el.local(x).user_name;
        known.push(el.st.name_to_string(n));
    }
    known.retain(|k| !k.ends_with('✝'));
    let mut err = ElabError::new(
        id.span,
        format!("there is no hypothesis `{}` in this goal", id.name),
    );
    if let Some(near) = nearest(&id.name, &known) {
        err = err.help(format!("a hypothesis with a similar name exists: `{near}`"));
    }
    Err(on_goal(el, err, m))
}

/// Whether the script can use a constant: it is there and not hidden.
pub(crate) fn sees(el: &Elab<'_>, name: &str) -> bool {
    let n = el.name(name);
    el.env.get(n).is_some() && !el.is_hidden(n)
}

/// The library file of a tactic has to be imported: the script sees this theorem of it.
/// `code` is that of the tactic's errors.
pub(crate) fn needs(el: &Elab<'_>, code: &'static str, theorem: &str, library: &str) -> Result<()> {
    if sees(el, theorem) {
        return Ok(());
    }
    let tactic = code.strip_prefix("tactic.").unwrap_or(code);
    Err(
        ElabError::msg(format!("`{tactic}` needs the library file `{library}`"))
            .code(code)
            .help(format!("import \"{library}\" (or a file that imports it)")),
    )
}

/// The goal after everything that it begins with is introduced.
pub(crate) fn intro_all<'b>(el: &mut Elab<'b>, goal: MVarId) -> Result<MVarId> {
    let mut m = goal;
    loop {
        let ty = el.mvar_type(m);
        let ty = el.instantiate_mvars(ty);
        match el.st.node(ty) {
            Node::Pi(..) | Node::Let(..) => m = el.intro(m, None)?.1,
            _ => return Ok(m),
        }
    }
}

/// Closes the goal with a proof, or shows the goal below the error.
pub(crate) fn close<'b>(el: &mut Elab<'b>, m: MVarId, proof: Result<Expr>) -> Result<Vec<MVarId>> {
    match proof {
        Ok(p) => {
            el.assign(m, p);
            Ok(Vec::new())
        }
        Err(e) => Err(on_goal(el, e, m)),
    }
}

/// The error with the goal printed below it.
pub(crate) fn on_goal<'b>(el: &mut Elab<'b>, err: ElabError, m: MVarId) -> ElabError {
    let text = el.pp_goal(m);
    err.goal_text(text)
}

/// The candidate nearest in spelling, if one is near.
pub(crate) fn nearest<'a>(word: &str, candidates: &'a [String]) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .iter()
        .map(|c| (strsim::levenshtein(word, c), c))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, c)| c.as_str())
}

/// A binder's name in the elaborator's form; `None` for `_`.
pub(crate) fn binder_name(st: &Store<'_>, b: &BinderName) -> Option<Name> {
    b.name.as_ref().map(|i| ident_name(st, i))
}

/// An atomic identifier as a name of one component.
pub(crate) fn ident_name(st: &Store<'_>, i: &Ident) -> Name {
    i.parts()
        .into_iter()
        .fold(Name::ANON, |p, s| st.name_str(p, s))
}

/// The name of a hypothesis if a term is nothing but that name.
pub(crate) fn term_ident(t: &ast::Term) -> Option<&Ident> {
    match &t.kind {
        ast::TermKind::Ident {
            id,
            levels: None,
            explicit: false,
        } => Some(id),
        _ => None,
    }
}

/// The local variable that a term names, if it names one.
pub(crate) fn term_local<'b>(el: &mut Elab<'b>, m: MVarId, t: &ast::Term) -> Option<FVarId> {
    let id = term_ident(t)?;
    if !id.is_atomic() {
        return None;
    }
    let lctx = el.mvar_lctx(m);
    let name = ident_name(el.st, id);
    el.find_local(&lctx, name)
}

/// Clears a hypothesis if nothing depends on it.
pub(crate) fn try_clear<'b>(el: &mut Elab<'b>, m: MVarId, x: FVarId) -> MVarId {
    if !el.mvar_lctx(m).contains(x) {
        return m;
    }
    el.clear(m, x).unwrap_or(m)
}

/// Steps for an attempt that unfolds definitions and need not succeed.
pub(crate) const ATTEMPT: u64 = 200_000;

/// Runs `f` with at most `steps` more steps of work; beyond these its comparisons fail. For attempts at what would be
/// convenient: one that unfolds arithmetic on variables could run for ever.
pub(crate) fn with_budget<'b, R>(
    el: &mut Elab<'b>,
    steps: u64,
    f: impl FnOnce(&mut Elab<'b>) -> R,
) -> R {
    let old = el.max_steps;
    el.max_steps = old.min(el.steps.saturating_add(steps));
    let r = f(el);
    el.max_steps = old;
    r
}

/// The type of a term of a goal, as a person would write it: a function put in for a variable is applied.
pub(crate) fn stated_type<'b>(el: &mut Elab<'b>, m: MVarId, e: Expr) -> Result<Expr> {
    let ty = el.with_goal(m, |el| el.infer_type(e))?;
    let ty = el.instantiate_mvars(ty);
    Ok(el.beta_everywhere(ty))
}

/// Elaborates a type in the context of a goal, completely.
pub(crate) fn elab_type<'b>(el: &mut Elab<'b>, m: MVarId, t: &ast::Term) -> Result<Expr> {
    let ty = el.with_goal(m, |el| el.isolated(|el| el.elab_type(t)))?;
    Ok(el.instantiate_mvars(ty))
}

/// Elaborates a type that should equal another one, which fills in what it leaves open. Whether it does is not checked.
pub(crate) fn elab_type_like<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    t: &ast::Term,
    other: Expr,
) -> Result<Expr> {
    let ty = el.with_goal(m, |el| {
        el.isolated(|el| {
            let ty = el.elab_type(t)?;
            let _ = el.is_defeq(ty, other);
            Ok(ty)
        })
    })?;
    Ok(el.instantiate_mvars(ty))
}

/// Runs a block on one goal, which it has to close.
pub(crate) fn run_closed<'b>(
    el: &mut Elab<'b>,
    goal: MVarId,
    block: &ast::TacticBlock,
) -> Result<()> {
    el.run_block_closed(goal, block)
}

/// Runs `f` so that errors inside of nested `by` blocks are errors, not holes that are reported and passed over: for
/// tactics that try something.
pub(crate) fn strictly<'b, R>(el: &mut Elab<'b>, f: impl FnOnce(&mut Elab<'b>) -> R) -> R {
    let old = std::mem::replace(&mut el.recover, false);
    let r = f(el);
    el.recover = old;
    r
}
