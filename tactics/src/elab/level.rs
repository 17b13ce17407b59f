//! Universe levels in scripts.

use logic::{Level, Name};

use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast;

impl<'b> Elab<'b> {
    /// Elaborates a level.
    pub fn elab_level(&mut self, l: &ast::Level) -> Result<Level> {
        let st = self.st;
        match &l.kind {
            ast::LevelKind::Num(n) => {
                if *n > 32 {
                    return Err(ElabError::new(l.span, "a universe level above 32"));
                }
                Ok(st.level_nat(*n))
            }
            ast::LevelKind::Hole => Ok(self.mk_fresh_level()),
            ast::LevelKind::Param(id) => {
                let n = st.name_str(Name::ANON, &id.name);
                if !self.scope.level_params.contains(&n) {
                    if self.scope.universes.contains(&n) || self.auto_bound_levels {
                        self.scope.level_params.push(n);
                    } else {
                        return Err(ElabError::new(
                            id.span,
                            format!("unknown universe level `{}`", id.name),
                        ));
                    }
                }
                Ok(st.level_param(n))
            }
            ast::LevelKind::Add(a, k) => {
                if *k > 32 {
                    return Err(ElabError::new(l.span, "a universe level above 32"));
                }
                let mut a = self.elab_level(a)?;
                for _ in 0..*k {
                    a = st.level_succ(a);
                }
                Ok(a)
            }
            ast::LevelKind::Max(ls) => {
                let mut out = Level::ZERO;
                for l in ls {
                    let l = self.elab_level(l)?;
                    out = self.level_max(out, l);
                }
                Ok(out)
            }
            ast::LevelKind::IMax(ls) => {
                let mut it = Vec::new();
                for l in ls {
                    it.push(self.elab_level(l)?);
                }
                let Some(mut out) = it.pop() else {
                    return Ok(Level::ZERO);
                };
                while let Some(l) = it.pop() {
                    out = self.level_imax(l, out);
                }
                Ok(out)
            }
        }
    }
}
