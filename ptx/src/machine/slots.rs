//! Sets of slots.

/// A set of slots, of all frames of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotSet {
    words: Vec<u64>,
    count: u32,
}

impl SlotSet {
    /// Adds a slot.
    pub fn insert(&mut self, slot: u32) {
        let (word, bit) = (slot as usize / 64, 1 << (slot % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        if self.words[word] & bit == 0 {
            self.words[word] |= bit;
            self.count += 1;
        }
    }

    /// Whether a slot is in it.
    #[inline]
    pub fn contains(&self, slot: u32) -> bool {
        let word = self.words.get(slot as usize / 64).copied().unwrap_or(0);
        word >> (slot % 64) & 1 == 1
    }

    /// Whether it has no slot.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes all slots out.
    pub fn clear(&mut self) {
        if self.count > 0 {
            self.words.fill(0);
            self.count = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_go_in_and_out() {
        let mut set = SlotSet::default();
        assert!(set.is_empty() && !set.contains(0) && !set.contains(700));
        for slot in [0, 63, 64, 700, 64] {
            set.insert(slot);
        }
        assert!([0, 63, 64, 700].iter().all(|s| set.contains(*s)));
        assert!(!set.contains(1) && !set.contains(701));
        set.clear();
        assert!(set.is_empty() && !set.contains(64));
    }
}
