//! Sampled breadth-first searches, which estimate the depth and the reach of a graph.

use rayon::prelude::*;
use vyre_graph::{CsrView, Role, role_of};

use crate::node_set::NodeSet;

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
    /// Number of nodes that at least half of the searches reach.
    pub(crate) shared: u64,
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
        let max_edges = |levels| if levels <= MAX_SHALLOW_LEVELS / 4 { MAX_SHALLOW_EDGES } else { MAX_EDGES };
        let search = |&source: &u32| SampledSearch::new(graph, source, max_depth, max_edges);
        let searches: Vec<SampledSearch> = chosen.par_iter().map(search).collect();
        let mut sample = Sample { sources: searches.len(), levels: 0, reached: 0, edges: 0, complete: 0, shared: 0 };
        let mut sets = Vec::with_capacity(searches.len());
        for search in searches {
            sample.levels = sample.levels.max(search.levels);
            sample.reached += search.reached;
            sample.edges += search.edges;
            sample.complete += usize::from(search.is_complete);
            sets.push(search.nodes);
        }
        sample.shared = NodeSet::of_majority(&sets).len();
        sample.reached /= sample.sources.max(1) as u64;
        sample.edges /= sample.sources.max(1) as u64;
        sample
    }

    /// Reports whether searches have few levels.
    pub(crate) fn is_shallow(&self) -> bool {
        self.levels <= MAX_SHALLOW_LEVELS
    }
}

/// One search on the host.
pub(crate) struct SampledSearch {
    levels: u32,
    reached: u64,
    edges: u64,
    is_complete: bool,
    /// Nodes that the search reached.
    pub(crate) nodes: NodeSet,
}

impl SampledSearch {
    /// Searches from a source. The search ends before the first level at which it has traversed `max_edges` of the level.
    pub(crate) fn new(
        graph: CsrView<'_>,
        source: u32,
        max_depth: u32,
        max_edges: impl Fn(u32) -> u64,
    ) -> SampledSearch {
        let mut nodes = NodeSet::empty(graph.node_count());
        nodes.insert(source);
        let mut queue = vec![source];
        let (mut begin, mut levels, mut edges) = (0, 0, 0);
        while begin < queue.len() && levels < max_depth && edges < max_edges(levels) {
            let end = queue.len();
            for at in begin..end {
                // The search would end after this level, which can have most edges of the graph.
                if edges >= max_edges(levels + 1) {
                    let reached = queue.len() as u64;
                    return SampledSearch { levels: levels + 1, reached, edges, is_complete: false, nodes };
                }
                let node = queue[at];
                if role_of(graph.node_data[node as usize]) == Role::Sanitizer {
                    continue;
                }
                let neighbours = graph.neighbours(node);
                edges += neighbours.len() as u64;
                queue.extend(neighbours.iter().filter(|&&target| nodes.insert(target)));
            }
            begin = end;
            levels += 1;
        }
        SampledSearch { levels, reached: queue.len() as u64, edges, is_complete: begin == queue.len(), nodes }
    }
}
