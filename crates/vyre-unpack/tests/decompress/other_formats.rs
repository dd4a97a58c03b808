//! Archives of ar and cpio, streams of LZMA and lzip, and formats that are named but not opened.

use std::path::Path;
use std::process::Command;

use vyre_unpack::{DecompressError, EntryKind, Options, ProblemKind};
use zip::CompressionMethod;

use crate::collect::{gzip, kinds, open, open_clean, open_with, text};
use crate::tar::tar_of;
use crate::zip::{Part, build, zip_of};

/// A member of an ar archive.
fn ar_member(name: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 12, 0, 0, "100644", data.len()).into_bytes();
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    bytes
}

fn ar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let members = members.iter().flat_map(|(name, data)| ar_member(name, data));
    b"!<arch>\n".iter().copied().chain(members).collect()
}

#[test]
fn debian_packages_are_unpacked_with_the_archives_in_them() {
    let data = gzip(&tar_of(&[("./usr/bin/tool", b"#!/bin/sh\n".to_vec())]));
    let package = ar(&[("debian-binary", b"2.0\n"), ("data.tar.gz/", &data)]);
    let collected = open_clean("x.deb", package);
    assert_eq!(collected.paths(), ["debian-binary", "data.tar.gz", "data.tar.gz!/usr/bin/tool"]);
    let entry = collected.get("debian-binary");
    assert_eq!((&entry.bytes[..], entry.mode, entry.modified), (&b"2.0\n"[..], Some(0o644), Some(12)));
}

#[test]
fn long_names_of_ar_are_read_and_tables_are_no_files() {
    let long = "a_name_of_more_than_16_bytes.o";
    let names = format!("{long}/\n");
    let bsd = [long.as_bytes(), b"\0\0", b"odd"].concat();
    let bsd_name = format!("#1/{}", long.len() + 2);
    let archive = ar(&[("/", b"\0\0\0\0"), ("//", names.as_bytes()), ("/0", b"gnu"), (&bsd_name, &bsd)]);
    let (collected, _) = open("x.a", archive);
    assert_eq!(collected.paths(), [long, long]);
    assert_eq!(
        collected.files().into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>(),
        [b"gnu".to_vec(), b"odd".to_vec()]
    );
}

#[test]
fn damaged_ar_archives_keep_their_members() {
    let archive = ar(&[("a/", b"aa"), ("b/", b"bbbb")]);
    let (collected, summary) = open("x.a", archive[..archive.len() - 2].to_vec());
    assert_eq!(&collected.get("a").bytes[..], b"aa");
    assert_eq!(kinds(&collected.get("b").problems), [&ProblemKind::Truncated { what: "data of the entry" }]);
    assert_eq!(summary.damaged, 1);
    let (_, summary) = open("x.a", [&archive[..], b"rest"].concat());
    assert_eq!(summary.problem_count, 1);
}

/// The program `ar`, where it is installed.
#[test]
fn archives_of_the_program_ar_are_read() {
    let folder = tempfile::TempDir::new().unwrap();
    let names = ["short", "a_name_of_more_than_16_bytes.txt"];
    for name in names {
        std::fs::write(folder.path().join(name), name).unwrap();
    }
    let made = Command::new("ar").current_dir(folder.path()).args(["rc", "x.a"]).args(names).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("ar: skipped, it is not installed");
        return;
    }
    let collected = open_clean("x.a", std::fs::read(folder.path().join("x.a")).unwrap());
    assert_eq!(collected.files(), names.map(|name| (name.to_owned(), name.as_bytes().to_vec())));
}

