//! The sum of a base and an offset. That it does not wrap is proved once for a base, and serves all offsets up to the one that it
//! is about; offsets beyond `2^63` lead back.

use logic::{Expr, Node};
use num_traits::ToPrimitive;

use super::Exec;
use crate::meta::{Elab, Result};

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

/// The address `(e + o) % 2^64` as it comes out.
pub(super) struct Sum {
    /// The address.
    pub address: Expr,
    /// The lemma that says so.
    pub lemma: &'static str,
    /// Its arguments, but for the address and `h`.
    pub parts: Vec<(&'static str, Expr)>,
    /// What `h` says to be the address, and the proof if that does not hold by computation.
    pub raw: (Expr, Option<Expr>),
    /// Whether it is known not to wrap.
    pub exact: bool,
}

/// Offsets from here on are negative ones.
const NEGATIVE: u64 = 1 << 63;

/// The lemmas about a base that is another one and a constant.
struct Displaced {
    /// The constant is on the left.
    left: bool,
    reach: &'static str,
    aligned: &'static str,
    back: &'static str,
    le: &'static str,
}

const RIGHT: Displaced = Displaced {
    left: false,
    reach: "reach_right",
    aligned: "aligned_right",
    back: "back_right",
    le: "le_right",
};

const LEFT: Displaced = Displaced {
    left: true,
    reach: "reach_left",
    aligned: "aligned_off",
    back: "back_left",
    le: "le_left",
};

/// Up to how many offsets are tried for one address.
const TRIES: usize = 3;

/// A literal that is not too large.
fn literal(el: &Elab<'_>, e: Expr) -> Option<u64> {
    match el.st.node(e) {
        Node::Nat(n) => n.to_u64(),
        _ => None,
    }
}

impl<'a, 'b> Exec<'a, 'b> {
    /// The base `e` and the offset `o`, a literal.
    pub(super) fn sum(&mut self, o: Expr, e: Expr) -> Result<Sum> {
        let st = self.el.st;
        let off = literal(self.el, o);
        let zero = off == Some(0);
        let sum = match zero {
            true => e,
            false => st.apps(st.const0("Nat.add"), &[o, e]),
        };
        if let Some(off) = off.filter(|off| *off >= NEGATIVE)
            && let Some(s) = self.back(off, e)?
        {
            return Ok(s);
        }
        let reach = match off {
            Some(off) => self.reaches(off, e)?,
            None => None,
        };
        Ok(match reach {
            Some((far, fits)) => Sum {
                address: sum,
                lemma: if zero { "address_here" } else { "address_near" },
                parts: vec![("far", self.num(far)), ("near", self.yes), ("fits", fits)],
                raw: (sum, None),
                exact: true,
            },
            None => {
                let rem = st.apps(st.const0("Nat.mod"), &[sum, self.modulus(64)]);
                Sum {
                    address: rem,
                    lemma: if zero { "address_at" } else { "address_off" },
                    parts: Vec::new(),
                    raw: (rem, None),
                    exact: false,
                }
            }
        })
    }

    /// An offset that leads back, to an address that is not below 0.
    fn back(&mut self, off: u64, e: Expr) -> Result<Option<Sum>> {
        let st = self.el.st;
        let nat = st.const0("Nat");
        let Some((far, fits)) = self.reaches(0, e)? else {
            return Ok(None);
        };
        let back = off.wrapping_neg();
        let k = self.num(back);
        let raw = st.apps(st.const0("Nat.sub"), &[e, k]);
        let near = self.displaced(e).filter(|(_, c, _)| back <= *c);
        let (address, le, equal) = match near {
            Some((root, c, lemmas)) => {
                let (c_, d) = (self.num(c), self.num(c - back));
                let args = [
                    ("e", root),
                    ("c", c_),
                    ("k", k),
                    ("d", d),
                    ("sum", self.refl(nat, c_)),
                ];
                let equal = self.call(lemmas.back, &args)?;
                let le = self.call(lemmas.le, &args)?;
                let parts = if lemmas.left { [d, root] } else { [root, d] };
                let address = match c == back {
                    false => st.apps(st.const0("Nat.add"), &parts),
                    true if lemmas.left => st.apps(st.const0("Nat.add"), &parts),
                    true => root,
                };
                (address, le, Some(equal))
            }
            None => {
                let le = st.apps(st.const0("Nat.le"), &[k, e]);
                let Some(le) = self.arithmetic(le) else {
                    return Ok(None);
                };
                (raw, le, None)
            }
        };
        let parts = vec![
            ("k", k),
            ("all", self.refl(nat, self.modulus(64))),
            ("le", le),
            ("far", self.num(far)),
            ("fits", fits),
        ];
        Ok(Some(Sum {
            address,
            lemma: "address_back",
            parts,
            raw: (raw, equal),
            exact: true,
        }))
    }

    /// `far + e < 2^64` for some `far ≥ o`: `far` and the proof, if there is one.
    pub(super) fn reaches(&mut self, o: u64, e: Expr) -> Result<Option<(u64, Expr)>> {
        if let Some((root, c, lemmas)) = self.displaced(e)
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
            return Ok(Some((m, self.call(lemmas.reach, &args)?)));
        }
        let mut known = self.known.reach.get(&e).copied().unwrap_or_default();
        if let Some(found) = known.fits.filter(|(far, _)| o <= *far) {
            return Ok(Some(found));
        }
        if o >= NEGATIVE || known.fails.is_some_and(|f| f <= o) {
            return Ok(None);
        }
        let st = self.el.st;
        for left in (0..TRIES).rev() {
            let far = match (left, known.fails) {
                (0, _) => o,
                (_, None) => 2 * o + 64,
                (_, Some(f)) => o + (f - o) / 2,
            };
            let sum = st.apps(st.const0("Nat.add"), &[self.num(far), e]);
            let lt = st.apps(st.const0("Nat.lt"), &[sum, self.modulus(64)]);
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
    fn displaced(&self, e: Expr) -> Option<(Expr, u64, &'static Displaced)> {
        let parts = self.el.match_app(e, "Nat.add", 2)?;
        let (x, y) = (parts[0], parts[1]);
        match (literal(self.el, x), literal(self.el, y)) {
            (None, Some(c)) => Some((x, c, &RIGHT)),
            (Some(c), None) => Some((y, c, &LEFT)),
            _ => None,
        }
    }

    /// `e % n = 0`, from the same of what `e` adds a multiple of `n` to.
    pub(super) fn aligned(&mut self, e: Expr, size: u64) -> Result<Option<Expr>> {
        let st = self.el.st;
        let (nat, n, zero) = (st.const0("Nat"), self.num(size), self.num(0));
        if let Some((root, c, lemmas)) = self.displaced(e)
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
            return self.call(lemmas.aligned, &args).map(Some);
        }
        if let Some(parts) = self.el.match_app(e, "Nat.sub", 2)
            && let Some(k) = literal(self.el, parts[1])
            && k.checked_rem(size) == Some(0)
            && let Some(le) = self.arithmetic(st.apps(st.const0("Nat.le"), &[parts[1], parts[0]]))
            && let Some(h) = self.aligned(parts[0], size)?
        {
            let args = [
                ("e", parts[0]),
                ("k", parts[1]),
                ("n", n),
                ("off", self.refl(nat, zero)),
                ("le", le),
                ("h", h),
            ];
            return self.call("aligned_sub", &args).map(Some);
        }
        let goal = self.eq(nat, st.apps(st.const0("Nat.mod"), &[e, n]), zero);
        Ok(self.arithmetic(goal))
    }
}
