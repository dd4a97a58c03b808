//! Working memory that a later analysis uses again.

use std::any::Any;
use std::sync::{Mutex, PoisonError};

/// Slot for the working memory of the last search of a graph. An allocation of gigabytes takes longer than a search on a GPU.
///
/// A search takes the memory out of the slot, and puts it back when it is complete. So the slot holds at most the memory of one search,
/// and concurrent searches have memory of their own.
#[derive(Default)]
pub(crate) struct KeptMemory {
    slot: Mutex<Option<Box<dyn Any + Send>>>,
}

impl KeptMemory {
    /// Takes the memory if it has this type and `fits`. Other memory is freed.
    pub(crate) fn take<T: Any>(&self, fits: impl FnOnce(&T) -> bool) -> Option<T> {
        let kept = self.slot.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        kept.downcast().ok().filter(|kept| fits(kept)).map(|kept| *kept)
    }

    /// Keeps memory for the next search, and frees what was kept before.
    pub(crate) fn put<T: Any + Send>(&self, memory: T) {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(memory));
    }

    /// Frees the memory.
    pub(crate) fn clear(&self) {
        drop(self.slot.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn memory_is_taken_once_and_freed_if_it_does_not_fit() {
        let (kept, memory) = (KeptMemory::default(), Arc::new(7_u32));
        kept.put(Arc::clone(&memory));
        assert_eq!(kept.take(|_: &Arc<u32>| true), Some(Arc::new(7)));
        assert_eq!(kept.take(|_: &Arc<u32>| true), None);
        for discard in [
            |kept: &KeptMemory| assert!(kept.take(|_: &Arc<u32>| false).is_none()),
            |kept: &KeptMemory| assert!(kept.take(|_: &u64| true).is_none()),
            |kept: &KeptMemory| kept.put(0_u8),
            KeptMemory::clear,
        ] {
            kept.put(Arc::clone(&memory));
            assert_eq!(Arc::strong_count(&memory), 2);
            discard(&kept);
            assert_eq!(Arc::strong_count(&memory), 1);
        }
    }
}
