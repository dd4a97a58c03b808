//! `checksum.xxh32`: XXH32 with seed 0 (Collet, xxHash specification), the checksum of LZ4 frames.
//!
//! A stripe of 16 bytes has a word for each of four accumulators. The accumulators are independent, and each is a sequential chain, so
//! a range has a parallelism of four. The cooperative program has an invocation for each accumulator; many ranges fill a device.

use vyre_ir::build::{Body, ProgramBuilder, Var, broadcast, local_id};
use vyre_ir::{Expr, Program};

use super::range::{Buffers, Range, rotate_left};
use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "checksum.xxh32",
    summary: "XXH32 of ranges of bytes, with seed 0.",
    canonical: || program(1),
    alternatives: &[ProgramVariant { name: "cooperative_4", build: || program(ACCUMULATORS) }],
    ..BUFFER_OP
};

/// The primes of the specification.
const PRIMES: [u32; 5] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1];

/// Number of accumulators.
const ACCUMULATORS: u32 = 4;

/// Number of stripes whose words are loaded before they are used.
const UNROLLED: u32 = 4;

/// Initial values of the accumulators.
const START: [u32; 4] = [PRIMES[0].wrapping_add(PRIMES[1]), PRIMES[1], 0, 0u32.wrapping_sub(PRIMES[0])];

/// Rotations of the accumulators when they are merged.
const MERGE_ROTATIONS: [u32; 4] = [1, 7, 12, 18];

/// Builds the program, with one invocation or one for each accumulator.
fn program(invocations: u32) -> Program {
    let mut p = ProgramBuilder::new([invocations, 1, 1]);
    let buffers = Buffers::declare(&mut p, invocations);
    p.entry(|b| {
        let range = buffers.open(b);
        let stripes = b.let_("stripes", &range.size >> 4u32);
        let merged = if invocations == 1 {
            let accumulators = START.map(|start| b.let_("accumulator", start));
            let places: [Var; 4] = [0u32, 4, 8, 12].map(|place| b.let_("place", &range.begin + place));
            accumulate(b, &buffers, &stripes, &accumulators, &places);
            merge(b, accumulators.map(Expr::from))
        } else {
            let lane = b.let_("lane", local_id(0));
            let start = b.let_("start", 0u32);
            for (number, value) in (0u32..).zip(START) {
                b.if_(lane.eq(number), |b| b.assign(&start, value));
            }
            let accumulator = [start];
            let place = [b.let_("place", &range.begin + (&lane << 2u32))];
            accumulate(b, &buffers, &stripes, &accumulator, &place);
            let [own] = accumulator;
            let all = [0u32, 1, 2, 3].map(|lane| b.let_("accumulator", broadcast(&own, lane)));
            merge(b, all.map(Expr::from))
        };
        let hash = b.let_("hash", stripes.is_zero().select(PRIMES[4], &merged) + &range.size);
        tail(b, &buffers, &range, &hash);
        for (shift, prime) in [(15u32, Some(PRIMES[1])), (13, Some(PRIMES[2])), (16, None)] {
            b.assign(&hash, &hash ^ (&hash >> shift));
            if let Some(prime) = prime {
                b.assign(&hash, &hash * prime);
            }
        }
        buffers.finish(b, &range, &hash, 0u32);
    })
}

/// Adds whole stripes to the accumulators, whose words begin at these positions.
fn accumulate(b: &mut Body<'_>, buffers: &Buffers, stripes: &Var, accumulators: &[Var], places: &[Var]) {
    let steps = |b: &mut Body<'_>, from: &Var, count: u32, times: &Var| {
        b.for_("stripe", 0u32, times, |b, step| {
            let at = b.let_("at", (from + step * count) << 4u32);
            let mut words = Vec::new();
            for number in 0..count {
                words.extend(places.iter().map(|place| b.load_word(&buffers.data, place + &at + number * 16)));
            }
            for (word, accumulator) in words.iter().zip(accumulators.iter().cycle()) {
                let rotated = rotate_left(b, accumulator + word * PRIMES[1], 13);
                b.assign(accumulator, rotated * PRIMES[0]);
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

fn merge(b: &mut Body<'_>, accumulators: [Expr; 4]) -> Var {
    let merged = b.let_("merged", 0u32);
    for (accumulator, rotation) in accumulators.into_iter().zip(MERGE_ROTATIONS) {
        let rotated = rotate_left(b, accumulator, rotation);
        b.assign(&merged, &merged + rotated);
    }
    merged
}

/// Adds the words and bytes after the last stripe.
fn tail(b: &mut Body<'_>, buffers: &Buffers, range: &Range, hash: &Var) {
    let rest = b.let_("rest", &range.begin + (&range.size & !15u32));
    let words = b.let_("words", (&range.size & 15u32) >> 2u32);
    b.for_("word", 0u32, &words, |b, word| {
        let value = b.load_word(&buffers.data, &rest + (word << 2u32));
        let rotated = rotate_left(b, hash + value * PRIMES[2], 17);
        b.assign(hash, rotated * PRIMES[3]);
    });
    let bytes = b.let_("bytes", &rest + (&words << 2u32));
    b.for_("byte", 0u32, &range.size & 3u32, |b, byte| {
        let value = b.load_byte(&buffers.data, &bytes + byte);
        let rotated = rotate_left(b, hash + value * PRIMES[4], 11);
        b.assign(hash, rotated * PRIMES[0]);
    });
}

/// Host reference of `checksum.xxh32`.
#[must_use]
pub fn xxh32_on_host(data: &[u8]) -> u32 {
    const P1: u32 = 2_654_435_761;
    const P2: u32 = 2_246_822_519;
    const P3: u32 = 3_266_489_917;
    const P4: u32 = 668_265_263;
    const P5: u32 = 374_761_393;
    let (stripes, rest) = data.as_chunks::<16>();
    let mut hash = P5;
    if !stripes.is_empty() {
        let mut lanes = [P1.wrapping_add(P2), P2, 0, P1.wrapping_neg()];
        for stripe in stripes {
            for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<4>().0) {
                let input = u32::from_le_bytes(*word).wrapping_mul(P2);
                *lane = lane.wrapping_add(input).rotate_left(13).wrapping_mul(P1);
            }
        }
        let [a, b, c, d] = lanes;
        let sum = a.rotate_left(1).wrapping_add(b.rotate_left(7));
        hash = sum.wrapping_add(c.rotate_left(12)).wrapping_add(d.rotate_left(18));
    }
    // The length counts modulo 2^32.
    hash = hash.wrapping_add(data.len() as u32);
    let (words, bytes) = rest.as_chunks::<4>();
    for word in words {
        hash = hash.wrapping_add(u32::from_le_bytes(*word).wrapping_mul(P3)).rotate_left(17).wrapping_mul(P4);
    }
    for &byte in bytes {
        hash = hash.wrapping_add(u32::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    hash = (hash ^ (hash >> 15)).wrapping_mul(P2);
    hash = (hash ^ (hash >> 13)).wrapping_mul(P3);
    hash ^ (hash >> 16)
}
