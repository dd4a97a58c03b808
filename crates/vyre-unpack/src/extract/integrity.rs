//! Classification of entries by the integrity of their bytes.

use crate::entry::Entry;
use crate::limits::Limit;
use crate::problem::{Problem, ProblemKind};

/// Integrity of the bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integrity {
    /// The bytes are complete.
    Whole,
    /// The bytes are incomplete or may be wrong.
    Damaged,
    /// No byte could be decoded.
    Missing,
}

impl Integrity {
    pub(super) fn of(entry: &Entry) -> Integrity {
        let length = entry.bytes.len() as u64;
        // An unsupported entry without bytes could not be decoded, whatever its stated size.
        let has_its_size = length > 0 && entry.size == Some(length);
        if entry.problems.iter().all(|problem| leaves_bytes_whole(problem, has_its_size)) {
            Integrity::Whole
        } else if length == 0 {
            Integrity::Missing
        } else {
            Integrity::Damaged
        }
    }
}

/// True if the problem concerns the content of a nested archive, or bytes after the file, rather than the bytes of the file.
fn leaves_bytes_whole(problem: &Problem, has_its_size: bool) -> bool {
    match &problem.kind {
        ProblemKind::TrailingGarbage { .. } | ProblemKind::Readings { .. } => true,
        ProblemKind::Limit(exceeded) => exceeded.limit == Limit::Depth,
        ProblemKind::Unsupported { .. } => has_its_size,
        ProblemKind::Truncated { .. }
        | ProblemKind::Corrupt { .. }
        | ProblemKind::Checksum { .. }
        | ProblemKind::Size { .. }
        | ProblemKind::OutOfMemory { .. }
        | ProblemKind::OutOfStorage { .. } => false,
    }
}
