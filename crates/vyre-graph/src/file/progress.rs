//! Progress of readers and writers.

/// Stage of reading or writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading and parsing, in bytes of the input before decompression.
    Reading,
    /// Construction of the arrays from the parsed edges, in edges.
    Building,
    /// Validation of a memory-mapped file, in bytes.
    Checking,
    /// Writing: in bytes of a binary file, in edges or nodes of a text.
    Writing,
}

/// Observer of the progress of a reader or writer. Several threads may call it concurrently.
///
/// `()` ignores all progress.
pub trait Progress: Sync {
    /// A stage begins. `total` is the sum of all later calls of [`advance`](Progress::advance), if it is known.
    fn begin(&self, stage: Stage, total: Option<u64>) {
        let _ = (stage, total);
    }

    /// The stage has advanced by `amount`.
    fn advance(&self, amount: u64) {
        let _ = amount;
    }
}

impl Progress for () {}
