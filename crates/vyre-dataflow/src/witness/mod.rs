//! Witnesses: for a finding, a shortest path along which a fact travels from its source to its sink.
//!
//! Findings of one source share one search, which records the predecessor of everything that it reaches. Searches run on all threads
//! ([`plain`]). With a transfer function that depends on the source or carries facts, they are searches of states, pairs of a node and
//! a fact ([`states`]). Edges are visited in the order of the graph, so a witness depends neither on the device that found the sink nor
//! on other findings.

mod plain;
mod states;

use vyre_graph::{CsrView, Role, role_of};

use crate::edge_filter;
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::finding::Finding;
use crate::options::Options;

use states::{Grouping, StateSearch};

/// No predecessor.
const NONE: u32 = u32::MAX;

/// Findings that share a search.
struct Request {
    source: u32,
    /// Facts that begin at the source. 1 if the transfer function carries none.
    facts: u32,
    /// Maximum depth of the findings.
    depth: u32,
    /// Positions of the findings.
    positions: Vec<u32>,
}

/// Position of a finding with its witness. None: the search has no path of the length of the finding.
type Found = (u32, Option<Vec<u32>>);

/// Returns a witness for each finding.
///
/// # Errors
///
/// A finding that this analysis does not have, or a failure of the device.
pub(crate) fn witnesses(
    executor: &Executor,
    graph: CsrView<'_>,
    findings: &[Finding],
    options: &Options,
) -> Result<Vec<Vec<u32>>, DataflowError> {
    if let Some(finding) = findings.iter().find(|finding| !is_possible(graph, finding, options)) {
        return Err(no_witness(finding));
    }
    let facts_of = |finding: &Finding| options.facts.as_ref().map_or(1, |facts| facts[finding.source_index as usize]);
    let by_state = options.transfer.as_ref().filter(|transfer| transfer.uses_source() || transfer.carries_facts());
    let found = match (by_state, &options.transfer) {
        (Some(transfer), _) if transfer.carries_facts() => {
            let search = StateSearch { executor, graph, transfer, findings };
            let mut found = search.run(&requests(findings, |_| true, facts_of), Grouping::Facts)?;
            // A function of a set can differ from the union of its results for the facts of the set. Then no fact alone need arrive.
            let mut is_missing = vec![false; findings.len()];
            found.iter().for_each(|(at, path)| is_missing[*at as usize] = path.is_none());
            if is_missing.contains(&true) {
                let rest = requests(findings, |at| is_missing[at], facts_of);
                found.extend(search.run(&rest, Grouping::Sets)?);
            }
            found
        }
        (Some(transfer), _) => {
            let search = StateSearch { executor, graph, transfer, findings };
            search.run(&requests(findings, |_| true, |_| 1), Grouping::Facts)?
        }
        (None, Some(transfer)) => {
            let passes = edge_filter::apply(executor, graph, transfer)?;
            plain::search(executor, graph, Some(&passes), findings, &requests(findings, |_| true, |_| 1))?
        }
        (None, None) => plain::search(executor, graph, None, findings, &requests(findings, |_| true, |_| 1))?,
    };
    let mut paths = vec![Vec::new(); findings.len()];
    for (at, path) in found {
        paths[at as usize] = path.unwrap_or_default();
    }
    match paths.iter().position(Vec::is_empty) {
        Some(missing) => Err(no_witness(&findings[missing])),
        None => Ok(paths),
    }
}

fn no_witness(finding: &Finding) -> DataflowError {
    DataflowError::NoWitness { source: finding.source, sink: finding.sink }
}

/// Reports whether a finding fits the graph and the options.
fn is_possible(graph: CsrView<'_>, finding: &Finding, options: &Options) -> bool {
    let Finding { source, sink, depth, source_index, .. } = *finding;
    if source.max(sink) as usize >= graph.node_count() || depth > options.depth_limit() {
        return false;
    }
    let role = role_of(graph.node_data[sink as usize]);
    let has_facts = options.facts.as_ref().is_none_or(|facts| (source_index as usize) < facts.len());
    has_facts && role.is_sink() && (source != sink || role == Role::SourceAndSink)
}

/// Groups the selected findings by source and facts.
fn requests(
    findings: &[Finding],
    is_selected: impl Fn(usize) -> bool,
    facts_of: impl Fn(&Finding) -> u32,
) -> Vec<Request> {
    let selected = (0..).zip(findings).filter(|(at, _)| is_selected(*at as usize));
    let mut keys: Vec<(u32, u32, u32)> =
        selected.map(|(at, finding)| (finding.source, facts_of(finding), at)).collect();
    keys.sort_unstable();
    let groups = keys.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
    let request = |group: &[(u32, u32, u32)]| Request {
        source: group[0].0,
        facts: group[0].1,
        depth: group.iter().map(|&(_, _, at)| findings[at as usize].depth).max().unwrap_or(0),
        positions: group.iter().map(|&(_, _, at)| at).collect(),
    };
    groups.map(request).collect()
}
