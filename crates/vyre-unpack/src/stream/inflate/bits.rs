//! Bits of a stream, least significant first, through a buffer of 64 bits.

/// Bits that the buffer has at least after [`BitReader::refill`].
pub(super) const REFILLED_BITS: u32 = 56;

/// Reader of bits. Zeros follow the input: [`BitReader::is_overrun`] tells whether some of them were taken.
pub(super) struct BitReader<'i> {
    pub(super) input: &'i [u8],
    /// The next bits. Those above the lowest `left` are bits of the byte at `next`, or zeros.
    pub(super) buffer: u64,
    /// Number of bits of the buffer that count, at most 63.
    pub(super) left: u32,
    /// Offset of the first byte that is not in the buffer. It may be beyond the input.
    pub(super) next: usize,
}

impl<'i> BitReader<'i> {
    /// A reader at the start of the input.
    pub(super) fn new(input: &'i [u8]) -> BitReader<'i> {
        BitReader { input, buffer: 0, left: 0, next: 0 }
    }

    /// Fills the buffer with at least [`REFILLED_BITS`].
    #[inline(always)]
    pub(super) fn refill(&mut self) {
        match self.input.get(self.next..).and_then(|rest| rest.first_chunk()) {
            Some(&bytes) => {
                // The bits of bytes that do not fit completely are added again by the next call.
                self.buffer |= u64::from_le_bytes(bytes) << self.left;
                self.next += ((63 - self.left) >> 3) as usize;
                self.left |= REFILLED_BITS;
            }
            None => self.refill_near_end(),
        }
    }

    /// Fills the buffer with the last bytes of the input and with zeros.
    #[cold]
    #[inline(never)]
    fn refill_near_end(&mut self) {
        while self.left < REFILLED_BITS {
            let byte = self.input.get(self.next).copied().unwrap_or(0);
            self.buffer |= u64::from(byte) << self.left;
            self.next += 1;
            self.left += 8;
        }
    }

    /// The lowest `count` bits of the buffer, which need not have so many.
    #[inline(always)]
    pub(super) fn peek(&self, count: u32) -> usize {
        (self.buffer & ((1 << count) - 1)) as usize
    }

    /// Removes bits, which the buffer must have.
    #[inline(always)]
    pub(super) fn remove(&mut self, count: u32) {
        debug_assert!(count <= self.left);
        self.buffer >>= count;
        self.left -= count;
    }

    /// Takes bits, which the buffer must have.
    #[inline(always)]
    pub(super) fn take(&mut self, count: u32) -> usize {
        let value = self.peek(count);
        self.remove(count);
        value
    }

    /// Number of bytes of which bits were taken.
    pub(super) fn consumed(&self) -> usize {
        self.next - (self.left >> 3) as usize
    }

    /// Number of bits that were taken.
    pub(super) fn position(&self) -> u64 {
        self.next as u64 * 8 - u64::from(self.left)
    }

    /// True if bits were taken that the input does not have.
    #[inline(always)]
    pub(super) fn is_overrun(&self) -> bool {
        self.consumed() > self.input.len()
    }

    /// Drops the bits up to the next byte, and returns the input from there. None if that is beyond the input.
    pub(super) fn align(&mut self) -> Option<&'i [u8]> {
        self.next = self.consumed();
        self.buffer = 0;
        self.left = 0;
        self.input.get(self.next..)
    }

    /// Skips bytes. The reader must be aligned, and the input must have them.
    pub(super) fn skip(&mut self, bytes: usize) {
        debug_assert!(self.left == 0 && bytes <= self.input.len() - self.next);
        self.next += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_input_and_then_zeros() {
        let input: Vec<u8> = (0..40_u8).map(|number| number.wrapping_mul(37) ^ 0x5a).collect();
        let bit = |at: usize| input.get(at / 8).map_or(0, |byte| byte >> (at % 8) & 1);
        for counts in [&[1, 7, 13, 15, 3, 5][..], &[28, 20], &[8], &[15, 15, 11]] {
            let mut bits = BitReader::new(&input);
            let mut at = 0;
            while at < 8 * input.len() + 200 {
                for &count in counts {
                    bits.refill();
                    assert!(bits.left >= REFILLED_BITS && bits.left < 64);
                    let value = bits.take(count);
                    let expected =
                        (0..count as usize).rev().fold(0, |value, number| value << 1 | usize::from(bit(at + number)));
                    assert_eq!(value, expected, "bit {at}");
                    at += count as usize;
                    assert_eq!(bits.consumed(), at.div_ceil(8));
                    assert_eq!(bits.is_overrun(), at > 8 * input.len());
                }
            }
        }
    }

    #[test]
    fn alignment_returns_the_rest() {
        let input: Vec<u8> = (0..30).collect();
        for taken in 0..=56 {
            let mut bits = BitReader::new(&input);
            bits.refill();
            bits.take(taken);
            let at = taken.div_ceil(8) as usize;
            assert_eq!(bits.align(), input.get(at..));
            bits.skip(3);
            bits.refill();
            assert_eq!(bits.take(8), at + 3);
        }
        let mut bits = BitReader::new(&input[..2]);
        bits.refill();
        bits.take(17);
        assert_eq!(bits.align(), None);
    }
}
