//! From a list of edges to a graph.

use rayon::prelude::*;

use crate::csr::CsrGraph;
use crate::error::CsrError;
use crate::group::{Chunk, group};
use crate::search::{STEP, first_decrease, first_position};

/// A graph, and what its list of edges had besides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Construction {
    /// The graph. All words of nodes are 0.
    pub graph: CsrGraph,
    /// How many edges were left out because a node of theirs is not in the graph.
    pub omitted: usize,
}

/// The graph of a list of `(source, target)` edges, without those that begin or end outside of it. Edges of a node keep their
/// order; parallel edges and edges from a node to itself stay. All threads work on it.
///
/// # Errors
///
/// More edges than a `u32` counts. Nothing else is wrong for this function: an edge outside of the graph, as in what was
/// extracted from a program one does not trust, is left out and counted.
pub fn to_csr(node_count: u32, edges: &[(u32, u32)]) -> Result<Construction, CsrError> {
    let outside = |edges: &[(u32, u32)]| edges.iter().filter(|edge| !is_inside(node_count, edge)).count();
    let omitted = edges.par_chunks(STEP).map(outside).sum();
    let graph = construct(node_count, edges, edges.len() - omitted)?;
    Ok(Construction { graph, omitted })
}

/// The graph of a list of `(source, target)` edges, like [`to_csr`], but all of them must be inside of it.
///
/// # Errors
///
/// The first edge that begins or ends outside of the graph, or more edges than a `u32` counts.
pub fn try_to_csr(node_count: u32, edges: &[(u32, u32)]) -> Result<CsrGraph, CsrError> {
    match first_position(edges, |edge| !is_inside(node_count, edge)) {
        Some(index) => Err(CsrError::Edge { index, edge: edges[index], nodes: node_count }),
        None => construct(node_count, edges, edges.len()),
    }
}

fn is_inside(node_count: u32, &(source, target): &(u32, u32)) -> bool {
    (source < node_count) & (target < node_count)
}

/// The graph of those edges that are inside, of which there are `count`.
fn construct(node_count: u32, edges: &[(u32, u32)], count: usize) -> Result<CsrGraph, CsrError> {
    let edge_count = u32::try_from(count).map_err(|_| CsrError::TooManyEdges { edges: count as u64 })?;
    let node_data = vec![0; node_count as usize];
    if count == edges.len() && first_decrease(edges, |&(source, _)| source).is_none() {
        let targets = edges.par_iter().map(|&(_, target)| target).collect();
        return Ok(CsrGraph { offsets: sorted_offsets(node_count, edges), targets, node_data });
    }
    let chunks = edges.chunks(chunk_length(edges.len())).map(|edges| Listed { edges, node_count }).collect();
    let grouped = group(node_count, edge_count, chunks);
    Ok(CsrGraph { offsets: grouped.offsets, targets: grouped.values, node_data })
}

/// So many edges are one chunk: a few for each thread.
pub(crate) fn chunk_length(edges: usize) -> usize {
    edges.div_ceil(4 * rayon::current_num_threads()).max(1 << 14)
}

/// Where the edges of each node begin in a list that is sorted by source.
fn sorted_offsets(node_count: u32, edges: &[(u32, u32)]) -> Vec<u32> {
    const NODES: usize = 1 << 14;
    let mut offsets = vec![0u32; node_count as usize + 1];
    offsets.par_chunks_mut(NODES).enumerate().for_each(|(chunk, offsets)| {
        let first = chunk * NODES;
        let mut at = edges.partition_point(|&(source, _)| (source as usize) < first);
        for (node, offset) in (first..).zip(offsets) {
            while edges.get(at).is_some_and(|&(source, _)| (source as usize) < node) {
                at += 1;
            }
            *offset = at as u32;
        }
    });
    offsets
}

/// A part of a list of edges.
struct Listed<'l> {
    edges: &'l [(u32, u32)],
    node_count: u32,
}

impl Chunk for Listed<'_> {
    type Payload = ();

    fn for_each(&self, mut visit: impl FnMut(u32, u32, ())) {
        for edge in self.edges {
            if is_inside(self.node_count, edge) {
                visit(edge.0, edge.1, ());
            }
        }
    }
}
