//! Figures of an explanation of the engine.

use vyre_dataflow::{Explanation, Strategy};

/// Figures of an explanation. A figure is `None` if no line of the explanation has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// Strategy of the search.
    pub strategy: Option<Strategy>,
    /// Number of nodes after pruning.
    pub nodes: Option<u64>,
    /// Batches of the search.
    pub batches: Option<Batches>,
}

/// Batches of sources that are searched at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batches {
    /// Number of batches.
    pub count: u64,
    /// Maximum number of sources of a batch.
    pub sources: u64,
    /// Memory of a batch beside the graph.
    pub mebibytes: u64,
}

impl Explained {
    /// Reads an explanation.
    #[must_use]
    pub fn new(explanation: &Explanation) -> Explained {
        let mut explained = Explained::default();
        for line in explanation.lines() {
            let Some((subject, rest)) = line.split_once(": ") else { continue };
            let words = || rest.split(' ').map(|word| word.trim_end_matches(','));
            let numbers: Vec<u64> = words().filter_map(|word| word.parse().ok()).collect();
            match (subject, &numbers[..]) {
                ("strategy", _) => {
                    explained.strategy = Strategy::from_name(words().next().unwrap_or_default());
                }
                ("graph" | "pruning", &[nodes, ..]) => explained.nodes = Some(nodes),
                ("batches", &[count, sources, mebibytes, ..]) => {
                    explained.batches = Some(Batches { count, sources, mebibytes });
                }
                _ => {}
            }
        }
        explained
    }

    /// Name of the strategy; empty if it is not known.
    #[must_use]
    pub fn strategy_name(&self) -> String {
        self.strategy.map_or(String::new(), |strategy| strategy.to_string())
    }

    /// Bytes per node after pruning and per source of a batch.
    #[must_use]
    pub fn bytes_per_node_and_source(&self) -> Option<f64> {
        let Batches { sources, mebibytes, .. } = self.batches?;
        Some((mebibytes << 20) as f64 / (self.nodes?.max(1) * sources.max(1)) as f64)
    }
}
