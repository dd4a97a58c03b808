//! Entries of the central directory, with the readings of those who believe the local header or take another name.

use std::ops::Range;

use super::feature::{UNSUPPORTED_FLAGS, method_name, method_of, unsupported_feature};
use super::local::{Descriptor, LocalHeader};
use super::record::{self, Record};
use crate::archive::{Content, Member, Method, Packed, describe_name};
use crate::entry::EntryKind;
use crate::problem::{Problem, ProblemKind};

/// Reads the entry of a central directory record. Returns it with its extent in the archive, and with the entries that readers
/// see who believe the local header or take another name.
pub(super) fn read_entry(
    archive: &[u8],
    base: usize,
    record: &Record<'_>,
) -> (Member, Option<Range<usize>>, Vec<Member>) {
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
    if record.name.contains(&b'\\') {
        let what = "`\\` in the name separates folders to bsdtar, and to unzip if a DOS system made the archive; \
                    others keep it as a character";
        member.problems.push(Problem::new(offset, ProblemKind::Readings { what: what.to_owned() }));
    }
    let has_slash = matches!(record.name.last(), Some(b'/' | b'\\'));
    if record.system == 0 && record.attributes & 0x10 != 0 && !has_slash {
        let what = "the entry is a directory to bsdtar, 7-Zip and Go, and a file to the others".to_owned();
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

/// File type by the name alone.
pub(super) fn kind_of_name(name: &[u8]) -> EntryKind {
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
