//! Statistics and archive-level problems of an unpack call.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::Duration;

use crate::entry::EntryPath;
use crate::problem::Problem;

/// Statistics and archive-level problems of an unpack call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Formats of the outermost containers, from the outside in: `gzip`, `tar`, ...
    pub format: Vec<&'static str>,
    /// Number of entries, those of nested containers included.
    pub entries: u64,
    /// Number of entries with problems.
    pub damaged: u64,
    /// Problems of containers rather than of their entries: trailing bytes, a damaged directory, a checksum over everything.
    /// At most [`Summary::MAX_PROBLEMS`] are kept.
    pub problems: Vec<ArchiveProblem>,
    /// Number of problems of containers, those that were not kept included.
    pub problem_count: u64,
    /// Decoded bytes of all entries and streams.
    pub output: u64,
    /// Number of layers: the largest nesting depth.
    pub layers: u32,
    /// Number of dispatches to a device.
    pub dispatches: u64,
    /// Numbers of blocks and streams by decoder.
    pub blocks: BlockCounts,
    /// Decoding time on the host, summed over all threads.
    pub host_time: Duration,
    /// Execution time on the device, if the device measures it.
    pub device_time: Duration,
}

impl Summary {
    /// Maximum number of container problems that are kept.
    pub const MAX_PROBLEMS: usize = 1000;

    /// Adds the statistics and problems of a part of the archive.
    pub(crate) fn add(&mut self, part: Summary) {
        self.entries += part.entries;
        self.damaged += part.damaged;
        self.problem_count += part.problem_count;
        let room = Summary::MAX_PROBLEMS.saturating_sub(self.problems.len());
        self.problems.extend(part.problems.into_iter().take(room));
        self.output += part.output;
        self.layers = self.layers.max(part.layers);
        self.dispatches += part.dispatches;
        self.blocks.device += part.blocks.device;
        self.blocks.device_output += part.blocks.device_output;
        self.blocks.count_on_host(part.blocks.host);
        self.blocks.host_output += part.blocks.host_output;
        self.blocks.zstd += part.blocks.zstd;
        self.host_time += part.host_time;
        self.device_time += part.device_time;
    }

    /// True if no entry and no container has a problem.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damaged == 0 && self.problem_count == 0
    }
}

/// A problem of a container rather than of one of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveProblem {
    /// Path of the container; empty for the outermost one.
    pub path: EntryPath,
    /// Format of the container: `zip`, `gzip`, ...
    pub format: &'static str,
    /// The problem, with its offset in the container.
    pub problem: Problem,
}

/// Numbers of blocks and streams, by the processor that decoded them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockCounts {
    /// Blocks decoded by the device.
    pub device: u64,
    /// Bytes of output of the device.
    pub device_output: u64,
    /// Blocks and streams decoded by the host, by reason.
    pub host: BTreeMap<HostReason, u64>,
    /// Bytes of output of the host.
    pub host_output: u64,
    /// zstd blocks among all of them, by type.
    pub zstd: ZstdBlockCounts,
}

impl BlockCounts {
    /// Adds blocks that the host decoded, by reason.
    pub(crate) fn count_on_host(&mut self, blocks: BTreeMap<HostReason, u64>) {
        for (reason, count) in blocks.into_iter().filter(|(_, count)| *count > 0) {
            *self.host.entry(reason).or_default() += count;
        }
    }
}

/// Numbers of decoded zstd blocks, by type (RFC 8878, section 3.1.1.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ZstdBlockCounts {
    /// Raw blocks: the payload is the output.
    pub raw: u64,
    /// RLE blocks: the output repeats one byte.
    pub rle: u64,
    /// Compressed blocks: Huffman and FSE codes.
    pub compressed: u64,
}

impl ZstdBlockCounts {
    /// Number of blocks of all types.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.raw + self.rle + self.compressed
    }
}

impl AddAssign for ZstdBlockCounts {
    fn add_assign(&mut self, other: ZstdBlockCounts) {
        let ZstdBlockCounts { raw, rle, compressed } = other;
        self.raw += raw;
        self.rle += rle;
        self.compressed += compressed;
    }
}

/// Reason for decoding a block or stream on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HostReason {
    /// The route selects the host, or there is no device.
    HostRoute,
    /// No op decodes the method: xz, bzip2, LZMA.
    NoDeviceOp,
    /// Blocks refer to preceding blocks.
    LinkedBlocks,
    /// The layer has too few blocks for the device to pay off beside the threads of the host.
    TooFewBlocks,
    /// The zstd block is compressed and its frame has no end, more than 4 GiB of output, or a very large window.
    CompressedZstdBlock,
    /// The device reported an error for the block, and the host decides.
    RefusedByDevice,
    /// The block does not fit the memory of the device, or the stream or the layer has more blocks than one device pass allows.
    DeviceMemory,
    /// The upper bound of the output exceeds a limit; the host determines the actual size.
    Limits,
    /// The end of the Deflate stream or the size of its output is not known before it is decoded.
    UnknownSize,
}

impl HostReason {
    /// The reason as a phrase.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            HostReason::HostRoute => "the host decodes all",
            HostReason::NoDeviceOp => "no op for the method",
            HostReason::LinkedBlocks => "linked blocks",
            HostReason::TooFewBlocks => "too few blocks in the layer",
            HostReason::CompressedZstdBlock => "compressed zstd blocks",
            HostReason::RefusedByDevice => "refused by the device",
            HostReason::DeviceMemory => "more than the memory of the device",
            HostReason::Limits => "limits",
            HostReason::UnknownSize => "unknown size",
        }
    }
}
