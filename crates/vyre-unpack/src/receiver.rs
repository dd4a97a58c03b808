//! The consumer of entries.

use crate::entry::{Entry, EntryPath};
use crate::error::DecompressError;

/// Progress of an unpack call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Input bytes decoded so far, nested containers included.
    pub input: u64,
    /// Input bytes discovered so far, nested containers included.
    pub input_known: u64,
    /// Bytes of output.
    pub output: u64,
    /// Number of entries.
    pub entries: u64,
}

/// Consumes entries as they are decoded: in archive order, and an archive before its members.
pub trait Receiver {
    /// Consumes a batch of entries.
    ///
    /// # Errors
    ///
    /// [`DecompressError::Receiver`] ends the call.
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError>;

    /// Reports that a nested container was emitted completely and that neither it nor any of its entries has a problem.
    /// The method is never called for a container with problems.
    fn closed(&mut self, archive: &EntryPath) {
        let _ = archive;
    }

    /// Reports progress.
    fn progress(&mut self, progress: Progress) {
        let _ = progress;
    }
}
