//! GPU as a device of the runtime.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use vyre_ir::ValidProgram;
use vyre_runtime::{
    Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, Resource, RunOptions, RunReport,
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

/// Options of a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CudaOptions {
    /// True if kernels are optimized.
    pub optimize: bool,
    /// Folder that keeps compiled kernels for later processes. `None` keeps none.
    pub cache_folder: Option<PathBuf>,
}

impl Default for CudaOptions {
    fn default() -> CudaOptions {
        CudaOptions { optimize: true, cache_folder: None }
    }
}

impl CudaOptions {
    /// Turns the optimizer on or off.
    #[must_use]
    pub fn with_optimizer(self, optimize: bool) -> CudaOptions {
        CudaOptions { optimize, ..self }
    }

    /// Keeps compiled kernels in a folder, which is created if it does not exist.
    #[must_use]
    pub fn with_cache_folder(self, folder: impl Into<PathBuf>) -> CudaOptions {
        CudaOptions { cache_folder: Some(folder.into()), ..self }
    }
}

/// An NVIDIA GPU.
///
/// The first use opens a context on the GPU. If the context is lost, the contents of its buffers are lost, the next call
/// opens another context, and pipelines stay valid. After a kernel fault, which no program can cause by itself, newer
/// drivers do not let the process open another context; every call then returns an error that names the failed program.
pub struct CudaDevice {
    id: DeviceId,
    gpu: Gpu,
    limits: Limits,
    options: CudaOptions,
    pub(crate) images: Arc<Images>,
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
    let message = match lost.and_then(Liveness::loss_reason) {
        Some(reason) if failure.is_sticky() => {
            format!("{reason}; after that the driver lets this process use the device no more: start it again")
        }
        _ if failure.is_sticky() => format!(
            "the device cannot be opened: {failure}; if a kernel of this process has failed before, start it again"
        ),
        _ => format!("the device cannot be opened: {failure}"),
    };
    Error::Backend { message }
}

impl CudaDevice {
    /// Lists the NVIDIA GPUs of this machine, in the order of the driver.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpuAdapter`] if there is no GPU of compute capability 7.0 or newer, no driver, or one that is too old.
    pub fn all(options: &CudaOptions) -> Result<Vec<CudaDevice>, Error> {
        let device = |gpu: Gpu| {
            let store = options.cache_folder.as_ref().map(|folder| KernelStore::new(folder, &gpu));
            CudaDevice {
                id: DeviceId::fresh(),
                limits: limits_of(&gpu),
                options: options.clone(),
                images: Arc::new(Images::new(store)),
                opening: Mutex::default(),
                gpu,
            }
        };
        Ok(supported_gpus()?.into_iter().map(device).collect())
    }

    /// The compute capability: 90 for 9.0.
    #[must_use]
    pub fn compute_capability(&self) -> u32 {
        self.gpu.sm
    }

    /// Returns the open GPU. Opens it on first use and after a loss.
    pub(crate) fn open(&self) -> Result<Arc<OpenGpu>, Error> {
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

    /// Returns the open GPU that holds a buffer, and the address of the buffer. Fails if the contents are lost, and opens
    /// nothing.
    fn locate(&self, storage: &Storage) -> Result<(Arc<OpenGpu>, u64), Error> {
        let open = lock(&self.opening).open.clone().ok_or_else(|| storage.lost_contents())?;
        let address = storage.address_in(open.context())?;
        Ok((open, address))
    }

    fn storage<'b>(&self, buffer: &'b Buffer) -> Result<&'b Storage, Error> {
        buffer.contents::<Storage>().filter(|storage| storage.device == self.id).ok_or(Error::ForeignObject)
    }

    fn compiled<'p>(&self, pipeline: &'p Pipeline) -> Result<&'p CompiledProgram, Error> {
        pipeline.code::<CompiledProgram>().filter(|code| code.device == self.id).ok_or(Error::ForeignObject)
    }
}

impl Device for CudaDevice {
    fn name(&self) -> String {
        self.gpu.name.clone()
    }

    fn driver(&self) -> Option<String> {
        Some(self.gpu.driver_name())
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn packs_workgroups(&self) -> bool {
        true
    }

    fn id(&self) -> DeviceId {
        self.id
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        let limit = self.limits.buffer_bytes;
        if bytes > limit {
            return Err(Error::ResourceExceeded { resource: Resource::BufferBytes, wanted: bytes, limit });
        }
        let storage = Storage::new(self.id, self.open()?.context(), bytes)?;
        Ok(Buffer::new(bytes, Arc::new(storage)))
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let storage = self.storage(buffer)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        let (open, address) = self.locate(storage)?;
        open.staging.write(open.context(), bytes, address + offset)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        let storage = self.storage(buffer)?;
        let (open, address) = self.locate(storage)?;
        open.staging.read(open.context(), address, buffer.size())
    }

    fn read_into(&self, buffer: &Buffer, target: &mut [u8]) -> Result<(), Error> {
        let storage = self.storage(buffer)?;
        buffer.check_range(0, target.len() as u64)?;
        let (open, address) = self.locate(storage)?;
        open.staging.read_into(open.context(), address, target)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        options.check_program(program)?;
        self.limits.check_program(program)?;
        let (open, optimize) = (self.open()?, self.options.optimize);
        let compiled = CompiledProgram::new(self.id, &self.images, open.context(), program, options, optimize)?;
        Ok(Pipeline::new(program, options, Arc::new(compiled)))
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        commands.check(&self.limits)?;
        commands.check_owners(|buffer| self.storage(buffer).map(|_| ()), |code| self.compiled(code).map(|_| ()))?;
        if options.check_races {
            return Err(Error::CannotCheckRaces);
        }
        options.check()?;
        let open = self.open()?;
        // A run with a lost buffer must not start.
        let has_contents = |buffer: &Buffer| self.storage(buffer)?.address_in(open.context()).map(|_| ());
        commands.check_owners(has_contents, |_| Ok(()))?;
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
        match CudaDevice::all(&CudaOptions::default()) {
            Ok(devices) => assert!(!devices.is_empty()),
            Err(error) => assert_eq!(error, Error::NoGpuAdapter),
        }
    }
}
