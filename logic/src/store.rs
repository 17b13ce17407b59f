//! The arena: every name, level and term exists once and is known by a `u32` id.
//!
//! Bytes of variable length (texts, level lists, big numbers) lie in a [`bumpalo::Bump`]; nodes are `Copy` and refer
//! to each other by id. A store is append-only: ids stay valid for its whole life.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use bumpalo::Bump;
use num_bigint::BigUint;

use crate::expr::{Expr, Info, Node};
use crate::level::{Level, LevelFlags, LevelNode};
use crate::name::NameNode;

/// Hashing with a key that differs from run to run, so that no input can be made whose nodes all collide. Nothing but the
/// place in a hash table depends on it.
#[derive(Clone)]
struct Keyed(u64);

impl Default for Keyed {
    fn default() -> Self {
        Keyed(RandomState::new().hash_one(0) | 1)
    }
}

impl BuildHasher for Keyed {
    type Hasher = KeyedHasher;

    fn build_hasher(&self) -> KeyedHasher {
        KeyedHasher {
            key: self.0,
            state: self.0,
        }
    }
}

struct KeyedHasher {
    key: u64,
    state: u64,
}

impl Hasher for KeyedHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        self.write_usize(bytes.len());
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn write_u64(&mut self, n: u64) {
        let product = u128::from(self.state ^ n) * u128::from(self.key);
        self.state = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

/// A table of hash-consed nodes, in the order of their making. Equality, never the hash, decides identity.
///
/// `slots` is an open-addressed hash table of indices plus one (`0` is free), at most half full: a few bytes a node where
/// a map from nodes would hold each node twice. Beside an index stand the lower bits of its node's hash, so that other nodes
/// are seldom looked at, and none when the table grows.
pub(crate) struct Table<T> {
    nodes: Vec<T>,
    slots: Vec<(u32, u32)>,
    hashing: Keyed,
}

impl<T: Copy + Eq + Hash> Table<T> {
    fn new() -> Self {
        Table {
            nodes: Vec::new(),
            slots: vec![(0, 0); 64],
            hashing: Keyed::default(),
        }
    }

    pub(crate) fn node(&self, i: usize) -> T {
        self.nodes[i]
    }

    fn hash(&self, node: &T) -> u32 {
        self.hashing.hash_one(node) as u32
    }

    /// The slot that holds the node, which has this hash, or the free one where it belongs.
    fn slot(&self, hash: u32, node: &T) -> usize {
        let mask = self.slots.len() - 1;
        let mut i = hash as usize & mask;
        while let (h, Some(id)) = (self.slots[i].0, self.slots[i].1.checked_sub(1))
            && (h != hash || self.nodes[id as usize] != *node)
        {
            i = (i + 1) & mask;
        }
        i
    }

    pub(crate) fn find(&self, node: &T) -> Option<u32> {
        self.slots[self.slot(self.hash(node), node)]
            .1
            .checked_sub(1)
    }

    pub(crate) fn intern(&mut self, node: T) -> u32 {
        let hash = self.hash(&node);
        let slot = self.slot(hash, &node);
        if let Some(id) = self.slots[slot].1.checked_sub(1) {
            return id;
        }
        let id = u32::try_from(self.nodes.len() + 1).expect("fewer than 2^32 nodes");
        self.nodes.push(node);
        self.slots[slot] = (hash, id);
        if self.nodes.len() * 2 > self.slots.len() {
            self.grow();
        }
        id - 1
    }

    fn grow(&mut self) {
        let larger = vec![(0, 0); self.slots.len() * 2];
        let mask = larger.len() - 1;
        for (hash, id) in std::mem::replace(&mut self.slots, larger) {
            if id == 0 {
                continue;
            }
            let mut i = hash as usize & mask;
            while self.slots[i].1 != 0 {
                i = (i + 1) & mask;
            }
            self.slots[i] = (hash, id);
        }
    }

    fn len(&self) -> usize {
        self.nodes.len()
    }
}

/// The arena of all names, levels and terms of one environment.
pub struct Store<'b> {
    bump: &'b Bump,
    strings: RefCell<HashSet<&'b str, Keyed>>,
    nats: RefCell<HashSet<&'b BigUint, Keyed>>,
    level_lists: RefCell<HashSet<&'b [Level], Keyed>>,
    pub(crate) names: RefCell<Table<NameNode<'b>>>,
    pub(crate) levels: RefCell<Table<LevelNode>>,
    pub(crate) level_flags: RefCell<Vec<LevelFlags>>,
    pub(crate) exprs: RefCell<Table<Node<'b>>>,
    pub(crate) infos: RefCell<Vec<Info>>,
    scoped: RefCell<Table<(u32, Expr)>>,
    next_fvar: Cell<u32>,
    words: Cell<u64>,
    visits: Cell<u64>,
    max_visits: Cell<u64>,
}

