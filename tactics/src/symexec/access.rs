//! Loads, stores, and what is read without a request.

use logic::Expr;

use super::code::{self, Access, Line, Shape, Source, Space};
use super::file::File;
use super::run::{Done, Frame};
use super::{Exec, State};
use crate::meta::{ElabError, Result};
use crate::tactic::util::{ATTEMPT, with_budget};

impl<'a, 'b> Exec<'a, 'b> {
    /// The address of an access, as it is planned (`wanted`) or as it comes out: with the proof, and the proof that it is aligned.
    #[allow(clippy::type_complexity)]
    pub(super) fn address(
        &mut self,
        s: &State,
        base: &Source,
        off: Expr,
        size: u64,
        wanted: Option<Expr>,
    ) -> Result<(Expr, Vec<(&'static str, Expr)>)> {
        let st = self.el.st;
        let nat = st.const0("Nat");
        let (x, reads) = self.operand(s, base)?;
        let (e, value) = self.number(64, x)?;
        let o = self.literal(64, off)?;
        let o = self
            .el
            .match_app(o, "Word.ofNat", 2)
            .map(|a| a[1])
            .ok_or_else(|| self.broken())?;
        let zero = code::number(self.el, o) == Some(0);
        let sum = self.sum(o, e)?;
        let mut parts = sum.parts;
        parts.extend([("x", x), ("e", e), ("value", value)]);
        if !zero {
            let y = st.apps(st.const0("Ptx.Lit.word"), &[self.num(64), off]);
            let to = st.apps(st.const0("Word.ofNat"), &[self.num(64), o]);
            let q = self.refl(self.word_type(64), to);
            parts.extend([("y", y), ("o", o), ("off", q)]);
        }
        let a = wanted.unwrap_or(sum.address);
        let same = if a == sum.address {
            None
        } else {
            let p = self.eq(nat, sum.address, a);
            Some(self.side("address", s.pc, p)?)
        };
        let (raw, equal) = sum.raw;
        let h = self
            .trans(nat, (raw, sum.address, a), equal, same)
            .unwrap_or_else(|| self.refl(nat, a));
        parts.extend([("a", a), ("h", h)]);
        let addr = self.call(sum.lemma, &parts)?;
        let n = self.num(size);
        let known = match sum.exact {
            true => self.aligned(sum.address, size)?,
            false => None,
        };
        let aligned = match (known, same) {
            (Some(k), None) => k,
            (Some(k), Some(h)) => {
                let e = sum.address;
                self.call(
                    "aligned_as",
                    &[("e", e), ("a", a), ("n", n), ("h", h), ("k", k)],
                )?
            }
            (None, _) => {
                let p = self.eq(nat, st.apps(st.const0("Nat.mod"), &[a, n]), self.num(0));
                self.side("aligned", s.pc, p)?
            }
        };
        let size = self.refl(nat, n);
        Ok((
            a,
            vec![
                ("base", base.term),
                ("off", off),
                ("a", a),
                ("n", n),
                ("x", x),
                ("address", reads),
                ("addr", addr),
                ("size", size),
                ("aligned", aligned),
            ],
        ))
    }

    /// The event of a load.
    fn load_op(&mut self, access: &Access, a: Expr, size: u64, f: Expr) -> Expr {
        let st = self.el.st;
        let n = self.num(size);
        if access.space == Space::Global && access.weak {
            return st.apps(st.const0("Ptx.Op.load"), &[access.nc, a, n, f]);
        }
        let attr = st.app(st.const0("Ptx.Access.readAttr"), access.term);
        let b = self.location(access, a);
        st.apps(st.const0("Ptx.Op.loadAt"), &[attr, b, n, f])
    }

    /// The event of a store.
    fn store_op(&mut self, access: &Access, a: Expr, size: u64, f: Expr) -> Expr {
        let st = self.el.st;
        let n = self.num(size);
        if access.space == Space::Global && access.weak {
            return st.apps(st.const0("Ptx.Op.store"), &[a, n, f]);
        }
        let sem = st.app(st.const0("Ptx.Access.sem"), access.term);
        let attr = st.app(st.const0("Ptx.Sem.attr"), sem);
        let b = self.location(access, a);
        st.apps(st.const0("Ptx.Op.storeAt"), &[attr, b, n, f])
    }

    /// The registers after a load from address `a` of what memory `f` holds, and the proof of `loadRegs … = R'`.
    pub(super) fn loaded(
        &mut self,
        s: &State,
        (ty, width): (Expr, u32),
        dsts: &[u64],
        lists: &[Expr],
        f: Expr,
        a: Expr,
    ) -> Result<(File, Expr)> {
        let st = self.el.st;
        let nat = st.const0("Nat");
        let bytes = self.bytes(ty)?;
        let mut steps = Vec::new();
        let mut file = s.file.clone();
        let mut at = a;
        let w = self.num(u64::from(width));
        for (i, d) in dsts.iter().enumerate() {
            let (v, value) = if 8 * bytes == u64::from(width) {
                let v = st.apps(st.const0("Ptx.Mem.word"), &[w, f, at]);
                let h = self.refl(nat, w);
                (
                    v,
                    self.call(
                        "read_mem",
                        &[("ty", ty), ("w", w), ("width", h), ("f", f), ("a", at)],
                    )?,
                )
            } else {
                let index = st.apps(st.const0("Nat.add"), &[at, st.bvar(0)]);
                let g = st.lam(
                    st.name("k"),
                    nat,
                    st.app(f, index),
                    logic::BinderInfo::Default,
                );
                let v = st.apps(st.const0("Ptx.MemTy.read"), &[ty, w, g]);
                (v, self.refl(self.word_type(width), v))
            };
            let state = State {
                pc: s.pc,
                file: file.clone(),
            };
            let after = self.put(&state, (width, *d), v)?;
            steps.push((
                file.trie,
                after.trie,
                self.put_proof(&after)?,
                v,
                value,
                at,
                *d,
                lists[i + 1],
            ));
            file = after;
            at = st.apps(st.const0("Nat.add"), &[at, self.num(bytes)]);
        }
        let last = self.files.regs(&file);
        let end = st.apps(st.const0("Ptx.loads_nil"), &[ty, w, f, at, last]);
        let mut regs = end;
        for (t, t2, put, v, value, at, d, ds) in steps.into_iter().rev() {
            let parts = [
                ("ty", ty),
                ("rw", w),
                ("f", f),
                ("a", at),
                ("d", self.num(d)),
                ("ds", ds),
                ("ρ", file.base),
                ("t", t),
                ("t'", t2),
                ("v", v),
                ("R", last),
                ("value", value),
                ("k", self.yes),
                ("put", put),
                ("rest", regs),
            ];
            regs = self.call("loads_cons", &parts)?;
        }
        Ok((file, regs))
    }

    /// A load.
    pub(super) fn load(
        &mut self,
        s: &State,
        line: &Line,
        g: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let Shape::Load {
            access,
            ty,
            width,
            dsts,
            lists,
            base,
            off,
        } = &line.shape
        else {
            return Err(self.broken());
        };
        let st = self.el.st;
        let bytes = self.bytes(*ty)?;
        let size = bytes * dsts.len() as u64;
        let access = &self.in_window(s, access, base)?;
        let nat = st.const0("Nat");
        let memory_ty = st.pi(
            st.name("a"),
            nat,
            st.app(st.const0("Word"), self.num(8)),
            logic::BinderInfo::Default,
        );
        let (wanted, f, rest) = match self.planned(s.pc, hint)? {
            None => (None, self.returned(s.pc, access)?, None),
            Some((o, rest)) => {
                let (a, f) = (self.el.mk_fresh_mvar(nat), self.el.mk_fresh_mvar(memory_ty));
                let a = self.wanted(access, a);
                let load = self.load_op(access, a, size, f);
                if !self.el.is_defeq(load, o) {
                    let kind = match code::truth(self.el, access.nc) {
                        Some(true) => " by `.nc`",
                        _ => "",
                    };
                    return Err(self.another(s.pc, &format!("loads {size} bytes{kind}"), o));
                }
                let (a, f) = (self.el.instantiate_mvars(a), self.el.instantiate_mvars(f));
                (Some(self.tidy(a)), f, Some(rest))
            }
        };
        let (a, mut args) = self.address(s, base, *off, size, wanted)?;
        let at = self.within(access, a);
        let (file, regs) = self.loaded(s, (*ty, *width), dsts, lists, f, at)?;
        let last = self.files.regs(&file);
        let next = State { pc: s.pc + 1, file };
        let done = self.follow(next, frame, rest, false)?;
        let q = self.ends_with(frame)?;
        args.extend([
            ("acc", access.term),
            ("ty", *ty),
            ("rw", self.num(u64::from(*width))),
            ("dsts", lists[0]),
            ("R", self.files.regs(&s.file)),
            ("R'", last),
            ("f", f),
            ("T", done.tree),
            ("Q", q),
            ("g", g),
            ("regs", regs),
            ("next", done.proof),
        ]);
        let op = self.load_op(access, a, size, f);
        args.extend(self.placed(s, access, a, op)?);
        let proof = self.step("Does.load", s, line, &args)?;
        Ok(self.then("op", op, done.tree, proof))
    }

    /// The error of a request where the trace plans another event.
    pub(super) fn another(&mut self, pc: usize, does: &str, event: Expr) -> ElabError {
        let t = self.el.pp_short(event);
        let what = format!("the thread {does} here, and the trace has another event");
        self.fails(pc, &what)
            .note(format!("the trace's event: {t}"))
    }

    /// A leaf of the tree (`op`, `await`) with its event, and then the rest.
    pub(super) fn then(&self, leaf: &str, event: Expr, rest: Expr, proof: Expr) -> Done {
        let st = self.el.st;
        let first = st.app(st.const0(&format!("Ptx.Tree.{leaf}")), event);
        Done {
            tree: st.apps(st.const0("Ptx.Tree.seq"), &[first, rest]),
            proof,
        }
    }

    /// A store.
    pub(super) fn store(
        &mut self,
        s: &State,
        line: &Line,
        g: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let Shape::Store {
            access,
            ty,
            width,
            srcs,
            lists,
            base,
            off,
        } = &line.shape
        else {
            return Err(self.broken());
        };
        let st = self.el.st;
        let bytes = self.bytes(*ty)?;
        let size = bytes * srcs.len() as u64;
        let access = &self.in_window(s, access, base)?;
        let (nat, w) = (st.const0("Nat"), self.num(u64::from(*width)));
        let word = self.word_type(*width);
        let mut values = Vec::new();
        for o in srcs {
            values.push(self.operand(s, o)?);
        }
        let (wanted, rest, planned) = match self.planned(s.pc, hint)? {
            None => (None, None, None),
            Some((o, rest)) => {
                let a = self.el.mk_fresh_mvar(nat);
                let mut vs = Vec::new();
                for _ in srcs {
                    vs.push(self.el.mk_fresh_mvar(word));
                }
                let list = self.list_of(word, &vs);
                let f = st.apps(st.const0("Ptx.elemByte"), &[w, self.num(bytes), list]);
                let a = self.wanted(access, a);
                let store = self.store_op(access, a, size, f);
                if !self.el.is_defeq(store, o) {
                    return Err(self.another(s.pc, &format!("stores {size} bytes"), o));
                }
                let a = self.el.instantiate_mvars(a);
                let a = self.tidy(a);
                let vs: Vec<Expr> = vs.iter().map(|v| self.el.instantiate_mvars(*v)).collect();
                (Some(a), Some(rest), Some(vs))
            }
        };
        let (a, mut args) = self.address(s, base, *off, size, wanted)?;
        let regs = self.files.regs(&s.file);
        let mut all = Vec::new();
        for (i, (v, reads)) in values.iter().enumerate() {
            match planned.as_ref().map(|p| p[i]) {
                None => all.push((*v, *reads)),
                Some(p) => {
                    let same = p == *v || with_budget(self.el, ATTEMPT, |el| el.is_defeq(*v, p));
                    let reads = if same {
                        *reads
                    } else {
                        let eq = self.eq(word, *v, p);
                        let h = self.side("value", s.pc, eq)?;
                        let parts = [
                            ("σ", self.place_of),
                            ("w", w),
                            ("R", regs),
                            ("o", srcs[i].term),
                            ("v", *v),
                            ("u", p),
                            ("r", *reads),
                            ("h", h),
                        ];
                        self.call("Reads.to", &parts)?
                    };
                    all.push((p, reads));
                }
            }
        }
        let items: Vec<Expr> = all.iter().map(|x| x.0).collect();
        let vs = self.list_of(word, &items);
        let mut eval = self.call("evals_nil", &[("σ", self.place_of), ("w", w), ("R", regs)])?;
        for (i, (v, reads)) in all.iter().enumerate().rev() {
            let tail = self.list_of(word, &items[i + 1..]);
            let parts = [
                ("σ", self.place_of),
                ("w", w),
                ("R", regs),
                ("o", srcs[i].term),
                ("os", lists[i + 1]),
                ("v", *v),
                ("vs", tail),
                ("r", *reads),
                ("rs", eval),
            ];
            eval = self.call("evals_cons", &parts)?;
        }
        let next = State {
            pc: s.pc + 1,
            file: s.file.clone(),
        };
        let done = self.follow(next, frame, rest, false)?;
        let q = self.ends_with(frame)?;
        args.extend([
            ("acc", access.term),
            ("ty", *ty),
            ("rw", w),
            ("srcs", lists[0]),
            ("R", regs),
            ("vs", vs),
            ("T", done.tree),
            ("Q", q),
            ("g", g),
            ("values", eval),
            ("next", done.proof),
        ]);
        let f = st.apps(st.const0("Ptx.elemByte"), &[w, self.num(bytes), vs]);
        let op = self.store_op(access, a, size, f);
        args.extend(self.placed(s, access, a, op)?);
        let proof = self.step("Does.store", s, line, &args)?;
        Ok(self.then("op", op, done.tree, proof))
    }
}
