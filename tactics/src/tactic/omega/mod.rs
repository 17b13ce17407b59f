//! `omega`: linear arithmetic over natural numbers and integers.
//!
//! Understood are `+`, `-` (truncated for natural numbers), multiplication by constants, `/` and `%` by constants,
//! powers of constants, shifts, `min`, `max`, `if`, `ofNat`, `toNat`, `natAbs`, the values of `Fin` and `Word`, `=`, `≠`,
//! `<`, `≤`, `∣`, and `∧ ∨ ¬ → ↔` of such, in the goal and in the hypotheses. Other terms, products of unknowns among
//! them, are atoms. Hypotheses `∃ x, p x` are opened where nothing else helps ([`witness`]).
//!
//! The goal is denied, everything known becomes inequalities and disjunctions ([`prop`], [`reify`], [`int`],
//! [`product`]), the oracle ([`solve`]) looks for a solution, and where it finds one that fails a disjunction, that is
//! split. A refutation becomes a certificate ([`cert`]), and the proof is `Omega.sound` of `proofs/lib/omega.ptxp` applied
//! to it ([`encode`]). No axiom is used.
//!
//! # Integers
//!
//! The checker knows natural numbers only: the library proves the laws of integers by `omega`, and a goal about natural
//! numbers should not pay for integers. So an integer term is read as a difference `p - n` of natural ones, with a proof
//! by the lemmas of `proofs/lib/omega_int.ptxp`, and a relation of integers becomes the equivalent relation of natural
//! numbers in which what is negative stands on the other side. An unknown `x` is `toNat x - toNat (-x)`.
//!
//! The oracle, however, does not search over these parts: they only ever occur as a difference, so it sees one variable
//! that ranges over the integers, and is as complete and as quick as a test made for integers. When a refutation becomes
//! a certificate, each integer variable is replaced by the difference again ([`cert::Differences`]).

mod cert;
mod encode;
mod form;
mod int;
mod product;
mod prop;
mod reify;
mod solve;
mod system;
#[cfg(test)]
mod tests;
mod witness;

use logic::{BinderInfo, Expr, Node};
use num_bigint::BigInt;

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use cert::{Certificate, Differences, Premise};
use encode::{Columns, vars_of_cert, vars_of_linear};
use form::Form;
use prop::{Known, Prop};
use reify::{Choice, Fact, Linear, Reader};
use solve::{Budget, GaveUp, Outcome, Proof, Range};
use witness::Witnesses;

use super::util::{close, intro_all, needs};

/// How many case splits on disjunctions one call may make.
const MAX_CASES: usize = 400;

/// Closes the goal by linear arithmetic, or says why it cannot.
pub fn omega<'b>(el: &mut Elab<'b>, goal: MVarId) -> Result<Vec<MVarId>> {
    needs(el, "tactic.omega", "Omega.sound", "lib/omega.ptxp")?;
    let m = intro_all(el, goal)?;
    el.with_goal(m, |el| {
        let target = el.mvar_type(m);
        let target = el.instantiate_mvars(target);
        let proof = attempt(el, target).map_err(|e| e.code("tactic.omega"));
        close(el, m, proof)
    })
}

/// Searches, and once more with the existential hypotheses opened if that fails.
fn attempt(el: &mut Elab<'_>, target: Expr) -> Result<Expr> {
    let context = el.lctx.clone();
    let first = Search::new(el, Vec::new()).prove(target);
    if first.is_ok() || !el.is_prop(target) {
        return first;
    }
    el.lctx = context.clone();
    let Some(witnesses) = Witnesses::open(el) else {
        el.lctx = context;
        return first;
    };
    let proof = Search::new(el, witnesses.hypotheses()).prove(target);
    let closed = proof.map(|p| witnesses.close(el, target, p));
    el.lctx = context;
    closed
}

struct Search<'a, 'b> {
    reader: Reader<'a, 'b>,
    /// Hypotheses of which the context has more than they say.
    opened: Vec<Expr>,
    cases: usize,
    ignored: Vec<String>,
    used: Vec<String>,
}

/// Why a search ended without a proof.
enum Failure {
    /// A point at which all facts hold.
    Point(Vec<BigInt>),
    /// Too much work.
    GaveUp(GaveUp),
    /// Too many case splits.
    Cases,
    /// The certificate does not hold: an error in this tactic.
    Certificate,
}

