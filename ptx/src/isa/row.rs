//! Rows of the opcode table: a syntax line in the manual's notation, and what it means.
//!
//! # The notation
//!
//! A syntax line is an opcode, then its operands. In the opcode, `.type` is a choice among the words of the slot `type`, or
//! else the word itself, and `{.nc}` may be left out. The line's order is the canonical one; an opcode may have its words in
//! another, but types, state spaces and layouts keep their order, and a type at the end stays there.
//!
//! | operand | what it is |
//! |---|---|
//! | `a:type` | a word: of the type in the slot `type`, or of the type `u32`, `pred`, …; `wide` has twice the width of the slot `type`, `half` and `quarter` are bit types of a part of it |
//! | `d:u32`, `p:pred`, `q:pred` | a result: names that begin with `d`, `p`, `q` |
//! | `p:pred\|q:pred`, `d:b32{\|p:pred}` | two results; the second may be left out |
//! | `{a:half, b:half}` | a vector, the lowest element first |
//! | `<cc>` | the condition code register, which the text does not show: a result if it follows one |
//! | `{!}c:pred` | a predicate or its complement |
//! | `{, b:u32}` | may be left out |
//! | `[a]`, `[t, c]` | an address; a tensor map with coordinates |
//! | `s:sreg`, `n:imm`, `l:label`, `t:table` | a special register, an integer literal, a label, a list of targets |
//! | `a` | what the engine behind the row takes: a register, a vector, … |
//! | `...` | anything further |
//!
//! # Meanings
//!
//! The meaning of an `alu` row takes the words of the sources in the order of the line, each of exactly its width, and
//! returns *one* word: the results side by side, the first in the lowest bits. `add.cc` returns the sum with the carry
//! above it, `mov.b64 {lo, hi}, a` is the identity, `setp p|q` returns two bits.
//! A register may be wider than its operand (ISA §9.4.1): then its low bits are taken, and a result is extended to it by
//! the sign of its type.

use std::fmt;

use super::syntax::{Group, Spec};
use super::types::{self, Ty};
use crate::alg::WordAlg;

/// The words that may stand for a variable part of an opcode, `.type = { .u16, .u32 }` in the manual.
pub type Slot = (&'static str, &'static [&'static str]);

/// What an instruction computes: see the [module](self).
pub type Meaning<A> = fn(&mut A, &Form, &[<A as WordAlg>::Word]) -> <A as WordAlg>::Word;

/// One instruction form.
pub struct Row<A: WordAlg> {
    /// The manual's syntax line, in the notation of this module.
    pub syntax: &'static str,
    /// The words of the slots.
    pub slots: &'static [Slot],
    /// Section and title in the manual (PTX ISA 9.4).
    pub section: &'static str,
    /// What the instruction does, in a sentence.
    pub says: &'static str,
    /// How it acts.
    pub shape: Shape<A>,
}

macro_rules! shapes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal)*) => {
        /// What kind of thing an instruction does.
        pub enum Shape<A: WordAlg> {
            /// A function of words.
            Alu(Meaning<A>),
            /// A function of words that uses float operations.
            Float(Meaning<A>),
            /// Reads memory, writes the meaning of what it read and its sources, all at once, and gives back what it read.
            Atom(Meaning<A>),
            /// As `Atom`, but gives nothing back.
            Red(Meaning<A>),
            $($(#[$doc])* $variant,)*
        }

        impl<A: WordAlg> Shape<A> {
            /// The name of the shape.
            pub fn name(&self) -> &'static str {
                match self {
                    Shape::Alu(_) | Shape::Float(_) => "alu",
                    Shape::Atom(_) => "atom",
                    Shape::Red(_) => "red",
                    $(Shape::$variant => $name,)*
                }
            }
        }
    };
}

