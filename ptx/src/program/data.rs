//! A kernel as data: the Rust twin of `Ptx.Kernel` in `proofs/ptx/program.ptxp`, field by field.

/// A literal as it is written (`Ptx.Lit`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lit {
    /// An integer with its sign.
    Int(bool, u64),
    /// `0f…`
    F32(u32),
    /// `0d…`
    F64(u64),
}

/// A source operand (`Ptx.Operand w`); its width is known from the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register by number among those of its width.
    Reg(u64),
    /// A literal.
    Imm(Lit),
    /// A register of another width: its width and number.
    Other(u32, u64),
    /// `!p`, by the predicate's number.
    Compl(u64),
    /// The address of a variable, by its position in [`Kernel::vars`], so many bytes further.
    Sym(usize, u64),
}

/// Where a result goes (`Ptx.Dst`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dst {
    /// A register: its width and number.
    Reg(u32, u64),
    /// A result of this width in a wider register: that width, the number, and whether the sign is extended.
    Wide(u32, u32, u64, bool),
    /// `_`, for a result of this width.
    Sink(u32),
}

impl Dst {
    /// The width of the result.
    pub fn width(self) -> u32 {
        match self {
            Dst::Reg(w, _) | Dst::Wide(w, ..) | Dst::Sink(w) => w,
        }
    }
}

/// A coordinate (`Ptx.Dim`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Dim {
    X,
    Y,
    Z,
}

/// A special register (`Ptx.Special`), ISA chapter 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// `%tid`
    Tid(Dim),
    /// `%ntid`
    Ntid(Dim),
    /// `%ctaid`
    Ctaid(Dim),
    /// `%nctaid`
    Nctaid(Dim),
}

/// A table of names: what an enumeration is called in PTX, which is also its constructor's name in the logic.
macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // the PTX names say it
        pub enum $name { $($variant),* }

        impl $name {
            /// The name in PTX, without its dot.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The one with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }

            /// Its width in bits; predicates count as width 1.
            pub fn bits(self) -> u32 {
                crate::isa::types::width(self.name()).unwrap_or(0)
            }
        }
    };
}

names!(
    /// A type in memory (`Ptx.MemTy`).
    MemTy {
        B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64",
        U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        F32 = "f32", F64 = "f64",
    }
);

names!(
    /// A type in a register declaration (`Ptx.RegTy`).
    RegTy {
        Pred = "pred", B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128",
        U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        F16 = "f16", F32 = "f32", F64 = "f64",
    }
);

/// The state space of an access or a variable (`Ptx.StateSpace`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the PTX names say it
pub enum StateSpace {
    Global,
    Shared,
    Local,
    /// No space named.
    Generic,
}

impl StateSpace {
    /// Its name; a constructor in the logic.
    pub fn name(self) -> &'static str {
        match self {
            StateSpace::Global => "global",
            StateSpace::Shared => "shared",
            StateSpace::Local => "local",
            StateSpace::Generic => "generic",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Global, Self::Shared, Self::Local, Self::Generic]
            .into_iter()
            .find(|s| s.name() == name)
    }
}

/// How strong an access is (`Ptx.Sem`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sem {
    /// Nothing is said.
    Weak,
    /// `.relaxed`, `.acquire` or `.release`, with a scope.
    Strong {
        /// `.acquire`
        acquire: bool,
        /// `.release`
        release: bool,
        /// `cta`, `cluster`, `gpu` or `sys`.
        scope: &'static str,
    },
    /// `.volatile`
    Volatile,
}

/// The scopes (`Ptx.Scope`).
pub const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

/// The modifiers of a load or store (`Ptx.Access`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The state space.
    pub space: StateSpace,
    /// `.nc`, loads only.
    pub nc: bool,
    /// How strong it is.
    pub sem: Sem,
}

