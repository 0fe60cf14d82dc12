//! Which states are known already.

use super::packed::Packed;

/// Which states are known: their positions, spread over a power of two.
pub(super) struct Index {
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl Index {
    pub(super) fn new() -> Self {
        Self {
            slots: vec![FREE; 1 << 12],
        }
    }

    /// Notes that `state` will be the next of `states`, unless it is one of them.
    #[inline]
    pub(super) fn insert(&mut self, states: &[Packed], state: Packed) -> bool {
        if states.len() * 2 >= self.slots.len() {
            self.grow(states);
        }
        let mask = self.slots.len() - 1;
        let mut at = state.hash() as usize & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            if *slot == FREE {
                *slot = states.len() as u32;
                return true;
            }
            if states.get(*slot as usize) == Some(&state) {
                return false;
            }
            at = (at + 1) & mask;
        }
        false
    }

    #[cold]
    fn grow(&mut self, states: &[Packed]) {
        let size = self.slots.len() * 4;
        let mask = size - 1;
        self.slots.clear();
        self.slots.resize(size, FREE);
        for (no, state) in (0..).zip(states) {
            let mut at = state.hash() as usize & mask;
            while let Some(slot) = self.slots.get_mut(at) {
                if *slot == FREE {
                    *slot = no;
                    break;
                }
                at = (at + 1) & mask;
            }
        }
    }
}
