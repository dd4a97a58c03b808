//! The part of the two layers that one search is about: nodes between its starts and its targets, along edges of its rules.
//!
//! Most rules have few sinks that a source reaches. Two sweeps over the graph cost less than one search of the engine on all of
//! it, and the engine then searches a small graph.

use super::compact::CompactGraph;
use crate::knowledge::RuleMask;

/// Adjacency of the two layers: positions of edges by origin and by target.
#[derive(Debug)]
pub struct LayerAdjacency {
    /// First edge of each origin, and the end. The edges are in order of their origins.
    forward: Vec<u32>,
    /// First entry of each target in `positions`, and the end.
    backward: Vec<u32>,
    /// Positions of edges in order of their targets.
    positions: Vec<u32>,
}

impl LayerAdjacency {
    /// Adjacency of sorted edges.
    pub(super) fn new<T, U>(nodes: usize, edges: &[(u32, u32, T, U)]) -> LayerAdjacency {
        let (mut forward, mut backward) = (vec![0_u32; nodes + 1], vec![0_u32; nodes + 1]);
        for (from, to, ..) in edges {
            forward[*from as usize + 1] += 1;
            backward[*to as usize + 1] += 1;
        }
        for node in 0..nodes {
            forward[node + 1] += forward[node];
            backward[node + 1] += backward[node];
        }
        let mut next = backward.clone();
        let mut positions = vec![0_u32; edges.len()];
        for (position, (_, to, ..)) in edges.iter().enumerate() {
            positions[next[*to as usize] as usize] = position as u32;
            next[*to as usize] += 1;
        }
        LayerAdjacency { forward, backward, positions }
    }
}

/// Number of a node that does not take part.
const NONE: u32 = u32::MAX;

/// Nodes between targets and starts, with consecutive numbers.
pub(super) struct Subgraph {
    /// Node of the two layers for each number.
    pub(super) originals: Vec<u32>,
    /// Number of each node of the two layers.
    numbers: Vec<u32>,
    /// First edge of each node, and the end.
    pub(super) offsets: Vec<u32>,
    /// Targets of edges.
    pub(super) edges: Vec<u32>,
}

impl Subgraph {
    /// Selects the nodes that a target reaches and that reach a start, along edges with all bits of a mask. Starts count in
    /// both layers, targets in layer 1.
    pub(super) fn new(compact: &CompactGraph, mask: RuleMask, starts: &[u32], targets: &[u32]) -> Subgraph {
        let nodes = compact.layered.nodes;
        let (edges, adjacency) = (&compact.layered.edges, &compact.adjacency);
        let range = |offsets: &[u32], node: u32| offsets[node as usize] as usize..offsets[node as usize + 1] as usize;
        let mut state = vec![0_u8; nodes as usize * 2];
        let mut stack: Vec<u32> = Vec::new();
        for &target in targets {
            if std::mem::replace(&mut state[target as usize], REACHED) == 0 {
                stack.push(target);
            }
        }
        while let Some(node) = stack.pop() {
            for &(_, to, rules, _) in &edges[range(&adjacency.forward, node)] {
                if rules & mask == mask && state[to as usize] == 0 {
                    state[to as usize] = REACHED;
                    stack.push(to);
                }
            }
        }
        for start in starts.iter().copied().chain(starts.iter().map(|start| start + nodes)) {
            if state[start as usize] == REACHED {
                state[start as usize] = SELECTED;
                stack.push(start);
            }
        }
        while let Some(node) = stack.pop() {
            for &position in &adjacency.positions[range(&adjacency.backward, node)] {
                let (from, _, rules, _) = edges[position as usize];
                if rules & mask == mask && state[from as usize] == REACHED {
                    state[from as usize] = SELECTED;
                    stack.push(from);
                }
            }
        }
        let mut numbers = vec![NONE; state.len()];
        let mut originals = Vec::new();
        for (node, _) in state.iter().enumerate().filter(|(_, state)| **state == SELECTED) {
            numbers[node] = originals.len() as u32;
            originals.push(node as u32);
        }
        let mut offsets = vec![0_u32];
        let mut selected = Vec::new();
        for &node in &originals {
            for &(_, to, rules, _) in &edges[range(&adjacency.forward, node)] {
                if rules & mask == mask && numbers[to as usize] != NONE {
                    selected.push(numbers[to as usize]);
                }
            }
            offsets.push(selected.len() as u32);
        }
        Subgraph { originals, numbers, offsets, edges: selected }
    }

    /// Number of a node of the two layers.
    pub(super) fn number(&self, node: u32) -> Option<u32> {
        self.numbers.get(node as usize).copied().filter(|&number| number != NONE)
    }
}

/// A target reaches the node.
const REACHED: u8 = 1;
/// The node also reaches a start.
const SELECTED: u8 = 2;
