//! Generic addresses: in the window of shared memory, or of global memory.

use logic::{Expr, Node};

use super::code::{Access, Line, Shape, Source, Space};
use super::file::File;
use super::{Exec, State};
use crate::meta::Result;

impl<'a, 'b> Exec<'a, 'b> {
    /// The base of a window, and its size.
    fn window(&mut self, w: Expr) -> (Expr, Expr) {
        let st = self.el.st;
        let part = |name: &str| st.app(st.const0(name), w);
        let (base, size) = (part("Ptx.Window.base"), part("Ptx.Window.size"));
        (self.tidy(base), self.tidy(size))
    }

    /// Those of the window of shared memory.
    fn shared_window(&mut self) -> (Expr, Expr) {
        let st = self.el.st;
        self.window(st.app(st.const0("Ptx.Layout.shared"), self.layout))
    }

    /// What is left of a sum without one of its summands.
    fn without(&self, e: Expr, summand: Expr) -> Option<Expr> {
        let zero = self.num(0);
        if e == summand {
            return Some(zero);
        }
        let [x, y] = self.el.match_app(e, "Nat.add", 2)?[..] else {
            return None;
        };
        let rest = |a: Expr, b: Expr| match (a == zero, b == zero) {
            (true, _) => b,
            (_, true) => a,
            _ => self.add(a, b),
        };
        match self.without(x, summand) {
            Some(a) => Some(rest(a, y)),
            None => Some(rest(x, self.without(y, summand)?)),
        }
    }

    /// The access, in the window of shared memory if its address is a sum with the base of that.
    pub(super) fn in_window(
        &mut self,
        s: &State,
        access: &Access,
        base: &Source,
    ) -> Result<Access> {
        let mut access = *access;
        if access.space == Space::Generic {
            let (x, _) = self.operand(s, base)?;
            let (e, _) = self.number(64, x)?;
            let (window, _) = self.shared_window();
            let known = matches!(self.el.st.node(window), Node::Nat(_));
            if !known && self.without(e, window).is_some() {
                access.space = Space::Window;
            }
        }
        Ok(access)
    }

    /// The address in its space of an access to a generic address.
    pub(super) fn within(&mut self, access: &Access, a: Expr) -> Expr {
        let (base, _) = self.shared_window();
        match access.space {
            Space::Window => self.without(a, base).unwrap_or(a),
            _ => a,
        }
    }

    /// The address of an access to an address in its space.
    pub(super) fn wanted(&mut self, access: &Access, a: Expr) -> Expr {
        let (base, _) = self.shared_window();
        match access.space {
            Space::Window => self.add(base, a),
            _ => a,
        }
    }

    /// The first byte of an access, as a location.
    pub(super) fn location(&mut self, access: &Access, a: Expr) -> Expr {
        let st = self.el.st;
        match access.space {
            Space::Global | Space::Generic => st.app(st.const0("Ptx.Loc.global"), a),
            Space::Shared | Space::Window => {
                let a = self.within(access, a);
                st.apps(st.const0("Ptx.Loc.shared"), &[self.grid, self.cta, a])
            }
            Space::Local => st.apps(
                st.const0("Ptx.Loc.local"),
                &[self.grid, self.block, self.cta, self.tid, a],
            ),
        }
    }

    /// That an address is in no window of the layout.
    pub(super) fn outside_all(&mut self, s: &State, a: Expr) -> Result<[Expr; 2]> {
        let shared = self.outside("Ptx.Layout.shared", s, a)?;
        Ok([shared, self.outside("Ptx.Layout.local", s, a)?])
    }

