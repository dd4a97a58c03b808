//! Handing findings on, in order and in parts.

use std::ops::ControlFlow;

use vyre_runtime::RunOptions;

use super::error::DataflowError;
use super::finding::Finding;

/// How many findings are handed on at a time, about.
const PART: usize = 1 << 16;

/// Hands findings on in parts, and counts them.
pub(crate) struct Emitter<R> {
    receive: R,
    part: Vec<Finding>,
    /// How many findings there are, those that wait included.
    pub(crate) total: u64,
    given: u64,
    /// Whether the analysis is to end is asked after each part.
    run_options: RunOptions,
}

impl<R: FnMut(&[Finding]) -> ControlFlow<()>> Emitter<R> {
    pub(crate) fn new(receive: R, run_options: RunOptions) -> Emitter<R> {
        Emitter { receive, part: Vec::new(), total: 0, given: 0, run_options }
    }

    pub(crate) fn push(&mut self, finding: Finding) -> Result<(), DataflowError> {
        self.part.push(finding);
        self.total += 1;
        if self.part.len() >= PART { self.flush() } else { Ok(()) }
    }

    pub(crate) fn flush(&mut self) -> Result<(), DataflowError> {
        if self.part.is_empty() {
            return Ok(());
        }
        self.given += self.part.len() as u64;
        let flow = (self.receive)(&self.part);
        self.part.clear();
        if flow.is_break() {
            return Err(DataflowError::Stopped { given: self.given });
        }
        Ok(self.run_options.check()?)
    }
}
