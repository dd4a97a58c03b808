//! Zip archives. The central directory says which entries there are; what stands beside their data must say the same.

mod directory;
mod layout;
mod local;
mod recover;

use std::collections::BTreeMap;

use directory::Directory;
pub(super) use directory::has_directory;
use layout::Extent;
use local::{Descriptor, LocalHeader};
use rawzip::time::{UtcDateTime, ZipDateTimeKind};
use rawzip::{ErrorKind, ZipFileHeaderRecord};
use recover::{Found, Recovery};

use super::{Content, Listing, Member, Method, Packed};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};

const CENTRAL_HEADER: u64 = 46;

/// What entries get that were found without the directory.
const RECOVERED: &str = "the central directory is damaged; the entry was found by its local header";
const UNLISTED: &str = "the central directory does not list the entry";

/// The entries of a zip archive.
pub(super) fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    match directory::locate(archive) {
        Some(located) => Ok(list_directory(archive, &located, budget)),
        None => recover_all(archive, budget),
    }
}

/// The entries of an archive without an end record.
fn recover_all(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let mut listing = Listing::default();
    let why = RECOVERED;
    Recovery::new(archive).entries(0..archive.len(), why, budget, &mut listing, |found, listing| {
        listing.members.push(found.member);
    });
    let problem = Problem::new(archive.len() as u64, ProblemKind::Truncated { what: "central directory" });
    if listing.members.is_empty() && listing.limit.is_none() {
        return Err(problem);
    }
    listing.problem(problem);
    Ok(listing)
}

fn list_directory(archive: &[u8], directory: &Directory<'_>, budget: &Budget) -> Listing {
    let mut listing = Listing::default();
    let located = &directory.located;
    let count = located.entries().take_while(Result::is_ok).count();
    // Each of the records takes at least as many bytes of the archive as is needed here.
    let room = usize::try_from(budget.limits().entries).unwrap_or(usize::MAX).min(count);
    listing.members.reserve_exact(room);
    let mut extents = Vec::with_capacity(room);
    let mut end = located.directory_offset();
    let mut is_whole = true;
    for record in located.entries() {
        match record {
            Ok(record) => {
                if let Err(exceeded) = budget.take_entries(1) {
                    listing.limit = Some(exceeded);
                    break;
                }
                end = record.central_directory_offset()
                    + CENTRAL_HEADER
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
                listing.problem(Problem::new(end, kind));
            }
        }
    }
    let said = located.entries_hint();
    let is_counted = said == count as u64 || (said <= 0xffff && said == count as u64 & 0xffff);
    if !is_counted {
        let kind = ProblemKind::Corrupt { what: "the end record counts another number of entries than there are" };
        listing.problem(Problem::new(located.eocd_offset(), kind));
    }
    if let Some(other) = directory.other {
        let kind =
            ProblemKind::Corrupt { what: "there are two end records, and readers differ in which one they believe" };
        listing.problem(Problem::new(other as u64, kind));
    }
    let start = usize::try_from(located.directory_offset()).unwrap_or(archive.len()).min(archive.len());
    layout::refuse_overlaps(&mut listing.members, &mut extents, start);
    if listing.limit.is_some() {
        // What is between the entries are those that are not listed any more.
        return listing;
    }
    let why = if is_whole { UNLISTED } else { RECOVERED };
    look_between(archive, &extents, start, why, budget, &mut listing);
    let after = archive.len() - directory.end.min(archive.len());
    if after > 0 {
        let kind = ProblemKind::TrailingGarbage { bytes: after as u64 };
        listing.problem(Problem::new(directory.end as u64, kind));
    }
    listing
}

