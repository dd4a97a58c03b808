//! Open-addressing hash table from names to nodes, with linear probing.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// Hash table from names to nodes. A slot stores the whole hash, since a comparison with a name is likely a cache miss.
#[derive(Clone, Default)]
pub(crate) struct NameIndex {
    /// The number of slots is a power of two or 0. A node is in the first slot that was free from that of its hash on.
    slots: Vec<Slot>,
    used: usize,
    hasher: RandomState,
}

/// A node and the hash of its name.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    hash: u32,
    node: u32,
}

impl Slot {
    /// Free slot. `u32::MAX` is not a node.
    const FREE: Slot = Slot { hash: 0, node: u32::MAX };

    fn is_free(self) -> bool {
        self.node == Slot::FREE.node
    }
}

impl NameIndex {
    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Hasher of names.
    pub(crate) fn hasher(&self) -> RandomState {
        self.hasher.clone()
    }

    /// The hash of a name.
    pub(crate) fn hash(&self, name: &[u8]) -> u32 {
        hash(&self.hasher, name)
    }

    /// First slot of the probe sequence of a hash.
    #[inline]
    pub(crate) fn first_slot(&self, hash: u32) -> Slot {
        self.slots.get(self.home(hash)).copied().unwrap_or(Slot::FREE)
    }

    /// A node with this hash, given the first slot of its probe sequence.
    #[inline]
    pub(crate) fn candidate(&self, hash: u32, first: Slot) -> Option<u32> {
        match first {
            _ if first.is_free() => None,
            _ if first.hash == hash => Some(first.node),
            _ => self.find(hash, |_| true),
        }
    }

    /// The node with this hash that satisfies a predicate.
    pub(crate) fn find(&self, hash: u32, is_right: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut index = self.home(hash);
        // Terminates, since there is always a free slot.
        loop {
            let slot = self.slots[index];
            if slot.is_free() {
                return None;
            }
            if slot.hash == hash && is_right(slot.node) {
                return Some(slot.node);
            }
            index = (index + 1) & (self.slots.len() - 1);
        }
    }

    /// Adds a new node.
    pub(crate) fn insert(&mut self, hash: u32, node: u32) {
        self.reserve(1);
        self.put(Slot { hash, node });
        self.used += 1;
    }

    /// Reserves slots for more nodes, at a load factor of at most 5/8.
    pub(crate) fn reserve(&mut self, more: usize) {
        let wanted = (self.used + more).div_ceil(5) * 8;
        if wanted <= self.slots.len() {
            return;
        }
        let slots = vec![Slot::FREE; wanted.next_power_of_two()];
        for slot in std::mem::replace(&mut self.slots, slots) {
            if !slot.is_free() {
                self.put(slot);
            }
        }
    }

    fn put(&mut self, slot: Slot) {
        let mut index = self.home(slot.hash);
        while !self.slots[index].is_free() {
            index = (index + 1) & (self.slots.len() - 1);
        }
        self.slots[index] = slot;
    }

    /// Index of the first slot of the probe sequence of a hash.
    #[inline]
    fn home(&self, hash: u32) -> usize {
        hash as usize & self.slots.len().wrapping_sub(1)
    }
}

/// The hash of a name.
#[inline]
pub(crate) fn hash(hasher: &RandomState, name: &[u8]) -> u32 {
    let hash = hasher.hash_one(name);
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_with_the_same_hash_are_all_found() {
        let mut index = NameIndex::default();
        assert_eq!(index.candidate(7, index.first_slot(7)), None);
        assert_eq!(index.find(7, |_| true), None);
        for node in 0..1000u32 {
            index.insert((node % 10).wrapping_add(u32::MAX - 4), node);
        }
        for node in 0..1000u32 {
            let hash = (node % 10).wrapping_add(u32::MAX - 4);
            let candidate = index.candidate(hash, index.first_slot(hash));
            assert_eq!(candidate.map(|found| found % 10), Some(node % 10));
            assert_eq!(index.find(hash, |found| found == node), Some(node));
            assert_eq!(index.find(hash, |found| found == 1000), None);
        }
    }
}
