//! Problems: contents of buffers, and expected results.

use std::ops::Range;
use std::sync::Arc;

use crate::data::{bytes_of, difference, input_bytes};
use crate::error::Error;

/// Buffers and expected result of a workload at one size.
pub(super) struct Problem {
    /// Contents of the buffers that are read, by slot.
    pub(super) inputs: Vec<Contents>,
    /// Words of the result, whose buffer comes last. It is set to zero before a verification.
    pub(super) output_words: usize,
    /// Number of items, from which grids are computed: a workgroup or a block takes a number of them.
    pub(super) items: usize,
    /// Bytes that the algorithm reads and writes, if memory limits it.
    pub(super) bytes: Option<u64>,
    pub(super) expected: Expected,
}

/// Part of the expected result, by a plain computation. Ranges must begin at a multiple of [`ALIGNMENT_WORDS`].
pub(super) type Expected = Box<dyn Fn(Range<usize>) -> Vec<u32>>;

/// Alignment of ranges of a result: the first word of a workgroup.
pub(super) const ALIGNMENT_WORDS: usize = 1024;

/// Contents of a buffer.
#[derive(Clone)]
pub(super) enum Contents {
    /// This number of words of SplitMix64, each computed from its position.
    Random(usize),
    /// These words.
    Words(Arc<Vec<u32>>),
}

/// Words that are written at a time.
const CHUNK_WORDS: usize = 1 << 24;

impl Contents {
    /// Size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let words = match self {
            Contents::Random(words) => *words,
            Contents::Words(words) => words.len(),
        };
        words as u64 * 4
    }

    /// Calls `write` with all bytes in parts, each with the offset of its first byte.
    pub(super) fn for_each_part(&self, mut write: impl FnMut(u64, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
        match self {
            Contents::Random(words) => (0..*words)
                .step_by(CHUNK_WORDS)
                .try_for_each(|first| write(first as u64 * 4, &input_bytes(first, CHUNK_WORDS.min(words - first)))),
            Contents::Words(words) => words
                .chunks(CHUNK_WORDS)
                .zip(0_u64..)
                .try_for_each(|(part, number)| write(number * CHUNK_WORDS as u64 * 4, &bytes_of(part))),
        }
    }
}

/// Number and size of the parts of a result that are compared with a plain computation.
const PARTS: usize = 64;
const PART_WORDS: usize = 4 * ALIGNMENT_WORDS;

impl Problem {
    /// Bytes of the result.
    pub(super) fn output_bytes(&self) -> u64 {
        self.output_words as u64 * 4
    }

    /// Number of workgroups or blocks with `items_each` items each.
    pub(super) fn groups(&self, items_each: usize) -> u32 {
        u32::try_from(self.items.div_ceil(items_each)).unwrap_or(u32::MAX)
    }

    /// Compares parts of a result with a plain computation: the first, the last and some between them, which is all of a short
    /// result.
    pub(super) fn check_parts(&self, contender: &str, result: &[u8]) -> Result<(), Error> {
        let last = self.output_words.saturating_sub(1) / PART_WORDS;
        let step = last.div_ceil(PARTS).max(1);
        let parts = (0..last).step_by(step).chain([last]);
        for first in parts.map(|part| part * PART_WORDS) {
            let range = first..self.output_words.min(first + PART_WORDS);
            let expected = (self.expected)(range.clone());
            if let Some(found) = difference(first, &result[range.start * 4..range.end * 4], &expected) {
                let (contender, against) = (contender.to_owned(), "the host".to_owned());
                return Err(Error::Mismatch { contender, against, difference: found });
            }
        }
        Ok(())
    }
}
