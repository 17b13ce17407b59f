//! The limits within which one declaration must be checked. All are counts, so a verdict never depends on a clock.

/// Limits of the checker, per declaration. A declaration beyond one of them is refused with an error that names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Inference, reduction and comparison steps (`KernelError::OutOfSteps`). Arithmetic on big numbers counts by size.
    pub max_steps: u64,
    /// Depth of a term, and of calls within the checker (`KernelError::TooDeep`); twice as much for terms that reduction
    /// makes. The stack grows on demand up to it.
    pub max_depth: u32,
    /// Size in bits of a number that accelerated arithmetic may make (`KernelError::NatTooBig`).
    pub max_nat_bits: u64,
    /// New terms that checking one declaration may make (`KernelError::TooManyTerms`). A level, and eight words of a big
    /// number, count as a term. Substitution may come to twice as many nodes of old and new terms.
    pub max_terms: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_steps: 200_000_000,
            max_depth: 200_000,
            max_nat_bits: 1 << 24,
            max_terms: 10_000_000,
        }
    }
}
