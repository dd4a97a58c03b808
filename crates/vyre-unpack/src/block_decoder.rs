//! Decodes independent blocks on a device with the ops `compression.lz4` and `compression.zstd`.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use vyre_ops::compression::{CompressedBlock, CompressionOps};
use vyre_runtime::{Device, RunOptions};

use crate::error::DecompressError;
use crate::stream::{BlockOp, BlockResult};

/// Status code of a block that the device did not decode.
const NOT_DECODED: u32 = u32::MAX;

/// Size of a descriptor in bytes. Each block has one in a buffer.
const DESCRIPTOR_BYTES: u64 = 20;

/// Maximum size of a buffer. Byte offsets are 32-bit words; half of their range leaves room for alignment.
const MAX_BUFFER_BYTES: u64 = 1 << 31;

/// A block to decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockJob<'a> {
    pub(crate) op: BlockOp,
    pub(crate) input: &'a [u8],
    /// Upper bound of the output in bytes.
    pub(crate) expected: u32,
    pub(crate) is_stored: bool,
}

impl BlockJob<'_> {
    /// Bytes that it needs in the input buffer or in the output buffer, whichever is more.
    fn buffer_bytes(&self) -> u64 {
        (self.input.len() as u64).max(self.expected.into()).next_multiple_of(4)
    }
}

/// Results of blocks.
#[derive(Debug, Default)]
pub(crate) struct DecodedBlocks {
    /// One result for each block, in order.
    pub(crate) results: Vec<BlockResult>,
    pub(crate) dispatches: u64,
    pub(crate) device_time: Duration,
    /// Indices of the blocks that do not fit the memory of the device. Their results are errors.
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

    /// Decodes blocks with one dispatch for each op, or several if the buffers of the device are too small.
    pub(crate) fn decode(&self, jobs: &[BlockJob<'_>]) -> Result<DecodedBlocks, DecompressError> {
        let missing = BlockResult { error: NOT_DECODED, bytes: Bytes::new() };
        let mut decoded = DecodedBlocks { results: vec![missing; jobs.len()], ..DecodedBlocks::default() };
        let max_bytes = self.ops.device().limits().buffer_bytes.min(MAX_BUFFER_BYTES);
        let max_blocks = usize::try_from(max_bytes / DESCRIPTOR_BYTES).unwrap_or(usize::MAX).max(1);
        for op in [BlockOp::Lz4, BlockOp::Zstd] {
            let mut batch = Vec::new();
            let mut bytes = 0;
            for (number, job) in jobs.iter().enumerate().filter(|(_, job)| job.op == op) {
                if job.buffer_bytes() > max_bytes {
                    decoded.not_fitting.push(number);
                    continue;
                }
                if bytes + job.buffer_bytes() > max_bytes || batch.len() >= max_blocks {
                    self.dispatch(op, jobs, &std::mem::take(&mut batch), &mut decoded)?;
                    bytes = 0;
                }
                bytes += job.buffer_bytes();
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
            let BlockJob { input, expected, is_stored, .. } = jobs[number];
            CompressedBlock { bytes: input, room: expected, is_stored }
        };
        let blocks: Vec<_> = batch.iter().map(block).collect();
        let done = match op {
            BlockOp::Lz4 => self.ops.lz4(&blocks),
            BlockOp::Zstd => self.ops.zstd(&blocks),
        };
        let done = match done {
            // Other processes use the memory of the device too, and the host can decode these blocks.
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
                false => BlockResult { error: NOT_DECODED, bytes: Bytes::new() },
            };
        }
        Ok(())
    }
}
