//! Encoding of numbers and texts of the table of members.

/// A signed number as an unsigned one; small absolute values stay small.
pub(super) fn to_unsigned(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub(super) fn to_signed(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

pub(super) fn write_number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

pub(super) fn write_text(bytes: &mut Vec<u8>, text: &[u8]) {
    write_number(bytes, text.len() as u64);
    bytes.extend_from_slice(text);
}

/// Writes the start and the length. The end of an invalid range may be before its start.
pub(super) fn write_range(bytes: &mut Vec<u8>, start: u64, end: u64) {
    write_number(bytes, start);
    write_number(bytes, end.wrapping_sub(start));
}

/// Reads encoded members.
pub(super) struct Cursor<'t> {
    pub(super) rest: &'t [u8],
}

impl<'t> Cursor<'t> {
    pub(super) fn bytes(&mut self, length: usize) -> Option<&'t [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(value)
    }

    pub(super) fn index(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub(super) fn text(&mut self) -> Option<&'t [u8]> {
        let length = self.index()?;
        self.bytes(length)
    }

    pub(super) fn range(&mut self) -> Option<(u64, u64)> {
        let start = self.number()?;
        Some((start, start.wrapping_add(self.number()?)))
    }

    /// A number that exists only if `is_present`. None at the end of the bytes.
    pub(super) fn number_if(&mut self, is_present: bool) -> Option<Option<u64>> {
        if is_present { Some(Some(self.number()?)) } else { Some(None) }
    }

    /// A checksum that exists only if `is_present`. None at the end of the bytes.
    pub(super) fn sum_if(&mut self, is_present: bool) -> Option<Option<u32>> {
        if is_present { Some(Some(u32::from_le_bytes(self.array()?))) } else { Some(None) }
    }
}
