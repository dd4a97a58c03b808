//! Errors of the wire format.

use std::fmt;

use crate::Diagnostic;
use crate::spelling::{agreeing, counted};

/// An error of decoding and its offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireError {
    /// Kind of the error.
    pub kind: WireErrorKind,
    /// Offset of the item that causes the error.
    pub offset: usize,
}

/// Kind of a [`WireError`]. The cause is always the input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// The bytes do not begin with `VIR0`.
    BadMagic,
    /// A version that this library does not read.
    UnsupportedVersion(u16),
    /// The input ends before the program does.
    UnexpectedEnd,
    /// A number of more than 32 bits, or with superfluous bytes.
    BadNumber,
    /// A count or length that exceeds the remaining bytes.
    TooLong {
        /// The count.
        count: u32,
        /// Number of remaining bytes.
        left: usize,
    },
    /// A name that is not UTF-8.
    BadName,
    /// A second definition of a name.
    RepeatedName,
    /// A reference to a name that is not defined.
    UnknownName(u32),
    /// A byte that is not a code of the expected kind.
    UnknownCode {
        /// Expected kind.
        what: &'static str,
        /// The byte.
        code: u8,
    },
    /// An expression or statement with too few operands.
    MissingOperand,
    /// A statement that does not consume all operands.
    SuperfluousOperand,
    /// Bytes after the end of the program.
    TrailingBytes(usize),
    /// A program that exceeds a limit of [`SizeLimits`](crate::SizeLimits). The diagnostic has no span.
    LimitExceeded(Box<Diagnostic>),
    /// A file of 4 GiB or more.
    TooLarge,
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
            WireErrorKind::TooLong { count, left } => {
                let verb = agreeing(left, "is", "are");
                write!(f, "a count of {count}, but only {} {verb} left", counted(left, "byte"))
            }
            WireErrorKind::BadName => write!(f, "a name that is not UTF-8"),
            WireErrorKind::RepeatedName => write!(f, "a name is spelled out for the second time"),
            WireErrorKind::UnknownName(index) => write!(f, "name {index} has not been used before"),
            WireErrorKind::UnknownCode { what, code } => write!(f, "{code:#04x} is no code of {what}"),
            WireErrorKind::MissingOperand => write!(f, "an operand is missing"),
            WireErrorKind::SuperfluousOperand => write!(f, "an operand is left over"),
            WireErrorKind::LimitExceeded(diagnostic) => write!(f, "{diagnostic}"),
            WireErrorKind::TooLarge => write!(f, "a file of 4 GiB or more"),
            WireErrorKind::TrailingBytes(count) => write!(f, "{} after the end of the program", counted(count, "byte")),
        }
    }
}

impl std::error::Error for WireError {}
