//! Recording device: records every program that the engines compile. The reference device runs them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use vyre_conform::generated::Seeds;
use vyre_conform::graphs;
use vyre_conform::graphs::generated::Sizes;
use vyre_ir::{OpTable, Program, ValidProgram};
use vyre_runtime::{
    Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, ReferenceDevice, RunOptions,
    RunReport,
};

use crate::programs::NamedProgram;

/// Programs in the order of their first compilation, each once.
#[derive(Default)]
struct Programs {
    known: HashSet<String>,
    ordered: Vec<Program>,
}

/// The device.
struct RecordingDevice {
    reference: ReferenceDevice,
    /// The kind of device that the engines see. They choose programs by it.
    is_gpu: bool,
    programs: Arc<Mutex<Programs>>,
}

impl Device for RecordingDevice {
    fn name(&self) -> String {
        "recording".to_owned()
    }

    fn is_throughput_oriented(&self) -> bool {
        self.is_gpu
    }

    fn packs_workgroups(&self) -> bool {
        self.is_gpu
    }

    fn id(&self) -> DeviceId {
        self.reference.id()
    }

    fn limits(&self) -> &Limits {
        self.reference.limits()
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.reference.create_buffer(bytes)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.reference.write(buffer, offset, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        self.reference.read_at(buffer, offset, target)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let tree = program.program();
        if programs.known.insert(tree.to_string()) {
            programs.ordered.push(tree.clone());
        }
        drop(programs);
        self.reference.create_pipeline(program, options)
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        self.reference.run(commands, options)
    }
}

/// The programs that the dataflow engine compiles for CPUs and GPUs, in every configuration, on two small graphs. The programs of
/// graph ops and compression ops are in the table of ops.
pub(crate) fn engine_programs() -> Vec<NamedProgram> {
    let programs = Arc::new(Mutex::new(Programs::default()));
    let options = RunOptions::default();
    for is_gpu in [false, true] {
        let recording = RecordingDevice { reference: ReferenceDevice::new(), is_gpu, programs: Arc::clone(&programs) };
        let device: Arc<dyn Device> = Arc::new(recording);
        graphs::dataflow::expect_agreement(&device, &options, Seeds::new(0, 2), Sizes::TINY);
    }
    let programs = std::mem::take(&mut programs.lock().unwrap_or_else(PoisonError::into_inner).ordered);
    assert!(programs.len() >= 10, "only {} programs of the engines were compiled", programs.len());
    let named = |(number, program)| NamedProgram { name: format!("engine.{number}"), program, ops: OpTable::default() };
    programs.into_iter().enumerate().map(named).collect()
}
