//! Records of the blocks that a device decodes, each independent of the others.

use std::ops::Range;

use bytes::Bytes;

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
}
