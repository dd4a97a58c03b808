//! Branches, returns, and the evaluation of operands.

use super::rig::{Checked, Rig};

pub(super) fn all_operands(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 64;
        buffer counts: read_write u32 @0;
        entry {
            let i = invocation_id.x;
            let _ = select(i & 1, atomic_add(counts[0], 1), atomic_add(counts[1], 1));
            let _ = (i & 2) && atomic_add(counts[2], 1);
            let _ = (i & 2) || atomic_add(counts[3], 1);
        }";
    let counts = rig.words(&[0; 4])?;
    rig.dispatch(program, &[&counts], [2, 1, 1])?;
    let operands = [
        "the second operand of a `select`",
        "the third operand of a `select`",
        "the second operand of an `&&`",
        "the second operand of an `||`",
    ];
    rig.compare(&counts, &[128; 4], |at| format!("the number of invocations, of 128, that evaluate {}", operands[at]))
}

pub(super) fn divergent_flow(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 64;
        buffer out: read_write u32 @0;
        entry {
            let i = invocation_id.x;
            let n = i + 1;
            let steps = 0;
            for k in 0..200 {
                if n == 1 {
                    break;
                }
                if n & 1 {
                    n = n * 3 + 1;
                } else {
                    n = n >> 1;
                }
                steps = steps + 1;
            }
            out[i] = steps;
        }";
    let expected: Vec<u32> = (1..=256).map(steps_to_one).collect();
    let out = rig.untouched(expected.len())?;
    rig.dispatch(program, &[&out], [4, 1, 1])?;
    rig.compare(&out, &expected, |i| format!("the number of steps that invocation {i} takes from {} to 1", i + 1))
}

/// Number of Collatz steps from a number to 1.
fn steps_to_one(mut n: u32) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 1 { n * 3 + 1 } else { n / 2 };
        steps += 1;
    }
    steps
}

pub(super) fn returns(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 64;
        buffer out: read_write u32 @0;
        entry {
            let i = invocation_id.x;
            out[i] = 1;
            if i % 3 == 0 {
                return;
            }
            out[i] = 2;
            for k in 0..10 {
                if k == i % 7 {
                    if i & 1 {
                        return;
                    }
                    break;
                }
                out[i] = out[i] + 10;
            }
            out[i] = out[i] + 1000;
        }";
    let expected: Vec<u32> = (0..128)
        .map(|i| match (i % 3, i % 2) {
            (0, _) => 1,
            (_, 0) => 2 + i % 7 * 10 + 1000,
            _ => 2 + i % 7 * 10,
        })
        .collect();
    let out = rig.untouched(expected.len())?;
    rig.dispatch(program, &[&out], [2, 1, 1])?;
    rig.compare(&out, &expected, |i| {
        let end = match (i % 3, i % 2) {
            (0, _) => "returns at once",
            (_, 0) => "breaks from a loop",
            _ => "returns from a loop",
        };
        format!("what invocation {i}, which {end}, has written")
    })
}
