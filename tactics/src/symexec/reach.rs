//! Addresses that do not wrap: one proof for a base serves all offsets up to the one that it is about.

use logic::{Expr, Node};
use num_traits::ToPrimitive;

use super::Exec;
use crate::meta::Result;

/// What is known of the sums `o + e` of a base `e` and offsets.
#[derive(Clone, Copy, Default)]
pub(super) struct Reach {
    /// The greatest offset that was shown not to wrap, and the proof.
    fits: Option<(u64, Expr)>,
    /// The least one for which that failed.
    fails: Option<u64>,
}

impl Reach {
    /// What still holds when more is assumed.
    pub fn inside(&self) -> Reach {
        Reach {
            fits: self.fits,
            fails: None,
        }
    }
}

/// Offsets from here on are negative ones.
const NEGATIVE: u64 = 1 << 63;

/// Up to how many offsets are tried for one address.
const TRIES: usize = 3;

impl<'a, 'b> Exec<'a, 'b> {
    /// `far + e < 2^64` for some `far ≥ o`: `far` and the proof, if there is one.
    pub(super) fn reaches(&mut self, o: u64, e: Expr) -> Result<Option<(u64, Expr)>> {
        if let Some((root, c, lemma)) = self.displaced(e)
            && let Some(all) = o.checked_add(c)
            && let Some((far, fits)) = self.reaches(all, root)?
        {
            let (far, m) = (self.num(far), far - c);
            let args = [
                ("m", self.num(m)),
                ("c", self.num(c)),
                ("far", far),
                ("e", root),
                ("sum", self.refl(self.el.st.const0("Nat"), far)),
                ("fits", fits),
            ];
            return Ok(Some((m, self.call(lemma[0], &args)?)));
        }
        let mut known = self.known.reach.get(&e).copied().unwrap_or_default();
        if let Some(found) = known.fits.filter(|(far, _)| o <= *far) {
            return Ok(Some(found));
        }
        if o >= NEGATIVE || known.fails.is_some_and(|f| f <= o) {
            return Ok(None);
        }
        let st = self.el.st;
        let all = st.nat(&(num_bigint::BigUint::from(1u32) << 64));
        for left in (0..TRIES).rev() {
            let far = match (left, known.fails) {
                (0, _) => o,
                (_, None) => 2 * o + 64,
                (_, Some(f)) => o + (f - o) / 2,
            };
            let sum = st.apps(st.const0("Nat.add"), &[self.num(far), e]);
            let lt = st.apps(st.const0("Nat.lt"), &[sum, all]);
            if let Some(proof) = self.arithmetic(lt) {
                known.fits = Some((far, proof));
                break;
            }
            known.fails = Some(far);
            if far == o {
                break;
            }
        }
        self.known.reach.insert(e, known);
        Ok(known.fits.filter(|(far, _)| o <= *far))
    }

    /// A base that is another one and a constant, and the lemmas for it.
    fn displaced(&mut self, e: Expr) -> Option<(Expr, u64, [&'static str; 2])> {
        let parts = self.el.match_app(e, "Nat.add", 2)?;
        let (x, y) = (parts[0], parts[1]);
        let literal = |e: Expr| match self.el.st.node(e) {
            Node::Nat(n) => n.to_u64(),
            _ => None,
        };
        match (literal(x), literal(y)) {
            (None, Some(c)) => Some((x, c, ["reach_right", "aligned_right"])),
            (Some(c), None) => Some((y, c, ["reach_left", "aligned_off"])),
            _ => None,
        }
    }

    /// `e % n = 0`, from the same of what `e` adds a multiple of `n` to.
    pub(super) fn aligned(&mut self, e: Expr, size: u64) -> Result<Option<Expr>> {
        let st = self.el.st;
        let (nat, n, zero) = (st.const0("Nat"), self.num(size), self.num(0));
        if let Some((root, c, lemma)) = self.displaced(e)
            && c.checked_rem(size) == Some(0)
            && let Some(h) = self.aligned(root, size)?
        {
            let args = [
                ("e", root),
                ("o", self.num(c)),
                ("n", n),
                ("off", self.refl(nat, zero)),
                ("h", h),
            ];
            return self.call(lemma[1], &args).map(Some);
        }
        let goal = self.eq(nat, st.apps(st.const0("Nat.mod"), &[e, n]), zero);
        Ok(self.arithmetic(goal))
    }
}
