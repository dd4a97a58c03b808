//! Construction of CSR graphs from edge lists by parallel counting sort.
//!
//! A list that is sorted by source is converted in one pass. Other lists are grouped by source ([`group`](crate::group)).

use rayon::prelude::*;

use crate::csr::CsrGraph;
use crate::error::CsrError;
use crate::group::{Chunk, SAMPLE, group};
use crate::search::{STEP, first_position};
use vyre_memory as memory;

/// A graph, and the number of edges that were omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Construction {
    /// The graph. All words of nodes are 0.
    pub graph: CsrGraph,
    /// Number of edges that were omitted because one of their ends is not a node.
    pub omitted: usize,
}

/// Constructs the graph of a list of `(source, target)` edges on all threads. Edges that begin or end outside of the graph are
/// omitted; [`to_csr_counted`] counts them, and [`try_to_csr`] rejects them. Edges of a node keep their order; parallel edges and
/// self-loops stay. All words of nodes are 0.
///
/// ```
/// use vyre_graph::to_csr;
///
/// let graph = to_csr(3, &[(0, 1), (1, 2), (2, 3)]);
/// assert_eq!(graph.offsets, [0, 1, 2, 2]);
/// assert_eq!(graph.targets, [1, 2]);
/// ```
///
/// # Panics
///
/// If the graph has more than `u32::MAX` edges. The other constructors return an error.
#[must_use]
pub fn to_csr(node_count: u32, edges: &[(u32, u32)]) -> CsrGraph {
    match to_csr_counted(node_count, edges) {
        Ok(construction) => construction.graph,
        Err(error) => panic!("{error}"),
    }
}

/// Constructs the graph of a list of `(source, target)` edges like [`to_csr`], and counts the edges that are omitted.
///
/// # Errors
///
/// The number of edges exceeds `u32`.
///
/// ```
/// use vyre_graph::to_csr_counted;
///
/// let made = to_csr_counted(3, &[(0, 1), (1, 2), (2, 3)])?;
/// assert_eq!(made.omitted, 1); // there is no node 3
/// assert_eq!(made.graph.targets, [1, 2]);
/// # Ok::<(), vyre_graph::CsrError>(())
/// ```
pub fn to_csr_counted(node_count: u32, edges: &[(u32, u32)]) -> Result<Construction, CsrError> {
    if let Some(graph) = sorted(node_count, edges) {
        return Ok(Construction { graph, omitted: 0 });
    }
    let outside = |edges: &[(u32, u32)]| edges.iter().filter(|edge| !is_inside(node_count, edge)).count();
    let omitted = edges.par_chunks(STEP).map(outside).sum();
    let graph = construct(node_count, edges, edges.len() - omitted)?;
    Ok(Construction { graph, omitted })
}

/// Constructs the graph of a list of `(source, target)` edges like [`to_csr`], but edges outside of the graph are errors.
///
/// # Errors
///
/// The first edge that begins or ends outside of the graph, or the number of edges exceeds `u32`.
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

/// Constructs the graph of a sorted list in one pass. `None` if the list is not sorted, too long, or has edges outside.
fn sorted(node_count: u32, edges: &[(u32, u32)]) -> Option<CsrGraph> {
    if u32::try_from(edges.len()).is_err() { None } else { from_sorted(node_count, edges) }
}

/// Constructs the graph of the `count` edges that are inside.
fn construct(node_count: u32, edges: &[(u32, u32)], count: usize) -> Result<CsrGraph, CsrError> {
    let edge_count = u32::try_from(count).map_err(|_| CsrError::TooManyEdges { edges: count as u64 })?;
    let node_data = vec![0; node_count as usize];
    let chunks = edges.chunks(chunk_length(edges.len())).map(|edges| ListChunk { edges, node_count }).collect();
    let grouped = group(node_count, edge_count, chunks);
    Ok(CsrGraph { offsets: grouped.offsets, targets: grouped.values, node_data })
}

/// Number of edges of a chunk, such that each thread gets a few chunks.
pub(crate) fn chunk_length(edges: usize) -> usize {
    edges.div_ceil(4 * rayon::current_num_threads()).max(1 << 14)
}

/// Constructs the graph of a list that is sorted by source and has no edge outside; `None` for other lists.
fn from_sorted(node_count: u32, edges: &[(u32, u32)]) -> Option<CsrGraph> {
    let length = chunk_length(edges.len());
    let mut offsets: Vec<u32> = memory::zeros(node_count as usize + 1);
    let mut targets: Vec<u32> = memory::zeros(edges.len());
    let mut parts = Vec::new();
    let mut starts = &mut offsets[..];
    let mut next = 0;
    for (chunk, (edges, targets)) in edges.chunks(length).zip(targets.chunks_mut(length)).enumerate() {
        // A part covers the nodes after the last source of the previous part, up to its own last source.
        let (first, last) = (edges[0].0, edges[edges.len() - 1].0);
        // Most unsorted lists are unsorted at their beginning.
        let has_sorted_start = edges.iter().take(SAMPLE).is_sorted_by_key(|&(source, _)| source);
        if !has_sorted_start || last >= node_count || first.saturating_add(1) < next || last < first {
            return None;
        }
        let (own, rest) = std::mem::take(&mut starts).split_at_mut((last + 1 - next) as usize);
        starts = rest;
        parts.push(Part { edges, targets, starts: own, first_node: next, first_edge: (chunk * length) as u32 });
        next = last + 1;
    }
    // Nodes after the last source have no edges.
    starts.fill(edges.len() as u32);
    let are_sorted = parts.into_par_iter().all(|part| part.fill(node_count));
    are_sorted.then(|| CsrGraph { offsets, targets, node_data: vec![0; node_count as usize] })
}

/// Part of a sorted list, and the parts of the arrays that it fills.
struct Part<'p> {
    edges: &'p [(u32, u32)],
    targets: &'p mut [u32],
    /// Offsets of its nodes; initially 0.
    starts: &'p mut [u32],
    first_node: u32,
    first_edge: u32,
}

impl Part<'_> {
    /// Fills the arrays, and reports whether the part is sorted and has no edge outside.
    fn fill(self, node_count: u32) -> bool {
        let mut is_valid = true;
        let mut next_source = u32::MAX;
        // In reverse order, so that the offset of a node ends as its first edge without a branch.
        let edges = self.edges.iter().zip(self.targets.iter_mut()).enumerate();
        for (index, (&(source, target), slot)) in edges.rev() {
            is_valid &= (source <= next_source) & (target < node_count);
            next_source = source;
            *slot = target;
            // The previous part has the offset of its last node, even if more edges of that node follow here.
            if let Some(start) = self.starts.get_mut(source.wrapping_sub(self.first_node) as usize) {
                *start = self.first_edge + index as u32 + 1;
            }
        }
        // The offset of a node without edges is that of the next node. The last node of a part has edges.
        let mut next = 0;
        for start in self.starts.iter_mut().rev() {
            next = if *start == 0 { next } else { *start - 1 };
            *start = next;
        }
        is_valid
    }
}

/// Chunk of a list of edges.
struct ListChunk<'l> {
    edges: &'l [(u32, u32)],
    node_count: u32,
}

impl Chunk for ListChunk<'_> {
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
