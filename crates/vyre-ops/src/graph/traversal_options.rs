//! Options of the traversal ops.

/// Options of a traversal. The default traversal is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraversalOptions {
    /// Maximum number of edges of a path. Without it, paths have any length.
    pub max_depth: Option<u32>,
    /// Maximum number of findings of all sources together. More findings are an error. Without it, all findings are returned.
    pub max_findings: Option<u64>,
    /// Number of nodes that the queue of a source holds. Overflow of a queue is an error. Without it, queues grow as needed.
    pub queue_capacity: Option<u32>,
    /// Maximum bytes of memory for queues, bitmaps and findings, beside the graph. Sources are processed in batches that fit; a limit
    /// that does not suffice for every source is an error. Without it, batches have 1 GiB, and a source that needs more takes more.
    pub memory: Option<u64>,
    /// Grid of each dispatch. Every grid with a workgroup has the same findings. Without it, the grid has one invocation for each
    /// source.
    pub grid: Option<[u32; 3]>,
}

impl TraversalOptions {
    /// Limits paths to a number of edges.
    #[must_use]
    pub fn with_max_depth(mut self, depth: u32) -> TraversalOptions {
        self.max_depth = Some(depth);
        self
    }

    /// Limits the number of findings.
    #[must_use]
    pub fn with_max_findings(mut self, findings: u64) -> TraversalOptions {
        self.max_findings = Some(findings);
        self
    }

    /// Sets the capacity of queues, in nodes.
    #[must_use]
    pub fn with_queue_capacity(mut self, nodes: u32) -> TraversalOptions {
        self.queue_capacity = Some(nodes);
        self
    }

    /// Limits the memory of a batch, in bytes.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> TraversalOptions {
        self.memory = Some(bytes);
        self
    }

    /// Sets the grid of each dispatch.
    #[must_use]
    pub fn with_grid(mut self, grid: [u32; 3]) -> TraversalOptions {
        self.grid = Some(grid);
        self
    }
}
