//! Fingerprint of findings: 64-bit FNV-1a (Fowler, Noll, Vo).

mod parallel_fnv;

use std::fmt;

use self::parallel_fnv::{PRIME, UNIT_RECORDS, hash_units};
use crate::finding::Finding;

/// 64-bit FNV-1a over the words source, sink and depth of all findings in order, little-endian.
///
/// ```
/// use vyre_dataflow::{Finding, Fingerprint};
///
/// let mut fingerprint = Fingerprint::EMPTY;
/// fingerprint.add(&[Finding { source: 1, sink: 2, depth: 3, source_index: 0, facts: 1 }]);
/// let mut bytes = Fingerprint::EMPTY;
/// bytes.add_bytes(&[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
/// assert_eq!(fingerprint, bytes);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Fingerprint of no findings.
    pub const EMPTY: Fingerprint = Fingerprint(0xcbf2_9ce4_8422_2325);

    /// Adds findings, many of them on all threads.
    pub fn add(&mut self, findings: &[Finding]) {
        let words = |finding: &Finding| [finding.source, finding.sink, finding.depth];
        // Three parallel passes take the time of three or four serial ones.
        let is_shared = rayon::current_num_threads() > 4;
        let units = if is_shared { findings.len() / UNIT_RECORDS * UNIT_RECORDS } else { 0 };
        let (units, rest) = findings.split_at(units);
        self.0 = hash_units(self.0, units, words);
        rest.iter().flat_map(words).for_each(|word| self.add_word(word));
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
    pub fn add_bytes(&mut self, bytes: &[u8]) {
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
        let of = |findings: &[[u32; 3]]| {
            let finding =
                |&[source, sink, depth]: &[u32; 3]| Finding { source, sink, depth, source_index: 7, facts: 8 };
            let mut fingerprint = Fingerprint::EMPTY;
            fingerprint.add(&findings.iter().map(finding).collect::<Vec<_>>());
            fingerprint
        };
        assert_eq!(of(&[]).to_string(), "cbf29ce484222325");
        let mut text = Fingerprint::EMPTY;
        text.add_bytes(b"foobar");
        assert_eq!(text.to_string(), "85944171f73967e8");
        assert_ne!(of(&[[1, 2, 3]]), of(&[[1, 2, 4]]));
        assert_eq!(of(&[[1, 2, 3]]), {
            let mut bytes = Fingerprint::EMPTY;
            bytes.add_bytes(&[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
            bytes
        });
        for word in [0, 1, 0xff, 0x100, 0x1_0000, 0xff_ffff, 0x100_0000, 0x0100_0100, u32::MAX] {
            let mut bytes = Fingerprint::EMPTY;
            [word, 0, word].iter().for_each(|word| bytes.add_bytes(&word.to_le_bytes()));
            assert_eq!(of(&[[word, 0, word]]), bytes, "{word:#x}");
        }
        // Two units and a rest.
        let many: Vec<[u32; 3]> = (0..2 * UNIT_RECORDS as u32 + 5).map(|at| [at / 100, at % 100, at % 7]).collect();
        let mut bytes = Fingerprint::EMPTY;
        many.as_flattened().iter().for_each(|word| bytes.add_bytes(&word.to_le_bytes()));
        assert_eq!(of(&many), bytes);
    }
}
