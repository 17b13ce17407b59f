//! The given trace: what comes next in it.

use logic::{BinderInfo, Expr, Node};

use super::Exec;
use super::code;
use crate::meta::Result;

/// How many definitions and sequences are taken apart to find what comes next.
const DEPTH: usize = 256;

/// What comes next in a trace.
enum Next {
    /// An event, and what follows.
    Event(Expr, Expr),
    /// A loop: its number of turns, its body, and what follows.
    Loop(Expr, Expr, Expr),
    /// An alternative that is not decided.
    Choice,
    /// Nothing.
    End,
    /// Something of which that is not seen.
    Unclear,
}

impl<'a, 'b> Exec<'a, 'b> {
    fn next_of(&mut self, hint: Expr) -> Next {
        let st = self.el.st;
        let onto = st.const0("Ptx.Tree.onto");
        let mut h = hint;
        for _ in 0..DEPTH {
            if let Some(a) = self.el.match_app(h, "Ptx.Tree.onto", 2) {
                let (tree, rest) = (self.el.whnf(a[0]), a[1]);
                let (f, parts) = st.unfold_app(tree);
                let Node::Const(n, _) = st.node(f) else {
                    return Next::Unclear;
                };
                match (st.name_to_string(n).as_str(), &parts[..]) {
                    ("Ptx.Tree.skip", []) => h = rest,
                    ("Ptx.Tree.op" | "Ptx.Tree.await", [e]) => return Next::Event(*e, rest),
                    ("Ptx.Tree.loop", [n, body]) => {
                        return Next::Loop(self.tidy(*n), *body, rest);
                    }
                    ("Ptx.Tree.seq", [x, y]) => {
                        let after = st.apps(onto, &[*y, rest]);
                        h = st.apps(onto, &[*x, after]);
                    }
                    ("Ptx.Tree.ite", [c, x, y]) => {
                        let side = match code::truth(self.el, *c) {
                            Some(true) => *x,
                            Some(false) => *y,
                            None => return Next::Choice,
                        };
                        h = st.apps(onto, &[side, rest]);
                    }
                    _ => return Next::Unclear,
                }
                continue;
            }
            // turns of a loop that is written turn by turn in the PTX text
            if let Some(a) = self.el.match_app(h, "Ptx.turns", 4)
                && let Some(n) = code::number(self.el, a[1])
            {
                let at = self.el.whnf(a[2]);
                h = match n.checked_sub(1) {
                    None => a[3],
                    Some(n) => {
                        let next = self.el.whnf(self.succ(at));
                        let turns = st.const0("Ptx.turns");
                        let rest = st.apps(turns, &[a[0], self.num(n), next, a[3]]);
                        self.el.beta(a[0], &[at, rest])
                    }
                };
                continue;
            }
            if let Some(a) = self.el.match_app(h, "List.cons", 3) {
                let event = self.el.match_app(a[1], "Ptx.Op.event", 1);
                return Next::Event(event.map_or(a[1], |o| o[0]), a[2]);
            }
            if self.el.match_app(h, "List.nil", 1).is_some() {
                return Next::End;
            }
            // a definition is unfolded, the rest is computed
            let seen = ["Ptx.Tree.onto", "List.cons", "List.nil"];
            let next = self.el.unfold_const_raw(h).map(|u| self.el.whnf_core(u));
            let next = match next {
                Some(u)
                    if self.el.head_const(u).is_some_and(|n| {
                        let name = st.name_to_string(n);
                        seen.contains(&name.as_str()) || self.el.unfold_const_raw(u).is_some()
                    }) =>
                {
                    u
                }
                _ => self.el.whnf(h),
            };
            if next == h {
                return Next::Unclear;
            }
            h = next;
        }
        Next::Unclear
    }

    /// The next event of the given trace, and what follows.
    pub(super) fn planned(
        &mut self,
        pc: usize,
        hint: Option<Expr>,
    ) -> Result<Option<(Expr, Expr)>> {
        let Some(h) = hint else {
            return Ok(None);
        };
        let mut next = self.next_of(h);
        if let Next::Loop(n, body, rest) = next
            && code::number(self.el, n).is_some()
        {
            // the turns of such a loop are written one after the other
            let st = self.el.st;
            let tree = st.app(body, st.bvar(0));
            let turn = st.apps(st.const0("Ptx.Tree.onto"), &[tree]);
            let f = st.lam(st.name("i"), st.const0("Nat"), turn, BinderInfo::Default);
            let h = st.apps(st.const0("Ptx.turns"), &[f, n, self.num(0), rest]);
            next = self.next_of(h);
        }
        let what = match next {
            Next::Event(e, rest) => return Ok(Some((e, rest))),
            Next::End => "the thread makes a request here, and the trace has no event left for it",
            Next::Loop(..) => "the thread makes a request here, and a loop comes next in the trace",
            Next::Choice => return Err(self.choice(pc, h)),
            Next::Unclear => {
                "the thread makes a request here, and it is not seen what comes next in the trace"
            }
        };
        Err(self.left(pc, what, h))
    }

    /// The loop that comes next in the given trace: its number of turns, its body, and what follows.
    pub(super) fn planned_loop(&mut self, pc: usize, hint: Expr) -> Result<(Expr, Expr, Expr)> {
        match self.next_of(hint) {
            Next::Loop(n, body, rest) => Ok((n, body, rest)),
            Next::Choice => Err(self.choice(pc, hint)),
            _ => Err(self.left(
                pc,
                "a loop begins here, and none comes next in the trace",
                hint,
            )),
        }
    }

    /// Nothing of the given trace is left.
    pub(super) fn nothing_left(&mut self, pc: usize, hint: Option<Expr>) -> Result<()> {
        let Some(h) = hint else {
            return Ok(());
        };
        match self.next_of(h) {
            Next::End => Ok(()),
            Next::Choice => Err(self.choice(pc, h)),
            _ => Err(self.left(pc, "the thread ends here, and the trace has more events", h)),
        }
    }

    fn choice(&mut self, pc: usize, h: Expr) -> crate::meta::ElabError {
        self.left(pc, "an alternative comes next in the trace, and nothing decides it", h)
            .help("a trace with alternatives is found, not stated: with `t` the proof of `Trace S s` by `symexec`, `t.performs` is the theorem")
    }

    fn left(&mut self, pc: usize, what: &str, h: Expr) -> crate::meta::ElabError {
        let t = self.el.pp_short(h);
        let e = self.fails(pc, what);
        match self.el.match_app(h, "List.nil", 1) {
            Some(_) => e,
            None => e.note(format!("left of the trace: {t}")),
        }
    }
}
