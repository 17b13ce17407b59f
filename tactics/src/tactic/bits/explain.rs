//! What to say when two terms are not seen to be equal: values at which they differ, or both normal forms.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{One, Zero};

use logic::Expr;

use super::exp::{Id, Node, Terms};
use super::form::{Form, Product, Sum};
use super::plan::{Differ, Plan};
use super::reify::{Atom, Reader, Relation};
use super::{Failure, Read};
use crate::meta::{Elab, ElabError, FVarId};

/// How many random points are tried.
const POINTS: usize = 4000;

/// How much of a normal form is shown.
const SHOWN: usize = 12;

/// The message for a failure.
pub(super) fn explain(
    el: &mut Elab<'_>,
    read: &Read,
    failure: Failure,
    lhs: Expr,
    rhs: Expr,
) -> ElabError {
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
    if let Some(point) = Point::search(el, &d, read.atoms.len(), lhs, rhs) {
        return point.error();
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

/// Values at which the sides differ, as they are shown.
struct Point {
    /// `x = 3`
    at: Vec<String>,
    left: BigUint,
    right: BigUint,
    /// A term that is an unknown here.
    opaque: Option<String>,
    /// Hypotheses about the unknowns that are not understood.
    ignored: Vec<String>,
}

impl Point {
    /// Looks for values that fulfil the hypotheses.
    fn search(el: &mut Elab<'_>, d: &Differ, known: usize, lhs: Expr, rhs: Expr) -> Option<Point> {
        let (lhs, rhs) = (el.instantiate_mvars(lhs), el.instantiate_mvars(rhs));
        let mut r = Reader::new(el);
        let (left, right) = r.both(lhs, rhs)?;
        let (constraints, other) = r.constraints();
        let stated: Vec<Id> = constraints.iter().flat_map(|(_, a, b)| [*a, *b]).collect();
        let rewritten = std::mem::take(&mut r.rewritten);
        let mut plan = Plan::new(&mut r.terms, &rewritten);
        let (left, right) = (plan.expanded(left), plan.expanded(right));
        let facts: Vec<(Relation, Id, Id)> = constraints
            .into_iter()
            .map(|(rel, a, b)| (rel, plan.expanded(a), plan.expanded(b)))
            .collect();
        let sides = facts.iter().flat_map(|(_, a, b)| [*a, *b]);
        let roots: Vec<Id> = sides.chain([left, right]).collect();
        let order = r.terms.below(&roots);
        let differ = |terms: &Terms, x: &[BigUint]| {
            let fits = x
                .iter()
                .zip(&terms.bounds)
                .all(|(v, b)| v < b || b.is_zero());
            let values = terms.eval(&order, x);
            let value = |e: &Id| values.get(e).cloned().unwrap_or_default();
            fits && value(&left) != value(&right)
                && facts
                    .iter()
                    .all(|(rel, a, b)| rel.holds(&value(a), &value(b)))
        };
        let x = super::plan::witness(d, known)
            .map(|mut x| {
                x.resize(r.atoms.len(), BigUint::zero());
                x
            })
            .filter(|x| differ(&r.terms, x))
            .or_else(|| random(&r.terms.bounds, |x| differ(&r.terms, x)))?;
        let values = r.terms.eval(&order, &x);
        let mut point = Point {
            at: Vec::new(),
            left: values[&left].clone(),
            right: values[&right].clone(),
            opaque: None,
            ignored: Vec::new(),
        };
        let mut variables = Vec::new();
        for a in r.terms.atoms(&[left, right]) {
            let Atom { shown, part, .. } = r.atoms[a];
            let text = r.el.pp(shown);
            if !r.is_free(shown) {
                point.opaque = Some(text.clone());
            }
            variables.extend(r.el.collect_fvars(shown));
            point
                .at
                .push(format!("{text} = {}", number(&(&x[a] << part))));
        }
        for a in r.terms.atoms(&stated) {
            let shown = r.atoms[a].shown;
            if point.opaque.is_none() && !r.is_free(shown) {
                point.opaque = Some(r.el.pp(shown));
            }
        }
        point.at.truncate(16);
        for h in other {
            if let logic::Node::FVar(id) = r.el.st.node(h) {
                let d = r.el.local(FVarId(id));
                let ty = r.el.instantiate_mvars(d.ty);
                if r.el.occurs_fvar(ty, &variables) {
                    point.ignored.push(r.el.st.name_to_string(d.user_name));
                }
            }
        }
        Some(point)
    }

    fn error(self) -> ElabError {
        let place = match self.at.is_empty() {
            true => "there is nothing unknown in it".to_owned(),
            false => format!("at {}", self.at.join(", ")),
        };
        let note = format!(
            "{place}: the left side is {}, the right side is {}",
            number(&self.left),
            number(&self.right)
        );
        let certain = self.opaque.is_none() && self.ignored.is_empty();
        let mut err = ElabError::msg(match certain {
            true => "`bits`: the two sides differ",
            false => "`bits` does not see that the two sides are equal",
        })
        .code("tactic.bits")
        .note(note);
        if let Some(o) = self.opaque {
            err = err.note(format!(
                "`{o}` is an unknown here, of which only a bound is known"
            ));
        }
        if !self.ignored.is_empty() {
            err = err.note(format!(
                "hypotheses not understood: {}",
                self.ignored.join(", ")
            ));
        }
        err
    }
}

/// Random values below bounds that fulfil a condition.
fn random(bounds: &[BigUint], fits: impl Fn(&[BigUint]) -> bool) -> Option<Vec<BigUint>> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    (0..POINTS).find_map(|i| {
        let x: Vec<BigUint> = bounds.iter().map(|b| point(b, i, &mut next)).collect();
        fits(&x).then_some(x)
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
        let mut terms = Vec::new();
        let mut constant = BigUint::zero();
        for (p, from, count, c) in &s.runs() {
            if p.is_empty() {
                constant += c;
                continue;
            }
            let bits = self.bits(p, *from, *count);
            let bits = if p.len() > 1 {
                format!("({bits})")
            } else {
                bits
            };
            let minus = &modulus - c;
            terms.push(match (c.is_one(), minus.is_one(), minus < *c) {
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
