//! Extraction in one call: complete archives, damage, refusals, limits and unreadable files.

use std::fs;
use std::path::{Path, PathBuf};

use vyre::Error;
use vyre::engine::decompress::{DecompressError, ExtractOptions, Limits, Options, Refusal, unpack_file};

const PACKAGE: &[u8] = include_bytes!("../../../../examples/package.zip");

/// An empty directory for one test.
fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the directory can be created");
    path
}

fn archive(directory: &Path, bytes: &[u8]) -> PathBuf {
    let path = directory.join("package.zip");
    fs::write(&path, bytes).expect("the file can be written");
    path
}

#[test]
fn a_complete_archive_is_unpacked_with_its_inner_archives() -> Result<(), Error> {
    let directory = directory("unpack-complete");
    let out = directory.join("out");
    let unpacked = vyre::unpack(archive(&directory, PACKAGE), &out)?;
    assert!(unpacked.is_complete(), "{unpacked}");
    assert_eq!((unpacked.totals.files, unpacked.totals.opened, unpacked.summary.entries), (4, 1, 5));
    assert_eq!(unpacked.summary.format, ["zip"]);
    assert_eq!(fs::read(out.join("vendor/greeting.tgz!/package/index.js")).map(|bytes| bytes.len()).ok(), Some(46));
    assert!(!out.join("vendor/greeting.tgz").exists(), "the opened archive is removed");
    Ok(())
}

#[test]
fn damage_is_listed_and_the_rest_is_unpacked() -> Result<(), Error> {
    let directory = directory("unpack-damaged");
    let mut bytes = PACKAGE.to_vec();
    bytes[60] ^= 1;
    let unpacked = vyre::unpack(archive(&directory, &bytes), directory.join("out"))?;
    assert!(!unpacked.is_complete());
    assert_eq!((unpacked.summary.damaged, unpacked.damaged.len()), (1, 1));
    let entry = &unpacked.damaged[0];
    assert_eq!(entry.path.display(), "README.md");
    assert!(!entry.problems.is_empty());
    assert!(unpacked.to_string().contains("README.md: at byte "), "{unpacked}");
    assert!(!directory.join("out/README.md").exists(), "a damaged file never gets its own name");
    assert!(directory.join("out/src/main.js").exists());
    match &entry.written_to {
        Some(path) => assert_eq!(path, b"README.md.damaged"),
        None => assert_eq!(unpacked.totals.nothing, 1),
    }
    Ok(())
}

#[test]
fn refused_entries_are_listed() -> Result<(), Error> {
    let directory = directory("unpack-refused");
    fs::create_dir_all(directory.join("out")).expect("the directory can be created");
    fs::write(directory.join("out/README.md"), b"mine").expect("the file can be written");
    let unpacked = vyre::unpack(archive(&directory, PACKAGE), directory.join("out"))?;
    assert!(!unpacked.is_complete());
    assert_eq!((unpacked.refused.len(), unpacked.refused[0].refusal), (1, Refusal::AlreadyExists));
    assert_eq!(fs::read(directory.join("out/README.md")).ok().as_deref(), Some(&b"mine"[..]));
    assert!(unpacked.to_string().contains("README.md: refused: "), "{unpacked}");
    Ok(())
}

#[test]
fn limits_unreadable_files_and_unknown_formats_are_errors() {
    let directory = directory("unpack-errors");
    let out = directory.join("out");
    let options = Options::default().with_limits(Limits::default().with_total(100));
    let package = archive(&directory, PACKAGE);
    let result = unpack_file(&package, &out, options, ExtractOptions::default());
    assert!(matches!(result, Err(DecompressError::Limit(_))));

    let missing = vyre::unpack(directory.join("missing.zip"), &out).map(|unpacked| unpacked.is_complete());
    let error = missing.expect_err("there is no such file");
    assert!(error.to_string().contains("missing.zip"), "{error}");
    let folder = vyre::unpack(&directory, &out).map(|unpacked| unpacked.is_complete());
    assert!(matches!(folder, Err(Error::Unpack(DecompressError::Read { .. }))));
    let text = directory.join("text.zip");
    fs::write(&text, b"no archive").expect("the file can be written");
    let unknown = vyre::unpack(&text, directory.join("unknown")).map(|unpacked| unpacked.is_complete());
    assert!(matches!(unknown, Err(Error::Unpack(DecompressError::UnknownFormat))));
    assert!(!directory.join("unknown").exists(), "no directory is created for nothing");
}
