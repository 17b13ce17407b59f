//! Quotients and remainders of sums.
//!
//! By a divisor `k`, a sum is split into a multiple and the rest, `n = k * q + r`, or into a multiple of a factor `g` of `k`
//! and a rest below `g`. A quotient by `N` that is multiplied by about `N / d` before is the quotient by `d`.

use egg::Id;
use logic::Expr;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::engine::Engine;
use super::language::{Kind, Node};
use super::poly::{Ring, Tree};
use super::replay::Chain;
use super::sums::{Form, Sums, add, class, constant, natural, times};

/// A divisor: a literal times classes.
#[derive(Clone, Debug)]
struct Divisor {
    id: Id,
    coefficient: BigInt,
    product: Vec<Id>,
}

impl Divisor {
    fn literal(&self) -> Option<&BigInt> {
        self.product.is_empty().then_some(&self.coefficient)
    }
}

/// A way to write a sum: what it is equal to, to be proved where it is of use.
#[derive(Clone, Debug)]
struct Split {
    /// `q` of `n = k * q + r`, or of `n = g * q + r`.
    quotient: Form,
    /// `r`
    rest: Form,
    /// `g`, if it is not `k`.
    factor: Option<BigInt>,
}

impl Sums {
    /// Applies what is known of quotients and remainders of sums to a node; the number of unions made.
    pub fn divide(&mut self, e: &mut Engine<'_, '_>, node: &Node) -> Option<usize> {
        let kind = e.kind(node);
        let (n, k) = (node.kids[0], node.kids[1]);
        let divisor = self.divisor(e, k)?;
        let mut done = 0;
        let mut forms = vec![self.form(e, n)];
        let reduced = self.reduced(e, n);
        if natural(&reduced) && reduced != forms[0] {
            forms.push(reduced.clone());
        }
        if let Some(f) = self.folded(e, &forms[0], &divisor) {
            forms.push(f);
        }
        for form in &forms {
            if let Some(split) = self.split(e, form, &divisor) {
                done += usize::from(self.apply(e, kind, node, &divisor, &split).unwrap_or(false));
            }
        }
        if kind == Kind::Mod {
            done += usize::from(self.shifted(e, node, &divisor, &reduced).unwrap_or(false));
        }
        if kind == Kind::Div {
            for form in &forms {
                done += usize::from(self.magic(e, node, &divisor, form).unwrap_or(false));
                done += usize::from(self.absorbed(e, node, &divisor, form).unwrap_or(false));
            }
        }
        Some(done)
    }

    fn divisor(&mut self, e: &mut Engine<'_, '_>, k: Id) -> Option<Divisor> {
        let form = self.form(e, k);
        let mut terms = form.into_iter();
        let (product, coefficient) = terms.next()?;
        let one = product.is_empty() && coefficient.is_one();
        (terms.next().is_none() && coefficient.is_positive() && !one).then_some(Divisor {
            id: k,
            coefficient,
            product,
        })
    }

    /// `n` by multiples of the divisor, or of a factor of it, with a rest that is as small as can be.
    fn split(&mut self, e: &mut Engine<'_, '_>, form: &Form, k: &Divisor) -> Option<Split> {
        let (mut quotient, mut rest) = (Form::new(), Form::new());
        for (m, c) in form {
            let left = without(m, &k.product);
            match left {
                Some(left) if *c >= k.coefficient => {
                    let (q, r) = c.div_rem(&k.coefficient);
                    let q = Form::from([(left, q)]);
                    add(&mut quotient, &BigInt::one(), &q);
                    if !r.is_zero() {
                        rest.insert(m.clone(), r);
                    }
                }
                _ => {
                    rest.insert(m.clone(), c.clone());
                }
            }
        }
        if !quotient.is_empty() {
            return Some(Split {
                quotient,
                rest,
                factor: None,
            });
        }
        // a factor of the divisor that all but a small rest has
        let mut factors: Vec<BigInt> = form
            .iter()
            .filter(|(m, _)| !m.is_empty())
            .map(|(_, c)| c.gcd(&k.coefficient))
            .filter(|g| !g.is_one())
            .collect();
        factors.sort();
        factors.dedup();
        for g in factors.into_iter().rev() {
            let (mut quotient, mut rest) = (Form::new(), Form::new());
            for (m, c) in form {
                let (q, r) = c.div_rem(&g);
                if r.is_zero() {
                    quotient.insert(m.clone(), q);
                } else if m.is_empty() {
                    // of a constant both parts
                    if !q.is_zero() {
                        quotient.insert(m.clone(), q);
                    }
                    rest.insert(m.clone(), r);
                } else {
                    rest.insert(m.clone(), c.clone());
                }
            }
            if self.most(e, &rest).is_some_and(|m| BigInt::from(m) < g) {
                return Some(Split {
                    quotient,
                    rest,
                    factor: Some(g),
                });
            }
        }
        None
    }

