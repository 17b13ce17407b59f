//! Tactics without a grammar of their own, known by the word at their head.

use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{Ident, RPattern, RPatternKind, TacticArg, TacticArgKind, Term};

use super::util::{nearest, term_ident};
use super::{auto, contradiction, ctor, ext, index, subst};

/// The words that tactics begin with: those of this module, and those with a grammar of their own.
pub const KNOWN: &[&str] = &[
    "absurd",
    "all_goals",
    "and_intros",
    "any_goals",
    "apply",
    "assumption",
    "auto",
    "bits",
    "by_cases",
    "calc",
    "case",
    "cases",
    "cases'",
    "change",
    "clear",
    "congr",
    "constructor",
    "contradiction",
    "decide",
    "done",
    "dsimp",
    "exact",
    "exacts",
    "exfalso",
    "exists",
    "ext",
    "first",
    "funext",
    "generalize",
    "have",
    "index",
    "induction",
    "infer_instance",
    "injection",
    "intro",
    "intros",
    "left",
    "let",
    "match",
    "next",
    "nofun",
    "nomatch",
    "obtain",
    "omega",
    "rcases",
    "refine",
    "rename_i",
    "repeat",
    "revert",
    "rewrite",
    "rfl",
    "right",
    "ring",
    "rintro",
    "rotate_left",
    "rotate_right",
    "rw",
    "rwa",
    "show",
    "simp",
    "simp_all",
    "simpa",
    "skip",
    "sorry",
    "specialize",
    "split",
    "split_ifs",
    "subst",
    "subst_vars",
    "suffices",
    "swap",
    "symexec",
    "symm",
    "trans",
    "trivial",
    "try",
    "unfold",
    "use",
];

fn terms(args: &[TacticArg]) -> Vec<&Term> {
    args.iter()
        .filter_map(|a| match &a.kind {
            TacticArgKind::Term(t) => Some(t),
            _ => None,
        })
        .collect()
}

/// Names after a tactic, given by `with` or without it.
fn patterns(args: &[TacticArg]) -> Vec<RPattern> {
    let mut out = Vec::new();
    for a in args {
        match &a.kind {
            TacticArgKind::With(ps) => out.extend(ps.iter().cloned()),
            TacticArgKind::Term(t) => {
                if let Some(i) = term_ident(t) {
                    out.push(RPattern {
                        kind: RPatternKind::Name(i.clone()),
                        span: t.span,
                    });
                }
            }
            _ => {}
        }
    }
    out
}

fn misused(name: &Ident) -> ElabError {
    ElabError::new(
        name.span,
        format!("`{}` does not take these arguments", name.name),
    )
}

/// Runs a tactic by name.
pub(crate) fn run<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    name: &Ident,
    args: &[TacticArg],
) -> Result<Vec<MVarId>> {
    let ts = terms(args);
    match (&*name.name, &ts[..]) {
        ("injection", [t, ..]) => {
            let Some(id) = term_ident(t) else {
                return Err(ElabError::new(
                    t.span,
                    "`injection` takes the name of a hypothesis",
                ));
            };
            let id = id.clone();
            let pats = patterns(&args[1..]);
            ext::injection(el, m, &id, &pats)
        }
        ("subst_vars", []) => subst::subst_vars(el, m),
        ("and_intros", []) => ctor::and_intros(el, m),
        ("infer_instance", []) => {
            let ty = el.mvar_type(m);
            let e = el.with_goal(m, |el| el.synth_instance(ty))?;
            el.assign_checked(m, e)?;
            Ok(Vec::new())
        }
        ("absurd", [t]) => {
            let (h, _) = el.with_goal(m, |el| el.elab_for_tactic(t, None, false))?;
            let p = el.with_goal(m, |el| el.infer_type(h))?;
            let p = el.instantiate_mvars(p);
            let not_p = el.mk_not(p);
            let g = {
                let lctx = el.mvar_lctx(m);
                super::util::goal_in(el, lctx, not_p, logic::Name::ANON)
            };
            let target = el.mvar_type(m);
            let g_e = el.mk_mvar(g);
            let e = el.with_goal(m, |el| el.mk_absurd(target, h, g_e))?;
            el.assign(m, e);
            Ok(vec![g])
        }
        ("auto", []) => auto::auto(el, m),
        ("symexec", _) => crate::symexec::symexec(el, m, args),
        ("bits", []) => super::bits::bits(el, m),
        ("index", _) => {
            let (mut extra, mut report) = (&[][..], None);
            for a in args {
                match &a.kind {
                    TacticArgKind::List(rules) => extra = &rules[..],
                    TacticArgKind::Term(t)
                        if term_ident(t).is_some_and(|i| &*i.name == "report") =>
                    {
                        report = Some(name.span);
                    }
                    _ => return Err(misused(name)),
                }
            }
            index::index(el, m, extra, report)
        }
        ("nofun", []) => {
            let mut goal = m;
            while let Ok((_, g)) = el.try_or_restore(|el| el.intro(goal, None)) {
                goal = g;
            }
            contradiction::contradiction(el, goal)
        }
        _ => {
            let known: Vec<String> = KNOWN.iter().map(|s| (*s).to_owned()).collect();
            let mut err = ElabError::new(
                name.span,
                if KNOWN.contains(&&*name.name) {
                    format!("`{}` does not take these arguments", name.name)
                } else {
                    format!("there is no tactic `{}`", name.name)
                },
            );
            if let Some(n) = nearest(&name.name, &known)
                && n != &*name.name
            {
                err = err.help(format!("did you mean `{n}`?"));
            }
            Err(err.note("the chapter Tactics of the book (`book/src/tactics.md`) shows them all"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KNOWN;

    /// The words of the arms of a `match` in a source file: `"word" =>`, `Kw::Word =>`.
    fn arms(source: &str) -> Vec<String> {
        let mut words = Vec::new();
        for line in source.lines().map(str::trim_start) {
            let Some((pattern, _)) = line.split_once("=>") else {
                continue;
            };
            let word = match pattern.strip_prefix("Kw::") {
                Some(kw) => kw.trim().to_lowercase(),
                None => match pattern.strip_prefix('"').and_then(|p| p.split_once('"')) {
                    Some((word, _)) => word.to_owned(),
                    None => continue,
                },
            };
            words.push(word);
        }
        words
    }

    #[test]
    fn all_that_have_a_grammar_are_known() {
        let forms = arms(include_str!("../syntax/parser/tactic_forms.rs"));
        let blocks = arms(include_str!("../syntax/parser/tactic.rs"));
        assert!(forms.iter().any(|w| w == "have") && forms.iter().any(|w| w == "intro"));
        assert!(blocks.iter().any(|w| w == "case"));
        for word in forms.iter().chain(&blocks) {
            // `if` as a tactic is an error that says what to write.
            assert!(KNOWN.contains(&&**word) || word == "if", "`{word}`");
        }
    }

    #[test]
    fn they_are_in_order() {
        assert!(KNOWN.is_sorted());
    }
}
