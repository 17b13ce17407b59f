//! Patterns as seen by the match compiler: what a pattern says about the outermost constructor.

use logic::{BinderInfo, ConstantInfo, Expr, Name, Node};
use num_bigint::BigUint;
use num_traits::Zero;

use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{BinOp, Ident, Pattern, PatternArg, PatternKind, Span};

/// A pattern: written, or what is left of one that was taken apart.
#[derive(Clone)]
pub(crate) enum Pat {
    Ast(Pattern),
    /// `_`
    Wild,
    /// The literal that remains of a larger one.
    Num(BigUint, Span),
    /// `p + k`
    Add(Box<Pat>, BigUint, Span),
    /// The rest of a list literal.
    List(Vec<Pattern>, Span),
    /// The rest of a tuple.
    Tuple(Vec<Pattern>, Span),
    /// The rest of `⟨…⟩`.
    Anon(Vec<Pattern>, Span),
}

impl Pat {
    pub(crate) fn span(&self) -> Option<Span> {
        match self {
            Pat::Ast(p) => Some(p.span),
            Pat::Wild => None,
            Pat::Num(_, s)
            | Pat::Add(_, _, s)
            | Pat::List(_, s)
            | Pat::Tuple(_, s)
            | Pat::Anon(_, s) => Some(*s),
        }
    }
}

/// What a pattern demands.
pub(crate) enum PatView {
    /// Nothing.
    Any,
    /// A constructor, with patterns for all its fields.
    Ctor { ctor: Name, args: Vec<Pat> },
    /// A literal that is compared by decidable equality.
    Big(Expr, Span),
}

impl<'b> Elab<'b> {
    /// The outermost demand of a pattern on a scrutinee; names it binds are added to `binds`.
    pub(crate) fn view_pattern(
        &mut self,
        p: &Pat,
        x: Expr,
        binds: &mut Vec<(Name, Expr)>,
    ) -> Result<PatView> {
        let st = self.st;
        let nat = |k: &str| st.name(&format!("Nat.{k}"));
        match p {
            Pat::Wild => Ok(PatView::Any),
            Pat::Num(n, s) => self.view_num(n, x, *s),
            Pat::Add(q, k, s) => {
                if k.is_zero() {
                    return self.view_pattern(q, x, binds);
                }
                Ok(PatView::Ctor {
                    ctor: nat("succ"),
                    args: vec![Pat::Add(q.clone(), k - 1u32, *s)],
                })
            }
            Pat::List(ps, s) => Ok(match ps.split_first() {
                None => PatView::Ctor {
                    ctor: st.name("List.nil"),
                    args: vec![],
                },
                Some((a, rest)) => PatView::Ctor {
                    ctor: st.name("List.cons"),
                    args: vec![Pat::Ast(a.clone()), Pat::List(rest.to_vec(), *s)],
                },
            }),
            Pat::Tuple(ps, s) => match ps.as_slice() {
                [] => Ok(PatView::Any),
                [a] => self.view_pattern(&Pat::Ast(a.clone()), x, binds),
                [a, rest @ ..] => Ok(PatView::Ctor {
                    ctor: st.name("Prod.mk"),
                    args: vec![Pat::Ast(a.clone()), Pat::Tuple(rest.to_vec(), *s)],
                }),
            },
            Pat::Anon(ps, s) => match ps.as_slice() {
                [a] => self.view_pattern(&Pat::Ast(a.clone()), x, binds),
                _ => self.view_anon(ps, x, *s),
            },
            Pat::Ast(p) => self.view_ast(p, x, binds),
        }
    }

    fn view_num(&mut self, n: &BigUint, x: Expr, span: Span) -> Result<PatView> {
        let st = self.st;
        let ty = self.infer_type(x)?;
        let w = self.whnf(ty);
        if self.head_const(w) != Some(self.known.nat) {
            let ty = self.instantiate_mvars(ty);
            let lit = self.mk_numeral(n, ty, span)?;
            return Ok(PatView::Big(lit, span));
        }
        match Self::small_literal(n) {
            Some(0) => Ok(PatView::Ctor {
                ctor: self.known.nat_zero,
                args: vec![],
            }),
            Some(_) => Ok(PatView::Ctor {
                ctor: self.known.nat_succ,
                args: vec![Pat::Num(n - 1u32, span)],
            }),
            None => Ok(PatView::Big(st.nat(n), span)),
        }
    }

