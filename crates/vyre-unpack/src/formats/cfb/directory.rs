//! Directory of a compound file: binary trees of records of 128 bytes.
//!
//! | Offset | Size | Field of a record |
//! |---|---|---|
//! | 0 | 64 | name in UTF-16 |
//! | 64 | 2 | size of the name with its zero |
//! | 66 | 1 | 1 for a storage, 2 for a stream, 5 for the root |
//! | 68, 72, 76 | 4 | left and right neighbour in the tree, and the root of the tree of a storage |
//! | 116 | 4 | first sector |
//! | 120 | 8 | size |

use std::ops::Range;

use crate::archive::{extend, push, table_of};
use crate::problem::ProblemKind;
use crate::stream::{u16_at, u32_at, u64_at};

const RECORD_BYTES: usize = 128;
/// Number of a record that means none.
const NO_RECORD: u32 = u32::MAX;
/// Maximum length of a path.
const MAX_PATH_BYTES: usize = 4096;
/// Digits of the names of streams of installer packages.
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._";

const DAMAGED: ProblemKind = ProblemKind::Corrupt { what: "the directory of the compound file is damaged" };

/// File type of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Storage,
    Stream,
}

/// A storage or stream.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) name: Vec<u8>,
    pub(super) kind: Kind,
    pub(super) first: u32,
    pub(super) size: u64,
}

/// Traversal of the records.
pub(super) struct Directory<'a> {
    bytes: &'a [u8],
    pub(super) root: Record,
    /// Records to visit, with the place of the path of their storage in `paths`.
    stack: Vec<(u32, Range<usize>)>,
    /// Paths of the storages on the stack. The path of a record is behind those of all records below it on the stack.
    paths: Vec<u8>,
    is_visited: Vec<bool>,
}

impl<'a> Directory<'a> {
    /// The directory in these bytes.
    ///
    /// # Errors
    ///
    /// There is no root, or the system refuses the memory.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Directory<'a>, ProblemKind> {
        let (Some(child), Some(first), Some(size)) = (u32_at(bytes, 76), u32_at(bytes, 116), u64_at(bytes, 120)) else {
            return Err(DAMAGED);
        };
        let count = bytes.len() / RECORD_BYTES;
        let mut is_visited = table_of(count)?;
        is_visited.resize(count, false);
        let root = Record { name: Vec::new(), kind: Kind::Storage, first, size };
        Ok(Directory { bytes, root, stack: vec![(child, 0..0)], paths: Vec::new(), is_visited })
    }

    /// The next storage or stream; none at the end.
    ///
    /// # Errors
    ///
    /// A record is damaged, or the system refuses the memory.
    pub(super) fn next(&mut self) -> Result<Option<Record>, ProblemKind> {
        loop {
            let Some((number, path)) = self.stack.pop() else { return Ok(None) };
            if number == NO_RECORD {
                continue;
            }
            self.paths.truncate(path.end);
            // A record that was visited before would start a cycle.
            match self.is_visited.get_mut(number as usize) {
                Some(is_visited) if !*is_visited => *is_visited = true,
                _ => return Err(DAMAGED),
            }
            let record = &self.bytes[number as usize * RECORD_BYTES..][..RECORD_BYTES];
            let word = |at| u32_at(record, at).unwrap_or(NO_RECORD);
            let length = (usize::from(u16_at(record, 64).unwrap_or(0)).min(64) / 2).saturating_sub(1);
            let units: Vec<u16> = (0..length).filter_map(|index| u16_at(record, index * 2)).collect();
            let name = [&self.paths[path.clone()], &decode_name(&units)].concat();
            push(&mut self.stack, (word(72), path.clone()))?;
            push(&mut self.stack, (word(68), path))?;
            let kind = match record[66] {
                1 => Kind::Storage,
                2 => Kind::Stream,
                _ => continue,
            };
            if name.len() > MAX_PATH_BYTES {
                return Err(DAMAGED);
            }
            if kind == Kind::Storage {
                let start = self.paths.len();
                extend(&mut self.paths, name.iter().copied())?;
                push(&mut self.paths, b'/')?;
                push(&mut self.stack, (word(76), start..self.paths.len()))?;
            }
            return Ok(Some(Record { name, kind, first: word(116), size: u64_at(record, 120).unwrap_or(0) }));
        }
    }
}

/// A name in UTF-8. Installer packages put two characters into one; control characters are written as `[5]`.
fn decode_name(units: &[u16]) -> Vec<u8> {
    let mut name = Vec::new();
    for unit in char::decode_utf16(units.iter().copied()) {
        let character = unit.unwrap_or('\u{fffd}');
        match u32::from(character) {
            code @ 0x3800..0x4800 => {
                let pair = (code - 0x3800) as usize;
                name.extend([DIGITS[pair & 0x3f], DIGITS[pair >> 6]]);
            }
            code @ 0x4800..0x4840 => name.push(DIGITS[(code - 0x4800) as usize]),
            0x4840 => name.push(b'!'),
            code @ 0..0x20 => name.extend(format!("[{code}]").bytes()),
            _ => name.extend(character.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    name
}
