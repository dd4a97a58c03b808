//! Reported problems and listed entries of crafted archives.

use vyre_unpack::{DecompressError, EntryKind, Options, ProblemKind};

use super::build::{Zip, file, tar, zip};
use super::crafted::{Crafted, tars, zips};
use crate::collect::{Collected, gzip, open, open_clean, open_with};
use crate::tar::tar_of;

fn find<'c>(all: &'c [Crafted], name: &str) -> &'c Crafted {
    all.iter().find(|crafted| crafted.name == name).unwrap()
}

/// Names and contents of files, sorted.
fn files(collected: &Collected) -> Vec<(String, String)> {
    let mut files = collected.files().into_iter().map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into()));
    let mut files: Vec<(String, String)> = files.by_ref().collect();
    files.sort();
    files
}

/// All texts of disagreements.
fn texts(collected: &Collected) -> Vec<String> {
    let problems = collected.entries.iter().flat_map(|entry| &entry.problems);
    let readings = problems.filter(|problem| matches!(problem.kind, ProblemKind::Readings { .. }));
    readings.map(|problem| problem.kind.to_string()).collect()
}

#[test]
fn archives_on_which_readers_agree_have_no_problem() {
    for Crafted { name, format, bytes, .. } in tars().into_iter().chain(zips()).filter(|crafted| crafted.is_agreed) {
        let (collected, summary) = open("x", bytes);
        for entry in &collected.entries {
            assert!(entry.problems.is_empty(), "{format}, {name}: {:?}", entry.problems);
        }
        assert!(summary.is_clean(), "{format}, {name}: {:?}", summary.problems);
    }
}

#[test]
fn archives_on_which_readers_disagree_have_a_problem() {
    for Crafted { name, format, bytes, .. } in tars().into_iter().chain(zips()).filter(|crafted| !crafted.is_agreed) {
        let (collected, summary) = open_with("x", bytes, Options::default());
        let is_refused = |name: &[u8]| name.starts_with(b"..");
        let refused = collected.entries.iter().any(|entry| is_refused(&entry.path.names[0]));
        // A prefix that no reader needs is no disagreement.
        let is_clean = summary.is_ok_and(|summary| summary.is_clean());
        assert!(!is_clean || refused || name == "zip64 behind a script", "{format}, {name}");
    }
}

#[test]
fn a_member_that_a_size_hides_is_unpacked() {
    let all = tars();
    let (collected, _) = open("x.tar", find(&all, "zeros before the size").bytes.clone());
    let paths = collected.paths();
    assert!(paths.contains(&"package/inner.js".to_owned()), "{paths:?}");
    assert_eq!(paths.iter().filter(|path| *path == "a").count(), 2);
    assert_eq!(&collected.get("package/inner.js").bytes[..], b"INNER\n");
    assert_eq!(&collected.get("z").bytes[..], b"zz");
    let texts = texts(&collected);
    assert!(texts[0].contains("the file `a` of 0 bytes to GNU tar, bsdtar, Python, npm and 7-Zip"), "{texts:?}");
    assert!(texts[0].contains("the file `a` of 1024 bytes to Go"), "{texts:?}");
}

#[test]
fn links_with_data_have_both_readings() {
    let all = tars();
    for name in ["symbolic link with data", "hard link with data", "directory with data"] {
        let (collected, _) = open("x.tar", find(&all, name).bytes.clone());
        assert_eq!(&collected.get("package/inner.js").bytes[..], b"INNER\n", "{name}");
        assert_eq!(&collected.get("z").bytes[..], b"zz", "{name}");
        let texts = texts(&collected);
        assert!(texts.iter().any(|text| text.contains("cargo")), "{name}: {texts:?}");
    }
}

#[test]
fn names_of_all_readers_are_there() {
    let all = tars();
    for (name, expected) in [
        ("path, then long name", &["fromL", "fromx"][..]),
        ("two paths", &["one", "two"]),
        ("a record twice", &["one", "two"]),
        ("record in a value", &["a", "evil"]),
        ("prefix of GNU tar", &["a", "pre/a"]),
        ("zero byte in a path", &["a", "b", "b\0c"]),
    ] {
        let (collected, _) = open("x.tar", find(&all, name).bytes.clone());
        let mut paths = collected.paths();
        paths.sort();
        assert_eq!(paths, expected, "{name}");
        assert!(collected.entries.iter().all(|entry| &entry.bytes[..] == b"aa"), "{name}");
    }
    let all = zips();
    for (name, expected) in [
        ("Unicode path", &["a", "evil"][..]),
        ("Unicode path in the directory", &["a", "evil"]),
        ("Unicode path in the local header", &["a", "evil"]),
        ("other name in the local header", &["a", "evil"]),
        ("zero byte in the name", &["a", "a\0b"]),
    ] {
        let (collected, _) = open("x.zip", find(&all, name).bytes.clone());
        let mut paths = collected.paths();
        paths.sort();
        assert_eq!(paths, expected, "{name}");
        assert!(collected.entries.iter().all(|entry| &entry.bytes[..] == b"benign"), "{name}");
    }
}

