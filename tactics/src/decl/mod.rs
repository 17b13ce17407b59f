//! Declarations: from the syntax tree to what the kernel checks.

pub mod attrs;
pub mod below;
pub mod branches;
pub mod calls;
pub mod def;
pub mod equations;
pub mod inductive;
pub mod recursion;
pub mod structure;
pub mod wellfounded;

use logic::{ConstantInfo, Declaration, Expr, Hint, Level, LevelNode, Name, Node};

use crate::meta::{Elab, ElabError, FVarId, Result};
use crate::syntax::ast::{Binder, Ident, Span};

impl<'b> Elab<'b> {
    /// Begins a declaration: budget, universe names, notes of holes.
    pub(crate) fn begin_decl(&mut self, levels: Option<&[Ident]>) {
        self.reset_budget();
        self.pending = im::Vector::new();
        self.level_constraints.clear();
        self.holes.clear();
        self.named_holes.clear();
        self.synth_holes.clear();
        self.implicit_args.clear();
        self.binder_types.clear();
        self.rec_fns.clear();
        self.used_sorry = false;
        self.failed = false;
        self.may_postpone = true;
        self.lctx = crate::meta::LCtx::default();
        self.scope.level_params = match levels {
            Some(ls) => ls
                .iter()
                .map(|l| self.st.name_str(Name::ANON, &l.name))
                .collect(),
            None => Vec::new(),
        };
        self.explicit_levels = self.scope.level_params.len();
    }

    /// Elaborates the section's variables into the context.
    pub(crate) fn elab_variables(&mut self) -> Result<Vec<Expr>> {
        let vars: Vec<Binder> = self.scope.variables.clone();
        self.elab_binders(&vars)
    }

    /// Those section variables that the terms mention, with what their types mention, and instance variables all of whose
    /// dependencies are there.
    pub(crate) fn used_variables(&mut self, vars: &[Expr], terms: &[Expr]) -> Vec<Expr> {
        let ids: Vec<FVarId> = vars
            .iter()
            .filter_map(|x| match self.st.node(*x) {
                Node::FVar(i) => Some(FVarId(i)),
                _ => None,
            })
            .collect();
        let mut used = vec![false; ids.len()];
        let mut todo: Vec<Expr> = terms.to_vec();
        while let Some(e) = todo.pop() {
            let e = self.instantiate_mvars(e);
            for x in self.collect_fvars(e) {
                if let Some(i) = ids.iter().position(|y| *y == x)
                    && !used[i]
                {
                    used[i] = true;
                    let d = self.local(x);
                    todo.push(d.ty);
                    todo.extend(d.value);
                }
            }
        }
        for i in 0..ids.len() {
            let d = self.local(ids[i]);
            if !used[i] && d.bi == logic::BinderInfo::InstImplicit {
                let ty = self.instantiate_mvars(d.ty);
                let deps = self.collect_fvars(ty);
                if !deps.is_empty()
                    && deps
                        .iter()
                        .all(|x| ids.iter().position(|y| y == x).is_none_or(|j| used[j]))
                {
                    used[i] = true;
                }
            }
        }
        vars.iter()
            .zip(used)
            .filter(|(_, u)| *u)
            .map(|(x, _)| *x)
            .collect()
    }

    /// Takes the section variables out of the context that `used_variables` does not find; the others.
    pub(crate) fn keep_variables(&mut self, vars: &[Expr], terms: &[Expr]) -> Vec<Expr> {
        let used = self.used_variables(vars, terms);
        let gone: Vec<FVarId> = vars
            .iter()
            .filter(|x| !used.contains(x))
            .filter_map(|x| match self.st.node(*x) {
                Node::FVar(i) => Some(FVarId(i)),
                _ => None,
            })
            .collect();
        self.lctx = self.lctx.without(&gone);
        used
    }

    /// Turns the universe metavariables left in some terms into parameters `u_1`, …, and returns the terms.
    pub(crate) fn generalize_levels(&mut self, terms: &[Expr]) -> Vec<Expr> {
        let st = self.st;
        let terms: Vec<Expr> = terms.iter().map(|e| self.instantiate_mvars(*e)).collect();
        let mut found: Vec<u32> = Vec::new();
        for t in &terms {
            self.collect_level_mvars(*t, &mut found);
        }
        let mut k = 1;
        for i in found {
            if self.mctx.levels[i as usize].is_some() {
                continue;
            }
            let n = loop {
                let n = st.name_str(Name::ANON, &format!("u_{k}"));
                k += 1;
                if !self.scope.level_params.contains(&n) {
                    break n;
                }
            };
            self.scope.level_params.push(n);
            let l = st.level_param(n);
            self.assign_level(i, l);
        }
        terms
            .into_iter()
            .map(|t| self.instantiate_mvars(t))
            .collect()
    }

