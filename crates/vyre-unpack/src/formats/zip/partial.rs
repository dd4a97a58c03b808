//! Ranges of a zip archive that its list of entries depends on, if nothing about the archive is unusual.

use std::ops::Range;

use memchr::memmem;

use crate::device_image::DeviceImage;
use crate::error::DecompressError;
use crate::stream::{u16_at, u32_at};

/// Size of the end record without its comment, and the maximum size of the comment.
const MAX_END_BYTES: usize = 22 + 65_535;
/// Size of a zip64 locator, which precedes the end record.
const LOCATOR_BYTES: usize = 20;
/// Size of a record of the central directory without names and fields.
const RECORD_BYTES: usize = 46;
/// Size of a local header without name and fields.
const LOCAL_BYTES: usize = 30;
/// Sizes of data descriptors, without and with a signature, with fields of 4 and of 8 bytes.
const DESCRIPTOR_BYTES: [usize; 4] = [12, 16, 20, 24];

/// Reads the end record, the central directory, the local headers and the data descriptors. Returns false if the archive has anything else
/// but them and the data of entries, or more than one reading; then its list may depend on any of its bytes.
pub(in crate::formats) fn read_headers(image: &mut DeviceImage<'_>) -> Result<bool, DecompressError> {
    let length = image.bytes().len();
    let tail = length.saturating_sub(MAX_END_BYTES + LOCATOR_BYTES);
    image.read_range(tail..length)?;
    let Some((directory, end)) = directory(image.bytes(), tail) else { return Ok(false) };
    image.read_range(directory..end)?;
    let Some(records) = records(image.bytes(), directory..end) else { return Ok(false) };
    let local = |record: &LocalRecord| record.start..record.start + LOCAL_BYTES;
    image.read(&records.iter().map(local).collect::<Vec<_>>())?;
    let fields: Vec<Range<usize>> = records
        .iter()
        .map(|record| record.start + LOCAL_BYTES..data_start(image.bytes(), record.start).unwrap_or(record.start))
        .collect();
    image.read(&fields)?;
    // The data of an entry, with its descriptor, reach to the next entry.
    let mut between = Vec::new();
    for (number, record) in records.iter().enumerate() {
        let next = records.get(number + 1).map_or(directory, |record| record.start);
        let start = data_start(image.bytes(), record.start);
        let Some(data_end) = start.and_then(|start| start.checked_add(record.size)) else { return Ok(false) };
        match next.checked_sub(data_end) {
            Some(0) => {}
            Some(rest) if record.has_descriptor && DESCRIPTOR_BYTES.contains(&rest) => between.push(data_end..next),
            _ => return Ok(false),
        }
    }
    image.read(&between)?;
    Ok(records.first().is_none_or(|record| record.start == 0))
}

/// Place of the data of the local header at `at`.
fn data_start(archive: &[u8], at: usize) -> Option<usize> {
    let (name, extra) = (u16_at(archive, at + 26)?, u16_at(archive, at + 28)?);
    Some(at + LOCAL_BYTES + usize::from(name) + usize::from(extra))
}

/// The central directory and its end, if there is one end record, at the end of the archive and directly behind the directory.
fn directory(archive: &[u8], tail: usize) -> Option<(usize, usize)> {
    let mut found = memmem::find_iter(archive.get(tail..)?, b"PK\x05\x06");
    let end = tail + found.next()?;
    let [parts, first_part] = [4, 6].map(|field| u16_at(archive, end + field));
    let is_plain = found.next().is_none()
        // A comment could hide another end record.
        && end + 22 == archive.len()
        && (parts, first_part) == (Some(0), Some(0))
        && !end.checked_sub(LOCATOR_BYTES).is_some_and(|at| archive[at..].starts_with(b"PK\x06\x07"));
    let (size, offset) = (u32_at(archive, end + 12)? as usize, u32_at(archive, end + 16)? as usize);
    (is_plain && offset.checked_add(size)? == end && size > 0).then_some((offset, end))
}

/// What a record of the central directory states of an entry.
struct LocalRecord {
    /// Offset of the local header.
    start: usize,
    /// Compressed size in bytes.
    size: usize,
    has_descriptor: bool,
}

/// The entries of a central directory, by ascending offset. None if the directory is damaged or an entry is large.
fn records(archive: &[u8], directory: Range<usize>) -> Option<Vec<LocalRecord>> {
    let mut records = Vec::new();
    let mut at = directory.start;
    while at < directory.end {
        let is_record = archive.get(at..)?.starts_with(b"PK\x01\x02");
        let lengths = [28, 30, 32].map(|field| u16_at(archive, at + field).map(usize::from));
        let [Some(name), Some(extra), Some(comment)] = lengths else { return None };
        let (size, start) = (u32_at(archive, at + 20)?, u32_at(archive, at + 42)?);
        if !is_record || size == u32::MAX || start == u32::MAX {
            return None;
        }
        let has_descriptor = u16_at(archive, at + 8)? & 8 != 0;
        records.push(LocalRecord { start: start as usize, size: size as usize, has_descriptor });
        at += RECORD_BYTES + name + extra + comment;
    }
    records.sort_by_key(|record| record.start);
    let is_inside = records.iter().all(|record| record.start < directory.start);
    (at == directory.end && is_inside).then_some(records)
}
