//! Stable parallel counting sort of edges by one of their ends, for construction and transposition.
//!
//! If consecutive keys are close to each other, as in call graphs, [`direct`] moves each edge to its final position in one pass.
//! Otherwise most of these writes would miss the caches, and [`buckets`] sorts in two passes.

mod buckets;
mod direct;

use std::sync::atomic::{AtomicU32, Ordering};

use vyre_memory as memory;

/// Edges in a fixed order. They can be visited more than once.
pub(crate) trait Chunk: Send + Sync {
    /// Data of an edge besides its ends.
    type Payload: Payload;

    /// Calls `visit` with the key, the value and the payload of each edge.
    fn for_each(&self, visit: impl FnMut(u32, u32, Self::Payload));

    /// Calls `visit` with the key of each edge.
    fn for_each_key(&self, mut visit: impl FnMut(u32)) {
        self.for_each(|key, _, _| visit(key));
    }

    /// Keys of some consecutive edges, from which their locality is estimated. Empty if it is unknown.
    fn sample(&self) -> Vec<u32> {
        Vec::new()
    }
}

/// Data of an edge besides its ends: a weight, or nothing.
pub(crate) trait Payload: Copy + Default + Send + Sync {
    /// Cell that one thread writes without synchronization.
    type Cell: Default + Send + Sync;

    /// Creates zeroed payloads.
    fn zeros(count: usize) -> Vec<Self>;

    /// Creates zeroed cells.
    fn cells(count: usize) -> Vec<Self::Cell>;

    /// Stores the payload in a cell.
    fn put(self, cell: &Self::Cell);

    /// Takes the payload from a cell.
    fn take(cell: Self::Cell) -> Self;
}

impl Payload for () {
    type Cell = ();

    fn zeros(count: usize) -> Vec<()> {
        vec![(); count]
    }

    fn cells(count: usize) -> Vec<()> {
        vec![(); count]
    }

    fn put(self, (): &()) {}

    fn take((): ()) {}
}

impl Payload for u32 {
    type Cell = AtomicU32;

    fn zeros(count: usize) -> Vec<u32> {
        memory::zeros(count)
    }

    fn cells(count: usize) -> Vec<AtomicU32> {
        memory::zeros(count).into_iter().map(AtomicU32::new).collect()
    }

    fn put(self, cell: &AtomicU32) {
        cell.store(self, Ordering::Relaxed);
    }

    fn take(cell: AtomicU32) -> u32 {
        cell.into_inner()
    }
}

/// Edges grouped by key.
pub(crate) struct Grouped<P> {
    /// Position of the first edge of each key, and the number of edges.
    pub(crate) offsets: Vec<u32>,
    /// Values of the edges.
    pub(crate) values: Vec<u32>,
    /// Payloads of the edges.
    pub(crate) payloads: Vec<P>,
}

/// Number of keys of a sample.
pub(crate) const SAMPLE: usize = 256;

/// Groups the edges of all chunks by key. `edges` must be their number, and keys must be below `keys`. Edges of one key keep the
/// order of the chunks and of the edges within them.
pub(crate) fn group<C: Chunk>(keys: u32, edges: u32, chunks: Vec<C>) -> Grouped<C::Payload> {
    if is_local(&chunks) { direct::group(keys, edges, &chunks) } else { buckets::group(keys, edges, chunks) }
}

/// Reports whether most keys of the samples share a cache line of counters with another key of their sample.
fn is_local<C: Chunk>(chunks: &[C]) -> bool {
    // Number of counters in a cache line.
    const LINE: u32 = 16;
    let (mut keys, mut lines) = (0, 0);
    for chunk in chunks {
        let mut sample = chunk.sample();
        keys += sample.len();
        sample.iter_mut().for_each(|key| *key /= LINE);
        sample.sort_unstable();
        sample.dedup();
        lines += sample.len();
    }
    keys > 0 && 4 * lines <= keys
}

#[cfg(test)]
mod tests {
    use super::*;

    struct List(Vec<(u32, u32)>);

    impl Chunk for List {
        type Payload = u32;

        fn for_each(&self, mut visit: impl FnMut(u32, u32, u32)) {
            self.0.iter().for_each(|&(key, value)| visit(key, value, value ^ 7));
        }
    }

    /// Keys that fill few or many buckets, at all their boundaries, in one chunk or several.
    #[test]
    fn edges_are_grouped_as_a_stable_sort_does() {
        for keys in [1u32, 2, 3, 1 << 10, (1 << 10) + 1, 300_000] {
            for count in [0usize, 1, 1_000, 400_005] {
                let mut state = u64::from(keys);
                let mut next = || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33) as u32
                };
                let edges: Vec<(u32, u32)> = (0..count).map(|_| (next() % keys, next())).collect();
                let chunks = || edges.chunks(40_000).map(|chunk| List(chunk.to_vec())).collect::<Vec<List>>();
                let mut expected = edges.clone();
                expected.sort_by_key(|&(key, _)| key);
                check(&buckets::group(keys, count as u32, chunks()), keys, &expected);
                check(&direct::group(keys, count as u32, &chunks()), keys, &expected);
            }
        }
    }

    fn check(grouped: &Grouped<u32>, keys: u32, expected: &[(u32, u32)]) {
        let values: Vec<u32> = expected.iter().map(|&(_, value)| value).collect();
        assert_eq!(grouped.values, values, "{keys} keys, {} edges", expected.len());
        assert!(grouped.payloads.iter().zip(&values).all(|(payload, value)| *payload == value ^ 7));
        for key in 0..=keys {
            let before = expected.partition_point(|&(k, _)| k < key);
            assert_eq!(grouped.offsets[key as usize], before as u32, "key {key} of {keys}, {} edges", expected.len());
        }
    }

    struct Sampled(Vec<u32>);

    impl Chunk for Sampled {
        type Payload = ();

        fn for_each(&self, _: impl FnMut(u32, u32, ())) {}

        fn sample(&self) -> Vec<u32> {
            self.0.clone()
        }
    }

    #[test]
    fn samples_of_near_keys_are_local() {
        assert!(is_local(&[Sampled((0..256).collect())]));
        assert!(is_local(&[Sampled(vec![70; 256])]));
        assert!(!is_local(&[Sampled((0..256).map(|key| 1_000 * key).collect())]));
        assert!(!is_local(&[Sampled(Vec::new())]));
        assert!(!is_local::<Sampled>(&[]));
    }
}
