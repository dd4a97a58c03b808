//! Prefix sums (scans) within workgroups.

use super::problem::{Contents, Problem};
use super::scale::Scale;
use super::workload::{Kernel, Program, Workload};
use crate::data::input_word;

/// Words of a buffer of 1 GiB.
const ONE_GIB_WORDS: usize = 1 << 28;

pub(super) fn workloads() -> Vec<Workload> {
    let inclusive = include_str!("../gpu/kernels/scan.vyre");
    let exclusive = include_str!("programs/scan_exclusive.vyre");
    vec![
        Workload {
            name: "prefix_sum".to_owned(),
            summary: "prefix sums in workgroups of 256, in workgroup memory, by recursive doubling, two barriers per step",
            problem: Box::new(|scale| sums(scale, 256, Kind::Inclusive)),
            programs: vec![Program::new("doubling", include_str!("../../../examples/prefix_sum.vyre"), 256)],
            kernels: vec![Kernel::peer("doubling", "scan", "prefix_sum_doubling", 256)],
        },
        Workload {
            name: "scan_256".to_owned(),
            summary: "inclusive scan in workgroups of 256 by scan_inclusive_add; kernels use shuffles and shared memory",
            problem: Box::new(|scale| sums(scale, 256, Kind::Inclusive)),
            programs: vec![Program::new("scan_inclusive_add", inclusive, 256)],
            kernels: vec![
                Kernel::peer("shuffles, two barriers", "scan", "scan_first_warp_256", 256),
                Kernel::peer("shuffles, one barrier", "scan", "scan_every_warp_256", 256),
            ],
        },
        Workload {
            name: "scan_1024".to_owned(),
            summary: "inclusive scan in workgroups of 1024",
            problem: Box::new(|scale| sums(scale, 1024, Kind::Inclusive)),
            programs: vec![Program::new("scan_inclusive_add", inclusive, 1024)],
            kernels: vec![
                Kernel::peer("shuffles, two barriers", "scan", "scan_first_warp_1024", 1024),
                Kernel::peer("shuffles, one barrier", "scan", "scan_every_warp_1024", 1024),
            ],
        },
        Workload {
            name: "scan_exclusive_256".to_owned(),
            summary: "exclusive scan in workgroups of 256 by scan_exclusive_add",
            problem: Box::new(|scale| sums(scale, 256, Kind::Exclusive)),
            programs: vec![Program::new("scan_exclusive_add", exclusive, 256)],
            kernels: vec![
                Kernel::peer("shuffles, two barriers", "scan", "scan_first_warp_exclusive_256", 256),
                Kernel::peer("shuffles, one barrier", "scan", "scan_every_warp_exclusive_256", 256),
            ],
        },
    ]
}

/// Inclusion of the word itself in its sum.
#[derive(Clone, Copy)]
enum Kind {
    Inclusive,
    Exclusive,
}

fn sums(scale: Scale, workgroup: usize, kind: Kind) -> Problem {
    let words = scale.of(ONE_GIB_WORDS);
    let sum = move |running: &mut u32, at: usize| {
        if at.is_multiple_of(workgroup) {
            *running = 0;
        }
        let before = *running;
        *running = before.wrapping_add(input_word(at));
        Some(match kind {
            Kind::Inclusive => *running,
            Kind::Exclusive => before,
        })
    };
    Problem {
        inputs: vec![Contents::Random(words)],
        output_words: words,
        items: words,
        bytes: Some(words as u64 * 8),
        expected: Box::new(move |range| range.scan(0, sum).collect()),
    }
}
