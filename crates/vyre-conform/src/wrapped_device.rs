//! A device around another one (decorator), for tests: it changes, counts or refuses some operations and forwards the others.
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
//! use vyre_runtime::{Buffer, Device, Error, ReferenceDevice};
//!
//! struct Counting(ReferenceDevice, AtomicU64);
//!
//! impl DeviceWrapper for Counting {
//!     fn inner(&self) -> &dyn Device {
//!         &self.0
//!     }
//!
//!     fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
//!         self.1.fetch_add(bytes, Ordering::Relaxed);
//!         self.0.create_buffer(bytes)
//!     }
//! }
//!
//! let device = Wrapped(Counting(ReferenceDevice::new(), AtomicU64::new(0)));
//! device.create_buffer(100)?;
//! device.buffer_of(vec![1, 2, 3])?;
//! assert_eq!(device.0.1.load(Ordering::Relaxed), 112);
//! # Ok::<(), Error>(())
//! ```

use vyre_ir::ValidProgram;
use vyre_runtime::{
    Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, RunOptions, RunReport,
};

/// Operations of a device around another one. Each forwards to the device inside unless it is overridden.
pub trait DeviceWrapper: Send + Sync {
    /// The device inside.
    fn inner(&self) -> &dyn Device;

    /// As [`Device::name`].
    fn name(&self) -> String {
        self.inner().name()
    }

    /// As [`Device::is_throughput_oriented`].
    fn is_throughput_oriented(&self) -> bool {
        self.inner().is_throughput_oriented()
    }

    /// As [`Device::packs_workgroups`].
    fn packs_workgroups(&self) -> bool {
        self.inner().packs_workgroups()
    }

    /// As [`Device::limits`].
    fn limits(&self) -> &Limits {
        self.inner().limits()
    }

    /// As [`Device::create_buffer`].
    ///
    /// # Errors
    ///
    /// Those of the device.
    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.inner().create_buffer(bytes)
    }

    /// As [`Device::write`].
    ///
    /// # Errors
    ///
    /// Those of the device.
    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.inner().write(buffer, offset, bytes)
    }

    /// As [`Device::read_at`].
    ///
    /// # Errors
    ///
    /// Those of the device.
    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        self.inner().read_at(buffer, offset, target)
    }

    /// As [`Device::create_pipeline`].
    ///
    /// # Errors
    ///
    /// Those of the device.
    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        self.inner().create_pipeline(program, options)
    }

    /// As [`Device::run`].
    ///
    /// # Errors
    ///
    /// Those of the device.
    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        self.inner().run(commands, options)
    }
}

/// The device of a [`DeviceWrapper`]. Whole buffers and buffers of words go through its `create_buffer`, `write` and `read_at`.
#[derive(Debug, Default)]
pub struct Wrapped<W>(pub W);

impl<W: DeviceWrapper> Device for Wrapped<W> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn driver(&self) -> Option<String> {
        self.0.inner().driver()
    }

    fn is_software(&self) -> bool {
        self.0.inner().is_software()
    }

    fn is_throughput_oriented(&self) -> bool {
        self.0.is_throughput_oriented()
    }

    fn packs_workgroups(&self) -> bool {
        self.0.packs_workgroups()
    }

    fn id(&self) -> DeviceId {
        self.0.inner().id()
    }

    fn limits(&self) -> &Limits {
        self.0.limits()
    }

    fn prepare(&self) {
        self.0.inner().prepare();
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
