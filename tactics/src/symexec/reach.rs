//! Addresses that do not wrap: one proof for a base serves all offsets up to the one that it is about.

use logic::Expr;

use super::Exec;
use super::code;
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
    pub(super) fn reaches(&mut self, o: u64, e: Expr) -> Option<(u64, Expr)> {
        let mut known = self.known.reach.get(&e).copied().unwrap_or_default();
        if let Some(found) = known.fits.filter(|(far, _)| o <= *far) {
            return Some(found);
        }
        if o >= NEGATIVE || known.fails.is_some_and(|f| f <= o) {
            return None;
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
        known.fits.filter(|(far, _)| o <= *far)
    }

    /// That the address `o + e` (`e`, if `o` is 0) is aligned, from the same of `e`, if both are.
    pub(super) fn aligned(&mut self, o: Expr, e: Expr, size: u64) -> Result<Option<Expr>> {
        let st = self.el.st;
        let (nat, n, zero) = (st.const0("Nat"), self.num(size), self.num(0));
        let Some(off) = code::number(self.el, o) else {
            return Ok(None);
        };
        if size == 0 || off % size != 0 {
            return Ok(None);
        }
        let goal = self.eq(nat, st.apps(st.const0("Nat.mod"), &[e, n]), zero);
        let Some(h) = self.arithmetic(goal) else {
            return Ok(None);
        };
        if off == 0 {
            return Ok(Some(h));
        }
        let args = [
            ("e", e),
            ("o", o),
            ("n", n),
            ("off", self.refl(nat, zero)),
            ("h", h),
        ];
        self.call("aligned_off", &args).map(Some)
    }
}
