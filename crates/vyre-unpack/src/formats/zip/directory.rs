//! Location of the central directory of a zip archive.
//!
//! | Offset | Size | Field of the end record |
//! |---|---|---|
//! | 0 | 4 | signature `PK\x05\x06` |
//! | 10 | 2 | number of entries |
//! | 12 | 4 | size of the central directory |
//! | 16 | 4 | offset of the central directory |
//! | 20 | 2 | length of the comment |
//! | 22 | n | comment |

use std::borrow::Cow;

use memchr::memmem;
use rawzip::{ZipLocator, ZipSliceArchive};

use crate::stream::{u16_at, u32_at};

/// Signature of the end record.
const SIGNATURE: &[u8] = b"PK\x05\x06";
/// Size of the end record without its comment.
const END_RECORD_BYTES: usize = 22;
/// Signature of a central directory record.
const RECORD_SIGNATURE: &[u8] = b"PK\x01\x02";
/// Signature of the zip64 locator, which precedes the end record of large archives.
const LOCATOR_SIGNATURE: &[u8] = b"PK\x06\x07";
/// Size of the zip64 locator.
const LOCATOR_BYTES: usize = 20;
/// Maximum length of a comment.
const MAX_COMMENT_BYTES: usize = 65_535;
/// Maximum number of end record candidates that are examined.
const MAX_CANDIDATES: usize = 64;
/// Maximum number of copies of the archive that are made to hide a comment.
const MAX_COPIES: usize = 4;

/// The central directory.
pub(super) struct Directory<'a> {
    pub(super) located: ZipSliceArchive<Cow<'a, [u8]>>,
    /// Offset of the end of the archive, comment included.
    pub(super) end: usize,
    /// Offset of another plausible end record.
    pub(super) other: Option<usize>,
}

/// True if the bytes end with a central directory that has a readable entry.
pub(super) fn has_directory(archive: &[u8]) -> bool {
    let located =
        ZipLocator::new().max_search_space((END_RECORD_BYTES + MAX_COMMENT_BYTES) as u64).locate_in_slice(archive);
    located.is_ok_and(|located| matches!(located.entries().next_entry(), Ok(Some(_))))
}

/// Locates the last consistent central directory. Comments may contain false end records, so records that agree with their
/// surroundings have priority.
pub(super) fn locate(archive: &[u8]) -> Option<Directory<'_>> {
    locate_where(archive, |at| is_consistent(archive, at)).or_else(|| locate_where(archive, |_| true))
}

/// True if the comment of an end record ends the archive, or if the record is preceded by a directory or a zip64 locator.
fn is_consistent(archive: &[u8], at: usize) -> bool {
    let ends_at_end = || comment_end(archive, at) == Some(archive.len());
    let has_locator =
        || at.checked_sub(LOCATOR_BYTES).is_some_and(|start| archive[start..].starts_with(LOCATOR_SIGNATURE));
    let has_directory = || {
        let (size, offset) = (u32_at(archive, at + 12)? as usize, u32_at(archive, at + 16)? as usize);
        let is_record = |start: usize| archive.get(start..at).is_some_and(|bytes| bytes.starts_with(RECORD_SIGNATURE));
        let is_empty = size == 0 && u16_at(archive, at + 10) == Some(0);
        Some(is_empty || is_record(offset) || at.checked_sub(size).is_some_and(is_record))
    };
    ends_at_end() || has_locator() || has_directory().unwrap_or(false)
}

/// Offset of the end of the comment of an end record.
fn comment_end(archive: &[u8], at: usize) -> Option<usize> {
    Some(at + END_RECORD_BYTES + usize::from(u16_at(archive, at + END_RECORD_BYTES - 2)?))
}

/// Locates the last central directory whose end record satisfies the predicate.
fn locate_where(archive: &[u8], is_candidate: impl Fn(usize) -> bool) -> Option<Directory<'_>> {
    let mut part = archive;
    let mut copies = 0;
    let mut examined = 0;
    let finder = memmem::FinderRev::new(SIGNATURE);
    while examined < MAX_CANDIDATES {
        let at = finder.rfind(part)?;
        if !is_candidate(at) {
            part = &part[..at];
            continue;
        }
        examined += 1;
        let comment = usize::from(u16_at(archive, at + END_RECORD_BYTES - 2).unwrap_or(0));
        let end = at + END_RECORD_BYTES + comment;
        // A false end record may be part of the comment of the real one, whose comment is then hidden in a copy.
        let view = if part.len() == archive.len() || end <= part.len() {
            Some(Cow::Borrowed(part))
        } else if end <= archive.len() && copies < MAX_COPIES {
            copies += 1;
            let mut copy = archive[..at + END_RECORD_BYTES].to_vec();
            copy[at + END_RECORD_BYTES - 2..].fill(0);
            Some(Cow::Owned(copy))
        } else {
            None
        };
        let located = view.and_then(|view| ZipLocator::new().max_search_space(u64::MAX).locate_in_slice(view).ok());
        match located {
            Some(located) => return Some(Directory { located, end, other: other(archive, at) }),
            None => part = &part[..at],
        }
    }
    None
}

/// Offset of an earlier end record whose comment extends to the end of the archive.
fn other(archive: &[u8], at: usize) -> Option<usize> {
    let first = at.saturating_sub(MAX_COMMENT_BYTES);
    let ends_at_end = |found: &usize| comment_end(archive, *found) == Some(archive.len());
    memmem::find_iter(&archive[first..at], SIGNATURE).map(|found| first + found).find(ends_at_end)
}
