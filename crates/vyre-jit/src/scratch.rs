//! Memory that threads need while they run workgroups, kept for the next run.

use std::sync::{Mutex, PoisonError};

use vyre_runtime::Error;

use crate::buffer::Memory;

/// Memory of a thread: arrays of lanes, then the memory of a workgroup. It holds whatever was there before; machine code
/// clears what it reads first.
pub(crate) struct Scratch<'p> {
    memory: Option<Memory>,
    workgroup: usize,
    pool: &'p ScratchPool,
}

impl Scratch<'_> {
    pub(crate) fn arrays(&self) -> *mut u8 {
        self.memory.as_ref().map_or(std::ptr::null_mut(), Memory::address)
    }

    pub(crate) fn workgroup(&self) -> *mut u8 {
        self.arrays().wrapping_add(self.workgroup)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.pool.put(memory);
        }
    }
}

/// Memory that no thread uses at the moment.
#[derive(Default)]
pub(crate) struct ScratchPool {
    free: Mutex<Vec<Memory>>,
}

/// Larger pieces are given back to the system.
const MOST_BYTES: u64 = 1 << 24;

/// How many pieces are kept.
const MOST_PIECES: usize = 64;

impl ScratchPool {
    /// Memory of at least these sizes.
    pub(crate) fn take(&self, arrays: u64, workgroup: u64) -> Result<Scratch<'_>, Error> {
        let start = arrays.next_multiple_of(64);
        let bytes = (start + workgroup).max(64);
        let found = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            free.iter().position(|memory| memory.bytes() >= bytes).map(|at| free.swap_remove(at))
        };
        #[cfg_attr(not(debug_assertions), expect(unused_mut, reason = "spoiled in debug builds"))]
        let mut memory = match found {
            Some(memory) => memory,
            // Sizes of what is kept are few, so that a piece is of use to many kernels.
            None => Memory::new(if bytes <= MOST_BYTES { bytes.next_power_of_two() } else { bytes })?,
        };
        // Code that reads what it has not written is seen in tests.
        #[cfg(debug_assertions)]
        memory.spoil();
        let workgroup = usize::try_from(start).map_err(|_| Error::out_of_host_memory(start))?;
        Ok(Scratch { memory: Some(memory), workgroup, pool: self })
    }

    fn put(&self, memory: Memory) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.bytes() <= MOST_BYTES && free.len() < MOST_PIECES {
            free.push(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_if_it_is_large_enough() {
        let pool = ScratchPool::default();
        let first = pool.take(100, 1000).expect("memory");
        let address = first.arrays();
        assert_eq!(first.workgroup().addr() - address.addr(), 128);
        drop(first);
        assert_eq!(pool.take(500, 20).expect("memory").arrays(), address);
        assert_ne!(pool.take(5000, 20).expect("memory").arrays(), address);
        let large = pool.take(MOST_BYTES * 2, 0).expect("memory");
        drop(large);
        assert_eq!(pool.free.lock().expect("no panic").len(), 2);
    }

    #[test]
    fn the_pool_stays_small() {
        let pool = ScratchPool::default();
        let all: Vec<_> = (0..100).map(|_| pool.take(1000, 1000).expect("memory")).collect();
        drop(all);
        assert_eq!(pool.free.lock().expect("no panic").len(), MOST_PIECES);
    }
}
