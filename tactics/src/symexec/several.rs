//! Instructions with several results, and requests for synchronisation: the results are cut from one word.

use logic::Expr;

use super::code::{Access, Dst, Line, Shape, Source, SourceKind, Space};
use super::file::File;
use super::run::{Done, Frame};
use super::{Exec, State};
use crate::meta::Result;

impl<'a, 'b> Exec<'a, 'b> {
    /// Results cut from a word of width `n`: the registers after that, and the proof of `setAll y dsts 0 R = R'`.
    pub(super) fn results(
        &mut self,
        s: &State,
        y: Expr,
        n: u32,
        dsts: &[Dst],
        lists: &[Expr],
    ) -> Result<(File, Expr)> {
        let st = self.el.st;
        let total = self.num(u64::from(n));
        let mut steps = Vec::new();
        let mut file = s.file.clone();
        let mut lo = 0u32;
        for (d, ds) in dsts.iter().zip(&lists[1..]) {
            let from = self.num(u64::from(lo));
            let cut = |ex: &Self, w: u32| {
                let w = ex.num(u64::from(w));
                st.apps(st.const0("Word.extract"), &[total, from, w, y])
            };
            let before = file.trie;
            let (bits, made) = match *d {
                Dst::Sink(w) => (w, None),
                Dst::Reg(r) => {
                    let v = cut(self, r.0);
                    let h = self.refl(self.word_type(r.0), v);
                    (r.0, Some((r, v, h, None)))
                }
                Dst::Wide(w, r, signed) => {
                    let part = cut(self, w);
                    let (w_, u) = (self.num(u64::from(w)), self.num(u64::from(r.0)));
                    let word = self.word_type(r.0);
                    let a = st.apps(st.const0("Word.sext"), &[w_, u, part]);
                    let b = st.apps(st.const0("Word.zext"), &[w_, u, part]);
                    let one = st.level_nat(1);
                    let v = st.apps(st.constant(st.name("cond"), &[one]), &[word, signed, a, b]);
                    (w, Some((r, v, self.refl(word, v), Some(signed))))
                }
            };
            if let Some((r, v, _, _)) = made {
                let here = State { pc: s.pc, file };
                file = self.put(&here, r, v)?;
            }
            steps.push((*d, made, bits, lo, *ds, before, file.clone()));
            lo += bits;
        }
        let last = self.files.regs(&file);
        let end = self.num(u64::from(lo));
        let mut proof = self.call(
            "sets_nil",
            &[("n", total), ("a", y), ("lo", end), ("R", last)],
        )?;
        for (_, made, bits, lo, ds, t, t2) in steps.into_iter().rev() {
            let here = File {
                trie: t,
                ..file.clone()
            };
            let regs = self.files.regs(&here);
            let mut args = vec![
                ("n", total),
                ("lo", self.num(u64::from(lo))),
                ("w", self.num(u64::from(bits))),
                ("a", y),
                ("ds", ds),
                ("rest", proof),
            ];
            let name = match made {
                None => {
                    args.extend([("R", regs), ("R'", last)]);
                    "sets_sink"
                }
                Some((r, v, h, signed)) => {
                    let put = self.put_proof(&t2)?;
                    args.extend([
                        ("i", self.num(r.1)),
                        ("ρ", file.base),
                        ("t", t),
                        ("t'", t2.trie),
                        ("v", v),
                        ("R", last),
                        ("value", h),
                        ("k", self.yes),
                        ("put", put),
                    ]);
                    match signed {
                        None => "sets_reg",
                        Some(b) => {
                            args.extend([("u", self.num(u64::from(r.0))), ("signed", b)]);
                            "sets_wide"
                        }
                    }
                }
            };
            proof = self.call(name, &args)?;
        }
        Ok((file, proof))
    }

