//! ι: the computation rules of recursors, with K and structure η for the major premise.

use super::{Checker, Res};
use crate::env::{ConstantInfo, InductiveInfo, RecursorInfo};
use crate::expr::{Expr, Node};

impl<'e, 'b> Checker<'e, 'b> {
    /// `C.rec p m h i (c p f) ⟶ h_c f v` where `v` are the recursive calls (Carneiro 2019, §2.6.4). `args` is the argument
    /// stack of `head` (first argument last); on success the consumed arguments are popped and those of the result
    /// pushed.
    pub(super) fn reduce_rec(
        &mut self,
        rec: &RecursorInfo,
        head: Expr,
        args: &mut Vec<Expr>,
    ) -> Res<Option<Expr>> {
        let st = self.st;
        let major_at = rec.major_index();
        if args.len() <= major_at {
            return Ok(None);
        }
        let mut major = args[args.len() - 1 - major_at];
        if rec.k
            && let Some(c) = self.k_constructor(rec, major)?
        {
            major = c;
        }
        major = self.reduce_full(major)?;
        major = match st.node(major) {
            Node::Nat(n) => self.nat_to_constructor(n),
            Node::Str(s) => {
                let list = self.string_to_list(s);
                self.reduce_full(list)?
            }
            _ => self.eta_major(rec, major)?,
        };
        let (ctor, ctor_args) = st.unfold_app(major);
        let Node::Const(ctor_name, _) = st.node(ctor) else {
            return Ok(None);
        };
        let Some((k, rule)) = rec
            .rules
            .iter()
            .enumerate()
            .find(|(_, r)| r.ctor == ctor_name)
        else {
            return Ok(None);
        };
        let fields = rule.num_fields as usize;
        if ctor_args.len() < fields {
            return Ok(None);
        }
        let Node::Const(_, levels) = st.node(head) else {
            return Ok(None);
        };
        if levels.len() != rec.sig.univ_params.len() {
            return Ok(None);
        }
        let key = (head, k as u32);
        let rhs = match self.rule_values.get(&key) {
            Some(r) => *r,
            None => {
                let rhs = self.import(rule.rhs);
                let r = st.instantiate_level_params(rhs, &rec.sig.univ_params, levels);
                self.rule_values.insert(key, r);
                r
            }
        };
        let kept = (rec.num_params + rec.num_motives + rec.num_minors) as usize;
        let first: Vec<Expr> = args[args.len() - kept..].to_vec();
        args.truncate(args.len() - 1 - major_at);
        args.extend(ctor_args[ctor_args.len() - fields..].iter().rev());
        args.extend(first);
        Ok(Some(rhs))
    }

    /// K: every proof of an inductive proposition with one constructor without fields is that constructor, if its type is
    /// the constructor's type (Carneiro 2019, §2.6.4, "K-like elimination").
    fn k_constructor(&mut self, rec: &RecursorInfo, major: Expr) -> Res<Option<Expr>> {
        let st = self.st;
        let ty = self.type_of(major)?;
        let ty = self.reduce_full(ty)?;
        let (head, args) = st.unfold_app(ty);
        let Node::Const(n, levels) = st.node(head) else {
            return Ok(None);
        };
        let (true, Some(rule)) = (n == rec.inductive, rec.rules.first()) else {
            return Ok(None);
        };
        let Some(params) = args.get(..rec.num_params as usize) else {
            return Ok(None);
        };
        let ctor = st.apps(st.constant(rule.ctor, levels), params);
        let ctor_ty = self.type_of(ctor)?;
        Ok(self.defeq(ty, ctor_ty)?.then_some(ctor))
    }

    /// Structure η for the major premise: `s` becomes `c p s.0 … s.n`, if it belongs to a structure that is no
    /// proposition and is no constructor application already.
    fn eta_major(&mut self, rec: &RecursorInfo, major: Expr) -> Res<Expr> {
        let st = self.st;
        let Some(ConstantInfo::Inductive(ind)) = self.env.get(rec.inductive) else {
            return Ok(major);
        };
        let Some(ctor) = self.structure_ctor(ind) else {
            return Ok(major);
        };
        if matches!(st.node(st.app_fn(major)), Node::Const(n, _) if n == ctor.sig.name) {
            return Ok(major);
        }
        let ty = self.type_of(major)?;
        let ty = self.reduce_full(ty)?;
        let (head, args) = st.unfold_app(ty);
        let Node::Const(n, levels) = st.node(head) else {
            return Ok(major);
        };
        let (true, Some(params)) = (n == rec.inductive, args.get(..ind.num_params as usize)) else {
            return Ok(major);
        };
        if self.is_proposition(ty)? {
            return Ok(major);
        }
        let c = st.apps(st.constant(ctor.sig.name, levels), params);
        Ok((0..ctor.num_fields).fold(c, |c, i| st.app(c, st.proj(n, i, major))))
    }

    /// The constructor of a structure: an inductive type with one constructor, no indices and no recursion.
    pub(super) fn structure_ctor(
        &self,
        ind: &InductiveInfo,
    ) -> Option<&'e crate::env::ConstructorInfo> {
        match ind.num_indices == 0 && !ind.is_recursive {
            true => self.only_ctor(ind),
            false => None,
        }
    }
}
