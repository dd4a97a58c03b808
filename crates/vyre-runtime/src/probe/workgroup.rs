//! Workgroup memory and barriers.

use super::rig::{Checked, Rig, bindings};
use crate::commands::CommandList;

/// Number of workgroups, which reuse the same memory.
const GROUPS: u32 = 32;

pub(super) fn zero(rig: &Rig<'_>) -> Checked {
    // Counts the words that are not zero, then fills them; the sum keeps the stores from being removed as dead.
    let program = |count: u32| {
        format!(
            "workgroup_size 64;
            buffer out: read_write u32 @0;
            buffer tile: workgroup u32[{count}];
            entry {{
                let local = local_id.x;
                let dirty = 0;
                for k in 0..{count} / 64 {{
                    dirty = dirty + (tile[k * 64 + local] != 0);
                }}
                barrier;
                for k in 0..{count} / 64 {{
                    tile[k * 64 + local] = 3735928559 + local + k;
                }}
                barrier;
                let sum = tile[63 - local];
                let _ = atomic_add(out[workgroup_id.x * 2], dirty);
                let _ = atomic_add(out[workgroup_id.x * 2 + 1], sum);
            }}"
        )
    };
    let sum = (0..64).map(|local| 3_735_928_559_u32.wrapping_add(63 - local)).fold(0, u32::wrapping_add);
    let expected = [0, sum].repeat(GROUPS as usize);
    let (first, second) = (rig.words(&[0; 2 * GROUPS as usize])?, rig.words(&[0; 2 * GROUPS as usize])?);
    let mut commands = CommandList::new();
    commands.dispatch(&rig.pipeline(&program(2048))?, &bindings(&[&first]), [GROUPS, 1, 1]);
    commands.dispatch(&rig.pipeline(&program(1024))?, &bindings(&[&second]), [GROUPS, 1, 1]);
    rig.run(&commands)?;
    for (out, words) in [(first, 2048), (second, 1024)] {
        rig.compare(&out, &expected, |at| match at % 2 {
            0 => format!("the number of words, of {words}, that are not 0 when workgroup {} begins", at / 2),
            _ => format!("the sum of words that workgroup {} has written to its memory", at / 2),
        })?;
    }
    Ok(())
}

/// Number of iterations in which invocations exchange values.
const ITERATIONS: u32 = 8;

/// Workgroup size, larger than the SIMD width of any device.
const SIZE: u32 = 256;

pub(super) fn barrier(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 256;
        buffer params: uniform u32 @0;
        buffer out: read_write u32 @1;
        buffer tile: workgroup u32[256];
        entry {
            let local = local_id.x;
            let v = invocation_id.x * 7 + 1;
            for iteration in 0..params[0] {
                tile[local] = v;
                barrier;
                v = tile[(local * 5 + iteration * 64 + 129) % 256] * 3 + iteration;
                barrier;
            }
            out[invocation_id.x] = v;
        }";
    pass_values(rig, program, "workgroup memory")
}

pub(super) fn storage_barrier(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 256;
        buffer params: uniform u32 @0;
        buffer data: read_write u32 @1;
        entry {
            let local = local_id.x;
            let first = workgroup_id.x * 256;
            let v = invocation_id.x * 7 + 1;
            for iteration in 0..params[0] {
                data[first + local] = v;
                barrier;
                v = data[first + (local * 5 + iteration * 64 + 129) % 256] * 3 + iteration;
                barrier;
            }
            data[first + local] = v;
        }";
    pass_values(rig, program, "a buffer")
}

/// Runs a program whose invocations exchange values through memory, in iterations with barriers between them.
fn pass_values(rig: &Rig<'_>, program: &str, memory: &str) -> Checked {
    let mut expected: Vec<u32> = Vec::new();
    for group in 0..4 {
        let mut values: Vec<u32> = (0..SIZE).map(|local| (group * SIZE + local) * 7 + 1).collect();
        for iteration in 0..ITERATIONS {
            let source = |local: u32| values[((local * 5 + iteration * 64 + 129) % SIZE) as usize];
            values = (0..SIZE).map(|local| source(local).wrapping_mul(3).wrapping_add(iteration)).collect();
        }
        expected.extend(values);
    }
    let (params, out) = (rig.words(&[ITERATIONS])?, rig.untouched(expected.len())?);
    rig.dispatch(program, &[&params, &out], [4, 1, 1])?;
    rig.compare(&out, &expected, |i| {
        format!("what invocation {i} gets from others through {memory}, with barriers between stores and loads,")
    })
}
