//! `T.c.inj`: equal values of a constructor have equal fields; `T.c.injEq`: that is all their equality says.

use logic::{BinderInfo, ConstructorInfo, Declaration, Environment, Expr, Level, Signature};

use super::Family;
use super::no_confusion::{FieldEq, Plan, equations, result_indices};
use super::scope::{Local, Scope, fvars, occurs};

/// Constructors with more fields than this have no injectivity theorems, whose terms grow with the cube of their number.
const MOST_FIELDS: u32 = 64;

/// The injectivity theorems of all constructors that have a field about which they can say something, and at most
/// [`MOST_FIELDS`] fields.
pub(super) fn theorems(env: &Environment<'_>, f: &Family<'_>, plan: &Plan) -> Vec<Declaration> {
    let mut out = Vec::new();
    let st = f.st;
    if env.get(st.name("And")).is_none() {
        return out;
    }
    let ctors = f.ctors.iter().zip(&plan.fields);
    for (c, kinds) in ctors.filter(|(c, _)| c.num_fields <= MOST_FIELDS) {
        let mut scope = Scope::new(env, &f.info.sig.univ_params);
        let Some(both) = Both::open(&mut scope, env, f, plan, c, kinds) else {
            continue;
        };
        out.push(both.inj(&mut scope, f, c));
        out.extend(both.inj_eq(&mut scope, env, f, c));
    }
    out
}

/// Two values of one constructor and the equations between their fields.
struct Both {
    params: Vec<Local>,
    left: Vec<Local>,
    /// Fields that occur in the result type are the same on both sides.
    shared: Vec<bool>,
    right: Vec<Local>,
    kinds: Vec<FieldEq>,
    /// The equations of fields that are not shared, between values of one type.
    eqs: Vec<Option<Local>>,
    /// `left = right` between the values.
    value_eq: Expr,
    conj: Expr,
    inj_value: Expr,
    hyp: Local,
}

/// `p₁ ∧ (p₂ ∧ …)` and its proof from proofs of the parts. There is at least one part.
fn conjunction(scope: &Scope<'_, '_>, parts: &[(Expr, Expr)]) -> (Expr, Expr) {
    let st = scope.st;
    let (and, intro) = (st.const0("And"), st.const0("And.intro"));
    let mut it = parts.iter().rev();
    let first = it.next().copied().unwrap_or((st.prop(), st.prop()));
    it.fold(first, |(p, h), (q, g)| {
        (st.apps(and, &[*q, p]), st.apps(intro, &[*q, p, *g, h]))
    })
}

impl Both {
    fn open(
        scope: &mut Scope<'_, '_>,
        env: &Environment<'_>,
        f: &Family<'_>,
        plan: &Plan,
        c: &ConstructorInfo,
        kinds: &[FieldEq],
    ) -> Option<Both> {
        let st = f.st;
        let (params, rest) = scope.open_pis(c.sig.ty, c.num_params as usize)?;
        let params: Vec<Local> = params.into_iter().map(Local::implicit).collect();
        let ps = fvars(&params);
        let (left, result) = scope.open_pis(rest, c.num_fields as usize)?;
        let indices = result_indices(scope, f, result);
        let left: Vec<Local> = left.into_iter().map(Local::implicit).collect();
        let mut right: Vec<Local> = Vec::with_capacity(left.len());
        let mut shared = Vec::with_capacity(left.len());
        for l in &left {
            let same = indices.iter().any(|i| occurs(st, l.fvar, *i));
            let ty = scope.instantiate_pis(rest, &fvars(&right))?;
            let (opened, _) = scope.open_pis(ty, 1)?;
            right.push(if same { *l } else { opened[0].implicit() });
            shared.push(same);
        }
        // The equations as `noConfusion` gives them; those between shared fields are not used.
        let given = equations(scope, kinds, &left, &right);
        let mut eqs = Vec::with_capacity(given.len());
        let mut parts = Vec::new();
        for (k, e) in given.iter().enumerate() {
            let Some(e) = e.filter(|_| !shared[k]) else {
                eqs.push(None);
                continue;
            };
            let (ty, proof) = match kinds[k] {
                FieldEq::HEq(l)
                    if scope
                        .checker
                        .is_defeq(left[k].ty, right[k].ty)
                        .unwrap_or(false) =>
                {
                    env.get(st.name("eq_of_heq"))?;
                    let (t, a, b) = (left[k].ty, left[k].fvar, right[k].fvar);
                    let eq = st.apps(st.constant(st.name("Eq"), &[l]), &[t, a, b]);
                    let conv = st.constant(st.name("eq_of_heq"), &[l]);
                    (eq, st.apps(conv, &[t, a, b, e.fvar]))
                }
                _ => (e.ty, e.fvar),
            };
            parts.push((ty, proof));
            eqs.push(Some(Local { ty, ..e }));
        }
        if parts.is_empty() {
            return None;
        }
        let (conj, conj_proof) = conjunction(scope, &parts);
        let self_ty = f.applied(&ps, &indices);
        let a = f.ctor_applied(c, &ps, &fvars(&left));
        let b = f.ctor_applied(c, &ps, &fvars(&right));
        let eq = st.constant(st.name("Eq"), &[plan.level]);
        let value_eq = st.apps(eq, &[self_ty, a, b]);
        let hyp = scope.local(st.name("a"), value_eq, BinderInfo::Default);
        let no_conf = st.constant(f.sub("noConfusion"), &f.rec_levels(Level::ZERO));
        let no_conf = st.apps(st.apps(no_conf, &ps), &indices);
        let given: Vec<Local> = given.into_iter().flatten().collect();
        let k = scope.lams(&given, conj_proof);
        let inj_value = st.apps(no_conf, &[conj, a, b, hyp.fvar, k]);
        Some(Both {
            params,
            left,
            shared,
            right,
            kinds: kinds.to_vec(),
            eqs,
            value_eq,
            conj,
            inj_value,
            hyp,
        })
    }

