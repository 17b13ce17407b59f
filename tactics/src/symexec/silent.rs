//! Silent steps: lines that change only the thread's registers, and what operands and guards are.

use logic::Expr;

use super::code::{Line, Reg, Shape, Source, SourceKind};
use super::file::File;
use super::flow::Loop;
use super::{Exec, State};
use crate::meta::{ElabError, Result};

/// A step, or several.
pub(super) struct Silent {
    pub from: Expr,
    pub to: Expr,
    pub proof: Expr,
}

/// Where silent steps end.
pub(super) enum Halt {
    /// Where they should.
    Arrived,
    /// At the head of a loop.
    Loop(Loop),
    /// At a guard that may hold or not: its truth value.
    Open(Expr),
    /// At a line that does more, and the proof that its guard holds.
    Event(Box<Line>, Expr),
}

/// What a guard says.
enum Guarded {
    /// It holds (the proof of `Passes`), or not (the proof that it does not).
    Known(bool, Expr),
    /// That depends: the truth value of the predicate.
    Open(Expr),
}

impl<'a, 'b> Exec<'a, 'b> {
    /// Runs silent steps from a state. `first`: the state may be where it stops.
    pub(super) fn silently(
        &mut self,
        mut s: State,
        mut first: bool,
        stops: &dyn Fn(&Self, usize) -> bool,
    ) -> Result<(Vec<Silent>, State, Halt)> {
        let mut silent: Vec<Silent> = Vec::new();
        let halt = loop {
            self.count()?;
            if !first && stops(self, s.pc) {
                break Halt::Arrived;
            }
            let inside = first && self.inside == Some(s.pc);
            if !inside
                && self.leaving != Some(s.pc)
                && let Some(l) = self.flow.loop_at(s.pc)
                && self.awaits(l).is_none()
            {
                break Halt::Loop(l.clone());
            }
            first = false;
            let Some(line) = self.code.lines.get(s.pc).cloned() else {
                let last = s.pc.saturating_sub(1);
                return Err(self.fails(last, "the thread runs past the last line"));
            };
            let passes = match self.guard(&s, &line)? {
                Guarded::Known(true, p) => p,
                Guarded::Known(false, p) => {
                    let regs = self.files.regs(&s.file);
                    let Some((_, _, g)) = line.guard else {
                        return Err(self.broken());
                    };
                    let args = [("R", regs), ("g", g), ("i", line.instr), ("no", p)];
                    let proof = self.step("Leads.skips", &s, &line, &args)?;
                    s = self.advance(s, &mut silent, proof, None);
                    continue;
                }
                Guarded::Open(b) => break Halt::Open(b),
            };
            let (proof, file) = match &line.shape {
                Shape::Alu { out, f, dst, srcs } => {
                    self.compute(&s, &line, passes, (*out, *dst), *f, srcs)?
                }
                Shape::Special { dst, which } => {
                    let v = self.special(*which)?;
                    let file = self.put(&s, (32, *dst), v)?;
                    let value = self.refl(self.word_type(32), v);
                    let args = [
                        ("g", passes),
                        ("r", *which),
                        ("v", v),
                        ("value", value),
                        ("put", self.put_proof(&file)?),
                        ("t'", file.trie),
                        ("dst", self.num(*dst)),
                    ];
                    (self.step("Leads.sreg", &s, &line, &args)?, file)
                }
                Shape::Param { .. } => self.parameter(&s, &line, passes)?,
                Shape::Several { .. } => self.several(&s, &line, passes)?,
                Shape::GetParam { .. } => self.get_param(&s, &line, passes)?,
                Shape::PutParam { .. } => self.put_param(&s, &line, passes)?,
                Shape::Generic { .. } => self.generic(&s, &line, passes)?,
                Shape::Unknown(text) => {
                    let what = "an instruction stands here that `symexec` has no lemma for";
                    return Err(self.fails(s.pc, what).note(format!("it is {text}")));
                }
                Shape::Branch { target, label, to } => {
                    let regs = self.files.regs(&s.file);
                    let (pair, pair_ty) = self.label_pair(label, *to);
                    let args = [
                        ("R", regs),
                        ("g", passes),
                        ("target", self.num(*target)),
                        ("label", self.el.st.string(label)),
                        ("to", self.num(*to as u64)),
                        ("has", self.refl(pair_ty, pair)),
                    ];
                    let proof = self.step("Leads.jumps", &s, &line, &args)?;
                    let from = self.state(&s);
                    s.pc = *to;
                    let to = self.state(&s);
                    silent.push(Silent { from, to, proof });
                    continue;
                }
                _ => break Halt::Event(Box::new(line), passes),
            };
            s = self.advance(s, &mut silent, proof, Some(file));
        };
        Ok((silent, s, halt))
    }

    /// Takes the state one line further.
    pub(super) fn advance(
        &mut self,
        mut s: State,
        silent: &mut Vec<Silent>,
        proof: Expr,
        file: Option<File>,
    ) -> State {
        let from = self.state(&s);
        s.pc += 1;
        if let Some(f) = file {
            s.file = f;
        }
        let to = self.state(&s);
        silent.push(Silent { from, to, proof });
        s
    }

