//! Nested archives.

use std::io::Write;

use vyre_unpack::{DecompressError, EntryKind, Limit, Limits, Options, ProblemKind};
use zip::CompressionMethod;

use crate::asar::asar;
use crate::collect::{gzip, kinds, limited, open, open_clean, open_with, text};
use crate::tar::tar_of;
use crate::zip::zip_of;

#[test]
fn compressed_archives_are_unpacked_as_one() {
    let archive = tar_of(&[("package/a", text(100)), ("package/b", text(5))]);
    let (collected, summary) = open("x.tgz", gzip(&archive));
    assert_eq!(collected.paths(), ["package/a", "package/b"]);
    assert_eq!(summary.format, ["gzip", "tar"]);
    assert_eq!(summary.layers, 2);
    assert_eq!(summary.output, archive.len() as u64);
    // Two layers of compression, and a compressed zip archive.
    let collected = open_clean("x.gz.gz", gzip(&gzip(&zip_of(&[("a", text(9))], CompressionMethod::Deflated))));
    assert_eq!(collected.paths(), ["a"]);
}

#[test]
fn the_content_of_a_stream_is_one_entry() {
    let collected = open_clean("some/where/notes.txt.gz", gzip(b"notes"));
    assert_eq!(collected.files(), [("notes.txt".to_owned(), b"notes".to_vec())]);
    assert_eq!((collected.entries[0].method, collected.entries[0].size), ("gzip", Some(5)));
    let mut encoder = flate2::GzBuilder::new().filename("real.txt").write(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"x").unwrap();
    let named = encoder.finish().unwrap();
    assert_eq!(open_clean("notes.gz", named.clone()).paths(), ["real.txt"]);
    // Inside an archive, it is below the file of the stream.
    let collected = open_clean("x.tar", tar_of(&[("logs/a.gz", named), ("b", text(3))]));
    assert_eq!(collected.paths(), ["logs/a.gz", "b", "logs/a.gz!/real.txt"]);
    assert!(collected.get("logs/a.gz").is_opened);
}

