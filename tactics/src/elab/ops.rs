//! Operators without type classes: the head of the operands' type names the function.
//!
//! A tree of arithmetic operators is elaborated as a whole: its leaves first, without an expected type; numerals take the
//! type that the other leaves (or the expected type) agree on; `Nat` leaves are coerced where that is `Int`.

use std::rc::Rc;

use logic::{BinderInfo, Expr, Name, Node};
use num_bigint::BigUint;

use crate::elab::app::{ArgVal, Args};
use crate::meta::{Elab, ElabError, PendingKind, Result};
use crate::syntax::ast::{Arg, BinOp, Ident, Span, Term, TermKind, UnOp};

pub(super) enum Tree {
    Leaf(Expr, Span),
    Num(BigUint, Span),
    /// The second operand of `^`, `<<<`, `>>>` has a type of its own.
    Mixed(BinOp, Box<Tree>, Term, Span),
    Op(BinOp, Box<Tree>, Box<Tree>, Span),
    Neg(Box<Tree>, Span),
}

/// The last component of the function that an operator stands for, and its spelling.
pub(crate) fn op_function(op: BinOp) -> Option<(&'static str, &'static str)> {
    Some(match op {
        BinOp::Add => ("add", "+"),
        BinOp::Sub => ("sub", "-"),
        BinOp::Mul => ("mul", "*"),
        BinOp::Div => ("div", "/"),
        BinOp::Mod => ("mod", "%"),
        BinOp::Pow => ("pow", "^"),
        BinOp::BitAnd => ("land", "&&&"),
        BinOp::BitOr => ("lor", "|||"),
        BinOp::BitXor => ("xor", "^^^"),
        BinOp::Shl => ("shiftLeft", "<<<"),
        BinOp::Shr => ("shiftRight", ">>>"),
        BinOp::Append => ("append", "++"),
        BinOp::SMul => ("smul", "•"),
        BinOp::Lt => ("lt", "<"),
        BinOp::Le => ("le", "≤"),
        BinOp::Gt => ("lt", ">"),
        BinOp::Ge => ("le", "≥"),
        BinOp::Dvd => ("dvd", "∣"),
        _ => return None,
    })
}

impl<'b> Elab<'b> {
    pub(crate) fn elab_operator(&mut self, t: &Term, expected: Option<Expr>) -> Result<Expr> {
        let st = self.st;
        match &t.kind {
            TermKind::Unop { op, e, op_span } => match op {
                UnOp::Not => {
                    // The word `not` may be a function of the current namespace.
                    if op_span.len() == 3 {
                        let id = Ident {
                            name: "not".into(),
                            span: *op_span,
                        };
                        if self.resolve(&id).is_some() {
                            let call = not_call(id, e, t.span);
                            return self.elab_app(&call, expected);
                        }
                    }
                    let p = st.prop();
                    let e = self.elab_term_ensuring(e, Some(p))?;
                    Ok(self.mk_not(e))
                }
                UnOp::BoolNot => {
                    let b = st.const0("Bool");
                    let e = self.elab_term_ensuring(e, Some(b))?;
                    self.mk_app("Bool.not", &[e])
                }
                UnOp::Neg => self.elab_arith(t, expected),
                UnOp::Coe => self.elab_coe(e, expected, t.span),
            },
            TermKind::Binop {
                op,
                lhs,
                rhs,
                op_span,
            } => match op {
                BinOp::And | BinOp::Or | BinOp::Iff => {
                    let p = st.prop();
                    let a = self.elab_term_ensuring(lhs, Some(p))?;
                    let b = self.elab_term_ensuring(rhs, Some(p))?;
                    Ok(match op {
                        BinOp::And => self.mk_and(a, b),
                        BinOp::Or => self.mk_or(a, b),
                        _ => self.mk_iff(a, b),
                    })
                }
                BinOp::BoolAnd | BinOp::BoolOr | BinOp::BoolXor => {
                    let ty = st.const0("Bool");
                    let a = self.elab_term_ensuring(lhs, Some(ty))?;
                    let b = self.elab_term_ensuring(rhs, Some(ty))?;
                    let f = match op {
                        BinOp::BoolAnd => "Bool.and",
                        BinOp::BoolOr => "Bool.or",
                        _ => "Bool.xor",
                    };
                    self.mk_app(f, &[a, b])
                }
                BinOp::Eq | BinOp::Ne | BinOp::BEq | BinOp::BNe => {
                    self.elab_equality(*op, lhs, rhs, expected, *op_span)
                }
                BinOp::HEq => {
                    let a = self.elab_term(lhs, None)?;
                    let b = self.elab_term(rhs, None)?;
                    self.mk_app("HEq", &[a, b])
                }
                BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Dvd => {
                    self.elab_relation(*op, lhs, rhs, *op_span)
                }
                BinOp::Mem | BinOp::NotMem => {
                    let r = self.elab_mem(lhs, rhs, *op_span)?;
                    Ok(if *op == BinOp::NotMem {
                        self.mk_not(r)
                    } else {
                        r
                    })
                }
                BinOp::Cons => {
                    let f = self.mk_const(st.name("List.cons"))?;
                    self.op_args(f, &[lhs, rhs], expected, t.span)
                }
                BinOp::Comp => {
                    let f = self.mk_const(st.name("Function.comp"))?;
                    self.op_args(f, &[lhs, rhs], expected, t.span)
                }
                BinOp::Prod => {
                    let f = self.mk_const(st.name("Prod"))?;
                    self.op_args(f, &[lhs, rhs], expected, t.span)
                }
                BinOp::PProd => {
                    let f = self.mk_const(st.name("PProd"))?;
                    self.op_args(f, &[lhs, rhs], expected, t.span)
                }
                _ => self.elab_arith(t, expected),
            },
            _ => Err(ElabError::new(t.span, "an operator was expected")),
        }
    }

