//! Sets of nodes with one bit for each node.

use rayon::prelude::*;

/// Nodes of a word.
const WORD_NODES: usize = 64;
/// Words of a unit of parallel work.
const CHUNK_WORDS: usize = 1 << 12;

/// A set of nodes.
pub(crate) struct NodeSet {
    words: Vec<u64>,
}

impl NodeSet {
    /// The set of the nodes below `count` that `contains` accepts, computed on all threads.
    pub(crate) fn new(count: usize, contains: impl Fn(usize) -> bool + Sync) -> NodeSet {
        let word = |word: usize| {
            let first = word * WORD_NODES;
            let bits = (first..count.min(first + WORD_NODES)).enumerate();
            bits.fold(0, |bits, (bit, node)| bits | u64::from(contains(node)) << bit)
        };
        let words = (0..count.div_ceil(WORD_NODES)).into_par_iter().with_min_len(CHUNK_WORDS).map(word).collect();
        NodeSet { words }
    }

    /// Reports whether the set contains a node, which must be below the count of the set.
    pub(crate) fn contains(&self, node: u32) -> bool {
        self.words[node as usize / WORD_NODES] >> (node as usize % WORD_NODES) & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_contain_the_accepted_nodes() {
        for count in [0usize, 1, 63, 64, 65, 600_000] {
            let set = NodeSet::new(count, |node| node % 3 == 1);
            assert!((0..count).all(|node| set.contains(node as u32) == (node % 3 == 1)), "{count} nodes");
        }
    }
}
