//! Projections `e.i` of structures: typing, with the restriction for propositions, and reduction.

use super::whnf::Mode;
use super::{Checker, Res, Telescope};
use crate::env::{ConstantInfo, ConstructorInfo, InductiveInfo, KernelError};
use crate::expr::{Expr, Node};
use crate::name::Name;

impl<'e, 'b> Checker<'e, 'b> {
    /// The constructor of an inductive type that has just one.
    pub(super) fn only_ctor(&self, ind: &InductiveInfo) -> Option<&'e ConstructorInfo> {
        match ind.ctors[..] {
            [c] => match self.env.get(c) {
                Some(ConstantInfo::Constructor(c)) => Some(c),
                _ => None,
            },
            _ => None,
        }
    }

    /// Typing of `e.i`: `e : S p`, `S` has one constructor, and the type is that of its field `i` with the earlier fields
    /// replaced by projections. If `S p` is a proposition, then the field and all earlier fields that its type may depend
    /// on must be proofs: a proof contains no data (Carneiro 2019, §2.6.3 on large elimination, which projections must
    /// not circumvent). Where `S p` is a proposition for some universes only, so are its fields for these: unless a type
    /// is always a proposition, the universes of its fields are at most its own.
    pub(super) fn infer_proj(&mut self, s: Name, i: u32, e: Expr, check: bool) -> Res<Expr> {
        let st = self.st;
        let ty = match check {
            true => self.check_type_of(e)?,
            false => self.type_of(e)?,
        };
        let ty_whnf = self.reduce_full(ty)?;
        let not_structure = || KernelError::ProjNotStructure { term: e, ty };
        let (head, args) = st.unfold_app(ty_whnf);
        let Node::Const(ind_name, levels) = st.node(head) else {
            return Err(not_structure());
        };
        let Some(ConstantInfo::Inductive(ind)) = self.env.get(ind_name) else {
            return Err(not_structure());
        };
        let ctor = self.only_ctor(ind).ok_or_else(not_structure)?;
        if ind_name != s {
            return Err(KernelError::ProjWrongStructure {
                named: s,
                found: ind_name,
            });
        }
        if args.len() != (ind.num_params + ind.num_indices) as usize {
            return Err(not_structure());
        }
        if i >= ctor.num_fields {
            return Err(KernelError::ProjIndex {
                structure: s,
                index: i,
            });
        }
        let from_prop = KernelError::ProjFromProp {
            structure: s,
            index: i,
        };
        let restricted = self.is_proposition(ty_whnf)?;
        let ctor_ty = self.import(ctor.sig.ty);
        let ctor_ty = st.instantiate_level_params(ctor_ty, &ctor.sig.univ_params, levels);
        let mut fields = Telescope::new(st, ctor_ty);
        for a in &args[..ind.num_params as usize] {
            fields.reduced_binder(self)?.ok_or_else(not_structure)?;
            fields.apply(*a);
        }
        for j in 0..i {
            let (_, dom, _) = fields.reduced_binder(self)?.ok_or_else(not_structure)?;
            if restricted && fields.is_dependent() && !self.is_proposition(dom)? {
                return Err(from_prop);
            }
            fields.apply(st.proj(s, j, e));
        }
        let (_, dom, _) = fields.reduced_binder(self)?.ok_or_else(not_structure)?;
        if restricted && !self.is_proposition(dom)? {
            return Err(from_prop);
        }
        Ok(dom)
    }

    /// `(c p f₀ … fₙ).i ⟶ fᵢ`. `None` if `e` does not reduce to a constructor.
    pub(super) fn reduce_proj(&mut self, i: u32, e: Expr, mode: Mode) -> Res<Option<Expr>> {
        let st = self.st;
        let mut c = match mode {
            Mode::Cheap => self.reduce(e, Mode::Cheap)?,
            _ => self.reduce_full(e)?,
        };
        if let Node::Str(s) = st.node(c) {
            let ctor = self.string_to_list(s);
            c = self.reduce_full(ctor)?;
        }
        Ok(self.ctor_field(i, c))
    }

    /// Field `i` of a constructor application.
    pub(super) fn ctor_field(&self, i: u32, e: Expr) -> Option<Expr> {
        let st = self.st;
        let Node::Const(n, _) = st.node(st.app_fn(e)) else {
            return None;
        };
        let Some(ConstantInfo::Constructor(info)) = self.env.get(n) else {
            return None;
        };
        let (_, args) = st.unfold_app(e);
        args.get(info.num_params as usize + i as usize).copied()
    }
}
