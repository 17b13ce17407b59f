//! What the indices of a file stand for.

use std::cell::Cell;

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
    /// How many digits long numbers may still have.
    digits: Cell<usize>,
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
            digits: Cell::new(MAX_DIGITS),
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

    /// A number from its decimal digits.
    pub fn natural(&self, digits: &str) -> Result<BigUint, String> {
        if digits.len() > LONG_NUMBER {
            let left = self.digits.get().checked_sub(digits.len());
            let too_many = || format!("long numbers have more than {MAX_DIGITS} digits in all");
            self.digits.set(left.ok_or_else(too_many)?);
        }
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err("`natVal` is no decimal number".into());
        }
        BigUint::parse_bytes(digits.as_bytes(), 10).ok_or_else(|| "`natVal` is no number".into())
    }
}

/// Numbers with more digits are long: reading one takes time that grows with the square of its length.
const LONG_NUMBER: usize = 1000;

/// The most digits that the long numbers of a file may have together.
const MAX_DIGITS: usize = 1_000_000;
