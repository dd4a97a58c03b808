//! Size and sampled searches of a request.

use rayon::prelude::*;
use vyre_graph::{CsrView, role_of};

use crate::sample::Sample;
use crate::search::Estimate;
use crate::starts::{StartNodes, Starts};

/// Minimum number of distinct starts for which a sample pays.
const MIN_SAMPLED_STARTS: usize = 8;

/// Size of a request and measurements of some of its searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    pub(crate) nodes: u64,
    pub(crate) edges: u64,
    /// Number of distinct starts.
    pub(crate) starts: u64,
    /// Number of sinks, if a sample was taken.
    pub(crate) sinks: u64,
    pub(crate) sample: Option<Sample>,
}

impl Workload {
    /// Measures a request: searches from some of its sources on the threads of the host, within a limit of edges. Sources that are not
    /// nodes are ignored.
    #[must_use]
    pub fn new(graph: CsrView<'_>, sources: &[u32], max_depth: Option<u32>) -> Workload {
        let nodes = graph.node_count();
        let valid: Vec<u32> = sources.iter().copied().filter(|&node| (node as usize) < nodes).collect();
        let max_depth = max_depth.unwrap_or(u32::MAX);
        Workload::measure(graph, &Starts::new(&valid, None), 1, |nodes| Sample::new(graph, nodes, max_depth))
    }

    /// Measures the searches from some starts by `take`, if they are so many that a sample is cheap beside them.
    pub(crate) fn of_starts(
        graph: CsrView<'_>,
        starts: &Starts,
        take: impl FnOnce(StartNodes<'_>) -> Sample,
    ) -> Workload {
        Workload::measure(graph, starts, MIN_SAMPLED_STARTS, take)
    }

    fn measure(
        graph: CsrView<'_>,
        starts: &Starts,
        min_sampled: usize,
        take: impl FnOnce(StartNodes<'_>) -> Sample,
    ) -> Workload {
        let is_sampled = starts.len() >= min_sampled;
        let is_sink = |word: &&u32| role_of(**word).is_sink();
        Workload {
            nodes: graph.node_count() as u64,
            edges: graph.edge_count() as u64,
            starts: starts.len() as u64,
            sinks: if is_sampled { graph.node_data.par_iter().filter(is_sink).count() as u64 } else { 0 },
            sample: is_sampled.then(|| take(starts.nodes())),
        }
    }

    /// Number of steps of all searches: one for each traversed edge, two for each node. Searches that the sample ended early count
    /// as if they traversed the whole graph.
    pub(crate) fn steps(&self) -> f64 {
        let whole = (self.edges + 2 * self.nodes) as f64;
        let each = match self.sample {
            Some(sample) if sample.complete == sample.sources => {
                ((sample.edges + 2 * sample.reached) as f64).min(whole)
            }
            _ => whole,
        };
        each * self.starts as f64
    }

    /// Number of levels of a search, at least.
    pub(crate) fn levels(&self) -> f64 {
        self.sample.map_or(1.0, |sample| f64::from(sample.levels))
    }

    /// Bytes of the largest array that any device needs for the request: the targets of the edges, or 64 bits for each node.
    #[must_use]
    pub fn largest_array(&self) -> u64 {
        largest_array(self.nodes, self.edges)
    }

    /// Estimate by which strategies judge whether they suit, if a sample was taken.
    pub(crate) fn estimate(&self, uses_gpu_programs: bool) -> Option<Estimate> {
        let Workload { nodes, edges, starts, sample, .. } = *self;
        Some(Estimate { sample: sample?, starts, nodes, edges, uses_gpu_programs })
    }
}

/// Bytes of the largest array of a search in a graph of this size. Offsets have up to two words more than there are nodes.
pub(super) fn largest_array(nodes: u64, edges: u64) -> u64 {
    edges.saturating_mul(4).max(nodes.saturating_add(2).saturating_mul(8))
}
