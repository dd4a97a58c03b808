//! What the engine's explanation says, as numbers.

use vyre_dataflow::{Explanation, Strategy};

/// What an explanation tells; what it does not tell, or tells in other words, is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// How the engine went through the graph.
    pub path: Option<Strategy>,
    /// How many nodes were left.
    pub nodes: Option<u64>,
    /// How many batches there were, of up to how many sources, and how many MiB each took beside the graph.
    pub batches: Option<[u64; 3]>,
}

impl Told {
    /// Reads an explanation.
    #[must_use]
    pub fn of(explanation: &Explanation) -> Told {
        let mut told = Told::default();
        for line in explanation.lines() {
            let Some((what, rest)) = line.split_once(": ") else { continue };
            let numbers: Vec<u64> =
                rest.split(' ').filter_map(|word| word.trim_end_matches(',').parse().ok()).collect();
            match (what, &numbers[..]) {
                ("strategy", _) => {
                    let name = rest.split(',').next().unwrap_or_default();
                    let paths = [Strategy::BitParallel, Strategy::Words, Strategy::PerSource];
                    told.path = paths.into_iter().find(|path| path.to_string() == name);
                }
                ("graph", &[nodes, ..]) => told.nodes = Some(nodes),
                ("pruning", &[nodes, ..]) => told.nodes = Some(nodes),
                ("batches", &[count, sources, mebibytes, ..]) => told.batches = Some([count, sources, mebibytes]),
                _ => {}
            }
        }
        told
    }

    /// Bytes for each node that is left and each source of a batch.
    #[must_use]
    pub fn bytes_per_node_and_source(&self) -> Option<f64> {
        let [_, sources, mebibytes] = self.batches?;
        Some((mebibytes << 20) as f64 / (self.nodes?.max(1) * sources.max(1)) as f64)
    }
}
