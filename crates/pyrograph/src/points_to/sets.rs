//! Points-to sets with difference propagation.

use smallvec::SmallVec;

/// Largest points-to set. A linear search in so few numbers is faster than a hash table. Calls have at most 12 targets, and the
/// value-flow graph uses at most 8 objects of a value, so larger sets cost time and say nothing more.
pub(super) const MAX_OBJECTS: usize = 16;

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
    /// Most sets have few objects and need no memory of their own.
    items: SmallVec<[u32; 4]>,
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
    pub(super) fn take_delta(&mut self, delta: &mut Vec<u32>) {
        delta.clear();
        delta.extend_from_slice(&self.items[self.done as usize..]);
        self.done = self.items.len() as u32;
    }
}
