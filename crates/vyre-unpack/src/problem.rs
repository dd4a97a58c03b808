//! Problems of entries and containers.

use std::{fmt, io};

use vyre_ir::spelling::counted;

use crate::limits::LimitExceeded;

/// A problem of an entry or container, with its offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Offset in bytes from the start of the container that holds the entry.
    pub offset: u64,
    /// Kind of the problem.
    pub kind: ProblemKind,
}

/// Kinds of problems.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The data end too early.
    Truncated {
        /// The truncated part: `data of the entry`, `LZ4 frame header`, ...
        what: &'static str,
    },
    /// The data violate the format.
    Corrupt {
        /// The violation as a clause: `the LZ4 block has a match offset beyond its history`, ...
        what: &'static str,
    },
    /// A checksum differs.
    Checksum {
        /// Name of the checksum: `CRC-32`, `XXH32 of the content`, ...
        what: &'static str,
        /// The checksum stored in the archive.
        expected: u64,
        /// The checksum of the bytes.
        found: u64,
    },
    /// The output differs in size from what the archive states.
    Size {
        /// The size stated by the archive.
        expected: u64,
        /// The actual size.
        found: u64,
    },
    /// Unknown bytes follow the end.
    TrailingGarbage {
        /// Number of bytes.
        bytes: u64,
    },
    /// The format allows it, but the decoder lacks it: encryption, unknown methods, sparse files, ...
    Unsupported {
        /// Name of the feature.
        what: String,
    },
    /// Readers of the format disagree on it, so that an archive can show one content to a scanner and another one to an
    /// installer. All readings are unpacked.
    Readings {
        /// Which readers see what, as a clause.
        what: String,
    },
    /// A limit forbids it.
    Limit(LimitExceeded),
    /// The system refuses the memory for the output, or for a table of entries.
    OutOfMemory {
        /// Size of the output or table in bytes.
        bytes: u64,
    },
    /// The system refuses the temporary file for the output, which is too large for memory.
    OutOfStorage {
        /// Size of the output in bytes.
        bytes: u64,
        /// The error of the system.
        error: io::ErrorKind,
    },
}

impl From<LimitExceeded> for ProblemKind {
    fn from(exceeded: LimitExceeded) -> ProblemKind {
        ProblemKind::Limit(exceeded)
    }
}

impl ProblemKind {
    /// True if the output is missing because of a limit or of the machine, and not because of damage.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, ProblemKind::Limit(_) | ProblemKind::OutOfMemory { .. } | ProblemKind::OutOfStorage { .. })
    }
}

impl Problem {
    /// Creates a problem at this offset.
    #[must_use]
    pub fn new(offset: u64, kind: ProblemKind) -> Problem {
        Problem { offset, kind }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.kind)
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::Truncated { what } => write!(f, "the {what} is cut off"),
            ProblemKind::Corrupt { what } => f.write_str(what),
            ProblemKind::Checksum { what, expected, found } => {
                write!(f, "the {what} is {found:08x}, and {expected:08x} in the archive")
            }
            ProblemKind::Size { expected, found } => {
                write!(f, "{}, and {expected} according to the archive", counted(*found, "byte"))
            }
            ProblemKind::TrailingGarbage { bytes: 1 } => write!(f, "1 byte after the end that is nothing known"),
            ProblemKind::TrailingGarbage { bytes } => write!(f, "{bytes} bytes after the end that are nothing known"),
            ProblemKind::Unsupported { what } => write!(f, "not supported: {what}"),
            ProblemKind::Readings { what } => f.write_str(what),
            ProblemKind::Limit(exceeded) => exceeded.fmt(f),
            ProblemKind::OutOfMemory { bytes } => {
                write!(f, "the system refuses {} of memory", counted(*bytes, "byte"))
            }
            ProblemKind::OutOfStorage { bytes, error } => {
                let bytes = counted(*bytes, "byte");
                write!(f, "the system refuses a temporary file for {bytes} of output: {error}; see TMPDIR")
            }
        }
    }
}
