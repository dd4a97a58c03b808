//! A counting sort in two steps, for keys that come in any order.
//!
//! Threads first put the edges of their chunk into buckets of neighbouring keys; then each bucket is sorted by itself, in a
//! cache, into its own part of the result. A plain counting sort would write all over the memory instead.

use std::ops::Range;

use rayon::prelude::*;

use super::{Chunk, Grouped, Payload};
use vyre_memory as memory;

/// A bucket of about so many edges is sorted in a second-level cache.
const BUCKET_EDGES: usize = 1 << 16;
/// More buckets than this cost more in the first step than they save in the second.
const MAX_BUCKETS: usize = 1 << 10;

/// Where keys of one bucket begin and end.
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

/// A chunk whose edges lie bucket by bucket.
struct Sorted<P> {
    /// Key and value of each edge, in one word: memory of zeros need not be written first.
    edges: Vec<u64>,
    payloads: Vec<P>,
    ends: Vec<usize>,
}

fn joined(key: u32, value: u32) -> u64 {
    u64::from(key) << 32 | u64::from(value)
}

impl<P: Payload> Sorted<P> {
    fn range(&self, bucket: usize) -> Range<usize> {
        let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        start..self.ends[bucket]
    }

    /// The keys of a bucket.
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

/// Groups by buckets. A chunk is released as soon as its edges are in buckets.
pub(super) fn group<C: Chunk>(keys: u32, edges: u32, chunks: Vec<C>) -> Grouped<C::Payload> {
    let buckets = Buckets::new(keys, edges);
    let sorted: Vec<Sorted<C::Payload>> =
        chunks.into_par_iter().map(|chunk| sort_by_bucket(&buckets, &chunk)).collect();

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

fn sort_by_bucket<C: Chunk>(buckets: &Buckets, chunk: &C) -> Sorted<C::Payload> {
    let mut ends = vec![0usize; buckets.count()];
    chunk.for_each_key(|key| ends[buckets.of(key)] += 1);
    let mut total = 0;
    for end in &mut ends {
        // For now where the bucket begins; the edges move it to its end.
        total += std::mem::replace(end, total);
    }
    let mut edges: Vec<u64> = memory::zeros(total);
    let mut payloads = C::Payload::zeros(total);
    chunk.for_each(|key, value, payload| {
        let at = &mut ends[buckets.of(key)];
        edges[*at] = joined(key, value);
        payloads[*at] = payload;
        *at += 1;
    });
    Sorted { edges, payloads, ends }
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

impl<P: Payload> Part<'_, P> {
    fn fill(self, chunks: &[Sorted<P>]) {
        for chunk in chunks {
            chunk.keys(self.bucket).for_each(|key| self.ends[(key - self.first_key) as usize] += 1);
        }
        let mut total = 0;
        for end in &mut *self.ends {
            // For now where the key begins, within the bucket; the edges move it to its end.
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