    pub(crate) fn collect_level_mvars(&self, e: Expr, out: &mut Vec<u32>) {
        let st = self.st;
        let mut levels: Vec<Level> = Vec::new();
        st.replace(e, |x, _| {
            if !st.has_level_mvar(x) {
                return Some(x);
            }
            match st.node(x) {
                Node::Sort(l) => levels.push(l),
                Node::Const(_, ls) => levels.extend_from_slice(ls),
                _ => {}
            }
            None
        });
        for l in levels {
            self.level_mvars(l, out);
        }
    }

    pub(crate) fn level_mvars(&self, l: Level, out: &mut Vec<u32>) {
        match self.st.level_node(l) {
            LevelNode::MVar(i) => {
                if !out.contains(&i) {
                    out.push(i);
                }
            }
            LevelNode::Succ(a) => self.level_mvars(a, out),
            LevelNode::Max(a, b) | LevelNode::IMax(a, b) => {
                self.level_mvars(a, out);
                self.level_mvars(b, out);
            }
            LevelNode::Zero | LevelNode::Param(_) => {}
        }
    }

    /// The universe parameters that occur in some terms, in the order of the declaration's list; explicit ones always.
    pub(crate) fn occurring_levels(&self, terms: &[Expr]) -> Vec<Name> {
        let st = self.st;
        let mut seen: Vec<Name> = Vec::new();
        for t in terms {
            st.replace(*t, |x, _| {
                if !st.has_level_param(x) {
                    return Some(x);
                }
                let mut add = |l: Level| self.level_params_of(l, &mut seen);
                match st.node(x) {
                    Node::Sort(l) => add(l),
                    Node::Const(_, ls) => ls.iter().for_each(|l| add(*l)),
                    _ => {}
                }
                None
            });
        }
        self.scope
            .level_params
            .iter()
            .enumerate()
            .filter(|(i, n)| *i < self.explicit_levels || seen.contains(n))
            .map(|(_, n)| *n)
            .collect()
    }

    fn level_params_of(&self, l: Level, out: &mut Vec<Name>) {
        match self.st.level_node(l) {
            LevelNode::Param(n) => {
                if !out.contains(&n) {
                    out.push(n);
                }
            }
            LevelNode::Succ(a) => self.level_params_of(a, out),
            LevelNode::Max(a, b) | LevelNode::IMax(a, b) => {
                self.level_params_of(a, out);
                self.level_params_of(b, out);
            }
            LevelNode::Zero | LevelNode::MVar(_) => {}
        }
    }

    /// The height of a definition: one more than the highest constant in it.
    pub(crate) fn height_of(&self, value: Expr) -> u32 {
        let st = self.st;
        let mut h = 0;
        let mut seen = rustc_hash::FxHashSet::default();
        st.replace(value, |x, _| {
            if let Node::Const(n, _) = st.node(x)
                && seen.insert(n)
                && let Some(ConstantInfo::Definition {
                    hint: Hint::Regular(k),
                    ..
                }) = self.env.get(n)
            {
                h = h.max(*k);
            }
            None
        });
        h.saturating_add(1)
    }

    /// Gives a declaration to the kernel.
    pub(crate) fn add_decl(&mut self, d: Declaration, span: Span) -> Result<()> {
        let name = match &d {
            Declaration::Axiom(s) => Some(s.name),
            Declaration::Definition { sig, .. }
            | Declaration::Theorem { sig, .. }
            | Declaration::Opaque { sig, .. } => Some(sig.name),
            Declaration::Inductive(i) => i.types.first().map(|t| t.name),
            Declaration::Quot => None,
        };
        match self.env.add(d) {
            Ok(()) => {
                if let Some(n) = name {
                    self.register_name(n);
                }
                Ok(())
            }
            Err(e) => {
                let text = format!("{}", e.display(self.st));
                let n = name.map(|n| self.st.name_to_string(n)).unwrap_or_default();
                Err(
                    ElabError::new(span, format!("the kernel refuses `{n}`: {text}"))
                        .code("kernel"),
                )
            }
        }
    }

    /// An error if a name is taken.
    pub(crate) fn check_fresh(&self, n: Name, span: Span) -> Result<()> {
        if self.env.get(n).is_some() {
            return Err(ElabError::new(
                span,
                format!("`{}` is declared already", self.st.name_to_string(n)),
            )
            .code("decl.duplicate"));
        }
        Ok(())
    }
}
