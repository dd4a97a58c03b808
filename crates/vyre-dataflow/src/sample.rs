//! Sampled breadth-first searches, which estimate the depth and the reach of a graph.

use rayon::prelude::*;
use vyre_graph::{CsrView, Role, role_of};

/// Measurements of the sampled searches. A search ends at its limit of edges, so all values are lower bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Number of sampled sources.
    pub(crate) sources: usize,
    /// Maximum number of levels of a search.
    pub(crate) levels: u32,
    /// Mean number of nodes that a search reaches.
    pub(crate) reached: u64,
    /// Mean number of edges that a search traverses.
    pub(crate) edges: u64,
    /// Number of searches that reached their end.
    pub(crate) complete: usize,
}

/// Minimum number of sampled sources, if there are as many.
const MIN_SOURCES: usize = 4;
/// Maximum number of sampled sources.
const MAX_SOURCES: usize = 8;
/// Maximum number of edges of a search with many levels.
const MAX_EDGES: u64 = 1 << 22;
/// Maximum number of edges of a search with at most `MAX_SHALLOW_LEVELS / 4` levels. Searches of deep graphs can traverse as many in
/// 16 levels.
const MAX_SHALLOW_EDGES: u64 = 1 << 15;
/// Maximum number of levels of a shallow graph.
const MAX_SHALLOW_LEVELS: u32 = 32;

impl Sample {
    /// Searches from some of the sources on the threads of the host.
    pub(crate) fn new(
        graph: CsrView<'_>,
        sources: impl ExactSizeIterator<Item = u32> + Clone,
        max_depth: u32,
    ) -> Sample {
        let wanted = (sources.len() / 16).clamp(MIN_SOURCES, MAX_SOURCES).min(sources.len());
        let step = sources.len().checked_div(wanted).unwrap_or(1).max(1);
        let chosen: Vec<u32> = sources.step_by(step).take(wanted).collect();
        let searches: Vec<Search> = chosen.par_iter().map(|&source| Search::from(graph, source, max_depth)).collect();
        let mut sample = Sample { sources: searches.len(), levels: 0, reached: 0, edges: 0, complete: 0 };
        for search in searches {
            sample.levels = sample.levels.max(search.levels);
            sample.reached += search.reached;
            sample.edges += search.edges;
            sample.complete += usize::from(search.is_complete);
        }
        sample.reached /= sample.sources.max(1) as u64;
        sample.edges /= sample.sources.max(1) as u64;
        sample
    }

    /// Reports whether searches have few levels.
    pub(crate) fn is_shallow(&self) -> bool {
        self.levels <= MAX_SHALLOW_LEVELS
    }
}

/// Measurements of one search.
struct Search {
    levels: u32,
    reached: u64,
    edges: u64,
    is_complete: bool,
}

impl Search {
    fn from(graph: CsrView<'_>, source: u32, max_depth: u32) -> Search {
        let mut seen = vec![0u64; graph.node_count().div_ceil(64)];
        let mut is_new = |node: u32| {
            let (word, bit) = (&mut seen[node as usize / 64], 1 << (node % 64));
            let is_new = *word & bit == 0;
            *word |= bit;
            is_new
        };
        is_new(source);
        let mut queue = vec![source];
        let (mut begin, mut levels, mut edges) = (0, 0, 0);
        let max_edges = |levels| if levels <= MAX_SHALLOW_LEVELS / 4 { MAX_SHALLOW_EDGES } else { MAX_EDGES };
        while begin < queue.len() && levels < max_depth && edges < max_edges(levels) {
            let end = queue.len();
            for at in begin..end {
                let node = queue[at];
                if role_of(graph.node_data[node as usize]) == Role::Sanitizer {
                    continue;
                }
                let neighbours = graph.neighbours(node);
                edges += neighbours.len() as u64;
                queue.extend(neighbours.iter().filter(|&&target| is_new(target)));
            }
            begin = end;
            levels += 1;
        }
        Search { levels, reached: queue.len() as u64, edges, is_complete: begin == queue.len() }
    }
}