impl<'a, 'b> Search<'a, 'b> {
    fn new(el: &'a mut Elab<'b>, opened: Vec<Expr>) -> Self {
        Search {
            reader: Reader::new(el),
            opened,
            cases: 0,
            ignored: Vec::new(),
            used: Vec::new(),
        }
    }

    fn prove(&mut self, target: Expr) -> Result<Expr> {
        let st = self.reader.el.st;
        let goal = self.reader.prop(target);
        let (goal, sides) = self.reader.decided_side(goal);
        let mut known = Known::default();
        self.hypotheses(&mut known);
        let decided = self.reader.decided(&goal);
        if goal.understood() && decided.is_none() && known.facts.is_empty() {
            return Err(ElabError::msg(
                "`omega` understands only a part of the goal and no hypothesis",
            ));
        }
        let denial = decided.map(|d| {
            let name = st.name("h✝");
            let not = self.reader.call("Not", &[goal.expr]);
            let h = self
                .reader
                .el
                .new_local(name, not, None, BinderInfo::Default);
            (d, st.fvar(h.0))
        });
        if let Some((_, h)) = &denial {
            self.reader.assert(&mut known, *h, &goal, false);
        }
        known.facts.append(&mut self.reader.facts);
        known.choices.append(&mut self.reader.choices);
        match self.refute(&mut known) {
            Err(f) => Err(self.explain(f, &goal, &known)),
            Ok(proof) => Ok(match denial {
                Some((d, h)) => {
                    let f = self.reader.el.mk_lambda(&[h], proof);
                    let proof = self.reader.call("Omega.by_contra", &[goal.expr, d, f]);
                    sides.iter().rev().fold(proof, |proof, (intro, a, b)| {
                        self.reader.call(intro, &[*a, *b, proof])
                    })
                }
                None => self.reader.el.mk_false_elim(target, proof)?,
            }),
        }
    }

    /// Reads the hypotheses of the goal.
    fn hypotheses(&mut self, known: &mut Known) {
        let locals: Vec<FVarId> = self.reader.el.lctx.iter().collect();
        for id in locals {
            let decl = self.reader.el.local(id);
            let ty = self.reader.el.instantiate_mvars(decl.ty);
            let h = self.reader.el.mk_fvar(id);
            // `aux`: the theorem itself, as a recursive call may name it
            let (ty, h) = if decl.aux || self.opened.contains(&h) {
                continue;
            } else if self.reader.el.is_prop(ty) {
                (ty, h)
            } else if let Some(property) = self.property(ty, h) {
                property
            } else {
                continue;
            };
            let p = self.reader.prop(ty);
            let name = self.reader.el.st.name_to_string(decl.user_name);
            if !p.understood() {
                self.ignored.push(name);
                continue;
            }
            self.used.push(name);
            self.reader.assert(known, h, &p, true);
        }
    }

    /// What is known of an element of a subtype.
    fn property(&self, ty: Expr, x: Expr) -> Option<(Expr, Expr)> {
        let el = &self.reader.el;
        let (f, args) = el.st.unfold_app(ty);
        let (Node::Const(name, levels), [ty, p]) = (el.st.node(f), &args[..]) else {
            return None;
        };
        let part = |field: &str| {
            let field = el.st.constant(el.st.name(field), levels);
            el.st.apps(field, &[*ty, *p, x])
        };
        (el.st.name_to_string(name) == "Subtype").then(|| {
            (
                el.beta(*p, &[part("Subtype.val")]),
                part("Subtype.property"),
            )
        })
    }

