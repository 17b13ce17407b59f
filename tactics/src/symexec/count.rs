//! How often a loop runs: said by the user, given by a trace, or found.

use logic::{BinderInfo, Expr, Node};

use super::Exec;
use super::State;
use super::code::{self, Reg, Shape, SourceKind};
use super::flow::Loop;
use crate::meta::Result;
use crate::syntax::ast::{Tactic, TacticArgKind, TacticKind, Term};

/// `∀ q, q < n ↔ p q`.
#[derive(Clone, Copy)]
pub(super) struct Turns {
    /// The proof.
    pub proof: Expr,
    /// `p`.
    pub holds: Expr,
    /// The number of turns.
    pub n: Expr,
}

/// What the user says of a loop: `| label k => count n (h); keep (r := e)`.
#[derive(Clone)]
pub(super) struct Clause {
    /// The label, without its dollar sign.
    pub label: String,
    /// The name of the turn's number.
    pub turn: String,
    /// The number of turns, and why.
    pub count: Option<(Term, Option<Term>)>,
    /// What registers hold before a turn.
    pub keep: Vec<(String, Term)>,
}

impl Clause {
    /// Reads what stands after the arrow.
    pub fn read(
        label: String,
        turn: String,
        tactics: &[Tactic],
    ) -> std::result::Result<Clause, crate::meta::ElabError> {
        let mut c = Clause {
            label,
            turn,
            count: None,
            keep: Vec::new(),
        };
        let wrong = |t: &Tactic| {
            crate::meta::ElabError::new(
                t.span,
                "after a loop's label stand `count n`, `count n h` and `keep (r := e)`",
            )
            .code("symexec.clause")
        };
        for t in tactics {
            let TacticKind::Named { name, args } = &t.kind else {
                return Err(wrong(t));
            };
            match &*name.name {
                "count" => {
                    let mut terms = args.iter().map(|a| match &a.kind {
                        TacticArgKind::Term(t) => Some(t.clone()),
                        _ => None,
                    });
                    let n = terms.next().flatten().ok_or_else(|| wrong(t))?;
                    c.count = Some((n, terms.next().flatten()));
                }
                "keep" => {
                    for a in args {
                        let TacticArgKind::Assign(r, e) = &a.kind else {
                            return Err(wrong(t));
                        };
                        c.keep.push((r.name.to_string(), e.clone()));
                    }
                }
                _ => return Err(wrong(t)),
            }
        }
        Ok(c)
    }
}

impl<'a, 'b> Exec<'a, 'b> {
    /// What the user says of the loop at a line.
    pub(super) fn clause(&mut self, head: usize) -> Option<Clause> {
        let label = self.label_of(head);
        let i = self.clauses.iter().position(|c| c.label == label)?;
        self.used_clauses.insert(i);
        Some(self.clauses[i].clone())
    }

    /// The label of a line, without its dollar sign.
    pub(super) fn label_of(&self, line: usize) -> String {
        self.code.label_of(line)
    }

    /// What the user says of a register, as a function of the turn.
    pub(super) fn said(&mut self, clause: Option<&Clause>, r: Reg) -> Result<Option<Expr>> {
        let Some(c) = clause else {
            return Ok(None);
        };
        let name = self.register_name(r);
        let Some((_, term)) = c
            .keep
            .iter()
            .find(|(n, _)| *n == name.trim_start_matches('%'))
        else {
            return Ok(None);
        };
        let ty = self.word_type(r.0);
        let (turn, term) = (c.turn.clone(), term.clone());
        let nat = self.el.st.const0("Nat");
        let ((), f) = self.under(&turn, nat, |ex, _| {
            let e = ex.elaborate(&term, Some(ty))?;
            Ok(((), e))
        })?;
        Ok(Some(f))
    }

    /// A term of the script in the present context.
    fn elaborate(&mut self, t: &Term, ty: Option<Expr>) -> Result<Expr> {
        let (e, _) = self.el.elab_for_tactic(t, ty, false)?;
        Ok(self.el.instantiate_mvars(e))
    }

