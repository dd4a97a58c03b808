//! Grids: ids, and more workgroups on an axis than a dispatch of graphics interfaces allows.

use super::rig::{Checked, Rig, grouped};

pub(super) fn ids(rig: &Rig<'_>) -> Checked {
    const SIZE: [u32; 3] = [2, 3, 2];
    const GRID: [u32; 3] = [3, 4, 5];
    let program = "workgroup_size 2, 3, 2;
        buffer out: read_write u32 @0;
        entry {
            let i = invocation_id.x + 6 * (invocation_id.y + 12 * invocation_id.z);
            out[i * 12] = invocation_id.x;
            out[i * 12 + 1] = invocation_id.y;
            out[i * 12 + 2] = invocation_id.z;
            out[i * 12 + 3] = workgroup_id.x;
            out[i * 12 + 4] = workgroup_id.y;
            out[i * 12 + 5] = workgroup_id.z;
            out[i * 12 + 6] = local_id.x;
            out[i * 12 + 7] = local_id.y;
            out[i * 12 + 8] = local_id.z;
            out[i * 12 + 9] = num_workgroups.x;
            out[i * 12 + 10] = num_workgroups.y;
            out[i * 12 + 11] = num_workgroups.z;
        }";
    let all = [SIZE[0] * GRID[0], SIZE[1] * GRID[1], SIZE[2] * GRID[2]];
    let coordinates = |i: u32| [i % all[0], i / all[0] % all[1], i / (all[0] * all[1])];
    let divided = |coordinates: [u32; 3]| [0, 1, 2].map(|axis| coordinates[axis] / SIZE[axis]);
    let rest = |coordinates: [u32; 3]| [0, 1, 2].map(|axis| coordinates[axis] % SIZE[axis]);
    let invocations = 0..all.iter().product();
    let expected: Vec<u32> = invocations
        .map(coordinates)
        .flat_map(|coordinates| [coordinates, divided(coordinates), rest(coordinates), GRID].concat())
        .collect();
    let out = rig.untouched(expected.len())?;
    rig.dispatch(program, &[&out], GRID)?;
    rig.compare(&out, &expected, |at| {
        let id = ["invocation_id", "workgroup_id", "local_id", "num_workgroups"][at % 12 / 3];
        let [x, y, z] = coordinates((at / 12) as u32);
        format!("`{id}.{}` of invocation ({x}, {y}, {z})", ["x", "y", "z"][at % 3])
    })
}

/// Number of workgroups on one axis. Many devices dispatch at most 65,535 at a time.
const WIDE: u32 = 70_000;

pub(super) fn wide(rig: &Rig<'_>, axis: usize) -> Checked {
    let name = ["x", "y", "z"][axis];
    // The sums show workgroups that run twice or have a wrong id.
    let program = format!(
        "workgroup_size 1;
        buffer out: read_write u32 @0;
        entry {{
            let i = workgroup_id.{name};
            let _ = atomic_add(out[i], i * 3 + (invocation_id.{name} == i) + (num_workgroups.{name} == {WIDE}));
        }}"
    );
    let expected: Vec<u32> = (0..WIDE).map(|i| i * 3 + 2).collect();
    let out = rig.words(&vec![0; expected.len()])?;
    let mut grid = [1; 3];
    grid[axis] = WIDE;
    rig.dispatch(&program, &[&out], grid)?;
    rig.compare(&out, &expected, |i| {
        format!("what workgroup {} of {} on axis {name} adds up", grouped(i), grouped(WIDE as usize))
    })
}

pub(super) fn empty(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 1; buffer out: read_write u32 @0; entry { let _ = atomic_add(out[0], 1); }";
    let out = rig.words(&[0])?;
    for grid in [[0, 1, 1], [1, 0, 1], [3, 3, 0], [0, 0, 0]] {
        rig.dispatch(program, &[&out], grid)?;
    }
    rig.compare(&out, &[0], |_| "the number of invocations of grids with a 0".to_owned())
}
