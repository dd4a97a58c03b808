//! Structure of zstd frames (RFC 8878, section 3.1.1): headers and block offsets, without decoding.
//!
//! | Offset | Size | Field of a frame |
//! |---|---|---|
//! | 0 | 4 | magic number `0xfd2fb528` |
//! | 4 | 1 | descriptor, see below |
//! | 5 | 1 | window: exponent in bits 3 to 7, mantissa in bits 0 to 2; absent in single segments |
//! | | 0, 1, 2, 4 | dictionary id |
//! | | 0, 1, 2, 4, 8 | content size; 256 less in a field of 2 bytes |
//! | | | blocks |
//! | | 4 | low 32 bits of the XXH64 of the content, with descriptor bit 2 |
//!
//! | Descriptor bits | Meaning |
//! |---|---|
//! | 0, 1 | size of the dictionary id |
//! | 2 | content checksum exists |
//! | 3 | reserved, zero |
//! | 4 | unused |
//! | 5 | single segment: the window is the content size |
//! | 6, 7 | size of the content size |
//!
//! | Block header bits | Meaning |
//! |---|---|
//! | 0 | last block |
//! | 1, 2 | type: 0 raw, 1 RLE, 2 compressed, 3 reserved |
//! | 3 to 23 | size: of the output (RLE), or of the payload |

use crate::problem::Problem;
use crate::stream::{corrupt, truncated, u16_at, u24_at, u32_at, u64_at, unsupported};
use crate::summary::ZstdBlockCounts;

/// Magic number of a frame.
pub(super) const MAGIC: u32 = 0xfd2f_b528;
/// Maximum output of a block, whatever the window, in bytes.
pub(super) const MAX_BLOCK_BYTES: u64 = 128 << 10;
/// Maximum window of the reference decoder, in bytes.
const MAX_WINDOW_BYTES: u64 = 1 << 31;

/// Maximum window for which a damaged frame is decoded up to the damage.
pub(super) const MAX_DAMAGED_WINDOW: u64 = 1 << 27;

/// True if there is a frame at `at`.
pub(super) fn has_magic(input: &[u8], at: usize) -> bool {
    u32_at(input, at) == Some(MAGIC)
}

/// Header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    content_size: Option<u64>,
    window: u64,
    has_content_checksum: bool,
    /// Offset of the first block.
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
    } else if window > MAX_WINDOW_BYTES {
        return Err(unsupported(at, format!("a zstd window of {window} bytes")));
    }
    Ok(Header { content_size, window, has_content_checksum: descriptor & 0b100 != 0, blocks: next })
}

/// Block types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// The payload is the output.
    Raw,
    /// The payload is one byte, which the output repeats.
    Rle,
    /// Huffman and FSE codes, with references to preceding blocks.
    Compressed,
}

impl BlockKind {
    /// The count of one block of this type.
    pub(super) fn counted(self) -> ZstdBlockCounts {
        let mut counts = ZstdBlockCounts::default();
        *match self {
            BlockKind::Raw => &mut counts.raw,
            BlockKind::Rle => &mut counts.rle,
            BlockKind::Compressed => &mut counts.compressed,
        } = 1;
        counts
    }
}

/// A block of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameBlock {
    /// Offset of its header.
    pub(super) start: usize,
    /// Block type.
    pub(super) kind: BlockKind,
    /// Size in the header: of the output, or of the payload of a compressed block.
    pub(super) size: u32,
    /// True for the last block.
    pub(super) is_last: bool,
    /// Offset of the end of its payload.
    pub(super) end: usize,
}

/// Size of a block header.
pub(super) const BLOCK_HEADER_BYTES: usize = 3;

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    header: Header,
    /// Offset of the frame.
    pub(super) start: usize,
    /// Numbers of blocks before the first problem.
    pub(super) blocks_by_type: ZstdBlockCounts,
    /// Offset of the end of the last block, or of the block with a problem.
    pub(super) blocks_end: usize,
    /// Upper bound of the output of all blocks, in bytes.
    pub(super) max_output: u64,
    /// Offset and value of the checksum of the content.
    pub(super) content_checksum: Option<(usize, u32)>,
    /// Offset of the next frame, or the problem that hides it.
    pub(super) end: Result<usize, Problem>,
}

