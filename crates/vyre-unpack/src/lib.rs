//! Opens archives and compressed streams, and whatever archives are inside, within limits.

mod archive;
mod batch;
mod blocks;
mod device_pass;
mod engine;
mod entry;
mod error;
mod extract;
mod format;
mod layers;
mod limits;
mod naming;
mod options;
mod problem;
mod stream;
mod summary;

pub use engine::Unpacker;
pub use entry::{Entry, EntryKind, EntryPath, Receiver};
pub use error::DecompressError;
pub use extract::{ExtractError, ExtractOptions, Extracted, Extractor, Placed, Placement, Refusal, Refused};
pub use limits::{Budget, Limit, LimitExceeded, Limits};
pub use options::{Options, Route};
pub use problem::{Problem, ProblemKind};
pub use stream::StreamFormat;
pub use summary::{ArchiveProblem, Blocks, HostReason, Progress, Summary};
