//! Local headers and data descriptors of zip entries (APPNOTE.TXT, sections 4.3.7 and 4.3.9).
//!
//! | Offset | Size | Field of a local header |
//! |---|---|---|
//! | 0 | 4 | signature `PK\x03\x04` |
//! | 4 | 2 | version needed to extract |
//! | 6 | 2 | flags; bit 3: a data descriptor follows the data |
//! | 8 | 2 | compression method |
//! | 10 | 4 | modification time and date |
//! | 14 | 4 | CRC-32 |
//! | 18 | 4 | compressed size; `0xffffffff`: in the zip64 extra field |
//! | 22 | 4 | size; `0xffffffff`: in the zip64 extra field |
//! | 26 | 2 | length of the name |
//! | 28 | 2 | length of the extra fields |
//! | 30 | | name, extra fields, data |
//!
//! | Size | Field of a data descriptor |
//! |---|---|
//! | 4 | signature `PK\x07\x08`, optional |
//! | 4 | CRC-32 |
//! | 4, or 8 in zip64 | compressed size |
//! | 4, or 8 in zip64 | size |

use super::record::{ZIP64, fields};
use crate::stream::{u16_at, u32_at, u64_at};

/// Signature of a local header.
pub(super) const SIGNATURE: &[u8] = b"PK\x03\x04";
/// Signature of a data descriptor.
const DESCRIPTOR_SIGNATURE: u32 = 0x0807_4b50;
/// Size of a local header without its variable fields.
const FIXED_BYTES: usize = 30;
/// Size that refers to the zip64 extra field.
const IN_EXTRA_FIELD: u32 = u32::MAX;

/// Local header of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalHeader<'a> {
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc32: u32,
    pub(super) compressed_size: u64,
    pub(super) size: u64,
    pub(super) name: &'a [u8],
    pub(super) extra: &'a [u8],
    /// Offset of the data.
    pub(super) data: usize,
}

impl<'a> LocalHeader<'a> {
    /// Reads the header at offset `at`, if there is one.
    pub(super) fn read(archive: &'a [u8], at: usize) -> Option<LocalHeader<'a>> {
        let fixed = archive.get(at..)?.get(..FIXED_BYTES)?;
        if !fixed.starts_with(SIGNATURE) {
            return None;
        }
        let (compressed, size) = (u32_at(fixed, 18)?, u32_at(fixed, 22)?);
        let name_start = at + FIXED_BYTES;
        let extra_start = name_start + usize::from(u16_at(fixed, 26)?);
        let data = extra_start + usize::from(u16_at(fixed, 28)?);
        let (compressed_size, size) = sizes(compressed, size, archive.get(extra_start..data)?);
        Some(LocalHeader {
            flags: u16_at(fixed, 6)?,
            method: u16_at(fixed, 8)?,
            crc32: u32_at(fixed, 14)?,
            compressed_size,
            size,
            name: &archive[name_start..extra_start],
            extra: &archive[extra_start..data],
            data,
        })
    }

    /// True if a data descriptor follows the data.
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & 8 != 0
    }

    /// True if the header has the sizes and the checksum. macOS writes the size alone before a data descriptor.
    pub(super) fn has_sizes(&self) -> bool {
        !self.has_descriptor() || self.crc32 != 0 || self.compressed_size != 0
    }
}

/// Compressed size and size, from the zip64 extra field if the header refers to it.
fn sizes(compressed: u32, size: u32, extra: &[u8]) -> (u64, u64) {
    let mut both = (u64::from(compressed), u64::from(size));
    if compressed != IN_EXTRA_FIELD && size != IN_EXTRA_FIELD {
        return both;
    }
    let zip64 = fields(extra).find(|(id, _)| *id == ZIP64);
    let Some((_, mut field)) = zip64 else { return both };
    if size == IN_EXTRA_FIELD
        && let Some(value) = u64_at(field, 0)
    {
        both.1 = value;
        field = &field[8..];
    }
    if compressed == IN_EXTRA_FIELD
        && let Some(value) = u64_at(field, 0)
    {
        both.0 = value;
    }
    both
}

/// Data descriptor of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub(super) crc32: u32,
    pub(super) compressed_size: u64,
    pub(super) size: u64,
    /// Size of the descriptor in bytes.
    pub(super) length: usize,
}

impl Descriptor {
    /// All interpretations of the bytes at offset `at`: with and without a signature, with sizes of 4 and of 8 bytes.
    pub(super) fn read(archive: &[u8], at: usize) -> impl Iterator<Item = Descriptor> + '_ {
        let bytes = archive.get(at..).unwrap_or_default();
        let starts = if u32_at(bytes, 0) == Some(DESCRIPTOR_SIGNATURE) { &[4, 0][..] } else { &[0] };
        starts.iter().flat_map(move |&start| {
            let crc32 = u32_at(bytes, start);
            let narrow = (u32_at(bytes, start + 4).map(u64::from), u32_at(bytes, start + 8).map(u64::from), start + 12);
            let wide = (u64_at(bytes, start + 4), u64_at(bytes, start + 12), start + 20);
            [narrow, wide].into_iter().filter_map(move |(compressed_size, size, length)| {
                Some(Descriptor { crc32: crc32?, compressed_size: compressed_size?, size: size?, length })
            })
        })
    }
}
