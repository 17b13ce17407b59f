//! What may be added to an environment (`Declaration`) and what an environment then holds (`ConstantInfo`).

use crate::expr::Expr;
use crate::name::Name;

/// Name, universe parameters and type: what every constant has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The name of the constant.
    pub name: Name,
    /// Its universe parameters, pairwise distinct.
    pub univ_params: Vec<Name>,
    /// Its type, a closed term.
    pub ty: Expr,
}

/// How eagerly a definition is unfolded when two terms are compared. Advice only: it never changes what is equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hint {
    /// Unfold last.
    Opaque,
    /// Unfold first.
    Abbrev,
    /// Unfold the higher of two definitions first; a definition is one higher than all that it mentions.
    Regular(u32),
}

/// One constructor of an inductive type as declared: its full name and its type, parameters included.
pub type Constructor = (Name, Expr);

/// One type of an inductive declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InductiveType {
    /// The full name of the type.
    pub name: Name,
    /// Its type: parameters, then indices, then a sort.
    pub ty: Expr,
    /// Its constructors in order.
    pub ctors: Vec<Constructor>,
}

/// An inductive declaration: one type, or several that are defined together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InductiveDecl {
    /// Universe parameters, shared by all types and constructors.
    pub univ_params: Vec<Name>,
    /// How many of the leading arguments are parameters, the same for all types.
    pub num_params: u32,
    /// The types, at least one.
    pub types: Vec<InductiveType>,
}

/// What may be added to an environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// A constant without a value: `axiom`.
    Axiom(Signature),
    /// `def name : ty := value`.
    Definition {
        /// Name, universe parameters, type.
        sig: Signature,
        /// The value, of that type.
        value: Expr,
        /// When to unfold.
        hint: Hint,
    },
    /// `theorem name : ty := value`; `ty` is a proposition.
    Theorem {
        /// Name, universe parameters, statement.
        sig: Signature,
        /// The proof.
        value: Expr,
    },
    /// A definition that is checked and then never unfolded.
    Opaque {
        /// Name, universe parameters, type.
        sig: Signature,
        /// The value, of that type.
        value: Expr,
    },
    /// Inductive types with their constructors; the recursors are derived.
    Inductive(InductiveDecl),
    /// `Quot`, `Quot.mk`, `Quot.lift`, `Quot.ind` with their reduction. `Eq` must exist and be Lean's.
    Quot,
}

/// Which of the four quotient constants a constant is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuotKind {
    /// `Quot`.
    Type,
    /// `Quot.mk`.
    Mk,
    /// `Quot.lift`.
    Lift,
    /// `Quot.ind`.
    Ind,
}

/// An inductive type in an environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InductiveInfo {
    /// Name, universe parameters, type.
    pub sig: Signature,
    /// Number of parameters.
    pub num_params: u32,
    /// Number of indices.
    pub num_indices: u32,
    /// All types of the declaration, this one included, in order.
    pub all: Vec<Name>,
    /// The constructors in order.
    pub ctors: Vec<Name>,
    /// Whether a constructor has a field that mentions a type of the declaration.
    pub is_recursive: bool,
    /// Whether such a field is a function.
    pub is_reflexive: bool,
    /// How many nested occurrences were found (0 unless nested).
    pub num_nested: u32,
}

/// A constructor in an environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstructorInfo {
    /// Name, universe parameters, type.
    pub sig: Signature,
    /// The inductive type it belongs to.
    pub inductive: Name,
    /// Its position among that type's constructors.
    pub cidx: u32,
    /// Number of parameters of the inductive type.
    pub num_params: u32,
    /// Number of arguments after the parameters.
    pub num_fields: u32,
}

/// The computation rule of a recursor for one constructor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecursorRule {
    /// The constructor.
    pub ctor: Name,
    /// Its number of fields.
    pub num_fields: u32,
    /// `fun params motives minors fields => …`, closed, over the recursor's universe parameters.
    pub rhs: Expr,
}

/// A recursor in an environment. Its arguments are: parameters, motives, minor premises, indices, major premise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecursorInfo {
    /// Name, universe parameters, type.
    pub sig: Signature,
    /// All types of the inductive declaration.
    pub all: Vec<Name>,
    /// The inductive type that the major premise belongs to.
    pub inductive: Name,
    /// Number of parameters.
    pub num_params: u32,
    /// Number of indices.
    pub num_indices: u32,
    /// Number of motives.
    pub num_motives: u32,
    /// Number of minor premises.
    pub num_minors: u32,
    /// One rule a constructor.
    pub rules: Vec<RecursorRule>,
    /// Whether the recursor computes on every proof of the right type, constructor or not.
    pub k: bool,
}

impl RecursorInfo {
    /// The position of the major premise among the arguments.
    pub fn major_index(&self) -> usize {
        (self.num_params + self.num_motives + self.num_minors + self.num_indices) as usize
    }
}

/// A constant of an environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConstantInfo {
    /// An axiom.
    Axiom {
        /// Name, universe parameters, type.
        sig: Signature,
    },
    /// A definition.
    Definition {
        /// Name, universe parameters, type.
        sig: Signature,
        /// Its value.
        value: Expr,
        /// When to unfold.
        hint: Hint,
    },
    /// A theorem.
    Theorem {
        /// Name, universe parameters, statement.
        sig: Signature,
        /// Its proof.
        value: Expr,
    },
    /// An opaque definition.
    Opaque {
        /// Name, universe parameters, type.
        sig: Signature,
        /// Its value, never unfolded.
        value: Expr,
    },
    /// One of the quotient constants.
    Quot {
        /// Name, universe parameters, type.
        sig: Signature,
        /// Which one.
        kind: QuotKind,
    },
    /// An inductive type.
    Inductive(InductiveInfo),
    /// A constructor.
    Constructor(ConstructorInfo),
    /// A recursor.
    Recursor(RecursorInfo),
}

impl ConstantInfo {
    /// Name, universe parameters and type.
    pub fn sig(&self) -> &Signature {
        match self {
            ConstantInfo::Axiom { sig }
            | ConstantInfo::Definition { sig, .. }
            | ConstantInfo::Theorem { sig, .. }
            | ConstantInfo::Opaque { sig, .. }
            | ConstantInfo::Quot { sig, .. }
            | ConstantInfo::Inductive(InductiveInfo { sig, .. })
            | ConstantInfo::Constructor(ConstructorInfo { sig, .. })
            | ConstantInfo::Recursor(RecursorInfo { sig, .. }) => sig,
        }
    }

    /// The name.
    pub fn name(&self) -> Name {
        self.sig().name
    }

    /// The universe parameters.
    pub fn univ_params(&self) -> &[Name] {
        &self.sig().univ_params
    }

    /// The type.
    pub fn ty(&self) -> Expr {
        self.sig().ty
    }

    /// The value that unfolding puts in place of the constant: of definitions and theorems.
    pub fn value(&self) -> Option<Expr> {
        match self {
            ConstantInfo::Definition { value, .. } | ConstantInfo::Theorem { value, .. } => {
                Some(*value)
            }
            _ => None,
        }
    }

    /// The reducibility hint; `Opaque` for everything but definitions.
    pub fn hint(&self) -> Hint {
        match self {
            ConstantInfo::Definition { hint, .. } => *hint,
            _ => Hint::Opaque,
        }
    }
}
