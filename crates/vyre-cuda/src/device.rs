//! A GPU as a device.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use vyre_ir::ValidProgram;
use vyre_runtime::{
    Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, Resource, RunOptions, RunReport,
};

use crate::adapter::Gpu;
use crate::buffer::Storage;
use crate::context::{Context, Fate, locked};
use crate::driver::Failure;
use crate::module::Images;
use crate::pipeline::Compiled;
use crate::run;
use crate::staging;
use crate::store::Store;

/// How GPUs are used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CudaOptions {
    /// Whether kernels are optimized.
    pub optimize: bool,
    /// Where compiled kernels are kept for the next process; nowhere without this.
    pub cache_folder: Option<PathBuf>,
}

impl Default for CudaOptions {
    fn default() -> CudaOptions {
        CudaOptions { optimize: true, cache_folder: None }
    }
}

impl CudaOptions {
    /// The same with kernels optimized or compiled as they were lowered.
    #[must_use]
    pub fn with_optimizer(self, optimize: bool) -> CudaOptions {
        CudaOptions { optimize, ..self }
    }

    /// The same with compiled kernels kept in a folder, which is made where it is missing.
    #[must_use]
    pub fn with_cache_folder(self, folder: impl Into<PathBuf>) -> CudaOptions {
        CudaOptions { cache_folder: Some(folder.into()), ..self }
    }
}

/// An NVIDIA GPU. It is opened when it is first used, and again after what was open had to be given up: then the contents of
/// its buffers are lost, and pipelines go on working. After a fault of a kernel, which no program can cause by itself, newer
/// drivers do not let the process open it again; then every call says so, with the program that has failed.
pub struct CudaDevice {
    id: DeviceId,
    gpu: Gpu,
    limits: Limits,
    options: CudaOptions,
    pub(crate) images: Arc<Images>,
    place: Mutex<Place>,
}

/// Where what is open stands.
#[derive(Default)]
struct Place {
    open: Option<Arc<Context>>,
    /// What became of the last one that was lost.
    lost: Option<Arc<Fate>>,
}

/// The error for a device that cannot be opened. Most drivers let a process do nothing more after a fault of one of its
/// kernels, whatever it tries.
fn not_opened(failure: Failure, lost: Option<&Fate>) -> Error {
    let message = match lost.and_then(Fate::reason) {
        Some(reason) if failure.is_lasting() => {
            format!("{reason}; after that the driver lets this process use the device no more: start it again")
        }
        _ if failure.is_lasting() => format!(
            "the device cannot be opened: {failure}; if a kernel of this process has failed before, start it again"
        ),
        _ => format!("the device cannot be opened: {failure}"),
    };
    Error::Backend { message }
}

impl CudaDevice {
    /// The NVIDIA GPUs of this machine, in the order of the driver.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpuAdapter`] if there is none that kernels can be compiled for, or no driver, or one that is too old.
    pub fn all(options: &CudaOptions) -> Result<Vec<CudaDevice>, Error> {
        let device = |gpu: Gpu| {
            let store = options.cache_folder.as_ref().map(|folder| Store::new(folder, &gpu));
            CudaDevice {
                id: DeviceId::fresh(),
                limits: gpu.limits(),
                options: options.clone(),
                images: Arc::new(Images::new(store)),
                place: Mutex::default(),
                gpu,
            }
        };
        Ok(Gpu::all()?.into_iter().map(device).collect())
    }

    /// The compute capability: 90 for 9.0.
    #[must_use]
    pub fn compute_capability(&self) -> u32 {
        self.gpu.sm
    }

    /// What is open, opened if it is not, or if nothing can be done with it any more.
    pub(crate) fn context(&self) -> Result<Arc<Context>, Error> {
        let mut place = locked(&self.place);
        if let Some(context) = &place.open {
            if !context.is_lost() {
                return Ok(Arc::clone(context));
            }
            place.lost = Some(Arc::clone(context.fate()));
            place.open = None;
        }
        let opened = Context::open(&self.gpu).map_err(|failure| not_opened(failure, place.lost.as_deref()))?;
        Ok(Arc::clone(place.open.insert(opened)))
    }

    fn storage<'b>(&self, buffer: &'b Buffer) -> Result<&'b Storage, Error> {
        buffer.contents::<Storage>().filter(|storage| storage.device == self.id).ok_or(Error::ForeignObject)
    }

    fn compiled<'p>(&self, pipeline: &'p Pipeline) -> Result<&'p Compiled, Error> {
        pipeline.code::<Compiled>().filter(|code| code.device == self.id).ok_or(Error::ForeignObject)
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
        let storage = Storage::new(self.id, &self.context()?, bytes)?;
        Ok(Buffer::new(bytes, Arc::new(storage)))
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let storage = self.storage(buffer)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        let context = storage.context()?;
        staging::write(&context, bytes, storage.address_in(&context)? + offset)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        let storage = self.storage(buffer)?;
        let context = storage.context()?;
        staging::read(&context, storage.address_in(&context)?, buffer.size())
    }

    fn read_into(&self, buffer: &Buffer, target: &mut [u8]) -> Result<(), Error> {
        let storage = self.storage(buffer)?;
        buffer.check_range(0, target.len() as u64)?;
        let context = storage.context()?;
        staging::read_into(&context, storage.address_in(&context)?, target)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        options.check_program(program)?;
        self.limits.check_program(program)?;
        let context = self.context()?;
        let compiled = Compiled::new(self.id, &self.images, &context, program, options, self.options.optimize)?;
        Ok(Pipeline::new(program, options, Arc::new(compiled)))
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        commands.check(&self.limits)?;
        commands.check_owners(|buffer| self.storage(buffer).map(|_| ()), |code| self.compiled(code).map(|_| ()))?;
        if options.check_races {
            return Err(Error::CannotCheckRaces);
        }
        options.check()?;
        let context = self.context()?;
        // Nothing is begun with buffers that are lost.
        let in_place = |buffer: &Buffer| self.storage(buffer)?.address_in(&context).map(|_| ());
        commands.check_owners(in_place, |_| Ok(()))?;
        run::run(&context, commands, options)
    }
}
