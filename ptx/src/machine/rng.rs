//! A small generator of pseudo-random numbers: everything that a run leaves open is decided by its seed.

/// SplitMix64 (Steele, Lea, Flood 2014): one word of state, good enough to pick schedules and garbage.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number below `bound`; 0 if `bound` is 0. Of bounds below 2^32 every number is equally likely, nearly.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, of: &'a [T; 4]) -> &'a T {
        &of[self.below(4) as usize]
    }

    /// True once in `n` times, on average.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A scrambled word: what unwritten memory and registers hold.
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Fills memory with garbage that depends on `seed` alone.
pub fn garbage(bytes: &mut [u8], seed: u64) {
    let mut rng = Rng::new(mix(seed ^ 0x5EED));
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&rng.next_u64().to_le_bytes()[..chunk.len()]);
    }
}
