//! Host reference of `compression.lz4`, written from the specification of the format.

use super::format::Lz4Error;

/// Host reference of `compression.lz4` for one block: its error, if it is invalid, and the bytes before the error. The output has
/// at most `room` bytes.
#[must_use]
pub fn lz4_block_on_host(block: &[u8], room: usize) -> (Option<Lz4Error>, Vec<u8>) {
    let mut output = Vec::new();
    let error = decode(block, room, &mut output).err();
    (error, output)
}

fn decode(block: &[u8], room: usize, output: &mut Vec<u8>) -> Result<(), Lz4Error> {
    let mut rest = block;
    while let Some((&token, after)) = rest.split_first() {
        rest = after;

        let literals = length(u64::from(token >> 4), &mut rest)?;
        if literals > rest.len() as u64 {
            return Err(Lz4Error::LiteralOverflow);
        }
        if literals > (room - output.len()) as u64 {
            return Err(Lz4Error::OutputOverflow);
        }
        let (literals, after) = rest.split_at(literals as usize);
        output.extend_from_slice(literals);
        rest = after;
        if rest.is_empty() {
            break;
        }

        let &[low, high, ref after @ ..] = rest else { return Err(Lz4Error::CorruptToken) };
        rest = after;
        let offset = usize::from(u16::from_le_bytes([low, high]));
        let size = length(u64::from(token & 15), &mut rest)? + 4;
        if offset == 0 || offset > output.len() {
            return Err(Lz4Error::OffsetOutOfBounds);
        }
        if size > (room - output.len()) as u64 {
            return Err(Lz4Error::MatchOverflow);
        }
        for _ in 0..size {
            output.push(output[output.len() - offset]);
        }
    }
    Ok(())
}

/// Reads a length: its nibble and the length bytes that may follow.
fn length(nibble: u64, rest: &mut &[u8]) -> Result<u64, Lz4Error> {
    let mut length = nibble;
    if nibble == 15 {
        loop {
            let (&byte, after) = rest.split_first().ok_or(Lz4Error::CorruptToken)?;
            *rest = after;
            length += u64::from(byte);
            if byte != 255 {
                break;
            }
        }
    }
    Ok(length)
}
