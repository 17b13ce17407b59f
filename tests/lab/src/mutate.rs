//! Declarations that are almost right: copies of given ones under new names, with one or two things changed.

use std::collections::HashMap;

use logic::{BinderInfo, Declaration, Expr, InductiveDecl, Level, LevelNode, Name, Node, Store};

/// Makes mutants. Equal seeds make equal mutants.
pub struct Mutator<'b> {
    st: &'b Store<'b>,
    originals: Vec<Declaration>,
    /// Terms to put in the place of others.
    pool: Vec<Expr>,
    levels: Vec<Level>,
    state: u64,
    made: usize,
}

impl<'b> Mutator<'b> {
    /// Mutants of these declarations.
    pub fn new(st: &'b Store<'b>, originals: Vec<Declaration>, seed: u64) -> Self {
        let (u, v) = (st.level_param(st.name("u")), st.level_param(st.name("v")));
        let numerals = [0, 1, 2].map(|n| st.level_nat(n));
        let mut pool = Vec::new();
        for e in originals.iter().flat_map(terms) {
            subterms(st, e, &mut pool);
        }
        Mutator {
            st,
            originals,
            pool,
            levels: [&numerals[..], &[u, v, st.level_succ(u)]].concat(),
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            made: 0,
        }
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % n.max(1)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// The next mutant. Its names begin with `M0`, `M1`, ….
    pub fn mutant(&mut self) -> Declaration {
        let at = self.below(self.originals.len());
        let mut d = self.originals[at].clone();
        let prefix = format!("M{}", self.made);
        self.made += 1;
        let st = self.st;
        let renamed = |n: Name| st.name_append(st.name(&prefix), n);
        match &mut d {
            Declaration::Inductive(d) => {
                let new: HashMap<Name, Name> =
                    d.types.iter().map(|t| (t.name, renamed(t.name))).collect();
                for t in &mut d.types {
                    t.name = renamed(t.name);
                    t.ty = self.rename(t.ty, &new);
                    for c in &mut t.ctors {
                        *c = (renamed(c.0), self.rename(c.1, &new));
                    }
                }
                let pool = self.pool.len();
                for (_, ty) in d.types.iter().flat_map(|t| &t.ctors) {
                    for _ in 0..8 {
                        subterms(st, *ty, &mut self.pool);
                    }
                }
                for _ in 0..=self.below(2) {
                    self.change_inductive(d);
                }
                self.pool.truncate(pool);
            }
            Declaration::Axiom(sig) => {
                sig.name = renamed(sig.name);
                sig.ty = self.change_somewhere(sig.ty);
            }
            Declaration::Definition { sig, value, .. }
            | Declaration::Theorem { sig, value }
            | Declaration::Opaque { sig, value } => {
                sig.name = renamed(sig.name);
                for _ in 0..=self.below(2) {
                    let part = if self.below(2) == 0 {
                        &mut sig.ty
                    } else {
                        &mut *value
                    };
                    *part = self.change_somewhere(*part);
                }
            }
            Declaration::Quot => return self.mutant(),
        }
        d
    }

    fn change_inductive(&mut self, d: &mut InductiveDecl) {
        let k = self.below(d.types.len());
        match self.below(12) {
            0 => d.num_params += 1,
            1 => d.num_params = d.num_params.saturating_sub(1),
            2 => d.types[k].ty = self.change_somewhere(d.types[k].ty),
            3 => {
                let to = self.below(d.types.len());
                let moved = d.types[k].ctors.pop();
                d.types[to].ctors.extend(moved);
            }
            4 => d.univ_params.push(self.st.name("w")),
            _ if d.types[k].ctors.is_empty() => {}
            _ => {
                let j = self.below(d.types[k].ctors.len());
                let ctor = &mut d.types[k].ctors[j];
                ctor.1 = self.change_somewhere(ctor.1);
            }
        }
    }

    fn rename(&self, e: Expr, new: &HashMap<Name, Name>) -> Expr {
        let st = self.st;
        st.replace(e, |x, _| match st.node(x) {
            Node::Const(n, ls) => new.get(&n).map(|m| st.constant(*m, ls)),
            Node::Proj(n, i, y) => new.get(&n).map(|m| st.proj(*m, i, self.rename(y, new))),
            _ => None,
        })
    }

    fn change_somewhere(&mut self, e: Expr) -> Expr {
        let mut all = Vec::new();
        subterms(self.st, e, &mut all);
        let mut at = Some(self.below(all.len()));
        self.change_at(e, &mut at, 0)
    }

    /// Changes the subterm number `at`, counted from the root.
    fn change_at(&mut self, e: Expr, at: &mut Option<usize>, depth: u32) -> Expr {
        match at {
            Some(0) => {
                *at = None;
                return self.change(e, depth);
            }
            Some(n) => *n -= 1,
            None => return e,
        }
        let st = self.st;
        match st.node(e) {
            Node::App(f, a) => {
                let f = self.change_at(f, at, depth);
                st.app(f, self.change_at(a, at, depth))
            }
            Node::Lam(n, t, b, i) => {
                let t = self.change_at(t, at, depth);
                st.lam(n, t, self.change_at(b, at, depth + 1), i)
            }
            Node::Pi(n, t, b, i) => {
                let t = self.change_at(t, at, depth);
                st.pi(n, t, self.change_at(b, at, depth + 1), i)
            }
            Node::Let(n, t, v, b) => {
                let t = self.change_at(t, at, depth);
                let v = self.change_at(v, at, depth);
                st.let_(n, t, v, self.change_at(b, at, depth + 1))
            }
            Node::Proj(n, i, x) => st.proj(n, i, self.change_at(x, at, depth)),
            _ => e,
        }
    }

    /// Something else than `e`, under `depth` binders.
    fn change(&mut self, e: Expr, depth: u32) -> Expr {
        let (st, d) = (self.st, BinderInfo::Default);
        let other = self.pick(&self.pool.clone());
        let variable = match depth {
            0 => other,
            _ => st.bvar(self.below(depth as usize) as u32),
        };
        match self.below(12) {
            0 | 1 => other,
            2 | 3 => variable,
            4 => st.pi(Name::ANON, other, st.lift(e, 0, 1), d),
            5 => st.app(e, other),
            6 => st.app(st.lam(Name::ANON, other, st.bvar(0), d), e),
            7 => st.app(st.lam(Name::ANON, other, st.lift(e, 0, 1), d), variable),
            8 => st.let_(Name::ANON, other, e, st.bvar(0)),
            k => self.change_node(e, other, k % 3),
        }
    }

    fn change_node(&mut self, e: Expr, other: Expr, how: usize) -> Expr {
        let st = self.st;
        match (st.node(e), how) {
            (Node::Sort(l), _) => {
                let l = self.change_level(l);
                st.sort(l)
            }
            (Node::Const(n, ls), _) if !ls.is_empty() => {
                let mut ls = ls.to_vec();
                match self.below(6) {
                    0 => drop(ls.pop()),
                    1 => ls.push(Level::ZERO),
                    _ => {
                        let i = self.below(ls.len());
                        ls[i] = self.change_level(ls[i]);
                    }
                }
                st.constant(n, &ls)
            }
            (Node::App(f, _), 0) => f,
            (Node::App(f, a), 1) => st.app(a, f),
            (Node::App(f, _), _) => st.app(f, other),
            (Node::Pi(_, t, _, _), 0) => t,
            (Node::Pi(n, t, b, i), 1) => st.lam(n, t, b, i),
            (Node::Pi(n, _, b, i), _) => st.pi(n, other, b, i),
            (Node::Lam(_, _, b, _), 0) => st.instantiate1(b, other),
            (Node::Lam(n, t, b, i), 1) => st.pi(n, t, b, i),
            (Node::Lam(n, _, b, i), _) => st.lam(n, other, b, i),
            (Node::Proj(n, i, x), 0) => st.proj(n, i + 1, x),
            (Node::Proj(n, i, x), 1) => st.proj(n, i.saturating_sub(1), x),
            (Node::Proj(_, _, x), _) => x,
            _ => other,
        }
    }

    fn change_level(&mut self, l: Level) -> Level {
        let other = self.pick(&self.levels.clone());
        match (self.below(3), self.st.level_node(l)) {
            (0, _) => self.st.level_succ(l),
            (1, LevelNode::Succ(below)) => below,
            _ => other,
        }
    }
}

/// The terms of a declaration.
pub fn terms(d: &Declaration) -> Vec<Expr> {
    match d {
        Declaration::Axiom(sig) => vec![sig.ty],
        Declaration::Definition { sig, value, .. }
        | Declaration::Theorem { sig, value }
        | Declaration::Opaque { sig, value } => vec![sig.ty, *value],
        Declaration::Inductive(d) => {
            let ctors = d.types.iter().flat_map(|t| &t.ctors);
            d.types
                .iter()
                .map(|t| t.ty)
                .chain(ctors.map(|c| c.1))
                .collect()
        }
        Declaration::Quot => vec![],
    }
}

/// All subterms, from the root, as often as they occur.
fn subterms(st: &Store<'_>, e: Expr, out: &mut Vec<Expr>) {
    out.push(e);
    match st.node(e) {
        Node::App(a, b) | Node::Lam(_, a, b, _) | Node::Pi(_, a, b, _) => {
            subterms(st, a, out);
            subterms(st, b, out);
        }
        Node::Let(_, a, b, c) => {
            for e in [a, b, c] {
                subterms(st, e, out);
            }
        }
        Node::Proj(_, _, x) => subterms(st, x, out),
        _ => {}
    }
}