    /// A proof of `False` from what is known.
    fn refute(&mut self, known: &mut Known) -> std::result::Result<Expr, Failure> {
        if let Some(p) = known.absurd {
            return Ok(p);
        }
        let form = |f: &Fact| self.reader.oracle(f.form());
        let given: Vec<Form> = known.facts.iter().map(form).collect();
        let ranges = self.reader.ranges();
        let outcome = solve::solve(&ranges, &given, Budget::default()).map_err(Failure::GaveUp)?;
        let point = match outcome {
            Outcome::Unsat(proof) => return self.certified(&known.facts, &proof),
            Outcome::Sat(point) => point,
        };
        // split a disjunction of which the solution fails both sides, else one that is not understood enough
        let fails = |side: &(Prop, bool)| side.0.holds(&point).map(|b| b == side.1);
        let pick = known
            .choices
            .iter()
            .position(|c| fails(&c.left) == Some(false) && fails(&c.right) == Some(false))
            .or_else(|| {
                known.choices.iter().position(|c| {
                    fails(&c.left) != Some(true)
                        && fails(&c.right) != Some(true)
                        && (c.left.0.understood() || c.right.0.understood())
                })
            });
        let Some(pick) = pick else {
            return Err(Failure::Point(point));
        };
        self.cases += 1;
        if self.cases > MAX_CASES {
            return Err(Failure::Cases);
        }
        let choice = known.choices.remove(pick);
        let result = logic::subst::with_stack(|| self.split(known, &choice));
        known.choices.insert(pick, choice);
        result
    }

    fn split(&mut self, known: &mut Known, c: &Choice) -> std::result::Result<Expr, Failure> {
        let left = match self.branch(known, &c.left)? {
            Branch::Needless(p) => return Ok(p),
            Branch::Case(f) => f,
        };
        let right = match self.branch(known, &c.right)? {
            Branch::Needless(p) => return Ok(p),
            Branch::Case(f) => f,
        };
        let r = &self.reader;
        let (p, q) = (self.stated(&c.left), self.stated(&c.right));
        let falsity = r.el.st.const0("False");
        Ok(r.call("Or.elim", &[p, q, falsity, c.proof, left, right]))
    }

    fn stated(&self, side: &(Prop, bool)) -> Expr {
        if side.1 {
            side.0.expr
        } else {
            self.reader.call("Not", &[side.0.expr])
        }
    }

    fn branch(
        &mut self,
        known: &mut Known,
        side: &(Prop, bool),
    ) -> std::result::Result<Branch, Failure> {
        let ty = self.stated(side);
        let name = self.reader.el.st.name("h✝");
        let id = self
            .reader
            .el
            .new_local(name, ty, None, BinderInfo::Default);
        let h = self.reader.el.mk_fvar(id);
        let (facts, choices) = (known.facts.len(), known.choices.len());
        self.reader.assert(known, h, &side.0, side.1);
        let result = self.refute(known);
        known.facts.truncate(facts);
        known.choices.truncate(choices);
        known.absurd = None;
        let proof = result?;
        if !self.reader.el.occurs_fvar(proof, &[id]) {
            return Ok(Branch::Needless(proof));
        }
        Ok(Branch::Case(self.reader.el.mk_lambda(&[h], proof)))
    }

    /// The proof of `False` that a refutation stands for.
    fn certified(&mut self, facts: &[Fact], proof: &Proof) -> std::result::Result<Expr, Failure> {
        let differences = Differences::new(self.reader.shifts(), proof);
        let Certificate { premises, cert } = cert::certificate(proof, &differences);
        let mut used: Vec<Fact> = Vec::new();
        let first = self.reader.atoms.len();
        for (q, numerator) in proof.quotients.iter().zip(&differences.numerators) {
            let numerator = self.reader.denote(&Linear::of_form(numerator));
            let divisor = self.reader.el.st.nat(q.divisor.magnitude());
            let atom = self.reader.call("Nat.div", &[numerator, divisor]);
            self.reader.atoms.push(atom);
        }
        for p in &premises {
            used.push(match p {
                Premise::Given(i) => facts[*i].clone(),
                Premise::Quotient { index, upper } => {
                    let q = &proof.quotients[*index];
                    let l = &differences.numerators[*index];
                    self.reader
                        .quotient_fact(l, q.divisor.magnitude(), q.var, *upper)
                }
            });
        }
        let mut sides: Vec<cert::Fact> = used
            .iter()
            .rev()
            .map(|f| (f.low.form(), f.high.form()))
            .collect();
        if !cert::check(&mut sides, &cert) {
            self.reader.atoms.truncate(first);
            return Err(Failure::Certificate);
        }
        let mut columns = Columns::new();
        for f in &used {
            vars_of_linear(&f.low, &mut columns);
            vars_of_linear(&f.high, &mut columns);
        }
        vars_of_cert(&cert, &mut columns);
        for (i, place) in columns.values_mut().enumerate() {
            *place = i;
        }
        let r = &self.reader;
        let st = r.el.st;
        let atoms: Vec<Expr> = columns.keys().map(|x| r.atoms[*x as usize]).collect();
        let nil = r.call("Omega.Premises.nil", &[]);
        let list = used.iter().rev().fold(nil, |rest, f| {
            let (low, high) = (
                r.encode_linear(&f.low, &columns),
                r.encode_linear(&f.high, &columns),
            );
            r.call("Omega.Premises.cons", &[low, high, rest])
        });
        let refl = st.constant(st.name("Eq.refl"), &[st.level_nat(1)]);
        let refl = st.apps(refl, &[st.const0("Bool"), st.const0("Bool.true")]);
        let sound = r.call(
            "Omega.sound",
            &[r.list(&atoms), list, r.encode_cert(&cert, &columns), refl],
        );
        let proofs: Vec<Expr> = used.iter().map(|f| f.proof).collect();
        self.reader.atoms.truncate(first);
        Ok(st.apps(sound, &proofs))
    }

