//! Workgroups of 8, 16 and 32 invocations that diverge: each has its own number of iterations, in which its invocations communicate.

use std::sync::Arc;

use super::problem::{Contents, Problem};
use super::scale::Scale;
use super::workload::{Kernel, Program, Workload};
use crate::data::input_word;

/// Number of workgroups.
const WORKGROUPS: usize = 1 << 20;

/// Maximum number of iterations of a workgroup; the mean is a fifth of it.
const MAX_ITERATIONS: f64 = 400.0;

/// Words of the table that each iteration reads: one for each value of 16 bits.
const TABLE_WORDS: usize = 1 << 16;

/// Threads of a block of several groups.
const PACKED_THREADS: u32 = 128;

const FILE: &str = "small_workgroups";

/// Communication of the invocations in an iteration.
#[derive(Clone, Copy)]
enum Step {
    /// Sum of all states.
    Reduce,
    /// Ballot, and a shuffle with a lane that the ballot selects.
    Vote,
    /// Exchange of words through workgroup memory, between barriers.
    Exchange,
}

pub(super) fn workloads() -> Vec<Workload> {
    let steps = [Step::Reduce, Step::Vote, Step::Exchange];
    steps.into_iter().flat_map(|step| [8, 16, 32].map(|size| workload(step, size))).collect()
}

fn workload(step: Step, size: u32) -> Workload {
    let packed = |name, entry: &str| Kernel::peer(name, FILE, format!("{entry}_{size}"), PACKED_THREADS);
    let alone = |name, entry: &str| Kernel::peer(name, FILE, format!("{entry}_{size}"), size).for_information();
    let (name, summary, source, kernels) = match step {
        Step::Reduce => (
            "small_reduce",
            "1 Mi workgroups with 1 to 400 iterations of a hash, with a reduction in each iteration",
            include_str!("programs/small_reduce.vyre"),
            vec![
                packed("divergent groups, shuffles", "reduce_shuffles"),
                packed("divergent groups, __reduce_add_sync", "reduce_instruction"),
                packed("lockstep groups of a warp", "reduce_lockstep").for_information(),
                alone("one group per block", "reduce_shuffles"),
            ],
        ),
        Step::Vote => (
            "small_vote",
            "as small_reduce, with a ballot and a shuffle in each iteration",
            include_str!("programs/small_vote.vyre"),
            vec![
                packed("divergent groups", "vote"),
                packed("lockstep groups of a warp", "vote_lockstep").for_information(),
                alone("one group per block", "vote"),
            ],
        ),
        Step::Exchange => (
            "small_exchange",
            "as small_reduce, with an exchange through workgroup memory and two barriers in each iteration",
            include_str!("programs/small_exchange.vyre"),
            vec![
                packed("divergent groups", "exchange"),
                packed("lockstep groups of a warp", "exchange_lockstep").for_information(),
                alone("one group per block", "exchange"),
            ],
        ),
    };
    Workload {
        name: format!("{name}_{size}"),
        summary,
        problem: Box::new(move |scale| problem(scale, step, size as usize)),
        programs: vec![Program::new("workgroups", source, size)],
        kernels,
    }
}

fn problem(scale: Scale, step: Step, size: usize) -> Problem {
    let workgroups = scale.of(WORKGROUPS);
    let iterations: Arc<Vec<u32>> = Arc::new((0..workgroups).map(iterations_of).collect());
    let words = workgroups * size;
    Problem {
        inputs: vec![Contents::Words(iterations.clone()), Contents::Random(TABLE_WORDS)],
        output_words: words,
        items: words,
        bytes: None,
        expected: Box::new(move |range| {
            let workgroups = range.start / size..range.end.div_ceil(size);
            let states = workgroups.flat_map(|workgroup| run_workgroup(step, workgroup, size, iterations[workgroup]));
            states.take(range.len()).collect()
        }),
    }
}

/// Number of iterations of a workgroup: most have few, and some have many.
fn iterations_of(workgroup: usize) -> u32 {
    let fraction = f64::from(input_word(workgroup)) / 4_294_967_296.0;
    1 + (fraction.powi(4) * MAX_ITERATIONS) as u32
}

/// States of the invocations of a workgroup after its iterations.
fn run_workgroup(step: Step, workgroup: usize, size: usize, iterations: u32) -> Vec<u32> {
    let first = workgroup * size;
    let mut states: Vec<u32> =
        (first..first + size).map(|i| (i as u32).wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15)).collect();
    for iteration in 0..iterations {
        let words: Vec<u32> = states.iter().map(|&state| input_word((state >> 16) as usize)).collect();
        let mixed: Vec<u32> = states.iter().zip(&words).map(|(state, word)| state ^ word).collect();
        let invocations = 0..size;
        let next: Vec<u32> = match step {
            Step::Reduce => {
                let total = mixed.iter().fold(0_u32, |total, &value| total.wrapping_add(value));
                mixed.iter().map(|&value| mix(value, total ^ iteration)).collect()
            }
            Step::Vote => {
                let votes = invocations.clone().fold(0, |votes, local| votes | (mixed[local] & 1) << local);
                let selected = (votes.count_ones() & 7) as usize;
                invocations.map(|local| mix(states[local ^ selected] ^ words[local], votes ^ iteration)).collect()
            }
            Step::Exchange => {
                let distance = 1 + (iteration % 7) as usize;
                invocations.map(|local| mix(mixed[local], mixed[local ^ distance] ^ iteration)).collect()
            }
        };
        states = next;
    }
    states
}

fn mix(value: u32, addend: u32) -> u32 {
    let next = value.wrapping_mul(0x85eb_ca6b).wrapping_add(addend);
    next ^ next >> 13
}
