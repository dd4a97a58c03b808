//! What was found, in a few numbers.

/// A source, a sink and the number of edges between them.
pub type Found = (u32, u32, u32);

/// Findings in any order, as their number and a sum of hashes. Digests of parts add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// How many findings.
    pub findings: u64,
    /// The sum of their hashes.
    pub sum: u64,
}

impl Digest {
    /// The digest of these.
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

/// What somebody says to have found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// So many findings.
    Count(u64),
    /// These findings.
    Digest(Digest),
}

/// What is right: all findings in order, and those of each source.
#[derive(Clone, Debug)]
pub struct Truth {
    fingerprint: u64,
    by_source: Vec<Digest>,
}

impl Truth {
    /// Nothing yet, for so many sources.
    #[must_use]
    pub fn new(sources: usize) -> Truth {
        Truth { fingerprint: 0xcbf2_9ce4_8422_2325, by_source: vec![Digest::default(); sources] }
    }

    /// Adds the next finding, which is of the source at `position`.
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

    /// How many findings there are.
    #[must_use]
    pub fn findings(&self) -> u64 {
        self.by_source.iter().map(|digest| digest.findings).sum()
    }

    /// Whether this is what the sources at these positions find.
    #[must_use]
    pub fn agrees(&self, positions: &[usize], answer: Answer) -> bool {
        let all = positions.iter().map(|&at| self.by_source[at]).fold(Digest::default(), Digest::join);
        match answer {
            Answer::Count(count) => all.findings == count,
            Answer::Digest(digest) => all == digest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_every_number_counts() {
        let all = [(1, 2, 3), (1, 5, 4), (7, 2, 1)];
        let parts = Digest::of(all[..1].iter().copied()).join(Digest::of(all[1..].iter().rev().copied()));
        assert_eq!(parts, Digest::of(all));
        for other in [(7, 2, 2), (7, 3, 1), (8, 2, 1)] {
            assert_ne!(Digest::of([all[0], all[1], other]), parts);
        }
    }

    #[test]
    fn the_truth_is_told_by_source() {
        let mut truth = Truth::new(2);
        truth.add(0, (1, 2, 3));
        truth.add(1, (7, 2, 1));
        assert_eq!(truth.findings(), 2);
        assert!(truth.agrees(&[1], Answer::Digest(Digest::of([(7, 2, 1)]))));
        assert!(truth.agrees(&[0, 1], Answer::Count(2)));
        assert!(!truth.agrees(&[0], Answer::Digest(Digest::of([(7, 2, 1)]))));
    }
}
