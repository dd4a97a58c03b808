//! Scratch memory of threads, and a pool that reuses it across runs.

use std::sync::{Mutex, PoisonError};

use vyre_runtime::Error;

use crate::buffer::Memory;

/// Scratch memory of a thread, followed by workgroup memory. Its contents are arbitrary: generated code must initialise what
/// it reads.
pub(crate) struct Scratch<'p> {
    memory: Option<Memory>,
    /// Offset of workgroup memory.
    workgroup: usize,
    pool: &'p ScratchPool,
}

impl Scratch<'_> {
    pub(crate) fn address(&self) -> *mut u8 {
        self.memory.as_ref().map_or(std::ptr::null_mut(), Memory::address)
    }

    pub(crate) fn workgroup(&self) -> *mut u8 {
        self.address().wrapping_add(self.workgroup)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.pool.put(memory);
        }
    }
}

/// Pool of scratch memory that no thread uses.
#[derive(Default)]
pub(crate) struct ScratchPool {
    free: Mutex<Vec<Memory>>,
}

/// Maximum size of an allocation that the pool keeps.
const MAX_POOLED_BYTES: u64 = 1 << 24;

/// Maximum number of allocations that the pool keeps.
const MAX_POOLED_ALLOCATIONS: usize = 64;

impl ScratchPool {
    /// Takes or allocates memory of at least these sizes.
    pub(crate) fn take(&self, scratch: u64, workgroup: u64) -> Result<Scratch<'_>, Error> {
        let start = scratch.next_multiple_of(64);
        let bytes = (start + workgroup).max(64);
        let found = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            free.iter().position(|memory| memory.bytes() >= bytes).map(|at| free.swap_remove(at))
        };
        #[cfg_attr(not(debug_assertions), expect(unused_mut, reason = "poisoned in debug builds"))]
        let mut memory = match found {
            Some(memory) => memory,
            // Pooled sizes are powers of two, so that many kernels can share an allocation.
            None => Memory::new(if bytes <= MAX_POOLED_BYTES { bytes.next_power_of_two() } else { bytes })?,
        };
        // Tests then detect code that reads uninitialised memory.
        #[cfg(debug_assertions)]
        memory.poison();
        let workgroup = usize::try_from(start).map_err(|_| Error::out_of_host_memory(start))?;
        Ok(Scratch { memory: Some(memory), workgroup, pool: self })
    }

    fn put(&self, memory: Memory) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.bytes() <= MAX_POOLED_BYTES && free.len() < MAX_POOLED_ALLOCATIONS {
            free.push(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_reused_if_it_is_large_enough() {
        let pool = ScratchPool::default();
        let first = pool.take(100, 1000).expect("memory");
        let address = first.address();
        assert_eq!(first.workgroup().addr() - address.addr(), 128);
        drop(first);
        assert_eq!(pool.take(500, 20).expect("memory").address(), address);
        assert_ne!(pool.take(5000, 20).expect("memory").address(), address);
        let large = pool.take(MAX_POOLED_BYTES * 2, 0).expect("memory");
        drop(large);
        assert_eq!(pool.free.lock().expect("no panic").len(), 2);
    }

    #[test]
    fn the_pool_keeps_a_limited_number_of_allocations() {
        let pool = ScratchPool::default();
        let all: Vec<_> = (0..100).map(|_| pool.take(1000, 1000).expect("memory")).collect();
        drop(all);
        assert_eq!(pool.free.lock().expect("no panic").len(), MAX_POOLED_ALLOCATIONS);
    }
}
