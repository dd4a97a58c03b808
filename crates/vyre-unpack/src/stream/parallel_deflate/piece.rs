//! Pieces of a Deflate stream as streams of their own, which a decoder of whole streams accepts.
//!
//! | Part of a piece | Content |
//! |---|---|
//! | stored block | the dictionary: the 32 KiB of output that the piece may refer to |
//! | empty blocks | as many bits as it takes for the next part to start at its bit of a byte: stored blocks are aligned |
//! | blocks | those of the stream from one block start to another, or to the end of the input |
//!
//! The decoder compares the end of each block with the bit at which the piece ends. So a cut counts if and only if a block of the stream ends there.

use std::ops::Range;

use super::super::inflate::{PartInflate, WholeInflate, inflate_up_to, inflate_whole};
use super::bits::BitWriter;

/// Distance that matches may refer back, in bytes.
pub(super) const WINDOW_BYTES: usize = 32 << 10;

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
pub(super) fn decode(input: &[u8], span: Span, dictionary: &[u8], bytes: &mut Vec<u8>, output: &mut [u8]) -> PieceEnd {
    let Some(bits) = write(input, span, dictionary, bytes) else { return PieceEnd::Failed };
    let decoded = match span.end {
        Some(_) => inflate_up_to(bits.end, bytes, output),
        None => PartInflate::Stream(inflate_whole(bytes, output)),
    };
    let own = |produced: usize| produced.checked_sub(dictionary.len());
    let end = match decoded {
        PartInflate::Reached { produced } => own(produced).map(|produced| PieceEnd::Junction { produced }),
        PartInflate::Stream(WholeInflate::Done { consumed, produced }) => {
            let before = (bits.start >> 3) as usize;
            let consumed = consumed.checked_sub(before).map(|bytes| (span.start >> 3) as usize + bytes);
            consumed.zip(own(produced)).map(|(consumed, produced)| PieceEnd::StreamEnd { consumed, produced })
        }
        PartInflate::Stream(WholeInflate::OutputFull) => Some(PieceEnd::OutputFull),
        PartInflate::Stream(WholeInflate::Failed) => None,
    };
    end.unwrap_or(PieceEnd::Failed)
}

/// Writes a piece. Returns the range of the bits in it that are those of the stream. None if the span is empty or invalid.
fn write(input: &[u8], span: Span, dictionary: &[u8], bytes: &mut Vec<u8>) -> Option<Range<u64>> {
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
    let mut end = bytes.len() as u64 * 8;
    let rest = span.end.map_or(0, |end| (end & 7) as u32);
    if rest > 0 {
        bytes.push(input.get(last)? & ((1 << rest) - 1));
        end += u64::from(rest);
    }
    Some(start as u64 * 8 + u64::from(shift)..end)
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

    /// A stored block that contains the place of a cut does not end there, whatever is in it. The piece is as long as the block was with other
    /// bytes after the cut.
    #[test]
    fn a_cut_within_a_stored_block_does_not_count() {
        let content: Vec<u8> = (0..500_u32).map(|number| (number * number % 251) as u8).collect();
        for is_last in [0, 1] {
            let mut input = vec![is_last];
            stored(&content, &mut input).expect("it is short");
            input.extend([3, 0]);
            for cut in 1..input.len() as u64 * 8 {
                let (mut bytes, mut output) = (Vec::new(), [0; 1000]);
                let span = Span { start: 0, end: Some(cut) };
                let end = decode(&input, span, &[], &mut bytes, &mut output);
                let block_end = (5 + content.len()) as u64 * 8;
                let expected = match (is_last, cut) {
                    (1, cut) if cut >= block_end => PieceEnd::StreamEnd { consumed: 505, produced: 500 },
                    (0, cut) if cut == block_end => PieceEnd::Junction { produced: 500 },
                    (0, cut) if cut >= block_end + 10 => PieceEnd::StreamEnd { consumed: 507, produced: 500 },
                    _ => PieceEnd::Failed,
                };
                assert_eq!(end, expected, "last {is_last}, bit {cut}");
            }
        }
    }
}
