//! Points-to sets with difference propagation, and the lists of the constraint graph.

use std::collections::HashSet;

use foldhash::fast::FixedState;

/// Largest set that is searched linearly.
const LINEAR: usize = 12;

/// Set of objects in order of insertion. The objects before `done` have been propagated.
#[derive(Debug, Default)]
pub(super) struct PointsToSet {
    items: Vec<u32>,
    index: Option<HashSet<u32, FixedState>>,
    done: u32,
}

impl PointsToSet {
    /// Objects.
    pub(super) fn items(&self) -> &[u32] {
        &self.items
    }

    /// True if the set contains the object.
    pub(super) fn contains(&self, object: u32) -> bool {
        match &self.index {
            Some(index) => index.contains(&object),
            None => self.items.contains(&object),
        }
    }

    /// Adds an object. False: it was in the set already.
    pub(super) fn insert(&mut self, object: u32) -> bool {
        if self.contains(object) {
            return false;
        }
        self.items.push(object);
        match &mut self.index {
            Some(index) => {
                index.insert(object);
            }
            None if self.items.len() > LINEAR => self.index = Some(self.items.iter().copied().collect()),
            None => {}
        }
        true
    }

    /// Objects that have not been propagated yet. Marks them as propagated.
    pub(super) fn take_delta(&mut self) -> Vec<u32> {
        let delta = self.items[self.done as usize..].to_vec();
        self.done = self.items.len() as u32;
        delta
    }
}

/// Lists of entries for each node, in one arena.
#[derive(Debug)]
pub(super) struct Lists<T> {
    heads: Vec<u32>,
    entries: Vec<(T, u32)>,
}

const END: u32 = u32::MAX;

impl<T: Copy> Lists<T> {
    /// Empty lists.
    pub(super) fn new() -> Lists<T> {
        Lists { heads: Vec::new(), entries: Vec::new() }
    }

    /// Adds an entry to the list of a node.
    pub(super) fn push(&mut self, node: u32, entry: T) {
        let node = node as usize;
        if self.heads.len() <= node {
            self.heads.resize(node + 1, END);
        }
        let position = self.entries.len() as u32;
        self.entries.push((entry, self.heads[node]));
        self.heads[node] = position;
    }

    /// Position of the first entry of a node.
    pub(super) fn first(&self, node: u32) -> u32 {
        self.heads.get(node as usize).copied().unwrap_or(END)
    }

    /// Entry at a position, and the position of the next one. None: the end.
    pub(super) fn get(&self, position: u32) -> Option<(T, u32)> {
        if position == END { None } else { self.entries.get(position as usize).copied() }
    }
}
