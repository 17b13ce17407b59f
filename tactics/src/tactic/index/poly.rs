//! Polynomials with natural coefficients, with proofs: what a sum or product of atoms is, multiplied out and sorted.
//!
//! A polynomial stands for the term `c * m + (c' * m' + (… + n))`. Each step of an addition or multiplication is one lemma
//! of `proofs/lib/index_lemmas.ptxp`; nothing is computed by the kernel but the coefficients.

use std::cmp::Ordering;

use logic::{Expr, Store};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// A sum or product of atoms.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// An atom by number.
    Atom(u32),
    /// A literal.
    Lit(BigUint),
    /// `a + b`
    Add(Box<Tree>, Box<Tree>),
    /// `a * b`
    Mul(Box<Tree>, Box<Tree>),
}

/// A product of atoms, sorted, not empty.
type Mono = Vec<u32>;

/// A polynomial: products with coefficients that are not zero, in order, and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Poly {
    terms: Vec<(Mono, BigUint)>,
    constant: BigUint,
}

/// The atoms, and the terms of polynomials in them.
pub(super) struct Ring<'a, 'b> {
    st: &'b Store<'b>,
    /// The atoms by number.
    pub atoms: &'a [Expr],
}

impl<'a, 'b> Ring<'a, 'b> {
    /// Polynomials in these atoms.
    pub fn new(st: &'b Store<'b>, atoms: &'a [Expr]) -> Self {
        Ring { st, atoms }
    }

    fn call(&self, name: &str, args: &[Expr]) -> Expr {
        self.st.apps(self.st.const0(name), args)
    }

    fn nat(&self, n: &BigUint) -> Expr {
        self.st.nat(n)
    }

    fn add_expr(&self, a: Expr, b: Expr) -> Expr {
        self.call("Nat.add", &[a, b])
    }

    fn mul_expr(&self, a: Expr, b: Expr) -> Expr {
        self.call("Nat.mul", &[a, b])
    }

    fn refl(&self, a: Expr) -> Expr {
        let refl = self
            .st
            .constant(self.st.name("Eq.refl"), &[self.st.level_nat(1)]);
        self.st.apps(refl, &[self.st.const0("Nat"), a])
    }

    /// The term of a tree.
    pub fn tree(&self, t: &Tree) -> Expr {
        match t {
            Tree::Atom(x) => self.atoms[*x as usize],
            Tree::Lit(n) => self.nat(n),
            Tree::Add(a, b) => self.add_expr(self.tree(a), self.tree(b)),
            Tree::Mul(a, b) => self.mul_expr(self.tree(a), self.tree(b)),
        }
    }

    fn mono(&self, m: &[u32]) -> Expr {
        let atom = |x: &u32| self.atoms[*x as usize];
        match m {
            [] => self.nat(&BigUint::one()),
            [x] => atom(x),
            [x, rest @ ..] => self.mul_expr(atom(x), self.mono(rest)),
        }
    }

    fn term(&self, (m, c): &(Mono, BigUint)) -> Expr {
        self.mul_expr(self.nat(c), self.mono(m))
    }

    fn poly(&self, terms: &[(Mono, BigUint)], constant: &BigUint) -> Expr {
        match terms {
            [] => self.nat(constant),
            [t, rest @ ..] => self.add_expr(self.term(t), self.poly(rest, constant)),
        }
    }

    /// The term of a polynomial.
    pub fn expr(&self, p: &Poly) -> Expr {
        self.poly(&p.terms, &p.constant)
    }

    /// `t = p` for the polynomial `p` of a tree.
    pub fn normal(&self, t: &Tree) -> (Poly, Expr) {
        logic::subst::with_stack(|| match t {
            Tree::Atom(x) => {
                let p = Poly {
                    terms: vec![(vec![*x], BigUint::one())],
                    constant: BigUint::zero(),
                };
                (p, self.call("Index.poly_atom", &[self.tree(t)]))
            }
            Tree::Lit(n) => {
                let p = Poly {
                    terms: Vec::new(),
                    constant: n.clone(),
                };
                (p, self.refl(self.nat(n)))
            }
            Tree::Add(a, b) | Tree::Mul(a, b) => {
                let ((p, h), (q, g)) = (self.normal(a), self.normal(b));
                let (r, e, lemma) = match t {
                    Tree::Add(..) => {
                        let (r, e) = self.add(&p, &q);
                        (r, e, "Index.norm_add")
                    }
                    _ => {
                        let (r, e) = self.mul(&p, &q);
                        (r, e, "Index.norm_mul")
                    }
                };
                let args = [
                    self.tree(a),
                    self.tree(b),
                    self.expr(&p),
                    self.expr(&q),
                    self.expr(&r),
                    h,
                    g,
                    e,
                ];
                (r, self.call(lemma, &args))
            }
        })
    }

