//! Summary edges (Horwitz, Reps and Binkley, TOPLAS 1990), by tabulation.
//!
//! A summary edge leads from an argument to a result of the same call, if the parameter reaches the result inside the callee,
//! along edges inside of functions and summary edges. Its mask has the rules for which an unsanitised path exists: masks are
//! intersected along paths and united over them, so that a summary does not bypass a sanitizer.
//!
//! Cost: every pair of an entry and a node that it reaches is visited once for each growth of its mask.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::graph::{Edge, EdgeKind};
use crate::knowledge::RuleMask;
use crate::points_to::NodeIndex;

/// Largest number of pairs of entry and node.
const MAX_PAIRS: usize = 24_000_000;

/// A summary edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Summary {
    /// Argument.
    pub from: NodeIndex,
    /// Result.
    pub to: NodeIndex,
    /// Call instance.
    pub instance: u32,
    /// Parameter that the argument is passed to.
    pub entry: NodeIndex,
    /// Node of the callee that is passed back.
    pub exit: NodeIndex,
    /// Rules for which an unsanitised path exists.
    pub mask: RuleMask,
}

/// Result: summary edges, sorted by origin and target; false if the limit was reached.
#[derive(Debug, Default)]
pub struct Summaries {
    /// Summary edges.
    pub edges: Vec<Summary>,
    /// True if all were computed.
    pub is_complete: bool,
}

/// Adjacency of edges of one kind.
struct Adjacency {
    offsets: Vec<u32>,
    targets: Vec<(NodeIndex, RuleMask, u32)>,
}

impl Adjacency {
    fn new(nodes: usize, edges: impl Iterator<Item = (NodeIndex, NodeIndex, RuleMask, u32)> + Clone) -> Adjacency {
        let mut offsets = vec![0_u32; nodes + 1];
        for (from, ..) in edges.clone() {
            offsets[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut targets = vec![(0, 0, 0); offsets[nodes] as usize];
        for (from, to, mask, instance) in edges {
            targets[next[from as usize] as usize] = (to, mask, instance);
            next[from as usize] += 1;
        }
        Adjacency { offsets, targets }
    }

    fn of(&self, node: NodeIndex) -> &[(NodeIndex, RuleMask, u32)] {
        &self.targets[self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize]
    }
}

/// Computes the summary edges of a graph whose nodes are numbered from 0.
#[must_use]
pub fn summarize(nodes: usize, edges: &[Edge], is_cancelled: &(dyn Fn() -> bool + Sync)) -> Summaries {
    Tabulation::new(nodes, edges).run(is_cancelled)
}

struct Tabulation {
    intra: Adjacency,
    /// Arguments of each entry: argument, mask, instance.
    arguments: Adjacency,
    /// Results of each exit: result, mask, instance.
    results: Adjacency,
    entries: Vec<NodeIndex>,
    /// Masks of pairs of entry and node.
    pairs: HashMap<u64, RuleMask, FixedState>,
    /// Entries that reach each node.
    reached_by: HashMap<NodeIndex, Vec<NodeIndex>, FixedState>,
    /// Summary edges of each argument.
    summaries: HashMap<NodeIndex, Vec<Summary>, FixedState>,
    work: Vec<(NodeIndex, NodeIndex)>,
}

impl Tabulation {
    fn new(nodes: usize, edges: &[Edge]) -> Tabulation {
        let of_kind =
            |select: fn(&Edge) -> Option<(NodeIndex, NodeIndex, RuleMask, u32)>| edges.iter().filter_map(select);
        let intra = Adjacency::new(
            nodes,
            of_kind(|edge| (edge.kind == EdgeKind::Intra).then_some((edge.from, edge.to, edge.mask, 0))),
        );
        let arguments = Adjacency::new(
            nodes,
            of_kind(|edge| match edge.kind {
                EdgeKind::Call(instance) => Some((edge.to, edge.from, edge.mask, instance)),
                _ => None,
            }),
        );
        let results = Adjacency::new(
            nodes,
            of_kind(|edge| match edge.kind {
                EdgeKind::Return(instance) => Some((edge.from, edge.to, edge.mask, instance)),
                _ => None,
            }),
        );
        let entries = (0..nodes as NodeIndex).filter(|&node| !arguments.of(node).is_empty()).collect();
        Tabulation {
            intra,
            arguments,
            results,
            entries,
            pairs: HashMap::default(),
            reached_by: HashMap::default(),
            summaries: HashMap::default(),
            work: Vec::new(),
        }
    }

    fn run(mut self, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Summaries {
        let mut is_complete = true;
        let entries = std::mem::take(&mut self.entries);
        for entry in entries {
            self.reach(entry, entry, RuleMask::MAX);
            while let Some((entry, node)) = self.work.pop() {
                self.propagate(entry, node);
            }
            if self.pairs.len() > MAX_PAIRS || is_cancelled() {
                is_complete = false;
                break;
            }
        }
        let mut edges: Vec<Summary> = Vec::new();
        let mut origins: Vec<NodeIndex> = self.summaries.keys().copied().collect();
        origins.sort_unstable();
        for origin in origins {
            edges.append(self.summaries.get_mut(&origin).unwrap_or(&mut Vec::new()));
        }
        edges.sort_unstable();
        Summaries { edges, is_complete }
    }

    fn reach(&mut self, entry: NodeIndex, node: NodeIndex, mask: RuleMask) {
        if mask == 0 {
            return;
        }
        let known = self.pairs.entry(u64::from(entry) << 32 | u64::from(node)).or_insert(0);
        let is_new = *known == 0;
        if *known | mask == *known {
            return;
        }
        *known |= mask;
        if is_new {
            self.reached_by.entry(node).or_default().push(entry);
        }
        self.work.push((entry, node));
    }

    fn propagate(&mut self, entry: NodeIndex, node: NodeIndex) {
        let mask = self.pairs[&(u64::from(entry) << 32 | u64::from(node))];
        for position in 0..self.intra.of(node).len() {
            let (target, edge, _) = self.intra.of(node)[position];
            self.reach(entry, target, mask & edge);
        }
        if let Some(summaries) = self.summaries.get(&node) {
            for (target, edge) in summaries.iter().map(|summary| (summary.to, summary.mask)).collect::<Vec<_>>() {
                self.reach(entry, target, mask & edge);
            }
        }
        for position in 0..self.results.of(node).len() {
            let (result, returned, instance) = self.results.of(node)[position];
            for position in 0..self.arguments.of(entry).len() {
                let (argument, passed, call) = self.arguments.of(entry)[position];
                if call == instance {
                    let mask = mask & returned & passed;
                    self.summarize(Summary { from: argument, to: result, instance, entry, exit: node, mask });
                }
            }
        }
    }

    fn summarize(&mut self, summary: Summary) {
        if summary.mask == 0 || summary.from == summary.to {
            return;
        }
        let list = self.summaries.entry(summary.from).or_default();
        match list.iter_mut().find(|known| {
            (known.to, known.instance, known.entry, known.exit)
                == (summary.to, summary.instance, summary.entry, summary.exit)
        }) {
            Some(known) if known.mask | summary.mask == known.mask => return,
            Some(known) => known.mask |= summary.mask,
            None => list.push(summary),
        }
        for entry in self.reached_by.get(&summary.from).cloned().unwrap_or_default() {
            let reached = self.pairs[&(u64::from(entry) << 32 | u64::from(summary.from))];
            self.reach(entry, summary.to, reached & summary.mask);
        }
    }
}