    /// An upper bound of a form.
    fn most(&mut self, e: &mut Engine<'_, '_>, form: &Form) -> Option<BigUint> {
        let mut sum = BigUint::zero();
        for (m, c) in form {
            let mut product = c.magnitude().clone();
            for x in m {
                product *= &e.g[*x].data.max.as_ref()?.0;
            }
            sum += product;
        }
        Some(sum)
    }

    fn apply(
        &mut self,
        e: &mut Engine<'_, '_>,
        kind: Kind,
        node: &Node,
        k: &Divisor,
        split: &Split,
    ) -> Option<bool> {
        let own = e.node(node.op, &node.kids);
        let (tq, q) = self.build(e, &split.quotient);
        let (tr, r) = self.build(e, &split.rest);
        let n = e.term(node.kids[0]);
        match &split.factor {
            None => {
                let small = self.below(e, r, k.id);
                let right = match (kind, small) {
                    (Kind::Div, Some(_)) => q,
                    (Kind::Div, None) => {
                        let d = e.apply(Kind::Div, &[r, k.id]);
                        e.apply(Kind::Add, &[q, d])
                    }
                    (_, Some(_)) => r,
                    _ => e.apply(Kind::Mod, &[r, k.id]),
                };
                if e.g.find(own) == e.g.find(right) {
                    return Some(false);
                }
                let h = self.decomposed(e, node.kids[0], k, None, &tq, &tr)?;
                let (ek, eq, er) = (e.term(k.id), e.term(q), e.term(r));
                let proof = match (kind, small) {
                    (Kind::Div, Some(s)) => e.call("Index.div_exact", &[n, ek, eq, er, s, h]),
                    (Kind::Div, None) => {
                        let pos = self.positive(e, k)?;
                        e.call("Index.div_split", &[n, ek, eq, er, pos, h])
                    }
                    (_, Some(s)) => e.call("Index.mod_exact", &[n, ek, eq, er, s, h]),
                    _ => e.call("Index.mod_split", &[n, ek, eq, er, h]),
                };
                let rule = if kind == Kind::Div {
                    "div_sum"
                } else {
                    "mod_sum"
                };
                Some(e.join(rule, own, right, proof))
            }
            Some(g) => {
                let g = g.magnitude();
                let part =
                    Form::from([(k.product.clone(), &k.coefficient / BigInt::from(g.clone()))]);
                let (tb, b) = self.build(e, &part);
                let right = match kind {
                    Kind::Div => e.apply(Kind::Div, &[q, b]),
                    _ => {
                        let m = e.apply(Kind::Mod, &[q, b]);
                        let lit = e.literal(g);
                        let product = e.apply(Kind::Mul, &[lit, m]);
                        e.apply(Kind::Add, &[product, r])
                    }
                };
                if e.g.find(own) == e.g.find(right) {
                    return Some(false);
                }
                let small = {
                    let lit = e.literal(g);
                    self.below(e, r, lit)?
                };
                let h = self.decomposed(e, node.kids[0], k, Some(g), &tq, &tr)?;
                let (eg, eq, eb, er) = (e.el.st.nat(g), e.term(q), e.term(b), e.term(r));
                let lemma = match kind {
                    Kind::Div => "Index.div_factor",
                    _ => "Index.mod_factor",
                };
                let proof = e.call(lemma, &[n, eg, eq, eb, er, small, h]);
                // the divisor is `g * b`
                let product = Tree::Mul(Box::new(Tree::Lit(g.clone())), Box::new(tb));
                let k_is = self.is_tree(e, k.id, &product)?;
                let same = Chain::same(n);
                let head = e.g.analysis.ops.get(node.op).head;
                let first = e.congruent(head, &[same, k_is])?;
                let to = e.term(right);
                let second = Chain::step(first.to, to, proof);
                let whole = e.then(first, second)?;
                let rule = if kind == Kind::Div {
                    "div_factor"
                } else {
                    "mod_factor"
                };
                Some(e.join(rule, own, right, whole.proof?))
            }
        }
    }

