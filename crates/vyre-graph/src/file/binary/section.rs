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
}

impl Section {
    /// All sections, in the order of the file.
    pub const ALL: [Section; 6] =
        [Section::Offsets, Section::Targets, Section::NodeData, Section::Weights, Section::NameEnds, Section::NameText];
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
        })
    }
}
