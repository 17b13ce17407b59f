//! From an answer of the oracle to a proof term: `Bits.same_sound` or `Bits.sound` of `proofs/lib/bits_check.ptxp`.

use std::collections::BTreeMap;

use logic::{BinderInfo, Expr};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::exp::{Id, Node};
use super::plan::{Differ, How, Plan, Question, Why};
use super::reify::{Atom, list};
use crate::meta::Elab;

/// How deep unknowns that are the same as others may be nested.
const MAX_DEPTH: usize = 100;

/// Builds proofs.
pub struct Prover<'a, 'b, 't> {
    /// The elaborator.
    pub el: &'a mut Elab<'b>,
    /// What was generalised.
    pub plan: Plan<'t>,
    /// The unknowns that were read.
    pub atoms: Vec<Atom>,
    aliases: FxHashMap<(usize, Id), Expr>,
    depth: usize,
    denoted: FxHashMap<Id, Expr>,
    encoded: FxHashMap<(Id, Vec<usize>), Expr>,
}

/// Why there is no proof.
#[derive(Debug)]
pub enum Failure {
    /// The oracle sees no equality.
    Differ {
        /// Why.
        why: Box<Differ>,
        /// What the unknowns that were not read stand for.
        generalised: BTreeMap<usize, Id>,
    },
    /// No bound is known for an unknown.
    Unbounded(usize),
}

type Answer = Result<Expr, Failure>;

impl<'a, 'b, 't> Prover<'a, 'b, 't> {
    /// With the unknowns that were read.
    pub fn new(el: &'a mut Elab<'b>, plan: Plan<'t>, atoms: Vec<Atom>) -> Self {
        Prover {
            el,
            plan,
            atoms,
            aliases: FxHashMap::default(),
            depth: 0,
            denoted: FxHashMap::default(),
            encoded: FxHashMap::default(),
        }
    }

    fn call(&self, name: &str, args: &[Expr]) -> Expr {
        self.el.st.apps(self.el.st.const0(name), args)
    }

    fn nat(&self, n: &BigUint) -> Expr {
        self.el.st.nat(n)
    }

    fn small(&self, n: u64) -> Expr {
        self.el.st.nat_u64(n)
    }

    /// A proof of `e = f`, both as they were read.
    pub fn equation(&mut self, e: Id, f: Id) -> Answer {
        let (x, y) = (self.plan.expanded(e), self.plan.expanded(f));
        let q = self.plan.question(x, y).map_err(|d| self.differ(d))?;
        let proof = self.answer(&q)?;
        let (a, b, c, d) = (
            self.denote(e),
            self.denote(x),
            self.denote(y),
            self.denote(f),
        );
        let (front, back) = (self.until(e, x)?, self.until(f, y)?);
        Ok(self.joined([a, b, c, d], front, proof, back))
    }

    /// `a = d` from `a = b`, `b = c`, `d = c`.
    fn joined(&self, [a, b, c, d]: [Expr; 4], front: Expr, proof: Expr, back: Expr) -> Expr {
        let proof = if a == b {
            proof
        } else {
            self.trans(a, b, c, front, proof)
        };
        match c == d {
            true => proof,
            false => {
                let back = self.symm(d, c, back);
                self.trans(a, c, d, proof, back)
            }
        }
    }

    fn answer(&mut self, q: &Question) -> Answer {
        let (left, right) = (self.plan.canonical(q.left), self.plan.canonical(q.right));
        let mut roots = vec![left, right];
        let mut uses = Vec::new();
        if let How::Sums { uses: given, .. } = &q.how {
            for (c, a, def) in given {
                let canonical = self.plan.canonical(*def);
                roots.push(canonical);
                let atom = self.plan.terms.add(Node::Atom(*a));
                roots.push(atom);
                uses.push((c.clone(), *a, *def, canonical));
            }
        }
        let columns = self.plan.terms.atoms(&roots);
        let (low, high) = self.plan.terms.rows(&roots);
        let n = self.small(columns.len().max(1) as u64);
        let b = self.small((-low) as u64);
        let env = self.env(&columns);
        let bounds = self.bounds(&columns);
        let (l, r) = (self.encode(left, &columns), self.encode(right, &columns));
        let proof = match &q.how {
            How::Forms => {
                let args = [env, n, b, bounds, l, r, self.refl_true()];
                self.call("Bits.same_sound", &args)
            }
            How::Sums { w, .. } => {
                let t = self.small((high - low) as u64);
                let w = self.small(u64::from(*w));
                let nil = self.call("Bits.Uses.nil", &[]);
                let mut list = nil;
                for (c, a, _, def) in uses.iter().rev() {
                    let place = columns.iter().position(|x| x == a).unwrap_or(0);
                    let (c, place) = (self.nat(c), self.small(place as u64));
                    let def = self.encode(*def, &columns);
                    list = self.call("Bits.Uses.cons", &[c, place, def, list]);
                }
                let args = [env, n, b, t, w, bounds, list, l, r, self.refl_true()];
                self.call("Bits.sound", &args)
            }
        };
        let mut premises = self.bound_proofs(&columns)?;
        for (_, _, def, _) in &uses {
            premises.push(self.unaliased(*def)?);
        }
        let proof = self.el.st.apps(proof, &premises);
        let (front, back) = (self.unaliased(q.left)?, self.unaliased(q.right)?);
        let all = [
            self.denote(q.left),
            self.denote(left),
            self.denote(right),
            self.denote(q.right),
        ];
        Ok(self.joined(all, front, proof, back))
    }

