//! Driver of streaming decoders, which consume input and produce output in steps.

use super::output::Output;
use super::run::{refused, stopped, truncated};
use crate::problem::{Problem, ProblemKind};

/// Output space of the first step, in bytes.
const MIN_STEP_BYTES: usize = 64 << 10;
/// Maximum output space of a step, in bytes. Cancellation is checked between steps.
const MAX_STEP_BYTES: usize = 4 << 20;

/// Result of one step of a decoder.
pub(crate) struct Step {
    /// Bytes of input consumed.
    pub(crate) consumed: usize,
    /// Bytes of output written.
    pub(crate) produced: usize,
    pub(crate) end: StepEnd,
}

/// State of a decoder after a step.
pub(crate) enum StepEnd {
    /// The stream continues.
    More,
    /// The stream has ended.
    Finished,
    /// The stream is damaged or unsupported.
    Failed(ProblemKind),
}

/// Decodes the stream at `at` with a streaming decoder and returns the offset of its end.
pub(crate) fn decode_steps(
    input: &[u8],
    at: usize,
    output: &mut Output<'_>,
    what: &'static str,
    mut step: impl FnMut(&[u8], &mut [u8]) -> Step,
) -> Result<usize, Problem> {
    let mut next = at;
    let start = output.len();
    loop {
        if output.is_stopped() {
            return Err(stopped(next));
        }
        let left = usize::try_from(output.left()).unwrap_or(usize::MAX);
        // The step size grows with this stream only: a file may have many streams.
        let room = (output.len() - start).clamp(MIN_STEP_BYTES, MAX_STEP_BYTES).min(left);
        let done = if room == 0 {
            // The limit is reached, but the stream may end here.
            let mut more = [0];
            let done = step(&input[next..], &mut more);
            if done.produced > 0 {
                output.check(1).map_err(|exceeded| refused(next, exceeded))?;
            }
            done
        } else {
            output.reserve(room).map_err(|exceeded| refused(next, exceeded))?;
            let filled = output.fill(room, |_, zeros| {
                let done = step(&input[next..], zeros);
                (done.produced, done)
            });
            filled.map_err(|error| refused(next, error))?
        };
        next += done.consumed;
        match done.end {
            StepEnd::Finished => return Ok(next),
            StepEnd::More if done.consumed == 0 && done.produced == 0 => return Err(truncated(input.len(), what)),
            StepEnd::More => {}
            StepEnd::Failed(kind) => return Err(Problem::new(next as u64, kind)),
        }
    }
}