    fn view_ast(&mut self, p: &Pattern, x: Expr, binds: &mut Vec<(Name, Expr)>) -> Result<PatView> {
        let st = self.st;
        match &p.kind {
            PatternKind::Wild | PatternKind::Inaccessible(_) => Ok(PatView::Any),
            PatternKind::Name(id) if &*id.name == "rfl" => {
                let ty = self.infer_type(x)?;
                match self.get_inductive_app(ty) {
                    Some((info, _, _, _))
                        if info.sig.name == self.known.eq || info.sig.name == st.name("HEq") =>
                    {
                        let ctor = info.ctors[0];
                        let args = vec![Pat::Wild; self.field_infos(ctor).len()];
                        Ok(PatView::Ctor { ctor, args })
                    }
                    _ => {
                        let t = self.pp(ty);
                        Err(ElabError::new(
                            p.span,
                            format!("`rfl` matches equations, but this has type `{t}`"),
                        )
                        .code("elab.pattern"))
                    }
                }
            }
            PatternKind::Name(id) => match self.pattern_ctor(id, false, x)? {
                Some(c) => self.view_ctor(c, false, &[], p.span),
                None => {
                    if !id.is_atomic() {
                        return Err(self.unknown_name(id));
                    }
                    binds.push((self.ident_name(id), x));
                    Ok(PatView::Any)
                }
            },
            PatternKind::Ctor {
                name,
                explicit,
                dotted,
                args,
            } => match self.pattern_ctor(name, *dotted, x)? {
                Some(c) => self.view_ctor(c, *explicit, args, p.span),
                None => Err(match self.unknown_name(name) {
                    ElabError::Fail(mut d) => {
                        d.message = format!("`{}` is not a constructor", name.name);
                        ElabError::Fail(d)
                    }
                    e => e,
                }),
            },
            PatternKind::Num(n) => self.view_num(n, x, p.span),
            PatternKind::Str(s) => Ok(PatView::Big(st.string(s), p.span)),
            PatternKind::Char(c) => {
                let n = st.nat_u64(u64::from(u32::from(*c)));
                let e = self.mk_app("Char.ofNat", &[n])?;
                Ok(PatView::Big(e, p.span))
            }
            PatternKind::Add(q, k) => {
                let q = Pat::Ast((**q).clone());
                self.view_pattern(&Pat::Add(Box::new(q), k.clone(), p.span), x, binds)
            }
            PatternKind::Binop { op, lhs, rhs } => {
                let ctor = match op {
                    BinOp::Cons => "List.cons",
                    BinOp::And => "And.intro",
                    _ => {
                        return Err(ElabError::new(
                            p.span,
                            "this operator is not a constructor, so it cannot stand in a pattern",
                        ));
                    }
                };
                Ok(PatView::Ctor {
                    ctor: st.name(ctor),
                    args: vec![Pat::Ast((**lhs).clone()), Pat::Ast((**rhs).clone())],
                })
            }
            PatternKind::AnonCtor(ps) => self.view_anon(ps, x, p.span),
            PatternKind::Tuple(ps) => {
                if ps.is_empty() {
                    return Ok(PatView::Any);
                }
                self.view_pattern(&Pat::Tuple(ps.clone(), p.span), x, binds)
            }
            PatternKind::List(ps) => self.view_pattern(&Pat::List(ps.clone(), p.span), x, binds),
            PatternKind::As(id, q) => {
                binds.push((self.ident_name(id), x));
                self.view_ast(q, x, binds)
            }
            PatternKind::Ascribe(q, t) => {
                let ty = self.elab_type(t)?;
                let xt = self.infer_type(x)?;
                if !self.is_defeq(xt, ty) {
                    let (a, b) = (self.pp(xt), self.pp(ty));
                    return Err(ElabError::new(
                        t.span,
                        format!("this pattern has type `{b}`, but the scrutinee has type `{a}`"),
                    )
                    .code("elab.type_mismatch"));
                }
                self.view_ast(q, x, binds)
            }
        }
    }