    /// The generic address of an address in a window.
    pub(super) fn generic(&mut self, s: &State, line: &Line, g: Expr) -> Result<(Expr, File)> {
        let Shape::Generic { space, dst, src } = &line.shape else {
            return Err(self.broken());
        };
        let st = self.el.st;
        let nat = st.const0("Nat");
        let (x, reads) = self.operand(s, src)?;
        let (e, value) = self.number(64, x)?;
        let all = self.modulus(64);
        let rem = st.apps(st.const0("Nat.mod"), &[e, all]);
        let fits = self.lt(e, all);
        let (a, h) = match self.arithmetic(fits) {
            Some(p) => (e, st.apps(st.const0("Nat.mod_eq_of_lt"), &[e, all, p])),
            None => (rem, self.refl(nat, rem)),
        };
        let window = st.apps(st.const0("Ptx.Layout.window"), &[self.layout, *space]);
        let window = self.el.whnf(window);
        let (base, size) = self.window(window);
        let inside = self.lt(a, size);
        let inside = self.side("window", s.pc, inside)?;
        let to = self.add(base, a);
        let v = st.apps(st.const0("Word.ofNat"), &[self.num(64), to]);
        let file = self.put(s, (64, *dst), v)?;
        let args = [
            ("g", g),
            ("space", *space),
            ("dst", self.num(*dst)),
            ("e", e),
            ("a", a),
            ("src", src.term),
            ("x", x),
            ("r", reads),
            ("value", value),
            ("h", h),
            ("inside", inside),
            ("put", self.put_proof(&file)?),
            ("t'", file.trie),
        ];
        Ok((self.step("Leads.cvta", s, line, &args)?, file))
    }

    /// That an address is in no window of the layout: `w.has a = false`.
    fn outside(&mut self, window: &str, s: &State, a: Expr) -> Result<Expr> {
        let st = self.el.st;
        let w = st.app(st.const0(window), self.layout);
        let known = self.el.whnf(w);
        if let Some(parts) = self.el.match_app(known, "Ptx.Window.mk", 2)
            && parts.iter().all(|x| *x == self.num(0))
        {
            return Ok(st.app(st.const0("Ptx.no_window"), a));
        }
        let has = st.apps(st.const0("Ptx.Window.has"), &[w, a]);
        let eq = self.truth_is(has, false);
        let saved = self.el.save();
        let goal = self.el.mk_goal(eq, logic::Name::ANON);
        if crate::tactic::basic::assumption(self.el, goal).is_ok() {
            let proof = self.el.mk_mvar(goal);
            return Ok(self.el.instantiate_mvars(proof));
        }
        self.el.restore(&saved);
        let (base, size) = self.window(w);
        let below = self.lt(a, base);
        if let Some(h) = self.arithmetic(below) {
            return self.call("below_window", &[("w", w), ("a", a), ("h", h)]);
        }
        let end = self.add(base, size);
        let above = st.apps(st.const0("Nat.le"), &[end, a]);
        if let Some(h) = self.arithmetic(above) {
            return self.call("above_window", &[("w", w), ("a", a), ("h", h)]);
        }
        Ok(self.open("space", s.pc, eq))
    }

    /// Where an access is, and that its event is this one.
    pub(super) fn placed(
        &mut self,
        s: &State,
        access: &Access,
        a: Expr,
        op: Expr,
    ) -> Result<[(&'static str, Expr); 4]> {
        let (b, loc) = self.located(s, access, a, None)?;
        let same = self.refl(self.el.st.const0("Ptx.Op"), op);
        Ok([("b", b), ("loc", loc), ("o", op), ("op", same)])
    }

    /// Where an access is, and the proof. `outside`: that a generic address is in no window, if that was shown before.
    pub(super) fn located(
        &mut self,
        s: &State,
        access: &Access,
        a: Expr,
        outside: Option<[Expr; 2]>,
    ) -> Result<(Expr, Expr)> {
        let st = self.el.st;
        let b = self.location(access, a);
        let loc_ty = st.const0("Ptx.Loc");
        let loc = match access.space {
            Space::Generic => {
                let [shared, own] = match outside {
                    Some(known) => known,
                    None => self.outside_all(s, a)?,
                };
                let args = [
                    ("c", self.common),
                    ("s", self.state(s)),
                    ("a", a),
                    ("shared", shared),
                    ("own", own),
                ];
                self.call("generic_loc", &args)?
            }
            Space::Window => {
                let (base, size) = self.shared_window();
                let e = self.within(access, a);
                let nat = st.const0("Nat");
                let sum = self.add(base, e);
                let sum = match sum == a {
                    true => self.refl(nat, a),
                    false => {
                        let p = self.eq(nat, sum, a);
                        self.side("address", s.pc, p)?
                    }
                };
                let inside = self.lt(e, size);
                let inside = self.side("space", s.pc, inside)?;
                let args = [
                    ("c", self.common),
                    ("s", self.state(s)),
                    ("a", a),
                    ("e", e),
                    ("sum", sum),
                    ("inside", inside),
                ];
                self.call("generic_shared", &args)?
            }
            _ => self.refl(loc_ty, b),
        };
        Ok((b, loc))
    }
}
