//! Value-flow graph: nodes are values and locations, edges are flows of a kind.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::adjacency::grouped;
use crate::knowledge::RuleMask;
use crate::points_to::{NodeIndex, ObjectIndex};
use crate::program::{FunctionIndex, Name, ValueIndex};

/// Bit of flows that preserve the identity of an object. No rule has this bit.
pub const IDENTITY: RuleMask = 1 << 63;

/// Mask of flows that nothing sanitises.
pub const ALL: RuleMask = u64::MAX;

/// Kinds of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// Inside a function.
    Intra,
    /// From an argument to a parameter: call instance.
    Call(u32),
    /// From a result to a caller: call instance.
    Return(u32),
    /// Through a field of a shared object, a captured or global variable.
    Heap,
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Origin.
    pub from: NodeIndex,
    /// Target.
    pub to: NodeIndex,
    /// Kind.
    pub kind: EdgeKind,
    /// Rules that the edge does not sanitise.
    pub mask: RuleMask,
}

/// Nodes beyond those of the points-to analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExtraNode {
    /// Field of the object in a node of a function, seen from this function: node, field.
    Local(NodeIndex, Name),
    /// What a function stores to a field of a parameter or its receiver: the field, seen from this function. Callers see it;
    /// what they stored themselves does not come back to them.
    Modified(NodeIndex),
    /// Field of an object that several functions see.
    Shared(ObjectIndex, Name),
    /// What functions store to a shared field that did not make the object. The function that made it reads this: what it stored
    /// itself, in this call or another one, is in the local form of the field.
    Stored(ObjectIndex, Name),
    /// Captured variable of a closure: closure, number of the variable.
    Captured(Closure, u32),
    /// Sink: call or store instruction, rules, number of the endpoint.
    Sink(ValueIndex, RuleMask, u32),
    /// Values that a library call passes on.
    Temporary(ValueIndex, u32),
}

/// A closure, as a function sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Closure {
    /// In a value.
    Value(NodeIndex),
    /// In a field of a value.
    Field(NodeIndex, Name),
    /// The function that runs.
    Own(FunctionIndex),
}

/// A call of a function of the program, from an instruction or from a library function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallInstance {
    /// Call instruction, or instruction that causes the call.
    pub call: ValueIndex,
    /// Target.
    pub function: FunctionIndex,
}

/// Value-flow graph.
#[derive(Debug)]
pub struct ValueFlow {
    /// Number of nodes of the points-to analysis, which are the first ones.
    pub base: NodeIndex,
    /// Further nodes.
    pub extra: Vec<ExtraNode>,
    pub(super) numbers: HashMap<ExtraNode, NodeIndex, FixedState>,
    /// Edges, sorted, each once.
    pub edges: Vec<Edge>,
    /// Calls.
    pub instances: Vec<CallInstance>,
}

impl ValueFlow {
    /// Empty graph over the nodes of the points-to analysis.
    pub(super) fn new(base: NodeIndex) -> ValueFlow {
        ValueFlow { base, extra: Vec::new(), numbers: HashMap::default(), edges: Vec::new(), instances: Vec::new() }
    }

    /// Number of a node, and true if it is new.
    pub(super) fn node(&mut self, node: ExtraNode) -> (NodeIndex, bool) {
        if let Some(&number) = self.numbers.get(&node) {
            return (number, false);
        }
        let number = self.base + self.extra.len() as NodeIndex;
        self.extra.push(node);
        self.numbers.insert(node, number);
        (number, true)
    }

    /// Kind of a node beyond those of the points-to analysis.
    #[must_use]
    pub fn extra_node(&self, node: NodeIndex) -> Option<ExtraNode> {
        self.extra.get(node.checked_sub(self.base)? as usize).copied()
    }

    /// Number of nodes.
    #[must_use]
    pub fn node_count(&self) -> NodeIndex {
        self.base + self.extra.len() as NodeIndex
    }

    /// Sorts the edges and merges parallel ones: a flow exists for a rule if one of them has it.
    pub(super) fn normalise(&mut self) {
        self.sort();
        self.edges.dedup_by(|next, kept| {
            let same = (next.from, next.to, next.kind) == (kept.from, kept.to, kept.kind);
            if same {
                kept.mask |= next.mask;
            }
            same
        });
    }

    /// Sorts the edges: by counting for the origins, and then the few edges of each origin.
    fn sort(&mut self) {
        let (mut sorted, offsets) = grouped(self.node_count() as usize, &self.edges, |edge| edge.from);
        for range in offsets.windows(2) {
            sorted[range[0] as usize..range[1] as usize].sort_unstable_by_key(|edge| (edge.to, edge.kind));
        }
        self.edges = sorted;
    }
}
