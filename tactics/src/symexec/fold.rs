//! Registers that a loop changes and that are no counters: what a turn makes of one is found by running a turn, and what it
//! holds before turn `k` is that, `k` times.

use std::collections::BTreeMap;

use logic::{BinderInfo, Expr};

use super::code::Reg;
use super::count::Turns;
use super::flow::Loop;
use super::repeat::Content;
use super::run::Frame;
use super::{Exec, State};
use crate::meta::Result;

impl<'a, 'b> Exec<'a, 'b> {
    /// Finds the contents of some registers, and adds them.
    pub(super) fn fold(
        &mut self,
        s: &State,
        l: &Loop,
        (n, turns): (Expr, Option<Turns>),
        folded: &[Reg],
        content: &mut BTreeMap<Reg, (Content, Expr)>,
    ) -> Result<()> {
        if folded.is_empty() {
            return Ok(());
        }
        let st = self.el.st;
        let nat = st.const0("Nat");
        let open = self.open.len();
        let mut found: Vec<(Reg, Expr)> = Vec::new();
        self.under("k", nat, |ex, k| {
            let lt = st.apps(st.const0("Nat.lt"), &[k, n]);
            ex.under("hk", lt, |ex, below| {
                ex.knowing(turns, k, below, |ex| {
                    // what the registers hold before the turn
                    let regs_ty = st.const0("Ptx.Regs");
                    let rho = ex.el.push_local(st.name("ρ"), regs_ty, BinderInfo::Default);
                    let made = ex.el.push_local(st.name("n"), nat, BinderInfo::Default);
                    let calls = ex.calls;
                    ex.calls = calls.with(ex.el.st, made);
                    let mut file = ex.files.empty(rho);
                    let mut before: BTreeMap<Reg, Expr> = BTreeMap::new();
                    for r in folded {
                        let word = ex.word_type(r.0);
                        let x = ex.el.push_local(st.name("x"), word, BinderInfo::Default);
                        before.insert(*r, x);
                    }
                    for (r, (_, f)) in content.iter() {
                        before.insert(*r, ex.el.beta(*f, &[k]));
                    }
                    for (r, v) in &before {
                        let here = State { pc: l.head, file };
                        file = ex.put(&here, *r, *v)?;
                    }
                    let mut frame = Frame::Trial {
                        head: l.head,
                        depth: ex.callers.len(),
                        ends: Vec::new(),
                    };
                    ex.turns.push(k);
                    let here = State { pc: l.head, file };
                    let done = ex.follow(here, &mut frame, None, true);
                    ex.turns.pop();
                    ex.calls = calls;
                    done?;
                    let Frame::Trial { ends, .. } = frame else {
                        return Err(ex.broken());
                    };
                    for r in folded {
                        let after: Vec<Expr> = ends.iter().map(|e| ex.value_in(e, *r)).collect();
                        let v = match after[..] {
                            [v] => v,
                            _ => {
                                return Err(ex.changes(
                                    l.head,
                                    *r,
                                    "a turn of this loop has several ends",
                                ));
                            }
                        };
                        let step = ex.el.mk_lambda(&[k, before[r]], v);
                        found.push((*r, step));
                    }
                    Ok(((), k))
                })
            })
        })?;
        self.open.truncate(open);
        let one = st.level_nat(1);
        for (r, step) in found {
            if !self.closed_here(step) {
                let what = "what a turn makes of it depends on more than the turn and what it held";
                return Err(self.changes(l.head, r, what));
            }
            let word = self.word_type(r.0);
            let motive = st.lam(st.name("k"), nat, word, BinderInfo::Default);
            let first = self.value_in(s, r);
            let rec = st.constant(st.name("Nat.rec"), &[one]);
            let body = st.apps(rec, &[motive, first, step, st.bvar(0)]);
            let f = st.lam(st.name("k"), nat, body, BinderInfo::Default);
            content.insert(r, (Content::Folded, f));
        }
        Ok(())
    }

    /// A register changes in a loop in a way that has to be said.
    fn changes(&mut self, head: usize, r: Reg, why: &str) -> crate::meta::ElabError {
        let name = self.register_name(r);
        let label = self.label_of(head);
        self.fails(
            head,
            &format!("the register {name} changes in this loop, and {why}"),
        )
        .help(format!(
            "say what it holds before turn `k`: `symexec with | {label} k => keep ({} := …)`",
            name.trim_start_matches('%')
        ))
    }
}
