//! Barriers of workgroups of many sizes.

use vyre_ir::OpTable;

use crate::Case;
use crate::suite::context::{Context, Item, Settings};
use crate::suite::samples::{after, bytes, case};
use crate::suite::section::Section;

/// Barriers over workgroup memory and storage, in straight code, loops and branches.
pub(in crate::suite) struct Barriers;

/// Workgroup sizes: around the widths of hardware, and large ones.
const SIZES: [u32; 16] = [1, 2, 3, 7, 8, 16, 31, 32, 33, 63, 64, 65, 100, 128, 256, 1_024];

/// Number of workgroups.
const GROUPS: u32 = 3;

impl Section for Barriers {
    fn name(&self) -> &'static str {
        "barriers"
    }

    fn about(&self) -> &'static str {
        "A barrier makes stores to workgroup memory and storage visible in its workgroup: in straight code, loops, branches and after ends."
    }

    fn cost(&self, _: &Settings) -> u64 {
        400
    }

    fn run(&self, context: &Context) {
        for (done, size) in (1..).zip(SIZES) {
            if context.must_end() {
                return;
            }
            for (name, test) in TESTS {
                let (case, expected) = test(size);
                let expected = after(&case, [("data", bytes(&expected))]);
                context.judge(&Item::new(name), None, &case, Some(expected));
            }
            context.advanced(done, SIZES.len() as u64);
        }
    }
}

/// A test: the case and the last contents of `data` for a workgroup size.
type Test = (&'static str, fn(u32) -> (Case, Vec<u32>));

const TESTS: [Test; 5] = [
    ("reversal", reversal),
    ("sum by halves", sum),
    ("neighbours in storage", neighbours),
    ("in a uniform branch", branch),
    ("while others have done their work", idle),
];

fn start(size: u32) -> Vec<u32> {
    (0..GROUPS * size).map(|i| i.wrapping_mul(2_654_435_761) >> 3).collect()
}

fn case_of(size: u32, body: &str) -> Case {
    let source = format!(
        "workgroup_size {size};
        buffer tile: workgroup u32[{size}];
        buffer data: read_write u32 @0;
        entry {{
            let l = local_id.x;
            let i = invocation_id.x;
            {body}
        }}"
    );
    case(&source, &OpTable::default(), [GROUPS, 1, 1], [("data", bytes(&start(size)))])
}

fn reversal(size: u32) -> (Case, Vec<u32>) {
    let body = format!("tile[l] = data[i]; barrier; data[i] = tile[{} - l];", size - 1);
    let expected = start(size).chunks(size as usize).flat_map(|words| words.iter().rev().copied()).collect();
    (case_of(size, &body), expected)
}

fn sum(size: u32) -> (Case, Vec<u32>) {
    let body = format!(
        "tile[l] = data[i];
        let step = {};
        for round in 0..11 {{
            barrier;
            if l < step && l + step < {size} {{ tile[l] = tile[l] + tile[l + step]; }}
            step = step / 2;
        }}
        barrier;
        data[i] = tile[0];",
        size.next_power_of_two()
    );
    let total = |words: &[u32]| vec![words.iter().copied().fold(0, u32::wrapping_add); words.len()];
    (case_of(size, &body), start(size).chunks(size as usize).flat_map(total).collect())
}

/// Each invocation adds its right neighbour, several times.
fn neighbours(size: u32) -> (Case, Vec<u32>) {
    let body = format!(
        "for round in 0..9 {{
            let other = data[i - l + (l + 1) % {size}];
            barrier;
            data[i] = data[i] * 3 + other;
            barrier;
        }}"
    );
    let rounds = |words: &[u32]| {
        (0..9).fold(words.to_vec(), |words, _| {
            let next = words.iter().cycle().skip(1);
            words.iter().zip(next).map(|(own, other)| own.wrapping_mul(3).wrapping_add(*other)).collect()
        })
    };
    (case_of(size, &body), start(size).chunks(size as usize).flat_map(rounds).collect())
}

/// Only some workgroups reach the barrier, in a loop with as many iterations as the number of the workgroup.
fn branch(size: u32) -> (Case, Vec<u32>) {
    let body = format!(
        "if workgroup_id.x != 1 {{
            for round in 0..workgroup_id.x + 1 {{
                tile[l] = data[i] + round;
                barrier;
                data[i] = tile[(l + 1) % {size}];
                barrier;
            }}
        }}"
    );
    let rotated = |(group, words): (u32, &[u32])| {
        let rounds = if group == 1 { 0 } else { group + 1 };
        (0..rounds).fold(words.to_vec(), |words, round| {
            words.iter().cycle().skip(1).take(words.len()).map(|word| word.wrapping_add(round)).collect()
        })
    };
    (case_of(size, &body), (0..).zip(start(size).chunks(size as usize)).flat_map(rotated).collect())
}

/// Between two barriers a single invocation works, a different one each time.
fn idle(size: u32) -> (Case, Vec<u32>) {
    let count = size.min(40);
    let body = format!(
        "tile[l] = data[i];
        for round in 0..13 {{
            barrier;
            if l == round * 5 % {size} {{
                for k in 0..{count} {{ tile[k] = tile[k] + tile[(k + 1) % {size}] + round; }}
            }}
        }}
        barrier;
        data[i] = tile[l];"
    );
    let rounds = |words: &[u32]| {
        let mut words = words.to_vec();
        for round in 0..13_u32 {
            for k in 0..count as usize {
                words[k] = words[k].wrapping_add(words[(k + 1) % words.len()]).wrapping_add(round);
            }
        }
        words
    };
    (case_of(size, &body), start(size).chunks(size as usize).flat_map(rounds).collect())
}