    /// A computation with several results.
    pub(super) fn several(&mut self, s: &State, line: &Line, g: Expr) -> Result<(Expr, File)> {
        let Shape::Several {
            ins,
            out,
            f,
            dsts,
            lists,
            srcs,
            operands,
        } = &line.shape
        else {
            return Err(self.broken());
        };
        let regs = self.files.regs(&s.file);
        let word = self.word_type(*out);
        let first = self.el.beta(*f, &[self.floats]);
        let (y, proof) = self.applied(s, word, first, srcs, operands)?;
        let (file, sets) = self.results(s, y, *out, dsts, lists)?;
        let after = self.files.regs(&file);
        let args = [
            ("g", g),
            ("ins", *ins),
            ("out", self.num(u64::from(*out))),
            ("f", *f),
            ("dsts", lists[0]),
            ("srcs", operands[0]),
            ("y", y),
            ("R", regs),
            ("R'", after),
            ("value", proof),
            ("regs", sets),
        ];
        Ok((self.step("Leads.alus", s, line, &args)?, file))
    }

    /// A meaning applied to operands, and the proof of `srcs.apply σ R f = y`.
    pub(super) fn applied(
        &mut self,
        s: &State,
        ty: Expr,
        first: Expr,
        srcs: &[Source],
        operands: &[Expr],
    ) -> Result<(Expr, Expr)> {
        let regs = self.files.regs(&s.file);
        let mut values = Vec::new();
        for o in srcs {
            values.push(self.operand(s, o)?);
        }
        let all: Vec<Expr> = values.iter().map(|v| v.0).collect();
        let y = self.el.beta(first, &all);
        let mut rest_widths = vec![self.widths(&[])];
        for i in (0..srcs.len()).rev() {
            rest_widths.push(self.widths(&srcs[i..]));
        }
        rest_widths.reverse();
        let mut proof = self.call(
            "args_nil",
            &[("A", ty), ("σ", self.place_of), ("R", regs), ("r", y)],
        )?;
        for (i, o) in srcs.iter().enumerate().rev() {
            let fun = self.el.beta(first, &all[..i]);
            let args = [
                ("A", ty),
                ("σ", self.place_of),
                ("R", regs),
                ("w", self.num(u64::from(o.width))),
                ("ws", rest_widths[i + 1]),
                ("o", o.term),
                ("os", operands[i + 1]),
                ("f", fun),
                ("v", values[i].0),
                ("y", y),
                ("r", values[i].1),
                ("rest", proof),
            ];
            proof = self.call("args_cons", &args)?;
        }
        Ok((y, proof))
    }

    /// The list of the widths of operands.
    fn widths(&self, srcs: &[Source]) -> Expr {
        let items: Vec<Expr> = srcs.iter().map(|o| self.num(u64::from(o.width))).collect();
        self.list_of(self.el.st.const0("Nat"), &items)
    }

