//! `decide`: a decidable proposition is evaluated.

use logic::{Checker, Expr, KernelError};

use crate::meta::{Elab, ElabError, MVarId, Result};

use super::util::on_goal;

/// What evaluating a decision gives.
enum Verdict {
    True,
    False,
    Stuck(Expr),
    /// A limit of the evaluator was reached.
    CutShort(String),
}

/// `decide`: proves the goal by evaluating its `Decidable` instance with the kernel.
pub(crate) fn decide<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    let st = el.st;
    let target = el.mvar_type(m);
    if st.has_mvar(target) {
        let err = ElabError::msg("`decide` needs a goal without unknowns (`?…`)");
        return Err(on_goal(el, err, m));
    }
    let inst = el
        .with_goal(m, |el| {
            let ty = st.app(st.const0("Decidable"), target);
            el.synth_instance(ty)
        })
        .map_err(|e| {
            let t = el.with_goal(m, |el| el.pp(target));
            ElabError::msg(format!("`decide` finds no way to decide `{t}`"))
                .note(e.message().to_owned())
        })?;
    let inst = el.instantiate_mvars(inst);
    let dec = st.apps(st.const0("Decidable.decide"), &[target, inst]);
    match evaluate(el, dec) {
        Verdict::True => {}
        Verdict::False => {
            let t = el.with_goal(m, |el| el.pp(target));
            let err = ElabError::msg(format!("this proposition is false: `{t}`"))
                .note("its decision procedure evaluates to `false`");
            return Err(on_goal(el, err, m));
        }
        Verdict::CutShort(limit) => {
            let err = ElabError::msg(format!(
                "`decide` gave up evaluating this proposition: {limit}"
            ))
            .note("whether it is true is not known")
            .help("state it for fewer values, or prove it by `omega`, `simp` or `induction`");
            return Err(on_goal(el, err, m));
        }
        Verdict::Stuck(e) => {
            let e = el.with_goal(m, |el| el.pp(e));
            let mut err = ElabError::msg("`decide` cannot evaluate this proposition");
            if st.has_fvar(target) {
                err = err
                    .note("it depends on variables, and evaluation needs their values")
                    .help("`by_cases` or `cases` distinguish their values; `omega` and `simp` reason about them");
            } else {
                err = err.note(format!("evaluation stops at `{e}`"));
            }
            return Err(on_goal(el, err, m));
        }
    }
    let one = st.level_nat(1);
    let refl = st.constant(st.name("Eq.refl"), &[one]);
    let proof = st.apps(refl, &[st.const0("Bool"), st.const0("Bool.true")]);
    let e = st.apps(st.const0("of_decide_eq_true"), &[target, inst, proof]);
    el.assign(m, e);
    Ok(Vec::new())
}

/// Evaluates a Boolean: a closed one by the kernel, an open one by the elaborator.
fn evaluate<'b>(el: &mut Elab<'b>, e: Expr) -> Verdict {
    let st = el.st;
    let value = if st.has_fvar(e) || st.has_mvar(e) || st.has_level_mvar(e) {
        el.whnf_all(e)
    } else {
        let params = el.scope.level_params.clone();
        let env = el.env.clone();
        let mut checker = Checker::new(&env, &params);
        match checker.whnf(e) {
            Ok(v) => v,
            Err(
                err @ (KernelError::OutOfSteps
                | KernelError::TooDeep
                | KernelError::NatTooBig
                | KernelError::TooManyTerms),
            ) => return Verdict::CutShort(err.display(st).to_string()),
            Err(_) => e,
        }
    };
    if value == st.const0("Bool.true") {
        Verdict::True
    } else if value == st.const0("Bool.false") {
        Verdict::False
    } else {
        Verdict::Stuck(value)
    }
}
