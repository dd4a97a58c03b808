//! Automatic use of a GPU.

use std::sync::Arc;

use bytes::Bytes;
use lzzzz::lz4f::BlockMode;
use rayon::ThreadPoolBuilder;
use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::Device;
use vyre_unpack::{HostReason, Options, Summary, Unpacker};

use crate::collect::{Collected, text};
use crate::device::lz4;

/// The CPU, which presents itself as a GPU.
struct Gpu(JitDevice);

impl DeviceWrapper for Gpu {
    fn inner(&self) -> &dyn Device {
        &self.0
    }

    fn is_throughput_oriented(&self) -> bool {
        true
    }
}

/// Unpacks an LZ4 frame of this number of blocks, with this number of host threads and a GPU, several times.
fn summaries(blocks: usize, threads: usize, calls: usize) -> Vec<Summary> {
    let content = text(blocks << 16);
    let archive = Bytes::from(lz4(&content, BlockMode::Independent));
    let device = Arc::new(Wrapped(Gpu(JitDevice::new(&JitOptions::default()).unwrap())));
    let unpacker = Unpacker::on_device(device, Options::default());
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let unpack = |_| {
        let mut collected = Collected::default();
        let summary = pool.install(|| unpacker.unpack(b"x.lz4", archive.clone(), &mut collected).unwrap());
        assert!(summary.is_clean());
        assert!(collected.get("x").bytes[..] == content[..]);
        summary
    };
    (0..calls).map(unpack).collect()
}

#[test]
fn a_gpu_decodes_many_blocks_beside_few_host_threads() {
    let many = &summaries(200, 1, 1)[0];
    assert_eq!(many.blocks.device, 200);
    let few = &summaries(10, 1, 1)[0];
    assert_eq!((few.dispatches, few.blocks.host[&HostReason::TooFewBlocks]), (0, 10));
    let beside_cores = &summaries(200, 16, 1)[0];
    assert_eq!((beside_cores.dispatches, beside_cores.blocks.host[&HostReason::TooFewBlocks]), (0, 200));
}
