//! Two-pass bucket counting sort, for keys without locality.
//!
//! In the first pass, threads partition the edges of their chunks into buckets of consecutive keys. In the second pass, each bucket
//! is sorted within a cache into its part of the result. A one-pass counting sort would write to random addresses instead.

use std::ops::Range;

use rayon::prelude::*;

use super::{Chunk, Grouped, Payload};
use vyre_memory as memory;

/// Approximate number of edges of a bucket, which fit a second-level cache.
const BUCKET_EDGES: usize = 1 << 16;
/// Maximum number of buckets. More cost more in the first pass than they save in the second.
const MAX_BUCKETS: usize = 1 << 10;

/// Partition of the keys into buckets of equal width, a power of two.
struct Buckets {
    keys: u32,
    shift: u32,
}

impl Buckets {
    fn new(keys: u32, edges: u32) -> Buckets {
        let wanted = (edges as usize / BUCKET_EDGES).clamp(1, MAX_BUCKETS).next_power_of_two();
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

/// A chunk whose edges are ordered by bucket.
struct PartitionedChunk<P> {
    /// Key and value of each edge in one word, which zeroed memory provides without a write.
    edges: Vec<u64>,
    payloads: Vec<P>,
    ends: Vec<usize>,
}

/// Packs key (bits 32 to 63) and value (bits 0 to 31).
fn pack(key: u32, value: u32) -> u64 {
    u64::from(key) << 32 | u64::from(value)
}

impl<P: Payload> PartitionedChunk<P> {
    fn range(&self, bucket: usize) -> Range<usize> {
        let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        start..self.ends[bucket]
    }

    /// Keys of a bucket.
    fn keys(&self, bucket: usize) -> impl Iterator<Item = u32> {
        self.edges[self.range(bucket)].iter().map(|&edge| (edge >> 32) as u32)
    }

    /// Keys, values and payloads of a bucket.
    fn edges(&self, bucket: usize) -> impl Iterator<Item = (u32, u32, P)> {
        let range = self.range(bucket);
        let edges = self.edges[range.clone()].iter().zip(&self.payloads[range]);
        edges.map(|(&edge, &payload)| ((edge >> 32) as u32, edge as u32, payload))
    }
}

/// Groups edges by key. A chunk is released as soon as it is partitioned.
pub(super) fn group<C: Chunk>(keys: u32, edges: u32, chunks: Vec<C>) -> Grouped<C::Payload> {
    let buckets = Buckets::new(keys, edges);
    let sorted: Vec<PartitionedChunk<C::Payload>> =
        chunks.into_par_iter().map(|chunk| partition(&buckets, &chunk)).collect();

    let mut offsets: Vec<u32> = memory::zeros(keys as usize + 1);
    let mut values: Vec<u32> = memory::zeros(edges as usize);
    let mut payloads = C::Payload::zeros(edges as usize);

    let mut parts = Vec::with_capacity(buckets.count());
    {
        let mut start = 0u32;
        let (mut ends, mut values, mut payloads) = (&mut offsets[1..], &mut values[..], &mut payloads[..]);
        for bucket in 0..buckets.count() {
            let keys = buckets.first_key(bucket + 1) - buckets.first_key(bucket);
            let edges: usize = sorted.iter().map(|chunk| chunk.range(bucket).len()).sum();
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

fn partition<C: Chunk>(buckets: &Buckets, chunk: &C) -> PartitionedChunk<C::Payload> {
    let mut ends = vec![0usize; buckets.count()];
    chunk.for_each_key(|key| ends[buckets.of(key)] += 1);
    let mut total = 0;
    for end in &mut ends {
        // The start of the bucket. Adding the edges advances it to the end.
        total += std::mem::replace(end, total);
    }
    let mut edges: Vec<u64> = memory::zeros(total);
    let mut payloads = C::Payload::zeros(total);
    chunk.for_each(|key, value, payload| {
        let at = &mut ends[buckets.of(key)];
        edges[*at] = pack(key, value);
        payloads[*at] = payload;
        *at += 1;
    });
    PartitionedChunk { edges, payloads, ends }
}

/// Parts of the arrays that one bucket fills.
struct Part<'p, P> {
    bucket: usize,
    first_key: u32,
    first_edge: u32,
    /// End of the edges of each key.
    ends: &'p mut [u32],
    values: &'p mut [u32],
    payloads: &'p mut [P],
}

impl<P: Payload> Part<'_, P> {
    fn fill(self, chunks: &[PartitionedChunk<P>]) {
        for chunk in chunks {
            chunk.keys(self.bucket).for_each(|key| self.ends[(key - self.first_key) as usize] += 1);
        }
        let mut total = 0;
        for end in &mut *self.ends {
            // The start of the key within the bucket. Adding the edges advances it to the end.
            total += std::mem::replace(end, total);
        }
        for chunk in chunks {
            for (key, value, payload) in chunk.edges(self.bucket) {
                let at = &mut self.ends[(key - self.first_key) as usize];
                self.values[*at as usize] = value;
                self.payloads[*at as usize] = payload;
                *at += 1;
            }
        }
        for end in self.ends {
            *end += self.first_edge;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_of_32_bits_have_a_bucket() {
        for edges in [0, 1, u32::MAX] {
            let buckets = Buckets::new(u32::MAX, edges);
            assert!(buckets.count() <= MAX_BUCKETS && buckets.count() >= 1);
            assert_eq!(buckets.of(u32::MAX - 1), buckets.count() - 1);
            assert_eq!(buckets.first_key(buckets.count()), u32::MAX);
        }
    }
}
