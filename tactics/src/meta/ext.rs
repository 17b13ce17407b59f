//! What is known of constants beyond their kernel declaration: attributes and generated facts.

use std::collections::{BTreeMap, BTreeSet};

use logic::{Expr, Name};
use rustc_hash::{FxHashMap, FxHashSet};

/// A rule of the default simp set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SimpEntry {
    /// The theorem or definition.
    pub name: Name,
    /// Used from right to left.
    pub rev: bool,
    /// Rules of higher priority are tried first.
    pub prio: u32,
}

/// Attributes and generated facts.
#[derive(Default, Clone)]
pub struct Extensions {
    /// Rules marked `@[simp]`, in order of marking.
    pub simp: Vec<SimpEntry>,
    /// Definitions marked `@[instance]`, in order.
    pub instances: Vec<Name>,
    /// Marked `@[reducible]`.
    pub reducible: FxHashSet<Name>,
    /// Marked `@[irreducible]`.
    pub irreducible: FxHashSet<Name>,
    /// Theorems marked `@[ext]`, in order.
    pub ext: Vec<Name>,
    /// Every other attribute: attribute ↦ constants in order.
    pub other: BTreeMap<String, Vec<Name>>,
    /// Inductive types whose arguments are found by instance resolution.
    pub classes: FxHashSet<Name>,
    /// The body of a recursive function with its own name for the recursive calls.
    pub smart: FxHashMap<Name, Expr>,
    /// The body of a function that recurses by a measure, with its own name for the recursive calls.
    pub well_founded: FxHashMap<Name, Expr>,
    /// Structural recursion: which argument decreases (counted from 0, parameters included).
    pub rec_arg: FxHashMap<Name, usize>,
    /// Projection functions: structure, number of parameters, field.
    pub projections: FxHashMap<Name, (Name, usize, u32)>,
    /// Structures: field names in order.
    pub structures: FxHashMap<Name, Vec<Name>>,
    /// For structures that extend others: parent ↦ the field that holds it.
    pub parents: FxHashMap<Name, Vec<(Name, Name)>>,
    /// Private names: the short name ↦ the file that declared it.
    pub private: FxHashSet<Name>,
    /// Equation theorems that were made.
    pub equations: FxHashMap<Name, Vec<Name>>,
    /// Documentation.
    pub docs: FxHashMap<Name, String>,
    /// Holes: constants whose proof uses `sorry`.
    pub holes: BTreeSet<Name>,
    /// Namespaces that exist (prefixes of declared names).
    pub namespaces: FxHashSet<Name>,
    /// Constants by the last component of their name, for near matches.
    pub by_last: BTreeMap<String, Vec<Name>>,
    /// Where the lines of a kernel from a PTX file stand.
    pub ptx_lines: FxHashMap<Name, Vec<std::rc::Rc<crate::symexec::PtxLines>>>,
    /// Default values of structure fields: `S.f` ↦ function of the parameters and earlier fields.
    pub defaults: FxHashMap<Name, Expr>,
}

impl Extensions {
    /// Whether a constant carries an attribute.
    pub fn has_attr(&self, name: Name, attr: &str) -> bool {
        match attr {
            "simp" => self.simp.iter().any(|s| s.name == name),
            "instance" | "decidable" => self.instances.contains(&name),
            "reducible" => self.reducible.contains(&name),
            "irreducible" => self.irreducible.contains(&name),
            "ext" => self.ext.contains(&name),
            _ => self.other.get(attr).is_some_and(|v| v.contains(&name)),
        }
    }
}
