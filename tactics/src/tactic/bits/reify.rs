//! Terms of type `Nat` and `Word w` as terms over numbered unknowns.
//!
//! What a term stands for is the term that was read by computation alone: operations of words are read as what they do to
//! values, and other definitions are unfolded as long as an operation comes out in the end.

use logic::{Expr, Level, Node};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

use super::exp::{self, Id, Terms, two};
use crate::meta::Elab;
use crate::tactic::util::{ATTEMPT, with_budget};

/// Nothing is shifted further.
const MAX_SHIFT: u32 = 4096;

/// No definition is unfolded deeper before an operation comes out.
const MAX_UNFOLD: usize = 64;

/// No goal has more operations.
const MAX_TERMS: usize = 4096;

/// An unknown that was read.
#[derive(Clone, Copy, Debug)]
pub struct Atom {
    /// The number.
    pub value: Expr,
    /// As it is shown: the word rather than its value.
    pub shown: Expr,
    /// The proof of its bound; `None` if there is none.
    pub bound: Option<Expr>,
    /// It is this part of what is shown, which is a multiple of `2 ^ k`.
    pub part: u32,
}

/// What a hypothesis says of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Lt,
    /// `≤`
    Le,
    /// `=`
    Eq,
}

impl Relation {
    /// Does it hold?
    pub fn holds(self, a: &BigUint, b: &BigUint) -> bool {
        match self {
            Relation::Lt => a < b,
            Relation::Le => a <= b,
            Relation::Eq => a == b,
        }
    }
}

/// `[xs] : List Nat`.
pub fn list(el: &Elab<'_>, xs: &[Expr]) -> Expr {
    let st = el.st;
    let nat = st.const0("Nat");
    let nil = st.app(st.constant(st.name("List.nil"), &[Level::ZERO]), nat);
    let cons = st.app(st.constant(st.name("List.cons"), &[Level::ZERO]), nat);
    xs.iter().rev().fold(nil, |l, x| st.apps(cons, &[*x, l]))
}

/// Reads terms.
pub struct Reader<'a, 'b> {
    /// The elaborator.
    pub el: &'a mut Elab<'b>,
    /// What was read.
    pub terms: Terms,
    /// The unknowns.
    pub atoms: Vec<Atom>,
    /// Unknowns that are equal to terms by a lemma, with the proof.
    pub rewritten: Vec<(usize, Id, Expr)>,
    known: FxHashMap<Expr, (BigUint, Expr)>,
    aligned: FxHashMap<Expr, (BigUint, Expr)>,
    given: FxHashMap<Expr, (BigUint, Expr)>,
    numbers: FxHashMap<Expr, Id>,
    words: FxHashMap<Expr, Id>,
}

impl<'a, 'b> Reader<'a, 'b> {
    /// Nothing read but the bounds that hypotheses give.
    pub fn new(el: &'a mut Elab<'b>) -> Self {
        let mut r = Reader {
            el,
            terms: Terms::default(),
            atoms: Vec::new(),
            rewritten: Vec::new(),
            known: FxHashMap::default(),
            aligned: FxHashMap::default(),
            given: FxHashMap::default(),
            numbers: FxHashMap::default(),
            words: FxHashMap::default(),
        };
        r.hypotheses();
        r
    }

    /// `name args`.
    pub fn call(&self, name: &str, args: &[Expr]) -> Expr {
        self.el.st.apps(self.el.st.const0(name), args)
    }

    fn hypotheses(&mut self) {
        let locals: Vec<_> = self.el.lctx.iter().collect();
        for id in locals {
            let d = self.el.local(id);
            if d.aux {
                continue;
            }
            let ty = self.el.instantiate_mvars(d.ty);
            let h = self.el.mk_fvar(id);
            if let Some(args) = self.el.match_app(ty, "Nat.lt", 2) {
                self.bound(args[0], args[1], h, false);
            } else if let Some(args) = self.el.match_app(ty, "Nat.le", 2) {
                self.bound(args[0], args[1], h, true);
            } else if let Some((_, a, b)) = self.el.match_eq(ty)
                && let Some(args) = self.el.match_app(a, "Nat.mod", 2)
                && self.number_value(b).is_some_and(|n| n.is_zero())
                && let Some(d) = self.number_value(args[1])
                && exp::log2(&d).is_some_and(|k| (1..=MAX_SHIFT).contains(&k))
                && self.aligned.get(&args[0]).is_none_or(|(old, _)| *old < d)
            {
                self.aligned.insert(args[0], (d, h));
            } else if let Some((ty, a, b)) = self.el.match_eq(ty)
                && ty == self.el.st.const0("Nat")
                && self.number_value(a).is_none()
                && let Some(n) = self.number_value(b)
            {
                self.given.insert(a, (n, h));
            }
        }
    }

