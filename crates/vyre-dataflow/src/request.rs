//! Validation of sources, options and limits before any allocation.

use vyre_graph::{CsrView, role_of};
use vyre_runtime::Limits;

use crate::error::{Allocation, DataflowError, MetadataUnit};
use crate::options::Options;
use crate::transfer::{Metadata, Transfer};

/// Checks sources and options against the graph.
///
/// # Errors
///
/// The first source or option that does not fit.
pub(crate) fn check(graph: CsrView<'_>, sources: &[u32], options: &Options) -> Result<(), DataflowError> {
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
        let (found, needed, unit) = match &transfer.metadata {
            Metadata::NodeData => (nodes, nodes, MetadataUnit::Node),
            Metadata::Nodes(words) => (words.len(), nodes, MetadataUnit::Node),
            Metadata::Edges(words) => (words.len(), graph.edge_count(), MetadataUnit::Edge),
        };
        if found != needed {
            return Err(DataflowError::Metadata { found, needed, unit });
        }
    }
    Ok(())
}

/// Checks that a search on the device fits its limits and the memory of the caller. Reads the role of each node.
///
/// # Errors
///
/// The first allocation that does not fit.
pub(crate) fn check_device_memory(graph: CsrView<'_>, options: &Options, limits: &Limits) -> Result<(), DataflowError> {
    let nodes = graph.node_count();
    // Minimum of one search; the engine chooses anything larger only if it fits.
    let carries_facts = options.transfer.as_ref().is_some_and(Transfer::carries_facts);
    let sinks = graph.node_data.iter().filter(|&&word| role_of(word).is_sink()).count() as u64;
    let (per_node, per_sink) = if carries_facts { (24, 8) } else { (8, 4) };
    let search = (nodes as u64 + 1) * per_node + sinks * per_sink;
    DataflowError::check_fit(Allocation::Search, search, options.memory_limit())?;
    // Bits 30 and 31 of a queue entry are marks.
    DataflowError::check_fit(Allocation::Nodes, (nodes as u64 + 1) * 4, 4 << 30)?;
    // Arrays of the graph, with room for one node more.
    DataflowError::check_fit(Allocation::Nodes, (nodes as u64 + 2) * 4, limits.buffer_bytes)?;
    DataflowError::check_fit(Allocation::Edges, graph.edge_count() as u64 * 4, limits.buffer_bytes)
}
