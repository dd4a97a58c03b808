//! A receiver that collects entries, and sample data.

use bytes::Bytes;
use vyre_unpack::{
    DecompressError, Entry, EntryKind, Limits, Options, Problem, ProblemKind, Receiver, Summary, Unpacker,
};

/// All entries in the order of emission.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) entries: Vec<Entry>,
    pub(crate) batches: usize,
}

impl Receiver for Collected {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        assert!(!entries.is_empty());
        self.entries.extend(entries);
        self.batches += 1;
        Ok(())
    }
}

impl Collected {
    /// Display paths in order.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.path.display()).collect()
    }

    /// The entry at this path.
    pub(crate) fn get(&self, path: &str) -> &Entry {
        let found: Vec<&Entry> = self.entries.iter().filter(|entry| entry.path.display() == path).collect();
        assert_eq!(found.len(), 1, "{path} among {:?}", self.paths());
        found[0]
    }

    /// Files that are not opened archives, with their bytes.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let files = self.entries.iter().filter(|entry| entry.kind == EntryKind::File && !entry.is_opened);
        files.map(|entry| (entry.path.display(), entry.bytes.to_vec())).collect()
    }
}

/// Unpacks an archive on the host.
pub(crate) fn open_with(
    name: &str,
    archive: Vec<u8>,
    options: Options,
) -> (Collected, Result<Summary, DecompressError>) {
    let mut collected = Collected::default();
    let result = Unpacker::on_host(options).unpack(name.as_bytes(), Bytes::from(archive), &mut collected);
    (collected, result)
}

/// Unpacks an archive without error.
pub(crate) fn open(name: &str, archive: Vec<u8>) -> (Collected, Summary) {
    let (collected, result) = open_with(name, archive, Options::default());
    (collected, result.unwrap())
}

/// Unpacks an archive without problems.
pub(crate) fn open_clean(name: &str, archive: Vec<u8>) -> Collected {
    let (collected, summary) = open(name, archive);
    for entry in &collected.entries {
        assert!(entry.problems.is_empty(), "{}: {:?}", entry.path.display(), entry.problems);
    }
    assert!(summary.is_clean(), "{:?}", summary.problems);
    assert_eq!(summary.entries, collected.entries.len() as u64);
    collected
}

/// Options with these limits.
pub(crate) fn limited(limits: Limits) -> Options {
    Options::default().with_limits(limits)
}

/// The kinds of problems.
pub(crate) fn kinds(problems: &[Problem]) -> Vec<&ProblemKind> {
    problems.iter().map(|problem| &problem.kind).collect()
}

/// Incompressible bytes, the same on every call.
pub(crate) fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2) + 1;
    let step = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(step).collect()
}

/// Compressible bytes.
pub(crate) fn text(length: usize) -> Vec<u8> {
    b"All happy families are alike; each unhappy family is unhappy in its own way. "
        .iter()
        .copied()
        .cycle()
        .take(length)
        .collect()
}

/// A gzip stream.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A raw Deflate stream.
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
