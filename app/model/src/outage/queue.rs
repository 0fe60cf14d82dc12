//! The order of events: a radix queue over packed keys.

/// Bits of a digit: as many slots as a word has bits, so that the next full slot is
/// one instruction away.
const DIGIT: u32 = 6;
const SLOTS: usize = 1 << DIGIT;
/// Enough digits for 64 bits.
const LEVELS: usize = 11;
/// Keys in a block. Slots are chains of blocks that go back to a pool, so that a
/// million keys moving through the slots allocate nothing on their way.
const BLOCK: usize = 32;
/// The end of a chain.
const NONE: u32 = u32::MAX;

/// The lowest bits of a key carry a note for its owner.
const NOTE_BITS: u32 = 7;
/// The next ones name the client or request; the rest is the time.
const WHO_BITS: u32 = 20;

/// The most clients or requests that a key can tell apart.
pub(super) const MOST: u32 = 1 << WHO_BITS;
/// The largest note.
pub(super) const MOST_NOTE: u32 = (1 << NOTE_BITS) - 1;

/// The key of an event: by time (µs, below 2³⁷, which are 38 hours), then by number
/// (below [`MOST`]), with a note of at most [`MOST_NOTE`]. So events at one moment
/// come in the order of their numbers, on every machine.
pub(super) const fn key(at_us: u64, who: u32, note: u32) -> u64 {
    (at_us << (WHO_BITS + NOTE_BITS)) | ((who as u64) << NOTE_BITS) | note as u64
}

/// The last key of a moment, or of all time for a moment that no key can hold.
pub(super) const fn limit(at_us: u64) -> u64 {
    if at_us >> (u64::BITS - WHO_BITS - NOTE_BITS) > 0 {
        u64::MAX
    } else {
        key(at_us, MOST - 1, MOST_NOTE)
    }
}

/// The time (µs), the number and the note of a key.
pub(super) const fn parts(key: u64) -> (u64, u32, u32) {
    (
        key >> (WHO_BITS + NOTE_BITS),
        ((key >> NOTE_BITS) & (MOST as u64 - 1)) as u32,
        (key & MOST_NOTE as u64) as u32,
    )
}

/// A priority queue for keys that never go below the last one taken: time only
/// moves forward. A key lies at the level of the highest digit in which it differs
/// from the last key taken and moves down at most once a level, so that a push and
/// a pop cost the same however many keys wait. A binary heap's cost grows with the
/// logarithm instead.
///
/// Source: R. Ahuja, K. Mehlhorn, J. Orlin and R. Tarjan, "Faster algorithms for
/// the shortest path problem", 1990 (radix heap), here with digits of 6 bits.
#[derive(Clone, Debug)]
pub(super) struct RadixQueue {
    last: u64,
    len: u64,
    /// Which slots of a level hold keys.
    full: [u64; LEVELS],
    slots: Vec<Slot>,
    blocks: Vec<Block>,
    free: Vec<u32>,
}

/// A chain of blocks, of which only the first may have room.
#[derive(Clone, Copy, Debug)]
struct Slot {
    first: u32,
    /// Keys in the first block.
    filled: u32,
    /// The least key of the whole chain.
    least: u64,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    keys: [u64; BLOCK],
    next: u32,
}

const EMPTY: Slot = Slot {
    first: NONE,
    filled: BLOCK as u32,
    least: u64::MAX,
};

impl RadixQueue {
    pub(super) fn new() -> Self {
        Self {
            last: 0,
            len: 0,
            full: [0; LEVELS],
            slots: vec![EMPTY; LEVELS * SLOTS],
            blocks: Vec::new(),
            free: Vec::new(),
        }
    }

    /// How many keys wait.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Adds a key. One below the last taken would be in the past: it comes next.
    pub(super) fn push(&mut self, key: u64) {
        self.len += 1;
        self.place(key.max(self.last));
    }

    fn place(&mut self, key: u64) {
        let level = match key ^ self.last {
            0 => 0,
            differs => differs.ilog2() / DIGIT,
        };
        let digit = (key >> (level * DIGIT)) & (SLOTS as u64 - 1);
        let level = level as usize;
        self.full[level] |= 1 << digit;
        let at = level * SLOTS + digit as usize;
        if self.slots[at].filled == BLOCK as u32 {
            self.grow(at);
        }
        let slot = &mut self.slots[at];
        self.blocks[slot.first as usize].keys[slot.filled as usize] = key;
        slot.filled += 1;
        slot.least = slot.least.min(key);
    }

