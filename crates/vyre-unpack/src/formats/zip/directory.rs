//! Places of the central directory of a zip archive.
//!
//! | Offset | Size | Field of the end record |
//! |---|---|---|
//! | 0 | 4 | signature `PK\x05\x06` |
//! | 10 | 2 | number of entries |
//! | 12 | 4 | size of the central directory |
//! | 16 | 4 | offset of the central directory |
//! | 20 | 2 | length of the comment |
//! | 22 | n | comment |
//!
//! An archive has one directory if it is well-formed. Readers look for it in different ways: by the last end record or by one
//! whose comment ends the archive; by its offset or by its size before the end record; by the zip64 record wherever there is
//! one, or only if the end record refers to it. [`Directories`] has the place that most readers use and all others.

use memchr::memmem;

use super::record::{Record, SIGNATURE as RECORD_SIGNATURE};
use crate::stream::{u16_at, u32_at, u64_at};

/// Signature of the end record.
const SIGNATURE: &[u8] = b"PK\x05\x06";
/// Size of the end record without its comment.
const END_RECORD_BYTES: usize = 22;
/// Signature of the zip64 locator, which precedes the end record of large archives.
const LOCATOR_SIGNATURE: &[u8] = b"PK\x06\x07";
/// Size of the zip64 locator.
const LOCATOR_BYTES: usize = 20;
/// Signature of the zip64 end record.
const WIDE_SIGNATURE: &[u8] = b"PK\x06\x06";
/// Size of the zip64 end record without its extensible data.
const WIDE_BYTES: usize = 56;
/// Maximum length of a comment.
const MAX_COMMENT_BYTES: usize = 65_535;
/// Maximum number of end records that are examined.
const MAX_CANDIDATES: usize = 64;
/// Signature of the digital signature after a directory.
pub(super) const DIGITAL_SIGNATURE: &[u8] = b"PK\x05\x05";

/// A central directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Directory {
    /// Offset of its first record.
    pub(super) start: usize,
    /// Offset of what ends it: the zip64 end record or the end record.
    pub(super) end: usize,
    /// Number of bytes before the archive, which its offsets do not count.
    pub(super) base: usize,
    /// Number of entries according to the end record.
    pub(super) count: u64,
    /// True if the record counts modulo 2^16.
    pub(super) is_narrow: bool,
    /// Offset of the end record.
    pub(super) end_record: usize,
    /// Offset of the end of the archive, comment included.
    pub(super) archive_end: usize,
    /// Number of the part of a split archive, counted from 0.
    pub(super) part: u16,
    /// True if the offset and the size that the end record states name this place.
    pub(super) is_exact: bool,
}

/// The central directories that readers find.
pub(super) struct Directories {
    /// The one that most readers use.
    pub(super) main: Directory,
    /// Others, with another place.
    pub(super) others: Vec<Directory>,
    /// Offset of another end record whose comment ends the archive.
    pub(super) other_end: Option<usize>,
}

/// True if the bytes end with a central directory that has a readable entry. At most one comment may follow.
pub(super) fn has_directory(archive: &[u8]) -> bool {
    let from = archive.len().saturating_sub(END_RECORD_BYTES + MAX_COMMENT_BYTES);
    let Some(at) = last_signature(&archive[from..]).map(|at| from + at) else { return false };
    places(archive, at).iter().any(|directory| Record::read(archive, directory.start).is_some())
}

