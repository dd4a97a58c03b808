//! Searches of one rule on the dataflow engine.

use std::collections::BTreeMap;

use vyre_dataflow::{Dataflow, DataflowError, Finding, Options};
use vyre_graph::{CsrGraph, Role};

use super::compact::CompactGraph;
use super::witness::Expansion;
use super::{Flow, Request};
use crate::knowledge::RuleMask;
use crate::value_flow::{Sink, Source};

/// Backward graph of the edges with all bits of a mask, with targets of the search as sinks.
pub(super) fn backward_graph(compact: &CompactGraph, mask: RuleMask, targets: &[u32]) -> CsrGraph {
    let count = compact.layered.nodes as usize * 2;
    let mut offsets = vec![0_u32; count + 1];
    let edges = || compact.layered.edges.iter().filter(|edge| edge.2 & mask == mask);
    for &(_, to, ..) in edges() {
        offsets[to as usize + 1] += 1;
    }
    for position in 1..offsets.len() {
        offsets[position] += offsets[position - 1];
    }
    let mut next = offsets.clone();
    let mut all = vec![0_u32; offsets[count] as usize];
    for &(from, to, ..) in edges() {
        all[next[to as usize] as usize] = from;
        next[to as usize] += 1;
    }
    let mut node_data = vec![0_u32; count];
    for &target in targets {
        node_data[target as usize] = Role::Sink.word();
    }
    CsrGraph { offsets, targets: all, node_data }
}

/// Nearest target of each start, and all targets: start, depth, target.
pub(super) struct Reached {
    /// Findings by start, nearest first.
    pub(super) by_start: BTreeMap<u32, Vec<Finding>>,
}

/// Searches from starts to targets, on one layer's numbers: starts count in both layers, targets in layer 1.
pub(super) fn reach(
    compact: &CompactGraph,
    engine: &Dataflow,
    mask: RuleMask,
    starts: &[u32],
    targets: &[u32],
) -> Result<(CsrGraph, Reached), DataflowError> {
    let graph = backward_graph(compact, mask, targets);
    let mut reached = Reached { by_start: BTreeMap::new() };
    if starts.is_empty() || targets.is_empty() {
        return Ok((graph, reached));
    }
    let nodes = compact.layered.nodes;
    let both: Vec<u32> = starts.iter().copied().chain(starts.iter().map(|start| start + nodes)).collect();
    let loaded = engine.load(graph.view())?;
    let (findings, _) = loaded.taint(&both, &Options::default())?;
    drop(loaded);
    for finding in findings {
        let start = if finding.source >= nodes { finding.source - nodes } else { finding.source };
        reached.by_start.entry(start).or_default().push(finding);
    }
    // A start that is a target is its own nearest one.
    for &start in starts {
        if targets.binary_search(&start).is_ok() {
            let own = Finding { source: start, sink: start, depth: 0, source_index: 0, facts: 1 };
            let list = reached.by_start.entry(start).or_default();
            if !list.iter().any(|finding| finding.depth == 0) {
                list.push(own);
            }
        }
    }
    for list in reached.by_start.values_mut() {
        list.sort_by_key(|finding| (finding.depth, finding.sink, finding.source));
    }
    Ok((graph, reached))
}

/// Searches a rule whose findings are flows from sources to sinks.
pub(super) fn search_rule(
    request: Request<'_>,
    compact: &CompactGraph,
    engine: &Dataflow,
    rule: usize,
) -> Result<Vec<Flow>, DataflowError> {
    let bit: RuleMask = 1 << rule;
    let sources = sources_of(request, compact, bit);
    let mut sinks: BTreeMap<u32, Sink> = BTreeMap::new();
    for sink in request.roles.sinks.iter().filter(|sink| sink.rules & bit != 0) {
        if let Some(number) = compact.number(sink.node) {
            sinks.insert(number, *sink);
        }
    }
    let starts: Vec<u32> = sinks.keys().copied().collect();
    let targets: Vec<u32> = sources.keys().copied().collect();
    let (graph, reached) = reach(compact, engine, bit, &starts, &targets)?;
    // One finding for each sink instruction: the nearest source over all of its endpoints.
    // Inputs of a running program come before parameters of exports: their findings are more severe.
    let rank = |finding: &Finding| {
        let model = sources
            .get(&finding.sink)
            .and_then(|source| request.knowledge.sources.get(usize::from(source.kind)))
            .map(|kind| kind.model);
        (model, finding.depth, finding.sink, finding.source)
    };
    let mut best: BTreeMap<u32, (Finding, Sink)> = BTreeMap::new();
    let mut others: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for (start, findings) in &reached.by_start {
        let Some(sink) = sinks.get(start) else { continue };
        for finding in findings {
            others.entry(sink.value).or_default().push((finding.depth, finding.sink));
            let is_nearer = best.get(&sink.value).is_none_or(|(known, _)| rank(finding) < rank(known));
            if is_nearer {
                best.insert(sink.value, (*finding, *sink));
            }
        }
    }
    let expansion = Expansion::new(compact, bit);
    let witnesses = witnesses(engine, &graph, best.values().map(|(finding, _)| *finding))?;
    let mut flows = Vec::new();
    for ((value, (finding, sink)), path) in best.into_iter().zip(witnesses) {
        let mut list = others.remove(&value).unwrap_or_default();
        list.sort_unstable();
        let mut seen = vec![finding.sink];
        let mut rest = Vec::new();
        for (_, source) in list {
            if !seen.contains(&source) && seen.len() < 1000 {
                seen.push(source);
                rest.extend(sources.get(&source).copied());
            }
        }
        let Some(&source) = sources.get(&finding.sink) else { continue };
        flows.push(Flow { rule, sink, source, path: expansion.expand(&path), others: rest });
    }
    Ok(flows)
}

/// Sources of rules by number.
pub(super) fn sources_of(request: Request<'_>, compact: &CompactGraph, bit: RuleMask) -> BTreeMap<u32, Source> {
    let mut sources = BTreeMap::new();
    for source in &request.roles.sources {
        if request.rules_of(source) & bit != 0
            && let Some(number) = compact.number(source.node)
        {
            sources.entry(number).or_insert(*source);
        }
    }
    sources
}

/// Forward paths of findings of a backward search.
pub(super) fn witnesses(
    engine: &Dataflow,
    graph: &CsrGraph,
    findings: impl Iterator<Item = Finding>,
) -> Result<Vec<Vec<u32>>, DataflowError> {
    let findings: Vec<Finding> = findings.collect();
    let searched: Vec<Finding> = findings.iter().copied().filter(|finding| finding.depth > 0).collect();
    let mut paths = if searched.is_empty() {
        Vec::new()
    } else {
        engine.load(graph.view())?.witnesses(&searched, &Options::default())?
    }
    .into_iter();
    let mut all = Vec::with_capacity(findings.len());
    for finding in findings {
        let mut path = match finding.depth {
            0 => vec![finding.source],
            _ => paths.next().unwrap_or_default(),
        };
        path.reverse();
        all.push(path);
    }
    Ok(all)
}
