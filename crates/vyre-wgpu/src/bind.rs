//! Bind groups that are made once for each pipeline and set of buffers.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu::BindGroup;

/// The most groups that are kept.
const MOST_GROUPS: usize = 1024;

/// Bind groups by the pipeline and the buffers that they were made of. A group keeps its buffers alive, so it is forgotten
/// when one of them is dropped.
#[derive(Clone, Default)]
pub(crate) struct BindGroups {
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
    /// By pipeline or buffer: the groups that were made of it.
    by_part: HashMap<u64, HashSet<Key>>,
}

/// The pipeline, then its buffers by binding.
type Key = Vec<u64>;

impl BindGroups {
    /// A number that no other buffer or pipeline of the device has.
    pub(crate) fn fresh_id(&self) -> u64 {
        self.shared.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The group of a pipeline and buffers, made unless it was before.
    pub(crate) fn get(&self, key: &[u64], make: impl FnOnce() -> BindGroup) -> BindGroup {
        if let Some(known) = self.lock().by_key.get(key) {
            return known.clone();
        }
        let made = make();
        let mut groups = self.lock();
        if groups.by_key.len() >= MOST_GROUPS {
            *groups = Groups::default();
        }
        groups.by_key.insert(key.to_vec(), made.clone());
        for &part in key {
            groups.by_part.entry(part).or_default().insert(key.to_vec());
        }
        made
    }

    /// Forgets all groups of a buffer or pipeline.
    pub(crate) fn forget(&self, part: u64) {
        let mut groups = self.lock();
        let Some(keys) = groups.by_part.remove(&part) else { return };
        // The order in which they go is of no importance.
        let mut keys: Vec<Key> = keys.into_iter().collect();
        keys.sort_unstable();
        for key in keys {
            groups.by_key.remove(&key);
            for other in &key {
                if let Some(keys) = groups.by_part.get_mut(other) {
                    keys.remove(&key);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Groups> {
        // A group that is missing in one of the maps is made anew or forgotten later.
        self.shared.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
