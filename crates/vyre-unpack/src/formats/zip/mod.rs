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
//! readers differ in which of them they believe: both readings are listed. So are the entries of all directories that some
//! reader finds. Entries of one directory must not overlap. Entries that no directory lists are recovered by their local
//! headers.

mod directory;
mod extents;
mod local;
mod record;
mod recovery;

use std::collections::{BTreeMap, BTreeSet};

use directory::{DIGITAL_SIGNATURE, Directories, Directory};
use extents::Extent;
use local::{Descriptor, LocalHeader};
use record::Record;
pub(super) use record::dos_time;
use recovery::{Recovered, Recovery};

use std::ops::Range;

use super::{bzip2, deflate64, lzma, ppmd, xz, zstd};
use crate::archive::{ArchiveFormat, Content, Listing, Member, Method, Packed, describe_name};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::u16_at;

/// Format of zip archives.
pub(super) static FORMAT: ArchiveFormat = ArchiveFormat {
    name: "zip",
    title: "zip",
    detect: has_signature,
    has_weak_signature: false,
    detect_damaged: directory::has_directory,
    detect_hidden: directory::has_directory,
    members_are_compressed: true,
    list,
};

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
        9 => Some(Method::Stream(&deflate64::FORMAT)),
        12 => Some(Method::Stream(&bzip2::FORMAT)),
        14 => Some(Method::Stream(&lzma::ZIP_FORMAT)),
        20 | 93 => Some(Method::Stream(&zstd::FORMAT)),
        95 => Some(Method::Stream(&xz::FORMAT)),
        98 => Some(Method::Stream(&ppmd::FORMAT)),
        _ => None,
    }
}

/// Lists the entries of a zip archive.
fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    match directory::locate(archive) {
        Some(directories) => Ok(list_directory(archive, &directories, budget)),
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

/// Lists the entries of the central directory and of those that only some readers find, and recovers those between them.
fn list_directory(archive: &[u8], directories: &Directories, budget: &Budget) -> Listing {
    let mut listing = Listing::default();
    let directory = &directories.main;
    let mut extents = Vec::new();
    let mut others: Vec<(usize, Member)> = Vec::new();
    let walk = walk(archive, directory, &mut |record| {
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            return false;
        }
        let (member, range, other) = read_entry(archive, directory.base, record);
        others.extend(other.into_iter().map(|other| (listing.members.len(), other)));
        extents.extend(range.map(|range| Extent { range, member: listing.members.len() }));
        listing.members.push(member);
        true
    });
    let is_whole = report_directory(archive, directories, &walk, &mut listing);
    let start = directory.start.min(archive.len());
    extents::reject_overlaps(&mut listing.members, &mut extents, start);
    if listing.limit.is_some() {
        // The gaps are entries beyond the limit.
        return listing;
    }
    let why = if is_whole { UNLISTED } else { RECOVERED };
    let after_directory = walk.second;
    // The other readings of an entry that is rejected would repeat the data of another one.
    others.retain(|(index, _)| listing.members[*index].content != Content::Nothing);
    let mut others: Vec<Member> = others.into_iter().map(|(_, member)| member).collect();
    let other_places = directories.others.iter().copied().chain(after_directory);
    let listed_elsewhere = list_others(archive, other_places, budget, &listing, &mut others);
    recover_between(archive, &extents, start, why, budget, &mut listing, &listed_elsewhere);
    retain_new(&listing, &mut others);
    for member in others {
        if let Err(exceeded) = budget.reserve_entries(1) {
            listing.limit = Some(exceeded);
            return listing;
        }
        listing.members.push(member);
    }
    let after = archive.len() - directory.archive_end.min(archive.len());
    if after > 0 {
        let kind = ProblemKind::TrailingGarbage { bytes: after as u64 };
        listing.push_problem(Problem::new(directory.archive_end as u64, kind));
    }
    listing
}

/// Removes readings that the listing has already, as an entry of its own.
fn retain_new(listing: &Listing, others: &mut Vec<Member>) {
    if others.is_empty() {
        return;
    }
    let mut known: BTreeMap<(u64, &[u8]), &Content> = BTreeMap::new();
    for member in &listing.members {
        known.insert((member.offset, &member.name), &member.content);
    }
    others.retain(|other| known.get(&(other.offset, &other.name[..])) != Some(&&other.content));
}

/// Result of a walk through the records of a directory.
struct Walk {
    /// Number of records.
    count: u64,
    /// Offset of the end of the last record and of the digital signature.
    end: usize,
    /// A second directory after a digital signature.
    second: Option<Directory>,
}