    /// `↑e`: the coercion of `e` to the expected type; of a `Nat` that stands alone, to `Int`.
    fn elab_coe(&mut self, e: &Term, expected: Option<Expr>, span: Span) -> Result<Expr> {
        let x = self.elab_term(e, None)?;
        let from = self.infer_type(x)?;
        let int = self.st.const0("Int");
        let to = match expected {
            Some(t) if !self.is_mvar_headed(t) => t,
            _ => int,
        };
        if self.env.get(self.name("Int")).is_none() && to == int {
            return Err(ElabError::new(span, "`↑` of what, to which type?")
                .code("elab.operator")
                .help("give the type: `(↑x : T)`"));
        }
        match self.coerce(x, from, to)? {
            Some(r) => Ok(r),
            None => self.ensure_type(x, to, span),
        }
    }

    fn op_args(
        &mut self,
        f: Expr,
        args: &[&Term],
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let args = Args {
            positional: args.iter().map(|t| ArgVal::Ast((*t).clone())).collect(),
            ..Args::default()
        };
        self.elab_fn_args(f, args, expected, span)
    }

    pub(super) fn tree(&mut self, t: &Term) -> Result<Tree> {
        match &t.kind {
            TermKind::Num(n) => Ok(Tree::Num(n.clone(), t.span)),
            TermKind::Binop {
                op,
                lhs,
                rhs,
                op_span,
            } => match op {
                BinOp::Add
                | BinOp::Sub
                | BinOp::Mul
                | BinOp::Div
                | BinOp::Mod
                | BinOp::BitAnd
                | BinOp::BitOr
                | BinOp::BitXor
                | BinOp::Append => {
                    let a = logic::subst::with_stack(|| self.tree(lhs))?;
                    let b = logic::subst::with_stack(|| self.tree(rhs))?;
                    Ok(Tree::Op(*op, Box::new(a), Box::new(b), *op_span))
                }
                BinOp::Pow | BinOp::Shl | BinOp::Shr => {
                    let a = self.tree(lhs)?;
                    Ok(Tree::Mixed(*op, Box::new(a), (**rhs).clone(), *op_span))
                }
                _ => self.leaf(t),
            },
            TermKind::Unop {
                op: UnOp::Neg,
                e,
                op_span,
            } => {
                let a = self.tree(e)?;
                Ok(Tree::Neg(Box::new(a), *op_span))
            }
            TermKind::UserOp {
                notation,
                expansion,
            } if matches!(expansion.kind, TermKind::Binop { .. } | TermKind::Num(_)) => {
                self.check_notation(notation, t.span)?;
                self.tree(expansion)
            }
            _ => self.leaf(t),
        }
    }

    fn leaf(&mut self, t: &Term) -> Result<Tree> {
        let e = self.elab_term(t, None)?;
        Ok(Tree::Leaf(e, t.span))
    }

