//! Cost model for devices: when the blocks of a layer are decoded on a device instead of the host.
//!
//! The model compares the time of the host, on so many threads, with that of a GPU, from host memory to host memory. Both are sums of
//! times for each byte; a GPU has a time for each layer in addition. The constants are those of a machine with an H200 and 16 cores:
//! LZ4 blocks on 1, 2, 4 and 16 cores and their op (`decompress_report`), and transfers (`benches/results/transfers.md`).
//!
//! | Part | Host | GPU |
//! |---|---|---|
//! | latency of a layer | | [`GPU_LAYER_NS`] |
//! | transfer of the blocks, and of the room for their output | | [`UPLOAD_NS`], [`DOWNLOAD_NS`] for each byte |
//! | pinned memory for the output, unless an earlier call left it | | [`PINNING_NS`] for each byte |
//! | decoding | [`OpCost::host`] for each byte, divided by the threads | [`OpCost::gpu`] for each byte |
//! | what one thread does: checksums of contents, new memory | [`HOST_SERIAL_NS`] for each byte | [`GPU_SERIAL_NS`] for each byte |
//!
//! A GPU is used if it takes at most [`MAX_GPU_SHARE`] of the time of the host. Other machines have other constants, and a wrong choice costs
//! time alone: results do not depend on it.

use vyre_runtime::Device;

use crate::stream::{Block, BlockOp};

/// Latency of a dispatch, its transfers and the longest block.
const GPU_LAYER_NS: f64 = 1.8e6;
/// Upload from pageable memory, for each byte: 25 GB/s.
const UPLOAD_NS: f64 = 0.04;
/// Download to pinned memory, for each byte: 50 GB/s.
const DOWNLOAD_NS: f64 = 0.02;
/// Pinning, for each byte: 7.9 ms for 64 MiB.
const PINNING_NS: f64 = 0.12;
/// Work of the host that does not divide among threads, for each byte.
const HOST_SERIAL_NS: f64 = 0.26;
/// Checksum of the content, for each byte: it overlaps with the device, and is longer.
const GPU_SERIAL_NS: f64 = 0.15;
/// Maximum share of the time of the host for which the GPU is used, since the constants are those of one machine.
const MAX_GPU_SHARE: f64 = 0.8;

/// Time for each byte of output, in nanoseconds.
struct OpCost {
    host: f64,
    gpu: f64,
}

impl BlockOp {
    fn cost(self) -> OpCost {
        match self {
            BlockOp::Lz4 => OpCost { host: 0.83, gpu: 0.015 },
            // A copy on the host; one invocation for each block on the device.
            BlockOp::Zstd => OpCost { host: 0.1, gpu: 1.0 },
        }
    }
}

/// Choice of the processor for blocks that a device can decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Route {
    /// A GPU for layers that it decodes faster than the threads of the host, transfers included, by a cost model; otherwise the host.
    #[default]
    Auto,
    /// The device, for any number of blocks.
    Device,
    /// The host.
    Host,
}

/// Blocks of a layer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LayerWork {
    /// Bytes of the blocks.
    input: f64,
    /// Bytes of the room for their output.
    room: f64,
    /// Times of decoding, in nanoseconds: of one thread of the host, and of the GPU.
    host: f64,
    gpu: f64,
}

impl LayerWork {
    /// Bytes of the room for the output.
    pub(crate) fn room(&self) -> u64 {
        self.room as u64
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, block: &Block) {
        let bytes = f64::from(block.expected);
        let OpCost { host, gpu } = block.op.cost();
        self.input += block.input.len() as f64;
        self.room += bytes;
        self.host += bytes * host;
        self.gpu += bytes * gpu;
    }
}

/// Decides on layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Policy {
    /// The device decodes all of them.
    Always,
    /// The faster of the device and so many threads of the host.
    Cost {
        /// Threads of the host.
        threads: f64,
    },
}

impl Route {
    /// The policy for layers; none if the device is not used at all.
    pub(crate) fn policy(self, device: &dyn Device, host_threads: usize) -> Option<Policy> {
        match self {
            Route::Device => Some(Policy::Always),
            Route::Auto if device.is_throughput_oriented() && !device.is_software() => {
                Some(Policy::Cost { threads: host_threads.max(1) as f64 })
            }
            Route::Auto | Route::Host => None,
        }
    }
}

impl Policy {
    /// True if the device decodes a layer. `is_pinned` states that there is pinned memory for its output.
    pub(crate) fn takes(self, work: &LayerWork, is_pinned: bool) -> bool {
        let Policy::Cost { threads } = self else { return true };
        let pinning = if is_pinned { 0.0 } else { PINNING_NS };
        let gpu =
            GPU_LAYER_NS + work.input * UPLOAD_NS + work.room * (DOWNLOAD_NS + pinning + GPU_SERIAL_NS) + work.gpu;
        let host = work.room * HOST_SERIAL_NS + work.host / threads;
        gpu <= host * MAX_GPU_SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 64 KiB, compressed to half.
    fn work(op: BlockOp, blocks: usize) -> LayerWork {
        let block = Block { op, input: 0..32 << 10, expected: 64 << 10, is_stored: false, checksum: None };
        let mut work = LayerWork::default();
        (0..blocks).for_each(|_| work.add(&block));
        work
    }

    fn takes(op: BlockOp, blocks: usize, threads: f64, is_pinned: bool) -> bool {
        Policy::Cost { threads }.takes(&work(op, blocks), is_pinned)
    }

    #[test]
    fn gpus_decode_many_blocks_beside_few_threads() {
        assert!(takes(BlockOp::Lz4, 600, 1.0, false));
        assert!(!takes(BlockOp::Lz4, 16, 1.0, false));
        assert!(takes(BlockOp::Lz4, 4096, 4.0, false));
        assert!(!takes(BlockOp::Lz4, 4096, 16.0, false));
        assert!(takes(BlockOp::Lz4, 4096, 16.0, true));
        assert!(!takes(BlockOp::Zstd, 4096, 1.0, true));
    }

    /// The host in the model is within a third of the measured times.
    #[test]
    fn the_model_has_the_measured_times_of_the_host() {
        for (blocks, threads, measured) in [(1024, 1.0, 73e6), (1024, 2.0, 46e6), (1024, 4.0, 29e6), (4096, 16.0, 79e6)]
        {
            let work = work(BlockOp::Lz4, blocks);
            let host = work.room * HOST_SERIAL_NS + work.host / threads;
            assert!((0.75..1.33).contains(&(host / measured)), "{host} {measured}");
        }
    }
}
