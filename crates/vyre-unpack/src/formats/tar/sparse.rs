//! Sparse files: the archive has a map and the parts between the holes.
//!
//! | Format | Map |
//! |---|---|
//! | GNU (type `S`) | four parts in the header block, 21 in each block that follows it |
//! | pax 0.0 | records `GNU.sparse.offset` and `GNU.sparse.numbytes`, in pairs |
//! | pax 0.1 | record `GNU.sparse.map`: numbers separated by commas |
//! | pax 1.0 | lines of decimal digits before the data, padded to whole blocks |
//!
//! A part is an offset in the file and a number of bytes. Parts must be in order and within the file.

use std::ops::Range;

use super::extended::{Extension, ExtensionKind, records};
use super::header::{BLOCK_BYTES, Header, number};
use crate::archive::{SparseFile, SparsePart};

/// Size of a part in a map of the GNU format.
const PART_BYTES: usize = 24;
/// Number of parts in the header block.
const HEADER_PARTS: usize = 4;
/// Number of parts in another block of the map.
const BLOCK_PARTS: usize = 21;

/// A map: the size of the file, and the parts.
struct Map {
    size: u64,
    parts: Vec<(u64, u64)>,
}

/// The sparse file of a GNU header. Its data are in `data`.
pub(super) fn gnu_file(archive: &[u8], header: &Header<'_>, at: usize, data: Range<usize>) -> Option<SparseFile> {
    let mut parts = Vec::new();
    push_parts(header.sparse_parts(), HEADER_PARTS, &mut parts)?;
    let mut block = at + BLOCK_BYTES;
    let mut is_continued = header.is_sparse_continued();
    while is_continued {
        let bytes = archive.get(block..block.checked_add(BLOCK_BYTES)?)?;
        push_parts(bytes, BLOCK_PARTS, &mut parts)?;
        is_continued = bytes[BLOCK_PARTS * PART_BYTES] != 0;
        block += BLOCK_BYTES;
    }
    file(Map { size: header.sparse_size()?, parts }, data)
}

/// Reads up to `count` parts of a map of the GNU format. An empty field ends them.
fn push_parts(map: &[u8], count: usize, parts: &mut Vec<(u64, u64)>) -> Option<()> {
    for part in map.chunks_exact(PART_BYTES).take(count) {
        let (offset, length) = part.split_at(PART_BYTES / 2);
        if length[0] == 0 {
            break;
        }
        parts.push((u64::try_from(number(offset)?).ok()?, u64::try_from(number(length)?).ok()?));
    }
    Some(())
}

/// The sparse file of extended headers. Its data, and the map of the format 1.0, are in `data`.
pub(super) fn pax_file(archive: &[u8], next: &[Extension], mut data: Range<usize>) -> Option<SparseFile> {
    let mut size = None;
    let mut is_before_data = false;
    let mut numbers: Vec<u64> = Vec::new();
    for extension in next.iter().filter(|extension| extension.kind == ExtensionKind::Pax) {
        for (keyword, value) in records(archive.get(extension.data.clone())?) {
            match keyword {
                b"GNU.sparse.size" | b"GNU.sparse.realsize" => size = Some(decimal(value)?),
                b"GNU.sparse.major" => is_before_data = decimal(value)? == 1,
                b"GNU.sparse.offset" | b"GNU.sparse.numbytes" => {
                    // The keywords alternate, the offset first.
                    let is_offset = keyword == b"GNU.sparse.offset";
                    if is_offset != numbers.len().is_multiple_of(2) {
                        return None;
                    }
                    numbers.push(decimal(value)?);
                }
                b"GNU.sparse.map" if value.is_empty() => numbers.clear(),
                b"GNU.sparse.map" => {
                    numbers = value.split(|&byte| byte == b',').map(decimal).collect::<Option<_>>()?;
                }
                _ => {}
            }
        }
    }
    if is_before_data {
        numbers.clear();
        let bytes = archive.get(data.clone())?;
        let mut at = 0;
        let count = line(bytes, &mut at)?.checked_mul(2)?;
        for _ in 0..count {
            numbers.push(line(bytes, &mut at)?);
        }
        data.start = data.start.checked_add(at.checked_next_multiple_of(BLOCK_BYTES)?)?;
    }
    if !numbers.len().is_multiple_of(2) {
        return None;
    }
    let parts = numbers.chunks_exact(2).map(|part| (part[0], part[1])).collect();
    file(Map { size: size?, parts }, data)
}

/// The number on the line at `at`, which moves behind it.
fn line(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let rest = bytes.get(*at..)?;
    let end = rest.iter().take(20).position(|&byte| byte == b'\n')?;
    *at += end + 1;
    decimal(&rest[..end])
}

fn decimal(text: &[u8]) -> Option<u64> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| is_number)?.parse().ok()
}

/// The file of a map whose parts are in `data`, one after the other. Data that are cut off leave holes.
fn file(map: Map, data: Range<usize>) -> Option<SparseFile> {
    let mut parts = Vec::with_capacity(map.parts.len());
    let (mut end, mut at) = (0, data.start);
    for (offset, length) in map.parts {
        let after = offset.checked_add(length)?;
        if offset < end || after > map.size {
            return None;
        }
        end = after;
        let available = data.end.saturating_sub(at);
        let part = at..at + usize::try_from(length).map_or(available, |length| length.min(available));
        at = part.end;
        parts.push(SparsePart { offset, data: part });
    }
    Some(SparseFile { size: map.size, parts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(size: u64, parts: &[(u64, u64)]) -> Option<SparseFile> {
        file(Map { size, parts: parts.to_vec() }, 100..110)
    }

    #[test]
    fn parts_are_in_order_and_within_the_file() {
        assert_eq!(map(20, &[(0, 4), (10, 6), (20, 0)]).expect("it is valid").parts[1].data, 104..110);
        assert_eq!(map(20, &[(0, 4), (3, 6)]), None);
        assert_eq!(map(20, &[(18, 4)]), None);
        assert_eq!(map(20, &[(u64::MAX, 4)]), None);
        // The data are cut off.
        let parts = map(40, &[(0, 8), (10, 8), (20, 8)]).expect("it is valid").parts;
        assert_eq!(parts.iter().map(|part| part.data.len()).collect::<Vec<_>>(), [8, 2, 0]);
    }
}
