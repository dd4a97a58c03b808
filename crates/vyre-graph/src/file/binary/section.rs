//! Sections of a binary graph file.

use std::fmt;

/// Section of a binary graph file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Section {
    /// Offset of the edges of each node.
    Offsets,
    /// Target node of each edge.
    Targets,
    /// Word of each node, with its role.
    NodeData,
    /// Weight of each edge.
    Weights,
    /// End of the name of each node in the text.
    NameEnds,
    /// Text of all names.
    NameText,
    /// Offset of the incoming edges of each node.
    IncomingOffsets,
    /// Source node of each incoming edge.
    IncomingSources,
    /// Nodes by descending in-degree.
    Order,
    /// A section that a later release has added.
    Unknown {
        /// Its number, from 0.
        number: u32,
    },
}

impl Section {
    /// All known sections, in the order of the file.
    pub const ALL: [Section; 9] = [
        Section::Offsets,
        Section::Targets,
        Section::NodeData,
        Section::Weights,
        Section::NameEnds,
        Section::NameText,
        Section::IncomingOffsets,
        Section::IncomingSources,
        Section::Order,
    ];

    /// Number of the section, which is its place in the table of sections.
    pub(crate) fn number(self) -> usize {
        match self {
            Section::Offsets => 0,
            Section::Targets => 1,
            Section::NodeData => 2,
            Section::Weights => 3,
            Section::NameEnds => 4,
            Section::NameText => 5,
            Section::IncomingOffsets => 6,
            Section::IncomingSources => 7,
            Section::Order => 8,
            Section::Unknown { number } => number as usize,
        }
    }

    /// The section with this number.
    pub(crate) fn from_number(number: usize) -> Section {
        Section::ALL.get(number).copied().unwrap_or(Section::Unknown { number: number as u32 })
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Section::Offsets => "offsets",
            Section::Targets => "targets",
            Section::NodeData => "node_data",
            Section::Weights => "weights",
            Section::NameEnds => "name_ends",
            Section::NameText => "name_text",
            Section::IncomingOffsets => "incoming_offsets",
            Section::IncomingSources => "incoming_sources",
            Section::Order => "order",
            Section::Unknown { number } => return write!(f, "number {number}"),
        })
    }
}
