//! The text of the benchmarks: Rust source of crates that are fixed by name, version and checksum.

use std::fs::File;
use std::io::{BufReader, Read};

use flate2::bufread::GzDecoder;
use tar::Archive;
use xxhash_rust::xxh3::xxh3_64;

use super::package::Package;
use crate::error::Error;

/// Bytes of the text.
pub const TEXT_BYTES: usize = 24 << 20;

/// XXH3 of the text.
pub const TEXT_FINGERPRINT: u64 = 0xc5c8_161d_6f8b_afa2;

/// Files of at least this size are left out.
const LARGE_FILE_BYTES: u64 = 2_000_000;

/// Reads the text: all `.rs` files of the crates, concatenated in the order of their paths and truncated to [`TEXT_BYTES`].
///
/// # Errors
///
/// A crate is missing or cannot be read, or the text is not that of the benchmarks.
pub fn text() -> Result<Vec<u8>, Error> {
    let mut files = Vec::new();
    for package in Package::all().iter().filter(|package| package.is_in_corpus) {
        read_sources(package, &mut files)?;
    }
    files.sort();
    let mut text: Vec<u8> = files.into_iter().flat_map(|(_, content)| content).collect();
    text.truncate(TEXT_BYTES);
    check(&text)?;
    Ok(text)
}

/// Verifies that a text is that of the benchmarks.
///
/// # Errors
///
/// The text has another fingerprint.
pub(super) fn check(text: &[u8]) -> Result<(), Error> {
    match xxh3_64(text) {
        TEXT_FINGERPRINT => Ok(()),
        fingerprint => Err(Error::UnexpectedText { fingerprint }),
    }
}

/// Appends the paths and contents of the sources of a crate.
fn read_sources(package: &Package, files: &mut Vec<(Vec<u8>, Vec<u8>)>) -> Result<(), Error> {
    let path = package.path()?;
    let file = File::open(&path).map_err(Error::of_file(&path))?;
    let mut archive = Archive::new(GzDecoder::new(BufReader::new(file)));
    for entry in archive.entries().map_err(Error::of_file(&path))? {
        let mut entry = entry.map_err(Error::of_file(&path))?;
        let name = entry.path_bytes().into_owned();
        let size = entry.size();
        if entry.header().entry_type().is_file() && name.ends_with(b".rs") && size < LARGE_FILE_BYTES {
            let mut content = Vec::new();
            entry.read_to_end(&mut content).map_err(Error::of_file(&path))?;
            files.push((name, content));
        }
    }
    Ok(())
}
