//! Contents of buffers: the same in every run.

/// Numbers of SplitMix64.
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    pub(super) fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn word(&mut self) -> u32 {
        (self.number() >> 32) as u32
    }

    /// A number below `end`, which is small and not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((u64::from(self.word()) * end as u64) >> 32) as usize
    }

    pub(super) fn words(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.word()).collect()
    }
}

/// Text that repeats itself about as much as prose: words of a vocabulary, few of them often, with spaces and lines.
pub(super) fn prose(seed: u64, bytes: usize) -> Vec<u8> {
    const VOCABULARY: usize = 4_096;
    const LETTERS: &[u8] = b"eeeeeeetttttaaaaooooiiiinnnnsssrrrhhhlldddccuummffppggwwyybbvk";
    let mut random = Random::new(seed);
    let vocabulary: Vec<Vec<u8>> = (0..VOCABULARY)
        .map(|_| (0..2 + random.below(5) + random.below(5)).map(|_| LETTERS[random.below(LETTERS.len())]).collect())
        .collect();
    let mut text = Vec::with_capacity(bytes + 16);
    while text.len() < bytes {
        // The product of three numbers favours the words at the front.
        let choice = random.below(VOCABULARY) * random.below(VOCABULARY) / VOCABULARY;
        let choice = choice * random.below(VOCABULARY) / VOCABULARY;
        text.extend(&vocabulary[choice]);
        text.extend(match random.below(24) {
            0 => b".\n".as_slice(),
            1 | 2 => b", ",
            _ => b" ",
        });
    }
    text.truncate(bytes);
    text
}

/// Bytes as words, the first byte lowest; the last word is filled up with zeros.
pub(super) fn packed(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    bytes.chunks(4).map(word).collect()
}
