//! The text as one compressed file, as people compress files.

use std::fs;
use std::path::{Path, PathBuf};

use super::compressors::{gzip_file, lz4_frame, zstd_frame};
use super::extraction::ArchiveForm;
use crate::error::Error;

/// Compressed file.
#[derive(Clone, Debug)]
pub struct StreamFile {
    /// Form of the file.
    pub form: ArchiveForm,
    /// Path of the file.
    pub path: PathBuf,
    /// Name in reports.
    pub name: &'static str,
}

impl StreamFile {
    /// Writes the text as gzip of level 6, as zstd of level 3, and as LZ4 of independent blocks of 64 KiB.
    ///
    /// # Errors
    ///
    /// A compressor fails, or a file cannot be written.
    pub fn write_all(text: &[u8], folder: &Path) -> Result<Vec<StreamFile>, Error> {
        let all = [
            ("text.gz", ArchiveForm::Gzip, "gzip, level 6", gzip_file(text)),
            ("text.zst", ArchiveForm::Zstd, "zstd, level 3", zstd_frame(text, false)),
            ("text.lz4", ArchiveForm::Lz4, "LZ4, independent blocks", lz4_frame(text)),
        ];
        let mut files = Vec::new();
        for (file, form, name, compressed) in all {
            let path = folder.join(file);
            let failed = |message| Error::WrongResult { contender: name.to_owned(), message };
            fs::write(&path, compressed.map_err(failed)?).map_err(Error::of_file(&path))?;
            files.push(StreamFile { form, path, name });
        }
        Ok(files)
    }
}
