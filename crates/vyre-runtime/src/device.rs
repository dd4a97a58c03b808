//! Devices and what lives on them.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use vyre_ir::{BufferAccess, BufferDecl, Convention, Specialization, ValidProgram};

use crate::commands::CommandList;
use crate::error::{Error, Resource};
use crate::races::RaceReport;

/// What a machine offers to run programs on.
pub trait Backend: Send + Sync {
    /// The name that users choose it by.
    fn name(&self) -> &'static str;

    /// The devices that it finds on this machine.
    ///
    /// # Errors
    ///
    /// [`Error::NoGpuAdapter`] where a GPU backend finds none.
    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error>;
}

/// Something that runs programs. Buffers stay on it between dispatches.
pub trait Device: Send + Sync {
    /// What it is called.
    fn name(&self) -> String;

    /// What it is driven by, with its version, where there is such a thing.
    fn driver(&self) -> Option<String> {
        None
    }

    /// Whether it is called a GPU but computes on the CPU, as llvmpipe, SwiftShader and WARP do. The CPU backend is faster.
    fn is_software(&self) -> bool {
        false
    }

    /// Whether it needs thousands of invocations at a time to be fast, and neighbours among them to do the same, as GPUs do.
    fn is_wide(&self) -> bool {
        false
    }

    /// Whether workgroups that are smaller than the lanes of the hardware share them, so that small ones leave none idle.
    fn packs_workgroups(&self) -> bool {
        false
    }

    /// What tells it apart from every other device of this process.
    fn id(&self) -> DeviceId;

    /// How much it can do.
    fn limits(&self) -> &Limits;

    /// A buffer of zeros.
    ///
    /// # Errors
    ///
    /// A size beyond the limits, or memory that is used up.
    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error>;

    /// Writes bytes to a buffer.
    ///
    /// # Errors
    ///
    /// A range beyond the end of the buffer, or a buffer of another device.
    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Reads a whole buffer back.
    ///
    /// # Errors
    ///
    /// A buffer of another device, or a device failure.
    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error>;

    /// Reads the beginning of a buffer into memory that there is already, which is faster for what is long.
    ///
    /// # Errors
    ///
    /// A target that is longer than the buffer, a buffer of another device, or a device failure.
    fn read_into(&self, buffer: &Buffer, target: &mut [u8]) -> Result<(), Error> {
        buffer.check_range(0, target.len() as u64)?;
        target.copy_from_slice(&self.read(buffer)?[..target.len()]);
        Ok(())
    }

    /// Makes a program ready to be dispatched.
    ///
    /// # Errors
    ///
    /// A program beyond the limits, or one that does not have the roles of the calling convention.
    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error>;

    /// Runs commands in order and returns when they are done.
    ///
    /// # Errors
    ///
    /// Bindings or a grid that do not fit, found before anything runs; a run that is cancelled or takes too long.
    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error>;
}

/// How much a device can do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest buffer, in bytes.
    pub buffer_bytes: u64,
    /// The largest uniform buffer, in bytes.
    pub uniform_bytes: u64,
    /// The most workgroup memory of a program, in bytes.
    pub workgroup_bytes: u64,
    /// The most invocations of a workgroup.
    pub workgroup_invocations: u64,
    /// The most invocations of a workgroup on each axis.
    pub workgroup_size: [u64; 3],
    /// The most buffers, without workgroup memory, that a program may access.
    pub accessed_buffers: u64,
    /// Whether a run ends when it is cancelled or its deadline has come. Elsewhere the call returns then, but what the device
    /// has begun goes on, and who reads a buffer waits for it.
    pub can_cancel: bool,
    /// Whether [`RunOptions::check_races`] finds races; elsewhere it is an error.
    pub can_check_races: bool,
}

impl Limits {
    /// Uniform buffers have at most 64 KB on every device.
    pub const UNIFORM_BYTES: u64 = 64 * 1024;
    /// A grid has at most 2^32 invocations on an axis, on every device.
    pub const GRID_INVOCATIONS: u64 = 1 << 32;

