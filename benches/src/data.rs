//! Contents of buffers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), equal on every machine and in every run.
//!
//! A word of an input depends on its position alone, so that no copy of a large input is kept for the verification.

use rayon::prelude::*;
use vyre_graph::generate::SplitMix64;

/// Words that a thread takes at a time; a multiple of every workgroup size.
const CHUNK_WORDS: usize = 1 << 16;

/// Number of bins of a histogram of bytes.
pub(crate) const BINS: usize = 256;

/// Word that differs from the expected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Position of the word.
    pub word: usize,
    /// Expected word.
    pub expected: u32,
    /// Word that was found.
    pub found: u32,
}

/// Word of an input: the high half of the output of SplitMix64 at its position.
pub(crate) fn input_word(position: usize) -> u32 {
    const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;
    (SplitMix64::new((position as u64).wrapping_mul(INCREMENT)).next_word() >> 32) as u32
}

/// Bytes of the words of an input from `first` on.
pub(crate) fn input_bytes(first: usize, words: usize) -> Vec<u8> {
    let mut bytes = vec![0; words * 4];
    bytes.par_chunks_mut(CHUNK_WORDS * 4).enumerate().for_each(|(chunk, bytes)| {
        for (at, word) in bytes.chunks_exact_mut(4).enumerate() {
            word.copy_from_slice(&input_word(first + chunk * CHUNK_WORDS + at).to_le_bytes());
        }
    });
    bytes
}

/// Bytes of words, in little endian.
pub(crate) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Compares bytes with the transformed words of the input. `first` must be the first word of a workgroup.
pub(crate) fn difference_to_input(first: usize, bytes: &[u8], transform: fn(&mut [u32])) -> Option<Difference> {
    let compare = |(chunk, bytes): (usize, &[u8])| {
        let first = first + chunk * CHUNK_WORDS;
        let mut expected: Vec<u32> = (0..bytes.len() / 4).map(|at| input_word(first + at)).collect();
        transform(&mut expected);
        difference(first, bytes, &expected)
    };
    bytes.par_chunks(CHUNK_WORDS * 4).enumerate().filter_map(compare).min_by_key(|difference| difference.word)
}

/// First word that differs; `first` is the position of the first word.
pub(crate) fn difference(first: usize, bytes: &[u8], expected: &[u32]) -> Option<Difference> {
    let found = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word));
    let mut pairs = expected.iter().zip(found).enumerate();
    pairs.find(|(_, (expected, found))| *expected != found).map(|(at, (&expected, found))| Difference {
        word: first + at,
        expected,
        found,
    })
}

/// Histogram of the lowest bytes of the first words of the input.
pub(crate) fn count_bytes(words: usize) -> Vec<u32> {
    let count_chunk = |chunk: usize| {
        let mut bins = vec![0; BINS];
        for at in chunk * CHUNK_WORDS..words.min((chunk + 1) * CHUNK_WORDS) {
            bins[input_word(at) as usize % BINS] += 1;
        }
        bins
    };
    let sum = |mut sum: Vec<u32>, bins: Vec<u32>| {
        sum.iter_mut().zip(bins).for_each(|(sum, bin)| *sum += bin);
        sum
    };
    (0..words.div_ceil(CHUNK_WORDS)).into_par_iter().map(count_chunk).reduce(|| vec![0; BINS], sum)
}

/// Random words of 32 bits.
pub(crate) struct Random(SplitMix64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(SplitMix64::new(seed))
    }

    pub(crate) fn word(&mut self) -> u32 {
        (self.0.next_word() >> 32) as u32
    }

    /// Number below `end`, which must be between 1 and 2^32.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u64::from(self.word()) * end as u64) >> 32) as usize
    }

    pub(crate) fn words(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.word()).collect()
    }
}

/// Text with about the repetition of prose: words of a random vocabulary with a skewed distribution, spaces and lines.
pub(crate) fn prose(seed: u64, bytes: usize) -> Vec<u8> {
    const VOCABULARY: usize = 4_096;
    const LETTERS: &[u8] = b"eeeeeeetttttaaaaooooiiiinnnnsssrrrhhhlldddccuummffppggwwyybbvk";
    let mut random = Random::new(seed);
    let vocabulary: Vec<Vec<u8>> = (0..VOCABULARY)
        .map(|_| (0..2 + random.below(5) + random.below(5)).map(|_| LETTERS[random.below(LETTERS.len())]).collect())
        .collect();
    let mut text = Vec::with_capacity(bytes + 16);
    while text.len() < bytes {
        // The product of three uniform numbers favours the first words.
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

/// Words of bytes in little endian; the last word is padded with zeros.
pub(crate) fn packed(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    bytes.chunks(4).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found() {
        let words = 3 * CHUNK_WORDS + 5;
        let mut bytes = input_bytes(0, words);
        assert_eq!(difference_to_input(0, &bytes, |_| {}), None);
        assert_eq!(input_bytes(CHUNK_WORDS, 7), bytes[CHUNK_WORDS * 4..][..28]);
        for word in [words - 1, CHUNK_WORDS + 1, 4] {
            bytes[word * 4 + 2] ^= 1;
            let expected = input_word(word);
            let found = expected ^ 0x1_0000;
            assert_eq!(difference_to_input(0, &bytes, |_| {}), Some(Difference { word, expected, found }));
        }
    }

    #[test]
    fn every_word_is_counted() {
        let words = CHUNK_WORDS + 9;
        assert_eq!(count_bytes(words).iter().sum::<u32>(), words as u32);
    }

    #[test]
    fn words_are_those_of_splitmix64() {
        // The first output for the seed 0 is 0xe220_a839_7b1d_cdaf.
        assert_eq!(input_word(0), 0xe220_a839);
        assert_eq!(Random::new(0).word(), 0xe220_a839);
    }
}
