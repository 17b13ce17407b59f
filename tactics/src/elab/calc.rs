//! `calc`: chains of relations, joined by transitivity.

use logic::{Expr, Name, Node};

use crate::meta::{Elab, ElabError, FVarId, Result};
use crate::syntax::ast::{BinOp, CalcStep, Ident, Span, Term, TermKind};

/// A chain so far: a proof, what it states, and whether it is read from right to left (`a ≥ b` is `b ≤ a`).
#[derive(Clone, Copy)]
struct Chain {
    proof: Expr,
    rel: Expr,
    down: bool,
}

impl<'b> Elab<'b> {
    /// Elaborates `calc` steps; a `_` as left-hand side stands for the right-hand side before.
    pub(crate) fn elab_calc(
        &mut self,
        steps: &[CalcStep],
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let mut acc: Option<Chain> = None;
        for s in steps {
            let prev_end = acc.and_then(|c| self.ends(c.rel, c.down)).map(|(_, e)| e);
            let rel = self.calc_relation(&s.rel, prev_end)?;
            let down = matches!(
                s.rel.kind,
                TermKind::Binop {
                    op: BinOp::Ge | BinOp::Gt,
                    ..
                }
            );
            let Some((begin, _)) = self.ends(rel, down) else {
                let r = self.pp(rel);
                return Err(ElabError::new(
                    s.rel.span,
                    format!("a step of `calc` states a relation `a R b`, this is\n    {r}"),
                ));
            };
            if let Some(end) = prev_end
                && !self.is_defeq(begin, end)
            {
                let (a, b) = (self.pp(end), self.pp(begin));
                return Err(ElabError::new(
                    s.rel.span,
                    format!("this step begins with `{b}`, but the one before ends in `{a}`"),
                )
                .code("elab.calc"));
            }
            let rel = self.instantiate_mvars(rel);
            let proof = match &s.proof {
                // A first step `a` alone: `a = a`.
                None => self.mk_eq_refl(begin)?,
                Some(proof) => self.elab_term_ensuring(proof, Some(rel))?,
            };
            let step = Chain { proof, rel, down };
            acc = Some(match acc {
                None => step,
                Some(before) => self.calc_join(before, step, s.span)?,
            });
        }
        let acc = acc.map(|c| (c.proof, c.rel));
        let Some((p, rel)) = acc else {
            return Err(ElabError::new(span, "`calc` without steps"));
        };
        if let Some(x) = expected
            && !self.is_defeq(x, rel)
        {
            return Err(self.type_mismatch(p, rel, x).at(span));
        }
        Ok(p)
    }

    /// The relation of a step. A `_` on its left is the right-hand side before, by way of a local definition.
    fn calc_relation(&mut self, rel: &Term, prev: Option<Expr>) -> Result<Expr> {
        let (
            Some(prev),
            TermKind::Binop {
                op,
                op_span,
                lhs,
                rhs,
            },
        ) = (prev, &rel.kind)
        else {
            let e = self.elab_type(rel)?;
            self.synthesize_light()?;
            return Ok(self.instantiate_mvars(e));
        };
        if !matches!(lhs.kind, TermKind::Hole) {
            let e = self.elab_type(rel)?;
            self.synthesize_light()?;
            return Ok(self.instantiate_mvars(e));
        }
        self.with_lctx_saved(|el| {
            let ty = el.infer_type(prev)?;
            let x = el.push_let(el.name("_prev✝"), ty, prev);
            let id = Ident {
                name: "_prev✝".into(),
                span: lhs.span,
            };
            let left = Term {
                kind: TermKind::Ident {
                    id,
                    levels: None,
                    explicit: false,
                },
                span: lhs.span,
            };
            let t = Term {
                kind: TermKind::Binop {
                    op: *op,
                    op_span: *op_span,
                    lhs: Box::new(left),
                    rhs: rhs.clone(),
                },
                span: rel.span,
            };
            let e = el.elab_type(&t)?;
            el.synthesize_light()?;
            let Node::FVar(i) = el.st.node(x) else {
                return Ok(e);
            };
            Ok(el.zeta_locals(e, &[FVarId(i)]))
        })
    }

    /// `(R, a, b)` of a relation: the last two arguments of an application of a constant.
    pub fn relation_parts(&mut self, e: Expr) -> Option<(Name, Expr, Expr)> {
        let (_, args) = self.st.unfold_app(e);
        let n = self.head_const(e)?;
        let k = args.len();
        (k >= 2).then(|| (n, args[k - 2], args[k - 1]))
    }

    /// Where a relation begins and ends as it is read.
    fn ends(&mut self, rel: Expr, down: bool) -> Option<(Expr, Expr)> {
        let (_, a, b) = self.relation_parts(rel)?;
        Some(if down { (b, a) } else { (a, b) })
    }

