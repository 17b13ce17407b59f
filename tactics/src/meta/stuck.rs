//! Definitions whose body is a match on a term: they unfold to that match where it does not compute.

use logic::{Expr, Level, Name, Node};

use super::Elab;
use super::whnf::CasesOnInfo;

/// A body on the way down its matches. What a match on an argument binds is a variable here, so that a match on such
/// a variable and one on a term can be told apart.
struct Descent {
    /// The variables.
    vars: Vec<Expr>,
    /// What they are.
    values: Vec<Expr>,
    /// The argument that must show a constructor before a recursive function unfolds.
    needed: Option<Expr>,
}

impl<'b> Elab<'b> {
    /// Unfolds `n args` to a match in its body that does not compute because it is on a term like `p x`, not on an
    /// argument or a variable of a pattern. A recursive function must have got to it by a constructor of the argument
    /// that it recurses on.
    pub(crate) fn unfold_to_match(&mut self, n: Name, ls: &[Level], args: &[Expr]) -> Option<Expr> {
        if self.cases_on_info(n).is_some() || self.ext.projections.contains_key(&n) {
            return None;
        }
        let body = match self.ext.smart.get(&n) {
            Some(b) => {
                let params = self.env.get(n)?.univ_params();
                if params.len() != ls.len() {
                    return None;
                }
                self.st.instantiate_level_params(*b, params, ls)
            }
            None => self.const_value(n, ls)?,
        };
        let rec_arg = self.ext.rec_arg.get(&n).copied();
        self.with_lctx_saved(|el| {
            let mut d = Descent {
                vars: Vec::new(),
                values: Vec::new(),
                needed: None,
            };
            let cur = el.open_with(&mut d, body, args)?;
            if let Some(k) = rec_arg {
                d.needed = Some(*d.vars.get(k)?);
            }
            el.descend(d, cur)
        })
    }

    /// The body of a function of some arguments, with variables for them. `None` if it has fewer binders.
    fn open_with(&mut self, d: &mut Descent, f: Expr, args: &[Expr]) -> Option<Expr> {
        let mut cur = f;
        for (k, a) in args.iter().enumerate() {
            let Node::Lam(n, t, b, bi) = self.st.node(cur) else {
                return Some(self.beta(cur, &args[k..]));
            };
            let x = self.push_local(n, t, bi);
            d.vars.push(x);
            d.values.push(*a);
            cur = self.st.instantiate1(b, x);
        }
        (!matches!(self.st.node(cur), Node::Lam(..))).then_some(cur)
    }

    fn descend(&mut self, mut d: Descent, body: Expr) -> Option<Expr> {
        let st = self.st;
        let mut cur = body;
        loop {
            if !self.tick() {
                return None;
            }
            cur = self.head_beta(cur);
            if let Node::Let(_, _, v, b) = st.node(cur) {
                cur = st.instantiate1(b, v);
                continue;
            }
            let (h, hargs) = st.unfold_app(cur);
            let Node::Const(c, _) = st.node(h) else {
                return None;
            };
            let info = self.cases_on_info(c)?;
            if hargs.len() < info.arity() {
                return None;
            }
            let major = hargs[info.major()];
            if let Some(i) = d.vars.iter().position(|x| *x == major) {
                cur = self.enter_case(&mut d, info, &hargs, i)?;
                continue;
            }
            let value = self.subst_all(cur, &d.vars, &d.values);
            let (_, vargs) = st.unfold_app(value);
            match self.reduce_cases_on(info, &vargs) {
                Some(r) => cur = r,
                None if d.needed.is_some() => return None,
                None => return Some(value),
            }
        }
    }

    /// The branch that the variable number `i` chooses by its value.
    fn enter_case(
        &mut self,
        d: &mut Descent,
        info: CasesOnInfo,
        hargs: &[Expr],
        i: usize,
    ) -> Option<Expr> {
        let st = self.st;
        let (ctor, fields) = self.constructor_of(info.ind, d.values[i])?;
        if d.needed == Some(d.vars[i]) {
            d.needed = None;
        }
        let branch = hargs[info.first_minor() + ctor];
        let mut cur = branch;
        for (k, f) in fields.iter().enumerate() {
            let Node::Lam(n, t, b, bi) = st.node(cur) else {
                cur = self.beta(cur, &fields[k..]);
                break;
            };
            let x = self.push_local(n, t, bi);
            d.vars.push(x);
            d.values.push(*f);
            cur = st.instantiate1(b, x);
        }
        Some(self.beta(cur, &hargs[info.arity()..]))
    }
}