    fn view_anon(&mut self, ps: &[Pattern], x: Expr, span: Span) -> Result<PatView> {
        let ty = self.infer_type(x)?;
        let Some((info, _, _, _)) = self.get_inductive_app(ty) else {
            let t = self.pp(ty);
            return Err(ElabError::new(
                span,
                format!("`⟨…⟩` cannot match a value of type `{t}`"),
            ));
        };
        let [ctor] = info.ctors.as_slice() else {
            let t = self.pp(ty);
            return Err(ElabError::new(
                span,
                format!("`⟨…⟩` matches types with one constructor, `{t}` is none"),
            ));
        };
        let ctor = *ctor;
        let infos = self.field_infos(ctor);
        let explicit = infos.iter().filter(|b| **b == BinderInfo::Default).count();
        if ps.len() < explicit || (explicit == 0 && !ps.is_empty()) {
            return Err(ElabError::new(
                span,
                format!(
                    "{explicit} patterns are needed here, {} are given",
                    ps.len()
                ),
            ));
        }
        let mut args = Vec::new();
        let mut next = 0;
        for b in &infos {
            if *b != BinderInfo::Default {
                args.push(Pat::Wild);
                continue;
            }
            next += 1;
            if next == explicit && ps.len() > explicit {
                args.push(Pat::Anon(ps[next - 1..].to_vec(), span));
            } else {
                args.push(Pat::Ast(ps[next - 1].clone()));
            }
        }
        Ok(PatView::Ctor { ctor, args })
    }

    fn view_ctor(
        &mut self,
        ctor: Name,
        explicit: bool,
        given: &[PatternArg],
        span: Span,
    ) -> Result<PatView> {
        let names = self.field_names(ctor);
        let infos = self.field_infos(ctor);
        let mut pos: Vec<&PatternArg> = given.iter().filter(|a| a.name.is_none()).collect();
        if explicit {
            // `@c` also lists the parameters.
            let np = match self.env.get(ctor) {
                Some(ConstantInfo::Constructor(c)) => c.num_params as usize,
                _ => 0,
            };
            pos.drain(..np.min(pos.len()));
        }
        let mut it = pos.into_iter();
        let mut args = Vec::new();
        let mut missing = 0;
        for (n, b) in names.iter().zip(&infos) {
            let named = given
                .iter()
                .find(|a| a.name.as_ref().is_some_and(|id| self.ident_name(id) == *n));
            if let Some(a) = named {
                args.push(Pat::Ast(a.pat.clone()));
            } else if *b == BinderInfo::Default || explicit {
                match it.next() {
                    Some(a) => args.push(Pat::Ast(a.pat.clone())),
                    None => {
                        missing += 1;
                        args.push(Pat::Wild);
                    }
                }
            } else {
                args.push(Pat::Wild);
            }
        }
        let extra = it.count();
        let any_named = given.iter().any(|a| a.name.is_some());
        if extra > 0 || (missing > 0 && !any_named) {
            let c = self.st.name_to_string(ctor);
            let want = infos
                .iter()
                .filter(|b| explicit || **b == BinderInfo::Default)
                .count();
            return Err(ElabError::new(
                span,
                format!(
                    "`{c}` has {want} fields, {} patterns are given",
                    want + extra - missing
                ),
            )
            .code("elab.pattern"));
        }
        Ok(PatView::Ctor { ctor, args })
    }

    /// The constructor that a name in a pattern means, if it means one.
    fn pattern_ctor(&mut self, id: &Ident, dotted: bool, x: Expr) -> Result<Option<Name>> {
        let st = self.st;
        let is_ctor =
            |el: &Self, n: Name| matches!(el.env.get(n), Some(ConstantInfo::Constructor(_)));
        let n = self.ident_name(id);
        if !dotted {
            let cands = self.global_candidates(n);
            if let Some(c) = cands.into_iter().find(|c| is_ctor(self, *c)) {
                return Ok(Some(c));
            }
            return Ok(None);
        }
        let ty = self.infer_type(x)?;
        let ind = match self.get_inductive_app(ty) {
            Some((info, _, _, _)) => info.sig.name,
            None => {
                let t = self.pp(ty);
                return Err(ElabError::new(
                    id.span,
                    format!("`.{}` cannot match a value of type `{t}`", id.name),
                ));
            }
        };
        let c = st.name_append(ind, n);
        if is_ctor(self, c) {
            return Ok(Some(c));
        }
        let s = st.name_to_string(ind);
        let all: Vec<&str> = match self.env.get(ind) {
            Some(ConstantInfo::Inductive(i)) => {
                i.ctors.iter().filter_map(|c| st.name_last(*c)).collect()
            }
            _ => Vec::new(),
        };
        let mut e = ElabError::new(id.span, format!("`{s}` has no constructor `{}`", id.name))
            .code("elab.unknown_name");
        if let Some(h) = crate::syntax::near::near(&id.name, all).first() {
            e = e.help(format!("did you mean `.{h}`?"));
        }
        Err(e)
    }

