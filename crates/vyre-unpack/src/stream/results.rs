//! Results of a device for the blocks of one stream.

use std::collections::BTreeMap;

use super::block::{Block, BlockResult};
use crate::summary::HostReason;

/// Results of a device, with counts of the blocks that the host decodes instead.
pub(crate) struct Results<'r> {
    blocks: &'r [Block],
    results: &'r [BlockResult],
    /// Blocks before this offset are counted.
    counted: usize,
    host_blocks: BTreeMap<HostReason, u64>,
    /// Blocks before this offset are part of the output.
    done: usize,
}

impl<'r> Results<'r> {
    /// No results: the host decodes everything.
    pub(super) fn none() -> Results<'r> {
        Results::new(&[], &[])
    }

    /// The results of these blocks.
    pub(super) fn new(blocks: &'r [Block], results: &'r [BlockResult]) -> Results<'r> {
        Results { blocks, results, counted: 0, host_blocks: BTreeMap::new(), done: 0 }
    }

    /// Output of the block at offset `start`, if the device decoded it without error. The first query for any other block
    /// counts it as decoded by the host.
    pub(crate) fn of(&mut self, start: usize) -> Option<&'r [u8]> {
        let planned = self.blocks.binary_search_by_key(&start, |block| block.input.start);
        let reason = match planned.ok().and_then(|number| self.results.get(number)) {
            Some(BlockResult { error: 0, bytes }) => return Some(bytes),
            Some(_) => HostReason::RefusedByDevice,
            None => HostReason::DeviceMemory,
        };
        if start >= self.counted {
            self.counted = start + 1;
            *self.host_blocks.entry(reason).or_default() += 1;
        }
        None
    }

    /// Records that the output contains everything up to the block at offset `start`.
    pub(crate) fn done(&mut self, start: usize) {
        self.done = start + 1;
    }

    /// Number of blocks of the device in the output, and their bytes.
    pub(super) fn used(&self) -> (u64, u64) {
        let both = self.blocks.iter().zip(self.results).take_while(|(block, _)| block.input.start < self.done);
        let good = both.filter(|(_, result)| result.error == 0);
        good.fold((0, 0), |(blocks, bytes), (_, result)| (blocks + 1, bytes + result.bytes.len() as u64))
    }

    /// Numbers of blocks decoded by the host although an op decodes them, by reason.
    pub(super) fn reasons(self) -> BTreeMap<HostReason, u64> {
        self.host_blocks
    }
}
