//! Parallel linear searches in long arrays, and rows of a graph in steps of equal work.

use std::ops::Range;

use rayon::prelude::*;

/// Number of elements that a thread tests without an early exit, which would cost more than the test.
pub(crate) const STEP: usize = 1 << 14;

/// Position of the first element that satisfies a predicate.
pub(crate) fn first_position<T: Sync>(items: &[T], fits: impl Fn(&T) -> bool + Send + Sync) -> Option<usize> {
    let in_step = |(step, items): (usize, &[T])| {
        // Most steps have no match, and a loop without early exit is vectorized.
        let has_one = items.iter().fold(false, |has_one, item| has_one | fits(item));
        if has_one { items.iter().position(&fits).map(|index| step * STEP + index) } else { None }
    };
    items.par_chunks(STEP).enumerate().find_map_first(in_step)
}

/// Position of the first element whose key is less than the key before it.
pub(crate) fn first_decrease<T: Sync>(items: &[T], key: impl Fn(&T) -> u32 + Send + Sync) -> Option<usize> {
    let in_step = |step: usize| {
        let start = step * STEP;
        let items = &items[start..(start + STEP + 1).min(items.len())];
        let pairs = || items.iter().zip(&items[1..]);
        let is_sorted = pairs().fold(true, |is_sorted, (a, b)| is_sorted & (key(a) <= key(b)));
        if is_sorted { None } else { pairs().position(|(a, b)| key(a) > key(b)).map(|at| start + at + 1) }
    };
    (0..items.len().div_ceil(STEP)).into_par_iter().find_map_first(in_step)
}

/// Number of edges of a step of [`row_segments`].
pub(crate) const EDGES_PER_STEP: usize = 1 << 15;

/// Rows of the edges of a step, each with those of its edges that the step has. `offsets` must be valid, and the step must have edges.
pub(crate) fn row_segments(offsets: &[u32], step: usize) -> impl Iterator<Item = (u32, Range<usize>)> {
    let position = |row: usize| offsets[row] as usize;
    let start = step * EDGES_PER_STEP;
    let end = (start + EDGES_PER_STEP).min(position(offsets.len() - 1));
    let first = offsets.partition_point(|&offset| offset as usize <= start) - 1;
    let segments =
        (first..offsets.len() - 1).map(move |row| (row as u32, position(row).max(start)..position(row + 1).min(end)));
    segments.take_while(move |(_, edges)| edges.start < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_all_steps_are_the_rows() {
        const STEP_EDGES: u32 = EDGES_PER_STEP as u32;
        let degrees = [0, 1, 0, STEP_EDGES - 1, 0, 0, 3 * STEP_EDGES + 5, 7, 0];
        let mut offsets = vec![0];
        degrees.iter().for_each(|degree| offsets.push(offsets[offsets.len() - 1] + degree));
        let edges = offsets[offsets.len() - 1] as usize;
        let mut rows = vec![0; degrees.len()];
        let mut next = 0;
        for step in 0..edges.div_ceil(EDGES_PER_STEP) {
            for (row, segment) in row_segments(&offsets, step) {
                assert_eq!(segment.start, next);
                rows[row as usize] += segment.len() as u32;
                next = segment.end;
            }
            assert_eq!(next, edges.min((step + 1) * EDGES_PER_STEP));
        }
        assert_eq!(rows, degrees);
    }
}
