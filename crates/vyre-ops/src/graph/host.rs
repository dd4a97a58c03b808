//! Graph algorithms in plain code on the host.

use std::sync::Arc;

use vyre_graph::CsrView;
use vyre_runtime::RunOptions;

use super::batch_plan::check_memory;
use super::device::{Progress, check_sources};
use super::dijkstra::dijkstra;
use super::error::GraphError;
use super::host_run::HostRun;
use super::pagerank::{self, PageRank, PageRankOptions};
use super::scc;
use super::search::{self, FindingStream, SearchSpace, Starts};
use super::shortest_path::{self, PathResult};
use super::shortest_path_tree::{self, ShortestPathTree};
use super::toposort::{self, TopologicalOrder};
use super::traversal::Report;
use super::traversal_options::TraversalOptions;
use super::union_find;
use super::weighted_pagerank;

/// A valid graph with algorithms in plain code on the threads of the host. Results equal those of the ops, and errors too. No device
/// is used, and the graph is not copied.
///
/// ```
/// use vyre_graph::try_to_csr;
/// use vyre_ops::graph::{GraphOnHost, TraversalOptions};
///
/// let graph = try_to_csr(4, &[(0, 1), (1, 2), (2, 1)])?;
/// let graph = GraphOnHost::new(graph.view())?;
/// assert_eq!(graph.components()?, [0, 0, 0, 3]);
/// assert_eq!(graph.scc()?, [0, 1, 1, 3]);
/// assert_eq!(graph.count_reachable(&[0, 3], &TraversalOptions::default())?, 2);
/// # Ok::<(), vyre_ops::graph::GraphError>(())
/// ```
pub struct GraphOnHost<'g> {
    graph: CsrView<'g>,
    run: HostRun,
}

impl<'g> GraphOnHost<'g> {
    /// Validates a graph.
    ///
    /// # Errors
    ///
    /// A graph that is not valid.
    pub fn new(graph: CsrView<'g>) -> Result<GraphOnHost<'g>, GraphError> {
        graph.validate()?;
        Ok(GraphOnHost::of_valid(graph, HostRun::default()))
    }

    /// A graph that was validated.
    pub(crate) fn of_valid(graph: CsrView<'g>, run: HostRun) -> GraphOnHost<'g> {
        GraphOnHost { graph, run }
    }

    /// Sets a deadline or a cancellation token.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> GraphOnHost<'g> {
        self.run.options = options;
        self
    }

    /// Sets an observer of the progress of algorithms.
    #[must_use]
    pub fn with_progress(mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> GraphOnHost<'g> {
        self.run.observer = Some(Arc::new(progress));
        self
    }

    /// Findings of [`GraphOnDevice::bfs`](super::GraphOnDevice::bfs). The capacity of queues and the grid of the options are ignored.
    ///
    /// # Errors
    ///
    /// A source is not a node, a limit of the options is too small, or the deadline has passed.
    pub fn bfs(&self, sources: &[u32], options: &TraversalOptions) -> Result<FindingStream<'_>, GraphError> {
        let space = self.space(Report::Sinks, sources, options)?;
        FindingStream::search(space, sources, &self.run, options)
    }

    /// Number of findings of [`bfs`](GraphOnHost::bfs), which are not kept.
    ///
    /// # Errors
    ///
    /// As [`bfs`](GraphOnHost::bfs).
    pub fn count_sinks(&self, sources: &[u32], options: &TraversalOptions) -> Result<u64, GraphError> {
        self.count(Report::Sinks, sources, options)
    }

