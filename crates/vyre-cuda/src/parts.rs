//! Grids that are larger than what a launch takes.

/// The most blocks of a launch on each axis.
const MOST_BLOCKS: [u64; 3] = [(1 << 31) - 1, 65_535, 65_535];

/// Workgroups that are launched together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The position of the first one.
    pub(crate) first: [u32; 3],
    /// How many there are on each axis.
    pub(crate) count: [u32; 3],
}

impl Part {
    /// The blocks that run them, each of which runs so many workgroups side by side.
    pub(crate) fn blocks(self, groups_per_block: u32) -> [u32; 3] {
        let [x, y, z] = self.count;
        [x.div_ceil(groups_per_block.max(1)), y, z]
    }
}

/// The most workgroups of a launch on each axis; on the first, whole blocks of them.
fn most(groups_per_block: u32) -> [u64; 3] {
    let [x, y, z] = MOST_BLOCKS;
    [x * u64::from(groups_per_block.max(1)), y, z]
}

/// How many launches a grid takes.
pub(crate) fn number_of_parts(grid: [u32; 3], groups_per_block: u32) -> u64 {
    let parts = grid.iter().zip(most(groups_per_block)).map(|(&count, most)| u64::from(count).div_ceil(most));
    parts.fold(1, u64::saturating_mul)
}

/// The launches that a grid takes.
pub(crate) fn parts(grid: [u32; 3], groups_per_block: u32) -> impl Iterator<Item = Part> {
    cut(grid, most(groups_per_block))
}

fn cut(grid: [u32; 3], most: [u64; 3]) -> impl Iterator<Item = Part> {
    let pieces = [0, 1, 2].map(|axis| u64::from(grid[axis]).div_ceil(most[axis]));
    let piece = move |axis: usize, at: u64| {
        let first = at * most[axis];
        (first as u32, (u64::from(grid[axis]) - first).min(most[axis]) as u32)
    };
    let [along_x, along_y, along_z] = pieces;
    let places = (0..along_z).flat_map(move |z| (0..along_y).flat_map(move |y| (0..along_x).map(move |x| [x, y, z])));
    places.map(move |[x, y, z]| {
        let (x, y, z) = (piece(0, x), piece(1, y), piece(2, z));
        Part { first: [x.0, y.0, z.0], count: [x.1, y.1, z.1] }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn parts_cover_a_grid_once() {
        let grids =
            [[0, 1, 1], [1, 1, 1], [7, 1, 1], [8, 1, 2], [9, 4, 1], [10, 1, 4], [6, 3, 4], [5, 7, 9], [3, 0, 3]];
        for grid in grids {
            for most in [[3, 3, 3], [4, 2, 1], [100, 100, 100]] {
                let mut seen = BTreeSet::new();
                for part in cut(grid, most) {
                    assert!([0, 1, 2].iter().all(|&axis| (1..=most[axis]).contains(&u64::from(part.count[axis]))));
                    let [x, y, z] = part.count;
                    for at in (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z]))) {
                        let place = [0, 1, 2].map(|axis| part.first[axis] + at[axis]);
                        assert!(place.iter().zip(grid).all(|(&at, end)| at < end), "{grid:?}: {place:?}");
                        assert!(seen.insert(place), "{grid:?}: {place:?} twice");
                    }
                }
                assert_eq!(seen.len() as u32, grid.iter().product::<u32>(), "{grid:?}, {most:?}");
            }
        }
    }

    #[test]
    fn parts_are_what_a_launch_takes() {
        let all = |grid: [u32; 3], groups: u32| {
            let all: Vec<Part> = parts(grid, groups).collect();
            assert_eq!(all.len() as u64, number_of_parts(grid, groups));
            for part in &all {
                let blocks = part.blocks(groups);
                assert!(blocks.iter().zip(MOST_BLOCKS).all(|(&blocks, most)| u64::from(blocks) <= most), "{part:?}");
                assert!(part.first[0].is_multiple_of(groups), "{part:?} begins within a block");
            }
            all
        };
        assert_eq!(all([5, 65_535, 65_535], 1).len(), 1);
        assert_eq!(all([1, 65_536, 1], 1).len(), 2);
        assert_eq!(all([1, 140_000, 70_000], 1).len(), 6);
        assert_eq!(all([0, 5, 5], 1), []);
        assert_eq!(all([1 << 31, 1, 1], 1).len(), 2);
        assert_eq!(all([1 << 31, 1, 1], 2).len(), 1);
        let longest = all([u32::MAX, 1, 1], 1);
        assert_eq!(longest.iter().map(|part| u64::from(part.count[0])).sum::<u64>(), u64::from(u32::MAX));
        assert_eq!(all([u32::MAX, 1, 1], 32).len(), 1);
        assert_eq!(Part { first: [0; 3], count: [33, 2, 3] }.blocks(32), [2, 2, 3]);
    }
}