    /// `n = k * q + r`, or `n = g * q + r`.
    fn decomposed(
        &mut self,
        e: &mut Engine<'_, '_>,
        n: Id,
        k: &Divisor,
        g: Option<&BigUint>,
        q: &Tree,
        r: &Tree,
    ) -> Option<Expr> {
        let (tk, hk) = match g {
            Some(g) => (Tree::Lit(g.clone()), None),
            None => {
                let (t, h) = self.tree(e, k.id)?;
                (t, Some(h))
            }
        };
        let right = Tree::Add(
            Box::new(Tree::Mul(Box::new(tk), Box::new(q.clone()))),
            Box::new(r.clone()),
        );
        let chain = self.is_tree(e, n, &right)?;
        self.closed(e, chain, hk, q, r)
    }

    /// The proof of `n = k * q + r`, where `k` is the divisor as it stands.
    fn closed(
        &mut self,
        e: &mut Engine<'_, '_>,
        chain: Chain,
        k: Option<Chain>,
        q: &Tree,
        r: &Tree,
    ) -> Option<Expr> {
        let mut chain = chain;
        if let Some(k) = k
            && k.proof.is_some()
        {
            let ring = Ring::new(e.el.st, &self.exprs);
            let (q, r) = (Chain::same(ring.tree(q)), Chain::same(ring.tree(r)));
            let (mul, plus) = (e.el.st.const0("Nat.mul"), e.el.st.const0("Nat.add"));
            let product = e.congruent(mul, &[e.back(k), q])?;
            let sum = e.congruent(plus, &[product, r])?;
            chain = e.then(chain, sum)?;
        }
        Some(chain.proof.unwrap_or_else(|| e.refl(chain.from)))
    }

    /// A proof of `r < k`.
    fn below(&mut self, e: &mut Engine<'_, '_>, r: Id, k: Id) -> Option<Expr> {
        let (a, b) = (e.term(r), e.term(k));
        let p = e.call("Nat.lt", &[a, b]);
        e.discharge(p)
    }

    fn positive(&mut self, e: &mut Engine<'_, '_>, k: &Divisor) -> Option<Expr> {
        let (zero, b) = (e.el.mk_nat(0), e.term(k.id));
        let p = e.call("Nat.lt", &[zero, b]);
        e.discharge(p)
    }

