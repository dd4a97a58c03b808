//! Records of the blocks that a device decodes, each independent of the others.

use std::ops::Range;

use bytes::Bytes;
use vyre_ops::checksum::ChecksumKind;

use super::deflate::max_inflated;
use crate::summary::ZstdBlockCounts;

/// The op that decodes a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockOp {
    /// `compression.lz4`.
    Lz4,
    /// `compression.zstd`: a raw or RLE block.
    Zstd,
    /// `compression.zstd_full`: a whole frame.
    ZstdFull,
    /// `compression.deflate`: a whole stream.
    Deflate,
}

/// A block that a device can decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The op that decodes it.
    pub(crate) op: BlockOp,
    /// Its bytes in the stream. A zstd block includes its header of 3 bytes.
    pub(crate) input: Range<usize>,
    /// Size of the output, or an upper bound if the size is unknown.
    pub(crate) expected: u32,
    /// True if the bytes are the output.
    pub(crate) is_stored: bool,
    /// XXH32 of its bytes, if the stream has one.
    pub(crate) checksum: Option<u32>,
    /// Number of units of [`StreamBlocks`](super::StreamBlocks) that it stands for: the blocks of a zstd frame, otherwise 1.
    pub(crate) units: u64,
}

impl Block {
    /// Maximum output of a block that a device decodes, in bytes. Sizes are claims of the stream, and the memory for them is taken before
    /// anything is decoded. One workgroup decodes a block, so larger ones are slow there.
    pub(crate) const MAX_DEVICE_OUTPUT: u32 = 64 << 20;

    /// True if a device may decode it: its output is small enough, and possible for its input.
    pub(crate) fn is_for_device(&self) -> bool {
        let is_possible =
            self.op != BlockOp::Deflate || u64::from(self.expected) <= max_inflated(self.input.len() as u64);
        self.expected <= Block::MAX_DEVICE_OUTPUT && is_possible
    }
}

/// Result of a block on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockResult {
    /// Status code of the op: 0, or an error; or [`BlockResult::NOT_DECODED`].
    pub(crate) error: u32,
    /// Output before the error.
    pub(crate) bytes: Bytes,
}

impl BlockResult {
    /// Code of a block that the device did not decode, because it does not fit the memory.
    pub(crate) const NOT_DECODED: u32 = u32::MAX;
}

/// The blocks of a stream that a device can decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockStream {
    /// The blocks in stream order.
    pub(crate) blocks: Vec<Block>,
    /// Present if the blocks are the whole content, and nothing is wrong with the structure of the stream.
    pub(crate) whole: Option<WholeStream>,
}

impl BlockStream {
    /// Upper bound of the output in bytes.
    pub(crate) fn room(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.expected)).sum()
    }

    /// Upper bound of the output of the blocks that a device may decode, in bytes.
    pub(crate) fn device_room(&self) -> u64 {
        let blocks = self.blocks.iter().filter(|block| block.is_for_device());
        blocks.map(|block| u64::from(block.expected).next_multiple_of(4)).sum()
    }

    /// True if a device may decode all of its blocks.
    pub(crate) fn is_for_device(&self) -> bool {
        self.blocks.iter().all(Block::is_for_device)
    }

    /// True if a device may decode some of its blocks.
    pub(crate) fn has_blocks_for_device(&self) -> bool {
        self.blocks.iter().any(Block::is_for_device)
    }

    /// Number of units of [`StreamBlocks`](super::StreamBlocks).
    pub(crate) fn units(&self) -> u64 {
        self.blocks.iter().map(|block| block.units).sum()
    }
}

/// What remains to be verified of a stream whose content is the output of its blocks, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WholeStream {
    /// The frames, in order. Together they have all blocks.
    pub(crate) frames: Vec<WholeFrame>,
    /// zstd blocks by type.
    pub(crate) zstd: ZstdBlockCounts,
    /// Name of the compressed file, if a gzip header has one.
    pub(crate) name: Option<Vec<u8>>,
}

/// A frame of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WholeFrame {
    /// Its blocks in the stream.
    pub(crate) blocks: Range<usize>,
    /// Size of its content, if it states one.
    pub(crate) size: Option<u64>,
    /// Checksum of its content, if it has one.
    pub(crate) sum: Option<ContentSum>,
}

/// Checksum of the content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentSum {
    pub(crate) kind: ChecksumKind,
    /// Low 32 bits of the checksum; the formats store no more.
    pub(crate) low: u32,
}
