//! Nodes and edges between sources and sinks, with consecutive numbers.

use super::Request;
use crate::adjacency::Adjacency;
use crate::knowledge::{Check, RuleMask};
use crate::points_to::NodeIndex;
use crate::value_flow::layers::{LayeredGraph, layers};
use crate::value_flow::summaries::{Summaries, summarize};
use crate::value_flow::{Edge, IDENTITY, KeyUse};

/// The part of a value-flow graph that lies between sources and sinks, in two layers.
#[derive(Debug)]
pub struct CompactGraph {
    /// Node of the value-flow graph for each number.
    pub originals: Vec<NodeIndex>,
    /// Number of each node of the value-flow graph; `u32::MAX` for nodes that do not take part.
    pub numbers: Vec<u32>,
    /// Edges with new numbers. [`IDENTITY`] is on edges only that no rule about prototype pollution sanitises.
    pub edges: Vec<Edge>,
    /// Summary edges with new numbers.
    pub summaries: Summaries,
    /// The two layers.
    pub layered: LayeredGraph,
    /// Edges of the two layers, backwards.
    pub backward: Adjacency<RuleMask>,
    /// True if all summaries were computed.
    pub is_complete: bool,
}

impl CompactGraph {
    /// Selects the nodes between sources and sinks.
    #[must_use]
    pub(crate) fn new(request: Request<'_>) -> CompactGraph {
        let graph = request.graph;
        let count = graph.node_count() as usize;
        let mut starts: Vec<NodeIndex> = Vec::new();
        let mut wanted: RuleMask = 0;
        for source in &request.roles.sources {
            let rules = request.rules_of(source);
            if rules != 0 {
                starts.push(source.node);
                wanted |= rules;
            }
        }
        let pollution: RuleMask = (request.knowledge.rules.iter().enumerate())
            .filter(|(number, rule)| rule.check == Check::PrototypePollution && wanted >> number & 1 == 1)
            .fold(0, |mask, (number, _)| mask | 1 << number);
        let has_pollution = pollution != 0;
        let mut ends: Vec<NodeIndex> =
            request.roles.sinks.iter().filter(|sink| sink.rules & wanted != 0).map(|sink| sink.node).collect();
        if has_pollution {
            for key in &request.roles.keys {
                ends.push(key.key);
                if key.stored.is_some() {
                    ends.push(key.base);
                }
            }
        }
        let forward = Adjacency::new(count, graph.edges.iter().map(|edge| (edge.from, edge.to, ())));
        let backward = Adjacency::new(count, graph.edges.iter().map(|edge| (edge.to, edge.from, ())));
        let reached = forward.reach(starts);
        // Objects that were loaded by a key that a source reaches.
        let is_loaded = |key: &&KeyUse| has_pollution && key.stored.is_none() && reached[key.key as usize];
        let loaded = forward.reach(request.roles.keys.iter().filter(is_loaded).map(|key| key.value));
        let reaching = backward.reach(ends);
        let mut numbers = vec![u32::MAX; count];
        let mut originals = Vec::new();
        for node in 0..count {
            if (reached[node] || loaded[node]) && reaching[node] {
                numbers[node] = originals.len() as u32;
                originals.push(node as NodeIndex);
            }
        }
        let edges: Vec<Edge> = graph
            .edges
            .iter()
            .filter_map(|edge| {
                let (from, to) = (numbers[edge.from as usize], numbers[edge.to as usize]);
                // Masks of summary edges are exact for single bits only. So this bit means: the object is the same, and no rule
                // that asks for it sanitises the flow.
                let mask = if edge.mask & pollution == pollution { edge.mask } else { edge.mask & !IDENTITY };
                (from != u32::MAX && to != u32::MAX).then_some(Edge { from, to, mask, ..*edge })
            })
            .collect();
        let summaries = summarize(originals.len(), &edges, request.effort, request.is_cancelled);
        let layered = layers(originals.len() as u32, &edges, &summaries);
        let backward = backward_edges(&layered);
        let is_complete = summaries.is_complete;
        CompactGraph { originals, numbers, edges, summaries, layered, backward, is_complete }
    }

    /// Number of a node of the value-flow graph.
    #[must_use]
    pub fn number(&self, node: NodeIndex) -> Option<u32> {
        self.numbers.get(node as usize).copied().filter(|&number| number != u32::MAX)
    }
}

/// Edges of the two layers, backwards.
pub(super) fn backward_edges(layered: &LayeredGraph) -> Adjacency<RuleMask> {
    Adjacency::new(layered.nodes as usize * 2, layered.edges.iter().map(|&(from, to, mask, _)| (to, from, mask)))
}
