//! Sampled breadth-first searches, which estimate the depth and the reach of a graph.

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

/// Maximum number of sampled sources.
const MAX_SOURCES: usize = 8;
/// Maximum number of edges of a search with many levels.
const MAX_EDGES: u64 = 1 << 22;
/// Maximum number of edges of a search with at most `MAX_SHALLOW_LEVELS / 2` levels.
const MAX_SHALLOW_EDGES: u64 = 1 << 15;
/// Maximum number of levels of a shallow graph.
const MAX_SHALLOW_LEVELS: u32 = 32;

impl Sample {
    /// Searches from some of the sources, on the host.
    pub(crate) fn new(
        graph: CsrView<'_>,
        sources: impl ExactSizeIterator<Item = u32> + Clone,
        max_depth: u32,
    ) -> Sample {
        let wanted = (sources.len() / 16).clamp(1, MAX_SOURCES).min(sources.len());
        let step = sources.len().checked_div(wanted).unwrap_or(1).max(1);
        let mut seen = vec![u8::MAX; graph.node_count()];
        let mut sample = Sample { sources: 0, levels: 0, reached: 0, edges: 0, complete: 0 };
        let mut queue = Vec::new();
        for (number, source) in (0..).zip(sources.step_by(step).take(wanted)) {
            queue.clear();
            queue.push(source);
            seen[source as usize] = number;
            let (mut begin, mut levels, mut edges) = (0, 0, 0);
            let max_edges = |levels| if levels <= MAX_SHALLOW_LEVELS / 2 { MAX_SHALLOW_EDGES } else { MAX_EDGES };
            while begin < queue.len() && levels < max_depth && edges < max_edges(levels) {
                let end = queue.len();
                for at in begin..end {
                    let node = queue[at];
                    if role_of(graph.node_data[node as usize]) == Role::Sanitizer {
                        continue;
                    }
                    let neighbours = graph.neighbours(node);
                    edges += neighbours.len() as u64;
                    for &target in neighbours {
                        if seen[target as usize] != number {
                            seen[target as usize] = number;
                            queue.push(target);
                        }
                    }
                }
                begin = end;
                levels += 1;
            }
            sample.sources += 1;
            sample.levels = sample.levels.max(levels);
            sample.reached += queue.len() as u64;
            sample.edges += edges;
            sample.complete += usize::from(begin == queue.len());
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
