//! The ends of a loop's turns.

use logic::{BinderInfo, Expr, Node};

use super::code::{Reg, Shape};
use super::repeat::{Content, Turn};
use super::run::{Done, Frame};
use super::{Exec, State};
use crate::meta::Result;

impl<'a, 'b> Exec<'a, 'b> {
    /// Before the first turn: `x = f 0`.
    pub(super) fn first(
        &mut self,
        pc: usize,
        r: Reg,
        kind: Content,
        x: Expr,
        v: Expr,
    ) -> Result<Option<Expr>> {
        match kind {
            Content::Fixed => Ok(None),
            Content::Said | Content::Folded => self.equal("start", pc, r, x, v),
            Content::Counter { first, step } => {
                let (_, p) = self.number(r.0, x)?;
                let parts = [
                    ("w", self.num(u64::from(r.0))),
                    ("x", x),
                    ("e", first),
                    ("s", step),
                    ("h", p),
                ];
                let name = match self.el.st.node(step) {
                    Node::Nat(_) => "count_start_lit",
                    _ => "count_start",
                };
                Ok(Some(self.call(name, &parts)?))
            }
        }
    }

    /// `x = v`, by computation or left to the user.
    pub(super) fn equal(
        &mut self,
        what: &str,
        pc: usize,
        r: Reg,
        x: Expr,
        v: Expr,
    ) -> Result<Option<Expr>> {
        let same = x == v
            || crate::tactic::util::with_budget(self.el, crate::tactic::util::ATTEMPT, |el| {
                el.is_defeq(x, v)
            });
        if same {
            return Ok(None);
        }
        let ty = self.word_type(r.0);
        let p = self.eq(ty, x, v);
        let name = self.register_name(r);
        Ok(Some(self.side(
            &format!("{what}_{}", name.trim_start_matches('%')),
            pc,
            p,
        )?))
    }

    /// After a turn: `x = f (k + 1)`.
    pub(super) fn again(
        &mut self,
        pc: usize,
        t: &Turn,
        r: Reg,
        x: Expr,
        v: Expr,
    ) -> Result<Option<Expr>> {
        match t.content[&r].0 {
            Content::Fixed => Ok(None),
            Content::Said | Content::Folded => self.equal("next", pc, r, x, v),
            Content::Counter { first, step } => {
                let st = self.el.st;
                let (mut e, mut p) = self.number(r.0, x)?;
                let literal = matches!(st.node(step), Node::Nat(_));
                let product = if literal { [step, t.k] } else { [t.k, step] };
                let old = self.add(first, st.apps(st.const0("Nat.mul"), &product));
                let sum = self.add(old, step);
                let nat = st.const0("Nat");
                if e != sum {
                    // it is enough that they are the same word
                    let w = self.num(u64::from(r.0));
                    let all = self.modulus(r.0);
                    let rem = |a: Expr| st.apps(st.const0("Nat.mod"), &[a, all]);
                    let same = self.eq(nat, rem(e), rem(sum));
                    let h = self.side("counter", pc, same)?;
                    let args = [
                        ("w", w),
                        ("x", x),
                        ("a", e),
                        ("b", sum),
                        ("h", p),
                        ("same", h),
                    ];
                    (e, p) = (sum, self.call("number_same", &args)?);
                }
                let h = self.refl(nat, e);
                let parts = [
                    ("w", self.num(u64::from(r.0))),
                    ("x", x),
                    ("e", first),
                    ("s", step),
                    ("k", t.k),
                    ("e'", e),
                    ("h", p),
                    ("same", h),
                ];
                Ok(Some(self.call(
                    if literal {
                        "count_next_lit"
                    } else {
                        "count_next"
                    },
                    &parts,
                )?))
            }
        }
    }

