//! Tensor maps as data (ISA §5.5.8), and the 128 bytes that stand for one in memory.
//!
//! The manual leaves the 128 bytes opaque. Here they are, little endian:
//!
//! | bytes | field |
//! |---|---|
//! | 0–7 | global address |
//! | 8–39 | strides of dimensions 1 to 4, in bytes, 8 bytes each |
//! | 40–79 | sizes of dimensions 0 to 4, in elements, 8 bytes each |
//! | 80–99 | box sizes, in elements, 4 bytes each |
//! | 100–119 | element strides, 4 bytes each |
//! | 120 | rank minus one |
//! | 121 | element type, as `tensormap.replace` numbers them |
//! | 122 | interleave: 0 none, 1 16B, 2 32B |
//! | 123 | swizzle: 0 none, 1 32B, 2 64B, 3 128B, 4 96B |
//! | 124 | swizzle atomicity: 0 16B, 1 32B, 2 32B with 8B flip, 3 64B |
//! | 125 | fill: 0 zero, 1 NaN |
//! | 126 | L2 promotion: 0 none, 1 64B, 2 128B, 3 256B |
//! | 127 | zero |
//!
//! Every field has bytes of its own and zero is the default where there is one, so `tensormap.replace` builds an
//! object from zeros in any order; what the object says is checked when it is used ([`TensorMap::decode`]).
//! The conditions are those of `cuTensorMapEncodeTiled` (CUDA driver API, tensor map object management).

use std::fmt;

use super::swizzle::Swizzle;

/// The size of a tensor map in memory.
pub const BYTES: usize = 128;

macro_rules! elements {
    ($($(#[$doc:meta])* $name:ident $code:literal $text:literal $bytes:literal $float:literal)*) => {
        /// The type of a tensor's elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Element {
            $($(#[$doc])* $name),*
        }

        impl Element {
            /// All types.
            pub const ALL: &'static [Element] = &[$(Element::$name),*];

            /// The number that `tensormap.replace` gives it (ISA §9.7.10.29, table of new values).
            pub fn code(self) -> u8 {
                match self { $(Element::$name => $code),* }
            }

            /// Its name in PTX, without the dot.
            pub fn name(self) -> &'static str {
                match self { $(Element::$name => $text),* }
            }

            /// Its size.
            pub fn bytes(self) -> u64 {
                match self { $(Element::$name => $bytes),* }
            }

            /// Whether it is a floating-point type.
            pub fn is_float(self) -> bool {
                match self { $(Element::$name => $float),* }
            }
        }
    };
}

elements! {
    /// 8 bits.
    U8 0 "u8" 1 false
    /// 16 bits.
    U16 1 "u16" 2 false
    /// 32 bits.
    U32 2 "u32" 4 false
    /// 32 bits, signed.
    S32 3 "s32" 4 false
    /// 64 bits.
    U64 4 "u64" 8 false
    /// 64 bits, signed.
    S64 5 "s64" 8 false
    /// Half precision.
    F16 6 "f16" 2 true
    /// Single precision.
    F32 7 "f32" 4 true
    /// Double precision.
    F64 9 "f64" 8 true
    /// bfloat16.
    Bf16 10 "bf16" 2 true
}

impl Element {
    /// The type with a number of `tensormap.replace`.
    pub fn from_code(code: u8) -> Option<Element> {
        Self::ALL.iter().copied().find(|e| e.code() == code)
    }

    /// The type with a name.
    pub fn from_name(name: &str) -> Option<Element> {
        Self::ALL.iter().copied().find(|e| e.name() == name)
    }
}

/// What the elements of a box outside of the tensor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Fill {
    /// Zero.
    #[default]
    Zero,
    /// The special NaN "OOB-NaN". The manual does not give its bits; here all are ones.
    Nan,
}

/// The granularity of requests to L2: a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum L2Promotion {
    /// No hint.
    #[default]
    None,
    /// 64 bytes.
    B64,
    /// 128 bytes.
    B128,
    /// 256 bytes.
    B256,
}

/// A tensor map for tiled mode without interleaving. Dimension 0 is the innermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The type of the elements.
    pub element: Element,
    /// The global address of the element at the origin.
    pub address: u64,
    /// The size of each dimension, in elements; one to five of them.
    pub dims: Vec<u64>,
    /// The stride of each dimension but the first, in bytes.
    pub strides: Vec<u64>,
    /// The size of the box in each dimension, in elements that it spans.
    pub box_dims: Vec<u32>,
    /// How far apart the elements of a box are in each dimension; that of dimension 0 is ignored.
    pub element_strides: Vec<u32>,
    /// The permutation of shared memory.
    pub swizzle: Swizzle,
    /// What lies outside.
    pub fill: Fill,
    /// A hint.
    pub l2: L2Promotion,
}

