//! Division of a transfer into pieces (guided self-scheduling).
//!
//! A thread copies a piece between pageable and pinned memory while the device copies earlier ones. The first pieces are small,
//! so that the device starts early, and so are the last ones, so that all threads end at the same time. Those between are
//! large, because each piece costs the device a fixed time.

use std::sync::{Mutex, PoisonError};

/// Maximum bytes of a piece: the size of a staging chunk.
pub(super) const MAX_PIECE_BYTES: usize = 2 << 20;

/// Minimum bytes of a piece of a large transfer, other than the last one. Calls of the driver exclude each other, so small pieces
/// make threads wait for it.
const MIN_PIECE_BYTES: usize = 1 << 20;

/// Number of pieces of each thread into which a transfer is divided at least, so that the stages overlap.
const MIN_PIECES: usize = 2;

/// Minimum bytes of a piece of a transfer of few megabytes.
const SMALLEST_PIECE_BYTES: usize = 256 << 10;

/// Granularity of piece sizes: a page.
const GRANULARITY: usize = 4 << 10;

/// Sizes of the pieces of a transfer of `rest` bytes by this number of threads.
fn sizes(mut rest: usize, threads: usize) -> impl Iterator<Item = usize> {
    let threads = threads.max(1);
    let min_size = (rest / (MIN_PIECES * threads)).clamp(SMALLEST_PIECE_BYTES, MIN_PIECE_BYTES);
    let max_size = (rest / (MIN_PIECES * threads)).clamp(min_size, MAX_PIECE_BYTES);
    let mut number = 0;
    std::iter::from_fn(move || {
        let at_start = min_size << (number / threads).min(8);
        let at_end = (rest / threads).max(min_size);
        let size = max_size.min(at_start).min(at_end).next_multiple_of(GRANULARITY).min(rest);
        number += 1;
        rest -= size;
        (size > 0).then_some(size)
    })
}

/// Number of threads for a transfer, at most `max`.
pub(super) fn thread_count(bytes: usize, max: usize) -> usize {
    bytes.div_ceil(2 * SMALLEST_PIECE_BYTES).clamp(1, max.max(1))
}

/// Pieces that threads take one after the other, with their offsets.
pub(super) struct Pieces<T> {
    rest: Mutex<std::vec::IntoIter<(u64, T)>>,
}

impl<T> Pieces<T> {
    /// Takes the next piece.
    pub(super) fn take(&self) -> Option<(u64, T)> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Divides a range by a function that splits off the first bytes.
    fn divide(length: usize, threads: usize, mut split: impl FnMut(usize) -> T) -> Pieces<T> {
        let mut offset = 0;
        let piece = |size: usize| {
            let piece = (offset, split(size));
            offset += size as u64;
            piece
        };
        let pieces: Vec<(u64, T)> = sizes(length, threads).map(piece).collect();
        Pieces { rest: Mutex::new(pieces.into_iter()) }
    }
}

impl<'b> Pieces<&'b [u8]> {
    /// Divides a source.
    pub(super) fn of(mut bytes: &'b [u8], threads: usize) -> Pieces<&'b [u8]> {
        Pieces::divide(bytes.len(), threads, move |size| bytes.split_off(..size).unwrap_or_default())
    }
}

impl<'b> Pieces<&'b mut [u8]> {
    /// Divides a target.
    pub(super) fn of_mut(mut bytes: &'b mut [u8], threads: usize) -> Pieces<&'b mut [u8]> {
        Pieces::divide(bytes.len(), threads, move |size| bytes.split_off_mut(..size).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_range_in_order() {
        for length in [1, 4_095, 300_001, 1 << 20, 9_999_999, 64 << 20, (300 << 20) + 7] {
            for threads in [1, 2, 10] {
                let sizes: Vec<usize> = sizes(length, threads).collect();
                assert_eq!(sizes.iter().sum::<usize>(), length, "{length}, {threads}");
                assert!(sizes.iter().all(|&size| size > 0 && size <= MAX_PIECE_BYTES), "{length}, {threads}");
                let small = sizes.iter().rev().skip(1).filter(|&&size| size < SMALLEST_PIECE_BYTES).count();
                assert_eq!(small, 0, "{length}, {threads}: only the last piece may be small");
            }
        }
        let bytes: Vec<u8> = (0..3_000_000).map(|at| at as u8).collect();
        let pieces = Pieces::of(&bytes, 3);
        let mut end = 0;
        while let Some((offset, piece)) = pieces.take() {
            assert!(offset == end && piece == &bytes[offset as usize..][..piece.len()]);
            end += piece.len() as u64;
        }
        assert_eq!(end, 3_000_000);
    }

    #[test]
    fn small_transfers_have_few_threads() {
        assert_eq!([1, 512 << 10, 513 << 10, 64 << 20].map(|bytes| thread_count(bytes, 8)), [1, 1, 2, 8]);
        assert_eq!(thread_count(1 << 30, 0), 1);
    }
}
