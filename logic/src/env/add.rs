//! The one door: every declaration is checked here before it becomes part of an environment.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::*;
use crate::check::Checker;
use crate::expr::Expr;
use crate::inductive;

/// How many nodes walks over terms may come to, for each term that a declaration may make.
const VISITS: u64 = 2;

impl<'b> Environment<'b> {
    /// Checks a declaration and adds it, with everything that it generates. On an error the environment is unchanged
    /// (but for the count of steps).
    pub fn add(&mut self, decl: Declaration) -> Result<(), KernelError> {
        let mark = self.mark();
        let primitives = self.primitives.clone();
        let before = self.steps;
        let max_terms = u64::from(self.limits.max_terms);
        self.st.limit_visits(max_terms.saturating_mul(VISITS));
        let mut r = self.add_checked(decl);
        if self.st.visited_too_many() {
            r = Err(KernelError::TooManyTerms);
        }
        self.st.limit_visits(u64::MAX);
        if r.is_err() {
            self.primitives = primitives;
            self.truncate(mark);
        } else if let Some(first) = self.order.get(mark)
            && let Some(entry) = Rc::make_mut(&mut self.by_name).get_mut(&first.name())
        {
            entry.steps = self.steps - before;
        }
        r
    }

    fn add_checked(&mut self, decl: Declaration) -> Result<(), KernelError> {
        match decl {
            Declaration::Axiom(sig) => {
                self.checked(&sig, None, false)?;
                self.insert(ConstantInfo::Axiom { sig })
            }
            Declaration::Definition { sig, value, hint } => {
                self.checked(&sig, Some(value), false)?;
                let name = sig.name;
                self.insert(ConstantInfo::Definition { sig, value, hint })?;
                self.accelerate_definition(name);
                Ok(())
            }
            Declaration::Theorem { sig, value } => {
                self.checked(&sig, Some(value), true)?;
                let name = sig.name;
                self.insert(ConstantInfo::Theorem { sig, value })?;
                self.accelerate_theorem(name);
                Ok(())
            }
            Declaration::Opaque { sig, value } => {
                self.checked(&sig, Some(value), false)?;
                self.insert(ConstantInfo::Opaque { sig, value })
            }
            Declaration::Inductive(d) => {
                inductive::add(self, &d)?;
                self.primitives.nat |= self.declares_nat(&d);
                self.primitives.bool_ |= self.declares_bool(&d);
                Ok(())
            }
            Declaration::Quot => {
                if !self.eq_is_leans() {
                    return Err(KernelError::QuotNeedsEq);
                }
                for c in quot::constants(self.st, &self.known) {
                    self.insert(c)?;
                }
                Ok(())
            }
        }
    }

    /// The rules for a single constant: a new name, distinct universe parameters, a type that is a type (a proposition
    /// for a theorem), a value of that type.
    fn checked(
        &mut self,
        sig: &Signature,
        value: Option<Expr>,
        theorem: bool,
    ) -> Result<(), KernelError> {
        self.check_new_name(sig.name)?;
        check_distinct(&sig.univ_params)?;
        let mut c = Checker::new_canonical(self, &sig.univ_params);
        let r = check_constant(&mut c, sig, value, theorem);
        let steps = c.steps();
        self.steps += steps;
        r
    }

    /// Refuses a name that is taken.
    pub(crate) fn check_new_name(&self, n: Name) -> Result<(), KernelError> {
        match self.by_name.contains_key(&n) {
            true => Err(KernelError::AlreadyDeclared(n)),
            false => Ok(()),
        }
    }

    /// Enters a constant that has been checked. For the modules of this crate that check constants.
    pub(crate) fn insert(&mut self, c: ConstantInfo) -> Result<(), KernelError> {
        self.check_new_name(c.name())?;
        let (n, k) = (c.name(), &self.known);
        if self.primitives.string_builder.is_none() && (n == k.string_of_list || n == k.string_mk) {
            self.primitives.string_builder = Some(n);
        }
        let info = Rc::new(c);
        let entry = Entry {
            info: info.clone(),
            steps: 0,
        };
        Rc::make_mut(&mut self.by_name).insert(n, entry);
        Rc::make_mut(&mut self.order).push(info);
        Ok(())
    }

    /// How many constants there are.
    pub(crate) fn mark(&self) -> usize {
        self.order.len()
    }

    /// Removes all constants but the first `mark`.
    pub(crate) fn truncate(&mut self, mark: usize) {
        let by_name = Rc::make_mut(&mut self.by_name);
        for c in Rc::make_mut(&mut self.order).drain(mark..) {
            by_name.remove(&c.name());
        }
    }

    /// Adds to the count of steps.
    pub(crate) fn count_steps(&mut self, n: u64) {
        self.steps += n;
    }
}

/// Refuses a universe parameter that is listed twice.
pub(crate) fn check_distinct(params: &[Name]) -> Result<(), KernelError> {
    let mut seen = FxHashSet::default();
    match params.iter().find(|p| !seen.insert(**p)) {
        Some(p) => Err(KernelError::DuplicateUnivParam(*p)),
        None => Ok(()),
    }
}

fn check_constant(
    c: &mut Checker<'_, '_>,
    sig: &Signature,
    value: Option<Expr>,
    theorem: bool,
) -> Result<(), KernelError> {
    let st = c.env().store();
    for e in [Some(sig.ty), value].into_iter().flatten() {
        c.scan(e)?;
        if st.has_fvar(e) {
            return Err(KernelError::FreeVariable(e));
        }
    }
    let ty = st.canon(sig.ty);
    let universe = c.universe_of(ty, true)?;
    if theorem && !c.level_is_zero(universe)? {
        return Err(KernelError::TheoremNotProp {
            name: sig.name,
            ty: sig.ty,
        });
    }
    if let Some(value) = value {
        let found = c.check_type_of(st.canon(value))?;
        if !c.defeq(found, ty)? {
            return Err(KernelError::DeclarationMismatch {
                name: sig.name,
                expected: sig.ty,
                found,
            });
        }
    }
    Ok(())
}
