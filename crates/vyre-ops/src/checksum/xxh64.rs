//! `checksum.xxh64`: XXH64 with seed 0 (Collet, xxHash specification), the checksum of Zstandard frames.
//!
//! As for `checksum.xxh32`, with four accumulators of 64 bits and stripes of 32 bytes.

use vyre_ir::Program;
use vyre_ir::build::{Body, ProgramBuilder, Var, broadcast, local_id};

use super::range::{Buffers, Range};
use super::word64::Word64;
use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "checksum.xxh64",
    summary: "XXH64 of ranges of bytes, with seed 0.",
    canonical: || program(1),
    alternatives: &[ProgramVariant { name: "cooperative_4", build: || program(ACCUMULATORS) }],
    ..BUFFER_OP
};

/// The primes of the specification.
const PRIMES: [u64; 5] =
    [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63, 0x27d4_eb2f_1656_67c5];

/// Number of accumulators.
const ACCUMULATORS: u32 = 4;

/// Number of stripes whose words are loaded before they are used.
const UNROLLED: u32 = 2;

/// Initial values of the accumulators.
const START: [u64; 4] = [PRIMES[0].wrapping_add(PRIMES[1]), PRIMES[1], 0, 0u64.wrapping_sub(PRIMES[0])];

/// Rotations of the accumulators when they are merged.
const MERGE_ROTATIONS: [u32; 4] = [1, 7, 12, 18];

/// Builds the program, with one invocation or one for each accumulator.
fn program(invocations: u32) -> Program {
    let mut p = ProgramBuilder::new([invocations, 1, 1]);
    let buffers = Buffers::declare(&mut p, invocations);
    p.entry(|b| {
        let range = buffers.open(b);
        let stripes = b.let_("stripes", &range.size >> 5u32);
        let accumulators = if invocations == 1 {
            let accumulators = START.map(|start| Word64::constant(b, start));
            let places: [Var; 4] = [0u32, 8, 16, 24].map(|place| b.let_("place", &range.begin + place));
            accumulate(b, &buffers, &stripes, &accumulators, &places);
            accumulators
        } else {
            let lane = b.let_("lane", local_id(0));
            let own = Word64::constant(b, 0);
            for (number, value) in (0u32..).zip(START) {
                b.if_(lane.eq(number), |b| {
                    let value = Word64::constant(b, value);
                    own.assign(b, &value);
                });
            }
            let place = [b.let_("place", &range.begin + (&lane << 3u32))];
            accumulate(b, &buffers, &stripes, std::slice::from_ref(&own), &place);
            [0u32, 1, 2, 3].map(|lane| Word64 {
                low: b.let_("low", broadcast(&own.low, lane)),
                high: b.let_("high", broadcast(&own.high, lane)),
            })
        };
        let hash = Word64::constant(b, PRIMES[4]);
        b.if_(&stripes, |b| {
            let merged = merge(b, &accumulators);
            hash.assign(b, &merged);
        });
        let high = b.let_("no_high", 0u32);
        let size = Word64 { low: range.size.clone(), high };
        let sum = hash.plus(b, &size);
        hash.assign(b, &sum);
        tail(b, &buffers, &range, &hash);
        let mut last = hash.xor_shifted(b, 33);
        last = last.times(b, PRIMES[1]);
        last = last.xor_shifted(b, 29);
        last = last.times(b, PRIMES[2]);
        last = last.xor_shifted(b, 32);
        buffers.finish(b, &range, &last.low, &last.high);
    })
}

/// One round: an accumulator after a number of the input.
fn round(b: &mut Body<'_>, accumulator: &Word64, input: &Word64) -> Word64 {
    let product = input.times(b, PRIMES[1]);
    let sum = accumulator.plus(b, &product);
    sum.rotate_left(b, 31).times(b, PRIMES[0])
}

/// Loads a number at a byte position.
fn load(b: &mut Body<'_>, buffers: &Buffers, place: &Var) -> Word64 {
    let low = b.load_word(&buffers.data, place);
    let high = b.load_word(&buffers.data, place + 4u32);
    Word64 { low, high }
}

/// Adds whole stripes to the accumulators, whose numbers begin at these positions.
fn accumulate(b: &mut Body<'_>, buffers: &Buffers, stripes: &Var, accumulators: &[Word64], places: &[Var]) {
    let steps = |b: &mut Body<'_>, from: &Var, count: u32, times: &Var| {
        b.for_("stripe", 0u32, times, |b, step| {
            let at = b.let_("at", (from + step * count) << 5u32);
            let mut inputs = Vec::new();
            for number in 0..count {
                for place in places {
                    let place = b.let_("place", place + &at + number * 32);
                    inputs.push(load(b, buffers, &place));
                }
            }
            for (input, accumulator) in inputs.iter().zip(accumulators.iter().cycle()) {
                let next = round(b, accumulator, input);
                accumulator.assign(b, &next);
            }
        });
    };
    let start = b.let_("first", 0u32);
    let groups = b.let_("groups", stripes / UNROLLED);
    steps(b, &start, UNROLLED, &groups);
    let done = b.let_("done", &groups * UNROLLED);
    let left = b.let_("left", stripes - &done);
    steps(b, &done, 1, &left);
}

