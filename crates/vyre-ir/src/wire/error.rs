//! What can be wrong with wire bytes.

use std::fmt;

/// Bytes that are no program: what was wrong and at which byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireError {
    /// What was wrong.
    pub kind: WireErrorKind,
    /// The offset of the byte at which it was seen.
    pub offset: usize,
}

/// The kind of a [`WireError`]; always a fault of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// The bytes do not begin with `VIR0`.
    BadMagic,
    /// A version that this library does not read.
    UnsupportedVersion(u16),
    /// The bytes end inside of the program.
    UnexpectedEnd,
    /// A number of more than 32 bits, or with superfluous bytes.
    BadNumber,
    /// A count or length that exceeds the bytes that are left.
    TooLong {
        /// The count.
        count: u32,
        /// The bytes that are left.
        left: usize,
    },
    /// A name that is not UTF-8.
    BadName,
    /// A name that is spelled out although it was used before.
    RepeatedName,
    /// A number of a name that has not been used before.
    UnknownName(u32),
    /// A byte that is no code of what belongs here.
    UnknownCode {
        /// What belongs here.
        what: &'static str,
        /// The byte.
        code: u8,
    },
    /// An expression or statement that needs more operands than there are.
    MissingOperand,
    /// A statement that leaves operands behind.
    SuperfluousOperand,
    /// Bytes after the end of the program.
    TrailingBytes(usize),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.kind)
    }
}

impl fmt::Display for WireErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireErrorKind::BadMagic => write!(f, "no wire file, which would begin with `VIR0`"),
            WireErrorKind::UnsupportedVersion(version) => {
                write!(f, "version {version} of the wire format; this build reads version {}", super::VERSION)
            }
            WireErrorKind::UnexpectedEnd => write!(f, "the file ends inside of the program"),
            WireErrorKind::BadNumber => write!(f, "malformed number"),
            WireErrorKind::TooLong { count, left } => write!(f, "a count of {count}, but only {left} bytes are left"),
            WireErrorKind::BadName => write!(f, "a name that is not UTF-8"),
            WireErrorKind::RepeatedName => write!(f, "a name is spelled out for the second time"),
            WireErrorKind::UnknownName(index) => write!(f, "name {index} has not been used before"),
            WireErrorKind::UnknownCode { what, code } => write!(f, "{code:#04x} is no code of {what}"),
            WireErrorKind::MissingOperand => write!(f, "an operand is missing"),
            WireErrorKind::SuperfluousOperand => write!(f, "an operand is left over"),
            WireErrorKind::TrailingBytes(count) => write!(f, "{count} bytes after the end of the program"),
        }
    }
}

impl std::error::Error for WireError {}