    fn ctor_binders(&self, ctor: Name) -> Vec<(Name, BinderInfo)> {
        let (ty, np) = match self.env.get(ctor) {
            Some(ConstantInfo::Constructor(c)) => (c.sig.ty, c.num_params as usize),
            _ => return Vec::new(),
        };
        let mut out = Vec::new();
        let mut cur = ty;
        while let Node::Pi(n, _, b, bi) = self.st.node(cur) {
            out.push((n, bi));
            cur = b;
        }
        out.drain(..np.min(out.len()));
        out
    }

    /// The names of a constructor's fields.
    pub fn field_names(&self, ctor: Name) -> Vec<Name> {
        self.ctor_binders(ctor)
            .into_iter()
            .map(|(n, _)| n)
            .collect()
    }

    /// How a constructor's fields are supplied.
    pub fn field_infos(&self, ctor: Name) -> Vec<BinderInfo> {
        self.ctor_binders(ctor)
            .into_iter()
            .map(|(_, b)| b)
            .collect()
    }

    /// The variable that a pattern is, for naming a field.
    pub(crate) fn pattern_var(&self, p: &Pat) -> Option<Name> {
        match p {
            Pat::Ast(p) => match &p.kind {
                PatternKind::Name(id) if id.is_atomic() => {
                    let n = self.ident_name(id);
                    let ctor = self
                        .global_candidates(n)
                        .into_iter()
                        .any(|c| matches!(self.env.get(c), Some(ConstantInfo::Constructor(_))));
                    (!ctor).then_some(n)
                }
                PatternKind::Ascribe(q, _) => self.pattern_var(&Pat::Ast((**q).clone())),
                PatternKind::As(id, _) => Some(self.ident_name(id)),
                _ => None,
            },
            Pat::Add(q, k, _) if k.is_zero() => self.pattern_var(q),
            _ => None,
        }
    }

    /// The patterns for the fields, if the pattern agrees with constructor `ctor`.
    pub(crate) fn pattern_against_ctor(
        &mut self,
        view: &PatView,
        ctor: Name,
        fields: &[Expr],
    ) -> Result<Option<Vec<(Expr, Pat)>>> {
        match view {
            PatView::Any => Ok(Some(Vec::new())),
            PatView::Ctor { ctor: c, args } => {
                if *c != ctor {
                    let (ind, wrong) = match (self.env.get(*c), self.env.get(ctor)) {
                        (
                            Some(ConstantInfo::Constructor(a)),
                            Some(ConstantInfo::Constructor(b)),
                        ) => (b.inductive, a.inductive != b.inductive),
                        _ => (ctor, false),
                    };
                    if wrong {
                        let (a, b) = (self.st.name_to_string(*c), self.st.name_to_string(ind));
                        return Err(
                            ElabError::msg(format!("`{a}` is not a constructor of `{b}`"))
                                .code("elab.pattern"),
                        );
                    }
                    return Ok(None);
                }
                Ok(Some(
                    fields.iter().copied().zip(args.iter().cloned()).collect(),
                ))
            }
            PatView::Big(lit, span) => {
                // A literal next to constructor patterns of the same column.
                let Some(n) = self.nat_lit(*lit) else {
                    return Ok(None);
                };
                if ctor == self.known.nat_succ && !n.is_zero() {
                    let Some(f) = fields.first() else {
                        return Ok(None);
                    };
                    return Ok(Some(vec![(*f, Pat::Num(n - 1u32, *span))]));
                }
                Ok(None)
            }
        }
    }

    /// As [`Elab::pattern_against_ctor`], for a scrutinee that is a constructor application or literal.
    pub(crate) fn pattern_against_value(
        &mut self,
        view: &PatView,
        w: Expr,
    ) -> Result<Option<Vec<(Expr, Pat)>>> {
        let st = self.st;
        if let PatView::Any = view {
            return Ok(Some(Vec::new()));
        }
        if let PatView::Big(l, _) = view {
            let l = *l;
            return Ok(self.is_defeq(l, w).then(Vec::new));
        }
        let v = self.literal_to_ctor(w);
        let (f, args) = st.unfold_app(v);
        let Node::Const(c, _) = st.node(f) else {
            let s = self.pp(w);
            return Err(ElabError::msg(format!(
                "`{s}` was expected to be a constructor application"
            )));
        };
        let np = match self.env.get(c) {
            Some(ConstantInfo::Constructor(k)) => k.num_params as usize,
            _ => {
                let s = self.pp(w);
                return Err(ElabError::msg(format!(
                    "`{s}` was expected to be a constructor application"
                )));
            }
        };
        self.pattern_against_ctor(view, c, &args[np.min(args.len())..])
    }
}
