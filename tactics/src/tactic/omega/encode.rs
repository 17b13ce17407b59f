//! Certificates, forms and linear terms as terms of the logic (the data types of `proofs/lib/omega.ptxp`).

use std::collections::BTreeMap;

use logic::{Expr, Level};
use num_bigint::BigUint;

use super::cert::{Cert, Combo};
use super::form::{Form, Var};
use super::reify::{Linear, Reader};

/// Which place in the list of atoms each variable has.
pub(super) type Columns = BTreeMap<Var, usize>;

impl Reader<'_, '_> {
    fn number(&self, n: &BigUint) -> Expr {
        self.el.st.nat(n)
    }

    fn small(&self, n: usize) -> Expr {
        self.el.st.nat_u64(n as u64)
    }

    /// `[xs] : List Nat`.
    pub fn list(&self, xs: &[Expr]) -> Expr {
        let st = self.el.st;
        let nat = st.const0("Nat");
        let nil = st.app(st.constant(st.name("List.nil"), &[Level::ZERO]), nat);
        let cons = st.app(st.constant(st.name("List.cons"), &[Level::ZERO]), nat);
        xs.iter().rev().fold(nil, |l, x| st.apps(cons, &[*x, l]))
    }

    /// A linear term as `Omega.Term`.
    pub fn encode_linear(&self, t: &Linear, columns: &Columns) -> Expr {
        match t {
            Linear::Atom(x) => {
                let i = columns.get(x).copied().unwrap_or(0);
                self.call("Omega.Term.atom", &[self.small(i)])
            }
            Linear::Lit(n) => self.call("Omega.Term.lit", &[self.number(n)]),
            Linear::Add(a, b) => {
                let (a, b) = (
                    self.encode_linear(a, columns),
                    self.encode_linear(b, columns),
                );
                self.call("Omega.Term.add", &[a, b])
            }
            Linear::Scale(k, a) => {
                let a = self.encode_linear(a, columns);
                self.call("Omega.Term.scale", &[self.number(k), a])
            }
            Linear::Scaled(a, k) => {
                let a = self.encode_linear(a, columns);
                self.call("Omega.Term.scaled", &[a, self.number(k)])
            }
        }
    }

    /// A linear term as the `Nat` that it stands for.
    pub fn denote(&self, t: &Linear) -> Expr {
        match t {
            Linear::Atom(x) => self.atoms[*x as usize],
            Linear::Lit(n) => self.number(n),
            Linear::Add(a, b) => self.call("Nat.add", &[self.denote(a), self.denote(b)]),
            Linear::Scale(k, a) => self.call("Nat.mul", &[self.number(k), self.denote(a)]),
            Linear::Scaled(a, k) => self.call("Nat.mul", &[self.denote(a), self.number(k)]),
        }
    }

    /// A form with natural coefficients as a vector, the constant first, without zeros at the end.
    fn vector(&self, f: &Form, columns: &Columns) -> Expr {
        let mut v = vec![f.constant.magnitude().clone()];
        for (x, a) in &f.terms {
            let i = columns.get(x).copied().unwrap_or(0) + 1;
            if v.len() <= i {
                v.resize(i + 1, BigUint::default());
            }
            v[i] = a.magnitude().clone();
        }
        let v: Vec<Expr> = v.iter().map(|n| self.number(n)).collect();
        self.list(&v)
    }

    fn encode_combo(&self, c: &Combo) -> Expr {
        let nil = self.call("Omega.Combo.nil", &[]);
        c.iter().rev().fold(nil, |r, (m, i)| {
            self.call("Omega.Combo.cons", &[self.number(m), self.small(*i), r])
        })
    }

    /// A certificate as `Omega.Cert`.
    pub fn encode_cert(&self, c: &Cert, columns: &Columns) -> Expr {
        logic::subst::with_stack(|| match c {
            Cert::Done(sum) => self.call("Omega.Cert.done", &[self.encode_combo(sum)]),
            Cert::Cut {
                sum,
                extra,
                by,
                rest,
            } => {
                let (sum, extra) = (self.encode_combo(sum), self.vector(extra, columns));
                let rest = self.encode_cert(rest, columns);
                self.call("Omega.Cert.cut", &[sum, extra, self.number(by), rest])
            }
            Cert::Split {
                low,
                high,
                when,
                otherwise,
            } => {
                let (low, high) = (self.vector(low, columns), self.vector(high, columns));
                let (a, b) = (
                    self.encode_cert(when, columns),
                    self.encode_cert(otherwise, columns),
                );
                self.call("Omega.Cert.split", &[low, high, a, b])
            }
        })
    }
}

/// The variables of a form.
pub(super) fn vars_of_form(f: &Form, out: &mut Columns) {
    for (x, _) in &f.terms {
        out.insert(*x, 0);
    }
}

/// The variables of a linear term.
pub(super) fn vars_of_linear(t: &Linear, out: &mut Columns) {
    match t {
        Linear::Atom(x) => {
            out.insert(*x, 0);
        }
        Linear::Lit(_) => {}
        Linear::Add(a, b) => {
            vars_of_linear(a, out);
            vars_of_linear(b, out);
        }
        Linear::Scale(_, a) | Linear::Scaled(a, _) => vars_of_linear(a, out),
    }
}

/// The variables of a certificate.
pub(super) fn vars_of_cert(c: &Cert, out: &mut Columns) {
    match c {
        Cert::Done(_) => {}
        Cert::Cut { extra, rest, .. } => {
            vars_of_form(extra, out);
            vars_of_cert(rest, out);
        }
        Cert::Split {
            low,
            high,
            when,
            otherwise,
        } => {
            vars_of_form(low, out);
            vars_of_form(high, out);
            vars_of_cert(when, out);
            vars_of_cert(otherwise, out);
        }
    }
}
