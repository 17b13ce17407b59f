//! The state of elaboration and the operations on open terms: metavariables, local contexts, inference, reduction,
//! unification.
//!
//! Everything here is untrusted: it builds terms, and `logic` judges them. One struct, [`Elab`], carries the state; its
//! methods are spread over the modules by subject.

pub mod abstracting;
pub mod assign;
pub mod build;
pub mod defeq;
pub mod error;
pub mod ext;
pub mod goal;
pub mod infer;
pub mod lctx;
pub mod level;
pub mod mctx;
pub mod mismatch;
pub mod nat;
pub mod stuck;
pub mod telescope;
pub mod whnf;

use std::rc::Rc;

use logic::{Environment, Expr, Level, Name, Store};
use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;
use crate::elab::scope::Scope;
use crate::syntax::ast;

pub use error::{ElabError, Result, TacticError};
pub use ext::Extensions;
pub use lctx::{FVarId, LCtx, LocalDecl};
pub use mctx::{MVarDecl, MVarId, MVarKind, Saved};

/// How many steps a declaration may take for each term it may make.
const STEPS_A_TERM: u64 = 10;

/// Which constants reduction may unfold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Transparency {
    /// None.
    None,
    /// Those marked reducible, and `abbrev`s.
    Reducible,
    /// Every definition not marked irreducible.
    Default,
    /// Every definition.
    All,
}

/// A postponed piece of elaboration: the metavariable stands for its result.
#[derive(Clone)]
pub struct Pending<'b> {
    /// What it stands for.
    pub mvar: MVarId,
    /// What remains to be done.
    pub kind: PendingKind,
    /// Where it was written.
    pub span: ast::Span,
    /// The scope in which it was written.
    pub(crate) _bump: std::marker::PhantomData<&'b ()>,
}

/// The kinds of postponed elaboration.
#[derive(Clone)]
pub enum PendingKind {
    /// A term whose expected type was not known well enough.
    Term(Rc<ast::Term>),
    /// `by …`, run last.
    Tactic(Rc<ast::TacticBlock>),
    /// An instance argument.
    Instance,
    /// A coercion `e : given` to the type of the metavariable.
    Coercion(Expr),
}

/// What an instance is for: the head of its result, the head of the last argument, and for an equation of its type.
pub(crate) type InstanceKey = (Option<Name>, (Option<Name>, Option<Name>));

#[derive(Default)]
pub(crate) struct Cache {
    pub infer: FxHashMap<Expr, Expr>,
    pub whnf: FxHashMap<(Expr, Transparency), Expr>,
    pub whnf_core: FxHashMap<(Expr, Transparency), Expr>,
    pub defeq: FxHashMap<(Expr, Expr, Transparency), bool>,
    pub instances: FxHashMap<Expr, Option<Expr>>,
    pub instance_keys: FxHashMap<Name, InstanceKey>,
    pub index_rules: FxHashMap<(Name, Expr), Option<crate::tactic::index::Rule>>,
}

/// The elaborator.
pub struct Elab<'b> {
    /// The arena of terms.
    pub st: &'b Store<'b>,
    /// What has been accepted by the kernel.
    pub env: Environment<'b>,
    /// Attributes and generated facts about constants.
    pub ext: Extensions,
    /// Namespaces, opened names, section variables, universe names.
    pub scope: Scope,
    /// The current local context.
    pub lctx: LCtx,
    /// Messages so far.
    pub messages: Vec<Diagnostic>,
    /// Postponed problems.
    pub pending: im::Vector<Pending<'b>>,
    /// Whether a hole (`sorry`, or the recovery from an error) was used in the current declaration.
    pub used_sorry: bool,
    /// Whether an error was reported and recovered from in the current declaration.
    pub failed: bool,
    /// Whether elaboration may leave problems for later.
    pub may_postpone: bool,
    /// Whether operators take what they know now (numerals are `Nat`s) although their operands may be postponed.
    pub(crate) force_ops: bool,
    /// Whether an error inside a tactic block is reported and the block's goal given up, so that more errors are found.
    pub recover: bool,
    /// `_`s with their places.
    pub(crate) holes: Vec<(MVarId, ast::Span)>,
    /// `?x`s by name.
    pub(crate) named_holes: Vec<(Name, MVarId)>,
    /// Implicit arguments: the metavariable, the binder's name, the function, the place.
    pub(crate) implicit_args: Vec<(MVarId, Name, Expr, ast::Span)>,
    /// The place of the script whose goals are wanted, and what was found there.
    pub(crate) watch: Option<crate::elab::watch::Watch>,
    /// Types of binders written without one.
    pub(crate) binder_types: Vec<(Expr, ast::Span)>,
    /// `?_`s.
    pub(crate) synth_holes: Vec<MVarId>,
    pub(crate) locals: Vec<LocalDecl>,
    pub(crate) mctx: mctx::MCtx,
    pub(crate) level_constraints: Vec<(Level, Level)>,
    pub(crate) cache: Cache,
    pub(crate) transparency: Transparency,
    pub(crate) floor: u32,
    pub(crate) level_floor: u32,
    pub(crate) defeq_depth: u32,
    pub(crate) steps: u64,
    pub(crate) max_steps: u64,
    /// How many terms the store may hold before the budget of the declaration is used up.
    pub(crate) max_terms: usize,
    pub(crate) out_of_terms: bool,
    pub(crate) nat_ops: FxHashMap<Name, nat::NatOp>,
    pub(crate) known: Known,
    /// Names that stand for a recursive function while its body is elaborated.
    pub(crate) rec_fns: Vec<(FVarId, Name)>,
    pub(crate) auto_bound_levels: bool,
    pub(crate) explicit_levels: usize,
}

