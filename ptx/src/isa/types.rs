//! The fundamental types of PTX by name (ISA §5.2.1).

/// The width in bits of a type that a register can have; predicates count as width 1.
pub fn width(ty: &str) -> Option<u32> {
    if ty == "pred" {
        return Some(1);
    }
    let digits = ty.strip_prefix(['b', 'u', 's', 'f'])?;
    match digits {
        "8" | "16" | "32" | "64" | "128" => digits.parse().ok(),
        _ => None,
    }
}

/// Whether the type is a signed integer.
pub fn is_signed(ty: &str) -> bool {
    ty.starts_with('s')
}
