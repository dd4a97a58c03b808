//! Compressed streams: gzip, zstd, LZ4, xz and bzip2.
//!
//! A stream is decoded from its start to its end, or to its first problem. There is one sequence of checks for each format, for
//! streams that the host decodes and for those whose blocks a device decoded, so that the verdict is the same. Whatever runs in
//! parallel only hurries ahead of that sequence: where it meets anything odd, the sequence goes on from there.

mod bzip2;
mod deflate;
mod gzip;
mod gzip_header;
mod inflate;
mod lz4;
mod lz4_block;
mod lz4_frame;
mod output;
mod read;
mod results;
mod skippable;
mod steps;
#[cfg(test)]
mod tests;
mod xz;
mod zstd;
mod zstd_frame;

use self::output::Output;
use self::results::Results;
use super::blocks::{Block, BlockResult};
use super::limits::{Budget, LimitExceeded};
use super::problem::{Problem, ProblemKind};
use super::summary::HostReason;

#[allow(unused_imports, reason = "archives use them")]
pub(crate) use self::deflate::{InflateError, Inflated, inflate_into};
#[allow(unused_imports, reason = "archives use it")]
pub(crate) use self::inflate::crc32;

/// Inputs of at least so many bytes are decoded by several threads, where their format allows it.
const PARALLEL_FROM: usize = 1 << 20;
/// Threads work on at most so many bytes of output at a time.
const PARALLEL_OUTPUT: u64 = 256 << 20;
/// A device gets at most so many blocks of a stream.
const MOST_BLOCKS: u64 = 1 << 18;

/// A format of compressed streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StreamFormat {
    /// gzip members (RFC 1952).
    Gzip,
    /// Zstandard frames (RFC 8878).
    Zstd,
    /// LZ4 frames.
    Lz4,
    /// xz streams.
    Xz,
    /// bzip2 streams.
    Bzip2,
}

impl StreamFormat {
    /// The format of a stream that starts with these bytes. It takes enough of them to see what comes after skippable frames.
    #[must_use]
    pub fn detect(start: &[u8]) -> Option<StreamFormat> {
        if gzip_header::has_magic(start) {
            return Some(StreamFormat::Gzip);
        }
        if xz::has_magic(start) {
            return Some(StreamFormat::Xz);
        }
        if bzip2::has_magic(start) {
            return Some(StreamFormat::Bzip2);
        }
        let mut at = 0;
        while let Some(Ok(end)) = skippable::end(start, at) {
            at = end;
        }
        if zstd_frame::has_magic(start, at) {
            Some(StreamFormat::Zstd)
        } else if lz4_frame::has_magic(start, at) || lz4_frame::has_legacy_magic(start, at) {
            Some(StreamFormat::Lz4)
        } else {
            None
        }
    }

    /// The name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StreamFormat::Gzip => "gzip",
            StreamFormat::Zstd => "zstd",
            StreamFormat::Lz4 => "lz4",
            StreamFormat::Xz => "xz",
            StreamFormat::Bzip2 => "bzip2",
        }
    }
}

/// A decoded stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The output: all of it, or what came before the problem. So many bytes are taken from the budget.
    pub(crate) bytes: Vec<u8>,
    /// What is wrong. Nothing after the first place where something is wrong was decoded.
    pub(crate) problems: Vec<Problem>,
    /// The name of the file that was compressed, where a gzip header has one.
    pub(crate) name: Option<Vec<u8>>,
    /// How many gzip members, xz or bzip2 streams, or blocks of zstd and LZ4 frames were decoded.
    pub(crate) units: u64,
}

/// The blocks of a stream that a device can decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockStream {
    /// The blocks, in the order of the stream.
    pub(crate) blocks: Vec<Block>,
}

/// Decodes a stream on the host.
pub(crate) fn decode_on_host(format: StreamFormat, input: &[u8], budget: &Budget) -> Decoded {
    decode(format, input, Results::none(), budget).0
}

/// Finds the blocks that a device can decode, without decoding. There are none in formats that have no op, in linked LZ4
/// blocks and in zstd frames with compressed blocks.
pub(crate) fn plan(format: StreamFormat, input: &[u8]) -> Option<BlockStream> {
    let blocks = match format {
        StreamFormat::Lz4 => lz4::plan(input),
        StreamFormat::Zstd => zstd::plan(input),
        StreamFormat::Gzip | StreamFormat::Xz | StreamFormat::Bzip2 => Vec::new(),
    };
    (!blocks.is_empty()).then_some(BlockStream { blocks })
}