    /// Findings of [`GraphOnDevice::reachability`](super::GraphOnDevice::reachability). The capacity of queues and the grid of the
    /// options are ignored.
    ///
    /// # Errors
    ///
    /// As [`bfs`](GraphOnHost::bfs).
    pub fn reachability(&self, sources: &[u32], options: &TraversalOptions) -> Result<FindingStream<'_>, GraphError> {
        let space = self.space(Report::AllNodes, sources, options)?;
        FindingStream::search(space, sources, &self.run, options)
    }

    /// Number of findings of [`reachability`](GraphOnHost::reachability), which are not kept.
    ///
    /// # Errors
    ///
    /// As [`bfs`](GraphOnHost::bfs).
    pub fn count_reachable(&self, sources: &[u32], options: &TraversalOptions) -> Result<u64, GraphError> {
        self.count(Report::AllNodes, sources, options)
    }

    /// Smallest node of the weakly connected component of each node, by union-find.
    ///
    /// # Errors
    ///
    /// The deadline has passed.
    pub fn components(&self) -> Result<Vec<u32>, GraphError> {
        union_find::components(self.graph, &self.run)
    }

    /// Smallest node of the strongly connected component of each node, by Tarjan's algorithm.
    ///
    /// # Errors
    ///
    /// The deadline has passed.
    pub fn scc(&self) -> Result<Vec<u32>, GraphError> {
        scc::tarjan(self.graph, &mut self.run.checkpoint())
    }

    /// A topological order, by Kahn's algorithm.
    ///
    /// # Errors
    ///
    /// The graph has a cycle, or the deadline has passed.
    pub fn toposort(&self) -> Result<TopologicalOrder, GraphError> {
        toposort::kahn(self.graph, &mut self.run.checkpoint())
    }

    /// Distance of each node from the nearest source, by Dijkstra's algorithm.
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::shortest_paths`](super::GraphOnDevice::shortest_paths).
    pub fn shortest_paths(&self, weights: Option<&[u32]>, sources: &[u32]) -> Result<Vec<u32>, GraphError> {
        let settled = dijkstra(self.graph, weights, sources, &[], &mut self.run.checkpoint())?;
        if settled.has_overflow {
            shortest_path::check_overflow(self.graph, &settled.distances)?;
        }
        Ok(settled.distances)
    }

    /// A shortest path to a node, as [`GraphOnDevice::shortest_path_to`](super::GraphOnDevice::shortest_path_to). The search ends
    /// when the distance of the target is known.
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::shortest_path_to`](super::GraphOnDevice::shortest_path_to).
    pub fn shortest_path_to(&self, weights: Option<&[u32]>, sources: &[u32], target: u32) -> PathResult {
        Ok(self.shortest_paths_to(weights, sources, &[target])?.path_to(target))
    }

    /// Shortest paths to nodes, as [`GraphOnDevice::shortest_paths_to`](super::GraphOnDevice::shortest_paths_to). The search ends
    /// when the distances of all targets are known.
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::shortest_paths_to`](super::GraphOnDevice::shortest_paths_to).
    pub fn shortest_paths_to(
        &self,
        weights: Option<&[u32]>,
        sources: &[u32],
        targets: &[u32],
    ) -> Result<ShortestPathTree, GraphError> {
        if targets.is_empty() {
            check_sources(self.graph, sources)?;
            shortest_path::check_weights(self.graph, weights)?;
            return Ok(ShortestPathTree::default());
        }
        let settled = dijkstra(self.graph, weights, sources, targets, &mut self.run.checkpoint())?;
        if settled.has_overflow {
            shortest_path_tree::check_overflow(self.graph, &settled.distances, targets)?;
        }
        Ok(ShortestPathTree::new(self.graph, weights, settled.distances, sources, targets))
    }

    /// Ranks of all nodes, by power iteration over incoming edges.
    ///
    /// # Errors
    ///
    /// The deadline has passed.
    pub fn pagerank(&self, options: &PageRankOptions) -> Result<PageRank, GraphError> {
        pagerank::pull(&self.run, self.graph, options)
    }

    /// Weighted and personalised ranks, by power iteration over incoming edges.
    ///
    /// With weights, the random surfer follows an edge with a probability proportional to its weight. Without them, each edge counts 1.
    /// `restart` has the nodes to which the surfer jumps, each with a weight; without it the surfer jumps to any node. A node whose
    /// edges weigh nothing has no edges. No op has these ranks. With neither weights nor `restart` they differ from those of
    /// [`pagerank`](GraphOnHost::pagerank) by the rounding of probabilities.
    ///
    /// # Errors
    ///
    /// There are more or fewer weights than edges, a node of `restart` is not a node, its weights are all 0, or the deadline has passed.
    pub fn weighted_pagerank(
        &self,
        weights: Option<&[u32]>,
        restart: Option<&[(u32, u32)]>,
        options: &PageRankOptions,
    ) -> Result<PageRank, GraphError> {
        weighted_pagerank::pull(&self.run, self.graph, weights, restart, options)
    }

    fn space(
        &self,
        report: Report,
        sources: &[u32],
        options: &TraversalOptions,
    ) -> Result<SearchSpace<'g>, GraphError> {
        check_sources(self.graph, sources)?;
        let space = SearchSpace::new(self.graph, report, options.max_depth);
        check_memory(self.graph.node_count(), sources.len(), space.reportable, options)?;
        Ok(space)
    }

    fn count(&self, report: Report, sources: &[u32], options: &TraversalOptions) -> Result<u64, GraphError> {
        let space = self.space(report, sources, options)?;
        let found = search::count(space, Starts::new(sources), &self.run, options.memory)?;
        match options.max_findings {
            Some(limit) if found > limit => Err(GraphError::TooManyFindings { found, limit }),
            _ => Ok(found),
        }
    }
}
