//! LZ4 blocks, by the rules of `compression.lz4`, to the letter. Other decoders are faster, and refuse some blocks that these
//! rules allow.

use vyre_ops::compression::Lz4Error;

/// The code of a block that is decoded.
pub(super) const ERROR_NONE: u32 = 0;

/// The history that a block can refer to.
pub(super) const WINDOW: usize = 65_535;

/// What is wrong with a block for which a decoder has this code.
pub(super) fn what(code: u32) -> &'static str {
    match Lz4Error::from_code(code) {
        Some(Lz4Error::CorruptToken) => "the LZ4 block ends within a sequence",
        Some(Lz4Error::OffsetOutOfBounds) => "the LZ4 block has a match offset beyond its history",
        Some(Lz4Error::OutputOverflow) => "the LZ4 block has literals beyond its largest size",
        Some(Lz4Error::LiteralOverflow) => "the LZ4 block has literals beyond its end",
        Some(Lz4Error::MatchOverflow) => "the LZ4 block has a match beyond its largest size",
        None => "the LZ4 block is damaged",
    }
}

/// Decodes a block without history, as a device would, and gives the error code and the bytes before the error.
#[cfg(test)]
pub(super) fn decode_exactly(input: &[u8], room: usize) -> (u32, Vec<u8>) {
    let mut output = vec![0; room];
    let (code, produced) = decode_after(&[], input, &mut output);
    output.truncate(produced);
    (code, output)
}

/// Decodes a block that may refer to the history, and gives the error code and the number of bytes before the error.
pub(super) fn decode_after(history: &[u8], input: &[u8], output: &mut [u8]) -> (u32, usize) {
    let mut produced = 0;
    let code = match decode_sequences(history, input, output, &mut produced) {
        Ok(()) => ERROR_NONE,
        Err(error) => error.code(),
    };
    (code, produced)
}

/// The loop over the sequences of a block.
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
        for place in *produced..*produced + length {
            output[place] =
                if offset <= place { output[place - offset] } else { history[history.len() + place - offset] };
        }
        *produced += length;
    }
    Ok(())
}

/// A length: four bits of the token, and where all of them are set, bytes up to one that is not 255.
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
