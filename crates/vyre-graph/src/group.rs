//! Grouping edges by one of their ends: the work of construction and of transposition.
//!
//! This is a counting sort in two steps that keeps the order of equal keys. Threads first put the edges of their chunk into
//! buckets of neighbouring keys; then each bucket is sorted by itself, in a cache, into its own part of the result. A plain
//! counting sort writes all over the memory instead, and shares its counters.

use rayon::prelude::*;

/// Edges in a fixed order, which can be gone through more than once.
pub(crate) trait Chunk: Send + Sync {
    /// What an edge has besides its ends.
    type Payload: Copy + Default + Send + Sync;

    /// Calls `visit` with the key, the value and the payload of each edge.
    fn for_each(&self, visit: impl FnMut(u32, u32, Self::Payload));
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

/// A bucket of about so many edges is sorted in a second-level cache.
const BUCKET_EDGES: usize = 1 << 17;
/// More buckets than this cost more in the first step than they save in the second.
const MOST_BUCKETS: usize = 1 << 10;

/// Where keys of one bucket begin and end.
struct Buckets {
    keys: u32,
    shift: u32,
}

impl Buckets {
    fn new(keys: u32, edges: u32) -> Buckets {
        let wanted = (edges as usize / BUCKET_EDGES).clamp(1, MOST_BUCKETS).next_power_of_two();
        let bits = u32::BITS - keys.saturating_sub(1).leading_zeros();
        Buckets { keys, shift: bits.saturating_sub(wanted.ilog2()).min(31) }
    }

    fn count(&self) -> usize {
        if self.keys == 0 { 0 } else { self.of(self.keys - 1) + 1 }
    }

    fn of(&self, key: u32) -> usize {
        (key >> self.shift) as usize
    }

    fn first_key(&self, bucket: usize) -> u32 {
        let first = (bucket as u64) << self.shift;
        first.min(u64::from(self.keys)) as u32
    }
}

/// A chunk whose edges lie bucket by bucket.
struct Sorted<P> {
    edges: Vec<(u32, u32, P)>,
    ends: Vec<usize>,
}

impl<P> Sorted<P> {
    fn bucket(&self, bucket: usize) -> &[(u32, u32, P)] {
        let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        &self.edges[start..self.ends[bucket]]
    }
}

/// Groups the edges of all chunks, of which there are `edges`, by their keys, which are below `keys`. Edges of one key stay in
/// the order of the chunks and of the edges within them.
pub(crate) fn group<C: Chunk>(keys: u32, edges: u32, chunks: Vec<C>) -> Grouped<C::Payload> {
    let buckets = Buckets::new(keys, edges);
    let sorted: Vec<Sorted<C::Payload>> =
        chunks.into_par_iter().map(|chunk| sort_by_bucket(&buckets, &chunk)).collect();

    let mut offsets = vec![0u32; keys as usize + 1];
    let mut values = vec![0u32; edges as usize];
    let mut payloads = vec![C::Payload::default(); edges as usize];

    let mut parts = Vec::with_capacity(buckets.count());
    {
        let mut start = 0u32;
        let (mut ends, mut values, mut payloads) = (&mut offsets[1..], &mut values[..], &mut payloads[..]);
        for bucket in 0..buckets.count() {
            let keys = buckets.first_key(bucket + 1) - buckets.first_key(bucket);
            let edges: usize = sorted.iter().map(|chunk| chunk.bucket(bucket).len()).sum();
            let part = Part {
                bucket,
                first_key: buckets.first_key(bucket),
                first_edge: start,
                ends: split(&mut ends, keys as usize),
                values: split(&mut values, edges),
                payloads: split(&mut payloads, edges),
            };
            start += edges as u32;
            parts.push(part);
        }
    }
    parts.into_par_iter().for_each(|part| part.fill(&sorted));
    Grouped { offsets, values, payloads }
}

/// Takes the first `length` elements off a slice.
fn split<'s, T>(slice: &mut &'s mut [T], length: usize) -> &'s mut [T] {
    let (taken, rest) = std::mem::take(slice).split_at_mut(length);
    *slice = rest;
    taken
}

fn sort_by_bucket<C: Chunk>(buckets: &Buckets, chunk: &C) -> Sorted<C::Payload> {
    let mut ends = vec![0usize; buckets.count()];
    chunk.for_each(|key, _, _| ends[buckets.of(key)] += 1);
    let mut total = 0;
    for end in &mut ends {
        // For now where the bucket begins; the edges move it to its end.
        total += std::mem::replace(end, total);
    }
    let mut edges = vec![(0u32, 0u32, C::Payload::default()); total];
    chunk.for_each(|key, value, payload| {
        let at = &mut ends[buckets.of(key)];
        edges[*at] = (key, value, payload);
        *at += 1;
    });
    Sorted { edges, ends }
}

/// What one bucket fills.
struct Part<'p, P> {
    bucket: usize,
    first_key: u32,
    first_edge: u32,
    /// For each key, where its edges end.
    ends: &'p mut [u32],
    values: &'p mut [u32],
    payloads: &'p mut [P],
}

impl<P: Copy> Part<'_, P> {
    fn fill(self, chunks: &[Sorted<P>]) {
        let edges = || chunks.iter().flat_map(|chunk| chunk.bucket(self.bucket));
        for &(key, _, _) in edges() {
            self.ends[(key - self.first_key) as usize] += 1;
        }
        let mut total = 0;
        for end in &mut *self.ends {
            // For now where the key begins, within the bucket; the edges move it to its end.
            total += std::mem::replace(end, total);
        }
        for &(key, value, payload) in edges() {
            let at = &mut self.ends[(key - self.first_key) as usize];
            self.values[*at as usize] = value;
            self.payloads[*at as usize] = payload;
            *at += 1;
        }
        for end in self.ends {
            *end += self.first_edge;
        }
    }
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

    /// Keys that fill few or many buckets, at every border of them.
    #[test]
    fn edges_are_grouped_as_a_stable_sort_does() {
        for keys in [1u32, 2, 3, 1 << 10, (1 << 10) + 1, 300_000] {
            for count in [0usize, 1, 1_000, 3 * BUCKET_EDGES + 5] {
                let mut state = u64::from(keys);
                let mut next = || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33) as u32
                };
                let edges: Vec<(u32, u32)> = (0..count).map(|_| (next() % keys, next())).collect();
                let chunks = edges.chunks(40_000).map(|chunk| List(chunk.to_vec())).collect();
                let grouped = group(keys, count as u32, chunks);

                let mut expected = edges;
                expected.sort_by_key(|&(key, _)| key);
                let values: Vec<u32> = expected.iter().map(|&(_, value)| value).collect();
                assert_eq!(grouped.values, values, "{keys} keys, {count} edges");
                assert!(grouped.payloads.iter().zip(&values).all(|(payload, value)| *payload == value ^ 7));
                for key in 0..=keys {
                    let before = expected.partition_point(|&(k, _)| k < key);
                    assert_eq!(grouped.offsets[key as usize], before as u32, "key {key} of {keys}, {count} edges");
                }
            }
        }
    }

    #[test]
    fn all_keys_of_32_bits_have_a_bucket() {
        for edges in [0, 1, u32::MAX] {
            let buckets = Buckets::new(u32::MAX, edges);
            assert!(buckets.count() <= MOST_BUCKETS && buckets.count() >= 1);
            assert_eq!(buckets.of(u32::MAX - 1), buckets.count() - 1);
            assert_eq!(buckets.first_key(buckets.count()), u32::MAX);
        }
    }
}
