//! Raw Deflate streams (RFC 1951).

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::inflate::{Fast, inflate};
use crate::limits::Budget;

/// A slow decoder gets room for so many bytes at a time: between these it is seen whether the work is to end.
pub(super) const SLOW_ROOM: usize = 4 << 20;

/// How much of a Deflate stream and of its output there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inflated {
    /// Bytes of input that belong to the stream.
    pub(crate) consumed: usize,
    /// Bytes of output.
    pub(crate) produced: usize,
}

/// Why a Deflate stream was not decoded to its end. The output has the bytes before that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InflateError {
    /// The output is full, and the stream goes on.
    NoRoom,
    /// The input ends before the stream does.
    Truncated(Inflated),
    /// The input is no Deflate stream from about here on.
    Corrupt(Inflated),
}

/// Decodes the Deflate stream at the start of `input`. Where the work is to end, it is cut off.
///
/// # Errors
///
/// What is wrong. The output has what was decoded before that.
pub(crate) fn inflate_into(input: &[u8], output: &mut [u8], budget: &Budget) -> Result<Inflated, InflateError> {
    match inflate(input, output) {
        Fast::Whole { consumed, produced } => Ok(Inflated { consumed, produced }),
        Fast::NoRoom | Fast::Refused => {
            let mut slow = SlowInflater::new();
            loop {
                let room = slow.so_far.produced.saturating_add(SLOW_ROOM).min(output.len());
                return match slow.go_on(input, &mut output[..room]) {
                    SlowEnd::Whole => Ok(slow.so_far),
                    SlowEnd::NoRoom if budget.is_stopped() => Err(InflateError::Truncated(slow.so_far)),
                    SlowEnd::NoRoom if room < output.len() => continue,
                    SlowEnd::NoRoom => Err(InflateError::NoRoom),
                    SlowEnd::Truncated => Err(InflateError::Truncated(slow.so_far)),
                    SlowEnd::Corrupt => Err(InflateError::Corrupt(slow.so_far)),
                };
            }
        }
    }
}

/// A decoder that keeps what comes before damage, and can go on in a larger output.
pub(super) struct SlowInflater {
    state: Box<DecompressorOxide>,
    /// How far it is.
    pub(super) so_far: Inflated,
}

/// Why a [`SlowInflater`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlowEnd {
    /// The stream is decoded.
    Whole,
    /// The output is full.
    NoRoom,
    /// The input ends before the stream does.
    Truncated,
    /// The input is no Deflate stream.
    Corrupt,
}

impl SlowInflater {
    /// A decoder at the start of a stream.
    pub(super) fn new() -> SlowInflater {
        SlowInflater { state: Box::default(), so_far: Inflated { consumed: 0, produced: 0 } }
    }

    /// Goes on with the stream that `input` starts with. The output starts with what was decoded so far.
    pub(super) fn go_on(&mut self, input: &[u8], output: &mut [u8]) -> SlowEnd {
        let rest = input.get(self.so_far.consumed..).unwrap_or_default();
        let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, consumed, produced) = decompress(&mut self.state, rest, output, self.so_far.produced, flags);
        self.so_far.consumed += consumed;
        self.so_far.produced += produced;
        match status {
            TINFLStatus::Done => SlowEnd::Whole,
            TINFLStatus::HasMoreOutput => SlowEnd::NoRoom,
            TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => SlowEnd::Truncated,
            _ => SlowEnd::Corrupt,
        }
    }
}