/// An instruction (`Ptx.Instr`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the fields are those of the constructor of the same name
pub enum Instr {
    /// A function of words: the constant `ptx.<name>`, which is the opcode's, perhaps with a variant.
    Alu {
        name: String,
        ins: Vec<u32>,
        out: u32,
        dst: u64,
        srcs: Vec<Operand>,
    },
    /// One with several results.
    Alus {
        name: String,
        ins: Vec<u32>,
        out: u32,
        dsts: Vec<Dst>,
        srcs: Vec<Operand>,
    },
    /// `mov.u32 dst, %special`
    Sreg { dst: u64, special: Special },
    /// `ld.param.ty dst, [param+off]`
    LdParam {
        ty: MemTy,
        rw: u32,
        dst: u64,
        param: usize,
        off: u64,
    },
    /// `ld.global.ty {dsts}, [base+off]`
    Ld {
        access: Access,
        ty: MemTy,
        rw: u32,
        dsts: Vec<u64>,
        base: Operand,
        off: Lit,
    },
    /// `st.global.ty [base+off], {srcs}`
    St {
        access: Access,
        ty: MemTy,
        rw: u32,
        srcs: Vec<Operand>,
        base: Operand,
        off: Lit,
    },
    /// `atom`, and `red` with a sink: the constant `ptx.<name>` is what they make of the word in memory
    Atom {
        name: String,
        access: Access,
        w: u32,
        ins: Vec<u32>,
        dst: Dst,
        srcs: Vec<Operand>,
        base: Operand,
        off: Lit,
    },
    /// `cvta.space.u64 dst, src` and, back from generic addresses, `cvta.to.space.u64 dst, src`
    Cvta {
        back: bool,
        space: StateSpace,
        dst: u64,
        src: Operand,
    },
    /// A barrier, fence or exchange: the constant `ptx.<name>`.
    Sync {
        name: String,
        ins: Vec<u32>,
        dsts: Vec<Dst>,
        srcs: Vec<Operand>,
    },
    /// `ld.param.ty dst, [slot+off]` from a variable of a call
    GetParam {
        ty: MemTy,
        rw: u32,
        dst: u64,
        slot: Reg,
        off: u64,
    },
    /// `st.param.ty [slot+off], src`
    PutParam {
        ty: MemTy,
        rw: u32,
        src: Operand,
        slot: Reg,
        off: u64,
    },
    /// `call (outs), f, (args)`, by position in [`Kernel::funcs`].
    Call {
        f: usize,
        args: Vec<Reg>,
        outs: Vec<Reg>,
    },
    /// `bra label`, by position among the labels of the entry or function.
    Bra { target: usize },
    /// `ret`
    Ret,
    /// `exit`
    Exit,
}

/// `@%p` or `@!%p` (`Ptx.Guard`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Guard {
    pub pred: u64,
    pub neg: bool,
}

/// An instruction with its guard (`Ptx.Line`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Line {
    pub guard: Option<Guard>,
    pub instr: Instr,
}

/// A declaration of registers (`Ptx.RegDecl`): `first` is the number of its first register among those of its width.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RegDecl {
    pub ty: RegTy,
    pub pre: String,
    pub first: u64,
    pub count: u64,
    pub ranged: bool,
}

/// A variable (`Ptx.Var`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Var {
    pub space: StateSpace,
    pub external: bool,
    pub align: Option<u64>,
    pub ty: MemTy,
    pub name: String,
    /// `[n]`; 0 for `[]`.
    pub count: Option<u64>,
}

/// A register: its width, and its number among those of that width (`Ptx.Reg`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Reg {
    pub width: u32,
    pub num: u64,
}

/// A variable of calls (`Ptx.Slot`), which is a register as wide as its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Slot {
    pub align: Option<u64>,
    pub ty: MemTy,
    pub name: String,
    pub count: Option<u64>,
    pub num: u64,
}

impl Slot {
    /// The width of the register; `None` if there is none so wide.
    pub fn width(&self) -> Option<u32> {
        let count = u32::try_from(self.count.unwrap_or(1)).ok()?;
        self.ty.bits().checked_mul(count)
    }
}

/// A scope inside a body (`Ptx.Block`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Block {
    pub first: usize,
    pub last: usize,
    pub regs: Vec<RegDecl>,
    pub slots: Vec<Slot>,
    pub labels: Vec<usize>,
}

/// A function that can be called (`Ptx.Func`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Func {
    pub name: String,
    pub rets: Vec<Slot>,
    pub params: Vec<Slot>,
    pub regs: Vec<RegDecl>,
    pub labels: Vec<(String, usize)>,
    pub body: Vec<Line>,
    pub blocks: Vec<Block>,
    pub vars: usize,
}

/// A kernel parameter (`Ptx.Param`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Param {
    pub name: String,
    pub ty: MemTy,
}

/// A kernel (`Ptx.Kernel`). A label stands before the line with its index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Kernel {
    pub name: String,
    pub params: Vec<Param>,
    pub regs: Vec<RegDecl>,
    pub labels: Vec<(String, usize)>,
    pub body: Vec<Line>,
    pub blocks: Vec<Block>,
    /// How many of `vars` are declared outside of all functions.
    pub outer: usize,
    pub vars: Vec<Var>,
    pub funcs: Vec<Func>,
}

impl Special {
    /// Register and coordinate by name: `("ctaid", "x")`.
    pub fn from_names(kind: &str, dim: &str) -> Option<Special> {
        let dim = match dim {
            "x" => Dim::X,
            "y" => Dim::Y,
            "z" => Dim::Z,
            _ => return None,
        };
        Some(match kind {
            "tid" => Special::Tid(dim),
            "ntid" => Special::Ntid(dim),
            "ctaid" => Special::Ctaid(dim),
            "nctaid" => Special::Nctaid(dim),
            _ => return None,
        })
    }

    /// The names of register and coordinate: `("ctaid", "x")`.
    pub fn names(self) -> (&'static str, &'static str) {
        let (kind, dim) = match self {
            Special::Tid(d) => ("tid", d),
            Special::Ntid(d) => ("ntid", d),
            Special::Ctaid(d) => ("ctaid", d),
            Special::Nctaid(d) => ("nctaid", d),
        };
        let dim = match dim {
            Dim::X => "x",
            Dim::Y => "y",
            Dim::Z => "z",
        };
        (kind, dim)
    }
}
