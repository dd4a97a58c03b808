//! Records of the central directory (APPNOTE.TXT, section 4.3.12).
//!
//! | Offset | Size | Field |
//! |---|---|---|
//! | 0 | 4 | signature `PK\x01\x02` |
//! | 4 | 2 | version, and in the high byte the system of the encoder |
//! | 8 | 2 | flags |
//! | 10 | 2 | method |
//! | 12 | 4 | modification time and date |
//! | 16 | 4 | CRC-32 |
//! | 20 | 8 | compressed size and size |
//! | 28 | 6 | lengths of the name, the extra fields and the comment |
//! | 38 | 4 | attributes |
//! | 42 | 4 | offset of the local header |
//! | 46 | | name, extra fields, comment |

use crate::stream::{crc32, u16_at, u32_at, u64_at};

/// Signature of a record.
pub(super) const SIGNATURE: &[u8] = b"PK\x01\x02";
/// Size of a record without its variable fields.
const FIXED_BYTES: usize = 46;
/// Identifiers of extra fields.
pub(super) const ZIP64: u16 = 0x0001;
const NTFS: u16 = 0x000a;
const TIMESTAMP: u16 = 0x5455;
const OLD_TIMESTAMP: u16 = 0x5855;
const UNICODE_PATH: u16 = 0x7075;
/// Seconds between 1601 and 1970.
const NTFS_EPOCH: i64 = 11_644_473_600;

/// A record of the central directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// System of the encoder: 0 is DOS.
    pub(super) system: u8,
    pub(super) flags: u16,
    pub(super) method: u16,
    time: u32,
    pub(super) crc32: u32,
    pub(super) compressed_size: u64,
    pub(super) size: u64,
    pub(super) attributes: u32,
    /// Offset of the local header, from the start of the archive without what precedes it.
    pub(super) offset: u64,
    pub(super) name: &'a [u8],
    extra: &'a [u8],
    /// Offset of the end of the record.
    pub(super) end: usize,
}

impl<'a> Record<'a> {
    /// Reads the record at offset `at`; none if there is none or if it is cut off.
    pub(super) fn read(archive: &'a [u8], at: usize) -> Option<Record<'a>> {
        let fixed = archive.get(at..)?.get(..FIXED_BYTES)?;
        if !fixed.starts_with(SIGNATURE) {
            return None;
        }
        let length = |field: usize| u16_at(fixed, field).map(usize::from);
        let name_start = at + FIXED_BYTES;
        let extra_start = name_start + length(28)?;
        let comment_start = extra_start + length(30)?;
        let end = comment_start + length(32)?;
        archive.get(name_start..end)?;
        let extra = &archive[extra_start..comment_start];
        let stated = [u32_at(fixed, 24)?, u32_at(fixed, 20)?, u32_at(fixed, 42)?];
        let [size, compressed_size, offset] = wide(stated, extra);
        Some(Record {
            system: fixed[5],
            flags: u16_at(fixed, 8)?,
            method: u16_at(fixed, 10)?,
            time: u32_at(fixed, 12)?,
            crc32: u32_at(fixed, 16)?,
            compressed_size,
            size,
            attributes: u32_at(fixed, 38)?,
            offset,
            name: &archive[name_start..extra_start],
            extra,
            end,
        })
    }

    /// The name in the Unicode path field, if the field belongs to the name.
    pub(super) fn unicode_name(&self) -> Option<&'a [u8]> {
        unicode_name(self.name, self.extra)
    }

    /// Modification time in seconds since 1970. Times without a zone are taken as UTC.
    pub(super) fn modified(&self) -> Option<i64> {
        let mut found = None;
        for (id, data) in fields(self.extra) {
            let time = match id {
                TIMESTAMP if data.first().is_some_and(|flags| flags & 1 != 0) => u32_at(data, 1),
                OLD_TIMESTAMP => u32_at(data, 4),
                NTFS if u16_at(data, 4) == Some(1) => {
                    let ticks = u64_at(data, 8)?;
                    found = Some((ticks / 10_000_000) as i64 - NTFS_EPOCH);
                    None
                }
                _ => None,
            };
            if let Some(time) = time {
                // 32 bits with a sign.
                return Some(i64::from(time as i32));
            }
        }
        found.or_else(|| dos_time(self.time))
    }
}

/// The name in a Unicode path field that belongs to `name`.
pub(super) fn unicode_name<'a>(name: &[u8], extra: &'a [u8]) -> Option<&'a [u8]> {
    fields(extra).find(|(id, _)| *id == UNICODE_PATH).and_then(|(_, data)| {
        let is_own = data.first() == Some(&1) && u32_at(data, 1) == Some(crc32(name));
        data.get(5..).filter(|other| is_own && !other.is_empty() && *other != name)
    })
}

/// Size, compressed size and offset, from the zip64 field as far as the record refers to it.
fn wide(stated: [u32; 3], extra: &[u8]) -> [u64; 3] {
    let mut values = stated.map(u64::from);
    if !stated.contains(&u32::MAX) {
        return values;
    }
    let Some((_, mut data)) = fields(extra).find(|(id, _)| *id == ZIP64) else { return values };
    for (value, stated) in values.iter_mut().zip(stated) {
        if stated == u32::MAX
            && let Some(wide) = u64_at(data, 0)
        {
            *value = wide;
            data = &data[8..];
        }
    }
    values
}

/// Extra fields: identifier and data.
pub(super) fn fields(mut extra: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (id, length) = (u16_at(extra, 0)?, usize::from(u16_at(extra, 2)?));
        let data = extra.get(4..4 + length)?;
        extra = &extra[4 + length..];
        Some((id, data))
    })
}

/// Seconds since 1970 of a time of DOS: seconds in units of two, minutes, hours; day, month, years since 1980.
pub(in crate::formats) fn dos_time(time: u32) -> Option<i64> {
    let bits = |shift: u32, count: u32| i64::from(time >> shift & ((1 << count) - 1));
    let (second, minute, hour) = (bits(0, 5) * 2, bits(5, 6), bits(11, 5));
    let (day, month, year) = (bits(16, 5), bits(21, 4), bits(25, 7) + 1980);
    if second > 59 || minute > 59 || hour > 23 || !(1..=12).contains(&month) || day < 1 {
        return None;
    }
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    // Days from the first of March of year 0, in which leap days come last.
    let (shifted, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (from_march * 153 + 2) / 5 + day - 1;
    let days = days - 719_468;
    (day <= last).then_some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_dos_are_converted() {
        let time = |year: u32, month: u32, day: u32, hour: u32, minute: u32, second: u32| {
            let date = ((year - 1980) << 9) | (month << 5) | day;
            dos_time((date << 16) | (hour << 11) | (minute << 5) | (second / 2))
        };
        assert_eq!(time(1980, 1, 1, 0, 0, 0), Some(315_532_800));
        assert_eq!(time(2024, 2, 29, 13, 14, 16), Some(1_709_212_456));
        assert_eq!(time(2023, 2, 29, 0, 0, 0), None);
        assert_eq!(time(2100, 3, 1, 0, 0, 0), Some(4_107_542_400));
        assert_eq!(dos_time(0), None);
    }
}
