//! Parallel linear searches in long arrays.

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