    /// The types of the leaves that are known, in order; whether one is unknown; whether a minus sign occurs.
    pub(super) fn survey(
        &mut self,
        t: &Tree,
        types: &mut Vec<Expr>,
        unknown: &mut bool,
        neg: &mut bool,
    ) -> Result<()> {
        match t {
            Tree::Leaf(e, s) => {
                let ty = self.infer_type(*e).map_err(|x| x.at(*s))?;
                let ty = self.instantiate_mvars(ty);
                if self.is_mvar_headed(ty) {
                    *unknown = true;
                } else {
                    types.push(ty);
                }
            }
            Tree::Num(..) => {}
            Tree::Mixed(_, a, _, _) => self.survey(a, types, unknown, neg)?,
            Tree::Neg(a, _) => {
                *neg = true;
                self.survey(a, types, unknown, neg)?;
            }
            Tree::Op(_, a, b, _) => {
                self.survey(a, types, unknown, neg)?;
                self.survey(b, types, unknown, neg)?;
            }
        }
        Ok(())
    }

    pub(super) fn join_types(&mut self, types: &[Expr]) -> Option<Expr> {
        let int = self.name("Int");
        let mut best: Option<Expr> = None;
        for t in types {
            let w = self.whnf_reducible(*t);
            match best {
                None => best = Some(*t),
                Some(b) => {
                    let bw = self.whnf_reducible(b);
                    if self.head_const(bw) == Some(self.known.nat)
                        && self.head_const(w) == Some(int)
                    {
                        best = Some(*t);
                    }
                }
            }
        }
        best
    }

    fn elab_arith(&mut self, t: &Term, expected: Option<Expr>) -> Result<Expr> {
        let tree = self.tree(t)?;
        let mut types = Vec::new();
        let (mut unknown, mut neg) = (false, false);
        self.survey(&tree, &mut types, &mut unknown, &mut neg)?;
        let mut exp_known = false;
        if let Some(x) = expected {
            let x = self.instantiate_mvars(x);
            if !self.is_mvar_headed(x) && !matches!(self.st.node(x), Node::Sort(_)) {
                exp_known = true;
                types.insert(0, x);
            }
        }
        let ty = match self.join_types(&types) {
            Some(t) => t,
            None => {
                if self.may_postpone
                    && !self.force_ops
                    && (unknown || (expected.is_some() && !exp_known))
                {
                    return Err(ElabError::Postpone);
                }
                self.default_num_type(neg)
            }
        };
        // Leaves of another type than the expected one decide, if the expected type has no such operators.
        match self.build(&tree, ty) {
            Ok(e) => Ok(e),
            Err(err) => {
                if exp_known && types.len() > 1 {
                    let rest = types[1..].to_vec();
                    if let Some(t2) = self.join_types(&rest)
                        && let Ok(e) = self.build(&tree, t2)
                    {
                        return Ok(e);
                    }
                }
                Err(err)
            }
        }
    }

    pub(super) fn default_num_type(&self, neg: bool) -> Expr {
        if neg && self.env.get(self.st.name("Int.neg")).is_some() {
            self.st.const0("Int")
        } else {
            self.st.constant(self.known.nat, &[])
        }
    }

    pub(super) fn build(&mut self, t: &Tree, ty: Expr) -> Result<Expr> {
        match t {
            Tree::Leaf(e, s) => self.ensure_type(*e, ty, *s),
            Tree::Num(n, s) => {
                let w = self.whnf_reducible(ty);
                if matches!(self.st.node(self.st.app_fn(w)), Node::MVar(_)) {
                    if self.may_postpone && !self.force_ops {
                        let t = Term {
                            kind: TermKind::Num(n.clone()),
                            span: *s,
                        };
                        return Ok(self.postpone(ty, PendingKind::Term(Rc::new(t)), *s));
                    }
                    let nat = self.st.constant(self.known.nat, &[]);
                    self.is_defeq(ty, nat);
                }
                self.mk_numeral(n, ty, *s)
            }
            Tree::Neg(a, s) => {
                let a = self.build(a, ty)?;
                self.apply_op("neg", "-", ty, &[ArgVal::Expr(a, *s)], *s)
            }
            Tree::Op(op, a, b, s) => {
                let (f, sign) = op_function(*op).unwrap_or(("add", "+"));
                let a = logic::subst::with_stack(|| self.build(a, ty))?;
                let b = logic::subst::with_stack(|| self.build(b, ty))?;
                self.apply_op(f, sign, ty, &[ArgVal::Expr(a, *s), ArgVal::Expr(b, *s)], *s)
            }
            Tree::Mixed(op, a, b, s) => {
                let (f, sign) = op_function(*op).unwrap_or(("pow", "^"));
                let a = self.build(a, ty)?;
                self.apply_op(
                    f,
                    sign,
                    ty,
                    &[ArgVal::Expr(a, *s), ArgVal::Ast(b.clone())],
                    *s,
                )
            }
        }
    }

