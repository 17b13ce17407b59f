//! The goals that `symexec` works on, read and proved.

use std::collections::BTreeSet;
use std::rc::Rc;

use logic::{Expr, Level};
use rustc_hash::FxHashMap;

use super::code;
use super::count::Clause;
use super::file::Files;
use super::flow::Flow;
use super::lemma::Lemmas;
use super::rules::Rules;
use super::run::{Done, Frame};
use super::value::Known;
use super::{Exec, Names, State};
use crate::diagnostic::Diagnostic;
use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{Span, TacticArg, TacticArgKind, Term};
use crate::tactic::util::term_ident;

/// What is asked.
enum Ask {
    Runs,
    Performs,
    Trace,
}

/// `symexec`, `symexec with | label k => …`.
pub(crate) fn symexec(el: &mut Elab<'_>, m: MVarId, args: &[TacticArg]) -> Result<Vec<MVarId>> {
    let mut clauses = Vec::new();
    let (mut answers, mut reads, mut report) = (None, None, None);
    for a in args {
        if let TacticArgKind::Term(t) = &a.kind
            && term_ident(t).is_some_and(|i| &*i.name == "report")
        {
            report = Some(a.span);
            continue;
        }
        if let TacticArgKind::Assign(what, e) = &a.kind {
            match &*what.name {
                "answers" => answers = Some(e),
                "reads" => reads = Some(e),
                _ => {
                    return Err(ElabError::new(
                        what.span,
                        "`symexec` takes `(answers := f)` and `(reads := f)`",
                    )
                    .code("symexec.clause"));
                }
            }
            continue;
        }
        let TacticArgKind::Alts(alts) = &a.kind else {
            return Err(ElabError::new(
                a.span,
                "`symexec` takes clauses for loops: `symexec with | label k => count n`",
            )
            .code("symexec.clause"));
        };
        for alt in alts {
            let [head] = &alt.heads[..] else {
                return Err(
                    ElabError::new(alt.span, "one label for each clause").code("symexec.clause")
                );
            };
            let Some(label) = &head.ctor else {
                return Err(ElabError::new(
                    alt.span,
                    "a clause begins with a label of the PTX text, without `$`",
                )
                .code("symexec.clause"));
            };
            let turn = head
                .vars
                .first()
                .and_then(|v| v.name.as_ref())
                .map_or_else(|| "k".to_owned(), |n| n.name.to_string());
            let c = Clause::read(label.name.to_string(), turn, &alt.body.tactics)?;
            if clauses.iter().any(|x: &Clause| x.label == c.label) {
                let what = format!("there are two clauses for the loop at `{}`", c.label);
                return Err(ElabError::new(alt.span, what).code("symexec.clause"));
            }
            clauses.push(c);
        }
    }
    let target = el.mvar_type(m);
    el.with_goal(m, |el| {
        let given = Given {
            answers: option(el, answers, false)?,
            reads: option(el, reads, true)?,
            report,
        };
        run_on(el, m, target, clauses, given)
    })
}

/// Answers that the user gives.
struct Given {
    answers: Option<Expr>,
    reads: Option<Expr>,
    /// Where the found trace is asked for.
    report: Option<Span>,
}

/// `f : Nat → List Nat → Nat`, or with one argument more a byte.
fn option(el: &mut Elab<'_>, f: Option<&Term>, byte: bool) -> Result<Option<Expr>> {
    let Some(f) = f else {
        return Ok(None);
    };
    let st = el.st;
    let nat = st.const0("Nat");
    let list = st.app(st.constant(st.name("List"), &[Level::ZERO]), nat);
    let result = match byte {
        true => {
            let byte = st.const0("Byte");
            el.mk_arrow(nat, byte)
        }
        false => nat,
    };
    let inner = el.mk_arrow(list, result);
    let ty = el.mk_arrow(nat, inner);
    let (e, _) = el.elab_for_tactic(f, Some(ty), false)?;
    Ok(Some(el.instantiate_mvars(e)))
}

