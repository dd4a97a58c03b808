//! Header block of a tar member (POSIX.1-2001 ustar, GNU tar).
//!
//! | Offset | Size | Field |
//! |---|---|---|
//! | 0 | 100 | name |
//! | 100 | 8 | mode |
//! | 108 | 16 | user and group id |
//! | 124 | 12 | size |
//! | 136 | 12 | modification time |
//! | 148 | 8 | checksum: sum of all bytes, with spaces in this field |
//! | 156 | 1 | type |
//! | 157 | 100 | link target |
//! | 257 | 8 | magic `ustar` and version |
//! | 265 | 80 | user name, group name and device numbers |
//! | 345 | 155 | prefix of the name (ustar) |
//! | 386 | 96 | parts of a sparse file (GNU) |
//! | 482 | 1 | flag: a further sparse map block follows (GNU) |
//! | 483 | 12 | size with holes (GNU sparse) |
//!
//! Numbers are octal digits or, with the top bit of the first byte set, big-endian two's complement (GNU).

use std::borrow::Cow;

use super::extended::long_name;
use super::tool::{Number, Tool, agreed, number_of};

/// Size of a block.
pub(super) const BLOCK_BYTES: usize = 512;
/// Range of the checksum.
pub(super) const CHECKSUM: std::ops::Range<usize> = 148..156;

/// Range of the prefix of the name.
const PREFIX: std::ops::Range<usize> = 345..500;

/// A header block.
#[derive(Clone, Copy)]
pub(super) struct Header<'a> {
    bytes: &'a [u8],
}

impl<'a> Header<'a> {
    /// Reads the header at offset `at`, if there are enough bytes.
    pub(super) fn read(archive: &'a [u8], at: usize) -> Option<Header<'a>> {
        let bytes = archive.get(at..)?.get(..BLOCK_BYTES)?;
        Some(Header { bytes })
    }

    /// True if all bytes are zero, as at the end of an archive.
    pub(super) fn is_zero(&self) -> bool {
        self.bytes.iter().all(|&byte| byte == 0)
    }

    /// Checksum stored in the header.
    pub(super) fn stated_checksum(&self) -> Option<u64> {
        number(&self.bytes[CHECKSUM]).and_then(|sum| u64::try_from(sum).ok())
    }

    /// True if the checksum is right to all readers.
    pub(super) fn is_valid_to_all(&self) -> bool {
        agreed(&self.bytes[CHECKSUM]) == Some(self.checksum()) && !self.is_zero()
    }

    /// True if the checksum is right to a reader. Some accept a sum of signed bytes too.
    pub(super) fn is_valid_to(&self, tool: Tool) -> bool {
        if tool == Tool::Recovery {
            return self.is_valid();
        }
        let Number::Value(stated) = number_of(tool, &self.bytes[CHECKSUM]) else { return false };
        let is_signed = || !matches!(tool, Tool::Npm | Tool::Rust) && self.signed_checksum() == stated;
        (self.checksum() == stated || is_signed()) && !self.is_zero()
    }

    /// Checksum of the bytes.
    pub(super) fn checksum(&self) -> u64 {
        self.sum(u64::from)
    }

    /// True if the checksum is right. Old tools sum signed bytes.
    pub(super) fn is_valid(&self) -> bool {
        let Some(stated) = self.stated_checksum() else { return false };
        if self.checksum() == stated {
            return !self.is_zero();
        }
        self.signed_checksum() == stated
    }

    /// Checksum of the bytes as signed numbers.
    fn signed_checksum(&self) -> u64 {
        self.sum(|byte| i64::from(byte as i8) as u64)
    }

    /// Sum of all bytes, with spaces in the checksum field.
    fn sum(&self, value: impl Fn(u8) -> u64) -> u64 {
        let sum = |bytes: &[u8]| bytes.iter().fold(0u64, |sum, &byte| sum.wrapping_add(value(byte)));
        let spaces = CHECKSUM.len() as u64 * u64::from(b' ');
        sum(&self.bytes[..CHECKSUM.start]).wrapping_add(sum(&self.bytes[CHECKSUM.end..])).wrapping_add(spaces)
    }

    /// True if the header has the magic `ustar`.
    pub(super) fn has_magic(&self) -> bool {
        self.bytes[257..].starts_with(b"ustar")
    }

    /// True if the header has the magic of GNU tar.
    pub(super) fn is_gnu(&self) -> bool {
        self.bytes[257..].starts_with(b"ustar  \0")
    }

    /// True if the header has the magic and version of POSIX.
    pub(super) fn is_posix(&self) -> bool {
        self.bytes[257..].starts_with(b"ustar\x0000")
    }

    /// Type of the member.
    pub(super) fn kind(&self) -> u8 {
        self.bytes[156]
    }

    /// True if no reader takes the prefix for something else.
    pub(super) fn has_plain_prefix(&self) -> bool {
        self.is_posix() || self.bytes[PREFIX.start] == 0
    }

    /// Name, with the prefix if the reader takes one.
    pub(super) fn name(&self, tool: Tool) -> Cow<'a, [u8]> {
        let name = long_name(&self.bytes[..100]);
        let prefix = long_name(&self.bytes[PREFIX]);
        let (has_magic, is_gnu) = (self.has_magic(), self.is_gnu());
        let has_nul = self.bytes[257..].starts_with(b"ustar\0");
        let takes_prefix = match tool {
            Tool::Gnu => has_nul,
            Tool::Bsd => has_magic && !is_gnu,
            Tool::Python => !matches!(self.kind(), b'L' | b'K' | b'S'),
            Tool::Npm | Tool::Rust | Tool::Recovery => self.is_posix(),
            Tool::SevenZip => has_magic,
            // The access time of GNU tar is in the place of the prefix.
            Tool::Go => {
                let time = &self.bytes[PREFIX.start..PREFIX.start + 12];
                has_nul || (is_gnu && number_of(Tool::Go, time) == Number::Bad && prefix.is_ascii())
            }
        };
        if takes_prefix && !prefix.is_empty() { Cow::Owned([prefix, name].join(&b'/')) } else { Cow::Borrowed(name) }
    }

