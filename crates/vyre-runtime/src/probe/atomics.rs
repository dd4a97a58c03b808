//! Atomics of several workgroups on the same words. The results do not depend on their order.

use super::arithmetic::COMBINING;
use super::rig::{Checked, Fault, Rig, UNTOUCHED, grouped, shown};

/// Number of workgroups, of 64 invocations each.
const GRID: [u32; 3] = [8, 1, 1];

/// Number of invocations of a run.
const ALL: u32 = 512;

pub(super) fn tickets(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 64;
        buffer next: read_write u32 @0;
        buffer taken: read_write u32 @1;
        entry {
            let ticket = atomic_add(next[0], 1);
            let _ = atomic_add(taken[ticket], 1);
        }";
    let (next, taken) = (rig.words(&[0])?, rig.words(&[0; ALL as usize])?);
    rig.dispatch(program, &[&next, &taken], GRID)?;
    rig.compare(&next, &[ALL], |_| format!("a word to which {ALL} invocations have added 1"))?;
    rig.compare(&taken, &[1; ALL as usize], |ticket| {
        format!("the number of invocations that found {} when they added 1", grouped(ticket))
    })
}

pub(super) fn updates(rig: &Rig<'_>) -> Checked {
    let lines = COMBINING.iter().enumerate();
    let lines: String =
        lines.map(|(at, (name, ..))| format!("let _ = atomic_{name}(words[{} + (i & 1)], v);", at * 2)).collect();
    let program = format!(
        "workgroup_size 64;
        buffer words: read_write u32 @0;
        entry {{
            let i = invocation_id.x;
            let v = (i + 1) * 2654435761 | 5;
            {lines}
        }}"
    );
    let value = |i: u32| (i + 1).wrapping_mul(2_654_435_761) | 5;
    let mut expected = Vec::new();
    for (_, start, update) in COMBINING {
        for word in 0..2 {
            expected.push((0..ALL).filter(|i| i & 1 == word).map(value).fold(start, update));
        }
    }
    let words = rig.words(&COMBINING.map(|(_, start, _)| [start; 2]).concat())?;
    rig.dispatch(&program, &[&words], GRID)?;
    rig.compare(&words, &expected, |at| {
        format!("a word on which {} invocations did `atomic_{}`", ALL / 2, COMBINING[at / 2].0)
    })
}

pub(super) fn exchanges(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 64;
        buffer words: read_write u32 @0;
        entry {
            let old = atomic_exchange(words[0], invocation_id.x + 1);
            let _ = atomic_add(words[1], old);
        }";
    let words = rig.words(&[0; 2])?;
    rig.dispatch(program, &[&words], GRID)?;
    let expected = (1..=ALL).sum();
    match rig.read(&words, 2)?[..] {
        [last, others] if others.wrapping_add(last) != expected => Err(Fault::Wrong(format!(
            "the sum of all values that {ALL} invocations exchanged is {}, not {}",
            shown(others.wrapping_add(last)),
            shown(expected)
        ))),
        _ => Ok(()),
    }
}

pub(super) fn loads_and_stores(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 64;
        buffer words: read_write u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let i = invocation_id.x;
            out[i * 3] = atomic_load(words[0]);
            out[i * 3 + 1] = atomic_store(words[1], 7);
            let _ = atomic_store(words[2 + i], i * 3);
            out[i * 3 + 2] = atomic_load(words[2 + i]);
        }";
    let mut given = vec![UNTOUCHED; ALL as usize + 2];
    given[0] = 11;
    let (words, out) = (rig.words(&given)?, rig.untouched(ALL as usize * 3)?);
    rig.dispatch(program, &[&words, &out], GRID)?;
    let results: Vec<u32> = (0..ALL).flat_map(|i| [11, 0, i * 3]).collect();
    rig.compare(&out, &results, |at| {
        ["an atomic load of 11", "the result of an atomic store", "an atomic load of what the invocation has stored"]
            [at % 3]
            .to_owned()
    })?;
    let stored: Vec<u32> = [11, 7].into_iter().chain((0..ALL).map(|i| i * 3)).collect();
    rig.compare(&words, &stored, |word| format!("word {word} after atomic stores"))
}

pub(super) fn compares(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 64;
        buffer words: read_write u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let i = invocation_id.x;
            out[i * 2] = atomic_compare_exchange(words[i], i, i * 5 + 1);
            out[i * 2 + 1] = atomic_compare_exchange(words[i], i, 3);
        }";
    let words = rig.words(&(0..ALL).collect::<Vec<u32>>())?;
    let out = rig.untouched(ALL as usize * 2)?;
    rig.dispatch(program, &[&words, &out], GRID)?;
    let results: Vec<u32> = (0..ALL).flat_map(|i| [i, i * 5 + 1]).collect();
    rig.compare(&out, &results, |at| {
        let kind = ["finds what it expects", "finds something else"][at % 2];
        format!("the result of a compare-exchange of invocation {}, alone on its word, that {kind}", at / 2)
    })?;
    let words_after: Vec<u32> = (0..ALL).map(|i| i * 5 + 1).collect();
    rig.compare(&words, &words_after, |i| {
        format!("the word of invocation {i} after a compare-exchange that succeeds and one that does not")
    })
}

pub(super) fn compare_loop(rig: &Rig<'_>) -> Checked {
    // A compare-exchange fails only after another one has succeeded, and each invocation succeeds once. So none needs
    // more iterations than there are invocations.
    let program = "workgroup_size 64;
        buffer count: read_write u32 @0;
        buffer params: uniform u32 @1;
        entry {
            let seen = 0;
            for attempt in 0..params[0] {
                let found = atomic_compare_exchange(count[0], seen, seen + 1);
                if found == seen {
                    return;
                }
                seen = found;
            }
            let _ = atomic_add(count[1], 1);
        }";
    let (count, params) = (rig.words(&[0; 2])?, rig.words(&[ALL])?);
    rig.dispatch(program, &[&count, &params], GRID)?;
    match rig.read(&count, 2)?[..] {
        [_, given_up] if given_up > 0 => Err(Fault::Wrong(format!(
            "{} of {ALL} invocations did not get a compare-exchange done in {ALL} attempts, so it fails without cause",
            shown(given_up)
        ))),
        [found, _] if found != ALL => Err(Fault::Wrong(format!(
            "{ALL} invocations have counted to {} with compare-exchange, so some were lost or failed without cause",
            shown(found)
        ))),
        _ => Ok(()),
    }
}
