//! Zip archives (PKWARE APPNOTE.TXT, version 6.3).
//!
//! | Part of an archive | Signature |
//! |---|---|
//! | local header, data and optional data descriptor of each entry | `PK\x03\x04`, descriptor `PK\x07\x08` |
//! | central directory: one record for each entry | `PK\x01\x02` |
//! | zip64 end record and its locator, of large archives | `PK\x06\x06`, `PK\x06\x07` |
//! | end of central directory record, with a comment | `PK\x05\x06` |
//!
//! The central directory is authoritative. Local headers and descriptors must agree with it; differences are problems, because
//! readers differ in which of them they believe. Entries must not overlap. Entries that no directory lists are recovered by
//! their local headers.

mod directory;
mod extents;
mod local;
mod recovery;

use std::collections::BTreeMap;

use directory::Directory;
use extents::Extent;
use local::{Descriptor, LocalHeader};
use rawzip::time::{UtcDateTime, ZipDateTimeKind};
use rawzip::{ErrorKind, ZipFileHeaderRecord};
use recovery::{Recovered, Recovery};

use super::{bzip2, xz, zstd};
use crate::archive::{ArchiveFormat, Content, Listing, Member, Method, Packed};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};

/// Format of zip archives.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "zip",
    title: "zip",
    detect: has_signature,
    has_weak_signature: false,
    detect_damaged: directory::has_directory,
    members_are_compressed: true,
    list,
};

/// Size of a central directory record without its variable fields.
const CENTRAL_RECORD_BYTES: u64 = 46;

/// Problem text of entries recovered without a central directory.
const RECOVERED: &str = "the central directory is damaged; the entry was found by its local header";
/// Problem text of entries recovered beside a central directory.
const UNLISTED: &str = "the central directory does not list the entry";

/// True if the bytes start with a local header, with the end record of an empty archive, or with the marker of an archive that
/// was split into parts.
fn has_signature(start: &[u8]) -> bool {
    let is_split =
        || (start.starts_with(b"PK\x07\x08") || start.starts_with(b"PK00")) && start[4..].starts_with(b"PK\x03\x04");
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") || is_split()
}

/// The compression method of a method id, if it is supported.
fn method_of(id: u16) -> Option<Method> {
    match id {
        0 => Some(Method::Stored),
        8 => Some(Method::Deflate),
        12 => Some(Method::Stream(&bzip2::FORMAT)),
        20 | 93 => Some(Method::Stream(&zstd::FORMAT)),
        95 => Some(Method::Stream(&xz::FORMAT)),
        _ => None,
    }
}

/// Lists the entries of a zip archive.
fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    match directory::locate(archive) {
        Some(located) => Ok(list_directory(archive, &located, budget)),
        None => recover_all(archive, budget),
    }
}

/// Recovers the entries of an archive without a central directory.
fn recover_all(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let mut listing = Listing::default();
    let why = RECOVERED;
    Recovery::new(archive).entries(0..archive.len(), why, budget, &mut listing, |recovered, listing| {
        listing.members.push(recovered.member);
    });
    let problem = Problem::new(archive.len() as u64, ProblemKind::Truncated { what: "central directory" });
    if listing.members.is_empty() && listing.limit.is_none() {
        return Err(problem);
    }
    listing.push_problem(problem);
    Ok(listing)
}

/// Lists the entries of the central directory, and recovers those between them.
fn list_directory(archive: &[u8], directory: &Directory<'_>, budget: &Budget) -> Listing {
    let mut listing = Listing::default();
    let located = &directory.located;
    let count = located.entries().take_while(Result::is_ok).count();
    // Only records that exist are allocated for, whatever count the end record states.
    let room = usize::try_from(budget.limits().entries).unwrap_or(usize::MAX).min(count);
    listing.members.reserve_exact(room);
    let mut extents = Vec::with_capacity(room);
    let mut end = located.directory_offset();
    let mut is_whole = true;
    for record in located.entries() {
        match record {
            Ok(record) => {
                if let Err(exceeded) = budget.reserve_entries(1) {
                    listing.limit = Some(exceeded);
                    break;
                }
                end = record.central_directory_offset()
                    + CENTRAL_RECORD_BYTES
                    + record.file_path().as_bytes().len() as u64
                    + record.extra_fields().remaining_bytes().len() as u64
                    + record.comment().as_bytes().len() as u64;
                let (member, range) = read_entry(archive, &record);
                extents.extend(range.map(|range| Extent { range, member: listing.members.len() }));
                listing.members.push(member);
            }
            Err(error) => {
                is_whole = false;
                let kind = match error.kind() {
                    ErrorKind::Eof => ProblemKind::Truncated { what: "central directory" },
                    _ => ProblemKind::Corrupt { what: "the central directory has something that is no entry" },
                };
                listing.push_problem(Problem::new(end, kind));
            }
        }
    }
    let stated = located.entries_hint();
    let is_count_right = stated == count as u64 || (stated <= 0xffff && stated == count as u64 & 0xffff);
    if !is_count_right {
        let kind = ProblemKind::Corrupt { what: "the end record counts another number of entries than there are" };
        listing.push_problem(Problem::new(located.eocd_offset(), kind));
    }
    if let Some(other) = directory.other {
        let kind =
            ProblemKind::Corrupt { what: "there are two end records, and readers differ in which one they believe" };
        listing.push_problem(Problem::new(other as u64, kind));
    }
    let start = usize::try_from(located.directory_offset()).unwrap_or(archive.len()).min(archive.len());
    extents::reject_overlaps(&mut listing.members, &mut extents, start);
    if listing.limit.is_some() {
        // The gaps are entries beyond the limit.
        return listing;
    }
    let why = if is_whole { UNLISTED } else { RECOVERED };
    recover_between(archive, &extents, start, why, budget, &mut listing);
    let after = archive.len() - directory.end.min(archive.len());
    if after > 0 {
        let kind = ProblemKind::TrailingGarbage { bytes: after as u64 };
        listing.push_problem(Problem::new(directory.end as u64, kind));
    }
    listing
}

