//! Reading of inputs that cannot be mapped, such as pipes.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;

use crate::buffer::Buffer;
use crate::buffer_memory::BufferMemory;

/// Size up to which an input is kept in memory.
const MAX_MEMORY_BYTES: u64 = 8 << 20;
/// Size of a part that is read at a time.
const PART_BYTES: usize = 1 << 20;

/// Reads a whole input: to memory, or to a temporary file if it is large. Returns none if it has more than `limit` bytes.
///
/// # Errors
///
/// The input cannot be read, or the system refuses the temporary file.
pub fn read_input(mut input: impl Read, limit: u64) -> io::Result<Option<Bytes>> {
    let mut buffer = Buffer::new(&Arc::new(BufferMemory::new(MAX_MEMORY_BYTES)));
    loop {
        let start = buffer.len();
        let end = start.saturating_add(PART_BYTES);
        buffer.reserve(end, start.saturating_mul(2)).map_err(|problem| io::Error::other(problem.to_string()))?;
        buffer.resize(end);
        let read = fill(&mut input, &mut buffer.bytes_mut()[start..])?;
        buffer.resize(start + read);
        if buffer.len() as u64 > limit {
            return Ok(None);
        }
        if read < PART_BYTES {
            return Ok(Some(buffer.finish()));
        }
    }
}

/// Reads until the part is full or the input ends. Returns the number of bytes.
fn fill(input: &mut impl Read, part: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < part.len() {
        match input.read(&mut part[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_up_to_the_limit() {
        let bytes: Vec<u8> = (0..20_000_000u32).map(|number| (number / 7) as u8).collect();
        for length in [0, 1, PART_BYTES, PART_BYTES + 1, bytes.len()] {
            let read = read_input(&bytes[..length], length as u64).expect("it can be read").expect("it is allowed");
            assert!(read == bytes[..length]);
            if length > 0 {
                assert_eq!(read_input(&bytes[..length], length as u64 - 1).expect("it can be read"), None);
            }
        }
    }
}
