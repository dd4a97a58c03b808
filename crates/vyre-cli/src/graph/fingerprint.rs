//! Fingerprint of findings: 64-bit FNV-1a (Fowler, Noll, Vo).

use std::fmt;

/// The prime of the 64-bit hash.
const PRIME: u64 = 0x0100_0000_01b3;

/// 64-bit FNV-1a over the words source, sink and depth of all findings in order, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    /// Fingerprint of no findings.
    pub(crate) const EMPTY: Fingerprint = Fingerprint(0xcbf2_9ce4_8422_2325);

    /// Fingerprint of these findings.
    pub(crate) fn of(findings: impl IntoIterator<Item = [u32; 3]>) -> Fingerprint {
        let mut fingerprint = Fingerprint::EMPTY;
        findings.into_iter().for_each(|finding| fingerprint.add(finding));
        fingerprint
    }

    /// Adds the source, the sink and the depth of a finding.
    pub(crate) fn add(&mut self, finding: [u32; 3]) {
        finding.into_iter().for_each(|word| self.add_word(word));
    }

    /// Adds the bytes of a word. Zero bytes at its end are one multiplication, because they only multiply.
    fn add_word(&mut self, word: u32) {
        const POWERS: [u64; 5] = {
            let mut powers = [1; 5];
            let mut exponent = 1;
            while exponent < powers.len() {
                powers[exponent] = PRIME.wrapping_mul(powers[exponent - 1]);
                exponent += 1;
            }
            powers
        };
        let bytes = word.to_le_bytes();
        let last = 3 - (word | 1).leading_zeros() as usize / 8;
        self.add_bytes(&bytes[..last]);
        self.0 = (self.0 ^ u64::from(bytes[last])).wrapping_mul(POWERS[4 - last]);
    }

    /// Adds bytes.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    }
}

/// 16 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_fnv_1a_hashes() {
        assert_eq!(Fingerprint::of([]).to_string(), "cbf29ce484222325");
        let mut text = Fingerprint::EMPTY;
        text.add_bytes(b"foobar");
        assert_eq!(text.to_string(), "85944171f73967e8");
        assert_ne!(Fingerprint::of([[1, 2, 3]]), Fingerprint::of([[1, 2, 4]]));
        assert_eq!(Fingerprint::of([[1, 2, 3]]), {
            let mut bytes = Fingerprint::EMPTY;
            bytes.add_bytes(&[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
            bytes
        });
        for word in [0, 1, 0xff, 0x100, 0x1_0000, 0xff_ffff, 0x100_0000, 0x0100_0100, u32::MAX] {
            let mut bytes = Fingerprint::EMPTY;
            [word, 0, word].iter().for_each(|word| bytes.add_bytes(&word.to_le_bytes()));
            assert_eq!(Fingerprint::of([[word, 0, word]]), bytes, "{word:#x}");
        }
    }
}
