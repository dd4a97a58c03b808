//! Zip archives.

use std::io::{Cursor, Write};

use vyre_unpack::{EntryKind, Options, Problem, ProblemKind};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::collect::{deflate, kinds, noise, open, open_clean, open_with, text};

/// An archive of files.
pub(crate) fn zip_of(files: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Files of all sizes.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("empty", Vec::new()),
        ("one", vec![7]),
        ("directory/text", text(100_000)),
        ("directory/noise", noise(70_001, 1)),
        ("zeros", vec![0; 1_000_000]),
    ]
}

/// An entry of an archive assembled by hand.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) name: Vec<u8>,
    pub(crate) local_name: Vec<u8>,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) data: Vec<u8>,
    pub(crate) crc32: u32,
    pub(crate) size: u32,
    pub(crate) attributes: u32,
    /// Bytes after the data.
    pub(crate) after: Vec<u8>,
    /// True if the local header has sizes and checksum.
    pub(crate) has_sizes: bool,
}

impl Part {
    pub(crate) fn stored(name: &str, bytes: &[u8]) -> Part {
        Part {
            name: name.into(),
            local_name: name.into(),
            flags: 0,
            method: 0,
            data: bytes.to_vec(),
            crc32: crc32fast::hash(bytes),
            size: bytes.len() as u32,
            attributes: 0,
            after: Vec::new(),
            has_sizes: true,
        }
    }

    pub(crate) fn deflated(name: &str, bytes: &[u8]) -> Part {
        Part { method: 8, data: deflate(bytes), ..Part::stored(name, bytes) }
    }
}

