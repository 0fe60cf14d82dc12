//! One number for a whole result, to compare two machines by.

/// FNV-1a over 64-bit words, byte by byte from the lowest. Not for secrets: two
/// results that differ by accident differ in it.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, "The FNV Non-Cryptographic Hash
/// Algorithm" (offset basis and prime for 64 bits).
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u64);

impl Digest {
    pub(super) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(super) const fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_fnv_1a_and_the_order_counts() {
        let of = |words: &[u64]| {
            let mut digest = Digest::new();
            words.iter().for_each(|word| digest.add(*word));
            digest.value()
        };
        assert_eq!(of(&[]), 0xcbf2_9ce4_8422_2325);
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        // Eight zero bytes, and "foobar12", worked out apart from this code.
        assert_eq!(of(&[0]), 0xa8c7_f832_281a_39c5);
        let word = u64::from_le_bytes(*b"foobar12");
        assert_eq!(of(&[word]), 0x7495_bbeb_4ef8_b7cb);
    }
}
