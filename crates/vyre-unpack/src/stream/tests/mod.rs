//! Streams of all formats, whole and damaged, decoded on the host and put together from blocks.
#![allow(clippy::unwrap_used, reason = "what cannot be had fails the test")]

mod damage;
mod encode;
mod gzip;
mod inflate;
mod limits;
mod lz4;
mod properties;
mod round_trips;
mod xz_and_bzip2;
mod zstd;

use vyre_ops::compression::{Lz4Error, lz4_block_on_host, zstd_block_on_host};

use super::{BlockStream, Decoded, StreamFormat, assemble, decode_on_host, plan};
use crate::blocks::{BlockOp, BlockResult};
use crate::limits::{Budget, Limits};
use crate::problem::{Problem, ProblemKind};
use crate::summary::HostReason;

/// What a device makes of planned blocks, by the rules of the ops.
fn device(input: &[u8], plan: &BlockStream) -> Vec<BlockResult> {
    let decode = |block: &super::Block| {
        let bytes = &input[block.input.clone()];
        let expected = block.expected as usize;
        let (error, bytes) = match block.op {
            BlockOp::Lz4 if block.stored && bytes.len() > expected => (Lz4Error::OutputOverflow.code(), Vec::new()),
            BlockOp::Lz4 if block.stored => (0, bytes.to_vec()),
            BlockOp::Lz4 => {
                let (error, bytes) = lz4_block_on_host(bytes, expected);
                (error.map_or(0, Lz4Error::code), bytes)
            }
            BlockOp::Zstd => match zstd_block_on_host(bytes, expected) {
                Ok(bytes) => (0, bytes),
                Err(error) => (error.code(), Vec::new()),
            },
        };
        BlockResult { error, bytes: bytes.into() }
    };
    plan.blocks.iter().map(decode).collect()
}

/// Decodes a stream in all ways, which must agree.
fn decode(format: StreamFormat, input: &[u8]) -> Decoded {
    decode_within(format, input, Limits::default())
}

/// Decodes a stream in all ways within these limits. The ways must agree, and exactly the output must be taken.
fn decode_within(format: StreamFormat, input: &[u8], limits: Limits) -> Decoded {
    let budget = Budget::new(limits);
    let host = decode_on_host(format, input, &budget);
    assert_eq!(budget.output_taken(), host.bytes.len() as u64);
    let Some(plan) = plan(format, input) else { return host };
    assert!(plan.blocks.windows(2).all(|pair| pair[0].input.end <= pair[1].input.start));
    let mut results = device(input, &plan);
    let put_together = |results: &[BlockResult]| {
        let budget = Budget::new(limits);
        let (assembled, reasons, used) = assemble(format, input, &plan, results, &budget);
        assert_eq!(budget.output_taken(), assembled.bytes.len() as u64);
        assert!(assembled == host, "{:?} on a device, {:?} on the host", assembled.problems, host.problems);
        assert!(used.1 <= assembled.bytes.len() as u64 && used.0 <= assembled.units, "{used:?}");
        reasons
    };
    let refused = results.iter().filter(|result| result.error != 0).count() as u64;
    let reasons = put_together(&results);
    assert!(!reasons.iter().any(|&(reason, _)| reason == HostReason::DeviceMemory), "{reasons:?}");
    if host.problems.is_empty() {
        let count = |wanted| reasons.iter().find(|&&(reason, _)| reason == wanted).map_or(0, |&(_, count)| count);
        assert_eq!(count(HostReason::RefusedByDevice), refused);
        let on_host: u64 = reasons.iter().map(|&(_, count)| count).sum();
        assert_eq!(results.len() as u64 - refused + on_host, host.units);
    }
    // A device may refuse blocks, and blocks may not fit it.
    for result in results.iter_mut().step_by(2) {
        *result = BlockResult { error: 1, bytes: vec![1, 2, 3].into() };
    }
    put_together(&results);
    results.truncate(results.len() / 2);
    put_together(&results);
    host
}

/// Decodes a stream that has nothing wrong with it.
fn decode_whole(format: StreamFormat, input: &[u8]) -> Vec<u8> {
    let decoded = decode(format, input);
    assert_eq!(decoded.problems, []);
    decoded.bytes
}

/// The only problem of a stream.
fn only_problem(decoded: &Decoded) -> (u64, &ProblemKind) {
    let [problem] = &decoded.problems[..] else { panic!("{:?}", decoded.problems) };
    (problem.offset, &problem.kind)
}

/// Bytes without a pattern.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Something like source text.
fn text(length: usize) -> Vec<u8> {
    const WORDS: [&str; 16] = [
        "let ", "mut ", "block", " = ", "input", "(", ")", ";\n", "    ", "return ", "if ", "else ", "0x1f", "length",
        ".", "window",
    ];
    let choices = noise(length);
    choices.iter().flat_map(|&choice| WORDS[usize::from(choice & 15)].bytes()).take(length).collect()
}

/// Text, runs and noise in turns.
fn mixture(length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length);
    let (text, noise) = (text(length), noise(length));
    while bytes.len() < length {
        let at = bytes.len();
        bytes.extend_from_slice(&text[at..(at + 70_000).min(length)]);
        bytes.resize(bytes.len() + 40_000, 7);
        bytes.extend_from_slice(&noise[at.min(length)..(at + 20_000).min(length)]);
    }
    bytes.truncate(length);
    bytes
}
