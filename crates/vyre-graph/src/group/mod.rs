//! Grouping edges by one of their ends: the work of construction and of transposition.
//!
//! Both ways are counting sorts that keep the order of equal keys. Where keys that follow each other are near each other, as in
//! graphs of programs, [`direct`] puts each edge into its place at once. Elsewhere that would miss the caches for most edges, and
//! [`buckets`] goes in two steps.

mod buckets;
mod direct;

use std::sync::atomic::{AtomicU32, Ordering};

use vyre_memory as memory;

/// Edges in a fixed order, which can be gone through more than once.
pub(crate) trait Chunk: Send + Sync {
    /// What an edge has besides its ends.
    type Payload: Payload;

    /// Calls `visit` with the key, the value and the payload of each edge.
    fn for_each(&self, visit: impl FnMut(u32, u32, Self::Payload));

    /// Calls `visit` with the key of each edge.
    fn for_each_key(&self, mut visit: impl FnMut(u32)) {
        self.for_each(|key, _, _| visit(key));
    }

    /// Keys of some edges that follow each other, which show whether they are near each other. None where that is not known.
    fn sample(&self) -> Vec<u32> {
        Vec::new()
    }
}

/// What an edge has besides its ends: a weight, or nothing.
pub(crate) trait Payload: Copy + Default + Send + Sync {
    /// Where threads put it; no two of them use the same place.
    type Cell: Default + Send + Sync;

    /// So many empty payloads.
    fn zeros(count: usize) -> Vec<Self>;

    /// So many empty places.
    fn cells(count: usize) -> Vec<Self::Cell>;

    /// Puts it there.
    fn put(self, cell: &Self::Cell);

    /// Takes it from there.
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

/// The edges by key.
pub(crate) struct Grouped<P> {
    /// For each key, where its edges begin, and where the last ones end.
    pub(crate) offsets: Vec<u32>,
    /// The values of the edges.
    pub(crate) values: Vec<u32>,
    /// The payloads of the edges.
    pub(crate) payloads: Vec<P>,
}

/// How many keys are a sample.
pub(crate) const SAMPLE: usize = 256;

/// Groups the edges of all chunks, of which there are `edges`, by their keys, which are below `keys`. Edges of one key stay in
/// the order of the chunks and of the edges within them.
pub(crate) fn group<C: Chunk>(keys: u32, edges: u32, chunks: Vec<C>) -> Grouped<C::Payload> {
    if is_local(&chunks) { direct::group(keys, edges, &chunks) } else { buckets::group(keys, edges, chunks) }
}

/// Whether most edges are near one that came shortly before, according to the samples of all chunks.
fn is_local<C: Chunk>(chunks: &[C]) -> bool {
    // Counters of so many keys share a line of the cache.
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

    /// Keys that fill few or many buckets, at every border of them, in one chunk or many.
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
    fn near_keys_are_told_from_distant_ones() {
        assert!(is_local(&[Sampled((0..256).collect())]));
        assert!(is_local(&[Sampled(vec![70; 256])]));
        assert!(!is_local(&[Sampled((0..256).map(|key| 1_000 * key).collect())]));
        assert!(!is_local(&[Sampled(Vec::new())]));
        assert!(!is_local::<Sampled>(&[]));
    }
}
