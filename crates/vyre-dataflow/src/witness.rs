//! Witnesses: for a finding, a shortest path from its source to its sink.
//!
//! A BFS on the host, once for each distinct source and facts, records for each node the arrival by which it was first reached.
//! Nodes of a level are in the order in which they were reached, and edges in the order of the graph, so the witness does not
//! depend on the device that found the sink. Transfer functions that depend on the source or carry facts are evaluated on the
//! device, for chunks of edges.

use std::collections::BTreeMap;

use vyre_graph::{CsrView, Role, role_of};

use crate::edge_filter::{self, CandidateEdge};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::finding::Finding;
use crate::options::Options;
use crate::transfer::Transfer;

/// Maximum number of edges that are evaluated together.
const MAX_CHUNK_EDGES: usize = 1 << 16;
/// No arrival.
const NONE: u32 = u32::MAX;

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
    let no_witness = |finding: &Finding| DataflowError::NoWitness { source: finding.source, sink: finding.sink };
    let mut by_source: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (at, finding) in findings.iter().enumerate() {
        let Finding { source, sink, depth, .. } = *finding;
        if source.max(sink) as usize >= graph.node_count()
            || options.max_depth.is_some_and(|max_depth| depth > max_depth)
        {
            return Err(no_witness(finding));
        }
        let role = role_of(graph.node_data[sink as usize]);
        if !(role.is_sink() && (source != sink || role == Role::SourceAndSink)) {
            return Err(no_witness(finding));
        }
        let facts = match &options.facts {
            None => 1,
            Some(facts) => *facts.get(finding.source_index as usize).ok_or_else(|| no_witness(finding))?,
        };
        by_source.entry((finding.source, facts)).or_default().push(at);
    }
    let filter = match &options.transfer {
        None => EdgeFilter::Open,
        Some(transfer) if transfer.uses_source() || transfer.carries_facts() => EdgeFilter::Function(transfer),
        Some(transfer) => EdgeFilter::Edges(edge_filter::apply(executor, graph, transfer)?),
    };
    let mut paths = vec![Vec::new(); findings.len()];
    let mut search = Search::new(executor, graph, &filter);
    for ((source, facts), positions) in by_source {
        let max_depth = positions.iter().map(|&at| findings[at].depth).max().unwrap_or(0);
        search.run(source, facts, max_depth)?;
        for at in positions {
            let finding = &findings[at];
            paths[at] = search.path(finding).ok_or_else(|| no_witness(finding))?;
        }
        search.clear();
    }
    Ok(paths)
}

/// Edges that facts can traverse.
enum EdgeFilter<'t> {
    /// All edges.
    Open,
    /// Edges whose word is not 0.
    Edges(Vec<u32>),
    /// Edges that this function does not block, evaluated on the device.
    Function(&'t Transfer),
}

/// Arrival of facts at a node.
struct Arrival {
    node: u32,
    /// Arrival at the previous node of the path.
    previous: u32,
    /// Facts that are new at the node.
    facts: u32,
}

/// BFS from one source.
struct Search<'s> {
    executor: &'s Executor,
    graph: CsrView<'s>,
    filter: &'s EdgeFilter<'s>,
    /// Arrivals in the order of the search: the queue of the BFS.
    arrivals: Vec<Arrival>,
    /// Facts that have arrived at each node.
    known: Vec<u32>,
    /// First arrival at each node.
    first: Vec<u32>,
    /// Last arrival at each node.
    latest: Vec<u32>,
}

impl<'s> Search<'s> {
    fn new(executor: &'s Executor, graph: CsrView<'s>, filter: &'s EdgeFilter<'s>) -> Search<'s> {
        let nodes = graph.node_count();
        Search {
            executor,
            graph,
            filter,
            arrivals: Vec::new(),
            known: vec![0; nodes],
            first: vec![NONE; nodes],
            latest: vec![NONE; nodes],
        }
    }

    /// Searches up to a depth.
    fn run(&mut self, source: u32, facts: u32, depth: u32) -> Result<(), DataflowError> {
        self.known[source as usize] = facts;
        self.first[source as usize] = 0;
        self.arrivals.push(Arrival { node: source, previous: NONE, facts });
        let mut begin = 0;
        for _ in 0..depth {
            let end = self.arrivals.len();
            if begin == end {
                break;
            }
            let mut candidates = Vec::new();
            for at in begin..end {
                let Arrival { node, facts, .. } = self.arrivals[at];
                if role_of(self.graph.node_data[node as usize]) == Role::Sanitizer {
                    continue;
                }
                for edge in self.graph.edges_of(node) {
                    let target = self.graph.targets[edge];
                    candidates.push((at as u32, CandidateEdge { current: node, target, edge: edge as u32, facts }));
                    if candidates.len() == MAX_CHUNK_EDGES {
                        self.propagate(source, &mut candidates, end)?;
                    }
                }
            }
            self.propagate(source, &mut candidates, end)?;
            begin = end;
        }
        Ok(())
    }

    /// Propagates facts along edges. `level` is the first arrival of the level that is being found.
    fn propagate(
        &mut self,
        source: u32,
        candidates: &mut Vec<(u32, CandidateEdge)>,
        level: usize,
    ) -> Result<(), DataflowError> {
        self.executor.check_deadline()?;
        let results = match self.filter {
            EdgeFilter::Function(transfer) if !candidates.is_empty() => {
                let edges: Vec<CandidateEdge> = candidates.iter().map(|&(_, candidate)| candidate).collect();
                Some(edge_filter::evaluate(self.executor, self.graph, transfer, source, &edges)?)
            }
            _ => None,
        };
        for (at, (previous, candidate)) in candidates.drain(..).enumerate() {
            let CandidateEdge { target, edge, facts, .. } = candidate;
            let arrived = match (self.filter, &results) {
                (EdgeFilter::Edges(words), _) if words[edge as usize] == 0 => 0,
                (_, Some(words)) => words[at],
                _ => facts,
            };
            let new = arrived & !self.known[target as usize];
            if new == 0 {
                continue;
            }
            // Facts that arrive in one level belong to one arrival.
            self.known[target as usize] |= new;
            let latest = self.latest[target as usize];
            if latest != NONE && latest as usize >= level {
                self.arrivals[latest as usize].facts |= new;
                continue;
            }
            let number = self.arrivals.len() as u32;
            self.latest[target as usize] = number;
            if self.first[target as usize] == NONE {
                self.first[target as usize] = number;
            }
            self.arrivals.push(Arrival { node: target, previous, facts: new });
        }
        Ok(())
    }

    /// Path to a sink. None if its length differs from the depth of the finding.
    fn path(&self, finding: &Finding) -> Option<Vec<u32>> {
        let mut at = self.first[finding.sink as usize];
        let mut path = Vec::new();
        while at != NONE {
            let arrival = &self.arrivals[at as usize];
            path.push(arrival.node);
            at = arrival.previous;
        }
        path.reverse();
        (path.len() as u64 == u64::from(finding.depth) + 1).then_some(path)
    }

    /// Clears the state for the next search.
    fn clear(&mut self) {
        for arrival in self.arrivals.drain(..) {
            let node = arrival.node as usize;
            (self.known[node], self.first[node], self.latest[node]) = (0, NONE, NONE);
        }
    }
}
