//! Metadata blocks: up to 8 KiB each, with a length of two bytes before them. Decoded blocks are kept, within a bound.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::Compression;
use crate::archive::BlockOutput;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::{u16_at, u64_at};

/// Decoded size of a metadata block.
const BLOCK_BYTES: usize = 8192;
/// Bit of the length that marks a stored block.
const STORED: u16 = 0x8000;
/// Maximum number of decoded blocks that are kept.
const MAX_KEPT_BLOCKS: usize = 1024;

/// A decoded block and the offset of the next one.
struct DecodedBlock {
    bytes: Bytes,
    next: u64,
}

/// Reader of metadata.
pub(super) struct Metadata<'a> {
    image: &'a [u8],
    compression: Compression,
    budget: &'a Budget,
    decoded: BTreeMap<u64, DecodedBlock>,
}

/// A position in metadata: offset of a block, and offset in the decoded block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) block: u64,
    pub(super) offset: usize,
}

impl<'a> Metadata<'a> {
    pub(super) fn new(image: &'a [u8], compression: Compression, budget: &'a Budget) -> Metadata<'a> {
        Metadata { image, compression, budget, decoded: BTreeMap::new() }
    }

    /// The number at an offset of the image.
    pub(super) fn number(&self, at: u64) -> Option<u64> {
        u64_at(self.image, usize::try_from(at).ok()?)
    }

    /// The block at an offset of the image.
    fn block(&mut self, at: u64) -> Result<&DecodedBlock, Problem> {
        if !self.decoded.contains_key(&at) {
            let block = self.decode(at)?;
            if self.decoded.len() >= MAX_KEPT_BLOCKS {
                self.decoded.clear();
            }
            self.decoded.insert(at, block);
        }
        Ok(&self.decoded[&at])
    }

    fn decode(&self, at: u64) -> Result<DecodedBlock, Problem> {
        let cut = || Problem::new(at, ProblemKind::Truncated { what: "metadata of the squashfs image" });
        let start = usize::try_from(at).ok().and_then(|at| at.checked_add(2)).ok_or_else(cut)?;
        let header = u16_at(self.image, start - 2).ok_or_else(cut)?;
        let end = start + usize::from(header & !STORED);
        let input = self.image.get(start..end).ok_or_else(cut)?;
        let mut output = BlockOutput::new(self.budget, input.len() as u64);
        let decoded = if header & STORED != 0 {
            output.append(&input[..input.len().min(BLOCK_BYTES)])
        } else {
            self.compression.decode(input, BLOCK_BYTES, &mut output)
        };
        let bytes = output.discard();
        decoded.map_err(|kind| Problem::new(at, kind))?;
        Ok(DecodedBlock { bytes, next: end as u64 })
    }

    /// Reads `length` bytes at a position and advances it. The caller bounds the length.
    pub(super) fn read(&mut self, position: &mut Position, length: usize) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let Position { block: at, offset } = *position;
            let block = self.block(at)?;
            let part = block.bytes.get(offset..).unwrap_or_default();
            let part = &part[..part.len().min(length - bytes.len())];
            let next = block.next;
            let is_full = block.bytes.len() == BLOCK_BYTES;
            bytes.extend_from_slice(part);
            position.offset += part.len();
            if bytes.len() < length {
                // Only the last block of a table is shorter.
                if !is_full || offset > BLOCK_BYTES {
                    let kind = ProblemKind::Truncated { what: "metadata of the squashfs image" };
                    return Err(Problem::new(at, kind));
                }
                *position = Position { block: next, offset: 0 };
            }
        }
        Ok(bytes)
    }
}