fn run_on(
    el: &mut Elab<'_>,
    m: MVarId,
    target: Expr,
    clauses: Vec<Clause>,
    given: Given,
) -> Result<Vec<MVarId>> {
    let st = el.st;
    let forms = [
        ("Ptx.Runs", 3, Ask::Runs),
        ("Ptx.Performs", 3, Ask::Performs),
        ("Ptx.Trace", 2, Ask::Trace),
    ];
    let mut found = None;
    for (name, arity, ask) in forms {
        if let Some(a) = el.match_app(target, name, arity) {
            found = Some((ask, a));
        }
    }
    let Some((ask, parts)) = found else {
        return Err(ElabError::msg("`symexec` proves that a thread performs a trace: the goal has to be `Runs S l s`, `Performs S l s` or `Trace S s`")
            .code("symexec.goal")
            .goal_text(el.pp_goal(m)));
    };
    let (system, state) = (parts[0], parts[parts.len() - 1]);
    let hint = match ask {
        Ask::Trace => None,
        _ => Some(parts[1]),
    };
    let bad = |el: &mut Elab<'_>, what: &str, e: Expr| {
        let t = el.pp_short(e);
        ElabError::msg(format!("`symexec` cannot see {what}"))
            .code("symexec.goal")
            .note(format!("it is {t}"))
    };
    let w = el.whnf(system);
    let Some(sys) = el.match_app(w, "Ptx.Sys.mk", 6) else {
        return Err(bad(el, "the system that the goal is about", system));
    };
    let Some(act) = el.match_app(sys[1], "Ptx.TState.act", 1) else {
        return Err(bad(el, "what the threads of the goal's system do", sys[1]));
    };
    let w = el.whnf(act[0]);
    let Some(common) = el.match_app(w, "Ptx.Common.mk", 6) else {
        return Err(bad(el, "the launch of the goal's system", act[0]));
    };
    let w = el.whnf(state);
    let Some(thread) = el.match_app(w, "Ptx.TState.full", 5) else {
        return Err(bad(el, "the state in which the thread is", state));
    };
    let start = code::number(el, thread[2]);
    let Some(start) = start.and_then(|n| usize::try_from(n).ok()) else {
        return Err(bad(el, "the line at which the thread is", thread[2]));
    };
    let launch = |el: &mut Elab<'_>, e: Expr, field: &str, i: usize| match el.match_app(e, field, 1)
    {
        Some(a) => {
            let w = el.whnf(a[0]);
            el.match_app(w, "Ptx.Launch.full", 8).map_or(e, |p| p[i])
        }
        None => e,
    };
    let kernel = launch(el, common[1], "Ptx.Launch.kernel", 0);
    let list = launch(el, common[2], "Ptx.Launch.args", 1);
    let grid = launch(el, common[3], "Ptx.Launch.grid", 2);
    let block = launch(el, common[4], "Ptx.Launch.block", 3);
    let layout = launch(el, common[5], "Ptx.Launch.layout", 7);
    let calls = match super::calls::Calls::read(el, thread[4]) {
        Some(c) if code::constructor(el, c.of).is_some_and(|x| x.0 == "none") => c,
        _ => return Err(bad(el, "that the thread is in its entry", thread[4])),
    };
    let Some((args, _)) = code::list(el, list) else {
        return Err(bad(el, "the arguments of the launch", list));
    };
    let common = st.apps(
        st.const0("Ptx.Common.mk"),
        &[common[0], kernel, list, grid, block, layout],
    );
    let floats = st.unfold_app(common).1[0];
    let agent = st.apps(st.const0("Ptx.Agent.thread"), &[thread[0], thread[1]]);
    let (code, functions) = code::read(el, kernel)?;
    let code = Rc::new(code);
    let flow = Rc::new(Flow::new(&code, &[]));
    let registers = match code::constructor(el, kernel) {
        Some((_, fields)) => registers(el, fields[2]),
        None => Vec::new(),
    };
    let place = el
        .head_const(kernel)
        .and_then(|n| el.ext.ptx_lines.get(&n)?.first().cloned());
    // the memory that loads return: the initial memory of the launch
    let memory = initial_memory(el, sys[4]);
    let files = Files::new(st);
    let one = st.level_nat(1);
    let yes = st.apps(
        st.constant(st.name("Eq.refl"), &[one]),
        &[st.const0("Bool"), st.const0("Bool.true")],
    );
    let names = Names {
        of_nat: st.name("Word.ofNat"),
        cond: st.name("cond"),
        word: st.name("Word"),
        bool: st.name("Bool"),
        ptx: st.name("ptx"),
        val: st.name("Word.val"),
        tests: ["Bool.and", "Bool.or", "Bool.not"].map(|n| st.name(n)),
        bitwise: ["Nat.land", "Nat.lor", "Nat.xor"].map(|n| st.name(n)),
    };
    let state_type = st.const0("Ptx.TState");
    let rules = Rules::new(el);
    let mut ex = Exec {
        lemmas: Lemmas::default(),
        files,
        code,
        flow,
        rules,
        names,
        known: Known::default(),
        tidied: FxHashMap::default(),
        common,
        threads: st.app(st.const0("Ptx.Common.threads"), common),
        floats,
        args,
        grid,
        block,
        body: st.apps(st.const0("Ptx.Kernel.linesOf"), &[kernel, calls.of]),
        rests: Vec::new(),
        cta: thread[0],
        tid: thread[1],
        calls,
        layout,
        place_of: st.apps(st.const0("Ptx.Layout.place"), &[layout, agent]),
        kernel,
        functions,
        units: Default::default(),
        callers: Vec::new(),
        before: 0,
        turns: Vec::new(),
        answers: given.answers,
        reads: given.reads,
        state_type,
        act_type: st.app(st.const0("Ptx.Act"), state_type),
        memory,
        yes,
        registers,
        place,
        clauses,
        used_clauses: BTreeSet::new(),
        inside: None,
        leaving: None,
        open: Vec::new(),
        steps: 0,
        equations: 0,
        el,
    };
    let file = ex.files.empty(thread[3]);
    // the start: registers of which nothing is known
    let s = State { pc: start, file };
    let done = ex.follow(s, &mut Frame::Whole, hint, true)?;
    if let Some(c) = ex
        .clauses
        .iter()
        .enumerate()
        .find(|(i, _)| !ex.used_clauses.contains(i))
    {
        let label = c.1.label.clone();
        let labels = ex.loop_labels();
        let err = ElabError::msg(format!(
            "no loop of the thread begins at the label `{label}`"
        ))
        .code("symexec.clause");
        return Err(match labels.is_empty() {
            true => err,
            false => err.help(format!("loops begin at {}", labels.join(", "))),
        });
    }
    if let Some(span) = given.report {
        let text = ex.el.pp(done.tree);
        ex.el.messages.push(Diagnostic::info(span, text));
    }
    let proof = ex.conclude(
        &ask,
        &sys,
        parts.get(1).copied(),
        thread[3],
        start,
        state,
        done,
    )?;
    let open = std::mem::take(&mut ex.open);
    el.assign(m, proof);
    Ok(open)
}

