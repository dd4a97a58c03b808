//! Shortest ways: for a finding, one way from its source to its sink.
//!
//! The search is done again on the host, for each source once, and keeps for each node by which node it was reached first: nodes
//! of a level come in the order in which they were found, and edges in the order of the graph. So the way is always the same
//! one, whatever device found the sink.

use std::collections::BTreeMap;

use vyre_graph::{CsrView, Role, role_of};

use super::error::DataflowError;
use super::filter::{self, Candidate};
use super::finding::Finding;
use super::options::Options;
use super::runner::Runner;
use super::transfer::{Metadata, Transfer};

/// How many edges are looked at together.
const PART: usize = 1 << 16;
/// Stands for no arrival.
const NONE: u32 = u32::MAX;

/// The ways of these findings.
pub(crate) fn witnesses(
    bench: &Runner,
    graph: CsrView<'_>,
    findings: &[Finding],
    options: &Options,
) -> Result<Vec<Vec<u32>>, DataflowError> {
    let lost = |finding: &Finding| DataflowError::NoWitness { source: finding.source, sink: finding.sink };
    let mut by_source: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (at, finding) in findings.iter().enumerate() {
        let Finding { source, sink, depth, .. } = *finding;
        if source.max(sink) as usize >= graph.node_count() || options.max_depth.is_some_and(|most| depth > most) {
            return Err(lost(finding));
        }
        let role = role_of(graph.node_data[sink as usize]);
        if !(role.is_sink() && (source != sink || role == Role::SourceAndSink)) {
            return Err(lost(finding));
        }
        let facts = match &options.facts {
            None => 1,
            Some(facts) => *facts.get(finding.source_index as usize).ok_or_else(|| lost(finding))?,
        };
        by_source.entry((finding.source, facts)).or_default().push(at);
    }
    let rule = match &options.transfer {
        None => Rule::Open,
        Some(transfer) if transfer.uses_source() || transfer.carries_facts() => Rule::Function(transfer),
        Some(transfer) => Rule::Edges(filter::apply(bench, graph, transfer)?),
    };
    let mut ways = vec![Vec::new(); findings.len()];
    let mut search = Search::new(bench, graph, &rule);
    for ((source, facts), wanted) in by_source {
        let deepest = wanted.iter().map(|&at| findings[at].depth).max().unwrap_or(0);
        search.run(source, facts, deepest)?;
        for at in wanted {
            let finding = &findings[at];
            ways[at] = search.way(finding).ok_or_else(|| lost(finding))?;
        }
        search.clear();
    }
    Ok(ways)
}

/// What lets facts through edges.
enum Rule<'t> {
    /// Nothing stops them.
    Open,
    /// Edges whose word is 0 do.
    Edges(Vec<u32>),
    /// The device asks this function.
    Function(&'t Transfer),
}

/// Facts that got to a node, and the arrival that they came from.
struct Arrival {
    node: u32,
    from: u32,
    facts: u32,
}

struct Search<'s> {
    bench: &'s Runner,
    graph: CsrView<'s>,
    rule: &'s Rule<'s>,
    arrivals: Vec<Arrival>,
    /// By node: facts that have been there, the first arrival, and the arrival of the level that is being found.
    known: Vec<u32>,
    first: Vec<u32>,
    latest: Vec<u32>,
}

impl<'s> Search<'s> {
    fn new(bench: &'s Runner, graph: CsrView<'s>, rule: &'s Rule<'s>) -> Search<'s> {
        let nodes = graph.node_count();
        Search {
            bench,
            graph,
            rule,
            arrivals: Vec::new(),
            known: vec![0; nodes],
            first: vec![NONE; nodes],
            latest: vec![NONE; nodes],
        }
    }

    /// Searches to a depth.
    fn run(&mut self, source: u32, facts: u32, depth: u32) -> Result<(), DataflowError> {
        self.known[source as usize] = facts;
        self.first[source as usize] = 0;
        self.arrivals.push(Arrival { node: source, from: NONE, facts });
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
                    candidates.push((at as u32, Candidate { current: node, target, edge: edge as u32, facts }));
                    if candidates.len() == PART {
                        self.follow(source, &mut candidates, end)?;
                    }
                }
            }
            self.follow(source, &mut candidates, end)?;
            begin = end;
        }
        Ok(())
    }

    /// Lets facts go along edges. Arrivals from `level` on are of the level that is being found.
    fn follow(
        &mut self,
        source: u32,
        candidates: &mut Vec<(u32, Candidate)>,
        level: usize,
    ) -> Result<(), DataflowError> {
        self.bench.run_options.check()?;
        let asked = match self.rule {
            Rule::Function(transfer) if !candidates.is_empty() => {
                let edges: Vec<Candidate> = candidates.iter().map(|&(_, candidate)| candidate).collect();
                Some(filter::ask(self.bench, transfer, source, &edges, self.metadata(transfer))?)
            }
            _ => None,
        };
        for (at, (from, candidate)) in candidates.drain(..).enumerate() {
            let Candidate { target, edge, facts, .. } = candidate;
            let arrived = match (self.rule, &asked) {
                (Rule::Edges(words), _) if words[edge as usize] == 0 => 0,
                (_, Some(words)) => words[at],
                _ => facts,
            };
            let new = arrived & !self.known[target as usize];
            if new == 0 {
                continue;
            }
            // What arrives in one level arrives together, as if nothing of it had been known before.
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
            self.arrivals.push(Arrival { node: target, from, facts: new });
        }
        Ok(())
    }

    fn metadata(&self, transfer: &'s Transfer) -> (&'s [u32], bool) {
        match &transfer.metadata {
            Metadata::NodeData => (self.graph.node_data, false),
            Metadata::Nodes(words) => (words, false),
            Metadata::Edges(words) => (words, true),
        }
    }

    /// The way to a sink, if the sink is at the depth that the finding says.
    fn way(&self, finding: &Finding) -> Option<Vec<u32>> {
        let mut at = self.first[finding.sink as usize];
        let mut way = Vec::new();
        while at != NONE {
            let arrival = &self.arrivals[at as usize];
            way.push(arrival.node);
            at = arrival.from;
        }
        way.reverse();
        (way.len() as u64 == u64::from(finding.depth) + 1).then_some(way)
    }

    /// Forgets what was found.
    fn clear(&mut self) {
        for arrival in self.arrivals.drain(..) {
            let node = arrival.node as usize;
            (self.known[node], self.first[node], self.latest[node]) = (0, NONE, NONE);
        }
    }
}
