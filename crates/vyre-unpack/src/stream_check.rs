//! Verification of the content of a stream while the device decodes the rest of it.

use rayon::prelude::*;
use vyre_ops::checksum::ChecksumKind;
use vyre_ops::compression::Status;
use xxhash_rust::xxh32::{Xxh32, xxh32};
use xxhash_rust::xxh64::Xxh64;

use crate::stream::{BlockStream, ContentSum, WholeFrame};

/// State of the checksum of a frame.
enum Hasher {
    Xxh32(Xxh32),
    Xxh64(Xxh64),
    Crc32(crc32fast::Hasher),
    /// The frame has no checksum.
    None,
    /// No code for the checksum.
    Unknown,
}

impl Hasher {
    fn new(sum: Option<ContentSum>) -> Hasher {
        match sum.map(|sum| sum.kind) {
            Some(ChecksumKind::Xxh32) => Hasher::Xxh32(Xxh32::new(0)),
            Some(ChecksumKind::Xxh64) => Hasher::Xxh64(Xxh64::new(0)),
            Some(ChecksumKind::Crc32) => Hasher::Crc32(crc32fast::Hasher::new()),
            Some(_) => Hasher::Unknown,
            None => Hasher::None,
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Xxh32(state) => state.update(bytes),
            Hasher::Xxh64(state) => state.update(bytes),
            Hasher::Crc32(state) => state.update(bytes),
            Hasher::None | Hasher::Unknown => {}
        }
    }

    /// True if the checksum of the frame is right.
    fn agrees(&self, sum: Option<ContentSum>) -> bool {
        let found = match self {
            Hasher::Xxh32(state) => state.digest(),
            // Formats store the lower 32 bits.
            Hasher::Xxh64(state) => state.digest() as u32,
            Hasher::Crc32(state) => state.clone().finalize(),
            Hasher::None => return true,
            Hasher::Unknown => return false,
        };
        sum.is_some_and(|sum| sum.low == found)
    }
}

/// Verification of a stream whose blocks arrive in order.
pub(crate) struct StreamCheck<'a> {
    input: &'a [u8],
    plan: &'a BlockStream,
    frames: &'a [WholeFrame],
    /// Number of blocks so far.
    next: usize,
    hasher: Hasher,
    /// Bytes of the current frame.
    frame_bytes: u64,
    /// Bytes of all frames.
    bytes: usize,
    is_right: bool,
}

impl<'a> StreamCheck<'a> {
    /// A check of a stream; none if the blocks are not its whole content, or their outputs cannot follow each other directly.
    pub(crate) fn new(input: &'a [u8], plan: &'a BlockStream) -> Option<StreamCheck<'a>> {
        let whole = plan.whole.as_ref()?;
        let (_, full) = plan.blocks.split_last()?;
        let sum = whole.frames.first().and_then(|frame| frame.sum);
        full.iter().all(|block| block.expected.is_multiple_of(4)).then(|| StreamCheck {
            input,
            plan,
            frames: &whole.frames,
            next: 0,
            hasher: Hasher::new(sum),
            frame_bytes: 0,
            bytes: 0,
            is_right: true,
        })
    }

    /// Adds the next blocks. Their outputs begin at the start of `output`, each at its upper bound aligned to 4 bytes.
    pub(crate) fn add(&mut self, statuses: &[Status], output: &[u8]) {
        let blocks = self.plan.blocks.get(self.next..self.next + statuses.len()).unwrap_or_default();
        let is_damaged = |block: &crate::stream::Block| {
            block.checksum.is_some_and(|expected| xxh32(&self.input[block.input.clone()], 0) != expected)
        };
        self.is_right &= blocks.len() == statuses.len() && !blocks.par_iter().any(is_damaged);
        let last = self.plan.blocks.len() - 1;
        let mut at = 0;
        for (block, status) in blocks.iter().zip(statuses) {
            let is_full = status.size == block.expected || self.next == last;
            if !self.is_right || status.code != 0 || !is_full {
                self.is_right = false;
                return;
            }
            self.finish_frames();
            let size = status.size as usize;
            let Some(bytes) = output.get(at..at + size) else {
                self.is_right = false;
                return;
            };
            self.hasher.update(bytes);
            self.frame_bytes += size as u64;
            self.bytes += size;
            at += block.expected.next_multiple_of(4) as usize;
            self.next += 1;
        }
    }

    /// Verifies the frames that end before the next block.
    fn finish_frames(&mut self) {
        while let Some((frame, rest)) = self.frames.split_first() {
            if frame.blocks.end > self.next {
                return;
            }
            self.is_right &= frame.size.is_none_or(|size| size == self.frame_bytes) && self.hasher.agrees(frame.sum);
            self.frames = rest;
            self.frame_bytes = 0;
            self.hasher = Hasher::new(rest.first().and_then(|frame| frame.sum));
        }
    }

    /// Number of bytes of the content if all of it is right.
    pub(crate) fn finish(mut self) -> Option<usize> {
        let has_all = self.next == self.plan.blocks.len();
        self.finish_frames();
        (self.is_right && has_all && self.frames.is_empty()).then_some(self.bytes)
    }
}
