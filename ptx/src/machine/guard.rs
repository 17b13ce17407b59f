//! Bytes of shared memory that belong to live mbarrier objects: only mbarrier instructions may touch them
//! (ISA §9.7.15.16).

use super::fault::FaultKind;
use super::memory::SHARED_BASE;

/// For every 8 bytes whether they are an object.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    words: Vec<u64>,
    objects: usize,
}

impl Guard {
    /// Marks the 8 bytes at an offset, a multiple of 8, as an object or as free.
    pub fn set(&mut self, offset: usize, object: bool) {
        let (word, bit) = (offset / 512, offset / 8 % 64);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let old = self.words[word];
        self.words[word] = old & !(1 << bit) | u64::from(object) << bit;
        match (old >> bit & 1 == 1, object) {
            (false, true) => self.objects += 1,
            (true, false) => self.objects -= 1,
            _ => {}
        }
    }

    /// The offset of an object that some bytes touch.
    #[inline]
    pub fn touched(&self, offset: usize, bytes: usize) -> Option<usize> {
        if self.objects == 0 || bytes == 0 {
            return None;
        }
        (offset / 8..=(offset + bytes - 1) / 8)
            .find(|i| {
                self.words
                    .get(i / 64)
                    .is_some_and(|w| w >> (i % 64) & 1 == 1)
            })
            .map(|i| 8 * i)
    }
}

impl Guard {
    /// A fault if some bytes touch an object.
    pub fn check(&self, offset: usize, bytes: usize) -> Result<(), FaultKind> {
        match self.touched(offset, bytes) {
            None => Ok(()),
            Some(at) => Err(FaultKind::Mbarrier(format!(
                "the mbarrier at {:#x} is touched: only mbarrier instructions may do so while it lives",
                SHARED_BASE + at as u64
            ))),
        }
    }
}
