//! The structure of zstd frames (RFC 8878, section 3.1.1): headers and where blocks are, without decoding them.

use super::read::{u16_at, u24_at, u32_at, u64_at};
use super::{corrupt, truncated, unsupported};
use crate::problem::Problem;

/// The magic number of a frame.
pub(super) const MAGIC: u32 = 0xfd2f_b528;
/// No block has more output, whatever the window.
const BLOCK_MOST: u64 = 128 << 10;
/// The largest window that the reference decoder knows.
const WINDOW_MOST: u64 = 1 << 31;

/// Whether there is a frame at `at`.
pub(super) fn has_magic(input: &[u8], at: usize) -> bool {
    u32_at(input, at) == Some(MAGIC)
}

/// What the header of a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    content_size: Option<u64>,
    window: u64,
    has_content_sum: bool,
    /// Where the first block is.
    blocks: usize,
}

/// Reads the header of the frame at `at`.
fn read_header(input: &[u8], at: usize) -> Result<Header, Problem> {
    let cut_off = || truncated(at, "zstd frame header");
    let descriptor = *input.get(at + 4).ok_or_else(cut_off)?;
    if descriptor & 0b1000 != 0 {
        return Err(corrupt(at, "the zstd frame header has reserved bits"));
    }
    let is_single_segment = descriptor & 0b10_0000 != 0;
    let mut next = at + 5;
    let mut window = 0;
    if !is_single_segment {
        let byte = *input.get(next).ok_or_else(cut_off)?;
        let base = 1_u64 << (10 + (byte >> 3));
        window = base + base / 8 * u64::from(byte & 7);
        next += 1;
    }
    let (dictionary, size) = match descriptor & 3 {
        0 => (Some(0), 0),
        1 => (input.get(next).map(|&byte| u32::from(byte)), 1),
        2 => (u16_at(input, next).map(u32::from), 2),
        _ => (u32_at(input, next), 4),
    };
    let dictionary = dictionary.ok_or_else(cut_off)?;
    next += size;
    let (content_size, size) = match descriptor >> 6 {
        0 if !is_single_segment => (Some(None), 0),
        0 => (input.get(next).map(|&byte| Some(u64::from(byte))), 1),
        1 => (u16_at(input, next).map(|size| Some(u64::from(size) + 256)), 2),
        2 => (u32_at(input, next).map(|size| Some(u64::from(size))), 4),
        _ => (u64_at(input, next).map(Some), 8),
    };
    let content_size = content_size.ok_or_else(cut_off)?;
    next += size;
    if dictionary != 0 {
        return Err(unsupported(at, format!("zstd dictionary {dictionary}")));
    }
    if is_single_segment {
        window = content_size.unwrap_or(0);
    } else if window > WINDOW_MOST {
        return Err(unsupported(at, format!("a zstd window of {window} bytes")));
    }
    Ok(Header { content_size, window, has_content_sum: descriptor & 0b100 != 0, blocks: next })
}

/// The types of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// The payload is the output.
    Raw,
    /// The payload is one byte, and the output has it as often as the size says.
    Repeated,
    /// Huffman and FSE codes, and references to the blocks before.
    Compressed,
}

/// A block of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameBlock {
    /// Where its header is.
    pub(super) start: usize,
    /// What it is.
    pub(super) kind: BlockKind,
    /// What its header says: the size of the output, or of the payload of a compressed block.
    pub(super) size: u32,
    /// Whether it is the last.
    pub(super) is_last: bool,
    /// Where its payload ends.
    pub(super) end: usize,
}

/// The bytes of the header of a block.
pub(super) const BLOCK_HEADER: usize = 3;

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    header: Header,
    /// Where it begins.
    pub(super) start: usize,
    /// How many blocks there are before a problem.
    pub(super) block_count: u64,
    /// How many of them are compressed.
    pub(super) compressed: u64,
    /// Where the last block ends, or where the block that has a problem begins.
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
        let header = read_header(input, at)?;
        let (mut block_count, mut compressed, mut room, mut next) = (0, 0, 0, header.blocks);
        let mut content_sum = None;
        let end = loop {
            let block = match read_block(input, next, &header) {
                Ok(block) => block,
                Err(problem) => break Err(problem),
            };
            next = block.end;
            block_count += 1;
            room += match block.kind {
                BlockKind::Raw | BlockKind::Repeated => u64::from(block.size),
                BlockKind::Compressed => header.block_most(),
            };
            compressed += u64::from(block.kind == BlockKind::Compressed);
            if block.is_last {
                if !header.has_content_sum {
                    break Ok(next);
                }
                content_sum = u32_at(input, next).map(|sum| (next, sum));
                break content_sum.map(|_| next + 4).ok_or_else(|| truncated(next, "checksum of the zstd frame"));
            }
        };
        Ok(Frame { header, start: at, block_count, compressed, blocks_end: next, room, content_sum, end })
    }

    /// The size of the content according to the header.
    pub(super) fn content_size(&self) -> Option<u64> {
        self.header.content_size
    }

    /// How far blocks may refer back.
    pub(super) fn window(&self) -> u64 {
        self.header.window
    }

    /// The blocks before a problem.
    pub(super) fn blocks<'f>(&'f self, input: &'f [u8]) -> impl Iterator<Item = FrameBlock> + use<'f> {
        let mut next = self.header.blocks;
        (0..self.block_count).map_while(move |_| {
            let block = read_block(input, next, &self.header).ok()?;
            next = block.end;
            Some(block)
        })
    }
}

impl Header {
    /// The most output of a block.
    fn block_most(&self) -> u64 {
        self.window.min(BLOCK_MOST)
    }
}

/// Reads the block at `at`.
fn read_block(input: &[u8], at: usize, header: &Header) -> Result<FrameBlock, Problem> {
    let cut_off = || truncated(at, "zstd block");
    let word = u24_at(input, at).ok_or_else(cut_off)?;
    let size = word >> 3;
    let (kind, payload) = match word >> 1 & 3 {
        0 => (BlockKind::Raw, size),
        1 => (BlockKind::Repeated, 1),
        2 => (BlockKind::Compressed, size),
        _ => return Err(corrupt(at, "the zstd block has the reserved type")),
    };
    if u64::from(size) > header.block_most() {
        return Err(corrupt(at, "the zstd block is larger than its frame allows"));
    }
    let end = at + BLOCK_HEADER + payload as usize;
    if end > input.len() {
        return Err(cut_off());
    }
    Ok(FrameBlock { start: at, kind, size, is_last: word & 1 != 0, end })
}
