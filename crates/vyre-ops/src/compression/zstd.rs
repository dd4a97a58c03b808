//! `compression.zstd`: raw and RLE blocks of Zstandard; compressed ones are refused.
//!
//! A block is what the format calls so: a header of three bytes, then the payload. The header's bit 0 says whether the block is the
//! last of its frame, bits 1 and 2 are its type, and the others the size of its output, which for a raw block is that of its payload.

use vyre_ir::Program;
use vyre_ir::build::{Body, ProgramBuilder};

use super::block::{Buffers, Codes, STORED};
use crate::Op;
use crate::op::OVER_BUFFERS;

pub(crate) const OP: Op = Op {
    id: "compression.zstd",
    summary: "The bytes of raw and RLE blocks of Zstandard, and a status for each block; compressed blocks are refused.",
    canonical: program,
    ..OVER_BUFFERS
};

/// What can be wrong with a Zstandard block. The numbers are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum ZstdError {
    /// The header is cut off, has the reserved type or a size beyond 128 KiB, or does not fit the payload; or the block is not within
    /// the compressed data.
    CorruptBlock = 1,
    /// The output does not fit the room for it, or its place is wrong.
    OutputOverflow = 2,
    /// An RLE block has no byte to repeat.
    RlePayloadMissing = 3,
    /// The block is compressed with Huffman codes and FSE.
    UnsupportedCompressedBlock = 4,
}

impl ZstdError {
    /// All errors, by their codes.
    pub const ALL: [ZstdError; 4] = [
        ZstdError::CorruptBlock,
        ZstdError::OutputOverflow,
        ZstdError::RlePayloadMissing,
        ZstdError::UnsupportedCompressedBlock,
    ];

    /// The number in the status of a block.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The error with this number.
    #[must_use]
    pub fn from_code(code: u32) -> Option<ZstdError> {
        ZstdError::ALL.into_iter().find(|error| error.code() == code)
    }
}

const CODES: Codes = Codes { input: ZstdError::CorruptBlock as u32, output: ZstdError::OutputOverflow as u32 };

/// The size of a block's header.
const HEADER: u32 = 3;

/// The most bytes of a block.
const LARGEST_BLOCK: u32 = 128 << 10;

/// The types of blocks.
const RAW: u32 = 0;
const RLE: u32 = 1;
const COMPRESSED: u32 = 2;

/// The program: one invocation for each block.
fn program() -> Program {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let buffers = Buffers::declare(&mut p, 1);
    p.entry(|b| {
        let block = buffers.open(b, CODES);
        let fail = |b: &mut Body<'_>, error: ZstdError| buffers.fail(b, &block, error.code(), 0u32);
        let from = b.let_("from", &block.begin);
        let size = b.let_("size", &block.end - &block.begin);
        // By how much the place of input goes on with each byte of output.
        let stride = b.let_("stride", 1u32);
        b.if_((&block.flags & STORED).is_zero(), |b| {
            b.if_(size.lt(HEADER), |b| fail(b, ZstdError::CorruptBlock));
            let header = b.load_word(&buffers.compressed, &from);
            let header = b.let_("header", &header & 0x00ff_ffffu32);
            let payload = b.let_("payload", &size - HEADER);
            let kind = b.let_("kind", (&header >> 1u32) & 3u32);
            b.assign(&from, &from + HEADER);
            b.assign(&size, &header >> 3u32);
            b.if_(size.gt(LARGEST_BLOCK).or(kind.gt(COMPRESSED)), |b| fail(b, ZstdError::CorruptBlock));
            b.if_(kind.eq(COMPRESSED), |b| fail(b, ZstdError::UnsupportedCompressedBlock));
            b.if_(kind.eq(RAW).and(payload.ne(&size)), |b| fail(b, ZstdError::CorruptBlock));
            b.if_(kind.eq(RLE).and(payload.is_zero()), |b| fail(b, ZstdError::RlePayloadMissing));
            b.if_(kind.eq(RLE).and(payload.gt(1u32)), |b| fail(b, ZstdError::CorruptBlock));
            b.assign(&stride, kind.eq(RAW));
        });
        b.if_(size.gt(&block.room), |b| fail(b, ZstdError::OutputOverflow));
        let to = b.let_("to", 0u32);
        b.for_("step", 0u32, &size, |b, step| {
            let byte = b.load_byte(&buffers.compressed, &from + step * &stride);
            buffers.append_byte(b, &block, &to, &byte);
        });
        buffers.say(b, &block, 0u32, &to);
    })
}

/// `compression.zstd` of one block in plain Rust, written without the program: what is wrong with it, or its bytes. No more than
/// `room` bytes come out.
///
/// # Errors
///
/// What the program says of such a block.
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
