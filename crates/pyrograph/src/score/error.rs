//! Errors of scores.

use std::path::PathBuf;
use std::{fmt, io};

/// Reason why there is no score.
#[derive(Debug)]
#[non_exhaustive]
pub enum ScoreError {
    /// A file or folder cannot be read.
    Read {
        /// Path.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// No file has an annotation, and no folder has a rule.
    NoAnnotations(PathBuf),
}

impl fmt::Display for ScoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScoreError::Read { path, source } => write!(f, "cannot read {path:?}: {source}"),
            ScoreError::NoAnnotations(path) => write!(f, "no source file below {path:?} has an annotation"),
        }
    }
}

impl std::error::Error for ScoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ScoreError::Read { source, .. } => Some(source),
            ScoreError::NoAnnotations(_) => None,
        }
    }
}
