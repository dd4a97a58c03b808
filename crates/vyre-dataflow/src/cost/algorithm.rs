//! Graph algorithms, and the time of their steps.

/// A graph algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// Breadth-first search from each source.
    Search,
    /// Connected components.
    Components,
    /// Strongly connected components.
    Scc,
    /// Topological order.
    Toposort,
    /// Shortest paths.
    ShortestPath,
    /// PageRank.
    PageRank,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Search,
        Algorithm::Components,
        Algorithm::Scc,
        Algorithm::Toposort,
        Algorithm::ShortestPath,
        Algorithm::PageRank,
    ];

    /// Key of the nanoseconds of a step in a calibration. On the host, a step of the search is one of 64 sources together.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Algorithm::Search => "op_search_ns",
            Algorithm::Components => "op_components_ns",
            Algorithm::Scc => "op_scc_ns",
            Algorithm::Toposort => "op_toposort_ns",
            Algorithm::ShortestPath => "op_path_ns",
            Algorithm::PageRank => "op_pagerank_ns",
        }
    }

    /// True if the host uses all threads for one request. Searches use threads for several groups of sources.
    pub(crate) fn is_parallel(self) -> bool {
        matches!(self, Algorithm::Components | Algorithm::PageRank)
    }

    /// True if the time of the op does not depend on the number of levels.
    pub(crate) fn has_known_cost(self) -> bool {
        self.is_parallel() || self == Algorithm::Search
    }
}

/// Nanoseconds of a step of each algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct AlgorithmSpeed {
    step_ns: [f64; Algorithm::ALL.len()],
}

impl AlgorithmSpeed {
    /// The nanoseconds in the order of [`Algorithm::ALL`].
    pub(crate) const fn new(step_ns: [f64; Algorithm::ALL.len()]) -> AlgorithmSpeed {
        AlgorithmSpeed { step_ns }
    }

    /// Nanoseconds of a step of an algorithm.
    #[must_use]
    pub fn step_ns(&self, algorithm: Algorithm) -> f64 {
        self.step_ns[algorithm as usize]
    }

    /// Sets the nanoseconds of a step of an algorithm.
    pub fn set(&mut self, algorithm: Algorithm, step_ns: f64) {
        self.step_ns[algorithm as usize] = step_ns;
    }

    /// Constants with their keys.
    pub(crate) fn constants(&mut self) -> impl Iterator<Item = (&'static str, &mut f64)> {
        Algorithm::ALL.iter().map(|algorithm| algorithm.key()).zip(&mut self.step_ns)
    }
}