    /// The state is at the end of a turn: the proof of the condition there.
    pub(super) fn end_of_turn(
        &mut self,
        s: &State,
        t: &mut Turn,
        hint: Option<Expr>,
    ) -> Result<Expr> {
        let st = self.el.st;
        let back = s.pc == t.head;
        if !back && t.out != Some(s.pc) {
            let what = "the loop is left here before its last turn, or so it seems";
            return Err(self.fails(s.pc, what));
        }
        if let (Some(h), Some(m)) = (hint, t.mark)
            && self.el.whnf(h) != m
        {
            let text = self.el.pp_short(h);
            return Err(self
                .fails(
                    s.pc,
                    "a turn of the loop ends here, and the trace's turn has more events",
                )
                .note(format!("left of the trace: {text}")));
        }
        let one = self.succ(t.k);
        if t.out.is_none() {
            let said: Vec<(Reg, Expr)> = t
                .content
                .iter()
                .map(|(r, (_, f))| (*r, self.at(*f, one)))
                .collect();
            let holds = self.holds(s, &said, |ex, r, x, v| ex.again(s.pc, t, r, x, v))?;
            return self.stops_here(s, &said, holds);
        }
        let (last, h) = match t.last {
            Some(x) => x,
            None => {
                let more = self.lt(one, t.n);
                let end = self.eq(st.const0("Nat"), one, t.n);
                let p = if back { more } else { end };
                (!back, self.side("turn", s.pc, p)?)
            }
        };
        if last == back {
            let what = if back {
                "after the last turn the thread goes back to the head of the loop"
            } else {
                "the thread leaves the loop before the last turn"
            };
            return Err(self.fails(s.pc, what));
        }
        let at_head: Vec<(Reg, Expr)> = (t.content.iter())
            .map(|(r, (_, f))| (*r, self.at(*f, one)))
            .collect();
        let at_end: Vec<(Reg, Expr)> = (t.content.iter())
            .filter(|(r, _)| t.after.contains(r))
            .map(|(r, (_, f))| (*r, self.at(*f, t.n)))
            .collect();
        let more_stop = self.holding(t.head, &at_head, one, s)?;
        let out_stop = self.holding(t.out.unwrap_or(0), &at_end, one, s)?;
        let proof = if back {
            let holds = self.holds(s, &at_head, |ex, r, x, v| ex.again(s.pc, t, r, x, v))?;
            let a = self.stops_here(s, &at_head, holds)?;
            self.call(
                "Turn.more",
                &[
                    ("k", t.k),
                    ("n", t.n),
                    ("A", more_stop),
                    ("B", out_stop),
                    ("h", h),
                    ("a", a),
                ],
            )?
        } else {
            let holds = self.holds(s, &at_end, |ex, r, x, v| {
                let (kind, f) = t.content[&r];
                if matches!(kind, Content::Fixed) {
                    return Ok(None);
                }
                let mid = ex.at(f, one);
                let p = ex.again(s.pc, t, r, x, mid)?;
                let lv = st.level_nat(1);
                let word = ex.word_type(r.0);
                let congr = st.constant(st.name("congrArg"), &[lv, lv]);
                let q = st.apps(congr, &[st.const0("Nat"), word, one, t.n, f, h]);
                Ok(ex.trans(word, (x, mid, v), p, Some(q)))
            })?;
            let b = self.stops_here(s, &at_end, holds)?;
            self.call(
                "Turn.last",
                &[
                    ("k", t.k),
                    ("n", t.n),
                    ("A", more_stop),
                    ("B", out_stop),
                    ("h", h),
                    ("b", b),
                ],
            )?
        };
        Ok(proof)
    }

    /// That the thread is in a state at this line in which registers hold what is said of them.
    fn holding(&mut self, pc: usize, said: &[(Reg, Expr)], base: Expr, s: &State) -> Result<Expr> {
        let mut file = self.files.empty(base);
        for (r, v) in said {
            let here = State { pc: 0, file };
            file = self.put(&here, *r, *v)?;
        }
        Ok(self.el.st.app(self.stop(pc, file.trie), self.state(s)))
    }

