//! Why an archive cannot be opened at all, or not to its end.

use std::fmt;

use super::limits::LimitExceeded;
use super::problem::Problem;

/// Why work on an archive ended before the end of the archive. What is wrong with single entries is a [`Problem`] of theirs.
#[derive(Debug)]
#[non_exhaustive]
pub enum DecompressError {
    /// The bytes are no archive and no compressed stream that is known.
    UnknownFormat,
    /// The outermost archive cannot be read at all.
    Archive {
        /// What it is: `zip`, `tar`, ...
        format: &'static str,
        /// What is wrong.
        problem: Problem,
    },
    /// A limit of the whole is used up.
    Limit(LimitExceeded),
    /// The device failed.
    Device(vyre_runtime::Error),
    /// The receiver of entries failed.
    Receiver(Box<dyn std::error::Error + Send + Sync>),
    /// Somebody cancelled the work.
    Cancelled,
}

impl fmt::Display for DecompressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecompressError::UnknownFormat => {
                f.write_str("this is no zip, tar, gzip, zstd, LZ4, xz, bzip2 or ASAR file")
            }
            DecompressError::Archive { format, problem } => write!(f, "the {format} archive cannot be read: {problem}"),
            DecompressError::Limit(exceeded) => write!(f, "stopped at a limit: {exceeded}"),
            DecompressError::Device(error) => write!(f, "the device failed: {error}"),
            DecompressError::Receiver(error) => error.fmt(f),
            DecompressError::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for DecompressError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DecompressError::Limit(exceeded) => Some(exceeded),
            DecompressError::Device(error) => Some(error),
            DecompressError::Receiver(error) => error.source(),
            DecompressError::UnknownFormat | DecompressError::Archive { .. } | DecompressError::Cancelled => None,
        }
    }
}

impl From<LimitExceeded> for DecompressError {
    fn from(exceeded: LimitExceeded) -> DecompressError {
        DecompressError::Limit(exceeded)
    }
}

impl From<vyre_runtime::Error> for DecompressError {
    fn from(error: vyre_runtime::Error) -> DecompressError {
        DecompressError::Device(error)
    }
}
