//! Grid size of a launch.

use crate::ptx::MAX_BLOCKS;

/// Maximum number of workgroups of a launch on each axis. A block may run several workgroups, neighbours on the x axis.
pub(crate) fn max_workgroups(groups_per_block: u32) -> [u64; 3] {
    let [x, y, z] = MAX_BLOCKS;
    [x * u64::from(groups_per_block.max(1)), y, z]
}

/// Number of blocks that run these workgroups.
pub(crate) fn blocks([x, y, z]: [u32; 3], groups_per_block: u32) -> [u32; 3] {
    [x.div_ceil(groups_per_block.max(1)), y, z]
}

#[cfg(test)]
mod tests {
    use vyre_runtime::shell::{GridPart, split_grid};

    use super::*;

    #[test]
    fn parts_fit_a_launch() {
        let all = |grid: [u32; 3], groups: u32| {
            let all: Vec<GridPart> = split_grid(grid, max_workgroups(groups)).collect();
            for part in &all {
                let blocks = blocks(part.count, groups);
                assert!(blocks.iter().zip(MAX_BLOCKS).all(|(&blocks, max)| u64::from(blocks) <= max), "{part:?}");
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
        assert_eq!(blocks([33, 2, 3], 32), [2, 2, 3]);
    }
}
