//! Paths in libraries: a parameter of an export counts where it is a name inside a folder.
//!
//! A caller that passes a whole path, or the folder that a path begins with, means to use it. So a parameter that is the
//! beginning of a path is no finding. A parameter behind something else is one: `path.join(root, name)`, `folder + "/" + name`.

use std::collections::{BTreeMap, BTreeSet};

use vyre_dataflow::{Dataflow, DataflowError, Finding};

use super::compact::CompactGraph;
use super::engine::{reach, search_rule, sinks_of, sources_of};
use super::witness::Expansion;
use super::{Flow, Found, Request};
use crate::knowledge::{RuleMask, ThreatModel};
use crate::value_flow::Sink;

/// Searches inputs of a running program as usual, and parameters of exports behind the beginning of paths.
pub(super) fn search(
    request: Request<'_>,
    compact: &CompactGraph,
    engine: &Dataflow,
    rule: usize,
    found: &mut Found,
) -> Result<(), DataflowError> {
    let bit: RuleMask = 1 << rule;
    let models: Vec<ThreatModel> =
        request.models.iter().copied().filter(|model| *model != ThreatModel::Library).collect();
    let first = found.flows.len();
    search_rule(Request { models: &models, ..request }, compact, engine, rule, found)?;
    if models.len() == request.models.len() {
        return Ok(());
    }
    let known: BTreeSet<u32> = found.flows[first..].iter().map(|flow| flow.sink.value).collect();
    let library = [ThreatModel::Library];
    let sources = sources_of(Request { models: &library, has_requests: false, ..request }, compact, bit);
    let targets: Vec<u32> = sources.keys().copied().collect();
    // Texts and the parts of them that do not stand at their beginning.
    let mut parts: Vec<(u32, u32)> = request
        .roles
        .parts
        .iter()
        .filter_map(|part| Some((compact.number(part.part)?, compact.number(part.whole)?)))
        .collect();
    parts.sort_unstable();
    parts.dedup();
    let mut starts: Vec<u32> = parts.iter().map(|&(part, _)| part).collect();
    starts.dedup();
    let tainted = reach(compact, engine, bit, &starts, &[targets])?;
    // The nearest tainted part of each text.
    let mut wholes: BTreeMap<u32, Finding> = BTreeMap::new();
    for &(part, whole) in &parts {
        let Some(&nearest) = tainted.by_start.get(&part).and_then(|findings| findings.first()) else { continue };
        let entry = wholes.entry(whole).or_insert(nearest);
        if nearest.depth < entry.depth {
            *entry = nearest;
        }
    }
    let mut sinks = sinks_of(request, compact, bit);
    sinks.retain(|_, sink| !known.contains(&sink.value));
    let starts: Vec<u32> = sinks.keys().copied().collect();
    let texts: Vec<u32> = wholes.keys().copied().collect();
    let reached = reach(compact, engine, bit, &starts, &[texts])?;
    let mut best: BTreeMap<u32, (Finding, Finding, Sink)> = BTreeMap::new();
    for (start, findings) in &reached.by_start {
        let (Some(sink), Some(&end)) = (sinks.get(start), findings.first()) else { continue };
        let Some(&begin) = wholes.get(&end.sink) else { continue };
        let depth = |finding: &(Finding, Finding, Sink)| finding.0.depth + finding.1.depth;
        let candidate = (begin, end, *sink);
        if best.get(&sink.value).is_none_or(|known| depth(&candidate) < depth(known)) {
            best.insert(sink.value, candidate);
        }
    }
    let begins: Vec<Finding> = best.values().map(|found| found.0).collect();
    let ends: Vec<Finding> = best.values().map(|found| found.1).collect();
    let expansion = Expansion::new(compact, bit);
    let first_paths = tainted.witnesses(engine, &begins)?;
    let second_paths = reached.witnesses(engine, &ends)?;
    for ((begin, _, sink), (begin_path, end_path)) in best.into_values().zip(first_paths.iter().zip(&second_paths)) {
        let Some(&source) = sources.get(&begin.sink) else { continue };
        let mut path = expansion.expand(begin_path);
        path.extend(expansion.expand(end_path));
        found.flows.push(Flow { rule, sink, source, path, others: Vec::new() });
    }
    found.flows[first..].sort_by_key(|flow| flow.sink.value);
    Ok(())
}
