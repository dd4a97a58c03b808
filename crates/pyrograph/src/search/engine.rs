//! Searches of one rule on the dataflow engine.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use vyre_dataflow::{Dataflow, DataflowError, Finding, Options};
use vyre_graph::{CsrGraph, Role};

use super::compact::CompactGraph;
use super::nearest::Nearest;
use super::subgraph::Subgraph;
use super::witness::Expansion;
use super::{Flow, Found, Request};
use crate::adjacency::Adjacency;
use crate::knowledge::{RuleMask, ThreatModel};
use crate::value_flow::{Sink, Source};

/// Largest work of a search for all pairs of sinks and sources: sinks times edges. The pairs list other sources of a finding, which
/// must not take longer than the search for findings.
const MAX_PAIR_WORK: u64 = 16_000_000;
/// Largest number of pairs of sinks and sources.
const MAX_PAIRS: usize = 200_000;

/// Nearest targets of starts.
pub(super) struct Reached {
    /// Findings by start, nearest first: the nearest target of each group.
    pub(super) by_start: BTreeMap<u32, Vec<Finding>>,
    /// Search, with the part of the graph that it is about. None without starts or targets.
    search: Option<(Subgraph, Nearest)>,
}

impl Reached {
    /// All targets of some starts, nearest first: start, depth, target. None: there are too many.
    pub(super) fn all_pairs(
        &self,
        engine: &Dataflow,
        nodes: u32,
        starts: &[u32],
        targets: &[u32],
    ) -> Result<Option<Pairs>, DataflowError> {
        match &self.search {
            Some((subgraph, _)) => all_pairs(subgraph, engine, nodes, starts, targets),
            None => Ok(Some(Vec::new())),
        }
    }

    /// Paths of findings from the target to the start.
    pub(super) fn witnesses(&self, engine: &Dataflow, findings: &[Finding]) -> Result<Vec<Vec<u32>>, DataflowError> {
        let searched: Vec<Finding> = findings.iter().copied().filter(|finding| finding.depth > 0).collect();
        let mut paths = match &self.search {
            Some((_, nearest)) if !searched.is_empty() => nearest.paths(engine, &searched)?,
            _ => Vec::new(),
        }
        .into_iter();
        let path_of = |finding: &Finding| match finding.depth {
            0 => vec![finding.source],
            _ => paths.next().unwrap_or_default(),
        };
        Ok(findings.iter().map(path_of).collect())
    }
}

/// Searches the nearest target of each start in each group. Starts are numbers of one layer and count in both; targets are numbers
/// of the two layers.
pub(super) fn reach(
    compact: &CompactGraph,
    engine: &Dataflow,
    mask: RuleMask,
    starts: &[u32],
    groups: &[Vec<u32>],
) -> Result<Reached, DataflowError> {
    let mut targets = groups.concat();
    targets.sort_unstable();
    let mut reached = Reached { by_start: BTreeMap::new(), search: None };
    if starts.is_empty() || targets.is_empty() {
        return Ok(reached);
    }
    let nodes = compact.layered.nodes;
    let subgraph = Subgraph::new(compact, mask, starts, &targets);
    let mut nearest = Nearest::new(&subgraph, engine, nodes, starts, groups)?;
    for finding in std::mem::take(&mut nearest.findings) {
        let start = if finding.source >= nodes { finding.source - nodes } else { finding.source };
        reached.by_start.entry(start).or_default().push(finding);
    }
    reached.search = Some((subgraph, nearest));
    // A start that is a target is its own nearest one.
    for &start in starts {
        for place in [start, start + nodes] {
            if targets.binary_search(&place).is_ok() {
                let own = Finding { source: place, sink: place, depth: 0, source_index: 0, facts: 1 };
                let list = reached.by_start.entry(start).or_default();
                if !list.iter().any(|finding| finding.depth == 0) {
                    list.push(own);
                }
            }
        }
    }
    for list in reached.by_start.values_mut() {
        list.sort_by_key(|finding| (finding.depth, finding.sink, finding.source));
    }
    Ok(reached)
}

/// Backward graph, with targets of the search as sinks.
fn backward_graph(subgraph: &Subgraph, targets: &[u32]) -> CsrGraph {
    let count = subgraph.originals.len();
    let edges = (0..count as u32).flat_map(|from| subgraph.edges_of(from).iter().map(move |&to| (to, from, ())));
    let (offsets, neighbours) = Adjacency::new(count, edges).into_parts();
    let mut node_data = vec![0_u32; count];
    for target in targets.iter().filter_map(|&target| subgraph.number(target)) {
        node_data[target as usize] = Role::Sink.word();
    }
    CsrGraph { offsets, targets: neighbours, node_data }
}

/// Starts, depths and targets.
pub(super) type Pairs = Vec<(u32, u32, u32)>;

