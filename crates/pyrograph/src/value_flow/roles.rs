//! Sources and sinks of a value-flow graph.

use crate::knowledge::{Knowledge, RuleMask, SourceIndex};
use crate::points_to::NodeIndex;
use crate::program::{FunctionIndex, ValueIndex};

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
    /// Function with the instruction.
    pub function: FunctionIndex,
    /// The store only makes sure that a member exists: `base[key] = base[key] || {}`.
    pub is_default: bool,
}

/// A part of a text that is not its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPart {
    /// Part.
    pub part: NodeIndex,
    /// Text.
    pub whole: NodeIndex,
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
    /// Parts of texts behind something else: `folder + "/" + part`, `path.join(folder, part)`.
    pub parts: Vec<TextPart>,
    /// Libraries that the program uses: package, number of calls and members that a model or rule knows.
    pub libraries: std::collections::BTreeMap<String, u64>,
    /// Calls with neither a target nor a model.
    pub unresolved: u64,
    /// Calls.
    pub calls: u64,
}

impl Roles {
    /// Counts a use of a library that a model or rule knows.
    pub(crate) fn count_library(&mut self, knowledge: &Knowledge, path: &str) {
        if let Some(library) = knowledge.library_of(path) {
            *self.libraries.entry(library.package.clone()).or_default() += 1;
        }
    }
}
