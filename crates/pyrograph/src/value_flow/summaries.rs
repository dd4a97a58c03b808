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
use crate::adjacency::Adjacency;
use crate::knowledge::RuleMask;
use crate::limits::Effort;
use crate::lists::Lists;
use crate::points_to::NodeIndex;

/// Largest number of pairs of entry and node.
const MAX_PAIRS: u64 = 4_000_000;
/// Largest number of summary edges.
const MAX_SUMMARIES: u64 = 1_200_000;
/// Largest number of steps along an edge: a constant and a part for each node.
const MIN_STEPS: u64 = 12_000_000;
const STEPS_PER_NODE: u64 = 20;
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

/// Computes the summary edges of a graph whose nodes are numbered from 0.
#[must_use]
pub fn summarize(nodes: usize, edges: &[Edge], effort: Effort, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Summaries {
    Tabulation::new(nodes, edges).run(effort, is_cancelled)
}

/// Edges between a caller and a callee, in order of call instances: rules, call instance.
type Passed = Adjacency<(RuleMask, u32)>;

struct Tabulation {
    intra: Adjacency<RuleMask>,
    /// Arguments of each entry.
    arguments: Passed,
    /// Results of each exit.
    results: Passed,
    /// Nodes that may reach an exit inside their function. No summary edge is about other nodes.
    is_useful: Vec<bool>,
    entries: Vec<NodeIndex>,
    /// Masks of pairs of entry and node: all rules, and those that have not been visited yet.
    pairs: HashMap<u64, (RuleMask, RuleMask), FixedState>,
    /// Entries that reach each node.
    reached_by: Lists<NodeIndex>,
    /// Summary edges of each argument.
    summaries: Lists<Summary>,
    summary_count: u32,
    /// Rules of the summary edges between two nodes.
    covered: HashMap<(NodeIndex, NodeIndex), RuleMask, FixedState>,
    work: Vec<(NodeIndex, NodeIndex)>,
    nodes: u64,
    steps: u64,
}

impl Tabulation {
    fn new(nodes: usize, edges: &[Edge]) -> Tabulation {
        let instance = |edge: &Edge| match edge.kind {
            EdgeKind::Call(instance) | EdgeKind::Return(instance) => Some(instance),
            EdgeKind::Intra | EdgeKind::Heap => None,
        };
        let instances = edges.iter().filter_map(instance).max().map_or(0, |last| last as usize + 1);
        let intra = edges.iter().filter(|edge| edge.kind == EdgeKind::Intra);
        let positions = (0_u32..).zip(edges).filter_map(|(position, edge)| Some((instance(edge)?, position, ())));
        let by_instance = Adjacency::new(instances, positions);
        let passed = (0..instances as u32).flat_map(|instance| by_instance.of(instance));
        let passed: Vec<Edge> = passed.map(|(position, ())| edges[position as usize]).collect();
        let arguments = passed.iter().filter_map(|edge| match edge.kind {
            EdgeKind::Call(instance) => Some((edge.to, edge.from, (edge.mask, instance))),
            _ => None,
        });
        let results = passed.iter().filter_map(|edge| match edge.kind {
            EdgeKind::Return(instance) => Some((edge.from, edge.to, (edge.mask, instance))),
            _ => None,
        });
        // Every summary edge leads from an argument to a result of an instance, which is a node here.
        let node_of = |instance: u32| nodes as NodeIndex + instance;
        let backward = intra.clone().map(|edge| (edge.to, edge.from, ()));
        let backward = backward.chain(arguments.clone().map(|(_, argument, (_, call))| (node_of(call), argument, ())));
        let backward = backward.chain(results.clone().map(|(_, result, (_, call))| (result, node_of(call), ())));
        let is_useful = Adjacency::new(nodes + instances, backward).reach(results.clone().map(|(exit, ..)| exit));
        let arguments = Adjacency::new(nodes, arguments);
        let results = Adjacency::new(nodes, results);
        let intra = Adjacency::new(nodes, intra.map(|edge| (edge.from, edge.to, edge.mask)));
        let is_entry = |&node: &NodeIndex| !arguments.is_empty(node) && is_useful[node as usize];
        let entries = (0..nodes as NodeIndex).filter(is_entry).collect();
        Tabulation {
            intra,
            arguments,
            results,
            is_useful,
            entries,
            pairs: HashMap::default(),
            reached_by: Lists::new(),
            summaries: Lists::new(),
            summary_count: 0,
            covered: HashMap::default(),
            work: Vec::new(),
            nodes: nodes as u64,
            steps: 0,
        }
    }

    fn run(mut self, effort: Effort, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Summaries {
        let is_complete = self.tabulate(effort, is_cancelled);
        let mut edges = self.summaries.into_entries();
        edges.sort_unstable();
        Summaries { edges, is_complete }
    }

    /// Visits all pairs. False: a limit was reached.
    fn tabulate(&mut self, effort: Effort, is_cancelled: &(dyn Fn() -> bool + Sync)) -> bool {
        let mut visits = 0;
        for entry in std::mem::take(&mut self.entries) {
            self.reach(entry, entry, RuleMask::MAX);
            while let Some((entry, node)) = self.work.pop() {
                self.visit(entry, node);
                visits += 1;
                let is_over = self.pairs.len() as u64 > effort.scale(MAX_PAIRS)
                    || u64::from(self.summary_count) >= effort.scale(MAX_SUMMARIES)
                    || self.steps > effort.scale(MIN_STEPS + STEPS_PER_NODE * self.nodes);
                if visits % VISITS == 0 && (is_over || is_cancelled()) {
                    return false;
                }
            }
        }
        true
    }

    fn reach(&mut self, entry: NodeIndex, node: NodeIndex, mask: RuleMask) {
        self.steps += 1;
        if mask == 0 || !self.is_useful[node as usize] {
            return;
        }
        let (known, pending) = self.pairs.entry(u64::from(entry) << 32 | u64::from(node)).or_insert((0, 0));
        let new = mask & !*known;
        if new == 0 {
            return;
        }
        if *known == 0 {
            self.reached_by.push(node, entry);
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
        for position in self.intra.range(node) {
            let (target, edge) = self.intra.edge(position);
            self.reach(entry, target, mask & edge);
        }
        let mut position = self.summaries.first(node);
        while let Some((Summary { to, mask: edge, .. }, next)) = self.summaries.get(position) {
            self.reach(entry, to, mask & edge);
            position = next;
        }
        // Arguments and results of the same call; both lists are in order of calls.
        let mut arguments = self.arguments.range(entry);
        for position in self.results.range(node) {
            let (result, (returned, instance)) = self.results.edge(position);
            while !arguments.is_empty() && self.arguments.edge(arguments.start).1.1 < instance {
                arguments.start += 1;
            }
            for position in arguments.clone() {
                let (argument, (passed, call)) = self.arguments.edge(position);
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
        self.summaries.push(summary.from, summary);
        let mut position = self.reached_by.first(summary.from);
        while let Some((entry, next)) = self.reached_by.get(position) {
            position = next;
            let Some(&(reached, _)) = self.pairs.get(&(u64::from(entry) << 32 | u64::from(summary.from))) else {
                continue;
            };
            self.reach(entry, summary.to, reached & summary.mask);
        }
    }
}
