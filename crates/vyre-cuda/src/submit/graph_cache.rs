//! LRU cache of graphs, keyed by the commands that they run.
//!
//! Commands become a graph when they are submitted a second time within a short while. Keys identify buffers and programs by
//! numbers that are never reused, so a stale graph is never found.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::Arc;

use crate::driver::graph::Graph;

/// Maximum number of graphs of a context.
const MAX_GRAPHS: usize = 16;

/// Result of a lookup.
pub(crate) enum Lookup {
    /// The commands were not submitted recently.
    New,
    /// The commands were submitted before and have no graph.
    Seen,
    /// Graph of the commands.
    Graph(Arc<Graph>),
}

/// LRU cache of graphs.
#[derive(Default)]
pub(crate) struct GraphCache {
    hasher: foldhash::fast::RandomState,
    /// Graphs, the most recently used one last.
    entries: VecDeque<Entry>,
    /// Hashes of commands without a graph, the last submitted ones last. At most [`MAX_GRAPHS`]: a cycle of more command
    /// lists must not build and evict a graph on each submission.
    seen: VecDeque<u64>,
}

struct Entry {
    hash: u64,
    key: Box<[u64]>,
    graph: Arc<Graph>,
}

impl GraphCache {
    /// Looks commands up and records that they were submitted.
    pub(crate) fn look_up(&mut self, key: &[u64]) -> Lookup {
        let hash = self.hasher.hash_one(key);
        if let Some(at) = self.entries.iter().position(|entry| entry.hash == hash && *entry.key == *key)
            && let Some(entry) = self.entries.remove(at)
        {
            let graph = Arc::clone(&entry.graph);
            self.entries.push_back(entry);
            return Lookup::Graph(graph);
        }
        match self.seen.iter().position(|&seen| seen == hash) {
            Some(at) => {
                self.seen.remove(at);
                Lookup::Seen
            }
            None => {
                self.seen.push_back(hash);
                if self.seen.len() > MAX_GRAPHS {
                    self.seen.pop_front();
                }
                Lookup::New
            }
        }
    }

    /// Inserts a graph. Returns the evicted one, which the caller must drop after it has released its locks.
    pub(crate) fn insert(&mut self, key: Vec<u64>, graph: &Arc<Graph>) -> Option<Arc<Graph>> {
        let hash = self.hasher.hash_one(key.as_slice());
        self.entries.push_back(Entry { hash, key: key.into(), graph: Arc::clone(graph) });
        if self.entries.len() > MAX_GRAPHS { self.entries.pop_front().map(|entry| entry.graph) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Arc<Graph> {
        Arc::new(Graph::detached())
    }

    #[test]
    fn commands_are_new_then_seen_then_a_graph() {
        let mut graphs = GraphCache::default();
        let made = graph();
        assert!(matches!(graphs.look_up(&[1, 2]), Lookup::New));
        assert!(matches!(graphs.look_up(&[2, 1]), Lookup::New));
        assert!(matches!(graphs.look_up(&[1, 2]), Lookup::Seen));
        assert!(graphs.insert(vec![1, 2], &made).is_none());
        assert!(matches!(graphs.look_up(&[1, 2]), Lookup::Graph(found) if Arc::ptr_eq(&found, &made)));
        assert!(matches!(graphs.look_up(&[2, 1]), Lookup::Seen));
        assert_eq!(graphs.entries.len(), 1);
    }

    #[test]
    fn the_least_recently_used_graph_is_evicted() {
        let mut graphs = GraphCache::default();
        let all: Vec<Arc<Graph>> = (0..=MAX_GRAPHS).map(|_| graph()).collect();
        for (number, graph) in (0..).zip(&all[..MAX_GRAPHS]) {
            assert!(graphs.insert(vec![number], graph).is_none());
        }
        assert!(matches!(graphs.look_up(&[0]), Lookup::Graph(_)));
        let evicted = graphs.insert(vec![MAX_GRAPHS as u64], &all[MAX_GRAPHS]);
        assert!(evicted.is_some_and(|evicted| Arc::ptr_eq(&evicted, &all[1])));
        assert!(matches!(graphs.look_up(&[1]), Lookup::New));
        assert!(matches!(graphs.look_up(&[0]), Lookup::Graph(_)));
    }

    /// A cycle of more command lists than the cache holds builds no graphs.
    #[test]
    fn a_long_cycle_of_lists_builds_no_graphs() {
        let mut graphs = GraphCache::default();
        for iteration in 0..5 {
            for number in 0..2 * MAX_GRAPHS as u64 {
                assert!(matches!(graphs.look_up(&[number]), Lookup::New), "{iteration}, {number}");
            }
        }
    }
}