#[test]
fn nested_archives_are_unpacked() {
    let package = gzip(&tar_of(&[("package/index.js", text(2000))]));
    let wheel = zip_of(&[("module.py", text(300)), ("inner.tgz", package.clone())], CompressionMethod::Deflated);
    let json =
        format!(r#"{{"files":{{"resources":{{"files":{{"a.whl":{{"size":{},"offset":"0"}}}}}}}}}}"#, wheel.len());
    let app = asar(&json, &wheel);
    let outer = tar_of(&[("first", text(1)), ("app.asar", app), ("deps/b.tgz", package), ("last", text(2))]);
    let (collected, summary) = open("x.tar.gz", gzip(&outer));
    assert!(summary.is_clean(), "{:?}", summary.problems);
    let mut paths = collected.paths();
    let in_order: Vec<&String> = paths.iter().filter(|path| !path.contains("!/")).collect();
    assert_eq!(in_order, ["first", "app.asar", "deps/b.tgz", "last"]);
    paths.sort();
    assert_eq!(
        paths,
        [
            "app.asar",
            "app.asar!/resources",
            "app.asar!/resources/a.whl",
            "app.asar!/resources/a.whl!/inner.tgz",
            "app.asar!/resources/a.whl!/inner.tgz!/package/index.js",
            "app.asar!/resources/a.whl!/module.py",
            "deps/b.tgz",
            "deps/b.tgz!/package/index.js",
            "first",
            "last"
        ]
    );
    let deepest = collected.get("app.asar!/resources/a.whl!/inner.tgz!/package/index.js");
    assert_eq!(&deepest.bytes[..], text(2000));
    assert_eq!(deepest.path.names.len(), 4);
    assert_eq!(summary.layers, 6);
    assert_eq!(summary.entries, 10);
    // An archive precedes its entries.
    for (position, entry) in collected.entries.iter().enumerate().filter(|(_, entry)| entry.path.names.len() > 1) {
        let outer = &entry.path.names[..entry.path.names.len() - 1];
        let before = collected.entries[..position].iter().find(|other| other.path.names == outer);
        assert!(before.is_some_and(|before| before.is_opened), "{}", entry.path.display());
    }
}

#[test]
fn nested_archives_stay_files_without_the_option() {
    let wheel = zip_of(&[("module.py", text(300))], CompressionMethod::Deflated);
    let archive = gzip(&tar_of(&[("a.whl", wheel.clone())]));
    let (collected, result) = open_with("x.tgz", archive, Options::default().with_nested(false));
    assert!(result.unwrap().is_clean());
    assert_eq!(collected.files(), [("a.whl".to_owned(), wheel)]);
}

#[test]
fn a_file_that_only_starts_as_an_archive_has_no_problem() {
    let fake = b"PK\x03\x04 and nothing that follows".to_vec();
    let archive = tar_of(&[("fake.zip", fake.clone()), ("after", text(4))]);
    let (collected, summary) = open("x.tar", archive);
    let entry = collected.get("fake.zip");
    assert!(!entry.is_opened);
    assert_eq!(&entry.bytes[..], fake);
    assert!(entry.problems.is_empty());
    assert_eq!((summary.damaged, summary.problem_count), (0, 1));
    assert_eq!((summary.problems[0].path.display(), summary.problems[0].format), ("fake.zip".to_owned(), "zip"));
    assert_eq!(collected.entries.len(), 2);
}

#[test]
fn problems_of_nested_archives_have_their_path() {
    let mut inner = zip_of(&[("a", text(10))], CompressionMethod::Stored);
    inner.extend(b"garbage");
    let (collected, summary) = open("x.tar", tar_of(&[("inner.zip", inner)]));
    assert_eq!(&collected.get("inner.zip!/a").bytes[..], text(10));
    assert_eq!(summary.problem_count, 1);
    assert_eq!(summary.problems[0].path.display(), "inner.zip");
    assert_eq!(summary.problems[0].problem.kind, ProblemKind::TrailingGarbage { bytes: 7 });
}

#[test]
fn nesting_stops_at_the_limit() {
    let mut archive = text(50);
    for level in 0..40 {
        archive = match level % 3 {
            0 => tar_of(&[("inner", archive)]),
            1 => zip_of(&[("inner", archive)], CompressionMethod::Deflated),
            _ => gzip(&archive),
        };
    }
    for depth in [1, 2, 5, 16] {
        let (collected, result) = open_with("x", archive.clone(), limited(Limits::default().with_depth(depth)));
        let summary = result.unwrap();
        assert_eq!(summary.layers, depth);
        let last = collected.entries.last().unwrap();
        assert!(!last.is_opened && last.kind == EntryKind::File && !last.bytes.is_empty());
        assert!(matches!(kinds(&last.problems)[..], [ProblemKind::Limit(exceeded)] if exceeded.limit == Limit::Depth));
        assert_eq!(summary.damaged, 1);
    }
    let (collected, result) = open_with("x", archive.clone(), limited(Limits::default().with_depth(40)));
    assert!(result.unwrap().is_clean());
    assert_eq!(&collected.entries.last().unwrap().bytes[..], text(50));
    let (_, result) = open_with("x", archive, limited(Limits::default().with_depth(0)));
    assert!(matches!(result, Err(DecompressError::Limit(exceeded)) if exceeded.limit == Limit::Depth));
}

#[test]
fn unknown_formats_are_errors() {
    for bytes in [Vec::new(), b"plain text".to_vec(), vec![0; 2000]] {
        let (_, result) = open_with("x", bytes, Options::default());
        assert!(matches!(result, Err(DecompressError::UnknownFormat)));
    }
    let (_, result) = open_with("x", b"PK\x03\x04".to_vec(), Options::default());
    assert!(matches!(result, Err(DecompressError::Archive { format: "zip", .. })));
}