    /// A remainder without what is a multiple of the divisor once remainders and differences are eliminated.
    fn shifted(
        &mut self,
        e: &mut Engine<'_, '_>,
        node: &Node,
        k: &Divisor,
        reduced: &Form,
    ) -> Option<bool> {
        let modulus = k.literal()?.clone();
        if *reduced == self.form(e, node.kids[0]) {
            return None;
        }
        let (mut up, mut down, mut rest) = (Form::new(), Form::new(), Form::new());
        for (m, c) in reduced {
            let (q, r) = c.div_mod_floor(&modulus);
            match q.sign() {
                num_bigint::Sign::Minus => {
                    down.insert(m.clone(), -q);
                }
                num_bigint::Sign::Plus => {
                    up.insert(m.clone(), q);
                }
                num_bigint::Sign::NoSign => {}
            }
            if !r.is_zero() {
                rest.insert(m.clone(), r);
            }
        }
        let own = e.node(node.op, &node.kids);
        let ((td, d), (tu, u), (tr, r)) = (
            self.build(e, &down),
            self.build(e, &up),
            self.build(e, &rest),
        );
        let right = e.apply(Kind::Mod, &[r, k.id]);
        if e.g.find(own) == e.g.find(right) {
            return Some(false);
        }
        let (tn, hn) = self.tree(e, node.kids[0])?;
        let lit = || Box::new(Tree::Lit(modulus.magnitude().clone()));
        let sum = |t: Tree, u: Tree| Tree::Add(Box::new(t), Box::new(u));
        let left_tree = sum(tn, Tree::Mul(lit(), Box::new(td.clone())));
        let right_tree = sum(Tree::Mul(lit(), Box::new(tu)), tr);
        let identity = self.identity(e, &left_tree, &right_tree)?;
        let ring = Ring::new(e.el.st, &self.exprs);
        let (l, t) = (ring.tree(&left_tree), ring.tree(&right_tree));
        let shift = ring.tree(&Tree::Mul(lit(), Box::new(td)));
        let plus = e.el.st.const0("Nat.add");
        let same = Chain::same(shift);
        let first = e.congruent(plus, &[hn, same])?;
        let second = Chain::step(l, t, identity);
        let chain = e.then(first, second)?;
        let (n, ek) = (e.term(node.kids[0]), e.el.st.nat(modulus.magnitude()));
        let (ed, eu, er) = (e.term(d), e.term(u), e.term(r));
        let proof = e.call("Index.mod_shift", &[n, ek, ed, eu, er, chain.proof?]);
        // the divisor's own term may be another one
        let by = e.literal(modulus.magnitude());
        let (left, right) = (
            e.node(node.op, &[node.kids[0], by]),
            e.apply(Kind::Mod, &[r, by]),
        );
        Some(e.join("mod_shift", left, right, proof))
    }

    /// The form with `x - d * (x / d)` up to multiples of the divisor written as `x % d`.
    fn folded(&mut self, e: &mut Engine<'_, '_>, form: &Form, k: &Divisor) -> Option<Form> {
        let modulus = k.literal()?.clone();
        for (m, c) in form {
            let [q] = &m[..] else {
                continue;
            };
            for node in e.g[*q].nodes.clone() {
                if e.kind(&node) != Kind::Div {
                    continue;
                }
                let Some(d) = e.value(node.kids[1]).map(BigInt::from) else {
                    continue;
                };
                let x = self.form(e, node.kids[0]);
                let Some((first, unit)) = x.iter().next() else {
                    continue;
                };
                let Some(has) = form.get(first) else {
                    continue;
                };
                let (times, rest) = has.div_rem(unit);
                if !rest.is_zero() || !((c + &times * &d) % &modulus).is_zero() {
                    continue;
                }
                let mut out = form.clone();
                add(&mut out, &-times.clone(), &x);
                let m = e.apply(Kind::Mod, &node.kids);
                let m = e.g.find(m);
                add(&mut out, &times, &self.form(e, m));
                add(&mut out, &(&times * &d), &class(*q));
                if natural(&out) && out != *form {
                    return Some(out);
                }
            }
        }
        None
    }

