//! Runs of command lists.

use vyre_runtime::{CommandList, Error, RunOptions, RunReport};

use super::encode::Encoder;
use super::in_flight::InFlight;
use super::programs::Programs;
use super::queue::SubmissionQueue;
use super::submission::Submission;

/// Runs a command list, which the caller has checked.
pub(crate) fn run(queue: &SubmissionQueue, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
    let context = &queue.context;
    let programs = Programs::load(context, commands, options.can_stop())?;
    // Loading may have compiled for a long time.
    options.check()?;
    let current = context.enter()?;
    let in_flight = InFlight::register(context, programs.names());
    let submission = Submission::new(queue, &current, &in_flight, options)?;
    let mut encoder = Encoder::new(queue, &current, &programs, submission);
    let outcome = encoder.list(commands).and_then(|()| encoder.submission.finish());
    let mut report = RunReport::default();
    match outcome {
        Ok(timestamps) => report.timestamps = timestamps,
        Err(error) => {
            encoder.submission.abort();
            return Err(error);
        }
    }
    Ok(report)
}
