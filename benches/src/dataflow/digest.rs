//! Digests of findings: order-independent sums of hashes, and FNV-1a of all findings in order.

/// Finding: source, sink, and number of edges of the shortest path.
pub type Found = (u32, u32, u32);

/// Number of findings and sum of their hashes. It does not depend on their order, and digests of disjoint parts add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// Number of findings.
    pub findings: u64,
    /// Sum of the hashes of the findings.
    pub sum: u64,
}

impl Digest {
    /// Digest of some findings.
    pub fn of(found: impl IntoIterator<Item = Found>) -> Digest {
        let mut digest = Digest::default();
        found.into_iter().for_each(|found| digest.add(found));
        digest
    }

    /// Adds a finding.
    pub fn add(&mut self, (source, sink, depth): Found) {
        let key = u64::from(source) << 32 | u64::from(sink);
        let mixed = (key ^ key >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let hash = (mixed ^ mixed >> 29).wrapping_mul(2 * u64::from(depth) + 1);
        self.findings += 1;
        self.sum = self.sum.wrapping_add(hash);
    }

    fn join(self, other: Digest) -> Digest {
        Digest { findings: self.findings + other.findings, sum: self.sum.wrapping_add(other.sum) }
    }
}

/// Result of a search that is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Findings {
    /// Number of findings.
    Count(u64),
    /// Digest of the findings.
    Digest(Digest),
}

/// Expected findings: a fingerprint of all of them in order, and a digest for each source.
#[derive(Clone, Debug)]
pub struct Expected {
    fingerprint: u64,
    by_source: Vec<Digest>,
}

impl Expected {
    /// No findings yet, for `sources` sources.
    #[must_use]
    pub fn new(sources: usize) -> Expected {
        Expected { fingerprint: 0xcbf2_9ce4_8422_2325, by_source: vec![Digest::default(); sources] }
    }

    /// Adds the next finding in order; `position` is that of its source.
    pub fn add(&mut self, position: usize, found: Found) {
        // FNV-1a over little-endian words.
        for byte in [found.0, found.1, found.2].into_iter().flat_map(u32::to_le_bytes) {
            self.fingerprint = (self.fingerprint ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        self.by_source[position].add(found);
    }

    /// FNV-1a of all findings in order.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Number of findings.
    #[must_use]
    pub fn findings(&self) -> u64 {
        self.by_source.iter().map(|digest| digest.findings).sum()
    }

    /// Reports whether a result is that of the sources at these positions.
    #[must_use]
    pub fn agrees(&self, positions: &[usize], findings: Findings) -> bool {
        let all = positions.iter().map(|&at| self.by_source[at]).fold(Digest::default(), Digest::join);
        match findings {
            Findings::Count(count) => all.findings == count,
            Findings::Digest(digest) => all == digest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_of_parts_add_up_and_depend_on_every_number() {
        let all = [(1, 2, 3), (1, 5, 4), (7, 2, 1)];
        let parts = Digest::of(all[..1].iter().copied()).join(Digest::of(all[1..].iter().rev().copied()));
        assert_eq!(parts, Digest::of(all));
        for other in [(7, 2, 2), (7, 3, 1), (8, 2, 1)] {
            assert_ne!(Digest::of([all[0], all[1], other]), parts);
        }
    }

    #[test]
    fn findings_are_verified_by_source() {
        let mut expected = Expected::new(2);
        expected.add(0, (1, 2, 3));
        expected.add(1, (7, 2, 1));
        assert_eq!(expected.findings(), 2);
        assert!(expected.agrees(&[1], Findings::Digest(Digest::of([(7, 2, 1)]))));
        assert!(expected.agrees(&[0, 1], Findings::Count(2)));
        assert!(!expected.agrees(&[0], Findings::Digest(Digest::of([(7, 2, 1)]))));
    }
}
