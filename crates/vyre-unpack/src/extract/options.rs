//! Options and errors of extraction.

use std::path::PathBuf;
use std::{fmt, io};

use crate::error::DecompressError;
use crate::limits::Limits;

/// Options of extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractOptions {
    /// True to replace files that existed before. Directories are never replaced, nor are files of the same archive.
    pub overwrite: bool,
    /// Maximum number of directories that are created, implied ones included: a path has up to 128.
    pub max_directories: u64,
}

impl Default for ExtractOptions {
    fn default() -> ExtractOptions {
        ExtractOptions { overwrite: false, max_directories: Limits::default().entries }
    }
}

impl ExtractOptions {
    /// Sets whether files that existed before are replaced.
    #[must_use]
    pub fn with_overwrite(self, overwrite: bool) -> ExtractOptions {
        ExtractOptions { overwrite, ..self }
    }

    /// Sets the maximum number of directories that are created.
    #[must_use]
    pub fn with_max_directories(self, max_directories: u64) -> ExtractOptions {
        ExtractOptions { max_directories, ..self }
    }
}

/// A failure of the file system, which ends extraction.
#[derive(Debug)]
pub struct ExtractError {
    /// The path that could not be written.
    pub path: PathBuf,
    /// The error of the file system.
    pub source: io::Error,
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {:?}: {}", self.path, self.source)
    }
}

impl std::error::Error for ExtractError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl From<ExtractError> for DecompressError {
    fn from(error: ExtractError) -> DecompressError {
        DecompressError::Receiver(Box::new(error))
    }
}