    /// The number of turns that the user gives.
    pub(super) fn count_of(&mut self, c: &Clause) -> Result<(Expr, Option<Turns>)> {
        let Some((n, why)) = c.count.clone() else {
            return Err(self.broken());
        };
        let nat = self.el.st.const0("Nat");
        let n = self.elaborate(&n, Some(nat))?;
        let Some(why) = why else {
            return Ok((n, None));
        };
        let st = self.el.st;
        let prop = st.prop();
        let pred = self.el.mk_arrow(nat, prop);
        let holds = self.el.mk_fresh_mvar(pred);
        let below = st.apps(st.const0("Nat.lt"), &[st.bvar(0), n]);
        let iff = st.apps(st.const0("Iff"), &[below, st.app(holds, st.bvar(0))]);
        let ty = st.pi(st.name("q"), nat, iff, BinderInfo::Default);
        let proof = self.elaborate(&why, Some(ty))?;
        Ok((n, Some(self.turns(n, proof)?)))
    }

    /// Reads the statement `∀ q, q < n ↔ p q`.
    fn turns(&mut self, n: Expr, proof: Expr) -> Result<Turns> {
        let st = self.el.st;
        let ty = self.el.infer_type(proof)?;
        let ty = self.el.whnf_core(ty);
        if let Node::Pi(_, d, body, _) = st.node(ty)
            && let (f, args) = st.unfold_app(body)
            && f == st.const0("Iff")
            && let [_, p] = args[..]
        {
            let holds = st.lam(st.name("q"), d, p, BinderInfo::Default);
            let below = st.apps(st.const0("Nat.lt"), &[st.bvar(0), n]);
            if self.el.is_defeq(
                st.lam(st.name("q"), d, args[0], BinderInfo::Default),
                st.lam(st.name("q"), d, below, BinderInfo::Default),
            ) {
                return Ok(Turns { proof, holds, n });
            }
        }
        let text = self.el.pp(ty);
        Err(crate::meta::ElabError::msg("the second term after `count` has to prove `∀ q, q < n ↔ …` for the number of turns `n`")
            .code("symexec.clause")
            .note(format!("it proves {text}")))
    }

    /// The number of turns of a loop, and what holds in them: what the user says, what is found, and what the given trace says
    /// have to be the same.
    pub(super) fn number_of_turns(
        &mut self,
        s: &State,
        clause: Option<&Clause>,
        planned: Option<Expr>,
        find: impl FnOnce(&mut Self) -> Result<(Expr, Turns)>,
    ) -> Result<(Expr, Option<Turns>)> {
        let (n, turns) = match (clause, planned) {
            (Some(c), _) if c.count.is_some() => self.count_of(c)?,
            (_, None) => {
                let (n, turns) = find(self)?;
                return Ok((n, Some(turns)));
            }
            (_, Some(planned)) => {
                let (saved, open) = (self.el.save(), self.open.len());
                match find(self) {
                    Ok((n, turns)) => (n, Some(turns)),
                    Err(_) => {
                        self.el.restore(&saved);
                        self.open.truncate(open);
                        return Ok((planned, None));
                    }
                }
            }
        };
        let Some(planned) = planned.filter(|p| *p != n) else {
            return Ok((n, turns));
        };
        let nat = self.el.st.const0("Nat");
        let same = self.eq(nat, n, planned);
        let h = self.side("turns", s.pc, same)?;
        let Some(t) = turns else {
            return Ok((planned, None));
        };
        let args = [
            ("n", n),
            ("m", planned),
            ("p", t.holds),
            ("e", h),
            ("h", t.proof),
            ("q", self.el.st.bvar(0)),
        ];
        let proof = self.call("turns_of_eq", &args)?;
        let st = self.el.st;
        let proof = st.lam(st.name("q"), nat, proof, BinderInfo::Default);
        Ok((
            planned,
            Some(Turns {
                proof,
                n: planned,
                ..t
            }),
        ))
    }

    /// Whether each register of which the user says what it holds is one that the loop keeps.
    pub(super) fn check_keep(&self, l: &Loop, clause: &Clause, kept: &[Reg]) -> Result<()> {
        let names = |all: &[Reg]| {
            let all: Vec<String> = all.iter().map(|r| self.register_name(*r)).collect();
            all.join(", ").replace('%', "")
        };
        for (name, _) in &clause.keep {
            if kept
                .iter()
                .any(|r| self.register_name(*r).trim_start_matches('%') == name)
            {
                continue;
            }
            let what = format!(
                "`keep` says what `{name}` holds, and no register of this name is written in this loop and read again"
            );
            return Err(self
                .fails(l.head, &what)
                .code("symexec.clause")
                .help(match kept {
                    [] => "this loop keeps no register: leave the `keep` away".to_owned(),
                    _ => format!("the registers that this loop keeps are {}", names(kept)),
                }));
        }
        Ok(())
    }

