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
mod atomic;
mod calls;
mod code;
mod count;
mod file;
mod flow;
mod fold;
mod goal;
mod lemma;
mod meet;
mod params;
mod plan;
mod poll;
mod reach;
mod repeat;
mod rules;
mod run;
mod several;
mod silent;
mod truth;
mod turn;
mod uses;
mod value;
mod window;
mod words;

use std::collections::BTreeSet;
use std::rc::Rc;

use logic::{Expr, Level, Name};
use rustc_hash::FxHashMap;

use crate::meta::{Elab, ElabError, MVarId, Result};
use code::{Code, Reg};
use count::Clause;
use file::{File, Files};
use flow::Flow;
use lemma::Lemmas;
use rules::Rules;
use value::Known;

pub(crate) use goal::symexec;

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
    val: Name,
    /// Operations on truth values.
    tests: [Name; 3],
    /// Operations on the bits of numbers.
    bitwise: [Name; 3],
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
    /// The calls that the thread is in.
    calls: calls::Calls,
    /// The layout of the launch.
    layout: Expr,
    /// The addresses of variables, `Nat → Nat`.
    place_of: Expr,
    kernel: Expr,
    /// The functions of the kernel, and what was read of them.
    functions: Vec<Expr>,
    units: std::collections::BTreeMap<u64, calls::Unit>,
    /// The calls that have not returned, the last one last.
    callers: Vec<calls::Caller>,
    /// How many lines the entry and the functions before the one that the thread is in have.
    before: usize,
    /// The turns of the loops that are being run, and the lines of the calls that the thread is in.
    turns: Vec<Expr>,
    /// The answers of requests, and what loads return, as the user gives them.
    answers: Option<Expr>,
    reads: Option<Expr>,
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
    /// The head of the loop whose turn begins there.
    inside: Option<usize>,
    /// The head of the loop that is being left there.
    leaving: Option<usize>,
    open: Vec<MVarId>,
    steps: usize,
    /// How many equations of the context were used for the present normal form.
    equations: usize,
}

/// How many lines one execution may follow.
const MAX_LINES: usize = 100_000;

impl<'a, 'b> Exec<'a, 'b> {
    /// A literal.
    fn num(&self, n: u64) -> Expr {
        self.el.st.nat_u64(n)
    }

    /// `2 ^ w`, as a literal.
    fn modulus(&self, w: u32) -> Expr {
        self.el.st.nat(&(num_bigint::BigUint::from(1u32) << w))
    }

    /// `true` or `false`.
    fn truth_lit(&self, value: bool) -> Expr {
        let name = if value { "Bool.true" } else { "Bool.false" };
        self.el.st.const0(name)
    }

    /// `b = true` or `b = false`.
    fn truth_is(&self, b: Expr, value: bool) -> Expr {
        self.eq(self.el.st.const0("Bool"), b, self.truth_lit(value))
    }

    /// `Option α`, of a type in `Type`.
    fn option(&self, ty: Expr) -> Expr {
        let st = self.el.st;
        st.app(st.constant(st.name("Option"), &[Level::ZERO]), ty)
    }

    /// `some x`.
    fn some(&self, ty: Expr, x: Expr) -> Expr {
        let st = self.el.st;
        st.apps(
            st.constant(st.name("Option.some"), &[Level::ZERO]),
            &[ty, x],
        )
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
        (self.some(prod, pair), self.option(prod))
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
        if let Some(proof) = self.arithmetic(p) {
            return Ok(proof);
        }
        if let Some(proof) = self.bounded(p) {
            return Ok(proof);
        }
        Ok(self.open(what, pc, p))
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
            None if self.callers.is_empty() => {
                ElabError::msg(format!("line {pc} of the kernel: {what}"))
            }
            None => ElabError::msg(format!("line {pc} of a function of the kernel: {what}")),
        };
        err.code("symexec.line")
    }

    /// A line, for messages.
    fn line_text(&self, pc: usize) -> String {
        match self.place.as_ref().and_then(|p| p.lines.get(pc)) {
            Some((n, text)) => format!("line {n}: `{text}`"),
            None => format!("line {pc} of the kernel"),
        }
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
