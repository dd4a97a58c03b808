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
use crate::tar::tar_of;

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

/// Unpacks a tar file of LZ4 files of one block each, with this number of host threads and a GPU.
fn summary(blocks: usize, threads: usize) -> Summary {
    let names: Vec<String> = (0..blocks).map(|number| format!("{number}.lz4")).collect();
    let file = lz4(&text(900), BlockMode::Independent);
    let files: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (name.as_str(), file.clone())).collect();
    let archive = Bytes::from(tar_of(&files));
    let unpacker =
        Unpacker::on_device(Arc::new(Gpu(JitDevice::new(&JitOptions::default()).unwrap())), Options::default());
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut collected = Collected::default();
    let summary = pool.install(|| unpacker.unpack(b"x.tar", archive, &mut collected).unwrap());
    assert!(summary.is_clean());
    assert!(collected.get("0.lz4!/0").bytes[..] == text(900)[..]);
    summary
}

#[test]
fn a_gpu_decodes_many_blocks_beside_a_single_host_thread() {
    let many = summary(600, 1);
    assert_eq!((many.dispatches, many.blocks.device), (1, 600));
    let few = summary(100, 1);
    assert_eq!((few.dispatches, few.blocks.host[&HostReason::TooFewBlocks]), (0, 100));
    let beside_cores = summary(600, 2);
    assert_eq!((beside_cores.dispatches, beside_cores.blocks.host[&HostReason::HostRoute]), (0, 600));
}
