//! A device whose runs end with the section that uses it.

use std::sync::Arc;

use vyre_ir::ValidProgram;
use vyre_runtime::{
    Buffer, CommandList, Device, DeviceId, Error, HostMemory, Limits, Pipeline, PipelineOptions, RunOptions, RunReport,
};

use super::ending::Ending;

/// Device under test. Every operation is that of the device; compilations and runs have the deadline and the cancellation token of the
/// section.
pub(super) struct BoundedDevice {
    pub(super) inner: Arc<dyn Device>,
    pub(super) ending: Arc<Ending>,
}

impl BoundedDevice {
    /// Records whether the end of the section stopped a call.
    fn observed<T>(&self, done: Result<T, Error>) -> Result<T, Error> {
        if matches!(done, Err(Error::Cancelled | Error::DeadlineExceeded)) && self.ending.reason().is_some() {
            self.ending.stopped_a_call();
        }
        done
    }
}

impl Device for BoundedDevice {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn driver(&self) -> Option<String> {
        self.inner.driver()
    }

    fn is_software(&self) -> bool {
        self.inner.is_software()
    }

    fn is_throughput_oriented(&self) -> bool {
        self.inner.is_throughput_oriented()
    }

    fn packs_workgroups(&self) -> bool {
        self.inner.packs_workgroups()
    }

    fn id(&self) -> DeviceId {
        self.inner.id()
    }

    fn limits(&self) -> &Limits {
        self.inner.limits()
    }

    fn prepare(&self) {
        self.inner.prepare();
    }

    fn host_memory(&self, bytes: u64) -> Result<HostMemory, Error> {
        self.inner.host_memory(bytes)
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.inner.create_buffer(bytes)
    }

    fn buffer_of(&self, words: Vec<u32>) -> Result<Buffer, Error> {
        self.inner.buffer_of(words)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.inner.write(buffer, offset, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        self.inner.read_at(buffer, offset, target)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        self.inner.read(buffer)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        let mut options = options.clone();
        options.deadline = options.deadline.into_iter().chain(self.ending.deadline()).min();
        options.cancel.get_or_insert_with(|| self.ending.cancel.clone());
        self.observed(self.inner.create_pipeline(program, &options))
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        let mut options = options.clone();
        options.deadline = options.deadline.into_iter().chain(self.ending.run_deadline()).min();
        options.cancel.get_or_insert_with(|| self.ending.cancel.clone());
        self.observed(self.inner.run(commands, &options))
    }
}
