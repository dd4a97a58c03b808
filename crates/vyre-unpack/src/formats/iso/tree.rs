//! Directories of ISO 9660 images.

use std::collections::HashSet;
use std::ops::Range;

use super::SECTOR_BYTES;
use super::rock_ridge::{self, Attributes};
use crate::archive::{TableMemoryRefused, insert};
use crate::entry::EntryKind;
use crate::problem::{Problem, ProblemKind};
use crate::stream::u32_at;

/// Size of the fixed part of a directory record.
const RECORD_BYTES: usize = 33;
/// Flags of a record.
const DIRECTORY: u8 = 2;
const MORE_EXTENTS: u8 = 0x80;
/// Maximum depth of directories.
const MAX_DEPTH: usize = 256;
/// Maximum number of extents of a file.
const MAX_EXTENTS: usize = 4096;

/// A directory record.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Place of the data; it may reach beyond the end of the image.
    pub(super) extent: Range<usize>,
    flags: u8,
    modified: Option<i64>,
    /// Name as stored.
    pub(super) name: Vec<u8>,
    /// Bytes after the name.
    pub(super) system_use: Vec<u8>,
    /// Offset of the record.
    pub(super) at: usize,
}

impl Record {
    /// Reads a record, which `bytes` hold exactly.
    pub(super) fn read(bytes: &[u8], at: usize) -> Option<Record> {
        let start = (u32_at(bytes, 2)? as usize + usize::from(*bytes.get(1)?)).checked_mul(SECTOR_BYTES)?;
        let end = start.checked_add(u32_at(bytes, 10)? as usize)?;
        let length = usize::from(*bytes.get(32)?);
        let name = bytes.get(RECORD_BYTES..RECORD_BYTES + length)?.to_vec();
        // The name is padded to an even offset.
        let after = (RECORD_BYTES + length).next_multiple_of(2);
        let system_use = bytes.get(after..).unwrap_or_default().to_vec();
        let date = bytes.get(18..25)?;
        Some(Record { extent: start..end, flags: bytes[25], modified: seconds(date), name, system_use, at })
    }

    fn is_directory(&self) -> bool {
        self.flags & DIRECTORY != 0
    }
}

/// Seconds since 1970 of years since 1900, month, day, hour, minute, second and the offset from UTC in quarters of an hour.
fn seconds(date: &[u8]) -> Option<i64> {
    let [year, month, day, hour, minute, second, zone] = *date.first_chunk()?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (year, month, day) = (i64::from(year) + 1900, i64::from(month), i64::from(day));
    let (shifted, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (from_march * 153 + 2) / 5 + day - 1;
    let local = (((days - 719_468) * 24 + i64::from(hour)) * 60 + i64::from(minute)) * 60 + i64::from(second);
    Some(local - i64::from(zone as i8) * 900)
}

/// A file, directory or link of the image.
pub(super) struct File {
    pub(super) name: Vec<u8>,
    pub(super) kind: EntryKind,
    /// Parts of its data.
    pub(super) parts: Vec<Range<usize>>,
    pub(super) mode: Option<u32>,
    pub(super) modified: Option<i64>,
    pub(super) at: usize,
    pub(super) problems: Vec<Problem>,
}

/// An open directory.
struct Directory {
    path: Vec<u8>,
    at: usize,
    end: usize,
}

/// Traversal of the directories, depth first.
pub(super) struct Tree<'a> {
    image: &'a [u8],
    open: Vec<Directory>,
    /// Places of directories that were visited: each must have one parent.
    visited: HashSet<usize>,
    is_joliet: bool,
    /// Number of bytes before the fields of Rock Ridge, if the tree has them.
    rock_ridge: Option<usize>,
    /// Extents of a file that has more.
    pending: Vec<Range<usize>>,
    /// Bytes that further directories may have: they do not overlap.
    bytes_left: usize,
}