shapes! {
    /// Reads a special register.
    Special = "sreg"
    /// Converts addresses between windows, or asks which window an address is in.
    Window = "window"
    /// Loads from a parameter.
    LdParam = "ldParam"
    /// Loads from memory.
    Ld = "ld"
    /// Stores to memory.
    St = "st"
    /// Orders memory operations.
    Fence = "fence"
    /// Orders memory operations across proxies.
    FenceProxy = "fenceProxy"
    /// A barrier of the CTA.
    Barrier = "bar"
    /// The barrier of the cluster.
    ClusterBarrier = "clusterBar"
    /// A barrier of the warp.
    WarpBarrier = "warpBar"
    /// An operation on an mbarrier object.
    Mbarrier = "mbar"
    /// An asynchronous copy by the thread.
    CpAsync = "cpAsync"
    /// Commits or awaits groups of asynchronous copies by the thread.
    CpAsyncGroup = "cpAsyncGroup"
    /// Arrives at an mbarrier when the thread's asynchronous copies are complete.
    CpAsyncArrive = "cpAsyncArrive"
    /// An asynchronous bulk copy.
    Bulk = "bulk"
    /// An asynchronous bulk reduction.
    BulkReduce = "bulkReduce"
    /// An asynchronous copy of a part of a tensor.
    Tensor = "tensor"
    /// An asynchronous reduction into a part of a tensor.
    TensorReduce = "tensorReduce"
    /// Commits or awaits groups of bulk operations.
    BulkGroup = "bulkGroup"
    /// Changes a field of a tensor map.
    TensormapReplace = "tensormapReplace"
    /// Copies a tensor map and orders what follows across proxies.
    TensormapCopy = "tensormapCopy"
    /// A warpgroup's asynchronous matrix product, or the fence, commit and wait that belong to it.
    Wgmma = "wgmma"
    /// A warp's matrix product.
    Mma = "mma"
    /// Loads, stores and products of a warp's matrix fragments.
    Wmma = "wmma"
    /// Loads matrices to the registers of a warp.
    Ldmatrix = "ldmatrix"
    /// Stores matrices from the registers of a warp.
    Stmatrix = "stmatrix"
    /// Transposes a matrix in the registers of a warp.
    Movmatrix = "movmatrix"
    /// Exchanges words between the lanes of a warp.
    Shuffle = "shfl"
    /// Combines predicates of the lanes of a warp.
    Vote = "vote"
    /// Finds the lanes of a warp with equal words.
    Match = "match"
    /// Combines words of the lanes of a warp.
    Redux = "redux"
    /// Chooses a lane of a warp.
    Elect = "elect"
    /// The lanes of the warp that run.
    Activemask = "activemask"
    /// Goes to a label.
    Bra = "bra"
    /// Goes to a label of a list.
    Brx = "brx"
    /// Calls a function.
    Call = "call"
    /// Ends the function: of a kernel, the thread.
    Ret = "ret"
    /// Ends the thread.
    Exit = "exit"
    /// Ends the launch with a fault.
    Trap = "trap"
    /// Changes the number of registers of a thread.
    Setmaxnreg = "setmaxnreg"
    /// Waits for the grids before this one, or lets those behind it start.
    Griddepcontrol = "griddepcontrol"
    /// Changes nothing that a program can see but time.
    Hint = "hint"
}

impl<A: WordAlg> Shape<A> {
    /// The meaning, of a row that has one.
    pub fn meaning(&self) -> Option<Meaning<A>> {
        match self {
            Shape::Alu(m) | Shape::Float(m) | Shape::Atom(m) | Shape::Red(m) => Some(*m),
            _ => None,
        }
    }
}

/// A comparison (ISA §9.3.1). The unsigned spellings are `Lt` to `Ge` on types that are unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the PTX names say it
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
}

impl Cmp {
    /// The comparison of this name.
    pub fn from_name(name: &str) -> Option<Cmp> {
        Some(match name {
            "eq" => Cmp::Eq,
            "ne" => Cmp::Ne,
            "lt" | "lo" => Cmp::Lt,
            "le" | "ls" => Cmp::Le,
            "gt" | "hi" => Cmp::Gt,
            "ge" | "hs" => Cmp::Ge,
            "equ" => Cmp::Equ,
            "neu" => Cmp::Neu,
            "ltu" => Cmp::Ltu,
            "leu" => Cmp::Leu,
            "gtu" => Cmp::Gtu,
            "geu" => Cmp::Geu,
            "num" => Cmp::Num,
            "nan" => Cmp::Nan,
            _ => return None,
        })
    }
}