    /// `x * M / N = x / d`, where `d * M` is `N` and a little.
    fn magic(
        &mut self,
        e: &mut Engine<'_, '_>,
        node: &Node,
        k: &Divisor,
        form: &Form,
    ) -> Option<bool> {
        let big = k.literal()?.magnitude().clone();
        let common = form
            .values()
            .fold(BigInt::zero(), |g, c| g.gcd(c))
            .magnitude()
            .clone();
        if common <= BigUint::one() || common >= big {
            return None;
        }
        let mut x = form.clone();
        for c in x.values_mut() {
            *c /= BigInt::from(common.clone());
        }
        let (d, r) = big.div_rem(&common);
        let d = if r.is_zero() { d } else { d + 1u32 };
        let excess = &d * &common - &big;
        let most = self.most(e, &x)?;
        if &excess * &most >= big {
            return None;
        }
        let (tx, id) = self.build(e, &x);
        let by = e.literal(&d);
        let right = e.apply(Kind::Div, &[id, by]);
        let own = e.node(node.op, &node.kids);
        if e.g.find(own) == e.g.find(right) {
            return Some(false);
        }
        let (m, le) = e.max(id)?;
        let n = Tree::Mul(Box::new(tx), Box::new(Tree::Lit(common.clone())));
        let first = self.is_tree(e, node.kids[0], &n)?;
        let lit = e.literal(&big);
        let same = e.equal(k.id, lit)?;
        let head = e.g.analysis.ops.get(node.op).head;
        let first = e.congruent(head, &[first, same])?;
        let st = e.el.st;
        let nat = |n: &BigUint| st.nat(n);
        let (ex, c) = (e.term(id), e.computed());
        let args = [
            ex,
            nat(&m),
            nat(&common),
            nat(&big),
            nat(&d),
            nat(&excess),
            le,
            c,
            c,
            c,
        ];
        let second = Chain::step(first.to, e.term(right), e.call("Index.magic", &args));
        let whole = e.then(first, second)?;
        Some(e.join("magic", own, right, whole.proof?))
    }

    /// `(a + y / N) / k = (N * a + y) / (N * k)`
    fn absorbed(
        &mut self,
        e: &mut Engine<'_, '_>,
        node: &Node,
        k: &Divisor,
        form: &Form,
    ) -> Option<bool> {
        k.literal()?;
        if form.len() < 2 {
            return None;
        }
        for (m, c) in form {
            let ([q], true) = (&m[..], c.is_one()) else {
                continue;
            };
            for inner in e.g[*q].nodes.clone() {
                if e.kind(&inner) != Kind::Div {
                    continue;
                }
                let Some(by) = e.value(inner.kids[1]).filter(|n| !n.is_zero()) else {
                    continue;
                };
                let mut a = form.clone();
                a.remove(m);
                let y = inner.kids[0];
                let scaled = times(&a, &constant(&by));
                let (ta, a) = self.build(e, &a);
                let _ = scaled;
                let lit = e.literal(&by);
                let product = e.apply(Kind::Mul, &[lit, a]);
                let sum = e.apply(Kind::Add, &[product, y]);
                let both = e.apply(Kind::Mul, &[lit, k.id]);
                e.fold(both);
                let right = e.apply(Kind::Div, &[sum, both]);
                let own = e.node(node.op, &node.kids);
                if e.g.find(own) == e.g.find(right) {
                    continue;
                }
                // n = a + y / N
                let tq = self.atom(e, *q);
                let tree = Tree::Add(Box::new(ta), Box::new(tq));
                let first = self.is_tree(e, node.kids[0], &tree)?;
                let own_q = e.node(inner.op, &[y, lit]);
                let there = e.equal(*q, own_q)?;
                let ea = e.term(a);
                let plus = e.el.st.const0("Nat.add");
                let second = e.congruent(plus, &[Chain::same(ea), there])?;
                let n = e.then(first, second)?;
                let ek = e.term(k.id);
                let div = e.el.st.const0("Nat.div");
                let n = e.congruent(div, &[n, Chain::same(ek)])?;
                let (ey, en, c) = (e.term(y), e.el.st.nat(&by), e.computed());
                let third = Chain::step(
                    n.to,
                    e.term(right),
                    e.call("Index.div_absorb", &[ea, ey, en, ek, c]),
                );
                let whole = e.then(n, third)?;
                return Some(e.join("div_absorb", own, right, whole.proof?));
            }
        }
        None
    }
}

/// A product without the factors of another one.
fn without(m: &[Id], factors: &[Id]) -> Option<Vec<Id>> {
    let mut out = m.to_vec();
    for f in factors {
        out.remove(out.iter().position(|x| x == f)?);
    }
    Some(out)
}
