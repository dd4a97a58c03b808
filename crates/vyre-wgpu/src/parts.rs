//! Grids that are larger than what an adapter takes.

use crate::emit::{GridPart, may_be_folded};

/// The parts of a grid, none of which has more than `most` workgroups on an axis of the adapter.
///
/// A long row is folded: pieces of it lie on the second axis, so that most of it, or all, is one part. Other grids are cut on
/// each axis.
pub(crate) fn parts(grid: [u32; 3], workgroup_size: [u32; 3], most: u32) -> impl Iterator<Item = GridPart> {
    let [x, y, _] = grid;
    let is_folded = x > most && y == 1 && may_be_folded(workgroup_size);
    let (row, rest) = if is_folded { folded(grid, most) } else { (None, Some(Cut::new(grid, most))) };
    row.into_iter().chain(rest.into_iter().flatten())
}

/// How many numbers of pieces are tried before one is taken that leaves a rest.
const MOST_TRIES: u32 = 256;

/// A long row in pieces of one length, and what is left of it: nothing, if there is a good number of pieces that divides it.
fn folded(grid: [u32; 3], most: u32) -> (Option<GridPart>, Option<Cut>) {
    let [x, _, z] = grid;
    let fewest = x.div_ceil(most);
    let tried = fewest..=fewest.saturating_add(MOST_TRIES).min(most);
    let pieces = { tried }.find(|pieces| x.is_multiple_of(*pieces)).unwrap_or(fewest).min(most);
    if z > most {
        return (None, Some(Cut::new(grid, most)));
    }
    let piece = (x / pieces).min(most);
    let row = GridPart { first: [0; 3], count: [piece, pieces, z], is_folded: true };
    let first = [piece * pieces, 0, 0];
    let rest = Cut { from: first, grid, most, next: (first[0] < x && z > 0).then_some(first) };
    (Some(row).filter(|_| z > 0), Some(rest))
}

/// A grid that is cut on each axis.
struct Cut {
    from: [u32; 3],
    grid: [u32; 3],
    most: u32,
    next: Option<[u32; 3]>,
}

impl Cut {
    fn new(grid: [u32; 3], most: u32) -> Cut {
        Cut { from: [0; 3], grid, most, next: (!grid.contains(&0)).then_some([0; 3]) }
    }
}

impl Iterator for Cut {
    type Item = GridPart;

    fn next(&mut self) -> Option<GridPart> {
        let first = self.next?;
        let count = [0, 1, 2].map(|axis| (self.grid[axis] - first[axis]).min(self.most));
        let mut following = first;
        self.next = None;
        for axis in 0..3 {
            match first[axis].checked_add(self.most).filter(|&next| next < self.grid[axis]) {
                Some(next) => {
                    following[axis] = next;
                    self.next = Some(following);
                    break;
                }
                None => following[axis] = self.from[axis],
            }
        }
        Some(GridPart { first, count, is_folded: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The workgroups of a part, as the shader numbers them.
    fn workgroups(part: GridPart) -> impl Iterator<Item = [u32; 3]> {
        let [x, y, z] = part.count;
        (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z]))).map(move |[x, y, z]| {
            let (x, y) = if part.is_folded { (x + y * part.count[0], 0) } else { (x, y) };
            [part.first[0] + x, part.first[1] + y, part.first[2] + z]
        })
    }

    #[test]
    fn parts_cover_a_grid_once() {
        let grids =
            [[0, 1, 1], [1, 1, 1], [7, 1, 1], [8, 1, 2], [9, 1, 1], [10, 1, 4], [6, 3, 4], [5, 7, 9], [3, 3, 3]];
        for grid in grids.into_iter().chain((1..40).map(|x| [x, 1, 1])).chain([[7, 1, 0], [70, 0, 1]]) {
            for size in [[4, 1, 1], [2, 2, 1]] {
                let mut seen = std::collections::BTreeSet::new();
                for part in parts(grid, size, 3) {
                    assert!(part.count.iter().all(|&count| (1..=3).contains(&count)), "{part:?}");
                    for workgroup in workgroups(part) {
                        assert!(seen.insert(workgroup), "{grid:?}, {size:?}: {workgroup:?} twice");
                    }
                }
                assert_eq!(seen.len() as u32, grid.iter().product::<u32>(), "{grid:?}, {size:?}");
                assert!(seen.iter().all(|at| at.iter().zip(grid).all(|(at, end)| *at < end)), "{grid:?}, {size:?}");
            }
        }
    }

    #[test]
    fn long_rows_are_few_parts() {
        let count = |x: u32| parts([x, 1, 1], [256, 1, 1], 65_535).count();
        assert_eq!((count(65_535), count(65_536), count(1 << 20), count(1 << 24)), (1, 1, 1, 1));
        assert_eq!(count(65_537), 2, "a prime number of workgroups");
        assert!(count(u32::MAX - 4) <= 3);
        assert_eq!(parts([65_536, 2, 1], [1, 1, 1], 65_535).count(), 2);
    }
}