/// Visits the records of a directory until `visit` returns false.
fn walk(archive: &[u8], directory: &Directory, visit: &mut dyn FnMut(&Record<'_>) -> bool) -> Walk {
    let mut walk = Walk { count: 0, end: directory.start, second: None };
    while walk.end < directory.end
        && let Some(record) = Record::read(archive, walk.end)
    {
        if !visit(&record) {
            break;
        }
        walk.count += 1;
        walk.end = record.end;
    }
    if archive.get(walk.end..).is_some_and(|bytes| bytes.starts_with(DIGITAL_SIGNATURE)) {
        let length = u16_at(archive, walk.end + 4).map_or(0, usize::from);
        let inside = walk.end + 6;
        walk.end = inside.saturating_add(length).min(directory.end);
        let start = [inside, walk.end].into_iter().find(|&start| Record::read(archive, start).is_some());
        walk.second = start.map(|start| Directory { start, ..*directory });
    }
    walk
}

/// Reports what is wrong with the directory as a whole. Returns false if it is incomplete.
fn report_directory(archive: &[u8], directories: &Directories, walk: &Walk, listing: &mut Listing) -> bool {
    let directory = &directories.main;
    let mut is_whole = true;
    let is_cut_short = listing.limit.is_some();
    let mut problem = |at: usize, kind| listing.push_problem(Problem::new(at as u64, kind));
    if walk.end != directory.end && !is_cut_short {
        is_whole = false;
        let is_cut = archive.get(walk.end..).is_some_and(|bytes| bytes.starts_with(record::SIGNATURE));
        let kind = if is_cut {
            ProblemKind::Truncated { what: "central directory" }
        } else {
            ProblemKind::Corrupt { what: "the central directory has something that is no entry" }
        };
        problem(walk.end, kind);
    }
    let (stated, count) = (directory.count, walk.count);
    let is_count_right = stated == count || (directory.is_narrow && stated == count & 0xffff);
    if !is_count_right && !is_cut_short {
        let kind = ProblemKind::Corrupt { what: "the end record counts another number of entries than there are" };
        problem(directory.end_record, kind);
    }
    if !directory.is_exact {
        let what = "the end record states another size or place of the central directory than it has".to_owned();
        problem(directory.end_record, ProblemKind::Readings { what });
    }
    if directory.part > 0 {
        let what = format!("an archive in {} parts, of which this is the last", u32::from(directory.part) + 1);
        problem(directory.end_record, ProblemKind::Unsupported { what });
    }
    if let Some(other) = directories.other_end {
        let what = "there are two end records, and readers differ in which one they believe";
        problem(other, ProblemKind::Corrupt { what });
    }
    if let Some(other) = walk.second.or(directories.others.first().copied()) {
        let what = "there is a second central directory, and readers differ in which one they believe".to_owned();
        problem(other.start, ProblemKind::Readings { what });
    }
    is_whole
}

/// Adds the entries of other directories that the listing lacks to `others`. Returns the offsets of their local headers.
fn list_others(
    archive: &[u8],
    places: impl Iterator<Item = Directory>,
    budget: &Budget,
    listing: &Listing,
    others: &mut Vec<Member>,
) -> BTreeSet<usize> {
    let mut offsets = BTreeSet::new();
    let mut known: BTreeSet<(u64, Vec<u8>)> =
        listing.members.iter().map(|member| (member.offset, member.name.clone())).collect();
    // The entries of further directories are bounded like those of the first.
    let mut left = budget.limits().entries;
    for place in places {
        walk(archive, &place, &mut |record| {
            let (mut member, range, other) = read_entry(archive, place.base, record);
            if known.insert((member.offset, member.name.clone())) {
                offsets.extend(range.map(|range| range.start));
                let what = "only some readers find the central directory that lists the entry".to_owned();
                member.problems.push(Problem::new(member.offset, ProblemKind::Readings { what }));
                others.push(member);
                others.extend(other);
            }
            left = left.saturating_sub(1);
            left > 0
        });
    }
    offsets
}

/// Recovers entries from the gaps between listed entries and reports unknown bytes. Any program may precede the first entry.
fn recover_between(
    archive: &[u8],
    extents: &[Extent],
    directory: usize,
    why: &'static str,
    budget: &Budget,
    listing: &mut Listing,
    listed_elsewhere: &BTreeSet<usize>,
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
            if listed_elsewhere.contains(&(member.offset as usize)) {
                return;
            }
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

/// Reads the entry of a central directory record. Returns it with its extent in the archive, and with the entries that readers
/// see who believe the local header or take another name.
fn read_entry(archive: &[u8], base: usize, record: &Record<'_>) -> (Member, Option<Range<usize>>, Vec<Member>) {
    let (kind, mode) = kind_and_mode(record);
    let method = method_of(record.method);
    let at = usize::try_from(record.offset).ok().and_then(|offset| offset.checked_add(base));
    let local = at.and_then(|at| Some((at, LocalHeader::read(archive, at)?)));
    // Some encoders count what precedes the archive although others do not.
    let local = local.or_else(|| {
        let at = usize::try_from(record.offset).ok().filter(|_| base > 0)?;
        Some((at, LocalHeader::read(archive, at)?))
    });
    let offset = local.map_or(record.offset.saturating_add(base as u64), |(at, _)| at as u64);
    let mut member = Member {
        name: record.name.to_vec(),
        kind,
        content: Content::Nothing,
        size: Some(record.size),
        compressed_size: record.compressed_size,
        method: method.map_or("unknown", Method::name),
        offset,
        mode,
        modified: record.modified(),
        problems: Vec::new(),
    };
    let Some((start, local)) = local else {
        let kind = ProblemKind::Corrupt { what: "there is no local header where the central directory says" };
        member.problems.push(Problem::new(offset, kind));
        return (member, None, Vec::new());
    };
    let differs = compare(record, &local, offset, &mut member.problems);
    let (data, end) = locate_data(archive, record, &local, &mut member.problems);
    // An entry that is encrypted or patched to some readers only is read as the others do.
    let flags = (record.flags | local.flags) & !((record.flags ^ local.flags) & UNSUPPORTED_FLAGS);
    match (unsupported_feature(flags, record.method), method) {
        (None, Some(method)) => {
            let (size, crc32) = (Some(record.size), Some(record.crc32));
            member.content = Content::Packed(Packed { method, range: data, size, crc32 });
        }
        (feature, _) => {
            let what = feature.unwrap_or_else(|| format!("zip method {}", method_name(record.method)));
            member.problems.push(Problem::new(offset, ProblemKind::Unsupported { what }));
        }
    }
    let mut others = Vec::new();
    if differs {
        others.extend(local_reading(archive, &member, &local, flags));
    }
    for (name, readers) in other_names(record, &local) {
        let mut other = copy(&member);
        other.problems.push(other_name(offset, &name, record.name, readers));
        member.problems.push(other_name(offset, &name, record.name, readers));
        other.name = name;
        others.push(other);
    }
    let has_slash = matches!(record.name.last(), Some(b'/' | b'\\'));
    if record.system == 0 && record.attributes & 0x10 != 0 && !has_slash {
        let what = "the entry is a directory to bsdtar and 7-Zip, and a file to the others".to_owned();
        member.problems.push(Problem::new(offset, ProblemKind::Readings { what }));
    }
    (member, Some(start..end), others)
}

/// Place of the data of an entry, and the end of the entry with its data descriptor.
fn locate_data(
    archive: &[u8],
    record: &Record<'_>,
    local: &LocalHeader<'_>,
    problems: &mut Vec<Problem>,
) -> (Range<usize>, usize) {
    let stated = usize::try_from(record.compressed_size).unwrap_or(usize::MAX);
    let available = archive.len() - local.data;
    let data = local.data..local.data + stated.min(available);
    if stated > available {
        let kind = ProblemKind::Truncated { what: "data of the entry" };
        problems.push(Problem::new(archive.len() as u64, kind));
    }
    let mut end = data.end;
    if local.has_descriptor() {
        match descriptor(archive, data.end, record) {
            Some(descriptor) => end += descriptor.length,
            // Some tools set the flag although the local header has all values.
            None if local.has_sizes() => {}
            None => {
                let kind = ProblemKind::Corrupt { what: "the data descriptor and the central directory disagree" };
                problems.push(Problem::new(data.end as u64, kind));
            }
        }
    }
    (data, end)
}

/// The entry as readers see it who believe the local header.
fn local_reading(archive: &[u8], member: &Member, local: &LocalHeader<'_>, flags: u16) -> Option<Member> {
    let method = method_of(local.method).filter(|_| unsupported_feature(flags, local.method).is_none())?;
    let mut other = copy(member);
    other.problems.retain(|problem| matches!(problem.kind, ProblemKind::Readings { .. }));
    other.name = local.name.to_vec();
    if local.has_sizes() {
        let length = usize::try_from(local.compressed_size).ok()?;
        let range = local.data..local.data.checked_add(length).filter(|&end| end <= archive.len())?;
        let (size, crc32) = (Some(local.size), Some(local.crc32));
        other.content = Content::Packed(Packed { method, range, size, crc32 });
        other.size = size;
        other.compressed_size = local.compressed_size;
    } else if let Content::Packed(packed) = &mut other.content {
        packed.method = method;
    }
    other.method = method.name();
    let is_same = other.name == member.name && other.content == member.content;
    (!is_same).then_some(other)
}

/// Other names that readers take: a Unicode path field, or the part before a zero byte.
fn other_names(record: &Record<'_>, local: &LocalHeader<'_>) -> Vec<(Vec<u8>, &'static str)> {
    let mut names: Vec<(Vec<u8>, &'static str)> = Vec::new();
    let mut add = |name: &[u8], readers| {
        if name != record.name && !name.is_empty() && names.iter().all(|(known, _)| known != name) {
            names.push((name.to_vec(), readers));
        }
    };
    if let Some(name) = record.unicode_name() {
        add(name, "unzip and 7-Zip");
    }
    if let Some(name) = record::unicode_name(local.name, local.extra) {
        add(name, "bsdtar");
    }
    if let Some(end) = memchr::memchr(0, record.name) {
        add(&record.name[..end], "unzip, bsdtar and Python");
    }
    names
}

/// The problem of an entry with several names.
fn other_name(offset: u64, name: &[u8], own: &[u8], readers: &str) -> Problem {
    let what = format!("the name is {} to {readers}, and {} to others", describe_name(name), describe_name(own));
    Problem::new(offset, ProblemKind::Readings { what })
}

/// A copy of a member.
fn copy(member: &Member) -> Member {
    let Member { name, kind, content, size, compressed_size, method, offset, mode, modified, problems } = member;
    Member {
        name: name.clone(),
        kind: kind.clone(),
        content: content.clone(),
        size: *size,
        compressed_size: *compressed_size,
        method,
        offset: *offset,
        mode: *mode,
        modified: *modified,
        problems: problems.clone(),
    }
}

/// The data descriptor at `at` that agrees with the central directory.
fn descriptor(archive: &[u8], at: usize, record: &Record<'_>) -> Option<Descriptor> {
    Descriptor::read(archive, at).find(|descriptor| {
        descriptor.crc32 == record.crc32
            && descriptor.compressed_size == record.compressed_size
            && descriptor.size == record.size
    })
}

/// Reports differences between the local header and the central directory. Returns true if there are any.
fn compare(record: &Record<'_>, local: &LocalHeader<'_>, offset: u64, problems: &mut Vec<Problem>) -> bool {
    let has_sizes = local.has_sizes();
    let differences = [
        (local.name != record.name, "the local header and the central directory have different names"),
        (local.method != record.method, "the local header and the central directory have different methods"),
        (
            has_sizes && (local.compressed_size != record.compressed_size || local.size != record.size),
            "the local header and the central directory have different sizes",
        ),
        (
            has_sizes && local.crc32 != record.crc32,
            "the local header and the central directory have different checksums",
        ),
        (
            (local.flags ^ record.flags) & UNSUPPORTED_FLAGS != 0,
            "the local header and the central directory disagree about encryption or patched data",
        ),
    ];
    let found = differences.into_iter().filter(|(differs, _)| *differs);
    let before = problems.len();
    problems.extend(found.map(|(_, what)| Problem::new(offset, ProblemKind::Readings { what: what.to_owned() })));
    problems.len() > before
}

/// Flags of features that are not supported.
const UNSUPPORTED_FLAGS: u16 = 1 | 1 << 5 | 1 << 6 | 1 << 13;

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
fn kind_and_mode(record: &Record<'_>) -> (EntryKind, Option<u32>) {
    let (name, mode) = (record.name, record.attributes >> 16);
    let permissions = (mode != 0).then_some(mode & 0o7777);
    let is_empty = record.size == 0;
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

/// Name of a method that is not supported: its number, and its name if it has one.
fn method_name(method: u16) -> String {
    let name = match method {
        1 => "shrunk",
        2..=5 => "reduced",
        6 => "imploded",
        96 => "JPEG",
        97 => "WavPack",
        _ => return method.to_string(),
    };
    format!("{method} ({name})")
}
