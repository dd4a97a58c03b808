//! Elementwise maps, one invocation per element: exclusive or of two buffers, and a polynomial by Horner's rule.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::workload::{Peer, Scale, Throughput, Workload, workgroups};
use crate::data::Random;

/// Words that a thread takes at a time.
const PART_WORDS: usize = 1 << 16;

const XOR: &str = "\
workgroup_size 256;

buffer a: read u32 @0;
buffer b: read u32 @1;
buffer out: read_write u32 @2;

entry {
    let i = invocation_id.x;
    if i < len(out) {
        out[i] = a[i] ^ b[i];
    }
}
";

/// Two buffers of 64 MiB.
pub(super) fn xor(scale: Scale) -> Workload {
    let count = scale.of(16 << 20);
    let mut random = Random::new(1);
    Workload {
        name: "xor",
        program: XOR.to_owned(),
        grid: workgroups(count, 256),
        buffers: vec![random.words(count), random.words(count), vec![0; count]],
        results: &[2],
        updates: &[],
        throughput: Throughput::Bytes(12 * count as u64),
        peers: vec![Peer::same(1.2, native_xor)],
    }
}

fn native_xor(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    let [a, b, out] = buffers else { return };
    let parts = out.par_chunks_mut(PART_WORDS).zip(a.par_chunks(PART_WORDS)).zip(b.par_chunks(PART_WORDS));
    pool.install(|| {
        parts.for_each(|((out, a), b)| {
            for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                *out = a ^ b;
            }
        });
    });
}

const POLYNOMIAL: &str = "\
workgroup_size 256;

buffer input: read u32 @0;
buffer out: read_write u32 @1;

entry {
    let i = invocation_id.x;
    if i < len(out) {
        let x = input[i];
        let y = 0x9e3779b1;
        y = y * x + 0x85ebca77;
        y = y * x + 0xc2b2ae3d;
        y = y * x + 0x27d4eb2f;
        y = y * x + 0x165667b1;
        y = y * x + 5;
        y = y * x + 17;
        y = y * x + 257;
        y = y * x + 65537;
        out[i] = y;
    }
}
";

/// Polynomial of degree 8 at 4 Mi points.
pub(super) fn polynomial(scale: Scale) -> Workload {
    let count = scale.of(4 << 20);
    Workload {
        name: "polynomial",
        program: POLYNOMIAL.to_owned(),
        grid: workgroups(count, 256),
        buffers: vec![Random::new(2).words(count), vec![0; count]],
        results: &[1],
        updates: &[],
        throughput: Throughput::Items(count as u64, "elements"),
        peers: vec![Peer::same(2.5, native_polynomial)],
    }
}

/// Coefficients of the program, highest power first.
const COEFFICIENTS: [u32; 9] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1, 5, 17, 257, 65_537];

fn native_polynomial(buffers: &mut [Vec<u32>], pool: &ThreadPool) {
    let [input, out] = buffers else { return };
    let parts = out.par_chunks_mut(PART_WORDS).zip(input.par_chunks(PART_WORDS));
    pool.install(|| {
        parts.for_each(|(out, input)| {
            for (out, &x) in out.iter_mut().zip(input) {
                *out = COEFFICIENTS.iter().fold(0, |y: u32, &coefficient| y.wrapping_mul(x).wrapping_add(coefficient));
            }
        });
    });
}
