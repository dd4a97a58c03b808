//! Nodes and edges between sources and sinks, with consecutive numbers.

use super::Request;
use super::subgraph::LayerAdjacency;
use crate::knowledge::{Check, RuleMask};
use crate::points_to::NodeIndex;
use crate::value_flow::layers::{LayeredGraph, layers};
use crate::value_flow::summaries::{Summaries, summarize};
use crate::value_flow::{Edge, IDENTITY, ValueFlow};

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
    /// Adjacency of the two layers.
    pub adjacency: LayerAdjacency,
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
        let (forward, backward) = adjacency(graph);
        let reached = sweep(count, &starts, &forward, |edge| edge.to, graph);
        if has_pollution {
            // Objects that were loaded by a key that a source reaches.
            starts = request
                .roles
                .keys
                .iter()
                .filter(|key| key.stored.is_none() && reached[key.key as usize])
                .map(|key| key.value)
                .collect();
        } else {
            starts.clear();
        }
        let loaded = sweep(count, &starts, &forward, |edge| edge.to, graph);
        let reaching = sweep(count, &ends, &backward, |edge| edge.from, graph);
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
        let summaries = summarize(originals.len(), &edges, request.is_cancelled);
        let layered = layers(originals.len() as u32, &edges, &summaries);
        let adjacency = LayerAdjacency::new(layered.nodes as usize * 2, &layered.edges);
        let is_complete = summaries.is_complete;
        CompactGraph { originals, numbers, edges, summaries, layered, adjacency, is_complete }
    }

    /// Number of a node of the value-flow graph.
    #[must_use]
    pub fn number(&self, node: NodeIndex) -> Option<u32> {
        self.numbers.get(node as usize).copied().filter(|&number| number != u32::MAX)
    }
}

/// Positions of edges by origin and by target: offsets and positions.
type Positions = (Vec<u32>, Vec<u32>);

fn adjacency(graph: &ValueFlow) -> (Positions, Positions) {
    let positions = |node: fn(&Edge) -> NodeIndex| {
        let mut offsets = vec![0_u32; graph.node_count() as usize + 1];
        for edge in &graph.edges {
            offsets[node(edge) as usize + 1] += 1;
        }
        for position in 1..offsets.len() {
            offsets[position] += offsets[position - 1];
        }
        let mut next = offsets.clone();
        let mut edges = vec![0_u32; graph.edges.len()];
        for (position, edge) in graph.edges.iter().enumerate() {
            let slot = &mut next[node(edge) as usize];
            edges[*slot as usize] = position as u32;
            *slot += 1;
        }
        (offsets, edges)
    };
    (positions(|edge| edge.from), positions(|edge| edge.to))
}

fn sweep(
    count: usize,
    starts: &[NodeIndex],
    (offsets, positions): &Positions,
    next: fn(&Edge) -> NodeIndex,
    graph: &ValueFlow,
) -> Vec<bool> {
    let mut reached = vec![false; count];
    let mut stack: Vec<NodeIndex> = Vec::new();
    for &start in starts {
        if !std::mem::replace(&mut reached[start as usize], true) {
            stack.push(start);
        }
    }
    while let Some(node) = stack.pop() {
        for &position in &positions[offsets[node as usize] as usize..offsets[node as usize + 1] as usize] {
            let target = next(&graph.edges[position as usize]);
            if !std::mem::replace(&mut reached[target as usize], true) {
                stack.push(target);
            }
        }
    }
    reached
}
