//! State of a stream while it is decoded, and constructors of its problems.

use super::block_counts::StreamBlocks;
use super::deflate::Threads;
use super::output::Output;
use super::results::Results;
use crate::limits::{Limit, LimitExceeded};
use crate::problem::{Problem, ProblemKind};

/// Memory of an LZMA decoder besides its window, in bytes.
const DECODER_BYTES: u64 = 1 << 20;

/// A stream that is being decoded.
pub(crate) struct Run<'i, 'b> {
    pub(crate) input: &'i [u8],
    pub(crate) output: Output<'b>,
    pub(crate) results: Results<'i>,
    /// Problems found before the one that ends decoding.
    pub(crate) problems: Vec<Problem>,
    /// Name of the compressed file.
    pub(crate) name: Option<Vec<u8>>,
    /// Decoded blocks.
    pub(crate) blocks: StreamBlocks,
    /// Threads for the parts of the stream that depend on each other.
    pub(crate) threads: Threads,
}

/// Offsets at which sequential and parallel decoding continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resume {
    /// Offset of the next unit.
    pub(crate) at: usize,
    /// Offset from which another parallel attempt is worthwhile.
    pub(crate) parallel_from: usize,
}

impl Run<'_, '_> {
    /// Fails at `at` if the call was cancelled or its deadline has passed.
    pub(crate) fn check_stop(&self, at: usize) -> Result<(), Problem> {
        if self.output.is_stopped() { Err(stopped(at)) } else { Ok(()) }
    }

    /// Memory limit of an LZMA decoder: the window, and a little for its tables.
    pub(crate) fn decoder_memory(&self) -> u64 {
        self.output.max_window().saturating_add(DECODER_BYTES)
    }

    /// The problem of a stream that asks for a window beyond the limit.
    pub(crate) fn window_exceeded(&self) -> ProblemKind {
        let allowed = self.output.max_window();
        ProblemKind::Limit(LimitExceeded { limit: Limit::Window, requested: allowed.saturating_add(1), allowed })
    }

    /// The problem of bytes at `at` that do not start a unit: trailing garbage, or no stream at all.
    pub(crate) fn not_a_start(&self, at: usize, what: &'static str) -> Problem {
        match at {
            0 if self.input.is_empty() => truncated(0, "stream"),
            0 => corrupt(0, what),
            _ => problem(at, ProblemKind::TrailingGarbage { bytes: (self.input.len() - at) as u64 }),
        }
    }

    /// Compares the size of the output since `start` with the size that the stream states at `at`.
    pub(crate) fn check_size(&mut self, at: usize, start: usize, expected: u64) {
        let found = (self.output.len() - start) as u64;
        if found != expected {
            self.problems.push(problem(at, ProblemKind::Size { expected, found }));
        }
    }

    /// Compares a checksum with the one that the stream has at `at`.
    pub(crate) fn check_sum(&mut self, at: usize, what: &'static str, expected: u64, found: u64) {
        if found != expected {
            self.problems.push(problem(at, ProblemKind::Checksum { what, expected, found }));
        }
    }
}

/// A problem at this offset.
pub(crate) fn problem(at: usize, kind: ProblemKind) -> Problem {
    Problem::new(at as u64, kind)
}

/// The problem of a cancelled stream. It is never reported: the engine returns an error instead.
pub(super) fn stopped(at: usize) -> Problem {
    truncated(at, "work")
}

/// A violation of the format.
pub(crate) fn corrupt(at: usize, what: &'static str) -> Problem {
    problem(at, ProblemKind::Corrupt { what })
}

/// Input that ends too early.
pub(crate) fn truncated(at: usize, what: &'static str) -> Problem {
    problem(at, ProblemKind::Truncated { what })
}

/// A feature of the format that the decoder lacks.
pub(crate) fn unsupported(at: usize, what: impl Into<String>) -> Problem {
    problem(at, ProblemKind::Unsupported { what: what.into() })
}

/// An output that a limit or the system forbids.
pub(crate) fn refused(at: usize, error: impl Into<ProblemKind>) -> Problem {
    problem(at, error.into())
}