    /// A chain and its next step. Of `a ≥ b` and `b ≥ c`, which are `b ≤ a` and `c ≤ b`, the second comes first.
    fn calc_join(&mut self, before: Chain, step: Chain, span: Span) -> Result<Chain> {
        let down = before.down || step.down;
        let mut parts = [before, step];
        for c in parts.iter_mut().filter(|c| c.down != down) {
            let Some((_, a, b)) = self.match_eq(c.rel) else {
                return Err(ElabError::new(
                    span,
                    "this step goes the other way than those before it",
                )
                .code("elab.calc")
                .help("write `b ≤ a` for `a ≥ b`, and the steps in the order of the chain"));
            };
            c.proof = self.mk_eq_symm(c.proof)?;
            c.rel = self.mk_eq(b, a)?;
        }
        if down {
            parts.reverse();
        }
        let [p, q] = parts;
        let (proof, rel) = self.calc_trans(p.proof, p.rel, q.proof, q.rel, span)?;
        Ok(Chain { proof, rel, down })
    }

    /// Joins `a R b` and `b S c`: equality rewrites, otherwise `R.trans`, `R_of_R_of_S` by the usual names.
    pub fn calc_trans(
        &mut self,
        q: Expr,
        qrel: Expr,
        p: Expr,
        prel: Expr,
        span: Span,
    ) -> Result<(Expr, Expr)> {
        let st = self.st;
        let (Some((r, a, _)), Some((s, b, c))) =
            (self.relation_parts(qrel), self.relation_parts(prel))
        else {
            return Err(ElabError::new(span, "a step of `calc` is no relation"));
        };
        if r == self.known.eq && s == self.known.eq {
            let e = self.mk_eq_trans(q, p)?;
            let t = self.infer_type(e)?;
            return Ok((e, t));
        }
        if s == self.known.eq {
            // a R b, b = c: rewrite the right side of the first.
            let (f, mut args) = st.unfold_app(qrel);
            args.pop();
            let motive_body = |x: Expr| {
                let mut v = args.clone();
                v.push(x);
                st.apps(f, &v)
            };
            let ty = self.infer_type(c)?;
            let n = self.name("x");
            let motive = st.lam(n, ty, motive_body(st.bvar(0)), logic::BinderInfo::Default);
            let e = self.mk_eq_subst(motive, b, c, p, q)?;
            return Ok((e, motive_body(c)));
        }
        if r == self.known.eq {
            let (f, args) = st.unfold_app(prel);
            let k = args.len();
            let motive_body = |x: Expr| {
                let mut v = args.clone();
                v[k - 2] = x;
                st.apps(f, &v)
            };
            let ty = self.infer_type(a)?;
            let n = self.name("x");
            let motive = st.lam(n, ty, motive_body(st.bvar(0)), logic::BinderInfo::Default);
            let h = self.mk_eq_symm(q)?;
            let e = self.mk_eq_subst(motive, b, a, h, p)?;
            return Ok((e, motive_body(a)));
        }
        let ns = st.name_prefix(r);
        let (rl, sl) = (
            st.name_last(r).unwrap_or_default(),
            st.name_last(s).unwrap_or_default(),
        );
        let mut names: Vec<String> = Vec::new();
        let n = st.name_to_string(ns);
        let pre = if ns.is_anon() {
            String::new()
        } else {
            format!("{n}.")
        };
        if r == s {
            names.push(format!("{pre}{rl}.trans"));
            names.push(format!("{pre}{rl}_trans"));
        }
        names.push(format!("{pre}{rl}_of_{rl}_of_{sl}"));
        names.push(format!("{pre}lt_of_{rl}_of_{sl}"));
        names.push(format!("{pre}trans_{rl}_{sl}"));
        for f in &names {
            if self.env.get(st.name(f)).is_some()
                && let Ok(e) = self.mk_app(f, &[q, p])
            {
                let t = self.infer_type(e)?;
                let t = self.instantiate_mvars(t);
                let t = self.head_beta(t);
                return Ok((e, t));
            }
        }
        for f in self.ext.other.get("trans").cloned().unwrap_or_default() {
            let sv = self.save();
            if let Ok(e) = self.mk_app_n(f, &[q, p]) {
                let t = self.infer_type(e)?;
                return Ok((e, t));
            }
            self.restore(&sv);
        }
        let (x, y) = (self.pp(qrel), self.pp(prel));
        Err(ElabError::new(
            span,
            format!("no transitivity is known for `{x}` and `{y}`"),
        )
        .code("elab.calc")
        .help(format!("looked for {}", names.join(", "))))
    }
}
