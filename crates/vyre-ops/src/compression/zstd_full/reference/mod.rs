//! Host reference of `compression.zstd_full`, written from RFC 8878 for reading: bits are read one by one, and nothing is shared with
//! the programs.

mod bits;
mod fse;
mod huffman;
mod sequences;

use self::huffman::HuffmanTable;
use self::sequences::{LastOffsets, SequenceDecoder, SequenceTables};
use super::format::{MAGIC, MAX_BLOCK_BYTES, MAX_WINDOW_LOG, SKIPPABLE_MAGIC, ZstdFullError};

/// Host reference of `compression.zstd_full` for one frame: its error, if it is invalid, and the bytes before the error. The output
/// has at most `room` bytes. The checksum of the content is not compared.
#[must_use]
pub fn zstd_frame_on_host(frame: &[u8], room: usize) -> (Option<ZstdFullError>, Vec<u8>) {
    let mut output = Vec::new();
    let error = decode(frame, room, &mut output).err();
    (error, output)
}

fn decode(frame: &[u8], room: usize, output: &mut Vec<u8>) -> Result<(), ZstdFullError> {
    let mut input = Input(frame);
    let header = FrameHeader::read(&mut input)?;
    let max_block = header.window.min(u64::from(MAX_BLOCK_BYTES)) as usize;
    let mut decoder =
        FrameDecoder { output, room, max_block, huffman: None, tables: None, offsets: LastOffsets::new() };
    loop {
        let block = input.number(3)? as usize;
        let size = block >> 3;
        let kind = block >> 1 & 3;
        if kind == 3 || size > max_block {
            return Err(ZstdFullError::CorruptBlock);
        }
        match kind {
            0 => {
                let bytes = input.take(size)?;
                decoder.append(bytes)?;
            }
            1 => {
                let byte = input.take(1)?[0];
                decoder.append(&vec![byte; size])?;
            }
            _ => decoder.compressed_block(input.take(size)?)?,
        }
        if block & 1 == 1 {
            break;
        }
    }
    if header.content_size.is_some_and(|size| size != output.len() as u64) {
        return Err(ZstdFullError::ContentSizeMismatch);
    }
    if header.has_checksum {
        input.take(4)?;
    }
    if input.0.is_empty() { Ok(()) } else { Err(ZstdFullError::TrailingBytes) }
}

/// Input of a frame.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ZstdFullError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(ZstdFullError::InputTruncated)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads a little-endian number.
    fn number(&mut self, bytes: usize) -> Result<u64, ZstdFullError> {
        Ok(number(self.take(bytes)?))
    }
}

/// A little-endian number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

struct FrameHeader {
    window: u64,
    content_size: Option<u64>,
    has_checksum: bool,
}

impl FrameHeader {
    fn read(input: &mut Input<'_>) -> Result<FrameHeader, ZstdFullError> {
        let magic = input.number(4)? as u32;
        if magic & !15 == SKIPPABLE_MAGIC {
            return Err(ZstdFullError::SkippableFrame);
        }
        if magic != MAGIC {
            return Err(ZstdFullError::CorruptHeader);
        }
        let descriptor = input.number(1)?;
        if descriptor >> 3 & 1 == 1 {
            return Err(ZstdFullError::CorruptHeader);
        }
        let is_single_segment = descriptor >> 5 & 1 == 1;
        let window = if is_single_segment { 0 } else { input.number(1)? };
        let dictionary = input.number([0, 1, 2, 4][(descriptor & 3) as usize])?;
        let content_size = match descriptor >> 6 {
            0 if !is_single_segment => None,
            0 => Some(input.number(1)?),
            1 => Some(input.number(2)? + 256),
            2 => Some(input.number(4)?),
            _ => Some(input.number(8)?),
        };
        let log = (window >> 3) as u32 + 10;
        if log > MAX_WINDOW_LOG {
            return Err(ZstdFullError::WindowTooLarge);
        }
        if dictionary != 0 {
            return Err(ZstdFullError::DictionaryRequired);
        }
        let window = match content_size {
            Some(size) if is_single_segment => size,
            _ => (1 << log) + (1 << log) / 8 * (window & 7),
        };
        Ok(FrameHeader { window, content_size, has_checksum: descriptor >> 2 & 1 == 1 })
    }
}

/// State of a frame that blocks share.
struct FrameDecoder<'o> {
    output: &'o mut Vec<u8>,
    room: usize,
    /// Maximum size of a block and of its output.
    max_block: usize,
    huffman: Option<HuffmanTable>,
    tables: Option<SequenceTables>,
    offsets: LastOffsets,
}

