//! Automatic use of a GPU.

use std::sync::Arc;

use bytes::Bytes;
use lzzzz::lz4f::BlockMode;
use rayon::ThreadPoolBuilder;
use vyre_ir::ValidProgram;
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{
    Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, RunOptions, RunReport,
};
use vyre_unpack::{HostReason, Options, Summary, Unpacker};

use crate::collect::{Collected, text};
use crate::device::lz4;

/// The CPU, which presents itself as a GPU.
struct Gpu(JitDevice);

impl Device for Gpu {
    fn name(&self) -> String {
        self.0.name()
    }

    fn is_throughput_oriented(&self) -> bool {
        true
    }

    fn id(&self) -> DeviceId {
        self.0.id()
    }

    fn limits(&self) -> &Limits {
        self.0.limits()
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.0.create_buffer(bytes)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.0.write(buffer, offset, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        self.0.read_at(buffer, offset, target)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        self.0.create_pipeline(program, options)
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        self.0.run(commands, options)
    }
}

/// Unpacks an LZ4 frame of this number of blocks, with this number of host threads and a GPU, several times.
fn summaries(blocks: usize, threads: usize, calls: usize) -> Vec<Summary> {
    let content = text(blocks << 16);
    let archive = Bytes::from(lz4(&content, BlockMode::Independent));
    let unpacker =
        Unpacker::on_device(Arc::new(Gpu(JitDevice::new(&JitOptions::default()).unwrap())), Options::default());
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