    /// Limits with these values, of a device that can neither be cancelled nor look for races, and that limits neither the
    /// axes of a workgroup nor the number of buffers.
    #[must_use]
    pub fn new(buffer_bytes: u64, workgroup_bytes: u64, workgroup_invocations: u64) -> Limits {
        Limits {
            buffer_bytes,
            uniform_bytes: Limits::UNIFORM_BYTES,
            workgroup_bytes,
            workgroup_invocations,
            workgroup_size: [workgroup_invocations; 3],
            accessed_buffers: u64::MAX,
            can_cancel: false,
            can_check_races: false,
        }
    }

    /// Checks a program against the limits.
    ///
    /// # Errors
    ///
    /// The first limit that it exceeds.
    pub fn check_program(&self, program: &ValidProgram<'_>) -> Result<(), Error> {
        let program = program.program();
        let workgroup = program.buffers.iter().filter(|buffer| buffer.access == BufferAccess::Workgroup);
        let bytes = workgroup.map(|buffer| u64::from(buffer.count) * buffer.element.min_bytes() as u64);
        let bytes = bytes.fold(0, u64::saturating_add);
        within(Resource::WorkgroupBytes, bytes, self.workgroup_bytes)?;
        within(Resource::WorkgroupInvocations, program.workgroup_invocations(), self.workgroup_invocations)?;
        for (axis, (&size, &limit)) in program.workgroup_size.iter().zip(&self.workgroup_size).enumerate() {
            within(Resource::WorkgroupSize { axis }, u64::from(size), limit)?;
        }
        Ok(())
    }
}

/// Fails where more is wanted than there is.
pub(crate) fn within(resource: Resource, wanted: u64, limit: u64) -> Result<(), Error> {
    if wanted > limit { Err(Error::ResourceExceeded { resource, wanted, limit }) } else { Ok(()) }
}

/// What tells a device apart from every other one of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(u64);

impl DeviceId {
    /// An id that no other device has.
    #[must_use]
    pub fn fresh() -> DeviceId {
        DeviceId(fresh_id())
    }
}

/// Numbers that tell buffers and devices apart.
pub(crate) fn fresh_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Memory on a device. Clones are the same memory.
#[derive(Clone)]
pub struct Buffer {
    id: u64,
    size: u64,
    contents: Arc<dyn Any + Send + Sync>,
}

impl Buffer {
    /// A buffer around what a backend keeps of it.
    #[must_use]
    pub fn new(size: u64, contents: Arc<dyn Any + Send + Sync>) -> Buffer {
        Buffer { id: fresh_id(), size, contents }
    }

    /// The size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What tells it apart from all other memory of this process.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whether both are the same memory.
    #[must_use]
    pub fn is_same(&self, other: &Buffer) -> bool {
        self.id == other.id
    }

    /// What the backend keeps, if it is of this type.
    #[must_use]
    pub fn contents<T: Any>(&self) -> Option<&T> {
        self.contents.downcast_ref()
    }

    /// Fails where a range goes beyond the end.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBuffer`].
    pub fn check_range(&self, offset: u64, length: u64) -> Result<(), Error> {
        let end = offset.saturating_add(length);
        if end > self.size { Err(Error::OutOfBuffer { end, size: self.size }) } else { Ok(()) }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.size)
    }
}

/// A program that is ready to be dispatched. Clones are the same pipeline.
#[derive(Clone)]
pub struct Pipeline {
    interface: Arc<Interface>,
    code: Arc<dyn Any + Send + Sync>,
}

/// What the host must know of a program to dispatch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The buffers that are bound, in the order of the program.
    pub buffers: Vec<BufferDecl>,
    /// The size of a workgroup.
    pub workgroup_size: [u32; 3],
    /// By the slot of a uniform buffer: the fewest bytes that it must have, where values of it are fixed.
    pub fixed_bytes: BTreeMap<u32, u64>,
}

