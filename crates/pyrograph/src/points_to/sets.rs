//! Points-to sets with difference propagation, and the lists of the constraint graph.

/// Largest points-to set. A linear search in so few numbers is faster than a hash table.
pub(super) const MAX_OBJECTS: usize = 32;

/// Result of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inserted {
    /// The object is new.
    New,
    /// The object was in the set.
    Known,
    /// The set is full, now for the first time.
    Full,
    /// The set was full before.
    Saturated,
}

/// Set of objects in order of insertion. The objects before `done` have been propagated.
#[derive(Debug, Default)]
pub(super) struct PointsToSet {
    items: Vec<u32>,
    done: u32,
    is_saturated: bool,
}

impl PointsToSet {
    /// Objects.
    pub(super) fn items(&self) -> &[u32] {
        &self.items
    }

    /// Adds an object, unless the set is full.
    pub(super) fn insert(&mut self, object: u32) -> Inserted {
        if self.is_saturated {
            return Inserted::Saturated;
        }
        if self.items.contains(&object) {
            return Inserted::Known;
        }
        if self.items.len() >= MAX_OBJECTS {
            self.is_saturated = true;
            return Inserted::Full;
        }
        self.items.push(object);
        Inserted::New
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
