//! Atomic operations: a word is read and written at once. What it was is an answer, which is given.

use logic::{BinderInfo, Expr};

use super::code::{Dst, Line, Shape, Space};
use super::run::{Done, Frame};
use super::{Exec, State};
use crate::meta::Result;
use crate::tactic::util::{ATTEMPT, with_budget};

impl<'a, 'b> Exec<'a, 'b> {
    /// An atomic operation.
    pub(super) fn atomic(
        &mut self,
        s: &State,
        line: &Line,
        g: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let Shape::Atomic {
            access,
            width,
            ins,
            f,
            dst,
            dst_term,
            srcs,
            operands,
            base,
            off,
        } = &line.shape
        else {
            return Err(self.broken());
        };
        let st = self.el.st;
        let access = &self.in_window(s, access, base)?;
        if access.space == Space::Window || access.space == Space::Local {
            let what =
                "an atomic operation by a generic address has a meaning in global memory alone";
            return Err(self.fails(s.pc, what));
        }
        let (w, word) = (self.num(u64::from(*width)), self.word_type(*width));
        let asks = !matches!(dst, Dst::Sink(_));
        let sem = st.app(st.const0("Ptx.Access.sem"), access.term);
        let attr = self.el.whnf(st.app(st.const0("Ptx.Sem.attr"), sem));
        let event = |b: Expr, u: Expr, was: Option<Expr>| {
            let name = if asks {
                "Ptx.Event.atom"
            } else {
                "Ptx.Event.red"
            };
            let args = [attr, w, b, u].into_iter().chain(was);
            st.apps(st.const0(name), &args.collect::<Vec<_>>())
        };
        // what is there then
        let mut made = None;
        let ((), mut value) = self.under("old", word, |ex, old| {
            let first = ex.el.beta(*f, &[ex.floats, old]);
            let (y, proof) = ex.applied(s, word, first, srcs, operands)?;
            made = Some(ex.el.mk_lambda(&[old], y));
            Ok(((), proof))
        })?;
        let Some(mut update) = made else {
            return Err(self.broken());
        };
        let (wanted, was, rest) = match self.planned(s.pc, hint)? {
            None if asks => {
                let n = self.answer(s.pc)?;
                (None, Some(st.apps(st.const0("Word.ofNat"), &[w, n])), None)
            }
            None => (None, None, None),
            Some((e, rest)) => {
                let a = self.el.mk_fresh_mvar(st.const0("Nat"));
                let step = self.el.mk_arrow(word, word);
                let u = self.el.mk_fresh_mvar(step);
                let was = match asks {
                    true => Some(self.el.mk_fresh_mvar(word)),
                    false => None,
                };
                let b = self.location(access, a);
                if !self.el.is_defeq(event(b, u, was), e) {
                    let what = format!("changes a word of {width} bits");
                    return Err(self.another(s.pc, &what, e));
                }
                let a = self.el.instantiate_mvars(a);
                let u = self.el.instantiate_mvars(u);
                value = self.same_update(s, word, (update, u), value)?;
                update = u;
                let was = was.map(|x| self.el.instantiate_mvars(x));
                (Some(self.tidy(a)), was, Some(rest))
            }
        };
        let (a, mut args) = self.address(s, base, *off, u64::from(*width / 8), wanted)?;
        let outside = match access.space {
            Space::Generic => Some(self.outside_all(s, a)?),
            _ => None,
        };
        let (b, loc) = self.located(s, access, a, outside)?;
        let atomic = match outside {
            Some([shared, own]) => {
                let parts = [
                    ("c", self.common),
                    ("a", a),
                    ("shared", shared),
                    ("own", own),
                ];
                self.call("generic_atomic", &parts)?
            }
            None => self.yes,
        };
        let (file, regs) = match (dst, was) {
            (Dst::Reg(r), Some(was)) => {
                let file = self.put(s, *r, was)?;
                let parts = [
                    ("w", w),
                    ("i", self.num(r.1)),
                    ("ρ", file.base),
                    ("t", s.file.trie),
                    ("t'", file.trie),
                    ("a", was),
                    ("k", self.yes),
                    ("put", self.put_proof(&file)?),
                ];
                let proof = self.call("put_reg", &parts)?;
                (file, Some(proof))
            }
            (_, Some(was)) => {
                let ty = st.const0("Ptx.Dst");
                let lists = [self.list_of(ty, &[*dst_term]), self.list_of(ty, &[])];
                let (file, proof) = self.results(s, was, *width, &[*dst], &lists)?;
                (file, Some(proof))
            }
            (_, None) => (s.file.clone(), None),
        };
        let after = self.files.regs(&file);
        let next = State { pc: s.pc + 1, file };
        let done = self.follow(next, frame, rest, false)?;
        let q = self.ends_with(frame)?;
        args.extend([
            ("acc", access.term),
            ("w", w),
            ("ins", *ins),
            ("f", *f),
            ("srcs", operands[0]),
            ("R", self.files.regs(&s.file)),
            ("u", update),
            ("b", b),
            ("T", done.tree),
            ("Q", q),
            ("g", g),
            ("loc", loc),
            ("atomic", atomic),
            ("value", value),
            ("next", done.proof),
        ]);
        let name = match (was, regs, dst) {
            (Some(was), Some(regs), _) => {
                args.extend([
                    ("dst", *dst_term),
                    ("was", was),
                    ("regs", regs),
                    ("R'", after),
                ]);
                "Does.atom"
            }
            (_, _, Dst::Sink(v)) => {
                args.push(("v", self.num(u64::from(*v))));
                "Does.red"
            }
            _ => return Err(self.broken()),
        };
        let proof = self.step(name, s, line, &args)?;
        Ok(self.then("await", event(b, update, was), done.tree, proof))
    }

    /// The word after an atomic operation is what the trace says: by computation, or that is left to the user.
    fn same_update(
        &mut self,
        s: &State,
        word: Expr,
        (found, said): (Expr, Expr),
        value: Expr,
    ) -> Result<Expr> {
        let st = self.el.st;
        if found == said || with_budget(self.el, ATTEMPT, |el| el.is_defeq(found, said)) {
            return Ok(value);
        }
        let side = |ex: &Self, e: Expr| ex.el.beta(e, &[st.bvar(0)]);
        let same = self.eq(word, side(self, found), side(self, said));
        let p = st.pi(st.name("old"), word, same, BinderInfo::Default);
        let h = self.open("value", s.pc, p);
        let ((), proof) = self.under("old", word, |ex, old| {
            let (first, second) = (ex.el.beta(value, &[old]), st.app(h, old));
            let ty = ex.el.infer_type(first)?;
            let Some((_, x, y)) = ex.el.match_eq(ty) else {
                return Err(ex.broken());
            };
            let said = ex.at(said, old);
            let proof = ex.trans(word, (x, y, said), Some(first), Some(second));
            Ok(((), proof.unwrap_or(first)))
        })?;
        Ok(proof)
    }
}