    /// Reads the sides of an equation of numbers or words.
    pub fn both(&mut self, a: Expr, b: Expr) -> Option<(Id, Id)> {
        let ty = self.el.infer_type(a).ok()?;
        let ty = self.el.whnf_reducible(ty);
        if ty == self.el.st.const0("Nat") {
            return Some((self.number(a), self.number(b)));
        }
        self.width(a)?;
        Some((self.word(a), self.word(b)))
    }

    /// Can an unknown have any value below its bound, whatever others have?
    pub fn is_free(&self, shown: Expr) -> bool {
        let variable = |e: Expr| matches!(self.el.st.node(e), Node::FVar(_));
        variable(shown)
            || self
                .el
                .match_app(shown, "Fin.val", 2)
                .is_some_and(|args| variable(args[1]))
    }

    /// The propositions about numbers and words that hypotheses state: `a < b`, `a ≤ b`, `a = b`. Those that say something
    /// else are returned as they are.
    pub fn constraints(&mut self) -> (Vec<(Relation, Id, Id)>, Vec<Expr>) {
        let (mut read, mut other) = (Vec::new(), Vec::new());
        let locals: Vec<_> = self.el.lctx.iter().collect();
        for id in locals {
            let d = self.el.local(id);
            let ty = self.el.instantiate_mvars(d.ty);
            if d.aux || !self.el.is_prop(ty) {
                continue;
            }
            if let Some(args) = self.el.match_app(ty, "Nat.lt", 2) {
                read.push((Relation::Lt, self.number(args[0]), self.number(args[1])));
            } else if let Some(args) = self.el.match_app(ty, "Nat.le", 2) {
                read.push((Relation::Le, self.number(args[0]), self.number(args[1])));
            } else if let Some((ty, a, b)) = self.el.match_eq(ty)
                && ty == self.el.st.const0("Nat")
            {
                read.push((Relation::Eq, self.number(a), self.number(b)));
            } else if let Some((_, a, b)) = self.el.match_eq(ty)
                && self.width(a).is_some()
            {
                read.push((Relation::Eq, self.word(a), self.word(b)));
            } else {
                other.push(self.el.mk_fvar(id));
            }
        }
        (read, other)
    }

    /// Records `x < n` or `x ≤ n`.
    fn bound(&mut self, x: Expr, n: Expr, h: Expr, le: bool) {
        if self.el.nat_lit(x).is_some() {
            return;
        }
        let Some(v) = self.number_value(n) else {
            return;
        };
        let (v, h) = match le {
            false => (v, h),
            true => (v + 1u32, self.call("Nat.lt_succ_of_le", &[x, n, h])),
        };
        if self.known.get(&x).is_none_or(|(old, _)| v < *old) {
            self.known.insert(x, (v, h));
        }
    }

    /// The value of a closed number.
    pub(super) fn number_value(&mut self, e: Expr) -> Option<BigUint> {
        if let Some(n) = self.el.nat_lit(e) {
            return Some(n);
        }
        if self.el.st.has_fvar(e) || self.el.st.has_mvar(e) {
            return None;
        }
        let w = with_budget(self.el, ATTEMPT, |el| el.whnf(e));
        self.el.nat_lit(w)
    }

    pub(super) fn small(&mut self, e: Expr) -> Option<u32> {
        self.number_value(e)?.to_u32().filter(|k| *k <= MAX_SHIFT)
    }

