//! The structure of LZ4 frames: headers and where blocks are, without decoding them.

use std::ops::Range;

use xxhash_rust::xxh32::xxh32;

use super::read::{bytes_at, u32_at, u64_at};
use super::{corrupt, problem, truncated, unsupported};
use crate::problem::{Problem, ProblemKind};

/// The magic number of a frame.
const MAGIC: u32 = 0x184d_2204;
/// The magic number of a frame of the first version of the format, which has nothing but blocks.
const LEGACY_MAGIC: u32 = 0x184c_2102;
/// The most output of a block of a legacy frame.
const LEGACY_BLOCK: u32 = 8 << 20;
/// The most bytes of a block of a legacy frame: that of incompressible output.
const LEGACY_COMPRESSED: u32 = LEGACY_BLOCK + LEGACY_BLOCK / 255 + 16;
/// The bit of a block's size that says that the block is stored.
const STORED: u32 = 1 << 31;
/// No byte of a block makes more output than this.
const MOST_RATIO: u64 = 255;

/// Whether there is a frame at `at`.
pub(super) fn has_magic(input: &[u8], at: usize) -> bool {
    u32_at(input, at) == Some(MAGIC)
}

/// Whether there is a legacy frame at `at`.
pub(super) fn has_legacy_magic(input: &[u8], at: usize) -> bool {
    u32_at(input, at) == Some(LEGACY_MAGIC)
}

/// What the header of a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    is_legacy: bool,
    is_linked: bool,
    has_block_sums: bool,
    has_content_sum: bool,
    content_size: Option<u64>,
    /// The most output of a block.
    block_most: u32,
    /// Where the first block is.
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
    let block_most = match sizes >> 4 {
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
        has_block_sums: flags & 0b1_0000 != 0,
        has_content_sum: flags & 0b100 != 0,
        content_size,
        block_most,
        blocks: next + 1,
    })
}

/// A block of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameBlock {
    /// Its bytes in the stream.
    pub(super) input: Range<usize>,
    /// Whether its bytes are the output.
    pub(super) stored: bool,
    /// The XXH32 of its bytes.
    pub(super) sum: Option<u32>,
    /// The most output that it may have and can have.
    pub(super) room: u32,
    /// The output that it has if all blocks before are full, or as [`room`](FrameBlock::room).
    pub(super) expected: u32,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    header: Header,
    /// Where it begins.
    pub(super) start: usize,
    /// How many blocks there are before a problem.
    pub(super) block_count: u64,
    /// Where the end mark is, or the block that has a problem.
    pub(super) blocks_end: usize,
    /// The most output that the blocks can have together.
    pub(super) room: u64,
    /// The checksum of the content, and where it is.
    pub(super) content_sum: Option<(usize, u32)>,
    /// Where the next frame begins, or why it cannot be found.
    pub(super) end: Result<usize, Problem>,
}

impl Frame {
    /// Looks over the frame at `at`, which has the magic number of one.
    pub(super) fn scan(input: &[u8], at: usize) -> Result<Frame, Problem> {
        let header = if has_legacy_magic(input, at) {
            Header {
                is_legacy: true,
                is_linked: false,
                has_block_sums: false,
                has_content_sum: false,
                content_size: None,
                block_most: LEGACY_BLOCK,
                blocks: at + 4,
            }
        } else {
            read_header(input, at)?
        };
        let (mut block_count, mut room, mut next) = (0, 0, header.blocks);
        let mut content_sum = None;
        let end = loop {
            match read_block(input, next, &header) {
                Ok(Some((block, after))) => {
                    block_count += 1;
                    room += u64::from(block.room);
                    next = after;
                }
                Ok(None) if header.is_legacy => break Ok(next),
                Ok(None) if header.has_content_sum => match u32_at(input, next + 4) {
                    Some(sum) => {
                        content_sum = Some((next + 4, sum));
                        break Ok(next + 8);
                    }
                    None => break Err(truncated(next + 4, "checksum of the LZ4 frame")),
                },
                Ok(None) => break Ok(next + 4),
                Err(problem) => break Err(problem),
            }
        };
        Ok(Frame { header, start: at, block_count, blocks_end: next, room, content_sum, end })
    }

    /// The size of the content according to the header.
    pub(super) fn content_size(&self) -> Option<u64> {
        self.header.content_size
    }

    /// Whether blocks refer to those before them.
    pub(super) fn is_linked(&self) -> bool {
        self.header.is_linked && self.block_count > 1
    }

    /// The blocks before a problem.
    pub(super) fn blocks<'f>(&'f self, input: &'f [u8]) -> FrameBlocks<'f> {
        FrameBlocks { frame: self, input, index: 0, next: self.header.blocks }
    }

    /// The size of the last block, if those before are full.
    fn expected_last(&self) -> Option<u64> {
        let before = self.block_count.checked_sub(1)?.checked_mul(u64::from(self.header.block_most))?;
        self.header.content_size?.checked_sub(before)
    }
}

/// The blocks of a frame, one after the other.
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
            && !block.stored
            && let Some(size @ 1..) = self.frame.expected_last()
        {
            block.expected = block.room.min(u32::try_from(size).unwrap_or(u32::MAX));
        }
        Some(block)
    }
}

/// Reads the block at `at` and says where the next one is. There is none at the end mark, or at the end of a legacy frame.
fn read_block(input: &[u8], at: usize, header: &Header) -> Result<Option<(FrameBlock, usize)>, Problem> {
    let cut_off = || truncated(at, "LZ4 block");
    if header.is_legacy && ends_legacy_frame(input, at) {
        return Ok(None);
    }
    let word = u32_at(input, at).ok_or_else(cut_off)?;
    let (size, stored) = if header.is_legacy { (word, false) } else { (word & !STORED, word & STORED != 0) };
    if header.is_legacy {
        if size == 0 || size > LEGACY_COMPRESSED {
            let bytes = (input.len() - at) as u64;
            return Err(problem(at, ProblemKind::TrailingGarbage { bytes }));
        }
    } else if word == 0 {
        return Ok(None);
    } else if size > header.block_most {
        return Err(corrupt(at, "the LZ4 block is larger than the header of its frame allows"));
    }
    let start = at + 4;
    let end = start + size as usize;
    if end > input.len() {
        return Err(cut_off());
    }
    let sum = header.has_block_sums.then(|| u32_at(input, end).ok_or_else(cut_off)).transpose()?;
    let room = if stored { size } else { (u64::from(size) * MOST_RATIO).min(u64::from(header.block_most)) as u32 };
    let block = FrameBlock { input: start..end, stored, sum, room, expected: room };
    Ok(Some((block, if header.has_block_sums { end + 4 } else { end })))
}

/// Whether a legacy frame ends at `at`: at the end of the input, or where another frame begins.
fn ends_legacy_frame(input: &[u8], at: usize) -> bool {
    at == input.len()
        || has_magic(input, at)
        || has_legacy_magic(input, at)
        || super::skippable::end(input, at).is_some()
}
