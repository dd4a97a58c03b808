//! Nearest targets of many starts with one search, where all pairs of starts and targets would be too many.

use std::collections::BTreeMap;

use vyre_dataflow::{Dataflow, DataflowError, Finding, Options};
use vyre_graph::{CsrGraph, Role};

use super::compact::CompactGraph;
use crate::knowledge::RuleMask;

/// Most paths that are in memory at once.
const CHUNK: usize = 4096;

/// Search from groups of targets to the starts.
pub(super) struct Nearest {
    graph: CsrGraph,
    /// Node of the group of each target. A target of several groups is in the first one.
    roots: BTreeMap<u32, u32>,
    /// Nearest target of each start and group, in both layers, as findings of the backward graph.
    pub(super) findings: Vec<Finding>,
}

impl Nearest {
    /// Searches the nearest target of each start in each group.
    ///
    /// A node for each group leads to its targets. The search begins there and follows the edges forwards, so it visits the
    /// graph once for each group, whatever the number of starts and targets.
    pub(super) fn new(
        compact: &CompactGraph,
        engine: &Dataflow,
        mask: RuleMask,
        starts: &[u32],
        groups: &[Vec<u32>],
    ) -> Result<Nearest, DataflowError> {
        let nodes = compact.layered.nodes;
        let mut roots = BTreeMap::new();
        for (group, targets) in groups.iter().enumerate() {
            for &target in targets {
                roots.entry(target).or_insert(nodes * 2 + group as u32);
            }
        }
        let graph = forward_graph(compact, mask, starts, &roots, groups.len());
        let starts: Vec<u32> = (0..groups.len() as u32).map(|group| nodes * 2 + group).collect();
        let mut nearest = Nearest { graph, roots, findings: Vec::new() };
        let loaded = engine.load(nearest.graph.view())?;
        let (found, _) = loaded.taint(&starts, &Options::default())?;
        let mut findings = Vec::with_capacity(found.len());
        for chunk in found.chunks(CHUNK) {
            for (finding, path) in chunk.iter().zip(loaded.witnesses(chunk, &Options::default())?) {
                // The path begins with the node of the group, and one of its targets.
                let (Some(&target), Some(depth)) = (path.get(1), finding.depth.checked_sub(1)) else { continue };
                findings.push(Finding { source: finding.sink, sink: target, depth, source_index: 0, facts: 1 });
            }
        }
        drop(loaded);
        nearest.findings = findings;
        Ok(nearest)
    }

    /// Paths of findings from the target to the start.
    pub(super) fn paths(&self, engine: &Dataflow, findings: &[Finding]) -> Result<Vec<Vec<u32>>, DataflowError> {
        let searched: Vec<Finding> = findings
            .iter()
            .map(|finding| Finding {
                source: self.roots.get(&finding.sink).copied().unwrap_or(finding.sink),
                sink: finding.source,
                depth: finding.depth + 1,
                source_index: 0,
                facts: 1,
            })
            .collect();
        let mut paths = engine.load(self.graph.view())?.witnesses(&searched, &Options::default())?;
        for path in &mut paths {
            path.drain(..1);
        }
        Ok(paths)
    }
}

/// Forward graph of the edges with all bits of a mask, with nodes for groups of targets, and the starts in both layers as sinks.
fn forward_graph(
    compact: &CompactGraph,
    mask: RuleMask,
    starts: &[u32],
    roots: &BTreeMap<u32, u32>,
    groups: usize,
) -> CsrGraph {
    let nodes = compact.layered.nodes;
    let count = nodes as usize * 2 + groups;
    let mut offsets = Vec::with_capacity(count + 1);
    let mut targets = Vec::new();
    offsets.push(0);
    // The edges are in order of their origins.
    let mut edges = compact.layered.edges.iter().peekable();
    for node in 0..nodes * 2 {
        while let Some(edge) = edges.next_if(|edge| edge.0 == node) {
            if edge.2 & mask == mask {
                targets.push(edge.1);
            }
        }
        offsets.push(targets.len() as u32);
    }
    for group in 0..groups as u32 {
        targets.extend(roots.iter().filter(|(_, root)| **root == nodes * 2 + group).map(|(target, _)| *target));
        offsets.push(targets.len() as u32);
    }
    let mut node_data = vec![0_u32; count];
    for &start in starts {
        node_data[start as usize] = Role::Sink.word();
        node_data[(start + nodes) as usize] = Role::Sink.word();
    }
    CsrGraph { offsets, targets, node_data }
}

#[cfg(test)]
mod tests;