/// Names that are looked at often.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub nat: Name,
    pub nat_zero: Name,
    pub nat_succ: Name,
    pub nat_add: Name,
    pub eq: Name,
    pub bool_true: Name,
    pub bool_false: Name,
    pub string: Name,
}

impl<'b> Elab<'b> {
    /// An elaborator over an environment.
    pub fn new(env: Environment<'b>) -> Self {
        let st = env.store();
        Elab {
            st,
            env,
            ext: Extensions::default(),
            scope: Scope::default(),
            lctx: LCtx::default(),
            messages: Vec::new(),
            pending: im::Vector::new(),
            used_sorry: false,
            may_postpone: true,
            force_ops: false,
            recover: false,
            holes: Vec::new(),
            named_holes: Vec::new(),
            synth_holes: Vec::new(),
            binder_types: Vec::new(),
            watch: None,
            failed: false,
            implicit_args: Vec::new(),
            locals: Vec::new(),
            mctx: mctx::MCtx::default(),
            level_constraints: Vec::new(),
            cache: Cache::default(),
            transparency: Transparency::Default,
            floor: 0,
            level_floor: 0,
            defeq_depth: 0,
            steps: 0,
            max_steps: 20_000_000,
            max_terms: usize::MAX,
            out_of_terms: false,
            nat_ops: nat::table(st),
            known: Known {
                nat: st.name("Nat"),
                nat_zero: st.name("Nat.zero"),
                nat_succ: st.name("Nat.succ"),
                nat_add: st.name("Nat.add"),
                eq: st.name("Eq"),
                bool_true: st.name("Bool.true"),
                bool_false: st.name("Bool.false"),
                string: st.name("String"),
            },
            rec_fns: Vec::new(),
            auto_bound_levels: true,
            explicit_levels: 0,
        }
    }

    /// Counts a step of work; `false` when the budget of the declaration is used up.
    pub fn tick(&mut self) -> bool {
        self.steps += 1;
        if self.steps & 0xff == 0 && self.st.term_count() > self.max_terms {
            self.out_of_terms = true;
        }
        !self.exhausted()
    }

    /// Whether the budget of the declaration is used up.
    pub fn exhausted(&self) -> bool {
        self.steps > self.max_steps || self.out_of_terms
    }

    /// Starts a new declaration's budget: so many steps, and as many new terms as [`Elab::term_budget`] says.
    pub fn reset_budget(&mut self) {
        self.steps = 0;
        self.out_of_terms = false;
        self.max_terms = self.st.term_count().saturating_add(self.term_budget());
    }

    /// How many terms a declaration may make: they take memory, so fewer than it may take steps.
    pub fn term_budget(&self) -> usize {
        usize::try_from(self.max_steps / STEPS_A_TERM).unwrap_or(usize::MAX)
    }

    /// A name from its dotted spelling.
    pub fn name(&self, dotted: &str) -> Name {
        self.st.name(dotted)
    }

    /// Runs `f` with another transparency.
    pub fn with_transparency<R>(&mut self, t: Transparency, f: impl FnOnce(&mut Self) -> R) -> R {
        let old = std::mem::replace(&mut self.transparency, t);
        let r = f(self);
        self.transparency = old;
        r
    }

    /// Runs `f` so that the metavariables that exist now are constants to the unifier; new ones are assigned as usual.
    pub fn with_no_assign<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let old = (self.floor, self.level_floor);
        self.floor = self.mctx.decls.len() as u32;
        self.level_floor = self.mctx.levels.len() as u32;
        let r = f(self);
        (self.floor, self.level_floor) = old;
        r
    }
}
