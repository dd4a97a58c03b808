//! Pieces of a Deflate stream as streams of their own, which a decoder of whole streams accepts.
//!
//! | Part of a piece | Content |
//! |---|---|
//! | stored block | the dictionary: the 32 KiB of output that the piece may refer to |
//! | empty blocks | as many bits as it takes for the next part to start at its bit of a byte: stored blocks are aligned |
//! | blocks | those of the stream from one block start to another, or to the end of the input |
//! | stored block, the last one | the mark: random bytes |
//!
//! The output of a piece ends with the mark if and only if a block of the stream ends at the bit at which the piece does. A
//! decoder that is within a block there takes the mark for a part of it, and would have to turn it into itself.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use super::super::inflate::{WholeInflate, inflate_whole};
use super::bits::BitWriter;

/// Distance that matches may refer back, in bytes.
pub(super) const WINDOW_BYTES: usize = 32 << 10;
/// Size of a mark in bytes.
pub(super) const MARK_BYTES: usize = 16;

/// Random bytes at the end of pieces. Their secrecy prevents streams from containing them.
#[derive(Clone, Copy)]
pub(super) struct Mark([u8; MARK_BYTES]);

impl Mark {
    /// A mark that nobody can predict.
    pub(super) fn random() -> Mark {
        let random = |number: u8| RandomState::new().hash_one(number).to_le_bytes();
        let mut mark = [0; MARK_BYTES];
        mark[..8].copy_from_slice(&random(0));
        mark[8..].copy_from_slice(&random(1));
        Mark(mark)
    }
}

/// Bits of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The first bit.
    pub(super) start: u64,
    /// The bit after the last one; none at the end of the input.
    pub(super) end: Option<u64>,
}

/// Result of decoding a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceEnd {
    /// A block ends where the piece ends.
    Junction {
        /// Bytes of output, without the dictionary.
        produced: usize,
    },
    /// The stream ends within the piece.
    StreamEnd {
        /// Bytes of the input up to the end of the stream.
        consumed: usize,
        /// Bytes of output, without the dictionary.
        produced: usize,
    },
    /// The output is too small.
    OutputFull,
    /// The piece is damaged, or no block ends where it does.
    Failed,
}

/// Decodes the piece `span` of `input` into `output`, which starts with a copy of the dictionary then. `bytes` is memory for the
/// piece.
pub(super) fn decode(
    input: &[u8],
    span: Span,
    dictionary: &[u8],
    mark: &Mark,
    bytes: &mut Vec<u8>,
    output: &mut [u8],
) -> PieceEnd {
    let Some(content) = write(input, span, dictionary, mark, bytes) else { return PieceEnd::Failed };
    let (consumed, produced) = match inflate_whole(bytes, output) {
        WholeInflate::Done { consumed, produced } => (consumed, produced),
        WholeInflate::OutputFull => return PieceEnd::OutputFull,
        WholeInflate::Failed => return PieceEnd::Failed,
    };
    let Some(own) = produced.checked_sub(dictionary.len()) else { return PieceEnd::Failed };
    // The last byte of the content may have bits of the mark's block.
    if consumed <= content.end {
        return match consumed.checked_sub(content.start) {
            Some(bytes) => PieceEnd::StreamEnd { consumed: (span.start >> 3) as usize + bytes, produced: own },
            None => PieceEnd::Failed,
        };
    }
    let before_mark = own.checked_sub(MARK_BYTES).filter(|_| consumed == bytes.len());
    match before_mark {
        Some(before) if output[..produced].ends_with(&mark.0) => PieceEnd::Junction { produced: before },
        _ => PieceEnd::Failed,
    }
}

