//! Where the central directory of a zip archive is.

use std::borrow::Cow;

use memchr::memmem;
use rawzip::{ZipLocator, ZipSliceArchive};

use super::local::{u16_at, u32_at};

/// The first bytes of the end record, and how long it is without its comment.
const SIGNATURE: &[u8] = b"PK\x05\x06";
const LENGTH: usize = 22;
/// The first bytes of a record of the directory.
const RECORD_SIGNATURE: &[u8] = b"PK\x01\x02";
/// The first bytes of what stands before the end record of large archives, and how long that is.
const LOCATOR_SIGNATURE: &[u8] = b"PK\x06\x07";
const LOCATOR: usize = 20;
const LONGEST_COMMENT: usize = 65_535;
/// How many false end records are looked over.
const MOST_FALSE: usize = 64;
/// How many archives are copied to look at one without its comment.
const MOST_COPIES: usize = 4;

/// The central directory.
pub(super) struct Directory<'a> {
    pub(super) located: ZipSliceArchive<Cow<'a, [u8]>>,
    /// Where the archive ends, with its comment.
    pub(super) end: usize,
    /// Another end record that could be meant as well.
    pub(super) other: Option<usize>,
}

/// Whether there is a directory at the end, with an entry that can be read.
pub(in super::super) fn has_directory(archive: &[u8]) -> bool {
    let located = ZipLocator::new().max_search_space((LENGTH + LONGEST_COMMENT) as u64).locate_in_slice(archive);
    located.is_ok_and(|located| matches!(located.entries().next_entry(), Ok(Some(_))))
}

/// The last directory that makes sense. Comments may be full of what looks like end records, so that those come first which
/// agree with what is around them.
pub(super) fn locate(archive: &[u8]) -> Option<Directory<'_>> {
    locate_where(archive, |at| is_consistent(archive, at)).or_else(|| locate_where(archive, |_| true))
}

/// Whether the comment of an end record is all that follows, or there is a directory where the record says.
fn is_consistent(archive: &[u8], at: usize) -> bool {
    let ends_at_end = || comment_end(archive, at) == Some(archive.len());
    let has_locator = || at.checked_sub(LOCATOR).is_some_and(|start| archive[start..].starts_with(LOCATOR_SIGNATURE));
    let has_directory = || {
        let (size, offset) = (u32_at(archive, at + 12)? as usize, u32_at(archive, at + 16)? as usize);
        let is_record = |start: usize| archive.get(start..at).is_some_and(|bytes| bytes.starts_with(RECORD_SIGNATURE));
        let is_empty = size == 0 && u16_at(archive, at + 10) == Some(0);
        Some(is_empty || is_record(offset) || at.checked_sub(size).is_some_and(is_record))
    };
    ends_at_end() || has_locator() || has_directory().unwrap_or(false)
}

/// Where the comment of an end record ends.
fn comment_end(archive: &[u8], at: usize) -> Option<usize> {
    Some(at + LENGTH + usize::from(u16_at(archive, at + LENGTH - 2)?))
}

/// The last directory whose end record is one of these.
fn locate_where(archive: &[u8], is_candidate: impl Fn(usize) -> bool) -> Option<Directory<'_>> {
    let mut part = archive;
    let mut copies = 0;
    let mut looked_at = 0;
    let finder = memmem::FinderRev::new(SIGNATURE);
    while looked_at < MOST_FALSE {
        let at = finder.rfind(part)?;
        if !is_candidate(at) {
            part = &part[..at];
            continue;
        }
        looked_at += 1;
        let comment = usize::from(u16_at(archive, at + LENGTH - 2).unwrap_or(0));
        let end = at + LENGTH + comment;
        // What looks like an end record may be in the comment of the real one, which is then looked at without its comment.
        let view = if part.len() == archive.len() || end <= part.len() {
            Some(Cow::Borrowed(part))
        } else if end <= archive.len() && copies < MOST_COPIES {
            copies += 1;
            let mut copy = archive[..at + LENGTH].to_vec();
            copy[at + LENGTH - 2..].fill(0);
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

/// An end record before this one whose comment is all up to the end of the archive, this one with it.
fn other(archive: &[u8], at: usize) -> Option<usize> {
    let first = at.saturating_sub(LONGEST_COMMENT);
    let ends_at_end = |found: &usize| comment_end(archive, *found) == Some(archive.len());
    memmem::find_iter(&archive[first..at], SIGNATURE).map(|found| first + found).find(ends_at_end)
}