    /// The function `H.f` for the head `H` of a type, which is unfolded until there is one. For the carrier of a structure
    /// (`F.carrier`) it is the structure's own field, applied to the structure.
    pub(crate) fn find_op(&mut self, f: &str, ty: Expr) -> Option<(Name, Vec<Expr>)> {
        let st = self.st;
        let mut cur = self.whnf_reducible(ty);
        for _ in 0..16 {
            if let Some(h) = self.head_const(cur) {
                let n = st.name_str(h, f);
                if self.env.get(n).is_some() {
                    return Some((n, Vec::new()));
                }
                if let Some((s, np, _)) = self.ext.projections.get(&h).copied() {
                    let n = st.name_str(s, f);
                    let (_, args) = st.unfold_app(cur);
                    if self.env.get(n).is_some()
                        && let Some(x) = args.get(np)
                    {
                        return Some((n, vec![*x]));
                    }
                    // The field of a parent.
                    if let Some(x) = args.get(np)
                        && let Some(r) = self.find_parent_op(f, *x)
                    {
                        return Some(r);
                    }
                }
            }
            if let Node::Proj(s, _, x) = st.node(cur) {
                let n = st.name_str(s, f);
                if self.env.get(n).is_some() {
                    return Some((n, vec![x]));
                }
            }
            cur = match self.unfold_definition(cur) {
                Some(n) => self.whnf_core(n),
                None => return None,
            };
        }
        None
    }

    /// `F.toP.carrier` is the carrier of a parent: the operator may be a field of the structure that contains it.
    fn find_parent_op(&mut self, f: &str, x: Expr) -> Option<(Name, Vec<Expr>)> {
        let st = self.st;
        let h = self.head_const(x)?;
        let (s, np, _) = self.ext.projections.get(&h).copied()?;
        let n = st.name_str(s, f);
        let (_, args) = st.unfold_app(x);
        let y = *args.get(np)?;
        if self.env.get(n).is_some() {
            return Some((n, vec![y]));
        }
        self.find_parent_op(f, y)
    }

    pub(super) fn apply_op(
        &mut self,
        f: &str,
        sign: &str,
        ty: Expr,
        args: &[ArgVal],
        span: Span,
    ) -> Result<Expr> {
        let Some((n, pre)) = self.find_op(f, ty) else {
            let w = self.instantiate_mvars(ty);
            if self.may_postpone && !self.force_ops && self.is_mvar_headed(w) {
                return Err(ElabError::Postpone);
            }
            let t = self.pp(w);
            let head = {
                let r = self.whnf_reducible(w);
                self.head_const(r).map(|h| self.st.name_to_string(h))
            };
            let mut e = ElabError::new(span, format!("`{sign}` has no meaning on type `{t}`"))
                .code("elab.operator");
            if let Some(h) = head {
                e = e.help(format!(
                    "`{sign}` stands for `{h}.{f}`, which is not defined"
                ));
            }
            return Err(e);
        };
        let c = self.mk_const(n)?;
        let cty = self.infer_type(c)?;
        let mut positional: Vec<ArgVal> = Vec::new();
        if !pre.is_empty() && self.explicit_count(cty) > args.len() {
            positional.extend(pre.iter().map(|e| ArgVal::Expr(*e, span)));
        }
        positional.extend(args.iter().cloned());
        let a = Args {
            positional,
            ..Args::default()
        };
        self.elab_fn_args(c, a, None, span)
    }

    fn explicit_count(&mut self, ty: Expr) -> usize {
        let st = self.st;
        let mut n = 0;
        let mut cur = ty;
        loop {
            match st.node(cur) {
                Node::Pi(_, _, b, bi) => {
                    if bi == BinderInfo::Default {
                        n += 1;
                    }
                    cur = b;
                }
                _ => {
                    if st.has_loose_bvars(cur) {
                        return n;
                    }
                    let w = self.whnf(cur);
                    if w == cur {
                        return n;
                    }
                    cur = w;
                }
            }
        }
    }
}

/// `not e` as a call of a function.
fn not_call(id: Ident, e: &Term, span: Span) -> Term {
    let fun = Term {
        span: id.span,
        kind: TermKind::Ident {
            id,
            levels: None,
            explicit: false,
        },
    };
    Term {
        kind: TermKind::App {
            fun: Box::new(fun),
            args: vec![Arg {
                name: None,
                value: e.clone(),
                span: e.span,
            }],
        },
        span,
    }
}

pub(super) fn has_ops(t: &Tree) -> bool {
    !matches!(t, Tree::Leaf(..) | Tree::Num(..))
}