/// A row with words chosen for its slots: one opcode, with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The index of the row in the table.
    pub row: usize,
    /// The chosen words, in the order of the row; an optional slot that is left out is missing.
    pub words: Vec<(&'static str, &'static str)>,
    /// The opcode, in the order of the row.
    pub opcode: String,
    /// The operands.
    pub operands: Vec<Group>,
    sources: Vec<Ty>,
    dests: Vec<Ty>,
    ty: Ty,
    cmp: Option<Cmp>,
}

impl Form {
    pub(super) fn new(
        row: usize,
        words: Vec<(&'static str, &'static str)>,
        opcode: String,
        operands: Vec<Group>,
    ) -> Form {
        let (mut sources, mut dests) = (Vec::new(), Vec::new());
        for g in &operands {
            g.each(|s: &Spec| {
                if s.dest {
                    dests.push(s.ty);
                } else if s.ty.bits > 0 {
                    sources.push(s.ty);
                }
            });
        }
        let mut form = Form {
            row,
            words,
            opcode,
            operands,
            sources,
            dests,
            ty: Ty::default(),
            cmp: None,
        };
        form.ty = Ty::new(form.word("type"));
        form.cmp = Cmp::from_name(form.word("cmp"));
        form
    }

    /// The word chosen for a slot, or `""`. It is looked for: meanings on the way of every instruction do better with the
    /// other questions.
    pub fn word(&self, slot: &str) -> &'static str {
        self.words
            .iter()
            .find(|(s, _)| *s == slot)
            .map_or("", |(_, w)| w)
    }

    /// The type in the slot `type`.
    pub fn ty(&self) -> Ty {
        self.ty
    }

    /// The width of the slot `type`; 0 if there is none.
    pub fn width(&self) -> u32 {
        self.ty.bits
    }

    /// Whether the type in the slot `type` is signed.
    pub fn signed(&self) -> bool {
        self.ty.signed
    }

    /// The width of the type in a slot; 0 if there is none.
    pub fn width_of(&self, slot: &str) -> u32 {
        types::width(self.word(slot)).unwrap_or(0)
    }

    /// The comparison in the slot `cmp`; equality if there is none.
    pub fn cmp(&self) -> Cmp {
        self.cmp.unwrap_or(Cmp::Eq)
    }

    /// The types of the sources that are words, in the order of the line.
    pub fn sources(&self) -> &[Ty] {
        &self.sources
    }

    /// The types of the results.
    pub fn dests(&self) -> &[Ty] {
        &self.dests
    }

    /// Whether the text shows one result, then the sources, each as one word.
    pub fn is_plain(&self) -> bool {
        self.operands.iter().enumerate().all(|(i, g)| match g {
            Group::One(s) => s.ty.bits > 0 && s.dest == (i == 0) && !s.optional,
            _ => false,
        })
    }

    /// What tells this form from another with the same opcode: two results, or a vector that is put together or taken
    /// apart. The name of its constant in the logic ends in it.
    pub fn variant(&self) -> Option<String> {
        self.operands.iter().find_map(|g| match g {
            Group::Pair(_, b) if !b.optional => Some("pair".to_owned()),
            Group::Vector(v) if v.iter().all(|s| s.dest) => Some(format!("unpack{}", v.len())),
            Group::Vector(v) => Some(format!("pack{}", v.len())),
            _ => None,
        })
    }
}

/// Operands that an instruction form does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandMismatch {
    /// The opcode.
    pub opcode: String,
    /// The widths that it takes.
    pub wanted: Vec<u32>,
    /// The widths that it was given.
    pub given: Vec<u32>,
}

impl fmt::Display for OperandMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` takes operands of widths {:?}, not {:?}",
            self.opcode, self.wanted, self.given
        )
    }
}

impl std::error::Error for OperandMismatch {}
