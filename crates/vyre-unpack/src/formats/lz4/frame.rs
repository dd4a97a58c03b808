//! Structure of LZ4 frames (LZ4 frame format, version 1.6): headers and block offsets, without decoding.
//!
//! | Offset | Size | Field of a frame |
//! |---|---|---|
//! | 0 | 4 | magic number `0x184d2204` |
//! | 4 | 1 | flags, see below |
//! | 5 | 1 | bits 4 to 6: maximum block size, 2^(8 + 2n) bytes for n = 4 to 7; other bits zero |
//! | 6 | 8 | content size, with flag bit 3 |
//! | | 4 | dictionary id, with flag bit 0 |
//! | | 1 | header checksum: bits 8 to 15 of the XXH32 from offset 4 |
//! | | | blocks |
//! | | 4 | end mark: zero |
//! | | 4 | XXH32 of the content, with flag bit 2 |
//!
//! | Flag bits | Meaning |
//! |---|---|
//! | 0 | dictionary id exists |
//! | 1 | reserved, zero |
//! | 2 | content checksum exists |
//! | 3 | content size exists |
//! | 4 | block checksums exist |
//! | 5 | blocks are independent |
//! | 6, 7 | version, 1 |
//!
//! | Size | Field of a block |
//! |---|---|
//! | 4 | size in bits 0 to 30; bit 31: the block is stored |
//! | n | data |
//! | 4 | XXH32 of the data, with flag bit 4 |
//!
//! A legacy frame has the magic number `0x184c2102` and then only blocks, each a size and data. It ends where another frame or
//! the end of the input begins.

use std::ops::Range;

use xxhash_rust::xxh32::xxh32;

use crate::problem::{Problem, ProblemKind};
use crate::stream::{bytes_at, corrupt, problem, skippable, truncated, u32_at, u64_at, unsupported};

/// Magic number of a frame.
const MAGIC: u32 = 0x184d_2204;
/// Magic number of a legacy frame.
const LEGACY_MAGIC: u32 = 0x184c_2102;
/// Maximum output of a block of a legacy frame, in bytes.
const MAX_LEGACY_BLOCK_BYTES: u32 = 8 << 20;
/// Maximum size of a block of a legacy frame, reached by incompressible data, in bytes.
const MAX_LEGACY_COMPRESSED_BYTES: u32 = MAX_LEGACY_BLOCK_BYTES + MAX_LEGACY_BLOCK_BYTES / 255 + 16;
/// Bit of the block size that marks a stored block.
const STORED: u32 = 1 << 31;
/// Upper bound of the bytes of output for each byte of a block.
const MAX_RATIO: u64 = 255;

/// True if there is a frame or a legacy frame at `at`.
pub(super) fn has_any_magic(input: &[u8], at: usize) -> bool {
    has_magic(input, at) || has_legacy_magic(input, at)
}

/// True if there is a frame at `at`.
fn has_magic(input: &[u8], at: usize) -> bool {
    u32_at(input, at) == Some(MAGIC)
}

/// True if there is a legacy frame at `at`.
fn has_legacy_magic(input: &[u8], at: usize) -> bool {
    u32_at(input, at) == Some(LEGACY_MAGIC)
}

/// Header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    is_legacy: bool,
    is_linked: bool,
    has_block_checksums: bool,
    has_content_checksum: bool,
    content_size: Option<u64>,
    /// Maximum output of a block, in bytes.
    max_block_bytes: u32,
    /// Offset of the first block.
    blocks: usize,
}

/// Reads the header of the frame at `at`.
fn read_header(input: &[u8], at: usize) -> Result<Header, Problem> {
    let cut_off = || truncated(at, "LZ4 frame header");
    let [flags, sizes] = bytes_at(input, at + 4).ok_or_else(cut_off)?;
    if flags >> 6 != 1 {
        return Err(unsupported(at, format!("version {} of LZ4 frames", flags >> 6)));
    }
    if flags & 0b10 != 0 || sizes & 0b1000_1111 != 0 {
        return Err(corrupt(at, "the LZ4 frame header has reserved bits"));
    }
    let max_block_bytes = match sizes >> 4 {
        bits @ 4..=7 => 1 << (8 + 2 * bits),
        _ => return Err(corrupt(at, "the LZ4 frame header has no valid block size")),
    };
    let mut next = at + 6;
    let content_size = (flags & 0b1000 != 0).then(|| u64_at(input, next).ok_or_else(cut_off)).transpose()?;
    next += if content_size.is_some() { 8 } else { 0 };
    let dictionary = (flags & 1 != 0).then(|| u32_at(input, next).ok_or_else(cut_off)).transpose()?;
    next += if dictionary.is_some() { 4 } else { 0 };
    let expected = u64::from(*input.get(next).ok_or_else(cut_off)?);
    let found = u64::from(xxh32(&input[at + 4..next], 0) >> 8 & 0xff);
    if found != expected {
        return Err(problem(next, ProblemKind::Checksum { what: "checksum of the LZ4 frame header", expected, found }));
    }
    if let Some(dictionary @ 1..) = dictionary {
        return Err(unsupported(at, format!("LZ4 dictionary {dictionary}")));
    }
    Ok(Header {
        is_legacy: false,
        is_linked: flags & 0b10_0000 == 0,
        has_block_checksums: flags & 0b1_0000 != 0,
        has_content_checksum: flags & 0b100 != 0,
        content_size,
        max_block_bytes,
        blocks: next + 1,
    })
}