    /// The number of turns of a loop that compares a counter with a bound.
    pub(super) fn found_count(
        &mut self,
        s: &State,
        l: &Loop,
        exit: usize,
        counters: &[(Reg, Expr, Expr)],
        written: &std::collections::BTreeSet<Reg>,
    ) -> Result<(Expr, Turns)> {
        let unknown = |ex: &mut Self| {
            let label = ex.label_of(l.head);
            ex.fails(exit, "how often this loop runs is not found")
                .help(format!("say it: `symexec with | {label} k => count (n) (h)` where `h : ∀ q, q < n ↔ …` tells what holds in turn `q`: for a counter that goes from `e` to `N` in steps of `c`, `count (trips N e c) (trips_iff h)` with `h : 0 < c`"))
        };
        let Some(p) = self
            .code
            .lines
            .get(exit)
            .and_then(|x| x.guard.as_ref())
            .map(|g| g.0)
        else {
            return Err(unknown(self));
        };
        let compare: Vec<_> = l
            .body
            .iter()
            .filter_map(|i| self.code.lines.get(*i))
            .filter(|x| x.uses().1.contains(&(1, p)))
            .cloned()
            .collect();
        let [line] = &compare[..] else {
            return Err(unknown(self));
        };
        let Shape::Alu { f, srcs, .. } = &line.shape else {
            return Err(unknown(self));
        };
        let op = code::operation(self.el, *f);
        let [a, b] = &srcs[..] else {
            return Err(unknown(self));
        };
        // the counter is compared with the bound, or the bound with the counter
        let begins = |names: [&str; 2]| names.iter().any(|x| op.starts_with(x));
        let swapped = begins(["ptx.setp.gt.", "ptx.setp.le."]);
        let fits = swapped || begins(["ptx.setp.lt.", "ptx.setp.ge."]);
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let counter = match a.kind {
            SourceKind::Reg(i) => counters.iter().find(|c| c.0 == (a.width, i)).copied(),
            _ => None,
        };
        let changes = matches!(b.kind, SourceKind::Reg(i) if written.contains(&(b.width, i)));
        let (Some((_, first, step)), true, false) = (counter, fits, changes) else {
            return Err(unknown(self));
        };
        // a counter that goes down
        let half = num_bigint::BigUint::from(1u32) << (b.width - 1);
        if matches!(self.el.st.node(step), Node::Nat(n) if *n >= half) {
            return Err(unknown(self));
        }
        let (bound, _) = self.operand(s, b)?;
        let (bound, _) = self.number(b.width, bound)?;
        let st = self.el.st;
        let n = st.apps(st.const0("Ptx.trips"), &[bound, first, step]);
        let pos = st.apps(st.const0("Nat.lt"), &[self.num(0), step]);
        let pos = self.side("step", exit, pos)?;
        let literal = matches!(st.node(step), Node::Nat(_));
        let name = if literal {
            "Ptx.trips_lit"
        } else {
            "Ptx.trips_iff"
        };
        let proof = st.apps(st.const0(name), &[bound, first, step, pos]);
        let k = st.bvar(0);
        let product = if literal { [step, k] } else { [k, step] };
        let at = st.apps(
            st.const0("Nat.add"),
            &[first, st.apps(st.const0("Nat.mul"), &product)],
        );
        let holds = st.lam(
            st.name("q"),
            st.const0("Nat"),
            st.apps(st.const0("Nat.lt"), &[at, bound]),
            BinderInfo::Default,
        );
        Ok((n, Turns { proof, holds, n }))
    }

    /// Runs `f` with one more fact in the context; its result with the fact's proof put in.
    pub(super) fn with_fact<T>(
        &mut self,
        name: &str,
        p: Expr,
        proof: Expr,
        f: impl FnOnce(&mut Self) -> Result<(T, Expr)>,
    ) -> Result<(T, Expr)> {
        let (r, e) = self.under(name, p, |ex, _| f(ex))?;
        Ok((r, self.el.st.app(e, proof)))
    }