    /// Target of a link.
    pub(super) fn target(&self) -> &'a [u8] {
        long_name(&self.bytes[157..257])
    }

    /// Size of the data in bytes, to the tolerant reading.
    pub(super) fn size(&self) -> Option<u64> {
        number(self.size_field()).and_then(|size| u64::try_from(size).ok())
    }

    /// The field of the size.
    pub(super) fn size_field(&self) -> &'a [u8] {
        &self.bytes[124..136]
    }

    /// Permission bits; none if the field has no digits.
    pub(super) fn mode(&self) -> Option<u32> {
        let field = &self.bytes[100..108];
        let has_digits = field.iter().any(|byte| !matches!(byte, b' ' | 0));
        number(field).filter(|_| has_digits).map(|mode| (mode & 0o7777) as u32)
    }

    /// Modification time in seconds since 1970.
    pub(super) fn modified(&self) -> Option<i64> {
        number(&self.bytes[136..148])
    }

    /// True if a further sparse map block follows.
    pub(super) fn is_sparse_continued(&self) -> bool {
        self.bytes[482] != 0
    }

    /// The parts of a sparse file (GNU).
    pub(super) fn sparse_parts(&self) -> &'a [u8] {
        &self.bytes[386..482]
    }

    /// Size of a sparse file with its holes.
    pub(super) fn sparse_size(&self) -> Option<u64> {
        number(&self.bytes[483..495]).and_then(|size| u64::try_from(size).ok())
    }
}

/// Parses a number field: octal digits, or big-endian two's complement.
pub(super) fn number(field: &[u8]) -> Option<i64> {
    match field.split_first()? {
        (&first, rest) if first & 0x80 != 0 => {
            // The first byte has 7 bits, of which the highest is the sign.
            let start = i128::from(((first << 1) as i8) >> 1);
            let mut value = start;
            for &byte in rest {
                value = value.checked_mul(256)?.checked_add(i128::from(byte))?;
                if i64::try_from(value).is_err() {
                    return None;
                }
            }
            i64::try_from(value).ok()
        }
        _ => {
            let is_filler = |byte: &u8| matches!(byte, b' ' | 0);
            let start = field.iter().position(|byte| !is_filler(byte)).unwrap_or(field.len());
            let digits = &field[start..];
            let end = digits.iter().position(is_filler).unwrap_or(digits.len());
            if !digits[end..].iter().all(is_filler) {
                return None;
            }
            digits[..end].iter().try_fold(0i64, |value, &digit| match digit {
                b'0'..=b'7' => value.checked_mul(8)?.checked_add(i64::from(digit - b'0')),
                _ => None,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_octal_or_binary() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(b"   644 \0"), Some(0o644));
        assert_eq!(number(b"77777777777"), Some(0o77_777_777_777));
        assert_eq!(number(b"\0\0\0\0"), Some(0));
        assert_eq!(number(b"12x"), None);
        assert_eq!(number(b"12 3"), None);
        assert_eq!(number(b"\x80\0\0\0\0\0\0\x02\0\0\0\x01"), Some(0x2_0000_0001));
        assert_eq!(number(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe"), Some(-2));
        assert_eq!(number(b"\x80\0\0\x01\0\0\0\0\0\0\0\0"), None);
        assert_eq!(number(b"\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), None);
    }
}
