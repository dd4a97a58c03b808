//! Constants of the Zstandard format (RFC 8878), and the errors of frames.

use crate::compression::block::DescriptorErrorCodes;

/// Magic number of a frame.
pub(super) const MAGIC: u32 = 0xfd2f_b528;

/// Magic number of a skippable frame, without its low four bits, which are arbitrary.
pub(super) const SKIPPABLE_MAGIC: u32 = 0x184d_2a50;

/// Maximum size of the output of a block.
pub(super) const MAX_BLOCK_BYTES: u32 = 128 << 10;

/// Maximum binary logarithm of the window, without its fraction.
pub(super) const MAX_WINDOW_LOG: u32 = 31;

/// Maximum length of a Huffman code in bits.
pub(super) const MAX_HUFFMAN_BITS: u32 = 11;

/// Status codes of invalid descriptors.
pub(super) const DESCRIPTOR_ERRORS: DescriptorErrorCodes =
    DescriptorErrorCodes { input: ERROR_CORRUPT_HEADER, output: ERROR_OUTPUT_OVERFLOW };

/// Status code of a decoded frame.
pub const ERROR_NONE: u32 = 0;

/// Status code of [`ZstdFullError::CorruptHeader`].
pub const ERROR_CORRUPT_HEADER: u32 = 1;

/// Status code of [`ZstdFullError::OutputOverflow`].
pub const ERROR_OUTPUT_OVERFLOW: u32 = 2;

/// Status code of [`ZstdFullError::InputTruncated`].
pub const ERROR_INPUT_TRUNCATED: u32 = 3;

/// Status code of [`ZstdFullError::TrailingBytes`].
pub const ERROR_TRAILING_BYTES: u32 = 4;

/// Status code of [`ZstdFullError::SkippableFrame`].
pub const ERROR_SKIPPABLE_FRAME: u32 = 5;

/// Status code of [`ZstdFullError::DictionaryRequired`].
pub const ERROR_DICTIONARY_REQUIRED: u32 = 6;

/// Status code of [`ZstdFullError::WindowTooLarge`].
pub const ERROR_WINDOW_TOO_LARGE: u32 = 7;

/// Status code of [`ZstdFullError::CorruptBlock`].
pub const ERROR_CORRUPT_BLOCK: u32 = 8;

/// Status code of [`ZstdFullError::CorruptLiterals`].
pub const ERROR_CORRUPT_LITERALS: u32 = 9;

/// Status code of [`ZstdFullError::CorruptHuffmanTree`].
pub const ERROR_CORRUPT_HUFFMAN_TREE: u32 = 10;

/// Status code of [`ZstdFullError::CorruptFseTable`].
pub const ERROR_CORRUPT_FSE_TABLE: u32 = 11;

/// Status code of [`ZstdFullError::CorruptSequences`].
pub const ERROR_CORRUPT_SEQUENCES: u32 = 12;

/// Status code of [`ZstdFullError::OffsetOutOfBounds`].
pub const ERROR_OFFSET_OOB: u32 = 13;

/// Status code of [`ZstdFullError::ContentSizeMismatch`].
pub const ERROR_CONTENT_SIZE_MISMATCH: u32 = 14;

/// Error of a Zstandard frame. The codes are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum ZstdFullError {
    /// The magic number is that of no frame, or the reserved bit of the frame header is set; or the frame is not within the
    /// compressed data.
    CorruptHeader = ERROR_CORRUPT_HEADER,
    /// The output does not fit the room for it, or is misaligned or outside of a buffer.
    OutputOverflow = ERROR_OUTPUT_OVERFLOW,
    /// The input ends within the frame.
    InputTruncated = ERROR_INPUT_TRUNCATED,
    /// Bytes follow the frame.
    TrailingBytes = ERROR_TRAILING_BYTES,
    /// The frame is a skippable frame.
    SkippableFrame = ERROR_SKIPPABLE_FRAME,
    /// The frame needs a dictionary.
    DictionaryRequired = ERROR_DICTIONARY_REQUIRED,
    /// The window is 4 GiB or larger.
    WindowTooLarge = ERROR_WINDOW_TOO_LARGE,
    /// A block has the reserved type, or its content or its output exceeds the maximum of the frame.
    CorruptBlock = ERROR_CORRUPT_BLOCK,
    /// The header or a stream of a literals section is invalid.
    CorruptLiterals = ERROR_CORRUPT_LITERALS,
    /// The description of a Huffman tree is invalid, or a code has more than 11 bits.
    CorruptHuffmanTree = ERROR_CORRUPT_HUFFMAN_TREE,
    /// The description of an FSE table of sequences is invalid.
    CorruptFseTable = ERROR_CORRUPT_FSE_TABLE,
    /// The header or the bitstream of a sequences section is invalid, or a sequence has more literals than remain.
    CorruptSequences = ERROR_CORRUPT_SEQUENCES,
    /// A match offset is 0 or exceeds the size of the output so far.
    OffsetOutOfBounds = ERROR_OFFSET_OOB,
    /// The frame header has another size than the output.
    ContentSizeMismatch = ERROR_CONTENT_SIZE_MISMATCH,
}

impl ZstdFullError {
    /// All errors, by their codes.
    pub const ALL: [ZstdFullError; 14] = [
        ZstdFullError::CorruptHeader,
        ZstdFullError::OutputOverflow,
        ZstdFullError::InputTruncated,
        ZstdFullError::TrailingBytes,
        ZstdFullError::SkippableFrame,
        ZstdFullError::DictionaryRequired,
        ZstdFullError::WindowTooLarge,
        ZstdFullError::CorruptBlock,
        ZstdFullError::CorruptLiterals,
        ZstdFullError::CorruptHuffmanTree,
        ZstdFullError::CorruptFseTable,
        ZstdFullError::CorruptSequences,
        ZstdFullError::OffsetOutOfBounds,
        ZstdFullError::ContentSizeMismatch,
    ];

    /// Code in the status of a frame.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The error with this code.
    #[must_use]
    pub fn from_code(code: u32) -> Option<ZstdFullError> {
        ZstdFullError::ALL.into_iter().find(|error| error.code() == code)
    }
}
