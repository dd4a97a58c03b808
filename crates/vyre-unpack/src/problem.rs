//! What is wrong with an entry.

use std::fmt;

use super::limits::LimitExceeded;

/// What is wrong with an entry or a stream, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, in bytes from the start of the archive or stream that holds the entry.
    pub offset: u64,
    /// What.
    pub kind: ProblemKind,
}

/// The kinds of problems.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The data end too early.
    Truncated {
        /// What is cut off: `data of the entry`, `LZ4 frame header`, ...
        what: &'static str,
    },
    /// The data are not what the format allows.
    Corrupt {
        /// What is wrong, as a clause: `the LZ4 block has a match offset beyond its history`, ...
        what: &'static str,
    },
    /// A checksum differs.
    Checksum {
        /// Which: `CRC-32`, `XXH32 of the content`, ...
        what: &'static str,
        /// The one that the archive has.
        expected: u64,
        /// The one of the bytes.
        found: u64,
    },
    /// The output has another size than the archive says.
    Size {
        /// The size that the archive says.
        expected: u64,
        /// The size there is.
        found: u64,
    },
    /// There is something after the end.
    TrailingGarbage {
        /// How many bytes.
        bytes: u64,
    },
    /// The format allows it, but it cannot be opened: encryption, unknown methods, sparse files, ...
    Unsupported {
        /// What.
        what: String,
    },
    /// A limit forbids it.
    Limit(LimitExceeded),
}

impl Problem {
    /// A problem at this place.
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
                write!(f, "{found} bytes, and {expected} according to the archive")
            }
            ProblemKind::TrailingGarbage { bytes } => write!(f, "{bytes} bytes after the end that are nothing known"),
            ProblemKind::Unsupported { what } => write!(f, "not supported: {what}"),
            ProblemKind::Limit(exceeded) => exceeded.fmt(f),
        }
    }
}
