//! What to say when two terms are not seen to be equal: values at which they differ, or both normal forms.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::exp::{Id, Node, Terms};
use super::form::{Form, Product, Sum};
use super::plan::Differ;
use super::{Failure, Read};
use crate::meta::{Elab, ElabError};

/// How many random points are tried.
const POINTS: usize = 4000;

/// How much of a normal form is shown.
const SHOWN: usize = 12;

/// The message for a failure.
pub(super) fn explain(el: &mut Elab<'_>, read: &mut Read, failure: Failure) -> ElabError {
    let (d, generalised) = match failure {
        Failure::Unbounded(a) => {
            let shown = el.pp(read.atoms[a].shown);
            return ElabError::msg(format!("`bits` knows no bound of `{shown}`"))
                .code("tactic.bits")
                .note("a number has to be below a constant for its digits to be compared")
                .help(format!("`have h : {shown} < 2 ^ 32 := …` before, or use `omega` if no bits are involved"));
        }
        Failure::Differ { why, generalised } => (*why, generalised),
    };
    if let Some(x) = counterexample(read, &d) {
        let order = read.terms.below(&[read.left, read.right]);
        let (l, r) = read.terms.eval(&order, &x, read.left, read.right);
        let atoms = read.terms.atoms(&[read.left, read.right]);
        let mut at = Vec::new();
        let mut opaque = None;
        for a in atoms {
            let shown = el.pp(read.atoms[a].shown);
            if !matches!(el.st.node(read.atoms[a].shown), logic::Node::FVar(_)) {
                opaque = Some(shown.clone());
            }
            at.push(format!("{shown} = {}", number(&x[a])));
        }
        at.truncate(16);
        let place = match at.is_empty() {
            true => "there is nothing unknown in it".to_owned(),
            false => format!("at {}", at.join(", ")),
        };
        let values = format!(
            "the left side is {}, the right side is {}",
            number(&l),
            number(&r)
        );
        return match opaque {
            None => {
                ElabError::msg("`bits`: the two sides differ").note(format!("{place}: {values}"))
            }
            Some(o) => ElabError::msg("`bits` does not see that the two sides are equal")
                .note(format!("{place}: {values}"))
                .note(format!(
                    "`{o}` is an unknown here, of which only a bound is known"
                )),
        }
        .code("tactic.bits");
    }
    let err =
        ElabError::msg("`bits` does not see that the two sides are equal").code("tactic.bits");
    let mut writer = Writer {
        el,
        read,
        generalised: &generalised,
        stands: false,
    };
    let (left, right) = match &d {
        Differ::TooLarge => {
            return err.note("their normal form is too large").help(
                "`generalize` a part of the goal, or prove smaller equations and rewrite with them",
            );
        }
        Differ::Form { left, right } => (writer.form(left), writer.form(right)),
        Differ::Sum { left, right, .. } => (writer.sum(left), writer.sum(right)),
    };
    let stands = writer.stands;
    let err = err
        .note(format!("left, in normal form:  {left}"))
        .note(format!("right, in normal form: {right}"));
    if stands {
        err.note("what stands in `⟨…⟩`, a sum of which digits are taken or a product, is an unknown here")
    } else {
        err
    }
}

/// Values at which the sides differ.
fn counterexample(read: &mut Read, d: &Differ) -> Option<Vec<BigUint>> {
    let order = read.terms.below(&[read.left, read.right]);
    let n = read.atoms.len();
    let differ = |terms: &Terms, x: &[BigUint]| {
        let fits = x
            .iter()
            .zip(&terms.bounds)
            .all(|(v, b)| v < b || b.is_zero());
        let (l, r) = terms.eval(&order, x, read.left, read.right);
        fits && l != r
    };
    if let Some(x) = super::plan::witness(d, n)
        && differ(&read.terms, &x)
    {
        return Some(x);
    }
    let bounds: Vec<BigUint> = read.terms.bounds.iter().take(n).cloned().collect();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    (0..POINTS).find_map(|i| {
        let x: Vec<BigUint> = bounds.iter().map(|b| point(b, i, &mut next)).collect();
        differ(&read.terms, &x).then_some(x)
    })
}

/// A value below a bound: small ones and corners more often than others.
fn point(bound: &BigUint, i: usize, next: &mut impl FnMut() -> u64) -> BigUint {
    if bound.is_zero() {
        return BigUint::zero();
    }
    let max = bound - 1u32;
    let kind = next() % if i < 64 { 3 } else { 8 };
    let v = match kind {
        0 => BigUint::from(next() % 4),
        1 => max.clone() - (BigUint::from(next() % 3)).min(max.clone()),
        2 => BigUint::one() << (next() % max.bits().max(1)),
        3 => (BigUint::one() << (next() % (max.bits() + 1))) - 1u32,
        4 => max.clone() >> (next() % (max.bits() + 1)),
        _ => {
            let digits = max.bits() / 64 + 1;
            (0..digits).fold(BigUint::zero(), |v, _| (v << 64u32) | BigUint::from(next()))
        }
    };
    v % bound
}

/// A number, large ones in hexadecimal.
fn number(n: &BigUint) -> String {
    if n.bits() <= 20 {
        n.to_string()
    } else {
        format!("{n:#x}")
    }
}

/// Writes normal forms.
struct Writer<'a, 'b> {
    el: &'a mut Elab<'b>,
    read: &'a Read,
    generalised: &'a BTreeMap<usize, Id>,
    /// Was an unknown shown that stands for a term?
    stands: bool,
}

