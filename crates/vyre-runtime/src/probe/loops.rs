//! Loops: their bounds, and that they go on for as long as they must.

use super::rig::{Checked, Fault, Rig, grouped, shown};

/// The rounds of long loops. Some drivers end loops after 65,535.
const ROUNDS: u32 = 200_000;

/// A step that depends on all steps before it, so that no compiler can do without the rounds.
fn step(state: u32, by: u32) -> u32 {
    state.wrapping_mul(1_664_525).wrapping_add(by)
}

pub(super) fn long(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 1;
        buffer params: uniform u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let rounds = 0;
            let state = 1;
            for i in 0..params[0] {
                rounds = rounds + 1;
                state = state * 1664525 + i;
            }
            out[0] = rounds;
            out[1] = state;
        }";
    let state = (0..ROUNDS).fold(1, step);
    count_rounds(rig, program, &[ROUNDS], (ROUNDS, state), |found| {
        format!("a loop of {} rounds ended after {}", shown(ROUNDS), shown(found))
    })
}

pub(super) fn nested(rig: &Rig<'_>) -> Checked {
    let (outer, inner) = (500, ROUNDS / 500);
    let program = "workgroup_size 1;
        buffer params: uniform u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let rounds = 0;
            let state = 1;
            for i in 0..params[0] {
                for k in 0..params[1] {
                    rounds = rounds + 1;
                    state = state * 1664525 + i * k;
                }
            }
            out[0] = rounds;
            out[1] = state;
        }";
    let state = (0..outer).flat_map(|i| (0..inner).map(move |k| i * k)).fold(1, step);
    count_rounds(rig, program, &[outer, inner], (ROUNDS, state), |found| {
        let all = format!("{} rounds in all, not {}", shown(found), shown(ROUNDS));
        format!("a loop of {inner} rounds within one of {outer} made {all}")
    })
}

pub(super) fn breaking(rig: &Rig<'_>) -> Checked {
    let half = ROUNDS / 2;
    let program = "workgroup_size 1;
        buffer params: uniform u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let rounds = 0;
            let state = 1;
            for i in 0..params[0] {
                if rounds == params[1] {
                    break;
                }
                rounds = rounds + 1;
                state = state * 1664525 + i;
            }
            out[0] = rounds;
            out[1] = state;
        }";
    let state = (0..half).fold(1, step);
    count_rounds(rig, program, &[ROUNDS, half], (half, state), |found| {
        format!("a loop that breaks after {} rounds ended after {}", shown(half), shown(found))
    })
}

/// Runs a program that counts its rounds in word 0 of `out` and leaves what they computed in word 1.
fn count_rounds(
    rig: &Rig<'_>,
    program: &str,
    params: &[u32],
    (rounds, state): (u32, u32),
    explain: impl Fn(u32) -> String,
) -> Checked {
    let (params, out) = (rig.words(params)?, rig.untouched(2)?);
    rig.dispatch(program, &[&params, &out], [1, 1, 1])?;
    match rig.read(&out, 2)?[..] {
        [found, _] if found != rounds => Err(Fault::Wrong(explain(found))),
        [_, found] if found != state => Err(Fault::Wrong(format!(
            "a loop counted {} rounds as it should, but computed {} in them, not {}",
            shown(rounds),
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
    // A loop that misses its end is left after 100 rounds.
    let program = "workgroup_size 16;
        buffer bounds: read vec2u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let i = local_id.x;
            if i < len(bounds) {
                let rounds = 0;
                let sum = 0;
                for k in bounds[i].x..bounds[i].y {
                    if rounds == 100 {
                        break;
                    }
                    rounds = rounds + 1;
                    sum = sum + k;
                }
                out[i * 2] = rounds;
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
        let what = if at % 2 == 0 { "number of rounds" } else { "sum of the rounds" };
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
    rig.compare(&out, &expected, |i| format!("what invocation {i} computes in {} rounds", grouped(i * 37 % 101)))
}