/// Free variables from here on belong to the checker: variable `SCOPED + k` is entry `k` of the store's scope table.
pub(crate) const SCOPED: u32 = 1 << 31;

impl<'b> Store<'b> {
    /// An empty store over the given bytes.
    pub fn new(bump: &'b Bump) -> Self {
        let store = Store {
            bump,
            strings: RefCell::default(),
            nats: RefCell::default(),
            level_lists: RefCell::default(),
            names: RefCell::new(Table::new()),
            levels: RefCell::new(Table::new()),
            level_flags: RefCell::default(),
            exprs: RefCell::new(Table::new()),
            infos: RefCell::default(),
            scoped: RefCell::new(Table::new()),
            next_fvar: Cell::new(0),
            words: Cell::new(0),
            visits: Cell::new(0),
            max_visits: Cell::new(u64::MAX),
        };
        store.names.borrow_mut().intern(NameNode::Anon);
        store.levels.borrow_mut().intern(LevelNode::Zero);
        store.level_flags.borrow_mut().push(LevelFlags::default());
        store
    }

    /// How many distinct terms exist.
    pub fn term_count(&self) -> usize {
        self.exprs.borrow().len()
    }

    /// How much there is: terms, levels, and eight words of anything else as one more.
    pub(crate) fn size(&self) -> u64 {
        let levels = self.levels.borrow().len();
        (self.term_count() + levels) as u64 + self.words.get() / 8
    }

    /// Counts words of memory.
    pub(crate) fn count_words(&self, n: usize) {
        self.words.set(self.words.get() + n as u64);
    }

    /// Counts a node that a walk over a term comes to. `false`, from then on: there are too many, and what walks return
    /// means nothing.
    pub(crate) fn visit(&self) -> bool {
        self.visits.set(self.visits.get() + 1);
        !self.visited_too_many()
    }

    /// Whether walks have been cut short.
    pub(crate) fn visited_too_many(&self) -> bool {
        self.visits.get() > self.max_visits.get()
    }

    /// Lets walks come to no more nodes than `n` from now on.
    pub(crate) fn limit_visits(&self, n: u64) {
        self.max_visits.set(self.visits.get().saturating_add(n));
    }

    /// A free variable that no one else has. Its id is below `2^31`.
    pub fn fresh_fvar(&self) -> Expr {
        let id = self.next_fvar.get();
        assert!(id < SCOPED, "fewer than 2^31 free variables");
        self.next_fvar.set(id + 1);
        self.fvar(id)
    }

    /// The checker's variable for a binder of type `ty` under `depth` other open binders. A variable so determines its
    /// type once and for all, which is what makes caches keyed by terms with free variables safe.
    pub(crate) fn scoped_fvar(&self, depth: u32, ty: Expr) -> Expr {
        let k = self.scoped.borrow_mut().intern((depth, ty));
        self.fvar(SCOPED.saturating_add(k))
    }

    /// The type of a variable made by `scoped_fvar`.
    pub(crate) fn scoped_type(&self, id: u32) -> Option<Expr> {
        self.scope_entry(id).map(|e| e.1)
    }

    /// The depth of a variable made by `scoped_fvar`.
    pub(crate) fn scoped_depth(&self, id: u32) -> Option<u32> {
        self.scope_entry(id).map(|e| e.0)
    }

    fn scope_entry(&self, id: u32) -> Option<(u32, Expr)> {
        let k = id.checked_sub(SCOPED)? as usize;
        let scoped = self.scoped.borrow();
        (k < scoped.len()).then(|| scoped.node(k))
    }

    pub(crate) fn intern_str(&self, s: &str) -> &'b str {
        if let Some(old) = self.strings.borrow().get(s) {
            return old;
        }
        let new: &'b str = self.bump.alloc_str(s);
        self.strings.borrow_mut().insert(new);
        new
    }

    pub(crate) fn intern_nat(&self, n: &BigUint) -> &'b BigUint {
        if let Some(old) = self.nats.borrow().get(n) {
            return old;
        }
        let new: &'b BigUint = self.bump.alloc(n.clone());
        self.count_words((n.bits() / 64) as usize);
        self.nats.borrow_mut().insert(new);
        new
    }

    pub(crate) fn intern_levels(&self, ls: &[Level]) -> &'b [Level] {
        if let Some(old) = self.level_lists.borrow().get(ls) {
            return old;
        }
        let new: &'b [Level] = self.bump.alloc_slice_copy(ls);
        self.count_words(ls.len() / 2);
        self.level_lists.borrow_mut().insert(new);
        new
    }
}
