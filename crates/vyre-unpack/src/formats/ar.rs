//! Archives of `ar`: static libraries and Debian packages (`.deb`). Members are slices of the archive.
//!
//! The archive starts with `!<arch>\n`. A member has a header of 60 bytes and its data, padded to an even size:
//!
//! | Offset | Size | Field of a header |
//! |---|---|---|
//! | 0 | 16 | name |
//! | 16 | 12 | modification time, decimal |
//! | 28 | 12 | user and group id |
//! | 40 | 8 | mode, octal |
//! | 48 | 10 | size, decimal |
//! | 58 | 2 | `` `\n `` |
//!
//! GNU writes long names into a member `//` and refers to them as `/offset`; BSD writes `#1/length` and the name before the data.

use crate::archive::{ArchiveFormat, Content, Listing, Member};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};

/// Format of archives of `ar`.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "ar",
    title: "ar",
    detect: |bytes| bytes.starts_with(MAGIC),
    has_weak_signature: false,
    detect_damaged: |_| false,
    detect_hidden: |_| false,
    members_are_compressed: false,
    list,
};

/// Start of an archive.
const MAGIC: &[u8] = b"!<arch>\n";
/// Size of a header.
const HEADER_BYTES: usize = 60;

/// Lists the members.
fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let mut listing = Listing::default();
    let mut long_names: &[u8] = b"";
    // Each member that refers to a long name allocates it.
    let mut name_budget = archive.len();
    let mut at = MAGIC.len();
    while at < archive.len() {
        let Some(header) = archive.get(at..at + HEADER_BYTES) else {
            listing.push_problem(Problem::new(at as u64, ProblemKind::Truncated { what: "header of an ar member" }));
            break;
        };
        let size = decimal(&header[48..58]).and_then(|size| usize::try_from(size).ok());
        let (Some(size), b"`\n") = (size, &header[58..]) else {
            let kind = ProblemKind::Corrupt { what: "this is no header of an ar member" };
            listing.push_problem(Problem::new(at as u64, kind));
            break;
        };
        let start = at + HEADER_BYTES;
        let end = start.saturating_add(size).min(archive.len());
        let data = &archive[start..end];
        let own = header[..16].trim_ascii_end();
        at = start.saturating_add(size).saturating_add(size % 2);
        match own {
            b"//" => {
                long_names = data;
                continue;
            }
            // Tables of symbols.
            b"/" | b"/SYM64/" | b"__.SYMDEF" | b"__.SYMDEF SORTED" => continue,
            _ => {}
        }
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            break;
        }
        let (name, skipped) = name_of(own, data, long_names);
        let Some(left) = name_budget.checked_sub(name.len()) else {
            let kind = ProblemKind::Corrupt { what: "the names of the entries are longer than the archive" };
            listing.push_problem(Problem::new(start as u64, kind));
            break;
        };
        name_budget = left;
        let range = start + skipped..end;
        let is_truncated = start.saturating_add(size) > archive.len();
        let problem = Problem::new(archive.len() as u64, ProblemKind::Truncated { what: "data of the entry" });
        listing.push(Member {
            name: name.to_vec(),
            kind: EntryKind::File,
            size: Some((size - skipped) as u64),
            compressed_size: range.len() as u64,
            content: Content::Plain { range, sha256: None },
            method: "ar",
            offset: (start - HEADER_BYTES) as u64,
            mode: octal(&header[40..48]),
            modified: decimal(&header[16..28]).and_then(|time| i64::try_from(time).ok()),
            problems: is_truncated.then_some(problem).into_iter().collect(),
        });
    }
    match listing.problems.first() {
        Some(problem) if listing.is_without_members() => Err(problem.clone()),
        _ => Ok(listing),
    }
}

/// Name of a member, and the number of bytes of its data that are the name.
fn name_of<'a>(own: &'a [u8], data: &'a [u8], long_names: &'a [u8]) -> (&'a [u8], usize) {
    if let Some(length) = own.strip_prefix(b"#1/").and_then(decimal) {
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(data.len());
        let name = &data[..length];
        return (&name[..memchr::memchr(0, name).unwrap_or(length)], length);
    }
    let offset = own.strip_prefix(b"/").and_then(decimal).and_then(|offset| usize::try_from(offset).ok());
    if let Some(name) = offset.and_then(|offset| long_names.get(offset..)) {
        let end = memchr::memchr(b'\n', name).unwrap_or(name.len());
        return (name[..end].strip_suffix(b"/").unwrap_or(&name[..end]), 0);
    }
    (own.strip_suffix(b"/").unwrap_or(own), 0)
}

/// A decimal number with spaces after it.
fn decimal(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field.trim_ascii_end()).ok()?.parse().ok()
}

/// Permission bits.
fn octal(field: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(field.trim_ascii_end()).ok()?;
    u32::from_str_radix(text, 8).ok().map(|mode| mode & 0o7777)
}
