//! Copies between host memory and buffers, on several threads.
//!
//! One thread copies at a fraction of the bandwidth of the memory, and the first access to a page of a new buffer costs more
//! than its copy.

use std::sync::{Mutex, PoisonError};

use vyre_memory::Team;

/// Minimum bytes of a copy by several threads.
pub(crate) const MIN_PARALLEL_BYTES: usize = 4 << 20;

/// Bytes that a thread copies at a time: a huge page.
const PIECE_BYTES: usize = 2 << 20;

/// Copies bytes to a target of the same length.
pub(crate) fn copy(team: &Team, source: &[u8], target: &mut [u8]) {
    debug_assert_eq!(source.len(), target.len(), "the caller has checked the range");
    if source.len() < MIN_PARALLEL_BYTES {
        target.copy_from_slice(source);
        return;
    }
    let members = source.len().div_ceil(PIECE_BYTES);
    let pieces = Mutex::new(target.chunks_mut(PIECE_BYTES).zip(source.chunks(PIECE_BYTES)));
    team.run(members, &|| {
        loop {
            let piece = pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((target, source)) = piece else { return };
            target.copy_from_slice(source);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_all_lengths_are_complete() {
        let team = Team::new("test", 4);
        for length in [0, 1, MIN_PARALLEL_BYTES - 1, MIN_PARALLEL_BYTES, MIN_PARALLEL_BYTES * 2 + 12_345] {
            let source: Vec<u8> = (0..length).map(|at| (at * 7 + at / 251) as u8).collect();
            let mut target = vec![1; length];
            copy(&team, &source, &mut target);
            assert!(target == source, "{length}");
        }
    }
}
