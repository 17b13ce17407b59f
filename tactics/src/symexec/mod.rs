//! `symexec`: a thread is run through the lines of its kernel, with terms for what registers hold.
//!
//! The goal is `Runs S l s` or `Performs S l s` (the thread performs a given trace), or `Trace S s` (the trace is made). The
//! kernel's lines and control flow are read from its term. Silent steps between two requests become one chain of lemmas
//! ([`run`]), an access becomes an event ([`access`]), a branch is decided or taken both ways until the ways meet, and a
//! loop is an induction on its turns ([`repeat`]). What registers hold is one trie ([`file`]), of which each line copies one path.
//! Where a number matters, that is for addresses, branches and counters, words are rewritten to numbers ([`value`]).
//! What `omega` cannot show is left to the user, under a name with the line's number in the PTX file.
//!
//! Every step is a lemma of `proofs/ptx/straight.ptxp`: the kernel judges the finished proof.

mod access;
mod code;
mod count;
mod file;
mod flow;
mod lemma;
mod repeat;
mod run;
mod value;

use std::collections::BTreeSet;
use std::rc::Rc;

use logic::{Expr, Level, Name};
use rustc_hash::FxHashMap;

use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{TacticArg, TacticArgKind};
use code::{Code, Reg};
use count::Clause;
use file::{File, Files};
use flow::Flow;
use lemma::Lemmas;
use run::Frame;
use value::{Known, Rules};

/// Where the lines of a kernel stand: for each the number of its line in the file, and its text.
#[derive(Clone, Debug, Default)]
pub struct PtxLines {
    /// The file's name.
    pub file: String,
    /// The lines.
    pub lines: Vec<(usize, String)>,
}

impl PtxLines {
    /// The lines that stand in these ranges of the text.
    pub fn new(
        file: &str,
        text: &str,
        places: impl Iterator<Item = std::ops::Range<usize>>,
    ) -> Self {
        let (mut at, mut line) = (0, 1);
        let lines = places
            .map(|p| {
                if p.start < at {
                    (at, line) = (0, 1);
                }
                line += text.get(at..p.start).map_or(0, |t| t.matches('\n').count());
                at = p.start;
                let words: Vec<&str> = text.get(p).unwrap_or_default().split_whitespace().collect();
                (line, words.join(" "))
            })
            .collect();
        PtxLines {
            file: file.to_owned(),
            lines,
        }
    }
}

/// A thread between two lines.
#[derive(Clone)]
struct State {
    pc: usize,
    file: File,
}

/// Names that are looked for.
struct Names {
    of_nat: Name,
    cond: Name,
    word: Name,
    bool: Name,
    ptx: Name,
}

/// An execution.
struct Exec<'a, 'b> {
    el: &'a mut Elab<'b>,
    lemmas: Lemmas,
    files: Files<'b>,
    code: Rc<Code>,
    flow: Rc<Flow>,
    rules: Rules,
    names: Names,
    known: Known,
    tidied: FxHashMap<Expr, Expr>,
    /// `Common`, and its parts.
    common: Expr,
    threads: Expr,
    floats: Expr,
    args: Vec<Expr>,
    grid: Expr,
    block: Expr,
    /// The list of lines, as a term.
    body: Expr,
    /// Proofs of `Rest`, by line.
    rests: Vec<Expr>,
    cta: Expr,
    tid: Expr,
    state_type: Expr,
    act_type: Expr,
    /// What loads return that the trace does not say: `Nat → Byte`.
    memory: Expr,
    /// `Eq.refl true`.
    yes: Expr,
    registers: Vec<(u32, u64, u64, String, bool)>,
    place: Option<Rc<PtxLines>>,
    clauses: Vec<Clause>,
    used_clauses: BTreeSet<usize>,
    /// The head of the loop that is being left there.
    leaving: Option<usize>,
    open: Vec<MVarId>,
    steps: usize,
}

/// How many lines one execution may follow.
const MAX_LINES: usize = 100_000;

