//! Deadline and cancellation of host algorithms.

use vyre_runtime::RunOptions;

use super::error::GraphError;

/// Number of steps between two checks.
const STEPS: u32 = 1 << 16;

/// Counter of the steps of an algorithm that checks the deadline and the cancellation token from time to time.
pub(crate) struct Checkpoint<'o> {
    options: Option<&'o RunOptions>,
    steps: u32,
}

impl<'o> Checkpoint<'o> {
    /// A checkpoint that never fails.
    pub(crate) fn unlimited() -> Checkpoint<'o> {
        Checkpoint { options: None, steps: 0 }
    }

    /// A checkpoint with the deadline and the token of these options.
    pub(crate) fn new(options: &'o RunOptions) -> Checkpoint<'o> {
        Checkpoint { options: Some(options), steps: 0 }
    }

    /// Counts a step.
    pub(crate) fn step(&mut self) -> Result<(), GraphError> {
        self.steps += 1;
        if self.steps < STEPS { Ok(()) } else { self.check() }
    }

    /// Fails if the algorithm was cancelled or its deadline has passed.
    pub(crate) fn check(&mut self) -> Result<(), GraphError> {
        self.steps = 0;
        Ok(self.options.map_or(Ok(()), RunOptions::check)?)
    }
}
