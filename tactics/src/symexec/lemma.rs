//! Lemmas applied to arguments that are given by the names of the lemma's binders.

use logic::{Expr, Node};
use rustc_hash::FxHashMap;

use crate::meta::{Elab, ElabError, Result};

/// Lemmas that were used, with the names of their binders.
#[derive(Default)]
pub(super) struct Lemmas(FxHashMap<&'static str, (Expr, Vec<String>)>);

impl Lemmas {
    /// `Ptx.name args`, each argument under its binder's name.
    ///
    /// Errors: the lemma is not there, or wants an argument that is not given.
    pub fn call(
        &mut self,
        el: &Elab<'_>,
        name: &'static str,
        args: &[(&str, Expr)],
    ) -> Result<Expr> {
        let st = el.st;
        if !self.0.contains_key(name) {
            let found = read(el, name)?;
            self.0.insert(name, found);
        }
        let (head, binders) = &self.0[name];
        let mut all = Vec::with_capacity(binders.len());
        for b in binders {
            let Some((_, a)) = args.iter().find(|(n, _)| n == b) else {
                return Err(ElabError::msg(format!(
                    "`symexec` does not know the argument `{b}` of its lemma `Ptx.{name}`"
                ))
                .note("this is an error in `symexec` itself, not in the script"));
            };
            all.push(*a);
        }
        Ok(st.apps(*head, &all))
    }
}

fn read(el: &Elab<'_>, name: &str) -> Result<(Expr, Vec<String>)> {
    let st = el.st;
    let full = st.name(&format!("Ptx.{name}"));
    let Some(info) = el.env.get(full).filter(|_| !el.is_hidden(full)) else {
        return Err(
            ElabError::msg("`symexec` needs the library file `ptx/straight.ptxp`")
                .code("symexec.library")
                .help("import \"ptx/straight.ptxp\" (or a file that imports it)"),
        );
    };
    let mut binders = Vec::new();
    let mut ty = info.ty();
    while let Node::Pi(n, _, b, _) = st.node(ty) {
        binders.push(st.name_to_string(n));
        ty = b;
    }
    Ok((st.const0(&format!("Ptx.{name}")), binders))
}
