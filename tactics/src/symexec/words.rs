//! What is read without a request: literals, special registers, parameters.

use logic::{BinderInfo, Expr};

use super::code::{self, Line, Shape};
use super::file::File;
use super::{Exec, State};
use crate::meta::Result;

impl<'a, 'b> Exec<'a, 'b> {
    /// A literal as a word: `Word.ofNat w n`.
    pub(super) fn literal(&mut self, width: u32, l: Expr) -> Result<Expr> {
        let st = self.el.st;
        let parts = code::constructor(self.el, l);
        let n = match parts {
            Some((c, a)) if c == "int" => {
                let (neg, n) = (code::truth(self.el, a[0]), a[1]);
                match neg {
                    Some(true) => {
                        let two = st.nat_u64(2);
                        let all = st.apps(st.const0("Nat.pow"), &[two, self.num(u64::from(width))]);
                        let rem = st.apps(st.const0("Nat.mod"), &[n, all]);
                        let v = st.apps(st.const0("Nat.sub"), &[all, rem]);
                        let v = st.apps(st.const0("Nat.mod"), &[v, all]);
                        self.el.whnf(v)
                    }
                    _ => n,
                }
            }
            Some((_, a)) => a[0],
            None => return Err(self.broken()),
        };
        Ok(st.apps(st.const0("Word.ofNat"), &[self.num(u64::from(width)), n]))
    }

    /// The value of a special register.
    pub(super) fn special(&mut self, which: Expr) -> Result<Expr> {
        let st = self.el.st;
        let Some((c, a)) = code::constructor(self.el, which) else {
            return Err(self.broken());
        };
        let of = match c.as_str() {
            "tid" => self.tid,
            "ntid" => self.block,
            "ctaid" => self.cta,
            _ => self.grid,
        };
        let Some((d, _)) = code::constructor(self.el, a[0]) else {
            return Err(self.broken());
        };
        let field = st.app(st.const0(&format!("Ptx.Dim3.{d}")), of);
        let n = self.tidy(field);
        Ok(st.apps(st.const0("Word.ofNat"), &[self.num(32), n]))
    }

    /// A parameter of the entry.
    pub(super) fn parameter(&mut self, s: &State, line: &Line, g: Expr) -> Result<(Expr, File)> {
        let Shape::Param {
            ty,
            width,
            dst,
            param,
            off,
        } = line.shape
        else {
            return Err(self.broken());
        };
        let Some(arg) = usize::try_from(param)
            .ok()
            .and_then(|i| self.args.get(i).copied())
        else {
            return Err(self.fails(s.pc, "the launch gives no argument for this parameter"));
        };
        let Some((_, parts)) = code::constructor(self.el, arg) else {
            return Err(self.fails(s.pc, "the argument for this parameter is not known as data"));
        };
        let bytes = self.bytes(ty)?;
        let given = code::number(self.el, parts[0]);
        if given.is_none_or(|w| 8 * (off + bytes) > w) {
            return Err(self.fails(s.pc, "the argument for this parameter has another width"));
        }
        let whole = off == 0 && given == Some(u64::from(width)) && 8 * bytes == u64::from(width);
        let (n, w) = (self.num(off), self.num(u64::from(width)));
        let (v, value) = self.part(ty, width, (parts[0], parts[1]), n, whole)?;
        let file = self.put(s, (width, dst), v)?;
        let has = self.argument(param, parts[0], parts[1])?;
        let args = [
            ("g", g),
            ("ty", ty),
            ("rw", w),
            ("dst", self.num(dst)),
            ("param", self.num(param)),
            ("off", n),
            ("width", parts[0]),
            ("val", parts[1]),
            ("v", v),
            ("has", has),
            ("fits", self.yes),
            ("value", value),
            ("k", self.yes),
            ("put", self.put_proof(&file)?),
            ("t'", file.trie),
        ];
        Ok((self.step("Leads.param", s, line, &args)?, file))
    }

    /// What is read of a word `x` of `w` bits from an offset on, or of all of it, and the proof.
    pub(super) fn part(
        &mut self,
        ty: Expr,
        width: u32,
        (w, x): (Expr, Expr),
        off: Expr,
        whole: bool,
    ) -> Result<(Expr, Expr)> {
        let st = self.el.st;
        let (nat, to) = (st.const0("Nat"), self.num(u64::from(width)));
        if whole {
            let h = self.refl(nat, to);
            let args = [("ty", ty), ("w", to), ("width", h), ("a", x)];
            return Ok((x, self.call("read_arg", &args)?));
        }
        let index = st.apps(st.const0("Nat.add"), &[off, st.bvar(0)]);
        let byte = st.apps(st.const0("Word.byte"), &[w, x, index]);
        let f = st.lam(st.name("k"), nat, byte, BinderInfo::Default);
        let v = st.apps(st.const0("Ptx.MemTy.read"), &[ty, to, f]);
        Ok((v, self.refl(self.word_type(width), v)))
    }

    /// That the launch gives this argument for a parameter.
    fn argument(&mut self, param: u64, width: Expr, val: Expr) -> Result<Expr> {
        let st = self.el.st;
        let Some(common) = self.el.match_app(self.common, "Ptx.Common.mk", 6) else {
            return Err(self.broken());
        };
        let params = st.app(st.const0("Ptx.Kernel.params"), common[1]);
        let (p, declared) = self.entry("Ptx.Param", params, param)?;
        let (_, given) = self.entry("Ptx.Arg", common[2], param)?;
        let args = [
            ("c", self.common),
            ("p", p),
            ("param", self.num(param)),
            ("width", width),
            ("val", val),
            ("declared", declared),
            ("given", given),
            ("same", self.yes),
        ];
        self.call("Common.arg_is", &args)
    }

    /// Entry `n` of a list, and the proof of `nth list n = some entry`.
    fn entry(&mut self, ty: &str, list: Expr, n: u64) -> Result<(Expr, Expr)> {
        let st = self.el.st;
        let ty = st.const0(ty);
        let Some((items, rests)) = code::list(self.el, list) else {
            return Err(self.broken());
        };
        let at = usize::try_from(n).unwrap_or(usize::MAX);
        let (Some(x), Some(xs)) = (items.get(at), rests.get(at.saturating_add(1))) else {
            return Err(self.broken());
        };
        let found = self.some(ty, *x);
        let mut proof = self.call("nth_here", &[("α", ty), ("x", *x), ("xs", *xs)])?;
        for j in (0..at).rev() {
            let left = self.num((at - 1 - j) as u64);
            let args = [
                ("α", ty),
                ("x", items[j]),
                ("xs", rests[j + 1]),
                ("n", left),
                ("y", found),
                ("h", proof),
            ];
            proof = self.call("nth_next", &args)?;
        }
        Ok((*x, proof))
    }

    /// The size of a type.
    pub(super) fn bytes(&mut self, ty: Expr) -> Result<u64> {
        let size = self.el.st.app(self.el.st.const0("Ptx.MemTy.bytes"), ty);
        match code::number(self.el, size) {
            Some(n) => Ok(n),
            None => Err(self.broken()),
        }
    }
}
