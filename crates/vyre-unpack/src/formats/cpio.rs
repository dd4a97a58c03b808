//! Archives of `cpio` in the portable formats: `newc` with or without checksums, and `odc`. Members are slices of the archive.
//!
//! | Format | Magic number | Header | Numbers | Alignment |
//! |---|---|---|---|---|
//! | newc | `070701`, `070702` | 110 bytes | 8 hexadecimal digits | 4 bytes, of the data and of the next header |
//! | odc | `070707` | 76 bytes | 6 or 11 octal digits | none |
//!
//! The name follows the header and ends with a zero byte. The member `TRAILER!!!` ends the archive.

use crate::archive::{ArchiveFormat, Content, Listing, Member};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};

/// Format of archives of `cpio`.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "cpio",
    title: "cpio",
    detect: |bytes| Header::read(bytes, 0).is_some(),
    has_weak_signature: false,
    detect_damaged: |_| false,
    detect_hidden: |_| false,
    members_are_compressed: false,
    list,
};

/// Name of the last member.
const TRAILER: &[u8] = b"TRAILER!!!";
/// Maximum length of the target of a symbolic link.
const MAX_TARGET_BYTES: usize = 65_536;

/// Header of a member.
struct Header {
    mode: u32,
    modified: u64,
    size: u64,
    /// Length of the name with its zero byte.
    name: usize,
    /// Sum of the bytes of a file, if the format has one.
    sum: Option<u32>,
    /// Size of the header.
    length: usize,
    alignment: usize,
}

impl Header {
    /// Reads the header at offset `at`.
    fn read(archive: &[u8], at: usize) -> Option<Header> {
        let bytes = archive.get(at..)?;
        let field = |start: usize, length: usize, radix: u32| {
            let text = std::str::from_utf8(bytes.get(start..start + length)?).ok()?;
            text.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u64::from_str_radix(text, radix).ok())?
        };
        match bytes.get(..6)? {
            magic @ (b"070701" | b"070702") => {
                let number = |index: usize| field(6 + index * 8, 8, 16);
                let sum = number(12)? as u32;
                Some(Header {
                    mode: number(1)? as u32,
                    modified: number(5)?,
                    size: number(6)?,
                    name: number(11)? as usize,
                    sum: (magic == b"070702").then_some(sum),
                    length: 110,
                    alignment: 4,
                })
            }
            b"070707" => Some(Header {
                mode: field(18, 6, 8)? as u32,
                modified: field(48, 11, 8)?,
                size: field(65, 11, 8)?,
                name: field(59, 6, 8)? as usize,
                sum: None,
                length: 76,
                alignment: 1,
            }),
            _ => None,
        }
    }
}

/// Lists the members.
fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let mut listing = Listing::default();
    let mut at = 0;
    let mut has_end = false;
    while at < archive.len() {
        let Some(header) = Header::read(archive, at) else {
            let kind = ProblemKind::Corrupt { what: "this is no header of a cpio member" };
            listing.push_problem(Problem::new(at as u64, kind));
            break;
        };
        let align = |offset: usize| offset.saturating_add(header.alignment - 1) / header.alignment * header.alignment;
        let name_start = at + header.length;
        let name = archive.get(name_start..).and_then(|rest| rest.get(..header.name));
        let Some(name) = name.and_then(|name| name.strip_suffix(b"\0")) else {
            listing.push_problem(Problem::new(at as u64, ProblemKind::Truncated { what: "name of a cpio member" }));
            break;
        };
        if name == TRAILER {
            has_end = true;
            let after = name_start + header.name;
            let garbage = archive[after.min(archive.len())..].iter().position(|&byte| byte != 0);
            if let Some(first) = garbage {
                let bytes = (archive.len() - after - first) as u64;
                let kind = ProblemKind::TrailingGarbage { bytes };
                listing.push_problem(Problem::new((after + first) as u64, kind));
            }
            break;
        }
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            break;
        }
        let start = align(name_start + header.name);
        let size = usize::try_from(header.size).unwrap_or(usize::MAX);
        let end = start.saturating_add(size);
        let is_truncated = end > archive.len();
        let range = start.min(archive.len())..end.min(archive.len());
        listing.push(member(archive, at, &header, name, range, is_truncated));
        at = align(end);
    }
    if !has_end && listing.problems.is_empty() && listing.limit.is_none() {
        let kind = ProblemKind::Truncated { what: "end of the cpio archive" };
        listing.push_problem(Problem::new(archive.len() as u64, kind));
    }
    match listing.problems.first() {
        Some(problem) if listing.is_without_members() => Err(problem.clone()),
        _ => Ok(listing),
    }
}

fn member(
    archive: &[u8],
    at: usize,
    header: &Header,
    name: &[u8],
    range: std::ops::Range<usize>,
    is_truncated: bool,
) -> Member {
    let mut problems = Vec::new();
    if is_truncated {
        problems.push(Problem::new(archive.len() as u64, ProblemKind::Truncated { what: "data of the entry" }));
    }
    let data = &archive[range.clone()];
    let kind = match header.mode & 0o170_000 {
        0o040_000 => EntryKind::Directory,
        0o120_000 => EntryKind::Symlink { target: data[..data.len().min(MAX_TARGET_BYTES)].to_vec() },
        0o020_000 => EntryKind::Special { what: "character device" },
        0o060_000 => EntryKind::Special { what: "block device" },
        0o010_000 => EntryKind::Special { what: "fifo" },
        0o140_000 => EntryKind::Special { what: "socket" },
        _ => EntryKind::File,
    };
    let is_file = kind == EntryKind::File;
    if let Some(expected) = header.sum.filter(|_| is_file && !is_truncated) {
        let found = data.iter().fold(0u32, |sum, &byte| sum.wrapping_add(u32::from(byte)));
        if found != expected {
            let (expected, found) = (u64::from(expected), u64::from(found));
            let kind = ProblemKind::Checksum { what: "sum of the bytes", expected, found };
            problems.push(Problem::new(range.start as u64, kind));
        }
    }
    Member {
        name: name.to_vec(),
        kind,
        size: is_file.then_some(header.size),
        compressed_size: if is_file { range.len() as u64 } else { 0 },
        content: if is_file { Content::Plain { range, sha256: None } } else { Content::Nothing },
        method: "cpio",
        offset: at as u64,
        mode: Some(header.mode & 0o7777),
        modified: i64::try_from(header.modified).ok(),
        problems,
    }
}