    /// `p + q = r`.
    fn add(&self, p: &Poly, q: &Poly) -> (Poly, Expr) {
        let mut out = Poly {
            terms: Vec::new(),
            constant: &p.constant + &q.constant,
        };
        // what is done at each place, from the front; then proofs are built from the back
        let (mut i, mut j) = (0, 0);
        let mut steps = Vec::new();
        while i < p.terms.len() || j < q.terms.len() {
            let order = match (p.terms.get(i), q.terms.get(j)) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            steps.push((i, j, order));
            match order {
                Ordering::Less => {
                    out.terms.push(p.terms[i].clone());
                    i += 1;
                }
                Ordering::Greater => {
                    out.terms.push(q.terms[j].clone());
                    j += 1;
                }
                Ordering::Equal => {
                    let c = &p.terms[i].1 + &q.terms[j].1;
                    out.terms.push((p.terms[i].0.clone(), c));
                    i += 1;
                    j += 1;
                }
            }
        }
        let mut proof = self.refl(self.nat(&out.constant));
        for (k, (i, j, order)) in steps.into_iter().enumerate().rev() {
            let rest = self.poly(&out.terms[k + 1..], &out.constant);
            let (pi, qj) = (
                self.poly(
                    &p.terms[(i + usize::from(order != Ordering::Greater)).min(p.terms.len())..],
                    &p.constant,
                ),
                self.poly(
                    &q.terms[(j + usize::from(order != Ordering::Less)).min(q.terms.len())..],
                    &q.constant,
                ),
            );
            proof = match order {
                Ordering::Less => {
                    let t = self.term(&p.terms[i]);
                    self.call("Index.poly_left", &[t, pi, qj, rest, proof])
                }
                Ordering::Greater => {
                    let t = self.term(&q.terms[j]);
                    self.call("Index.poly_right", &[pi, t, qj, rest, proof])
                }
                Ordering::Equal => {
                    let (a, b) = (self.nat(&p.terms[i].1), self.nat(&q.terms[j].1));
                    let m = self.mono(&p.terms[i].0);
                    let c = self.nat(&out.terms[k].1);
                    let args = [a, b, c, m, pi, qj, rest, self.refl(c), proof];
                    self.call("Index.poly_both", &args)
                }
            };
        }
        (out, proof)
    }

    /// `p * q = r`.
    fn mul(&self, p: &Poly, q: &Poly) -> (Poly, Expr) {
        if p.terms.is_empty() {
            return self.scale(&p.constant, q);
        }
        if q.terms.is_empty() {
            let (r, h) = self.scale(&q.constant, p);
            let args = [self.expr(p), self.expr(q), self.expr(&r), h];
            return (r, self.call("Index.poly_comm", &args));
        }
        let t = &p.terms[0];
        let rest = Poly {
            terms: p.terms[1..].to_vec(),
            constant: p.constant.clone(),
        };
        let ((r, h), (s, g)) = (self.times_term(t, q), self.mul(&rest, q));
        let (u, e) = self.add(&r, &s);
        let args = [
            self.term(t),
            self.expr(&rest),
            self.expr(q),
            self.expr(&r),
            self.expr(&s),
            self.expr(&u),
            h,
            g,
            e,
        ];
        (u, self.call("Index.poly_mul", &args))
    }

    /// `a * q = r` for a literal `a`.
    fn scale(&self, a: &BigUint, q: &Poly) -> (Poly, Expr) {
        if a.is_zero() {
            let zero = Poly {
                terms: Vec::new(),
                constant: BigUint::zero(),
            };
            return (zero, self.call("Index.zero_poly", &[self.expr(q)]));
        }
        let out = Poly {
            terms: q.terms.iter().map(|(m, c)| (m.clone(), c * a)).collect(),
            constant: &q.constant * a,
        };
        let k = self.nat(a);
        let mut proof = self.refl(self.nat(&out.constant));
        for (i, (m, c)) in q.terms.iter().enumerate().rev() {
            let product = self.nat(&out.terms[i].1);
            let args = [
                k,
                self.nat(c),
                product,
                self.mono(m),
                self.poly(&q.terms[i + 1..], &q.constant),
                self.poly(&out.terms[i + 1..], &out.constant),
                self.refl(product),
                proof,
            ];
            proof = self.call("Index.poly_scale", &args);
        }
        (out, proof)
    }

