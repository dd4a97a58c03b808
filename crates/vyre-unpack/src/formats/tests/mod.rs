//! Table of formats; streams of all formats, whole and damaged, decoded on the host and assembled from blocks.
#![expect(clippy::unwrap_used, reason = "a failure is a failed test")]

mod damage;
mod encode;
mod gzip;
mod inflate;
mod limits;
mod lz4;
mod properties;
mod round_trips;
mod table;
mod xz_and_bzip2;
mod zstd;

use vyre_ops::compression::{
    DeflateError, Lz4Error, ZstdFullError, deflate_stream_on_host, lz4_block_on_host, zstd_block_on_host,
    zstd_frame_on_host,
};

use super::{FORMATS, Format};
use crate::limits::{Budget, Limits};
use crate::problem::{Problem, ProblemKind};
use crate::stream::{
    Assembled, Block, BlockOp, BlockResult, BlockStream, Decoded, StreamFormat, Threads, WholeInflate, assemble,
    decode_on_host, inflate_whole, plan,
};
use crate::summary::HostReason;

static GZIP: &StreamFormat = &super::gzip::FORMAT;
static ZSTD: &StreamFormat = &super::zstd::FORMAT;
static LZ4: &StreamFormat = &super::lz4::FORMAT;
static XZ: &StreamFormat = &super::xz::FORMAT;
static BZIP2: &StreamFormat = &super::bzip2::FORMAT;

/// The stream format of these bytes.
fn detect(bytes: &[u8]) -> Option<&'static StreamFormat> {
    match Format::detect(bytes) {
        Some(Format::Stream(format)) => Some(format),
        Some(Format::Archive(_)) | None => None,
    }
}

/// Size of a stream or frame up to which the host references of the ops stand for the device; beyond it, libraries do.
const MAX_REFERENCE_BYTES: usize = 64 << 10;

/// Results of a device for planned blocks, by the rules of the ops.
fn device(input: &[u8], plan: &BlockStream) -> Vec<BlockResult> {
    let decode = |block: &Block| {
        let bytes = &input[block.input.clone()];
        let expected = block.expected as usize;
        let (error, bytes) = match block.op {
            BlockOp::Lz4 if block.is_stored && bytes.len() > expected => (Lz4Error::OutputOverflow.code(), Vec::new()),
            BlockOp::Lz4 if block.is_stored => (0, bytes.to_vec()),
            BlockOp::Lz4 => {
                let (error, bytes) = lz4_block_on_host(bytes, expected);
                (error.map_or(0, Lz4Error::code), bytes)
            }
            BlockOp::Zstd => match zstd_block_on_host(bytes, expected) {
                Ok(bytes) => (0, bytes),
                Err(error) => (error.code(), Vec::new()),
            },
            // The host references are slow.
            BlockOp::ZstdFull if bytes.len() > MAX_REFERENCE_BYTES => {
                let mut output = Vec::with_capacity(expected);
                match zstd_safe::decompress(&mut output, bytes) {
                    Ok(_) => (0, output),
                    Err(_) => (ZstdFullError::CorruptBlock.code(), Vec::new()),
                }
            }
            BlockOp::Deflate if bytes.len() > MAX_REFERENCE_BYTES => {
                let mut output = vec![0; expected];
                match inflate_whole(bytes, &mut output) {
                    WholeInflate::Done { consumed, produced } if consumed == bytes.len() => {
                        output.truncate(produced);
                        (0, output)
                    }
                    _ => (DeflateError::Truncated.code(), Vec::new()),
                }
            }
            BlockOp::ZstdFull => {
                let (error, bytes) = zstd_frame_on_host(bytes, expected);
                (error.map_or(0, ZstdFullError::code), bytes)
            }
            BlockOp::Deflate => {
                let (error, bytes) = deflate_stream_on_host(bytes, expected);
                (error.map_or(0, DeflateError::code), bytes)
            }
        };
        BlockResult { error, bytes: bytes.into() }
    };
    plan.blocks.iter().map(decode).collect()
}

/// Decodes a stream on the host and from blocks; the results must agree.
fn decode(format: &'static StreamFormat, input: &[u8]) -> Decoded {
    decode_within(format, input, Limits::default())
}

/// Decodes a stream on the host and from blocks within these limits. The results must agree, and the reservation must equal the
/// output.
fn decode_within(format: &'static StreamFormat, input: &[u8], limits: Limits) -> Decoded {
    let budget = Budget::new(limits);
    let host = decode_on_host(format, input, &budget, Threads::All);
    assert_eq!(budget.reserved_output(), host.bytes.len() as u64);
    let Some(plan) = plan(format, input) else { return host };
    assert!(plan.blocks.windows(2).all(|pair| pair[0].input.end <= pair[1].input.start));
    let mut results = device(input, &plan);
    let assemble_checked = |results: &[BlockResult]| {
        let budget = Budget::new(limits);
        let Assembled { decoded: assembled, host_blocks, device_blocks, device_bytes } =
            assemble(format, input, &plan, results, &budget);
        assert_eq!(budget.reserved_output(), assembled.bytes.len() as u64);
        assert!(assembled == host, "{:?} on a device, {:?} on the host", assembled.problems, host.problems);
        assert!(device_bytes <= assembled.bytes.len() as u64, "{device_bytes}");
        assert!(device_blocks <= assembled.blocks.units, "{device_blocks}");
        host_blocks
    };
    let units = |is_counted: fn(&BlockResult) -> bool| -> u64 {
        let both = plan.blocks.iter().zip(&results);
        both.filter(|(_, result)| is_counted(result)).map(|(block, _)| block.units).sum()
    };
    let (accepted, refused) = (units(|result| result.error == 0), units(|result| result.error != 0));
    let reasons = assemble_checked(&results);
    assert!(!reasons.contains_key(&HostReason::DeviceMemory), "{reasons:?}");
    if host.problems.is_empty() {
        let on_host: u64 = reasons.values().sum();
        // Bytes of a gzip member may look like the header of another one, which is no member then.
        if format != GZIP {
            assert_eq!(reasons.get(&HostReason::RefusedByDevice).copied().unwrap_or(0), refused);
            assert_eq!(accepted + on_host, host.blocks.units);
        }
    }
    // A device may refuse blocks or lack memory for them.
    for result in results.iter_mut().step_by(2) {
        *result = BlockResult { error: 1, bytes: vec![1, 2, 3].into() };
    }
    assemble_checked(&results);
    results.truncate(results.len() / 2);
    assemble_checked(&results);
    host
}

/// Decodes a stream without problems.
fn decode_whole(format: &'static StreamFormat, input: &[u8]) -> Vec<u8> {
    let decoded = decode(format, input);
    assert_eq!(decoded.problems, []);
    decoded.bytes.to_vec()
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

/// Text similar to source code.
fn text(length: usize) -> Vec<u8> {
    const WORDS: [&str; 16] = [
        "let ", "mut ", "block", " = ", "input", "(", ")", ";\n", "    ", "return ", "if ", "else ", "0x1f", "length",
        ".", "window",
    ];
    let choices = noise(length);
    choices.iter().flat_map(|&choice| WORDS[usize::from(choice & 15)].bytes()).take(length).collect()
}

/// Alternating text, runs and noise.
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
