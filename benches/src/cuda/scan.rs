//! Prefix sums within workgroups.

use crate::gpu::data::input_word;

use super::problem::{Contents, Problem};
use super::scale::Scale;
use super::workload::{Kernel, Program, Workload};

/// The words of a buffer of 1 GiB.
const ONE_GIB: usize = 1 << 28;

pub(super) fn workloads() -> Vec<Workload> {
    let inclusive = include_str!("../gpu/kernels/scan.vyre");
    let exclusive = include_str!("programs/scan_exclusive.vyre");
    vec![
        Workload {
            name: "prefix_sum".to_owned(),
            summary: "prefix sums in workgroups of 256, in workgroup memory, doubling the distance, two barriers a round",
            problem: Box::new(|scale| sums(scale, 256, Kind::Inclusive)),
            programs: vec![Program::new("doubling", include_str!("../../../examples/prefix_sum.vyre"), 256)],
            kernels: vec![Kernel::peer("doubling", "scan", "prefix_sum_doubling", 256)],
        },
        Workload {
            name: "scan_256".to_owned(),
            summary: "the same sums by scan_inclusive_add; by hand with shuffles and shared memory",
            problem: Box::new(|scale| sums(scale, 256, Kind::Inclusive)),
            programs: vec![Program::new("scan_inclusive_add", inclusive, 256)],
            kernels: vec![
                Kernel::peer("shuffles, two barriers", "scan", "scan_first_warp_256", 256),
                Kernel::peer("shuffles, one barrier", "scan", "scan_every_warp_256", 256),
            ],
        },
        Workload {
            name: "scan_1024".to_owned(),
            summary: "the same in workgroups of 1024",
            problem: Box::new(|scale| sums(scale, 1024, Kind::Inclusive)),
            programs: vec![Program::new("scan_inclusive_add", inclusive, 1024)],
            kernels: vec![
                Kernel::peer("shuffles, two barriers", "scan", "scan_first_warp_1024", 1024),
                Kernel::peer("shuffles, one barrier", "scan", "scan_every_warp_1024", 1024),
            ],
        },
        Workload {
            name: "scan_exclusive_256".to_owned(),
            summary: "sums without the word itself, by scan_exclusive_add",
            problem: Box::new(|scale| sums(scale, 256, Kind::Exclusive)),
            programs: vec![Program::new("scan_exclusive_add", exclusive, 256)],
            kernels: vec![
                Kernel::peer("shuffles, two barriers", "scan", "scan_first_warp_exclusive_256", 256),
                Kernel::peer("shuffles, one barrier", "scan", "scan_every_warp_exclusive_256", 256),
            ],
        },
    ]
}

/// Whether a sum is with the word itself.
#[derive(Clone, Copy)]
enum Kind {
    Inclusive,
    Exclusive,
}

fn sums(scale: Scale, workgroup: usize, kind: Kind) -> Problem {
    let words = scale.of(ONE_GIB);
    let sum = move |so_far: &mut u32, at: usize| {
        if at.is_multiple_of(workgroup) {
            *so_far = 0;
        }
        let before = *so_far;
        *so_far = before.wrapping_add(input_word(at));
        Some(match kind {
            Kind::Inclusive => *so_far,
            Kind::Exclusive => before,
        })
    };
    Problem {
        inputs: vec![Contents::Scattered(words)],
        output_words: words,
        items: words,
        bytes: Some(words as u64 * 8),
        expected: Box::new(move |range| range.scan(0, sum).collect()),
    }
}