impl FrameDecoder<'_> {
    fn append(&mut self, bytes: &[u8]) -> Result<(), ZstdFullError> {
        if bytes.len() > self.room - self.output.len() {
            return Err(ZstdFullError::OutputOverflow);
        }
        self.output.extend_from_slice(bytes);
        Ok(())
    }

    fn compressed_block(&mut self, block: &[u8]) -> Result<(), ZstdFullError> {
        let (literals, section) = self.literals(block)?;
        let mut literals = &literals[..];
        let end = self.output.len() + self.max_block;
        let (count, section) = sequence_count(section).ok_or(ZstdFullError::CorruptSequences)?;
        if count == 0 {
            return if section.is_empty() { self.append(literals) } else { Err(ZstdFullError::CorruptSequences) };
        }
        let (tables, stream) = SequenceTables::read(section, self.tables.as_ref())?;
        let mut decoder = SequenceDecoder::new(&tables, stream).ok_or(ZstdFullError::CorruptSequences)?;
        for number in 1..=count {
            let sequence = decoder.next(number == count).ok_or(ZstdFullError::CorruptSequences)?;
            let offset = self.offsets.resolve(&sequence);
            if sequence.literals > literals.len() {
                return Err(ZstdFullError::CorruptSequences);
            }
            let size = sequence.literals + sequence.length;
            if size > end - self.output.len() {
                return Err(ZstdFullError::CorruptBlock);
            }
            if size > self.room - self.output.len() {
                return Err(ZstdFullError::OutputOverflow);
            }
            if offset == 0 || offset > self.output.len() + sequence.literals {
                return Err(ZstdFullError::OffsetOutOfBounds);
            }
            let (own, rest) = literals.split_at(sequence.literals);
            self.output.extend_from_slice(own);
            literals = rest;
            for _ in 0..sequence.length {
                self.output.push(self.output[self.output.len() - offset]);
            }
        }
        if !decoder.is_at_end() {
            return Err(ZstdFullError::CorruptSequences);
        }
        if literals.len() > end - self.output.len() {
            return Err(ZstdFullError::CorruptBlock);
        }
        self.append(literals)?;
        self.tables = Some(tables);
        Ok(())
    }

    /// Decodes the literals section of a block. Returns the literals with the bytes after the section.
    fn literals<'a>(&mut self, block: &'a [u8]) -> Result<(Vec<u8>, &'a [u8]), ZstdFullError> {
        let corrupt = ZstdFullError::CorruptLiterals;
        let &first = block.first().ok_or(corrupt)?;
        let (kind, format) = (first & 3, first >> 2 & 3);
        let is_compressed = kind >= 2;
        let header_size = match (is_compressed, format) {
            (false, 0 | 2) => 1,
            (false, 1) => 2,
            (_, 0 | 1) | (false, _) => 3,
            (true, 2) => 4,
            (true, _) => 5,
        };
        let (header, rest) = block.split_at_checked(header_size).ok_or(corrupt)?;
        let header = number(header);
        // Both sizes of compressed literals have a number of bits that depends on the format.
        let width = [10, 10, 14, 18][usize::from(format)];
        let (size, packed_size) = match (is_compressed, header_size) {
            (true, _) => (header >> 4 & ((1 << width) - 1), header >> (4 + width)),
            (false, 1) => (header >> 3, 0),
            (false, _) => (header >> 4, 0),
        };
        let packed_size = match kind {
            0 => size,
            1 => 1,
            _ => packed_size,
        };
        let size = size as usize;
        let is_one_stream = format == 0;
        if size > self.max_block || (is_compressed && !is_one_stream && size < 6) {
            return Err(corrupt);
        }
        let (packed, rest) = rest.split_at_checked(packed_size as usize).ok_or(corrupt)?;
        if size > self.room - self.output.len() {
            return Err(ZstdFullError::OutputOverflow);
        }
        let literals = match kind {
            0 => packed.to_vec(),
            1 => vec![packed[0]; size],
            _ => {
                let streams = if kind == 2 {
                    let (table, streams) = HuffmanTable::read(packed)?;
                    self.huffman = Some(table);
                    streams
                } else {
                    packed
                };
                let table = self.huffman.as_ref().ok_or(corrupt)?;
                let mut literals = Vec::with_capacity(size);
                let decoded = if is_one_stream {
                    table.decode(streams, size, &mut literals)
                } else {
                    four_streams(table, streams, size, &mut literals)
                };
                decoded.ok_or(corrupt)?;
                literals
            }
        };
        Ok((literals, rest))
    }
}

/// Decodes literals in four streams, which follow a table of the sizes of the first three.
fn four_streams(table: &HuffmanTable, bytes: &[u8], size: usize, literals: &mut Vec<u8>) -> Option<()> {
    let (sizes, mut rest) = bytes.split_at_checked(6)?;
    let share = size.div_ceil(4);
    for of_stream in sizes.chunks(2) {
        let (stream, after) = rest.split_at_checked(number(of_stream) as usize)?;
        table.decode(stream, share, literals)?;
        rest = after;
    }
    table.decode(rest, size.checked_sub(3 * share)?, literals)
}

/// Reads the number of sequences. Returns it with the bytes after it.
fn sequence_count(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    match first {
        0..128 => Some((usize::from(first), rest)),
        128..255 => rest.split_first().map(|(&low, rest)| (usize::from(first - 128) << 8 | usize::from(low), rest)),
        255 => rest.split_at_checked(2).map(|(count, rest)| (number(count) as usize + 0x7f00, rest)),
    }
}