    /// Puts a block in front of a slot's chain.
    fn grow(&mut self, at: usize) {
        let block = Block {
            keys: [0; BLOCK],
            next: self.slots[at].first,
        };
        let first = match self.free.pop() {
            Some(index) => {
                self.blocks[index as usize].next = block.next;
                index
            }
            None => {
                self.blocks.push(block);
                self.blocks.len() as u32 - 1
            }
        };
        self.slots[at].first = first;
        self.slots[at].filled = 0;
    }

    /// The slot of the lowest key, opened up until all of its keys are the same.
    fn lowest(&mut self) -> Option<usize> {
        loop {
            let level = self.full.iter().position(|full| *full != 0)?;
            let digit = self.full[level].trailing_zeros() as usize;
            if level == 0 {
                return Some(digit);
            }
            let at = level * SLOTS + digit;
            let mut chain = std::mem::replace(&mut self.slots[at], EMPTY);
            self.full[level] &= !(1 << digit);
            // Nothing is left below this slot, so nothing can lie below its least.
            self.last = chain.least;
            while chain.first != NONE {
                let block = self.blocks[chain.first as usize];
                self.free.push(chain.first);
                for key in &block.keys[..chain.filled as usize] {
                    self.place(*key);
                }
                chain.first = block.next;
                chain.filled = BLOCK as u32;
            }
        }
    }

    /// Takes the lowest key, if it is at most `limit`.
    pub(super) fn pop_until(&mut self, limit: u64) -> Option<u64> {
        let at = self.lowest()?;
        let slot = self.slots[at];
        let index = slot.filled.checked_sub(1)?;
        let Block { keys, next } = &self.blocks[slot.first as usize];
        let (key, next) = (keys[index as usize], *next);
        if key > limit {
            return None;
        }
        if index > 0 {
            self.slots[at].filled = index;
        } else {
            self.free.push(slot.first);
            if next == NONE {
                self.slots[at] = EMPTY;
                self.full[0] &= !(1 << at);
            } else {
                self.slots[at].first = next;
                self.slots[at].filled = BLOCK as u32;
            }
        }
        self.last = key;
        self.len -= 1;
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    #[test]
    fn a_key_gives_back_its_parts() {
        let latest = (1 << 37) - 1;
        for at in [0, 1, 100_000, latest] {
            for who in [0, 1, MOST - 1] {
                for note in [0, MOST_NOTE] {
                    assert_eq!(parts(key(at, who, note)), (at, who, note));
                    assert!(key(at, who, note) <= limit(at));
                }
            }
            assert!(at == latest || limit(at) < key(at + 1, 0, 0));
        }
        assert_eq!(limit(u64::MAX), u64::MAX);
    }

    proptest! {
        /// A binary heap from the standard library is the second opinion.
        #[test]
        fn keys_come_out_as_from_a_heap(
            first in prop::collection::vec(any::<u64>().prop_map(|key| key >> 8), 0..200),
            later in prop::collection::vec((0_u32..50, any::<u64>()), 0..400),
        ) {
            let (mut ours, mut heap) = (RadixQueue::new(), BinaryHeap::new());
            for key in first {
                ours.push(key);
                heap.push(Reverse(key));
            }
            let mut later = later.into_iter();
            while let Some(Reverse(key)) = heap.pop() {
                if key > 0 {
                    // Asking in vain changes nothing.
                    prop_assert_eq!(ours.pop_until(key - 1), None);
                }
                prop_assert_eq!(ours.pop_until(u64::MAX), Some(key));
                if let Some((bits, more)) = later.next() {
                    let next = key.saturating_add(more & ((1 << bits) - 1));
                    ours.push(next);
                    heap.push(Reverse(next));
                }
                prop_assert_eq!(ours.len(), heap.len() as u64);
            }
            prop_assert_eq!(ours.pop_until(u64::MAX), None);
        }
    }
}