    /// Silent steps as one, put together in halves so that the proof is not deep.
    pub(super) fn chain(&mut self, all: &[Silent]) -> Result<Option<Silent>> {
        Ok(match all {
            [] => None,
            [one] => Some(Silent {
                from: one.from,
                to: one.to,
                proof: one.proof,
            }),
            _ => {
                let (a, b) = all.split_at(all.len() / 2);
                let (Some(a), Some(b)) = (self.chain(a)?, self.chain(b)?) else {
                    return Ok(None);
                };
                let args = [
                    ("S", self.threads),
                    ("s", a.from),
                    ("t", a.to),
                    ("u", b.to),
                    ("h", a.proof),
                    ("h'", b.proof),
                ];
                let proof = self.call("Leads.trans", &args)?;
                Some(Silent {
                    from: a.from,
                    to: b.to,
                    proof,
                })
            }
        })
    }

    /// A lemma about the line, with the arguments that all of them have.
    pub(super) fn step(
        &mut self,
        name: &'static str,
        s: &State,
        line: &Line,
        more: &[(&str, Expr)],
    ) -> Result<Expr> {
        let code = self.rest(s.pc);
        let next = match self.code.lines.get(s.pc + 1) {
            Some(l) => l.rest,
            None => self.code.end.unwrap_or(line.rest),
        };
        let mut args: Vec<(&str, Expr)> = more.to_vec();
        args.extend([
            ("c", self.common),
            ("cta", self.cta),
            ("tid", self.tid),
            ("cs", self.calls.term),
            ("pc", self.num(s.pc as u64)),
            ("lines", next),
            ("guard", line.guard_term),
            ("ρ", s.file.base),
            ("t", s.file.trie),
            ("code", code),
        ]);
        self.call(name, &args)
    }

    /// The proof of `Rest` for a line.
    pub(super) fn rest(&mut self, pc: usize) -> Expr {
        let st = self.el.st;
        if self.rests.is_empty() {
            let start = st.app(st.const0("Ptx.Rest.start"), self.body);
            self.rests.push(start);
        }
        while self.rests.len() <= pc {
            let k = self.rests.len() - 1;
            let line = &self.code.lines[k];
            let next = match self.code.lines.get(k + 1) {
                Some(l) => l.rest,
                None => self.code.end.unwrap_or(line.rest),
            };
            let h = self.rests[k];
            let tail = st.apps(
                st.const0("Ptx.Rest.tail"),
                &[self.body, st.nat_u64(k as u64), line.term, next, h],
            );
            self.rests.push(tail);
        }
        self.rests[pc]
    }

    /// A register's value and the proof of `Reads`.
    pub(super) fn read(&mut self, s: &State, r: Reg) -> Result<(Expr, Expr)> {
        let st = self.el.st;
        let (w, i) = (self.num(u64::from(r.0)), self.num(r.1));
        let mut args = vec![
            ("σ", self.place_of),
            ("ρ", s.file.base),
            ("t", s.file.trie),
            ("w", w),
            ("i", i),
        ];
        let (lemma, v) = match s.file.values.get(&r) {
            Some(v) => {
                args.extend([("v", *v), ("k", self.yes)]);
                ("Reads.reg", *v)
            }
            None => ("Reads.base", st.apps(s.file.base, &[w, i])),
        };
        let found = self.files.get(&s.file, r);
        args.push(("h", found.ok_or_else(|| self.no_register(s.pc, r.0))?));
        Ok((v, self.call(lemma, &args)?))
    }

    /// An operand's value and the proof of `Reads`.
    pub(super) fn operand(&mut self, s: &State, o: &Source) -> Result<(Expr, Expr)> {
        let st = self.el.st;
        match o.kind {
            SourceKind::Reg(i) => self.read(s, (o.width, i)),
            SourceKind::Imm(l) => {
                let v = self.literal(o.width, l)?;
                let word = self.word_type(o.width);
                let h = self.refl(word, v);
                let args = [
                    ("σ", self.place_of),
                    ("R", self.files.regs(&s.file)),
                    ("w", self.num(u64::from(o.width))),
                    ("l", l),
                    ("v", v),
                    ("h", h),
                ];
                Ok((v, self.call("Reads.imm", &args)?))
            }
            SourceKind::Other(u, i) => {
                let (v, r) = self.read(s, (u, i))?;
                let (w, u) = (self.num(u64::from(o.width)), self.num(u64::from(u)));
                let zext = st.apps(st.const0("Word.zext"), &[u, w, v]);
                let args = self.register_args(s, w, i, v, r);
                let args = [&args[..], &[("u", u)]].concat();
                Ok((zext, self.call("Reads.other", &args)?))
            }
            SourceKind::Compl(i) => {
                let (v, r) = self.read(s, (o.width, i))?;
                let w = self.num(u64::from(o.width));
                let not = st.apps(st.const0("Word.not"), &[w, v]);
                let args = self.register_args(s, w, i, v, r);
                Ok((not, self.call("Reads.compl", &args)?))
            }
            SourceKind::Sym(i, off) => {
                let (w, i, off) = (self.num(u64::from(o.width)), self.num(i), self.num(off));
                let sum = st.apps(st.const0("Nat.add"), &[st.app(self.place_of, i), off]);
                let v = st.apps(st.const0("Word.ofNat"), &[w, sum]);
                let regs = self.files.regs(&s.file);
                let args = [
                    ("σ", self.place_of),
                    ("R", regs),
                    ("w", w),
                    ("i", i),
                    ("off", off),
                ];
                Ok((v, self.call("Reads.sym", &args)?))
            }
        }
    }