/// Why 128 bytes or a description are no tensor map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensorMapError {
    /// A rank that is not 1 to 5.
    Rank(usize),
    /// Another number of entries than the rank asks for: of what, how many, how many there are.
    Count(&'static str, usize, usize),
    /// A number that no element type has, or that has no meaning here.
    Element(u8),
    /// The element types `f32.ftz`, `tf32`, `tf32.ftz`: the manual does not say what a copy does to the values.
    Conversion(&'static str),
    /// Packed element types of 4 and 6 bits.
    Packed(u8),
    /// A number that a field does not have: which field.
    Code(&'static str, u64),
    /// Interleaved layouts.
    Interleave,
    /// The global address is no multiple of 16.
    Address(u64),
    /// A size of a dimension that is zero or above 2^32: which, and what it is.
    Dim(usize, u64),
    /// A stride that is no multiple of 16 or not below 2^40: of which dimension, and what it is.
    Stride(usize, u64),
    /// A box size that is zero or above 256: of which dimension, and what it is.
    Box(usize, u32),
    /// The rows of a box are no multiple of 16 bytes: how many they have.
    BoxRow(u64),
    /// An element stride that is zero or above 8: of which dimension, and what it is.
    ElementStride(usize, u32),
    /// The rows of a box do not fill the swizzle's span: bytes of a row, bytes of the span.
    Span(u64, u64),
    /// A swizzle atomicity that the swizzling mode does not have.
    Atomicity(u8, u8),
    /// NaN fill for elements that are no floats.
    FillType(&'static str),
    /// An ordinal of a field that is above 4.
    Ordinal(u64),
}

impl fmt::Display for TensorMapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use TensorMapError::*;
        match self {
            Rank(n) => write!(f, "a tensor map has 1 to 5 dimensions, not {n}"),
            Count(what, wanted, given) => {
                write!(f, "there are {given} {what}, and {wanted} are needed")
            }
            Element(n) => write!(f, "no element type has the number {n}"),
            Conversion(name) => write!(
                f,
                "elements of type {name} are not supported: the manual does not say how a copy rounds them"
            ),
            Packed(n) => write!(
                f,
                "packed elements of 4 or 6 bits (number {n}) are not supported"
            ),
            Code(field, n) => write!(f, "the field {field} has no value {n}"),
            Interleave => write!(f, "interleaved layouts are not supported"),
            Address(a) => write!(f, "the global address {a:#x} is no multiple of 16"),
            Dim(i, n) => write!(f, "dimension {i} has the size {n}; 1 to 2^32 are possible"),
            Stride(i, n) => write!(
                f,
                "dimension {i} has a stride of {n} bytes; it must be a multiple of 16 and less than 2^40"
            ),
            Box(i, n) => write!(
                f,
                "the box has the size {n} in dimension {i}; 1 to 256 are possible"
            ),
            BoxRow(n) => write!(f, "a row of the box has {n} bytes, no multiple of 16"),
            ElementStride(i, n) => write!(
                f,
                "dimension {i} has an element stride of {n}; 1 to 8 are possible"
            ),
            Span(row, span) if row > span => write!(
                f,
                "a row of the box has {row} bytes, more than the {span} bytes that are swizzled"
            ),
            Span(row, span) => write!(
                f,
                "a row of the box has {row} bytes, fewer than the {span} bytes that are swizzled; the manual does not \
                 say where the rows go"
            ),
            Atomicity(mode, atom) => write!(
                f,
                "swizzling mode {mode} has no swizzle atomicity number {atom}"
            ),
            FillType(name) => write!(f, "NaN cannot fill elements of type {name}"),
            Ordinal(n) => write!(
                f,
                "a tensor map has five dimensions at most, no ordinal {n}"
            ),
        }
    }
}

impl std::error::Error for TensorMapError {}

impl TensorMap {
    /// How many elements of a box there are in a dimension: one for every element stride.
    pub fn box_count(&self, dim: usize) -> u64 {
        let step = if dim == 0 {
            1
        } else {
            self.element_strides[dim]
        };
        u64::from(self.box_dims[dim].div_ceil(step))
    }

    /// The bytes of a row of the box in shared memory.
    pub fn row_bytes(&self) -> u64 {
        self.box_count(0) * self.element.bytes()
    }

    /// The bytes of a box in shared memory, which is what a copy of one counts on its mbarrier.
    pub fn box_bytes(&self) -> u64 {
        (1..self.dims.len()).fold(self.row_bytes(), |n, i| n * self.box_count(i))
    }

    /// Whether the description is one of a tensor map.
    pub fn check(&self) -> Result<(), TensorMapError> {
        use TensorMapError as E;
        let rank = self.dims.len();
        if !(1..=5).contains(&rank) {
            return Err(E::Rank(rank));
        }
        for (what, wanted, given) in [
            ("strides", rank - 1, self.strides.len()),
            ("box sizes", rank, self.box_dims.len()),
            ("element strides", rank, self.element_strides.len()),
        ] {
            if wanted != given {
                return Err(E::Count(what, wanted, given));
            }
        }
        if !self.address.is_multiple_of(16) {
            return Err(E::Address(self.address));
        }
        for (i, n) in self.dims.iter().enumerate() {
            if *n == 0 || *n > 1 << 32 {
                return Err(E::Dim(i, *n));
            }
        }
        for (i, n) in self.strides.iter().enumerate() {
            if !n.is_multiple_of(16) || *n >= 1 << 40 {
                return Err(E::Stride(i + 1, *n));
            }
        }
        for (i, n) in self.box_dims.iter().enumerate() {
            if *n == 0 || *n > 256 {
                return Err(E::Box(i, *n));
            }
        }
        for (i, n) in self.element_strides.iter().enumerate().skip(1) {
            if *n == 0 || *n > 8 {
                return Err(E::ElementStride(i, *n));
            }
        }
        let row = self.row_bytes();
        if !row.is_multiple_of(16) {
            return Err(E::BoxRow(row));
        }
        if let Some(span) = self.swizzle.span()
            && row != span
        {
            return Err(E::Span(row, span));
        }
        if self.fill == Fill::Nan && !self.element.is_float() {
            return Err(E::FillType(self.element.name()));
        }
        Ok(())
    }

    /// The 128 bytes.
    pub fn encode(&self) -> Result<[u8; BYTES], TensorMapError> {
        self.check()?;
        let mut object = [0; BYTES];
        let mut put = |at: usize, bytes: &[u8]| object[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &self.address.to_le_bytes());
        for (i, n) in self.strides.iter().enumerate() {
            put(8 + 8 * i, &n.to_le_bytes());
        }
        for (i, n) in self.dims.iter().enumerate() {
            put(40 + 8 * i, &n.to_le_bytes());
        }
        for (i, n) in self.box_dims.iter().enumerate() {
            put(80 + 4 * i, &n.to_le_bytes());
        }
        for (i, n) in self.element_strides.iter().enumerate() {
            put(100 + 4 * i, &n.to_le_bytes());
        }
        let (mode, atom) = swizzle_codes(self.swizzle);
        let small = [
            self.dims.len() as u8 - 1,
            self.element.code(),
            0,
            mode,
            atom,
            self.fill as u8,
            self.l2 as u8,
        ];
        put(120, &small);
        Ok(object)
    }

    /// What 128 bytes stand for.
    pub fn decode(object: &[u8; BYTES]) -> Result<TensorMap, TensorMapError> {
        use TensorMapError as E;
        let word = |at: usize, n: usize| {
            let bytes = object[at..at + n].iter().rev();
            bytes.fold(0u64, |w, b| w << 8 | u64::from(*b))
        };
        let rank = usize::from(object[120]) + 1;
        if rank > 5 {
            return Err(E::Rank(rank));
        }
        let element = match object[121] {
            8 => return Err(E::Conversion("f32.ftz")),
            11 => return Err(E::Conversion("tf32")),
            12 => return Err(E::Conversion("tf32.ftz")),
            n @ 13..=15 => return Err(E::Packed(n)),
            n => Element::from_code(n).ok_or(E::Element(n))?,
        };
        match object[122] {
            0 => {}
            1 | 2 => return Err(E::Interleave),
            n => return Err(E::Code("interleave_layout", n.into())),
        }
        let fill = match object[125] {
            0 => Fill::Zero,
            1 => Fill::Nan,
            n => return Err(E::Code("fill_mode", n.into())),
        };
        let l2 = match object[126] {
            0 => L2Promotion::None,
            1 => L2Promotion::B64,
            2 => L2Promotion::B128,
            3 => L2Promotion::B256,
            n => return Err(E::Code("L2 promotion", n.into())),
        };
        let map = TensorMap {
            element,
            address: word(0, 8),
            dims: (0..rank).map(|i| word(40 + 8 * i, 8)).collect(),
            strides: (1..rank).map(|i| word(8 * i, 8)).collect(),
            box_dims: (0..rank).map(|i| word(80 + 4 * i, 4) as u32).collect(),
            element_strides: (0..rank).map(|i| word(100 + 4 * i, 4) as u32).collect(),
            swizzle: swizzle_of(object[123], object[124])?,
            fill,
            l2,
        };
        map.check()?;
        Ok(map)
    }
}

/// The numbers of a swizzling mode and of its atomicity (ISA §9.7.10.29, table of new values).
fn swizzle_codes(swizzle: Swizzle) -> (u8, u8) {
    match swizzle {
        Swizzle::None => (0, 0),
        Swizzle::B32 => (1, 0),
        Swizzle::B64 => (2, 0),
        Swizzle::B128 => (3, 0),
        Swizzle::B128Atom32 => (3, 1),
        Swizzle::B128Atom32Flip8 => (3, 2),
        Swizzle::B128Atom64 => (3, 3),
        Swizzle::B96 => (4, 0),
    }
}

/// The swizzling mode with these numbers.
fn swizzle_of(mode: u8, atom: u8) -> Result<Swizzle, TensorMapError> {
    if mode > 4 {
        return Err(TensorMapError::Code("swizzle_mode", mode.into()));
    }
    if atom > 3 {
        return Err(TensorMapError::Code("swizzle_atomicity", atom.into()));
    }
    // Without swizzling there is nothing to keep together, and any atomicity does.
    if mode == 0 {
        return Ok(Swizzle::None);
    }
    Swizzle::ALL
        .into_iter()
        .find(|s| swizzle_codes(*s) == (mode, atom))
        .ok_or(TensorMapError::Atomicity(mode, atom))
}

macro_rules! fields {
    ($($name:ident $text:literal)*) => {
        /// A field that `tensormap.replace` names (ISA §9.7.10.29).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // the PTX names say it
        pub enum Field {
            $($name),*
        }

        impl Field {
            /// All fields.
            pub const ALL: &'static [Field] = &[$(Field::$name),*];

            /// Its name in PTX, without the dot.
            pub fn name(self) -> &'static str {
                match self { $(Field::$name => $text),* }
            }
        }
    };
}