/// What is asked.
enum Ask {
    Runs,
    Performs,
    Trace,
}

/// `symexec`, `symexec with | label k => …`.
pub(crate) fn symexec(el: &mut Elab<'_>, m: MVarId, args: &[TacticArg]) -> Result<Vec<MVarId>> {
    let mut clauses = Vec::new();
    for a in args {
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
            clauses.push(Clause::read(
                label.name.to_string(),
                turn,
                &alt.body.tactics,
            )?);
        }
    }
    let target = el.mvar_type(m);
    el.with_goal(m, |el| run_on(el, m, target, clauses))
}

fn run_on(el: &mut Elab<'_>, m: MVarId, target: Expr, clauses: Vec<Clause>) -> Result<Vec<MVarId>> {
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
    let Some(common) = el.match_app(w, "Ptx.Common.mk", 5) else {
        return Err(bad(el, "the launch of the goal's system", act[0]));
    };
    let w = el.whnf(state);
    let Some(thread) = el.match_app(w, "Ptx.TState.mk", 4) else {
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
            el.match_app(w, "Ptx.Launch.mk", 7).map_or(e, |p| p[i])
        }
        None => e,
    };
    let kernel = launch(el, common[1], "Ptx.Launch.kernel", 0);
    let list = launch(el, common[2], "Ptx.Launch.args", 1);
    let grid = launch(el, common[3], "Ptx.Launch.grid", 2);
    let block = launch(el, common[4], "Ptx.Launch.block", 3);
    let Some((args, _)) = code::list(el, list) else {
        return Err(bad(el, "the arguments of the launch", list));
    };
    let common = st.apps(
        st.const0("Ptx.Common.mk"),
        &[common[0], kernel, list, grid, block],
    );
    let (floats, _) = (st.unfold_app(common).1[0], ());
    let code = Rc::new(code::read(el, kernel)?);
    let flow = Rc::new(Flow::new(&code));
    let registers = registers(el, kernel);
    let place = el
        .head_const(kernel)
        .and_then(|n| el.ext.ptx_lines.get(&n).cloned());
    // the memory that loads return: the initial memory of the launch
    let memory = initial_memory(el, system, sys[4]);
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
        body: st.app(st.const0("Ptx.Kernel.body"), kernel),
        rests: Vec::new(),
        cta: thread[0],
        tid: thread[1],
        state_type,
        act_type: st.app(st.const0("Ptx.Act"), state_type),
        memory,
        yes,
        registers,
        place,
        clauses,
        used_clauses: BTreeSet::new(),
        leaving: None,
        open: Vec::new(),
        steps: 0,
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
        let labels: Vec<String> = ex.flow.loops.iter().map(|l| ex.label_of(l.head)).collect();
        let err = ElabError::msg(format!(
            "no loop of the thread begins at the label `{label}`"
        ))
        .code("symexec.clause");
        return Err(match labels.is_empty() {
            true => err,
            false => err.help(format!("loops begin at {}", labels.join(", "))),
        });
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
fn initial_memory(el: &mut Elab<'_>, system: Expr, init: Expr) -> Expr {
    let st = el.st;
    if let Some(a) = el.match_app(init, "Ptx.Launch.init", 2) {
        return a[1];
    }
    let _ = system;
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
fn registers(el: &mut Elab<'_>, kernel: Expr) -> Vec<(u32, u64, u64, String, bool)> {
    let mut out = Vec::new();
    let Some((_, fields)) = code::constructor(el, kernel) else {
        return out;
    };
    let Some((items, _)) = code::list(el, fields[2]) else {
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
        done: run::Done,
    ) -> Result<Expr> {
        let st = self.el.st;
        let own = self.el.whnf(self.threads);
        let Some(own) = self.el.match_app(own, "Ptx.Sys.mk", 6) else {
            return Err(self.broken());
        };
        // the registers at the start are `regs`, of which the empty trie says nothing
        let _ = pc;
        let eq = st.app(st.const0("Ptx.RF.leaf"), regs);
        let q = self.ends_with(&Frame::Whole)?;
        let plain = self.state_at(pc, regs);
        let h = self.call(
            "Does.begin",
            &[
                ("c", self.common),
                ("cta", self.cta),
                ("tid", self.tid),
                ("pc", self.num(pc as u64)),
                ("R", regs),
                ("T", done.tree),
                ("Q", q),
                ("h", done.proof),
                ("e", eq),
            ],
        )?;
        let _ = plain;
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

    /// A literal.
    fn num(&self, n: u64) -> Expr {
        self.el.st.nat_u64(n)
    }

    /// `Word w`.
    fn word_type(&self, w: u32) -> Expr {
        self.el
            .st
            .app(self.el.st.const0("Word"), self.num(u64::from(w)))
    }

    /// A lemma by name, with arguments by name.
    fn call(&mut self, name: &'static str, args: &[(&str, Expr)]) -> Result<Expr> {
        self.lemmas.call(self.el, name, args)
    }

    /// `some (label, line)` and its type.
    fn label_pair(&self, label: &str, to: usize) -> (Expr, Expr) {
        let st = self.el.st;
        let (string, nat) = (st.const0("String"), st.const0("Nat"));
        let two = [Level::ZERO, Level::ZERO];
        let prod = st.apps(st.constant(st.name("Prod"), &two), &[string, nat]);
        let pair = st.apps(
            st.constant(st.name("Prod.mk"), &two),
            &[string, nat, st.string(label), self.num(to as u64)],
        );
        let some = st.apps(
            st.constant(st.name("Option.some"), &[Level::ZERO]),
            &[prod, pair],
        );
        (
            some,
            st.app(st.constant(st.name("Option"), &[Level::ZERO]), prod),
        )
    }

    /// One line more is followed.
    fn count(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps > MAX_LINES || !self.el.tick() {
            return Err(
                ElabError::msg(format!("`symexec` gave up after {} lines", self.steps))
                    .code("symexec.limit"),
            );
        }
        Ok(())
    }

    /// A proof of `p`, found or left to the user under this name and the line's number.
    fn side(&mut self, what: &str, pc: usize, p: Expr) -> Result<Expr> {
        match self.arithmetic(p) {
            Some(proof) => Ok(proof),
            None => Ok(self.open(what, pc, p)),
        }
    }

    /// A goal for the user.
    fn open(&mut self, what: &str, pc: usize, p: Expr) -> Expr {
        let name = format!("{what}_{}", self.number_of_line(pc));
        let name = self.el.st.name(&name);
        let goal = self.el.mk_goal(p, name);
        self.open.push(goal);
        self.el.mk_mvar(goal)
    }

    /// The number of a line in the PTX file.
    fn number_of_line(&self, pc: usize) -> usize {
        self.place
            .as_ref()
            .and_then(|p| p.lines.get(pc))
            .map_or(pc, |l| l.0)
    }

    /// An error at a line of the PTX text.
    fn fails(&self, pc: usize, what: &str) -> ElabError {
        let err = match self
            .place
            .as_ref()
            .and_then(|p| Some((p, p.lines.get(pc)?)))
        {
            Some((p, (n, text))) => ElabError::msg(format!("{}, line {n}: {what}", p.file))
                .note(format!("the line is `{text}`")),
            None => ElabError::msg(format!("line {pc} of the kernel: {what}")),
        };
        err.code("symexec.line")
    }

    /// A register's name in the PTX text.
    fn register_name(&self, r: Reg) -> String {
        for (w, first, count, pre, ranged) in &self.registers {
            if *w == r.0 && r.1 >= *first && r.1 < first + count {
                return match ranged {
                    true => format!("{pre}{}", r.1 - first),
                    false => pre.clone(),
                };
            }
        }
        format!("register {} of {} bits", r.1, r.0)
    }
}
