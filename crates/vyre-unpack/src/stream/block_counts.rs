//! Numbers of the decoded blocks of a stream.

use std::collections::BTreeMap;

use crate::summary::{HostReason, ZstdBlockCounts};

/// Numbers of decoded blocks of a stream. They do not depend on the processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamBlocks {
    /// Number of gzip members, Deflate, xz or bzip2 streams, or blocks of zstd and LZ4 frames.
    pub(crate) units: u64,
    /// Number of those that no op decodes, by reason. Only formats with an op have any.
    pub(crate) without_op: BTreeMap<HostReason, u64>,
    /// Reason for the others if the device was not asked for any of them. None means the number of blocks.
    pub(crate) if_none_is_planned: Option<HostReason>,
    /// zstd blocks by type.
    pub(crate) zstd: ZstdBlockCounts,
}

impl StreamBlocks {
    /// Counts blocks that no op decodes.
    pub(crate) fn count_without_op(&mut self, reason: HostReason, blocks: u64) {
        if blocks > 0 {
            *self.without_op.entry(reason).or_default() += blocks;
        }
    }

    /// Numbers of blocks of a stream that the device was not asked to decode, by reason.
    pub(crate) fn reasons_on_host(&self) -> BTreeMap<HostReason, u64> {
        let mut reasons = self.without_op.clone();
        let others = self.units.saturating_sub(reasons.values().sum());
        if others > 0 {
            *reasons.entry(self.if_none_is_planned.unwrap_or(HostReason::DeviceMemory)).or_default() += others;
        }
        reasons
    }
}
