//! The variables of calls: how they are read and written, and how words go from a caller to a function and back.

use logic::Expr;

use super::code::{Line, Reg, Shape};
use super::file::File;
use super::{Exec, State};
use crate::meta::Result;

impl<'a, 'b> Exec<'a, 'b> {
    /// A list of registers as a term.
    fn reg_list(&self, regs: &[Reg]) -> Expr {
        let st = self.el.st;
        let items: Vec<Expr> = regs
            .iter()
            .map(|(w, i)| {
                let parts = [self.num(u64::from(*w)), self.num(*i)];
                st.apps(st.const0("Ptx.Reg.mk"), &parts)
            })
            .collect();
        self.list_of(st.const0("Ptx.Reg"), &items)
    }

    /// Words are handed over from the registers `from` of a state to those of another file: the file after that, and the proof of
    /// `pass R from to R' = …`.
    pub(super) fn pass(
        &mut self,
        s: &State,
        from: &[Reg],
        to: &[Reg],
        file: File,
    ) -> Result<(File, Expr)> {
        if from.len() != to.len() || from.iter().zip(to).any(|(a, b)| a.0 != b.0) {
            return Err(self.broken());
        }
        let mut files = vec![file];
        let mut read = Vec::new();
        for (i, (r, t)) in from.iter().zip(to).enumerate() {
            let (v, reads) = self.read(s, *r)?;
            let here = State {
                pc: s.pc,
                file: files[i].clone(),
            };
            // `put` names the line in its error
            files.push(self.put(&here, *t, v)?);
            read.push((v, reads));
        }
        let source = self.files.regs(&s.file);
        let end = files[from.len()].clone();
        let last = self.files.regs(&end);
        let mut proof = self.call("pass_nil", &[("R", source), ("R'", last)])?;
        for i in (0..from.len()).rev() {
            let put = self.put_proof(&files[i + 1]);
            let args = [
                ("σ", self.place_of),
                ("R", source),
                ("R'", last),
                ("rs", self.reg_list(&from[i + 1..])),
                ("ts", self.reg_list(&to[i + 1..])),
                ("w", self.num(u64::from(from[i].0))),
                ("i", self.num(from[i].1)),
                ("j", self.num(to[i].1)),
                ("ρ", end.base),
                ("t", files[i].trie),
                ("t'", files[i + 1].trie),
                ("v", read[i].0),
                ("r", read[i].1),
                ("k", self.yes),
                ("put", put?),
                ("rest", proof),
            ];
            proof = self.call("pass_cons", &args)?;
        }
        Ok((end, proof))
    }

    /// A variable of calls is read.
    pub(super) fn get_param(&mut self, s: &State, line: &Line, g: Expr) -> Result<(Expr, File)> {
        let Shape::GetParam {
            ty,
            width,
            dst,
            slot,
            off,
            whole,
        } = line.shape
        else {
            return Err(self.broken());
        };
        let (x, reads) = self.read(s, slot)?;
        let (w, rw, n) = (
            self.num(u64::from(slot.0)),
            self.num(u64::from(width)),
            self.num(off),
        );
        let (v, value) = self.part(ty, width, (w, x), n, whole)?;
        let file = self.put(s, (width, dst), v)?;
        let args = [
            ("g", g),
            ("ty", ty),
            ("rw", rw),
            ("dst", self.num(dst)),
            ("w", w),
            ("i", self.num(slot.1)),
            ("off", n),
            ("x", x),
            ("v", v),
            ("r", reads),
            ("value", value),
            ("k", self.yes),
            ("put", self.put_proof(&file)?),
            ("t'", file.trie),
        ];
        Ok((self.step("Leads.getParam", s, line, &args)?, file))
    }

    /// A variable of calls is written.
    pub(super) fn put_param(&mut self, s: &State, line: &Line, g: Expr) -> Result<(Expr, File)> {
        let Shape::PutParam {
            ty,
            src,
            slot,
            off,
            whole,
        } = line.shape
        else {
            return Err(self.broken());
        };
        let st = self.el.st;
        let (x, reads) = self.read(s, slot)?;
        let (y, src_reads) = self.operand(s, &src)?;
        let (w, rw, n) = (
            self.num(u64::from(slot.0)),
            self.num(u64::from(src.width)),
            self.num(off),
        );
        let bytes = st.app(st.const0("Ptx.MemTy.bytes"), ty);
        let (v, value) = if whole {
            let h = self.refl(st.const0("Nat"), w);
            let args = [("w", w), ("n", bytes), ("width", h), ("b", y), ("a", x)];
            (y, self.call("put_whole", &args)?)
        } else {
            let v = st.apps(st.const0("Ptx.putBytes"), &[w, rw, n, bytes, y, x]);
            (v, self.refl(self.word_type(slot.0), v))
        };
        let file = self.put(s, slot, v)?;
        let args = [
            ("g", g),
            ("ty", ty),
            ("rw", rw),
            ("w", w),
            ("i", self.num(slot.1)),
            ("off", n),
            ("o", src.term),
            ("x", x),
            ("v", v),
            ("y", y),
            ("r", reads),
            ("src", src_reads),
            ("value", value),
            ("k", self.yes),
            ("put", self.put_proof(&file)?),
            ("t'", file.trie),
        ];
        Ok((self.step("Leads.putParam", s, line, &args)?, file))
    }
}
