//! How far reading and writing have come.

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading and parsing, in bytes of the input; of a compressed one, before it is decompressed.
    Reading,
    /// Making arrays of the edges that were read, in edges.
    Building,
    /// Checking a file that is mapped into memory, in bytes.
    Checking,
    /// Writing: in bytes of a binary file, in edges or nodes of a text.
    Writing,
}

/// Is told how far reading or writing has come. It may be called by several threads at once.
///
/// `()` is a progress that nobody looks at.
pub trait Progress: Sync {
    /// A stage begins. `total` is what [`advance`](Progress::advance) will add up to, where that is known.
    fn begin(&self, stage: Stage, total: Option<u64>) {
        let _ = (stage, total);
    }

    /// The stage has come so much further.
    fn advance(&self, amount: u64) {
        let _ = amount;
    }
}

impl Progress for () {}
