//! Witnesses with a transfer function that depends on the source or carries facts: BFS over states, pairs of a node and a fact.
//!
//! A state is followed by the facts that the function makes of its fact alone, so one fact travels along the whole path. If the result
//! of the function for a set is the union of its results for the single facts (a distributive function, as of Reps, Horwitz and Sagiv,
//! POPL 1995), every finding has such a path, and its length is the depth of the finding. Otherwise the states of a second search
//! are pairs of a node and a set, as in the analysis, and each edge of the path propagates some facts.
//!
//! The device evaluates the function for the edges of many searches at a time.

use rayon::prelude::*;
use vyre_graph::{CsrView, Role, role_of};

use super::{Found, NONE, Request};
use crate::edge_filter::{CandidateEdge, evaluate};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::finding::Finding;
use crate::transfer::Transfer;

/// Maximum number of edges that are evaluated together.
const MAX_CHUNK_EDGES: usize = 1 << 17;
/// Maximum number of searches at a time.
const MAX_SEARCHES: usize = 256;
/// Maximum bytes of the arrays of the searches at a time, unless one search needs more.
const MAX_BYTES: usize = 256 << 20;
/// Bytes of the arrays of a search, for each node.
const BYTES_PER_NODE: usize = 12;

/// Facts of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grouping {
    /// One fact.
    Facts,
    /// All facts that arrive at the node for the first time at one depth.
    Sets,
}

/// Input of the searches.
pub(super) struct StateSearch<'s> {
    pub(super) executor: &'s Executor,
    pub(super) graph: CsrView<'s>,
    pub(super) transfer: &'s Transfer,
    pub(super) findings: &'s [Finding],
}

impl StateSearch<'_> {
    /// Searches from the source of each request.
    pub(super) fn run(&self, requests: &[Request], grouping: Grouping) -> Result<Vec<Found>, DataflowError> {
        let nodes = self.graph.node_count();
        let at_a_time = (MAX_BYTES / (BYTES_PER_NODE * nodes.max(1))).clamp(1, MAX_SEARCHES);
        let mut found = Vec::new();
        let mut searches: Vec<Search> = Vec::new();
        for batch in requests.chunks(at_a_time) {
            searches.resize_with(searches.len().max(batch.len()), || Search::new(nodes));
            let searches = &mut searches[..batch.len()];
            searches.par_iter_mut().zip(batch).for_each(|(search, request)| search.start(request, grouping));
            self.search_together(batch, searches, grouping)?;
            for (search, request) in searches.iter_mut().zip(batch) {
                let path = |&at: &u32| (at, search.path(&self.findings[at as usize]));
                found.extend(request.positions.iter().map(path));
            }
            searches.par_iter_mut().for_each(Search::clear);
        }
        Ok(found)
    }

    /// Runs searches side by side. Each round evaluates the next edges of every search.
    fn search_together(
        &self,
        batch: &[Request],
        searches: &mut [Search],
        grouping: Grouping,
    ) -> Result<(), DataflowError> {
        let mut is_active = vec![true; searches.len()];
        loop {
            self.executor.check_deadline()?;
            let active = is_active.iter().filter(|is_active| **is_active).count();
            if active == 0 {
                return Ok(());
            }
            let quota = (MAX_CHUNK_EDGES / active).max(1);
            let next: Vec<Vec<Candidate>> = (searches.par_iter_mut().zip(batch).zip(&is_active))
                .map(|((search, request), is_active)| match is_active {
                    true => search.next_candidates(self.graph, request, quota),
                    false => Vec::new(),
                })
                .collect();
            is_active.iter_mut().zip(&next).for_each(|(is_active, next)| *is_active = !next.is_empty());
            let edges: Vec<CandidateEdge> = next.iter().flatten().map(|candidate| candidate.edge).collect();
            if edges.is_empty() {
                return Ok(());
            }
            let results = evaluate(self.executor, self.graph, self.transfer, &edges)?;
            let mut rest = &results[..];
            let mut pieces = Vec::with_capacity(next.len());
            for candidates in &next {
                let (own, others) = rest.split_at(candidates.len());
                pieces.push(own);
                rest = others;
            }
            (searches.par_iter_mut().zip(&next).zip(pieces))
                .for_each(|((search, candidates), results)| search.arrive(candidates, results, grouping));
        }
    }
}

