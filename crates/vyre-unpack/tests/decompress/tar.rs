//! Tar archives.

use tar::{Builder, EntryType, Header};
use vyre_unpack::{EntryKind, Options, Problem, ProblemKind};

use crate::collect::{kinds, noise, open, open_clean, open_with, text};

/// An archive of files.
pub(crate) fn tar_of(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o640);
        header.set_mtime(1_700_000_000);
        builder.append_data(&mut header, name, &bytes[..]).unwrap();
    }
    builder.into_inner().unwrap()
}

/// A header assembled by hand. The checksum is set when it is complete.
pub(crate) fn header(name: &[u8], kind: u8, size: u64) -> [u8; 512] {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name);
    header[100..108].copy_from_slice(b"0000644\0");
    header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    header[136..148].copy_from_slice(b"00000000012\0");
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    checksum(&mut header);
    header
}

/// Sets the checksum of a header.
pub(crate) fn checksum(header: &mut [u8; 512]) {
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// A member assembled by hand.
pub(crate) fn member(name: &[u8], kind: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = header(name, kind, data.len() as u64).to_vec();
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn pax(records: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in records {
        let rest = key.len() + value.len() + 3;
        let length = (1..).find(|&length: &usize| rest + length.to_string().len() == length).unwrap();
        bytes.extend(format!("{length} {key}={value}\n").bytes());
    }
    bytes
}

fn ended(parts: &[Vec<u8>]) -> Vec<u8> {
    [parts.concat(), vec![0; 1024]].concat()
}

#[test]
fn files_are_unpacked() {
    let long = "d/".repeat(80) + "name";
    let files = [
        ("empty", Vec::new()),
        ("one", vec![1]),
        ("block", noise(512, 4)),
        ("text", text(1000)),
        (long.as_str(), noise(100_000, 5)),
    ];
    let collected = open_clean("x.tar", tar_of(&files));
    let expected: Vec<_> = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.clone())).collect();
    assert_eq!(collected.files(), expected);
    let entry = collected.get("one");
    assert_eq!((entry.mode, entry.modified, entry.size), (Some(0o640), Some(1_700_000_000), Some(1)));
    assert_eq!((entry.method, entry.offset), ("tar", 512));
}

#[test]
fn files_are_not_copied() {
    let archive = bytes::Bytes::from(tar_of(&[("a", noise(5000, 3))]));
    let mut collected = crate::collect::Collected::default();
    let unpacker = vyre_unpack::Unpacker::on_host(Options::default());
    unpacker.unpack(b"x.tar", archive.clone(), &mut collected).unwrap();
    assert!(archive.as_ptr_range().contains(&collected.entries[0].bytes.as_ptr()));
}

#[test]
fn all_member_types_are_listed() {
    let mut builder = Builder::new(Vec::new());
    let mut add = |kind: EntryType, name: &str, target: &str| {
        let mut header = Header::new_ustar();
        header.set_entry_type(kind);
        header.set_path(name).unwrap();
        header.set_mode(0o755);
        header.set_size(0);
        if !target.is_empty() {
            header.set_link_name(target).unwrap();
        }
        header.set_cksum();
        builder.append(&header, &[][..]).unwrap();
    };
    add(EntryType::Directory, "d/", "");
    add(EntryType::Symlink, "soft", "../away");
    add(EntryType::Link, "hard", "d/file");
    add(EntryType::Char, "char", "");
    add(EntryType::Block, "block", "");
    add(EntryType::Fifo, "fifo", "");
    let mut archive = builder.into_inner().unwrap();
    archive.truncate(archive.len() - 1024);
    // A directory of the v7 format.
    let mut old = header(b"old/", 0, 0);
    old[257..265].fill(0);
    checksum(&mut old);
    archive.extend(old);
    archive.extend([0; 1024]);
    let collected = open_clean("x.tar", archive);
    let kinds: Vec<EntryKind> = collected.entries.iter().map(|entry| entry.kind.clone()).collect();
    assert_eq!(
        kinds,
        [
            EntryKind::Directory,
            EntryKind::Symlink { target: b"../away".to_vec() },
            EntryKind::Hardlink { target: b"d/file".to_vec() },
            EntryKind::Special { what: "character device" },
            EntryKind::Special { what: "block device" },
            EntryKind::Special { what: "fifo" },
            EntryKind::Directory,
        ]
    );
}

