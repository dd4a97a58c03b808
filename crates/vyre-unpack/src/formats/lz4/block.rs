//! Reference decoder of LZ4 blocks (LZ4 block format), with the same rules and error codes as the op `compression.lz4`.
//!
//! It tells what is wrong with a block that the decoder in [`sequences`](super::sequences) refuses. A block is a list of sequences:
//!
//! | Part of a sequence | Size in bytes |
//! |---|---|
//! | token: length of the literals in the high 4 bits, length of the match minus 4 in the low 4 bits | 1 |
//! | rest of the length of the literals, if the token has 15: bytes up to one that is not 255 | n |
//! | literals | n |
//! | offset of the match, little-endian | 2 |
//! | rest of the length of the match, if the token has 15 | n |
//!
//! The last sequence may end after its literals.

use vyre_ops::compression::Lz4Error;

/// Status code of a decoded block.
pub(super) const ERROR_NONE: u32 = 0;

/// Size of the history that a block can refer to.
pub(super) const WINDOW_BYTES: usize = 65_535;

/// Problem text for a status code.
pub(super) fn problem_text(code: u32) -> &'static str {
    match Lz4Error::from_code(code) {
        Some(Lz4Error::CorruptToken) => "the LZ4 block ends within a sequence",
        Some(Lz4Error::OffsetOutOfBounds) => "the LZ4 block has a match offset beyond its history",
        Some(Lz4Error::OutputOverflow) => "the LZ4 block has literals beyond its largest size",
        Some(Lz4Error::LiteralOverflow) => "the LZ4 block has literals beyond its end",
        Some(Lz4Error::MatchOverflow) => "the LZ4 block has a match beyond its largest size",
        None => "the LZ4 block is damaged",
    }
}

/// Result of decoding a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockEnd {
    /// Status code: [`ERROR_NONE`], or that of the error.
    pub(super) code: u32,
    /// Bytes of output before the error.
    pub(super) produced: usize,
}

/// Decodes a block without history, as a device does. Returns the status code and the bytes before the error.
#[cfg(test)]
pub(in crate::formats) fn decode_exactly(input: &[u8], room: usize) -> (u32, Vec<u8>) {
    let mut output = vec![0; room];
    let BlockEnd { code, produced } = decode_after(&[], input, &mut output);
    output.truncate(produced);
    (code, output)
}

/// Decodes a block that may refer to the history.
pub(super) fn decode_after(history: &[u8], input: &[u8], output: &mut [u8]) -> BlockEnd {
    let mut produced = 0;
    let code = match decode_sequences(history, input, output, &mut produced) {
        Ok(()) => ERROR_NONE,
        Err(error) => error.code(),
    };
    BlockEnd { code, produced }
}

/// Decodes the sequences of a block.
fn decode_sequences(history: &[u8], input: &[u8], output: &mut [u8], produced: &mut usize) -> Result<(), Lz4Error> {
    let mut next = 0;
    while let Some(&token) = input.get(next) {
        next += 1;
        let literals = read_length(input, &mut next, token >> 4)?;
        let bytes = next.checked_add(literals).and_then(|end| input.get(next..end)).ok_or(Lz4Error::LiteralOverflow)?;
        let room = output.get_mut(*produced..).and_then(|room| room.get_mut(..literals));
        room.ok_or(Lz4Error::OutputOverflow)?.copy_from_slice(bytes);
        next += literals;
        *produced += literals;
        if next == input.len() {
            break;
        }
        let Some(&[low, high]) = input.get(next..next + 2) else { return Err(Lz4Error::CorruptToken) };
        let offset = usize::from(u16::from_le_bytes([low, high]));
        next += 2;
        let length = read_length(input, &mut next, token & 15)?.saturating_add(4);
        if offset == 0 || offset > *produced + history.len() {
            return Err(Lz4Error::OffsetOutOfBounds);
        }
        if length > output.len() - *produced {
            return Err(Lz4Error::MatchOverflow);
        }
        for at in *produced..*produced + length {
            output[at] = if offset <= at { output[at - offset] } else { history[history.len() + at - offset] };
        }
        *produced += length;
    }
    Ok(())
}

/// Reads a length: four bits of the token and, if all are set, bytes up to one that is not 255.
fn read_length(input: &[u8], next: &mut usize, bits: u8) -> Result<usize, Lz4Error> {
    let mut length = usize::from(bits);
    if bits == 15 {
        loop {
            let byte = *input.get(*next).ok_or(Lz4Error::CorruptToken)?;
            *next += 1;
            length = length.saturating_add(usize::from(byte));
            if byte != 255 {
                break;
            }
        }
    }
    Ok(length)
}