/// Locates the central directories. Comments may contain false end records, so records that agree with their surroundings
/// have priority.
pub(super) fn locate(archive: &[u8]) -> Option<Directories> {
    let main = last_where(archive, |at| is_consistent(archive, at)).or_else(|| last_where(archive, |_| true))?;
    let mut others = Vec::new();
    let ends_at_end = |found: &usize| comment_end(archive, *found) == Some(archive.len());
    let first = main.end_record.saturating_sub(MAX_COMMENT_BYTES);
    let before = &archive[first..main.end_record];
    let other_end = memmem::find_iter(before, SIGNATURE).map(|found| first + found).find(ends_at_end);
    // Readers search from the end, so that they never see the end record of a stored archive among the entries.
    let after = memmem::find_iter(&archive[main.start..], SIGNATURE).map(|at| main.start + at);
    for at in after.take(MAX_CANDIDATES).chain(other_end) {
        for place in places(archive, at) {
            let is_known = |known: &Directory| known.start == place.start;
            if place.count > 0 && !is_known(&main) && !others.iter().any(is_known) {
                others.push(place);
            }
        }
    }
    Some(Directories { main, others, other_end })
}

/// Bytes that are searched for a signature at a time, from the end of the archive on.
const SEARCHED_PART_BYTES: usize = 16 << 10;

/// Offset of the last signature of an end record. The parts of the archive are searched forwards, since memchr has vectors for that alone if
/// it searches for several bytes.
fn last_signature(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    while end >= SIGNATURE.len() {
        let start = end.saturating_sub(SEARCHED_PART_BYTES);
        if let Some(at) = memmem::find_iter(&bytes[start..end], SIGNATURE).last() {
            return Some(start + at);
        }
        if start == 0 {
            break;
        }
        // A signature may lie across the start of the part.
        end = start + SIGNATURE.len() - 1;
    }
    None
}

/// True if the comment of an end record ends the archive, or if the record is preceded by a directory or a zip64 locator.
fn is_consistent(archive: &[u8], at: usize) -> bool {
    let ends_at_end = || comment_end(archive, at) == Some(archive.len());
    let has_directory = || {
        let (size, offset) = (u32_at(archive, at + 12)? as usize, u32_at(archive, at + 16)? as usize);
        let is_empty = size == 0 && u16_at(archive, at + 10) == Some(0);
        let is_before = |start: usize| start < at && is_record(archive, start);
        Some(is_empty || is_before(offset) || at.checked_sub(size).is_some_and(is_before))
    };
    ends_at_end() || locator(archive, at).is_some() || has_directory().unwrap_or(false)
}

/// Offset of the zip64 locator before an end record.
fn locator(archive: &[u8], at: usize) -> Option<usize> {
    at.checked_sub(LOCATOR_BYTES).filter(|&start| archive[start..].starts_with(LOCATOR_SIGNATURE))
}

/// True if there is a record of a central directory.
fn is_record(archive: &[u8], at: usize) -> bool {
    archive.get(at..).is_some_and(|bytes| bytes.starts_with(RECORD_SIGNATURE))
}

/// Offset of the end of the comment of an end record.
fn comment_end(archive: &[u8], at: usize) -> Option<usize> {
    Some(at + END_RECORD_BYTES + usize::from(u16_at(archive, at + END_RECORD_BYTES - 2)?))
}

/// The directory of the last end record that satisfies the predicate and has one.
fn last_where(archive: &[u8], is_candidate: impl Fn(usize) -> bool) -> Option<Directory> {
    let mut part = archive;
    for _ in 0..MAX_CANDIDATES {
        let mut at = last_signature(part)?;
        while !is_candidate(at) {
            at = last_signature(&part[..at])?;
        }
        if let Some(found) = places(archive, at).first() {
            return Some(*found);
        }
        part = &part[..at];
    }
    None
}

/// The places of the directory of an end record, the most common reading first.
fn places(archive: &[u8], at: usize) -> Vec<Directory> {
    let mut places = Vec::new();
    let fields =
        (u16_at(archive, at + 10), u32_at(archive, at + 12), u32_at(archive, at + 16), comment_end(archive, at));
    let (Some(count), Some(size), Some(offset), Some(archive_end)) = fields else { return places };
    let narrow = Stated { count: count.into(), size: size.into(), offset: offset.into(), is_narrow: true };
    let refers_to_wide = count == u16::MAX || size == u32::MAX || offset == u32::MAX;
    let wide = locator(archive, at).and_then(|locator| wide_record(archive, locator));
    // The largest number refers to the zip64 record.
    let part = u16_at(archive, at + 4).filter(|&part| part != u16::MAX).unwrap_or(0);
    let ends = End { end_record: at, archive_end, part };
    match wide {
        Some((end, wide)) if refers_to_wide => {
            add(&mut places, archive, wide, end, ends);
            add(&mut places, archive, narrow, at, ends);
        }
        Some((end, wide)) => {
            add(&mut places, archive, narrow, end, ends);
            add(&mut places, archive, wide, end, ends);
        }
        None => add(&mut places, archive, narrow, at, ends),
    }
    places
}

