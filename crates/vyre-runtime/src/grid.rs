//! Sizes of grids, in invocations or in workgroups.

use crate::error::{Error, Resource};
use crate::limits::{Limits, check_limit};

/// Size of the grid of a dispatch.
///
/// A grid consists of whole workgroups. A number of invocations that is no multiple of the workgroup size is rounded up, and
/// the surplus invocations run too; so programs compare their id with a length first, as in `if i < len(input)`.
///
/// ```
/// use vyre_runtime::Grid;
///
/// assert_eq!(Grid::invocations(1_000).workgroups([256, 1, 1]), Ok([4, 1, 1]));
/// assert_eq!(Grid::Invocations([100, 60, 1]).workgroups([8, 8, 1]), Ok([13, 8, 1]));
/// assert_eq!(Grid::workgroup().workgroups([256, 1, 1]), Ok([1, 1, 1]));
/// assert_eq!(Grid::Workgroups([4, 1, 1]).workgroups([256, 1, 1]), Ok([4, 1, 1]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grid {
    /// As many workgroups as this number of invocations on each axis needs.
    Invocations([u64; 3]),
    /// This number of workgroups on each axis; 0 on any axis runs none.
    Workgroups([u32; 3]),
}

impl Grid {
    /// Grid of at least `count` invocations on the x axis.
    #[must_use]
    pub const fn invocations(count: u64) -> Grid {
        Grid::Invocations([count, 1, 1])
    }

    /// Grid of one workgroup.
    #[must_use]
    pub const fn workgroup() -> Grid {
        Grid::Workgroups([1, 1, 1])
    }

    /// Number of workgroups of this size on each axis.
    ///
    /// # Errors
    ///
    /// [`Error::ResourceExceeded`] for more than [`Limits::GRID_INVOCATIONS`] on an axis.
    pub fn workgroups(self, workgroup_size: [u32; 3]) -> Result<[u32; 3], Error> {
        let counts = match self {
            Grid::Workgroups(counts) => return Ok(counts),
            Grid::Invocations(counts) => counts,
        };
        let mut grid = [0; 3];
        for (axis, (&count, &size)) in counts.iter().zip(&workgroup_size).enumerate() {
            let resource = Resource::GridInvocations { axis };
            check_limit(resource, count, Limits::GRID_INVOCATIONS)?;
            // A valid program has no size 0.
            let groups = count.div_ceil(u64::from(size.max(1)));
            // 2^32 invocations in workgroups of one do not fit the number of workgroups.
            check_limit(resource, groups, u32::MAX.into())?;
            grid[axis] = groups as u32;
        }
        Ok(grid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_round_up_and_never_wrap() {
        assert_eq!(Grid::invocations(0).workgroups([64, 1, 1]), Ok([0, 1, 1]));
        assert_eq!(Grid::invocations(1 << 32).workgroups([64, 1, 1]), Ok([1 << 26, 1, 1]));
        let resource = Resource::GridInvocations { axis: 0 };
        let limit = u64::from(u32::MAX);
        let too_many = Error::ResourceExceeded { resource, wanted: 1 << 32, limit };
        assert_eq!(Grid::invocations(1 << 32).workgroups([1, 1, 1]), Err(too_many));
        assert!(Grid::invocations(u64::MAX).workgroups([1 << 31, 1, 1]).is_err());
    }
}