/// `init` of a launch is `Launch.init l m`: the memory `m`.
fn initial_memory(el: &mut Elab<'_>, init: Expr) -> Expr {
    let st = el.st;
    if let Some(a) = el.match_app(init, "Ptx.Launch.init", 2) {
        return a[1];
    }
    // byte `a` of global memory
    let at = st.app(st.const0("Ptx.Loc.global"), st.bvar(0));
    st.lam(
        st.name("a"),
        st.const0("Nat"),
        st.app(init, at),
        logic::BinderInfo::Default,
    )
}

/// The declared registers: width, first number, how many, the name's beginning, and whether numbers follow it.
pub(super) fn registers(el: &mut Elab<'_>, declared: Expr) -> Vec<(u32, u64, u64, String, bool)> {
    let mut out = Vec::new();
    let Some((items, _)) = code::list(el, declared) else {
        return out;
    };
    for d in items {
        let Some((_, a)) = code::constructor(el, d) else {
            continue;
        };
        let ty = code::constructor(el, a[0]).map(|c| c.0).unwrap_or_default();
        let width = match ty.as_str() {
            "pred" => 1,
            t => t
                .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .parse()
                .unwrap_or(0),
        };
        let name = el.whnf(a[1]);
        let logic::Node::Str(pre) = el.st.node(name) else {
            continue;
        };
        if let (Some(first), Some(count), Some(ranged)) = (
            code::number(el, a[2]),
            code::number(el, a[3]),
            code::truth(el, a[4]),
        ) {
            out.push((width, first, count, pre.to_owned(), ranged));
        }
    }
    out
}

impl<'a, 'b> Exec<'a, 'b> {
    /// The proof of the goal.
    #[allow(clippy::too_many_arguments)]
    fn conclude(
        &mut self,
        ask: &Ask,
        sys: &[Expr],
        given: Option<Expr>,
        regs: Expr,
        pc: usize,
        state: Expr,
        done: Done,
    ) -> Result<Expr> {
        let st = self.el.st;
        let own = self.el.whnf(self.threads);
        let Some(own) = self.el.match_app(own, "Ptx.Sys.mk", 6) else {
            return Err(self.broken());
        };
        // the registers at the start are `regs`, of which the empty trie says nothing
        let eq = st.app(st.const0("Ptx.RF.leaf"), regs);
        let q = self.ends_with(&Frame::Whole)?;
        let h = self.call(
            "Does.begin",
            &[
                ("c", self.common),
                ("cta", self.cta),
                ("tid", self.tid),
                ("cs", self.calls.term),
                ("pc", self.num(pc as u64)),
                ("R", regs),
                ("T", done.tree),
                ("Q", q),
                ("h", done.proof),
                ("e", eq),
            ],
        )?;
        let mut args = vec![
            ("St", self.state_type),
            ("act", own[1]),
            ("start", own[2]),
            ("start'", sys[2]),
            ("alloc", own[3]),
            ("alloc'", sys[3]),
            ("init", own[4]),
            ("init'", sys[4]),
            ("sync", own[5]),
            ("sync'", sys[5]),
            ("T", done.tree),
            ("s", state),
            ("h", h),
        ];
        match ask {
            Ask::Runs => {
                let Some(l) = given else {
                    return Err(self.broken());
                };
                let event = st.const0("Ptx.Event");
                let nil = self.list_of(event, &[]);
                let flat = st.apps(st.const0("Ptx.Tree.onto"), &[done.tree, nil]);
                let list = st.app(st.constant(st.name("List"), &[Level::ZERO]), event);
                let e = self.refl(list, flat);
                args.extend([("l", l), ("e", e)]);
                self.call("Does.runs", &args)
            }
            Ask::Performs => self.call("Does.performs", &args),
            Ask::Trace => {
                let p = self.call("Does.performs", &args)?;
                let system = st.apps(st.const0("Ptx.Sys.mk"), sys);
                Ok(st.apps(st.const0("Ptx.Trace.mk"), &[system, state, done.tree, p]))
            }
        }
    }
}