fn merge(b: &mut Body<'_>, accumulators: &[Word64; 4]) -> Word64 {
    let mut hash = Word64::constant(b, 0);
    for (accumulator, rotation) in accumulators.iter().zip(MERGE_ROTATIONS) {
        let rotated = accumulator.rotate_left(b, rotation);
        hash = hash.plus(b, &rotated);
    }
    let zero = Word64::constant(b, 0);
    for accumulator in accumulators {
        let value = round(b, &zero, accumulator);
        hash = hash.xor(b, &value).times(b, PRIMES[0]).plus_constant(b, PRIMES[3]);
    }
    hash
}

/// Adds what follows the last stripe: numbers of eight bytes, a word and bytes.
fn tail(b: &mut Body<'_>, buffers: &Buffers, range: &Range, hash: &Word64) {
    let at = b.let_("rest", &range.begin + (&range.size & !31u32));
    b.for_("number", 0u32, (&range.size & 31u32) >> 3u32, |b, _| {
        let input = load(b, buffers, &at);
        let zero = Word64::constant(b, 0);
        let value = round(b, &zero, &input);
        let next = hash.xor(b, &value).rotate_left(b, 27).times(b, PRIMES[0]).plus_constant(b, PRIMES[3]);
        hash.assign(b, &next);
        b.assign(&at, &at + 8u32);
    });
    b.if_(&range.size & 4u32, |b| {
        let low = b.load_word(&buffers.data, &at);
        let high = b.let_("no_high", 0u32);
        let value = Word64 { low, high }.times(b, PRIMES[0]);
        let next = hash.xor(b, &value).rotate_left(b, 23).times(b, PRIMES[1]).plus_constant(b, PRIMES[2]);
        hash.assign(b, &next);
        b.assign(&at, &at + 4u32);
    });
    b.for_("byte", 0u32, &range.size & 3u32, |b, byte| {
        let low = b.load_byte(&buffers.data, &at + byte);
        let high = b.let_("no_high", 0u32);
        let value = Word64 { low, high }.times(b, PRIMES[4]);
        let next = hash.xor(b, &value).rotate_left(b, 11).times(b, PRIMES[0]);
        hash.assign(b, &next);
    });
}

/// Host reference of `checksum.xxh64`.
#[must_use]
pub fn xxh64_on_host(data: &[u8]) -> u64 {
    const P1: u64 = 11_400_714_785_074_694_791;
    const P2: u64 = 14_029_467_366_897_019_727;
    const P3: u64 = 1_609_587_929_392_839_161;
    const P4: u64 = 9_650_029_242_287_828_579;
    const P5: u64 = 2_870_177_450_012_600_261;
    let mix = |lane: u64, input: u64| lane.wrapping_add(input.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1);
    let (stripes, rest) = data.as_chunks::<32>();
    let mut hash = P5;
    if !stripes.is_empty() {
        let mut lanes = [P1.wrapping_add(P2), P2, 0, P1.wrapping_neg()];
        for stripe in stripes {
            for (lane, input) in lanes.iter_mut().zip(stripe.as_chunks::<8>().0) {
                *lane = mix(*lane, u64::from_le_bytes(*input));
            }
        }
        let [a, b, c, d] = lanes;
        let sum = a.rotate_left(1).wrapping_add(b.rotate_left(7));
        hash = sum.wrapping_add(c.rotate_left(12)).wrapping_add(d.rotate_left(18));
        for lane in lanes {
            hash = (hash ^ mix(0, lane)).wrapping_mul(P1).wrapping_add(P4);
        }
    }
    hash = hash.wrapping_add(data.len() as u64);
    let (numbers, rest) = rest.as_chunks::<8>();
    for number in numbers {
        hash = (hash ^ mix(0, u64::from_le_bytes(*number))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    let (words, bytes) = rest.as_chunks::<4>();
    for word in words {
        let value = u64::from(u32::from_le_bytes(*word)).wrapping_mul(P1);
        hash = (hash ^ value).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
    }
    for &byte in bytes {
        hash = (hash ^ u64::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(P2);
    hash = (hash ^ (hash >> 29)).wrapping_mul(P3);
    hash ^ (hash >> 32)
}
