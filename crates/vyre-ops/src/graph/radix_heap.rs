//! Radix heap: a priority queue of integers for keys that never decrease below the last one taken (Ahuja, Mehlhorn, Orlin, Tarjan,
//! 1990).
//!
//! Bucket 0 has the entries whose key is the last one taken, bucket `b` those that first differ from it in bit `b - 1`. An entry moves
//! only to lower buckets, at most 32 times, and usually few times.

/// Number of buckets: one for equal keys, and one for each bit.
const BUCKETS: usize = 33;

/// A priority queue of nodes by distance.
#[derive(Debug)]
pub(crate) struct RadixHeap {
    buckets: [Vec<(u32, u32)>; BUCKETS],
    /// Key that was taken last.
    last: u32,
    /// Number of entries that were added.
    pub(crate) pushes: usize,
}

impl RadixHeap {
    pub(crate) fn new() -> RadixHeap {
        RadixHeap { buckets: std::array::from_fn(|_| Vec::new()), last: 0, pushes: 0 }
    }

    /// Adds an entry. Its key must not be less than the last one taken.
    pub(crate) fn push(&mut self, key: u32, node: u32) {
        debug_assert!(key >= self.last, "keys never decrease");
        self.pushes += 1;
        self.buckets[self.bucket(key)].push((key, node));
    }

    /// Takes an entry with the smallest key.
    pub(crate) fn pop(&mut self) -> Option<(u32, u32)> {
        if self.buckets[0].is_empty() {
            let first = self.buckets.iter().position(|bucket| !bucket.is_empty())?;
            let mut entries = std::mem::take(&mut self.buckets[first]);
            self.last = entries.iter().map(|(key, _)| *key).min()?;
            for (key, node) in entries.drain(..) {
                self.buckets[self.bucket(key)].push((key, node));
            }
            // The memory of the bucket is used again.
            self.buckets[first] = entries;
        }
        self.buckets[0].pop()
    }

    fn bucket(&self, key: u32) -> usize {
        (u32::BITS - (key ^ self.last).leading_zeros()) as usize
    }
}

#[cfg(test)]
mod tests {
    use vyre_graph::generate::SplitMix64;

    use super::*;

    #[test]
    fn entries_leave_in_the_order_of_their_keys() {
        let mut random = SplitMix64::new(5);
        for bound in [1, 3, 1000, 1 << 32] {
            let mut heap = RadixHeap::new();
            let mut expected = std::collections::BTreeMap::<u32, u32>::new();
            let mut last = 0;
            for step in 0..2_000 {
                if random.below(5) < 3 && step < 1_500 {
                    let key = last + (random.below(bound) as u32).min(u32::MAX - last);
                    heap.push(key, step);
                    *expected.entry(key).or_default() += 1;
                } else if let Some((key, _)) = heap.pop() {
                    assert_eq!(Some(&key), expected.keys().next());
                    let count = expected.entry(key).or_default();
                    *count -= 1;
                    if *count == 0 {
                        expected.remove(&key);
                    }
                    last = key;
                } else {
                    assert!(expected.is_empty());
                }
            }
        }
    }
}
