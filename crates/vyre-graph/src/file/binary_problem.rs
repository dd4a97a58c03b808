//! What can be wrong with a binary file.

use std::fmt;

use super::binary::Section;
use crate::error::{CsrError, counted};

/// What is wrong with a binary file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryProblem {
    /// The file does not begin as such files do.
    Magic,
    /// A version that is not known.
    Version {
        /// Which one.
        found: u32,
    },
    /// The file ends before it should.
    Ends {
        /// How many bytes it should have, as far as is known.
        expected: u64,
    },
    /// The file goes on after its end.
    Continues,
    /// A byte that must be 0 is not.
    Reserved,
    /// More nodes or edges than a `u32` counts.
    Count {
        /// How many.
        found: u64,
    },
    /// The header does not have its checksum.
    HeaderChecksum {
        /// The checksum in the file.
        found: u64,
        /// That of the bytes.
        expected: u64,
    },
    /// A section that every file has is not there, or one of two that belong together.
    NoSection {
        /// Which one.
        section: Section,
    },
    /// A section is not where it must be.
    Position {
        /// Which one.
        section: Section,
        /// Where the header says it is.
        found: u64,
        /// Where it must be.
        expected: u64,
    },
    /// A section does not have the length that it must have.
    Length {
        /// Which one.
        section: Section,
        /// How many bytes the header says.
        found: u64,
        /// How many it must have.
        expected: u64,
    },
    /// A section does not have its checksum.
    Checksum {
        /// Which one.
        section: Section,
        /// The checksum in the header.
        found: u64,
        /// That of the bytes.
        expected: u64,
    },
    /// The arrays are no graph.
    Graph {
        /// Why.
        error: CsrError,
    },
    /// A name ends before it begins, or the last one not where the text does.
    NameEnd {
        /// Whose name.
        node: usize,
        /// Where it ends.
        value: u32,
        /// The least that it may be.
        least: u32,
        /// The most that it may be.
        most: u32,
    },
    /// Two nodes have the same name.
    NameTwice {
        /// The second one.
        node: u32,
        /// The first one.
        first: u32,
    },
    /// A name is no UTF-8.
    NameNotUtf8 {
        /// Whose name.
        node: usize,
    },
}

impl fmt::Display for BinaryProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BinaryProblem::Magic => write!(f, "this is not a binary graph file"),
            BinaryProblem::Version { found } => write!(f, "version {found} of the format is not known; version 1 is"),
            BinaryProblem::Ends { expected } => write!(f, "the file ends here, but must have {expected} bytes"),
            BinaryProblem::Continues => write!(f, "the file must end here, but goes on"),
            BinaryProblem::Reserved => write!(f, "a reserved byte is not 0"),
            BinaryProblem::Count { found } => write!(f, "the count is {found}, but at most {} are possible", u32::MAX),
            BinaryProblem::HeaderChecksum { found, expected } => {
                write!(f, "the checksum of the header is {found:016x}, but its bytes have {expected:016x}")
            }
            BinaryProblem::NoSection { section } => write!(f, "the section `{section}` is missing"),
            BinaryProblem::Position { section, found, expected } => {
                write!(f, "the section `{section}` is said to be at byte {found}, but must be at {expected}")
            }
            BinaryProblem::Length { section, found, expected } => {
                let bytes = counted(*found, "byte", "bytes");
                write!(f, "the section `{section}` is said to have {bytes}, but must have {expected}")
            }
            BinaryProblem::Checksum { section, found, expected } => {
                write!(f, "the checksum of the section `{section}` is {found:016x}, but its bytes have {expected:016x}")
            }
            BinaryProblem::Graph { error } => write!(f, "{error}"),
            BinaryProblem::NameEnd { node, value, least, most } if least == most => {
                write!(f, "the name of node {node} ends at {value}, but must end at {most}")
            }
            BinaryProblem::NameEnd { node, value, least, most } => {
                write!(f, "the name of node {node} ends at {value}, but must end at {least} to {most}")
            }
            BinaryProblem::NameTwice { node, first } => {
                write!(f, "the name of node {node} is that of node {first}, but names are different")
            }
            BinaryProblem::NameNotUtf8 { node } => write!(f, "the name of node {node} is not UTF-8"),
        }
    }
}