/// All targets of starts, nearest first: start, depth, target. None: there are too many.
fn all_pairs(
    subgraph: &Subgraph,
    engine: &Dataflow,
    nodes: u32,
    starts: &[u32],
    targets: &[u32],
) -> Result<Option<Pairs>, DataflowError> {
    if starts.len() as u64 * subgraph.edges.len() as u64 > MAX_PAIR_WORK {
        return Ok(None);
    }
    let graph = backward_graph(subgraph, targets);
    let both = starts.iter().copied().chain(starts.iter().map(|start| start + nodes));
    let both: Vec<u32> = both.filter_map(|start| subgraph.number(start)).collect();
    let mut pairs = Vec::new();
    if both.is_empty() {
        return Ok(Some(pairs));
    }
    let outcome = engine.load(graph.view())?.stream(&both, &Options::default(), |findings| {
        pairs.extend(findings.iter().map(|finding| {
            let start = subgraph.originals[finding.source as usize];
            let start = if start >= nodes { start - nodes } else { start };
            (start, finding.depth, subgraph.originals[finding.sink as usize])
        }));
        if pairs.len() > MAX_PAIRS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match outcome {
        Ok(_) => {
            pairs.sort_unstable();
            Ok(Some(pairs))
        }
        Err(DataflowError::Stopped { .. }) if pairs.len() > MAX_PAIRS => Ok(None),
        Err(error) => Err(error),
    }
}

/// Searches a rule whose findings are flows from sources to sinks.
pub(super) fn search_rule(
    request: Request<'_>,
    compact: &CompactGraph,
    engine: &Dataflow,
    rule: usize,
    found: &mut Found,
) -> Result<(), DataflowError> {
    let bit: RuleMask = 1 << rule;
    let sources = sources_of(request, compact, bit);
    let sinks = sinks_of(request, compact, bit);
    let starts: Vec<u32> = sinks.keys().copied().collect();
    let model_of = |source: &Source| request.knowledge.sources.get(usize::from(source.kind)).map(|kind| kind.model);
    let groups = groups_of(request, &sources);
    let reached = reach(compact, engine, bit, &starts, &groups)?;
    // One finding for each sink instruction: the nearest source over all of its endpoints.
    // Inputs of a running program come before parameters of exports: their findings are more severe.
    let rank = |finding: &Finding| {
        let model = sources.get(&finding.sink).and_then(model_of);
        (model, finding.depth, finding.sink, finding.source)
    };
    let mut best: BTreeMap<u32, (Finding, Sink)> = BTreeMap::new();
    for (start, findings) in &reached.by_start {
        let Some(sink) = sinks.get(start) else { continue };
        for finding in findings {
            let is_nearer = best.get(&sink.value).is_none_or(|(known, _)| rank(finding) < rank(known));
            if is_nearer {
                best.insert(sink.value, (*finding, *sink));
            }
        }
    }
    if best.is_empty() {
        return Ok(());
    }
    let mut others: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    let reached_starts: Vec<u32> = reached.by_start.keys().copied().collect();
    let targets: Vec<u32> = sources.keys().copied().collect();
    match reached.all_pairs(engine, compact.layered.nodes, &reached_starts, &targets)? {
        Some(pairs) => {
            for (start, depth, source) in pairs {
                if let Some(sink) = sinks.get(&start) {
                    others.entry(sink.value).or_default().push((depth, source));
                }
            }
        }
        None => *found.limits.entry("sinks whose other sources are not listed").or_default() += best.len() as u64,
    }
    let expansion = Expansion::new(compact, bit);
    let chosen: Vec<Finding> = best.values().map(|(finding, _)| *finding).collect();
    let witnesses = reached.witnesses(engine, &chosen)?;
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
        found.flows.push(Flow { rule, sink, source, path: expansion.expand(&path), others: rest });
    }
    Ok(())
}

/// Sources of rules, by their numbers in the two layers.
///
/// The caller of an export is outside of the program, and the flow of its argument does not return to callers inside. So a
/// parameter of an export is in layer 2; all other sources are in layer 1.
pub(super) fn sources_of(request: Request<'_>, compact: &CompactGraph, bit: RuleMask) -> BTreeMap<u32, Source> {
    let mut sources = BTreeMap::new();
    for source in &request.roles.sources {
        if request.rules_of(source) & bit != 0
            && let Some(number) = compact.number(source.node)
        {
            let kind = request.knowledge.sources.get(usize::from(source.kind));
            let is_argument = kind.is_some_and(|kind| kind.model == ThreatModel::Library)
                && request.layout.formal_of(source.node).is_some();
            let layer = if is_argument { compact.layered.nodes } else { 0 };
            sources.entry(number + layer).or_insert(*source);
        }
    }
    sources
}

/// Sinks of rules by number.
pub(super) fn sinks_of(request: Request<'_>, compact: &CompactGraph, bit: RuleMask) -> BTreeMap<u32, Sink> {
    let sinks = request.roles.sinks.iter().filter(|sink| sink.rules & bit != 0);
    sinks.filter_map(|sink| Some((compact.number(sink.node)?, *sink))).collect()
}

/// Numbers of sources, in a group for each threat model.
pub(super) fn groups_of(request: Request<'_>, sources: &BTreeMap<u32, Source>) -> Vec<Vec<u32>> {
    let mut groups: BTreeMap<Option<ThreatModel>, Vec<u32>> = BTreeMap::new();
    for (&number, source) in sources {
        let model = request.knowledge.sources.get(usize::from(source.kind)).map(|kind| kind.model);
        groups.entry(model).or_default().push(number);
    }
    groups.into_values().collect()
}
