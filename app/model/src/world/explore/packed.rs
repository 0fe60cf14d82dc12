//! A state in 128 bits.

/// Clients at the most.
pub(super) const CLIENTS: usize = 3;
/// Attempts of all clients together at the most.
pub(super) const FLIGHTS: usize = 8;
/// Attempts of one client at the most.
pub(super) const ATTEMPTS: u32 = 7;
/// How many values of what is shared can be told apart.
pub(super) const SHAREDS: usize = 1 << 12;
/// How many places of attempts, and how many standings of clients.
pub(super) const CODES: usize = 1 << 8;

/// A canonical state, packed. From the lowest bit: eight attempts that nobody
/// waits for, 8 bits each, the largest first; the budget, 8; what is shared, 12;
/// three clients, 11 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Packed(pub(super) u128);

/// The same, opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Open {
    /// Two bits for each kind of trouble.
    pub(super) budget: u8,
    /// What is shared, by its number.
    pub(super) shared: u16,
    /// For each client: attempts sent, 3 bits, and its view by its number, 8 bits.
    pub(super) clients: [u16; CLIENTS],
    /// The attempts that nobody waits for, by number, falling; 0 is none.
    pub(super) orphans: [u8; FLIGHTS],
}

impl Packed {
    #[inline]
    pub(super) const fn open(self) -> Open {
        let high = (self.0 >> 64) as u64;
        Open {
            budget: high as u8,
            shared: (high >> 8) as u16 & 0xfff,
            clients: [
                (high >> 20) as u16 & 0x7ff,
                (high >> 31) as u16 & 0x7ff,
                (high >> 42) as u16 & 0x7ff,
            ],
            orphans: (self.0 as u64).to_be_bytes(),
        }
    }

    /// Spreads the bits for the index.
    #[inline]
    pub(super) const fn hash(self) -> u64 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let (high, low) = ((self.0 >> 64) as u64, self.0 as u64);
        let mixed = (low.wrapping_mul(ODD) ^ high).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 32
    }
}

impl Open {
    #[inline]
    pub(super) const fn close(&self) -> Packed {
        let [a, b, c] = self.clients;
        let high = self.budget as u64
            | (self.shared as u64) << 8
            | (a as u64) << 20
            | (b as u64) << 31
            | (c as u64) << 42;
        Packed((high as u128) << 64 | u64::from_be_bytes(self.orphans) as u128)
    }

    /// Takes the attempt at this place out.
    #[inline]
    pub(super) fn remove(&mut self, at: usize) {
        if let Some(rest) = self.orphans.get_mut(at..) {
            rest.rotate_left(1);
            if let Some(last) = rest.last_mut() {
                *last = 0;
            }
        }
    }

    /// Puts an attempt in its place among the others. 0 changes nothing.
    #[inline]
    pub(super) fn insert(&mut self, orphan: u8) {
        let mut carried = orphan;
        for slot in &mut self.orphans {
            if carried > *slot {
                std::mem::swap(slot, &mut carried);
            }
        }
    }

    /// Puts all of them in order.
    pub(super) fn sort(&mut self) {
        self.orphans.sort_unstable_by(|a, b| b.cmp(a));
    }
}

/// The view in a client's code.
#[inline]
pub(super) const fn view_of(code: u16) -> u8 {
    code as u8
}

/// The attempts sent in a client's code.
#[inline]
pub(super) const fn sent_of(code: u16) -> u32 {
    (code >> 8) as u32
}

/// A client's code.
#[inline]
pub(super) const fn code(sent: u32, view: u8) -> u16 {
    (sent as u16) << 8 | view as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn opened_and_closed_is_the_same(high in 0_u64..1 << 53, low: u64) {
            let packed = Packed(u128::from(high) << 64 | u128::from(low));
            prop_assert_eq!(packed.open().close(), packed);
        }

        #[test]
        fn orphans_stay_in_order(them in prop::collection::vec(1_u8.., 0..FLIGHTS), out: usize) {
            let mut open = Packed(0).open();
            for it in &them {
                open.insert(*it);
            }
            let mut expected = them.clone();
            if !them.is_empty() {
                expected.sort_unstable_by(|a, b| b.cmp(a));
                let at = out % them.len();
                expected.remove(at);
                open.remove(at);
            }
            expected.resize(FLIGHTS, 0);
            prop_assert_eq!(open.orphans.to_vec(), expected);
        }
    }
}
