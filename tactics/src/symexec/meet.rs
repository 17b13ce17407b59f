//! What registers hold where the ways of a thread meet: at the end of an alternative, at the head of a loop.

use logic::Expr;

use super::code::Reg;
use super::file::File;
use super::{Exec, State};
use crate::meta::Result;

impl<'a, 'b> Exec<'a, 'b> {
    /// The value of a register in a state, known or not.
    pub(super) fn value_in(&self, s: &State, r: Reg) -> Expr {
        match s.file.values.get(&r) {
            Some(v) => *v,
            None => self
                .el
                .st
                .apps(s.file.base, &[self.num(u64::from(r.0)), self.num(r.1)]),
        }
    }

    /// A term that mentions only variables of the present context.
    pub(super) fn closed_here(&self, e: Expr) -> bool {
        self.el
            .collect_fvars(e)
            .iter()
            .all(|x| self.el.lctx.contains(*x))
    }

    /// The registers where two sides of an alternative meet.
    #[allow(clippy::type_complexity)]
    pub(super) fn merge(
        &mut self,
        at: usize,
        b: Expr,
        ends: &[super::run::End],
    ) -> Result<(Vec<(Reg, Expr, bool)>, File)> {
        let st = self.el.st;
        let rho = st.const0("Ptx.Regs");
        let mut file = self.files.empty(rho);
        let mut values = Vec::new();
        for r in self.flow.live[at].clone() {
            let (x, y) = (
                self.value_in(&ends[0].state, r),
                self.value_in(&ends[1].state, r),
            );
            if !self.closed_here(x) || !self.closed_here(y) {
                continue;
            }
            let same = x == y;
            let v = if same {
                x
            } else {
                let one = st.level_nat(1);
                st.apps(
                    st.constant(st.name("cond"), &[one]),
                    &[self.word_type(r.0), b, x, y],
                )
            };
            values.push((r, v, !same));
            let s = State { pc: at, file };
            file = self.put(&s, r, v)?;
        }
        Ok((values, file))
    }

    /// The registers of a state hold what is said of them: `RF.Holds R t`, where `prove` shows for each register that its value is
    /// equal to what is said.
    pub(super) fn holds(
        &mut self,
        s: &State,
        said: &[(Reg, Expr)],
        mut prove: impl FnMut(&mut Self, Reg, Expr, Expr) -> Result<Option<Expr>>,
    ) -> Result<Expr> {
        let st = self.el.st;
        let regs = self.files.regs(&s.file);
        let mut file = self.files.empty(s.file.base);
        let mut proof = st.app(st.const0("Ptx.RF.Holds.leaf"), regs);
        for (r, v) in said {
            let (x, reads) = self.read(s, *r)?;
            let (w, i) = (self.num(u64::from(r.0)), self.num(r.1));
            let value = match prove(self, *r, x, *v)? {
                None => reads,
                Some(h) => {
                    let parts = [
                        ("σ", self.place_of),
                        ("w", w),
                        ("R", regs),
                        ("o", self.register(*r)),
                        ("v", x),
                        ("u", *v),
                        ("r", reads),
                        ("h", h),
                    ];
                    self.call("Reads.to", &parts)?
                }
            };
            let here = State {
                pc: s.pc,
                file: file.clone(),
            };
            let next = self.put(&here, *r, *v)?;
            let parts = [
                ("R", regs),
                ("t", file.trie),
                ("t'", next.trie),
                ("w", w),
                ("i", i),
                ("v", *v),
                ("h", proof),
                ("k", self.yes),
                ("value", value),
                ("p", self.put_proof(&next)?),
            ];
            proof = self.call("RF.Holds.put", &parts)?;
            file = next;
        }
        Ok(proof)
    }

    pub(super) fn register(&self, r: Reg) -> Expr {
        let st = self.el.st;
        st.apps(
            st.const0("Ptx.Operand.reg"),
            &[self.num(u64::from(r.0)), self.num(r.1)],
        )
    }

    /// `Stop.here` for a state.
    pub(super) fn stops_here(
        &mut self,
        s: &State,
        said: &[(Reg, Expr)],
        proof: Expr,
    ) -> Result<Expr> {
        let mut file = self.files.empty(s.file.base);
        for (r, v) in said {
            let here = State { pc: s.pc, file };
            file = self.put(&here, *r, *v)?;
        }
        let parts = [
            ("cta", self.cta),
            ("tid", self.tid),
            ("fn", self.calls.of),
            ("stack", self.calls.stack),
            ("n", self.calls.made),
            ("pc", self.num(s.pc as u64)),
            ("R", self.files.regs(&s.file)),
            ("t", file.trie),
            ("h", proof),
        ];
        self.call("Stop.here", &parts)
    }

    /// The proof for an end of a side of an alternative.
    pub(super) fn meets(
        &mut self,
        end: &super::run::End,
        values: &[(Reg, Expr, bool)],
        b: Expr,
        first: bool,
    ) -> Result<Expr> {
        let st = self.el.st;
        let said: Vec<(Reg, Expr)> = values.iter().map(|(r, v, _)| (*r, *v)).collect();
        let before = self.calls;
        self.calls = end.calls;
        let holds = self.holds(&end.state, &said, |ex, r, x, v| {
            if x == v {
                return Ok(None);
            }
            let Some(args) = ex.el.match_app(v, "cond", 4) else {
                return Err(ex.broken());
            };
            let Some((_, h)) = end.facts.truth(b) else {
                return Err(ex.broken());
            };
            let name = if first {
                "Ptx.cond_of_true"
            } else {
                "Ptx.cond_of_false"
            };
            let eq = st.apps(st.const0(name), &[args[0], args[1], args[2], args[3], h]);
            let one = st.level_nat(1);
            let symm = st.constant(st.name("Eq.symm"), &[one]);
            let word = ex.word_type(r.0);
            Ok(Some(st.apps(symm, &[word, v, x, eq])))
        })?;
        let proof = self.stops_here(&end.state, &said, holds);
        self.calls = before;
        proof
    }
}
