//! Decoders that take input and give output a step at a time.

use super::output::Output;
use super::{limit, stopped, truncated};
use crate::problem::{Problem, ProblemKind};

/// The room for the output of the first step, and the most of any: between steps it is seen whether the work is to end.
const LEAST_ROOM: usize = 64 << 10;
const MOST_ROOM: usize = 4 << 20;

/// What a step did.
pub(super) struct Step {
    /// Bytes of input that were consumed.
    pub(super) consumed: usize,
    /// Bytes of output that were written.
    pub(super) produced: usize,
    /// Whether the stream has ended, or what is wrong with it.
    pub(super) end: Result<bool, ProblemKind>,
}

/// Decodes one stream, which begins at `at` in the input, and says where it ends.
pub(super) fn run(
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
        // It grows with the stream, and not with those before it, of which there may be many.
        let room = (output.len() - start).clamp(LEAST_ROOM, MOST_ROOM).min(left);
        let done = if room == 0 {
            // There may be nothing more to come.
            let mut more = [0];
            let done = step(&input[next..], &mut more);
            if done.produced > 0 {
                output.check(1).map_err(|exceeded| limit(next, exceeded))?;
            }
            done
        } else {
            output.reserve(room).map_err(|exceeded| limit(next, exceeded))?;
            output.fill(room, |_, zeros| {
                let done = step(&input[next..], zeros);
                (done.produced, done)
            })
        };
        next += done.consumed;
        match done.end {
            Ok(true) => return Ok(next),
            Ok(false) if done.consumed == 0 && done.produced == 0 => return Err(truncated(input.len(), what)),
            Ok(false) => {}
            Err(kind) => return Err(Problem::new(next as u64, kind)),
        }
    }
}
