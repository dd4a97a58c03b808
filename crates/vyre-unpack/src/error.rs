//! Errors that end an unpack call.

use std::collections::TryReserveError;
use std::path::PathBuf;
use std::{fmt, io};

use crate::entry::EntryPath;
use crate::formats::enumerate_titles;
use crate::limits::LimitExceeded;
use crate::problem::Problem;

/// Error that ends an unpack call. Problems of single entries are [`Problem`] values of the entries instead.
#[derive(Debug)]
#[non_exhaustive]
pub enum DecompressError {
    /// The file of the archive cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The bytes are of no known format.
    UnknownFormat,
    /// The bytes are of a known format that is not supported.
    Unsupported {
        /// The format with its noun: `7z archive`, ...
        format: &'static str,
    },
    /// The outermost archive cannot be read at all.
    Archive {
        /// Format of the archive: `zip`, `tar`, ...
        format: &'static str,
        /// The problem that prevents it.
        problem: Problem,
    },
    /// Readers disagree on an archive, and [`Options::strict`](crate::Options::strict) refuses it.
    Readings {
        /// Path of the archive; empty for the outermost one.
        path: EntryPath,
        /// Format of the archive: `zip`, `tar`, ...
        format: &'static str,
        /// The first disagreement.
        problem: Problem,
    },
    /// A limit on the whole is exhausted.
    Limit(LimitExceeded),
    /// The system refuses the memory for a table of entries.
    OutOfMemory,
    /// The device failed.
    Device(vyre_runtime::Error),
    /// The device has no memory for the content of an entry.
    Upload {
        /// The entry.
        path: EntryPath,
        /// Size of the content.
        bytes: u64,
        /// The refusal, with the limit of the device where it is known.
        source: vyre_runtime::Error,
    },
    /// The receiver of entries failed.
    Receiver(Box<dyn std::error::Error + Send + Sync>),
    /// The call was cancelled.
    Cancelled,
}

impl fmt::Display for DecompressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecompressError::Read { path, source } => write!(f, "cannot read {path:?}: {source}"),
            DecompressError::UnknownFormat => {
                write!(f, "this is no {} file", enumerate_titles())
            }
            DecompressError::Unsupported { format } => write!(f, "not supported: {format}"),
            DecompressError::Archive { format, problem } => write!(f, "the {format} archive cannot be read: {problem}"),
            DecompressError::Readings { path, format, problem } if path.names.is_empty() => {
                write!(f, "readers of the {format} archive disagree: {problem}")
            }
            DecompressError::Readings { path, format, problem } => {
                let path = path.display();
                write!(f, "readers of the {format} archive {} disagree: {problem}", path.escape_debug())
            }
            DecompressError::Limit(exceeded) => write!(f, "stopped at a limit: {exceeded}"),
            DecompressError::OutOfMemory => f.write_str("the system refuses the memory for the table of entries"),
            DecompressError::Device(error) => write!(f, "the device failed: {error}"),
            DecompressError::Upload { path, bytes, source } => {
                let path = path.display();
                write!(f, "the device has no memory for the {bytes} bytes of {}: {source}", path.escape_debug())
            }
            DecompressError::Receiver(error) => error.fmt(f),
            DecompressError::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for DecompressError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DecompressError::Read { source, .. } => Some(source),
            DecompressError::Limit(exceeded) => Some(exceeded),
            DecompressError::Device(error) | DecompressError::Upload { source: error, .. } => Some(error),
            DecompressError::Receiver(error) => error.source(),
            DecompressError::UnknownFormat
            | DecompressError::Unsupported { .. }
            | DecompressError::Archive { .. }
            | DecompressError::Readings { .. }
            | DecompressError::OutOfMemory
            | DecompressError::Cancelled => None,
        }
    }
}

impl From<LimitExceeded> for DecompressError {
    fn from(exceeded: LimitExceeded) -> DecompressError {
        DecompressError::Limit(exceeded)
    }
}

impl From<TryReserveError> for DecompressError {
    fn from(_: TryReserveError) -> DecompressError {
        DecompressError::OutOfMemory
    }
}

impl From<vyre_runtime::Error> for DecompressError {
    fn from(error: vyre_runtime::Error) -> DecompressError {
        DecompressError::Device(error)
    }
}
