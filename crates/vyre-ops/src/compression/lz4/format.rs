//! Constants of the LZ4 block format, and the errors of blocks.
//!
//! A block is a list of sequences: a token, literals, and a match. The high nibble of the token is the number of literals, the low
//! nibble the length of the match less [`MIN_MATCH_BYTES`]. A nibble of [`EXTENDED_LENGTH`] is followed by length bytes, which are
//! added to it. The last sequence has no match.

use crate::compression::block::DescriptorErrorCodes;

/// Nibble of a length that continues in length bytes.
pub(super) const EXTENDED_LENGTH: u32 = 15;

/// Length byte that another one follows.
pub(super) const NEXT_LENGTH_BYTE: u32 = 255;

/// Minimum length of a match.
pub(super) const MIN_MATCH_BYTES: u32 = 4;

/// Status codes of invalid descriptors.
pub(super) const DESCRIPTOR_ERRORS: DescriptorErrorCodes =
    DescriptorErrorCodes { input: ERROR_CORRUPT_TOKEN, output: ERROR_OUTPUT_OVERFLOW };

/// Status code of a decoded block.
pub const ERROR_NONE: u32 = 0;

/// Status code of [`Lz4Error::CorruptToken`].
pub const ERROR_CORRUPT_TOKEN: u32 = 1;

/// Status code of [`Lz4Error::OffsetOutOfBounds`].
pub const ERROR_OFFSET_OOB: u32 = 2;

/// Status code of [`Lz4Error::OutputOverflow`].
pub const ERROR_OUTPUT_OVERFLOW: u32 = 3;

/// Status code of [`Lz4Error::LiteralOverflow`].
pub const ERROR_LITERAL_OVERFLOW: u32 = 4;

/// Status code of [`Lz4Error::MatchOverflow`].
pub const ERROR_MATCH_OVERFLOW: u32 = 5;

/// Error of an LZ4 block. The codes are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Lz4Error {
    /// Length bytes or the match offset are truncated, or the block is not within the compressed data.
    CorruptToken = ERROR_CORRUPT_TOKEN,
    /// A match offset is 0 or exceeds the size of the output so far.
    OffsetOutOfBounds = ERROR_OFFSET_OOB,
    /// Literals do not fit the room for the output, or the output is misaligned or outside of the buffer.
    OutputOverflow = ERROR_OUTPUT_OVERFLOW,
    /// Literals go beyond the end of the block.
    LiteralOverflow = ERROR_LITERAL_OVERFLOW,
    /// A match does not fit the room for the output.
    MatchOverflow = ERROR_MATCH_OVERFLOW,
}

impl Lz4Error {
    /// All errors, by their codes.
    pub const ALL: [Lz4Error; 5] = [
        Lz4Error::CorruptToken,
        Lz4Error::OffsetOutOfBounds,
        Lz4Error::OutputOverflow,
        Lz4Error::LiteralOverflow,
        Lz4Error::MatchOverflow,
    ];

    /// Code in the status of a block.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The error with this code.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Lz4Error> {
        Lz4Error::ALL.into_iter().find(|error| error.code() == code)
    }
}
