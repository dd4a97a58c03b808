//! Graph algorithms of the host in one call.

use crate::error::Error;
use crate::graph::CsrView;
use crate::ops::graph::GraphOnHost;
use crate::session::Session;

/// Graph algorithms in plain code on all threads: searches from many sources, components, topological order, shortest paths and
/// PageRank.
///
/// No device is used and the graph is not copied. Results equal those of the ops on every device
/// ([`GraphOps`](crate::ops::graph::GraphOps)). Rows of searches are given in chunks, so memory does not grow with their number.
///
/// ```
/// use vyre::graph::try_to_csr;
/// use vyre::ops::graph::TraversalOptions;
///
/// let graph = try_to_csr(5, &[(0, 1), (1, 2), (2, 0), (3, 4)])?;
/// let algorithms = vyre::graph_algorithms(graph.view())?;
/// assert_eq!(algorithms.components()?, [0, 0, 0, 3, 3]);
/// assert_eq!(algorithms.count_reachable(&[0, 3], &TraversalOptions::default())?, 3);
/// let path = algorithms.shortest_path_to(None, &[0], 2)?.ok_or("no path")?;
/// assert_eq!(path.nodes, [0, 1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::GraphOp`] for a graph that is not valid.
pub fn graph_algorithms(graph: CsrView<'_>) -> Result<GraphOnHost<'_>, Error> {
    Ok(GraphOnHost::new(graph)?)
}

impl Session {
    /// Graph algorithms on the host, as [`graph_algorithms`], with the run options of the session.
    ///
    /// # Errors
    ///
    /// As [`graph_algorithms`].
    pub fn graph_algorithms<'g>(&self, graph: CsrView<'g>) -> Result<GraphOnHost<'g>, Error> {
        Ok(graph_algorithms(graph)?.with_run_options(self.limited_run_options()))
    }
}