/// Content of an end record.
#[derive(Clone, Copy)]
struct Stated {
    count: u64,
    size: u64,
    offset: u64,
    is_narrow: bool,
}

/// Where the end record is, and the archive with its comment ends.
#[derive(Clone, Copy)]
struct End {
    end_record: usize,
    archive_end: usize,
    part: u16,
}

/// Adds the places that a record at `end` may mean: by the size before it, and by the offset.
fn add(places: &mut Vec<Directory>, archive: &[u8], stated: Stated, end: usize, ends: End) {
    let Stated { count, size, offset, is_narrow } = stated;
    let End { end_record, archive_end, part } = ends;
    let by_size = usize::try_from(size).ok().and_then(|size| end.checked_sub(size));
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let is_empty = count == 0 && size == 0;
    let starts_here = |start: &usize| *start <= end && (is_record(archive, *start) || (is_empty && *start == end));
    for start in [by_size, Some(offset)].into_iter().flatten().filter(starts_here) {
        let base = start.checked_sub(offset);
        let is_exact = by_size == Some(start) && base.is_some();
        let base = base.unwrap_or(0);
        if places.iter().all(|place| place.start != start) {
            places.push(Directory { start, end, base, count, is_narrow, end_record, archive_end, part, is_exact });
        }
    }
}

/// The zip64 end record of a locator: where the locator says, or else just before it, as in an archive behind other bytes.
fn wide_record(archive: &[u8], locator: usize) -> Option<(usize, Stated)> {
    let stated = u64_at(archive, locator + 8).and_then(|at| usize::try_from(at).ok());
    let before = locator.checked_sub(WIDE_BYTES);
    let is_wide = |at: &usize| archive.get(*at..).is_some_and(|bytes| bytes.starts_with(WIDE_SIGNATURE));
    let at = stated.filter(is_wide).or_else(|| before.filter(is_wide))?;
    let (count, size) = (u64_at(archive, at + 32)?, u64_at(archive, at + 40)?);
    Some((at, Stated { count, size, offset: u64_at(archive, at + 48)?, is_narrow: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_signature_is_found_across_parts() {
        for size in [4, 5, 100, SEARCHED_PART_BYTES - 1, SEARCHED_PART_BYTES, 3 * SEARCHED_PART_BYTES + 7] {
            let mut bytes = vec![6; size];
            assert_eq!(last_signature(&bytes), None);
            for at in
                [size - 4, size.saturating_sub(5), size / 2, SEARCHED_PART_BYTES + 5, SEARCHED_PART_BYTES + 9, 1, 0]
            {
                let Some(place) = bytes.get_mut(at..at + 4) else { continue };
                let before = place.to_vec();
                place.copy_from_slice(SIGNATURE);
                assert_eq!(last_signature(&bytes), Some(at), "{size}");
                assert_eq!(last_signature(&bytes[..at + 3]), None);
                bytes[at..at + 4].copy_from_slice(&before);
            }
        }
        // Two of them.
        let mut bytes = vec![b'P'; 50_000];
        for at in [10, 30_000] {
            bytes[at..at + 4].copy_from_slice(SIGNATURE);
        }
        assert_eq!(last_signature(&bytes), Some(30_000));
        assert_eq!(last_signature(&bytes[..30_003]), Some(10));
        assert_eq!(last_signature(b"PK"), None);
    }
}
