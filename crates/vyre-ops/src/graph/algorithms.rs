//! Graph algorithms on the host or on a device, with equal results.
//!
//! On a CPU an op pays for barriers, atomics and levels that plain code does not have, and for a copy of the graph. So the algorithms
//! of [`GraphOnHost`] are faster there. A device of its own memory runs the ops.

use std::sync::OnceLock;

use vyre_graph::CsrView;

use super::device::{GraphOnDevice, GraphOps};
use super::error::GraphError;
use super::host::GraphOnHost;
use super::host_run::HostRun;
use super::pagerank::{PageRank, PageRankOptions};
use super::search::FindingStream;
use super::shortest_path::PathResult;
use super::shortest_path_tree::ShortestPathTree;
use super::toposort::TopologicalOrder;
use super::traversal_options::TraversalOptions;

/// A valid graph with algorithms that run on the host or on the device of [`GraphOps`].
///
/// [`GraphOps::load`] gives the ops themselves.
pub struct GraphAlgorithms<'g> {
    ops: &'g GraphOps,
    graph: CsrView<'g>,
    on_host: Option<GraphOnHost<'g>>,
    on_device: OnceLock<GraphOnDevice<'g>>,
}

impl GraphOps {
    /// Validates a graph. With `uses_host`, algorithms run in plain code on the host; otherwise they are ops on the device. The graph
    /// is uploaded when the device first needs it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vyre_graph::CsrGraph;
    /// use vyre_ops::graph::GraphOps;
    /// use vyre_runtime::ReferenceDevice;
    ///
    /// let graph = CsrGraph { offsets: vec![0, 1, 2, 2], targets: vec![1, 0], node_data: vec![0; 3] };
    /// let ops = GraphOps::new(Arc::new(ReferenceDevice::new()));
    /// assert_eq!(ops.algorithms(graph.view(), true)?.scc()?, ops.load(graph.view())?.scc()?);
    /// # Ok::<(), vyre_ops::graph::GraphError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A graph that is not valid.
    pub fn algorithms<'g>(&'g self, graph: CsrView<'g>, uses_host: bool) -> Result<GraphAlgorithms<'g>, GraphError> {
        graph.validate()?;
        let on_host = uses_host.then(|| GraphOnHost::of_valid(graph, self.host_run()));
        Ok(GraphAlgorithms { ops: self, graph, on_host, on_device: OnceLock::new() })
    }

    /// Run options and observer, for algorithms on the host.
    fn host_run(&self) -> HostRun {
        HostRun { options: self.run_options().clone(), observer: self.observer() }
    }
}

