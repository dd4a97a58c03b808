//! Blocks that a device decodes, each without the others.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use vyre_ops::compression::{CompressedBlock, CompressionOps};
use vyre_runtime::{Device, RunOptions};

use super::error::DecompressError;

/// The op that decodes a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockOp {
    /// `compression.lz4`.
    Lz4,
    /// `compression.zstd`.
    Zstd,
}

/// A block that a device can decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The op that decodes it.
    pub(crate) op: BlockOp,
    /// Where it is in the stream. A zstd block has its header of 3 bytes with it.
    pub(crate) input: Range<usize>,
    /// The room that it needs: its size where that is known, else the most that it can have.
    pub(crate) expected: u32,
    /// Whether its bytes are the output, as they are.
    pub(crate) stored: bool,
}

/// What became of a block on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockResult {
    /// 0, or why the op refused the block.
    pub(crate) error: u32,
    /// The output, up to where the op refused the block.
    pub(crate) bytes: Bytes,
}

/// A block to decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockJob<'a> {
    pub(crate) op: BlockOp,
    pub(crate) input: &'a [u8],
    /// The room that it needs.
    pub(crate) expected: u32,
    pub(crate) stored: bool,
}

impl BlockJob<'_> {
    /// The bytes that it takes in the larger one of the buffers of input and output.
    fn bytes(&self) -> u64 {
        (self.input.len() as u64).max(self.expected.into()).next_multiple_of(4)
    }
}

/// What became of blocks.
#[derive(Debug, Default)]
pub(crate) struct DecodedBlocks {
    /// One result for each block, in order.
    pub(crate) results: Vec<BlockResult>,
    pub(crate) dispatches: u64,
    pub(crate) device_time: Duration,
    /// Which blocks the device has no memory for. Their results say that they were refused.
    pub(crate) not_fitting: Vec<usize>,
}

/// Decodes blocks on a device.
pub(crate) struct BlockDecoder {
    ops: CompressionOps,
}

impl BlockDecoder {
    pub(crate) fn new(device: Arc<dyn Device>) -> BlockDecoder {
        BlockDecoder { ops: CompressionOps::new(device) }
    }

    pub(crate) fn with_run_options(self, options: RunOptions) -> BlockDecoder {
        BlockDecoder { ops: self.ops.with_run_options(options) }
    }

    /// Decodes blocks: all of an op in one dispatch, unless buffers of the device are too small for that.
    pub(crate) fn decode(&self, jobs: &[BlockJob<'_>]) -> Result<DecodedBlocks, DecompressError> {
        let refused = BlockResult { error: REFUSED, bytes: Bytes::new() };
        let mut decoded = DecodedBlocks { results: vec![refused; jobs.len()], ..DecodedBlocks::default() };
        let most = self.ops.device().limits().buffer_bytes.min(MOST_BYTES);
        let most_blocks = usize::try_from(most / DESCRIPTOR_BYTES).unwrap_or(usize::MAX).max(1);
        for op in [BlockOp::Lz4, BlockOp::Zstd] {
            let mut batch = Vec::new();
            let mut bytes = 0;
            for (number, job) in jobs.iter().enumerate().filter(|(_, job)| job.op == op) {
                if job.bytes() > most {
                    decoded.not_fitting.push(number);
                    continue;
                }
                if bytes + job.bytes() > most || batch.len() >= most_blocks {
                    self.dispatch(op, jobs, &std::mem::take(&mut batch), &mut decoded)?;
                    bytes = 0;
                }
                bytes += job.bytes();
                batch.push(number);
            }
            self.dispatch(op, jobs, &batch, &mut decoded)?;
        }
        Ok(decoded)
    }

    fn dispatch(
        &self,
        op: BlockOp,
        jobs: &[BlockJob<'_>],
        batch: &[usize],
        decoded: &mut DecodedBlocks,
    ) -> Result<(), DecompressError> {
        if batch.is_empty() {
            return Ok(());
        }
        let block = |&number: &usize| {
            let BlockJob { input, expected, stored, .. } = jobs[number];
            CompressedBlock { bytes: input, room: expected, is_stored: stored }
        };
        let blocks: Vec<_> = batch.iter().map(block).collect();
        let done = match op {
            BlockOp::Lz4 => self.ops.lz4(&blocks),
            BlockOp::Zstd => self.ops.zstd(&blocks),
        };
        let done = match done {
            // Others use the memory of the device too, and the host can do without it.
            Err(vyre_runtime::Error::ResourceExceeded { .. }) => {
                decoded.not_fitting.extend_from_slice(batch);
                return Ok(());
            }
            done => done?,
        };
        decoded.dispatches += 1;
        decoded.device_time += done.device_time;
        let statuses = done.statuses().iter().enumerate();
        let found: Vec<_> = statuses.map(|(position, status)| (status.code, done.range(position))).collect();
        // All results share the memory that the device was read into.
        let output = Bytes::from(done.into_output());
        for (&number, (error, range)) in batch.iter().zip(found) {
            decoded.results[number] = match range.end <= output.len() {
                true => BlockResult { error, bytes: output.slice(range) },
                false => BlockResult { error: REFUSED, bytes: Bytes::new() },
            };
        }
        Ok(())
    }
}

/// The code of a block that was not given to the device.
const REFUSED: u32 = u32::MAX;

/// The bytes of a descriptor, of which each block has one in a buffer.
const DESCRIPTOR_BYTES: u64 = 20;

/// Places in buffers are counted in bytes by 32-bit words; half of that leaves room for what is rounded up.
const MOST_BYTES: u64 = 1 << 31;
