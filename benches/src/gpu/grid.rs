//! Grids of more workgroups than the maximum of an axis.

/// Grid of two axes with at least `workgroups` workgroups. The excess is smaller than the second axis.
pub(super) fn plane(workgroups: u32, max: u32) -> [u32; 2] {
    let rows = workgroups.div_ceil(max.max(1)).max(1);
    [workgroups.div_ceil(rows), rows]
}

/// First workgroup and number of workgroups of each of several dispatches.
pub(super) fn parts(workgroups: u32, max: u32) -> Vec<(u32, u32)> {
    let max = max.max(1);
    (0..workgroups.div_ceil(max)).map(|part| (part * max, max.min(workgroups - part * max))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_covers_all_workgroups_with_little_excess() {
        for workgroups in [1, 2, 65_535, 65_536, 131_070, 131_071, 1 << 20, (1 << 22) + 1] {
            let [x, y] = plane(workgroups, 65_535);
            assert!((1..=65_535).contains(&x) && (1..=65_535).contains(&y), "{x}, {y}");
            assert!(x * y >= workgroups && x * y - workgroups < y, "{workgroups}: {x}, {y}");
        }
        assert_eq!(plane(7, 65_535), [7, 1]);
    }

    #[test]
    fn parts_cover_all_workgroups_once() {
        for workgroups in [1, 6, 7, 8, 20, 21] {
            let mut next = 0;
            for (first, count) in parts(workgroups, 7) {
                assert_eq!(first, next);
                assert!((1..=7).contains(&count));
                next += count;
            }
            assert_eq!(next, workgroups);
        }
    }
}