/// Writes a piece. Returns the range of those of its bytes that have bits of the stream; without the last one if it has bits of the
/// mark's block too. None if the span is empty or invalid.
fn write(input: &[u8], span: Span, dictionary: &[u8], mark: &Mark, bytes: &mut Vec<u8>) -> Option<Range<usize>> {
    bytes.clear();
    let first = usize::try_from(span.start >> 3).ok()?;
    let shift = (span.start & 7) as u32;
    let last = span.end.map_or(Some(input.len()), |end| usize::try_from(end >> 3).ok())?;
    let whole = input.get(first + 1..last)?;
    bytes.try_reserve(dictionary.len() + whole.len() + 128).ok()?;
    if !dictionary.is_empty() {
        bytes.push(0);
        stored(dictionary, bytes)?;
    }
    fill_bits(shift, bytes);
    let byte = input[first] >> shift << shift;
    let start = match bytes.last_mut() {
        Some(filled) if shift > 0 => {
            *filled |= byte;
            bytes.len() - 1
        }
        _ => {
            bytes.push(byte);
            bytes.len() - 1
        }
    };
    bytes.extend_from_slice(whole);
    let content = start..bytes.len();
    if let Some(end) = span.end {
        let rest = (end & 7) as u32;
        if rest > 0 {
            bytes.push(input.get(last)? & ((1 << rest) - 1));
        }
        let mut writer = if rest > 0 { BitWriter::after(bytes, rest) } else { BitWriter::new(bytes) };
        // The last block, stored. Zeros follow up to the next byte.
        writer.write(1, 3);
        stored(&mark.0, bytes)?;
    }
    Some(content)
}

/// Appends the length and the bytes of a stored block.
fn stored(content: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let size = u16::try_from(content.len()).ok()?;
    bytes.extend_from_slice(&size.to_le_bytes());
    bytes.extend_from_slice(&(!size).to_le_bytes());
    bytes.extend_from_slice(content);
    Some(())
}

/// Appends blocks without output after which `shift` bits of the last byte are in use.
fn fill_bits(shift: u32, bytes: &mut Vec<u8>) {
    let mut writer = BitWriter::new(bytes);
    let mut bits = 0;
    if shift % 2 == 1 {
        bits += empty_dynamic(&mut writer);
    }
    while bits % 8 != shift {
        // A block with fixed codes and only its end.
        writer.write(2, 10);
        bits += 10;
    }
}

/// Writes a block with dynamic codes and only its end. Returns its size, an odd number of bits.
fn empty_dynamic(writer: &mut BitWriter<'_>) -> u32 {
    let fields = [
        // Not the last block, dynamic codes, 257 literals and lengths, 1 distance, 18 lengths of code length codes.
        (0b100, 3),
        (0, 5),
        (0, 5),
        (14, 4),
        // Codes of length 1 for the symbols 18, at position 2, and 1, at position 17.
        (1 << 6 | 1 << 51, 54),
        // 138 zeros, 117 zeros.
        (1 | 127 << 1, 8),
        (1 | 106 << 1, 8),
        // Length 1 for the symbol 255, for the end of the block, and for the distance.
        (0, 3),
        // The end of the block.
        (1, 1),
    ];
    for (value, count) in fields {
        writer.write(value, count);
    }
    fields.iter().map(|(_, count)| count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_have_no_output_and_end_at_each_bit() {
        for shift in 0..8 {
            let mut bytes = Vec::new();
            fill_bits(shift, &mut bytes);
            let used = if shift == 0 { 8 } else { shift };
            // The last block: fixed codes, one literal, the end.
            let mut writer = BitWriter::after(&mut bytes, used);
            writer.write(3, 3);
            writer.write(0b0001_1100, 8);
            writer.write(0, 7);
            let mut output = [0; 4];
            let length = bytes.len();
            assert_eq!(
                inflate_whole(&bytes, &mut output),
                WholeInflate::Done { consumed: length, produced: 1 },
                "{shift}"
            );
            assert_eq!(output[0], 0b0011_1000 - 0x30);
        }
    }

    #[test]
    fn marks_differ() {
        assert_ne!(Mark::random().0, Mark::random().0);
    }
}