    /// Parameters, left fields, and the right fields that are not shared.
    fn binders(&self) -> Vec<Local> {
        let own = self.right.iter().zip(&self.shared);
        let own: Vec<Local> = own.filter(|(_, s)| !**s).map(|(l, _)| *l).collect();
        [self.params.clone(), self.left.clone(), own].concat()
    }

    fn inj(&self, scope: &mut Scope<'_, '_>, f: &Family<'_>, c: &ConstructorInfo) -> Declaration {
        let mut order = self.binders();
        order.push(self.hyp);
        Declaration::Theorem {
            sig: Signature {
                name: f.st.name_str(c.sig.name, "inj"),
                univ_params: f.info.sig.univ_params.clone(),
                ty: scope.pis(&order, self.conj),
            },
            value: scope.lams(&order, self.inj_value),
        }
    }

    /// `(c a₁ … = c b₁ …) = (a₁ = b₁ ∧ …)`, where `propext` exists and no field needs `HEq`.
    fn inj_eq(
        &self,
        scope: &mut Scope<'_, '_>,
        env: &Environment<'_>,
        f: &Family<'_>,
        c: &ConstructorInfo,
    ) -> Option<Declaration> {
        let st = f.st;
        env.get(st.name("propext"))?;
        let unshared_heq = self
            .kinds
            .iter()
            .zip(&self.shared)
            .any(|(k, s)| !s && matches!(k, FieldEq::HEq(_)));
        if unshared_heq {
            return None;
        }
        // fun (h : conj) => cong b₁ h.1 b₂ h.2.1 …
        let h = scope.local(st.name("h"), self.conj, BinderInfo::Default);
        let cong = self.cong(scope, f, c, &mut Vec::new())?;
        let count = self.eqs.iter().flatten().count();
        let (and, mut rest, mut seen) = (st.name("And"), h.fvar, 0);
        let mut args = Vec::new();
        for (k, e) in self.eqs.iter().enumerate() {
            if self.shared[k] {
                continue;
            }
            args.push(self.right[k].fvar);
            if e.is_some() {
                seen += 1;
                if seen == count {
                    args.push(rest);
                } else {
                    args.push(st.proj(and, 0, rest));
                    rest = st.proj(and, 1, rest);
                }
            }
        }
        let mpr = scope.lams(&[h], st.apps(cong, &args));
        let mp = scope.lams(&[self.hyp], self.inj_value);
        let iff = st.apps(st.const0("Iff.intro"), &[self.value_eq, self.conj, mp, mpr]);
        let value = st.apps(st.const0("propext"), &[self.value_eq, self.conj, iff]);
        let eq = st.constant(st.name("Eq"), &[st.level_nat(1)]);
        let ty = st.apps(eq, &[st.prop(), self.value_eq, self.conj]);
        let order = self.binders();
        Some(Declaration::Theorem {
            sig: Signature {
                name: st.name_str(c.sig.name, "injEq"),
                univ_params: f.info.sig.univ_params.clone(),
                ty: scope.pis(&order, ty),
            },
            value: scope.lams(&order, value),
        })
    }