    /// The message for a failed search.
    fn explain(&mut self, failure: Failure, goal: &Prop, known: &Known) -> ElabError {
        let mut err = match failure {
            Failure::GaveUp(g) => {
                let what = match g {
                    GaveUp::Nodes => "derived inequalities",
                    GaveUp::Splits => "integer case splits",
                };
                ElabError::msg(format!("`omega` gave up: too many {what}"))
                    .help("`clear` what is not needed, or prove a part by `have`")
            }
            Failure::Cases => ElabError::msg(format!("`omega` gave up after {MAX_CASES} case splits"))
                .help("`clear` what is not needed, or take cases apart before"),
            Failure::Certificate => ElabError::msg("`omega` found a refutation whose certificate does not hold")
                .note("this is an error in `omega` itself, not in the script"),
            Failure::Point(_) if known.facts.is_empty() && !goal.understood() => {
                ElabError::msg("`omega` found nothing to work with").note(
                    "it understands =, ≠, <, ≤, ∣ of natural numbers and integers with +, -, *, /, % and the connectives ∧ ∨ ¬ → ↔",
                )
            }
            Failure::Point(point) => {
                let mut shown = Vec::new();
                let ranges = self.reader.ranges();
                for (i, v) in point.iter().enumerate() {
                    let atom = match ranges[i] {
                        Range::Natural => self.reader.atoms[i],
                        Range::Integer => self.reader.integers[&(i as u32)],
                        Range::Unused => continue,
                    };
                    shown.push(format!("{} = {v}", self.reader.el.pp(atom)));
                }
                shown.truncate(16);
                let note = match shown.is_empty() {
                    true => "the goal is false: there is nothing unknown in it".to_owned(),
                    false => format!("all facts hold, and the goal may fail, at: {}", shown.join(", ")),
                };
                let product = self
                    .reader
                    .atoms
                    .iter()
                    .copied()
                    .chain(self.reader.integers.values().copied())
                    .find(|a| {
                        let product = |f| self.reader.el.match_app(*a, f, 2).is_some();
                        product("Nat.mul") || product("Int.mul")
                    });
                let err = ElabError::msg("`omega` could not prove the goal").note(note);
                match product {
                    Some(p) => {
                        let p = self.reader.el.pp(p);
                        err.note(format!("a product of unknowns such as `{p}` is itself an unknown here"))
                    }
                    None => err,
                }
            }
        };
        if self.reader.integers_missed {
            err = err
                .note("nothing is known of integers here")
                .help("import \"lib/omega_int.ptxp\" (or a file that imports it)");
        }
        if !goal.understood() {
            err = err.note("the goal itself is not arithmetic: only the hypotheses were searched for a contradiction");
        }
        if !self.used.is_empty() {
            err = err.note(format!("hypotheses used: {}", self.used.join(", ")));
        }
        if !self.ignored.is_empty() {
            err = err.note(format!(
                "hypotheses not understood: {}",
                self.ignored.join(", ")
            ));
        }
        err
    }
}

/// One side of a case split, proved.
enum Branch {
    /// The proof does not use the case.
    Needless(Expr),
    /// A function from the case to `False`.
    Case(Expr),
}
