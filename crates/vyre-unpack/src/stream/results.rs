//! What a device made of the blocks of a stream.

use std::collections::BTreeMap;

use crate::blocks::{Block, BlockResult};
use crate::summary::HostReason;

/// The results of a device, and a count of the blocks that there are none for.
pub(super) struct Results<'r> {
    blocks: &'r [Block],
    results: &'r [BlockResult],
    /// Blocks that begin before this were counted.
    counted: usize,
    on_host: BTreeMap<HostReason, u64>,
    /// Blocks that begin before this are in the output.
    done: usize,
}

impl<'r> Results<'r> {
    /// No results: there was no device.
    pub(super) fn none() -> Results<'r> {
        Results::new(&[], &[])
    }

    /// The results of these blocks.
    pub(super) fn new(blocks: &'r [Block], results: &'r [BlockResult]) -> Results<'r> {
        Results { blocks, results, counted: 0, on_host: BTreeMap::new(), done: 0 }
    }

    /// The output of the block that begins at `start`, if the device decoded it without error. A block that it did not decode is
    /// counted, when it is asked for the first time.
    pub(super) fn of(&mut self, start: usize) -> Option<&'r [u8]> {
        let planned = self.blocks.binary_search_by_key(&start, |block| block.input.start);
        let reason = match planned.ok().and_then(|number| self.results.get(number)) {
            Some(BlockResult { error: 0, bytes }) => return Some(bytes),
            Some(_) => HostReason::RefusedByDevice,
            None => HostReason::DeviceMemory,
        };
        if start >= self.counted {
            self.counted = start + 1;
            self.count(reason, 1);
        }
        None
    }

    /// Counts blocks that the host decodes.
    pub(super) fn count(&mut self, reason: HostReason, blocks: u64) {
        if blocks > 0 {
            *self.on_host.entry(reason).or_default() += blocks;
        }
    }

    /// Takes note that all up to the block that begins at `start` is in the output.
    pub(super) fn done(&mut self, start: usize) {
        self.done = start + 1;
    }

    /// How many blocks of the device are in the output, and how many bytes they have.
    pub(super) fn used(&self) -> (u64, u64) {
        let both = self.blocks.iter().zip(self.results).take_while(|(block, _)| block.input.start < self.done);
        let good = both.filter(|(_, result)| result.error == 0);
        good.fold((0, 0), |(blocks, bytes), (_, result)| (blocks + 1, bytes + result.bytes.len() as u64))
    }

    /// How many blocks the host decoded, and why.
    pub(super) fn reasons(self) -> Vec<(HostReason, u64)> {
        self.on_host.into_iter().collect()
    }
}
