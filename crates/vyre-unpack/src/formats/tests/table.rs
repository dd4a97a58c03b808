//! Every row of the table of formats is complete and detected by its own signature.

use std::collections::HashSet;
use std::path::Path;

use super::{FORMATS, Format};

/// The corpus of the fuzz target of a format.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/fuzz").join(name);
    let files = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
}

#[test]
fn every_format_has_a_unique_name_and_a_title() {
    let mut names = HashSet::new();
    for format in FORMATS {
        assert!(names.insert(format.name()), "{}", format.name());
        assert_eq!(format.title().to_ascii_lowercase(), format.name());
    }
}

#[test]
fn every_format_has_a_fuzz_target_and_is_detected_in_its_corpus() {
    for format in FORMATS {
        let name = format.name();
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/fuzz_targets").join(format!("{name}.rs"));
        assert!(target.is_file(), "{}", target.display());
        // brotli has no signature.
        let is_own = |bytes: &&Vec<u8>| Format::detect_named(b"x.br", bytes).is_some_and(|found| found.name() == name);
        let detected = corpus(name).iter().filter(is_own).count();
        assert!(detected > 0, "{name}");
    }
}

#[test]
fn suffixes_of_streams_are_unique() {
    let suffixes: Vec<_> = crate::formats::stream_suffixes().map(|(suffix, _)| suffix).collect();
    let unique: HashSet<_> = suffixes.iter().collect();
    assert_eq!(unique.len(), suffixes.len());
}

#[test]
fn unknown_bytes_have_no_format() {
    assert!(Format::detect(b"").is_none() && Format::detect(b"plain text").is_none());
    assert_eq!(
        crate::DecompressError::UnknownFormat.to_string(),
        "this is no zip, tar, gzip, zstd, LZ4, xz, bzip2, ASAR, ar, cpio, lzip, LZMA, 7z, RPM, cab, squashfs, ISO, CFB or brotli file"
    );
}