fields! {
    GlobalAddress "global_address"
    Rank "rank"
    BoxDim "box_dim"
    GlobalDim "global_dim"
    GlobalStride "global_stride"
    ElementStride "element_stride"
    ElemType "elemtype"
    InterleaveLayout "interleave_layout"
    SwizzleMode "swizzle_mode"
    SwizzleAtomicity "swizzle_atomicity"
    FillMode "fill_mode"
}

impl Field {
    /// The field with a name.
    pub fn from_name(name: &str) -> Option<Field> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// Whether there is one for every dimension, chosen by an ordinal.
    pub fn has_ordinal(self) -> bool {
        use Field::*;
        matches!(self, BoxDim | GlobalDim | GlobalStride | ElementStride)
    }

    /// Where the field lies in the 128 bytes: its first byte, and how many it has.
    ///
    /// `global_stride` 0 is the stride of dimension 1, in bytes, as the driver API counts them.
    fn place(self, ordinal: u64) -> Result<(usize, usize), TensorMapError> {
        let limit = match self {
            Field::GlobalStride => 3,
            _ if self.has_ordinal() => 4,
            _ => 0,
        };
        if ordinal > limit {
            return Err(TensorMapError::Ordinal(ordinal));
        }
        let i = ordinal as usize;
        Ok(match self {
            Field::GlobalAddress => (0, 8),
            Field::GlobalStride => (8 + 8 * i, 8),
            Field::GlobalDim => (40 + 8 * i, 8),
            Field::BoxDim => (80 + 4 * i, 4),
            Field::ElementStride => (100 + 4 * i, 4),
            Field::Rank => (120, 1),
            Field::ElemType => (121, 1),
            Field::InterleaveLayout => (122, 1),
            Field::SwizzleMode => (123, 1),
            Field::SwizzleAtomicity => (124, 1),
            Field::FillMode => (125, 1),
        })
    }

    /// `tensormap.replace`: writes the field of an object. The ordinal of a field without one is 0.
    pub fn replace(
        self,
        object: &mut [u8; BYTES],
        ordinal: u64,
        value: u64,
    ) -> Result<(), TensorMapError> {
        let (at, bytes) = self.place(ordinal)?;
        if bytes < 8 && value >> (8 * bytes) != 0 {
            return Err(TensorMapError::Code(self.name(), value));
        }
        object[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        Ok(())
    }
}
