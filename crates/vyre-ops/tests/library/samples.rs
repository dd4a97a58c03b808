//! Sample words: corner cases and pseudo-random words, the same in every run.

/// Corner cases.
pub(crate) const CORNERS: &[u32] = &[
    0,
    1,
    2,
    3,
    5,
    22,
    23,
    30,
    31,
    32,
    33,
    63,
    64,
    // A count of 1 and of 31 for packed fields, at offsets 0, 1 and 31.
    1 << 5,
    31 << 5,
    31 << 5 | 1,
    31 << 5 | 31,
    1 << 5 | 31,
    // The same with new bits.
    0xffff_ffe0,
    0xffff_fc3f,
    0xffff_fc00,
    1023,
    1024,
    0xffff,
    0x1_0000,
    0x1_0001,
    // Bounds with the high half below, at and above the low half.
    0x0010_0020,
    0x0020_0020,
    0x0020_0010,
    0x0fff_f000,
    0xffff_0000,
    0x5555_5555,
    0xaaaa_aaaa,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
];

/// Generator of words (xorshift*): a mixture of small, large and sparse ones.
pub(crate) struct Words {
    state: u64,
}

impl Words {
    pub(crate) fn new(seed: u64) -> Words {
        Words { state: seed | 1 }
    }

    fn bits(&mut self) -> u32 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    pub(crate) fn word(&mut self) -> u32 {
        let (kind, word) = (self.bits() % 8, self.bits());
        match kind {
            0 => word % 64,
            1 => word >> (self.bits() % 32),
            2 => word & self.bits() & self.bits(),
            3 => CORNERS[word as usize % CORNERS.len()],
            _ => word,
        }
    }
}

/// Triples for laws: every pair of corner cases with a third one, then pseudo-random triples.
pub(crate) fn triples(random: usize) -> Vec<[u32; 3]> {
    let mut words = Words::new(0x1a5);
    let mut triples = Vec::new();
    for &a in CORNERS {
        for &b in CORNERS {
            triples.push([a, b, CORNERS[words.word() as usize % CORNERS.len()]]);
        }
    }
    triples.extend((0..random).map(|_| [words.word(), words.word(), words.word()]));
    triples
}