    /// The condition at the end of a turn of a loop that is left at its end.
    pub(super) fn ends_of_turn(&self, k: Expr, n: Expr, next: Expr, out: Expr) -> Expr {
        let st = self.el.st;
        let one = self.succ(k);
        let u = st.bvar(0);
        let arrow =
            |p: Expr, q: Expr| st.pi(st.name("h"), p, st.lift(q, 0, 1), BinderInfo::Default);
        let a = arrow(self.lt(one, n), st.app(next, u));
        let b = arrow(self.eq(st.const0("Nat"), one, n), st.app(out, u));
        let body = st.apps(st.const0("And"), &[a, b]);
        st.lam(st.name("u"), self.state_type, body, BinderInfo::Default)
    }

    /// At the branch that ends a turn: once for the turns before the last, once for the last.
    pub(super) fn last_turn(
        &mut self,
        s: &State,
        b: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Option<Done>> {
        let st = self.el.st;
        let Frame::Turn(t) = frame else {
            return Ok(None);
        };
        let (Some(out), None) = (t.out, &t.last) else {
            return Ok(None);
        };
        let next = &self.flow.next[s.pc];
        if !(next.contains(&out) && next.contains(&t.head)) {
            return Ok(None);
        }
        let Some(line) = self.code.lines.get(s.pc).cloned() else {
            return Ok(None);
        };
        let (Shape::Branch { to, .. }, Some((_, neg, _))) = (&line.shape, line.guard) else {
            return Ok(None);
        };
        let jumps_back = *to == t.head;
        let (k, n, below, turns) = (t.k, t.n, t.below, t.turns);
        let mut steps: Vec<Expr> = Vec::new();
        for (kind, _) in t.content.values() {
            if let Content::Counter { step, .. } = kind
                && !matches!(st.node(*step), Node::Nat(_))
                && !steps.contains(step)
            {
                steps.push(*step);
            }
        }
        let one = self.succ(k);
        let mut parts = Vec::new();
        let mut tree = st.const0("Ptx.Tree.skip");
        for last in [false, true] {
            let p = if last {
                self.eq(st.const0("Nat"), one, n)
            } else {
                self.lt(one, n)
            };
            // the branch is taken if it leads where this turn goes
            let value = (jumps_back != last) != neg;
            let name = self.fresh("next");
            let ((d, ()), e) = self.under(&name, p, |ex, h| {
                if let Frame::Turn(t) = frame {
                    t.last = Some((last, h));
                }
                ex.about_next(turns, &steps, (k, one), h, last, |ex| {
                    match ex.truth_of(b)? {
                        Some((v, _)) if v == value => {}
                        Some(_) => {
                            let what = if last {
                                "after the last turn the thread goes back to the head of the loop"
                            } else {
                                "the loop is left before its last turn"
                            };
                            return Err(
                                ex.fails(s.pc, &format!("the number of turns is wrong: {what}"))
                            );
                        }
                        None => {
                            let eq = ex.truth_is(b, value);
                            let proof = ex.open(if last { "last" } else { "turn" }, s.pc, eq);
                            ex.assume(b, value, proof)?;
                        }
                    }
                    let d = ex.follow(s.clone(), frame, hint, true)?;
                    Ok(((d.tree, ()), d.proof))
                })
            })?;
            tree = d;
            parts.push(e);
        }
        if let Frame::Turn(t) = frame {
            t.last = None;
        }
        let q = self.ends_with(frame)?;
        let args = [
            ("c", self.common),
            ("k", k),
            ("n", n),
            ("T", tree),
            ("s", self.state(s)),
            ("Q", q),
            ("lt", below),
            ("more", parts[0]),
            ("last", parts[1]),
        ];
        let proof = self.call("Does.last", &args)?;
        Ok(Some(Done { tree, proof }))
    }
}
