//! Cache of bind groups, by pipeline and buffers.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu::BindGroup;

/// Maximum number of cached groups. A full cache is cleared.
const MAX_GROUPS: usize = 1024;

/// Cache of bind groups. A group keeps its buffers alive, so a dropped buffer or pipeline must remove its groups.
#[derive(Clone, Default)]
pub(crate) struct BindGroupCache {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    next_id: AtomicU64,
    groups: Mutex<Groups>,
}

#[derive(Default)]
struct Groups {
    by_key: HashMap<Key, BindGroup>,
    /// Keys that contain the id of a pipeline or buffer, by that id.
    by_object: HashMap<u64, HashSet<Key>>,
}

/// Id of the pipeline, then those of its buffers by binding.
type Key = Vec<u64>;

impl BindGroupCache {
    /// Creates an id that no other buffer or pipeline of the device has.
    pub(crate) fn fresh_id(&self) -> u64 {
        self.shared.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The group with this key. On a miss, `make` creates it.
    pub(crate) fn get(&self, key: &[u64], make: impl FnOnce() -> BindGroup) -> BindGroup {
        if let Some(cached) = self.lock().by_key.get(key) {
            return cached.clone();
        }
        let made = make();
        let mut groups = self.lock();
        if groups.by_key.len() >= MAX_GROUPS {
            *groups = Groups::default();
        }
        groups.by_key.insert(key.to_vec(), made.clone());
        for &object in key {
            groups.by_object.entry(object).or_default().insert(key.to_vec());
        }
        made
    }

    /// Removes all groups of a buffer or pipeline.
    pub(crate) fn remove(&self, object: u64) {
        let mut groups = self.lock();
        let Some(keys) = groups.by_object.remove(&object) else { return };
        // Any order will do; a sorted one satisfies the lint on iteration over hash tables.
        let mut keys: Vec<Key> = keys.into_iter().collect();
        keys.sort_unstable();
        for key in keys {
            groups.by_key.remove(&key);
            for other in &key {
                if let Some(keys) = groups.by_object.get_mut(other) {
                    keys.remove(&key);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Groups> {
        // A panic between two updates costs a cache miss or a later removal, and nothing else.
        self.shared.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
