//! Buffered emission of findings to the receiver of the caller.

use std::ops::ControlFlow;

use vyre_runtime::RunOptions;

use crate::error::DataflowError;
use crate::finding::Finding;

/// Number of findings of a chunk.
const CHUNK_FINDINGS: usize = 1 << 16;

/// Receiver of findings, which can end the analysis.
pub(crate) type Receiver<'r> = dyn FnMut(&[Finding]) -> ControlFlow<()> + 'r;

/// Buffer that passes findings to the receiver in chunks and counts them.
pub(crate) struct Emitter<'r> {
    receive: &'r mut Receiver<'r>,
    chunk: Vec<Finding>,
    /// Number of findings, including those in the buffer.
    pub(crate) total: u64,
    emitted: u64,
    /// Source of the cancellation token and the deadline, which are checked after each chunk.
    run_options: RunOptions,
}

impl<'r> Emitter<'r> {
    pub(crate) fn new(receive: &'r mut Receiver<'r>, run_options: RunOptions) -> Emitter<'r> {
        Emitter { receive, chunk: Vec::new(), total: 0, emitted: 0, run_options }
    }

    /// Appends findings, and flushes full chunks.
    pub(crate) fn extend(&mut self, mut findings: &[Finding]) -> Result<(), DataflowError> {
        self.total += findings.len() as u64;
        while self.chunk.len() + findings.len() >= CHUNK_FINDINGS {
            let (head, tail) = findings.split_at(CHUNK_FINDINGS - self.chunk.len());
            self.chunk.extend_from_slice(head);
            self.flush()?;
            findings = tail;
        }
        self.chunk.extend_from_slice(findings);
        Ok(())
    }

    /// Passes the buffer to the receiver.
    pub(crate) fn flush(&mut self) -> Result<(), DataflowError> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        self.emitted += self.chunk.len() as u64;
        let flow = (self.receive)(&self.chunk);
        self.chunk.clear();
        if flow.is_break() {
            return Err(DataflowError::Stopped { emitted: self.emitted });
        }
        Ok(self.run_options.check()?)
    }
}