/// Recovers entries from the gaps between listed entries and reports unknown bytes. Any program may precede the first entry.
fn recover_between(
    archive: &[u8],
    extents: &[Extent],
    directory: usize,
    why: &'static str,
    budget: &Budget,
    listing: &mut Listing,
) {
    let gaps = extents::gaps(extents, directory);
    if gaps.is_empty() {
        return;
    }
    // Listed entries whose local header is not at the stated offset, by name.
    let mut lost: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut is_located = vec![false; listing.members.len()];
    for extent in extents {
        is_located[extent.member] = true;
    }
    for (index, _) in is_located.iter().enumerate().filter(|(_, located)| !**located) {
        lost.insert(listing.members[index].name.clone(), index);
    }
    let mut recovery = Recovery::new(archive);
    for gap in gaps {
        let mut has_entries = false;
        recovery.entries(gap.clone(), why, budget, listing, |Recovered { member, .. }, listing| {
            has_entries = true;
            match lost.remove(&member.name) {
                Some(index) => {
                    let known = &mut listing.members[index];
                    known.content = member.content;
                    known.offset = member.offset;
                    known.problems.extend(member.problems);
                }
                None => listing.members.push(member),
            }
        });
        if listing.limit.is_some() {
            return;
        }
        if gap.start > 0 && !has_entries && !extents::is_harmless(&archive[gap.clone()]) {
            let kind = ProblemKind::Corrupt { what: "there are bytes between the entries that belong to none" };
            listing.push_problem(Problem::new(gap.start as u64, kind));
        }
    }
}

/// Reads the entry of a central directory record. Returns it with its extent in the archive.
fn read_entry(archive: &[u8], record: &ZipFileHeaderRecord<'_>) -> (Member, Option<std::ops::Range<usize>>) {
    let name = record.file_path().as_bytes();
    let (kind, mode) = kind_and_mode(record, name);
    let method = method_of(record.compression_method().as_u16());
    let mut member = Member {
        name: name.to_vec(),
        kind,
        content: Content::Nothing,
        size: Some(record.uncompressed_size_hint()),
        compressed_size: record.compressed_size_hint(),
        method: method.map_or("unknown", Method::name),
        offset: record.local_header_offset(),
        mode,
        modified: modified(record),
        problems: Vec::new(),
    };
    let offset = record.local_header_offset();
    let local = usize::try_from(offset).ok().and_then(|at| Some((at, LocalHeader::read(archive, at)?)));
    let Some((start, local)) = local else {
        let kind = ProblemKind::Corrupt { what: "there is no local header where the central directory says" };
        member.problems.push(Problem::new(offset, kind));
        return (member, None);
    };
    compare(record, &local, offset, &mut member.problems);
    let stated = usize::try_from(record.compressed_size_hint()).unwrap_or(usize::MAX);
    let available = archive.len() - local.data;
    let data = local.data..local.data + stated.min(available);
    if stated > available {
        let kind = ProblemKind::Truncated { what: "data of the entry" };
        member.problems.push(Problem::new(archive.len() as u64, kind));
    }
    let mut end = data.end;
    if local.has_descriptor() {
        match descriptor(archive, data.end, record) {
            Some(descriptor) => end += descriptor.length,
            // Some tools set the flag although the local header has all values.
            None if local.has_sizes() => {}
            None => {
                let kind = ProblemKind::Corrupt { what: "the data descriptor and the central directory disagree" };
                member.problems.push(Problem::new(data.end as u64, kind));
            }
        }
    }
    let flags = record.flags().bits() | local.flags;
    match (unsupported_feature(flags, record.compression_method().as_u16()), method) {
        (None, Some(method)) => {
            let (size, crc32) = (Some(record.uncompressed_size_hint()), Some(record.crc32()));
            member.content = Content::Packed(Packed { method, range: data, size, crc32 });
        }
        (feature, _) => {
            let what = feature.unwrap_or_else(|| format!("zip method {}", record.compression_method()));
            member.problems.push(Problem::new(offset, ProblemKind::Unsupported { what }));
        }
    }
    (member, Some(start..end))
}

