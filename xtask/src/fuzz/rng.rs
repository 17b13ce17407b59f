//! Pseudo-random numbers that are the same everywhere and for ever: SplitMix64 (Steele, Lea, Flood: Fast splittable
//! pseudorandom number generators, OOPSLA 2014).

/// A generator.
#[derive(Clone)]
pub struct Rng(u64);

impl Rng {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, or 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        match n {
            0 => 0,
            n => (self.bits() % n as u64) as usize,
        }
    }

    /// `true` once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of some things.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }
}