/// A member of a cpio archive in the format newc.
fn cpio_member(name: &str, mode: u32, data: &[u8], sum: Option<u32>) -> Vec<u8> {
    let magic = if sum.is_some() { "070702" } else { "070701" };
    let numbers = [1, mode, 0, 0, 1, 12, data.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, sum.unwrap_or(0)];
    let mut bytes = magic.as_bytes().to_vec();
    bytes.extend(numbers.iter().flat_map(|number| format!("{number:08x}").into_bytes()));
    bytes.extend(name.bytes().chain([0]));
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

#[test]
fn cpio_archives_are_unpacked() {
    let end = cpio_member("TRAILER!!!", 0, b"", None);
    let archive = [
        cpio_member("d", 0o040_755, b"", None),
        cpio_member("d/file", 0o100_640, b"content", None),
        cpio_member("link", 0o120_777, b"d/file", None),
        cpio_member("sum", 0o100_644, b"ab", Some(195)),
        end.clone(),
        vec![0; 300],
    ];
    let collected = open_clean("x.cpio", archive.concat());
    assert_eq!(collected.paths(), ["d", "d/file", "link", "sum"]);
    assert_eq!(collected.get("link").kind, EntryKind::Symlink { target: b"d/file".to_vec() });
    assert_eq!((&collected.get("d/file").bytes[..], collected.get("d/file").mode), (&b"content"[..], Some(0o640)));
    // A wrong sum, a missing end, bytes after the end.
    let (collected, _) = open("x.cpio", [cpio_member("sum", 0o100_644, b"ab", Some(7)), end.clone()].concat());
    assert!(matches!(kinds(&collected.get("sum").problems)[..], [ProblemKind::Checksum { .. }]));
    let (_, summary) = open("x.cpio", cpio_member("a", 0o100_644, b"a", None));
    assert_eq!(summary.problems[0].problem.kind, ProblemKind::Truncated { what: "end of the cpio archive" });
    let (_, summary) = open("x.cpio", [cpio_member("a", 0o100_644, b"a", None), end, b"rest".to_vec()].concat());
    assert!(matches!(summary.problems[0].problem.kind, ProblemKind::TrailingGarbage { .. }));
}

/// The saved inputs of a fuzz target.
fn saved(format: &str, name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/fuzz").join(format).join(name))
        .unwrap()
}

#[test]
fn streams_of_lzma_and_lzip_are_decoded() {
    let content = "content of a file ".repeat(50).into_bytes();
    assert_eq!(open_clean("x.txt.lzma", saved("lzma", "one")).files(), [("x.txt".to_owned(), content.clone())]);
    assert_eq!(open_clean("x.txt.lz", saved("lzip", "one")).files(), [("x.txt".to_owned(), content.clone())]);
    assert_eq!(open_clean("x.lz", saved("lzip", "two")).files(), [("x".to_owned(), content.repeat(2))]);
    for (format, name) in [("lzma", "cut"), ("lzip", "cut"), ("lzip", "changed")] {
        let (collected, summary) = open("x", saved(format, name));
        assert_eq!(summary.damaged, 1, "{format}, {name}: {:?}", collected.entries[0].problems);
    }
    // Text that starts with the first byte of an LZMA stream.
    assert!(vyre_unpack::detect_format(&[b"]\0\0", &text(100)[..]].concat()).is_none());
}

/// An archive of Python's `zipfile`, and the same without the marker at the end of the stream, as 7-Zip writes it.
#[test]
fn zip_entries_of_the_method_lzma_are_decoded() {
    let content = "content of a file ".repeat(50).into_bytes();
    let collected = open_clean("x.zip", saved("zip", "lzma"));
    assert_eq!(collected.files(), [("a.txt".to_owned(), content)]);
    assert_eq!(collected.get("a.txt").method, "lzma");
    let mut damaged = saved("zip", "lzma");
    damaged[60] ^= 0x40;
    let (_, summary) = open("x.zip", damaged);
    assert_eq!(summary.damaged, 1);
}

#[test]
fn split_and_encrypted_archives_are_named() {
    let mut split = zip_of(&[("a", b"a".to_vec())], CompressionMethod::Stored);
    let end = split.len() - 22;
    split[end + 4] = 2;
    let (_, summary) = open("x.zip", split);
    let what = "an archive in 3 parts, of which this is the last".to_owned();
    assert_eq!(summary.problems[0].problem.kind, ProblemKind::Unsupported { what });
    let (collected, _) = open("x.zip", build(&[Part { flags: 1, ..Part::stored("a", b"a") }]));
    let what = "encryption".to_owned();
    assert_eq!(kinds(&collected.get("a").problems), [&ProblemKind::Unsupported { what }]);
}

#[test]
fn known_formats_that_are_not_supported_are_named() {
    for (start, format) in [
        (&b"Rar!\x1a\x07\x01"[..], "RAR archive"),
        // Version 5 and version 4: an encryption header, the main header of a volume.
        (b"Rar!\x1a\x07\x01\x00\0\0\0\0\x21\x04\x00\x00", "encrypted RAR archive"),
        (b"Rar!\x1a\x07\x01\x00\0\0\0\0\x0b\x01\x05\x07\x01", "part of a RAR archive that was split"),
        (b"Rar!\x1a\x07\x01\x00\0\0\0\0\x0b\x01\x05\x07\x00", "RAR archive"),
        (b"Rar!\x1a\x07\x00\0\0\x73\x80", "encrypted RAR archive"),
        (b"Rar!\x1a\x07\x00\0\0\x73\x01", "part of a RAR archive that was split"),
        (b"xar!", "xar archive"),
        (b"MSWIM\0\0\0", "WIM image"),
        (b"!<thin>\n", "thin ar archive"),
    ] {
        let bytes = [start, &text(600)].concat();
        let (_, result) = open_with("x", bytes.clone(), Options::default());
        assert!(matches!(result, Err(DecompressError::Unsupported { format: found }) if found == format));
        let (collected, _) = open("x.tar", tar_of(&[("inner", bytes.clone()), ("good", b"good".to_vec())]));
        let expected = ProblemKind::Unsupported { what: format.to_owned() };
        assert_eq!(kinds(&collected.get("inner").problems), [&expected]);
        assert_eq!(&collected.get("inner").bytes[..], bytes);
        assert!(collected.get("good").problems.is_empty());
    }
}
