//! Histogram of the lowest bytes of words.

use super::problem::{Contents, Problem};
use super::scale::Scale;
use super::workload::{Kernel, Program, Workload};
use crate::data::{BINS, count_bytes};

/// Words of a buffer of 256 MiB.
const WORDS: usize = 1 << 26;

pub(super) fn workloads() -> Vec<Workload> {
    // A thread takes 32 words.
    let shared_atomics =
        Kernel::peer("atomics on shared memory", "histogram", "histogram_shared_atomics", 256).with_items_each(32);
    vec![
        Workload {
            name: "histogram".to_owned(),
            summary: "histogram of the lowest byte of every word of 256 MiB, in 256 bins with global atomics alone",
            problem: Box::new(problem),
            programs: vec![Program::new("global atomics", include_str!("../gpu/kernels/histogram.vyre"), 256)],
            kernels: vec![
                Kernel::peer("global atomics", "histogram", "histogram_global", 256),
                shared_atomics.clone().for_information(),
            ],
        },
        Workload {
            name: "histogram_private".to_owned(),
            summary: "the same histogram in private bins of each invocation in workgroup memory, then with global atomics",
            problem: Box::new(problem),
            programs: vec![
                Program::new("private bins", include_str!("programs/histogram_private.vyre"), 32).with_items_each(512),
            ],
            kernels: vec![
                Kernel::peer("private bins", "histogram", "histogram_private", 32).with_items_each(512),
                shared_atomics.clone().for_information(),
            ],
        },
        Workload {
            name: "histogram_workgroup".to_owned(),
            summary: "the same histogram with atomics on workgroup memory, then with global atomics",
            problem: Box::new(problem),
            programs: vec![
                Program::new("workgroup atomics", include_str!("../histogram/workgroup_atomics.vyre"), 256)
                    .with_items_each(32),
            ],
            kernels: vec![shared_atomics],
        },
    ]
}

fn problem(scale: Scale) -> Problem {
    let words = scale.of(WORDS);
    Problem {
        inputs: vec![Contents::Random(words)],
        output_words: BINS,
        items: words,
        bytes: Some(words as u64 * 4),
        expected: Box::new(move |range| count_bytes(words)[range].to_vec()),
    }
}