    /// A proof that a prepared term is the same without the unknowns that are not needed.
    fn unaliased(&mut self, e: Id) -> Answer {
        let goal = self.plan.canonical(e);
        self.until(e, goal)
    }

    /// A proof that a term is the same as another that comes out when unknowns are replaced by what they are the same as.
    fn until(&mut self, e: Id, goal: Id) -> Answer {
        let first = self.denote(e);
        let mut cur = e;
        let mut proof = None;
        loop {
            if cur == goal {
                return Ok(proof.unwrap_or_else(|| self.refl(first)));
            }
            let atoms = self.plan.terms.atoms(&[cur]);
            let alias = atoms
                .into_iter()
                .find_map(|a| Some((a, self.plan.same_as(a)?)));
            let Some((a, b)) = alias else {
                return Err(self.differ(Differ::TooLarge));
            };
            let equal = self.alias(a, b)?;
            let st = self.el.st;
            let nat = st.const0("Nat");
            let (from, to) = (self.atom(a), self.denote(b));
            let z = self
                .el
                .new_local(st.name("z"), nat, None, BinderInfo::Default);
            let z = st.fvar(z.0);
            let mut over = FxHashMap::default();
            let body = self.denote_with(cur, &mut over, Some((a, z)));
            let motive = self.el.mk_lambda(&[z], body);
            let one = st.level_nat(1);
            let congr = st.constant(st.name("congrArg"), &[one, one]);
            let step = st.apps(congr, &[nat, nat, from, to, motive, equal]);
            let before = self.denote(cur);
            cur = self.replace(cur, a, b);
            let after = self.denote(cur);
            proof = Some(match proof {
                None => step,
                Some(p) => self.trans(first, before, after, p, step),
            });
        }
    }

