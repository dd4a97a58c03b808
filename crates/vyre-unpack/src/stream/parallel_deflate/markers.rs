//! Output of pieces whose dictionary is not known yet, in two versions, and its resolution.
//!
//! A piece is decoded twice, with two dictionaries that differ in every byte. A byte that is equal in both versions is a byte of
//! the piece. Any other byte is a copy of the dictionary, and the pair of its versions tells the position in it: position p has
//! the low byte of p in the first dictionary, and that byte exclusive-or 1 + p / 256 in the second one.

use super::piece::WINDOW_BYTES;

/// Bytes that are compared at a time.
const GROUP_BYTES: usize = 8;

/// The dictionary of the first version.
pub(super) static FIRST: [u8; WINDOW_BYTES] = dictionary(false);
/// The dictionary of the second version.
pub(super) static SECOND: [u8; WINDOW_BYTES] = dictionary(true);

const fn dictionary(is_second: bool) -> [u8; WINDOW_BYTES] {
    let mut bytes = [0; WINDOW_BYTES];
    let mut position = 0;
    while position < WINDOW_BYTES {
        let difference = if is_second { 1 + position / 256 } else { 0 };
        bytes[position] = position as u8 ^ difference as u8;
        position += 1;
    }
    bytes
}

/// Byte for each pair of versions.
pub(super) struct Resolver {
    bytes: Box<[u8; 1 << 16]>,
}

impl Resolver {
    /// The resolver for a dictionary, which must have [`WINDOW_BYTES`]. None if the system refuses the memory.
    pub(super) fn new(window: &[u8]) -> Option<Resolver> {
        let mut bytes: Box<[u8; 1 << 16]> = vyre_memory::try_zeroed_bytes(1 << 16)?.try_into().ok()?;
        for (value, byte) in (0..=255).zip(&mut bytes[..256]) {
            *byte = value;
        }
        bytes[256..256 + WINDOW_BYTES].copy_from_slice(window.first_chunk::<WINDOW_BYTES>()?);
        Some(Resolver { bytes })
    }

    /// Resolves two versions of the same length into an output of that length.
    pub(super) fn resolve(&self, first: &[u8], second: &[u8], output: &mut [u8]) {
        let (firsts, first) = first.as_chunks::<GROUP_BYTES>();
        let (seconds, second) = second.as_chunks::<GROUP_BYTES>();
        let (outputs, output) = output.as_chunks_mut::<GROUP_BYTES>();
        for ((first, second), output) in firsts.iter().zip(seconds).zip(outputs) {
            *output = if first == second { *first } else { self.resolve_group(*first, *second) };
        }
        for ((&first, &second), output) in first.iter().zip(second).zip(output) {
            *output = self.byte(first ^ second, first);
        }
    }

    fn resolve_group(&self, first: [u8; GROUP_BYTES], second: [u8; GROUP_BYTES]) -> [u8; GROUP_BYTES] {
        let mut bytes = u64::from_le_bytes(first);
        let mut differences = bytes ^ u64::from_le_bytes(second);
        let mut resolved = 0;
        for position in 0..GROUP_BYTES {
            resolved |= u64::from(self.byte(differences as u8, bytes as u8)) << (8 * position);
            bytes >>= 8;
            differences >>= 8;
        }
        resolved.to_le_bytes()
    }

    /// The byte of a pair of versions with this difference.
    fn byte(&self, difference: u8, first: u8) -> u8 {
        self.bytes[usize::from(u16::from_be_bytes([difference, first]))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_position_and_each_byte_is_resolved() {
        let window: Vec<u8> = (0..WINDOW_BYTES).map(|position| (position * 7 + position / 300) as u8).collect();
        let resolver = Resolver::new(&window).expect("there is memory");
        let literals: Vec<u8> = (0..=255).collect();
        let first = [&FIRST[..], &literals].concat();
        let second = [&SECOND[..], &literals].concat();
        for start in [0, 1, 100] {
            let mut output = vec![0; first.len() - start];
            resolver.resolve(&first[start..], &second[start..], &mut output);
            assert!(output == [&window[start..], &literals].concat());
        }
        assert!(Resolver::new(&window[1..]).is_none());
    }
}
