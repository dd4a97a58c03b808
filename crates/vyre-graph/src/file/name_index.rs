//! The table that finds nodes by their names.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// Finds nodes by the hashes of their names. The names lie elsewhere, and far apart: a slot holds the whole hash, so that
/// hardly another name than the right one is looked at.
#[derive(Clone, Default)]
pub(crate) struct NameIndex {
    /// A power of two of them, or none. A node is in the first free slot from that of its hash on.
    slots: Vec<Slot>,
    used: usize,
    hasher: RandomState,
}

/// A node, and the hash of its name.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    hash: u32,
    node: u32,
}

impl Slot {
    /// No node has this number.
    const FREE: Slot = Slot { hash: 0, node: u32::MAX };

    fn is_free(self) -> bool {
        self.node == Slot::FREE.node
    }
}

impl NameIndex {
    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// What hashes names.
    pub(crate) fn hasher(&self) -> RandomState {
        self.hasher.clone()
    }

    /// The hash of a name.
    pub(crate) fn hash(&self, name: &[u8]) -> u32 {
        hash(&self.hasher, name)
    }

    /// The slot where the search for a hash begins.
    #[inline]
    pub(crate) fn first_slot(&self, hash: u32) -> Slot {
        self.slots.get(self.home(hash)).copied().unwrap_or(Slot::FREE)
    }

    /// Some node with a hash whose first slot is known.
    #[inline]
    pub(crate) fn candidate(&self, hash: u32, first: Slot) -> Option<u32> {
        match first {
            _ if first.is_free() => None,
            _ if first.hash == hash => Some(first.node),
            _ => self.find(hash, |_| true),
        }
    }

    /// The node with a hash that is the right one.
    pub(crate) fn find(&self, hash: u32, is_right: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut place = self.home(hash);
        // There is always a free slot.
        loop {
            let slot = self.slots[place];
            if slot.is_free() {
                return None;
            }
            if slot.hash == hash && is_right(slot.node) {
                return Some(slot.node);
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    /// Adds a node that is not there.
    pub(crate) fn insert(&mut self, hash: u32, node: u32) {
        self.reserve(1);
        self.put(Slot { hash, node });
        self.used += 1;
    }

    /// Makes room for more nodes: at most 5 of 8 slots are used, so that searches are short.
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
        let mut place = self.home(slot.hash);
        while !self.slots[place].is_free() {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = slot;
    }

    /// Where the search for a hash begins, if there are slots.
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
