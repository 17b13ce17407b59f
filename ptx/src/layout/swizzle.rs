//! Swizzling modes of shared memory (ISA §5.5.7).
//!
//! A mode permutes the bytes of shared memory. Where the data would lie at an address without swizzling, it lies at
//! [`Swizzle::apply`] of that address with it. The permutation depends on the absolute address alone: the manual's
//! "base offset" `(dst / 128) mod 8` of a box that does not start at a multiple of the pattern is nothing else.
//! Every mode is its own inverse.

/// How shared memory is permuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Swizzle {
    /// Not at all.
    #[default]
    None,
    /// 16-byte units within 32 bytes; repeats after 256 bytes.
    B32,
    /// 16-byte units within 64 bytes; repeats after 512 bytes.
    B64,
    /// 16-byte units, for rows of at most 96 bytes; repeats after 256 bytes.
    B96,
    /// 16-byte units within 128 bytes; repeats after 1024 bytes.
    B128,
    /// 32-byte units within 128 bytes; repeats after 512 bytes.
    B128Atom32,
    /// As [`Swizzle::B128Atom32`], and the halves of each 16 bytes are exchanged in every other line of 128 bytes.
    B128Atom32Flip8,
    /// 64-byte units within 128 bytes; repeats after 256 bytes.
    B128Atom64,
}

impl Swizzle {
    /// All modes.
    pub const ALL: [Swizzle; 8] = [
        Swizzle::None,
        Swizzle::B32,
        Swizzle::B64,
        Swizzle::B96,
        Swizzle::B128,
        Swizzle::B128Atom32,
        Swizzle::B128Atom32Flip8,
        Swizzle::B128Atom64,
    ];

    /// The mode's name: `none`, `32B`, `64B`, `96B`, `128B`, `128B_ATOM_32B`, `128B_ATOM_32B_FLIP_8B`, `128B_ATOM_64B`.
    pub fn name(self) -> &'static str {
        match self {
            Swizzle::None => "none",
            Swizzle::B32 => "32B",
            Swizzle::B64 => "64B",
            Swizzle::B96 => "96B",
            Swizzle::B128 => "128B",
            Swizzle::B128Atom32 => "128B_ATOM_32B",
            Swizzle::B128Atom32Flip8 => "128B_ATOM_32B_FLIP_8B",
            Swizzle::B128Atom64 => "128B_ATOM_64B",
        }
    }

    /// The mode with a name.
    pub fn from_name(name: &str) -> Option<Swizzle> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Where the byte lies that would lie at `address` without swizzling.
    pub fn apply(self, address: u64) -> u64 {
        // Bits 7 and up count lines of 128 bytes.
        let line = address >> 7;
        address
            ^ match self {
                Swizzle::None => 0,
                Swizzle::B32 | Swizzle::B96 => (line & 1) << 4,
                Swizzle::B64 => (line & 3) << 4,
                Swizzle::B128 => (line & 7) << 4,
                Swizzle::B128Atom32 => (line & 3) << 5,
                Swizzle::B128Atom32Flip8 => ((line & 3) << 5) ^ ((line & 1) << 3),
                Swizzle::B128Atom64 => (line & 1) << 6,
            }
    }

    /// The widest row of a box that the mode takes, in bytes; `None` without swizzling.
    pub fn span(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 => Some(32),
            Swizzle::B64 => Some(64),
            Swizzle::B96 => Some(96),
            _ => Some(128),
        }
    }

    /// How many bytes stay together: an aligned piece of this many bytes is moved as one. `None`: all of them.
    pub fn unit(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 | Swizzle::B64 | Swizzle::B96 | Swizzle::B128 => Some(16),
            Swizzle::B128Atom32 => Some(32),
            Swizzle::B128Atom32Flip8 => Some(8),
            Swizzle::B128Atom64 => Some(64),
        }
    }

    /// The pieces that `bytes` bytes from `address` on fall into: where each lies, and which of the bytes it is.
    pub fn pieces(self, address: u64, bytes: usize) -> Vec<(u64, std::ops::Range<usize>)> {
        let Some(unit) = self.unit() else {
            return vec![(address, 0..bytes)];
        };
        let mut pieces = Vec::new();
        let mut from = 0;
        while from < bytes {
            let at = address + from as u64;
            let to = bytes.min(from + (unit - at % unit) as usize);
            pieces.push((self.apply(at), from..to));
            from = to;
        }
        pieces
    }
}
