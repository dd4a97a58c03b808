//! Records of the blocks that a device decodes, each independent of the others.

use std::ops::Range;

use bytes::Bytes;
use vyre_ops::checksum::ChecksumKind;

use crate::summary::ZstdBlockCounts;

/// The op that decodes a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockOp {
    /// `compression.lz4`.
    Lz4,
    /// `compression.zstd`.
    Zstd,
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
}

/// Result of a block on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockResult {
    /// Status code of the op: 0, or an error.
    pub(crate) error: u32,
    /// Output before the error.
    pub(crate) bytes: Bytes,
}

/// The blocks of a stream that a device can decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockStream {
    /// The blocks in stream order.
    pub(crate) blocks: Vec<Block>,
    /// Present if the blocks are the whole content, and nothing is wrong with the structure of the stream.
    pub(crate) whole: Option<WholeStream>,
}

/// What remains to be verified of a stream whose content is the output of its blocks, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WholeStream {
    /// The frames, in order. Together they have all blocks.
    pub(crate) frames: Vec<WholeFrame>,
    /// zstd blocks by type.
    pub(crate) zstd: ZstdBlockCounts,
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
