//! Formats whose fixtures real tools wrote. `tests/corpus/fuzz` holds them, as seeds of the fuzz targets too.

mod brotli;
mod cab;
mod disk_images;
mod mutations;
mod parts;
mod rpm;
mod sevenz;
mod windows;
mod zip_methods;

use std::path::{Path, PathBuf};

use vyre_unpack::{Limit, Limits, ProblemKind};

use crate::collect::{Collected, limited, open_with};

/// The folder of the fixtures of a format.
fn folder(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/fuzz").join(format)
}

/// A fixture.
pub(crate) fn fixture(format: &str, name: &str) -> Vec<u8> {
    let path = folder(format).join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The content of `a.txt` in all fixtures.
fn text() -> Vec<u8> {
    b"content of a file ".repeat(50)
}

/// Bytes that look like machine code: calls, jumps and conditional jumps.
fn code() -> Vec<u8> {
    let group = |i: u32| {
        let low = (i % 256) as u8;
        [
            [0xe8, low, (i / 256) as u8, 0, 0, 0x90, 0x0f, 0x84],
            [(i % 5) as u8, 0, 0, 0, 0xe9, (i % 7) as u8, 1, 0],
            [0, low, 0xeb, 0x40, 0, 0, 0x48, 0x94],
        ]
        .concat()
    };
    (0..400).flat_map(group).collect()
}

/// The bytes of a file.
fn bytes<'a>(collected: &'a Collected, path: &str) -> &'a [u8] {
    &collected.get(path).bytes
}

/// Asserts that the output of an archive counts towards the limit of the whole.
fn assert_limited(name: &str, archive: Vec<u8>) {
    let (collected, result) = open_with(name, archive, limited(Limits::default().with_total(300)));
    let is_total = |kind: &ProblemKind| matches!(kind, ProblemKind::Limit(exceeded) if exceeded.limit == Limit::Total);
    let is_marked = collected.entries.iter().flat_map(|entry| &entry.problems).any(|problem| is_total(&problem.kind));
    assert!(result.is_err() || is_marked, "{name}: {result:?}");
    let output: usize = collected.entries.iter().map(|entry| entry.bytes.len()).sum();
    assert!(output <= 300, "{name}: {output}");
}