    /// `a * m * q = r`.
    fn times_term(&self, t: &(Mono, BigUint), q: &Poly) -> (Poly, Expr) {
        let (m, a) = t;
        let (am, mm) = (self.nat(a), self.mono(m));
        if q.terms.is_empty() {
            let b = &q.constant;
            if b.is_zero() {
                let zero = Poly {
                    terms: Vec::new(),
                    constant: BigUint::zero(),
                };
                return (zero, self.call("Index.poly_term_zero", &[self.term(t)]));
            }
            let out = Poly {
                terms: vec![(m.clone(), a * b)],
                constant: BigUint::zero(),
            };
            let c = self.nat(&out.terms[0].1);
            let args = [am, mm, self.nat(b), c, self.refl(c)];
            return (out, self.call("Index.poly_term_lit", &args));
        }
        let (n, b) = &q.terms[0];
        let rest = Poly {
            terms: q.terms[1..].to_vec(),
            constant: q.constant.clone(),
        };
        let (r, h) = self.mono_mul(m, n);
        let (s, g) = self.times_term(t, &rest);
        let first = Poly {
            terms: vec![(r.clone(), a * b)],
            constant: BigUint::zero(),
        };
        let (u, e) = self.add(&first, &s);
        let c = self.nat(&first.terms[0].1);
        let args = [
            am,
            mm,
            self.nat(b),
            self.mono(n),
            c,
            self.expr(&rest),
            self.mono(&r),
            self.expr(&s),
            self.expr(&u),
            self.refl(c),
            h,
            g,
            e,
        ];
        (u, self.call("Index.poly_term", &args))
    }

    /// `m * n = r` for products of atoms.
    fn mono_mul(&self, m: &[u32], n: &[u32]) -> (Mono, Expr) {
        let (x, y) = (m[0], n[0]);
        if x <= y {
            if m.len() == 1 {
                let mut r = vec![x];
                r.extend(n);
                let e = self.mono(&r);
                return (r, self.refl(e));
            }
            let (r, h) = self.mono_mul(&m[1..], n);
            let args = [
                self.mono(&m[..1]),
                self.mono(&m[1..]),
                self.mono(n),
                self.mono(&r),
                h,
            ];
            let mut out = vec![x];
            out.extend(r);
            return (out, self.call("Index.mono_left", &args));
        }
        if n.len() == 1 {
            let mut r = vec![y];
            r.extend(m);
            return (r, self.call("Nat.mul_comm", &[self.mono(m), self.mono(n)]));
        }
        let (r, h) = self.mono_mul(m, &n[1..]);
        let args = [
            self.mono(m),
            self.mono(&n[..1]),
            self.mono(&n[1..]),
            self.mono(&r),
            h,
        ];
        let mut out = vec![y];
        out.extend(r);
        (out, self.call("Index.mono_right", &args))
    }

    /// `a = b`, if the two are the same polynomial after equal numbers are added: `Σ kᵢ * uᵢ` to the left, `Σ kᵢ * vᵢ` to the
    /// right, by proofs of `uᵢ = vᵢ`.
    pub fn equal(&self, a: &Tree, b: &Tree, given: &[(BigUint, Tree, Tree, Expr)]) -> Option<Expr> {
        let (ea, eb) = (self.tree(a), self.tree(b));
        let Some((first, rest)) = given.split_first() else {
            if ea == eb {
                return Some(self.refl(ea));
            }
            let ((p, h), (q, g)) = (self.normal(a), self.normal(b));
            if p != q {
                return None;
            }
            return Some(self.call("Index.same", &[ea, eb, self.expr(&p), h, g]));
        };
        let scaled = |(k, u, v, proof): &(BigUint, Tree, Tree, Expr)| {
            let lit = || Box::new(Tree::Lit(k.clone()));
            let left = Tree::Mul(lit(), Box::new(u.clone()));
            let right = Tree::Mul(lit(), Box::new(v.clone()));
            let args = [self.nat(k), self.tree(u), self.tree(v), *proof];
            let proof = self.call("Index.mul_eq", &args);
            (left, right, proof)
        };
        let (mut u, mut v, mut e) = scaled(first);
        for g in rest {
            let (x, y, h) = scaled(g);
            let args = [
                self.tree(&u),
                self.tree(&v),
                self.tree(&x),
                self.tree(&y),
                e,
                h,
            ];
            e = self.call("Index.add_eq", &args);
            u = Tree::Add(Box::new(u), Box::new(x));
            v = Tree::Add(Box::new(v), Box::new(y));
        }
        let (eu, ev) = (self.tree(&u), self.tree(&v));
        let left = Tree::Add(Box::new(a.clone()), Box::new(u));
        let right = Tree::Add(Box::new(b.clone()), Box::new(v));
        let ((p, h), (q, g)) = (self.normal(&left), self.normal(&right));
        if p != q {
            return None;
        }
        Some(self.call("Index.cancel", &[ea, eb, eu, ev, self.expr(&p), e, h, g]))
    }
}
