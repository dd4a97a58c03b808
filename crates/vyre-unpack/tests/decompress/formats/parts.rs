//! Parts of split archives, layers of container images, and ASAR archives with files beside them.

use vyre_unpack::{DecompressError, EntryKind, ExtractOptions, Options, ProblemKind, unpack_file};

use super::{bytes, fixture};
use crate::asar::asar;
use crate::collect::{gzip, kinds, open, open_clean, open_with};
use crate::tar::tar_of;

const PART: &str = "part of an archive that was split";

#[test]
fn parts_of_split_archives_are_named() {
    let archive = fixture("7z", "copy");
    for (name, part) in [("x.7z.001", &archive[..600]), ("x.7z.002", &archive[600..]), ("x.z01", b"some bytes")] {
        let (_, result) = open_with(name, part.to_vec(), Options::default());
        assert!(matches!(result, Err(DecompressError::Unsupported { format: PART })), "{name}: {result:?}");
        let (collected, _) = open("x.tar", tar_of(&[(name, part.to_vec()), ("good", b"good".to_vec())]));
        assert!(collected.get("good").problems.is_empty());
        assert_eq!(
            kinds(&collected.get(name).problems),
            [&ProblemKind::Unsupported { what: PART.to_owned() }],
            "{name}"
        );
    }
    // The first part of a stored zip archive opens; the rest is missing all the same.
    let (collected, result) =
        open_with("x.zip.001", crate::zip::build(&[crate::zip::Part::stored("a", b"a")]), Options::default());
    assert_eq!(bytes(&collected, "a"), b"a");
    assert!(!result.unwrap().is_clean());
}

#[test]
fn whiteouts_of_layers_are_reported_and_deleted_files_stay() {
    let lower = tar_of(&[("etc/secret", b"key".to_vec()), ("opt/a", b"a".to_vec())]);
    let upper = tar_of(&[("etc/.wh.secret", Vec::new()), ("opt/.wh..wh..opq", Vec::new()), ("opt/b", b"b".to_vec())]);
    let image = tar_of(&[
        ("blobs/sha256/1111", gzip(&lower)),
        ("blobs/sha256/2222", upper),
        ("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec()),
    ]);
    let (collected, summary) = open("image.tar", image);
    assert_eq!(bytes(&collected, "blobs/sha256/1111!/etc/secret"), b"key");
    let text = |path: &str| collected.get(path).problems[0].to_string();
    assert!(
        text("blobs/sha256/2222!/etc/.wh.secret").ends_with("a whiteout that deletes `etc/secret` of the layers below")
    );
    let opaque = text("blobs/sha256/2222!/opt/.wh..wh..opq");
    assert!(opaque.ends_with("a whiteout that hides all files of the layers below in `opt/`"), "{opaque}");
    assert_eq!(summary.damaged, 2);
    // Files with bytes and other names are no whiteouts.
    open_clean("x.tar", tar_of(&[(".wh.a", b"x".to_vec()), ("a.wh.b", Vec::new()), (".wh..wh.plnk", Vec::new())]));
}

#[test]
fn files_beside_an_asar_archive_are_read() {
    let folder = tempfile::TempDir::new().unwrap();
    let archive = folder.path().join("app.asar");
    let json = r#"{"files":{"lib":{"files":{"native.node":{"size":5,"unpacked":true},"missing":{"size":1,"unpacked":true}}},
        "up":{"size":3,"unpacked":true},"wrong":{"size":9,"unpacked":true}}}"#;
    std::fs::write(&archive, asar(json, b"")).unwrap();
    std::fs::create_dir_all(folder.path().join("app.asar.unpacked/lib")).unwrap();
    std::fs::write(folder.path().join("app.asar.unpacked/lib/native.node"), b"12345").unwrap();
    std::fs::write(folder.path().join("app.asar.unpacked/wrong"), b"123").unwrap();
    std::fs::write(folder.path().join("secret"), b"key").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret", folder.path().join("app.asar.unpacked/up")).unwrap();
    let out = folder.path().join("out");
    let unpacked = unpack_file(&archive, &out, Options::default(), ExtractOptions::default()).unwrap();
    assert_eq!(std::fs::read(out.join("lib/native.node")).unwrap(), b"12345");
    let damaged: Vec<String> = unpacked.damaged.iter().map(|entry| entry.path.display()).collect();
    assert_eq!(damaged, ["lib/missing", "up", "wrong"]);
    assert!(!out.join("up").exists());
    let is_size = |kind: &ProblemKind| *kind == ProblemKind::Size { expected: 9, found: 3 };
    assert!(unpacked.damaged[2].problems.iter().any(|problem| is_size(&problem.kind)));
    assert_eq!(open("app.asar", asar(json, b"")).0.get("lib").kind, EntryKind::Directory);
}

/// The directory beside a nested archive is part of the archive around it.
#[test]
fn files_beside_a_nested_asar_archive_are_entries_of_the_outer_one() {
    let json = r#"{"files":{"a.node":{"size":2,"unpacked":true}}}"#;
    let files = [("r/app.asar", asar(json, b"")), ("r/app.asar.unpacked/a.node", b"12".to_vec())];
    let collected = open_clean("x.tar", tar_of(&files));
    assert_eq!(collected.paths(), ["r/app.asar", "r/app.asar.unpacked/a.node"]);
    let (_, summary) = open("x.tar", tar_of(&[files[0].clone(), ("app.asar.unpacked/a.node", b"12".to_vec())]));
    assert_eq!(summary.damaged, 1);
}
