//! Cost model for devices: when the blocks of a layer are decoded on a device instead of the host.
//!
//! The model compares the time of the host, on so many threads, with that of a GPU, from host memory to host memory. Both are sums of
//! times for each byte; a GPU has a time for each layer in addition. The constants are those of a machine with an H200 and 16 cores:
//! LZ4 blocks on 1, 2, 4 and 16 cores and their op (`decompress_report`), and transfers (`benches/results/transfers.md`). Those of
//! Deflate and of zstd frames are estimates.
//!
//! | Part | Host | GPU |
//! |---|---|---|
//! | latency of a layer | | [`GPU_LAYER_NS`] |
//! | transfer of the blocks, and of the room for their output | | [`UPLOAD_NS`], [`DOWNLOAD_NS`] for each byte |
//! | pinned memory for the output, unless an earlier call left it | | [`PINNING_NS`] for each byte |
//! | decoding | [`OpCost::host`] for each byte, divided by the threads | [`OpCost::gpu`] for each byte, or [`OpCost::block`] for each byte of the largest block |
//! | what one thread does: checksums of contents, new memory | [`HOST_SERIAL_NS`] for each byte | [`GPU_SERIAL_NS`] for each byte |
//!
//! Blocks of which a single one takes longer on a GPU than all of them on the host are left to the host first. A GPU is used for the others if it takes at most [`MAX_GPU_SHARE`] of the time of the host. Other machines have other constants, and a wrong choice costs
//! time alone: results do not depend on it.

use vyre_runtime::Device;

use crate::stream::{Block, BlockOp, BlockStream};

/// Latency of a dispatch and its transfers.
const GPU_LAYER_NS: f64 = 0.2e6;
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
    /// One thread of the host.
    host: f64,
    /// The whole GPU.
    gpu: f64,
    /// One workgroup of the GPU.
    block: f64,
}

impl BlockOp {
    fn cost(self) -> OpCost {
        match self {
            BlockOp::Lz4 => OpCost { host: 0.83, gpu: 0.015, block: 25.0 },
            // A copy on the host; one invocation for each block on the device.
            BlockOp::Zstd => OpCost { host: 0.1, gpu: 1.0, block: 25.0 },
            // Estimates: symbols follow each other, and a symbol is a few bytes.
            BlockOp::ZstdFull => OpCost { host: 1.5, gpu: 0.03, block: 50.0 },
            BlockOp::Deflate => OpCost { host: 1.0, gpu: 0.05, block: 60.0 },
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
    /// Time of the longest block on the GPU, in nanoseconds.
    longest: f64,
}

impl LayerWork {
    /// The work of streams.
    pub(crate) fn of<'s>(streams: impl Iterator<Item = &'s BlockStream>) -> LayerWork {
        let mut work = LayerWork::default();
        streams.flat_map(|stream| &stream.blocks).for_each(|block| work.add(block));
        work
    }

    /// Bytes of the room for the output.
    pub(crate) fn room(&self) -> u64 {
        self.room as u64
    }

    /// Time of the GPU with the upload of the blocks.
    fn on_gpu(&self) -> f64 {
        GPU_LAYER_NS + self.input * UPLOAD_NS + self.gpu.max(self.longest)
    }

    /// Adds a block.
    fn add(&mut self, block: &Block) {
        let bytes = f64::from(block.expected);
        let OpCost { host, gpu, block: alone } = block.op.cost();
        self.longest = self.longest.max(bytes * alone);
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
    /// True if a stream of a layer is left to the host whatever happens to the others, because it would keep the device busy alone.
    pub(crate) fn leaves(self, stream: &BlockStream, layer: &LayerWork) -> bool {
        let Policy::Cost { threads } = self else { return false };
        LayerWork::of(std::iter::once(stream)).longest > layer.host / threads * MAX_GPU_SHARE
    }

    /// True if the device decodes a layer. `is_pinned` states that there is pinned memory for its output.
    pub(crate) fn takes(self, work: &LayerWork, is_pinned: bool) -> bool {
        let Policy::Cost { threads } = self else { return true };
        let pinning = if is_pinned { 0.0 } else { PINNING_NS };
        let gpu = work.on_gpu() + work.room * (DOWNLOAD_NS + pinning + GPU_SERIAL_NS);
        let host = work.room * HOST_SERIAL_NS + work.host / threads;
        gpu <= host * MAX_GPU_SHARE
    }

    /// True if the device decodes blocks whose output stays there: what the host decodes has to be uploaded.
    pub(crate) fn takes_for_device(self, work: &LayerWork) -> bool {
        let Policy::Cost { threads } = self else { return true };
        let host = work.room * (HOST_SERIAL_NS + UPLOAD_NS) + work.host / threads;
        work.on_gpu() <= host * MAX_GPU_SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 64 KiB, compressed to half.
    fn work(op: BlockOp, blocks: usize) -> LayerWork {
        let block = Block { op, input: 0..32 << 10, expected: 64 << 10, is_stored: false, checksum: None, units: 1 };
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
        assert!(takes(BlockOp::ZstdFull, 4096, 4.0, false));
        assert!(takes(BlockOp::Deflate, 4096, 4.0, false));
    }

    #[test]
    fn one_large_stream_is_left_to_the_host() {
        for op in [BlockOp::Deflate, BlockOp::ZstdFull] {
            let stream = Block { op, input: 0..1 << 20, expected: 8 << 20, is_stored: false, checksum: None, units: 1 };
            let mut work = work(op, 64);
            work.add(&stream);
            for threads in [1.0, 16.0] {
                assert!(!Policy::Cost { threads }.takes(&work, true));
                assert!(!Policy::Cost { threads }.takes_for_device(&work));
            }
        }
    }

    #[test]
    fn outputs_that_stay_are_decoded_there_sooner() {
        let work = work(BlockOp::Deflate, 4096);
        assert!(Policy::Cost { threads: 16.0 }.takes_for_device(&work));
        assert!(!Policy::Cost { threads: 16.0 }.takes(&work, false));
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