impl<'a> Tree<'a> {
    /// The tree of this root.
    ///
    /// # Errors
    ///
    /// The system refuses the memory.
    pub(super) fn new(
        image: &'a [u8],
        root: Record,
        is_joliet: bool,
        rock_ridge: Option<usize>,
    ) -> Result<Tree<'a>, TableMemoryRefused> {
        let mut tree = Tree {
            image,
            open: Vec::new(),
            visited: HashSet::new(),
            is_joliet,
            rock_ridge,
            pending: Vec::new(),
            bytes_left: image.len(),
        };
        tree.enter(Vec::new(), root.extent)?;
        Ok(tree)
    }

    /// Opens a directory unless it was visited.
    fn enter(&mut self, path: Vec<u8>, extent: Range<usize>) -> Result<bool, TableMemoryRefused> {
        if self.open.len() >= MAX_DEPTH || !insert(&mut self.visited, extent.start)? {
            return Ok(false);
        }
        let length = self.image.len();
        let (start, end) = (extent.start.min(length), extent.end.min(length));
        let Some(left) = self.bytes_left.checked_sub(end - start) else { return Ok(false) };
        self.bytes_left = left;
        self.open.push(Directory { path, at: start, end });
        Ok(true)
    }

    /// The next record of the innermost directory.
    fn record(&mut self) -> Option<Result<Record, Problem>> {
        loop {
            let directory = self.open.last_mut()?;
            if directory.at >= directory.end {
                self.open.pop();
                self.pending.clear();
                continue;
            }
            let at = directory.at;
            let length = usize::from(self.image[at]);
            if length == 0 {
                // Records do not cross sectors.
                directory.at = (at + 1).next_multiple_of(SECTOR_BYTES);
                continue;
            }
            directory.at = at + length;
            let record = self.image.get(at..at + length).and_then(|bytes| Record::read(bytes, at));
            if record.is_none() {
                self.open.pop();
            }
            let kind = ProblemKind::Corrupt { what: "a directory of the image is damaged" };
            return Some(record.ok_or(Problem::new(at as u64, kind)));
        }
    }

    /// The next file.
    pub(super) fn next(&mut self) -> Option<Result<File, Problem>> {
        loop {
            let record = match self.record()? {
                Ok(record) => record,
                Err(problem) => return Some(Err(problem)),
            };
            if matches!(&record.name[..], [0] | [1]) {
                continue;
            }
            let attributes = self.rock_ridge.map(|skip| rock_ridge::read(self.image, &record, skip));
            let attributes = attributes.unwrap_or_default();
            if attributes.is_relocated {
                // The directory is listed where it was moved from.
                continue;
            }
            if record.flags & MORE_EXTENTS != 0 && self.pending.len() < MAX_EXTENTS {
                self.pending.push(record.extent);
                continue;
            }
            let at = record.at as u64;
            return Some(self.file(record, attributes).map_err(|refused| Problem::new(at, refused.into())));
        }
    }

    fn file(&mut self, record: Record, attributes: Attributes) -> Result<File, TableMemoryRefused> {
        let own = match &attributes.name {
            Some(name) => name.clone(),
            None if self.is_joliet => joliet_name(&record.name),
            None => record.name.clone(),
        };
        let own = if attributes.name.is_some() { own } else { without_version(own) };
        let path = self.open.last().map_or(&b""[..], |directory| &directory.path);
        let name = [path, &own].concat();
        let mut parts = std::mem::take(&mut self.pending);
        let mut problems = Vec::new();
        let Attributes { mode, target, moved_to, is_compressed, .. } = attributes;
        let kind = match (target, mode.map(|mode| mode & 0o170_000)) {
            (Some(target), _) => EntryKind::Symlink { target },
            (None, _) if record.is_directory() || moved_to.is_some() => EntryKind::Directory,
            (None, Some(0o020_000)) => EntryKind::Special { what: "character device" },
            (None, Some(0o060_000)) => EntryKind::Special { what: "block device" },
            (None, Some(0o010_000)) => EntryKind::Special { what: "fifo" },
            (None, Some(0o140_000)) => EntryKind::Special { what: "socket" },
            (None, _) => EntryKind::File,
        };
        if kind == EntryKind::Directory {
            let extent = moved_to.map_or(record.extent, |sector| rock_ridge::directory_at(self.image, sector));
            if !self.enter([&name[..], b"/"].concat(), extent)? {
                let what = "the directory is part of another one, or too deep";
                problems.push(Problem::new(record.at as u64, ProblemKind::Corrupt { what }));
            }
            parts.clear();
        } else {
            parts.push(record.extent);
        }
        if is_compressed {
            let what = "a compressed file of an image (zisofs)".to_owned();
            problems.push(Problem::new(record.at as u64, ProblemKind::Unsupported { what }));
        }
        let mode = mode.map(|mode| mode & 0o7777);
        Ok(File { name, kind, parts, mode, modified: record.modified, at: record.at, problems })
    }
}

/// The name without `;1` and without a dot at the end.
fn without_version(mut name: Vec<u8>) -> Vec<u8> {
    if let Some(end) = name.iter().rposition(|&byte| byte == b';')
        && name[end + 1..].iter().all(u8::is_ascii_digit)
    {
        name.truncate(end);
        if name.last() == Some(&b'.') && name.len() > 1 {
            name.pop();
        }
    }
    name
}

/// A name in UTF-16, big-endian.
fn joliet_name(name: &[u8]) -> Vec<u8> {
    let units = name.as_chunks::<2>().0.iter().map(|unit| u16::from_be_bytes(*unit));
    let name: String = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
    name.into_bytes()
}
