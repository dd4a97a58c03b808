//! Problems: the contents of buffers, and what must come out.

use std::ops::Range;
use std::sync::Arc;

use crate::gpu::data::{difference, input_bytes};

use super::error::Error;

/// What a workload is run on, at one size.
pub(super) struct Problem {
    /// The buffers that are read, by slot.
    pub(super) inputs: Vec<Contents>,
    /// The words of the result, whose buffer comes last. It is set to zero before a result is looked at.
    pub(super) output_words: usize,
    /// What grids are made of: programs and kernels say how many of them a workgroup or a block takes.
    pub(super) items: usize,
    /// The bytes that the algorithm reads and writes, where memory matters.
    pub(super) bytes: Option<u64>,
    pub(super) expected: Expected,
}

/// What a part of the result must be, by a plain computation. Ranges begin at a multiple of [`ALIGNMENT`].
pub(super) type Expected = Box<dyn Fn(Range<usize>) -> Vec<u32>>;

/// Where ranges of a result begin: at the first word of a workgroup.
pub(super) const ALIGNMENT: usize = 1024;

/// The contents of a buffer.
#[derive(Clone)]
pub(super) enum Contents {
    /// So many words, each of which follows from its position.
    Scattered(usize),
    /// These words.
    Words(Arc<Vec<u32>>),
}

/// The words that are made at a time.
const CHUNK_WORDS: usize = 1 << 24;

impl Contents {
    /// The size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let words = match self {
            Contents::Scattered(words) => *words,
            Contents::Words(words) => words.len(),
        };
        words as u64 * 4
    }

    /// Gives all bytes to `write`, in parts, each with the position of its first byte.
    pub(super) fn for_each_part(&self, mut write: impl FnMut(u64, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
        match self {
            Contents::Scattered(words) => (0..*words)
                .step_by(CHUNK_WORDS)
                .try_for_each(|first| write(first as u64 * 4, &input_bytes(first, CHUNK_WORDS.min(words - first)))),
            Contents::Words(words) => words.chunks(CHUNK_WORDS).zip(0_u64..).try_for_each(|(part, number)| {
                let bytes: Vec<u8> = part.iter().flat_map(|word| word.to_le_bytes()).collect();
                write(number * CHUNK_WORDS as u64 * 4, &bytes)
            }),
        }
    }
}

/// The parts of a result that are compared with a plain computation, and the words of each.
const PARTS: usize = 64;
const PART_WORDS: usize = 4 * ALIGNMENT;

impl Problem {
    /// The bytes of the result.
    pub(super) fn output_bytes(&self) -> u64 {
        self.output_words as u64 * 4
    }

    /// How many workgroups or blocks take all items, if each takes so many.
    pub(super) fn groups(&self, items_each: usize) -> u32 {
        u32::try_from(self.items.div_ceil(items_each)).unwrap_or(u32::MAX)
    }

    /// Compares parts of a result with a plain computation: the first, the last and some between them, or everything where
    /// it is short.
    pub(super) fn check_parts(&self, code: &str, result: &[u8]) -> Result<(), Error> {
        let last = self.output_words.saturating_sub(1) / PART_WORDS;
        let step = last.div_ceil(PARTS).max(1);
        let parts = (0..last).step_by(step).chain([last]);
        for first in parts.map(|part| part * PART_WORDS) {
            let range = first..self.output_words.min(first + PART_WORDS);
            let expected = (self.expected)(range.clone());
            if let Some(found) = difference(first, &result[range.start * 4..range.end * 4], &expected) {
                let (code, against) = (code.to_owned(), "the host".to_owned());
                let (word, expected, found) = (found.word, found.expected, found.found);
                return Err(Error::Different { code, against, word, expected, found });
            }
        }
        Ok(())
    }
}