/// The data descriptor at `at` that agrees with the central directory.
fn descriptor(archive: &[u8], at: usize, record: &ZipFileHeaderRecord<'_>) -> Option<Descriptor> {
    Descriptor::read(archive, at).find(|descriptor| {
        descriptor.crc32 == record.crc32()
            && descriptor.compressed_size == record.compressed_size_hint()
            && descriptor.size == record.uncompressed_size_hint()
    })
}

/// Reports differences between the local header and the central directory.
fn compare(record: &ZipFileHeaderRecord<'_>, local: &LocalHeader<'_>, offset: u64, problems: &mut Vec<Problem>) {
    let has_sizes = local.has_sizes();
    let differences = [
        (
            local.name != record.file_path().as_bytes(),
            "the local header and the central directory have different names",
        ),
        (
            local.method != record.compression_method().as_u16(),
            "the local header and the central directory have different methods",
        ),
        (
            has_sizes
                && (local.compressed_size != record.compressed_size_hint()
                    || local.size != record.uncompressed_size_hint()),
            "the local header and the central directory have different sizes",
        ),
        (
            has_sizes && local.crc32 != record.crc32(),
            "the local header and the central directory have different checksums",
        ),
        (
            (local.flags ^ record.flags().bits()) & 1 != 0,
            "the local header and the central directory disagree about encryption",
        ),
    ];
    for (_, what) in differences.into_iter().filter(|(differs, _)| *differs) {
        problems.push(Problem::new(offset, ProblemKind::Corrupt { what }));
    }
}

/// Unsupported feature of an entry, by its flags and method.
///
/// | Flag bit | Feature |
/// |---|---|
/// | 0 | encryption |
/// | 5 | patched data |
/// | 6 | strong encryption |
/// | 13 | encrypted central directory |
fn unsupported_feature(flags: u16, method: u16) -> Option<String> {
    match (flags, method) {
        (flags, _) if flags & (1 | 1 << 6 | 1 << 13) != 0 => Some("encryption".to_owned()),
        (_, 99) => Some("encryption".to_owned()),
        (flags, _) if flags & (1 << 5) != 0 => Some("patches".to_owned()),
        _ => None,
    }
}

/// File type by the name alone.
fn kind_of_name(name: &[u8]) -> EntryKind {
    if name.ends_with(b"/") { EntryKind::Directory } else { EntryKind::File }
}

/// File type and permissions. Only some systems write them.
fn kind_and_mode(record: &ZipFileHeaderRecord<'_>, name: &[u8]) -> (EntryKind, Option<u32>) {
    let mode = record.external_attributes() >> 16;
    let permissions = (mode != 0).then_some(mode & 0o7777);
    let is_empty = record.uncompressed_size_hint() == 0;
    let kind = match mode & 0o170_000 {
        0o120_000 => EntryKind::Symlink { target: Vec::new() },
        // An entry with data is a file, such as one read from a pipe.
        0o010_000 | 0o020_000 | 0o060_000 | 0o140_000 if !is_empty => kind_of_name(name),
        0o020_000 => EntryKind::Special { what: "character device" },
        0o060_000 => EntryKind::Special { what: "block device" },
        0o010_000 => EntryKind::Special { what: "fifo" },
        0o140_000 => EntryKind::Special { what: "socket" },
        0o040_000 => EntryKind::Directory,
        _ => kind_of_name(name),
    };
    (kind, permissions)
}

/// Modification time in seconds since 1970. Times without a zone are taken as UTC.
fn modified(record: &ZipFileHeaderRecord<'_>) -> Option<i64> {
    match record.last_modified() {
        ZipDateTimeKind::Utc(time) => Some(time.to_unix()),
        ZipDateTimeKind::Local(time) => {
            let (year, month, day) = (time.year(), time.month(), time.day());
            let (hour, minute, second) = (time.hour(), time.minute(), time.second());
            Some(UtcDateTime::from_components(year, month, day, hour, minute, second, 0)?.to_unix())
        }
    }
}
