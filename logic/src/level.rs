//! Universe levels as interned terms: `0`, `u+1`, `max u v`, `imax u v`, parameters.
//!
//! Only construction lives here; normalisation and the order `≤` are the checker's (`check::level`).

use crate::name::Name;
use crate::store::Store;

/// An interned universe level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(pub(crate) u32);

impl Level {
    /// The level `0`.
    pub const ZERO: Level = Level(0);

    /// The dense index of this level in its store.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The node behind a [`Level`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LevelNode {
    /// `0`.
    Zero,
    /// `l + 1`.
    Succ(Level),
    /// `max a b`.
    Max(Level, Level),
    /// `imax a b`: `0` if `b` is `0`, otherwise `max a b`.
    IMax(Level, Level),
    /// A universe parameter of the declaration.
    Param(Name),
    /// A universe metavariable of an elaborator. No declaration may contain one.
    MVar(u32),
}

/// What occurs in a level.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct LevelFlags {
    pub has_param: bool,
    pub has_mvar: bool,
    /// The length of the longest path from the root.
    pub depth: u32,
}

impl<'b> Store<'b> {
    /// The node behind a level.
    pub fn level_node(&self, l: Level) -> LevelNode {
        self.levels.borrow().node(l.index())
    }

    fn mk_level(&self, node: LevelNode) -> Level {
        let below = match node {
            LevelNode::Succ(a) => self.level_flags(a),
            LevelNode::Max(a, b) | LevelNode::IMax(a, b) => {
                let (a, b) = (self.level_flags(a), self.level_flags(b));
                LevelFlags {
                    has_param: a.has_param || b.has_param,
                    has_mvar: a.has_mvar || b.has_mvar,
                    depth: a.depth.max(b.depth),
                }
            }
            LevelNode::Zero | LevelNode::Param(_) | LevelNode::MVar(_) => LevelFlags::default(),
        };
        let flags = LevelFlags {
            has_param: below.has_param || matches!(node, LevelNode::Param(_)),
            has_mvar: below.has_mvar || matches!(node, LevelNode::MVar(_)),
            depth: below.depth.saturating_add(1),
        };
        let id = self.levels.borrow_mut().intern(node);
        let mut all = self.level_flags.borrow_mut();
        if all.len() == id as usize {
            all.push(flags);
        }
        Level(id)
    }

    pub(crate) fn level_flags(&self, l: Level) -> LevelFlags {
        self.level_flags.borrow()[l.index()]
    }

    /// `l + 1`.
    pub fn level_succ(&self, l: Level) -> Level {
        self.mk_level(LevelNode::Succ(l))
    }

    /// `max a b`, not simplified.
    pub fn level_max(&self, a: Level, b: Level) -> Level {
        self.mk_level(LevelNode::Max(a, b))
    }

    /// `imax a b`, not simplified.
    pub fn level_imax(&self, a: Level, b: Level) -> Level {
        self.mk_level(LevelNode::IMax(a, b))
    }

    /// A universe parameter.
    pub fn level_param(&self, n: Name) -> Level {
        self.mk_level(LevelNode::Param(n))
    }

    /// A universe metavariable.
    pub fn level_mvar(&self, id: u32) -> Level {
        self.mk_level(LevelNode::MVar(id))
    }

    /// The numeral `n` as a level.
    pub fn level_nat(&self, n: u32) -> Level {
        (0..n).fold(Level::ZERO, |l, _| self.level_succ(l))
    }

    /// Whether a universe parameter occurs.
    pub fn level_has_param(&self, l: Level) -> bool {
        self.level_flags(l).has_param
    }

    /// Whether a universe metavariable occurs.
    pub fn level_has_mvar(&self, l: Level) -> bool {
        self.level_flags(l).has_mvar
    }
}
