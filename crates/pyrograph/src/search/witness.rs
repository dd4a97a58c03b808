//! Witnesses: expansion of summary edges, so that every step is visible.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;

use super::compact::CompactGraph;
use crate::knowledge::RuleMask;
use crate::points_to::NodeIndex;
use crate::value_flow::EdgeKind;
use crate::value_flow::layers::LayerEdge;

/// Largest nesting of expanded calls. Deeper calls are one step.
const MAX_EXPANSION: u32 = 12;
/// Largest number of steps.
const MAX_STEPS: usize = 400;

/// A step of a path: a node of the value-flow graph, and the kind of the edge that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// Node.
    pub node: NodeIndex,
    /// Edge that leads to the node. None: the first one.
    pub edge: Option<EdgeKind>,
}

/// Expansion of summary edges for one rule.
pub(super) struct Expansion<'c> {
    compact: &'c CompactGraph,
    mask: RuleMask,
}

impl<'c> Expansion<'c> {
    /// Expansion with the edges that have all bits of a mask.
    pub(super) fn new(compact: &'c CompactGraph, mask: RuleMask) -> Expansion<'c> {
        Expansion { compact, mask }
    }

    /// Steps of a path over both layers.
    pub(super) fn expand(&self, path: &[u32]) -> Vec<PathStep> {
        let nodes = self.compact.layered.nodes;
        let mut steps = Vec::new();
        let Some(&first) = path.first() else { return steps };
        steps.push(self.step(first % nodes.max(1), None));
        for pair in path.windows(2) {
            let edges = self.compact.layered.edges_of(pair[0]).iter();
            let edge =
                edges.filter(|edge| edge.1 == pair[1] && edge.2 & self.mask == self.mask).min_by_key(|edge| edge.3);
            match edge.map(|edge| edge.3) {
                Some(LayerEdge::Edge(position)) => {
                    let edge = &self.compact.edges[position as usize];
                    steps.push(self.step(edge.to, Some(edge.kind)));
                }
                Some(LayerEdge::Summary(position)) => self.expand_summary(position, 0, &mut steps),
                None => steps.push(self.step(pair[1] % nodes, Some(EdgeKind::Intra))),
            }
        }
        steps
    }

    fn step(&self, number: u32, edge: Option<EdgeKind>) -> PathStep {
        PathStep { node: self.compact.originals[number as usize], edge }
    }

    fn expand_summary(&self, position: u32, depth: u32, steps: &mut Vec<PathStep>) {
        let summary = self.compact.summaries.edges[position as usize];
        if depth < MAX_EXPANSION
            && steps.len() < MAX_STEPS
            && let Some(inner) = self.path_inside(summary.entry, summary.exit, summary.rank)
        {
            steps.push(self.step(summary.entry, Some(EdgeKind::Call(summary.instance))));
            for (node, summary) in inner {
                match summary {
                    None => steps.push(self.step(node, Some(EdgeKind::Intra))),
                    Some(summary) => self.expand_summary(summary, depth + 1, steps),
                }
            }
        }
        steps.push(self.step(summary.to, Some(EdgeKind::Return(summary.instance))));
    }

    /// Shortest path inside a function, by breadth-first search: nodes after the entry, with the summary edges on it.
    ///
    /// The path has only summary edges before a rank. So the expansion of recursive calls ends: an edge does not contain itself.
    fn path_inside(&self, entry: u32, exit: u32, rank: u32) -> Option<Vec<(u32, Option<u32>)>> {
        let mut previous: HashMap<u32, (u32, Option<u32>), FixedState> = HashMap::default();
        let mut queue = VecDeque::from([entry]);
        previous.insert(entry, (entry, None));
        while let Some(node) = queue.pop_front() {
            if node == exit {
                break;
            }
            let edges = &self.compact.edges;
            let start = edges.partition_point(|edge| edge.from < node);
            for edge in edges[start..].iter().take_while(|edge| edge.from == node) {
                if edge.kind == EdgeKind::Intra && edge.mask & self.mask == self.mask {
                    previous.entry(edge.to).or_insert_with(|| {
                        queue.push_back(edge.to);
                        (node, None)
                    });
                }
            }
            let summaries = &self.compact.summaries.edges;
            let start = summaries.partition_point(|summary| summary.from < node);
            for (offset, summary) in summaries[start..].iter().take_while(|summary| summary.from == node).enumerate() {
                if summary.rank < rank && summary.mask & self.mask == self.mask {
                    previous.entry(summary.to).or_insert_with(|| {
                        queue.push_back(summary.to);
                        (node, Some((start + offset) as u32))
                    });
                }
            }
        }
        let mut path = Vec::new();
        let mut node = exit;
        while node != entry {
            let &(before, summary) = previous.get(&node)?;
            path.push((node, summary));
            node = before;
        }
        path.reverse();
        Some(path)
    }
}

#[cfg(test)]
mod tests;