    fn head(&self, e: Expr) -> Option<(String, Vec<Expr>)> {
        let (f, args) = self.el.st.unfold_app(e);
        match self.el.st.node(f) {
            Node::Const(n, _) => Some((self.el.st.name_to_string(n), args)),
            _ => None,
        }
    }

    pub(super) fn add(&mut self, n: exp::Node) -> Id {
        self.terms.add(n)
    }

    /// Reads a number.
    pub fn number(&mut self, e: Expr) -> Id {
        if let Some(i) = self.numbers.get(&e) {
            return *i;
        }
        if self.is_too_large() {
            return self.terms.lit(BigUint::zero());
        }
        let i = logic::subst::with_stack(|| {
            if let Some(n) = self.number_value(e) {
                return self.terms.lit(n);
            }
            let mut cur = e;
            for _ in 0..MAX_UNFOLD {
                if let Some((name, args)) = self.head(cur)
                    && let Some(i) = self.operation(&name, &args)
                {
                    return i;
                }
                let w = self.el.whnf_reducible(cur);
                let w = self.el.instantiate_mvars(w);
                if w == cur {
                    break;
                }
                cur = w;
            }
            self.unknown(cur, cur, None)
        });
        self.numbers.insert(e, i);
        i
    }

    fn operation(&mut self, name: &str, args: &[Expr]) -> Option<Id> {
        use exp::Node::*;
        let [a, b] = args else {
            return None;
        };
        let (a, b) = (*a, *b);
        let node = match name {
            "Nat.add" => Add(self.number(a), self.number(b)),
            "Nat.mul" => self.product(a, b),
            "Nat.sub" => match self.number_value(a) {
                Some(d) => Sub(d, self.number(b)),
                None => Minus(self.number(a), self.number(b)),
            },
            "Nat.land" => And(self.number(a), self.number(b)),
            "Nat.lor" => Or(self.number(a), self.number(b)),
            "Nat.xor" => Xor(self.number(a), self.number(b)),
            "Nat.shiftLeft" => Shl(self.number(a), self.small(b)?),
            "Nat.shiftRight" => Shr(self.number(a), self.small(b)?),
            "Nat.div" => {
                let d = self.number_value(b)?;
                Div(self.number(a), d)
            }
            "Nat.mod" => {
                let d = self.number_value(b)?;
                Mod(self.number(a), d)
            }
            "Word.val" => return Some(self.word(b)),
            "Fin.val" => {
                let x = self.call("Fin.val", &[a, b]);
                let proof = self.call("Fin.isLt", &[a, b]);
                let n = self.number_value(a)?;
                return Some(self.unknown(x, x, Some((n, proof))));
            }
            _ => return None,
        };
        Some(self.add(node))
    }

    fn product(&mut self, a: Expr, b: Expr) -> exp::Node {
        if let Some(k) = self.number_value(a) {
            return exp::Node::Scale(k, self.number(b));
        }
        if let Some(k) = self.number_value(b) {
            return exp::Node::Scaled(self.number(a), k);
        }
        exp::Node::Mul(self.number(a), self.number(b))
    }