    /// A proof that an unknown stands for the same number as another, or a remainder of it.
    fn alias(&mut self, a: usize, b: Id) -> Answer {
        if let Some(p) = self.aliases.get(&(a, b)) {
            return Ok(*p);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.differ(Differ::TooLarge));
        }
        let proof = logic::subst::with_stack(|| self.prove_alias(a, b));
        self.depth -= 1;
        let proof = proof?;
        self.aliases.insert((a, b), proof);
        Ok(proof)
    }

    fn prove_alias(&mut self, a: usize, b: Id) -> Answer {
        let x = self.plan.generalised[&a];
        match x.why {
            Why::Read(proof) => Ok(proof),
            Why::Sums => {
                let raw = self.plan.raw(b);
                let q = self.plan.by_sums(x.raw, raw).map_err(|d| self.differ(d))?;
                self.answer(&q)
            }
            Why::Mask(k) => {
                let (p, q) = match self.plan.terms.node(x.raw) {
                    Node::And(p, q) => (*p, *q),
                    _ => return Err(self.differ(Differ::TooLarge)),
                };
                let front = matches!(self.plan.terms.node(p), Node::Lit(_));
                let (sum, mask, lemma) = match front {
                    true => (q, p, "Bits.mod_land"),
                    false => (p, q, "Bits.land_mod"),
                };
                let args = [
                    self.denote(sum),
                    self.small(u64::from(k)),
                    self.denote(mask),
                    self.refl_true(),
                ];
                Ok(self.call(lemma, &args))
            }
            Why::Parts => {
                let raw = self.plan.raw(b);
                self.same_operation(x.raw, raw)
            }
        }
    }

    /// A proof that the same operation of equal arguments is the same.
    fn same_operation(&mut self, e: Id, f: Id) -> Answer {
        let (m, n) = (
            self.plan.terms.node(e).clone(),
            self.plan.terms.node(f).clone(),
        );
        match (&m, &n) {
            (Node::Mul(x, y), Node::Mul(u, v)) => {
                let (x, y, u, v) = (*x, *y, *u, *v);
                let all = [x, y, u, v].map(|t| self.denote(t));
                let straight = self
                    .equation(x, u)
                    .and_then(|h| Ok((h, self.equation(y, v)?)));
                let (lemma, (h, k)) = match straight {
                    Ok(p) => ("Bits.mul_congr", p),
                    Err(_) => (
                        "Bits.mul_congr_comm",
                        (self.equation(x, v)?, self.equation(y, u)?),
                    ),
                };
                Ok(self.call(lemma, &[&all[..], &[h, k]].concat()))
            }
            (Node::Minus(x, y), Node::Minus(u, v)) => {
                let (x, y, u, v) = (*x, *y, *u, *v);
                let all = [x, y, u, v].map(|t| self.denote(t));
                let (h, k) = (self.equation(x, u)?, self.equation(y, v)?);
                Ok(self.call("Bits.sub_congr", &[&all[..], &[h, k]].concat()))
            }
            (Node::Sub(d, x), Node::Sub(_, u)) => {
                let (x, u) = (*x, *u);
                let d = self.nat(d);
                let (from, to) = (self.denote(x), self.denote(u));
                let (h, k) = (self.refl(d), self.equation(x, u)?);
                Ok(self.call("Bits.sub_congr", &[d, from, d, to, h, k]))
            }
            (Node::Div(x, d), Node::Div(u, _)) => self.by_constant("Bits.div_congr", d, *x, *u),
            (Node::Mod(x, d), Node::Mod(u, _)) => self.by_constant("Bits.mod_congr", d, *x, *u),
            _ => Err(self.differ(Differ::TooLarge)),
        }
    }

    fn by_constant(&mut self, lemma: &str, d: &BigUint, x: Id, u: Id) -> Answer {
        let args = [
            self.nat(d),
            self.denote(x),
            self.denote(u),
            self.equation(x, u)?,
        ];
        Ok(self.call(lemma, &args))
    }

    fn replace(&mut self, e: Id, a: usize, by: Id) -> Id {
        let order = self.plan.terms.below(&[e]);
        let mut new: FxHashMap<Id, Id> = FxHashMap::default();
        for i in order {
            let id = match self.plan.terms.node(i) {
                Node::Atom(x) if *x == a => by,
                n => {
                    let n = n.map(|c| new[&c]);
                    self.plan.terms.add(n)
                }
            };
            new.insert(i, id);
        }
        new[&e]
    }

    /// What an unknown stands for.
    fn atom(&mut self, a: usize) -> Expr {
        match self.atoms.get(a) {
            Some(read) => read.value,
            None => {
                let raw = self.plan.generalised[&a].raw;
                self.denote(raw)
            }
        }
    }

    /// The number that a term stands for.
    fn denote(&mut self, e: Id) -> Expr {
        let mut denoted = std::mem::take(&mut self.denoted);
        let r = self.denote_with(e, &mut denoted, None);
        denoted.extend(std::mem::take(&mut self.denoted));
        self.denoted = denoted;
        r
    }

    fn denote_with(
        &mut self,
        e: Id,
        done: &mut FxHashMap<Id, Expr>,
        over: Option<(usize, Expr)>,
    ) -> Expr {
        for i in self.plan.terms.below(&[e]) {
            if done.contains_key(&i) {
                continue;
            }
            let node = self.plan.terms.node(i).clone();
            let mut c = node.children().map(|c| done[&c]);
            let (a, b) = (c.next(), c.next());
            let arg = |x: Option<Expr>| x.unwrap_or_else(|| self.el.mk_nat(0));
            let (a, b) = (arg(a), arg(b));
            let value = match &node {
                Node::Atom(x) => match over {
                    Some((y, z)) if y == *x => z,
                    _ => logic::subst::with_stack(|| self.atom(*x)),
                },
                Node::Lit(n) => self.nat(n),
                Node::Add(..) => self.call("Nat.add", &[a, b]),
                Node::Scale(k, _) => self.call("Nat.mul", &[self.nat(k), a]),
                Node::Scaled(_, k) => self.call("Nat.mul", &[a, self.nat(k)]),
                Node::Sub(d, _) => self.call("Nat.sub", &[self.nat(d), a]),
                Node::Xor(..) => self.call("Nat.xor", &[a, b]),
                Node::And(..) => self.call("Nat.land", &[a, b]),
                Node::Or(..) => self.call("Nat.lor", &[a, b]),
                Node::Shl(_, k) => self.call("Nat.shiftLeft", &[a, self.small(u64::from(*k))]),
                Node::Shr(_, k) => self.call("Nat.shiftRight", &[a, self.small(u64::from(*k))]),
                Node::Div(_, d) => self.call("Nat.div", &[a, self.nat(d)]),
                Node::Mod(_, d) => self.call("Nat.mod", &[a, self.nat(d)]),
                Node::Mul(..) => self.call("Nat.mul", &[a, b]),
                Node::Minus(..) => self.call("Nat.sub", &[a, b]),
            };
            done.insert(i, value);
        }
        done[&e]
    }

    /// A term as `Bits.Exp`, with the unknowns at these places.
    fn encode(&mut self, e: Id, columns: &[usize]) -> Expr {
        let key = |i: Id| (i, columns.to_vec());
        for i in self.plan.terms.below(&[e]) {
            if self.encoded.contains_key(&key(i)) {
                continue;
            }
            let node = self.plan.terms.node(i).clone();
            let mut c = node.children().map(|c| self.encoded[&key(c)]);
            let (a, b) = (c.next(), c.next());
            let arg = |x: Option<Expr>| x.unwrap_or_else(|| self.el.mk_nat(0));
            let (a, b) = (arg(a), arg(b));
            let place = |x: usize| columns.iter().position(|y| *y == x).unwrap_or(0);
            let (name, args) = match &node {
                Node::Atom(x) => ("atom", vec![self.small(place(*x) as u64)]),
                Node::Lit(n) => ("lit", vec![self.nat(n)]),
                Node::Add(..) => ("add", vec![a, b]),
                Node::Scale(k, _) => ("scale", vec![self.nat(k), a]),
                Node::Scaled(_, k) => ("scaled", vec![a, self.nat(k)]),
                Node::Sub(d, _) => ("sub", vec![self.nat(d), a]),
                Node::Xor(..) => ("xor", vec![a, b]),
                Node::And(..) => ("and", vec![a, b]),
                Node::Or(..) => ("or", vec![a, b]),
                Node::Shl(_, k) => ("shl", vec![a, self.small(u64::from(*k))]),
                Node::Shr(_, k) => ("shr", vec![a, self.small(u64::from(*k))]),
                Node::Div(_, d) => ("div", vec![a, self.nat(d)]),
                Node::Mod(_, d) => ("mod", vec![a, self.nat(d)]),
                Node::Mul(..) => ("mul", vec![a, b]),
                Node::Minus(..) => ("minus", vec![a, b]),
            };
            let value = self.call(&format!("Bits.Exp.{name}"), &args);
            self.encoded.insert(key(i), value);
        }
        self.encoded[&key(e)]
    }

    fn env(&mut self, columns: &[usize]) -> Expr {
        let values: Vec<Expr> = columns.iter().map(|a| self.atom(*a)).collect();
        list(self.el, &values)
    }

    fn bounds(&mut self, columns: &[usize]) -> Expr {
        let bounds: Vec<Expr> = columns
            .iter()
            .map(|a| self.nat(&self.plan.terms.bounds[*a]))
            .collect();
        list(self.el, &bounds)
    }

    /// Proofs that the unknowns are below their bounds.
    fn bound_proofs(&mut self, columns: &[usize]) -> Result<Vec<Expr>, Failure> {
        let mut proofs = Vec::new();
        for a in columns {
            proofs.push(match self.plan.generalised.get(a) {
                None => self.atoms[*a].bound.ok_or(Failure::Unbounded(*a))?,
                Some(g) => {
                    let raw = g.raw;
                    let inner = self.plan.terms.atoms(&[raw]);
                    let k = self.nat(&self.plan.terms.bounds[*a]);
                    let (env, bounds) = (self.env(&inner), self.bounds(&inner));
                    let e = self.encode(raw, &inner);
                    let proof = self.call("Bits.below", &[env, k, bounds, e, self.refl_true()]);
                    let premises = self.bound_proofs(&inner)?;
                    self.el.st.apps(proof, &premises)
                }
            });
        }
        Ok(proofs)
    }

    fn refl_true(&self) -> Expr {
        let st = self.el.st;
        let refl = st.constant(st.name("Eq.refl"), &[st.level_nat(1)]);
        st.apps(refl, &[st.const0("Bool"), st.const0("Bool.true")])
    }

    fn equality(&self, lemma: &str, args: &[Expr]) -> Expr {
        let st = self.el.st;
        let lemma = st.constant(st.name(lemma), &[st.level_nat(1)]);
        st.apps(st.app(lemma, st.const0("Nat")), args)
    }

    fn refl(&self, a: Expr) -> Expr {
        self.equality("Eq.refl", &[a])
    }

    fn symm(&self, a: Expr, b: Expr, h: Expr) -> Expr {
        self.equality("Eq.symm", &[a, b, h])
    }

    fn trans(&self, a: Expr, b: Expr, c: Expr, h: Expr, k: Expr) -> Expr {
        self.equality("Eq.trans", &[a, b, c, h, k])
    }

    /// The failure of the oracle.
    fn differ(&self, why: Differ) -> Failure {
        let generalised = self
            .plan
            .generalised
            .iter()
            .map(|(a, g)| (*a, g.raw))
            .collect();
        let why = Box::new(why);
        Failure::Differ { why, generalised }
    }
}
