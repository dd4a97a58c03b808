//! Errors of readers.

use std::fmt;

/// Text that is no lock file, SBOM, advisory or selector of packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageError {
    message: String,
}

impl PackageError {
    pub(crate) fn new(message: impl Into<String>) -> PackageError {
        PackageError { message: message.into() }
    }
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PackageError {}
