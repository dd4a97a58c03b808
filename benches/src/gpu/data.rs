//! Contents of buffers, the same in every run, and comparing them. No copy is kept: a word follows from its position.

use rayon::prelude::*;

/// The words that a thread takes at a time; whole workgroups.
const STRETCH: usize = 1 << 16;

/// The bins of a histogram.
pub(crate) const BINS: usize = 256;

/// A word that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) word: usize,
    pub(crate) expected: u32,
    pub(crate) found: u32,
}

/// A word of the input: SplitMix64 of its position.
pub(crate) fn input_word(position: usize) -> u32 {
    let mut z = (position as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 32) as u32
}

/// A part of the input as bytes.
pub(crate) fn input_bytes(first: usize, words: usize) -> Vec<u8> {
    let mut bytes = vec![0; words * 4];
    bytes.par_chunks_mut(STRETCH * 4).enumerate().for_each(|(stretch, bytes)| {
        for (at, word) in bytes.chunks_exact_mut(4).enumerate() {
            word.copy_from_slice(&input_word(first + stretch * STRETCH + at).to_le_bytes());
        }
    });
    bytes
}

/// Compares bytes with what `transform` makes of the input. The first word must be the first of a workgroup.
pub(super) fn compare(first: usize, bytes: &[u8], transform: fn(&mut [u32])) -> Option<Difference> {
    let compare_stretch = |(stretch, bytes): (usize, &[u8])| {
        let first = first + stretch * STRETCH;
        let mut expected: Vec<u32> = (0..bytes.len() / 4).map(|at| input_word(first + at)).collect();
        transform(&mut expected);
        difference(first, bytes, &expected)
    };
    bytes.par_chunks(STRETCH * 4).enumerate().filter_map(compare_stretch).min_by_key(|difference| difference.word)
}

/// The first word that differs.
pub(crate) fn difference(first: usize, bytes: &[u8], expected: &[u32]) -> Option<Difference> {
    let found = bytes.chunks_exact(4).map(|word| word.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)));
    let mut pairs = expected.iter().zip(found).enumerate();
    pairs.find(|(_, (expected, found))| *expected != found).map(|(at, (&expected, found))| Difference {
        word: first + at,
        expected,
        found,
    })
}

/// How often the lowest byte of a word has each value in the input.
pub(crate) fn count_bytes(words: usize) -> Vec<u32> {
    let count_stretch = |stretch: usize| {
        let mut bins = vec![0; BINS];
        for at in stretch * STRETCH..words.min((stretch + 1) * STRETCH) {
            bins[input_word(at) as usize % BINS] += 1;
        }
        bins
    };
    let sum = |mut sum: Vec<u32>, bins: Vec<u32>| {
        sum.iter_mut().zip(bins).for_each(|(sum, bin)| *sum += bin);
        sum
    };
    (0..words.div_ceil(STRETCH)).into_par_iter().map(count_stretch).reduce(|| vec![0; BINS], sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found() {
        let words = 3 * STRETCH + 5;
        let mut bytes = input_bytes(0, words);
        assert_eq!(compare(0, &bytes, |_| {}), None);
        assert_eq!(input_bytes(STRETCH, 7), bytes[STRETCH * 4..][..28]);
        for word in [words - 1, STRETCH + 1, 4] {
            bytes[word * 4 + 2] ^= 1;
            let expected = input_word(word);
            let found = expected ^ 0x1_0000;
            assert_eq!(compare(0, &bytes, |_| {}), Some(Difference { word, expected, found }));
        }
    }

    #[test]
    fn every_word_is_counted() {
        let words = STRETCH + 9;
        assert_eq!(count_bytes(words).iter().sum::<u32>(), words as u32);
    }
}
