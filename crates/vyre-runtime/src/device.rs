//! Devices and backends.

use std::sync::Arc;

use vyre_ir::ValidProgram;

use crate::buffer::{Buffer, DeviceId, zeroed_vec};
use crate::commands::CommandList;
use crate::error::Error;
use crate::host_memory::HostMemory;
use crate::limits::Limits;
use crate::pipeline::{Pipeline, PipelineOptions};
use crate::run::{RunOptions, RunReport};

/// Family of devices that share an implementation.
pub trait Backend: Send + Sync {
    /// The name by which users select it.
    fn name(&self) -> &'static str;

    /// The devices of this machine.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpuAdapter`] if a GPU backend finds none.
    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error>;
}

/// Processor that runs programs. Buffers stay on it between dispatches.
///
/// Devices are `Send + Sync`: threads share one device through an `Arc` or a reference, and so do buffers, pipelines and
/// command lists. Concurrent runs on different buffers do not affect each other. Concurrent runs on the same buffer are
/// safe, but the order of their commands is not defined.
///
/// The methods of the trait transfer bytes. The methods of `dyn Device` below transfer elements: numbers and vectors of
/// the type [`Element`](crate::Element). They apply to `&dyn Device`, `Box<dyn Device>` and `Arc<dyn Device>` without an
/// import; a concrete device is converted first, as in `let device: &dyn Device = &device;`.
pub trait Device: Send + Sync {
    /// The name of the device.
    fn name(&self) -> String;

    /// The driver and its version, if the device has a driver.
    fn driver(&self) -> Option<String> {
        None
    }

    /// True for a GPU driver that computes on the CPU, as llvmpipe, SwiftShader and WARP do. The CPU backend is faster.
    fn is_software(&self) -> bool {
        false
    }

    /// True if the device is throughput-oriented, as GPUs are: it needs thousands of concurrent invocations to be fast,
    /// and neighbouring invocations that take the same path.
    fn is_throughput_oriented(&self) -> bool {
        false
    }

    /// True if several workgroups that are smaller than the SIMD width of the hardware share its lanes, so that small
    /// workgroups leave no lanes idle.
    fn packs_workgroups(&self) -> bool {
        false
    }

    /// Identity of the device, unique in this process.
    fn id(&self) -> DeviceId;

    /// The limits of the device.
    fn limits(&self) -> &Limits;

    /// Starts to open the device on another thread, and returns at once. A later call that needs the device waits for it and
    /// reports errors. Devices that open at once do nothing.
    ///
    /// A GPU takes tenths of a second to open; call this as soon as the device is chosen, and prepare its input meanwhile.
    fn prepare(&self) {}

    /// Allocates host memory for transfers, filled with zeros.
    ///
    /// [`write`](Device::write) and [`read_at`](Device::read_at) copy any part of it directly, without an intermediate copy,
    /// where the device can access pinned memory of the host. On other devices it is ordinary memory. Allocate it once and use
    /// it often: pinning takes longer than a transfer.
    ///
    /// # Errors
    ///
    /// Exhausted memory, or a device that cannot be opened.
    fn host_memory(&self, bytes: u64) -> Result<HostMemory, Error> {
        HostMemory::pageable(bytes)
    }

    /// Allocates a buffer of zeros.
    ///
    /// # Errors
    ///
    /// A size beyond the limits, or exhausted memory.
    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error>;

    /// Creates a buffer of words. A device that computes in the memory of the host takes the memory of the words, where it can;
    /// other devices copy them.
    ///
    /// # Errors
    ///
    /// A size beyond the limits, or exhausted memory.
    fn buffer_of(&self, mut words: Vec<u32>) -> Result<Buffer, Error> {
        words.iter_mut().for_each(|word| *word = word.to_le());
        let buffer = self.create_buffer(size_of_val(&*words) as u64)?;
        self.write(&buffer, 0, bytemuck::cast_slice(&words))?;
        Ok(buffer)
    }

    /// Writes bytes to a buffer.
    ///
    /// # Errors
    ///
    /// A range beyond the end of the buffer, or a buffer of another device.
    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Reads bytes of a buffer from an offset into existing memory. Transfers only these bytes.
    ///
    /// # Errors
    ///
    /// A range beyond the end of the buffer, a buffer of another device, or a device failure.
    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error>;

    /// Reads a whole buffer.
    ///
    /// # Errors
    ///
    /// A buffer of another device, exhausted memory, or a device failure.
    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        if buffer.device() != self.id() {
            return Err(Error::ForeignObject);
        }
        let mut bytes = zeroed_vec(buffer.size())?;
        self.read_at(buffer, 0, &mut bytes)?;
        Ok(bytes)
    }

    /// Compiles a program.
    ///
    /// # Errors
    ///
    /// A program beyond the limits, one without the buffer roles of the calling convention, or a failure of a compiler.
    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error>;

    /// Runs commands in order and returns when they are complete.
    ///
    /// # Errors
    ///
    /// Bindings or a grid that do not match, before any command runs; a run that was cancelled or exceeded its deadline; a
    /// device failure.
    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error>;
}
