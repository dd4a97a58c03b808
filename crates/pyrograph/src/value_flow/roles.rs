//! Sources and sinks of a value-flow graph.

use crate::knowledge::{RuleMask, SourceIndex};
use crate::points_to::NodeIndex;
use crate::program::ValueIndex;

/// A source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Node.
    pub node: NodeIndex,
    /// Kind.
    pub kind: SourceIndex,
    /// Instruction whose location is shown. None: the location of the node.
    pub value: Option<ValueIndex>,
}

/// A sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sink {
    /// Node.
    pub node: NodeIndex,
    /// Rules.
    pub rules: RuleMask,
    /// Call or store instruction.
    pub value: ValueIndex,
}

/// A use of a computed key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyUse {
    /// Load or store instruction.
    pub value: ValueIndex,
    /// Object.
    pub base: NodeIndex,
    /// Key.
    pub key: NodeIndex,
    /// Stored value.
    pub stored: Option<NodeIndex>,
}

/// Roles of nodes.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// Sources, sorted.
    pub sources: Vec<Source>,
    /// Sinks, sorted.
    pub sinks: Vec<Sink>,
    /// Loads and stores with computed keys.
    pub keys: Vec<KeyUse>,
    /// Libraries that the program uses: package, number of calls and members that a model or rule knows.
    pub libraries: std::collections::BTreeMap<String, u64>,
    /// Calls with neither a target nor a model.
    pub unresolved: u64,
    /// Calls.
    pub calls: u64,
}
