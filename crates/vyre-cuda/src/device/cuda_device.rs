//! GPU as a device of the runtime.

use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

use vyre_ir::ValidProgram;
use vyre_runtime::shell::{DeviceShell, GpuOptions};
use vyre_runtime::{
    Buffer, Cause, CommandList, Device, DeviceId, Error, HostMemory, Limits, LossReason, Pipeline, PipelineOptions,
    RunOptions, RunReport,
};

use super::open_gpu::OpenGpu;
use crate::compile::image::Images;
use crate::compile::limits::{is_supported, limits_of};
use crate::compile::program::CompiledProgram;
use crate::compile::store::KernelStore;
use crate::driver::gpu::Gpu;
use crate::driver::library::{Driver, Failure};
use crate::driver::liveness::Liveness;
use crate::submit::run::run;
use crate::sync::lock;
use crate::transfer::buffer::Storage;
use crate::transfer::host_memory::host_memory;

/// An NVIDIA GPU.
///
/// The first use opens a context on the GPU, which takes a tenth of a second; [`prepare`](Device::prepare) starts that on
/// another thread. If the context is lost, the contents of its buffers are lost, the next call
/// opens another context, and pipelines stay valid. After a kernel fault, which no program can cause by itself, newer
/// drivers do not let the process open another context; every call then returns an error that names the failed program.
pub struct CudaDevice {
    shell: DeviceShell,
    options: GpuOptions,
    pub(crate) images: Arc<Images>,
    opener: Arc<Opener>,
    /// Thread that opens the context ahead of its use.
    preparing: Mutex<Option<JoinHandle<()>>>,
}

/// Part of a device that opens its contexts.
struct Opener {
    gpu: Gpu,
    opening: Mutex<Opening>,
}

/// Open GPU of a device, and the last loss.
#[derive(Default)]
struct Opening {
    open: Option<Arc<OpenGpu>>,
    /// Liveness of the last context that was lost.
    lost: Option<Arc<Liveness>>,
}

/// Error of a device that cannot be opened. Most drivers refuse every call of a process after one of its kernels faulted.
fn open_error(failure: Failure, lost: Option<&Liveness>) -> Error {
    let code = i64::from(failure.status);
    let cause = Cause::new(failure.to_string());
    if !failure.is_sticky() {
        return Error::Driver { call: "opening the device", code: Some(code), cause };
    }
    let fault = LossReason::Fault { programs: Vec::new(), code, cause };
    Error::DeviceLost { reason: lost.and_then(Liveness::loss_reason).cloned().unwrap_or(fault), can_reopen: false }
}

impl CudaDevice {
    /// Lists the NVIDIA GPUs of this machine, in the order of the driver.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpuAdapter`] if there is no GPU of compute capability 7.0 or newer, no driver, or one that is too old.
    pub fn all(options: &GpuOptions) -> Result<Vec<CudaDevice>, Error> {
        let device = |gpu: Gpu| {
            let store = options.cache_folder.as_ref().map(|folder| KernelStore::new(folder, &gpu));
            CudaDevice {
                shell: DeviceShell::new(limits_of(&gpu)),
                options: options.clone(),
                images: Arc::new(Images::new(store)),
                opener: Arc::new(Opener { gpu, opening: Mutex::default() }),
                preparing: Mutex::default(),
            }
        };
        Ok(supported_gpus()?.into_iter().map(device).collect())
    }

    /// The compute capability: 90 for 9.0.
    #[must_use]
    pub fn compute_capability(&self) -> u32 {
        self.opener.gpu.sm
    }

    /// Returns the open GPU. Opens it on first use and after a loss.
    pub(crate) fn open(&self) -> Result<Arc<OpenGpu>, Error> {
        self.opener.open()
    }

    /// Returns the open GPU that holds a buffer, and the address of the buffer. Fails if the contents are lost, and opens
    /// nothing.
    fn locate(&self, storage: &Storage) -> Result<(Arc<OpenGpu>, u64), Error> {
        let open = lock(&self.opener.opening).open.clone().ok_or_else(|| storage.lost_contents())?;
        let address = storage.address_in(open.context())?;
        Ok((open, address))
    }
}

