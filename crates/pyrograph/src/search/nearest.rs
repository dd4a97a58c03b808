//! Nearest targets of many starts with one search, where all pairs of starts and targets would be too many.

use std::collections::BTreeMap;

use vyre_dataflow::{Dataflow, DataflowError, Finding, Options};
use vyre_graph::{CsrGraph, Role};

use super::subgraph::Subgraph;

/// Most paths that are in memory at once.
const CHUNK: usize = 4096;

/// Search from groups of targets to the starts.
pub(super) struct Nearest {
    /// Node of the two layers for each node of the graph. Nodes of groups follow.
    originals: Vec<u32>,
    graph: CsrGraph,
    /// Node of the group of each target. A target of several groups is in the first one.
    roots: BTreeMap<u32, u32>,
    /// Number of each start in the graph.
    starts: BTreeMap<u32, u32>,
    /// Nearest target of each start and group, in both layers, as findings of the backward graph.
    pub(super) findings: Vec<Finding>,
}

impl Nearest {
    /// Searches the nearest target of each start in each group.
    ///
    /// A node for each group leads to its targets. The search begins there and follows the edges forwards, so it visits the
    /// graph once for each group, whatever the number of starts and targets.
    pub(super) fn new(
        subgraph: &Subgraph,
        engine: &Dataflow,
        nodes: u32,
        starts: &[u32],
        groups: &[Vec<u32>],
    ) -> Result<Nearest, DataflowError> {
        let count = subgraph.originals.len() as u32;
        let mut roots = BTreeMap::new();
        for (group, targets) in groups.iter().enumerate() {
            for &target in targets {
                if let Some(number) = subgraph.number(target) {
                    roots.entry(number).or_insert(count + group as u32);
                }
            }
        }
        let both = starts.iter().copied().chain(starts.iter().map(|start| start + nodes));
        let starts = both.filter_map(|start| Some((start, subgraph.number(start)?))).collect();
        let graph = forward_graph(subgraph, &starts, &roots, groups.len());
        let mut nearest = Nearest { originals: subgraph.originals.clone(), graph, roots, starts, findings: Vec::new() };
        if nearest.roots.is_empty() || nearest.starts.is_empty() {
            return Ok(nearest);
        }
        let begins: Vec<u32> = (0..groups.len() as u32).map(|group| count + group).collect();
        let loaded = engine.load(nearest.graph.view())?;
        let (found, _) = loaded.taint(&begins, &Options::default())?;
        let mut findings = Vec::with_capacity(found.len());
        for chunk in found.chunks(CHUNK) {
            for (finding, path) in chunk.iter().zip(loaded.witnesses(chunk, &Options::default())?) {
                // The path begins with the node of the group, and one of its targets.
                let (Some(&target), Some(depth)) = (path.get(1), finding.depth.checked_sub(1)) else { continue };
                let (source, sink) = (nearest.original(finding.sink), nearest.original(target));
                findings.push(Finding { source, sink, depth, source_index: 0, facts: 1 });
            }
        }
        drop(loaded);
        nearest.findings = findings;
        Ok(nearest)
    }

    /// Node of the two layers.
    fn original(&self, number: u32) -> u32 {
        self.originals.get(number as usize).copied().unwrap_or(u32::MAX)
    }

    /// Paths of findings from the target to the start.
    pub(super) fn paths(&self, engine: &Dataflow, findings: &[Finding]) -> Result<Vec<Vec<u32>>, DataflowError> {
        let targets: BTreeMap<u32, u32> =
            self.roots.iter().map(|(&number, &root)| (self.original(number), root)).collect();
        let searched: Vec<Finding> = findings
            .iter()
            .filter_map(|finding| {
                Some(Finding {
                    source: *targets.get(&finding.sink)?,
                    sink: *self.starts.get(&finding.source)?,
                    depth: finding.depth + 1,
                    source_index: 0,
                    facts: 1,
                })
            })
            .collect();
        let paths = engine.load(self.graph.view())?.witnesses(&searched, &Options::default())?;
        Ok(paths.into_iter().map(|path| path.into_iter().skip(1).map(|node| self.original(node)).collect()).collect())
    }
}

/// Forward graph with nodes for groups of targets, and the starts as sinks.
fn forward_graph(
    subgraph: &Subgraph,
    starts: &BTreeMap<u32, u32>,
    roots: &BTreeMap<u32, u32>,
    groups: usize,
) -> CsrGraph {
    let count = subgraph.originals.len();
    let (mut offsets, mut targets) = (subgraph.offsets.clone(), subgraph.edges.clone());
    for group in 0..groups {
        let members = roots.iter().filter(|(_, root)| **root as usize == count + group);
        targets.extend(members.map(|(target, _)| *target));
        offsets.push(targets.len() as u32);
    }
    let mut node_data = vec![0_u32; count + groups];
    for &start in starts.values() {
        node_data[start as usize] = Role::Sink.word();
    }
    CsrGraph { offsets, targets, node_data }
}

#[cfg(test)]
mod tests;