#[test]
fn ustar_prefixes_and_the_v7_format_are_read() {
    let mut with_prefix = header(b"file", b'0', 3);
    with_prefix[345..351].copy_from_slice(b"prefix");
    checksum(&mut with_prefix);
    let mut old = header(b"old", 0, 0);
    old[257..265].fill(0);
    checksum(&mut old);
    let mut archive = with_prefix.to_vec();
    archive.extend(b"abc");
    archive.resize(1024, 0);
    archive.extend(old);
    archive.extend([0; 1024]);
    let collected = open_clean("x.tar", archive.clone());
    assert_eq!(collected.paths(), ["prefix/file", "old"]);
    // The v7 format has no magic.
    open_clean("x.tar", [&old[..], &[0; 1024]].concat());
    // A checksum of signed bytes.
    let mut signed = header(b"sign", b'0', 0);
    signed[200] = 0xf0;
    signed[148..156].copy_from_slice(b"        ");
    let sum: i32 = signed.iter().map(|&byte| i32::from(byte as i8)).sum();
    signed[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    // npm and cargo do not know it.
    let (collected, _) = open("x.tar", [&signed[..], &[0; 1024]].concat());
    assert!(kinds(&collected.get("sign").problems).iter().all(|kind| matches!(kind, ProblemKind::Readings { .. })));
}

#[test]
fn extended_headers_are_applied() {
    let long = "very/long/".repeat(50) + "näme";
    let archive = ended(&[
        member(b"g", b'g', &pax(&[("comment", "for all"), ("mtime", "77.9")])),
        member(b"x", b'x', &pax(&[("path", &long), ("mtime", "-0.5"), ("SCHILY.xattr.user", "a\nb=c")])),
        member(b"short", b'0', b"content"),
        member(b"x", b'x', &pax(&[("linkpath", &long)])),
        member(b"link", b'2', b""),
        member(b"plain", b'0', b"plain"),
    ]);
    let collected = open_clean("x.tar", archive);
    assert_eq!(collected.paths(), [long.as_str(), "link", "plain"]);
    assert_eq!(&collected.entries[0].bytes[..], b"content");
    assert_eq!(collected.entries[0].modified, Some(-1));
    assert_eq!(collected.entries[1].kind, EntryKind::Symlink { target: long.clone().into_bytes() });
    assert_eq!(collected.entries[2].modified, Some(77));
    // The size of an extended header concerns the member, not the extensions between.
    let mut sized = header(b"sized", b'0', 0).to_vec();
    sized.extend(noise(700, 6));
    sized.resize(512 + 1024, 0);
    let archive = ended(&[
        member(b"x", b'x', &pax(&[("size", "700")])),
        member(b"././@LongLink", b'L', b"a name\0"),
        sized,
        member(b"after", b'0', b"after"),
    ]);
    let collected = open_clean("x.tar", archive);
    assert_eq!(collected.paths(), ["a name", "after"]);
    assert_eq!(&collected.get("a name").bytes[..], noise(700, 6));
}

#[test]
fn gnu_long_names_and_binary_sizes_are_read() {
    let long = "l/".repeat(300) + "name";
    let mut wide = header(b"w", b'0', 0);
    wide[124..136].copy_from_slice(b"\x80\0\0\0\0\0\0\0\0\0\0\x05");
    checksum(&mut wide);
    let mut wide = wide.to_vec();
    wide.extend(b"12345");
    wide.resize(1024, 0);
    let archive = ended(&[
        member(b"././@LongLink", b'K', format!("{long}\0").as_bytes()),
        member(b"././@LongLink", b'L', format!("{long}2\0").as_bytes()),
        member(b"link", b'2', b""),
        wide,
    ]);
    let collected = open_clean("x.tar", archive);
    assert_eq!(collected.paths(), [format!("{long}2"), "w".to_owned()]);
    assert_eq!(collected.entries[0].kind, EntryKind::Symlink { target: long.into_bytes() });
    assert_eq!(&collected.get("w").bytes[..], b"12345");
}

/// The four formats of GNU tar, each with a hole at the start, one in the middle and one at the end.
#[test]
fn sparse_files_have_their_holes() {
    let (one, two) = (noise(600, 1), noise(100, 2));
    let data = [&one[..], &two].concat();
    let mut expected = vec![0; 10_000];
    expected[512..1112].copy_from_slice(&one);
    expected[5_000..5_100].copy_from_slice(&two);

    let mut old = header(b"s", b'S', data.len() as u64);
    old[257..265].copy_from_slice(b"ustar  \0");
    let parts = b"00000001000\x0000000001130\x0000000011610\x0000000000144\0";
    old[386..386 + 24].copy_from_slice(&parts[..24]);
    // The second part is in a block of its own.
    old[482] = 1;
    old[483..495].copy_from_slice(b"00000023420\0");
    checksum(&mut old);
    let mut continued = [0; 512];
    continued[..24].copy_from_slice(&parts[24..]);
    let padded = [&data[..], &vec![0; data.len().next_multiple_of(512) - data.len()]].concat();
    let gnu = [&old[..], &continued, &padded].concat();

    let pax_file = |records: &[(&str, &str)], data: &[u8]| {
        [member(b"x", b'x', &pax(records)), member(b"GNUSparseFile.0/s", b'0', data)].concat()
    };
    let first = pax_file(
        &[
            ("GNU.sparse.size", "10000"),
            ("GNU.sparse.numblocks", "2"),
            ("GNU.sparse.offset", "512"),
            ("GNU.sparse.numbytes", "600"),
            ("GNU.sparse.offset", "5000"),
            ("GNU.sparse.numbytes", "100"),
            ("GNU.sparse.name", "s"),
        ],
        &data,
    );
    let map = "512,600,5000,100";
    let second = pax_file(&[("GNU.sparse.size", "10000"), ("GNU.sparse.map", map), ("GNU.sparse.name", "s")], &data);
    let mut lines = b"3\n512\n600\n5000\n100\n10000\n0\n".to_vec();
    lines.resize(512, 0);
    let third = pax_file(
        &[
            ("GNU.sparse.major", "1"),
            ("GNU.sparse.minor", "0"),
            ("GNU.sparse.name", "s"),
            ("GNU.sparse.realsize", "10000"),
        ],
        &[lines, data.clone()].concat(),
    );
    for (format, file) in [gnu, first, second, third].into_iter().enumerate() {
        let (collected, _) = open("x.tar", ended(&[file, member(b"good", b'0', b"good")]));
        let entry = collected.get("s");
        assert!(entry.bytes == expected, "{format}");
        assert_eq!(entry.size, Some(10_000), "{format}");
        // npm leaves the old format out, and takes the parts of the others for the whole.
        let is_reading = |kind: &&ProblemKind| matches!(kind, ProblemKind::Readings { .. });
        assert!(kinds(&entry.problems).iter().all(is_reading), "{format}: {:?}", entry.problems);
        assert_eq!(collected.paths().contains(&"GNUSparseFile.0/s".to_owned()), format > 0);
        assert_eq!(&collected.get("good").bytes[..], b"good");
    }
}

/// A hole costs nothing in the archive, so the ratio limits it.
#[test]
fn holes_count_as_output() {
    let mut sparse = header(b"s", b'S', 0);
    sparse[257..265].copy_from_slice(b"ustar  \0");
    sparse[483..495].copy_from_slice(b"10000000000\0");
    checksum(&mut sparse);
    let (collected, summary) = open("x.tar", ended(&[sparse.to_vec(), member(b"good", b'0', b"good")]));
    assert!(kinds(&collected.get("s").problems).iter().any(|kind| matches!(kind, ProblemKind::Limit(_))));
    assert!(collected.get("s").bytes.is_empty() && summary.damaged == 1);
    assert_eq!(&collected.get("good").bytes[..], b"good");
}

#[test]
fn missing_ends_are_reported() {
    let one = member(b"a", b'0', &text(600));
    let clean = [
        [&one[..], &[0; 512]].concat(),
        [&one[..], &[0; 1024]].concat(),
        [&one[..], &[0; 10_240]].concat(),
        [&one[..], &[0; 100]].concat(),
    ];
    for archive in clean {
        let collected = open_clean("x.tar", archive);
        assert_eq!(&collected.get("a").bytes[..], text(600));
    }
    // More members may be missing.
    let (collected, summary) = open("x.tar", one.clone());
    assert_eq!(&collected.get("a").bytes[..], text(600));
    let problem = Problem::new(one.len() as u64, ProblemKind::Truncated { what: "end of the tar file" });
    assert_eq!(summary.problems[0].problem, problem);
    let (_, summary) = open("x.tar", [&one[..], &[0; 1024], b"garbage"].concat());
    let problem = Problem::new(one.len() as u64 + 1024, ProblemKind::TrailingGarbage { bytes: 7 });
    assert_eq!(summary.problems[0].problem, problem);
    let (_, summary) = open("x.tar", [&one[..], &one[..100]].concat());
    let problem = Problem::new(one.len() as u64, ProblemKind::Truncated { what: "tar header" });
    assert_eq!(summary.problems[0].problem, problem);
    // All bytes of the file exist, but not all of its last block.
    let (collected, summary) = open("x.tar", one[..512 + 600].to_vec());
    assert_eq!(&collected.get("a").bytes[..], text(600));
    let problem = Problem::new(1112, ProblemKind::Truncated { what: "last block of the archive" });
    assert_eq!(summary.problems[0].problem, problem);
    let (collected, summary) = open("x.tar", one[..512 + 599].to_vec());
    assert_eq!(collected.get("a").problems, [Problem::new(1111, ProblemKind::Truncated { what: "data of the entry" })]);
    assert_eq!(&collected.get("a").bytes[..], &text(600)[..599]);
    assert_eq!(summary.damaged, 1);
}

#[test]
fn links_with_sizes_are_reported() {
    // Some tools write the size of the target of a link; npm skips as many bytes.
    let archive = ended(&[header(b"hard", b'1', 5000).to_vec(), member(b"after", b'0', b"after")]);
    let (collected, _) = open("x.tar", archive);
    assert_eq!(&collected.get("after").bytes[..], b"after");
    assert!(matches!(kinds(&collected.get("hard").problems)[..], [ProblemKind::Readings { .. }]));
    // Readers differ in how they read a link with data.
    let (collected, _) =
        open("x.tar", ended(&[member(b"hard", b'1', &noise(600, 1)), member(b"after", b'0', b"after")]));
    assert_eq!(&collected.get("after").bytes[..], b"after");
    assert!(!collected.get("hard").problems.is_empty());
}

#[test]
fn a_listing_has_no_bytes() {
    let (collected, summary) =
        open_with("x.tar", tar_of(&[("a", text(5000))]), Options::default().with_list_only(true));
    assert_eq!(collected.get("a").size, Some(5000));
    assert!(collected.get("a").bytes.is_empty());
    assert!(summary.unwrap().is_clean());
}

#[test]
fn a_global_name_is_not_repeated_endlessly() {
    let name = "n".repeat(100_000);
    let mut parts = vec![member(b"g", b'g', &pax(&[("path", &name)]))];
    parts.extend((0..1000).map(|_| member(b"a", b'0', b"")));
    let archive = ended(&parts);
    let length = archive.len();
    let (collected, summary) = open("x.tar", archive);
    assert!(collected.entries.iter().map(|entry| entry.path.names[0].len()).sum::<usize>() <= length);
    assert!(!summary.is_clean());
}