    /// An unknown.
    fn unknown(&mut self, value: Expr, shown: Expr, bound: Option<(BigUint, Expr)>) -> Id {
        let stated = self.known.get(&value).cloned();
        let best = match (bound, stated) {
            (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
            (a, b) => a.or(b),
        };
        let i = match self.atoms.iter().position(|a| a.value == value) {
            Some(i) => i,
            None => {
                let (n, proof) = best.map_or((BigUint::zero(), None), |(n, p)| (n, Some(p)));
                let i = self.terms.atom(n.clone());
                self.atoms.push(Atom {
                    value,
                    shown,
                    bound: proof,
                    part: 0,
                });
                if let Some((n, h)) = self.given.get(&value).cloned() {
                    let to = self.terms.lit(n);
                    self.rewritten.push((i, to, h));
                } else if let (Some(proof), Some((d, h))) =
                    (proof, self.aligned.get(&value).cloned())
                {
                    self.multiple(i, &n, proof, &d, h);
                }
                i
            }
        };
        self.add(exp::Node::Atom(i))
    }

    /// Reads an unknown below `n` as a multiple of `d`, of which `h` is a proof.
    fn multiple(&mut self, i: usize, n: &BigUint, proof: Expr, d: &BigUint, h: Expr) {
        let Atom { value, shown, .. } = self.atoms[i];
        let max = (n - n.clone().min(BigUint::one())) / d;
        let bound = max + 1u32;
        let st = self.el.st;
        let (k, size, by) = (st.nat(&bound), st.nat(n), st.nat(d));
        let unknown = self.call("Bits.Exp.atom", &[self.el.mk_nat(0)]);
        let e = self.call("Bits.Exp.div", &[unknown, by]);
        let (env, bounds) = (list(self.el, &[value]), list(self.el, &[size]));
        let below = self.call("Bits.below", &[env, k, bounds, e, self.refl_true()]);
        let below = st.app(below, proof);
        let quotient = self.call("Nat.div", &[value, by]);
        let q = self.terms.atom(bound);
        self.atoms.push(Atom {
            value: quotient,
            shown,
            bound: Some(below),
            part: exp::log2(d).unwrap_or(0),
        });
        let atom = self.add(exp::Node::Atom(q));
        let to = self.add(exp::Node::Scale(d.clone(), atom));
        let equal = self.call("Bits.aligned", &[value, by, h]);
        self.rewritten.push((i, to, equal));
    }

    /// The width of a word.
    pub fn width(&mut self, e: Expr) -> Option<u32> {
        let ty = self.el.infer_type(e).ok()?;
        let ty = self.el.whnf_reducible(ty);
        let ty = self.el.instantiate_mvars(ty);
        let w = *self.el.match_app(ty, "Word", 1)?.first()?;
        self.small(w)
    }

    /// Reads the value of a word.
    pub fn word(&mut self, e: Expr) -> Id {
        if let Some(i) = self.words.get(&e) {
            return *i;
        }
        if self.is_too_large() {
            return self.terms.lit(BigUint::zero());
        }
        let i = logic::subst::with_stack(|| self.read_word(e));
        self.words.insert(e, i);
        i
    }

    fn read_word(&mut self, e: Expr) -> Id {
        let Some(w) = self.width(e) else {
            let ty = self.el.infer_type(e).ok();
            let width = ty.and_then(|ty| Some(self.el.match_app(ty, "Word", 1)?[0]));
            return self.unknown_word(e, width);
        };
        if !self.el.st.has_fvar(e) && !self.el.st.has_mvar(e) {
            let width = self.el.mk_nat(u64::from(w));
            let value = self.call("Word.val", &[width, e]);
            if let Some(n) = self.number_value(value) {
                return self.terms.lit(n);
            }
        }
        let mut cur = e;
        for _ in 0..MAX_UNFOLD {
            if let Some((name, args)) = self.head(cur)
                && let Some(i) = self.word_operation(w, &name, &args)
            {
                return i;
            }
            let next = self.el.whnf_core(cur);
            let next = if next != cur {
                Some(next)
            } else {
                self.el.unfold_definition(cur)
            };
            match next {
                Some(n) => cur = self.el.instantiate_mvars(n),
                None => break,
            }
        }
        let width = self.el.mk_nat(u64::from(w));
        let variable = matches!(self.el.st.node(cur), Node::FVar(_));
        self.unknown_word(if variable { cur } else { e }, Some(width))
    }

    /// Are there more operations than may be?
    pub fn is_too_large(&self) -> bool {
        self.terms.len() > MAX_TERMS
    }

    fn unknown_word(&mut self, e: Expr, width: Option<Expr>) -> Id {
        let Some(width) = width else {
            return self.unknown(e, e, None);
        };
        let value = self.call("Word.val", &[width, e]);
        let proof = self.call("Word.isLt", &[width, e]);
        let bound = self.small(width).map(|w| (two(w), proof));
        self.unknown(value, e, bound)
    }

    /// `Eq.refl true`.
    pub(super) fn refl_true(&self) -> Expr {
        let st = self.el.st;
        let refl = st.constant(st.name("Eq.refl"), &[st.level_nat(1)]);
        st.apps(refl, &[st.const0("Bool"), st.const0("Bool.true")])
    }
}