/// A block of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameBlock {
    /// Its data in the stream.
    pub(super) input: Range<usize>,
    /// True if the data are the output.
    pub(super) is_stored: bool,
    /// XXH32 of the data.
    pub(super) checksum: Option<u32>,
    /// Upper bound of the output, in bytes.
    pub(super) max_output: u32,
    /// Size of the output if all preceding blocks are full; otherwise as [`max_output`](FrameBlock::max_output).
    pub(super) expected: u32,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    header: Header,
    /// Offset of the frame.
    pub(super) start: usize,
    /// Number of blocks before the first problem.
    pub(super) block_count: u64,
    /// Offset of the end mark, or of the block with a problem.
    pub(super) blocks_end: usize,
    /// Upper bound of the output of all blocks, in bytes.
    pub(super) max_output: u64,
    /// Offset and value of the checksum of the content.
    pub(super) content_checksum: Option<(usize, u32)>,
    /// Offset of the next frame, or the problem that hides it.
    pub(super) end: Result<usize, Problem>,
}

impl Frame {
    /// Scans the frame at `at`, which must have the magic number.
    pub(super) fn scan(input: &[u8], at: usize) -> Result<Frame, Problem> {
        let header = if has_legacy_magic(input, at) {
            Header {
                is_legacy: true,
                is_linked: false,
                has_block_checksums: false,
                has_content_checksum: false,
                content_size: None,
                max_block_bytes: MAX_LEGACY_BLOCK_BYTES,
                blocks: at + 4,
            }
        } else {
            read_header(input, at)?
        };
        let (mut block_count, mut max_output, mut next) = (0, 0, header.blocks);
        let mut content_checksum = None;
        let end = loop {
            match read_block(input, next, &header) {
                Ok(Some((block, after))) => {
                    block_count += 1;
                    max_output += u64::from(block.max_output);
                    next = after;
                }
                Ok(None) if header.is_legacy => break Ok(next),
                Ok(None) if header.has_content_checksum => match u32_at(input, next + 4) {
                    Some(sum) => {
                        content_checksum = Some((next + 4, sum));
                        break Ok(next + 8);
                    }
                    None => break Err(truncated(next + 4, "checksum of the LZ4 frame")),
                },
                Ok(None) => break Ok(next + 4),
                Err(problem) => break Err(problem),
            }
        };
        Ok(Frame { header, start: at, block_count, blocks_end: next, max_output, content_checksum, end })
    }

    /// Size of the content according to the header.
    pub(super) fn content_size(&self) -> Option<u64> {
        self.header.content_size
    }

    /// True if blocks refer to preceding blocks.
    pub(super) fn is_linked(&self) -> bool {
        self.header.is_linked && self.block_count > 1
    }

    /// The blocks before the first problem.
    pub(super) fn blocks<'f>(&'f self, input: &'f [u8]) -> FrameBlocks<'f> {
        FrameBlocks { frame: self, input, index: 0, next: self.header.blocks }
    }

    /// Size of the last block if all others are full.
    fn expected_last(&self) -> Option<u64> {
        let before = self.block_count.checked_sub(1)?.checked_mul(u64::from(self.header.max_block_bytes))?;
        self.header.content_size?.checked_sub(before)
    }
}

/// Iterator over the blocks of a frame.
#[derive(Clone)]
pub(super) struct FrameBlocks<'f> {
    frame: &'f Frame,
    input: &'f [u8],
    index: u64,
    next: usize,
}

impl Iterator for FrameBlocks<'_> {
    type Item = FrameBlock;

    fn next(&mut self) -> Option<FrameBlock> {
        if self.index == self.frame.block_count {
            return None;
        }
        let (mut block, next) = read_block(self.input, self.next, &self.frame.header).ok()??;
        self.next = next;
        self.index += 1;
        if self.index == self.frame.block_count
            && !block.is_stored
            && let Some(size @ 1..) = self.frame.expected_last()
        {
            block.expected = block.max_output.min(u32::try_from(size).unwrap_or(u32::MAX));
        }
        Some(block)
    }
}

/// Reads the block at `at`. Returns it with the offset of the next one; none at the end of the frame.
fn read_block(input: &[u8], at: usize, header: &Header) -> Result<Option<(FrameBlock, usize)>, Problem> {
    let cut_off = || truncated(at, "LZ4 block");
    if header.is_legacy && ends_legacy_frame(input, at) {
        return Ok(None);
    }
    let word = u32_at(input, at).ok_or_else(cut_off)?;
    let (size, is_stored) = if header.is_legacy { (word, false) } else { (word & !STORED, word & STORED != 0) };
    if header.is_legacy {
        if size == 0 || size > MAX_LEGACY_COMPRESSED_BYTES {
            let bytes = (input.len() - at) as u64;
            return Err(problem(at, ProblemKind::TrailingGarbage { bytes }));
        }
    } else if word == 0 {
        return Ok(None);
    } else if size > header.max_block_bytes {
        return Err(corrupt(at, "the LZ4 block is larger than the header of its frame allows"));
    }
    let start = at + 4;
    let end = start + size as usize;
    if end > input.len() {
        return Err(cut_off());
    }
    let checksum = header.has_block_checksums.then(|| u32_at(input, end).ok_or_else(cut_off)).transpose()?;
    let max_output =
        if is_stored { size } else { (u64::from(size) * MAX_RATIO).min(u64::from(header.max_block_bytes)) as u32 };
    let block = FrameBlock { input: start..end, is_stored, checksum, max_output, expected: max_output };
    Ok(Some((block, if header.has_block_checksums { end + 4 } else { end })))
}

/// True if a legacy frame ends at `at`: at the end of the input, or where another frame begins.
fn ends_legacy_frame(input: &[u8], at: usize) -> bool {
    at == input.len() || has_any_magic(input, at) || skippable::is_at(input, at)
}
