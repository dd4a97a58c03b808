//! Archives for the routes of the engine, generated in memory from the text.

use bytes::Bytes;
use rayon::prelude::*;
use vyre_unpack::Entry;

use super::blocks::BLOCK_BYTES;
use super::compressors::{lz4_frame, zstd_frame};
use super::zip_file::zip_file;
use crate::error::Error;

/// Minimum size of an entry of a zip file, and binary logarithm of the ratio of the maximum to it.
const MIN_ENTRY_BYTES: f64 = 512.0;
const ENTRY_SIZE_DOUBLINGS: f64 = 8.0;

/// Archive with its expected content.
#[derive(Clone, Debug)]
pub struct RouteFile {
    /// File name.
    pub name: String,
    /// The archive.
    pub archive: Bytes,
    /// Contents of all entries, in their order; parts that follow each other make up an entry of a stream.
    parts: Vec<Bytes>,
    /// True if all parts together are the content of one entry.
    is_stream: bool,
}

impl RouteFile {
    /// LZ4 frame of independent blocks of 64 KiB, with a checksum of its content.
    ///
    /// # Errors
    ///
    /// The compressor fails.
    pub fn lz4(text: &[u8], blocks: usize) -> Result<RouteFile, Error> {
        let content: Vec<u8> = text.iter().copied().cycle().take(blocks * BLOCK_BYTES).collect();
        let archive = lz4_frame(&content).map_err(|message| failed("liblz4", message))?.into();
        Ok(RouteFile { name: "text.lz4".to_owned(), archive, parts: vec![content.into()], is_stream: true })
    }

    /// zstd file of frames of 64 KiB, each with its size and a checksum, as parallel compressors make them. Frames repeat after the
    /// whole text.
    ///
    /// # Errors
    ///
    /// The compressor fails.
    pub fn zstd(text: &[u8], frames: usize) -> Result<RouteFile, Error> {
        let whole = Bytes::copy_from_slice(text);
        let distinct: Vec<Bytes> = (0..text.len())
            .step_by(BLOCK_BYTES)
            .map(|begin| whole.slice(begin..text.len().min(begin + BLOCK_BYTES)))
            .collect();
        let compressed: Result<Vec<_>, _> = distinct.par_iter().map(|part| zstd_frame(part, true)).collect();
        let compressed = compressed.map_err(|message| failed("libzstd", message))?;
        let archive: Vec<u8> = compressed.iter().cycle().take(frames).flatten().copied().collect();
        let parts = distinct.into_iter().cycle().take(frames).collect();
        Ok(RouteFile { name: "text.zst".to_owned(), archive: archive.into(), parts, is_stream: true })
    }

    /// Zip file of entries that are compressed by deflate, with sizes from 512 bytes to 128 KiB whose logarithms are evenly
    /// distributed.
    ///
    /// # Errors
    ///
    /// The compressor fails.
    pub fn zip(text: &[u8], entries: usize) -> Result<RouteFile, Error> {
        let sizes: Vec<usize> = (0..entries)
            .map(|entry| {
                // Multiples of the golden ratio modulo 1 are evenly distributed, and neighbours differ.
                let position = (entry as f64 * 0.618_033_988_749_895).fract();
                (MIN_ENTRY_BYTES * (position * ENTRY_SIZE_DOUBLINGS).exp2()) as usize
            })
            .collect();
        let content: Vec<u8> = text.iter().copied().cycle().take(sizes.iter().sum()).collect();
        let mut rest = Bytes::from(content);
        let parts: Vec<Bytes> = sizes.into_iter().map(|size| rest.split_to(size)).collect();
        let archive = zip_file(&parts).map_err(|message| failed("zlib-rs", message))?.into();
        Ok(RouteFile { name: "text.zip".to_owned(), archive, parts, is_stream: false })
    }

    /// Bytes of all entries.
    #[must_use]
    pub fn content_bytes(&self) -> usize {
        self.parts.iter().map(Bytes::len).sum()
    }

    /// Verifies the entries that an unpacker found.
    pub(super) fn verify(&self, entries: &[Entry]) -> Result<(), String> {
        if self.is_stream {
            let [entry] = entries else { return Err(format!("{} entries instead of 1", entries.len())) };
            if entry.bytes.len() != self.content_bytes() {
                return Err(format!("{} bytes instead of {}", entry.bytes.len(), self.content_bytes()));
            }
            let mut rest = &entry.bytes[..];
            let is_right = |part: &Bytes| rest.split_off(..part.len()).is_some_and(|found| found == part);
            return match self.parts.iter().all(is_right) {
                true => Ok(()),
                false => Err("the text differs".to_owned()),
            };
        }
        if entries.len() != self.parts.len() {
            return Err(format!("{} entries instead of {}", entries.len(), self.parts.len()));
        }
        match entries.iter().zip(&self.parts).position(|(entry, part)| entry.bytes != part) {
            None => Ok(()),
            Some(at) => Err(format!("the text of entry {at} differs")),
        }
    }

    #[cfg(test)]
    pub(super) fn replace_first_part(&mut self, part: Bytes) {
        self.parts[0] = part;
    }
}

fn failed(compressor: &str, message: String) -> Error {
    Error::WrongResult { contender: compressor.to_owned(), message }
}
