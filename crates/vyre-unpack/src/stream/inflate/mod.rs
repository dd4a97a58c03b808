//! Decoder of whole Deflate streams (RFC 1951): canonical Huffman codes, decoded with tables of 11 and 8 bits that have subtables.
//!
//! The verdict is that of zlib's `inflate`: a stream is decoded if and only if zlib decodes it, to the same bytes. So these are errors:
//!
//! | Part | Error |
//! |---|---|
//! | block | the reserved type |
//! | stored block | a length that its complement does not confirm |
//! | header of dynamic codes | more than 286 literal and length codes, or more than 30 distance codes |
//! | | a repetition without a length before it, or beyond the last code |
//! | | no code for the end of the block |
//! | codes | more codes than bits allow (an over-subscribed code) |
//! | | bits without a code (an incomplete code), unless a code of literals or distances has a single symbol of one bit, or a code of distances has no symbol |
//! | symbols | a reserved length (286, 287) or distance (30, 31), bits without a code |
//! | distances | before the start of the output |
//! | end | input that ends before the last block does |
//!
//! | File | Content |
//! |---|---|
//! | [`bits`] | bits of the input |
//! | [`header`] | headers of blocks with dynamic codes |
//! | [`huffman`] | tables of canonical codes |
//! | [`tables`] | entries of the tables |
//! | [`checked`] | symbols of a block, with all checks |
//! | [`fast`] | the same, far from the ends of the input and of the output |

mod bits;
mod checked;
mod fast;
mod header;
mod huffman;
mod tables;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::cmp::Ordering;

use self::bits::BitReader;
use self::huffman::Symbols;
use self::tables::{Tables, fixed_tables};

/// Result of decoding a whole stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WholeInflate {
    /// The stream was decoded to its end.
    Done {
        /// Bytes of input that belong to the stream.
        consumed: usize,
        /// Bytes of output.
        produced: usize,
    },
    /// The output is too small. Its content is unspecified.
    OutputFull,
    /// The stream is damaged or truncated. The output is unspecified.
    Failed,
}

/// Reason for which the decoder of symbols stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// The block has ended.
    BlockEnd,
    /// The end of the input or of the output is near.
    NearEnd,
    /// The next symbol has no room in the output.
    OutputFull,
    /// The block is damaged or truncated.
    Failed,
}

/// Memory of a decoder.
struct Memory {
    tables: Tables,
    literals: Symbols,
    distances: Symbols,
}

thread_local! {
    /// One per thread: preparing it takes longer than decoding a small stream.
    static MEMORY: RefCell<Option<Box<Memory>>> = const { RefCell::new(None) };
}

/// Decodes the Deflate stream at the start of `input`.
pub(crate) fn inflate_whole(input: &[u8], output: &mut [u8]) -> WholeInflate {
    inflate_behind(0, input, output)
}

/// Decodes the Deflate stream at the start of `input` behind the first `start` bytes of the output, to which its distances may refer. They do
/// not count as produced. There must be so many.
pub(crate) fn inflate_behind(start: usize, input: &[u8], output: &mut [u8]) -> WholeInflate {
    with_memory(|memory| memory.inflate(start, input, output, fast::fastest()))
}

/// Result of decoding a part of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartInflate {
    /// A block that is not the last one ends where the part does.
    Reached {
        /// Bytes of output.
        produced: usize,
    },
    /// The stream ends before, or the part is damaged, or no block ends where it does.
    Stream(WholeInflate),
}

/// Decodes the blocks at the start of `input` up to this bit, which a block must end at.
pub(crate) fn inflate_up_to(bit: u64, input: &[u8], output: &mut [u8]) -> PartInflate {
    with_memory(|memory| memory.inflate_part(0, input, Some(bit), output, fast::fastest()))
}

/// Calls a function with the memory of this thread.
fn with_memory<R>(decode: impl FnOnce(&mut Memory) -> R) -> R {
    MEMORY.with_borrow_mut(|slot| {
        let new = || Box::new(Memory { tables: Tables::new(), literals: Symbols::new(), distances: Symbols::new() });
        decode(slot.get_or_insert_with(new))
    })
}

impl Memory {
    /// Decodes the stream at the start of `input` behind the first `start` bytes of the output.
    fn inflate(&mut self, start: usize, input: &[u8], output: &mut [u8], fast: fast::Decode) -> WholeInflate {
        match self.inflate_part(start, input, None, output, fast) {
            PartInflate::Stream(result) => result,
            PartInflate::Reached { .. } => WholeInflate::Failed,
        }
    }

    /// As [`Memory::inflate`], up to the bit `until` if there is one.
    fn inflate_part(
        &mut self,
        start: usize,
        input: &[u8],
        until: Option<u64>,
        output: &mut [u8],
        fast: fast::Decode,
    ) -> PartInflate {
        let mut bits = BitReader::new(input);
        let mut produced = start;
        loop {
            bits.refill();
            let is_last = bits.take(1) == 1;
            let stop = match bits.take(2) {
                0 => stored(&mut bits, output, &mut produced),
                1 => symbols(fixed_tables(), &mut bits, output, &mut produced, fast),
                2 => match header::read(&mut bits, self) {
                    Some(()) => symbols(&self.tables, &mut bits, output, &mut produced, fast),
                    None => Stop::Failed,
                },
                _ => Stop::Failed,
            };
            let to_end = until.map(|until| bits.position().cmp(&until));
            let own = produced - start;
            return PartInflate::Stream(match stop {
                Stop::BlockEnd if to_end == Some(Ordering::Greater) => WholeInflate::Failed,
                Stop::BlockEnd if is_last => WholeInflate::Done { consumed: bits.consumed(), produced: own },
                Stop::BlockEnd if to_end == Some(Ordering::Equal) => return PartInflate::Reached { produced: own },
                Stop::BlockEnd => continue,
                Stop::OutputFull => WholeInflate::OutputFull,
                Stop::NearEnd | Stop::Failed => WholeInflate::Failed,
            });
        }
    }
}

/// Copies a stored block.
fn stored(bits: &mut BitReader<'_>, output: &mut [u8], produced: &mut usize) -> Stop {
    let Some((&[low, high, not_low, not_high], rest)) = bits.align().and_then(<[u8]>::split_first_chunk) else {
        return Stop::Failed;
    };
    if low != !not_low || high != !not_high {
        return Stop::Failed;
    }
    let size = usize::from(u16::from_le_bytes([low, high]));
    let Some(content) = rest.get(..size) else { return Stop::Failed };
    let Some(room) = output.get_mut(*produced..).and_then(|room| room.get_mut(..size)) else { return Stop::OutputFull };
    room.copy_from_slice(content);
    *produced += size;
    bits.skip(4 + size);
    Stop::BlockEnd
}

/// Decodes the symbols of a block.
fn symbols(
    tables: &Tables,
    bits: &mut BitReader<'_>,
    output: &mut [u8],
    produced: &mut usize,
    fast: fast::Decode,
) -> Stop {
    // The fast decoder needs some bytes of output before those that it decodes.
    if *produced < fast::MIN_PRODUCED {
        let stop = checked::decode(tables, bits, output, produced, fast::MIN_PRODUCED);
        if stop != Stop::NearEnd {
            return stop;
        }
    }
    match fast(tables, bits, output, produced) {
        Stop::NearEnd => checked::decode(tables, bits, output, produced, usize::MAX),
        stop => stop,
    }
}