    fn side_of(&self, t: &Turns, k: Expr, forward: bool, h: Expr) -> Expr {
        let st = self.el.st;
        let below = st.apps(st.const0("Nat.lt"), &[k, t.n]);
        let p = self.el.beta(t.holds, &[k]);
        let iff = st.app(t.proof, k);
        let c = if forward { "Iff.mp" } else { "Iff.mpr" };
        st.apps(st.const0(c), &[below, p, iff, h])
    }

    /// Inside turn `k`: what holds then.
    pub(super) fn knowing<T>(
        &mut self,
        turns: Option<Turns>,
        k: Expr,
        below: Expr,
        f: impl FnOnce(&mut Self) -> Result<(T, Expr)>,
    ) -> Result<(T, Expr)> {
        let Some(t) = turns else {
            return f(self);
        };
        let p = self.el.beta(t.holds, &[k]);
        let h = self.side_of(&t, k, true, below);
        self.with_fact("turn", p, h, f)
    }

    /// At the end of a turn: what holds, or not, of the next.
    pub(super) fn about_next<T>(
        &mut self,
        turns: Option<Turns>,
        steps: &[Expr],
        (k, one): (Expr, Expr),
        h: Expr,
        last: bool,
        f: impl FnOnce(&mut Self) -> Result<(T, Expr)>,
    ) -> Result<(T, Expr)> {
        let st = self.el.st;
        if let Some((step, rest)) = steps.split_first() {
            // (k + 1) * c = k * c + c
            let nat = st.const0("Nat");
            let mul = st.const0("Nat.mul");
            let left = st.apps(mul, &[one, *step]);
            let right = st.apps(st.const0("Nat.add"), &[st.apps(mul, &[k, *step]), *step]);
            let eq = self.eq(nat, left, right);
            let proof = st.apps(st.const0("Nat.succ_mul"), &[k, *step]);
            return self.with_fact("step", eq, proof, |ex| {
                ex.about_next(turns, rest, (k, one), h, last, f)
            });
        }
        let Some(t) = turns else {
            return f(self);
        };
        let p = self.el.beta(t.holds, &[one]);
        if !last {
            let h = self.side_of(&t, one, true, h);
            return self.with_fact("turn", p, h, f);
        }
        // p (k + 1) would make k + 1 < n
        let x = st.bvar(0);
        let below = {
            let b = st.apps(st.const0("Nat.lt"), &[one, t.n]);
            let iff = st.app(t.proof, one);
            st.apps(st.const0("Iff.mpr"), &[b, p, iff, x])
        };
        let ne = st.apps(st.const0("Nat.ne_of_lt"), &[one, t.n, below, h]);
        let not = st.lam(st.name("x"), p, ne, BinderInfo::Default);
        let denied = self.el.mk_not(p);
        self.with_fact("turn", denied, not, f)
    }

    /// After a loop that is left at its head: what does not hold any more.
    pub(super) fn after_loop<T>(
        &mut self,
        turns: Option<Turns>,
        n: Expr,
        f: impl FnOnce(&mut Self) -> Result<(T, Expr)>,
    ) -> Result<(T, Expr)> {
        let st = self.el.st;
        let Some(t) = turns else {
            return f(self);
        };
        let p = self.el.beta(t.holds, &[n]);
        let below = self.side_of(&t, n, false, st.bvar(0));
        let irrefl = st.apps(st.const0("Nat.lt_irrefl"), &[n, below]);
        let not = st.lam(st.name("x"), p, irrefl, BinderInfo::Default);
        let denied = self.el.mk_not(p);
        self.with_fact("turns", denied, not, f)
    }

    /// There is a first turn.
    pub(super) fn some_turn(&mut self, pc: usize, turns: Option<Turns>, pos: Expr) -> Result<Expr> {
        let Some(t) = turns else {
            return self.side("turns", pc, pos);
        };
        let zero = self.num(0);
        let p = self.el.beta(t.holds, &[zero]);
        let h = self.side("turns", pc, p)?;
        Ok(self.side_of(&t, zero, false, h))
    }
}