impl Pipeline {
    /// A pipeline around what a backend keeps of it.
    #[must_use]
    pub fn new(program: &ValidProgram<'_>, options: &PipelineOptions, code: Arc<dyn Any + Send + Sync>) -> Pipeline {
        let program = program.program();
        let bound = program.buffers.iter().filter(|buffer| buffer.access != BufferAccess::Workgroup);
        let mut fixed_bytes = BTreeMap::new();
        for (binding, element, words) in options.specialization.iter() {
            // Elements ascend within a slot, so the last one counts.
            fixed_bytes.insert(binding, (u64::from(element) + 1) * words.len() as u64 * 4);
        }
        let interface =
            Interface { buffers: bound.cloned().collect(), workgroup_size: program.workgroup_size, fixed_bytes };
        Pipeline { interface: Arc::new(interface), code }
    }

    /// Whether both are the same pipeline.
    #[must_use]
    pub fn is_same(&self, other: &Pipeline) -> bool {
        Arc::ptr_eq(&self.code, &other.code)
    }

    /// What the host must know of the program.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// What the backend keeps, if it is of this type.
    #[must_use]
    pub fn code<T: Any>(&self) -> Option<&T> {
        self.code.downcast_ref()
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.interface, f)
    }
}

/// How a pipeline is built.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PipelineOptions {
    /// The roles that the buffers of the program must have; `None` for raw bindings.
    pub convention: Option<Convention>,
    /// Values of uniform buffers that are fixed now.
    pub specialization: Specialization,
}

impl PipelineOptions {
    /// The same for a calling convention.
    #[must_use]
    pub fn with_convention(mut self, convention: Convention) -> PipelineOptions {
        self.convention = Some(convention);
        self
    }

    /// The same with fixed values.
    #[must_use]
    pub fn with_specialization(mut self, specialization: Specialization) -> PipelineOptions {
        self.specialization = specialization;
        self
    }

    /// Checks that the buffers of a program have the roles of the convention and the values that are fixed.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedConvention`] where they do not have the roles, or where the convention is not known;
    /// [`Error::Specialization`] where fixed values do not fit.
    pub fn check_program(&self, program: &ValidProgram<'_>) -> Result<(), Error> {
        self.specialization.check(program.program())?;
        let Some(convention) = self.convention else { return Ok(()) };
        let of = |access: BufferAccess| {
            let buffers = program.program().buffers.iter();
            buffers.filter(move |buffer| buffer.access == access).map(|buffer| buffer.binding)
        };
        let one_each = of(BufferAccess::ReadWrite).count() == 1 && of(BufferAccess::Uniform).count() == 1;
        let inputs = of(BufferAccess::ReadOnly).count();
        let fits = match convention {
            Convention::V1 => one_each && inputs == 1,
            Convention::V2 { lookup_binding } => {
                one_each && inputs == 2 && of(BufferAccess::ReadOnly).any(|binding| binding == lookup_binding)
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(Error::UnsupportedConvention(convention)) }
    }
}

/// How commands are run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunOptions {
    /// Ends the run when it is told to, as far as [`Limits::can_cancel`] says.
    pub cancel: Option<CancelToken>,
    /// Ends the run at this time, in the same way.
    pub deadline: Option<Instant>,
    /// Looks for data races, on devices that can.
    pub check_races: bool,
}

impl RunOptions {
    /// Fails if the run is to end.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] or [`Error::DeadlineExceeded`].
    pub fn check(&self) -> Result<(), Error> {
        if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            return Err(Error::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Error::DeadlineExceeded);
        }
        Ok(())
    }
}

/// Tells a run to end, from any thread.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
}

impl CancelToken {
    /// Ends the runs that have this token.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was told to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// What a run has to say.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunReport {
    /// The times of the timestamps, in nanoseconds since the first.
    pub timestamps: Vec<u64>,
    /// Data races, where they were looked for.
    pub races: RaceReport,
}
