//! From a list of edges to a graph.

use rayon::prelude::*;

use crate::csr::CsrGraph;
use crate::error::CsrError;
use crate::group::{Chunk, SAMPLE, group};
use crate::search::{STEP, first_position};
use vyre_memory as memory;

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
    if let Some(graph) = sorted(node_count, edges) {
        return Ok(Construction { graph, omitted: 0 });
    }
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
    if let Some(graph) = sorted(node_count, edges) {
        return Ok(graph);
    }
    match first_position(edges, |edge| !is_inside(node_count, edge)) {
        Some(index) => Err(CsrError::Edge { index, edge: edges[index], nodes: node_count }),
        None => construct(node_count, edges, edges.len()),
    }
}

fn is_inside(node_count: u32, &(source, target): &(u32, u32)) -> bool {
    (source < node_count) & (target < node_count)
}

/// The graph of a sorted list of edges that are all inside and not too many, in one pass.
fn sorted(node_count: u32, edges: &[(u32, u32)]) -> Option<CsrGraph> {
    if u32::try_from(edges.len()).is_err() { None } else { from_sorted(node_count, edges) }
}

/// The graph of those edges that are inside, of which there are `count`.
fn construct(node_count: u32, edges: &[(u32, u32)], count: usize) -> Result<CsrGraph, CsrError> {
    let edge_count = u32::try_from(count).map_err(|_| CsrError::TooManyEdges { edges: count as u64 })?;
    let node_data = vec![0; node_count as usize];
    let chunks = edges.chunks(chunk_length(edges.len())).map(|edges| Listed { edges, node_count }).collect();
    let grouped = group(node_count, edge_count, chunks);
    Ok(CsrGraph { offsets: grouped.offsets, targets: grouped.values, node_data })
}

/// So many edges are one chunk: a few for each thread.
pub(crate) fn chunk_length(edges: usize) -> usize {
    edges.div_ceil(4 * rayon::current_num_threads()).max(1 << 14)
}

/// The graph of a list that is sorted by source and has no edge outside; nothing for other lists, which is found out on the way.
fn from_sorted(node_count: u32, edges: &[(u32, u32)]) -> Option<CsrGraph> {
    let length = chunk_length(edges.len());
    let mut offsets: Vec<u32> = memory::zeros(node_count as usize + 1);
    let mut targets: Vec<u32> = memory::zeros(edges.len());
    let mut parts = Vec::new();
    let mut starts = &mut offsets[..];
    let mut next = 0;
    for (chunk, (edges, targets)) in edges.chunks(length).zip(targets.chunks_mut(length)).enumerate() {
        // A part has the nodes behind the last source of the part before, up to its own last source.
        let (first, last) = (edges[0].0, edges[edges.len() - 1].0);
        // Most lists that are not sorted are not so from the beginning.
        let has_sorted_start = edges.iter().take(SAMPLE).is_sorted_by_key(|&(source, _)| source);
        if !has_sorted_start || last >= node_count || first.saturating_add(1) < next || last < first {
            return None;
        }
        let (own, rest) = std::mem::take(&mut starts).split_at_mut((last + 1 - next) as usize);
        starts = rest;
        parts.push(Part { edges, targets, starts: own, first_node: next, first_edge: (chunk * length) as u32 });
        next = last + 1;
    }
    // Nodes behind the last source have no edges.
    starts.fill(edges.len() as u32);
    let are_sorted = parts.into_par_iter().all(|part| part.fill(node_count));
    are_sorted.then(|| CsrGraph { offsets, targets, node_data: vec![0; node_count as usize] })
}

/// A part of a sorted list and what it fills.
struct Part<'p> {
    edges: &'p [(u32, u32)],
    targets: &'p mut [u32],
    /// Zeros; where the edges of its nodes begin.
    starts: &'p mut [u32],
    first_node: u32,
    first_edge: u32,
}

impl Part<'_> {
    /// Fills it, and says whether the part is sorted and inside.
    fn fill(self, node_count: u32) -> bool {
        let mut is_fine = true;
        let mut behind = u32::MAX;
        // Backwards, so that what stays for a node is its first edge, without asking whether an edge is the first.
        let edges = self.edges.iter().zip(self.targets.iter_mut()).enumerate();
        for (index, (&(source, target), place)) in edges.rev() {
            is_fine &= (source <= behind) & (target < node_count);
            behind = source;
            *place = target;
            // The part before has the first edges of its last node, even if there are more of them here.
            if let Some(start) = self.starts.get_mut(source.wrapping_sub(self.first_node) as usize) {
                *start = self.first_edge + index as u32 + 1;
            }
        }
        // Nodes without edges begin where the next node does. The last node has edges.
        let mut next = 0;
        for start in self.starts.iter_mut().rev() {
            next = if *start == 0 { next } else { *start - 1 };
            *start = next;
        }
        is_fine
    }
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

    fn sample(&self) -> Vec<u32> {
        let middle = &self.edges[self.edges.len() / 2..];
        middle.iter().take(SAMPLE).map(|&(source, _)| source).collect()
    }
}
