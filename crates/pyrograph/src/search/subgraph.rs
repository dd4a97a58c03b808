//! The part of the two layers that one search is about: nodes between its starts and its targets, along edges of its rules.
//!
//! Most rules have few sinks that a source reaches. Two sweeps over the graph cost less than one search of the engine on all of
//! it, and the engine then searches a small graph.

use super::compact::CompactGraph;
use crate::knowledge::RuleMask;

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
    /// both layers; targets are numbers of the two layers.
    pub(super) fn new(compact: &CompactGraph, mask: RuleMask, starts: &[u32], targets: &[u32]) -> Subgraph {
        let nodes = compact.layered.nodes;
        let layered = &compact.layered;
        let mut state = vec![0_u8; nodes as usize * 2];
        let mut stack: Vec<u32> = Vec::new();
        // Backwards first: nearly all nodes are reached from some target, but few reach the starts of one rule.
        for start in starts.iter().copied().chain(starts.iter().map(|start| start + nodes)) {
            if std::mem::replace(&mut state[start as usize], REACHING) == 0 {
                stack.push(start);
            }
        }
        while let Some(node) = stack.pop() {
            for (from, rules) in compact.backward.of(node) {
                if rules & mask == mask && state[from as usize] == 0 {
                    state[from as usize] = REACHING;
                    stack.push(from);
                }
            }
        }
        for &target in targets {
            if state[target as usize] == REACHING {
                state[target as usize] = SELECTED;
                stack.push(target);
            }
        }
        while let Some(node) = stack.pop() {
            for &(_, to, rules, _) in layered.edges_of(node) {
                if rules & mask == mask && state[to as usize] == REACHING {
                    state[to as usize] = SELECTED;
                    stack.push(to);
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
            for &(_, to, rules, _) in layered.edges_of(node) {
                if rules & mask == mask && numbers[to as usize] != NONE {
                    selected.push(numbers[to as usize]);
                }
            }
            offsets.push(selected.len() as u32);
        }
        Subgraph { originals, numbers, offsets, edges: selected }
    }

    /// Targets of the edges of a node.
    pub(super) fn edges_of(&self, number: u32) -> &[u32] {
        &self.edges[self.offsets[number as usize] as usize..self.offsets[number as usize + 1] as usize]
    }

    /// Number of a node of the two layers.
    pub(super) fn number(&self, node: u32) -> Option<u32> {
        self.numbers.get(node as usize).copied().filter(|&number| number != NONE)
    }
}

/// The node reaches a start.
const REACHING: u8 = 1;
/// A target also reaches the node.
const SELECTED: u8 = 2;