    pub(super) fn register_args(
        &self,
        s: &State,
        w: Expr,
        i: u64,
        v: Expr,
        r: Expr,
    ) -> [(&'static str, Expr); 6] {
        let regs = self.files.regs(&s.file);
        [
            ("σ", self.place_of),
            ("R", regs),
            ("w", w),
            ("i", self.num(i)),
            ("v", v),
            ("r", r),
        ]
    }

    /// A computation.
    pub(super) fn compute(
        &mut self,
        s: &State,
        line: &Line,
        g: Expr,
        dst: Reg,
        f: Expr,
        srcs: &[Source],
    ) -> Result<(Expr, File)> {
        const NAMES: [(&str, &str, &str, &str); 4] = [
            ("w1", "o1", "v1", "r1"),
            ("w2", "o2", "v2", "r2"),
            ("w3", "o3", "v3", "r3"),
            ("w4", "o4", "v4", "r4"),
        ];
        let lemma = match srcs.len() {
            1 => "Leads.alu1",
            2 => "Leads.alu2",
            3 => "Leads.alu3",
            4 => "Leads.alu4",
            n => return Err(self.fails(s.pc, &format!("`symexec` has no lemma for {n} operands"))),
        };
        let mut args = vec![
            ("g", g),
            ("f", f),
            ("out", self.num(u64::from(dst.0))),
            ("dst", self.num(dst.1)),
            ("k", self.yes),
        ];
        let mut values = vec![self.floats];
        for (o, (w, t, v, r)) in srcs.iter().zip(NAMES) {
            let (value, reads) = self.operand(s, o)?;
            values.push(value);
            args.extend([
                (w, self.num(u64::from(o.width))),
                (t, o.term),
                (v, value),
                (r, reads),
            ]);
        }
        let value = self.el.beta(f, &values);
        let file = self.put(s, dst, value)?;
        args.extend([("put", self.put_proof(&file)?), ("t'", file.trie)]);
        Ok((self.step(lemma, s, line, &args)?, file))
    }

    /// The registers after one is written.
    pub(super) fn put(&mut self, s: &State, r: Reg, v: Expr) -> Result<File> {
        self.files
            .put(&s.file, r, v)
            .ok_or_else(|| self.no_register(s.pc, r.0))
    }

    fn no_register(&self, pc: usize, width: u32) -> ElabError {
        self.fails(pc, &format!("`symexec` knows no registers of {width} bits"))
    }

    /// `t.put k v = t'` for the change that made these registers.
    pub(super) fn put_proof(&self, f: &File) -> Result<Expr> {
        f.put.ok_or_else(|| self.broken())
    }

    /// The proof that the guard of a line holds.
    pub(super) fn passes(&mut self, s: &State, line: &Line) -> Result<Expr> {
        match self.guard(s, line)? {
            Guarded::Known(true, p) => Ok(p),
            _ => Err(self.fails(s.pc, "it is not known that this line takes effect")),
        }
    }

    /// What the guard of a line says.
    fn guard(&mut self, s: &State, line: &Line) -> Result<Guarded> {
        let st = self.el.st;
        let regs = self.files.regs(&s.file);
        let Some((p, neg, _)) = line.guard else {
            let h = st.app(st.const0("Ptx.Passes.always"), regs);
            return Ok(Guarded::Known(true, h));
        };
        let (v, reads) = self.read(s, (1, p))?;
        let to_bool = st.app(st.const0("Word.toBool"), v);
        let (b, eq) = self.normal(to_bool)?;
        let Some((value, known)) = self.truth_of(b)? else {
            return Ok(Guarded::Open(b));
        };
        let bool_ty = st.const0("Bool");
        let lit = self.truth_lit(value);
        let h = self
            .trans(bool_ty, (to_bool, b, lit), eq, Some(known))
            .unwrap_or(known);
        let name = if neg { "Guard.negated" } else { "Guard.pos" };
        let args = [
            ("σ", self.place_of),
            ("R", regs),
            ("p", self.num(p)),
            ("v", v),
            ("b", lit),
            ("r", reads),
            ("h", h),
        ];
        let proof = self.call(name, &args)?;
        Ok(Guarded::Known(value != neg, proof))
    }

    /// The type of frames, and of lists of them.
    pub(super) fn frames(&self) -> (Expr, Expr) {
        let st = self.el.st;
        let frame = st.const0("Ptx.Frame");
        let list = st.constant(st.name("List"), &[logic::Level::ZERO]);
        (frame, st.app(list, frame))
    }
}
