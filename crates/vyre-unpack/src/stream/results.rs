//! Results of a device for the blocks of one stream.

use std::collections::{BTreeMap, BTreeSet};

use super::block::{Block, BlockResult};
use crate::summary::HostReason;

/// Results of a device, with counts of the units that the host decodes instead.
pub(crate) struct Results<'r> {
    blocks: &'r [Block],
    results: &'r [BlockResult],
    /// Blocks before this offset are counted.
    counted: usize,
    host_blocks: BTreeMap<HostReason, u64>,
    /// Blocks before this offset are part of the output, or of something else.
    done: usize,
    /// Units of the device in the output, and their bytes.
    used: (u64, u64),
    /// Offsets of blocks whose result the host did not accept.
    rejected: BTreeSet<usize>,
}

/// A block that the device decoded without error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceBlock<'r> {
    /// Offset of its end in the stream.
    pub(crate) end: usize,
    /// Its output.
    pub(crate) bytes: &'r [u8],
}

impl<'r> Results<'r> {
    /// No results: the host decodes everything.
    pub(super) fn none() -> Results<'r> {
        Results::new(&[], &[])
    }

    /// The results of these blocks.
    pub(super) fn new(blocks: &'r [Block], results: &'r [BlockResult]) -> Results<'r> {
        let (host_blocks, rejected) = (BTreeMap::new(), BTreeSet::new());
        Results { blocks, results, counted: 0, host_blocks, done: 0, used: (0, 0), rejected }
    }

    /// The planned block at offset `start` and its result.
    fn planned(&self, start: usize) -> Option<(&'r Block, &'r BlockResult)> {
        let number = self.blocks.binary_search_by_key(&start, |block| block.input.start).ok()?;
        self.blocks.get(number).zip(self.results.get(number))
    }

    /// The block at offset `start`, if the device decoded it without error.
    pub(crate) fn find(&self, start: usize) -> Option<DeviceBlock<'r>> {
        let (block, result) = self.planned(start)?;
        let is_good = result.error == 0 && !self.rejected.contains(&start);
        is_good.then_some(DeviceBlock { end: block.input.end, bytes: &result.bytes })
    }

    /// Output of the block at offset `start`, if the device decoded it without error. The first query for any other block
    /// counts it as decoded by the host.
    pub(crate) fn of(&mut self, start: usize) -> Option<&'r [u8]> {
        let found = self.find(start);
        if found.is_none() && start >= self.counted {
            self.counted = start + 1;
            self.count_on_host(start, 1, HostReason::DeviceMemory);
        }
        found.map(|block| block.bytes)
    }

    /// Counts units of the block at offset `start` as decoded by the host. `unplanned` is the reason if the device was not asked.
    pub(crate) fn count_on_host(&mut self, start: usize, units: u64, unplanned: HostReason) {
        let reason = match self.planned(start) {
            Some((_, result)) if result.error != BlockResult::NOT_DECODED => HostReason::RefusedByDevice,
            Some(_) => HostReason::DeviceMemory,
            None => unplanned,
        };
        if units > 0 {
            *self.host_blocks.entry(reason).or_default() += units;
        }
    }

    /// Drops the result of the block at offset `start`: something is wrong with it, and the host gives the verdict.
    pub(crate) fn reject(&mut self, start: usize) {
        self.rejected.insert(start);
    }

    /// Records that the output contains everything up to the block at offset `start`.
    pub(crate) fn done(&mut self, start: usize) {
        let first = self.blocks.partition_point(|block| block.input.start < self.done);
        for block in self.blocks[first..].iter().take_while(|block| block.input.start <= start) {
            if let Some(found) = self.find(block.input.start) {
                self.used.0 += block.units;
                self.used.1 += found.bytes.len() as u64;
            }
        }
        self.done = start + 1;
    }

    /// Records that the output contains the block at offset `start`, and none before it that is not recorded yet.
    pub(crate) fn done_alone(&mut self, start: usize) {
        self.done = start;
        self.done(start);
    }

    /// Number of units of the device in the output, and their bytes.
    pub(super) fn used(&self) -> (u64, u64) {
        self.used
    }

    /// Numbers of units decoded by the host although an op decodes them, by reason.
    pub(super) fn reasons(self) -> BTreeMap<HostReason, u64> {
        self.host_blocks
    }
}