    /// `fun y_k (e_k : a_k = y_k) y_{k+1} … => (_ : c a₁ … = c done… y_k …)`, where `done` holds the fields before `k`.
    /// Rewrites one field at a time, so that the types of later fields follow.
    fn cong(
        &self,
        scope: &mut Scope<'_, '_>,
        f: &Family<'_>,
        c: &ConstructorInfo,
        done: &mut Vec<Expr>,
    ) -> Option<Expr> {
        let st = f.st;
        let k = done.len();
        let ps = fvars(&self.params);
        let lhs = f.ctor_applied(c, &ps, &fvars(&self.left));
        let (_, eq_args) = st.unfold_app(self.value_eq);
        let eq_head = st.app_fn(self.value_eq);
        let self_ty = *eq_args.first()?;
        if k == self.left.len() {
            let logic::Node::Const(_, ls) = st.node(eq_head) else {
                return None;
            };
            let refl = st.constant(st.name("Eq.refl"), ls);
            return Some(st.apps(refl, &[self_ty, lhs]));
        }
        if self.shared[k] {
            done.push(self.left[k].fvar);
            let r = self.cong(scope, f, c, done);
            done.pop();
            return r;
        }
        let y = self.field(scope, c, done)?;
        let FieldEq::Eq(l) = self.kinds[k] else {
            done.push(y.fvar);
            let r = self.cong(scope, f, c, done);
            done.pop();
            return Some(scope.lams(&[y], r?));
        };
        let eq = st.constant(st.name("Eq"), &[l]);
        let a = self.left[k].fvar;
        let e = scope.local(
            st.name("e"),
            st.apps(eq, &[y.ty, a, y.fvar]),
            BinderInfo::Default,
        );
        // motive: fun x (_ : a_k = x) => the statement that remains once field `k` is `x`.
        let x = self.field(scope, c, done)?;
        let ex = scope.local(
            st.name("e"),
            st.apps(eq, &[x.ty, a, x.fvar]),
            BinderInfo::Default,
        );
        done.push(x.fvar);
        let goal = self.statement(scope, f, c, done, eq_head, self_ty, lhs);
        done.pop();
        let motive = scope.lams(&[x, ex], goal?);
        done.push(a);
        let base = self.cong(scope, f, c, done);
        done.pop();
        let rec = st.constant(st.name("Eq.rec"), &[Level::ZERO, l]);
        let body = st.apps(rec, &[y.ty, a, motive, base?, y.fvar, e.fvar]);
        Some(scope.lams(&[y, e], body))
    }

    /// The type of [`Both::cong`].
    #[allow(clippy::too_many_arguments)]
    fn statement(
        &self,
        scope: &mut Scope<'_, '_>,
        f: &Family<'_>,
        c: &ConstructorInfo,
        done: &mut Vec<Expr>,
        eq_head: Expr,
        self_ty: Expr,
        lhs: Expr,
    ) -> Option<Expr> {
        let st = f.st;
        let k = done.len();
        if k == self.left.len() {
            let rhs = f.ctor_applied(c, &fvars(&self.params), done);
            return Some(st.apps(eq_head, &[self_ty, lhs, rhs]));
        }
        let (binders, field) = if self.shared[k] {
            (Vec::new(), self.left[k].fvar)
        } else {
            let y = self.field(scope, c, done)?;
            let mut b = vec![y];
            if let FieldEq::Eq(l) = self.kinds[k] {
                let eq = st.constant(st.name("Eq"), &[l]);
                let ty = st.apps(eq, &[y.ty, self.left[k].fvar, y.fvar]);
                b.push(scope.local(st.name("e"), ty, BinderInfo::Default));
            }
            (b, y.fvar)
        };
        done.push(field);
        let r = self.statement(scope, f, c, done, eq_head, self_ty, lhs);
        done.pop();
        Some(scope.pis(&binders, r?))
    }

    /// A new variable for the field after those in `done`.
    fn field(
        &self,
        scope: &mut Scope<'_, '_>,
        c: &ConstructorInfo,
        done: &[Expr],
    ) -> Option<Local> {
        let args = [&fvars(&self.params), done].concat();
        let ty = scope.instantiate_pis(c.sig.ty, &args)?;
        let (opened, _) = scope.open_pis(ty, 1)?;
        Some(opened[0].explicit())
    }
}
