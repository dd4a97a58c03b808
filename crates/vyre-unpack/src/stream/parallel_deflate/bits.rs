//! Bits of bytes, least significant first, as Deflate packs them (RFC 1951, section 3.1.1).

/// Number of bits that [`peek`] always provides.
pub(super) const PEEK_BITS: u32 = 57;

/// At least [`PEEK_BITS`] bits from a bit offset. Zeros follow the input.
pub(super) fn peek(input: &[u8], bit: u64) -> u64 {
    let rest = usize::try_from(bit >> 3).ok().and_then(|byte| input.get(byte..)).unwrap_or_default();
    let word = match rest.first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    word >> (bit & 7)
}

/// Number of bits of the input.
pub(super) fn bit_len(input: &[u8]) -> u64 {
    input.len() as u64 * 8
}

/// Appends bits to bytes.
pub(super) struct BitWriter<'b> {
    bytes: &'b mut Vec<u8>,
    /// Number of bits of the last byte that are in use, from 1 to 8; 8 if there is no byte.
    used: u32,
}

impl<'b> BitWriter<'b> {
    /// A writer after all bits of the bytes.
    pub(super) fn new(bytes: &'b mut Vec<u8>) -> BitWriter<'b> {
        BitWriter { bytes, used: 8 }
    }

    /// A writer after the lowest `used` bits of the last byte, from 1 to 8. Its other bits must be zero.
    #[cfg(test)]
    pub(super) fn after(bytes: &'b mut Vec<u8>, used: u32) -> BitWriter<'b> {
        BitWriter { bytes, used }
    }

    /// Appends the lowest `count` bits of a value.
    pub(super) fn write(&mut self, mut value: u64, mut count: u32) {
        while count > 0 {
            if self.used == 8 {
                self.bytes.push(0);
                self.used = 0;
            }
            let taken = count.min(8 - self.used);
            let part = (value & ((1 << taken) - 1)) as u8;
            if let Some(last) = self.bytes.last_mut() {
                *last |= part << self.used;
            }
            self.used += taken;
            value >>= taken;
            count -= taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_bits_are_read() {
        let mut bytes = Vec::new();
        let mut writer = BitWriter::new(&mut bytes);
        let values = [(5, 3), (0, 7), (0x1_ffff, 17), (1, 1), (0xabcd_ef01, 32), (0, 0), (3, 10)];
        for (value, count) in values {
            writer.write(value, count);
        }
        let mut bit = 0;
        for (value, count) in values {
            assert_eq!(peek(&bytes, bit) & ((1 << count) - 1), value);
            bit += u64::from(count);
        }
        assert_eq!(bit.div_ceil(8) * 8, bit_len(&bytes));
        assert_eq!((peek(&bytes, bit_len(&bytes)), peek(&bytes, u64::MAX)), (0, 0));
    }
}
