//! Terms: interned expressions with de Bruijn indices, their constructors and what is known of each by id.

use num_bigint::BigUint;

use crate::level::Level;
use crate::name::Name;
use crate::store::Store;

/// An interned expression: a `u32` id. Equal ids ⇔ equal terms (binder names included).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Expr(pub(crate) u32);

impl Expr {
    /// The dense index of this term in its store.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How an argument is supplied when the function is applied in a script. Without meaning for the kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum BinderInfo {
    /// `(x : T)`.
    #[default]
    Default,
    /// `{x : T}`.
    Implicit,
    /// `⦃x : T⦄`.
    StrictImplicit,
    /// `[x : T]`.
    InstImplicit,
}

/// The node behind an [`Expr`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node<'b> {
    /// A bound variable, counted from the innermost binder.
    BVar(u32),
    /// A free variable (an opened binder). No declaration may contain one.
    FVar(u32),
    /// A metavariable of an elaborator. No declaration may contain one.
    MVar(u32),
    /// `Sort l`.
    Sort(Level),
    /// A constant with its universe arguments.
    Const(Name, &'b [Level]),
    /// `f a`.
    App(Expr, Expr),
    /// `fun (name : ty) => body`.
    Lam(Name, Expr, Expr, BinderInfo),
    /// `(name : ty) → body`.
    Pi(Name, Expr, Expr, BinderInfo),
    /// `let name : ty := value; body`.
    Let(Name, Expr, Expr, Expr),
    /// The `i`-th field of a value of the named structure.
    Proj(Name, u32, Expr),
    /// A `Nat` literal.
    Nat(&'b BigUint),
    /// A `String` literal.
    Str(&'b str),
}

/// What occurs in a term, known by id.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Info {
    /// One more than the largest loose bound variable, or 0.
    pub loose: u32,
    /// The length of the longest path from the root.
    pub depth: u32,
    /// The same term without binder names and binder infos.
    pub canon: u32,
    pub has_fvar: bool,
    pub has_mvar: bool,
    pub has_level_param: bool,
    pub has_level_mvar: bool,
}

impl Info {
    fn join(self, o: Info) -> Info {
        Info {
            loose: self.loose.max(o.loose),
            depth: self.depth.max(o.depth),
            canon: 0,
            has_fvar: self.has_fvar || o.has_fvar,
            has_mvar: self.has_mvar || o.has_mvar,
            has_level_param: self.has_level_param || o.has_level_param,
            has_level_mvar: self.has_level_mvar || o.has_level_mvar,
        }
    }

    fn under_binder(self) -> Info {
        Info {
            loose: self.loose.saturating_sub(1),
            ..self
        }
    }
}

impl<'b> Store<'b> {
    /// The node behind a term.
    pub fn node(&self, e: Expr) -> Node<'b> {
        self.exprs.borrow().node(e.index())
    }

    pub(crate) fn info(&self, e: Expr) -> Info {
        self.infos.borrow()[e.index()]
    }

    fn level_info(&self, l: Level) -> Info {
        let f = self.level_flags(l);
        Info {
            has_level_param: f.has_param,
            has_level_mvar: f.has_mvar,
            depth: f.depth,
            ..Info::default()
        }
    }

    /// The term with this node.
    pub(crate) fn mk(&self, node: Node<'b>) -> Expr {
        if let Some(id) = self.exprs.borrow().find(&node) {
            return Expr(id);
        }
        let info = match node {
            Node::BVar(i) => Info {
                loose: i.saturating_add(1),
                ..Info::default()
            },
            Node::FVar(_) => Info {
                has_fvar: true,
                ..Info::default()
            },
            Node::MVar(_) => Info {
                has_mvar: true,
                ..Info::default()
            },
            Node::Sort(l) => self.level_info(l),
            Node::Const(_, ls) => ls
                .iter()
                .fold(Info::default(), |i, l| i.join(self.level_info(*l))),
            Node::App(f, a) => self.info(f).join(self.info(a)),
            Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => {
                self.info(t).join(self.info(b).under_binder())
            }
            Node::Let(_, t, v, b) => self
                .info(t)
                .join(self.info(v))
                .join(self.info(b).under_binder()),
            Node::Proj(_, _, e) => self.info(e),
            Node::Nat(_) | Node::Str(_) => Info::default(),
        };
        let info = Info {
            depth: info.depth.saturating_add(1),
            ..info
        };
        let canon = self.canonical_node(node);
        // A canonical node has canonical children, so this recursion is one call deep.
        let canon_id = canon.map(|c| self.mk(c).0);
        let id = self.exprs.borrow_mut().intern(node);
        self.infos.borrow_mut().push(Info {
            canon: canon_id.unwrap_or(id),
            ..info
        });
        Expr(id)
    }

    /// The node without binder names and infos, or `None` if it is that already.
    fn canonical_node(&self, node: Node<'b>) -> Option<Node<'b>> {
        let c = match node {
            Node::App(f, a) => Node::App(self.canon(f), self.canon(a)),
            Node::Lam(_, t, b, _) => Node::Lam(
                Name::ANON,
                self.canon(t),
                self.canon(b),
                BinderInfo::Default,
            ),
            Node::Pi(_, t, b, _) => Node::Pi(
                Name::ANON,
                self.canon(t),
                self.canon(b),
                BinderInfo::Default,
            ),
            Node::Let(_, t, v, b) => {
                Node::Let(Name::ANON, self.canon(t), self.canon(v), self.canon(b))
            }
            Node::Proj(s, i, x) => Node::Proj(s, i, self.canon(x)),
            _ => return None,
        };
        (c != node).then_some(c)
    }

    /// The same term without binder names and binder infos: two terms are equal up to those iff these are equal.
    pub fn canon(&self, e: Expr) -> Expr {
        Expr(self.info(e).canon)
    }

    /// The length of the longest path in a term, universes included.
    pub fn depth(&self, e: Expr) -> u32 {
        self.info(e).depth
    }

    /// Bound variable `i`. Indices are limited to `u32::MAX - 1`.
    pub fn bvar(&self, i: u32) -> Expr {
        self.mk(Node::BVar(i))
    }

    /// Free variable `id`.
    pub fn fvar(&self, id: u32) -> Expr {
        self.mk(Node::FVar(id))
    }

    /// Metavariable `id`.
    pub fn mvar(&self, id: u32) -> Expr {
        self.mk(Node::MVar(id))
    }

    /// `Sort l`.
    pub fn sort(&self, l: Level) -> Expr {
        self.mk(Node::Sort(l))
    }

    /// `Prop`, that is `Sort 0`.
    pub fn prop(&self) -> Expr {
        self.sort(Level::ZERO)
    }

    /// A constant with universe arguments.
    pub fn constant(&self, n: Name, levels: &[Level]) -> Expr {
        let levels = self.intern_levels(levels);
        self.mk(Node::Const(n, levels))
    }

    /// A constant without universe arguments, by its dotted name.
    pub fn const0(&self, dotted: &str) -> Expr {
        self.constant(self.name(dotted), &[])
    }

    /// `f a`.
    pub fn app(&self, f: Expr, a: Expr) -> Expr {
        self.mk(Node::App(f, a))
    }

    /// `f a₀ … aₙ`.
    pub fn apps(&self, f: Expr, args: &[Expr]) -> Expr {
        args.iter().fold(f, |f, a| self.app(f, *a))
    }

    /// `fun (n : ty) => body`.
    pub fn lam(&self, n: Name, ty: Expr, body: Expr, bi: BinderInfo) -> Expr {
        self.mk(Node::Lam(n, ty, body, bi))
    }

    /// `(n : ty) → body`.
    pub fn pi(&self, n: Name, ty: Expr, body: Expr, bi: BinderInfo) -> Expr {
        self.mk(Node::Pi(n, ty, body, bi))
    }

    /// `let n : ty := value; body`.
    pub fn let_(&self, n: Name, ty: Expr, value: Expr, body: Expr) -> Expr {
        self.mk(Node::Let(n, ty, value, body))
    }

    /// Field `i` of `e`, a value of structure `s`.
    pub fn proj(&self, s: Name, i: u32, e: Expr) -> Expr {
        self.mk(Node::Proj(s, i, e))
    }

    /// A `Nat` literal.
    pub fn nat(&self, n: &BigUint) -> Expr {
        let n = self.intern_nat(n);
        self.mk(Node::Nat(n))
    }

    /// A `Nat` literal from a machine number.
    pub fn nat_u64(&self, n: u64) -> Expr {
        self.nat(&BigUint::from(n))
    }

    /// A `String` literal.
    pub fn string(&self, s: &str) -> Expr {
        let s = self.intern_str(s);
        self.mk(Node::Str(s))
    }

    /// One more than the largest loose bound variable of `e`, or 0 if there is none.
    pub fn loose_bvar_range(&self, e: Expr) -> u32 {
        self.info(e).loose
    }

    /// Whether a bound variable occurs that no binder of `e` binds.
    pub fn has_loose_bvars(&self, e: Expr) -> bool {
        self.info(e).loose > 0
    }

    /// Whether a free variable occurs.
    pub fn has_fvar(&self, e: Expr) -> bool {
        self.info(e).has_fvar
    }

    /// Whether a term metavariable occurs.
    pub fn has_mvar(&self, e: Expr) -> bool {
        self.info(e).has_mvar
    }

    /// Whether a universe parameter occurs.
    pub fn has_level_param(&self, e: Expr) -> bool {
        self.info(e).has_level_param
    }

    /// Whether a universe metavariable occurs.
    pub fn has_level_mvar(&self, e: Expr) -> bool {
        self.info(e).has_level_mvar
    }

    /// `f` and `[a₀, …, aₙ]` of `f a₀ … aₙ`.
    pub fn unfold_app(&self, e: Expr) -> (Expr, Vec<Expr>) {
        let mut args = Vec::new();
        let mut cur = e;
        while let Node::App(f, a) = self.node(cur) {
            args.push(a);
            cur = f;
        }
        args.reverse();
        (cur, args)
    }

    /// The head `f` of `f a₀ … aₙ`.
    pub fn app_fn(&self, e: Expr) -> Expr {
        let mut cur = e;
        while let Node::App(f, _) = self.node(cur) {
            cur = f;
        }
        cur
    }
}
