//! Errors in binary graph files.

use std::fmt;

use super::section::Section;
use crate::error::{CsrError, counted};
use crate::index::IndexError;

/// Kind of an error in a binary graph file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryErrorKind {
    /// The file does not begin with the signature.
    Magic,
    /// The version of the format is unknown.
    Version {
        /// The version.
        found: u32,
    },
    /// The file is truncated.
    Ends {
        /// Required size of the file, as far as it is known.
        expected: u64,
    },
    /// Bytes follow the last section.
    Continues,
    /// A reserved byte is not 0.
    Reserved,
    /// The number of sections is out of range.
    SectionCount {
        /// The number.
        found: u32,
        /// Smallest valid number.
        min: u32,
        /// Largest valid number.
        max: u32,
    },
    /// A number of nodes, edges or bytes of names exceeds `u32`.
    Count {
        /// The number.
        found: u64,
    },
    /// The checksum of the header is wrong.
    HeaderChecksum {
        /// Checksum in the file.
        found: u64,
        /// Checksum of the bytes.
        expected: u64,
    },
    /// A mandatory section is absent, or one of two that require each other.
    NoSection {
        /// The section.
        section: Section,
    },
    /// A section has the wrong position.
    Position {
        /// The section.
        section: Section,
        /// Position in the header.
        found: u64,
        /// Required position.
        expected: u64,
    },
    /// A section has the wrong length.
    Length {
        /// The section.
        section: Section,
        /// Length in the header, in bytes.
        found: u64,
        /// Required length.
        expected: u64,
    },
    /// The checksum of a section is wrong.
    Checksum {
        /// The section.
        section: Section,
        /// Checksum in the header.
        found: u64,
        /// Checksum of the bytes.
        expected: u64,
    },
    /// The arrays are not a valid graph.
    Graph {
        /// The error of the graph.
        error: CsrError,
    },
    /// The index is not that of the graph.
    Index {
        /// The error of the index.
        error: IndexError,
    },
    /// A name ends before it begins, or the last name does not end with the text.
    NameEnd {
        /// Node with this name.
        node: usize,
        /// End of the name in the text.
        value: u32,
        /// Smallest valid end.
        min: u32,
        /// Largest valid end.
        max: u32,
    },
    /// Two nodes have the same name.
    NameTwice {
        /// The second of the two nodes.
        node: u32,
        /// The first of the two nodes.
        first: u32,
    },
    /// A name is not UTF-8.
    NameNotUtf8 {
        /// Node with this name.
        node: usize,
    },
}

impl fmt::Display for BinaryErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BinaryErrorKind::Magic => write!(f, "this is not a binary graph file"),
            BinaryErrorKind::Version { found } => {
                write!(f, "version {found} of the format is not known; versions 1 and 2 are")
            }
            BinaryErrorKind::Ends { expected } => write!(f, "the file ends here, but must have {expected} bytes"),
            BinaryErrorKind::Continues => write!(f, "the file must end here, but goes on"),
            BinaryErrorKind::Reserved => write!(f, "a reserved byte is not 0"),
            BinaryErrorKind::SectionCount { found, min, max } => {
                write!(f, "the number of sections is {found}, but must be {min} to {max}")
            }
            BinaryErrorKind::Count { found } => {
                write!(f, "the count is {found}, but at most {} are possible", u32::MAX)
            }
            BinaryErrorKind::HeaderChecksum { found, expected } => {
                write!(f, "the checksum of the header is {found:016x}, but its bytes have {expected:016x}")
            }
            BinaryErrorKind::NoSection { section } => write!(f, "the section `{section}` is missing"),
            BinaryErrorKind::Position { section, found, expected } => {
                write!(f, "the section `{section}` is said to be at byte {found}, but must be at {expected}")
            }
            BinaryErrorKind::Length { section, found, expected } => {
                let bytes = counted(*found, "byte", "bytes");
                write!(f, "the section `{section}` is said to have {bytes}, but must have {expected}")
            }
            BinaryErrorKind::Checksum { section, found, expected } => {
                write!(f, "the checksum of the section `{section}` is {found:016x}, but its bytes have {expected:016x}")
            }
            BinaryErrorKind::Graph { error } => write!(f, "{error}"),
            BinaryErrorKind::Index { error } => write!(f, "{error}"),
            BinaryErrorKind::NameEnd { node, value, min, max } if min == max => {
                write!(f, "the name of node {node} ends at {value}, but must end at {max}")
            }
            BinaryErrorKind::NameEnd { node, value, min, max } => {
                write!(f, "the name of node {node} ends at {value}, but must end at {min} to {max}")
            }
            BinaryErrorKind::NameTwice { node, first } => {
                write!(f, "the name of node {node} is that of node {first}, but names are different")
            }
            BinaryErrorKind::NameNotUtf8 { node } => write!(f, "the name of node {node} is not UTF-8"),
        }
    }
}