impl Writer<'_, '_> {
    /// An unknown.
    fn unknown(&mut self, a: usize) -> String {
        if let Some(atom) = self.read.atoms.get(a) {
            let shown = atom.shown;
            return self.el.pp(shown);
        }
        self.stands = true;
        match self.generalised.get(&a).copied() {
            Some(e) => format!("⟨{}⟩", self.term(e, 0)),
            None => format!("⟨{a}⟩"),
        }
    }

    /// A term that was read.
    fn term(&mut self, e: Id, depth: usize) -> String {
        use Node::*;
        if depth > 8 {
            return "…".to_owned();
        }
        let read = self.read;
        let node = read.terms.node(e);
        if let Mod(f, d) = node
            && read.terms.max(*f) < d
        {
            return self.term(*f, depth);
        }
        let parts: Vec<String> = node.children().map(|c| self.term(c, depth + 1)).collect();
        let part = |i: usize| parts.get(i).map_or("", |s| s.as_str());
        let (a, b) = (part(0), part(1));
        let wrapped = |s: String| if depth == 0 { s } else { format!("({s})") };
        match node {
            Atom(x) => self.unknown(*x),
            Lit(n) => number(n),
            Add(..) => wrapped(format!("{a} + {b}")),
            Scale(k, _) => wrapped(format!("{} * {a}", number(k))),
            Scaled(_, k) => wrapped(format!("{a} * {}", number(k))),
            Sub(d, _) => wrapped(format!("{} - {a}", number(d))),
            Xor(..) => wrapped(format!("{a} ^^^ {b}")),
            And(..) => wrapped(format!("{a} &&& {b}")),
            Or(..) => wrapped(format!("{a} ||| {b}")),
            Shl(_, k) => wrapped(format!("{a} <<< {k}")),
            Shr(_, k) => wrapped(format!("{a} >>> {k}")),
            Div(_, d) => wrapped(format!("{a} / {}", number(d))),
            Mod(_, d) => wrapped(format!("{a} % {}", number(d))),
            Mul(..) => wrapped(format!("{a} * {b}")),
            Minus(..) => wrapped(format!("{a} - {b}")),
        }
    }

    /// The bits of a product from a place of its first factor on, this many.
    fn bits(&mut self, p: &Product, from: i64, count: u64) -> String {
        let factors: Vec<String> = p
            .iter()
            .map(|(row, a)| {
                let low = (from + row).max(0) as u64;
                let name = self.unknown(*a);
                let bound = self.read.terms.bounds.get(*a).cloned().unwrap_or_default();
                let width = (bound.max(BigUint::one()) - 1u32).bits().max(1);
                match (low, count) {
                    (0, c) if c >= width => name,
                    (l, 1) => format!("{name}[{l}]"),
                    (l, c) => format!("{name}[{}:{l}]", l + c - 1),
                }
            })
            .collect();
        factors.join(" & ")
    }

    fn joined(mut terms: Vec<String>, by: &str) -> String {
        if terms.is_empty() {
            return "0".to_owned();
        }
        let more = terms.len() > SHOWN;
        terms.truncate(SHOWN);
        if more {
            terms.push("…".to_owned());
        }
        terms.join(by)
    }

    /// An exclusive or of blocks.
    fn form(&mut self, f: &Form) -> String {
        let mut terms = Vec::new();
        for (p, m) in f.blocks() {
            if p.is_empty() {
                terms.push(number(m));
                continue;
            }
            for (from, count) in runs(m) {
                let bits = self.bits(p, from as i64, count);
                let bits = if p.len() > 1 {
                    format!("({bits})")
                } else {
                    bits
                };
                terms.push(if from == 0 {
                    bits
                } else {
                    format!("{bits} <<< {from}")
                });
            }
        }
        Self::joined(terms, " ^^^ ")
    }

    /// A linear combination.
    fn sum(&mut self, s: &Sum) -> String {
        let modulus = BigUint::one() << s.width();
        let places: Vec<(Product, i64, BigUint)> = s
            .places()
            .map(|(p, i, c)| (p.clone(), i, c.clone()))
            .collect();
        let mut terms = Vec::new();
        let mut constant = BigUint::zero();
        let mut k = 0;
        while k < places.len() {
            let (p, from, c) = &places[k];
            k += 1;
            if p.is_empty() {
                constant += c;
                continue;
            }
            let mut count = 1;
            let mut last = c.clone();
            while let Some((q, i, d)) = places.get(k) {
                last = (last * 2u32) % &modulus;
                if q != p || *i != from + count as i64 || *d != last {
                    break;
                }
                count += 1;
                k += 1;
            }
            let bits = self.bits(p, *from, count);
            let bits = if p.len() > 1 {
                format!("({bits})")
            } else {
                bits
            };
            let minus = &modulus - c;
            terms.push(match (c.is_one(), minus.is_one(), &minus < c) {
                (true, ..) => bits,
                (_, true, _) => format!("-{bits}"),
                (_, _, true) => format!("-{}·{bits}", number(&minus)),
                _ => format!("{}·{bits}", number(c)),
            });
        }
        constant %= &modulus;
        if !constant.is_zero() {
            terms.push(number(&constant));
        }
        Self::joined(terms, " + ").replace("+ -", "- ")
    }
}

/// Where the ones of a mask begin, and how many there are.
fn runs(m: &BigUint) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for i in 0..m.bits() {
        if !m.bit(i) {
            continue;
        }
        match runs.last_mut() {
            Some((from, count)) if *from + *count == i => *count += 1,
            _ => runs.push((i, 1)),
        }
    }
    runs
}