impl Opener {
    /// Returns the open GPU. Opens it on first use and after a loss. Other threads wait meanwhile.
    fn open(&self) -> Result<Arc<OpenGpu>, Error> {
        let mut opening = lock(&self.opening);
        if let Some(open) = &opening.open {
            if !open.context().is_lost() {
                return Ok(Arc::clone(open));
            }
            opening.lost = Some(Arc::clone(open.context().liveness()));
            opening.open = None;
        }
        let opened = OpenGpu::open(&self.gpu).map_err(|failure| open_error(failure, opening.lost.as_deref()))?;
        Ok(Arc::clone(opening.open.insert(Arc::new(opened))))
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        // The process may end after this, and a driver must not end while a thread is in it.
        if let Some(thread) = lock(&self.preparing).take() {
            let _ = thread.join();
        }
    }
}

impl Device for CudaDevice {
    fn name(&self) -> String {
        self.opener.gpu.name.clone()
    }

    fn driver(&self) -> Option<String> {
        Some(self.opener.gpu.driver_name())
    }

    fn is_throughput_oriented(&self) -> bool {
        true
    }

    fn packs_workgroups(&self) -> bool {
        true
    }

    fn id(&self) -> DeviceId {
        self.shell.id()
    }

    fn limits(&self) -> &Limits {
        self.shell.limits()
    }

    fn prepare(&self) {
        let mut preparing = lock(&self.preparing);
        if preparing.is_none() {
            let opener = Arc::clone(&self.opener);
            let thread = Builder::new().name("vyre-cuda-open".to_owned());
            // The call that needs the context reports the error. Without a thread it opens the context itself.
            *preparing = thread.spawn(move || drop(opener.open())).ok();
        }
    }

    fn host_memory(&self, bytes: u64) -> Result<HostMemory, Error> {
        let open = self.open()?;
        host_memory(open.context(), &open.staging.team, bytes)
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.shell.create_buffer(bytes, || Storage::new(self.open()?.context(), bytes))
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let storage: &Storage = self.shell.contents(buffer)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        let (open, address) = self.locate(storage)?;
        open.staging.write(open.context(), bytes, address + offset)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        let storage: &Storage = self.shell.contents(buffer)?;
        buffer.check_range(offset, target.len() as u64)?;
        let (open, address) = self.locate(storage)?;
        open.staging.read_into(open.context(), address + offset, target)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        let storage: &Storage = self.shell.contents(buffer)?;
        let (open, address) = self.locate(storage)?;
        open.staging.read(open.context(), address, buffer.size())
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        self.shell.create_pipeline(program, options, || {
            let (open, optimize) = (self.open()?, self.options.optimize);
            CompiledProgram::new(&self.images, open.context(), program, options, optimize)
        })
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        self.shell.check_run(commands, options)?;
        options.check()?;
        let open = self.open()?;
        // A run with a lost buffer must not start.
        let has_contents =
            |buffer: &Buffer| self.shell.contents::<Storage>(buffer)?.address_in(open.context()).map(|_| ());
        commands.visit_objects(has_contents, |_| Ok(()))?;
        run(&open.queue, commands, options)
    }
}

/// GPUs of this machine that can run PTX of this backend.
fn supported_gpus() -> Result<Vec<Gpu>, Error> {
    let driver = Driver::get().ok_or(Error::NoGpuAdapter)?;
    let count = Gpu::count(driver).map_err(|_| Error::NoGpuAdapter)?;
    // A GPU whose properties cannot be queried is not usable.
    let found = (0..count).filter_map(|ordinal| Gpu::query(driver, ordinal).ok());
    let gpus: Vec<Gpu> = found.filter(is_supported).collect();
    if gpus.is_empty() { Err(Error::NoGpuAdapter) } else { Ok(gpus) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_gpu_reports_no_adapter() {
        match CudaDevice::all(&GpuOptions::default()) {
            Ok(devices) => assert!(!devices.is_empty()),
            Err(error) => assert_eq!(error, Error::NoGpuAdapter),
        }
    }
}
