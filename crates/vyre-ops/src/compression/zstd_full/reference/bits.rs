//! Bit readers: forward for descriptions of tables, backward for streams of codes.

/// Reader of bits from the first byte on, least significant bits first. Bits after the end are 0.
pub(super) struct ForwardBits<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> ForwardBits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> ForwardBits<'a> {
        ForwardBits { bytes, position: 0 }
    }

    pub(super) fn peek(&self, count: u32) -> u32 {
        (0..count).map(|bit| u32::from(bit_at(self.bytes, self.position + bit as usize)) << bit).sum()
    }

    pub(super) fn skip(&mut self, count: u32) {
        self.position += count as usize;
    }

    /// Bytes after the last one that was read. `None` if the reader is beyond the end.
    pub(super) fn rest(&self) -> Option<&'a [u8]> {
        self.bytes.get(self.position.div_ceil(8)..)
    }
}

/// Reader of bits from the last byte back. The highest set bit of the last byte marks the end and is not part of the stream.
pub(super) struct BackwardBits<'a> {
    bytes: &'a [u8],
    left: usize,
}

impl<'a> BackwardBits<'a> {
    /// `None` if the end is not marked.
    pub(super) fn new(bytes: &'a [u8]) -> Option<BackwardBits<'a>> {
        let mark = bytes.last()?.checked_ilog2()?;
        Some(BackwardBits { bytes, left: (bytes.len() - 1) * 8 + mark as usize })
    }

    /// Reads bits. `None` if there are fewer.
    pub(super) fn read(&mut self, count: u32) -> Option<u32> {
        self.left = self.left.checked_sub(count as usize)?;
        Some((0..count).map(|bit| u32::from(bit_at(self.bytes, self.left + bit as usize)) << bit).sum())
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.left == 0
    }
}

fn bit_at(bytes: &[u8], position: usize) -> bool {
    bytes.get(position / 8).is_some_and(|byte| byte >> (position % 8) & 1 == 1)
}
