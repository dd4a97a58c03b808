//! Summary edges (Horwitz, Reps and Binkley, TOPLAS 1990), by tabulation.
//!
//! A summary edge leads from an argument to a result of the same call, if the parameter reaches the result inside the callee,
//! along edges inside of functions and summary edges. Its mask has the rules for which an unsanitised path exists: masks are
//! intersected along paths and united over them, so that a summary does not bypass a sanitizer.
//!
//! All rules are independent of each other, so that work is only done for rules that are new: a pair of an entry and a node
//! is visited again if it was reached for further rules, and for these only. A summary edge has the rules of one visit; there may
//! be several with the same ends and different rules. Cost: every pair of an entry and a node that it reaches is visited once
//! for each growth of its mask.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::graph::{Edge, EdgeKind};
use crate::knowledge::RuleMask;
use crate::points_to::NodeIndex;

/// Largest number of pairs of entry and node.
const MAX_PAIRS: usize = 1_000_000;
/// Largest number of summary edges.
const MAX_SUMMARIES: u32 = 300_000;
/// Largest number of steps along an edge: a constant and a part for each node.
const MIN_STEPS: u64 = 3_000_000;
const STEPS_PER_NODE: u64 = 5;
/// Visits between two looks at the limits.
const VISITS: u32 = 1024;

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
    /// Position in the order of discovery. For each rule of the mask there is a path from entry to exit whose summary edges
    /// were all discovered before this one.
    pub rank: u32,
}

/// Result: summary edges, sorted by origin and target; false if the limit was reached.
#[derive(Debug, Default)]
pub struct Summaries {
    /// Summary edges.
    pub edges: Vec<Summary>,
    /// True if all were computed.
    pub is_complete: bool,
}

/// Edge of one kind: origin, target, rules, call instance.
type Adjacent = (NodeIndex, NodeIndex, RuleMask, u32);

/// Adjacency of edges of one kind.
struct Adjacency {
    offsets: Vec<u32>,
    /// Targets of each node in order of instances.
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
        for node in 0..nodes {
            targets[offsets[node] as usize..offsets[node + 1] as usize].sort_by_key(|&(_, _, instance)| instance);
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
    /// Masks of pairs of entry and node: all rules, and those that have not been visited yet.
    pairs: HashMap<u64, (RuleMask, RuleMask), FixedState>,
    /// Entries that reach each node.
    reached_by: HashMap<NodeIndex, Vec<NodeIndex>, FixedState>,
    /// Summary edges of each argument.
    summaries: HashMap<NodeIndex, Vec<Summary>, FixedState>,
    summary_count: u32,
    /// Rules of the summary edges between two nodes.
    covered: HashMap<(NodeIndex, NodeIndex), RuleMask, FixedState>,
    work: Vec<(NodeIndex, NodeIndex)>,
    nodes: u64,
    steps: u64,
}

impl Tabulation {
    fn new(nodes: usize, edges: &[Edge]) -> Tabulation {
        let of_kind = |select: fn(&Edge) -> Option<Adjacent>| edges.iter().filter_map(select);
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
            summary_count: 0,
            covered: HashMap::default(),
            work: Vec::new(),
            nodes: nodes as u64,
            steps: 0,
        }
    }

    fn run(mut self, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Summaries {
        let is_complete = self.tabulate(is_cancelled);
        let mut edges: Vec<Summary> = Vec::with_capacity(self.summary_count as usize);
        let mut origins: Vec<NodeIndex> = self.summaries.keys().copied().collect();
        origins.sort_unstable();
        for origin in origins {
            edges.append(self.summaries.get_mut(&origin).unwrap_or(&mut Vec::new()));
        }
        edges.sort_unstable();
        Summaries { edges, is_complete }
    }

    /// Visits all pairs. False: a limit was reached.
    fn tabulate(&mut self, is_cancelled: &(dyn Fn() -> bool + Sync)) -> bool {
        let mut visits = 0;
        for entry in std::mem::take(&mut self.entries) {
            self.reach(entry, entry, RuleMask::MAX);
            while let Some((entry, node)) = self.work.pop() {
                self.visit(entry, node);
                visits += 1;
                let is_over = self.pairs.len() > MAX_PAIRS
                    || self.summary_count >= MAX_SUMMARIES
                    || self.steps > MIN_STEPS + STEPS_PER_NODE * self.nodes;
                if visits % VISITS == 0 && (is_over || is_cancelled()) {
                    return false;
                }
            }
        }
        true
    }

    fn reach(&mut self, entry: NodeIndex, node: NodeIndex, mask: RuleMask) {
        self.steps += 1;
        if mask == 0 {
            return;
        }
        let (known, pending) = self.pairs.entry(u64::from(entry) << 32 | u64::from(node)).or_insert((0, 0));
        let new = mask & !*known;
        if new == 0 {
            return;
        }
        if *known == 0 {
            self.reached_by.entry(node).or_default().push(entry);
        }
        if *pending == 0 {
            self.work.push((entry, node));
        }
        *known |= new;
        *pending |= new;
    }

    /// Follows the edges of a node for the rules for which an entry newly reaches it.
    fn visit(&mut self, entry: NodeIndex, node: NodeIndex) {
        let Some((_, pending)) = self.pairs.get_mut(&(u64::from(entry) << 32 | u64::from(node))) else { return };
        let mask = std::mem::take(pending);
        for position in 0..self.intra.of(node).len() {
            let (target, edge, _) = self.intra.of(node)[position];
            self.reach(entry, target, mask & edge);
        }
        for position in 0..self.summaries.get(&node).map_or(0, Vec::len) {
            let Some(&Summary { to, mask: edge, .. }) = self.summaries.get(&node).and_then(|list| list.get(position))
            else {
                break;
            };
            self.reach(entry, to, mask & edge);
        }
        // Arguments and results of the same call; both lists are in order of calls.
        let mut first = 0;
        for position in 0..self.results.of(node).len() {
            let (result, returned, instance) = self.results.of(node)[position];
            let arguments = self.arguments.of(entry);
            first += arguments[first..].partition_point(|&(_, _, call)| call < instance);
            for position in first..arguments.len() {
                let (argument, passed, call) = self.arguments.of(entry)[position];
                if call != instance {
                    break;
                }
                let mask = mask & returned & passed;
                self.summarize(Summary { from: argument, to: result, instance, entry, exit: node, mask, rank: 0 });
            }
        }
    }

    fn summarize(&mut self, mut summary: Summary) {
        if summary.mask == 0 || summary.from == summary.to {
            return;
        }
        // One summary edge between two nodes suffices, unless another one has more rules.
        let known = self.covered.entry((summary.from, summary.to)).or_insert(0);
        if *known | summary.mask == *known {
            return;
        }
        *known |= summary.mask;
        summary.rank = self.summary_count;
        self.summary_count += 1;
        self.summaries.entry(summary.from).or_default().push(summary);
        for position in 0..self.reached_by.get(&summary.from).map_or(0, Vec::len) {
            let Some(&entry) = self.reached_by.get(&summary.from).and_then(|entries| entries.get(position)) else {
                break;
            };
            let Some(&(reached, _)) = self.pairs.get(&(u64::from(entry) << 32 | u64::from(summary.from))) else {
                continue;
            };
            self.reach(entry, summary.to, reached & summary.mask);
        }
    }
}