/// Puts a stream together from the results of the blocks that were planned, and decodes the rest on the host. It says how many
/// blocks the host decoded, and why, and how many blocks and bytes of the device are in the output. A stream whose results are missing in part is decoded all the same.
pub(crate) fn assemble(
    format: StreamFormat,
    input: &[u8],
    plan: &BlockStream,
    results: &[BlockResult],
    budget: &Budget,
) -> (Decoded, Vec<(HostReason, u64)>, (u64, u64)) {
    decode(format, input, Results::new(&plan.blocks, results), budget)
}

/// Decodes a stream with the results of a device where there are some.
fn decode(
    format: StreamFormat,
    input: &[u8],
    results: Results<'_>,
    budget: &Budget,
) -> (Decoded, Vec<(HostReason, u64)>, (u64, u64)) {
    let mut run =
        Run { input, output: Output::new(budget, input.len()), results, problems: Vec::new(), name: None, units: 0 };
    let end = match format {
        StreamFormat::Gzip => gzip::decode(&mut run),
        StreamFormat::Zstd => zstd::decode(&mut run),
        StreamFormat::Lz4 => lz4::decode(&mut run),
        StreamFormat::Xz => xz::decode(&mut run),
        StreamFormat::Bzip2 => bzip2::decode(&mut run),
    };
    run.problems.extend(end.err());
    let decoded = Decoded { bytes: run.output.finish(), problems: run.problems, name: run.name, units: run.units };
    let used = run.results.used();
    (decoded, run.results.reasons(), used)
}

/// A stream that is being decoded.
struct Run<'i, 'b> {
    input: &'i [u8],
    output: Output<'b>,
    results: Results<'i>,
    /// Problems that were found before the one that ends the work.
    problems: Vec<Problem>,
    name: Option<Vec<u8>>,
    units: u64,
}

impl Run<'_, '_> {
    /// Fails at `at` if the work is to end.
    fn check_stop(&self, at: usize) -> Result<(), Problem> {
        if self.output.is_stopped() { Err(stopped(at)) } else { Ok(()) }
    }

    /// The problem that the bytes from `at` on are nothing that belongs to the stream, or that there is no stream at all.
    fn not_a_start(&self, at: usize, what: &'static str) -> Problem {
        match at {
            0 if self.input.is_empty() => truncated(0, "stream"),
            0 => corrupt(0, what),
            _ => problem(at, ProblemKind::TrailingGarbage { bytes: (self.input.len() - at) as u64 }),
        }
    }

    /// Compares the size of the output since `start` with what the stream says at `at`.
    fn check_size(&mut self, at: usize, start: usize, expected: u64) {
        let found = (self.output.len() - start) as u64;
        if found != expected {
            self.problems.push(problem(at, ProblemKind::Size { expected, found }));
        }
    }

    /// Compares a checksum with the one that the stream has at `at`.
    fn check_sum(&mut self, at: usize, what: &'static str, expected: u64, found: u64) {
        if found != expected {
            self.problems.push(problem(at, ProblemKind::Checksum { what, expected, found }));
        }
    }
}

/// A problem at this place.
fn problem(at: usize, kind: ProblemKind) -> Problem {
    Problem::new(at as u64, kind)
}

/// The work was ended by others. Nobody is told so by this problem: the engine ends with an error.
fn stopped(at: usize) -> Problem {
    truncated(at, "work")
}

/// Something is not what the format allows.
fn corrupt(at: usize, what: &'static str) -> Problem {
    problem(at, ProblemKind::Corrupt { what })
}

/// Something ends too early.
fn truncated(at: usize, what: &'static str) -> Problem {
    problem(at, ProblemKind::Truncated { what })
}

/// The format allows it, but it cannot be decoded.
fn unsupported(at: usize, what: impl Into<String>) -> Problem {
    problem(at, ProblemKind::Unsupported { what: what.into() })
}

/// A limit forbids it.
fn limit(at: usize, exceeded: LimitExceeded) -> Problem {
    problem(at, ProblemKind::Limit(exceeded))
}
