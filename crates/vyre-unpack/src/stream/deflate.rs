//! Raw Deflate streams (RFC 1951): a decoder of whole streams first, and a resumable decoder for streams that it refuses.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::block::{Block, BlockOp, BlockStream, WholeFrame, WholeStream};
use super::inflate::{WholeInflate, inflate_whole};
use super::parallel_deflate::inflate_on_all_threads;
use crate::limits::Budget;

/// Upper bound of the bytes of output for each byte of a Deflate stream (RFC 1951).
const MAX_DEFLATE_RATIO: u64 = 1032;

/// Output of one step of the resumable decoder, in bytes. Cancellation is checked between steps.
pub(crate) const SLOW_STEP_BYTES: usize = 4 << 20;

/// Progress in a Deflate stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inflated {
    /// Bytes of input that belong to the stream.
    pub(crate) consumed: usize,
    /// Bytes of output.
    pub(crate) produced: usize,
}

/// Reason for which a Deflate stream was not decoded to its end. The output holds the bytes before the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InflateError {
    /// The output is full and the stream continues.
    OutputFull,
    /// The input ends before the stream does.
    Truncated(Inflated),
    /// The stream is damaged at about this offset.
    Corrupt(Inflated),
}

/// Maximum output of a Deflate stream of `input` bytes.
pub(crate) fn max_inflated(input: u64) -> u64 {
    input.saturating_mul(MAX_DEFLATE_RATIO).saturating_add(MAX_DEFLATE_RATIO)
}

/// A raw Deflate stream of `input` bytes with an output of `size` bytes as a block for a device. None if it is too large for one.
pub(crate) fn plan_inflate(input: usize, size: u64) -> Option<BlockStream> {
    let expected = u32::try_from(size.min(max_inflated(input as u64))).ok()?;
    let block = Block { op: BlockOp::Deflate, input: 0..input, expected, is_stored: false, checksum: None, units: 1 };
    let whole =
        WholeStream { frames: vec![WholeFrame { blocks: 0..1, size: None, sum: None }], ..WholeStream::default() };
    Some(BlockStream { blocks: vec![block], whole: Some(whole) })
}

/// Threads that decode one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// This thread. Others have streams of their own.
    One,
    /// All threads of the pool, if the stream is large.
    All,
}

impl Threads {
    /// Threads for `own` of the `all` bytes that are decoded at the same time. A stream that is much larger than the share of a
    /// thread would keep the others waiting.
    pub(crate) fn for_share(own: u64, all: u64) -> Threads {
        let threads = rayon::current_num_threads() as u64;
        if own.saturating_mul(threads) >= all.saturating_mul(2) { Threads::All } else { Threads::One }
    }
}

/// Decodes the Deflate stream at the start of `input`, if it is whole and fits the output.
pub(crate) fn inflate_on(threads: Threads, input: &[u8], output: &mut [u8], budget: &Budget) -> WholeInflate {
    match threads {
        Threads::One => inflate_whole(input, output),
        Threads::All => inflate_on_all_threads(input, output, budget),
    }
}

/// Decodes the Deflate stream at the start of `input`. Cancellation truncates it.
///
/// # Errors
///
/// The error. The output holds the bytes before it.
pub(crate) fn inflate_into(
    input: &[u8],
    output: &mut [u8],
    budget: &Budget,
    threads: Threads,
) -> Result<Inflated, InflateError> {
    match inflate_on(threads, input, output, budget) {
        WholeInflate::Done { consumed, produced } => Ok(Inflated { consumed, produced }),
        WholeInflate::OutputFull | WholeInflate::Failed => {
            let mut inflater = ResumableInflater::new();
            loop {
                let end = inflater.progress.produced.saturating_add(SLOW_STEP_BYTES).min(output.len());
                return match inflater.resume(input, &mut output[..end]) {
                    DeflateEnd::Finished => Ok(inflater.progress),
                    DeflateEnd::OutputFull if budget.is_stopped() => Err(InflateError::Truncated(inflater.progress)),
                    DeflateEnd::OutputFull if end < output.len() => continue,
                    DeflateEnd::OutputFull => Err(InflateError::OutputFull),
                    DeflateEnd::Truncated => Err(InflateError::Truncated(inflater.progress)),
                    DeflateEnd::Corrupt => Err(InflateError::Corrupt(inflater.progress)),
                };
            }
        }
    }
}

/// A decoder that keeps the bytes before damage and can resume in a larger output.
pub(crate) struct ResumableInflater {
    state: Box<DecompressorOxide>,
    /// Progress so far.
    pub(crate) progress: Inflated,
}

/// Reason for which a [`ResumableInflater`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeflateEnd {
    /// The stream has ended.
    Finished,
    /// The output is full.
    OutputFull,
    /// The input ends before the stream does.
    Truncated,
    /// The stream is damaged.
    Corrupt,
}

impl ResumableInflater {
    /// A decoder at the start of a stream.
    pub(crate) fn new() -> ResumableInflater {
        ResumableInflater { state: Box::default(), progress: Inflated { consumed: 0, produced: 0 } }
    }

    /// Resumes the stream at the start of `input`. The output must start with the bytes decoded so far.
    pub(crate) fn resume(&mut self, input: &[u8], output: &mut [u8]) -> DeflateEnd {
        let rest = input.get(self.progress.consumed..).unwrap_or_default();
        let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, consumed, produced) = decompress(&mut self.state, rest, output, self.progress.produced, flags);
        self.progress.consumed += consumed;
        self.progress.produced += produced;
        match status {
            TINFLStatus::Done => DeflateEnd::Finished,
            TINFLStatus::HasMoreOutput => DeflateEnd::OutputFull,
            TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => DeflateEnd::Truncated,
            _ => DeflateEnd::Corrupt,
        }
    }
}
