//! `bits`: equations of words, and of numbers with bounds, digit by digit.
//!
//! Understood are the operations of `Word` and of `Nat` whose results are bits of their arguments, or sums of such: `&&&`,
//! `|||`, `^^^`, complements, shifts, masks, extensions, bytes and concatenations, sums, differences from constants,
//! multiples, quotients and remainders by powers of two, and definitions (the meanings of PTX instructions among them)
//! that unfold to these. Everything else is an unknown, of which only a bound is known.
//!
//! Both sides are read ([`reify`]) as terms over unknowns ([`exp`]). The oracle ([`plan`], [`form`]) brings them into a
//! normal form: an exclusive or of masked products of shifted unknowns, or a linear combination of such modulo `2 ^ w`.
//! What has no such form becomes a new unknown. Equal forms mean a proof by `Bits.same_sound` or `Bits.sound` of
//! `proofs/lib/bits_check.ptxp` ([`prove`]), whose checker computes the same forms again; different ones give values at
//! which the sides differ ([`explain`]). No axiom beyond `propext` is used.

mod exp;
mod explain;
mod form;
mod generalise;
mod plan;
mod prover;
mod reify;
#[cfg(test)]
mod tests;
mod words;
mod write;

use logic::Expr;

use crate::meta::{Elab, ElabError, MVarId, Result};
use exp::{Id, Terms};
use plan::Plan;
use prover::Prover;
use reify::{Atom, Reader};

use super::util::{close, intro_all, needs};

pub use prover::Failure;

/// An equation as it was read.
struct Read {
    terms: Terms,
    atoms: Vec<Atom>,
    /// Unknowns that are equal to terms by a lemma.
    rewritten: Vec<(usize, Id, Expr)>,
    left: Id,
    right: Id,
    /// Is it an equation of words?
    width: Option<u32>,
}

/// `bits`: closes the goal, or says why it cannot.
pub(crate) fn bits<'b>(el: &mut Elab<'b>, goal: MVarId) -> Result<Vec<MVarId>> {
    let m = intro_all(el, goal)?;
    el.with_goal(m, |el| {
        let target = el.mvar_type(m);
        let target = el.instantiate_mvars(target);
        let proof = match el.match_eq(target) {
            Some((_, a, b)) => prove(el, a, b),
            None => Err(ElabError::msg(
                "`bits` proves equations of words and of numbers; this goal is none",
            )
            .code("tactic.bits")),
        };
        close(el, m, proof)
    })
}

/// A proof of `lhs = rhs`, two words or two natural numbers, with what the context knows of bounds; or why there is none,
/// with values of the unknowns at which the sides differ if there are such.
pub fn prove(el: &mut Elab<'_>, lhs: Expr, rhs: Expr) -> Result<Expr> {
    available(el)?;
    let mut read = read(el, lhs, rhs)?;
    let answer = answer(el, &mut read, lhs, rhs);
    answer.map_err(|f| explain::explain(el, &read, f, lhs, rhs))
}

/// The same without a message.
pub fn attempt(el: &mut Elab<'_>, lhs: Expr, rhs: Expr) -> Option<Expr> {
    available(el).ok()?;
    let mut read = read(el, lhs, rhs).ok()?;
    answer(el, &mut read, lhs, rhs).ok()
}

fn available(el: &Elab<'_>) -> Result<()> {
    needs(el, "tactic.bits", "Bits.sound", "lib/bits_check.ptxp")
}

fn read(el: &mut Elab<'_>, lhs: Expr, rhs: Expr) -> Result<Read> {
    let (lhs, rhs) = (el.instantiate_mvars(lhs), el.instantiate_mvars(rhs));
    if el.st.has_mvar(lhs) || el.st.has_mvar(rhs) {
        return Err(
            ElabError::msg("`bits` needs a goal without unknowns (`?…`)").code("tactic.bits"),
        );
    }
    let ty = el.infer_type(lhs)?;
    let ty = el.whnf_reducible(ty);
    let mut reader = Reader::new(el);
    let width = reader.width(lhs);
    let Some((left, right)) = reader.both(lhs, rhs) else {
        let shown = reader.el.pp(ty);
        return Err(ElabError::msg(
            "`bits` proves equations of words of a known width and of natural numbers",
        )
        .code("tactic.bits")
        .note(format!("these are of type `{shown}`")));
    };
    if reader.is_too_large() {
        return Err(ElabError::msg(
            "`bits`: the goal has too many operations, definitions unfolded",
        )
        .code("tactic.bits")
        .help("`generalize` a part of it, or prove smaller equations and rewrite with them"));
    }
    if width.is_some() {
        needs(reader.el, "tactic.bits", "Word.ext", "lib/bits_word.ptxp")?;
    }
    Ok(Read {
        terms: reader.terms,
        atoms: reader.atoms,
        rewritten: reader.rewritten,
        left,
        right,
        width,
    })
}

fn answer(
    el: &mut Elab<'_>,
    read: &mut Read,
    lhs: Expr,
    rhs: Expr,
) -> std::result::Result<Expr, Failure> {
    let (left, right, atoms) = (read.left, read.right, read.atoms.clone());
    let mut plan = Plan::new(&mut read.terms, &read.rewritten);
    read.left = plan.expanded(left);
    read.right = plan.expanded(right);
    let used = plan.terms.atoms(&[read.left, read.right]);
    if let Some(a) = used.into_iter().find(|a| atoms[*a].bound.is_none()) {
        return Err(Failure::Unbounded(a));
    }
    let proof = Prover::new(el, plan, atoms).equation(left, right)?;
    Ok(match read.width {
        None => proof,
        Some(w) => {
            let st = el.st;
            let width = el.mk_nat(u64::from(w));
            st.apps(st.const0("Word.ext"), &[width, lhs, rhs, proof])
        }
    })
}
