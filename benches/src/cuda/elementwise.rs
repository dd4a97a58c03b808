//! Every word by itself: exclusive or, and polynomials.

use crate::gpu::data::input_word;

use super::problem::{Contents, Problem};
use super::scale::Scale;
use super::workload::{Kernel, Program, Workload};

/// The words of a buffer of 2 GiB.
const TWO_GIB: usize = 1 << 29;

/// The words of a buffer of 1 GiB, where arithmetic decides.
const ONE_GIB: usize = 1 << 28;

const KEY: u32 = 0x9e37_79b1;

/// The coefficients of the polynomial of degree 16, that of the highest power first.
const COEFFICIENTS: [u32; 17] = [
    0x9e37_79b1,
    0x85eb_ca77,
    0xc2b2_ae3d,
    0x27d4_eb2f,
    0x1656_67b1,
    0xd6e8_feb8,
    0x7feb_352d,
    0x846c_a68b,
    0xcc9e_2d51,
    0x1b87_3593,
    0xe654_6b64,
    0x85eb_ca6b,
    0xc2b2_ae35,
    5,
    17,
    257,
    65_537,
];

pub(super) fn workloads() -> Vec<Workload> {
    let workload = |name: &str, summary, words, transform: fn(u32) -> u32, programs, kernels| Workload {
        name: name.to_owned(),
        summary,
        problem: Box::new(move |scale: Scale| each_word(scale.of(words), transform)),
        programs,
        kernels,
    };
    vec![
        workload(
            "xor",
            "out[i] = in[i] ^ constant over 2 GiB, vectors of four words",
            TWO_GIB,
            |word| word ^ KEY,
            vec![
                Program::new("1 vector each", include_str!("programs/xor_vectors_1.vyre"), 256).with_items_each(4),
                Program::new("2 vectors each, a loop", include_str!("programs/xor_vectors_2.vyre"), 256)
                    .with_items_each(8),
                Program::new("4 vectors each, a loop", include_str!("programs/xor_vectors_4.vyre"), 256)
                    .with_items_each(16),
                Program::new(
                    "4 vectors each, loads first",
                    include_str!("programs/xor_vectors_4_loads_first.vyre"),
                    256,
                )
                .with_items_each(16),
            ],
            vec![
                Kernel::peer("1 vector each", "xor", "xor_vectors_1", 256).with_items_each(4),
                Kernel::peer("2 vectors each, loads first", "xor", "xor_vectors_2", 256).with_items_each(8),
                Kernel::peer("4 vectors each, loads first", "xor", "xor_vectors_4", 256).with_items_each(16),
                Kernel::peer("1 vector each, streaming hints", "xor", "xor_vectors_1_streaming", 256)
                    .with_items_each(4),
                Kernel::peer("4 vectors each, streaming hints", "xor", "xor_vectors_4_streaming", 256)
                    .with_items_each(16),
            ],
        ),
        workload(
            "xor_words",
            "the same, one word for each invocation",
            TWO_GIB,
            |word| word ^ KEY,
            vec![Program::new("1 word each", include_str!("../gpu/kernels/xor.vyre"), 256)],
            vec![Kernel::peer("1 word each", "xor", "xor_words", 256)],
        ),
        workload(
            "polynomial_16",
            "a polynomial of degree 16 at every word of 2 GiB, written out",
            TWO_GIB,
            polynomial_16,
            vec![Program::new("1 word each", include_str!("programs/polynomial_16.vyre"), 256)],
            vec![Kernel::peer("1 word each", "polynomial", "polynomial_16", 256)],
        ),
        workload(
            "polynomial_128",
            "a polynomial of degree 128 at every word of 1 GiB, in a loop",
            ONE_GIB,
            polynomial_128,
            vec![Program::new("1 word each", include_str!("programs/polynomial_128.vyre"), 256)],
            vec![Kernel::peer("1 word each", "polynomial", "polynomial_128", 256)],
        ),
    ]
}

/// A word of the result for each word of the input.
fn each_word(words: usize, transform: fn(u32) -> u32) -> Problem {
    Problem {
        inputs: vec![Contents::Scattered(words)],
        output_words: words,
        items: words,
        bytes: Some(words as u64 * 8),
        expected: Box::new(move |range| range.map(|at| transform(input_word(at))).collect()),
    }
}

fn polynomial_16(x: u32) -> u32 {
    COEFFICIENTS.iter().fold(0, |y: u32, &coefficient| y.wrapping_mul(x).wrapping_add(coefficient))
}

fn polynomial_128(x: u32) -> u32 {
    (0..128).fold(1, |y: u32, k| y.wrapping_mul(x).wrapping_add(k ^ KEY))
}
