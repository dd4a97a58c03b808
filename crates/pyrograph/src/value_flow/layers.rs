//! Two layers: realizable paths as plain reachability.
//!
//! A path is realizable if it first only returns to callers and then only descends into callees; calls that return on the path
//! are summary edges. Every node has two copies. Layer 1 follows edges inside functions, summary edges and returns. A call
//! leads to layer 2, which follows edges inside functions, summary edges and calls. Flows through shared fields and captured
//! variables lead back to layer 1. A source is in layer 1, and a parameter that only a caller outside of the program fills is in layer
//! 2; a sink counts in both.

use super::graph::{Edge, EdgeKind};
use super::summaries::Summaries;
use crate::adjacency::grouped;
use crate::knowledge::RuleMask;
use crate::points_to::NodeIndex;

/// Origin of an edge of the layered graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerEdge {
    /// Edge of the value-flow graph, by position.
    Edge(u32),
    /// Summary edge, by position.
    Summary(u32),
}

/// Edge list of the two layers: node `n` of layer 2 is `nodes + n`.
#[derive(Debug)]
pub struct LayeredGraph {
    /// Nodes of one layer.
    pub nodes: u32,
    /// Edges: origin, target, rules, what the edge is. Sorted.
    pub edges: Vec<LayeredEdge>,
    /// First edge of each node, and the end.
    offsets: Vec<u32>,
}

/// Edge of the two layers: origin, target, rules, what the edge is.
pub type LayeredEdge = (NodeIndex, NodeIndex, RuleMask, LayerEdge);

impl LayeredGraph {
    /// Edges of a node of the two layers.
    #[must_use]
    pub fn edges_of(&self, node: NodeIndex) -> &[LayeredEdge] {
        &self.edges[self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize]
    }
}

/// Makes the two layers.
#[must_use]
pub fn layers(nodes: u32, edges: &[Edge], summaries: &Summaries) -> LayeredGraph {
    let mut layered = Vec::with_capacity(edges.len() * 2 + summaries.edges.len() * 2);
    for (position, edge) in edges.iter().enumerate() {
        let origin = LayerEdge::Edge(position as u32);
        let (from, to, mask) = (edge.from, edge.to, edge.mask);
        match edge.kind {
            EdgeKind::Intra => {
                layered.push((from, to, mask, origin));
                layered.push((from + nodes, to + nodes, mask, origin));
            }
            EdgeKind::Call(_) => {
                layered.push((from, to + nodes, mask, origin));
                layered.push((from + nodes, to + nodes, mask, origin));
            }
            EdgeKind::Return(_) => layered.push((from, to, mask, origin)),
            EdgeKind::Heap => {
                layered.push((from, to, mask, origin));
                layered.push((from + nodes, to, mask, origin));
            }
        }
    }
    for (position, summary) in summaries.edges.iter().enumerate() {
        let origin = LayerEdge::Summary(position as u32);
        layered.push((summary.from, summary.to, summary.mask, origin));
        layered.push((summary.from + nodes, summary.to + nodes, summary.mask, origin));
    }
    let (edges, offsets) = sorted(nodes as usize * 2, &layered);
    LayeredGraph { nodes, edges, offsets }
}

/// Sorts edges: by counting for the origins, and then the few edges of each origin.
fn sorted(nodes: usize, edges: &[LayeredEdge]) -> (Vec<LayeredEdge>, Vec<u32>) {
    let (mut sorted, offsets) = grouped(nodes, edges, |edge| edge.0);
    for range in offsets.windows(2) {
        sorted[range[0] as usize..range[1] as usize].sort_unstable();
    }
    (sorted, offsets)
}
