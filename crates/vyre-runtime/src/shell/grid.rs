//! Grid splitting: covers a grid by dispatches within the limits of the hardware.
//!
//! Hardware limits the workgroups of a dispatch on each axis. [`split_grid`] tiles the grid by boxes of the maximum size.
//! [`fold_grid`] also folds a long x axis over the y axis, so that most one-dimensional grids need one dispatch.

/// Part of a grid that one dispatch covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridPart {
    /// The first workgroup.
    pub first: [u32; 3],
    /// Number of workgroups on each axis of the dispatch.
    pub count: [u32; 3],
    /// True if the part is a segment of the x axis, folded: row `y` of the dispatch holds the `count[0]` workgroups from
    /// `first[0] + y * count[0]`.
    pub is_folded: bool,
}

/// Splits a grid into boxes of at most `max` workgroups on each axis, x fastest.
pub fn split_grid(grid: [u32; 3], max: [u64; 3]) -> impl Iterator<Item = GridPart> {
    split_from(0, grid, max)
}

/// Number of parts that [`split_grid`] gives.
#[must_use]
pub fn count_parts(grid: [u32; 3], max: [u64; 3]) -> u64 {
    let parts = grid.iter().zip(max).map(|(&count, max)| u64::from(count).div_ceil(max));
    parts.fold(1, u64::saturating_mul)
}

/// True if [`fold_grid`] may fold the x axis of grids with workgroups of this size: the y position of an invocation must
/// identify its row and nothing else.
#[must_use]
pub fn can_fold(workgroup_size: [u32; 3]) -> bool {
    workgroup_size[1] == 1
}

/// Splits a grid into parts of at most `max` workgroups on each axis, and folds an x axis that is longer.
///
/// Folding needs a y axis of length 1 and workgroups that [`can_fold`] accepts. The folded part is a rectangle; the
/// remainder, if the length has no suitable divisor, is split as by [`split_grid`].
pub fn fold_grid(grid: [u32; 3], workgroup_size: [u32; 3], max: u32) -> impl Iterator<Item = GridPart> {
    let [x, y, z] = grid;
    let can_fold = x > max && y == 1 && can_fold(workgroup_size) && z <= max;
    let folded = can_fold.then(|| fold(x, z, max));
    let rest = folded.map_or(0, |part| part.count[0] * part.count[1]);
    let parts = split_from(rest, grid, [u64::from(max); 3]);
    folded.filter(|_| z > 0).into_iter().chain(parts)
}

/// Number of row counts that are tried before one is chosen that leaves a remainder.
const MAX_ROW_CANDIDATES: u32 = 256;

/// Folds the beginning of an x axis into rows of equal length: the whole axis if one of the row counts divides its length.
fn fold(x: u32, z: u32, max: u32) -> GridPart {
    let min_rows = x.div_ceil(max);
    let candidates = min_rows..=min_rows.saturating_add(MAX_ROW_CANDIDATES).min(max);
    let rows = { candidates }.find(|rows| x.is_multiple_of(*rows)).unwrap_or(min_rows).min(max);
    GridPart { first: [0; 3], count: [(x / rows).min(max), rows, z], is_folded: true }
}

/// Splits the part of a grid from a position on the x axis.
fn split_from(start: u32, grid: [u32; 3], max: [u64; 3]) -> impl Iterator<Item = GridPart> {
    let starts = [u64::from(start), 0, 0];
    let ends = grid.map(u64::from);
    let boxes = [0, 1, 2].map(|axis| (ends[axis] - starts[axis]).div_ceil(max[axis]));
    // The first workgroup and the number of workgroups of a box on one axis.
    let span = move |axis: usize, index: u64| {
        let first = starts[axis] + index * max[axis];
        (first as u32, (ends[axis] - first).min(max[axis]) as u32)
    };
    let [along_x, along_y, along_z] = boxes;
    let indices = (0..along_z).flat_map(move |z| (0..along_y).flat_map(move |y| (0..along_x).map(move |x| [x, y, z])));
    indices.map(move |[x, y, z]| {
        let (x, y, z) = (span(0, x), span(1, y), span(2, z));
        GridPart { first: [x.0, y.0, z.0], count: [x.1, y.1, z.1], is_folded: false }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const GRIDS: [[u32; 3]; 11] = [
        [0, 1, 1],
        [1, 1, 1],
        [7, 1, 1],
        [8, 1, 2],
        [9, 4, 1],
        [10, 1, 4],
        [6, 3, 4],
        [5, 7, 9],
        [3, 3, 3],
        [3, 0, 3],
        [7, 1, 0],
    ];

    /// The workgroups of a part, as kernels number them.
    fn workgroups(part: GridPart) -> impl Iterator<Item = [u32; 3]> {
        let [x, y, z] = part.count;
        (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z]))).map(move |[x, y, z]| {
            let (x, y) = if part.is_folded { (x + y * part.count[0], 0) } else { (x, y) };
            [part.first[0] + x, part.first[1] + y, part.first[2] + z]
        })
    }

    fn assert_covers(grid: [u32; 3], max: [u64; 3], parts: impl Iterator<Item = GridPart>) {
        let mut seen = BTreeSet::new();
        for part in parts {
            let fits = |axis: usize| (1..=max[axis]).contains(&u64::from(part.count[axis]));
            assert!((0..3).all(fits), "{grid:?}, {max:?}: {part:?}");
            for workgroup in workgroups(part) {
                assert!(seen.insert(workgroup), "{grid:?}, {max:?}: {workgroup:?} twice");
            }
        }
        assert_eq!(seen.len() as u32, grid.iter().product::<u32>(), "{grid:?}, {max:?}");
        assert!(seen.iter().all(|at| at.iter().zip(grid).all(|(at, end)| *at < end)), "{grid:?}, {max:?}");
    }

    #[test]
    fn parts_cover_a_grid_once() {
        let more = (1..40).map(|x| [x, 1, 1]).chain([[70, 0, 1]]);
        for grid in GRIDS.into_iter().chain(more) {
            for max in [[3, 3, 3], [4, 2, 1], [100, 100, 100]] {
                assert_covers(grid, max, split_grid(grid, max));
                assert_eq!(split_grid(grid, max).count() as u64, count_parts(grid, max), "{grid:?}, {max:?}");
            }
            for size in [[4, 1, 1], [2, 2, 1]] {
                assert_covers(grid, [3; 3], fold_grid(grid, size, 3));
            }
        }
    }

    #[test]
    fn long_axes_fold_into_few_parts() {
        let count = |x: u32| fold_grid([x, 1, 1], [256, 1, 1], 65_535).count();
        assert_eq!((count(65_535), count(65_536), count(1 << 20), count(1 << 24)), (1, 1, 1, 1));
        assert_eq!(count(65_537), 2, "a prime number of workgroups");
        assert!(count(u32::MAX - 4) <= 3);
        assert_eq!(fold_grid([65_536, 2, 1], [1, 1, 1], 65_535).count(), 2);
    }
}
