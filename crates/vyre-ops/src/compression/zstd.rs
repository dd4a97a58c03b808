//! `compression.zstd`: raw and RLE blocks of Zstandard (RFC 8878). Compressed blocks are rejected.
//!
//! The constants `ERROR_*` are the codes in the status of a block; [`ZstdError`] has a variant for each but [`ERROR_NONE`].
//!
//! A block is a header of three bytes, little-endian, and its payload.
//!
//! | Bits of the header | Content |
//! |---|---|
//! | 0 | 1 if the block is the last of its frame; ignored |
//! | 1 to 2 | type: 0 raw, 1 RLE, 2 compressed, 3 reserved |
//! | 3 to 23 | size of the output; for a raw block also of the payload |

use vyre_ir::Program;
use vyre_ir::build::{Body, ProgramBuilder};

use super::block::{Buffers, DescriptorErrorCodes, STORED};
use crate::Op;
use crate::op::BUFFER_OP;

pub(crate) const OP: Op = Op {
    id: "compression.zstd",
    summary: "The bytes of raw and RLE blocks of Zstandard, and a status for each block; compressed blocks are refused.",
    canonical: program,
    ..BUFFER_OP
};

/// Status code of a decoded block.
pub const ERROR_NONE: u32 = 0;

/// Status code of [`ZstdError::CorruptBlock`].
pub const ERROR_CORRUPT_BLOCK: u32 = 1;

/// Status code of [`ZstdError::OutputOverflow`].
pub const ERROR_OUTPUT_OVERFLOW: u32 = 2;

/// Status code of [`ZstdError::RlePayloadMissing`].
pub const ERROR_RLE_PAYLOAD_MISSING: u32 = 3;

/// Status code of [`ZstdError::UnsupportedCompressedBlock`].
pub const ERROR_UNSUPPORTED_COMPRESSED_BLOCK: u32 = 4;

/// Error of a Zstandard block. The codes are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum ZstdError {
    /// The header is truncated, has the reserved type or a size beyond 128 KiB, or does not match the payload; or the block is not
    /// within the compressed data.
    CorruptBlock = ERROR_CORRUPT_BLOCK,
    /// The output does not fit the room for it, or is misaligned or outside of the buffer.
    OutputOverflow = ERROR_OUTPUT_OVERFLOW,
    /// An RLE block has no byte to repeat.
    RlePayloadMissing = ERROR_RLE_PAYLOAD_MISSING,
    /// The block is compressed, with Huffman codes and FSE.
    UnsupportedCompressedBlock = ERROR_UNSUPPORTED_COMPRESSED_BLOCK,
}

impl ZstdError {
    /// All errors, by their codes.
    pub const ALL: [ZstdError; 4] = [
        ZstdError::CorruptBlock,
        ZstdError::OutputOverflow,
        ZstdError::RlePayloadMissing,
        ZstdError::UnsupportedCompressedBlock,
    ];

    /// Code in the status of a block.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The error with this code.
    #[must_use]
    pub fn from_code(code: u32) -> Option<ZstdError> {
        ZstdError::ALL.into_iter().find(|error| error.code() == code)
    }
}

/// Status codes of invalid descriptors.
const DESCRIPTOR_ERRORS: DescriptorErrorCodes =
    DescriptorErrorCodes { input: ERROR_CORRUPT_BLOCK, output: ERROR_OUTPUT_OVERFLOW };

/// Size of the header of a block.
const HEADER_BYTES: u32 = 3;

/// Maximum size of the output of a block.
const MAX_BLOCK_BYTES: u32 = 128 << 10;

// Types of blocks.
const RAW: u32 = 0;
const RLE: u32 = 1;
const COMPRESSED: u32 = 2;

/// Builds the program: one invocation for each block.
fn program() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let buffers = Buffers::declare(&mut p, 1);
    p.entry(|b| {
        let block = buffers.open(b, DESCRIPTOR_ERRORS);
        let fail = |b: &mut Body<'_>, error: ZstdError| buffers.fail(b, &block, error.code(), 0u32);
        let input = b.let_("input", &block.begin);
        let size = b.let_("size", &block.end - &block.begin);
        // Distance of the input of consecutive bytes of output: 1 for a raw block, 0 for an RLE block.
        let stride = b.let_("stride", 1u32);
        b.if_((&block.flags & STORED).is_zero(), |b| {
            b.if_(size.lt(HEADER_BYTES), |b| fail(b, ZstdError::CorruptBlock));
            let header = b.load_word(&buffers.compressed, &input);
            let header = b.let_("header", &header & 0x00ff_ffffu32);
            let payload = b.let_("payload", &size - HEADER_BYTES);
            let kind = b.let_("kind", (&header >> 1u32) & 3u32);
            b.assign(&input, &input + HEADER_BYTES);
            b.assign(&size, &header >> 3u32);
            b.if_(size.gt(MAX_BLOCK_BYTES).or(kind.gt(COMPRESSED)), |b| fail(b, ZstdError::CorruptBlock));
            b.if_(kind.eq(COMPRESSED), |b| fail(b, ZstdError::UnsupportedCompressedBlock));
            b.if_(kind.eq(RAW).and(payload.ne(&size)), |b| fail(b, ZstdError::CorruptBlock));
            b.if_(kind.eq(RLE).and(payload.is_zero()), |b| fail(b, ZstdError::RlePayloadMissing));
            b.if_(kind.eq(RLE).and(payload.gt(1u32)), |b| fail(b, ZstdError::CorruptBlock));
            b.assign(&stride, kind.eq(RAW));
        });
        b.if_(size.gt(&block.room), |b| fail(b, ZstdError::OutputOverflow));
        let written = b.let_("written", 0u32);
        b.for_("step", 0u32, &size, |b, step| {
            let byte = b.load_byte(&buffers.compressed, &input + step * &stride);
            buffers.append_byte(b, &block, &written, &byte);
        });
        buffers.set_status(b, &block, ERROR_NONE, &written);
    })
}

/// Host reference of `compression.zstd` for one block. The output has at most `room` bytes.
///
/// # Errors
///
/// The error that the program reports for the block.
pub fn zstd_block_on_host(block: &[u8], room: usize) -> Result<Vec<u8>, ZstdError> {
    let Some((&[a, b, c], payload)) = block.split_first_chunk() else { return Err(ZstdError::CorruptBlock) };
    let header = usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16;
    let size = header >> 3;
    if size > 131_072 {
        return Err(ZstdError::CorruptBlock);
    }
    let output = match ((header >> 1) % 4, payload) {
        (0, payload) if payload.len() == size => std::borrow::Cow::Borrowed(payload),
        (1, []) => return Err(ZstdError::RlePayloadMissing),
        (1, &[byte]) => vec![byte; size].into(),
        (2, _) => return Err(ZstdError::UnsupportedCompressedBlock),
        _ => return Err(ZstdError::CorruptBlock),
    };
    if output.len() > room {
        return Err(ZstdError::OutputOverflow);
    }
    Ok(output.into_owned())
}