/// The local header and the data of an entry.
pub(crate) fn local(part: &Part) -> Vec<u8> {
    let mut bytes = b"PK\x03\x04\x14\0".to_vec();
    bytes.extend(part.flags.to_le_bytes());
    bytes.extend(part.method.to_le_bytes());
    bytes.extend([0, 0, 0x21, 0]);
    let (crc32, compressed, size) =
        if part.has_sizes { (part.crc32, part.data.len() as u32, part.size) } else { (0, 0, 0) };
    bytes.extend([crc32, compressed, size].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend((part.local_name.len() as u16).to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(&part.local_name);
    bytes.extend(&part.data);
    bytes.extend(&part.after);
    bytes
}

/// The central directory record of an entry.
pub(crate) fn central(part: &Part, offset: u32) -> Vec<u8> {
    let mut bytes = b"PK\x01\x02\x14\x03\x14\0".to_vec();
    bytes.extend(part.flags.to_le_bytes());
    bytes.extend(part.method.to_le_bytes());
    bytes.extend([0, 0, 0x21, 0]);
    bytes.extend([part.crc32, part.data.len() as u32, part.size].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend((part.name.len() as u16).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(part.attributes.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend(&part.name);
    bytes
}

/// The end record.
pub(crate) fn end(count: u16, size: u32, offset: u32) -> Vec<u8> {
    let mut bytes = b"PK\x05\x06\0\0\0\0".to_vec();
    bytes.extend([count, count].into_iter().flat_map(u16::to_le_bytes));
    bytes.extend([size, offset].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend([0, 0]);
    bytes
}

/// An archive of these entries.
pub(crate) fn build(parts: &[Part]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for part in parts {
        directory.extend(central(part, archive.len() as u32));
        archive.extend(local(part));
    }
    let offset = archive.len() as u32;
    archive.extend(&directory);
    archive.extend(end(parts.len() as u16, directory.len() as u32, offset));
    archive
}

fn what(problem: &Problem) -> String {
    problem.kind.to_string()
}

#[test]
fn files_of_all_methods_are_unpacked() {
    for (method, name) in [
        (CompressionMethod::Stored, "stored"),
        (CompressionMethod::Deflated, "deflate"),
        (CompressionMethod::Zstd, "zstd"),
        (CompressionMethod::Bzip2, "bzip2"),
        (CompressionMethod::Xz, "xz"),
    ] {
        let collected = open_clean("x.zip", zip_of(&files(), method));
        let expected: Vec<_> = files().into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
        assert_eq!(collected.files(), expected);
        let entry = collected.get("zeros");
        assert_eq!(entry.size, Some(1_000_000));
        assert_eq!(entry.method, name);
        assert_eq!(entry.compressed_size < 10_000, method != CompressionMethod::Stored);
    }
}

#[test]
fn stored_files_are_not_copied() {
    let archive = bytes::Bytes::from(zip_of(&[("a", noise(5000, 3))], CompressionMethod::Stored));
    let mut collected = crate::collect::Collected::default();
    let unpacker = vyre_unpack::Unpacker::on_host(Options::default());
    unpacker.unpack(b"x.zip", archive.clone(), &mut collected).unwrap();
    let range = archive.as_ptr_range();
    assert!(range.contains(&collected.entries[0].bytes.as_ptr()));
}

#[test]
fn data_descriptors_of_all_forms_are_read() {
    // The streaming writer of the crate `zip`.
    let mut writer = ZipWriter::new_stream(Vec::new());
    for (name, bytes) in files() {
        writer.start_file(name, SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)).unwrap();
        writer.write_all(&bytes).unwrap();
    }
    let archive = writer.finish().unwrap().into_inner();
    assert_eq!(open_clean("x.zip", archive).files().len(), files().len());
    let contents = text(3000);
    for signature in [&b"PK\x07\x08"[..], b""] {
        for is_wide in [false, true] {
            let mut part = Part::deflated("a", &contents);
            part.flags = 8;
            part.has_sizes = false;
            let sizes = [part.data.len() as u64, contents.len() as u64];
            let mut after = signature.to_vec();
            after.extend(part.crc32.to_le_bytes());
            for size in sizes {
                after.extend(&size.to_le_bytes()[..if is_wide { 8 } else { 4 }]);
            }
            part.after = after;
            let other = Part::stored("b", b"other");
            let collected = open_clean("x.zip", build(&[part.clone(), other.clone()]));
            assert_eq!(&collected.get("a").bytes[..], contents);
            // Also without the central directory.
            let without: Vec<u8> = [local(&part), local(&other)].concat();
            let (collected, summary) = open("x.zip", without);
            assert_eq!(&collected.get("a").bytes[..], contents);
            assert_eq!(&collected.get("b").bytes[..], b"other");
            assert_eq!(summary.damaged, 2);
        }
    }
}

#[test]
fn zip64_archives_are_read() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().large_file(true).compression_method(CompressionMethod::Deflated);
    writer.start_file("a", options).unwrap();
    writer.write_all(&text(5000)).unwrap();
    let archive = writer.finish().unwrap().into_inner();
    assert_eq!(&open_clean("x.zip", archive).get("a").bytes[..], text(5000));
    // More entries than the end record can count.
    let names: Vec<String> = (0..70_000).map(|number| format!("{number}")).collect();
    let files: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (name.as_str(), name.clone().into_bytes())).collect();
    let collected = open_clean("x.zip", zip_of(&files, CompressionMethod::Stored));
    let expected: Vec<_> = files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
    assert!(collected.files() == expected);
    assert!(collected.batches > 1);
}

#[test]
fn modes_links_times_and_names_are_read() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let time = zip::DateTime::from_date_and_time(2024, 2, 29, 13, 14, 16).unwrap();
    let options = SimpleFileOptions::default().last_modified_time(time);
    writer.add_directory("d", options).unwrap();
    writer.start_file("d/tool", options.unix_permissions(0o755)).unwrap();
    writer.write_all(b"#!").unwrap();
    writer.add_symlink("link", "d/tool", options).unwrap();
    writer.start_file("d/naïve", options).unwrap();
    let archive = writer.finish().unwrap().into_inner();
    let collected = open_clean("x.zip", archive.clone());
    assert_eq!(collected.paths(), ["d/", "d/tool", "link", "d/naïve"]);
    assert_eq!(collected.get("d/").kind, EntryKind::Directory);
    assert_eq!(collected.get("d/tool").mode, Some(0o755));
    assert_eq!(collected.get("d/tool").modified, Some(1_709_212_456));
    let target = EntryKind::Symlink { target: b"d/tool".to_vec() };
    assert_eq!(collected.get("link").kind, target);
    assert!(collected.get("link").bytes.is_empty());
    let (listed, summary) = open_with("x.zip", archive, Options::default().with_list_only(true));
    assert_eq!(summary.unwrap().entries, 4);
    assert_eq!(listed.get("link").kind, target);
    assert!(listed.entries.iter().all(|entry| entry.bytes.is_empty()));
    assert_eq!(listed.get("d/tool").size, Some(2));
    // A name that is not UTF-8, and a pipe.
    let mut part = Part::stored("?", b"x");
    part.name = vec![0xff, 0xfe];
    part.local_name = vec![0xff, 0xfe];
    let mut pipe = Part::stored("pipe", b"");
    pipe.attributes = 0o010_644 << 16;
    // A pipe with data has its mode, but is a file.
    let mut read = Part::stored("read", b"data");
    read.attributes = pipe.attributes;
    let collected = open_clean("x.zip", build(&[part, pipe, read]));
    assert_eq!(collected.entries[2].kind, EntryKind::File);
    assert_eq!(&collected.entries[2].bytes[..], b"data");
    assert_eq!(collected.entries[0].path.names, [vec![0xff, 0xfe]]);
    assert_eq!(collected.entries[1].kind, EntryKind::Special { what: "fifo" });
}

#[test]
fn programs_comments_and_signing_blocks_are_not_garbage() {
    let archive = zip_of(&files(), CompressionMethod::Deflated);
    let prefix = noise(3000, 9);
    let prefixed = [&prefix[..], &archive[..]].concat();
    let (collected, summary) = open("setup.exe", prefixed);
    assert!(summary.is_clean(), "{:?}", summary.problems);
    assert_eq!(collected.files().len(), files().len());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.set_comment("a remark, even one with PK\u{5}\u{6} in it").unwrap();
    writer.start_file("a", SimpleFileOptions::default()).unwrap();
    writer.write_all(b"a").unwrap();
    assert_eq!(&open_clean("x.zip", writer.finish().unwrap().into_inner()).get("a").bytes[..], b"a");
    // The signing block of an Android package.
    let part = Part::stored("a", b"a");
    let mut package = local(&part);
    package.extend(b"signatures");
    package.extend(b"APK Sig Block 42");
    let offset = package.len() as u32;
    let directory = central(&part, 0);
    package.extend(&directory);
    package.extend(end(1, directory.len() as u32, offset));
    open_clean("x.apk", package);
}

#[test]
fn an_empty_archive_has_no_entries() {
    assert!(open_clean("x.zip", end(0, 0, 0)).entries.is_empty());
}

#[test]
fn encryption_and_unknown_methods_are_problems_of_their_entry() {
    let mut encrypted = Part::stored("encrypted", b"secret");
    encrypted.flags = 1;
    let mut unknown = Part::stored("unknown", b"?");
    unknown.method = 6;
    let (collected, summary) = open("x.zip", build(&[encrypted, Part::stored("good", b"good"), unknown]));
    assert_eq!(summary.damaged, 2);
    assert_eq!(&collected.get("good").bytes[..], b"good");
    let problem = &collected.get("encrypted").problems[0];
    assert_eq!(problem.kind, ProblemKind::Unsupported { what: "encryption".to_owned() });
    assert!(collected.get("encrypted").bytes.is_empty());
    assert!(matches!(kinds(&collected.get("unknown").problems)[..], [ProblemKind::Unsupported { .. }]));
    assert!(problem.offset == 0 && collected.get("unknown").problems[0].offset > 0);
}

#[test]
fn wrong_checksums_and_sizes_are_reported() {
    let contents = text(500);
    let mut checksum = Part::deflated("checksum", &contents);
    checksum.crc32 ^= 1;
    let mut short = Part::deflated("short", &contents);
    short.size -= 1;
    let mut long = Part::deflated("long", &contents);
    long.size += 1;
    let mut tail = Part::deflated("tail", &contents);
    tail.data.extend(b"tail");
    let (collected, summary) = open("x.zip", build(&[checksum, short, long, tail, Part::stored("good", b"good")]));
    assert_eq!(summary.damaged, 4);
    assert_eq!(&collected.get("checksum").bytes[..], contents);
    let expected = u64::from(crc32fast::hash(&contents) ^ 1);
    let found = u64::from(crc32fast::hash(&contents));
    assert_eq!(
        kinds(&collected.get("checksum").problems),
        [&ProblemKind::Checksum { what: "CRC-32", expected, found }]
    );
    assert_eq!(&collected.get("short").bytes[..], &contents[..499]);
    assert_eq!(kinds(&collected.get("long").problems), [&ProblemKind::Size { expected: 501, found: 500 }]);
    assert_eq!(kinds(&collected.get("tail").problems), [&ProblemKind::TrailingGarbage { bytes: 4 }]);
    assert!(collected.get("good").problems.is_empty());
}

#[test]
fn inconsistent_headers_are_reported() {
    let mut name = Part::stored("shown", b"1");
    name.local_name = b"other".to_vec();
    let parts = [name, Part::stored("good", b"2")];
    let (collected, summary) = open("x.zip", build(&parts));
    assert_eq!(
        what(&collected.get("shown").problems[0]),
        "the local header and the central directory have different names"
    );
    assert_eq!(summary.damaged, 2);
    assert_eq!(&collected.get("good").bytes[..], b"2");
    assert_eq!(&collected.get("other").bytes[..], b"1");
    // Method, checksum and sizes of the local header.
    for (at, word) in [(8, "methods"), (14, "checksums"), (18, "sizes"), (22, "sizes")] {
        let mut archive = build(&[Part::stored("a", b"aaaa"), Part::stored("b", b"b")]);
        archive[at] ^= 8;
        let (collected, _) = open("x.zip", archive);
        let entry = &collected.entries[0];
        let text = what(&entry.problems[0]);
        assert_eq!(text, format!("the local header and the central directory have different {word}"));
        assert_eq!(&entry.bytes[..], b"aaaa");
        assert!(collected.get("b").problems.is_empty());
    }
}

#[test]
fn bytes_between_and_after_entries_are_reported() {
    let archive = build(&[Part::stored("a", b"a")]);
    let length = archive.len() as u64;
    let (_, summary) = open("x.zip", [&archive[..], b"garbage"].concat());
    assert_eq!(summary.problems[0].problem, Problem::new(length, ProblemKind::TrailingGarbage { bytes: 7 }));
    assert!(summary.problems[0].path.names.is_empty());
    assert_eq!(summary.problem_count, 1);
    // Bytes between two entries, and an entry that the central directory does not list.
    let (first, hidden, last) =
        (Part::stored("a", b"a"), Part::deflated("hidden", b"hidden!"), Part::stored("z", b"z"));
    for (between, is_entry) in [(b"some bytes".to_vec(), false), (local(&hidden), true), (vec![0; 12], false)] {
        let mut archive = local(&first);
        let gap_offset = archive.len() as u64;
        archive.extend(&between);
        let last_offset = archive.len() as u32;
        archive.extend(local(&last));
        let directory = [central(&first, 0), central(&last, last_offset)].concat();
        let offset = archive.len() as u32;
        archive.extend(&directory);
        archive.extend(end(2, directory.len() as u32, offset));
        let (collected, summary) = open("x.zip", archive);
        assert_eq!(&collected.get("z").bytes[..], b"z");
        if is_entry {
            let entry = collected.get("hidden");
            assert_eq!(&entry.bytes[..], b"hidden!");
            assert_eq!(what(&entry.problems[0]), "the central directory does not list the entry");
            assert_eq!(entry.problems[0].offset, gap_offset);
        } else if between[0] != 0 {
            assert_eq!(summary.problems[0].problem.offset, gap_offset);
            assert_eq!(collected.entries.len(), 2);
        } else {
            assert!(summary.is_clean());
        }
    }
}

#[test]
fn entries_are_recovered_without_a_central_directory() {
    let archive = zip_of(&files(), CompressionMethod::Deflated);
    let directory = archive.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    for cut in [directory, directory + 20, archive.len() - 10] {
        let (collected, summary) = open("x.zip", archive[..cut].to_vec());
        let expected: Vec<_> = files().into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
        assert_eq!(collected.files(), expected);
        assert_eq!(summary.damaged, files().len() as u64);
        assert_eq!(summary.problems[0].problem.kind, ProblemKind::Truncated { what: "central directory" });
    }
    // A central directory with a damaged record: the other entries are unaffected.
    let mut damaged = archive.clone();
    let second = archive[directory + 4..].windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap() + directory + 4;
    damaged[second] = 0;
    let (collected, summary) = open("x.zip", damaged);
    let mut found = collected.files();
    let mut expected: Vec<_> = files().into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert!(collected.get("empty").problems.is_empty());
    assert!(!summary.is_clean());
}

/// Readers that search the end record from the end, and readers that expect its comment to end the file, find different
/// central directories.
#[test]
fn two_end_records_are_reported() {
    let shown = Part::stored("shown", b"shown");
    let hidden = Part::stored("hidden", b"hidden");
    let mut archive = [local(&shown), local(&hidden)].concat();
    let offset = archive.len() as u32;
    let (first, second) = (central(&shown, 0), central(&hidden, local(&shown).len() as u32));
    archive.extend(&first);
    let mut outer = end(1, first.len() as u32, offset);
    let mut comment = second.clone();
    comment.extend(end(1, second.len() as u32, offset + first.len() as u32 + outer.len() as u32));
    let length = outer.len();
    outer[length - 2..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
    let gap_offset = archive.len() as u64;
    archive.extend(outer);
    archive.extend(comment);
    let (collected, summary) = open("x.zip", archive);
    assert_eq!(&collected.get("hidden").bytes[..], b"hidden");
    assert_eq!(&collected.get("shown").bytes[..], b"shown");
    let reported: Vec<u64> = summary.problems.iter().map(|problem| problem.problem.offset).collect();
    assert!(reported.contains(&gap_offset), "{:?}", summary.problems);
}

#[test]
fn wrong_sizes_do_not_hide_following_entries() {
    let inner = local(&Part::stored("in it", &text(100)));
    let first = [Part::deflated("first", &text(1000)), Part::stored("first", &text(1000))];
    for first in first {
        let others = [Part::deflated("b", &noise(500, 1)), Part::stored("inner.zip", &inner), Part::stored("c", b"c")];
        let whole: Vec<u8> = std::iter::once(&first).chain(&others).flat_map(local).collect();
        let length = first.data.len() as u32;
        for wrong in [length + 1, length + 100, length + 700, whole.len() as u32, u32::MAX - 1] {
            let mut archive = whole.clone();
            archive[18..22].copy_from_slice(&wrong.to_le_bytes());
            let (collected, _) = open("x.zip", archive);
            let names = ["first", "b", "inner.zip", "c", "inner.zip!/in it"];
            assert_eq!(collected.paths(), names, "{wrong} for {length}");
            assert_eq!(&collected.get("first").bytes[..], text(1000));
            assert_eq!(&collected.get("b").bytes[..], noise(500, 1));
            assert_eq!(collected.get("b").problems.len(), 1);
            assert_eq!(&collected.get("inner.zip!/in it").bytes[..], text(100));
        }
    }
    // A stored archive of the right size before the damage stays complete.
    let mut archive = [local(&Part::stored("inner.zip", &inner)), local(&Part::stored("c", b"c"))].concat();
    let at = local(&Part::stored("inner.zip", &inner)).len();
    archive[at] = b'?';
    let (collected, _) = open("x.zip", archive);
    assert_eq!(collected.paths(), ["inner.zip", "inner.zip!/in it"]);
    assert_eq!(&collected.get("inner.zip").bytes[..], inner);
}

/// A flag that one of the two headers has must not hide the bytes: other tools look at one of them only.
#[test]
fn flags_of_one_header_hide_nothing() {
    let archive = build(&[Part::stored("a", b"content")]);
    let central = archive.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    for flag in [1, 1 << 5, 1 << 6] {
        for field in [6, central + 8] {
            let mut archive = archive.clone();
            archive[field] |= flag;
            let (collected, _) = open("x.zip", archive.clone());
            let entry = collected.get("a");
            assert_eq!(&entry.bytes[..], b"content", "{flag}");
            assert!(matches!(kinds(&entry.problems)[..], [ProblemKind::Readings { .. }]), "{:?}", entry.problems);
        }
        let mut archive = archive.clone();
        archive[6] |= flag;
        archive[central + 8] |= flag;
        let (collected, _) = open("x.zip", archive);
        assert!(matches!(kinds(&collected.get("a").problems)[..], [ProblemKind::Unsupported { .. }]), "{flag}");
    }
}