/// Looks for entries between the entries, and for what is nothing known. Before the first entry there may be a program.
fn look_between(
    archive: &[u8],
    extents: &[Extent],
    directory: usize,
    why: &'static str,
    budget: &Budget,
    listing: &mut Listing,
) {
    let gaps = layout::gaps(extents, directory);
    if gaps.is_empty() {
        return;
    }
    // Entries whose local header was not where the directory says.
    let mut lost: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut is_found = vec![false; listing.members.len()];
    for extent in extents {
        is_found[extent.member] = true;
    }
    for (index, _) in is_found.iter().enumerate().filter(|(_, found)| !**found) {
        lost.insert(listing.members[index].name.clone(), index);
    }
    let mut recovery = Recovery::new(archive);
    for gap in gaps {
        let mut has_entries = false;
        recovery.entries(gap.clone(), why, budget, listing, |Found { member, .. }, listing| {
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
        if gap.start > 0 && !has_entries && !layout::is_harmless(&archive[gap.clone()]) {
            let kind = ProblemKind::Corrupt { what: "there are bytes between the entries that belong to none" };
            listing.problem(Problem::new(gap.start as u64, kind));
        }
    }
}

/// The entry of a record of the directory, and where it is.
fn read_entry(archive: &[u8], record: &ZipFileHeaderRecord<'_>) -> (Member, Option<std::ops::Range<usize>>) {
    let name = record.file_path().as_bytes();
    let (kind, mode) = kind_and_mode(record, name);
    let method = Method::of_zip(record.compression_method().as_u16());
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
    let wanted = usize::try_from(record.compressed_size_hint()).unwrap_or(usize::MAX);
    let available = archive.len() - local.data;
    let data = local.data..local.data + wanted.min(available);
    if wanted > available {
        let kind = ProblemKind::Truncated { what: "data of the entry" };
        member.problems.push(Problem::new(archive.len() as u64, kind));
    }
    let mut end = data.end;
    if local.has_descriptor() {
        match descriptor(archive, data.end, record) {
            Some(descriptor) => end += descriptor.length,
            // Some tools write the flag, but all values into the header.
            None if local.has_sizes() => {}
            None => {
                let kind = ProblemKind::Corrupt { what: "the data descriptor and the central directory disagree" };
                member.problems.push(Problem::new(data.end as u64, kind));
            }
        }
    }
    let flags = record.flags().bits() | local.flags;
    match (refuse(flags, record.compression_method().as_u16()), method) {
        (None, Some(method)) => {
            let (size, crc32) = (Some(record.uncompressed_size_hint()), Some(record.crc32()));
            member.content = Content::Packed(Packed { method, range: data, size, crc32 });
        }
        (refusal, _) => {
            let what = refusal.unwrap_or_else(|| format!("zip method {}", record.compression_method()));
            member.problems.push(Problem::new(offset, ProblemKind::Unsupported { what }));
        }
    }
    (member, Some(start..end))
}

/// The descriptor after the data that says what the directory says.
fn descriptor(archive: &[u8], at: usize, record: &ZipFileHeaderRecord<'_>) -> Option<Descriptor> {
    Descriptor::read(archive, at).find(|descriptor| {
        descriptor.crc32 == record.crc32()
            && descriptor.compressed_size == record.compressed_size_hint()
            && descriptor.size == record.uncompressed_size_hint()
    })
}

/// Adds what the header beside the data says in another way than the directory: readers differ in which one they believe.
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

/// Why an entry cannot be read, by its flags and method.
fn refuse(flags: u16, method: u16) -> Option<String> {
    match (flags, method) {
        (flags, _) if flags & (1 | 1 << 6 | 1 << 13) != 0 => Some("encryption".to_owned()),
        (_, 99) => Some("encryption".to_owned()),
        (flags, _) if flags & (1 << 5) != 0 => Some("patches".to_owned()),
        _ => None,
    }
}

/// What an entry is by its name alone.
fn kind_of_name(name: &[u8]) -> EntryKind {
    if name.ends_with(b"/") { EntryKind::Directory } else { EntryKind::File }
}

/// What an entry is, and its permissions. Only some systems write them.
fn kind_and_mode(record: &ZipFileHeaderRecord<'_>, name: &[u8]) -> (EntryKind, Option<u32>) {
    let mode = record.external_attributes() >> 16;
    let permissions = (mode != 0).then_some(mode & 0o7777);
    let is_empty = record.uncompressed_size_hint() == 0;
    let kind = match mode & 0o170_000 {
        0o120_000 => EntryKind::Symlink { target: Vec::new() },
        // What was read from a pipe is a file.
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

/// Seconds since 1970. Times without a zone are taken as UTC.
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
