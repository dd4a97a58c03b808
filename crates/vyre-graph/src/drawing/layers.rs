//! Cycle removal by a depth-first search, and layers by longest paths.

use crate::construct::to_csr;
use crate::csr::CsrGraph;

/// Layers of nodes, and edges that all lead to a lower layer.
pub(super) struct Layering {
    /// Layer of each node, from the top.
    pub(super) layers: Vec<u32>,
    /// Edges, sorted by source and target.
    pub(super) edges: Vec<LayeredEdge>,
    /// Number of layers.
    pub(super) count: usize,
}

/// An edge between nodes of different layers.
#[derive(Clone, Copy)]
pub(super) struct LayeredEdge {
    pub(super) upper: u32,
    pub(super) lower: u32,
    /// True if the edge of the graph leads from the lower node to the upper one.
    pub(super) is_reversed: bool,
}

impl Layering {
    /// Layers of nodes. Edges must have different ends. The search for cycles begins at sources, so that edges point away from them.
    pub(super) fn new(nodes: u32, edges: &[(u32, u32)], is_source: impl Fn(u32) -> bool) -> Layering {
        let graph = to_csr(nodes, edges);
        let closing = closing_edges(&graph, is_source);
        let edges = edges.iter().zip(closing).map(|(&(source, target), is_reversed)| match is_reversed {
            true => LayeredEdge { upper: target, lower: source, is_reversed },
            false => LayeredEdge { upper: source, lower: target, is_reversed },
        });
        let edges: Vec<LayeredEdge> = edges.collect();
        let down: Vec<(u32, u32)> = edges.iter().map(|edge| (edge.upper, edge.lower)).collect();
        let mut layers = longest_paths(&to_csr(nodes, &down));
        let mut has_edges = vec![false; nodes as usize];
        down.iter().for_each(|&(upper, lower)| [upper, lower].iter().for_each(|&node| has_edges[node as usize] = true));
        let count = place_isolated_nodes(&mut layers, &has_edges);
        Layering { layers, edges, count }
    }

    /// Number of nodes and of points where edges pass layers.
    pub(super) fn item_count(&self) -> usize {
        let passed = |edge: &LayeredEdge| self.layer(edge.lower) - self.layer(edge.upper) - 1;
        self.edges.iter().map(passed).fold(self.layers.len(), usize::saturating_add)
    }

    pub(super) fn layer(&self, node: u32) -> usize {
        self.layers[node as usize] as usize
    }
}

/// State of a node in the search for cycles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnStack,
    Done,
}

/// Marks the edges that a depth-first search finds to lead back to a node of its stack. The others have no cycle.
fn closing_edges(graph: &CsrGraph, is_source: impl Fn(u32) -> bool) -> Vec<bool> {
    let nodes = graph.node_count() as u32;
    let mut has_incoming = vec![false; nodes as usize];
    graph.targets.iter().for_each(|&target| has_incoming[target as usize] = true);
    let mut roots: Vec<u32> = (0..nodes).collect();
    roots.sort_by_key(|&node| (!is_source(node), has_incoming[node as usize]));
    let mut state = vec![State::New; nodes as usize];
    let mut is_closing = vec![false; graph.edge_count()];
    // Nodes with the positions of their next edges.
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in roots {
        if state[root as usize] != State::New {
            continue;
        }
        state[root as usize] = State::OnStack;
        stack.push((root, graph.offsets[root as usize] as usize));
        while let Some((node, next)) = stack.last_mut() {
            let position = *next;
            if position == graph.offsets[*node as usize + 1] as usize {
                state[*node as usize] = State::Done;
                stack.pop();
                continue;
            }
            *next += 1;
            let target = graph.targets[position];
            match state[target as usize] {
                State::New => {
                    state[target as usize] = State::OnStack;
                    stack.push((target, graph.offsets[target as usize] as usize));
                }
                State::OnStack => is_closing[position] = true,
                State::Done => {}
            }
        }
    }
    is_closing
}

/// Number of edges on the longest path to each node. Nodes with more outgoing than incoming edges are then moved down to their first
/// successor, which makes edges shorter. The graph must have no cycle.
fn longest_paths(graph: &CsrGraph) -> Vec<u32> {
    let nodes = graph.node_count();
    let mut layers = vec![0u32; nodes];
    let mut incoming = vec![0usize; nodes];
    graph.targets.iter().for_each(|&target| incoming[target as usize] += 1);
    let mut left = incoming.clone();
    let mut order: Vec<u32> = (0..nodes as u32).filter(|&node| left[node as usize] == 0).collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &target in graph.view().neighbours(node) {
            layers[target as usize] = layers[target as usize].max(layers[node as usize] + 1);
            left[target as usize] -= 1;
            if left[target as usize] == 0 {
                order.push(target);
            }
        }
    }
    for &node in order.iter().rev() {
        let targets = graph.view().neighbours(node);
        if targets.len() > incoming[node as usize]
            && let Some(first) = targets.iter().map(|&target| layers[target as usize]).min()
        {
            layers[node as usize] = first - 1;
        }
    }
    layers
}

/// Moves nodes without edges to rows below all others, so that they do not widen the drawing. Returns the number of layers.
fn place_isolated_nodes(layers: &mut [u32], has_edges: &[bool]) -> usize {
    let highest = layers.iter().zip(has_edges).filter(|(_, has_edges)| **has_edges).map(|(&layer, _)| layer).max();
    let used = highest.map_or(0, |highest| highest as usize + 1);
    let isolated = has_edges.iter().filter(|has_edges| !**has_edges).count();
    let mut widths = vec![0; used];
    let connected = layers.iter().zip(has_edges).filter(|(_, has_edges)| **has_edges);
    connected.for_each(|(&layer, _)| widths[layer as usize] += 1);
    let in_row = isolated.isqrt().max(widths.into_iter().max().unwrap_or(1));
    let alone = layers.iter_mut().zip(has_edges).filter(|(_, has_edges)| !**has_edges);
    alone.enumerate().for_each(|(index, (layer, _))| *layer = (used + index / in_row) as u32);
    used + isolated.div_ceil(in_row)
}
