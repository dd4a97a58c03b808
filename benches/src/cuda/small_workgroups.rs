//! Workgroups of 8, 16 and 32 with a number of rounds of their own, in which the lanes exchange something.

use std::sync::Arc;

use crate::gpu::data::input_word;

use super::problem::{Contents, Problem};
use super::scale::Scale;
use super::workload::{Kernel, Program, Workload};

/// The workgroups.
const WORKGROUPS: usize = 1 << 20;

/// The most rounds of a workgroup, of which they have a fifth on average.
const MOST_ROUNDS: f64 = 400.0;

/// The words of the table that each round looks into: as many as 16 bits name.
const TABLE_WORDS: usize = 1 << 16;

/// The threads of a block with several groups.
const PACKED: u32 = 128;

const FILE: &str = "small_workgroups";

/// What the lanes do in a round.
#[derive(Clone, Copy)]
enum Step {
    /// They add up what they have.
    Reduce,
    /// They vote, and take the state of a lane that the votes name.
    Vote,
    /// They exchange words through workgroup memory, between barriers.
    Exchange,
}

pub(super) fn workloads() -> Vec<Workload> {
    let steps = [Step::Reduce, Step::Vote, Step::Exchange];
    steps.into_iter().flat_map(|step| [8, 16, 32].map(|size| workload(step, size))).collect()
}

fn workload(step: Step, size: u32) -> Workload {
    let packed = |name, entry: &str| Kernel::peer(name, FILE, format!("{entry}_{size}"), PACKED);
    let alone = |name, entry: &str| Kernel::peer(name, FILE, format!("{entry}_{size}"), size).other_way();
    let (name, summary, source, kernels) = match step {
        Step::Reduce => (
            "small_reduce",
            "1 Mi workgroups with 1 to 400 rounds of a hash; in each the lanes add up what they have",
            include_str!("programs/small_reduce.vyre"),
            vec![
                packed("own ways, shuffles", "reduce_shuffles"),
                packed("own ways, __reduce_add_sync", "reduce_instruction"),
                packed("groups of a warp stay together", "reduce_together").other_way(),
                alone("one group a block", "reduce_shuffles"),
            ],
        ),
        Step::Vote => (
            "small_vote",
            "the same; in each round a ballot and a shuffle",
            include_str!("programs/small_vote.vyre"),
            vec![
                packed("own ways", "vote"),
                packed("groups of a warp stay together", "vote_together").other_way(),
                alone("one group a block", "vote"),
            ],
        ),
        Step::Exchange => (
            "small_exchange",
            "the same; in each round words in workgroup memory and two barriers",
            include_str!("programs/small_exchange.vyre"),
            vec![
                packed("own ways", "exchange"),
                packed("groups of a warp stay together", "exchange_together").other_way(),
                alone("one group a block", "exchange"),
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
    let rounds: Arc<Vec<u32>> = Arc::new((0..workgroups).map(rounds_of).collect());
    let words = workgroups * size;
    Problem {
        inputs: vec![Contents::Words(rounds.clone()), Contents::Scattered(TABLE_WORDS)],
        output_words: words,
        items: words,
        bytes: None,
        expected: Box::new(move |range| {
            let workgroups = range.start / size..range.end.div_ceil(size);
            let states = workgroups.flat_map(|workgroup| run_workgroup(step, workgroup, size, rounds[workgroup]));
            states.take(range.len()).collect()
        }),
    }
}

/// The rounds of a workgroup: most have few, and some have many.
fn rounds_of(workgroup: usize) -> u32 {
    let fraction = f64::from(input_word(workgroup)) / 4_294_967_296.0;
    1 + (fraction.powi(4) * MOST_ROUNDS) as u32
}

/// The states of the lanes of a workgroup after its rounds.
fn run_workgroup(step: Step, workgroup: usize, size: usize, rounds: u32) -> Vec<u32> {
    let first = workgroup * size;
    let mut states: Vec<u32> =
        (first..first + size).map(|i| (i as u32).wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15)).collect();
    for round in 0..rounds {
        let words: Vec<u32> = states.iter().map(|&state| input_word((state >> 16) as usize)).collect();
        let mixed: Vec<u32> = states.iter().zip(&words).map(|(state, word)| state ^ word).collect();
        let lanes = 0..size;
        let next: Vec<u32> = match step {
            Step::Reduce => {
                let total = mixed.iter().fold(0_u32, |total, &value| total.wrapping_add(value));
                mixed.iter().map(|&value| mix(value, total ^ round)).collect()
            }
            Step::Vote => {
                let votes = lanes.clone().fold(0, |votes, lane| votes | (mixed[lane] & 1) << lane);
                let named = (votes.count_ones() & 7) as usize;
                lanes.map(|lane| mix(states[lane ^ named] ^ words[lane], votes ^ round)).collect()
            }
            Step::Exchange => {
                let distance = 1 + (round % 7) as usize;
                lanes.map(|lane| mix(mixed[lane], mixed[lane ^ distance] ^ round)).collect()
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
