//! Normal forms as terms again.

use num_bigint::BigUint;
use num_traits::One;

use super::exp::{Id, Node, Terms, two};
use super::form::{Form, Product, Sum};

/// More summands than these are not written down.
const MAX_SUMMANDS: usize = 24;

/// The unknowns of a product, each shifted by so much more to the right, together.
fn product(t: &mut Terms, p: &Product, by: i64) -> Option<Id> {
    p.iter().fold(None, |all, (row, a)| {
        let atom = t.add(Node::Atom(*a));
        let shift = row + by;
        let k = u32::try_from(shift.unsigned_abs()).unwrap_or(u32::MAX);
        let factor = match shift {
            0 => atom,
            1.. => t.add(Node::Div(atom, two(k))),
            _ => t.add(Node::Scale(two(k), atom)),
        };
        Some(match all {
            None => factor,
            Some(all) => t.add(Node::And(all, factor)),
        })
    })
}

/// A term with this form.
pub fn bitwise(t: &mut Terms, f: &Form) -> Id {
    let blocks: Vec<(Product, BigUint)> = f.blocks().map(|(p, m)| (p.clone(), m.clone())).collect();
    let mut all = None;
    for (p, m) in blocks {
        let mask = t.lit(m);
        let block = match product(t, &p, 0) {
            None => mask,
            Some(bits) => t.add(Node::And(bits, mask)),
        };
        all = Some(match all {
            None => block,
            Some(rest) => t.add(Node::Xor(rest, block)),
        });
    }
    all.unwrap_or_else(|| t.lit(BigUint::default()))
}

/// A term that is equal to this combination modulo its power of two, unless it is long.
pub fn combination(t: &mut Terms, s: &Sum) -> Option<Id> {
    let runs = s.runs();
    if runs.len() > MAX_SUMMANDS {
        return None;
    }
    let mut all = None;
    for (p, from, count, c) in runs {
        let bits = match product(t, &p, from) {
            None => t.lit(c),
            Some(bits) => {
                let mask = two(u32::try_from(count).ok()?) - 1u32;
                let bits = if *t.max(bits) <= mask {
                    bits
                } else {
                    let mask = t.lit(mask);
                    t.add(Node::And(bits, mask))
                };
                if c.is_one() {
                    bits
                } else {
                    t.add(Node::Scale(c, bits))
                }
            }
        };
        all = Some(match all {
            None => bits,
            Some(rest) => t.add(Node::Add(rest, bits)),
        });
    }
    all
}
