//! The checker: inference, reduction and definitional equality over an environment and a local context.
//!
//! Everything is a pure function of (environment, local context, term), memoised by id. A free variable determines its
//! type for good (see `Store::scoped_fvar`), so a cached result holds wherever its key makes sense; a cache can therefore
//! neither be poisoned by variables nor depend on the order of questions.

mod defeq;
mod delta;
mod eta;
mod infer;
mod iota;
mod level;
mod nat;
mod proj;
mod quot;
mod string;
mod telescope;
mod whnf;

pub(crate) use nat::NatOp;
pub(crate) use telescope::Telescope;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::env::{ConstantInfo, Environment, KernelError};
use crate::expr::{Expr, Node};
use crate::level::Level;
use crate::name::Name;
use crate::store::{SCOPED, Store};
use crate::subst::with_stack;

/// The result of a question to the checker.
pub type Res<T> = Result<T, KernelError>;

/// A variable of the local context.
struct Local {
    ty: Expr,
    value: Option<Expr>,
}

/// A checker for terms over an environment, some universe parameters and a local context.
///
/// Made anew for each declaration by `Environment::add`; an elaborator may use one for its own terms, provided they
/// contain no metavariables.
pub struct Checker<'e, 'b> {
    st: &'b Store<'b>,
    env: &'e Environment<'b>,
    univ_params: Vec<Name>,
    /// Work with terms without binder names, so that terms equal up to names are one.
    canonical: bool,
    locals: FxHashMap<u32, Local>,
    /// How many binders are open.
    open: u32,
    depth: u32,
    steps: u64,
    first_size: u64,
    types: FxHashMap<Expr, Expr>,
    checked: FxHashSet<Expr>,
    whnf_cache: [FxHashMap<Expr, Expr>; 3],
    defeq_cache: FxHashMap<(Expr, Expr), bool>,
    args_differ: FxHashSet<(Expr, Expr)>,
    unfolded: FxHashMap<Expr, Expr>,
    const_types: FxHashMap<Expr, Expr>,
    rule_values: FxHashMap<(Expr, u32), Expr>,
    level_parts: FxHashMap<Level, Rc<Vec<level::Part>>>,
    string_ok: bool,
}

impl<'e, 'b> Checker<'e, 'b> {
    /// A checker with an empty local context.
    pub fn new(env: &'e Environment<'b>, univ_params: &[Name]) -> Self {
        let st = env.store();
        Checker {
            st,
            env,
            univ_params: univ_params.to_vec(),
            canonical: false,
            locals: FxHashMap::default(),
            open: 0,
            depth: 0,
            steps: 0,
            first_size: st.size(),
            types: FxHashMap::default(),
            checked: FxHashSet::default(),
            whnf_cache: Default::default(),
            defeq_cache: FxHashMap::default(),
            args_differ: FxHashSet::default(),
            unfolded: FxHashMap::default(),
            const_types: FxHashMap::default(),
            rule_values: FxHashMap::default(),
            level_parts: FxHashMap::default(),
            string_ok: false,
        }
    }

    /// A checker that forgets binder names.
    pub(crate) fn new_canonical(env: &'e Environment<'b>, univ_params: &[Name]) -> Self {
        Checker {
            canonical: true,
            ..Checker::new(env, univ_params)
        }
    }