#[cfg(test)]
thread_local! {
    /// Number of scans of frames by this thread.
    pub(crate) static SCANS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Frame {
    /// Scans the frame at `at`, which must have the magic number.
    pub(super) fn scan(input: &[u8], at: usize) -> Result<Frame, Problem> {
        #[cfg(test)]
        SCANS.set(SCANS.get() + 1);
        let header = read_header(input, at)?;
        let (mut blocks_by_type, mut max_output, mut next) = (ZstdBlockCounts::default(), 0, header.blocks);
        let mut content_checksum = None;
        let end = loop {
            let block = match read_block(input, next, &header) {
                Ok(block) => block,
                Err(problem) => break Err(problem),
            };
            next = block.end;
            blocks_by_type += block.kind.counted();
            max_output += match block.kind {
                BlockKind::Raw | BlockKind::Rle => u64::from(block.size),
                BlockKind::Compressed => header.max_block_bytes(),
            };
            if block.is_last {
                if !header.has_content_checksum {
                    break Ok(next);
                }
                content_checksum = u32_at(input, next).map(|sum| (next, sum));
                break content_checksum.map(|_| next + 4).ok_or_else(|| truncated(next, "checksum of the zstd frame"));
            }
        };
        Ok(Frame { header, start: at, blocks_by_type, blocks_end: next, max_output, content_checksum, end })
    }

    /// Size of the content according to the header.
    pub(super) fn content_size(&self) -> Option<u64> {
        self.header.content_size
    }

    /// Room for the output of a frame with compressed blocks on a device. None if it is damaged or too large, or if the host may not
    /// decode it.
    pub(super) fn device_room(&self) -> Option<u32> {
        self.end.as_ref().ok()?;
        let size = match self.content_size() {
            Some(size) => (size <= self.max_output).then_some(size)?,
            None => (self.window().min(self.max_output) <= MAX_DAMAGED_WINDOW).then_some(self.max_output)?,
        };
        u32::try_from(size).ok()
    }

    /// Window: the distance that blocks may refer back, in bytes.
    pub(super) fn window(&self) -> u64 {
        self.header.window
    }

    /// The blocks before the first problem.
    pub(super) fn blocks<'f>(&'f self, input: &'f [u8]) -> impl Iterator<Item = FrameBlock> + use<'f> {
        let mut next = self.header.blocks;
        (0..self.blocks_by_type.total()).map_while(move |_| {
            let block = read_block(input, next, &self.header).ok()?;
            next = block.end;
            Some(block)
        })
    }
}

impl Header {
    /// Maximum output of a block, in bytes.
    fn max_block_bytes(&self) -> u64 {
        self.window.min(MAX_BLOCK_BYTES)
    }
}

/// Reads the block at `at`.
fn read_block(input: &[u8], at: usize, header: &Header) -> Result<FrameBlock, Problem> {
    let cut_off = || truncated(at, "zstd block");
    let word = u24_at(input, at).ok_or_else(cut_off)?;
    let size = word >> 3;
    let (kind, payload) = match word >> 1 & 3 {
        0 => (BlockKind::Raw, size),
        1 => (BlockKind::Rle, 1),
        2 => (BlockKind::Compressed, size),
        _ => return Err(corrupt(at, "the zstd block has the reserved type")),
    };
    if u64::from(size) > header.max_block_bytes() {
        return Err(corrupt(at, "the zstd block is larger than its frame allows"));
    }
    let end = at + BLOCK_HEADER_BYTES + payload as usize;
    if end > input.len() {
        return Err(cut_off());
    }
    Ok(FrameBlock { start: at, kind, size, is_last: word & 1 != 0, end })
}
