//! What was done.

use std::collections::BTreeMap;
use std::time::Duration;

use super::entry::EntryPath;
use super::problem::Problem;

/// How far the work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the archive that are done, with those of archives inside it.
    pub input: u64,
    /// Bytes of archives known so far.
    pub input_known: u64,
    /// Bytes of output.
    pub output: u64,
    /// Entries.
    pub entries: u64,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// What the archive is, from the outside in: `gzip`, `tar`, ... of the outermost layers.
    pub format: Vec<&'static str>,
    /// Entries, those of archives inside the archive with them.
    pub entries: u64,
    /// Entries with problems.
    pub damaged: u64,
    /// What is wrong with archives and streams beside their entries: bytes after the end, a damaged directory, a checksum of
    /// all. The first [`Summary::MOST_PROBLEMS`] of them.
    pub problems: Vec<ArchiveProblem>,
    /// How many of those there are.
    pub problem_count: u64,
    /// Bytes of all entries and streams that were decoded.
    pub output: u64,
    /// Layers that were opened.
    pub layers: u32,
    /// Dispatches to a device.
    pub dispatches: u64,
    /// What became of blocks and streams.
    pub blocks: Blocks,
    /// How long decoding on the host took, all threads together.
    pub host_time: Duration,
    /// How long the device took, where it says.
    pub device_time: Duration,
}

impl Summary {
    /// How many problems of archives are kept.
    pub const MOST_PROBLEMS: usize = 1000;

    /// Whether nothing is wrong with any entry or archive.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damaged == 0 && self.problem_count == 0
    }
}

/// What is wrong with an archive or stream that was opened, beside its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveProblem {
    /// Where the archive is. The outermost one has no names.
    pub path: EntryPath,
    /// What it is: `zip`, `gzip`, ...
    pub format: &'static str,
    /// What is wrong, and where in it.
    pub problem: Problem,
}

/// Where blocks and streams were decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blocks {
    /// Blocks that the device decoded.
    pub device: u64,
    /// Bytes of output of these.
    pub device_output: u64,
    /// Blocks and streams that the host decoded, by the reason.
    pub host: BTreeMap<HostReason, u64>,
    /// Bytes of output of these.
    pub host_output: u64,
}

/// Why a block or stream was decoded on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HostReason {
    /// No device was given, or the host was asked for.
    HostWanted,
    /// There is no op for the method: deflate, xz, bzip2.
    NoOp,
    /// Blocks refer to those before them.
    LinkedBlocks,
    /// Blocks of the layer are too few for the device to be worth it.
    FewBlocks,
    /// The device refused the block: `UNSUPPORTED_COMPRESSED_BLOCK`.
    CompressedZstdBlock,
    /// The device found the block to be damaged, so the host had a look.
    RefusedByDevice,
    /// The block does not fit the memory of the device, or the layer has more blocks than are counted for one.
    DeviceMemory,
    /// The room that its blocks may need is beyond a limit; the host looks at how much they do need.
    Limits,
}

impl HostReason {
    /// The reason as a clause.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            HostReason::HostWanted => "the host decodes all",
            HostReason::NoOp => "no op for the method",
            HostReason::LinkedBlocks => "linked blocks",
            HostReason::FewBlocks => "too few blocks in the layer",
            HostReason::CompressedZstdBlock => "compressed zstd blocks",
            HostReason::RefusedByDevice => "refused by the device",
            HostReason::DeviceMemory => "more than the memory of the device",
            HostReason::Limits => "limits",
        }
    }
}
