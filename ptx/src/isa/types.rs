//! The types of PTX by name (ISA §5.2).

/// The width in bits of a type that a register can have; predicates count as width 1.
pub fn width(ty: &str) -> Option<u32> {
    Some(match ty {
        "pred" => 1,
        "b8" | "u8" | "s8" | "e4m3" | "e5m2" => 8,
        "b16" | "u16" | "s16" | "f16" | "bf16" | "e4m3x2" | "e5m2x2" => 16,
        "b32" | "u32" | "s32" | "f32" | "tf32" => 32,
        "f16x2" | "bf16x2" | "u16x2" | "s16x2" | "u8x4" | "s8x4" => 32,
        "b64" | "u64" | "s64" | "f64" | "f32x2" => 64,
        "b128" => 128,
        _ => return None,
    })
}

/// Whether the type is a signed integer, or packs such.
pub fn is_signed(ty: &str) -> bool {
    ty.starts_with('s')
}

/// Whether the type is a floating-point format, or packs such.
pub fn is_float(ty: &str) -> bool {
    ["f", "bf", "tf", "e"].iter().any(|p| {
        ty.strip_prefix(p)
            .is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// A type with what is asked of it often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Ty {
    /// Its name, without the dot; empty where there is no type.
    pub name: &'static str,
    /// Its width; 0 where there is no type.
    pub bits: u32,
    /// Whether it is a signed integer.
    pub signed: bool,
}

impl Ty {
    /// The type of this name; no type if the name is none.
    pub fn new(name: &'static str) -> Ty {
        match width(name) {
            None => Ty::default(),
            Some(bits) => Ty {
                name,
                bits,
                signed: is_signed(name),
            },
        }
    }

    /// The type of the same kind with twice the bits.
    pub fn wide(self) -> Ty {
        Ty::new(match self.name {
            "u8" => "u16",
            "s8" => "s16",
            "b8" => "b16",
            "u16" => "u32",
            "s16" => "s32",
            "b16" => "b32",
            "u32" => "u64",
            "s32" => "s64",
            "b32" => "b64",
            "b64" => "b128",
            _ => "",
        })
    }

    /// The bit type with half the bits.
    pub fn half(self) -> Ty {
        Ty::new(match self.bits {
            128 => "b64",
            64 => "b32",
            32 => "b16",
            16 => "b8",
            _ => "",
        })
    }
}
