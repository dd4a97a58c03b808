//! Elementwise maps: exclusive or, and polynomials by Horner's rule.

use super::problem::{Contents, Problem};
use super::scale::Scale;
use super::workload::{Kernel, Program, Workload};
use crate::data::input_word;

/// Words of a buffer of 2 GiB.
const TWO_GIB_WORDS: usize = 1 << 29;

/// Words of a buffer of 1 GiB, for the workload that arithmetic limits.
const ONE_GIB_WORDS: usize = 1 << 28;

const KEY: u32 = 0x9e37_79b1;

/// Coefficients of the polynomial of degree 16, highest power first.
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
            TWO_GIB_WORDS,
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
            "out[i] = in[i] ^ constant over 2 GiB, one word per invocation",
            TWO_GIB_WORDS,
            |word| word ^ KEY,
            vec![Program::new("1 word each", include_str!("../gpu/kernels/xor.vyre"), 256)],
            vec![Kernel::peer("1 word each", "xor", "xor_words", 256)],
        ),
        workload(
            "polynomial_16",
            "a polynomial of degree 16 at every word of 2 GiB, unrolled",
            TWO_GIB_WORDS,
            polynomial_16,
            vec![Program::new("1 word each", include_str!("programs/polynomial_16.vyre"), 256)],
            vec![Kernel::peer("1 word each", "polynomial", "polynomial_16", 256)],
        ),
        workload(
            "polynomial_128",
            "a polynomial of degree 128 at every word of 1 GiB, in a loop",
            ONE_GIB_WORDS,
            polynomial_128,
            vec![Program::new("1 word each", include_str!("programs/polynomial_128.vyre"), 256)],
            vec![Kernel::peer("1 word each", "polynomial", "polynomial_128", 256)],
        ),
    ]
}

/// Problem with a word of the result per word of the input.
fn each_word(words: usize, transform: fn(u32) -> u32) -> Problem {
    Problem {
        inputs: vec![Contents::Random(words)],
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