#[test]
fn both_contents_of_a_zip_archive_are_there() {
    let all = zips();
    for name in [
        "second directory in a signature",
        "second directory after a signature",
        "zip64 record beside an end record",
        "offset and size of two directories",
        "fewer entries than there are",
        "archive in a comment",
        "the same name twice",
    ] {
        let (collected, _) = open("x.zip", find(&all, name).bytes.clone());
        let contents: Vec<String> = files(&collected).into_iter().map(|(_, content)| content).collect();
        assert!(
            contents.contains(&"benign".to_owned()) && contents.contains(&"EVIL!!".to_owned()),
            "{name}: {contents:?}"
        );
    }
    let (collected, _) = open("x.zip", find(&all, "other size in the local header").bytes.clone());
    let contents: Vec<String> = files(&collected).into_iter().map(|(_, content)| content).collect();
    assert_eq!(contents, ["benign", "benignEVIL!!"]);
}

#[test]
fn an_archive_behind_other_bytes_is_opened_wherever_it_is() {
    let archive = zip(&[Zip::stored("__main__.py", "print()")]);
    for start in [&b"#!/usr/bin/env python3\n"[..], b"X", b"GIF89a"] {
        let hidden = [start, &archive].concat();
        let nested =
            gzip(&tar_of(&[("tool.pyz", hidden), ("text", b"the sign PK\x05\x06 alone is no archive".to_vec())]));
        let collected = open_clean("x.tgz", nested);
        assert_eq!(&collected.get("tool.pyz!/__main__.py").bytes[..], b"print()");
    }
}

#[test]
fn the_last_of_equal_names_is_known_to_be_another() {
    let (collected, summary) = open("x.tar", tar(&[file("a", "first"), file("./a", "second"), file("b", "b")]));
    assert_eq!(collected.files().len(), 3);
    assert!(collected.entries[0].problems.is_empty() && collected.entries[2].problems.is_empty());
    assert_eq!(texts(&collected), ["an entry before it has the same name; installers keep the last one"]);
    assert_eq!(summary.damaged, 1);
    // Directories may come as often as they like.
    let directory = super::build::Tar::new("d/", b'5', 0).bytes();
    open_clean("x.tar", tar(&[directory.clone(), directory, file("d/a", "a")]));
}

#[test]
fn strict_calls_refuse_archives_on_which_readers_disagree() {
    let strict = || Options::default().with_strict(true);
    for Crafted { name, format, bytes, is_agreed } in tars().into_iter().chain(zips()) {
        let (_, summary) = open_with("x", bytes.clone(), strict());
        if is_agreed {
            summary.unwrap();
            continue;
        }
        let (loose, _) = open_with("x", bytes, Options::default());
        let is_disagreement = !texts(&loose).is_empty();
        let is_refused = matches!(summary, Err(DecompressError::Readings { .. }));
        assert!(is_refused || !is_disagreement, "{format}, {name}");
    }
    // The archive around it is unpacked.
    let inner = tar(&[file("a", "first"), file("a", "second")]);
    let (collected, summary) = open_with("x.tar", tar_of(&[("a", b"a".to_vec()), ("in.tar", inner)]), strict());
    assert_eq!(collected.paths(), ["a", "in.tar"]);
    let error = summary.unwrap_err();
    assert!(error.to_string().starts_with("readers of the tar archive in.tar disagree"), "{error}");
}

#[test]
fn a_single_entry_is_not_in_the_place_of_another() {
    let mut entry = Zip::stored("a", "benign");
    entry.central.compressed = 20;
    let (collected, _) = open("x.zip", zip(&[entry]));
    let problems = &collected.entries[0].problems;
    let is_place = |text: &str| text.contains("same place");
    assert!(
        !problems.is_empty() && !problems.iter().any(|problem| is_place(&problem.kind.to_string())),
        "{problems:?}"
    );
}

#[test]
fn files_of_skippable_frames_have_no_content() {
    let frame = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
    for name in ["x.zst", "x.lz4"] {
        let collected = open_clean(name, frame.repeat(2));
        assert_eq!(collected.files(), [("x".to_owned(), Vec::new())]);
    }
}

#[test]
fn links_of_asar_archives_count_from_the_root() {
    let header = r#"{"files":{"d":{"files":{"e":{"files":{"link":{"link":"d/target"}}}}},"top":{"link":"d/target"}}}"#;
    let collected = open_clean("x.asar", crate::asar::asar(header, b""));
    let target = |target: &[u8]| EntryKind::Symlink { target: target.to_vec() };
    assert_eq!(collected.get("d/e/link").kind, target(b"../../d/target"));
    assert_eq!(collected.get("top").kind, target(b"d/target"));
}
