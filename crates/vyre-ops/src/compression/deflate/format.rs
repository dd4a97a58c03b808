//! Constants of the Deflate format (RFC 1951), and the errors of streams.
//!
//! A stream is a list of blocks. A block begins with a bit that is set in the last one, and two bits with its type. A stored block
//! continues at the next byte with its length, the complement of its length, and its bytes. The other blocks are symbols in two
//! prefix codes. The code of literals and lengths has symbols for bytes, for the end of the block, and for ranges of lengths. The
//! code of distances follows lengths. Ranges have extra bits, which select a value.

use crate::compression::block::DescriptorErrorCodes;

/// Number of bits of the header of a block.
pub(super) const BLOCK_HEADER_BITS: u32 = 3;

// Types of blocks.
pub(super) const STORED_BLOCK: u32 = 0;
pub(super) const FIXED_BLOCK: u32 = 1;
pub(super) const DYNAMIC_BLOCK: u32 = 2;

/// Maximum length of a code word of literals, lengths and distances in bits.
pub(super) const MAX_CODE_BITS: u32 = 15;

/// Maximum length of a code word of code lengths in bits.
pub(super) const MAX_LENGTH_CODE_BITS: u32 = 7;

/// Symbol of the end of a block.
pub(super) const END_OF_BLOCK: u32 = 256;

/// Number of symbols of literals and lengths in the fixed code. The last two are invalid.
pub(super) const FIXED_LITERALS: u32 = 288;

/// Number of symbols of distances in the fixed code. The last two are invalid.
pub(super) const FIXED_DISTANCES: u32 = 32;

/// Maximum number of symbols of literals and lengths that have a meaning.
pub(super) const MAX_LITERALS: u32 = 286;

/// Maximum number of symbols of distances that have a meaning.
pub(super) const MAX_DISTANCES: u32 = 30;

/// Number of symbols of code lengths.
pub(super) const LENGTH_SYMBOLS: u32 = 19;

/// Symbols of code lengths, in the order of their lengths in the header of a block.
pub(super) const LENGTH_SYMBOL_ORDER: [u32; LENGTH_SYMBOLS as usize] =
    [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// Symbols of code lengths that are no lengths themselves.
pub(super) const REPEAT_PREVIOUS: u32 = 16;
pub(super) const REPEAT_ZERO: u32 = 17;
pub(super) const REPEAT_ZERO_LONG: u32 = 18;

/// Status codes of invalid descriptors.
pub(super) const DESCRIPTOR_ERRORS: DescriptorErrorCodes =
    DescriptorErrorCodes { input: ERROR_TRUNCATED, output: ERROR_OUTPUT_OVERFLOW };

/// Status code of a decoded stream.
pub const ERROR_NONE: u32 = 0;

/// Status code of [`DeflateError::Truncated`].
pub const ERROR_TRUNCATED: u32 = 1;

/// Status code of [`DeflateError::InvalidBlockType`].
pub const ERROR_BLOCK_TYPE: u32 = 2;

/// Status code of [`DeflateError::StoredLengthMismatch`].
pub const ERROR_STORED_LENGTH: u32 = 3;

/// Status code of [`DeflateError::InvalidCodeLengths`].
pub const ERROR_CODE_LENGTHS: u32 = 4;

/// Status code of [`DeflateError::MissingEndOfBlock`].
pub const ERROR_MISSING_END_OF_BLOCK: u32 = 5;

/// Status code of [`DeflateError::InvalidSymbol`].
pub const ERROR_INVALID_SYMBOL: u32 = 6;

/// Status code of [`DeflateError::DistanceOutOfBounds`].
pub const ERROR_DISTANCE_OOB: u32 = 7;

/// Status code of [`DeflateError::OutputOverflow`].
pub const ERROR_OUTPUT_OVERFLOW: u32 = 8;

/// Status code of [`DeflateError::TrailingBytes`].
pub const ERROR_TRAILING_BYTES: u32 = 9;

/// Error of a Deflate stream. The codes are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum DeflateError {
    /// The stream ends before its last block does, or is not within the compressed data.
    Truncated = ERROR_TRUNCATED,
    /// A block has the reserved type.
    InvalidBlockType = ERROR_BLOCK_TYPE,
    /// The length of a stored block differs from the complement of its complement.
    StoredLengthMismatch = ERROR_STORED_LENGTH,
    /// The code lengths of a dynamic block are too many, are repeated before the first or beyond the last one, or are those of no
    /// complete prefix code.
    InvalidCodeLengths = ERROR_CODE_LENGTHS,
    /// The end of a dynamic block has no code word.
    MissingEndOfBlock = ERROR_MISSING_END_OF_BLOCK,
    /// Bits are no code word, or that of a symbol without a meaning.
    InvalidSymbol = ERROR_INVALID_SYMBOL,
    /// A distance exceeds the size of the output so far.
    DistanceOutOfBounds = ERROR_DISTANCE_OOB,
    /// A literal, a match or a stored block does not fit the room for the output, or the output is misaligned or outside of the
    /// buffer.
    OutputOverflow = ERROR_OUTPUT_OVERFLOW,
    /// Bytes follow the last block.
    TrailingBytes = ERROR_TRAILING_BYTES,
}

impl DeflateError {
    /// All errors, by their codes.
    pub const ALL: [DeflateError; 9] = [
        DeflateError::Truncated,
        DeflateError::InvalidBlockType,
        DeflateError::StoredLengthMismatch,
        DeflateError::InvalidCodeLengths,
        DeflateError::MissingEndOfBlock,
        DeflateError::InvalidSymbol,
        DeflateError::DistanceOutOfBounds,
        DeflateError::OutputOverflow,
        DeflateError::TrailingBytes,
    ];

    /// Code in the status of a stream.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The error with this code.
    #[must_use]
    pub fn from_code(code: u32) -> Option<DeflateError> {
        DeflateError::ALL.into_iter().find(|error| error.code() == code)
    }
}