impl<'g> GraphAlgorithms<'g> {
    /// The graph on the device, for ops.
    ///
    /// # Errors
    ///
    /// A graph that does not fit the memory of the device.
    pub fn on_device(&self) -> Result<&GraphOnDevice<'g>, GraphError> {
        if let Some(on_device) = self.on_device.get() {
            return Ok(on_device);
        }
        let on_device = self.ops.load_valid(self.graph)?;
        Ok(self.on_device.get_or_init(|| on_device))
    }

    /// Sinks that each source reaches, as [`GraphOnDevice::bfs`]. A capacity of queues or a grid means the op.
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::bfs`].
    pub fn bfs(&self, sources: &[u32], options: &TraversalOptions) -> Result<FindingStream<'_>, GraphError> {
        match self.searches_on_host(options) {
            Some(host) => host.bfs(sources, options),
            None => Ok(FindingStream::of(self.on_device()?.bfs(sources, options)?)),
        }
    }

    /// Number of findings of [`bfs`](GraphAlgorithms::bfs).
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::bfs`].
    pub fn count_sinks(&self, sources: &[u32], options: &TraversalOptions) -> Result<u64, GraphError> {
        match self.searches_on_host(options) {
            Some(host) => host.count_sinks(sources, options),
            None => Ok(self.on_device()?.bfs(sources, options)?.len() as u64),
        }
    }

    /// Nodes that each source reaches, as [`GraphOnDevice::reachability`]. A capacity of queues or a grid means the op.
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::reachability`].
    pub fn reachability(&self, sources: &[u32], options: &TraversalOptions) -> Result<FindingStream<'_>, GraphError> {
        match self.searches_on_host(options) {
            Some(host) => host.reachability(sources, options),
            None => Ok(FindingStream::of(self.on_device()?.reachability(sources, options)?)),
        }
    }

    /// Number of findings of [`reachability`](GraphAlgorithms::reachability).
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::reachability`].
    pub fn count_reachable(&self, sources: &[u32], options: &TraversalOptions) -> Result<u64, GraphError> {
        match self.searches_on_host(options) {
            Some(host) => host.count_reachable(sources, options),
            None => Ok(self.on_device()?.reachability(sources, options)?.len() as u64),
        }
    }

    /// Smallest node of the connected component of each node, as [`GraphOnDevice::components`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::components`].
    pub fn components(&self) -> Result<Vec<u32>, GraphError> {
        match &self.on_host {
            Some(host) => host.components(),
            None => self.on_device()?.components(),
        }
    }

    /// Smallest node of the strongly connected component of each node, as [`GraphOnDevice::scc`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::scc`].
    pub fn scc(&self) -> Result<Vec<u32>, GraphError> {
        match &self.on_host {
            Some(host) => host.scc(),
            None => self.on_device()?.scc(),
        }
    }

    /// A topological order, as [`GraphOnDevice::toposort`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::toposort`].
    pub fn toposort(&self) -> Result<TopologicalOrder, GraphError> {
        match &self.on_host {
            Some(host) => host.toposort(),
            None => self.on_device()?.toposort(),
        }
    }

    /// Distance of each node from the nearest source, as [`GraphOnDevice::shortest_paths`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::shortest_paths`].
    pub fn shortest_paths(&self, weights: Option<&[u32]>, sources: &[u32]) -> Result<Vec<u32>, GraphError> {
        match &self.on_host {
            Some(host) => host.shortest_paths(weights, sources),
            None => self.on_device()?.shortest_paths(weights, sources),
        }
    }

    /// A shortest path to a node, as [`GraphOnDevice::shortest_path_to`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::shortest_path_to`].
    pub fn shortest_path_to(&self, weights: Option<&[u32]>, sources: &[u32], target: u32) -> PathResult {
        match &self.on_host {
            Some(host) => host.shortest_path_to(weights, sources, target),
            None => self.on_device()?.shortest_path_to(weights, sources, target),
        }
    }

    /// Shortest paths to nodes, as [`GraphOnDevice::shortest_paths_to`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::shortest_paths_to`].
    pub fn shortest_paths_to(
        &self,
        weights: Option<&[u32]>,
        sources: &[u32],
        targets: &[u32],
    ) -> Result<ShortestPathTree, GraphError> {
        match &self.on_host {
            Some(host) => host.shortest_paths_to(weights, sources, targets),
            None => self.on_device()?.shortest_paths_to(weights, sources, targets),
        }
    }

    /// Ranks of all nodes, as [`GraphOnDevice::pagerank`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::pagerank`].
    pub fn pagerank(&self, options: &PageRankOptions) -> Result<PageRank, GraphError> {
        match &self.on_host {
            Some(host) => host.pagerank(options),
            None => self.on_device()?.pagerank(options),
        }
    }

    /// Weighted and personalised ranks, as [`GraphOnHost::weighted_pagerank`]. They are computed on the host on every device.
    ///
    /// # Errors
    ///
    /// As [`GraphOnHost::weighted_pagerank`].
    pub fn weighted_pagerank(
        &self,
        weights: Option<&[u32]>,
        restart: Option<&[(u32, u32)]>,
        options: &PageRankOptions,
    ) -> Result<PageRank, GraphError> {
        match &self.on_host {
            Some(host) => host.weighted_pagerank(weights, restart, options),
            None => GraphOnHost::of_valid(self.graph, self.ops.host_run()).weighted_pagerank(weights, restart, options),
        }
    }

    /// The host, unless the options are about the program of the op.
    fn searches_on_host(&self, options: &TraversalOptions) -> Option<&GraphOnHost<'g>> {
        self.on_host.as_ref().filter(|_| options.queue_capacity.is_none() && options.grid.is_none())
    }
}
