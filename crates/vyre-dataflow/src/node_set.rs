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

    /// The empty set of nodes below `count`.
    pub(crate) fn empty(count: usize) -> NodeSet {
        NodeSet { words: vec![0; count.div_ceil(WORD_NODES)] }
    }

    /// The nodes that at least half of the sets contain, which must have the same count. Empty without sets.
    pub(crate) fn of_majority(sets: &[NodeSet]) -> NodeSet {
        let words = sets.first().map_or(0, |set| set.words.len());
        // Element `k` has the nodes of a word that more than `k` of the sets so far contain.
        let mut more_than = vec![0; sets.len().div_ceil(2).max(1)];
        let word = |word: usize| {
            more_than.fill(0);
            for set in sets {
                for k in (1..more_than.len()).rev() {
                    more_than[k] |= more_than[k - 1] & set.words[word];
                }
                more_than[0] |= set.words[word];
            }
            more_than[more_than.len() - 1]
        };
        NodeSet { words: (0..words).map(word).collect() }
    }

    /// Inserts a node, which must be below the count of the set. Reports whether it was absent.
    pub(crate) fn insert(&mut self, node: u32) -> bool {
        let (word, bit) = (&mut self.words[node as usize / WORD_NODES], 1 << (node as usize % WORD_NODES));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Number of nodes in the set.
    pub(crate) fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Nodes in the set, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..).step_by(WORD_NODES).zip(&self.words).flat_map(|(first, &word)| {
            let bits = std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)));
            bits.take_while(|&rest| rest != 0).map(move |rest| first + rest.trailing_zeros())
        })
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
            assert!(set.iter().eq((0..count as u32).filter(|node| node % 3 == 1)), "{count} nodes");
            assert_eq!(set.len(), set.iter().count() as u64);
        }
    }

    #[test]
    fn majorities_contain_the_nodes_of_at_least_half_of_the_sets() {
        for sets in 0..=9usize {
            let members: Vec<NodeSet> = (0..sets).map(|set| NodeSet::new(600, |node| node % (set + 2) == 0)).collect();
            let majority = NodeSet::of_majority(&members);
            let wanted = |node: &u32| 2 * members.iter().filter(|set| set.contains(*node)).count() >= sets.max(1);
            assert!(majority.iter().eq((0..600).filter(wanted)), "{sets} sets");
        }
    }

    #[test]
    fn insertion_reports_new_nodes() {
        let mut set = NodeSet::empty(100);
        assert!(set.insert(99) && set.insert(3) && !set.insert(99));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 99]);
    }
}
