//! Fingerprint of findings: 64-bit FNV-1a (Fowler, Noll, Vo).

use std::fmt;

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
        finding.map(u32::to_le_bytes).iter().for_each(|bytes| self.add_bytes(bytes));
    }

    /// Adds bytes.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        const PRIME: u64 = 0x0100_0000_01b3;
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
    }
}
