//! Graph algorithms on the host or on a device, whichever is faster.
//!
//! On a CPU an op pays for barriers, atomics and levels that a sequential algorithm does not have. Tarjan's, Kahn's and Dijkstra's
//! algorithms on one thread are faster than the ops on several; PageRank is faster by sums over incoming edges on all threads.
//! `graph.components`, `graph.bfs` and `graph.reachability` are faster as ops. Results do not depend on the choice.

use std::sync::OnceLock;

use vyre_graph::CsrView;

use super::checkpoint::Checkpoint;
use super::device::{GraphOnDevice, GraphOps};
use super::error::GraphError;
use super::pagerank::{self, PageRank, PageRankOptions};
use super::scc;
use super::shortest_path;
use super::toposort::{self, TopologicalOrder};

/// A valid graph with algorithms that run on the host where that is faster, and on the device of [`GraphOps`] otherwise.
///
/// [`GraphOps::load`] gives the ops themselves.
pub struct GraphAlgorithms<'g> {
    ops: &'g GraphOps,
    graph: CsrView<'g>,
    uses_host: bool,
    on_device: OnceLock<GraphOnDevice<'g>>,
}

impl GraphOps {
    /// Validates a graph. With `uses_host`, algorithms that are faster in plain code on the host than as an op on a CPU run on the
    /// host. The graph is uploaded when the device first needs it.
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
        Ok(GraphAlgorithms { ops: self, graph, uses_host, on_device: OnceLock::new() })
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

    /// Smallest node of the connected component of each node, as [`GraphOnDevice::components`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::components`].
    pub fn components(&self) -> Result<Vec<u32>, GraphError> {
        self.on_device()?.components()
    }

    /// Smallest node of the strongly connected component of each node, as [`GraphOnDevice::scc`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::scc`].
    pub fn scc(&self) -> Result<Vec<u32>, GraphError> {
        match self.uses_host {
            true => scc::tarjan(self.graph, &mut self.checkpoint()),
            false => self.on_device()?.scc(),
        }
    }

    /// A topological order, as [`GraphOnDevice::toposort`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::toposort`].
    pub fn toposort(&self) -> Result<TopologicalOrder, GraphError> {
        match self.uses_host {
            true => toposort::kahn(self.graph, &mut self.checkpoint()),
            false => self.on_device()?.toposort(),
        }
    }

    /// Distance of each node from the nearest source, as [`GraphOnDevice::shortest_paths`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::shortest_paths`].
    pub fn shortest_paths(&self, weights: Option<&[u32]>, sources: &[u32]) -> Result<Vec<u32>, GraphError> {
        match self.uses_host {
            true => shortest_path::dijkstra(self.graph, weights, sources, &mut self.checkpoint()),
            false => self.on_device()?.shortest_paths(weights, sources),
        }
    }

    /// Ranks of all nodes, as [`GraphOnDevice::pagerank`].
    ///
    /// # Errors
    ///
    /// As [`GraphOnDevice::pagerank`].
    pub fn pagerank(&self, options: &PageRankOptions) -> Result<PageRank, GraphError> {
        match self.uses_host {
            true => pagerank::pull(self.ops, self.graph, options, &mut self.checkpoint()),
            false => self.on_device()?.pagerank(options),
        }
    }

    fn checkpoint(&self) -> Checkpoint<'_> {
        Checkpoint::new(self.ops.run_options())
    }
}
