//! Buffered emission of findings to the receiver of the caller.

use std::ops::ControlFlow;

use vyre_runtime::RunOptions;

use crate::error::DataflowError;
use crate::finding::Finding;

/// Minimum number of findings of a chunk, except for the last.
const MIN_CHUNK: usize = 1 << 16;
/// Maximum number of findings of a chunk. Receivers can process large chunks on all threads.
const MAX_CHUNK: usize = 1 << 20;

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

    /// Appends few findings to the buffer. Passes many to the receiver without a copy.
    pub(crate) fn extend(&mut self, findings: &[Finding]) -> Result<(), DataflowError> {
        self.total += findings.len() as u64;
        if self.chunk.len() + findings.len() < MIN_CHUNK {
            self.chunk.extend_from_slice(findings);
            return Ok(());
        }
        self.flush()?;
        findings.chunks(MAX_CHUNK).try_for_each(|chunk| self.pass(chunk))
    }

    /// Passes the buffer to the receiver.
    pub(crate) fn flush(&mut self) -> Result<(), DataflowError> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let mut chunk = std::mem::take(&mut self.chunk);
        self.pass(&chunk)?;
        chunk.clear();
        self.chunk = chunk;
        Ok(())
    }

    /// Passes findings to the receiver.
    fn pass(&mut self, findings: &[Finding]) -> Result<(), DataflowError> {
        self.emitted += findings.len() as u64;
        if (self.receive)(findings).is_break() {
            return Err(DataflowError::Stopped { emitted: self.emitted });
        }
        Ok(self.run_options.check()?)
    }
}
