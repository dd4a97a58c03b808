//! Loops: bounds, and numbers of iterations.

use super::rig::{Checked, Fault, Rig, grouped, shown};

/// Number of iterations of long loops. Some drivers end loops after 65,535.
const ITERATIONS: u32 = 200_000;

/// Step that depends on all earlier ones, so that no compiler can remove the iterations.
fn step(state: u32, by: u32) -> u32 {
    state.wrapping_mul(1_664_525).wrapping_add(by)
}

pub(super) fn long(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 1;
        buffer params: uniform u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let iterations = 0;
            let state = 1;
            for i in 0..params[0] {
                iterations = iterations + 1;
                state = state * 1664525 + i;
            }
            out[0] = iterations;
            out[1] = state;
        }";
    let state = (0..ITERATIONS).fold(1, step);
    count_iterations(rig, program, &[ITERATIONS], (ITERATIONS, state), |found| {
        format!("a loop of {} iterations ended after {}", shown(ITERATIONS), shown(found))
    })
}

pub(super) fn nested(rig: &Rig<'_>) -> Checked {
    let (outer, inner) = (500, ITERATIONS / 500);
    let program = "workgroup_size 1;
        buffer params: uniform u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let iterations = 0;
            let state = 1;
            for i in 0..params[0] {
                for k in 0..params[1] {
                    iterations = iterations + 1;
                    state = state * 1664525 + i * k;
                }
            }
            out[0] = iterations;
            out[1] = state;
        }";
    let state = (0..outer).flat_map(|i| (0..inner).map(move |k| i * k)).fold(1, step);
    count_iterations(rig, program, &[outer, inner], (ITERATIONS, state), |found| {
        let all = format!("{} iterations in all, not {}", shown(found), shown(ITERATIONS));
        format!("a loop of {inner} iterations within one of {outer} made {all}")
    })
}

pub(super) fn breaking(rig: &Rig<'_>) -> Checked {
    let half = ITERATIONS / 2;
    let program = "workgroup_size 1;
        buffer params: uniform u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let iterations = 0;
            let state = 1;
            for i in 0..params[0] {
                if iterations == params[1] {
                    break;
                }
                iterations = iterations + 1;
                state = state * 1664525 + i;
            }
            out[0] = iterations;
            out[1] = state;
        }";
    let state = (0..half).fold(1, step);
    count_iterations(rig, program, &[ITERATIONS, half], (half, state), |found| {
        format!("a loop that breaks after {} iterations ended after {}", shown(half), shown(found))
    })
}

/// Runs a program that counts its iterations in word 0 of `out` and leaves their result in word 1.
fn count_iterations(
    rig: &Rig<'_>,
    program: &str,
    params: &[u32],
    (iterations, state): (u32, u32),
    explain: impl Fn(u32) -> String,
) -> Checked {
    let (params, out) = (rig.words(params)?, rig.untouched(2)?);
    rig.dispatch(program, &[&params, &out], [1, 1, 1])?;
    match rig.read(&out, 2)?[..] {
        [found, _] if found != iterations => Err(Fault::Wrong(explain(found))),
        [_, found] if found != state => Err(Fault::Wrong(format!(
            "a loop counted {} iterations as it should, but computed {} in them, not {}",
            shown(iterations),
            shown(found),
            shown(state)
        ))),
        _ => Ok(()),
    }
}

pub(super) fn bounds(rig: &Rig<'_>) -> Checked {
    let bounds = [
        (0, 0),
        (0, 1),
        (0, 10),
        (5, 3),
        (7, 8),
        (u32::MAX, 0),
        (u32::MAX - 5, u32::MAX),
        (u32::MAX, u32::MAX),
        (0x7fff_fffe, 0x8000_0002),
        (0x8000_0002, 0x7fff_fffe),
    ];
    // A loop that misses its bound breaks after 100 iterations.
    let program = "workgroup_size 16;
        buffer bounds: read vec2u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let i = local_id.x;
            if i < len(bounds) {
                let iterations = 0;
                let sum = 0;
                for k in bounds[i].x..bounds[i].y {
                    if iterations == 100 {
                        break;
                    }
                    iterations = iterations + 1;
                    sum = sum + k;
                }
                out[i * 2] = iterations;
                out[i * 2 + 1] = sum;
            }
        }";
    let given: Vec<u32> = bounds.iter().flat_map(|&(from, to)| [from, to]).collect();
    let expected: Vec<u32> = bounds
        .iter()
        .flat_map(|&(from, to)| [to.saturating_sub(from), (from..to).fold(0, u32::wrapping_add)])
        .collect();
    let (given, out) = (rig.words(&given)?, rig.untouched(expected.len())?);
    rig.dispatch(program, &[&given, &out], [1, 1, 1])?;
    rig.compare(&out, &expected, |at| {
        let (from, to) = bounds[at / 2];
        let what = if at % 2 == 0 { "number of iterations" } else { "sum of the iterations" };
        format!("the {what} of a loop from {} to {}", shown(from), shown(to))
    })
}

pub(super) fn uneven(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 64;
        buffer out: read_write u32 @0;
        entry {
            let i = invocation_id.x;
            let state = i;
            for k in 0..i * 37 % 101 {
                state = state * 1664525 + k;
            }
            out[i] = state;
        }";
    let expected: Vec<u32> = (0..128).map(|i| (0..i * 37 % 101).fold(i, step)).collect();
    let out = rig.untouched(expected.len())?;
    rig.dispatch(program, &[&out], [2, 1, 1])?;
    rig.compare(&out, &expected, |i| format!("what invocation {i} computes in {} iterations", grouped(i * 37 % 101)))
}