    /// The environment.
    pub fn env(&self) -> &'e Environment<'b> {
        self.env
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A new variable of the local context (with a value, it is definitionally equal to that value).
    pub fn fresh_fvar(&mut self, ty: Expr, value: Option<Expr>) -> Expr {
        let x = self.st.fresh_fvar();
        if let Node::FVar(id) = self.st.node(x) {
            self.locals.insert(id, Local { ty, value });
        }
        x
    }

    /// Enters a variable with an id of the caller's (below `2^31`) into the local context. Returns `false`, and changes
    /// nothing, if the id is known with another type or value.
    pub fn declare_local(&mut self, id: u32, ty: Expr, value: Option<Expr>) -> bool {
        if id >= SCOPED {
            return false;
        }
        let local = self.locals.entry(id).or_insert(Local { ty, value });
        local.ty == ty && local.value == value
    }

    /// The type of `e`, which is taken to be well typed.
    pub fn infer(&mut self, e: Expr) -> Res<Expr> {
        self.top(|c| c.type_of(e))
    }

    /// Checks `e` in full and returns its type.
    pub fn check(&mut self, e: Expr) -> Res<Expr> {
        self.top(|c| {
            c.scan(e)?;
            c.check_type_of(e)
        })
    }

    /// The weak head normal form of `e`.
    pub fn whnf(&mut self, e: Expr) -> Res<Expr> {
        self.top(|c| c.reduce_full(e))
    }

    /// The weak head normal form of `e` without unfolding definitions at the head.
    pub fn whnf_core(&mut self, e: Expr) -> Res<Expr> {
        self.top(|c| c.reduce(e, whnf::Mode::Core))
    }

    /// Whether two terms of the same type are definitionally equal.
    pub fn is_defeq(&mut self, a: Expr, b: Expr) -> Res<bool> {
        self.top(|c| c.defeq(a, b))
    }

    /// Whether `ty` is a proposition.
    pub fn is_prop(&mut self, ty: Expr) -> Res<bool> {
        self.top(|c| c.is_proposition(ty))
    }

    /// The universe of a type, by full checking if `check` says so.
    pub(crate) fn universe_of(&mut self, ty: Expr, check: bool) -> Res<Level> {
        let s = match check {
            true => self.check_type_of(ty)?,
            false => self.type_of(ty)?,
        };
        let s_whnf = self.reduce_full(s)?;
        match self.st.node(s_whnf) {
            Node::Sort(l) => Ok(l),
            _ => Err(KernelError::TypeExpected { term: ty, ty: s }),
        }
    }

    /// Runs a question from outside: after an error the bookkeeping of open binders and depth is as before.
    fn top<R>(&mut self, f: impl FnOnce(&mut Self) -> Res<R>) -> Res<R> {
        let (open, depth) = (self.open, self.depth);
        let r = f(self);
        (self.open, self.depth) = (open, depth);
        r
    }

    /// One step of work, one level deeper.
    fn enter<R>(&mut self, f: impl FnOnce(&mut Self) -> Res<R>) -> Res<R> {
        self.tick(1)?;
        if self.depth >= self.env.limits().max_depth {
            return Err(KernelError::TooDeep);
        }
        self.depth += 1;
        let r = with_stack(|| f(self));
        self.depth -= 1;
        r
    }

    /// Refuses a term that reduction has made too deep to walk through.
    fn bound_depth(&self, e: Expr) -> Res<()> {
        match self.st.depth(e) <= self.env.limits().max_depth.saturating_mul(2) {
            true => Ok(()),
            false => Err(KernelError::TooDeep),
        }
    }

    /// Counts `n` steps.
    pub(crate) fn tick(&mut self, n: u64) -> Res<()> {
        self.steps = self.steps.saturating_add(n);
        match self.steps > self.env.limits().max_steps {
            true => Err(KernelError::OutOfSteps),
            false => self.bound_terms(),
        }
    }

    /// Refuses to go on with too many terms, or after a walk that was cut short.
    pub(crate) fn bound_terms(&self) -> Res<()> {
        let new = self.st.size() - self.first_size;
        match new > u64::from(self.env.limits().max_terms) || self.st.visited_too_many() {
            true => Err(KernelError::TooManyTerms),
            false => Ok(()),
        }
    }

    /// A variable for a binder of this type; the caller closes it again with `close`.
    pub(crate) fn open(&mut self, ty: Expr) -> Res<Expr> {
        self.st.visit();
        self.bound_terms()?;
        let x = self.st.scoped_fvar(self.open, ty);
        self.open += 1;
        Ok(x)
    }

    /// Closes the last `n` variables.
    pub(crate) fn close(&mut self, n: usize) {
        self.open = self.open.saturating_sub(n as u32);
    }

    fn local_type(&self, x: Expr, id: u32) -> Res<Expr> {
        match self.locals.get(&id) {
            Some(l) => Ok(l.ty),
            None => self.st.scoped_type(id).ok_or(KernelError::FreeVariable(x)),
        }
    }

    fn local_value(&self, id: u32) -> Option<Expr> {
        self.locals.get(&id).and_then(|l| l.value)
    }

    fn constant(&self, n: Name) -> Res<&'e ConstantInfo> {
        self.env.get(n).ok_or(KernelError::UnknownConstant(n))
    }

    /// A term of the environment in the form this checker works with.
    fn import(&self, e: Expr) -> Expr {
        match self.canonical {
            true => self.st.canon(e),
            false => e,
        }
    }

    /// Refuses terms beyond the depth limit and undeclared universe parameters, metavariables and loose variables.
    pub(crate) fn scan(&mut self, e: Expr) -> Res<()> {
        let st = self.st;
        if st.depth(e) > self.env.limits().max_depth {
            return Err(KernelError::TooDeep);
        }
        if st.has_loose_bvars(e) {
            return Err(KernelError::LooseBVar(e));
        }
        if st.has_mvar(e) {
            return Err(KernelError::MetaVariable(e));
        }
        if st.has_level_mvar(e) {
            return Err(KernelError::LevelMetaVariable(e));
        }
        self.scan_levels(e)
    }
}
