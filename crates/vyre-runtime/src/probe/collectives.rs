//! Collectives of workgroups of all sizes.

use super::arithmetic::COMBINING;
use super::rig::{Checked, Rig, compare, scattered};

/// Number of workgroups of a run.
const GROUPS: usize = 3;

/// A collective in the text format, and its result for each invocation, from the values and source indices of all.
type Collective = (String, Box<dyn Fn(&[u32], &[u32]) -> Vec<u32>>);

pub(super) fn all(rig: &Rig<'_>, size: u32) -> Checked {
    let invocations = size as usize;
    let collectives = collectives(size);
    let count = collectives.len();
    let stores = collectives.iter().enumerate();
    let stores: String = stores.map(|(at, (text, _))| format!("out[i * {count} + {at}] = {text};")).collect();
    let program = format!(
        "workgroup_size {size};
        buffer values: read u32 @0;
        buffer sources: read u32 @1;
        buffer params: uniform u32 @2;
        buffer out: read_write u32 @3;
        entry {{
            let i = invocation_id.x;
            let v = values[i];
            let source = sources[i];
            {stores}
        }}"
    );
    let all = invocations * GROUPS;
    let values = scattered(all);
    // Some source indices lie outside the workgroup.
    let sources: Vec<u32> = scattered(all + 1)[1..].iter().map(|word| word % (size + size / 4 + 2)).collect();
    let params = [0, size - 1, size, u32::MAX, size / 2];
    let out = rig.untouched(all * count)?;
    let given = [rig.words(&values)?, rig.words(&sources)?, rig.words(&params)?];
    rig.dispatch(&program, &[&given[0], &given[1], &given[2], &out], [GROUPS as u32, 1, 1])?;
    let found = rig.read(&out, all * count)?;
    for (at, (text, host)) in collectives.iter().enumerate() {
        let found: Vec<u32> = found.iter().skip(at).step_by(count).copied().collect();
        let groups = values.chunks(invocations).zip(sources.chunks(invocations));
        let expected: Vec<u32> = groups.flat_map(|(values, sources)| host(values, sources)).collect();
        compare(&found, &expected, |i| {
            format!("`{text}` of invocation {} of {size} of workgroup {}", i % invocations, i / invocations)
        })?;
    }
    Ok(())
}

/// All collectives of a workgroup, of the value `v` and the source index `source`.
fn collectives(size: u32) -> Vec<Collective> {
    let mut all: Vec<Collective> = Vec::new();
    for (at, invocation) in [0, size - 1, size, u32::MAX, size / 2].into_iter().enumerate() {
        let host = move |values: &[u32], _: &[u32]| vec![value_of(values, invocation); values.len()];
        all.push((format!("broadcast(v, params[{at}])"), Box::new(host)));
    }
    let shuffled =
        |values: &[u32], sources: &[u32]| sources.iter().map(|&invocation| value_of(values, invocation)).collect();
    all.push(("shuffle(v, source)".to_owned(), Box::new(shuffled)));
    for (name, neutral, combine) in COMBINING {
        let reduced =
            move |values: &[u32], _: &[u32]| vec![values.iter().copied().fold(neutral, combine); values.len()];
        all.push((format!("reduce_{name}(v)"), Box::new(reduced)));
        let scanned = move |values: &[u32], extra: usize| {
            let before = |invocation: usize| values[..invocation + extra].iter().copied().fold(neutral, combine);
            (0..values.len()).map(before).collect::<Vec<u32>>()
        };
        all.push((format!("scan_exclusive_{name}(v)"), Box::new(move |values, _| scanned(values, 0))));
        all.push((format!("scan_inclusive_{name}(v)"), Box::new(move |values, _| scanned(values, 1))));
    }
    if size <= 32 {
        let ballot = |values: &[u32], _: &[u32]| {
            let bits = values.iter().enumerate().map(|(invocation, value)| u32::from(value & 6 != 0) << invocation);
            vec![bits.fold(0, |all, bit| all | bit); values.len()]
        };
        all.push(("ballot(v & 6)".to_owned(), Box::new(ballot)));
    }
    all
}

fn value_of(values: &[u32], invocation: u32) -> u32 {
    values.get(invocation as usize).copied().unwrap_or(0)
}

pub(super) fn invocation_order(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 3, 4, 2;
        buffer out: read_write u32 @0;
        entry {
            let invocation = local_id.x + 3 * (local_id.y + 4 * local_id.z);
            let first = (workgroup_id.x * 24 + invocation) * 2;
            out[first] = scan_exclusive_add(1);
            out[first + 1] = shuffle(local_id.x + 10 * local_id.y + 100 * local_id.z, 23 - invocation);
        }";
    let mut expected = Vec::new();
    for invocation in (0..24).cycle().take(48) {
        let other = 23 - invocation;
        expected.extend([invocation, other % 3 + 10 * (other / 3 % 4) + 100 * (other / 12)]);
    }
    let out = rig.untouched(expected.len())?;
    rig.dispatch(program, &[&out], [2, 1, 1])?;
    rig.compare(&out, &expected, |at| {
        let what = ["the number of invocations before", "the ids that a shuffle finds opposite to"][at % 2];
        format!("{what} invocation {} of a workgroup of 3 by 4 by 2", at / 2 % 24)
    })
}
