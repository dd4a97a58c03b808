//! Options of graph readers.

use super::blocks::BLOCK_BYTES;
use super::column_titles::ColumnTitles;
use super::error::ReadError;
use super::format::Format;
use super::weight::WeightScale;

/// Identification of nodes in an edge list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NodeIds {
    /// Numbers from 0.
    #[default]
    Numbers,
    /// Names. Nodes are numbered in the order of their first occurrence. There are no other nodes, even if a comment declares
    /// more, since these would have no names.
    Names,
}

/// Treatment of the first line of an edge list or a CSV file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Header {
    /// The first line is a header if it cannot be an edge. If nodes are numbers, words such as `source` and `target` are a
    /// header. If they are names, only a CSV file can have one: a usual word for the source, such as `source`, `src`, `from`,
    /// `parent` or `caller`, and one for the target, in any order and with any other columns.
    /// [`Loaded::likely_header_line`](super::Loaded::likely_header_line) reports words that are read as an edge.
    #[default]
    Auto,
    /// The first line is a header, whatever its text. Columns with known names are found by name, others by position.
    Present,
    /// The first line is an edge.
    Absent,
}

/// Treatment of edge weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Weights {
    /// All edges have weights if the first edge of a file has one, and none otherwise.
    #[default]
    Auto,
    /// Like `Auto`, but weights that cannot be read leave the graph without weights.
    /// [`Loaded::weight_error`](super::Loaded::weight_error) is the reason then. Other columns are ignored.
    IfValid,
    /// All edges must have weights.
    Required,
    /// Weights and the rest of their lines are ignored.
    Ignore,
}

/// Options of a graph reader.
///
/// Memory is bounded by the size of the input: without `max_nodes`, a text with few edges and a very high node number, or
/// number of nodes, is an error.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Format of the file. Without it, the first bytes of the file and its name determine the format.
    pub format: Option<Format>,
    /// Identification of nodes in an edge list or a CSV file. Other formats store it.
    pub nodes: NodeIds,
    /// Treatment of the first line of an edge list or a CSV file.
    pub header: Header,
    /// Titles of the columns of an edge list, a CSV file or a table. Any of them makes the first line a header, whatever `header` says.
    /// Other formats have no columns.
    pub columns: ColumnTitles,
    /// Treatment of edge weights.
    pub weights: Weights,
    /// Factor of real weights. Without it, weights are integers.
    pub weight_scale: Option<WeightScale>,
    /// True if an edge list, a CSV file or a matrix has only the nodes whose numbers occur in edges, in ascending order. The numbers
    /// become their names. Formats that list their nodes are not affected.
    pub compact: bool,
    /// True if each edge is added in both directions. A self-loop stays one edge.
    pub undirected: bool,
    /// Minimum number of nodes. A comment `# Nodes: 5 Edges: 4` before the first edge of an edge list, or before the first row
    /// of a CSV file, has the same effect; the larger number holds. The graph of a binary file with fewer nodes is copied into
    /// memory. If nodes have names, any number but 0 is an error, since additional nodes would have none. A number beyond
    /// `max_nodes` is an error.
    pub min_nodes: u32,
    /// Maximum number of nodes. Without it, a text may declare 16,777,216 nodes, or 16 for each edge.
    pub max_nodes: Option<u32>,
    /// Sizes that only affect speed, and a limit that few inputs reach otherwise.
    #[doc(hidden)]
    pub tuning: Tuning,
}

impl ReadOptions {
    /// Sets the format of the file.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> ReadOptions {
        self.format = Some(format);
        self
    }

    /// Sets the identification of nodes.
    #[must_use]
    pub fn with_nodes(mut self, nodes: NodeIds) -> ReadOptions {
        self.nodes = nodes;
        self
    }

    /// Sets the treatment of the first line.
    #[must_use]
    pub fn with_header(mut self, header: Header) -> ReadOptions {
        self.header = header;
        self
    }

    /// Sets the titles of columns.
    #[must_use]
    pub fn with_columns(mut self, columns: ColumnTitles) -> ReadOptions {
        self.columns = columns;
        self
    }

    /// Sets the treatment of edge weights.
    #[must_use]
    pub fn with_weights(mut self, weights: Weights) -> ReadOptions {
        self.weights = weights;
        self
    }

    /// Sets the factor of real weights.
    #[must_use]
    pub fn with_weight_scale(mut self, scale: WeightScale) -> ReadOptions {
        self.weight_scale = Some(scale);
        self
    }

    /// Sets whether only nodes whose numbers occur exist.
    #[must_use]
    pub fn with_compact(mut self, compact: bool) -> ReadOptions {
        self.compact = compact;
        self
    }

    /// Sets whether each edge is added in both directions.
    #[must_use]
    pub fn with_undirected(mut self, undirected: bool) -> ReadOptions {
        self.undirected = undirected;
        self
    }

    /// Sets the minimum number of nodes.
    #[must_use]
    pub fn with_min_nodes(mut self, nodes: u32) -> ReadOptions {
        self.min_nodes = nodes;
        self
    }

    /// Sets the maximum number of nodes.
    #[must_use]
    pub fn with_max_nodes(mut self, nodes: u32) -> ReadOptions {
        self.max_nodes = Some(nodes);
        self
    }

    /// Checks the number of nodes.
    ///
    /// # Errors
    ///
    /// It is beyond the maximum.
    pub(crate) fn check_count(&self, nodes: usize) -> Result<(), ReadError> {
        let nodes = nodes as u64;
        match self.max_nodes {
            Some(limit) if nodes > u64::from(limit) => Err(ReadError::NodeLimit { nodes, limit }),
            _ => Ok(()),
        }
    }

    /// Checks the minimum number of nodes for a graph with names or without.
    ///
    /// # Errors
    ///
    /// Nodes beyond those of a graph with names would have no names.
    pub(crate) fn check_names(&self, has_names: bool) -> Result<(), ReadError> {
        match self.min_nodes {
            min if min > 0 && has_names => Err(ReadError::MinNodesNamed { min }),
            _ => Ok(()),
        }
    }
}

/// Parameters for tests.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Size of a block that one thread parses.
    pub block_bytes: usize,
    /// Maximum number of edges of a graph.
    pub max_edges: u32,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { block_bytes: BLOCK_BYTES, max_edges: u32::MAX }
    }
}
