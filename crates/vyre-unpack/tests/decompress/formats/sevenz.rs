//! 7z archives of 7-Zip and py7zr.

use vyre_unpack::{EntryKind, Limit, ProblemKind};

use super::{assert_limited, bytes, code, fixture, text};
use crate::collect::{kinds, open, open_clean};

#[test]
fn every_method_is_decoded() {
    for method in ["lzma2", "lzma", "ppmd", "bzip2", "deflate", "deflate64", "copy"] {
        let collected = open_clean("x.7z", fixture("7z", method));
        let mut paths = collected.paths();
        paths.sort_unstable();
        assert_eq!(paths, ["a.txt", "dir", "dir/empty", "dir/index.js", "dir/link"], "{method}");
        assert_eq!(bytes(&collected, "a.txt"), text(), "{method}");
        assert_eq!(bytes(&collected, "dir/index.js"), b"console.log(1)\n", "{method}");
        assert!(bytes(&collected, "dir/empty").is_empty());
        assert_eq!(collected.get("dir").kind, EntryKind::Directory);
        assert_eq!(collected.get("dir/link").kind, EntryKind::Symlink { target: b"../a.txt".to_vec() });
        assert_eq!(collected.get("dir/index.js").mode, Some(0o755));
        let expected = if method == "copy" { "stored" } else { method };
        assert_eq!(collected.get("a.txt").method, expected);
    }
    for method in ["zstd", "brotli"] {
        let collected = open_clean("x.7z", fixture("7z", method));
        assert_eq!((bytes(&collected, "a.txt"), collected.get("a.txt").method), (&text()[..], method));
    }
}

#[test]
fn filters_of_machine_code_are_inverted() {
    for filter in ["bcj", "bcj2", "arm", "armt", "arm64", "ppc", "sparc", "ia64", "delta"] {
        let collected = open_clean("x.7z", fixture("7z", filter));
        assert!(bytes(&collected, "code") == code(), "{filter}");
    }
}

#[test]
fn encrypted_archives_are_named() {
    let (collected, summary) = open("x.7z", fixture("7z", "encrypted"));
    let encryption = ProblemKind::Unsupported { what: "encryption".to_owned() };
    assert_eq!(kinds(&collected.get("a.txt").problems), [&encryption]);
    assert!(bytes(&collected, "a.txt").is_empty() && !summary.is_clean());
    let (collected, summary) = open("x.7z", fixture("7z", "encrypted_names"));
    assert!(collected.entries.is_empty() && !summary.is_clean());
    let ProblemKind::Unsupported { what } = &summary.problems[0].problem.kind else { panic!("{summary:?}") };
    assert!(what.starts_with("an encrypted 7z archive"), "{what}");
}

#[test]
fn damage_is_reported_and_contained() {
    let archive = fixture("7z", "copy");
    let place = archive.windows(7).position(|window| window == b"console").unwrap();
    let mut changed = archive.clone();
    changed[place] ^= 1;
    let (collected, summary) = open("x.7z", changed);
    assert!(matches!(kinds(&collected.get("dir/index.js").problems)[..], [ProblemKind::Checksum { .. }]));
    assert!(collected.get("a.txt").problems.is_empty());
    assert_eq!(summary.damaged, 1);
    // The header at the end is lost.
    let (_, result) = crate::collect::open_with("x.7z", archive[..archive.len() - 9].to_vec(), Default::default());
    assert!(result.is_err());
    // Bytes after the end.
    let (_, summary) = open("x.7z", [&archive[..], b"more"].concat());
    assert_eq!(summary.problems[0].problem.kind, ProblemKind::TrailingGarbage { bytes: 4 });
}

#[test]
fn an_archive_behind_a_program_is_found() {
    let archive = [b"MZ some program".to_vec(), fixture("7z", "lzma2")].concat();
    let collected = open_clean("setup.exe", archive.clone());
    assert_eq!(bytes(&collected, "a.txt"), text());
    let outer = crate::tar::tar_of(&[("setup.exe", archive)]);
    assert_eq!(bytes(&open_clean("x.tar", outer), "setup.exe!/a.txt"), text());
    // The magic number alone is no archive.
    assert!(vyre_unpack::detect_format(&[b"MZ 7z\xbc\xaf\x27\x1c", &[7u8; 60][..]].concat()).is_none());
}

#[test]
fn bombs_end_at_the_limits() {
    assert_limited("x.7z", fixture("7z", "lzma2"));
    let (collected, _) = open("x.7z", fixture("7z", "bomb"));
    let is_ratio = |kind: &&ProblemKind| matches!(kind, ProblemKind::Limit(exceeded) if exceeded.limit == Limit::Ratio);
    assert!(kinds(&collected.get("zeros").problems).iter().any(is_ratio), "{:?}", collected.get("zeros").problems);
}
