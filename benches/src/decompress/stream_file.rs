//! The text as one compressed stream, as people compress files.

use std::fs;
use std::path::{Path, PathBuf};

use lzzzz::lz4f::{self, BlockMode, BlockSize, ContentChecksum, PreferencesBuilder};

use super::error::Error;
use super::extraction::ArchiveForm;

/// A compressed file, and what it is.
#[derive(Clone, Debug)]
pub struct StreamFile {
    /// What it is.
    pub form: ArchiveForm,
    /// Where it is.
    pub path: PathBuf,
    /// The name in reports.
    pub name: &'static str,
}

impl StreamFile {
    /// Writes the text as gzip of level 6, as zstd of level 3, and as LZ4 of blocks of 64 KiB that do not refer to each other.
    ///
    /// # Errors
    ///
    /// A compressor fails, or a file cannot be written.
    pub fn write_all(text: &[u8], folder: &Path) -> Result<Vec<StreamFile>, Error> {
        let all = [
            ("text.gz", ArchiveForm::Gzip, "gzip, level 6", gzip(text)),
            ("text.zst", ArchiveForm::Zstd, "zstd, level 3", zstd(text)),
            ("text.lz4", ArchiveForm::Lz4, "LZ4, independent blocks", lz4(text)),
        ];
        let mut files = Vec::new();
        for (file, form, name, compressed) in all {
            let path = folder.join(file);
            let compressed = compressed.map_err(|what| Error::Wrong { who: name.to_owned(), what })?;
            fs::write(&path, compressed).map_err(Error::of(&path))?;
            files.push(StreamFile { form, path, name });
        }
        Ok(files)
    }
}

fn gzip(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut compressed = vec![0; compressor.gzip_compress_bound(text.len())];
    let size = compressor.gzip_compress(text, &mut compressed).map_err(|error| error.to_string())?;
    compressed.truncate(size);
    Ok(compressed)
}

fn zstd(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut compressed = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
    zstd_safe::compress(&mut compressed, text, 3).map_err(|code| zstd_safe::get_error_name(code).to_owned())?;
    Ok(compressed)
}

/// An LZ4 frame of independent blocks of 64 KiB, with a checksum.
pub(super) fn lz4(text: &[u8]) -> Result<Vec<u8>, String> {
    let preferences = PreferencesBuilder::new()
        .block_size(BlockSize::Max64KB)
        .block_mode(BlockMode::Independent)
        .content_checksum(ContentChecksum::Enabled)
        .build();
    let mut compressed = Vec::new();
    lz4f::compress_to_vec(text, &mut compressed, &preferences).map_err(|error| error.to_string())?;
    Ok(compressed)
}