/// An edge that a state may traverse.
struct Candidate {
    /// Arrival at the beginning of the edge.
    previous: u32,
    edge: CandidateEdge,
}

/// Arrival of facts at a node: a state of the search.
struct Arrival {
    node: u32,
    /// Arrival at the previous node of the path.
    previous: u32,
    facts: u32,
}

/// BFS from one source.
struct Search {
    /// Arrivals in the order of the search: the queue of the BFS.
    arrivals: Vec<Arrival>,
    /// Next arrival whose edges are candidates.
    next: usize,
    /// Number of edges of that arrival that were candidates.
    next_edge: usize,
    /// End of the level that is being visited, and first arrival of the next.
    level_end: usize,
    /// Depth of the next level.
    depth: u32,
    /// Facts that have arrived at each node.
    known: Vec<u32>,
    /// First arrival at each node.
    first: Vec<u32>,
    /// Last arrival at each node.
    latest: Vec<u32>,
}

impl Search {
    fn new(nodes: usize) -> Search {
        let (known, first, latest) = (vec![0; nodes], vec![NONE; nodes], vec![NONE; nodes]);
        Search { arrivals: Vec::new(), next: 0, next_edge: 0, level_end: 0, depth: 1, known, first, latest }
    }

    /// Begins with the facts of the source.
    fn start(&mut self, request: &Request, grouping: Grouping) {
        self.add(request.source, NONE, request.facts, grouping);
        self.level_end = self.arrivals.len();
    }

    /// Next edges of the search. None after the last.
    fn next_candidates(&mut self, graph: CsrView<'_>, request: &Request, quota: usize) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        while candidates.len() < quota && self.depth <= request.depth {
            if self.next == self.level_end {
                // The arrivals of the next level are complete when all candidates of this one are evaluated.
                if !candidates.is_empty() || self.level_end == self.arrivals.len() {
                    break;
                }
                self.level_end = self.arrivals.len();
                self.depth += 1;
                continue;
            }
            let Arrival { node: current, facts, .. } = self.arrivals[self.next];
            let all = match role_of(graph.node_data[current as usize]) {
                Role::Sanitizer => 0..0,
                _ => graph.edges_of(current),
            };
            let begin = all.start + self.next_edge;
            let end = all.end.min(begin + quota - candidates.len());
            for edge in begin..end {
                let (target, source) = (graph.targets[edge], request.source);
                let edge = CandidateEdge { source, current, target, edge: edge as u32, facts };
                candidates.push(Candidate { previous: self.next as u32, edge });
            }
            if end == all.end {
                (self.next, self.next_edge) = (self.next + 1, 0);
            } else {
                self.next_edge = end - all.start;
            }
        }
        candidates
    }

    /// Adds the facts that arrive at the ends of edges.
    fn arrive(&mut self, candidates: &[Candidate], results: &[u32], grouping: Grouping) {
        for (candidate, &arrived) in candidates.iter().zip(results) {
            let target = candidate.edge.target;
            let new = arrived & !self.known[target as usize];
            if new != 0 {
                self.add(target, candidate.previous, new, grouping);
            }
        }
    }

    /// Adds facts that are new at a node.
    fn add(&mut self, node: u32, previous: u32, new: u32, grouping: Grouping) {
        self.known[node as usize] |= new;
        let number = self.arrivals.len() as u32;
        if self.first[node as usize] == NONE {
            self.first[node as usize] = number;
        }
        match grouping {
            Grouping::Facts => {
                let facts = (0..u32::BITS).map(|fact| new & (1 << fact)).filter(|fact| *fact != 0);
                self.arrivals.extend(facts.map(|facts| Arrival { node, previous, facts }));
            }
            Grouping::Sets => {
                let latest = self.latest[node as usize];
                if latest != NONE && latest as usize >= self.level_end {
                    self.arrivals[latest as usize].facts |= new;
                } else {
                    self.latest[node as usize] = number;
                    self.arrivals.push(Arrival { node, previous, facts: new });
                }
            }
        }
    }

    /// Path to the sink of a finding. None if its length differs from the depth of the finding.
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

    /// Clears the search for the next source.
    fn clear(&mut self) {
        for arrival in self.arrivals.drain(..) {
            let node = arrival.node as usize;
            (self.known[node], self.first[node], self.latest[node]) = (0, NONE, NONE);
        }
        (self.next, self.next_edge, self.level_end, self.depth) = (0, 0, 0, 1);
    }
}
