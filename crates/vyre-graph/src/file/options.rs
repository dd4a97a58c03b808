//! How files are read.

use super::blocks::BLOCK_BYTES;
use super::format::Format;

/// What stands for a node in an edge list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NodeIds {
    /// Its number, from 0.
    #[default]
    Numbers,
    /// Its name. Nodes get numbers in the order in which their names first come; there are no others, whatever a comment
    /// says, since they would have no names.
    Names,
}

/// Whether the first line of an edge list or a CSV file names its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Header {
    /// If it can be nothing else. Where nodes are numbers, words such as `source` and `target` are a header. Where they are
    /// names, only those of a CSV file are, and only source and target, src and dst, source and destination, from and to, or
    /// caller and callee, in any order and with any other columns. An edge list with names has none.
    #[default]
    Auto,
    /// It does, whatever it says. Columns with words that are known are found by them, others by their position.
    Present,
    /// It is an edge.
    Absent,
}

/// Whether edges have weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Weights {
    /// If the first edge of a file has one; then all must.
    #[default]
    Auto,
    /// They must.
    Required,
    /// What is there is ignored, and so is all that follows it on a line.
    Ignore,
}

/// How a file is read.
///
/// Memory is bounded by the size of the input: without `max_nodes`, a text with few edges and a very high node number, or
/// number of nodes, is an error.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format. Without it, the first bytes of the file and its name tell.
    pub format: Option<Format>,
    /// What stands for a node in an edge list or a CSV file. Other formats know by themselves.
    pub nodes: NodeIds,
    /// Whether the first line of an edge list or a CSV file names its columns.
    pub header: Header,
    /// Whether edges have weights.
    pub weights: Weights,
    /// Whether each edge is added in both directions; one from a node to itself stays one edge.
    pub undirected: bool,
    /// The graph has at least so many nodes, whether they have edges or not. A comment `# Nodes: 5 Edges: 4` before the
    /// first edge of an edge list, or before the first row of a CSV file, says the same, and the higher number counts. The
    /// graph of a binary file with fewer is copied into memory. Where nodes have names, any number but 0 is an error, since
    /// the others would have none; so is one beyond `max_nodes`.
    pub min_nodes: u32,
    /// The most nodes that are allowed. Without it, a text may ask for 16,777,216 nodes or 16 for each edge.
    pub max_nodes: Option<u32>,
    /// Sizes that change nothing but speed, and a limit that few can reach otherwise.
    #[doc(hidden)]
    pub tuning: Tuning,
}

/// What tests change.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Bytes of a block that one thread parses.
    pub block_bytes: usize,
    /// The most edges of a graph.
    pub most_edges: u32,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { block_bytes: BLOCK_BYTES, most_edges: u32::MAX }
    }
}
