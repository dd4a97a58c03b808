//! Compressed streams: sequential verification with parallel decoding ahead of it.
//!
//! A stream is decoded up to its end or its first problem. Each format has one sequence of checks, used for streams that the
//! host decodes and for streams whose blocks a device decoded, so both give the same verdict. Parallel decoding only runs
//! ahead of that sequence: where it finds anything unexpected, the sequence continues from there.

mod block;
mod block_counts;
mod checksum;
mod deflate;
mod inflate;
mod output;
mod parallel_deflate;
mod read;
mod results;
mod run;
pub(crate) mod skippable;
mod steps;

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
pub(crate) use libdeflater::{adler32, crc32};

pub(crate) use self::block::{Block, BlockOp, BlockResult, BlockStream, ContentSum, WholeFrame, WholeStream};
pub(crate) use self::block_counts::StreamBlocks;
pub(crate) use self::checksum::crc32_on_all_threads;
pub(crate) use self::deflate::{
    DeflateEnd, InflateError, Inflated, ResumableInflater, SLOW_STEP_BYTES, Threads, inflate_into, inflate_on,
    max_inflated, plan_inflate,
};
pub(crate) use self::inflate::{WholeInflate, inflate_behind, inflate_whole};
pub(crate) use self::output::Output;
pub(crate) use self::read::{bytes_at, u16_at, u24_at, u32_at, u64_at};
pub(crate) use self::run::{Resume, Run, corrupt, problem, refused, truncated, unsupported};
pub(crate) use self::steps::{Step, StepEnd, decode_steps};

use self::results::Results;
use crate::limits::Budget;
use crate::problem::Problem;
use crate::summary::HostReason;

/// Size of an input from which several threads decode it, if the format allows it.
pub(crate) const MIN_PARALLEL_BYTES: usize = 1 << 20;
/// Maximum output of one parallel step, in bytes.
pub(crate) const MAX_PARALLEL_OUTPUT: u64 = 256 << 20;
/// Maximum number of blocks, frames or members of one parallel step: the host keeps a record of each.
pub(crate) const MAX_PARALLEL_UNITS: usize = 1 << 16;
/// Maximum number of blocks of a stream that a device decodes.
pub(crate) const MAX_STREAM_BLOCKS: u64 = 1 << 18;

/// Finds the blocks of a stream.
type FindBlocks = fn(&[u8]) -> BlockStream;

/// A format of compressed streams: a row of the table of formats.
pub(crate) struct StreamFormat {
    /// Name in reports and of the fuzz target: `lz4`.
    pub(crate) name: &'static str,
    /// Name in prose: `LZ4`.
    pub(crate) title: &'static str,
    /// True if the bytes start as this format. The bytes must include what follows skippable frames.
    pub(crate) detect: fn(&[u8]) -> bool,
    /// Decodes a stream up to its end or its first problem.
    pub(crate) decode: fn(&mut Run<'_, '_>) -> Result<(), Problem>,
    /// Finds the blocks that a device can decode up to the first problem, without decoding them. None if no op decodes the format.
    pub(crate) find_blocks: Option<FindBlocks>,
    /// True if encoders always write a checksum of the content. An xz stream without a check counts as verified.
    pub(crate) always_has_checksum: bool,
    /// Suffixes of file names, each with its replacement for the content: `.tgz` becomes `.tar`.
    pub(crate) suffixes: &'static [(&'static [u8], &'static [u8])],
}

impl fmt::Debug for StreamFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for StreamFormat {
    fn eq(&self, other: &StreamFormat) -> bool {
        self.name == other.name
    }
}

impl Eq for StreamFormat {}

/// A decoded stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The output: all of it, or the part before the problem. The budget holds a reservation of this size.
    pub(crate) bytes: Bytes,
    /// Problems. Decoding stops at the first offset with a problem.
    pub(crate) problems: Vec<Problem>,
    /// Name of the compressed file, if a gzip header has one.
    pub(crate) name: Option<Vec<u8>>,
    /// Decoded blocks.
    pub(crate) blocks: StreamBlocks,
}

/// A stream that was decoded with the results of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assembled {
    pub(crate) decoded: Decoded,
    /// Numbers of blocks decoded by the host, by reason.
    pub(crate) host_blocks: BTreeMap<HostReason, u64>,
    /// Number of blocks of the device that are part of the output.
    pub(crate) device_blocks: u64,
    /// Their bytes of output.
    pub(crate) device_bytes: u64,
}

/// Decodes a stream on the host.
pub(crate) fn decode_on_host(format: &StreamFormat, input: &[u8], budget: &Budget, threads: Threads) -> Decoded {
    decode(format, input, Results::none(), budget, threads).decoded
}

/// Finds the blocks that a device can decode, without decoding. Formats without an op, linked LZ4 blocks and streams of unknown size
/// have none.
pub(crate) fn plan(format: &StreamFormat, input: &[u8]) -> Option<BlockStream> {
    let found = format.find_blocks.map(|find| find(input))?;
    (!found.blocks.is_empty()).then_some(found)
}

/// Assembles a stream from the results of its planned blocks and decodes the rest on the host. Missing results are allowed.
pub(crate) fn assemble(
    format: &StreamFormat,
    input: &[u8],
    plan: &BlockStream,
    results: &[BlockResult],
    budget: &Budget,
) -> Assembled {
    // Other streams are assembled at the same time.
    decode(format, input, Results::new(&plan.blocks, results), budget, Threads::One)
}

/// Decodes a stream, using results of a device where they exist.
fn decode(format: &StreamFormat, input: &[u8], results: Results<'_>, budget: &Budget, threads: Threads) -> Assembled {
    let mut run = Run {
        input,
        output: Output::new(budget, input.len()),
        results,
        problems: Vec::new(),
        name: None,
        blocks: StreamBlocks::default(),
        threads,
    };
    let end = (format.decode)(&mut run);
    run.problems.extend(end.err());
    let decoded = Decoded { bytes: run.output.finish(), problems: run.problems, name: run.name, blocks: run.blocks };
    let (device_blocks, device_bytes) = run.results.used();
    let mut host_blocks = run.results.reasons();
    for (&reason, &count) in &decoded.blocks.without_op {
        *host_blocks.entry(reason).or_default() += count;
    }
    Assembled { decoded, host_blocks, device_blocks, device_bytes }
}
