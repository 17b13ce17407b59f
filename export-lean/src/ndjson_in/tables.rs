//! What the indices of a file stand for.

use logic::{Expr, Level, Name, Store};
use num_bigint::BigUint;

/// The things of one kind, by index. Indices count up without gaps.
pub(super) struct Table<T> {
    what: &'static str,
    items: Vec<T>,
}

impl<T: Copy> Table<T> {
    fn get(&self, id: u64) -> Result<T, String> {
        let found = usize::try_from(id).ok().and_then(|i| self.items.get(i));
        found
            .copied()
            .ok_or_else(|| format!("{} {id} is not defined", self.what))
    }

    /// Defines the next index.
    pub fn put(&mut self, id: u64, item: T) -> Result<(), String> {
        let next = self.items.len() as u64;
        if id != next {
            return Err(format!("{} {id} where {next} is next", self.what));
        }
        self.items.push(item);
        Ok(())
    }
}

/// The names, levels and terms of a file.
pub(super) struct Tables<'b> {
    pub names: Table<Name>,
    pub levels: Table<Level>,
    pub terms: Table<Expr>,
    pub st: &'b Store<'b>,
}

impl<'b> Tables<'b> {
    /// The anonymous name and the level `0` are there from the start.
    pub fn new(st: &'b Store<'b>) -> Self {
        Tables {
            names: Table {
                what: "name",
                items: vec![Name::ANON],
            },
            levels: Table {
                what: "level",
                items: vec![Level::ZERO],
            },
            terms: Table {
                what: "term",
                items: Vec::new(),
            },
            st,
        }
    }

    pub fn name(&self, id: u64) -> Result<Name, String> {
        self.names.get(id)
    }

    pub fn level(&self, id: u64) -> Result<Level, String> {
        self.levels.get(id)
    }

    pub fn term(&self, id: u64) -> Result<Expr, String> {
        self.terms.get(id)
    }

    pub fn all_names(&self, ids: &[u64]) -> Result<Vec<Name>, String> {
        ids.iter().map(|i| self.name(*i)).collect()
    }
}

/// The most digits that a number may have.
const MAX_DIGITS: usize = 1_000_000;

/// A number from its decimal digits.
pub(super) fn natural(digits: &str) -> Result<BigUint, String> {
    if digits.len() > MAX_DIGITS {
        return Err(format!("`natVal` has more than {MAX_DIGITS} digits"));
    }
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err("`natVal` is no decimal number".into());
    }
    BigUint::parse_bytes(digits.as_bytes(), 10).ok_or_else(|| "`natVal` is no number".into())
}
