//! Auxiliary declarations of an inductive type, in Lean's shapes and under Lean's names: `T.recOn`, `T.casesOn`,
//! `T.noConfusionType`, `T.noConfusion`, `T.c.inj`, `T.c.injEq`, and the projections of a structure.
//!
//! They are ordinary definitions and theorems. Nothing here is trusted: the kernel checks each when it is added.

mod cases;
mod injective;
mod no_confusion;
mod projections;
mod scope;
#[cfg(test)]
mod tests;

use logic::{
    ConstantInfo, ConstructorInfo, Declaration, Environment, Expr, InductiveInfo, Level, Name,
    RecursorInfo, Store,
};

pub use projections::structure_projections;

/// What the constructions need to know of an inductive type.
pub(crate) struct Family<'b> {
    st: &'b Store<'b>,
    info: InductiveInfo,
    rec: RecursorInfo,
    ctors: Vec<ConstructorInfo>,
    /// Whether the recursor eliminates into every universe.
    large: bool,
}

impl<'b> Family<'b> {
    fn new(env: &Environment<'b>, name: Name) -> Option<Self> {
        let st = env.store();
        let Some(ConstantInfo::Inductive(info)) = env.get(name) else {
            return None;
        };
        let info = info.clone();
        let Some(ConstantInfo::Recursor(rec)) = env.get(st.name_str(name, "rec")) else {
            return None;
        };
        let rec = rec.clone();
        let mut ctors = Vec::with_capacity(info.ctors.len());
        for c in &info.ctors {
            let Some(ConstantInfo::Constructor(c)) = env.get(*c) else {
                return None;
            };
            ctors.push(c.clone());
        }
        let large = rec.sig.univ_params.len() > info.sig.univ_params.len();
        Some(Family {
            st,
            info,
            rec,
            ctors,
            large,
        })
    }

    /// The name of the type with one more component.
    fn sub(&self, text: &str) -> Name {
        self.st.name_str(self.info.sig.name, text)
    }

    fn params_as_levels(&self, params: &[Name]) -> Vec<Level> {
        params.iter().map(|p| self.st.level_param(*p)).collect()
    }

    /// The universe arguments of the type, as parameters.
    fn levels(&self) -> Vec<Level> {
        self.params_as_levels(&self.info.sig.univ_params)
    }

    /// The universe arguments of the recursor, with its motive in `Sort motive`.
    fn rec_levels(&self, motive: Level) -> Vec<Level> {
        let mut ls = self.levels();
        if self.large {
            ls.insert(0, motive);
        }
        ls
    }

    /// The universe of the motive, as the recursor's own parameter, or `0`.
    fn motive_level(&self) -> Level {
        if self.large {
            self.st.level_param(self.rec.sig.univ_params[0])
        } else {
            Level::ZERO
        }
    }

    /// The type applied to parameters and indices.
    fn applied(&self, params: &[Expr], indices: &[Expr]) -> Expr {
        let t = self.st.constant(self.info.sig.name, &self.levels());
        self.st.apps(self.st.apps(t, params), indices)
    }

    /// A constructor applied to parameters and fields.
    fn ctor_applied(&self, c: &ConstructorInfo, params: &[Expr], fields: &[Expr]) -> Expr {
        let f = self.st.constant(c.sig.name, &self.levels());
        self.st.apps(self.st.apps(f, params), fields)
    }
}

/// The auxiliary declarations of the inductive type `name`, which has just been added to `env`, in the order in which
/// they can be added. What cannot exist is left out: `noConfusion` and injectivity before `Eq` is declared, or for
/// propositions; equations between values of different types before `HEq` is. Empty if `name` is no inductive type.
pub fn after_inductive(env: &Environment<'_>, name: Name) -> Vec<Declaration> {
    let Some(family) = Family::new(env, name) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    out.extend(cases::rec_on(env, &family));
    let Some(cases_on) = cases::cases_on(env, &family) else {
        return out;
    };
    out.push(cases_on);
    if let Some(plan) = no_confusion::plan(env, &family)
        && let Some((ty, thm)) = no_confusion::declarations(env, &family, &plan)
    {
        out.push(ty);
        out.push(thm);
        out.extend(injective::theorems(env, &family, &plan));
    }
    out
}
