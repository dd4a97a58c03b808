//! Conversions between the text format and the wire format that build no tree.
//!
//! A tree takes up to 150 bytes for each node, and a file of 32 MiB can have 32 million nodes. These functions pass postfix
//! code from the reader to the writer, 12 bytes for each node, and give the same results as reading a program and writing
//! it.

use std::fmt;

use crate::size_limits::SizeLimits;
use crate::text::{ParseErrors, format_within, parse_to_code, print_code};
use crate::wire::{self, WireError};

/// Error of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvertError {
    /// The text has syntax errors.
    Syntax(ParseErrors),
    /// The bytes are no program.
    Wire(WireError),
    /// The text would take more bytes than the limit.
    TooLarge {
        /// The limit.
        max_bytes: u64,
    },
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Syntax(errors) => write!(f, "{errors}"),
            ConvertError::Wire(error) => write!(f, "{error}"),
            ConvertError::TooLarge { max_bytes } => {
                write!(f, "the text would take more than {max_bytes} bytes")
            }
        }
    }
}

impl std::error::Error for ConvertError {}

impl From<ParseErrors> for ConvertError {
    fn from(errors: ParseErrors) -> ConvertError {
        ConvertError::Syntax(errors)
    }
}

impl From<WireError> for ConvertError {
    fn from(error: WireError) -> ConvertError {
        ConvertError::Wire(error)
    }
}

/// Encodes the program of a text.
///
/// ```
/// use vyre_ir::{convert, text, wire};
///
/// let source = "workgroup_size 64; entry { let x = 1; }";
/// assert_eq!(convert::text_to_wire(source)?, wire::to_wire(&text::parse(source)?.program));
/// # Ok::<(), text::ParseErrors>(())
/// ```
///
/// # Errors
///
/// As [`text::parse`](crate::text::parse).
pub fn text_to_wire(source: &str) -> Result<Vec<u8>, ParseErrors> {
    parse_to_code(source).map(|code| wire::encode(&code))
}

/// Prints an encoded program in canonical form.
///
/// The text is not in proportion to the bytes, because the wire format stores a name once and no indentation. `max_bytes`
/// limits its size.
///
/// # Errors
///
/// [`ConvertError::Wire`] or [`ConvertError::TooLarge`].
pub fn wire_to_text(bytes: &[u8], max_bytes: u64) -> Result<String, ConvertError> {
    let code = wire::decode(bytes, &SizeLimits::default())?;
    print_code(&code, max_bytes).ok_or(ConvertError::TooLarge { max_bytes })
}

/// Decodes a program and encodes it again.
///
/// # Errors
///
/// As [`wire::from_wire`].
pub fn wire_to_wire(bytes: &[u8]) -> Result<Vec<u8>, WireError> {
    wire::decode(bytes, &SizeLimits::default()).map(|code| wire::encode(&code))
}

/// Formats a text, as [`text::format`](crate::text::format()) does. `max_bytes` limits the size of the
/// result.
///
/// # Errors
///
/// [`ConvertError::Syntax`] or [`ConvertError::TooLarge`].
pub fn text_to_text(source: &str, max_bytes: u64) -> Result<String, ConvertError> {
    format_within(source, max_bytes)?.ok_or(ConvertError::TooLarge { max_bytes })
}
