//! Looking through long arrays on all threads.

use rayon::prelude::*;

/// Threads look at so many elements at once: to stop at each one takes longer than to look at it.
pub(crate) const STEP: usize = 1 << 14;

/// Where the first element is that fits.
pub(crate) fn first_position<T: Sync>(items: &[T], fits: impl Fn(&T) -> bool + Send + Sync) -> Option<usize> {
    let in_step = |(step, items): (usize, &[T])| {
        // Most steps have none, and to look at all elements without stopping takes wide instructions.
        let has_one = items.iter().fold(false, |has_one, item| has_one | fits(item));
        if has_one { items.iter().position(&fits).map(|index| step * STEP + index) } else { None }
    };
    items.par_chunks(STEP).enumerate().find_map_first(in_step)
}

/// Where the first element is whose key is less than that of the one before it.
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
