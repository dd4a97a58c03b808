//! What an analysis is asked for, checked before anything is allocated.

use vyre_graph::{CsrView, role_of};
use vyre_runtime::Limits;

use super::error::DataflowError;
use super::options::Options;
use super::transfer::{Metadata, Transfer};

/// The memory that is used at a time unless the caller says otherwise.
pub(crate) const MEMORY: u64 = 2 << 30;

/// Sources that begin at the same node with the same facts, which are searched once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) node: u32,
    pub(crate) facts: u32,
    /// Where its positions begin and end in [`Starts::positions`].
    first: u32,
    end: u32,
}

/// The sources in ascending order, each once.
pub(crate) struct Starts {
    pub(crate) starts: Vec<Start>,
    positions: Vec<u32>,
}

impl Starts {
    pub(crate) fn new(sources: &[u32], facts: Option<&[u32]>) -> Starts {
        let facts_of = |position: u32| facts.map_or(1, |facts| facts[position as usize]);
        let mut positions: Vec<u32> = (0..sources.len() as u32).collect();
        positions.sort_by_key(|&position| (sources[position as usize], facts_of(position)));
        let mut starts: Vec<Start> = Vec::new();
        for (at, &position) in (0..).zip(&positions) {
            let (node, facts) = (sources[position as usize], facts_of(position));
            match starts.last_mut() {
                Some(last) if last.node == node && last.facts == facts => last.end = at + 1,
                _ => starts.push(Start { node, facts, first: at, end: at + 1 }),
            }
        }
        Starts { starts, positions }
    }

    /// Which of the sources these are, ascending.
    pub(crate) fn positions(&self, start: Start) -> &[u32] {
        &self.positions[start.first as usize..start.end as usize]
    }
}

/// Fails where sources and options do not fit the graph or the device.
pub(crate) fn check(
    graph: CsrView<'_>,
    sources: &[u32],
    options: &Options,
    limits: &Limits,
) -> Result<(), DataflowError> {
    let nodes = graph.node_count();
    if u32::try_from(sources.len()).is_err() {
        return Err(DataflowError::TooManySources { sources: sources.len() as u64 });
    }
    if let Some(position) = sources.iter().position(|&node| node as usize >= nodes) {
        return Err(DataflowError::Source { position, node: sources[position], nodes });
    }
    if let Some(facts) = &options.facts {
        if facts.len() != sources.len() {
            return Err(DataflowError::Facts { found: facts.len(), sources: sources.len() });
        }
        if let Some(position) = facts.iter().position(|&facts| facts == 0) {
            return Err(DataflowError::NoFact { position });
        }
    }
    if let Some(transfer) = &options.transfer {
        let (found, wanted, unit) = match &transfer.metadata {
            Metadata::NodeData => (nodes, nodes, "node"),
            Metadata::Nodes(words) => (words.len(), nodes, "node"),
            Metadata::Edges(words) => (words.len(), graph.edge_count(), "edge"),
        };
        if found != wanted {
            return Err(DataflowError::Metadata { found, wanted, unit });
        }
    }
    // What one search takes at least; everything that takes more is chosen where it fits.
    let carries_facts = options.transfer.as_ref().is_some_and(Transfer::carries_facts);
    let sinks = graph.node_data.iter().filter(|&&word| role_of(word).is_sink()).count() as u64;
    let (per_node, per_sink) = if carries_facts { (24, 8) } else { (8, 4) };
    fits("a search", (nodes as u64 + 1) * per_node + sinks * per_sink, options.memory.unwrap_or(MEMORY))?;
    // Two bits of a word mark nodes.
    fits("the array of nodes", (nodes as u64 + 1) * 4, 4 << 30)?;
    // The arrays of the graph, with room for one node more.
    for (what, words) in [("the array of nodes", nodes as u64 + 2), ("the array of edges", graph.edge_count() as u64)] {
        fits(what, words * 4, limits.buffer_bytes)?;
    }
    Ok(())
}

/// Fails where more bytes are needed than there may be.
pub(crate) fn fits(what: &'static str, wanted: u64, limit: u64) -> Result<(), DataflowError> {
    if wanted > limit { Err(DataflowError::DoesNotFit { what, wanted, limit }) } else { Ok(()) }
}