    /// A barrier, an exchange, a fence.
    pub(super) fn synchronise(
        &mut self,
        s: &State,
        line: &Line,
        g: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let Shape::Sync {
            kind,
            ins,
            dsts,
            lists,
            srcs,
            operands,
        } = &line.shape
        else {
            return Err(self.broken());
        };
        let st = self.el.st;
        let nat = st.const0("Nat");
        let regs = self.files.regs(&s.file);
        // the operands as numbers
        let mut read = Vec::new();
        for o in srcs {
            let (v, reads) = self.operand(s, o)?;
            let w = self.num(u64::from(o.width));
            let x = match (o.kind, self.el.match_app(v, "Word.ofNat", 2)) {
                (SourceKind::Imm(_), Some(a)) => a[1],
                _ => {
                    let (n, _) = self.normal(v)?;
                    let number = self.el.match_app(n, "Word.ofNat", 2).map(|a| a[1]);
                    match number.filter(|x| n == v && matches!(st.node(*x), logic::Node::Nat(_))) {
                        Some(x) => x,
                        None => st.apps(st.const0("Word.val"), &[w, v]),
                    }
                }
            };
            read.push((w, v, reads, x));
        }
        let mut values = self.call("vals_nil", &[("σ", self.place_of), ("R", regs)])?;
        for (i, o) in srcs.iter().enumerate().rev() {
            let (w, v, reads, x) = read[i];
            let rest: Vec<Expr> = read[i + 1..].iter().map(|r| r.3).collect();
            let h = self.refl(nat, x);
            let args = [
                ("σ", self.place_of),
                ("R", regs),
                ("w", w),
                ("ws", self.widths(&srcs[i + 1..])),
                ("o", o.term),
                ("os", operands[i + 1]),
                ("v", v),
                ("x", x),
                ("xs", self.list_of(nat, &rest)),
                ("r", reads),
                ("h", h),
                ("rest", values),
            ];
            values = self.call("vals_cons", &args)?;
        }
        let numbers: Vec<Expr> = read.iter().map(|r| r.3).collect();
        let args_list = self.list_of(nat, &numbers);
        let site = st.apps(
            st.const0("Ptx.Site.mk"),
            &[self.calls.of, self.num(s.pc as u64)],
        );
        let event =
            |res: Expr| st.apps(st.const0("Ptx.Event.sync"), &[*kind, site, args_list, res]);
        let (res, rest) = match self.planned(s.pc, hint)? {
            None => (self.answer(s.pc)?, None),
            Some((e, rest)) => {
                let res = self.el.mk_fresh_mvar(nat);
                if !self.el.is_defeq(event(res), e) {
                    return Err(self.another(s.pc, "synchronises", e));
                }
                (self.el.instantiate_mvars(res), Some(rest))
            }
        };
        let n: u32 = dsts
            .iter()
            .map(|d| match d {
                Dst::Reg(r) => r.0,
                Dst::Wide(w, ..) | Dst::Sink(w) => *w,
            })
            .sum();
        let y = st.apps(st.const0("Word.ofNat"), &[self.num(u64::from(n)), res]);
        let (file, sets) = self.results(s, y, n, dsts, lists)?;
        let after = self.files.regs(&file);
        let next = State { pc: s.pc + 1, file };
        let done = self.follow(next, frame, rest, false)?;
        let q = self.ends_with(frame)?;
        let args = [
            ("kind", *kind),
            ("ins", *ins),
            ("dsts", lists[0]),
            ("srcs", operands[0]),
            ("args", args_list),
            ("res", res),
            ("R", regs),
            ("R'", after),
            ("T", done.tree),
            ("Q", q),
            ("g", g),
            ("values", values),
            ("regs", sets),
            ("next", done.proof),
        ];
        let proof = self.step("Does.sync", s, line, &args)?;
        Ok(self.then("await", event(res), done.tree, proof))
    }

    /// The turns of the loops that are being run and the lines of the calls, the innermost first.
    fn counters(&self) -> Expr {
        let items: Vec<Expr> = self.turns.iter().rev().copied().collect();
        self.list_of(self.el.st.const0("Nat"), &items)
    }

    /// The answer to a request for synchronisation, as the user gives it.
    pub(super) fn answer(&mut self, pc: usize) -> Result<Expr> {
        match self.answers {
            Some(f) => Ok(self
                .el
                .beta(f, &[self.num((self.before + pc) as u64), self.counters()])),
            None => Err(self
                .fails(pc, "the thread is answered here, and no answer is given")
                .help("`symexec (answers := f)` gives one: `f i ks` is the answer at line `i` (counted from 0 through the entry and then its functions) in turn `ks` of the loops and calls around it")),
        }
    }

    /// What a load returns that the trace does not say.
    pub(super) fn returned(&mut self, pc: usize, access: &Access) -> Result<Expr> {
        if matches!(access.space, Space::Global | Space::Generic) && access.weak {
            return Ok(self.memory);
        }
        match self.reads {
            Some(f) => Ok(self
                .el
                .beta(f, &[self.num((self.before + pc) as u64), self.counters()])),
            None => Err(self
                .fails(pc, "what this load returns is not given")
                .help("`symexec (reads := f)` gives it: `f i ks a` is the byte at address `a` that the load at line `i` (counted from 0 through the entry and then its functions) returns in turn `ks` of the loops and calls around it")),
        }
    }
}
