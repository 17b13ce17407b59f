//! Names and scopes (ISA §4.4, §5.4): what a name means is said by the innermost scope that declares it.
//!
//! Registers and variables count from their declaration on, labels in their whole scope. The names of a scope are one
//! name space; a range `%r<12>` declares `%r0` to `%r11`, without leading zeros (ISA §5.4.6).

use rustc_hash::FxHashMap;

use super::data::{LabelId, RegisterDecl, TableId, VarId};
use super::error::{Error, Reason};
use super::special::special_bits;
use crate::text::span::Span;

/// What a name of a function stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Local {
    /// A register: its declaration, and its number there.
    Register(usize, u64),
    Variable(VarId),
    Label(LabelId),
    Table(TableId),
}

/// The names of one scope.
#[derive(Default)]
struct Scope<'a> {
    names: FxHashMap<&'a str, (Local, Span)>,
    /// Declarations of ranges by what their names begin with.
    ranges: FxHashMap<&'a str, (usize, Span)>,
}

/// The scopes that are open.
#[derive(Default)]
pub(crate) struct Scopes<'a> {
    open: Vec<Scope<'a>>,
}

impl<'a> Scopes<'a> {
    /// Opens a scope.
    pub fn enter(&mut self) {
        self.open.push(Scope::default());
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// How many scopes are open.
    pub fn depth(&self) -> u32 {
        self.open.len() as u32
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: &'a str, meaning: Local, span: Span) -> Result<(), Error> {
        let Some(scope) = self.open.last_mut() else {
            return Ok(());
        };
        if predefined(name) {
            return Err(Error::new(Reason::Predefined(name.to_owned()), span));
        }
        match scope.names.get(name) {
            Some((_, first)) => Err(duplicate(name, *first, span)),
            None => {
                scope.names.insert(name, (meaning, span));
                Ok(())
            }
        }
    }

    /// Declares a range of registers in the innermost scope.
    pub fn declare_range(
        &mut self,
        prefix: &'a str,
        declaration: usize,
        span: Span,
    ) -> Result<(), Error> {
        let Some(scope) = self.open.last_mut() else {
            return Ok(());
        };
        match scope.ranges.get(prefix) {
            Some((_, first)) => Err(duplicate(prefix, *first, span)),
            None => {
                scope.ranges.insert(prefix, (declaration, span));
                Ok(())
            }
        }
    }

    /// What the innermost scope itself declares under this name, ranges aside.
    pub fn here(&self, name: &str) -> Option<Local> {
        self.open.last()?.names.get(name).map(|(l, _)| *l)
    }

    /// What a name stands for; `None` if no scope of the function declares it.
    pub fn find(
        &self,
        name: &str,
        declarations: &[RegisterDecl],
        span: Span,
    ) -> Result<Option<Local>, Error> {
        for scope in self.open.iter().rev() {
            let mut found = scope.names.get(name).map(|(l, _)| *l);
            for (prefix, number) in splits(name) {
                let Some((declaration, _)) = scope.ranges.get(prefix) else {
                    continue;
                };
                let count = declarations
                    .get(*declaration)
                    .and_then(|d| d.count)
                    .unwrap_or(0);
                if number < count {
                    if found.is_some() {
                        return Err(Error::new(Reason::Ambiguous(name.to_owned()), span));
                    }
                    found = Some(Local::Register(*declaration, number));
                }
            }
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Why a name is unknown: a number outside the range that it would belong to, or nothing like it.
    pub fn unknown(
        &self,
        name: &str,
        declarations: &[RegisterDecl],
        others: &[&str],
        span: Span,
    ) -> Error {
        for scope in self.open.iter().rev() {
            for (prefix, _) in splits(name) {
                if let Some((declaration, _)) = scope.ranges.get(prefix) {
                    let count = declarations
                        .get(*declaration)
                        .and_then(|d| d.count)
                        .unwrap_or(0);
                    let reason = Reason::OutsideRange(name.to_owned(), prefix.to_owned(), count);
                    return Error::new(reason, span);
                }
            }
        }
        let mine = self.open.iter().flat_map(|s| s.names.keys().copied());
        let near = nearest(name, mine.chain(others.iter().copied()));
        Error::new(
            Reason::Unknown(name.to_owned(), near.map(str::to_owned)),
            span,
        )
    }
}

/// Whether a name has a meaning that no program can change (ISA §4.4).
fn predefined(name: &str) -> bool {
    let special = name.strip_prefix('%');
    name == "WARP_SZ" || special.is_some_and(|n| special_bits(n).is_some())
}

fn duplicate(name: &str, first: Span, span: Span) -> Error {
    Error::new(Reason::Duplicate(name.to_owned(), first), span)
}

/// The ways to read a name as that of a range with a number after it.
fn splits(name: &str) -> impl Iterator<Item = (&str, u64)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    (name.len() - digits..name.len()).filter_map(move |cut| {
        let (prefix, number) = name.split_at(cut);
        if number.len() > 1 && number.starts_with('0') {
            return None;
        }
        Some((prefix, number.parse().ok()?))
    })
}

/// The name most like a given one: at most two characters differ, and fewer than half; the first in alphabetical order
/// of the best.
fn nearest<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = 2.min(name.len().saturating_sub(1) / 2);
    all.filter(|other| other.len().abs_diff(name.len()) <= limit)
        .map(|other| (strsim::levenshtein(name, other), other))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, other)| other)
}
